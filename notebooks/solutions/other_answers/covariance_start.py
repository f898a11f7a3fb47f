"""Other right answers to the exercises of notebook 07."""

import math

import numpy as np
from scipy.special import softmax


def by_the_variance_of_v(beta, start_variance, noise_variance):
    """Given x, v has the variance σ²; the rest of its variance is in its mean, and a sweep keeps that share."""
    precision = beta / noise_variance + (1 - beta) / start_variance
    return np.float32(1 - noise_variance * precision)


def by_precisions(beta, start_variance, noise_variance):
    """The squared correlation of v with x."""
    of_v = 1 / noise_variance
    of_x = (1 - beta) * (1 / noise_variance + 1 / (start_variance - noise_variance))
    return ((1 - beta) / noise_variance) ** 2 / (of_v * of_x)


def by_numpy(h, log_weights, grbm):
    """Let numpy weigh."""
    w, v = softmax(log_weights), grbm.visible_mean(h)
    return np.average(v, axis=0, weights=w), np.cov(v.T, aweights=w, ddof=0) + np.diag(grbm.sigma**2)


def by_second_moments(h, log_weights, grbm):
    """E[v vᵀ] - E[v] E[v]ᵀ, chain by chain."""
    w = np.exp(log_weights - np.logaddexp.reduce(log_weights))
    mean, square = 0.0, np.diag(grbm.sigma**2)
    for weight, v in zip(w, h @ grbm.weights.T * grbm.sigma + grbm.visible_bias, strict=True):
        mean, square = mean + weight * v, square + weight * np.outer(v, v)
    return [mean, square - np.outer(mean, mean)]


def in_logs(q, W, n_runs, n_chains):
    """Through log1p."""
    stays_away = math.log1p(-q)
    return math.exp(n_runs * n_chains * stays_away), math.log1p(-q * W) - stays_away


def as_an_array(q, W, n_runs, n_chains):
    """The weight of the others, in units of Z, is 1 less what the rare chains bring beyond their share."""
    others = 1 - q * (W - 1) / (1 - q)
    return np.array([((1 - q) ** n_chains) ** n_runs, np.log(others)])


ANSWERS = {
    "kept": (by_the_variance_of_v, by_precisions),
    "weighted_covariance": (by_numpy, by_second_moments),
    "unseen": (in_logs, as_an_array),
}
