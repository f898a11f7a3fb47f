"""Each check of notebook 01: wrong answers are rejected with the sentence that helps, right ones pass."""

import numpy as np
import pytest
from scipy.special import logsumexp

import anneal_edu as ae
from anneal_edu.course.check import importance_sampling as check


def ratios(log_f, x, at):
    """Σ_k log f_k(x_at) - log f_{k-1}(x_at), the state taken at stage k - 1 + at."""
    return sum(log_f[k][x[:, k - 1 + at]] - log_f[k - 1][x[:, k - 1 + at]] for k in range(1, len(log_f)))


def right_log_weights(log_f, log_z_0, x):
    return log_z_0 + ratios(log_f, x, at=0)


def vectorised_log_weights(log_f, log_z_0, x):
    stages = np.arange(len(log_f) - 1)
    return log_z_0 + (log_f[stages + 1, x[:, :-1]] - log_f[stages, x[:, :-1]]).sum(1)


def mixed_places(log_f, log_z_0, x):
    return log_z_0 + sum(log_f[k][x[:, k]] - log_f[k - 1][x[:, k - 1]] for k in range(1, len(log_f)))


WRONG_WEIGHTS = {
    "log_z_0": lambda log_f, log_z_0, x: ratios(log_f, x, at=0),
    "after the move": lambda log_f, log_z_0, x: log_z_0 + ratios(log_f, x, at=1),
    "two different places": mixed_places,
    "upside down": lambda log_f, log_z_0, x: log_z_0 - ratios(log_f, x, at=0),
    "the weights themselves": lambda log_f, log_z_0, x: np.exp(right_log_weights(log_f, log_z_0, x)),
    "plain importance sampling": lambda log_f, log_z_0, x: log_z_0 + log_f[-1][x[:, 0]] - log_f[0][x[:, 0]],
    "only the first step": lambda log_f, log_z_0, x: log_z_0 + log_f[1][x[:, 0]] - log_f[0][x[:, 0]],
    "sum over all k": lambda log_f, log_z_0, x: log_z_0 + ratios(log_f[:3], x, at=0),
    "not those of AIS": lambda log_f, log_z_0, x: np.full(len(x), logsumexp(log_f[-1])),
    "has mean": lambda log_f, log_z_0, x: np.zeros(len(x)),
    "shape": lambda log_f, log_z_0, x: right_log_weights(log_f, log_z_0, x).mean(),
    "infinity": lambda log_f, log_z_0, x: np.full(len(x), np.inf),
    "raised IndexError": lambda log_f, log_z_0, x: log_f[len(log_f)],
}


@pytest.mark.parametrize("advice", WRONG_WEIGHTS)
def test_wrong_log_weights(advice):
    verdict = check.log_weights(WRONG_WEIGHTS[advice])
    assert verdict.passed is False
    assert advice in verdict.message


@pytest.mark.parametrize("answer", [right_log_weights, vectorised_log_weights])
def test_right_log_weights(answer):
    verdict = check.log_weights(answer)
    assert verdict.passed, verdict


def shares(lw):
    w = np.exp(lw - lw.max())
    return w / w.sum()


def around_one(lw):
    return shares(lw) * len(lw)


def unsafe(lw):
    w = np.exp(lw)
    return len(w) / (1 + (w / w.mean()).var())


def safe_against_overflow_only(lw):
    return unsafe(np.minimum(lw, 700))


WRONG_SIZES = {
    "whatever the weights are": lambda lw: len(lw),
    "variance of the log weights": lambda lw: len(lw) / (1 + lw.var()),
    "normalised to sum 1": lambda lw: len(lw) / (1 + shares(lw).var()),
    "standard deviation": lambda lw: len(lw) / (1 + around_one(lw).std()),
    "C - 1": lambda lw: len(lw) / (1 + around_one(lw).var(ddof=1)),
    "fraction of C": lambda lw: 1 / (1 + around_one(lw).var()),
    "upside down": lambda lw: (shares(lw) ** 2).sum(),
    "+1000": unsafe,
    "Only the shares matter": lambda lw: len(lw) / (1 + np.exp(lw).var()) if lw.any() else 8.0,
    "shape": around_one,
    "eight equal weights": lambda lw: 1 / shares(lw).max() - 1,
    "1 draw": lambda lw: 1 / shares(lw).max() + (lw.min() < -700),
    "wrong for others": lambda lw: 1 / shares(lw).max(),
}


