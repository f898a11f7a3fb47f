from itertools import pairwise

import numpy as np
import pytest
from scipy.special import expit, logit

from anneal_edu.distributions.bernoulli import bernoulli, softplus, sum_of_softplus, weigh_and_draw
from tests.frequencies import UNLIKELY, chance_of_farthest

FIELDS = np.array([-5.0, -1.0, 0.0, 0.7, 3.0])


@pytest.fixture(autouse=True, params=[True, False], ids=["loops of AVX-512", "other loops"])
def way(request, monkeypatch):
    """Both ways are right everywhere, but only one of them is fast."""
    monkeypatch.setattr("anneal_edu.distributions.bernoulli._AVX512", request.param)


class EveryNumberOnce:
    """A generator whose 16-bit numbers are 0 … 65,535 in their order, and whose uniforms are a given number."""

    bit_generator = None

    def __init__(self, u):
        self.u = u

    def integers(self, low, high, endpoint, size, dtype):
        assert (low, high, endpoint, size, dtype) == (0, 2**64 - 1, True, 2**14, np.uint64)
        return np.arange(2**16, dtype=np.uint16).view(np.uint64)

    def random(self, n):
        return np.full(n, self.u)


@pytest.mark.parametrize("a", [-1000.0, -30.0, -11.0, -5.0, -1e-3, 0.0, 0.3, 5.0, 11.0, 16.0, 17.5, 1000.0])
def test_16_bits_and_a_remainder_are_as_good_as_a_real_number(a):
    """Of 65,536 numbers, and of a hundred remainders where one of these decides, a share of p gives a 1."""
    remainders = (np.arange(100) + 0.5) / 100
    field = np.float32(a)
    ones = [bernoulli(np.full(2**16, field), EveryNumberOnce(u)).sum(dtype=float) for u in remainders]
    exact = 2**16 * expit(float(field))
    assert np.ptp(ones) <= 1, "only one number is undecided"
    assert np.mean(ones) == pytest.approx(exact, abs=0.015)
    assert a < 17 or min(ones) == 2**16, "what is as good as certain is certain"


@pytest.mark.parametrize("gap", [1, 2, 20, 100, 124, 126, 150, 200, 240, 249, 251, 300, 1000, 30_000])
def test_every_number_is_compared_with_its_own_probability(gap):
    """Whether k/65536 is a little or far below p, or above it, to the ends of the tails, where p is 0 or 1."""
    number = np.arange(2**16) + 0.5
    for sign in (1, -1):
        p = np.clip((number + sign * gap) / 2**16, 0, 1)
        with np.errstate(divide="ignore"):
            field = logit(p).astype(np.float32)
        np.testing.assert_array_equal(bernoulli(field, EveryNumberOnce(0.5)), np.full(2**16, sign > 0))


def test_a_field_of_nan_gives_0():
    np.testing.assert_array_equal(bernoulli(np.full(2**16, np.nan, np.float32), EveryNumberOnce(0.5)), np.zeros(2**16))


@pytest.mark.parametrize("kind", ["PCG64", "PCG64DXSM", "SFC64", "Philox", "MT19937"])
def test_any_generator_of_bits_draws_what_its_64_bit_numbers_say(kind):
    """MT19937 makes 32 bits at a time: taken for 64, half of its draws would come from zeros."""
    kind = getattr(np.random, kind)
    rng, twin = np.random.Generator(kind(0)), np.random.Generator(kind(0))
    draws = bernoulli(np.zeros(40_000, dtype=np.float32), rng)
    k = twin.integers(2**64 - 1, endpoint=True, size=10_000, dtype=np.uint64).view(np.uint16)
    np.testing.assert_array_equal(draws[k != 2**15], (k < 2**15)[k != 2**15])


@pytest.mark.parametrize("lag", [1, 2, 3, 4])
def test_draws_that_share_a_64_bit_number_are_independent(lag):
    draws = bernoulli(np.full(400_000, 0.5, dtype=np.float32), np.random.default_rng(0)).astype(float)
    assert abs(np.corrcoef(draws[:-lag], draws[lag:])[0, 1]) < 5 / np.sqrt(len(draws))


def test_states_in_the_order_of_fortran_are_drawn_in_their_places():
    field = np.asfortranarray(np.where(np.eye(300, 7) > 0, 1000.0, -1000.0).astype(np.float32))
    np.testing.assert_array_equal(bernoulli(field, np.random.default_rng(0)), np.eye(300, 7))
    every = np.asfortranarray(np.zeros((2**8, 2**8), dtype=np.float32))
    draws = bernoulli(every, EveryNumberOnce(0.9))
    np.testing.assert_array_equal(draws.ravel(), np.arange(2**16) < 2**15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_frequencies_are_sigmoid_of_the_field(dtype):
    n = 200_000
    draws = bernoulli(np.tile(FIELDS.astype(dtype), (n, 1)), np.random.default_rng(1))
    assert draws.dtype == dtype
    p = expit(FIELDS)
    assert chance_of_farthest(draws.mean(0, dtype=float), p, n) > UNLIKELY


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


def test_a_step_up_keeps_the_digits_that_the_sum_of_1_and_its_change_loses():
    now = np.linspace(np.log(1023), np.log(1024), 1000, dtype=np.float32)[:, None]
    log_ratio, _ = weigh_and_draw(np.full_like(now, -60), now.copy(), np.random.default_rng(0))
    np.testing.assert_allclose(log_ratio, np.logaddexp(0, now[:, 0].astype(float)), rtol=5e-7)


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
    assert chance_of_farthest(draws.mean(0, dtype=float), p, n) > UNLIKELY


@pytest.mark.parametrize("mean", [-4.0, 0.0])
def test_a_hundred_thousand_short_steps_add_up_to_the_long_one(mean):
    """Σ_k of the log ratios telescopes; a rounding error with a sign would show."""
    rng = np.random.default_rng(0)
    slope = (mean + rng.normal(size=(1, 50))).astype(np.float32)
    betas = np.linspace(0, 1, 10_001).astype(np.float32)
    total = sum(weigh_and_draw(a * slope, b * slope, rng)[0][0] for a, b in pairwise(betas))
    expected = (np.logaddexp(0, slope.astype(float)) - np.log(2)).sum()
    assert total == pytest.approx(expected, abs=1e-4)


def test_softplus_far_below_0_is_the_exponential_itself():
    np.testing.assert_allclose(softplus(np.array([-40.0, -300.0])), np.exp([-40.0, -300.0]), rtol=1e-12)
