"""Exercises of notebook 13: watching the likelihood while learning."""

import numpy as np

from anneal_edu.course.check.engine import exercise
from anneal_edu.weights import log_mean_exp


# Exercise 1: what cancels
def _curves():
    train = np.array([-24.0, -22.0, -20.5, -19.5, -19.0, -18.6, -18.3, -20.0])
    log_z = np.array([35.0, 37.0, 41.0, 44.0, 46.0, 49.0, 53.0, 52.0])
    falls = np.array([-24.5, -22.9, -21.9, -21.5, -21.4, -22.2, -22.3, -22.9])  # by 1.5 nats
    near, steeper = np.full(8, 0.25), np.r_[falls[:-1], -23.6]

    def case(validation, std_error=near):
        n = len(validation)
        return train[:n] + log_z[:n], validation + log_z[:n], log_z[:n].copy(), std_error[:n].copy()

    def one(look, error, others=0.1):
        return np.where(np.arange(8) == look, error, others)

    return {
        "a clear fall": case(falls),
        "a fall of 1.5 nats, and errors of 0.9": case(falls, np.full(8, 0.9)),
        "a fall of 1.5 nats, and errors of 0.528": case(falls, np.full(8, 0.528)),
        "a fall of 1.5 nats, and errors of 0.5325": case(falls, np.full(8, 0.5325)),
        "a last look with a large error": case(falls, one(7, 0.9)),
        "a best look with a large error": case(falls, one(4, 0.9)),
        "a larger fall, and a last look with a large error": case(steeper, one(7, 0.9)),
        "a larger fall, and a best look with a large error": case(steeper, one(4, 0.9)),
        "a look in between with a large error": case(falls, one(6, 6.0, 0.2)),
        "a fall in between, and a last look as good as the best": case(np.r_[falls[:6], -23.5, -21.6]),
        "a best look that leads by a third of a nat": case(np.array([-26.0, -23.4, -23.1, -25.0, -28.0])),
        "a dip, and the best look last": case(np.array([-24.5, -21.9, -23.6, -21.4])),
        "a dip before the best look": case(np.r_[falls[:2], -23.6, falls[3:]]),
        "a fall from the first look on": case(falls[4:]),
        "a rise to the end": case(falls[:5]),
        "a single look": case(falls[:1]),
    }


