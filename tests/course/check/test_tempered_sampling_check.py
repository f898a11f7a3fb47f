"""Known-wrong answers to the exercises of notebook 12: each is rejected with a message about its own mistake."""

import numpy as np
import pytest
from scipy.special import logsumexp

from anneal_edu.course.check import tempered_sampling


def conditionals(log_f, log_z):
    log_q = log_f - log_z[:, None]
    return np.exp(log_q - logsumexp(log_q, axis=0))


def shares_with(q=conditionals, c=lambda q: q.mean(1)):
    def answer(log_f, log_z):
        found = q(log_f, log_z)
        return found, c(found)

    return answer


def naive(log_f, log_z):
    p = np.exp(log_f) / np.exp(log_z)[:, None]
    return p / p.sum(0)


def over_draws(log_f, log_z):
    log_p = log_f - log_z[:, None]
    return np.exp(log_p - logsumexp(log_p, axis=1, keepdims=True))


def over_everything(log_f, log_z):
    log_p = log_f - log_z[:, None]
    return np.exp(log_p - logsumexp(log_p))


def in_place(log_f, log_z):
    log_f -= log_z[:, None]
    log_f -= logsumexp(log_f, axis=0)
    return np.exp(log_f)


def one_shift_for_all(log_f, log_z):
    log_p = log_f - log_z[:, None]
    p = np.exp(log_p - log_p.max())
    return p / p.sum(0)


WRONG_SHARES = {
    "overflow": (shares_with(naive), "NaN or infinite"),
    "one shift for all draws": (shares_with(one_shift_for_all), "NaN or infinite"),
    "shift by the first rung": (
        shares_with(lambda f, z: (lambda p: p / p.sum(0))(np.exp(f - z[:, None] - (f - z[:, None])[0]))),
        "NaN or infinite",
    ),
    "shift by the last rung": (
        shares_with(lambda f, z: (lambda p: p / p.sum(0))(np.exp(f - z[:, None] - (f - z[:, None])[-1]))),
        "NaN or infinite",
    ),
    "shift by the mean over the rungs": (
        shares_with(lambda f, z: (lambda p: p / p.sum(0))(np.exp(f - z[:, None] - (f - z[:, None]).mean(0)))),
        "one log Ẑ is 1000 below",
    ),
    "shift before Ẑ": (
        shares_with(lambda f, z: (lambda p: p / p.sum(0))(np.exp(f - f.max(0)) / np.exp(z)[:, None])),
        "one log Ẑ is 1000 below",
    ),
    "divided by the logarithm": (
        shares_with(lambda f, z: (lambda p: p / p.sum(0))(np.exp(f) / z[:, None])),
        "Ẑ comes as its logarithm",
    ),
    "clipped": (
        shares_with(lambda f, z: (lambda p: p / p.sum(0))(np.exp(np.clip(f - z[:, None], -50, 50)))),
        "with logs of -2000",
    ),
    "not normalised": (
        shares_with(lambda f, z: np.exp(f - z[:, None]), lambda q: q.mean(1) / q.mean(1).sum()),
        "Divide by that sum",
    ),
    "over the draws": (shares_with(over_draws), "over the draws of each rung"),
    "over everything": (shares_with(over_everything), "all rungs and draws together"),
    "no Ẑ": (shares_with(lambda f, z: conditionals(f, 0 * z)), "Ẑ does not enter"),
    "sign of Ẑ": (shares_with(lambda f, z: conditionals(f, -z)), "wrong sign"),
    "log q": (shares_with(lambda f, z: np.log(conditionals(f, z))), "that is log q"),
    "likeliest": (shares_with(lambda f, z: (lambda q: (q == q.max(0)).astype(float))(conditionals(f, z))), "decision"),
    "flattened": (shares_with(lambda f, z: conditionals(f / 2, z)), "should be f_k(x)"),
    "printed": (shares_with(c=lambda q: np.full(len(q), q.max(0).mean())), "no k in them"),
    "mean over k": (shares_with(c=lambda q: q.mean(0)), "averaged over the rungs"),
    "a sum": (shares_with(c=lambda q: q.sum(1)), "is a sum"),
    "counts": (shares_with(c=lambda q: np.bincount(q.argmax(0), minlength=len(q)) / q.shape[1]), "counts"),
    "mean of logs": (shares_with(c=lambda q: np.exp(np.log(q).mean(1))), "mean of log q"),
    "log c": (shares_with(c=lambda q: np.log(q.mean(1))), "that is log c"),
    "median": (shares_with(c=lambda q: np.median(q, axis=1)), "c_k should be the mean"),
    "one number": (shares_with(c=lambda q: q.mean()), "shape"),
    "one array": (conditionals, "two arrays"),
    "in place": (shares_with(in_place), "changes the"),
    "transposed": (shares_with(lambda f, z: conditionals(f, z).T), "shape"),
}


