"""Known-wrong answers to the exercises of notebook 12: each is rejected with a message about its own mistake."""

import re
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import simpson
from scipy.special import logsumexp

import anneal_edu as ae
from anneal_edu.course.check import tempered_sampling


def log_q(log_f, log_z, wishes):
    log_p = np.log(wishes)[:, None] + log_f - log_z[:, None]
    return log_p - logsumexp(log_p, axis=0)


def q_of(log_f, log_z, wishes):
    return np.exp(log_q(log_f, log_z, wishes))


def by_shares(log_z, c, wishes):
    return log_z + np.log(c / wishes) - np.log(c[0] / wishes[0])


def as_printed(log_z, c, wishes):
    return log_z + np.log(c) - np.log(c[0])


def corrected_with(c=lambda *given: q_of(*given).mean(1), z=by_shares):
    def answer(log_f, log_z, wishes):
        share = c(log_f, log_z, wishes)
        return share, z(log_z, share, wishes)

    return answer


def equal_wishes(log_f, log_z, wishes):
    return q_of(log_f, log_z, np.ones(len(wishes))).mean(1)


def shifted(by):
    """The shares, where ``by`` is taken off the logs before exp."""

    def c(log_f, log_z, wishes):
        log_p = log_f - log_z[:, None]
        p = wishes[:, None] * np.exp(log_p - by(log_p))
        return (p / p.sum(0)).mean(1)

    return c


def odds(log_f, log_z, wishes):
    return wishes[:, None] * np.exp(log_f - log_z[:, None])


def log_z_as_it_is(log_f, log_z, wishes):
    p = wishes[:, None] * np.exp(log_f - log_f.max(0)) / np.exp(log_z)[:, None]
    return (p / p.sum(0)).mean(1)


def in_place(log_f, log_z, wishes):
    log_f += np.log(wishes)[:, None]
    return corrected_with()(log_f, log_z, np.ones(len(wishes)))


