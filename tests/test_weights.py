import numpy as np
import pytest
from scipy.stats import norm

import anneal_edu as ae
from anneal_edu.weights import (
    bootstrap_log_mean_exp,
    larger_ess_p_value,
    log_mean_exp_std_error,
    pareto_tail_index,
    warnings_of,
)

LOG_WEIGHTS = norm.ppf((np.arange(400) * 197 % 400 + 0.5) / 400)  # quantiles of a normal, in no order


def test_log_mean_exp_and_ess_are_what_they_say_and_never_overflow():
    w = np.exp(LOG_WEIGHTS)
    assert ae.log_mean_exp(LOG_WEIGHTS) == pytest.approx(np.log(np.mean(w)), rel=1e-12)
    assert ae.log_mean_exp(LOG_WEIGHTS + 5000) == pytest.approx(ae.log_mean_exp(LOG_WEIGHTS) + 5000, rel=1e-12)
    assert ae.log_mean_exp([-np.inf, 0.0]) == pytest.approx(-np.log(2))
    assert ae.log_mean_exp([-np.inf, -np.inf]) == -np.inf
    assert ae.effective_sample_size(LOG_WEIGHTS + 3000) == pytest.approx(w.sum() ** 2 / (w**2).sum(), rel=1e-12)
    assert ae.effective_sample_size(np.zeros(50)) == pytest.approx(50)
    assert ae.effective_sample_size([0.0] + [-2000.0] * 49) == pytest.approx(1)
    assert ae.effective_sample_size([-np.inf] * 3) == 0


def test_the_bootstrap_resamples_the_chains_and_the_standard_error_agrees():
    means = bootstrap_log_mean_exp(LOG_WEIGHTS, 4000, rng=np.random.default_rng(1))
    assert log_mean_exp_std_error(LOG_WEIGHTS) == pytest.approx(means.std(), rel=0.1)
    assert log_mean_exp_std_error([0.0]) == np.inf
    assert log_mean_exp_std_error(np.log([1.0, 3.0])) == pytest.approx(np.sqrt(0.5) / np.sqrt(2))  # w* = ½ and 1½
    means = bootstrap_log_mean_exp([0.0, -np.inf], 2000, rng=np.random.default_rng(2))
    share = [(np.exp(means) == x).mean() for x in (0.0, 0.5, 1.0)]
    np.testing.assert_allclose(share, [0.25, 0.5, 0.25], atol=4 * 0.5 / np.sqrt(2000))


@pytest.mark.parametrize(
    ("log_weights", "kinds"),
    [
        (LOG_WEIGHTS, []),
        (np.where(np.arange(400) % 3 == 0, -500.0, LOG_WEIGHTS), []),  # a third of the chains lost
        ([0.0], ["single chain"]),
        ([-np.inf] * 5, ["every weight is zero"]),
        ([0.0] + [-50.0] * 999, ["collapsed weights"]),
        (8 * norm.ppf((np.arange(1000) + 0.5) / 1000), ["collapsed weights", "heavy tail"]),
    ],
)
def test_unhealthy_weights_are_named(log_weights, kinds):
    assert [warning.kind for warning in warnings_of(log_weights)][: len(kinds) or None] == kinds


@pytest.mark.parametrize("k", [0.2, 0.5, 1.0, 2.0])
def test_tail_index_recovers_the_shape_of_a_pareto_tail(k):
    """w = u^{-k} has a Pareto tail of index k; the prior at ½ pulls a little."""
    rng = np.random.default_rng(0)
    found = [pareto_tail_index(-k * np.log(rng.random(4000))) for _ in range(50)]
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


@pytest.mark.parametrize("n", [21, 60, 225, 226, 400, 1000])
def test_tail_index_is_that_of_the_algorithm(n):
    """From 226 weights on the tail is no longer a fifth of them."""
    log_weights = np.random.default_rng(n).normal(size=n) * 1.5
    assert pareto_tail_index(log_weights) == pytest.approx(tail_index_by_hand(log_weights), rel=1e-9)
    assert pareto_tail_index(log_weights + 4000) == pytest.approx(pareto_tail_index(log_weights), rel=1e-9)


def test_a_tail_of_less_than_five_weights_has_no_index():
    four_above = np.concatenate([np.zeros(96), [1.0, 1.1, 1.2, 1.3]])
    for none in (np.zeros(100), np.random.default_rng(0).normal(size=20), four_above):
        assert np.isnan(pareto_tail_index(none))
    assert np.isfinite(pareto_tail_index(np.append(four_above, 1.4)))


def test_chains_of_weight_zero_do_not_hide_the_tail():
    with_nothing, with_hardly_anything = (np.append(LOG_WEIGHTS, [least] * 3) for least in (-np.inf, -1e4))
    assert pareto_tail_index(with_nothing) == pareto_tail_index(with_hardly_anything)


@pytest.mark.parametrize("bad", [[], [[0.0]], [np.nan, 0.0], [np.inf]])
def test_what_is_no_log_weight_is_refused(bad):
    with pytest.raises(ValueError, match="log_weights must"):
        ae.effective_sample_size(bad)


def test_bootstrap_test_tells_a_larger_ess_from_luck():
    rng = np.random.default_rng(3)
    same = [larger_ess_p_value(rng.normal(size=300), rng.normal(size=300), rng=rng) for _ in range(10)]
    assert np.sum(np.array(same) < 0.05) < 6  # under the null one in twenty; 6 of 10 is 3e-6
    narrow = norm.ppf((np.arange(4000) + 0.5) / 4000)
    assert larger_ess_p_value(narrow, 1.6 * narrow, rng=rng) < 0.01
    assert larger_ess_p_value(1.6 * narrow, narrow, rng=rng) > 0.99
    assert larger_ess_p_value(np.zeros(5), np.zeros(7), rng=rng) == 1, "every resample counts against it"


def test_a_million_chains_are_resampled_in_groups_with_the_same_mean_and_spread(monkeypatch):
    lw, rng = np.random.default_rng(0).normal(size=3_300), np.random.default_rng(1)
    all_of_them = ae.weights.bootstrap_log_mean_exp(lw, rng=rng)
    monkeypatch.setattr("anneal_edu.weights._MOST_RESAMPLED", 1000)
    in_groups = ae.weights.bootstrap_log_mean_exp(lw, rng=rng)
    assert abs(in_groups.mean() - all_of_them.mean()) < 6 * all_of_them.std() / np.sqrt(500)
    assert in_groups.std() == pytest.approx(all_of_them.std(), rel=0.15)
