"""Each check of notebook 00: wrong answers are rejected with the sentence that helps, right ones pass."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.check import start as check

P0, P1 = ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([3.0], [[1.0]])


@pytest.mark.parametrize(
    ("answer", "advice"),
    [
        (2**20, "Z itself"),
        (20, "another base"),
        (np.log10(2**20), "another base"),
        (np.log(20), "two positions"),
        (7.0, "count the states"),
        ("many", "raised"),
    ],
)
def test_wrong_log_number_of_states(answer, advice):
    verdict = check.log_number_of_states(answer)
    assert verdict.passed is False
    assert advice in verdict.message


@pytest.mark.parametrize("answer", [20 * np.log(2), np.log(2**20), 13.863, 13.86])
def test_right_log_number_of_states(answer):
    assert check.log_number_of_states(answer).passed


@pytest.mark.parametrize(
    ("answer", "advice"),
    [
        (lambda log_f, log_z: log_f + log_z, "multiplication"),
        (lambda log_f, log_z: log_f / log_z, "dividing the logs"),
        (lambda log_f, log_z: np.exp(log_f - log_z), "p itself"),
        (lambda log_f, log_z: np.log(np.exp(log_f) / np.exp(log_z)) if log_f > -700 else -np.inf, "Stay in logs"),
        (lambda log_f, log_z: log_f, "take logs"),
    ],
)
def test_wrong_log_probability(answer, advice):
    verdict = check.log_probability(answer)
    assert verdict.passed is False
    assert advice in verdict.message


def test_right_log_probability():
    assert check.log_probability(lambda log_f, log_z: log_f - log_z).passed


@pytest.mark.parametrize(
    ("answer", "advice"),
    [
        (P1, "a path is a function"),
        (lambda beta: 3 * beta, "return a distribution"),
        (ae.geometric_path(P1, P0), "backwards"),
        (lambda beta: P1, "the start"),
        (ae.geometric_path(P0, ae.Gaussian([3.0], [[2.0]])), "the target"),
    ],
)
def test_wrong_path(answer, advice):
    verdict = check.your_path(answer)
    assert verdict.passed is False
    assert advice in verdict.message


@pytest.mark.parametrize(
    ("answer", "praise"),
    [
        (ae.geometric_path(P0, P1), "geometric"),
        (ae.moment_path(P0, P1), "of your own"),
        (lambda beta: ae.Gaussian([3 * beta], [[1.0]], log_scale=0.0), "of your own"),
    ],
)
def test_right_path(answer, praise):
    verdict = check.your_path(answer)
    assert verdict.passed
    assert praise in verdict.message


@pytest.mark.parametrize("judge", [check.log_number_of_states, check.log_probability, check.your_path])
def test_untouched_stubs_fail_kindly(judge):
    assert judge(...).passed is None


def test_an_untouched_function_fails_kindly():
    assert check.log_probability(lambda log_f, log_z: ...).passed is None
