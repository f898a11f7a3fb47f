"""The six image models of Sohl-Dickstein and Culpepper, each against an exact answer and its own finite differences."""

import numpy as np
import pytest
from scipy.integrate import dblquad, quad
from scipy.stats import kstest, laplace, multivariate_normal, t

import anneal_edu as ae


def experts(L, D, expert, seed=0):
    rng = np.random.default_rng(seed)
    return ae.ProductOfExperts(rng.normal(size=(L, D)), rng.uniform(1.0, 3.0, size=L), expert)


def mcrbm(D=3, L=4, K=3, J=2, seed=0, pooled=True):
    rng = np.random.default_rng(seed)
    pooling = -np.abs(rng.normal(size=(L, K))) * pooled
    biases = rng.normal(size=K), rng.normal(size=J), rng.normal(size=D)
    weights = rng.normal(size=(J, D))
    return ae.MeanCovarianceRBM(rng.normal(size=(L, D)), pooling, biases[0], weights, biases[1], biases[2], sigma=0.8)


def bilinear(D=4, L=3, Kc=3, Kd=2, seed=0, noise=0.5):
    rng = np.random.default_rng(seed)
    return ae.BilinearGenerative(
        rng.normal(size=(D, L)), rng.normal(size=(L, Kc)), np.abs(rng.normal(size=(L, Kd))), noise
    )


def linear(prior, D=4, L=3, seed=0, noise=0.5):
    return ae.LinearGenerative(np.random.default_rng(seed).normal(size=(D, L)), noise, prior)