def _misread(f_train, f_validation, log_z, std_error):
    train, validation = f_train - log_z, f_validation - log_z
    last = len(log_z) - 1

    def look(curve, error=np.hypot, times=2, chosen=np.argmax, where=lambda best: best):
        best = int(chosen(curve))
        fallen = abs(curve[best] - curve[last]) > times * error(std_error[best], std_error[last])
        return where(best) if fallen else None

    best = int(validation.argmax())
    fall = validation[best] - validation[min(best + 1, last)]
    error, before = 2 * np.hypot(std_error[best], std_error[last]), validation[max(last - 1, 0)] - validation[last]
    same = "Both likelihoods subtract the same log Ẑ: what is left of its error in the difference?"
    return {
        "the gap has the wrong sign: training minus validation.": (-f_train + f_validation, ..., ...),
        "log Ẑ is still in your gap: a likelihood is mean log f - log Ẑ.": (f_train - f_validation - log_z, ..., ...),
        "log Ẑ cancels in the gap; you subtract it twice.": (f_train - f_validation - 2 * log_z, ..., ...),
        "that is the training likelihood: subtract the validation likelihood.": (train, ..., ...),
        f"you treat the errors of the gap as independent. {same}": (..., np.sqrt(2) * std_error, ...),
        f"you add two errors of the gap. {same}": (..., 2 * std_error, ...),
        f"that is the error of one likelihood. {same}": (..., std_error, ...),
        "give the error of the gap at every look, shape (n,).": (..., 0.0, ...),
        "take the best validation look, not the best training look.": (..., ..., look(train)),
        "subtract log Ẑ: mean log f alone is no likelihood.": (..., ..., look(f_validation)),
        "the best look has the highest mean log f - log Ẑ, not the highest mean log f.": (
            ..., ..., look(validation, chosen=lambda _: np.argmax(f_validation))),
        "return the gap first, then its error, then the best look.": (np.zeros(last + 1), train - validation, ...),
        "log Ẑ has the wrong sign: log p = log f - log Ẑ.": (..., ..., look(f_validation + log_z)),
        "you use the error of the best look only. The errors of both looks count, as the root of the sum of "
        "squares.": (..., ..., look(validation, lambda a, b: a)),
        "you use the error of the last look only. The errors of both looks count, as the root of the sum of "
        "squares.": (..., ..., look(validation, lambda a, b: b)),
        "your limit is too high: independent errors add as squares.": (..., ..., look(validation, lambda a, b: a + b)),
        "take the errors of the two looks that you compare, not the mean of all errors.": (
            ..., ..., look(validation, lambda a, b: std_error.mean())),
        "your limit is too low: the squares of the two errors add.": (
            ..., ..., look(validation, lambda a, b: (a + b) / 2)),
        "your limit is a little too low: two standard errors of the difference are 2 √(s_best² + s_last²).": (
            ..., ..., look(validation, times=1.96)),
        "two standard errors, not one.": (..., ..., look(validation, times=1)),
        "you do not use the errors: the last look may be worse by chance.": (..., ..., look(validation, times=0)),
        "you return the last look: asked is the best one.": (..., ..., look(validation, where=lambda best: last)),
        "return the index of the best look, not its log likelihood.": (
            ..., ..., look(validation, where=lambda best: validation[best])),
        "count looks from 0, the first.": (..., ..., look(validation, where=lambda best: best + 1)),
        "compare the best look with the last, not with one in between.": (..., ..., best if fall > error else None),
        "compare the last look with the best, not with the one before.": (
            ..., ..., best if before > 2 * np.hypot(*std_error[-2:][[0, -1]]) else None),
        "you return the worst look: asked is the best one.": (..., ..., look(validation, chosen=np.argmin)),
        "return the best look only if the last one is worse by two standard errors, else None.": (..., ..., best),
        "return None, not -1, if the last look is not clearly worse: -1 is an index.": (
            ..., ..., best if look(validation) is not None else -1),
        "the index 0 counts as false in Python: ask `is None`.": (..., ..., look(validation) or None),
    }  # fmt: skip


@exercise(
    hints=(
        "Which of the numbers stands in both likelihoods of one look?",
        "log Ẑ cancels within a look; two looks have two estimates of it, and their squared errors add.",
        "gap = mean log f (train) - mean log f (validation), error 0; best if its lead > 2 √(s_best² + s_last²)",
    ),
    returns={"the gap": "Subtract the two log likelihoods of each look.",
             "its error": "What is left of the error of log Ẑ in the gap?",
             "the best look": "Compare the best look with the last, by the errors of both."},
    cases=_curves, slips=_misread,
    praise="right: the gap needs no log Z at all, and two looks have the errors of both.",
)  # fmt: skip
def gap_and_best_look(mean_f_train, mean_f_validation, log_z, std_error):
    """The gap, its error, and the best look if the last is clearly worse, else None."""
    gap, validation = mean_f_train - mean_f_validation, mean_f_validation - log_z
    best = int(validation.argmax())
    error = np.hypot(std_error[best], std_error[-1])
    return gap, np.zeros(len(gap)), best if validation[best] - validation[-1] > 2 * error else None


# Exercise 2: RAISE
def _chains():
    rng = np.random.default_rng(13)

    def case(n_points, n_chains, level_f=0.0, level_w=0.0):
        log_w = rng.normal(1, 2, (n_points, n_chains)) + level_w
        return rng.normal(0, 3, n_points) + level_f, log_w.ravel()

    return {
        "three points with seven chains each": case(3, 7),
        "log f near -1600 and log weights near -1600": case(4, 5, -1600.0, -1600.0),
        "log weights near 900": case(3, 4, 900.0, 900.0),
        "points with log weights 1600 apart": case(4, 2, 0.0, np.array([0.0, 1600.0, 1600.0, 1600.0])[:, None]),
        "a point with one log weight of 800": case(2, 3, 0.0, np.array([[800.0, 0.0, 0.0], [0.0, 0.0, 0.0]])),
        "one point with two chains": case(1, 2),
    }


