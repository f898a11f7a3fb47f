import pickle
import warnings

import numpy as np
import pytest
from scipy.special import expit

import anneal_edu as ae
from anneal_edu.distributions import GaussianBernoulli
from anneal_edu.distributions.bernoulli import bernoulli
from anneal_edu.paths import covariance
from anneal_edu.paths.covariance import auxiliary_gibbs, widen_covariance
from tests.distributions.test_gaussian_rbm import moments_z_scores, random_grbm, random_pair

BETAS = [0.0, 0.2, 0.7, 1.0]


def starts(grbm):
    """The three initial distributions of the paper, each with its path: AIS-mean, AIS and AIS-cov."""
    mean, cov = grbm.mean_and_cov()
    D, H = grbm.weights.shape

    def weightless(sigma):
        return ae.GaussianRBM(np.zeros((D, H)), mean, np.zeros(H), sigma)

    return {
        "mean": ae.geometric_path(weightless(grbm.sigma), grbm),
        "diagonal": ae.geometric_path(weightless(np.sqrt(cov.diagonal())), grbm),
        "full": ae.covariance_path(mean, cov, grbm),
    }


def eq_8_and_11(grbm, mean, cov, beta, v):
    """Log f_β as the paper prints it, with h summed out by hand."""
    noise = (v - grbm.visible_bias) / grbm.sigma
    field = grbm.hidden_bias + v / grbm.sigma @ grbm.weights
    away = v - mean
    far = (away @ np.linalg.inv(cov) * away).sum(1)
    return -0.5 * beta * (noise**2).sum(1) + np.logaddexp(0, beta * field).sum(1) - 0.5 * (1 - beta) * far


@pytest.mark.parametrize("beta", BETAS)
def test_the_intermediate_densities_are_those_of_the_paper(beta):
    grbm, v = random_grbm(4, 3), 2 * np.random.default_rng(1).normal(size=(7, 4))
    mean, cov = grbm.mean_and_cov()
    covs = {"mean": np.diag(grbm.sigma**2), "diagonal": np.diag(cov.diagonal()), "full": cov}
    for name, path in starts(grbm).items():
        np.testing.assert_allclose(
            path(beta).log_density(v), eq_8_and_11(grbm, mean, covs[name], beta, v), rtol=1e-9, atol=1e-9
        )


def test_the_ends_are_the_start_asked_for_and_the_target():
    grbm = random_grbm(4, 3)
    mean, cov = np.arange(4.0), grbm.mean_and_cov()[1] + 1
    path = ae.covariance_path(mean, cov, grbm)
    assert path(1.0) is grbm and path(0.0) is path.start
    for got, want in zip(path(0.0).mean_and_cov(), (mean, cov), strict=True):
        np.testing.assert_allclose(got, want, atol=1e-10)
    log_det = np.linalg.slogdet(2 * np.pi * cov)[1]
    assert path(0.0).log_z() == pytest.approx(0.5 * log_det + 3 * np.log(2), rel=1e-12)


def misprinted_eq_9(grbm, mean, cov, beta):
    """The conditional of v as printed, β and 1 - β exchanged; a kernel for the diagonal start."""

    def kernel(_distribution, v, rng):
        h = bernoulli(beta * (grbm.hidden_bias + v / grbm.sigma @ grbm.weights), rng)
        variance = 1 / (beta / cov.diagonal() + (1 - beta) / grbm.sigma**2)
        pull = beta / grbm.sigma**2 * (grbm.sigma * (h @ grbm.weights.T) + grbm.visible_bias)
        pull = pull + (1 - beta) / cov.diagonal() * mean
        return variance * pull + np.sqrt(variance) * rng.standard_normal(v.shape)

    return kernel


def largest_z_score(distribution, kernel, seed=0, n=20_000):
    """Exact draws, one transition, and the moments afterwards against the exact ones."""
    rng = np.random.default_rng(seed)
    x = kernel(distribution, distribution.sample(n, rng).astype(np.float64), rng)
    return np.abs(moments_z_scores(x.astype(np.float64), *distribution.mean_and_cov())).max()


