import numpy as np
import pytest
from scipy.stats import kstest

import anneal_edu as ae
from anneal_edu.kernels import gibbs_backwards

START = ae.Gaussian([1.3, -0.8], [[0.5, 0.2], [0.2, 0.5]])  # narrow: 1/w = f_0/f_1 then has a finite variance
TARGET = ae.Gaussian([1.5, -1.0], [[1.0, 0.8], [0.8, 1.0]], log_scale=3.0)


def random_rbm(D, H, seed, scale=1.5):
    rng = np.random.default_rng(seed)
    return ae.BinaryRBM(scale * rng.normal(size=(D, H)), rng.normal(size=D), rng.normal(size=H))


def written_out_rbm(D, H, scale):
    """The same numbers at any seed, as uneven as normal ones."""
    weights = np.sin(np.arange(1.0, D * H + 1) ** 2).reshape(D, H)
    biases = np.sin(np.arange(1.0, D + 1) ** 3), np.cos(np.arange(1.0, H + 1) ** 2)
    return ae.BinaryRBM(np.sqrt(2) * scale * weights, *biases)


def z_of_mean_inverse_weight(result, log_z):
    inverse = np.exp(log_z - result.log_weights)
    return (inverse.mean() - 1) / (inverse.std(ddof=1) / np.sqrt(len(inverse)))


def test_backward_sweep_is_the_time_reversal_of_the_forward_one():
    """Affine sweeps x' = A x + B ε: reversal means A_back Σ = (A_forth Σ)ᵀ."""

    class NoNoise:
        def standard_normal(self, shape):
            return np.zeros(shape)

    p = ae.Gaussian([0.0, 0.0, 0.0], [[2.0, 0.9, 0.1], [0.9, 1.0, -0.3], [0.1, -0.3, 0.7]])
    forth, back = (kernel(p, np.eye(3), NoNoise()).T for kernel in (ae.gibbs, gibbs_backwards))
    np.testing.assert_allclose(back @ p.cov, (forth @ p.cov).T, atol=1e-14)
    assert np.abs(forth - back).max() > 0.1


@pytest.mark.parametrize("K", [2, 6])
@pytest.mark.parametrize("kernel", [ae.gibbs, ae.hmc(0.3, 2), ae.exact], ids=["gibbs", "hmc", "exact"])
def test_inverse_weights_are_unbiased_for_one_over_z(kernel, K):
    path, z = ae.geometric_path(START, TARGET), []
    for seed in range(50):
        rng = np.random.default_rng(seed)
        result = ae.reverse_ais(path, ae.linear_schedule(K), TARGET.sample(1000, rng), kernel, rng=rng)
        z.append(z_of_mean_inverse_weight(result, 3.0))
    assert kstest(z, "norm").pvalue > 1e-5
    assert abs(np.mean(z)) < 5 / np.sqrt(50)


@pytest.mark.parametrize("make", ["geometric", "spline"])
def test_inverse_weights_are_unbiased_on_rbm_paths(make):
    p0, middle, p1 = ae.uniform_rbm(8, 4), random_rbm(8, 4, 2, 0.7), random_rbm(8, 4, 1, 0.7)
    path = ae.geometric_path(p0, p1) if make == "geometric" else ae.spline_path([0, 0.4, 1], [p0, middle, p1])
    z = []
    for seed in range(50):
        rng = np.random.default_rng(seed)
        result = ae.reverse_ais(path, ae.linear_schedule(12), p1.sample(1000, rng), rng=rng)
        z.append(z_of_mean_inverse_weight(result, p1.log_z()))
    assert abs(np.mean(z)) < 5 / np.sqrt(50)
    assert 0.5 < np.std(z) < 1.5


def test_forward_lies_below_and_reverse_above_in_expectation():
    """The mean weight instead of 1/mean(1/w) in the reverse run would break the second half.

    Of five chains each, so that the two lie 9 and 12 standard errors apart from the truth.
    """
    rbm = written_out_rbm(10, 5, scale=2.5)
    path, schedule = ae.geometric_path(ae.uniform_rbm(10, 5), rbm), ae.linear_schedule(4)
    both = [ae.sandwich(path, schedule, 5, rng=np.random.default_rng(seed)) for seed in range(200)]
    lower, upper = np.array([(s.lower, s.upper) for s in both]).T - rbm.log_z()
    assert lower.mean() < -3 * lower.std() / np.sqrt(200)
    assert upper.mean() > 3 * upper.std() / np.sqrt(200)
    assert all(s.draws == "exact draws" for s in both)
    wrong = np.array([ae.log_mean_exp(s.reverse.log_weights) for s in both]) - rbm.log_z()
    assert wrong.mean() > 1.5 * upper.mean(), "averaging w, not 1/w, leaves the bound, but not its tightness"


def test_perfect_transitions_exceed_by_the_reverse_kl_bias():
    path, schedule, rng = ae.geometric_path(START, TARGET), ae.linear_schedule(5), np.random.default_rng(0)
    result = ae.reverse_ais(path, schedule, TARGET.sample(40_000, rng), ae.exact, rng=rng)
    excess = result.mean_log_weight - 3.0
    assert abs(excess - ae.kl_bias(path, schedule, reverse=True)) < 5 * result.log_weights.std() / np.sqrt(40_000)


