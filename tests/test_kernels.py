"""A kernel must leave its distribution invariant: exact draws, moved once, must still be exact draws."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.kernels import leapfrog

N = 100_000
GAUSSIAN = ae.Gaussian([1.0, -2.0], [[1.0, 0.7], [0.7, 2.0]])
KERNELS = {
    "exact": ae.exact,
    "gibbs": ae.gibbs,
    "random walk": ae.random_walk(1.2),
    "random walk, one scale a coordinate": ae.random_walk([0.8, 2.0]),
    "hmc, coarse": ae.hmc(1.1, 3),
    "hmc, fine": ae.hmc(0.2, 8),
}


def invariance_z_scores(kernel, seed):
    """z of first, second and fourth moments of whitened draws after one move, against N(0, I)."""
    rng = np.random.default_rng(seed)
    x = kernel(GAUSSIAN, GAUSSIAN.sample(N, rng), rng)
    u = np.linalg.solve(np.linalg.cholesky(GAUSSIAN.cov), (x - GAUSSIAN.mean).T)
    statistics = [
        (u[0], 0, 1), (u[1], 0, 1), (u[0] ** 2, 1, 2), (u[1] ** 2, 1, 2), (u[0] * u[1], 0, 1),
        (u[0] ** 4, 3, 96), (u[1] ** 4, 3, 96), (u[0] ** 2 * u[1], 0, 3), (u[0] ** 2 * u[1] ** 2, 1, 8),
    ]  # fmt: skip
    return np.array([(s.mean() - mean) / np.sqrt(variance / N) for s, mean, variance in statistics])


@pytest.mark.parametrize("name", KERNELS)
def test_kernel_leaves_the_gaussian_invariant(name):
    assert np.abs(invariance_z_scores(KERNELS[name], seed=1)).max() < 5


@pytest.mark.parametrize("name", ["random walk", "hmc, coarse"])
def test_some_proposals_are_refused_and_some_are_not(name):
    """Else the invariance test would see no Metropolis decision at all."""
    rng = np.random.default_rng(0)
    x = GAUSSIAN.sample(2000, rng)
    moved = (KERNELS[name](GAUSSIAN, x, rng) != x).any(1).mean()
    assert 0.2 < moved < 0.95


@pytest.mark.parametrize("kernel", [ae.random_walk(0.7), ae.hmc(0.4, 5)])
def test_chains_started_far_away_find_a_skewed_target(kernel):
    """Log-gamma: x = log g with g ~ Gamma(3, 1); E x = digamma(3) = 0.9228, Var x = trigamma(3) = 0.3949."""
    target = ae.Unnormalized(lambda x: (3 * x - np.exp(x)).sum(-1), dim=1, grad=lambda x: 3 - np.exp(x))
    rng = np.random.default_rng(2)
    x = np.full((4000, 1), -2.0)
    for _ in range(150):
        x = kernel(target, x, rng)
    assert abs(x.mean() - 0.92278) < 5 * np.sqrt(0.39493 / len(x))
    assert x.var() == pytest.approx(0.39493, rel=0.15)


def test_a_step_on_flat_ground_goes_as_far_as_its_momentum_to_the_last_digit():
    flat = ae.Unnormalized(lambda x: np.zeros(x.shape[:-1]), dim=2, grad=np.zeros_like)
    x = np.arange(10.0).reshape(5, 2)
    momentum = np.random.default_rng(0).standard_normal((5, 2))
    moved = ae.hmc(0.3, 4)(flat, x, np.random.default_rng(0))
    np.testing.assert_allclose(moved, x + 1.2 * momentum, rtol=1e-14, atol=1e-14)
    proposed = ae.random_walk(0.3)(flat, x, np.random.default_rng(0))
    np.testing.assert_allclose(proposed, x + 0.3 * momentum, rtol=1e-14, atol=1e-14)
    np.testing.assert_array_equal(x, np.arange(10.0).reshape(5, 2), err_msg="the caller's states stay")


def test_zero_density_is_never_entered():
    half_line = ae.Unnormalized(lambda x: np.where(x[..., 0] > 0, -x[..., 0], -np.inf), dim=1)
    rng = np.random.default_rng(0)
    x = np.full((500, 1), 0.1)
    for _ in range(20):
        x = ae.random_walk(2.0)(half_line, x, rng)
    assert x.min() > 0


SKEWED = ae.ProductOfExperts(np.random.default_rng(0).normal(size=(5, 3)), np.full(5, 1.5), "student_t")


@pytest.mark.parametrize("walled", [None, np.array([True, False, True])])
@pytest.mark.parametrize("n_steps", [1, 7])
def test_a_trajectory_leads_back_and_preserves_volume(n_steps, walled):
    how = 0.2, n_steps, walled
    x, v = np.random.default_rng(3).normal(size=(2, 6, 3))
    x = np.abs(x)
    y, v_y, divergent = leapfrog(SKEWED.grad_log_density, x, v, *how)
    back, v_back, _ = leapfrog(SKEWED.grad_log_density, y, -v_y, *how)
    np.testing.assert_allclose(back, x, atol=1e-12)
    np.testing.assert_allclose(v_back, -v, atol=1e-12)
    assert not divergent.any()
    assert walled is None or (y[:, walled] >= 0).all()

    def flow(state):
        return np.concatenate(leapfrog(SKEWED.grad_log_density, state[None, :3], state[None, 3:], *how)[:2], axis=1)[0]

    state = np.concatenate([x[0], v[0]])
    jacobian = np.array([(flow(state + 1e-5 * e) - flow(state - 1e-5 * e)) / 2e-5 for e in np.eye(6)])
    assert abs(abs(np.linalg.det(jacobian)) - 1) < 1e-5  # differences are no better


def test_the_energy_of_a_trajectory_errs_by_the_square_of_the_step():
    x, v = np.random.default_rng(4).normal(size=(2, 50, 2))

    def error(step_size, n_steps):
        y, v_y, _ = leapfrog(GAUSSIAN.grad_log_density, x, v, step_size, n_steps)
        gain = GAUSSIAN.log_density(y) - GAUSSIAN.log_density(x) - 0.5 * (v_y**2 - v**2).sum(-1)
        return np.abs(gain).mean()

    assert error(0.1, 10) / error(0.05, 20) == pytest.approx(4, rel=0.1)


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_a_divergent_trajectory_is_put_back_and_named():
    x = np.array([[0.0], [3.0]])
    y, v, divergent = leapfrog(lambda x: -4 * x**3, x, np.array([[0.1], [0.1]]), 2.0, 20)
    assert divergent.tolist() == [False, True]
    assert (y[1], v[1]) == (3, 0)
    assert np.abs(y[0] - x[0]) > 0.01
    y, v, divergent = leapfrog(lambda x: np.where(x > 1, np.nan, -x), x, np.array([[0.1], [0.1]]), 0.1, 2)
    assert divergent.tolist() == [False, True]
    assert y[1] == 3


def test_a_gradient_that_is_nan_where_the_chain_stands_is_refused_and_one_beyond_the_support_is_not():
    def target(grad):
        return ae.Unnormalized(lambda x: np.where(x[..., 0] > 0, -x[..., 0], -np.inf), dim=1, grad=grad)

    x, rng = np.full((50, 1), 0.05), np.random.default_rng(0)
    moved = ae.hmc(0.5, 3)(target(lambda x: np.where(x > 0, -1.0, np.nan)), x, rng)
    assert 0 < (moved != x).mean() < 1
    assert (moved > 0).all()
    with pytest.raises(ValueError, match="grad_log_density is NaN"):
        ae.hmc(0.5, 3)(target(lambda x: x * np.nan), x, rng)


@pytest.mark.filterwarnings("ignore:overflow encountered")  # of the target's own x⁴, on the way to being refused
def test_a_trajectory_that_runs_away_is_refused():
    quartic = ae.Unnormalized(lambda x: -(x**4).sum(-1), dim=1, grad=lambda x: -4 * x**3)
    x = np.linspace(-2, 2, 50)[:, None]
    moved = ae.hmc(3.0, 10)(quartic, x, np.random.default_rng(0))
    assert np.isfinite(moved).all()
    assert (moved == x).mean() > 0.9
