"""Figures that only a notebook draws: nothing is cut off unsaid, and marks stand in the rows of their names."""

import numpy as np
import pytest

from anneal_edu.course.experiments.carlson_rows import summarise
from anneal_edu.course.figures import (
    LectureFigure,
    likelihood_tracking,
    paper_gaussians,
    tempered_sampling,
)
from tests.course.panels.conftest import drawn

TRAIN, VALIDATION = likelihood_tracking.TRAIN, likelihood_tracking.VALIDATION


def plot():
    (ax,) = LectureFigure(5, 4).columns(1)
    return ax




def test_of_many_looks_one_curve_has_bars_and_one_that_goes_on_has_an_arrow():
    ax, error = plot(), np.full(60, 1.0)
    error[10] = 500.0
    values = np.linspace(-300.0, -100.0, 60)
    likelihood_tracking.tracked(ax, np.arange(1, 61), {TRAIN: values, VALIDATION: values - 5}, error)
    names = {artist.get_gid() for artist in ax.get_children()}
    assert f"{TRAIN} bars" in names and f"{VALIDATION} bars" not in names
    low, high = ax.get_ylim()
    for way in ("down", "up"):
        assert list(drawn(ax, f"{TRAIN} further {way}").get_xdata()) == [11]
        assert low < drawn(ax, f"{TRAIN} further {way}").get_ydata()[0] < high
    np.testing.assert_allclose(drawn(ax, f"{TRAIN} bars").get_ydata()[:2], [-302.0, -298.0])


def test_errors_against_the_sandwich():
    """Looks with a sandwich, from its middle, as means and ranges over repeats; the curves are of the first."""
    rows = [
        {"n_updates": n, "train": -20.0, "validation": -21.0, "log_z": log_z, "std_error": 1.0, "lower": low,
         "upper": up, "annealed": annealed, "repeat": repeat}
        for n, log_z, low, up, annealed, repeat in (
            (50, 48.0, None, None, None, 0), (100, 50.0, 51.0, 53.0, 49.0, 0), (150, 50.0, 50.0, 49.0, 47.5, 0),
            (150, 49.0, 50.0, 49.0, 45.5, 1), (100, 53.0, 51.0, 53.0, 48.0, 1),
        )
    ]  # fmt: skip
    left, right = LectureFigure().columns(1, 1)
    likelihood_tracking.tracked_and_bounded((left, right), rows)
    assert list(drawn(left, TRAIN).get_xdata()) == [50, 100, 150]
    for style, aside, means, ranges in (
        ("RTS", 0, [-0.5, 0.0], [-2.0, 1.0, -0.5, 0.5]),
        ("AIS", 0.025 * 1.06 * 150, [-3.5, -3.0], [-4.0, -3.0, -4.0, -2.0]),
    ):
        assert list(drawn(right, style).get_xdata()) == [100 + aside, 150 + aside]
        assert list(drawn(right, style).get_ydata()) == means
        assert list(drawn(right, f"{style} runs").get_ydata()[[0, 1, 3, 4]]) == ranges
    np.testing.assert_allclose(drawn(right, "gap").get_ydata()[[0, 1, 3, 4]], [-1.0, 1.0, -0.5, 0.5])


@pytest.mark.parametrize("far, scale", [(9.0, "linear"), (25.0, "symlog"), (-25.0, "symlog")])
def test_convergence_shows_means_and_rmse_and_squeezes_what_is_far_larger(far, scale):
    found = [("RTS", 10, 1.0), ("RTS", 10, -0.5), ("RTS", 20, 0.2), ("RAISE", 10, far), ("RAISE", 20, far)]
    rows = [{"estimator": name, "setting": n, "log_z": e, "std_error": 0.1, "reference": 0.0} for name, n, e in found]
    left, right = LectureFigure().columns(1, 1)
    likelihood_tracking.convergence((left, right), summarise(rows, 0.05), 0.05, "sweeps")
    np.testing.assert_allclose(drawn(left, "RTS").get_ydata(), [0.25, 0.2])
    np.testing.assert_allclose(drawn(right, "RTS").get_ydata(), [np.sqrt(0.625), 0.2])
    assert left.get_yscale() == scale and ("squeezed beyond 5" in left.get_title(loc="left")) == (scale == "symlog")
    low, high = left.get_ylim()
    assert low < min(far, 0.2) and high > max(far, 1.0)


def test_a_random_walk_that_misses_by_a_nat_is_seen_beside_one_that_misses_by_a_hundred():
    (left, right), x = LectureFigure().columns(1, 1), np.linspace(0, 1, 5)
    walks = {"geometric": -0.4, "moments": -1.0, "Hellinger": -134.1}
    found = {style: {"perfect": 0.0, "random walk": miss} for style, miss in walks.items()}
    paper_gaussians.walkable([left, right], x, dict.fromkeys(walks, x), found)
    places = right.transData.transform([(0, 0), *((0, miss) for miss in walks.values())])[:, 1]
    assert (-np.diff(places) > 0.07 * right.bbox.height).all()


def test_iterations_leave_out_counts_that_are_not_finite():
    ax, counted = plot(), np.array([[np.inf, 1.0, 1.2], [0.9, 1.1, 1.0]])
    tempered_sampling.iterations(ax, np.ones((2, 3)), counted, 1.0)
    assert len(drawn(ax, tempered_sampling.COUNTED).get_xdata()) == 2