def test_interval_and_printing_are_on_the_right_side():
    path, rng = ae.geometric_path(START, TARGET), np.random.default_rng(1)
    result = ae.reverse_ais(path, ae.linear_schedule(10), TARGET.sample(500, rng), rng=rng)
    low, high = result.interval()
    assert low < result.log_z < high < result.mean_log_weight + 1
    assert f"{result.log_z:.3f}" in str(result)


def test_a_target_without_exact_draws_starts_from_a_long_run_and_says_so():
    target = ae.Unnormalized(lambda x: -np.abs(x).sum(-1), dim=2)
    path = ae.geometric_path(ae.Gaussian(np.zeros(2), 4 * np.eye(2)), target)
    both = ae.sandwich(
        path, ae.linear_schedule(40), 2000, ae.random_walk(0.8), n_burn_in=100, rng=np.random.default_rng(0)
    )
    assert both.draws == "a long run"
    assert both.lower - 0.5 < np.log(4) < both.upper + 0.5
    assert "a long run" in str(both)
    large = random_rbm(30, 26, 0, scale=0.1)
    both = ae.sandwich(
        ae.geometric_path(ae.uniform_rbm(30, 26), large), ae.linear_schedule(5), 10, n_burn_in=3,
        rng=np.random.default_rng(0),
    )  # fmt: skip
    assert both.draws == "a long run"


def test_a_run_from_data_finds_the_mode_that_no_forward_chain_met():
    """Two modes 20 apart, the far one e² times as heavy: from its own chains the sandwich is pinned 2.1 nats off."""
    far = ae.Unnormalized(lambda x: np.logaddexp(-x[..., 0] ** 2 / 2, 2 - (x[..., 0] - 20) ** 2 / 2), dim=1)
    path, log_z = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), far), 0.5 * np.log(2 * np.pi) + np.log1p(np.exp(2))
    data = 20 + np.random.default_rng(1).normal(size=(50, 1))
    settings = {"kernel": ae.random_walk(1.0), "n_burn_in": 50}
    own, from_data = (
        ae.sandwich(path, ae.linear_schedule(100), 200, **settings, data=states, rng=np.random.default_rng(0))
        for states in (None, data)
    )
    assert (own.draws, from_data.draws) == ("a long run", "a long run from data")
    assert own.upper < log_z - 2 and abs(own.gap) < 0.1
    assert from_data.upper > log_z + 5 and from_data.lower == own.lower


def test_without_a_move_the_reverse_chains_begin_at_the_data():
    target = ae.Unnormalized(lambda x: -np.abs(x).sum(-1), dim=1)
    path, data = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), target), np.array([[3.0], [4.0], [-7.0]])

    def stay(distribution, x, rng):
        return x

    both = ae.sandwich(path, [0, 1], 300, stay, n_burn_in=0, data=data, rng=np.random.default_rng(0))
    counts = np.array([(both.reverse.samples == row).sum() for row in data])
    assert counts.sum() == 300
    assert np.abs(counts - 100).max() < 4.5 * np.sqrt(300 * 2 / 9)  # each is drawn as often as any other
    with pytest.raises(ValueError, match=r"data must have shape \(N, 1\), got \(3, 2\)"):
        ae.sandwich(path, [0, 1], 3, stay, data=np.zeros((3, 2)), rng=np.random.default_rng(0))


def test_samples_of_an_rbm_must_be_its_states():
    path = ae.geometric_path(ae.uniform_rbm(3, 2), random_rbm(3, 2, 0))
    with pytest.raises(ValueError, match="samples must hold zeros and ones"):
        ae.reverse_ais(path, [0.0, 1.0], np.full((5, 3), 7.3), rng=np.random.default_rng(0))


def test_the_reverse_run_sweeps_backwards():
    """1/w is unbiased with any invariant kernel; the time reversal makes it the forward run seen backwards."""

    class OneWay(ae.Gaussian):
        def gibbs(self, x, rng):
            raise AssertionError("the forward sweep has no place in a reverse run")

        def geometric_mean(self, other, beta):
            member = super().geometric_mean(other, beta)
            return OneWay(member.mean, member.cov, member.log_scale)

    path = ae.geometric_path(OneWay(START.mean, START.cov), OneWay(TARGET.mean, TARGET.cov))
    rng = np.random.default_rng(0)
    assert np.isfinite(ae.reverse_ais(path, [0.0, 0.5, 1.0], TARGET.sample(5, rng), rng=rng).log_z)


class DrawsOfTheStart(ae.Gaussian):
    """N(mean, 1), whose sample is right at the start of its path alone."""

    def sample(self, n, rng):
        return rng.normal(size=(n, 1))


@pytest.mark.parametrize("kind", [ae.Gaussian, DrawsOfTheStart])
def test_a_sandwich_whose_ends_are_crossed_says_so(kind):
    path = lambda beta: kind([2 * beta], [[1.0]])  # noqa: E731
    both = ae.sandwich(path, ae.linear_schedule(50), 500, ae.random_walk(1.0), rng=np.random.default_rng(0))
    assert both.draws == "exact draws"
    assert ("crossed" in [warning.kind for warning in both.warnings]) == (kind is DrawsOfTheStart)
