from itertools import pairwise

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import kstest

from anneal_edu.distributions.bernoulli import bernoulli, softplus, sum_of_softplus, uniforms, weigh_and_draw
from tests.frequencies import UNLIKELY, smallest_tail

FIELDS = np.array([-5.0, -1.0, 0.0, 0.7, 3.0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_uniforms_are_uniform_on_the_half_open_interval(dtype):
    u = uniforms((1001, 99), np.dtype(dtype), np.random.default_rng(0))
    assert u.shape == (1001, 99)
    assert u.dtype == dtype
    assert 0 <= u.min() < u.max() < 1
    assert kstest(u.ravel().astype(float), "uniform").pvalue > 1e-4
    assert abs(np.corrcoef(u.ravel()[:-1], u.ravel()[1:])[0, 1]) < 5 / np.sqrt(u.size), "neighbours share a 64-bit draw"


@pytest.mark.parametrize("shape", [(1,), (2,), (3, 5), (4, 4)])
def test_a_64_bit_random_number_serves_two_uniforms_of_single_precision(shape):
    n = int(np.prod(shape))
    used, twin = np.random.default_rng(0), np.random.default_rng(0)
    uniforms(shape, np.dtype(np.float32), used)
    twin.integers(2**64 - 1, endpoint=True, size=-(-n // 2), dtype=np.uint64)
    assert used.random() == twin.random()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_frequencies_are_sigmoid_of_the_field(dtype):
    n = 200_000
    draws = bernoulli(np.tile(FIELDS.astype(dtype), (n, 1)), np.random.default_rng(1))
    assert draws.dtype == dtype
    p = expit(FIELDS)
    assert smallest_tail(draws.mean(0, dtype=float), p, n) > UNLIKELY


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_extreme_fields_give_certain_draws(dtype):
    field = np.tile(np.array([-1e4, -120.0, 120.0, 1e4], dtype=dtype), (1000, 1))
    np.testing.assert_array_equal(bernoulli(field, np.random.default_rng(2)), np.tile([0, 0, 1, 1], (1000, 1)))


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 2e-7), (np.float64, 1e-15)])
def test_softplus_is_log_one_plus_exp(dtype, tolerance):
    a = np.linspace(-200, 200, 4001).astype(dtype)
    expected = np.logaddexp(0, a.astype(float))
    np.testing.assert_allclose(softplus(a), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("n_units", [1, 2, 3, 4, 5, 8, 13])
@pytest.mark.parametrize("largest", [-3.0, 5.0, 19.0, 21.0, 25.0, 39.0, 41.0, 79.0, 81.0, 89.0, 1000.0])
def test_a_sum_of_softplus_does_not_overflow_on_its_short_way(largest, n_units):
    """Four factors e^21 and more are multiplied by nobody: e^89 is no float32."""
    field = np.full((3, n_units), largest, dtype=np.float32)
    field[1] = -field[1]
    expected = np.logaddexp(0, field.astype(float)).sum(1)
    np.testing.assert_allclose(sum_of_softplus(field), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("before", [-300.0, 2.0, 79.0, 85.0, 300.0])
@pytest.mark.parametrize("now", [-300.0, 2.0, 79.0, 85.0, 300.0])
def test_a_step_between_any_two_fields_has_its_weight(before, now):
    """Whichever of the two is the large one."""
    fields = [np.array([[first, 0.5], [0.5, 0.3]], dtype=np.float32) for first in (before, now)]
    expected = np.subtract(*(np.logaddexp(0, field.astype(float)).sum(1) for field in fields[::-1]))
    log_ratio, draws = weigh_and_draw(*(field.copy() for field in fields), np.random.default_rng(0))
    np.testing.assert_allclose(log_ratio, expected, rtol=1e-6, atol=1e-6)
    assert abs(now) < 50 or draws[0, 0] == (now > 0)


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
    assert smallest_tail(draws.mean(0, dtype=float), p, n) > UNLIKELY


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