WRONG_CORRECTIONS = {
    "(2) as it stands": (corrected_with(z=as_printed), "a rung that you wished for twice as much"),
    "wishes nowhere": (corrected_with(equal_wishes, as_printed), "does not feel the wishes"),
    "wishes in (2) alone": (corrected_with(equal_wishes), "does not feel the wishes"),
    "wishes divide": (corrected_with(lambda f, z, r: q_of(f, z, 1 / r).mean(1)), "in your c it divides"),
    "wishes that add up to 1": (
        lambda f, z, r: corrected_with()(f, z + np.log(r.sum()) * (z == z[0]), r), "once more, with other wishes"
    ),
    "three rungs or more": (
        lambda f, z, r: corrected_with()(f, z, r) if len(z) > 2 else (r / r.sum(), z), "of 2 rungs and 3 states"
    ),
    "wishes added": (corrected_with(lambda f, z, r: q_of(f, z, np.exp(r)).mean(1)), "add log r_k"),
    "wishes divided out of c": (
        corrected_with(lambda f, z, r: q_of(f, z, r).mean(1) / r, as_printed), "not here"
    ),
    "wishes divided out of c, normalised": (
        corrected_with(lambda f, z, r: (lambda s: s / s.sum())(q_of(f, z, r).mean(1) / r), as_printed),
        "make them add up to 1 again",
    ),
    "wishes after the sum": (corrected_with(lambda f, z, r: r * equal_wishes(f, z, r)), "over the rungs, not after"),
    "wishes after the mean": (
        corrected_with(lambda f, z, r: (lambda s: s / s.sum())(r * equal_wishes(f, z, r))), "not after the mean"
    ),
    "sign of Ẑ": (corrected_with(lambda f, z, r: q_of(f, -z, r).mean(1)), "Ẑ has the wrong sign"),
    "no Ẑ": (corrected_with(lambda f, z, r: q_of(f, 0 * z, r).mean(1)), "guess does not enter your c"),
    "not normalised": (corrected_with(lambda *given: odds(*given).mean(1)), "not normalised"),
    "over everything": (corrected_with(lambda *given: odds(*given).mean(1) / odds(*given).mean(1).sum()), "by itself"),
    "over the draws": (
        corrected_with(lambda *given: (odds(*given) / odds(*given).sum(1, keepdims=True)).mean(1)), "over the draws; it"
    ),
    "a sum": (corrected_with(lambda *given: q_of(*given).sum(1)), "divide by the number of draws"),
    "likeliest": (
        corrected_with(
            lambda *given: np.bincount(q_of(*given).argmax(0), minlength=len(given[1])) / given[0].shape[1],
            lambda log_z, c, wishes: log_z,
        ),
        "counts likeliest rungs",
    ),
    "a rung without a share": (
        corrected_with(lambda *given: q_of(*given).mean(1) * (np.arange(len(given[1])) > 0)), "never is"
    ),
    "mean of logs": (corrected_with(lambda *given: np.exp(log_q(*given).mean(1))), "mean of log q"),
    "median": (corrected_with(lambda *given: np.median(q_of(*given), axis=1)), "your c should be"),
    "log c": (lambda *given: (np.log(q_of(*given).mean(1)), corrected_with()(*given)[1]), "that is log c"),
    "wishes for shares": (corrected_with(lambda f, z, r: r), "what was wished for"),
    "exchanged": (lambda *given: corrected_with()(*given)[::-1], "return c, and then log Ẑ"),
    "sign of the wish": (
        corrected_with(z=lambda z, c, r: z + np.log(c * r) - np.log(c[0] * r[0])), "wish has the wrong sign"
    ),
    "sign of the correction": (
        corrected_with(z=lambda z, c, r: 2 * z - by_shares(z, c, r)), "correction has the wrong sign"
    ),
    "sign of the share": (
        corrected_with(z=lambda z, c, r: z - np.log(c / c[0]) - np.log(r / r[0])), "share has the wrong sign"
    ),
    "the wish itself": (corrected_with(z=lambda z, c, r: z + np.log(c / c[0]) - r), "log r_k that you want"),
    "first wish left": (corrected_with(z=lambda z, c, r: as_printed(z, c, r) - np.log(r)), "so the first entry moves"),
    "first left": (corrected_with(z=lambda z, c, r: z + np.log(c / r)), "away from all"),
    "first share left": (corrected_with(z=lambda z, c, r: z + np.log(c) - np.log(r / r[0])), "c_0 is missing"),
    "from 0": (corrected_with(z=lambda z, c, r: by_shares(z, c, r) - z[0]), "yours is 0"),
    "last kept": (corrected_with(z=lambda z, c, r: z + np.log(c / r) - np.log(c[-1] / r[-1])), "all of yours are off"),
    "no guess": (corrected_with(z=lambda z, c, r: by_shares(0, c, r)), "The guess is missing"),
    "the guess": (corrected_with(z=lambda z, c, r: z), "left as it was"),
    "the guess less the wishes": (corrected_with(z=lambda z, c, r: z - np.log(r / r[0])), "shares do not enter"),
    "Ẑ": (corrected_with(z=lambda *given: np.exp(by_shares(*given))), "return its logarithm"),
    "wishes twice": (corrected_with(z=lambda z, c, r: by_shares(z, c, r**2)), "the exact log Z"),
    "overflow": (corrected_with(lambda *given: (odds(*given) / odds(*given).sum(0)).mean(1)), "NaN or infinity"),
    "one shift for all draws": (corrected_with(shifted(np.max)), "NaN or infinity"),
    "shift by the first rung": (corrected_with(shifted(lambda p: p[0])), "on other rungs at each draw"),
    "shift by the last rung": (corrected_with(shifted(lambda p: p[-1])), "on other rungs at each draw"),
    "shift by the mean over the rungs": (corrected_with(shifted(lambda p: p.mean(0))), "on other rungs at each draw"),
    "shift before Ẑ": (corrected_with(log_z_as_it_is), "both log f_k and log Ẑ_k"),
    "clipped": (corrected_with(lambda f, z, r: q_of(np.clip(f, -700, 700), z, r).mean(1)), "yours is off"),
    "log of c + 1e-9": (corrected_with(z=lambda z, c, r: by_shares(z, c + 1e-9, r)), "added to a share"),
    "no share below 1e-12": (corrected_with(z=lambda z, c, r: by_shares(z, np.maximum(c, 1e-12), r)), "a least one?"),
    "no share below 1e-30": (corrected_with(z=lambda z, c, r: by_shares(z, np.maximum(c, 1e-30), r)), "a least one?"),
    "no share below one draw's": (
        lambda f, z, r: corrected_with(z=lambda z, c, r: by_shares(z, np.maximum(c, 1 / f.shape[1]), r))(f, z, r),
        "a least one?|the exact log Z",
    ),
    "no q below 1e-12": (
        corrected_with(lambda *given: np.maximum(q_of(*given), 1e-12).mean(1)), "a least one?|in late digits"
    ),
    "float32": (lambda *given: corrected_with()(*map(np.float32, given)), "float32 keeps seven digits"),
    "for each draw": (lambda f, z, r: (q_of(f, z, r).mean(0), z), "average over the draws"),
    "q": (lambda f, z, r: (q_of(f, z, r), z), "shape"),
    "one number": (corrected_with(z=lambda *given: by_shares(*given)[-1]), "shape"),
    "one array": (lambda *given: corrected_with()(*given)[1], "two arrays"),
    "in place": (in_place, "changes the"),
}


