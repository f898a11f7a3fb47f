"""Known-wrong answers to the exercises of notebook 06: each is rejected with a message about its own mistake."""

import numpy as np
import pytest
from scipy.special import expit

import anneal_edu as ae
from anneal_edu.course.check import sandwich


def right_log_z(lw):
    top = (-lw).max()
    return -(top + np.log(np.mean(np.exp(-lw - top))))


WRONG_LOG_Z = {
    "mean of w": (lambda lw: ae.log_mean_exp(lw), "mean of w"),
    "naive mean of w": (lambda lw: np.log(np.mean(np.exp(lw))), "mean of w"),
    "sign": (lambda lw: ae.log_mean_exp(-lw), "turn the sign"),
    "outer sign only": (lambda lw: -ae.log_mean_exp(lw), "missing inside"),
    "mean of logs": (lambda lw: lw.mean(), "mean of log w"),
    "no log": (lambda lw: 1 / np.mean(np.exp(-lw)), "return its logarithm"),
    "sum": (lambda lw: right_log_z(lw) - np.log(len(lw)), "log of the sum"),
    "smallest": (lambda lw: lw.min(), "smallest log weight"),
    "overflow": (lambda lw: -np.log(np.mean(np.exp(-lw))), "not finite"),
    "forgot the shift": (lambda lw: right_log_z(lw) - lw.min(), "put it back"),
    "shift with the wrong sign": (lambda lw: right_log_z(lw - lw.min()) - lw.min(), "put it back"),
    "in place": (lambda lw: np.negative(lw, out=lw).mean(), "changes the lw"),
    "two numbers": (lambda lw: (0.0, 1.0), "one number"),
    "something else": (lambda lw: right_log_z(lw) + 0.3, "should be"),
}


@pytest.mark.parametrize("mistake", WRONG_LOG_Z)
def test_wrong_reverse_log_z(mistake):
    answer, message = WRONG_LOG_Z[mistake]
    verdict = sandwich.reverse_log_z(answer)
    assert verdict.passed is False
    assert message in verdict.message


def right_moments(v, W, c):
    p = expit(v @ W + c)
    return v.mean(0), p.mean(0), v.T @ p / len(v)


RNG = np.random.default_rng(0)


def drawn(v, W, c):
    p = expit(v @ W + c)
    h = (RNG.random(p.shape) < p).astype(float)
    return v.mean(0), h.mean(0), v.T @ h / len(v)


def with_part(i, part):
    """The right moments with part i replaced."""

    def answer(v, W, c):
        three = list(right_moments(v, W, c))
        three[i] = part(v, W, c)
        return tuple(three)

    return answer


WRONG_MOMENTS = {
    "drawn": (drawn, "you drew h"),
    "no biases": (with_part(1, lambda v, W, c: expit(v @ W).mean(0)), "hidden biases are missing"),
    "mean image": (with_part(1, lambda v, W, c: expit(v.mean(0) @ W + c)), "mean image into σ"),
    "rounded": (with_part(1, lambda v, W, c: (v @ W + c > 0).mean(0)), "rounded p(h | v)"),
    "field": (with_part(1, lambda v, W, c: (v @ W + c).mean(0)), "go through σ"),
    "half": (with_part(1, lambda v, W, c: np.full(len(c), 0.5)), "E h = ½"),
    "other h": (with_part(1, lambda v, W, c: expit(c)), "E h should be"),
    "sums of h": (with_part(1, lambda v, W, c: expit(v @ W + c).sum(0)), "divide by their number"),
    "sums of v": (with_part(0, lambda v, W, c: v.sum(0)), "divide by their number"),
    "other v": (with_part(0, lambda v, W, c: 0.5 + 0 * v.mean(0)), "mean image"),
    "product of means": (
        with_part(2, lambda v, W, c: np.outer(v.mean(0), expit(v @ W + c).mean(0))),
        "not the product of the means",
    ),
    "sums of products": (with_part(2, lambda v, W, c: v.T @ expit(v @ W + c)), "divide by their number"),
    "rounded products": (with_part(2, lambda v, W, c: v.T @ (v @ W + c > 0) / len(v)), "in E v hᵀ you rounded"),
    "transposed": (with_part(2, lambda v, W, c: right_moments(v, W, c)[2].T), "E v hᵀ has shape (3, 5)"),
    "two parts": (lambda v, W, c: right_moments(v, W, c)[:2], "three arrays"),
    "NaN": (with_part(2, lambda v, W, c: np.nan * W), "NaN"),
    "other products": (with_part(2, lambda v, W, c: 0 * W), "should be the mean over"),
}


