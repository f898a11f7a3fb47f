from functools import partial

import numpy as np
import pytest
from scipy.stats import kstest

import anneal_edu as ae

FIGURE_1 = (
    ae.Gaussian([-10.0, 0.0], [[1.0, -0.85], [-0.85, 1.0]]),
    ae.Gaussian([10.0, 0.0], [[1.0, 0.85], [0.85, 1.0]]),
)
LAPLACE = ae.Unnormalized(lambda x: -np.abs(x).sum(-1), dim=2, grad=lambda x: -np.sign(x))  # Z = 2² = 4
WIDE = ae.Gaussian([0.0, 0.0], 4 * np.eye(2))


def random_rbm(D, H, seed, scale=1.5):
    rng = np.random.default_rng(seed)
    return ae.BinaryRBM(scale * rng.normal(size=(D, H)), rng.normal(size=D), rng.normal(size=H))


def z_of_mean_weight(result, log_z):
    """Standard errors between the mean weight and Z; the unbiased quantity is the weight, not its logarithm."""
    w = np.exp(result.log_weights - log_z)
    return (w.mean() - 1) / (w.std(ddof=1) / np.sqrt(len(w)))


def test_one_step_is_importance_sampling():
    n = 1000
    result = ae.ais(ae.geometric_path(WIDE, LAPLACE), [0.0, 1.0], n, ae.random_walk(1.0), rng=np.random.default_rng(4))
    x = WIDE.sample(n, np.random.default_rng(4))
    np.testing.assert_allclose(result.log_weights, LAPLACE.log_density(x) - WIDE.log_density(x), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("K", [2, 10])
@pytest.mark.parametrize("kernel", [ae.random_walk(0.3), ae.hmc(0.3, 2)], ids=["random walk", "hmc"])
def test_weights_are_unbiased_out_of_equilibrium(kernel, K):
    """K-S over 50 seeds: the z scores are those of a standard normal, neither shifted nor wide."""
    path = ae.geometric_path(WIDE, LAPLACE)
    z = [
        z_of_mean_weight(ae.ais(path, ae.linear_schedule(K), 2000, kernel, rng=np.random.default_rng(s)), np.log(4))
        for s in range(50)
    ]
    assert kstest(z, "norm").pvalue > 1e-5
    assert abs(np.mean(z)) < 5 / np.sqrt(50)


@pytest.mark.parametrize("start", [ae.uniform_rbm(8, 4), random_rbm(8, 4, 7, 0.5)], ids=["uniform", "with weights"])
def test_rbm_weights_are_unbiased_and_the_start_counts(start):
    rbm = random_rbm(8, 4, 1)
    path = ae.geometric_path(start, rbm)
    z = [
        z_of_mean_weight(ae.ais(path, ae.linear_schedule(8), 2000, rng=np.random.default_rng(s)), rbm.log_z())
        for s in range(50)
    ]
    assert kstest(z, "norm").pvalue > 1e-5
    assert abs(np.mean(z)) < 5 / np.sqrt(50)


@pytest.mark.parametrize("make", [ae.geometric_path, ae.moment_path])
def test_perfect_transitions_fall_short_by_the_kl_bias(make):
    path = make(ae.Gaussian([0.0, 0.0], np.eye(2)), ae.Gaussian([3.0, 1.0], [[1.0, 0.5], [0.5, 0.6]]))
    schedule = ae.piecewise_schedule([0, 0.3, 1], [4, 5])
    result = ae.ais(path, schedule, 40_000, ae.exact, rng=np.random.default_rng(1))
    std_error = result.log_weights.std() / np.sqrt(40_000)
    assert abs(result.mean_log_weight + ae.kl_bias(path, schedule)) < 5 * std_error


def test_figure_1_with_26_transitions_has_the_papers_mean_log_weights():
    """Grosse et al. 2013, Section 5.1: -28.04 and -27.15; exact, 725.928 / 26 = 27.92 below zero on both paths."""
    schedule = ae.linear_schedule(26)
    geometric, moments = (
        ae.ais(make(*FIGURE_1), schedule, 5000, ae.exact, rng=np.random.default_rng(2))
        for make in (ae.geometric_path, ae.moment_path)
    )
    assert geometric.mean_log_weight == pytest.approx(-27.92, abs=4 * 7.8 / np.sqrt(5000))
    assert moments.mean_log_weight == pytest.approx(-27.92, abs=4 * 40 / np.sqrt(5000))
    assert geometric.log_weights.std() == pytest.approx(7.8, abs=0.4)
    assert moments.log_weights.std() > 4 * geometric.log_weights.std()


def test_figure_1_under_gibbs_only_the_moment_path_comes_near():
    """Grosse et al. 2013, Section 5.1: K = 25 intermediate distributions are 26 transitions."""
    schedule = ae.linear_schedule(26)
    geometric, moments = (
        [ae.ais(make(*FIGURE_1), schedule, 5000, rng=np.random.default_rng(s)) for s in range(15)]
        for make in (ae.geometric_path, ae.moment_path)
    )
    assert np.median([result.log_z for result in geometric]) < -20
    assert all(result.warnings for result in geometric)
    assert abs(np.median([result.log_z for result in moments])) < 1.2


def test_intervals_cover_the_truth_as_often_as_they_promise():
    path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([2.0], [[1.0]]))
    covered = half = warned = 0
    for seed in range(200):
        result = ae.ais(path, ae.linear_schedule(8), 300, ae.gibbs, rng=np.random.default_rng(seed))
        warned += result.warnings != ()
        low, high = result.interval(0.95, n_resamples=300)
        covered += low <= 0 <= high
        low, high = result.interval(0.5, n_resamples=300)
        half += low <= 0 <= high
    assert covered >= 175  # 190 of 200 are promised: 5 standard errors less
    assert 65 <= half <= 135  # 100 are
    assert warned <= 5  # one run in a thousand looks heavy-tailed by chance


