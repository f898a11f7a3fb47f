"""Known-wrong answers to the exercises of notebook 02: each is rejected with a message about its own mistake."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.check import two_paths


def covariance(stretch):
    def answer(m0, c0, m1, c1, b):
        return (1 - b) * c0 + b * c1 + stretch(m1 - m0, b)

    return answer


def second_moment(m0, c0, m1, c1, b):
    mean = (1 - b) * m0 + b * m1
    return covariance(lambda gap, b: b * (1 - b) * np.outer(gap, gap))(m0, c0, m1, c1, b) + np.outer(mean, mean)


def by_precisions(m0, c0, m1, c1, b):
    return np.linalg.inv((1 - b) * np.linalg.inv(c0) + b * np.linalg.inv(c1))


def right_covariance(m0, c0, m1, c1, b):
    return covariance(lambda gap, b: b * (1 - b) * np.outer(gap, gap))(m0, c0, m1, c1, b)


WRONG_COVARIANCES = {
    "no outer product": (covariance(lambda gap, b: 0), "outer product of the gap μ₁ - μ₀ is missing"),
    "no fading": (covariance(lambda gap, b: np.outer(gap, gap)), "multiply it by β(1 - β)"),
    "β alone": (covariance(lambda gap, b: b * np.outer(gap, gap)), "its factor at β = 0.3 is 0.3"),
    "dot product": (covariance(lambda gap, b: b * (1 - b) * gap @ gap), "is a matrix"),
    "squares on the diagonal": (covariance(lambda gap, b: b * (1 - b) * np.diag(gap**2)), "along the gap"),
    "second moment": (second_moment, "subtract the outer product of the averaged mean"),
    "swapped β": (lambda m0, c0, m1, c1, b: right_covariance(m0, c0, m1, c1, 1 - b), "changed places"),
    "geometric": (by_precisions, "covariance of the geometric path"),
    "a scalar": (lambda *given: 1.0, "shape ()"),
    "an identity": (lambda *given: np.eye(3), "E[x xᵀ] - E[x] E[x]ᵀ"),
    "NaN": (lambda *given: np.full((3, 3), np.nan), "NaN"),
    "asymmetric": (lambda *given: np.arange(9.0).reshape(3, 3), "symmetric"),
    "raises": (lambda *given: 1 / 0, "ZeroDivisionError"),
}


@pytest.mark.parametrize("mistake", WRONG_COVARIANCES)
def test_wrong_moment_covariance(mistake):
    answer, message = WRONG_COVARIANCES[mistake]
    verdict = two_paths.moment_covariance(answer)
    assert verdict.passed is False
    assert message in verdict.message


def geometric(m0, c0, m1, c1, b):
    precision = (1 - b) * np.linalg.inv(c0) + b * np.linalg.inv(c1)
    eta = (1 - b) * np.linalg.inv(c0) @ m0 + b * np.linalg.inv(c1) @ m1
    return np.linalg.solve(precision, eta), np.linalg.inv(precision)


def straight(m0, m1, b):
    return (1 - b) * m0 + b * m1


WRONG_GEOMETRIC = {
    "averaged covariances": (
        lambda m0, c0, m1, c1, b: (straight(m0, m1, b), straight(c0, c1, b)),
        "average the precisions, then invert",
    ),
    "straight mean": (
        lambda m0, c0, m1, c1, b: (straight(m0, m1, b), geometric(m0, c0, m1, c1, b)[1]),
        "not on the straight line",
    ),
    "moment path": (
        lambda m0, c0, m1, c1, b: (straight(m0, m1, b), right_covariance(m0, c0, m1, c1, b)),
        "this is the moment path",
    ),
    "precision": (
        lambda m0, c0, m1, c1, b: (
            geometric(m0, c0, m1, c1, b)[0],
            np.linalg.inv(geometric(m0, c0, m1, c1, b)[1]),
        ),
        "averaged precision",
    ),
    "η for the mean": (
        lambda m0, c0, m1, c1, b: (
            straight(np.linalg.inv(c0) @ m0, np.linalg.inv(c1) @ m1, b),
            geometric(m0, c0, m1, c1, b)[1],
        ),
        "your mean is the averaged Σ⁻¹μ",
    ),
    "swapped β": (lambda m0, c0, m1, c1, b: geometric(m0, c0, m1, c1, 1 - b), "changed places"),
    "one thing": (lambda m0, c0, m1, c1, b: geometric(m0, c0, m1, c1, b)[0], "return two things"),
    "wrong shape": (lambda m0, c0, m1, c1, b: (m0, m1), "the covariance has shape (3,)"),
    "no covariance": (lambda m0, c0, m1, c1, b: (m0, -c0), "no covariance"),
    "the start for ever": (lambda m0, c0, m1, c1, b: (m0, c0), "differ by a constant"),
}


@pytest.mark.parametrize("mistake", WRONG_GEOMETRIC)
def test_wrong_geometric_gaussian(mistake):
    answer, message = WRONG_GEOMETRIC[mistake]
    verdict = two_paths.geometric_gaussian(answer)
    assert verdict.passed is False
    assert message in verdict.message


def share_of_heaviest(lw, n):
    w = np.sort(np.exp(lw - lw.max()))
    return w[-n:].sum() / w.sum()


def judge(lw):
    return ae.log_mean_exp(lw), share_of_heaviest(lw, len(lw) // 100)


def overflowing(lw):
    w = np.sort(np.exp(lw))
    return np.log(w.mean()), w[-len(w) // 100 :].sum() / w.sum()


def changing(lw):
    lw.sort()
    return judge(lw)


WRONG_JUDGEMENTS = {
    "mean of log": (lambda lw: (lw.mean(), judge(lw)[1]), "Jensen"),
    "log of sum": (lambda lw: (judge(lw)[0] + np.log(len(lw)), judge(lw)[1]), "log of the sum"),
    "no logarithm": (lambda lw: (np.exp(judge(lw)[0]), judge(lw)[1]), "return its logarithm"),
    "top not added back": (lambda lw: (judge(lw)[0] - lw.max(), judge(lw)[1]), "did not add it back"),
    "another number": (lambda lw: (judge(lw)[0] + 1, judge(lw)[1]), "the log of the mean weight; you return"),
    "overflow": (overflowing, "subtract the largest"),
    "per cent": (lambda lw: (judge(lw)[0], 100 * judge(lw)[1]), "not in per cent"),
    "lightest": (
        lambda lw: (judge(lw)[0], np.sort(np.exp(lw))[: len(lw) // 100].sum() / np.exp(lw).sum()),
        "sort the other way",
    ),
    "log weights added": (
        lambda lw: (judge(lw)[0], np.sort(lw)[-(len(lw) // 100) :].sum() / lw.sum()),
        "you added log weights",
    ),
    "a single chain": (lambda lw: (judge(lw)[0], share_of_heaviest(lw, 1)), "single heaviest chain"),
    "ten per cent": (lambda lw: (judge(lw)[0], share_of_heaviest(lw, len(lw) // 10)), "the heaviest 10 of 1000"),
    "one number": (lambda lw: judge(lw)[0], "return two numbers"),
    "changes its input": (changing, "changes the"),
}


@pytest.mark.parametrize("mistake", WRONG_JUDGEMENTS)
def test_wrong_judgement(mistake):
    answer, message = WRONG_JUDGEMENTS[mistake]
    verdict = two_paths.judge_weights(answer)
    assert verdict.passed is False
    assert message in verdict.message


def test_right_answers():
    assert two_paths.moment_covariance(right_covariance).passed
    assert two_paths.geometric_gaussian(geometric).passed
    assert two_paths.judge_weights(judge).passed


@pytest.mark.parametrize(
    "check", [two_paths.moment_covariance, two_paths.geometric_gaussian, two_paths.judge_weights]
)
def test_untouched_stub(check):
    assert check(lambda *given: ...).passed is None