@pytest.mark.parametrize("mistake", WRONG_SHARES)
def test_wrong_shares(mistake):
    answer, message = WRONG_SHARES[mistake]
    verdict = tempered_sampling.shares(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def rule(slopes):
    return (slopes.sum() - (slopes[0] + slopes[-1]) / 2) / (len(slopes) - 1)


def needed(third=3.0, power=0.5, gap=lambda fine, coarse: abs(fine - coarse), up=np.ceil):
    def answer(slopes, tolerance):
        K, e = len(slopes) - 1, gap(rule(slopes), rule(slopes[::2])) / third
        return int(max(1, up(K * (e / tolerance) ** power)))

    return answer


WRONG_STEPS = {
    "no third": (needed(third=1), "4 e - e"),
    "the coarser error": (needed(third=0.75), "error of the coarser ladder"),
    "K times the rule": (needed(third=3 / 64), "How far off is the finer"),
    "as 1/K": (needed(power=1), "√10 times"),
    "as 1/K⁴": (needed(power=0.25), "That is too much"),
    "turned round": (needed(power=-0.5), "That is too much"),
    "the ladder that was given": (lambda slopes, tolerance: len(slopes) - 1, "the ladder that you were given"),
    "the ladder, doubled": (lambda slopes, tolerance: 2 * len(slopes) - 2, "That is too much"),
    "always a thousand": (lambda slopes, tolerance: 1000, "would do"),
    "far too many": (lambda slopes, tolerance: 10**6, "would do"),
    "rounded down": (needed(up=lambda steps: np.floor(0.93 * steps)), "just too few"),
    "rounded to the nearest": (needed(up=np.round), "Round up"),
    "slopes for steps": (
        lambda s, t: int(np.ceil(len(s) * np.sqrt(abs(rule(s) - rule(s[::2])) / 3 / t))),
        "a parabola",
    ),
    "a fraction": (lambda slopes, tolerance: 30.5, "whole number"),
    "a sign": (lambda slopes, tolerance: np.sqrt(-abs(rule(slopes[::2]) - rule(slopes))), "Has the difference a sign"),
    "a sign, and int of it": (
        lambda s, t: int(np.ceil((len(s) - 1) * np.sqrt((rule(s) - rule(s[::2])) / 3 / t))),
        "Has the difference a sign",
    ),
    "the other sign, and int of it": (
        lambda s, t: int(np.ceil((len(s) - 1) * np.sqrt((rule(s[::2]) - rule(s)) / 3 / t))),
        "Has the difference a sign",
    ),
    "another ValueError": (lambda slopes, tolerance: int("many"), "invalid literal"),
    "a tuple": (lambda slopes, tolerance: (30, 40), "whole number"),
}


@pytest.mark.parametrize("mistake", WRONG_STEPS)
def test_wrong_steps(mistake):
    answer, message = WRONG_STEPS[mistake]
    verdict = tempered_sampling.steps_needed(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_steps_in_other_words():
    assert tempered_sampling.steps_needed(lambda s, t: float(needed()(s, t))).passed
    assert tempered_sampling.steps_needed(lambda s, t: needed()(s, t) + 1).passed


def mixture(log_f, log_z, weights):
    return logsumexp(np.log(weights)[:, None] + log_f - log_z[:, None], axis=0)


def objective(log_f, counts, log_z):
    s = counts / counts.sum()
    return mixture(log_f, log_z, s).mean() + s @ log_z


def unstable(log_f, counts, log_z):
    s = counts / counts.sum()
    with np.errstate(all="ignore"):
        return np.log((s[:, None] * np.exp(log_f) / np.exp(log_z)[:, None]).sum(0)).mean() + s @ log_z


EVEN = np.full(3, 1 / 3)
WRONG_OBJECTIVE = {
    "maximised": (lambda f, n, z: -objective(f, n, z), "as the poster says"),
    "second term dropped": (lambda f, n, z: mixture(f, z, n / n.sum()).mean(), "is missing"),
    "second term blind to a shift": (
        lambda f, n, z: mixture(f, z, n / n.sum()).mean() + n / n.sum() @ (z - z[0]), "or does not rise with it"
    ),
    "base 2": (
        lambda f, n, z: mixture(f, z, n / n.sum()).mean() / np.log(2) + n / n.sum() @ z, "its logarithm has base 2"
    ),
    "second term's sign": (lambda f, n, z: mixture(f, z, n / n.sum()).mean() - n / n.sum() @ z, "Its sign is wrong"),
    "Z's sign": (lambda f, n, z: mixture(f, -z, n / n.sum()).mean() + n / n.sum() @ z, "divided by its Z_k"),
    "three of the first term": (lambda f, n, z: 3 * mixture(f, z, n / n.sum()).mean() + n / n.sum() @ z, "three of it"),
    "no Z in the first term": (lambda f, n, z: mixture(f, 0 * z, n / n.sum()).mean() + n / n.sum() @ z, "term stays"),
    "counts in the first term": (lambda f, n, z: mixture(f, z, n).mean() + n / n.sum() @ z, "not n_k"),
    "a constant too much": (lambda f, n, z: objective(f, n, z) + 123, "123 too high"),
    "Z's sign, twice": (lambda f, n, z: mixture(f, -z, n / n.sum()).mean() - n / n.sum() @ z, "not its lowest"),
    "counts in the second term": (lambda f, n, z: mixture(f, z, n / n.sum()).mean() + n @ z, "add up to 1"),
    "a sum over draws in the first": (lambda f, n, z: mixture(f, z, n / n.sum()).sum() + n / n.sum() @ z, "add up"),
    "N times": (lambda f, n, z: n.sum() * objective(f, n, z), "N times"),
    "even weights": (lambda f, n, z: mixture(f, z, EVEN).mean() + EVEN @ z, "60, 200 and 140"),
    "even weights in the mixture": (lambda f, n, z: mixture(f, z, EVEN).mean() + n / n.sum() @ z, "60, 200 and 140"),
    "twice": (lambda f, n, z: 2 * objective(f, n, z), "not the objective"),
    "no mixture": (lambda f, n, z: (f - z[:, None]).mean() + EVEN @ z, "the same at all log Z"),
    "shares of one table": (
        lambda f, n, z: objective(f, np.array([60, 200, 140]), z),
        "number the rungs from the other end",
    ),
    "unstable": (unstable, "logsumexp"),
    "one shift for all draws": (
        lambda f, n, z: unstable(f - f.max(), n, z) + f.max(),
        "logsumexp",
    ),
    "an array": (lambda f, n, z: mixture(f, z, n / n.sum()) + n / n.sum() @ z, "one number"),
}


@pytest.mark.parametrize("mistake", WRONG_OBJECTIVE)
def test_wrong_objective(mistake):
    answer, message = WRONG_OBJECTIVE[mistake]
    verdict = tempered_sampling.mbar_objective(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_answers():
    assert tempered_sampling.shares(shares_with()).passed
    assert tempered_sampling.steps_needed(needed()).passed
    assert tempered_sampling.mbar_objective(objective).passed


@pytest.mark.parametrize(
    "check", [tempered_sampling.shares, tempered_sampling.steps_needed, tempered_sampling.mbar_objective]
)
def test_untouched_stub(check):
    for stub in (..., lambda *given: ...):
        verdict = check(stub)
        assert verdict.passed is None
        assert "not attempted yet" in verdict.message
