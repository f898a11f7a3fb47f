"""The experiment behind `notebooks/deeper/tempering_on_the_moment_path.ipynb`: rejections and ladders."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.experiments import rejections, tempering_paths
from anneal_edu.course.experiments.run import Run
from anneal_edu.tempering.matrices import ladder_distribution, swap_matrix


def test_rejections_are_those_of_the_transition_matrix():
    """Twice the chance of a larger log q/p, against the swap matrix: with a tie, and without."""
    for log_f in (np.random.default_rng(0).normal(size=(2, 5)), np.log([[1.0, 1.0, 2.0], [3.0, 3.0, 1.0]])):
        n = log_f.shape[1]
        log_alpha = log_f[0][None, :] + log_f[1][:, None] - log_f[0][:, None] - log_f[1][None, :]
        refused = ladder_distribution(log_f) @ (1 - np.exp(np.minimum(0, log_alpha))).ravel()
        assert rejections.exact_rejection(*log_f) == pytest.approx(refused, abs=1e-14)
        different = ~np.eye(n, dtype=bool).ravel()
        stays = swap_matrix(log_f, 0).diagonal()[different]
        np.testing.assert_allclose(stays, (1 - np.exp(np.minimum(0, log_alpha))).ravel()[different], atol=1e-14)


def test_rejections_from_draws_agree_with_the_exact_ones():
    p, q, rng = ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([1.0], [[0.5]]), np.random.default_rng(0)
    grid = np.linspace(-9, 9, 20_001)[:, None]
    exact = rejections.exact_rejection(p.log_density(grid), q.log_density(grid))
    gains = (q.log_density(x) - p.log_density(x) for x in (p.sample(20_000, rng), q.sample(20_000, rng)))
    assert rejections.rejection(*gains) == pytest.approx(exact, abs=4 * 0.01)


def test_the_barrier_of_the_moment_path_between_the_papers_gaussians_is_the_smaller():
    rng = np.random.default_rng(0)
    rates = {
        path: rejections.equal_ladder(tempering_paths.path_of("two Gaussians", path), 40, 1000, rng, 40)[1]
        for path in tempering_paths.PATHS
    }
    assert rates["geometric"].sum() > 3 * rates["moments"].sum()
    for rate in rates.values():
        assert rate.std() < 0.06


def test_sweeps_per_draw_are_the_autocorrelation_time():
    """AR(1) with ρ = 0.8: (1 + ρ) / (1 - ρ) = 9."""
    rng, rho = np.random.default_rng(0), 0.8
    x, sums = rng.standard_normal((4000, 1)), 0.0
    for _ in range(400):
        x = rho * x + np.sqrt(1 - rho**2) * rng.standard_normal(x.shape)
        sums = sums + x
    found = tempering_paths.sweeps_per_draw(sums, 400)
    assert abs(found.mean() - 9) < 5 * found.std() / np.sqrt(4000) + 9 * 4 / 400


def test_directions_that_fit_the_noise_do_not_make_it_larger():
    """Of 400 draws in 200 dimensions the leading components vary 2.9 times as much as the distribution along them."""
    seen = tempering_paths.watched(ae.Gaussian(np.zeros(200), np.eye(200)), 400, np.random.default_rng(0))
    assert np.abs(seen.variances - 1).max() < 6 * np.sqrt(2 / 400)


def test_ladders_begin_as_they_say():
    path = tempering_paths.path_of("two Gaussians", "moments")
    rng, rungs = np.random.default_rng(0), [path(b) for b in (0.0, 0.5, 1.0)]
    for start, tolerance in (("exact draws", 0.5), ("annealed", 1.5)):
        kernel = tempering_paths.Beginning(start, 3)
        x = [rung.sample(500, rng) * 0 - [10.0, 0.0] for rung in rungs]
        first = [kernel(rung, states, rng) for rung, states in zip(rungs, x, strict=True)]
        assert abs(first[0][:, 0].mean() + 10) < 0.3
        if start == "exact draws":
            assert abs(first[2][:, 0].mean() - 10) < tolerance
        assert kernel.left == 0
    with pytest.raises(ValueError, match="case and path must be one of"):
        tempering_paths.path_of("two Gaussians", "spline")


def test_ladders_find_log_z_and_their_error_bar_is_the_spread_of_repeats():
    """Thirty runs of ten ladders: the spread is known to 13%, the mean bar better."""
    path = ae.geometric_path(ae.Gaussian(np.zeros(2), np.eye(2)), ae.Gaussian([2.0, 0.0], 0.7 * np.eye(2), log_scale=3))
    scale = {"n_sweeps": 20, "n_ladders": 10}
    features = tempering_paths.watched(path(1.0), 200, np.random.default_rng(0))
    runs = [
        tempering_paths._ladder(path, ae.linear_schedule(4), "exact draws", features, scale, np.random.default_rng(i))
        for i in range(30)
    ]
    errors, bars = np.array([(run["log_z_error"], run["log_z_std_error"]) for run in runs]).T
    assert abs(errors.mean()) < 4.5 * errors.std(ddof=1) / np.sqrt(30) + errors.var() / 2
    assert 0.5 < bars.mean() / errors.std(ddof=1) < 2


def test_repeats_have_the_seeds_that_follow():
    tiny = tempering_paths.SCALES["tiny"]
    rows = list(tempering_paths.tempering_paths(tiny | {"n_repeats": 2}, Run(3)))
    assert [(row["seed"], row["path"]) for row in rows] == [(n, path) for n in (3, 4) for path in tempering_paths.PATHS]
    assert rows[2:] == list(tempering_paths.tempering_paths(tiny, Run(4)))
    stored = ae.experiments.stored("tempering_paths")["rows"]
    assert sorted({row["seed"] for row in stored}) == [0, 1, 2, 3] and len(stored) == 40
