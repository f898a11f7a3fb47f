import numpy as np
import pytest
from scipy.stats import norm

import anneal_edu as ae
from anneal_edu.weights import log_mean_exp_std_error, warnings_of

LOG_WEIGHTS = norm.ppf((np.arange(400) * 197 % 400 + 0.5) / 400)  # quantiles of a normal, in no order


def test_log_mean_exp_is_what_it_says_and_never_overflows():
    assert ae.log_mean_exp(LOG_WEIGHTS) == pytest.approx(np.log(np.mean(np.exp(LOG_WEIGHTS))), rel=1e-12)
    assert ae.log_mean_exp(LOG_WEIGHTS + 5000) == pytest.approx(ae.log_mean_exp(LOG_WEIGHTS) + 5000, rel=1e-12)
    assert ae.log_mean_exp([-np.inf, 0.0]) == pytest.approx(-np.log(2))
    assert ae.log_mean_exp([-np.inf, -np.inf]) == -np.inf


def test_ess_is_the_square_of_the_sum_over_the_sum_of_squares():
    w = np.exp(LOG_WEIGHTS)
    assert ae.effective_sample_size(LOG_WEIGHTS) == pytest.approx(w.sum() ** 2 / (w**2).sum(), rel=1e-12)


def test_ess_runs_from_one_to_the_number_of_chains():
    assert ae.effective_sample_size(np.zeros(50)) == pytest.approx(50)
    assert ae.effective_sample_size([0.0] + [-2000.0] * 49) == pytest.approx(1)
    assert ae.effective_sample_size(LOG_WEIGHTS + 3000) == pytest.approx(ae.effective_sample_size(LOG_WEIGHTS))
    assert ae.effective_sample_size([-np.inf] * 3) == 0


def test_standard_error_agrees_with_the_bootstrap():
    means = ae.weights.bootstrap_log_mean_exp(LOG_WEIGHTS, 4000, rng=np.random.default_rng(1))
    assert log_mean_exp_std_error(LOG_WEIGHTS) == pytest.approx(means.std(), rel=0.1)
    assert log_mean_exp_std_error([0.0]) == np.inf
    assert log_mean_exp_std_error(np.log([1.0, 3.0])) == pytest.approx(np.sqrt(0.5) / np.sqrt(2))  # w* = ½ and 1½


def test_bootstrap_resamples_the_chains():
    means = ae.weights.bootstrap_log_mean_exp([0.0, -np.inf], 2000, rng=np.random.default_rng(2))
    share = [(np.exp(means) == x).mean() for x in (0.0, 0.5, 1.0)]
    np.testing.assert_allclose(share, [0.25, 0.5, 0.25], atol=4 * 0.5 / np.sqrt(2000))


def test_healthy_weights_bring_no_warning():
    assert warnings_of(LOG_WEIGHTS) == ()


@pytest.mark.parametrize(
    ("log_weights", "kind"),
    [
        ([0.0], "single chain"),
        ([-np.inf] * 5, "every weight is zero"),
        ([0.0] + [-50.0] * 999, "collapsed weights"),
        (np.random.default_rng(0).normal(0, 8, size=1000), "heavy tail"),
    ],
)
def test_unhealthy_weights_are_named(log_weights, kind):
    assert kind in [warning.kind for warning in warnings_of(log_weights)]


@pytest.mark.parametrize("k", [0.2, 0.5, 1.0, 2.0])
def test_tail_index_recovers_the_shape_of_a_pareto_tail(k):
    """w = u^{-k} has a Pareto tail of index k; the prior at ½ pulls a little."""
    rng = np.random.default_rng(0)
    found = [ae.pareto_tail_index(-k * np.log(rng.random(4000))) for _ in range(50)]
    n_tail = 3 * np.sqrt(4000)
    expected = (n_tail * k + 5) / (n_tail + 10)
    assert abs(np.mean(found) - expected) < 5 * np.std(found) / np.sqrt(50) + 0.02 * k  # a finite tail is off by that


