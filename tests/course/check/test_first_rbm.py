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


def draw(p, rng):
    return (rng.random(p.shape) < p).astype(float)


def step(draw_h=draw, draw_v=draw, use_v=1, use_b=1, use_c=1):
    """A Gibbs step with chosen faults."""

    def answer(v, W, b, c, rng):
        h = draw_h(sigmoid(use_v * (v @ W) + use_c * c), rng)
        return draw_v(sigmoid(h @ W.T + use_b * b), rng)

    return answer


def the_other_way(p, rng):
    return (rng.random(p.shape) > p).astype(float)


def shared(p, rng):
    return (rng.random(p.shape[1]) < p).astype(float)


WRONG_STEP = {
    "h as probabilities": (step(draw_h=lambda p, rng: p), "*probabilities* of h"),
    "v as probabilities": (step(draw_v=lambda p, rng: p), "not probabilities"),
    "h rounded": (step(draw_h=lambda p, rng: np.round(p)), "rounded p(h | v)"),
    "v rounded": (step(draw_v=lambda p, rng: np.round(p)), "rounded p(v | h)"),
    "h from nowhere": (step(draw_h=lambda p, rng: draw(np.full_like(p, 0.5), rng)), "does not depend on the old one"),
    "v from an old h": (
        lambda v, W, b, c, rng: draw(sigmoid(draw(sigmoid(c + 0 * (v @ W)), rng) @ W.T + b), rng),
        "does not depend on the old one",
    ),
    "no hidden bias": (step(use_c=0), "hidden biases are missing"),
    "no visible bias": (step(use_b=0), "visible biases are missing"),
    "h turned": (step(draw_h=the_other_way), "h is 1 with probability 1 - p"),
    "v turned": (step(draw_v=the_other_way), "v is 1 with probability 1 - p"),
    "both turned": (step(draw_h=the_other_way, draw_v=the_other_way), "both comparisons"),
    "shared numbers": (step(draw_h=shared, draw_v=shared), "random numbers of its own"),
    "no step": (lambda v, W, b, c, rng: v, "nothing moved"),
    "only h": (lambda v, W, b, c, rng: draw(sigmoid(v @ W + c), rng), "shape"),
    "own randomness": (lambda v, W, b, c, rng: step()(v, W, b, c, np.random.default_rng()), "two different answers"),
    "twice the weights": (lambda v, W, b, c, rng: step()(v, 2 * W, b, c, rng), "do not stay exact draws"),
}


@pytest.mark.parametrize("mistake", WRONG_STEP)
def test_wrong_step(mistake):
    answer, message = WRONG_STEP[mistake]
    verdict = first_rbm.gibbs_step(answer)
    assert verdict.passed is False
    assert message in verdict.message


def test_right_step():
    assert first_rbm.gibbs_step(step()).passed
    assert first_rbm.gibbs_step(lambda v, W, b, c, rng: ae.gibbs(ae.BinaryRBM(W, b, c), v, rng)).passed


@pytest.mark.parametrize("check", [first_rbm.log_f, first_rbm.base_rate_log_z, first_rbm.gibbs_step])
def test_untouched_stub(check):
    for stub in (..., lambda *given: ...):
        verdict = check(stub)
        assert verdict.passed is None
        assert "not attempted yet" in verdict.message
