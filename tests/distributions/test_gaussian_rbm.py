import pickle

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal, norm

import anneal_edu as ae
from anneal_edu.distributions import GaussianBernoulli
from anneal_edu.distributions.enumeration import pair_moments, quadratic_log_weights


def random_grbm(D, H, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    weights, sigma = scale * rng.normal(size=(D, H)), rng.uniform(0.5, 2.0, size=D)
    return ae.GaussianRBM(weights, rng.normal(size=D), rng.normal(size=H), sigma)


def random_pair(D, H, seed=0):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(D, D))
    coupling, bias = rng.normal(size=(D, H)), rng.normal(size=H)
    return GaussianBernoulli(rng.normal(size=D), root @ root.T + np.eye(D), coupling, bias, constant=0.7)


def energy(grbm, v, h):
    """Eq. 1 of the paper, unit by unit."""
    total = 0.0
    for j in range(grbm.dim):
        total += (v[j] - grbm.visible_bias[j]) ** 2 / (2 * grbm.sigma[j] ** 2)
        for i in range(grbm.n_hidden):
            total -= v[j] / grbm.sigma[j] * grbm.weights[j, i] * h[i]
    return total - sum(a * on for a, on in zip(grbm.hidden_bias, h, strict=True))


def mixture(grbm):
    """Log weights (2^H,) and means (2^H, D) of the mixture that a Gaussian RBM is, from the formula for one h."""
    h = ae.binary_states(grbm.n_hidden)
    g = h @ grbm.weights.T
    log_weights = h @ grbm.hidden_bias + (grbm.visible_bias * g / grbm.sigma + 0.5 * g**2).sum(1)
    log_weights += 0.5 * np.log(2 * np.pi * grbm.sigma**2).sum()
    return log_weights, grbm.visible_bias + grbm.sigma * g


SHAPES = [(1, 1), (2, 3), (5, 4), (3, 7)]


def test_log_density_is_the_energy_summed_over_h():
    grbm, v = random_grbm(3, 4), np.random.default_rng(1).normal(size=(5, 3))
    expected = [logsumexp([-energy(grbm, row, h) for h in ae.binary_states(4)]) for row in v]
    np.testing.assert_allclose(grbm.log_density(v), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("D", "H"), SHAPES)
def test_log_z_and_moments_are_those_of_the_mixture(D, H):
    grbm = random_grbm(D, H)
    log_weights, means = mixture(grbm)
    assert grbm.log_z() == pytest.approx(logsumexp(log_weights), rel=1e-12)
    p, h = np.exp(log_weights - logsumexp(log_weights)), ae.binary_states(H)
    mean, cov = grbm.mean_and_cov()
    np.testing.assert_allclose(mean, p @ means, atol=1e-12)
    centred = means - mean
    np.testing.assert_allclose(cov, centred.T @ (p[:, None] * centred) + np.diag(grbm.sigma**2), atol=1e-12)
    second = (means.T * p) @ means + np.diag(grbm.sigma**2)
    for got, want in zip(grbm.moments(), (p @ means, second, (means.T * p) @ h, p @ h), strict=True):
        np.testing.assert_allclose(got, want, atol=1e-12)


def test_log_z_agrees_with_quadrature_in_two_dimensions():
    for seed in range(3):
        grbm = random_grbm(2, 2, seed)
        mean, cov = grbm.mean_and_cov()
        reach = 12 * np.sqrt(cov.diagonal()) + np.abs(grbm.sigma * np.abs(grbm.weights).sum(1))
        axes = np.linspace(mean - reach, mean + reach, 801).T
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
        Z = np.exp(grbm.log_density(grid)).sum() * np.prod(axes[:, 1] - axes[:, 0])  # smooth, and 0 at the ends
        assert grbm.log_z() == pytest.approx(np.log(Z), abs=1e-8)


def test_any_precision_agrees_with_the_mixture_of_gaussians():
    pair, v = random_pair(3, 4), np.random.default_rng(1).normal(size=(6, 3))
    h, cov = ae.binary_states(4), np.linalg.inv(pair.precision)
    pull = pair.linear + h @ pair.coupling.T  # (2^H, D)
    own = 0.5 * (pull @ cov * pull).sum(1) + 0.5 * np.log(np.linalg.det(2 * np.pi * cov))
    log_weights = pair.constant + h @ pair.hidden_bias + own
    assert pair.log_z() == pytest.approx(logsumexp(log_weights), rel=1e-12)
    parts = np.array([multivariate_normal(m, cov).logpdf(v) for m in pull @ cov])
    mixture = logsumexp(log_weights[:, None] + parts, axis=0)
    np.testing.assert_allclose(pair.log_density(v), mixture, rtol=1e-10, atol=1e-10)


def test_log_partition_has_the_moments_as_its_gradient():
    """∇A(η) = s, by central differences along random directions: parameters and moments in one order and one scale."""
    pair, rng, eps = random_pair(3, 2), np.random.default_rng(2), 1e-5
    for _ in range(5):
        root = rng.normal(size=(3, 3))
        direction = (rng.normal(size=3), -0.1 * root @ root.T, rng.normal(size=(3, 2)), rng.normal(size=2))

        def at(t, direction=direction):
            linear, half, coupling, bias = (
                a + t * b for a, b in zip(pair.natural_parameters(), direction, strict=True)
            )
            return GaussianBernoulli(linear, -2 * half, coupling, bias).log_partition()

        parts = np.concatenate([(a * b).ravel() for a, b in zip(direction, pair.moments(), strict=True)])
        slope, size = parts.sum(), np.abs(parts).sum()  # large parts may cancel
        assert (at(eps) - at(-eps)) / (2 * eps) == pytest.approx(slope, rel=0, abs=1e-7 * size)