def tail_index_by_hand(log_weights):
    """Vehtari et al. (2024), Algorithm 1, and Zhang and Stephens (2009), Section 3, in their own indices."""
    w = np.sort(np.exp(log_weights - np.max(log_weights)))
    tail = int(np.ceil(min(len(w) / 5, 3 * np.sqrt(len(w)))))
    x = w[-tail:] - w[-tail - 1]
    n, m = len(x), 30 + int(np.sqrt(len(x)))
    x_star = x[int(n / 4 + 0.5) - 1]
    b = [1 / x.max() + (1 - np.sqrt(m / (j - 0.5))) / (3 * x_star) for j in range(1, m + 1)]
    k = [np.log(1 - b_j * x).mean() for b_j in b]
    log_l = [n * (np.log(-b_j / k_j) - k_j - 1) for b_j, k_j in zip(b, k, strict=True)]
    w_b = [1 / sum(np.exp(other - this) for other in log_l) for this in log_l]
    k_hat = np.log(1 - np.dot(b, w_b) * x).mean()
    return (n * k_hat + 5) / (n + 10)


@pytest.mark.parametrize("n", [21, 30, 60, 225, 226, 400, 1000])
def test_tail_index_is_that_of_the_algorithm(n):
    """From 226 weights on the tail is no longer a fifth of them."""
    log_weights = np.random.default_rng(n).normal(size=n) * 1.5
    assert ae.pareto_tail_index(log_weights) == pytest.approx(tail_index_by_hand(log_weights), rel=1e-9)


def test_a_tail_of_less_than_five_weights_has_no_index():
    log_weights = np.random.default_rng(0).normal(size=20)
    assert np.isnan(ae.pareto_tail_index(log_weights))
    four_above = np.concatenate([np.zeros(96), [1.0, 1.1, 1.2, 1.3]])
    assert np.isnan(ae.pareto_tail_index(four_above))
    assert np.isfinite(ae.pareto_tail_index(np.append(four_above, 1.4)))


def test_tail_index_does_not_care_for_the_scale_or_for_hopeless_chains():
    shifted = ae.pareto_tail_index(LOG_WEIGHTS + 4000)
    assert shifted == pytest.approx(ae.pareto_tail_index(LOG_WEIGHTS), rel=1e-9)
    left_skewed = np.where(np.arange(400) % 3 == 0, -500.0, LOG_WEIGHTS)
    assert warnings_of(left_skewed) == (), "a third of the chains lost costs a third of the weight, not the estimate"
    assert np.isnan(ae.pareto_tail_index(np.zeros(100)))


def test_chains_that_weigh_nothing_do_not_hide_the_tail():
    with_nothing, with_hardly_anything = (np.append(LOG_WEIGHTS, [least] * 3) for least in (-np.inf, -1e4))
    assert ae.pareto_tail_index(with_nothing) == ae.pareto_tail_index(with_hardly_anything)


@pytest.mark.parametrize(("n", "n_tail"), [(100, 20), (225, 45), (400, 60), (401, 61)])
def test_tail_index_sees_a_fifth_of_the_weights_at_most_and_3_root_c_at_most(n, n_tail):
    """And the next smaller weight, the threshold above which they stand; n_tail is rounded up."""
    lw = np.sin(np.arange(n)) - np.log(np.arange(1, n + 1))
    order, whole = np.argsort(lw)[::-1], ae.pareto_tail_index(lw)
    below, threshold = lw.copy(), lw.copy()
    below[order[n_tail + 1 :]] -= 5.0
    threshold[order[n_tail]] -= 1e-3
    assert ae.pareto_tail_index(below) == whole
    assert ae.pareto_tail_index(threshold) != whole


@pytest.mark.parametrize("bad", [[], [[0.0]], [np.nan, 0.0], [np.inf]])
def test_what_is_no_log_weight_is_refused(bad):
    with pytest.raises(ValueError, match="log_weights must"):
        ae.effective_sample_size(bad)


def test_bootstrap_test_tells_a_larger_ess_from_luck():
    rng = np.random.default_rng(3)
    same = [ae.weights.larger_ess_p_value(rng.normal(size=300), rng.normal(size=300), 200, rng=rng) for _ in range(60)]
    n_called = np.sum(np.array(same) < 0.05)  # under the null one in twenty; of 600 it were 44, and 18 of 60 is 1e-7
    assert n_called < 18
    narrow = norm.ppf((np.arange(4000) + 0.5) / 4000)
    wide = 1.6 * narrow
    assert ae.weights.larger_ess_p_value(narrow, wide, 400, rng=rng) < 0.01
    assert ae.weights.larger_ess_p_value(wide, narrow, 400, rng=rng) > 0.99


def test_equal_weights_are_never_worth_more_than_equal_weights():
    """Every resample counts against it, and so does the sample itself: p is 1."""
    assert ae.weights.larger_ess_p_value(np.zeros(5), np.zeros(7), 50, rng=np.random.default_rng(0)) == 1
