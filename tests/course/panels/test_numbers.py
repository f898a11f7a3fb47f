"""Numbers and points that panels show are those that the library gives, computed here a second time."""

import numpy as np
import pytest
from scipy.special import logsumexp

import anneal_edu as ae
from anneal_edu.course import panels
from anneal_edu.course.experiments import stored
from anneal_edu.course.experiments.estimator_tables import stored_rows
from anneal_edu.course.experiments.hamiltonian import typical
from anneal_edu.course.figures.images import mosaic
from anneal_edu.course.panels import (
    bias_decay,
    digits_annealing,
    samples_along_paths,
    tiny_world,
)
from anneal_edu.course.panels.tiny_world import two_wells
from anneal_edu.course.panels.two_paths import PATHS
from tests.course.panels.conftest import drawn


def numbers(text):
    """All numbers in a text."""
    words = text.replace("%", " ").replace(",", " ").replace("(", " ").replace(")", " ").split()
    return [float(word) for word in words if word.lstrip("+-").replace(".", "", 1).isdigit()]


@pytest.mark.parametrize("target", ["¼ as wide", "mirror image", "2 times as wide"])
def test_forward_and_reverse_bias_are_equally_far_from_f_over_k(target):
    for name in PATHS:
        biases, limit, F = bias_decay.exact_biases(name, target, "linear")
        np.testing.assert_allclose(biases.sum(1), 2 * F / bias_decay.STEPS, rtol=1e-8)
        assert limit == pytest.approx(F)


def test_the_optimal_schedule_comes_down_on_its_limit():
    for name in PATHS:
        biases, limit, F = bias_decay.exact_biases(name, "mirror image", "optimal, 10 bins")
        path = PATHS[name](*bias_decay.path_ends("mirror image"))
        assert biases[1, 0] == pytest.approx(ae.kl_bias(path, ae.optimal_binned_schedule(path, 20)))
        assert biases[-1] * 640 == pytest.approx(limit, rel=0.02) and limit < 0.7 * F


def test_the_tiny_world_counts_chains_in_the_wrong_place(quick_panel):
    """Frozen chains stand where they started: everywhere alike."""
    panel = quick_panel(panels.TinyWorld, kernel="frozen", n_steps=10, moment=100)
    p = np.exp(two_wells(8.0) - logsumexp(two_wells(8.0)))
    assert panel.readout["chains in the wrong place"] == f"{np.maximum(1 / 30 - p, 0).sum():.0%}"
    stand, share, target = tiny_world.exact_run(10, 8.0, "frozen")
    np.testing.assert_allclose(stand, 1 / 30)
    np.testing.assert_allclose(share[-1], p)
    np.testing.assert_allclose(target[35], np.exp(0.3 * two_wells(8.0) - logsumexp(0.3 * two_wells(8.0))))  # step 3


def test_estimates_and_bars_to_be_believed_or_not(quick_panel):
    panel = quick_panel(panels.WhomToBelieve, model="A", truth="shown", seed=7)
    rows = {row.name: row for row in stored_rows("estimators") if row.model == "digits8_cd"}
    names = [label.get_text() for label in panel.axes[0].get_yticklabels()]
    for i, name in enumerate(names):
        row = rows[name]
        estimate, bar = row.exact + row.errors[7], 2 * row.std_errors[7]
        np.testing.assert_allclose(drawn(panel.axes[0], f"estimate {i}").get_xdata(), [estimate])
        np.testing.assert_allclose(
            drawn(panel.axes[0], f"estimate bar {i}").get_xdata()[:2], [estimate - bar, estimate + bar]
        )


def test_estimates_against_steps_are_errors(quick_panel):
    panel = quick_panel(panels.EstimatesAgainstSteps, model="CD-1", seed=3)
    (results, intervals), log_z = next(iter(panel._runs.values())), ae.models.load("digits28_cd").log_z()
    for style, row in results.items():
        np.testing.assert_allclose(drawn(panel.axes[0], style).get_ydata(), [r.log_z - log_z for r in row])
        bars = drawn(panel.axes[0], f"{style} intervals").get_ydata().reshape(-1, 3)[:, :2]
        np.testing.assert_allclose(bars, np.array(intervals[style]) - log_z)


