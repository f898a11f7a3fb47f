"""Other right answers to the exercises of notebook 12."""

import math

import numpy as np
from scipy.special import logsumexp, softmax


def by_softmax(log_f, log_z, wanted):
    """The guess that already has the wanted shares in it, then (2) and (3) as they are."""
    guess = log_z - np.log(wanted)
    c = softmax(log_f - guess[:, None], axis=0).mean(axis=1)
    ratio = c / wanted
    return c, log_z + np.log(ratio / ratio[0])


def draw_by_draw(log_f, log_z, wanted):
    """The largest logarithm of each draw is taken off before exp."""
    q = []
    for column in log_f.T:
        logs = np.log(wanted) + column - log_z
        weights = np.exp(logs - logs.max())
        q.append(weights / weights.sum())
    c = np.mean(q, axis=0)
    step = np.log(c) - np.log(wanted)
    return [c, log_z + step - step[0]]


def without_rounding(slopes, tolerance):
    """From the coarse rule, a real number of steps."""
    h = 1 / (len(slopes) - 1)
    fine = h * (slopes.sum() - (slopes[0] + slopes[-1]) / 2)
    coarse = 2 * h * (slopes[::2].sum() - (slopes[0] + slopes[-1]) / 2)
    return math.sqrt(abs(coarse - fine) / (3 * tolerance)) / h


def one_more_at_least(slopes, tolerance):
    """A whole number, one more than rounded down."""
    K = len(slopes) - 1
    error = abs(np.trapezoid(slopes, dx=1 / K) - np.trapezoid(slopes[::2], dx=2 / K)) / 3
    return max(1, int(K * (error / tolerance) ** 0.5) + 1)


def with_weights(log_f, counts, log_z):
    """The weights as those of logsumexp."""
    s = counts / counts.sum()
    return np.mean(logsumexp(log_f - log_z[:, None], b=s[:, None], axis=0)) + np.sum(s * log_z)


def as_one_mean(log_f, counts, log_z):
    """Both terms in one mean over the draws, rungs without draws left out."""
    some = counts > 0
    n, f, z = counts[some], log_f[some], log_z[some]
    return (logsumexp(f + (np.log(n / n.sum()) - z)[:, None], axis=0) + (n * z).sum() / n.sum()).mean()


ANSWERS = {
    "corrected": (by_softmax, draw_by_draw),
    "steps_needed": (without_rounding, one_more_at_least),
    "mbar_objective": (with_weights, as_one_mean),
}