@pytest.mark.parametrize("mistake", WRONG_MOMENTS)
def test_wrong_cheap_moments(mistake):
    answer, message = WRONG_MOMENTS[mistake]
    verdict = sandwich.cheap_moments(answer)
    assert verdict.passed is False
    assert message in verdict.message


def interval(room=lambda f, r, risk: np.log((len(f) + len(r)) / risk), low=max, high=min):
    return lambda f, r, risk: (low(f) - room(f, r, risk), high(r) + room(f, r, risk))


WRONG_INTERVALS = {
    "no room": (interval(lambda f, r, risk: 0.0), "leaves no room"),
    "inward": (interval(lambda f, r, risk: -np.log((len(f) + len(r)) / risk)), "wrong sign"),
    "one estimate": (interval(lambda f, r, risk: np.log(1 / risk)), "covers a single estimate"),
    "two estimates": (interval(lambda f, r, risk: np.log(2 / risk)), "between two estimates"),
    "forward only": (interval(lambda f, r, risk: np.log(len(f) / risk)), ""),
    "no log": (interval(lambda f, r, risk: (len(f) + len(r)) / risk), "belongs to Ẑ"),
    "no log, no share": (interval(lambda f, r, risk: 1 / risk), "belongs to Ẑ"),
    "log10": (interval(lambda f, r, risk: np.log10((len(f) + len(r)) / risk)), "natural logarithm"),
    "normal": (interval(lambda f, r, risk: 1.96), "1.96"),
    "smallest forward": (interval(low=min), "you took the smallest"),
    "mean forward": (interval(low=np.mean), "averaged the forward"),
    "largest reverse": (interval(high=max), "you took the largest"),
    "mean reverse": (interval(high=np.mean), "averaged the reverse"),
    "swapped": (lambda f, r, risk: interval()(f, r, risk)[::-1], "changed places"),
    "sorted": (lambda f, r, risk: tuple(sorted(interval()(f, r, risk))), "changed places"),
    "too narrow": (interval(lambda f, r, risk: 1.0), "are needed"),
    "too wide": (interval(lambda f, r, risk: 1.0 + np.log((len(f) + len(r)) / risk)), "wider than need be"),
    "one number": (lambda f, r, risk: 0.0, "two numbers"),
    "NaN": (lambda f, r, risk: (np.nan, 1.0), "finite"),
}


@pytest.mark.parametrize("mistake", WRONG_INTERVALS)
def test_wrong_safe_interval(mistake):
    answer, message = WRONG_INTERVALS[mistake]
    verdict = sandwich.safe_interval(answer)
    assert verdict.passed is False
    assert message in verdict.message


def test_right_answers():
    assert sandwich.reverse_log_z(right_log_z).passed
    assert sandwich.reverse_log_z(lambda lw: -ae.log_mean_exp(-lw)).passed
    assert sandwich.cheap_moments(right_moments).passed
    assert sandwich.cheap_moments(lambda v, W, c: ae.data_moments(ae.BinaryRBM(W, np.zeros(len(W)), c), v)).passed
    assert sandwich.safe_interval(interval()).passed
    assert sandwich.safe_interval(lambda f, r, risk: np.array(interval()(f, r, risk))).passed


def test_the_safe_interval_is_safe_where_markov_is_tight():
    """Ẑ = a Z with probability 1/a, else 0: no smaller room would keep the promise."""
    rng, risk, m = np.random.default_rng(0), 0.2, 4
    a = m / risk
    log_z = np.where(rng.random((20_000, 2 * m)) < 1 / a, np.log(a) - 1e-9, -50.0)
    forward, reverse = log_z[:, : m // 2], -log_z[:, m // 2 : m]
    ends = np.array([interval()(list(f), list(r), risk) for f, r in zip(forward, reverse, strict=True)])
    missed = ((ends[:, 0] > 0) | (ends[:, 1] < 0)).mean()
    assert missed <= risk
    narrower = ((ends[:, 0] + 0.1 > 0) | (ends[:, 1] - 0.1 < 0)).mean()
    assert narrower > 0.15


@pytest.mark.parametrize("check", [sandwich.reverse_log_z, sandwich.cheap_moments, sandwich.safe_interval])
def test_untouched_stub(check):
    assert check(lambda *given: ...).passed is None