@pytest.mark.parametrize("model", [linear("gaussian"), linear("laplace"), bilinear()])
def test_gradients_of_posteriors_by_finite_differences(model):
    target = ae.distributions.LatentPosterior(model, np.random.default_rng(5).normal(size=(6, 4)))
    eps = 1e-6
    x = np.abs(np.random.default_rng(1).normal(size=(6, target.dim))) + 0.1  # off the kinks of |x|, within the walls
    for j, step in enumerate(eps * np.eye(target.dim)):
        numeric = (target.log_density(x + step) - target.log_density(x - step)) / (2 * eps)
        np.testing.assert_allclose(target.grad_log_density(x)[:, j], numeric, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("expert", ["laplace", "student_t"])
def test_a_complete_product_of_experts_has_its_log_z(expert):
    """By quadrature along u = filters x, where the density is a product."""
    model = experts(3, 3, expert)
    factors = []
    for row, column in enumerate(np.linalg.inv(model.filters).T):  # moves u_row alone
        factors.append(2 * quad(lambda u, x=column: np.exp(model.log_density(u * x)), 0, np.inf)[0])
        assert model.filters @ column == pytest.approx(np.eye(3)[row])
    log_det = np.log(np.abs(np.linalg.det(model.filters)))
    assert model.log_z() == pytest.approx(np.log(factors).sum() - log_det, rel=1e-9, abs=1e-9)  # it may be near 0


def test_exact_draws_of_the_experts_follow_their_laws():
    rng = np.random.default_rng(0)
    model = experts(3, 3, "laplace")
    u = model.sample(4000, rng) @ model.filters.T
    assert min(kstest(u[:, j], laplace(scale=1 / w).cdf).pvalue for j, w in enumerate(model.weights)) > 1e-6
    model = experts(3, 3, "student_t")
    u = model.sample(4000, rng) @ model.filters.T
    degrees = 2 * model.weights - 1
    assert min(kstest(u[:, j] * np.sqrt(f), t(f).cdf).pvalue for j, f in enumerate(degrees)) > 1e-6


def test_an_mcrbm_without_pooling_is_a_gaussian_rbm():
    """And its covariance units, which then see nothing, are a constant."""
    model = mcrbm(pooled=False)
    b = model.sigma**2 * model.visible_bias
    field = model.mean_bias
    grbm = ae.GaussianRBM(model.sigma * model.mean_weights.T, b, field, np.full(3, model.sigma))
    constant = np.logaddexp(0, model.covariance_bias).sum() + 0.5 * (b**2).sum() / model.sigma**2
    x = np.random.default_rng(0).normal(size=(5, 3))
    np.testing.assert_allclose(model.log_density(x), grbm.log_density(x) + constant, rtol=1e-12, atol=1e-12)


def test_an_mcrbm_is_its_energy_unit_by_unit():
    """Eq. 40 written out in loops."""
    model, x = mcrbm(), np.array([0.3, -1.2, 0.8])
    size, total = (x**2).sum() + 0.5, 0.0
    for k in range(3):
        pooled = sum(model.pooling[i, k] * (model.filters[i] @ x) ** 2 / size for i in range(4))
        total += np.log(1 + np.exp(0.5 * pooled + model.covariance_bias[k]))
    for j in range(2):
        total += np.log(1 + np.exp(model.mean_weights[j] @ x + model.mean_bias[j]))
    total += x @ model.visible_bias - (x**2).sum() / (2 * model.sigma**2)
    assert model.log_density(x) == pytest.approx(total, rel=1e-12)


def test_the_linear_gaussian_model_knows_its_likelihood():
    model, x = linear("gaussian"), np.random.default_rng(0).normal(size=(5, 4))
    exact = multivariate_normal(np.zeros(4), model.bases @ model.bases.T + 0.25 * np.eye(4))
    np.testing.assert_allclose(model.log_density(x), exact.logpdf(x), rtol=1e-10, atol=1e-10)
    assert model.log_z() == model.latent_prior.log_z() == 0
    with pytest.raises(ValueError, match="exact for the gaussian prior only"):
        linear("laplace").log_density(x)


@pytest.mark.parametrize("model", [linear("gaussian"), linear("laplace"), bilinear()])
def test_images_come_from_the_prior_and_the_noise(model):
    """Second moments of 40,000 images against those of 40,000 draws of the causes, noise added by hand."""
    rng = np.random.default_rng(0)
    x, a = model.sample(40_000, rng), model.latent_prior.sample(40_000, rng)
    image = model.reconstruct(a)
    expected = (image**2).mean(0) + model.noise**2
    error = np.sqrt((x**2).var(0) / 40_000 + (image**2).var(0) / 40_000)
    assert (np.abs((x**2).mean(0) - expected) < 5 * error).all()


def test_the_prior_is_normalised():
    for model in (linear("gaussian", L=1), linear("laplace", L=1)):
        prior = model.latent_prior
        Z, _ = quad(lambda a, p=prior: np.exp(p.log_density(np.array([a]))), -30, 30, points=[0])
        assert Z == pytest.approx(1, abs=1e-8)
    for prior in ("gaussian", "laplace"):  # one coordinate times as many as there are: 2^L, not the 2 that is printed
        alone, five = (linear(prior, L=L).latent_prior.log_density(np.zeros(L)) for L in (1, 5))
        assert five == pytest.approx(5 * alone, rel=1e-12)
    prior = ae.BilinearGenerative(np.ones((1, 1)), np.ones((1, 1)), np.ones((1, 1))).latent_prior
    Z, _ = dblquad(lambda d, c: np.exp(prior.log_density(np.array([c, d]))), -30, 30, 0, 30)
    assert Z == pytest.approx(1, abs=1e-5)
    assert prior.nonnegative.tolist() == [False, True]
    assert (prior.sample(1000, np.random.default_rng(0))[:, 1] >= 0).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ae.ProductOfExperts(np.ones((3, 2))), "rank 2, got 1"),
        (lambda: ae.ProductOfExperts(np.eye(2), [1.0, -1.0]), "weights must be positive"),
        (lambda: ae.ProductOfExperts(np.eye(2), [1.0]), r"weights must have shape \(2,\)"),
        (lambda: ae.ProductOfExperts(np.eye(2), None, "cauchy"), "expert must be one of"),
        (lambda: ae.ProductOfExperts(np.eye(2), [0.5, 2.0], "student_t"), "too heavy"),
        (lambda: ae.ProductOfExperts([[1, 0], [0, 1], [1, 1]], [2, 0.2, 0.2], "student_t"), "too heavy"),
        (lambda: experts(3, 2, "laplace").log_z(), "only a complete product of experts"),
        (lambda: experts(3, 2, "laplace").sample(2, np.random.default_rng(0)), "only a complete product of experts"),
        (lambda: ae.LinearGenerative(np.eye(2), noise=0.0), "noise must be positive"),
        (lambda: ae.LinearGenerative(np.eye(2), prior="flat"), "prior must be one of"),
        (lambda: ae.BilinearGenerative(np.eye(2), np.ones((3, 1)), np.ones((2, 1))), "c_weights must have shape"),
        (lambda: ae.BilinearGenerative(np.eye(2), np.eye(2), np.full((2, 1), np.nan)), "d_weights must be finite"),
        (lambda: ae.distributions.LatentPosterior(linear("gaussian"), np.zeros((2, 3))), r"x must have shape \(2, 4\)"),
        (
            lambda: ae.MeanCovarianceRBM(np.eye(2), np.eye(2), np.zeros(2), np.eye(2), np.zeros(2), np.zeros(3)),
            r"visible_bias must have shape \(2,\)",
        ),
    ],
)
def test_bad_models_are_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()
