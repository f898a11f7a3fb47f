"""Known-wrong answers to the exercises of notebook 05: each is rejected with a message about its own mistake."""

import numpy as np
import pytest

from anneal_edu.course.check import splines


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def moments(given=lambda h, W, b: sigmoid(h @ W.T + b), mean=lambda p, x: p @ x, product=None):
    """The moments, with chosen faults."""

    def answer(h, p, W, b):
        v = given(h, W, b)
        together = (v * p[:, None]).T @ h if product is None else product(v, h, p)
        return mean(p, v), p @ h, together

    return answer


WRONG_MOMENTS = {
    "independent": (moments(product=lambda v, h, p: np.outer(p @ v, p @ h)), "independent layers"),
    "transposed": (moments(product=lambda v, h, p: h.T @ (v * p[:, None])), "transposed"),
    "product without p": (moments(product=lambda v, h, p: v.T @ h), "p_h are missing"),
    "product halved": (moments(product=lambda v, h, p: 0.5 * (v * p[:, None]).T @ h), "Σ_h p(h) p(v_i = 1 | h) h_j"),
    "no sigmoid": (moments(given=lambda h, W, b: h @ W.T + b), "average the probabilities"),
    "no bias": (moments(given=lambda h, W, b: sigmoid(h @ W.T)), "visible biases are missing"),
    "unweighted v": (moments(mean=lambda p, x: x.mean(0)), "E v is wrong: you averaged over the states as if"),
    "summed v": (moments(mean=lambda p, x: x.sum(0)), "E v is wrong: you summed over the states without"),
    "something else": (moments(mean=lambda p, x: p @ x / 2), "sigmoid inside the sum"),
    "mean field": (
        lambda h, p, W, b: (sigmoid(p @ h @ W.T + b), p @ h, (sigmoid(h @ W.T + b) * p[:, None]).T @ h),
        "sigmoid of the mean",
    ),
    "unweighted h": (lambda h, p, W, b: (np.zeros(4), h.mean(0), np.zeros((4, 3))), "E h is wrong: you averaged"),
    "summed h": (lambda h, p, W, b: (np.zeros(4), h.sum(0), np.zeros((4, 3))), "E h is wrong: you summed"),
    "other h": (lambda h, p, W, b: (np.zeros(4), np.zeros(3), np.zeros((4, 3))), "E h is wrong: it is"),
    "one array": (lambda h, p, W, b: p @ h, "return three arrays"),
    "wrong shape": (lambda h, p, W, b: (p @ h, p @ h, p @ h), "shape (3,)"),
    "NaN": (lambda h, p, W, b: (np.full(4, np.nan), p @ h, np.zeros((4, 3))), "NaN"),
}


@pytest.mark.parametrize("mistake", WRONG_MOMENTS)
def test_wrong_moments(mistake):
    answer, message = WRONG_MOMENTS[mistake]
    verdict = splines.moments(answer)
    assert verdict.passed is False
    assert message in verdict.message


def test_right_moments():
    assert splines.moments(moments()).passed


def step(change):
    return lambda eta, target, model, rate: [
        change(p, s, m, rate) for p, s, m in zip(eta, target, model, strict=True)
    ]


WRONG_STEP = {
    "downhill": (step(lambda p, s, m, rate: p - rate * (s - m)), "downhill"),
    "model minus target": (step(lambda p, s, m, rate: p + rate * (m - s)), "downhill"),
    "moments as parameters": (step(lambda p, s, m, rate: s), "different coordinates"),
    "direction alone": (step(lambda p, s, m, rate: s - m), "direction alone"),
    "step alone": (step(lambda p, s, m, rate: rate * (s - m)), "step alone"),
    "no rate": (step(lambda p, s, m, rate: p + s - m), "rate is missing"),
    "no model": (step(lambda p, s, m, rate: p + rate * s), "target's moments alone"),
    "parameters for moments": (step(lambda p, s, m, rate: p + rate * (s - p)), "with the *parameters*"),
    "still": (step(lambda p, s, m, rate: p), "nothing moved"),
    "weights alone": (lambda eta, s, m, rate: (eta[0], eta[1], eta[2] + rate * (s[2] - m[2])), "visible_bias did not"),
    "biases alone": (
        lambda eta, s, m, rate: (eta[0] + rate * (s[0] - m[0]), eta[1] + rate * (s[1] - m[1]), eta[2]),
        "weights did not",
    ),
    "signs": (step(lambda p, s, m, rate: p + rate * np.sign(s - m)), "after 100 steps"),
    "twice": (step(lambda p, s, m, rate: p + 2 * rate * (s - m)), "does not move by"),
    "drift": (step(lambda p, s, m, rate: 0.999 * p + rate * (s - m)), "still moves"),
    "two arrays": (lambda eta, s, m, rate: eta[:2], "three arrays"),
    "transposed": (lambda eta, s, m, rate: (eta[0], eta[1], eta[2].T), "transposed"),
}


