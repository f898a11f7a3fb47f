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


def right_update(log_z, c):
    return log_z + np.log(c) - np.log(c[0])


def loop(update=right_update, c=lambda f, z: conditionals(f, z).mean(1), rounds=lambda n: n, feed=True, last=True):
    def answer(walk, log_z, n_rounds):
        new = log_z
        for _ in range(rounds(n_rounds)):
            before = log_z
            log_f = walk(log_z)
            new = update(log_z, c(log_f, log_z))
            log_z = new if feed else log_z
        return new if last else before

    return answer


def changes_its_argument(walk, log_z, n_rounds):
    for _ in range(n_rounds):
        c = conditionals(walk(log_z), log_z).mean(1)
        log_z += np.log(c) - np.log(c[0])
    return log_z


def starts_elsewhere(walk, log_z, n_rounds):
    return loop()(walk, log_z + np.array([0, 1, 1, 1]), n_rounds)


def damped(walk, log_z, n_rounds):
    for i in range(n_rounds):
        c = conditionals(walk(log_z), log_z).mean(1)
        log_z = log_z + (np.log(c) - np.log(c[0])) / (i + 1)
    return log_z


def pooled(walk, log_z, n_rounds):
    tables = []
    for _ in range(n_rounds):
        tables.append(walk(log_z))
        log_z = right_update(log_z, conditionals(np.concatenate(tables, axis=1), log_z).mean(1))
    return log_z


def mean_of_rounds(walk, log_z, n_rounds):
    found = [log_z]
    for _ in range(n_rounds):
        found.append(loop()(walk, found[-1], 1))
    return np.mean(found[1:], axis=0)


WRONG_LOOP = {
    "smaller and smaller steps": (damped, "round 2 does not"),
    "rounds at different Ẑ pooled": (pooled, "of this round alone"),
    "the mean of all rounds": (mean_of_rounds, "round 5 does not"),
    "sign": (loop(lambda z, c: z - np.log(c) + np.log(c[0])), "wrong sign"),
    "sign, no c_0": (loop(lambda z, c: z - np.log(c)), "wrong sign"),
    "no c_0": (loop(lambda z, c: z + np.log(c)), "divide by the share c_0"),
    "by the mean": (loop(lambda z, c: z + np.log(c) - np.log(c).mean()), "not by a mean"),
    "by an even share": (loop(lambda z, c: z + np.log(c * len(c))), "not by 1 / (K+1)"),
    "no logarithm": (loop(lambda z, c: z + c - c[0]), "their logarithms are added"),
    "old Ẑ forgotten": (loop(lambda z, c: np.log(c) - np.log(c[0])), "correct the old Ẑ"),
    "relative to the last": (loop(lambda z, c: z + np.log(c) - np.log(c[-1])), "keep it"),
    "half a step": (loop(lambda z, c: z + 0.5 * (np.log(c) - np.log(c[0]))), "after the first round"),
    "no Ẑ in q": (loop(c=lambda f, z: conditionals(f, 0 * z + np.arange(4)).mean(1)), "after the first round"),
    "never fed back": (loop(feed=False), "every round walks at the first"),
    "one round": (loop(rounds=lambda n: 1), "you walk 1 times"),
    "one too many": (loop(rounds=lambda n: n + 1), "rounds were asked for"),
    "no walk": (lambda walk, log_z, n_rounds: log_z, "never call walk"),
    "the last but one": (loop(last=False), "corrected once more"),
    "in place": (changes_its_argument, "changes the log_z"),
    "another start": (starts_elsewhere, "first round should walk"),
    "wrong shape": (lambda walk, log_z, n_rounds: loop()(walk, log_z, n_rounds)[-1], "shape"),
}


@pytest.mark.parametrize("mistake", WRONG_LOOP)
def test_wrong_loop(mistake):
    answer, message = WRONG_LOOP[mistake]
    verdict = tempered_sampling.rts_loop(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def counting(walk, log_z, n_rounds):
    for _ in range(n_rounds):
        rungs = conditionals(walk(log_z), log_z).argmax(0)
        c = (np.bincount(rungs, minlength=4) + 1e-9) / len(rungs)
        log_z = right_update(log_z, c)
    return log_z


def test_counting_the_likeliest_rungs_is_rejected():
    assert tempered_sampling.rts_loop(counting).passed is False


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
    "second term's sign": (lambda f, n, z: mixture(f, z, n / n.sum()).mean() - n / n.sum() @ z, "Its sign is wrong"),
    "Z's sign": (lambda f, n, z: mixture(f, -z, n / n.sum()).mean() + n / n.sum() @ z, "divided by its Z_k"),
    "a constant too much": (lambda f, n, z: objective(f, n, z) + 123, "123 too high"),
    "Z's sign, twice": (lambda f, n, z: mixture(f, -z, n / n.sum()).mean() - n / n.sum() @ z, "not its lowest"),
    "counts in the second term": (lambda f, n, z: mixture(f, z, n / n.sum()).mean() + n @ z, "add up to 1"),
    "a sum over draws in the first": (lambda f, n, z: mixture(f, z, n / n.sum()).sum() + n / n.sum() @ z, "add up"),
    "N times": (lambda f, n, z: n.sum() * objective(f, n, z), "N times"),
    "even weights": (lambda f, n, z: mixture(f, z, EVEN).mean() + EVEN @ z, "60, 200 and 140"),
    "even weights in the mixture": (lambda f, n, z: mixture(f, z, EVEN).mean() + n / n.sum() @ z, "60, 200 and 140"),
    "twice": (lambda f, n, z: 2 * objective(f, n, z), "not the objective"),
    "no mixture": (lambda f, n, z: (f - z[:, None]).mean() + EVEN @ z, "the same at all log Z"),
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
    assert tempered_sampling.rts_loop(loop()).passed
    assert tempered_sampling.mbar_objective(objective).passed
    assert tempered_sampling.mbar_objective(lambda f, n, z: objective(f, n, z) + np.log(n.sum())).passed


@pytest.mark.parametrize(
    "check", [tempered_sampling.shares, tempered_sampling.rts_loop, tempered_sampling.mbar_objective]
)
def test_untouched_stub(check):
    for stub in (..., lambda *given: ...):
        verdict = check(stub)
        assert verdict.passed is None
        assert "not attempted yet" in verdict.message
