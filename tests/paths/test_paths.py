import pickle
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Barrier

import numpy as np
import pytest
from scipy.stats import chisquare

import anneal_edu as ae

P0, P1 = ae.Gaussian([-1.0, 0.0], np.eye(2)), ae.Gaussian([2.0, 1.0], [[1.0, 0.6], [0.6, 2.0]])
TARGET = ae.Unnormalized(lambda x: -np.abs(x).sum(-1), dim=2)


def random_rbm(D, H, seed, scale=1.0):
    rng = np.random.default_rng(seed)
    return ae.BinaryRBM(scale * rng.normal(size=(D, H)), rng.normal(size=D), rng.normal(size=H))


@pytest.mark.parametrize("make", [ae.geometric_path, ae.moment_path])
def test_a_path_starts_at_p0_and_ends_at_p1(make):
    path = make(P0, P1)
    assert path(0) is P0
    assert path(1.0) is P1


def test_a_path_is_at_the_beta_asked_for_to_the_last_digit():
    """β and x where the member's log density, or its mean, is known in closed form."""
    beta, x = 0.1234567890123, np.array([[0.3, -0.7]])
    mean = (1 - beta) * P0.mean + beta * P1.mean
    np.testing.assert_allclose(ae.moment_path(P0, P1)(beta).mean, mean, rtol=1e-14, atol=1e-14)
    for p1 in (P1, TARGET):
        expected = (1 - beta) * P0.log_density(x) + beta * p1.log_density(x)
        np.testing.assert_allclose(ae.geometric_path(P0, p1)(beta).log_density(x), expected, rtol=1e-13, atol=1e-13)
    rbm = random_rbm(3, 2, 0)
    np.testing.assert_allclose(
        ae.geometric_path(ae.uniform_rbm(3, 2), rbm)(beta).weights, beta * rbm.weights, rtol=1e-14
    )
    spline = ae.spline_path([0, 0.1, 1], [ae.uniform_rbm(3, 2), ae.uniform_rbm(3, 2), rbm])
    np.testing.assert_allclose(spline(beta).weights, (beta - 0.1) / 0.9 * rbm.weights, rtol=1e-12, atol=1e-12)
    grbm = ae.GaussianRBM(np.eye(2), np.zeros(2), np.zeros(2), np.ones(2))
    path = ae.covariance_path(np.zeros(2), 4 * np.eye(2), grbm)
    np.testing.assert_allclose(path(beta).coupling, beta * np.eye(2), rtol=1e-14)


def test_geometric_path_between_gaussians_is_a_gaussian_with_its_log_z():
    middle = ae.geometric_path(P0, P1)(0.5)
    assert isinstance(middle, ae.Gaussian)
    assert middle.log_z() < 0, "a geometric average of two normalised densities integrates to less than one"


def test_moment_path_stretches_the_covariance_along_the_gap():
    middle = ae.moment_path(P0, P1)(0.25)
    gap = P1.mean - P0.mean
    np.testing.assert_allclose(middle.mean, 0.75 * P0.mean + 0.25 * P1.mean)
    expected = 0.75 * P0.cov + 0.25 * P1.cov + 0.25 * 0.75 * np.outer(gap, gap)
    np.testing.assert_allclose(middle.cov, expected)


def weighted_kls(q, beta, reverse):
    pairs = [(q, P0), (q, P1)] if not reverse else [(P0, q), (P1, q)]
    return (1 - beta) * ae.kl_divergence(*pairs[0]) + beta * ae.kl_divergence(*pairs[1])


@pytest.mark.parametrize(("make", "reverse"), [(ae.geometric_path, False), (ae.moment_path, True)])
def test_each_path_minimises_its_variational_objective(make, reverse):
    """Grosse et al. 2013, Eq. 15 and 16: any other Gaussian nearby costs more."""
    beta, rng = 0.3, np.random.default_rng(0)
    best = make(P0, P1)(beta)
    for _ in range(50):
        A = np.eye(2) + 0.05 * rng.normal(size=(2, 2))
        other = ae.Gaussian(best.mean + 0.05 * rng.normal(size=2), A @ best.cov @ A.T)
        assert weighted_kls(other, beta, reverse) > weighted_kls(best, beta, reverse)


@pytest.mark.parametrize("start", [ae.uniform_rbm(6, 4), random_rbm(6, 4, 3)], ids=["weightless", "with weights"])
def test_rbm_step_weighs_as_the_two_log_densities_do(start):
    path = ae.geometric_path(start, random_rbm(6, 4, 1, scale=2.0))
    v = ae.binary_states(6)
    log_ratio, _ = path.weigh_and_gibbs(0.3, 0.45, v, np.random.default_rng(0))
    np.testing.assert_allclose(log_ratio, path(0.45).log_density(v) - path(0.3).log_density(v), atol=1e-5)


