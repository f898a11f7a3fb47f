"""Error bars are as long as the picture says, wherever figures are given standard errors."""

from itertools import product

import numpy as np
import pytest

from anneal_edu.course.experiments import kiwaki
from anneal_edu.course.figures import (
    LectureFigure,
    estimators,
    gaussian_rbm,
    hamiltonian,
    image_models,
    likelihood_tracking,
    projected,
    rbm_paths,
    tempering,
)
from anneal_edu.course.panels import likelihood_tracking as watching
from tests.course.panels.conftest import drawn

VALUE, ERROR = np.array([0.4, 0.5, 0.6]), np.array([0.01, 0.02, 0.03])
AT = np.array([10, 20, 40])
EACH = list(zip(VALUE, ERROR, strict=True))
BOTH = {"AIS": VALUE, "RAISE": VALUE}, {"AIS": ERROR, "RAISE": ERROR}
SUMS = {start: [(*each, 50.0) for each in EACH] for start in kiwaki.STARTS}

UP, ACROSS = 1, 0
BARS = {
    "gaussian_rbm.estimates_and_ess": (
        lambda *axes: gaussian_rbm.estimates_and_ess(axes, list(AT), SUMS, 0.5, 100), "full intervals", UP, 3,
    ),
    "hamiltonian.likelihood_convergence": (
        lambda ax, _: hamiltonian.likelihood_convergence(ax, list(AT), VALUE, ERROR, 0.5), "errors", UP, 2,
    ),
    "image_models.likelihoods": (
        lambda ax, _: image_models.likelihoods(ax, (VALUE, ERROR), (VALUE, ERROR), 0.0), "ours bars", ACROSS, 1,
    ),
    "image_models.sizes": (
        lambda ax, _: image_models.sizes(ax, {"mcRBM": (AT, VALUE, ERROR)}, {}), "mcRBM errors", UP, 2,
    ),
    "likelihood_tracking": (
        lambda ax, _: watching._tracking_error(ax, AT, VALUE, ERROR, 40), "bars", UP, 2,
    ),
    "likelihood_tracking.bounds_against_steps": (
        lambda ax, _: likelihood_tracking.bounds_against_steps(ax, AT, *BOTH, 0.5, VALUE), "RAISE bars", UP, 2,
    ),
    "estimators": (
        lambda ax, _: estimators.one_answer(ax, 0, 0, VALUE[0], 2 * ERROR[0], -3, 3, "MBAR"), "MBAR bar 0", ACROSS, 2,
    ),
    "tempering.rates_by_path": (
        lambda ax, _: tempering.rates_by_path(ax, "abc", {"moments": VALUE}, {"moments": (VALUE, ERROR)}, 1e-4, ""),
        "moments bars", UP, 2,
    ),
}  # fmt: skip
"""Panel or figure → how to draw the numbers above, its bars, their direction, and their standard errors each way."""


@pytest.mark.parametrize("name", BARS)
def test_bars_are_as_long_as_they_say(name):
    call, gid, direction, multiple = BARS[name]
    one, other = LectureFigure().columns(1, 1)
    with projected():
        call(one, other)
    ends = np.array(drawn(one, gid).get_data()[direction])
    ends = np.sort(ends[np.isfinite(ends)].reshape(-1, 2), axis=1)
    n = len(ends)
    assert n in (1, 3)
    np.testing.assert_allclose(ends, np.column_stack([VALUE - multiple * ERROR, VALUE + multiple * ERROR])[:n])


def test_the_bar_of_a_root_mean_square_error():
    """Of n normal errors, its relative standard error is 1/√(2n); of errors that are all the same, 0."""
    (ax,), n = LectureFigure().columns(1), 20_000
    errors = [np.random.default_rng(0).normal(size=n), np.full(n, 0.3)]
    estimators.rmse_against_rungs(ax, [3, 5], {"RTS": errors})
    ends = drawn(ax, "RTS bars").get_ydata().reshape(-1, 3)[:, :2]
    np.testing.assert_allclose(ends[0], 1 + np.array([-2, 2]) / np.sqrt(2 * n), atol=0.03)
    assert np.ptp(ends[0]) == pytest.approx(4 / np.sqrt(2 * n), rel=0.1)
    np.testing.assert_allclose(ends[1:], [[0.3, 0.3]])


def test_figure_three_draws_every_point_with_its_interval_around_the_truth():
    kinds = [("Gibbs", "linear"), ("Gibbs", "optimal binned"), ("perfect", "linear")]
    places = [(path, *kind) for path, kind in product(("geometric", "MAS"), kinds)]
    rows = [
        {
            "path": path, "transitions": transitions, "schedule": schedule, "n_steps": n_steps, "exact": 5.0,
            "log_z": 7 + 0.01 * i, "low": 6 + 0.01 * i, "high": 7.2 + 0.01 * i, "ess": 3 + i,
        }
        for n_steps in (10, 100)
        for i, (path, transitions, schedule) in enumerate(places)
    ]  # fmt: skip
    linear, binned, ess = axes = LectureFigure().columns(1, 1, 1)
    rbm_paths.figure_three(axes, rows, 100)
    for i, (path, *kind) in enumerate(places):
        name = f"{'moments' if path == 'MAS' else 'geometric'} {tuple(kind)}"
        mine, other = (linear, binned) if kind[1] == "linear" else (binned, linear)
        points, bars = (next(a for a in mine.get_children() if a.get_gid() == name + end) for end in ("", " bars"))
        assert not any(a.get_gid() == name for a in other.get_children())
        x = np.array([10, 100]) * (1.09 if path == "MAS" else 1 / 1.09)
        np.testing.assert_allclose(points.get_xdata(), x if kind[0] == "Gibbs" else 0.83 * x)
        np.testing.assert_allclose(points.get_ydata(), 2 + 0.01 * i)
        np.testing.assert_allclose(bars.get_ydata()[:2], [1 + 0.01 * i, 2.2 + 0.01 * i])
        sizes = [a.get_ydata() for a in ess.get_children() if a.get_gid() == name]
        assert [list(size) for size in sizes] == ([[3 + i, 3 + i]] if kind[0] == "Gibbs" else [])


def test_figure_five_draws_every_point_with_its_interval_around_the_guess():
    guesses, starts = {"mnist_pcd_9": 5.0, "mnist_cd1_9": 4.0}, ("uniform", "base rate")
    ways = [*enumerate(product(("geometric", "MAS", "MAS cheap"), starts))]
    rows = [
        {"model": model, "path": path, "start": start, "n_steps": n, "log_z": 7 + i, "interval": [6 + i, 9 + i]}
        for model, n, (i, (path, start)) in product(guesses, (10, 100), ways)
    ]
    axes = LectureFigure().columns(1, 1)
    rbm_paths.figure_five(axes, guesses, rows)
    for ax, guess in zip(axes, guesses.values(), strict=True):
        for i, (style, start) in enumerate(product(("geometric", "moments", "cheap moments"), starts)):
            points, bars = (drawn(ax, f"{style} {start}{end}") for end in ("", " bars"))
            np.testing.assert_allclose(points.get_ydata(), 7 + i - guess)
            np.testing.assert_allclose(bars.get_ydata()[:2], [6 + i - guess, 9 + i - guess])
