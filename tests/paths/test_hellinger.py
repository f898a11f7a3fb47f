"""The great circle between two Gaussians: normalised, of constant speed, shorter than any path of Gaussians."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.paths.hellinger import hellinger_path

P0, P1 = ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([3.0], [[0.5]], log_scale=2.0)
PATH = hellinger_path(P0, P1)
X = np.linspace(-15, 20, 70_001)
DX = X[1] - X[0]


def log_densities(path, betas):
    return np.array([path(beta).log_density(X[:, None]) for beta in betas])


@pytest.mark.parametrize("beta", [0.0, 0.2, 0.5, 0.9, 1.0])
def test_every_member_is_normalised(beta):
    assert np.exp(PATH(beta).log_density(X[:, None])).sum() * DX == pytest.approx(1, abs=1e-9)
    assert PATH(beta).log_z() == 0


@pytest.mark.parametrize("apart", [1.0, 1e-2, 1e-5])
def test_members_between_near_ends_are_normalised_too(apart):
    path = hellinger_path(P0, ae.Gaussian([apart], [[1.0]]))
    assert path.angle == pytest.approx(apart / 2, rel=0.05)
    for beta in (0.3, 0.5):
        assert np.exp(path(beta).log_density(X[:, None])).sum() * DX == pytest.approx(1, abs=1e-9)


def test_the_ends_are_the_two_gaussians():
    for beta, p in ((0.0, P0), (1.0, P1)):
        x = p.mean + np.linspace(-3, 3, 7)[:, None]
        np.testing.assert_allclose(PATH(beta).log_density(x), p.log_density(x) - p.log_z(), atol=1e-6)


def test_its_speed_is_constant_and_its_length_twice_the_angle():
    p = np.exp(log_densities(PATH, np.linspace(0, 1, 101)) / 2)
    steps = 2 * np.sqrt((np.diff(p, axis=0) ** 2).sum(1) * DX)
    np.testing.assert_allclose(steps, PATH.length / 100, rtol=1e-4)


def test_no_path_is_shorter_and_none_of_these_longer_than_pi():
    for distance in (1.0, 5.0, 20.0):
        ends = ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([distance], [[1.0]])
        shortest = hellinger_path(*ends).length
        assert shortest <= np.pi
        assert all(shortest < ae.path_length(make(*ends)) for make in (ae.geometric_path, ae.moment_path))


def test_draws_are_exact():
    x = PATH(0.4).sample(200_000, np.random.default_rng(0))[:, 0]
    p = np.exp(PATH(0.4).log_density(X[:, None])) * DX
    mean, second = (X * p).sum(), (X**2 * p).sum()
    for power, right in ((1, mean), (2, second)):
        error = (x**power).std() / np.sqrt(len(x))
        assert abs((x**power).mean() - right) < 4.5 * error
    assert (x < 1.5).mean() == pytest.approx(p[X < 1.5].sum(), abs=0.006)


def test_ends_that_do_not_fit_are_refused():
    with pytest.raises(TypeError, match="end must be a Gaussian, got BinaryRBM"):
        hellinger_path(P0, ae.uniform_rbm(1, 1))
    with pytest.raises(ValueError, match="the same dim, got 1 and 2"):
        hellinger_path(P0, ae.Gaussian([0, 0], np.eye(2)))


def test_between_a_gaussian_and_itself_nothing_moves():
    """Rounding leads the cosine of the angle above 1 for one Gaussian in four; an angle is its square root."""
    rng = np.random.default_rng(0)
    for _ in range(100):
        root = rng.normal(size=(3, 3))
        p = ae.Gaussian(rng.normal(size=3), root @ root.T + 0.1 * np.eye(3))
        path = hellinger_path(p, p)
        assert 0 <= path.length < 1e-5
        np.testing.assert_allclose(path(0.3).log_density(p.mean), p.log_density(p.mean), atol=1e-6)