@pytest.mark.parametrize("mistake", WRONG_CORRECTIONS)
def test_wrong_corrections(mistake):
    answer, message = WRONG_CORRECTIONS[mistake]
    verdict = tempered_sampling.corrected(answer)
    assert verdict.passed is False
    assert any(part in verdict.message for part in message.split("|")), verdict


def log_shares(log_f, log_z, wishes):
    log_c = logsumexp(log_q(log_f, log_z, wishes), axis=1) - np.log(log_f.shape[1])
    return np.exp(log_c), list(log_z + (log_c - np.log(wishes)) - (log_c - np.log(wishes))[0])


def as_another_guess(log_f, log_z, wishes):
    wished = log_z - np.log(wishes)
    c = np.exp(ae.tempering.simulated.log_conditionals(log_f, wished)).mean(1)
    found = wished + np.log(c)
    return [c, found - found[0] + log_z[0]]


RIGHT = (
    *(corrected_with(), corrected_with(shifted(lambda p: p.max(0))), log_shares, as_another_guess),
    lambda *given: np.array(corrected_with()(*given)),
)


@pytest.mark.parametrize("answer", RIGHT)
def test_right_corrections(answer):
    verdict = tempered_sampling.corrected(answer)
    assert verdict.passed, verdict


def rule(slopes):
    return (slopes.sum() - (slopes[0] + slopes[-1]) / 2) / (len(slopes) - 1)


def needed(third=3.0, power=0.5, gap=lambda fine, coarse: abs(fine - coarse), up=np.ceil, least=1):
    def answer(slopes, tolerance):
        K, e = len(slopes) - 1, gap(rule(slopes), rule(slopes[::2])) / third
        return int(max(least, up(K * (e / tolerance) ** power)))

    return answer


def on_three_levels(slopes, tolerance):
    if len(slopes) < 5:
        return needed()(slopes, tolerance)
    coarsest, coarse, fine = rule(slopes[::4]), rule(slopes[::2]), rule(slopes)
    first, second = (4 * coarse - coarsest) / 3, (4 * fine - coarse) / 3
    error = abs(fine - second - (second - first) / 15)
    return max(1, int(np.ceil((len(slopes) - 1) * np.sqrt(error / tolerance))))


