"""Known-wrong answers to the exercises of notebook 06: each is rejected with a message about its own mistake."""

import numpy as np
import pytest

from anneal_edu.course.check import sandwich
from anneal_edu.weights import log_mean_exp


def reversal(T, p):
    return T.T * p / p[:, None]


def flow(T, p):
    return (p[:, None] * T).T


WRONG_BACKWARDS = {
    "transpose": (lambda T, p: T.T, "do not sum to 1"),
    "as it was": (lambda T, p: T + 0, "the move as it was"),
    "inverse": (lambda T, p: np.linalg.inv(T), "the inverse of the matrix"),
    "rows divided": (lambda T, p: T.T / T.T.sum(1, keepdims=True), "for a uniform p only"),
    "upside down": (lambda T, p: T.T / p * p[:, None], "upside down"),
    "flows": (flow, "these are the flows"),
    "flows of columns": (lambda T, p: flow(T, p) / p, "do not sum to 1"),
    "not turned": (lambda T, p: reversal(T, p).T, "not turned round"),
    "independent": (lambda T, p: np.tile(p, (len(p), 1)), "the flow from x' to x"),
    "lazy": (lambda T, p: (reversal(T, p) + np.eye(len(p))) / 2, "the flow from x' to x"),
    "half and half": (lambda T, p: (reversal(T, p) + T) / 2, "the flow from x' to x"),
    "nowhere": (lambda T, p: np.eye(len(p)), "the flow from x' to x"),
    "uniform": (lambda T, p: np.full(T.shape, 1 / len(p)), "does not leave p invariant"),
    "negative": (lambda T, p: 2 * reversal(T, p) - np.eye(len(p)), "negative"),
    "a row": (lambda T, p: reversal(T, p)[0], "shape"),
    "in place": (lambda T, p: np.divide(T.T * p, p[:, None], out=T), "changes the T"),
}


@pytest.mark.parametrize("mistake", WRONG_BACKWARDS)
def test_wrong_backwards(mistake):
    answer, message = WRONG_BACKWARDS[mistake]
    verdict = sandwich.backwards(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def error(q, p, ends):
    return -np.log((q / p * ends).sum())


WRONG_ERRORS = {
    "sign": (lambda q, p, ends: -error(q, p, ends), "the sign is wrong"),
    "no log": (lambda q, p, ends: (q / p * ends).sum(), "-log of it"),
    "no log, inverted": (lambda q, p, ends: np.exp(error(q, p, ends)), "take the logarithm"),
    "exchanged": (lambda q, p, ends: error(p, q, ends), "p and q have changed places"),
    "exchanged where q is above 0": (
        lambda q, p, ends: error(p, q, ends) if (q == 0).any() else error(q, p, ends),
        "do not divide by q",
    ),
    "no ends": (lambda q, p, ends: error(q, p, 1.0), "left out where forward chains end"),
    "averaged over q": (lambda q, p, ends: error(q, p, q), "averaged over q"),
    "averaged over p": (lambda q, p, ends: error(q, p, p), "foretells"),
    "no p": (lambda q, p, ends: -np.log(q @ ends), "compare with p"),
    "mean of logs": (lambda q, p, ends: (ends * np.log(p / np.maximum(q, 1e-9))).sum(), "foretells"),
    "relative entropy": (lambda q, p, ends: (p * np.log(p / np.maximum(q, 1e-9))).sum(), "foretells"),
    "relative entropy, infinite": (
        lambda q, p, ends: np.sum(q * np.log(q / p)) if (q == 0).any() else error(q, p, ends),
        "nor take its logarithm",
    ),
    "NaN": (lambda q, p, ends: np.nan * q.sum() if (q != p).any() else 0.0, "NaN or infinity"),
    "no error": (lambda q, p, ends: 0.0, "foretells"),
    "log 10": (lambda q, p, ends: error(q, p, ends) / np.log(10), "foretells"),
    "a mean": (lambda q, p, ends: -np.log((q / p * ends).mean()), "foretells"),
    "clipped": (lambda q, p, ends: max(0.0, error(q, p, ends)), "foretells"),
    "never positive": (lambda q, p, ends: min(0.0, error(q, p, ends)), "too *high*"),
    "an array": (lambda q, p, ends: -np.log(q / p * ends + 1), "shape"),
}


@pytest.mark.parametrize("mistake", WRONG_ERRORS)
def test_wrong_reverse_error(mistake):
    answer, message = WRONG_ERRORS[mistake]
    verdict = sandwich.reverse_error(answer)
    assert verdict.passed is False
    of_zero = "never positive" if mistake in ("averaged over p", "no error") else message  # their answer is always 0
    assert any(words in verdict.message for words in (message, "there is no error", of_zero)), verdict


def interval(room=lambda f, r, risk: np.log((len(f) + len(r)) / risk), low=max, high=min):
    return lambda f, r, risk: (low(f) - room(f, r, risk), high(r) + room(f, r, risk))


WRONG_INTERVALS = {
    "no room": (interval(lambda f, r, risk: 0.0), "leaves no room"),
    "inward": (interval(lambda f, r, risk: -np.log((len(f) + len(r)) / risk)), "wrong sign"),
    "one estimate": (interval(lambda f, r, risk: np.log(1 / risk)), "covers a single estimate"),
    "two estimates": (interval(lambda f, r, risk: np.log(2 / risk)), "between two estimates"),
    "forward only": (interval(lambda f, r, risk: np.log(len(f) / risk)), "between the 6 forward estimates"),
    "each side alone": (
        lambda f, r, risk: (max(f) - np.log(len(f) / risk), min(r) + np.log(len(r) / risk)),
        "between the 6 forward estimates",
    ),
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
    "mean of the Ẑ": (
        lambda f, r, risk: (log_mean_exp(f) - np.log(2 / risk), np.log(2 / risk) - log_mean_exp(np.negative(r))),
        "once for *each* estimate",
    ),
    "too narrow": (interval(lambda f, r, risk: 1.0), "are needed"),
    "too wide": (interval(lambda f, r, risk: 1.0 + np.log((len(f) + len(r)) / risk)), "wider than need be"),
    "one number": (lambda f, r, risk: 0.0, "two numbers"),
    "NaN": (lambda f, r, risk: (np.nan, 1.0), "finite"),
    "in place": (lambda f, r, risk: (f.sort(), interval()(f, r, risk))[1], "changes the f"),
}


@pytest.mark.parametrize("mistake", WRONG_INTERVALS)
def test_wrong_safe_interval(mistake):
    answer, message = WRONG_INTERVALS[mistake]
    verdict = sandwich.safe_interval(answer)
    assert verdict.passed is False
    assert message in verdict.message


def test_right_answers():
    assert sandwich.backwards(reversal).passed
    assert sandwich.backwards(lambda T, p: np.linalg.solve(np.diag(p), T.T @ np.diag(p))).passed
    assert sandwich.reverse_error(error).passed
    assert sandwich.reverse_error(lambda q, p, ends: -np.log(ends @ (q / p))).passed
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


@pytest.mark.parametrize("check", [sandwich.backwards, sandwich.reverse_error, sandwich.safe_interval])
def test_untouched_stub(check):
    assert check(lambda *given: ...).passed is None