@pytest.mark.parametrize("mistake", WRONG_STEP)
def test_wrong_step(mistake):
    answer, message = WRONG_STEP[mistake]
    verdict = splines.ascent(answer)
    assert verdict.passed is False
    assert message in verdict.message


def test_right_step():
    assert splines.ascent(step(lambda p, s, m, rate: p + rate * (s - m))).passed


def segment_of(beta, betas):
    return min(int(np.searchsorted(betas, beta, side="right")), len(betas) - 1) - 1


def located(local, shift=0):
    def answer(beta, betas):
        j = segment_of(beta, betas)
        return j + shift, local(beta, betas[j], betas[j + 1])

    return answer


def right_local(beta, low, high):
    return (beta - low) / (high - low)


WRONG_LOCATION = {
    "off by one": (located(right_local, shift=1), "off by one"),
    "one too few": (located(right_local, shift=-1), "lies in segment"),
    "not rescaled": (located(lambda beta, low, high: beta), "missing its rescaling"),
    "not divided": (located(lambda beta, low, high: beta - low), "not divided"),
    "backwards": (located(lambda beta, low, high: (high - beta) / (high - low)), "runs backwards"),
    "from zero": (located(lambda beta, low, high: beta / high), "does not start"),
    "something else": (located(lambda beta, low, high: right_local(beta, low, high) ** 2), "local position is"),
    "even knots": (
        lambda beta, betas: (int(beta * (len(betas) - 1)), beta * (len(betas) - 1) % 1),
        "evenly spaced knots, and these are not",
    ),
    "the end": (
        lambda beta, betas: (len(betas) - 1, 0.0) if beta == 1 else located(right_local)(beta, betas),
        "your segment is 4",
    ),
    "the start": (
        lambda beta, betas: (-1, 1.0) if beta == 0 else located(right_local)(beta, betas),
        "your segment is -1",
    ),
    "wrong at the end": (
        lambda beta, betas: (3, 0.0) if beta == 1 else located(right_local)(beta, betas),
        "lead to 0.9",
    ),
    "one number": (lambda beta, betas: beta, "two things"),
    "a fraction": (lambda beta, betas: (0.5, 0.5), "whole number"),
    "NaN": (lambda beta, betas: (0, np.nan), "finite"),
}


@pytest.mark.parametrize("mistake", WRONG_LOCATION)
def test_wrong_location(mistake):
    answer, message = WRONG_LOCATION[mistake]
    verdict = splines.locate(answer)
    assert verdict.passed is False
    assert message in verdict.message


def test_right_location():
    assert splines.locate(located(right_local)).passed
    left = lambda beta, betas: (  # noqa: E731
        max(int(np.searchsorted(betas, beta)) - 1, 0),
        float(np.interp(beta, betas, np.arange(len(betas)))) - max(int(np.searchsorted(betas, beta)) - 1, 0),
    )
    assert splines.locate(left).passed  # a knot may be the right end of the segment before it


@pytest.mark.parametrize("check", [splines.moments, splines.ascent, splines.locate])
def test_untouched_stub(check):
    for stub in (..., lambda *given: ...):
        verdict = check(stub)
        assert verdict.passed is None
        assert "not attempted yet" in verdict.message