@pytest.mark.parametrize("advice", WRONG_SIZES)
def test_wrong_effective_size(advice):
    verdict = check.effective_size(WRONG_SIZES[advice])
    assert verdict.passed is False
    assert advice in verdict.message


def test_an_ess_that_vanishes_is_rejected():
    verdict = check.effective_size(safe_against_overflow_only)
    assert verdict.passed is False
    assert "Subtract the largest" in verdict.message


@pytest.mark.parametrize(
    "answer",
    [
        ae.effective_sample_size,
        lambda lw: 1 / (shares(lw) ** 2).sum(),
        lambda lw: len(lw) / (1 + around_one(lw).var()),
        lambda lw: np.exp(2 * logsumexp(lw) - logsumexp(2 * lw)),
    ],
)
def test_right_effective_size(answer):
    verdict = check.effective_size(answer)
    assert verdict.passed, verdict


WRONG_ACCEPTANCES = {
    "upside down": lambda here, there: min(1.0, np.exp(here - there)),
    "no probability": lambda here, there: np.exp(there - here),
    "accept every proposal": lambda here, there: 1.0,
    "never moves": lambda here, there: 0.0,
    "p T differs": lambda here, there: min(1.0, np.exp(2 * (there - here))),
    "must be refused": lambda here, there: min(1.0, np.exp(max(there - here, -20.0))),
    "ubtract the logs": lambda here, there: min(1.0, np.exp(there) / np.exp(here)) if here > -1000 else np.nan,
    "no probability.": lambda here, there: there - here,
    "one number": lambda here, there: np.array([0.5, 0.5]),
}


@pytest.mark.parametrize("advice", WRONG_ACCEPTANCES)
def test_wrong_acceptance(advice):
    verdict = check.acceptance(WRONG_ACCEPTANCES[advice])
    assert verdict.passed is False
    assert advice in verdict.message


def test_an_acceptance_that_exponentiates_first_is_rejected():
    verdict = check.acceptance(lambda here, there: np.fmin(1.0, np.exp(there) / np.exp(here)))
    assert verdict.passed is False
    assert "ubtract the logs" in verdict.message


@pytest.mark.parametrize(
    "answer",
    [
        lambda here, there: min(1.0, np.exp(there - here)),
        lambda here, there: np.exp(min(0.0, there - here)),
        lambda here, there: 1 / (1 + np.exp(here - there)),  # Barker's rule
    ],
)
def test_right_acceptance(answer):
    verdict = check.acceptance(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize("judge", [check.log_weights, check.effective_size, check.acceptance])
def test_untouched_stubs_fail_kindly(judge):
    assert judge(...).passed is None
    assert judge(lambda *arguments: ...).passed is None
    assert "not attempted yet" in judge(...).message


@pytest.mark.parametrize("seed", range(20))
def test_the_known_mistakes_are_all_different_from_the_right_answer(seed):
    """No advice can hit a right answer by accident, whatever the world."""
    rng = np.random.default_rng(seed)
    log_f, x = rng.standard_normal((3, 3)), rng.integers(3, size=(20, 3))
    right = right_log_weights(log_f, 1.7, x)
    assert not any(np.allclose(right, wrong) for wrong in check._mistaken_log_weights(log_f, 1.7, x).values())
    lw = rng.standard_normal(40)
    ess = ae.effective_sample_size(lw)
    assert not any(np.isclose(ess, wrong, rtol=1e-6) for wrong in check._mistaken_ess(lw).values())
