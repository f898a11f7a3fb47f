"""Panels that keep every state on the way walk as the library does: they end where it ends."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course import tilted_starts
from anneal_edu.course.ais_trace import N_STOPS, stops_along
from anneal_edu.course.experiments import kiwaki
from anneal_edu.course.experiments.tempered_sampling import poster_rounds, poster_sweeps, three_bumps
from anneal_edu.course.panels import annealing_runs, momentum_trails, where_to_start


def rng():
    return np.random.default_rng(5)


def four_modes():
    schedule = kiwaki.paper_schedule(where_to_start.N_STEPS)
    result = ae.ais(tilted_starts.tilted_path(0.0, 1.0), schedule, where_to_start.N_CHAINS, rng=rng())
    x, log_w = where_to_start.walk(0.0, 1.0, 5)
    return x[-1], log_w[-1], result


def along(path):
    stops = stops_along(path, 40, 25, seed=5)
    assert len(stops) == N_STOPS + 1 and stops[0].miss == pytest.approx(0, abs=1e-9)
    last = stops[-1].result
    return last.samples, last.log_weights, ae.ais(path, ae.linear_schedule(40), 25, rng=rng())


def momentum():
    path = ae.geometric_path(ae.Gaussian(np.zeros(2), np.eye(2)), momentum_trails.VALLEY)
    schedule = ae.linear_schedule(momentum_trails.N_STEPS)
    result = ae.hais(path, schedule, momentum_trails.N_CHAINS, 0.3, 0.4, rng=rng())
    x, accepted = momentum_trails.walk(0.3, 0.4, 5)
    assert accepted.mean() == pytest.approx(result.acceptance)
    np.testing.assert_array_equal(x[0], momentum_trails.walk(0.3, 1.0, 5)[0][0])
    return x[-1], None, result


def between_gaussians(style):
    path = annealing_runs.PATHS[style](*annealing_runs.ENDS)
    result = ae.ais(path, ae.linear_schedule(101), annealing_runs.N_CHAINS, ae.gibbs, rng=rng())
    _, x, log_w = annealing_runs.run(style, 101, "Gibbs", 5)
    return x[-1], log_w[-1], result


WALKS = {
    "between Gaussians, geometric": lambda: between_gaussians("geometric"),
    "between Gaussians, moments": lambda: between_gaussians("moments"),
    "four modes": four_modes,
    "geometric path to an RBM": lambda: along(ae.models.load_spline("digits28_pcd", "base rate", 0)),
    "spline to an RBM": lambda: along(ae.models.load_spline("digits28_pcd", "base rate")),
    "momentum": momentum,
}


@pytest.mark.parametrize("name", WALKS)
def test_the_walk_ends_where_the_library_ends(name):
    x, log_weights, result = WALKS[name]()
    np.testing.assert_array_equal(x, result.samples)
    if log_weights is not None:
        np.testing.assert_allclose(log_weights, result.log_weights)


def test_log_weights_on_the_way_stand_against_the_exact_log_z():
    """At β = ½ the mean of log w - log Z(β) is minus what the steps up to there lose, on both paths."""
    for style in ("geometric", "moments"):
        path = annealing_runs.PATHS[style](*annealing_runs.ENDS)
        lost = sum(ae.kl_divergence(path((k - 1) / 26), path(k / 26)) for k in range(1, 14))
        rows = [annealing_runs.run(style, 26, "perfect", seed)[2][25] for seed in range(20)]
        assert np.mean(rows) == pytest.approx(-lost, abs=5 * np.std(rows) / np.sqrt(np.size(rows)))


def test_one_mean_and_two_fates_of_log_weights():
    """At K = 26 with perfect transitions: the same mean, a bell far from 0, and a cliff with an eighth near 0."""
    bell, cliff = (
        np.concatenate([annealing_runs.run(style, 26, "perfect", seed)[2][-1] for seed in range(20)])
        for style in ("geometric", "moments")
    )
    assert abs(bell.mean() - cliff.mean()) < 3 and cliff.std() > 4 * bell.std()
    assert np.mean(abs(cliff) < 3) > 1 / 8 and np.mean(abs(bell) < 3) < 1 / 200


@pytest.mark.parametrize("n_initial", [2, 0])
def test_the_sweeps_are_those_of_the_rounds(n_initial):
    """Sweep by sweep, every round of RTS ends where it ended; the time on bumps counts from the last correction."""
    settings = three_bumps(), ae.linear_schedule(4), n_initial
    rounds = poster_rounds(*settings, 7, 30, ae.random_walk(1.0), rng=rng())
    run = poster_sweeps(*settings, 4, 7, 30, ae.random_walk(1.0), rng=rng())
    for end, done in zip((7, 14, 21, 28), rounds, strict=False):
        np.testing.assert_array_equal(run.x[end], done.x[:, 0])
        np.testing.assert_array_equal(run.rungs[end], done.rungs)
        np.testing.assert_allclose(run.log_marginals[end], done.log_marginals)
        np.testing.assert_allclose(run.assumed_log_z[end], done.assumed_log_z)
        assert (run.log_z[end], run.std_error[end]) == pytest.approx((done.log_z[-1], done.std_error[-1]))
        since = slice(end - done.n_sweeps + 1, end + 1)
        x = run.x[since][run.rungs[since] == 4]
        np.testing.assert_allclose(run.bumps[end], np.histogram(x, [-99, -1.5, 3, 99])[0] / len(x))