@pytest.mark.parametrize("start", ["mean", "diagonal", "full"])
@pytest.mark.parametrize("beta", BETAS)
def test_both_kernels_leave_every_distribution_of_the_path_invariant(start, beta):
    path = starts(random_grbm(4, 3))[start]
    assert largest_z_score(path(beta), ae.gibbs) < 5
    if beta > 0:
        assert largest_z_score(path(beta), auxiliary_gibbs) < 5
    for step in (path.weigh_and_gibbs, path.weigh_and_auxiliary_gibbs):
        assert largest_z_score(path(beta), lambda _p, v, rng, step=step: step(beta, beta, v, rng)[1]) < 5


def test_the_auxiliary_step_is_the_papers():
    """Eq. 12 to 14 in v, where the paper's Λ exists: the mean of v after one step from a point, by hand."""
    grbm, beta, n = random_grbm(3, 3), 0.4, 200_000
    mean, cov = np.arange(3.0), grbm.mean_and_cov()[1] + np.eye(3)
    at, noise = np.array([1.0, -1.0, 2.0]), np.diag(grbm.sigma**2)
    lam = np.linalg.inv(cov - noise)
    posterior = np.linalg.inv(lam + np.linalg.inv(noise))  # (Λ + Λ^B)⁻¹, the covariance of x given v, times 1 - β
    x = posterior @ (lam @ mean + np.linalg.inv(noise) @ at)
    on = expit(beta * (grbm.hidden_bias + at / grbm.sigma @ grbm.weights))
    after = beta * grbm.visible_mean(on[None])[0] + (1 - beta) * x
    spread = noise + (1 - beta) * posterior + beta**2 * (
        np.outer(grbm.sigma, grbm.sigma) * ((grbm.weights * on * (1 - on)) @ grbm.weights.T))
    v = auxiliary_gibbs(ae.covariance_path(mean, cov, grbm)(beta), np.tile(at, (n, 1)), np.random.default_rng(0))
    assert np.abs(moments_z_scores(v.astype(np.float64), after, spread)).max() < 5


@pytest.mark.parametrize("beta", [0.2, 0.8, 1.0])
def test_eq_9_as_printed_leaves_nothing_invariant_and_put_right_it_does(beta):
    weights = np.array([[2.0, -1.0, 0.5], [-1.0, 1.5, 1.0], [0.5, 1.0, -2.0], [1.0, -0.5, 1.5]])
    grbm = ae.GaussianRBM(weights, np.zeros(4), -0.5 * weights.T @ weights.sum(1), [0.6, 1.0, 1.5, 0.8])
    path, moments = starts(grbm)["diagonal"], grbm.mean_and_cov()
    assert largest_z_score(path(beta), ae.gibbs) < 5
    assert largest_z_score(path(beta), misprinted_eq_9(grbm, *moments, beta)) > 8


@pytest.mark.parametrize(("start", "printed"), [("diagonal", 3.74), ("mean", 0.0)])
def test_eq_9_as_printed_lifts_log_z_by_nats_from_one_start_and_by_nothing_from_the_other(start, printed):
    """3.74 ± 0.09 over twenty runs; with the right step 0.06 about zero. Where σ^A = σ^B the two steps are one."""
    grbm = ae.models.load("patches_cd1_20")
    path = starts(grbm)[start]
    ends = path(0.0).precision.diagonal() + path(1.0).precision.diagonal()

    def error_of(precision_of):
        def step(member, v, rng):
            h = bernoulli(member.hidden_field(v), rng)
            variance = 1 / precision_of(member.precision.diagonal())
            mean_of_v = variance * (member.linear + h @ member.coupling.T)
            return mean_of_v + np.sqrt(variance) * rng.standard_normal(v.shape)

        run = ae.ais(path, ae.linear_schedule(200), 100, step, rng=np.random.default_rng(0))
        return run.log_z - grbm.log_z()

    assert abs(error_of(lambda precision: precision)) < 0.5
    assert abs(error_of(lambda precision: ends - precision) - printed) < 0.6


