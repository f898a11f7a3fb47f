"""Known-wrong answers to the exercises of notebook 13: each is rejected with a message about its own mistake."""

import numpy as np
import pytest

from anneal_edu import log_mean_exp
from anneal_edu.check import likelihood_tracking as check


def right_gap(train, validation, log_z, se):
    return train - validation


def since(fall_error=lambda best, se: np.hypot(se[best], se[-1]), times=2.0, curve=lambda v, z: v - z, last=-1):
    """The decision, with chosen faults."""

    def decide(train, validation, log_z, se):
        likelihood = curve(validation, log_z)
        best = int(likelihood.argmax())
        fallen = likelihood[best] - likelihood[last] > times * fall_error(best, se)
        return best if fallen else None

    return decide


def watched(gap=right_gap, error=lambda *given: np.zeros(8), decide=None):
    decide = since() if decide is None else decide
    return lambda *given: (gap(*given), error(*given), decide(*given))


WRONG_GAP = {
    "turned": (watched(lambda t, v, z, se: v - t), "wrong sign"),
    "log Z left in": (watched(lambda t, v, z, se: t - v - z), "still in your gap"),
    "log Z twice": (watched(lambda t, v, z, se: t - z - (v + z)), "twice"),
    "training only": (watched(lambda t, v, z, se: t - z), "this is the training likelihood"),
    "mean over looks": (watched(lambda t, v, z, se: (t - v).mean()), "shape"),
    "something else": (watched(lambda t, v, z, se: t / v), "should be"),
    "independent errors": (watched(error=lambda t, v, z, se: np.sqrt(2) * se), "independent"),
    "errors added": (watched(error=lambda t, v, z, se: 2 * se), "independent"),
    "one error": (watched(error=lambda t, v, z, se: se), "opposite signs"),
    "some error": (watched(error=lambda t, v, z, se: 0.3 * se), "does not depend"),
    "no error bars": (watched(decide=since(times=0.0)), "within two errors|do not cancel"),
    "error of the last look": (watched(decide=since(lambda best, se: se[-1])), "do not cancel"),
    "error of the best look": (watched(decide=since(lambda best, se: se[best])), "do not cancel"),
    "errors cancel": (watched(decide=since(lambda best, se: abs(se[best] - se[-1]))), "do not cancel"),
    "gap decides": (watched(decide=lambda t, v, z, se: 4), "within two errors|do not cancel"),
    "never": (watched(decide=lambda *given: None), "you do not see it"),
    "last look": (
        watched(decide=lambda *given: 7 if since()(*given) is not None else None),
        "best look is 4|subtract log",
    ),
    "two things": (lambda t, v, z, se: (t - v, 0 * t), "three things"),
    "a fraction": (watched(decide=lambda *given: 0.5), "index"),
    "one error, scalar": (watched(error=lambda t, v, z, se: se[0]), "opposite signs|does not depend"),
}


@pytest.mark.parametrize("mistake", WRONG_GAP)
def test_wrong_gap(mistake):
    answer, message = WRONG_GAP[mistake]
    verdict = check.gap_and_fall(answer)
    assert verdict.passed is False
    assert any(part in verdict.message for part in message.split("|")), verdict


def test_the_best_mean_log_f_is_not_the_best_likelihood():
    verdict = check.gap_and_fall(watched(decide=lambda t, v, z, se: int(v.argmax())))
    assert verdict.passed is False
    assert "rises with Z itself" in verdict.message, verdict


def test_right_gap():
    assert check.gap_and_fall(watched()).passed
    assert check.gap_and_fall(watched(error=lambda *given: 0.0)).passed


def own(log_w, N):
    return log_w.reshape(N, -1)


def mean_of(x):
    return np.array([log_mean_exp(row) for row in x])


WRONG_RAISE = {
    "mean of w": (lambda f, w: f + mean_of(own(w, len(f))), "you average w"),
    "AIS turned": (lambda f, w: f - mean_of(own(w, len(f))), "not one over the mean"),
    "mean of logs": (lambda f, w: f - own(w, len(f)).mean(1), "average -log w"),
    "no log f": (lambda f, w: mean_of(-own(w, len(f))), "log f is missing"),
    "negative": (lambda f, w: -f - mean_of(-own(w, len(f))), "sign is turned"),
    "second sign": (lambda f, w: f - mean_of(-own(w, len(f))), "second term"),
    "mixed up": (lambda f, w: f + mean_of(-w.reshape(-1, len(f)).T), "mixed up"),
    "sum": (lambda f, w: f + np.logaddexp.reduce(-own(w, len(f)), axis=1), "the sum over the chains"),
    "all chains": (lambda f, w: f + log_mean_exp(-w), "chains of its own"),
    "overflow": (lambda f, w: f + np.log(np.exp(-own(w, len(f))).mean(1)), "not finite"),
    "one number": (lambda f, w: float(f.mean()), "shape"),
    "a largest weight": (lambda f, w: f - own(w, len(f)).min(1), "own C chains"),
}


@pytest.mark.parametrize("mistake", WRONG_RAISE)
def test_wrong_raise(mistake):
    answer, message = WRONG_RAISE[mistake]
    verdict = check.raise_estimate(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_raise():
    assert check.raise_estimate(lambda f, w: f + mean_of(-own(w, len(f)))).passed


@pytest.mark.parametrize(
    "answer, message",
    [
        ((25, 30), "242,000 Gibbs steps"),
        ((500, 1), "too few"),
        ((60, 5), "a multiple of 25"),
        ((150, 0), "whole number from 1"),
        ((150, 2.5), "whole number from 1"),
        (150, "two whole numbers"),
        ((150, 1), "off by"),
        ((25, 3), "off by"),
    ],
)
def test_wrong_budget(answer, message):
    verdict = check.spend_the_budget(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_budget():
    assert check.spend_the_budget((150, 10)).passed


@pytest.mark.parametrize("check", [check.gap_and_fall, check.raise_estimate, check.spend_the_budget])
def test_untouched_stub(check):
    for stub in (..., None, (..., ...)) if "budget" in check.__name__ else (..., None, lambda *given: ...):
        verdict = check(stub)
        assert verdict.passed is None
        assert "not attempted yet" in verdict.message