WRONG_STEPS = {
    "rounded before it is rounded up": (needed(up=lambda x: np.ceil(np.round(x, 1))), "10 would|11 steps do"),
    "a tenth of a step let go": (needed(up=lambda x: np.ceil(x - 0.1)), "11 steps do"),
    "three levels": (on_three_levels, "from 6 you predict"),
    "no third": (needed(third=1), "4 e - e"),
    "the coarser error": (needed(third=0.75), "error of the coarser ladder"),
    "twice": (lambda s, t: 2 * needed()(s, t), "twice what the law says"),
    "rounded, and twice": (lambda s, t: max(1, 2 * int(np.ceil(needed()(s, t)))), "twice what the law says"),
    "K times the rule": (needed(third=3 / 64), "How far off is the finer"),
    "as 1/K": (needed(power=1), "√10 times"),
    "as 1/K⁴": (needed(power=0.25), "That is too much"),
    "turned round": (needed(power=-0.5), "That is too much"),
    "the ladder that was given": (lambda slopes, tolerance: len(slopes) - 1, "the ladder that you were given"),
    "the ladder, doubled": (lambda slopes, tolerance: 2 * len(slopes) - 2, "That is too much"),
    "always a thousand": (lambda slopes, tolerance: 1000, "would do"),
    "far too many": (lambda slopes, tolerance: 10**6, "would do"),
    "rounded down": (needed(up=lambda steps: np.floor(0.93 * steps)), "just too few"),
    "rounded to the nearest": (needed(up=np.round), "too few: round up"),
    "down": (needed(up=np.floor), "just too few: round up"),
    "four for three": (needed(third=4), "three times the finer error, not four"),
    "three and a half": (needed(third=3.5), "which part of what moves"),
    "five more": (lambda s, t: needed()(s, t) + 5, "add no steps"),
    "to an even number": (lambda s, t: 2 * int(np.ceil(needed()(s, t) / 2)), "a parabola"),
    "to a multiple of five": (lambda s, t: 5 * int(np.ceil(needed()(s, t) / 5)), "add no steps"),
    "five percent more": (needed(up=lambda steps: np.ceil(1.05 * steps)), "a parabola"),
    "no fewer than given": (lambda s, t: max(len(s) - 1, needed()(s, t)), "6 would do. .*add no steps"),
    "second differences, all positive": (
        lambda s, t: int(np.ceil((len(s) - 1) * np.sqrt(abs(np.diff(s, 2)).mean() / 12 / t))),
        "a slope that bends both ways: you predict",
    ),
    "the largest second difference": (
        lambda s, t: int(np.ceil((len(s) - 1) * np.sqrt(abs(np.diff(s, 2)).max() / 12 / t))), "How far off is the finer"
    ),
    "slopes for steps": (
        lambda s, t: int(np.ceil(len(s) * np.sqrt(abs(rule(s) - rule(s[::2])) / 3 / t))),
        "a parabola",
    ),
    "points for steps": (lambda slopes, tolerance: needed()(slopes, tolerance) + 1, "or the points at their ends"),
    "one more than given for steps": (
        lambda s, t: int(np.ceil(len(s) / (len(s) - 1) * (needed()(s, t) - 0.5))), "between your slopes"
    ),
    "two or more": (lambda s, t: max(2, needed()(s, t)), "1 step does; from 4 you predict 2"),
    "two or more but for a line": (
        lambda s, t: max(2 if abs(np.diff(s, 2)).max() > 1e-9 else 1, needed()(s, t)), "1 step does; from 4"
    ),
    "two where the rules agree": (
        lambda s, t: needed()(s, t) if rule(s) != rule(s[::2]) else 2, "a line the rule is exact"
    ),
    "none for a line": (lambda s, t: needed(up=np.ceil, least=0)(s, t), "One step is the least"),
    "a hair more": (needed(up=lambda steps: np.ceil(steps + 1e-6)), "4 steps do; from 4 you predict 5"),
    "a sign, and one at least": (needed(gap=lambda fine, coarse: max(0, fine - coarse)), r"max\(1, …\) makes 1"),
    "no spacing": (
        lambda s, t: (lambda K: needed(gap=lambda f, c: abs(K * f - K / 2 * c))(s, t))(len(s) - 1), "Is the spacing 1/K"
    ),
    "one spacing for both": (needed(gap=lambda fine, coarse: abs(fine - coarse / 2)), "Is the spacing 1/K"),
    "one spacing for both, no third": (needed(1, gap=lambda fine, coarse: abs(fine - coarse / 2)), "the spacing 1/K"),
    "a fraction": (lambda slopes, tolerance: 30.5, "whole number"),
    "a fraction for parabolas": (
        lambda s, t: needed()(s, t) + 0.5 * (abs(np.diff(s, 3)).max() < 1e-9 if len(s) > 3 else 0), "whole number"
    ),
    "not rounded": (lambda s, t: needed()(s, t) - 0.3, "Round up|One step is the least"),
    "a sign": (lambda slopes, tolerance: np.sqrt(-abs(rule(slopes[::2]) - rule(slopes))), "Has the difference a sign"),
    "a sign, and int of it": (
        lambda s, t: int(np.ceil((len(s) - 1) * np.sqrt((rule(s) - rule(s[::2])) / 3 / t))),
        "Has the difference a sign",
    ),
    "the other sign, and int of it": (
        lambda s, t: int(np.ceil((len(s) - 1) * np.sqrt((rule(s[::2]) - rule(s)) / 3 / t))),
        "Has the difference a sign",
    ),
    "one more at a whole number": (
        lambda s, t: max(1, 1 + int((len(s) - 1) * np.sqrt(abs(rule(s) - rule(s[::2])) / 3 / t))), "you take one more",
    ),
    "another ValueError": (lambda slopes, tolerance: int("many"), "invalid literal"),
    "a tuple": (lambda slopes, tolerance: (30, 40), "whole number"),
}


