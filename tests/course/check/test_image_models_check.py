"""Known-wrong answers to the exercises of notebook 09: each is rejected with a message about its own mistake."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.check import image_models


def foretold(bias=lambda r, C, N: -r / (2 * C), bar=lambda r, C, N: np.sqrt(r / (C * N))):
    return lambda r, C, N: (bias(r, C, N), bar(r, C, N))


WRONG_BIAS = {
    "too high": (foretold(lambda r, C, N: r / (2 * C)), "too *low*"),
    "no half": (foretold(lambda r, C, N: -r / C), "the bias is half of that"),
    "averaged by root N": (foretold(lambda r, C, N: -r / (2 * C) / np.sqrt(N)), "no √N makes it smaller"),
    "averaged by N": (foretold(lambda r, C, N: -r / (2 * C * N)), "no N makes it smaller"),
    "one chain": (foretold(lambda r, C, N: -r / 2), "of a single chain"),
    "not squared": (foretold(lambda r, C, N: -np.sqrt(r / C) / 2), "*square* of a patch's error"),
    "none": (foretold(lambda r, C, N: 0.0), "should be about"),
    "a twentieth too much": (foretold(lambda r, C, N: -1.05 * r / (2 * C)), "4 patches: the bias"),
    "a bar a twentieth too long": (foretold(bar=lambda r, C, N: 1.05 * np.sqrt(r / (C * N))), "4 patches: the bar"),
    "another power": (foretold(lambda r, C, N: -(r**2) / (2 * C)), "the bias should be about"),
    "bar of a patch": (foretold(bar=lambda r, C, N: np.sqrt(r / C)), "of a single patch"),
    "bar by N": (foretold(bar=lambda r, C, N: np.sqrt(r / C) / N), "not with N"),
    "bar squared": (foretold(bar=lambda r, C, N: r / (C * N)), "square of the bar"),
    "bar of a chain": (foretold(bar=lambda r, C, N: np.sqrt(r / N)), "a single chain a patch"),
    "bar by C": (foretold(bar=lambda r, C, N: np.sqrt(r / N) / C), "falls with √C, too"),
    "bar with a factor": (foretold(bar=lambda r, C, N: 2 * np.sqrt(r / (C * N))), "the bar should be about"),
    "exchanged": (lambda r, C, N: foretold()(r, C, N)[::-1], "the bias first"),
    "bar by N - 1": (foretold(bar=lambda r, C, N: np.sqrt(r / (C * (N - 1)))), "the bar should be about"),
    "C - 1": (foretold(lambda r, C, N: -r / (2 * (C - 1))), "C, not C - 1"),
    "bar by C - 1": (foretold(bar=lambda r, C, N: np.sqrt(r / ((C - 1) * N))), "C, not C - 1"),
    "C + 1": (foretold(lambda r, C, N: -r / (2 * (C + 1))), "5 chains, 100 patches: the bias"),
    "one": (lambda r, C, N: -r / (2 * C), "two numbers"),
    "NaN": (foretold(lambda r, C, N: np.nan), "NaN"),
}


@pytest.mark.parametrize("mistake", WRONG_BIAS)
def test_wrong_bias(mistake):
    answer, message = WRONG_BIAS[mistake]
    verdict = image_models.bias_and_bar(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_bias():
    assert image_models.bias_and_bar(foretold()).passed
    lognormal = foretold(lambda r, C, N: -np.log1p(r / C) / 2, lambda r, C, N: np.sqrt(np.log1p(r / C) / N))
    assert image_models.bias_and_bar(lognormal).passed
    assert image_models.bias_and_bar(lambda *given: np.array(foretold()(*given))).passed


def right_error(a, b):
    return np.std(a - b, ddof=1) / np.sqrt(len(a))


def separately(a, b):
    return np.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b))


WRONG_ERROR = {
    "separately": (separately, "patches of its own"),
    "separately, divided by N": (lambda a, b: np.sqrt((a.var() + b.var()) / len(a)), "patches of its own"),
    "sum of errors": (lambda a, b: (a.std(ddof=1) + b.std(ddof=1)) / np.sqrt(len(a)), "adds the two models"),
    "error of one": (lambda a, b: a.std(ddof=1) / np.sqrt(len(a)), "of one model alone"),
    "error of the other, by N": (lambda a, b: b.std() / np.sqrt(len(a)), "of one model alone"),
    "all in one heap": (lambda a, b: np.std(np.r_[a, b], ddof=1) / np.sqrt(len(a)), "doubt; your error is"),
    "two ways to divide": (
        lambda a, b: np.sqrt((a.var() + b.var() - 2 * np.cov(a, b)[0, 1]) / len(a)),
        "np.cov divides by N - 1",
    ),
    "difference of errors": (lambda a, b: abs(a.std(ddof=1) - b.std(ddof=1)) / np.sqrt(len(a)), "models that disagree"),
    "difference of variances": (
        lambda a, b: np.sqrt(abs(a.var(ddof=1) - b.var(ddof=1)) / len(a)),
        "models that disagree",
    ),
    "the gap": (lambda a, b: a.mean() - b.mean(), "without any doubt"),
    "nothing": (lambda a, b: 0.0, "models that disagree"),
    "spread": (lambda a, b: np.std(a - b, ddof=1), "steadier by √N"),
    "variance": (lambda a, b: np.var(a - b, ddof=1) / len(a), "the root is missing"),
    "spread squared": (lambda a, b: np.var(a - b, ddof=1), "variance of one difference"),
    "by N": (lambda a, b: np.std(a - b, ddof=1) / len(a), "with √N only"),
    "ddof 0": (lambda a, b: np.std(a - b) / np.sqrt(len(a)), "divide the squares by N - 1"),
    "twice the error": (lambda a, b: 2 * right_error(a, b), "two standard errors"),
    "the lesson's √100": (lambda a, b: np.std(a - b, ddof=1) / 10, "here there are N patches"),
    "three times the error": (lambda a, b: 3 * right_error(a, b), "of two models that differ in spread"),
    "1 taken away twice": (lambda a, b: np.std(a - b, ddof=1) / np.sqrt(len(a) - 1), "away twice"),
    "of the first": (lambda a, b: np.std(a - b, ddof=1) / np.sqrt(len(a)) + 0.02 * abs(a).max(), "without any doubt"),
    "sum": (lambda a, b: np.std(a + b, ddof=1) / np.sqrt(len(a)), "adds the two models"),
    "negative": (lambda a, b: -right_error(a, b), "an error is positive"),
    "every patch": (lambda a, b: a - b, "shape"),
    "NaN": (lambda a, b: np.nan, "NaN"),
}


@pytest.mark.parametrize("mistake", WRONG_ERROR)
def test_wrong_error(mistake):
    answer, message = WRONG_ERROR[mistake]
    verdict = image_models.paired_error(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_error():
    assert image_models.paired_error(right_error).passed
    with_covariance = lambda a, b: np.sqrt(max(0, np.cov(a, b).sum() - 4 * np.cov(a, b)[0, 1]) / len(a))  # noqa: E731
    assert image_models.paired_error(with_covariance).passed


def gaussian(cov_of, factor=1.0, half=0.5, pi=2 * np.pi, determinant=0.5):
    def answer(x, bases, noise):
        cov = cov_of(bases, noise)
        squares = (x * np.linalg.solve(cov, x.T).T).sum(1)
        normaliser = 0.5 * x.shape[1] * np.log(pi) + determinant * np.linalg.slogdet(cov)[1]
        return factor * (-half * squares - normaliser)

    return answer


def right_cov(bases, noise):
    return bases @ bases.T + noise**2 * np.eye(len(bases))


def covariance_by_columns(bases, noise):
    return (bases.T @ bases)[:2, :2] + noise**2 * np.eye(len(bases))


WRONG_GAUSSIAN = {
    "noise not squared": (gaussian(lambda b, s: b @ b.T + s * np.eye(len(b))), "with variance noise"),
    "no 2π": (gaussian(right_cov, pi=1.0), "(2π)"),
    "no determinant": (gaussian(right_cov, determinant=0), "lacks the determinant"),
    "whole determinant": (gaussian(right_cov, determinant=1), "without its ½"),
    "no half": (gaussian(right_cov, half=1), "½ before the squares"),
    "turned": (gaussian(right_cov, factor=-1), "the wrong sign"),
    "no half at all": (gaussian(right_cov, factor=2), "before the squares and before the logarithm"),
    "base 10": (gaussian(right_cov, factor=1 / np.log(10)), "base 10"),
    "centred": (lambda x, b, s: gaussian(right_cov)(x - x.mean(0), b, s), "the model's mean is 0"),
    "noise of 0.1": (gaussian(lambda b, s: b @ b.T + 0.01 * np.eye(len(b))), "a noise of 0.1"),
    "inner products of the bases": (gaussian(lambda b, s: b.T @ b + s**2 * np.eye(len(b))), "here (3, 3)"),
    "inner products, solved": (gaussian(lambda b, s: b.T @ b + s**2 * np.eye(b.shape[1])), "here (3, 3)"),
    "the sample's covariance": (
        lambda x, b, s: gaussian(lambda b, s: np.cov(x.T))(x, b, s),
        "is not log N(x; 0",
    ),
    "bases ignored": (gaussian(lambda b, s: s**2 * np.eye(len(b))), "drawn from the model"),
    "columns": (gaussian(covariance_by_columns), "rotation of the causes"),
    "elementwise": (gaussian(lambda b, s: np.diag((b**2).sum(1)) + s**2 * np.eye(len(b))), "drawn from the model"),
    "twice": (gaussian(lambda b, s: 2 * b @ b.T + s**2 * np.eye(len(b))), "drawn from the model"),
    "no noise": (gaussian(lambda b, s: b @ b.T), "The noise is still there"),
    "noise everywhere": (gaussian(lambda b, s: b @ b.T + s**2), "in every entry"),
    "a noise of its own": (gaussian(lambda b, s: b @ b.T + 0.49 * np.eye(len(b))), "the noise that you are given"),
    "two noises": (gaussian(lambda b, s: right_cov(b, s) + s**2 * np.eye(len(b))), "twice that variance"),
    "one number": (lambda x, b, s: gaussian(right_cov)(x, b, s).mean(), "shape"),
    "NaN": (lambda x, b, s: x[:, 0] * np.nan, "NaN"),
    "log of a determinant": (
        lambda x, b, s: (
            -0.5 * (x * np.linalg.solve(right_cov(b, s), x.T).T).sum(1)
            - 0.5 * np.log(np.linalg.det(right_cov(b, s)))
            - 0.5 * len(b) * np.log(2 * np.pi)
        ),
        "slogdet",
    ),
}


@pytest.mark.parametrize("mistake", WRONG_GAUSSIAN)
def test_wrong_gaussian(mistake):
    answer, message = WRONG_GAUSSIAN[mistake]
    verdict = image_models.linear_gaussian(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_gaussian():
    assert image_models.linear_gaussian(gaussian(right_cov)).passed
    assert image_models.linear_gaussian(lambda x, b, s: ae.LinearGenerative(b, s).log_density(x)).passed


@pytest.mark.parametrize("check", [image_models.bias_and_bar, image_models.paired_error, image_models.linear_gaussian])
def test_untouched_stub(check):
    for stub in (..., lambda *given: ...):
        verdict = check(stub)
        assert verdict.passed is None
        assert "not attempted yet" in verdict.message
