from itertools import pairwise

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import kstest

from anneal_edu.distributions.bernoulli import bernoulli, softplus, uniforms, weigh_and_draw

FIELDS = np.array([-5.0, -1.0, 0.0, 0.7, 3.0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_uniforms_are_uniform_on_the_half_open_interval(dtype):
    u = uniforms((1001, 99), np.dtype(dtype), np.random.default_rng(0))
    assert u.shape == (1001, 99)
    assert u.dtype == dtype
    assert 0 <= u.min() < u.max() < 1
    assert kstest(u.ravel().astype(float), "uniform").pvalue > 1e-4
    assert abs(np.corrcoef(u.ravel()[:-1], u.ravel()[1:])[0, 1]) < 4 / np.sqrt(u.size), "neighbours share a 64-bit draw"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_frequencies_are_sigmoid_of_the_field(dtype):
    n = 200_000
    draws = bernoulli(np.tile(FIELDS.astype(dtype), (n, 1)), np.random.default_rng(1))
    assert draws.dtype == dtype
    p = expit(FIELDS)
    assert (np.abs(draws.mean(0) - p) < 4 * np.sqrt(p * (1 - p) / n)).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_extreme_fields_give_certain_draws(dtype):
    field = np.tile(np.array([-1e4, -120.0, 120.0, 1e4], dtype=dtype), (1000, 1))
    np.testing.assert_array_equal(bernoulli(field, np.random.default_rng(2)), np.tile([0, 0, 1, 1], (1000, 1)))


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 2e-7), (np.float64, 1e-15)])
def test_softplus_is_log_one_plus_exp(dtype, tolerance):
    a = np.linspace(-200, 200, 4001).astype(dtype)
    expected = np.logaddexp(0, a.astype(float))
    np.testing.assert_allclose(softplus(a), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("largest", [5.0, 500.0], ids=["shared exponentials", "safe way"])
def test_weigh_and_draw_agrees_with_its_two_halves_done_apart(largest):
    n = 100_000
    before = np.tile((FIELDS - 0.3).astype(np.float32), (n, 1))
    now = np.tile(FIELDS.astype(np.float32), (n, 1))
    before[:, -1] = now[:, -1] = largest
    expected = (softplus(now) - softplus(before)).sum(1)
    p = expit(now[0].astype(float))
    log_ratio, draws = weigh_and_draw(before, now.copy(), np.random.default_rng(3))
    np.testing.assert_allclose(log_ratio, expected, atol=2e-6)
    assert (np.abs(draws.mean(0) - p) <= 4 * np.sqrt(p * (1 - p) / n)).all()


@pytest.mark.parametrize("mean", [-4.0, 0.0])
def test_a_hundred_thousand_short_steps_add_up_to_the_long_one(mean):
    """Σ_k of the log ratios telescopes; a rounding error with a sign would show."""
    rng = np.random.default_rng(0)
    slope = (mean + rng.normal(size=(1, 50))).astype(np.float32)
    betas = np.linspace(0, 1, 10_001).astype(np.float32)
    total = sum(weigh_and_draw(a * slope, b * slope, rng)[0][0] for a, b in pairwise(betas))
    expected = (np.logaddexp(0, slope.astype(float)) - np.log(2)).sum()
    assert total == pytest.approx(expected, abs=1e-4)


def test_a_huge_step_keeps_its_weight():
    before, now = np.full((2, 3), 70.0, dtype=np.float32), np.full((2, 3), -70.0, dtype=np.float32)
    log_ratio, h = weigh_and_draw(before, now, np.random.default_rng(0))
    np.testing.assert_allclose(log_ratio, -210, rtol=1e-6)
    assert not h.any()