def _misaveraged(log_f, log_weights):
    N = len(log_f)
    log_w, mixed = log_weights.reshape(N, -1), log_weights.reshape(-1, N).T
    C = log_w.shape[1]
    right, error = raise_estimate.solution(log_f, log_weights)
    mean, mean_w = right - log_f, _log_means(log_w)
    return {
        "you average w; along chains from the data f/w has the mean p_ann(v).": (log_f + mean_w, ...),
        "one over the mean of w is not the mean of 1/w.": (log_f - mean_w, ...),
        "you average -log w: average 1/w, then take the logarithm.": (log_f - log_w.mean(1), ...),
        "log f is missing: p̂(v) is the mean of f(v)/w.": (mean, ...),
        "log f has the wrong sign: p̂(v) is f(v) times the mean of 1/w.": (mean - log_f, ...),
        "the second term has the wrong sign: add log mean 1/w.": (log_f - mean, ...),
        "points and chains are mixed up: the first C weights belong to the first point, so reshape to (N, C).": (
            log_f + _log_means(-mixed), ...),
        "you subtract the largest before exp: add it after the logarithm.": (right + log_w.min(1), ...),
        "that is a sum over the chains: divide by their number C.": (right + np.log(C), ...),
        "you average over the chains of all points: each point has its own.": (
            log_f + log_mean_exp(-log_weights), ...),
        "that is p̂ itself: return its logarithm.": (np.exp(right), ...),
        "that is the error of the mean log weight; log p̂ is the logarithm of a mean.": (
            ..., log_w.std(1, ddof=1) / np.sqrt(C)),
        "return log p̂ first, then its standard error.": (error, right),
        "divide by C - 1 in the variance: ddof=1.": (..., error * np.sqrt((C - 1) / C)),
        "that is the spread of single chains: a mean of C has an error smaller by √C.": (..., error * np.sqrt(C)),
        "that is the error of p̂: a relative error of p̂ is the error of log p̂.": (..., error * np.exp(right)),
        "that is the error of the mean of w: take the mean of 1/w.": (
            ..., np.exp(log_w - mean_w[:, None]).std(1, ddof=1) / np.sqrt(C)),
    }  # fmt: skip


def _log_means(log_x):
    """log of the mean of each row."""
    return np.array([log_mean_exp(row) for row in log_x])


@exercise(
    hints=(
        "Of which quantity, along chains that start at a data point, is p_ann(v) the mean? And by how much does the "
        "logarithm of a mean change when the mean is off by a little?",
        "Give each point its own row of C log weights; average 1/w without leaving the logarithms. For the error scale "
        "the 1/w of a point so that their mean is 1: what is the standard error of that mean, and of its logarithm?",
        "log p̂(v) = log f(v) + log (1/C) Σ_c 1/w_c; with r_c = (1/w_c) / mean(1/w), its error is std(r, ddof=1) / √C",
    ),
    returns={"log p̂": "Average 1/w over a point's own chains by `ae.log_mean_exp`: exp(1600) is infinite.",
             "the standard error": "If the mean of 1/w is off by 1%, its logarithm is off by 0.01. Scale 1/w to a mean "
                                   "of 1, in logarithms."},
    cases=_chains, slips=_misaveraged, rtol=1e-4,
    praise="right. And the prediction: if one chain outweighs all others, its r is C, the others are 0, and the error "
           "is 1 nat, whatever C is. An error near 1 nat says that one chain made the estimate.",
)  # fmt: skip
def raise_estimate(log_f, log_weights):
    """log p̂ of every point, log f + log mean 1/w over its own chains, and its standard error."""
    log_w = log_weights.reshape(len(log_f), -1)
    log_mean = _log_means(-log_w)
    ratio = np.exp(-log_w - log_mean[:, None])
    return log_f + log_mean, ratio.std(axis=1, ddof=1) / np.sqrt(ratio.shape[1])
