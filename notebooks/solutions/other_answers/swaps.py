"""Other right answers to the exercises of notebook 10."""

import math

import numpy as np

import anneal_edu as ae


def by_two_steps(n, e, accepted, K):
    """There and look back, if accepted; then S, which turns the tag inside the ladder."""
    if accepted:
        n, e = n + e, -e
    return np.array([n, -e if 0 < n < K else e])


def by_the_ends(n, e, accepted, K):
    """At an end there is only one direction."""
    n += e * accepted
    if n == 0:
        return n, 1
    if n == K:
        return n, -1
    return n, e if accepted else -e


def by_a_table(path, betas, x):
    """All nine log densities, as a table."""
    f = np.array([[path(beta).log_density(state) for state in x] for beta in betas])
    return np.minimum(1, np.exp(f[0, 2] + f[1, 0] + f[2, 1] - f[0, 0] - f[1, 1] - f[2, 2]))


def by_a_roll(path, betas, x):
    """The log density of the whole ladder, after and before."""

    def log_f(states):
        return sum(path(beta).log_density(state) for beta, state in zip(betas, states, strict=True))

    return np.exp(np.clip(log_f(np.roll(x, 1, axis=0)) - log_f(x), None, 0))


def by_the_library(schedule, rates, most):
    """A smooth curve through the points."""
    return ae.equal_rejection_schedule(schedule, rates, math.ceil(rates.sum() / most))


def by_trial(schedule, rates, most):
    """One pair more until it is enough."""
    K, total = 1, sum(rates)
    while total / K > most:
        K += 1
    return [float(np.interp(k * total / K, np.r_[0, np.cumsum(rates)], schedule)) for k in range(K + 1)]


ANSWERS = {
    "lifted_rule": (by_two_steps, by_the_ends),
    "turn_probability": (by_a_table, by_a_roll),
    "equal_ladder": (by_the_library, by_trial),
}