def test_misses_of_splines_are_estimates_minus_the_truth(quick_panel):
    panel = quick_panel(panels.WhereTheKnotsSit, knots=0, model="CD-1", start="base rate", seed=3)
    rbm = ae.models.load("digits28_cd")
    path = ae.geometric_path(ae.base_rate_rbm(ae.data.digits(28), rbm.n_hidden), rbm)
    runs = [ae.ais(path, ae.linear_schedule(20), 20, rng=np.random.default_rng([3, run])) for run in (0, 1)]
    shown = drawn(panel.axes[1], "runs 0").get_ydata()
    np.testing.assert_allclose(shown, [run.log_z - rbm.log_z() for run in runs], atol=1e-3)


def test_the_typical_error_with_momentum_is_a_median(quick_panel):
    panel = quick_panel(panels.HamiltonianConvergence, model="Laplace, trained", time=100)
    rows = [row for row in stored("hais_convergence_trained")["rows"] if row["method"] == "HAIS"]
    errors = [row["error"] for row in rows if row["model"] == panel.model.value and row["n_steps"] == 100_000]
    found = np.median(np.abs(errors))
    assert drawn(panel.axes[0], "errors 0").get_ydata()[-1] == pytest.approx(np.log10(found))
    assert panel.readout["HAIS"] == f"{found:.2g} nats with 100,000"
    np.testing.assert_allclose(typical(np.array([[1.0, -3.0, 9.0], [0.0, 2.0, 2.5]])), [3.0, 2.0])


def test_the_width_of_two_paths(quick_panel):
    """At β = ½ and far apart, the moment path's distribution is as long as half of the separation."""
    panel = quick_panel(panels.TwoPaths, beta=0.5, correlation=0.0)
    geometric, moments = numbers(panel.readout["width (largest standard deviation)"])
    assert geometric == 1.0 and moments == pytest.approx(np.sqrt(1 + 100), abs=0.00501)


def test_a_wide_target_is_missed_and_a_narrow_one_is_not(quick_panel):
    """log Ẑ of one step of AIS, the ratio of widths 4 either way; the KL divergence says the opposite."""
    panel = quick_panel(panels.WidthOfAStep, seed=3)
    kl, miss = (drawn(panel.axes[1], style).get_ydata() ** 2 for style in ("theory", "estimate"))
    for at, sd in ((8, 0.25), (40, 4.0)):
        proposal, target = (ae.Gaussian([0.0], [[width**2]]) for width in (1.0, sd))
        step = ae.geometric_path(proposal, target)
        runs = [ae.ais(step, [0, 1], 5000, ae.exact, rng=np.random.default_rng(s)) for s in range(40)]
        assert miss[at] == pytest.approx(np.median([abs(run.log_z) for run in runs]), rel=0.5)
    assert kl[8] > 6 * kl[40] and miss[40] > 10 * miss[8]


@pytest.mark.parametrize("style, i", [("geometric", 0), ("moments", 1)])
def test_pictures_are_of_the_present_beta(style, i, quick_panel):
    panel = quick_panel(panels.SamplesAlongPaths, beta=0.25, seed=3)
    rbm = samples_along_paths.paths_to("PCD", "base rate")[style](0.25)
    expected = mosaic(samples_along_paths.pictures_of(rbm, None, 3), samples_along_paths.COLUMNS)
    np.testing.assert_allclose(np.ma.filled(panel.axes[i].images[0].get_array(), np.nan), expected, atol=1e-6)


def test_exact_draws_stand_beside_the_chains(quick_panel):
    path = digits_annealing.digits_path("8×8, CD-1", "base rate")
    stop = next(iter(digits_annealing.stops_ais_trace(path, 20, 30, 3)))
    here, rng = path(0.0), np.random.default_rng(3)
    digits_annealing.visible_probabilities(here, np.zeros((24, 64)), rng)
    np.testing.assert_allclose(stop.draws, digits_annealing.visible_probabilities(here, here.sample(24, rng), rng))
