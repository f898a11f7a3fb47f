"""Known-wrong answers to the exercises of notebook 04: each is rejected with a message about its own mistake."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.check import first_rbm


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def softplus(a):
    return np.logaddexp(0, a)


def field(v, W, c):
    return v @ W + c


WRONG_LOG_F = {
    "no visible bias": (lambda v, W, b, c: softplus(field(v, W, c)).sum(-1), "visible biases are missing"),
    "no hidden bias": (lambda v, W, b, c: v @ b + softplus(v @ W).sum(-1), "hidden biases are missing"),
    "mean field": (
        lambda v, W, b, c: v @ b + (sigmoid(field(v, W, c)) * field(v, W, c)).sum(-1),
        "mean of exp is not exp of the mean",
    ),
    "best h": (lambda v, W, b, c: v @ b + np.maximum(0, field(v, W, c)).sum(-1), "Both count"),
    "h all one": (lambda v, W, b, c: v @ b + field(v, W, c).sum(-1), "every hidden unit to 1"),
    "log sigmoid": (lambda v, W, b, c: v @ b + np.log(sigmoid(field(v, W, c))).sum(-1), "log of the sigmoid"),
    "not the log": (lambda v, W, b, c: np.exp(v @ b) * (1 + np.exp(field(v, W, c))).prod(-1), "wanted is its log"),
    "free energy": (lambda v, W, b, c: -(v @ b) - softplus(field(v, W, c)).sum(-1), "free energy"),
    "sign": (lambda v, W, b, c: v @ b + softplus(c - v @ W).sum(-1), "sign of the weights"),
    "overflow": (lambda v, W, b, c: v @ b + np.log(1 + np.exp(field(v, W, c))).sum(-1), "overflows above 709"),
    "a field cut off": (
        lambda v, W, b, c: v @ b + np.log1p(np.exp(np.clip(field(v, W, c), -30, 30))).sum(-1),
        "a field that was cut off",
    ),
    "normalised": (
        lambda v, W, b, c: ae.BinaryRBM(W, b, c).log_density(v) - ae.BinaryRBM(W, b, c).log_z(),
        "without log Z",
    ),
    "summed over chains": (lambda v, W, b, c: (v @ b).sum() + softplus(field(v, W, c)).sum(), "one number a row"),
    "not summed": (lambda v, W, b, c: softplus(field(v, W, c)), "sum their logarithms"),
    "something else": (lambda v, W, b, c: 2 * (v @ b) + softplus(field(v, W, c)).sum(-1), "times Z"),
    "NaN": (lambda v, W, b, c: np.full(len(v), np.nan), "NaN"),
}


@pytest.mark.parametrize("mistake", WRONG_LOG_F)
def test_wrong_log_f(mistake):
    answer, message = WRONG_LOG_F[mistake]
    verdict = first_rbm.log_f(answer)
    assert verdict.passed is False
    assert message in verdict.message


def test_right_log_f():
    assert first_rbm.log_f(lambda v, W, b, c: v @ b + softplus(v @ W + c).sum(-1)).passed


LOG_2 = np.log(2)
WRONG_LOG_Z = {
    "no hidden units": (lambda b, H: softplus(b).sum(), "H · log 2 is missing"),
    "one factor 2": (lambda b, H: softplus(b).sum() + LOG_2, "each of the H doubles it"),
    "H": (lambda b, H: softplus(b).sum() + H, "not by 1"),
    "log H": (lambda b, H: softplus(b).sum() + np.log(H), "2^H states"),
    "uniform": (lambda b, H: (len(b) + H) * LOG_2, "uniform RBM"),
    "bias alone": (lambda b, H: b.sum() + H * LOG_2, "two states"),
    "minus": (lambda b, H: softplus(b).sum() - H * LOG_2, "sign is wrong"),
    "bits": (lambda b, H: np.log2(1 + np.exp(b)).sum() + H, "bits"),
    "Z": (lambda b, H: np.exp(softplus(b).sum() + H * LOG_2), "this is Z"),
    "a vector": (lambda b, H: softplus(b) + H * LOG_2, "one finite number"),
    "something else": (lambda b, H: softplus(-b).sum() + H * LOG_2, "factorises"),
    "2^H": (lambda b, H: softplus(b).sum() + np.log(np.exp2(float(H))), "2,000 hidden units"),
    "overflow": (lambda b, H: float(np.log(1 + np.exp(np.minimum(b, 709.0))).sum() + H * LOG_2), "overflow"),
}


@pytest.mark.parametrize("mistake", WRONG_LOG_Z)
def test_wrong_log_z(mistake):
    answer, message = WRONG_LOG_Z[mistake]
    verdict = first_rbm.base_rate_log_z(answer)
    assert verdict.passed is False
    assert message in verdict.message


def test_right_log_z():
    assert first_rbm.base_rate_log_z(lambda b, H: softplus(b).sum() + H * LOG_2).passed
    assert first_rbm.base_rate_log_z(lambda b, H: np.float32(softplus(b).sum() + H * LOG_2)).passed


def shares_off(step, rbm, rng, n_steps=10, n=20_000):
    v, states = rbm.sample(n, rng), ae.binary_states(rbm.dim)
    for _ in range(n_steps):
        v = step(v, rng)
    p = np.exp(rbm.log_density(states) - rbm.log_z())
    return 0.5 * abs(np.array([(v == state).all(1).mean() for state in states]) - p).sum()


def means_alone(step, rbm, rng):
    v = rbm.sample(20_000, rng)
    before = v.mean(0)
    for _ in range(10):
        v = step(v, rng)
    return bool(abs(v.mean(0) - before).max() < 0.015)


def moves(step, rbm, rng):
    v = rbm.sample(100, rng)
    return bool((step(v, rng) != v).any() and shares_off(step, rbm, rng) < 0.03)


WRONG_JUDGES = {
    "all sound": (lambda step, rbm, rng: True, "forgets the hidden biases"),
    "none sound": (lambda step, rbm, rng: False, "not sound, and it is: it is the Gibbs step"),
    "means": (means_alone, "compare whole states, not means"),
    "one step": (lambda *given: shares_off(*given, n_steps=1) < 0.03, "take several steps"),
    "must move": (moves, "explores nothing, and is sound"),
    "a distance": (lambda *given: float(shares_off(*given)), "return True or False"),
}


@pytest.mark.parametrize("mistake", WRONG_JUDGES)
def test_wrong_is_sound(mistake):
    answer, message = WRONG_JUDGES[mistake]
    verdict = first_rbm.is_sound(answer)
    assert verdict.passed is False
    assert message in verdict.message


def test_right_is_sound():
    assert first_rbm.is_sound(lambda *given: shares_off(*given) < 0.03).passed


@pytest.mark.parametrize("name", first_rbm._STEPS)
def test_each_step_is_as_sound_as_the_check_says_and_shows_it(name):
    step, sound, _ = first_rbm._STEPS[name]
    off = shares_off(first_rbm._handed_out(step), first_rbm._STRONG_RBM, np.random.default_rng(3))
    assert off < 0.02 if sound else off > 0.045


@pytest.mark.parametrize("check", [first_rbm.log_f, first_rbm.base_rate_log_z, first_rbm.is_sound])
def test_untouched_stub(check):
    for stub in (..., lambda *given: ...):
        verdict = check(stub)
        assert verdict.passed is None
        assert "not attempted yet" in verdict.message