@pytest.mark.parametrize("mistake", WRONG_STEPS)
def test_wrong_steps(mistake):
    answer, message = WRONG_STEPS[mistake]
    verdict = tempered_sampling.steps_needed(answer)
    assert verdict.passed is False
    assert re.search(message, verdict.message), verdict


def by_simpson(slopes, tolerance):
    K = len(slopes) - 1
    return max(1, np.ceil(K * np.sqrt(abs(rule(slopes) - simpson(slopes, dx=1 / K)) / tolerance)))


def by_slopes_of_slopes(slopes, tolerance):
    d = np.gradient(slopes, 1 / (len(slopes) - 1), edge_order=2)
    return max(1, int(np.ceil(np.sqrt(abs(d[-1] - d[0]) / 12 / tolerance))))


def by_fractions(slopes, tolerance):
    values, K = [Fraction(float(slope)) for slope in slopes], len(slopes) - 1
    e, steps = abs(rule(np.array(values)) - rule(np.array(values[::2]))) / 3, 1
    while e * K**2 > Fraction(tolerance) * steps**2:
        steps += 1
    return steps


@pytest.mark.parametrize("answer", [lambda s, t: float(needed()(s, t)), by_simpson, by_slopes_of_slopes, by_fractions])
def test_right_steps_in_other_words(answer):
    verdict = tempered_sampling.steps_needed(answer)
    assert verdict.passed, verdict


def mixture(log_f, log_z, weights):
    return logsumexp(np.log(weights)[:, None] + log_f - log_z[:, None], axis=0)


def objective(log_f, counts, log_z):
    s = counts / counts.sum()
    return mixture(log_f, log_z, s).mean() + s @ log_z


def unstable(log_f, counts, log_z):
    s = counts / counts.sum()
    with np.errstate(all="ignore"):
        return np.log((s[:, None] * np.exp(log_f) / np.exp(log_z)[:, None]).sum(0)).mean() + s @ log_z