def test_exact_draws_have_the_exact_distribution():
    grbm, n = random_grbm(2, 3), 40_000
    x = grbm.sample(n, np.random.default_rng(3)).astype(np.float64)
    log_weights, means = mixture(grbm)
    p = np.exp(log_weights - logsumexp(log_weights))
    for j in range(2):
        for at in np.quantile(x[:, j], [0.1, 0.3, 0.5, 0.7, 0.9]):
            exact = p @ norm.cdf(at, means[:, j], grbm.sigma[j])
            assert abs((x[:, j] <= at).mean() - exact) < 5 * np.sqrt(exact * (1 - exact) / n)


def moments_z_scores(x, mean, cov):
    """How many standard errors the means of v and of every product lie from where they should."""
    i, j = np.triu_indices(len(mean))
    features = np.hstack([x, x[:, i] * x[:, j]])
    exact = np.concatenate([mean, (cov + np.outer(mean, mean))[i, j]])
    return (features.mean(0) - exact) / (features.std(0) / np.sqrt(len(x)))


@pytest.mark.parametrize("target", [random_grbm(3, 4), random_pair(3, 4)], ids=["diagonal", "full"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gibbs_leaves_the_distribution_invariant(target, dtype):
    rng = np.random.default_rng(0)
    x = target.gibbs(target.sample(20_000, rng).astype(dtype), rng)
    assert x.dtype == dtype
    assert np.abs(moments_z_scores(x.astype(np.float64), *target.mean_and_cov())).max() < 5


@pytest.mark.parametrize("m", [1, 2, 5])
def test_sums_over_hidden_states_agree_with_the_sum_state_by_state(m):
    rng, h = np.random.default_rng(0), ae.binary_states(m)
    root, linear = rng.normal(size=(m, m)), rng.normal(size=m)
    expected = np.array([linear @ s + 0.5 * s @ (root + root.T) @ s for s in h])
    np.testing.assert_allclose(quadratic_log_weights(linear, root + root.T), expected, atol=1e-12)
    p = np.exp(expected) / np.exp(expected).sum()
    for got, want in zip(pair_moments(p, m), (p @ h, (h.T * p) @ h), strict=True):
        np.testing.assert_allclose(got, want, atol=1e-12)


def test_without_weights_everything_has_a_closed_form_at_any_size():
    grbm = ae.GaussianRBM(np.zeros((2, 50)), [1.0, 2.0], np.full(50, 0.3), [0.5, 2.0])
    assert grbm.log_z() == pytest.approx(np.log(2 * np.pi) + 50 * np.logaddexp(0, 0.3), rel=1e-12)
    mean, cov = grbm.mean_and_cov()
    np.testing.assert_allclose(mean, [1.0, 2.0])
    np.testing.assert_allclose(cov, np.diag([0.25, 4.0]))
    assert grbm.enumerable
    assert grbm.sample(3, np.random.default_rng(0)).shape == (3, 2)


def test_hidden_moments_without_coupling_are_those_of_the_sum_over_h():
    pair = random_pair(3, 4)
    alone = GaussianBernoulli(pair.linear, pair.precision, np.zeros((3, 4)), pair.hidden_bias, pair.constant)
    for closed, found in zip(alone._hidden_moments, pair_moments(alone.hidden_probabilities(), 4), strict=True):
        np.testing.assert_allclose(closed, found, rtol=1e-12)


@pytest.mark.parametrize("rbm", [random_grbm(4, 12), ae.BinaryRBM(np.eye(30, 14), np.ones(30), np.ones(14))])
def test_a_pickle_carries_the_parameters_and_no_tables(rbm):
    before = len(pickle.dumps(rbm))
    log_z = rbm.log_z()
    assert len(pickle.dumps(rbm)) == before
    assert pickle.loads(pickle.dumps(rbm)).log_z() == log_z


def test_large_parameters_do_not_overflow():
    grbm = ae.GaussianRBM(np.full((3, 6), 40.0), np.zeros(3), np.zeros(6), np.ones(3))
    log_weights, means = mixture(grbm)
    assert grbm.log_z() == pytest.approx(logsumexp(log_weights), rel=1e-12)
    np.testing.assert_allclose(grbm.mean_and_cov()[0], means[-1])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights": np.zeros(3)}, "weights must have 2 axes"),
        ({"visible_bias": np.zeros(2)}, r"visible_bias must have shape \(3,\)"),
        ({"hidden_bias": np.zeros(3)}, r"hidden_bias must have shape \(2,\)"),
        ({"sigma": np.ones(4)}, r"sigma must have shape \(3,\)"),
        ({"sigma": np.array([1.0, 0.0, 1.0])}, "sigma must be positive"),
        ({"sigma": 0.0}, "sigma must be positive"),
        ({"sigma": np.array([1.0, np.nan, 1.0])}, "sigma must be finite"),
        ({"weights": np.full((3, 2), np.inf)}, "weights must be finite"),
    ],
)
def test_bad_parameters_are_refused_by_name(changes, message):
    good = {"weights": np.zeros((3, 2)), "visible_bias": np.zeros(3), "hidden_bias": np.zeros(2), "sigma": np.ones(3)}
    with pytest.raises(ValueError, match=message):
        ae.GaussianRBM(**(good | changes))


@pytest.mark.parametrize(
    ("precision", "message"),
    [
        ([[1.0, 0.5], [0.0, 1.0]], "precision must be symmetric"),
        ([[1.0, 2.0], [2.0, 1.0]], "precision must be positive definite, got smallest eigenvalue -1$"),
        ([[1.0]], "precision must have shape"),
    ],
)
def test_a_bad_precision_is_refused(precision, message):
    with pytest.raises(ValueError, match=message):
        GaussianBernoulli(np.zeros(2), precision, np.zeros((2, 1)), np.zeros(1))
