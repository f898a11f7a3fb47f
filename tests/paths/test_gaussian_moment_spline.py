"""The moment-averaged path of Gaussian RBMs, and moments of Gaussian RBMs from chains."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.distributions.protocol import mix
from tests.distributions.test_gaussian_rbm import random_grbm, random_pair
from tests.paths.test_gaussian_rbm_path import starts


def covariance_starts(grbm):
    mean, cov = grbm.mean_and_cov()
    covs = {"mean": np.diag(grbm.sigma**2), "diagonal": np.diag(cov.diagonal()), "full": cov}
    return {name: ae.paths.covariance.covariance_start(mean, start, grbm.n_hidden) for name, start in covs.items()}


def averaged(p0, p1, beta):
    return mix(p0.moments(), p1.moments(), beta)


def test_moments_lead_back_to_the_parameters():
    pair = random_pair(3, 2)
    start = covariance_starts(random_grbm(3, 2))["full"]
    match = ae.match_moments(pair.moments(), start, tolerance=1e-7)
    assert match.converged
    for got, want in zip(match.rbm.natural_parameters(), pair.natural_parameters(), strict=True):
        np.testing.assert_allclose(got, want, atol=1e-4)


@pytest.mark.parametrize("start", ["mean", "diagonal", "full"])
def test_knots_have_the_averaged_moments(start):
    grbm = random_grbm(4, 3)
    p0 = covariance_starts(grbm)[start]
    path = ae.moment_spline_path(p0, grbm, knots=3)
    for beta, match in zip(path.betas[1:-1], path.matches, strict=True):
        assert match.converged
        mean, second, _, _ = averaged(p0, grbm, beta)
        got_mean, got_cov = path(float(beta)).mean_and_cov()
        spread = np.sqrt(np.diag(second - np.outer(mean, mean)))
        assert (np.abs(got_mean - mean) < 0.03 * spread).all()
        np.testing.assert_allclose(got_cov, second - np.outer(mean, mean), atol=0.03 * spread.max() ** 2)


@pytest.mark.parametrize("start", ["mean", "diagonal", "full"])
def test_the_moment_spline_is_unbiased(start):
    grbm = random_grbm(4, 3)
    path = ae.moment_spline_path(covariance_starts(grbm)[start], grbm, knots=4)
    result = ae.ais(path, ae.linear_schedule(100), 5000, rng=np.random.default_rng(0))
    w = np.exp(result.log_weights - grbm.log_z())
    assert abs(w.mean() - 1) < 5 * w.std() / np.sqrt(len(w))


def test_the_cost_of_a_linear_schedule_is_the_same_for_all_three_starts():
    """½ Δη · Δs: where the covariance of a start differs from the target's its precision agrees, and conversely."""
    grbm = random_grbm(4, 3)
    costs = [ae.cost_functional(path) for path in starts(grbm).values()]
    np.testing.assert_allclose(costs, costs[0], rtol=1e-10)
    schedule, paths = ae.linear_schedule(7), starts(grbm).values()
    sums = [ae.kl_bias(path, schedule) + ae.kl_bias(path, schedule, reverse=True) for path in paths]
    np.testing.assert_allclose(sums, 2 * costs[0] / 7, rtol=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s[:3], "moments must be E v, E v vᵀ, E v hᵀ, E h, got 3 arrays"),
        (lambda s: (s[0], s[1], s[2], 2 + s[3]), "E h must hold probabilities"),
        (lambda s: (10 + s[0], s[1], s[2], s[3]), "positive definite"),
        (lambda s: (s[0][:2], s[1], s[2], s[3]), "E v must have shape"),
    ],
)
def test_impossible_moments_are_refused(change, message):
    grbm = random_grbm(3, 2)
    with pytest.raises(ValueError, match=message):
        ae.match_moments(change(grbm.moments()), covariance_starts(grbm)["full"])


@pytest.mark.parametrize("rao_blackwellized", [True, False])
def test_moments_from_chains_agree_with_the_exact_ones(rao_blackwellized):
    """Sixteen independent batches of chains, on a model that they cross easily, give the standard error."""
    weights = 0.8 * np.cos(np.arange(12.0)).reshape(3, 4)
    grbm = ae.GaussianRBM(weights, [0.5, -0.5, 0.0], [0.2, -0.2, 0.1, 0.0], [0.7, 1.0, 1.3])
    batches = [
        ae.estimate_mean_and_cov(
            grbm, 50, 200, 50, rng=np.random.default_rng(seed), rao_blackwellized=rao_blackwellized
        )
        for seed in range(16)
    ]
    for found, exact in zip(zip(*batches, strict=True), grbm.mean_and_cov(), strict=True):
        found = np.array(found)
        z = (found.mean(0) - exact) / (found.std(0, ddof=1) / np.sqrt(len(found)))
        assert np.abs(z).max() < 7  # Student's t with 15 degrees of freedom: 1 in 200,000, for each of 12 entries


def test_rao_blackwellized_covariances_are_never_too_narrow_and_less_noisy():
    grbm = random_grbm(8, 2)
    exact = grbm.mean_and_cov()[1]
    errors = {True: 0.0, False: 0.0}
    for seed in range(20):
        for blackwell in errors:
            rng = np.random.default_rng(seed)
            cov = ae.estimate_mean_and_cov(grbm, 10, 30, 10, rng=rng, rao_blackwellized=blackwell)[1]
            errors[blackwell] += ((cov - exact) ** 2).sum()
            assert (ae.paths.covariance.widen_covariance(cov, grbm.sigma)[1] == 0) == blackwell
    assert errors[True] < errors[False]


def test_moments_that_no_rbm_has_end_without_convergence():
    grbm = random_grbm(3, 2)
    mean, second, *_ = grbm.moments()
    start = covariance_starts(grbm)["full"]
    spread = np.sqrt(second.diagonal() - mean**2)[:, None]
    always_on = mean, second, np.outer(mean, [1, 1]) + spread, np.ones(2)  # what never changes has no covariance
    beyond_one = mean, second, np.outer(mean, [0.5, 0.5]) + spread, np.full(2, 0.5)  # a correlation of 2
    for impossible in (always_on, beyond_one):
        assert not ae.match_moments(impossible, start).converged
    with pytest.raises(TypeError, match="fitted by RBMs"):
        ae.match_moments(grbm.moments(), ae.Gaussian([0.0], [[1.0]]))