EVEN = np.full(5, 1 / 5)
WRONG_OBJECTIVE = {
    "maximised": (lambda f, n, z: -objective(f, n, z), "as the poster says"),
    "second term dropped": (lambda f, n, z: mixture(f, z, n / n.sum()).mean(), "is missing"),
    "second term blind to a shift": (
        lambda f, n, z: mixture(f, z, n / n.sum()).mean() + n / n.sum() @ (z - z[0]), "or does not rise with it"
    ),
    "base 2": (
        lambda f, n, z: mixture(f, z, n / n.sum()).mean() / np.log(2) + n / n.sum() @ z, "its logarithm has base 2"
    ),
    "the first term twice": (
        lambda f, n, z: 2 * mixture(f, z, n / n.sum()).mean() + n / n.sum() @ z, "yours is twice as much"
    ),
    "the second term twice": (
        lambda f, n, z: mixture(f, z, n / n.sum()).mean() + 2 * n / n.sum() @ z, "its weights add up to 2"
    ),
    "second term's sign": (lambda f, n, z: mixture(f, z, n / n.sum()).mean() - n / n.sum() @ z, "Its sign is wrong"),
    "Z's sign": (lambda f, n, z: mixture(f, -z, n / n.sum()).mean() + n / n.sum() @ z, "divided by its Z_k"),
    "five of the first term": (lambda f, n, z: 5 * mixture(f, z, n / n.sum()).mean() + n / n.sum() @ z, "five of it"),
    "no Z in the first term": (lambda f, n, z: mixture(f, 0 * z, n / n.sum()).mean() + n / n.sum() @ z, "term stays"),
    "counts in the first term": (lambda f, n, z: mixture(f, z, n).mean() + n / n.sum() @ z, "not n_k"),
    "a constant too much": (lambda f, n, z: objective(f, n, z) + 123, "123 too high"),
    "a constant too little": (lambda f, n, z: objective(f, n, z) - 4, "4 too low"),
    "no weights in the second term": (lambda f, n, z: mixture(f, z, n / n.sum()).mean() + z.sum(), "rises by 25"),
    "what is left of 1": (lambda f, n, z: mixture(f, z, n / n.sum()).mean() + (1 - n / n.sum()) @ z, "rises by 20"),
    "Z's sign, twice": (lambda f, n, z: mixture(f, -z, n / n.sum()).mean() - n / n.sum() @ z, "not its lowest"),
    "counts in the second term": (lambda f, n, z: mixture(f, z, n / n.sum()).mean() + n @ z, "weights add up to 520"),
    "a sum over draws in the first": (
        lambda f, n, z: mixture(f, z, n / n.sum()).sum() + n / n.sum() @ z, "yours is their sum"
    ),
    "a sum over draws, divided by the rungs": (
        lambda f, n, z: mixture(f, z, n / n.sum()).sum() / 5 + n / n.sum() @ z, "a fifth of their sum"
    ),
    "the last rung alone in the second": (
        lambda f, n, z: mixture(f, z, n / n.sum()).mean() + n[-1] / n.sum() * z[-1], "Do the weights of both terms"
    ),
    "N times": (lambda f, n, z: n.sum() * objective(f, n, z), "N times"),
    "even weights": (lambda f, n, z: mixture(f, z, EVEN).mean() + EVEN @ z, "in both terms. They gave from 30 to 200"),
    "even weights in the mixture": (
        lambda f, n, z: mixture(f, z, EVEN).mean() + n / n.sum() @ z, "in your first term. They gave from 30 to 200"
    ),
    "even weights in the second term": (
        lambda f, n, z: mixture(f, z, n / n.sum()).mean() + EVEN @ z,
        "your first term is right, and the second one is linear in log Z_k; but its weights a_k are all alike.",
    ),
    "even weights in the second term, counts in the first": (
        lambda f, n, z: mixture(f, z, n).mean() + EVEN @ z, "right, but for a constant, and the second one is linear"
    ),
    "even weights in the second term, of float32": (
        lambda f, n, z: np.float32(mixture(f, z, n / n.sum()).mean() + EVEN @ z), "weights a_k are all alike."
    ),
    "another rung's weights in the second term": (
        lambda f, n, z: mixture(f, z, n / n.sum()).mean() + n[::-1] / n.sum() @ z,
        "its weights a_k are [0.173, 0.058, 0.269, 0.385, 0.115].",
    ),
    "one more draw for each rung in the second term": (
        lambda f, n, z: mixture(f, z, n / n.sum()).mean() + (n + 1) / (n + 1).sum() @ z,
        "its weights a_k are [0.116, 0.383, 0.269, 0.059, 0.173].",
    ),
    "twice": (lambda f, n, z: 2 * objective(f, n, z), "not the objective"),
    "no mixture": (lambda f, n, z: (f - z[:, None]).mean() + EVEN @ z, "the same at all log Z"),
    "shares of one table": (
        lambda f, n, z: objective(f, np.array([60, 200, 140, 30, 90]), z),
        "number the rungs from the other end",
    ),
    "a draw at least for each rung": (
        lambda f, n, z: objective(f, np.maximum(n, 1.0), z),
        "With counts [0, 200, 140, 30, 90] yours is ",
    ),
    "the logarithm of no draws, times 0": (
        lambda f, n, z: objective(f, n, z) + 0 * np.log(n).sum(), "the logarithm of 0 is infinite"
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
    assert tempered_sampling.steps_needed(needed()).passed
    assert tempered_sampling.mbar_objective(objective).passed
    for right in (
        lambda f, n, z: logsumexp(f - z[:, None], axis=0, b=(n / n.sum())[:, None]).mean() + n / n.sum() @ z,
        lambda f, n, z: objective(f[n > 0], n[n > 0], z[n > 0]),
        lambda *given: np.float32(objective(*given)),
        lambda f, n, z: float(objective(f.astype(np.float32), n, z.astype(np.float32))),
    ):
        verdict = tempered_sampling.mbar_objective(right)
        assert verdict.passed, verdict


@pytest.mark.parametrize(
    "check", [tempered_sampling.corrected, tempered_sampling.steps_needed, tempered_sampling.mbar_objective]
)
def test_untouched_stub(check):
    for stub in (..., lambda *given: ...):
        verdict = check(stub)
        assert verdict.passed is None
        assert "not attempted yet" in verdict.message
