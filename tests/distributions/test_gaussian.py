import tracemalloc

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import anneal_edu as ae

MEAN = np.array([1.0, -2.0, 0.5])
COV = np.array([[2.0, 0.9, 0.1], [0.9, 1.0, -0.3], [0.1, -0.3, 0.7]])
OTHER = ae.Gaussian([0.0, 3.0, -1.0], np.diag([1.0, 0.2, 4.0]), log_scale=-1.3)


class FixedNoise:
    """Stands in for a Generator: hands out the given noise."""

    def __init__(self, noise):
        self.noise = noise

    def standard_normal(self, shape):
        return np.broadcast_to(self.noise, shape)


def test_log_density_agrees_with_scipy_and_carries_its_scale():
    x = np.random.default_rng(0).normal(size=(4, 5, 3))
    expected = multivariate_normal(MEAN, COV).logpdf(x)
    np.testing.assert_allclose(ae.Gaussian(MEAN, COV).log_density(x), expected, rtol=1e-12, atol=1e-12)
    scaled = ae.Gaussian(MEAN, COV, log_scale=2.5)
    np.testing.assert_allclose(scaled.log_density(x), expected + 2.5, rtol=1e-12, atol=1e-12)
    assert ae.Gaussian(MEAN, COV).log_z() == 0


def test_a_gibbs_sweep_leaves_the_gaussian_invariant_exactly():
    """The sweep is affine, x' = μ + A (x - μ) + B ε, so invariance is the matrix identity A Σ Aᵀ + B Bᵀ = Σ."""
    p, eye = ae.Gaussian(MEAN, COV), np.eye(3)
    A = (p.gibbs(MEAN + eye, FixedNoise(0.0)) - MEAN).T
    B = (p.gibbs(np.tile(MEAN, (3, 1)), FixedNoise(eye)) - MEAN).T
    np.testing.assert_allclose(A @ COV @ A.T + B @ B.T, COV, atol=1e-12)
    assert np.abs(A[0, 0]) < 1e-12, "the first coordinate must forget itself"


def test_sample_has_the_right_moments():
    n = 100_000
    x = ae.Gaussian(MEAN, COV).sample(n, np.random.default_rng(3))
    assert (np.abs(x.mean(0) - MEAN) < 5 * np.sqrt(np.diag(COV) / n)).all()
    z = (x - MEAN) @ np.linalg.inv(np.linalg.cholesky(COV)).T
    assert (np.abs(z.T @ z / n - np.eye(3)) < 5 * np.sqrt(2 / n)).all()


@pytest.mark.parametrize("beta", [0.0, 0.2, 0.7, 1.0])
def test_geometric_mean_is_the_product_of_powers_pointwise(beta):
    p = ae.Gaussian(MEAN, COV, log_scale=0.8)
    x = np.random.default_rng(1).normal(size=(6, 3))
    member = p.geometric_mean(OTHER, beta)
    expected = (1 - beta) * p.log_density(x) + beta * OTHER.log_density(x)
    np.testing.assert_allclose(member.log_density(x), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("beta", [0.25, 0.6])
def test_moment_average_has_the_moments_of_the_mixture(beta):
    p = ae.Gaussian(MEAN, COV)
    assert p.moment_average(OTHER, beta).log_z() == pytest.approx(-1.3 * beta)
    averaged = p.moment_average(OTHER, beta).moments()
    for s, s0, s1 in zip(averaged, p.moments(), OTHER.moments(), strict=True):
        np.testing.assert_allclose(s, (1 - beta) * s0 + beta * s1, rtol=1e-12, atol=1e-12)


def test_natural_parameters_and_log_partition_rebuild_the_density():
    p = ae.Gaussian(MEAN, COV)
    (eta_1, eta_2), x = p.natural_parameters(), np.array([0.1, -0.4, 2.0])
    assert eta_1 @ x + x @ eta_2 @ x - p.log_partition() == pytest.approx(p.log_density(x), rel=1e-12)


@pytest.mark.parametrize(
    ("mean", "cov", "message"),
    [
        ([0.0, 0.0], np.eye(3), "cov must have shape"),
        ([[0.0, 0.0]], np.eye(2), "mean must have 1 axes"),
        ([0.0, np.nan], np.eye(2), "mean must be finite"),
        ([0.0, 0.0], [[1.0, 0.0], [0.0, np.inf]], "cov must be finite"),
        ([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]], "positive definite, got smallest eigenvalue -1"),
        ([0.0, 0.0], [[1.0, 0.5], [0.0, 1.0]], "symmetric"),
        ([0.0, 0.0], [[1.0, 0.5 + 1e-6], [0.5, 1.0]], "symmetric"),
        ([0.0], [[0.0]], "positive definite"),
    ],
)
def test_bad_parameters_are_refused_by_name(mean, cov, message):
    with pytest.raises(ValueError, match=message):
        ae.Gaussian(mean, cov)


