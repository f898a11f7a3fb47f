"""Numbers and points that panels show are those that the library gives, computed here a second time."""

import numpy as np
import pytest
from scipy.special import logsumexp

import anneal_edu as ae
from anneal_edu.course import panels
from anneal_edu.course.ais_trace import visible_probabilities
from anneal_edu.course.experiments import stored
from anneal_edu.course.experiments.estimator_tables import stored_rows
from anneal_edu.course.figures.hamiltonian import typical
from anneal_edu.course.figures.images import mosaic
from anneal_edu.course.panels import bias_decay, tiny_world
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


def test_the_miss_of_a_spline_is_its_estimate_minus_the_truth(quick_panel):
    panel = quick_panel(panels.WhereTheKnotsSit, knots="all nine", start="base rate", seed=3)
    spline = ae.models.load_spline("digits28_cd", "base rate")
    run = ae.ais(spline, ae.linear_schedule(200), 100, rng=np.random.default_rng(3))
    shown = drawn(panel.axes[2], "misses").get_ydata()[-1]
    np.testing.assert_allclose(shown, run.log_z - spline(1.0).log_z(), atol=1e-3)


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
    panel = quick_panel(panels.WidthOfAStep, seed=3, doublings=1.0)
    kl, miss = (drawn(panel.axes[1], style).get_ydata() ** 2 for style in ("theory", "estimate"))
    for at, sd in ((8, 0.25), (40, 4.0)):
        proposal, target = (ae.Gaussian([0.0], [[width**2]]) for width in (1.0, sd))
        step = ae.geometric_path(proposal, target)
        runs = [ae.ais(step, [0, 1], 5000, ae.exact, rng=np.random.default_rng(s)) for s in range(40)]
        assert miss[at] == pytest.approx(np.median([abs(run.log_z) for run in runs]), rel=0.5)
    assert kl[8] > 6 * kl[40] and miss[40] > 10 * miss[8]


def exact_pictures(rbm, rng):
    return mosaic(visible_probabilities(rbm, rbm.sample(24, rng), rng), 4)


def shown_in(ax):
    return np.ma.filled(ax.images[0].get_array(), np.nan)


@pytest.mark.parametrize("knots, i", [(0, 0), (9, 1)])
def test_pictures_are_of_the_present_beta(knots, i, quick_panel):
    panel = quick_panel(panels.SamplesAlongPaths, beta=0.25, model="PCD", seed=3)
    rbm = ae.models.load_spline("digits28_pcd", "base rate", knots)(0.25)
    expected = exact_pictures(rbm, np.random.default_rng(3))
    np.testing.assert_allclose(shown_in(panel.axes[i]), expected, atol=1e-6)


def test_exact_draws_stand_beside_the_chains(quick_panel):
    panel, rng = quick_panel(panels.DigitsAnnealing, model="28×28", seed=3), np.random.default_rng(3)
    visible_probabilities(rbm := ae.models.load("digits28_cd"), np.zeros((24, 784)), rng)  # as many as for the chains
    np.testing.assert_allclose(shown_in(panel.axes[1]), exact_pictures(rbm, rng), atol=1e-6)