def test_intervals_widen_with_their_level_and_are_a_fixed_property():
    path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([1.0], [[1.0]]))
    result = ae.ais(path, ae.linear_schedule(4), 200, rng=np.random.default_rng(0))
    (low, high), (lower, higher) = result.interval(0.5), result.interval(0.99)
    assert lower < low < result.log_z < high < higher
    assert result.interval(0.5) == (low, high)


def test_final_samples_weighted_are_draws_from_the_target():
    path = ae.geometric_path(WIDE, LAPLACE)
    result = ae.ais(path, ae.linear_schedule(20), 20_000, ae.random_walk(0.8), rng=np.random.default_rng(3))
    w = ae.normalised_weights(result.log_weights)
    estimate = np.mean(w[:, None] * np.abs(result.samples), 0)  # E |x_i| = 1
    spread = np.std(w[:, None] * (np.abs(result.samples) - 1), 0) / np.sqrt(20_000)
    assert (np.abs(estimate - 1) < 5 * spread).all()


def test_the_same_seed_gives_the_same_result():
    path = ae.geometric_path(ae.uniform_rbm(6, 3), random_rbm(6, 3, 1))
    first, second = (ae.ais(path, ae.linear_schedule(5), 50, rng=np.random.default_rng(9)) for _ in range(2))
    np.testing.assert_array_equal(first.log_weights, second.log_weights)
    assert first.interval() == second.interval()


def test_a_result_prints_its_number_its_error_and_its_warnings():
    result = ae.ais(ae.geometric_path(*FIGURE_1), ae.linear_schedule(3), 500, ae.exact, rng=np.random.default_rng(0))
    text = str(result)
    assert f"{result.log_z:.3f}" in text
    assert "95% interval" in text
    assert "warning: collapsed weights" in text


def test_a_users_own_path_is_just_a_function():
    def shifting(beta):
        return ae.Gaussian([3 * beta], [[1.0]])

    result = ae.ais(shifting, ae.linear_schedule(30), 2000, ae.exact, rng=np.random.default_rng(0))
    assert abs(result.log_z) < 5 * result.std_error


GAUSSIANS = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([1.0], [[1.0]]))
UNKNOWN = ae.Unnormalized(lambda x: -np.abs(x).sum(-1), dim=1)


class Partial:
    """A density that offers some of what a start must."""

    dim = 1

    def __init__(self, **offers):
        vars(self).update(offers)

    def log_density(self, x):
        return -0.5 * (x * x).sum(-1)


@pytest.mark.parametrize("offers", [{}, {"log_z": lambda: 0.0}, {"sample": lambda n, rng: rng.normal(size=(n, 1))}])
def test_a_start_must_know_its_log_z_and_be_sampled_unless_chains_only_end_there(offers):
    """Partial is any distribution of a user's, not one of ours."""
    path = ae.geometric_path(Partial(**offers), UNKNOWN)
    with pytest.raises(TypeError, match=r"path\(0\) must offer sample and log_z, which Partial lacks"):
        ae.ais(path, [0.0, 1.0], 5, kernel=ae.random_walk(0.5), rng=np.random.default_rng(0))
    backward = partial(ae.reverse_ais, path, [0.0, 1.0], np.ones((5, 1)), ae.random_walk(0.5))
    if "log_z" in offers:
        assert np.isfinite(backward(rng=np.random.default_rng(0)).log_z)
    else:
        with pytest.raises(TypeError, match=r"path\(0\) must offer log_z, which Partial lacks"):
            backward(rng=np.random.default_rng(0))


def test_interval_levels_outside_zero_and_one_are_refused():
    result = ae.ais(GAUSSIANS, [0.0, 1.0], 10, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="level must lie"):
        result.interval(95)
    with pytest.raises(ValueError, match="resample must be a share"):
        ae.ais(GAUSSIANS, [0, 1], 9, resample=50, rng=np.random.default_rng(0))


def box(half_width):
    return ae.Unnormalized(lambda x: np.where(np.abs(x[..., 0]) < half_width, 0.0, -np.inf), 1)


def test_chains_outside_the_support_weigh_nothing_and_harm_nothing():
    path = ae.geometric_path(ae.Gaussian([0.0], [[4.0]]), box(1.0))
    result = ae.ais(path, ae.linear_schedule(10), 20_000, ae.random_walk(0.5), rng=np.random.default_rng(0))
    assert np.isneginf(result.log_weights).any()
    assert abs(result.log_z - np.log(2)) < 5 * result.std_error
    low, high = result.interval()
    assert low < result.log_z < high


def test_intervals_of_mostly_lost_chains_are_numbers_or_minus_infinity():
    class OneInside(ae.Gaussian):
        def sample(self, n, rng):
            return np.r_[0.0, np.full(n - 1, 2.0)][:, None]

    path = ae.geometric_path(OneInside([0.0], [[1.0]]), box(0.03))
    low, high = ae.ais(path, [0.0, 1.0], 50, ae.random_walk(0.5), rng=np.random.default_rng(1)).interval()
    assert low == -np.inf
    assert np.isfinite(high)
    nothing = ae.ais(
        ae.geometric_path(ae.Gaussian([9.0], [[0.01]]), box(0.1)), [0.0, 1.0], 5, ae.random_walk(1.0),
        rng=np.random.default_rng(1),
    )  # fmt: skip
    assert nothing.interval() == (-np.inf, -np.inf)
    assert "every weight is zero" in str(nothing)