@pytest.mark.parametrize(("before", "now"), [(0.0, 0.1), (0.3, 0.4), (0.9, 1.0), (0.4, 0.3)])
def test_the_combined_steps_weigh_as_the_densities_do(before, now):
    grbm = random_grbm(5, 3)
    v, rng = grbm.sample(50, np.random.default_rng(0)), np.random.default_rng(0)
    knots = ae.geometric_path(random_pair(5, 3), random_pair(5, 3, seed=1))
    for path in (*starts(grbm).values(), knots):
        exact = path(now).log_density(v) - path(before).log_density(v)
        np.testing.assert_allclose(path.weigh_and_gibbs(before, now, v, rng)[0], exact, rtol=2e-6, atol=2e-5)
    for path in starts(grbm).values():
        exact = path(now).log_density(v) - path(before).log_density(v)
        np.testing.assert_allclose(path.weigh_and_auxiliary_gibbs(before, now, v, rng)[0], exact, rtol=2e-6, atol=2e-5)


@pytest.mark.parametrize("beta", [0.3, 0.8])
def test_between_two_coupled_ends_the_combined_step_draws_what_the_member_draws(beta):
    path = ae.geometric_path(random_pair(4, 3), random_pair(4, 3, seed=1))
    assert largest_z_score(path(beta), lambda _p, v, rng: path.weigh_and_gibbs(beta, beta, v, rng)[1]) < 5


def test_the_conditional_of_v_is_the_one_of_the_joint_energy():
    """v | h has precision (1-β) (Σ^A)⁻¹ + β diag(σ⁻²): in closed form, no simulation."""
    grbm, beta, h = random_grbm(3, 2), 0.3, np.array([[1.0, 0.0]])
    mean, cov = grbm.mean_and_cov()
    member = ae.covariance_path(mean, cov, grbm)(beta)
    P = (1 - beta) * np.linalg.inv(cov) + beta * np.diag(grbm.sigma**-2)
    pull = beta * (grbm.visible_bias + grbm.sigma * (h[0] @ grbm.weights.T)) / grbm.sigma**2
    pull = pull + (1 - beta) * np.linalg.solve(cov, mean)
    np.testing.assert_allclose(member.noise_cov, np.linalg.inv(P), atol=1e-12)
    np.testing.assert_allclose(member.visible_mean(h)[0], np.linalg.solve(P, pull), atol=1e-12)
    v = np.ones((1, 3))
    field = beta * (grbm.hidden_bias + (v / grbm.sigma) @ grbm.weights)
    np.testing.assert_allclose(expit(member.hidden_field(v)), expit(field), atol=1e-12)


@pytest.mark.parametrize("start", ["mean", "diagonal", "full"])
@pytest.mark.parametrize("kernel", [ae.gibbs, auxiliary_gibbs], ids=["gibbs", "auxiliary"])
def test_every_start_is_unbiased(start, kernel):
    """Mean of Z hat / Z over 20,000 chains, on three small models, within 5 standard errors of 1."""
    for seed in range(3):
        grbm = random_grbm(4, 3, seed)
        result = ae.ais(starts(grbm)[start], ae.linear_schedule(10), 20_000, kernel, rng=np.random.default_rng(seed))
        w = np.exp(result.log_weights - grbm.log_z())
        assert abs(w.mean() - 1) < 5 * w.std() / np.sqrt(len(w))