@pytest.mark.parametrize("condition", [1e4, 1e8, 1e12])
def test_log_z_of_a_geometric_mean_survives_a_covariance_that_is_nearly_singular(condition):
    """On the axes of the covariance each coordinate has a closed form of its own."""
    Q, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 6)))
    widths, mean = np.logspace(0, -np.log10(condition), 6), np.ones(6)
    cov = (Q * widths) @ Q.T
    path = ae.geometric_path(ae.Gaussian(np.zeros(6), 1.0), ae.Gaussian(mean, (cov + cov.T) / 2))
    for beta in (1e-3, 0.5, 0.999):
        middle, m = 1 - beta + beta / widths, Q.T @ mean
        exact = -0.5 * (beta * (1 - beta) / middle / widths * m**2 + np.log(middle) + beta * np.log(widths)).sum()
        assert path(beta).log_z() == pytest.approx(exact, abs=1e-11 + 1e-18 * condition * 1e5)


def test_a_covariance_is_symmetric_up_to_rounding():
    precision = np.eye(30) * 1.64 - 0.8 * (np.eye(30, k=1) + np.eye(30, k=-1))
    banded = np.linalg.inv(precision)
    A = np.random.default_rng(0).normal(size=(6, 6))
    whitened = np.linalg.solve(A, (A @ A.T) @ np.linalg.inv(A).T)
    for cov in (banded, whitened, np.diag([1.0, 1e-12]), np.array([[1.0, 0.5 + 1e-10], [0.5, 1.0]])):
        assert ae.Gaussian(np.zeros(len(cov)), cov).dim == len(cov)
    with pytest.raises(ValueError, match="cov must be symmetric"):
        ae.Gaussian([0.0, 0.0], [[1e-6, 1e-9], [0.0, 1e-6]])


def test_variances_stand_for_a_diagonal_matrix():
    flat, full = ae.Gaussian([1.0, 2.0], [4.0, 0.25]), ae.Gaussian([1.0, 2.0], np.diag([4.0, 0.25]))
    other, x = ae.Gaussian([0.0, 0.0], [[1.0, 0.3], [0.3, 1.0]]), np.random.default_rng(0).normal(size=(5, 2))
    for beta in (0.0, 0.3):
        a, b, c = (first.geometric_mean(second, beta) for first, second in ((flat, flat), (flat, other), (full, other)))
        np.testing.assert_allclose(b.log_density(x), c.log_density(x), atol=1e-12)
        np.testing.assert_allclose(a.log_density(x), full.log_density(x), atol=1e-12)
    for name in ("log_density", "grad_log_density"):
        np.testing.assert_allclose(getattr(flat, name)(x), getattr(full, name)(x), atol=1e-12)
    for draw in ("sample", "gibbs"):
        drawn = [getattr(p, draw)(4 if draw == "sample" else x, np.random.default_rng(1)) for p in (flat, full)]
        np.testing.assert_allclose(*drawn, atol=1e-12)
    for name in ("natural_parameters", "moments"):
        for mine, theirs in zip(getattr(flat, name)(), getattr(full, name)(), strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-12)
    assert flat.log_partition() == pytest.approx(full.log_partition())
    with pytest.raises(ValueError, match="positive definite, got smallest eigenvalue -1"):
        ae.Gaussian([0.0], -1.0)


def test_ten_thousand_dimensions_are_cheap():
    path = ae.geometric_path(ae.Gaussian(np.zeros(10_000), 1.0), ae.Gaussian(np.full(10_000, 0.01), 0.9))
    tracemalloc.start()
    run = ae.ais(path, ae.linear_schedule(20), 40, ae.exact, rng=np.random.default_rng(0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1e8 and abs(run.log_z) < 5 * run.std_error