@pytest.mark.parametrize("start", [ae.uniform_rbm(3, 4), random_rbm(3, 4, 3)], ids=["weightless", "with weights"])
def test_rbm_step_moves_by_the_gibbs_transition_matrix(start):
    path, n = ae.geometric_path(start, random_rbm(3, 4, 1)), 40_000
    T = ae.gibbs_matrix(path(0.6))
    for row in (1, 6):
        v = np.tile(ae.binary_states(3)[row], (n, 1))
        _, moved = path.weigh_and_gibbs(0.2, 0.6, v, np.random.default_rng(row))
        assert chisquare(np.bincount((moved @ [4, 2, 1]).astype(int), minlength=8), n * T[row]).pvalue > 1e-6


def walk(path, seed, in_step=lambda: None):
    rng = np.random.default_rng(seed)
    v, log_w = rng.integers(0, 2, size=(600, path.start.dim)), 0.0
    for before, now in pairwise(np.linspace(0, 1, 21) ** (seed + 1)):
        in_step()
        log_ratio, v = path.weigh_and_gibbs(before, now, v, rng)
        log_w = log_w + log_ratio
    return log_w, v


def test_threads_may_walk_one_rbm_path_at_once():
    """Each at its own β, in step with the others, so that memory which they share would show."""
    path = ae.geometric_path(random_rbm(300, 40, 0, scale=0.2), random_rbm(300, 40, 1, scale=0.2))
    alone, at_once = [walk(path, seed) for seed in range(4)], Barrier(4, timeout=60)
    with ThreadPoolExecutor(4) as threads:
        together = threads.map(lambda seed: walk(path, seed, at_once.wait), range(4))
        for expected, got in zip(alone, together, strict=True):
            for a, b in zip(got, expected, strict=True):
                np.testing.assert_array_equal(a, b)


def test_paths_of_other_sizes_may_be_walked_in_turn():
    paths = [ae.geometric_path(random_rbm(D, 5, 0), random_rbm(D, 5, 1)) for D in (30, 20)]
    apart = [[walk(path, seed) for seed in range(3)] for path in paths]
    for seed in range(3):
        for path, of_path in zip(paths, apart, strict=True):
            for expected, got in zip(of_path[seed], walk(path, seed), strict=True):
                np.testing.assert_array_equal(got, expected)


def test_a_walked_path_can_be_pickled():
    path = ae.geometric_path(random_rbm(6, 4, 0), random_rbm(6, 4, 1))
    expected = walk(path, 0)
    for a, b in zip(walk(pickle.loads(pickle.dumps(path)), 0), expected, strict=True):
        np.testing.assert_array_equal(a, b)


def test_ends_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="same dim, got 2 and 1"):
        ae.geometric_path(P0, ae.Gaussian([0.0], [[1.0]]))
    with pytest.raises(ValueError, match="hidden units, got 4 and 3"):
        ae.geometric_path(ae.uniform_rbm(5, 4), ae.uniform_rbm(5, 3))
    with pytest.raises(TypeError, match="p1 must be a distribution"):
        ae.geometric_path(P0, "target")
    with pytest.raises(TypeError, match="within one exponential family"):
        ae.moment_path(P0, TARGET)
    with pytest.raises(TypeError, match="no closed form"):
        ae.moment_path(ae.uniform_rbm(3, 2), ae.uniform_rbm(3, 2))


@pytest.mark.parametrize("beta", [-0.1, 1.1, np.nan])
def test_positions_off_the_path_are_refused(beta):
    for path in (ae.geometric_path(P0, P1), ae.moment_path(P0, P1)):
        with pytest.raises(ValueError, match=r"beta must lie in \[0, 1\]"):
            path(beta)


def test_energies_of_both_layers_are_added_up_in_double_precision():
    """2²³ + ½ has more digits than a float32."""
    large = ae.BinaryRBM(np.zeros((1, 2)), [0.0], [2.0**23, 0.5])
    v, h = np.zeros((1, 1), dtype=np.float32), np.ones((1, 2), dtype=np.float32)
    for start, end in ((ae.uniform_rbm(1, 2), large), (large, ae.uniform_rbm(1, 2))):
        path = ae.geometric_path(start, end)
        at_start, gain = path.energy_line(v, h, path.hidden_slope(v))
        assert (at_start, gain) == ((0.0, 2.0**23 + 0.5) if end is large else (2.0**23 + 0.5, -(2.0**23) - 0.5))
