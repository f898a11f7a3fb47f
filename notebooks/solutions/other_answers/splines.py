"""Other right answers to the exercises of notebook 05."""

import numpy as np
from scipy.special import logsumexp
from scipy.stats import binom

import anneal_edu as ae


def state_by_state(h, p_h, weights, visible_bias):
    """Sums over the states, one after the other."""
    mean_v, mean_h, mean_vh = 0, 0, 0
    for row, share in zip(h, p_h, strict=True):
        v = np.exp(-np.logaddexp(0, -(visible_bias + weights @ row)))
        mean_v, mean_h, mean_vh = mean_v + share * v, mean_h + share * row, mean_vh + share * np.outer(v, row)
    return [mean_v, mean_h, mean_vh]


def by_einsum(h, p_h, weights, visible_bias):
    """The sigmoid as numpy has it, and one sum over states with indices."""
    v = 1 / (1 + np.exp(-(h @ weights.T + visible_bias)))
    return np.average(v, 0, p_h), np.average(h, 0, p_h), np.einsum("s,si,sj->ij", p_h, v, h)


def until_it_is_near(rbm, target):
    """With a loop that ends when every moment is right."""
    weights, b, c = rbm.weights, rbm.visible_bias, rbm.hidden_bias
    while True:
        slopes = [s - m for s, m in zip(target, rbm.moments(), strict=True)]
        if max(abs(slope).max() for slope in slopes) < 0.001:
            return rbm
        weights, b, c = weights + 0.2 * slopes[2], b + 0.2 * slopes[0], c + 0.2 * slopes[1]
        rbm = ae.BinaryRBM(weights, b, c)


def with_momentum(rbm, target):
    """With steps that remember the last one."""
    parameters, last = [rbm.visible_bias, rbm.hidden_bias, rbm.weights], [0, 0, 0]
    for _ in range(500):
        model = ae.BinaryRBM(parameters[2], parameters[0], parameters[1]).moments()
        last = [0.8 * x + 0.2 * (s - m) for x, s, m in zip(last, target, model, strict=True)]
        parameters = [x + step for x, step in zip(parameters, last, strict=True)]
    return ae.BinaryRBM(parameters[2], parameters[0], parameters[1])


def in_logs(p_h, reach, n_chains):
    """With a chain's miss in logs."""
    with np.errstate(divide="ignore"):
        return logsumexp(np.log(p_h) + np.log(-np.expm1(n_chains * np.log1p(-reach))))


def by_binomial(p_h, reach, n_chains):
    """The probability of at least one success."""
    return np.log(np.sum(p_h * binom.sf(0, n_chains, reach)))


ANSWERS = {
    "moments": (state_by_state, by_einsum),
    "fit_knot": (until_it_is_near, with_momentum),
    "predicted_miss": (in_logs, by_binomial),
}