def test_a_covariance_of_the_rank_of_few_hidden_units_works():
    """H < D: Σ - diag(σ²) is singular, and the paper's Λ, its inverse, does not exist."""
    grbm = random_grbm(8, 2)
    mean, cov = grbm.mean_and_cov()
    assert np.linalg.matrix_rank(cov - np.diag(grbm.sigma**2), tol=1e-10) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path = ae.covariance_path(mean, cov, grbm)
    for kernel in (ae.gibbs, auxiliary_gibbs):
        result = ae.ais(path, ae.linear_schedule(100), 4000, kernel, rng=np.random.default_rng(0))
        assert abs(result.log_z - grbm.log_z()) < 5 * result.std_error


def test_an_estimated_covariance_that_is_too_narrow_is_widened_with_a_warning():
    grbm = random_grbm(8, 2)
    draws = grbm.sample(60, np.random.default_rng(0)).astype(np.float64)
    cov = np.cov(draws.T)
    assert np.linalg.eigvalsh(cov - np.diag(grbm.sigma**2))[0] < -0.1
    with pytest.warns(UserWarning, match="narrower than the noise of v given h, by up to 0") as seen:
        path = ae.covariance_path(draws.mean(0), cov, grbm)
    assert seen[0].filename == __file__, "a warning points to the line of who called"
    widened = path(0.0).mean_and_cov()[1]
    assert np.linalg.eigvalsh(widened / np.outer(grbm.sigma, grbm.sigma))[0] == pytest.approx(1, abs=1e-9)
    for kernel in (ae.gibbs, auxiliary_gibbs):
        result = ae.ais(path, ae.linear_schedule(200), 4000, kernel, rng=np.random.default_rng(0))
        assert abs(result.log_z - grbm.log_z()) < 5 * result.std_error


def test_far_away_means_do_not_cost_precision():
    """In float32 v - b would lose its digits; the coordinates are centred first."""
    rng = np.random.default_rng(0)
    far = ae.GaussianRBM(rng.normal(size=(3, 2)), np.full(3, 1e3), -2e3 * np.ones(2), np.ones(3))
    near = ae.GaussianRBM(far.weights, np.zeros(3), far.hidden_bias + far.visible_bias @ far.weights, np.ones(3))
    assert far.log_z() == pytest.approx(near.log_z(), abs=1e-9)
    path = ae.covariance_path(*far.mean_and_cov(), far)
    result = ae.ais(path, ae.linear_schedule(50), 4000, rng=np.random.default_rng(0))
    assert abs(result.log_z - far.log_z()) < 5 * result.std_error + 1e-3


def test_the_bias_is_at_most_that_of_the_joint_distributions():
    """`kl_bias` sums KL over (v, h); the weights see v alone, and KL of marginals is smaller. Without h they agree."""
    grbm, schedule = random_grbm(3, 3), ae.linear_schedule(5)
    idle = ae.GaussianRBM(np.zeros((3, 3)), grbm.visible_bias, np.zeros(3), grbm.sigma)
    for target, equal in ((grbm, False), (idle, True)):
        path = ae.covariance_path(np.zeros(3), 4 * np.eye(3) + 1, target)
        result = ae.ais(path, schedule, 20_000, ae.exact, rng=np.random.default_rng(0))
        spared = result.mean_log_weight - (target.log_z() - ae.kl_bias(path, schedule))
        noise = 4 * result.log_weights.std() / np.sqrt(20_000)
        assert (abs(spared) < noise) if equal else (spared > noise)


def test_paths_can_be_pickled():
    path = starts(random_grbm(3, 2))["full"]
    path.weigh_and_gibbs(0.1, 0.2, np.zeros((2, 3)), np.random.default_rng(0))
    again = pickle.loads(pickle.dumps(path))
    np.testing.assert_allclose(again(0.5).log_density(np.ones((1, 3))), path(0.5).log_density(np.ones((1, 3))))


@pytest.mark.parametrize(
    ("mean", "cov", "message"),
    [
        (np.zeros(2), np.eye(3), r"mean must have shape \(3,\)"),
        (np.zeros(3), np.eye(2), r"cov must have shape \(3, 3\)"),
        (np.zeros(3), np.triu(np.ones((3, 3))), "symmetric"),
        (np.zeros(3), np.diag([1.0, -1.0, 1.0]), "positive definite"),
        (np.zeros(3), np.ones((3, 3)), "positive definite"),
        (np.full(3, np.nan), np.eye(3), "mean must be finite"),
        (np.zeros(3), np.eye(3) + 1e-6 * np.eye(3, k=1), "symmetric"),
    ],
)
def test_bad_moments_are_refused_by_name(mean, cov, message):
    with pytest.raises(ValueError, match=message):
        ae.covariance_path(mean, cov, random_grbm(3, 2))


def test_wrong_company_is_refused():
    with pytest.raises(ValueError, match="sigma must be positive"):
        widen_covariance(np.eye(2), [1.0, 0.0])
    with pytest.raises(TypeError, match="grbm must be a GaussianRBM"):
        ae.covariance_path(np.zeros(3), np.eye(3), ae.uniform_rbm(3, 2))
    with pytest.raises(ValueError, match="same number of hidden units"):
        ae.geometric_path(random_grbm(3, 2), random_grbm(3, 4))
    with pytest.raises(TypeError, match="auxiliary_gibbs needs a point of a covariance_path"):
        auxiliary_gibbs(ae.uniform_rbm(3, 2), np.zeros((1, 3)), np.random.default_rng(0))
    with pytest.raises(TypeError, match="auxiliary_gibbs needs a point of a covariance_path"):
        coupled = GaussianBernoulli(np.zeros(3), np.eye(3), np.ones((3, 2)), np.zeros(2))
        auxiliary_gibbs(coupled, np.zeros((1, 3)), np.random.default_rng(0))
    end = random_grbm(3, 2)
    for share in (0.1, 0.8):
        narrow = ae.GaussianRBM(np.zeros((3, 2)), np.zeros(3), np.zeros(2), share * end.sigma)
        with pytest.raises(ValueError, match="no narrower than sigma"):
            ae.ais(ae.geometric_path(narrow, end), ae.linear_schedule(3), 5, auxiliary_gibbs,
                   rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="uncoupled start"):
        between = ae.geometric_path(random_grbm(3, 2), random_grbm(3, 2, 1))(0.5)
        auxiliary_gibbs(between, np.zeros((1, 3)), np.random.default_rng(0))


def test_both_kernels_temper_too():
    grbm = random_grbm(3, 2)
    path = starts(grbm)["full"]
    for kernel in (ae.gibbs, auxiliary_gibbs):
        run = ae.parallel_tempering(
            path, ae.linear_schedule(3), 100, 50, kernel, n_burn_in=20, rng=np.random.default_rng(0)
        )
        assert abs(run.log_z - grbm.log_z()) < 5 * run.std_error


@pytest.mark.parametrize("own", [ae.gibbs, auxiliary_gibbs])
def test_a_combined_step_is_done_in_single_precision(own):
    path = starts(random_grbm(3, 2))["full"]
    step = {ae.gibbs: path.weigh_and_gibbs, auxiliary_gibbs: path.weigh_and_auxiliary_gibbs}[own]
    _, v = step(0.1, 0.2, np.zeros((2, 3)), np.random.default_rng(0))
    assert v.dtype == np.float32


def test_what_rounding_takes_from_a_narrow_direction_beside_a_wide_one_is_no_lift():
    """Eigenvalues are exact up to the rounding of the largest; beyond that the lift is told."""
    narrow = covariance._ROUNDING * 1e6
    for lift, told in ((0.5 * narrow, 0.0), (2 * narrow, 2 * narrow)):
        wide, found = widen_covariance(np.diag([1e6, 1 - lift]), np.ones(2))
        np.testing.assert_allclose(wide, np.diag([1e6, 1.0]), rtol=1e-12)
        assert found == pytest.approx(told, rel=1e-6)
