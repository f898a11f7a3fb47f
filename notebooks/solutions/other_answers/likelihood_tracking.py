"""Other right answers to the exercises of notebook 13."""

import numpy as np
from scipy.special import logsumexp


def from_both_likelihoods(mean_f_train, mean_f_validation, log_z, std_error):
    """The gap as a difference of two likelihoods, and variances compared."""
    train, validation = mean_f_train - log_z, mean_f_validation - log_z
    best = np.argmax(validation)
    lead, variance = validation[best] - validation[-1], std_error[best] ** 2 + std_error[-1] ** 2
    if lead**2 > 4 * variance:
        return train - validation, 0 * std_error, best
    return train - validation, 0 * std_error, None


def look_by_look(mean_f_train, mean_f_validation, log_z, std_error):
    """In lists."""
    validation = [f - z for f, z in zip(mean_f_validation, log_z, strict=True)]
    best = validation.index(max(validation))
    error = (std_error[best] ** 2 + std_error[-1] ** 2) ** 0.5
    gap = [a - b for a, b in zip(mean_f_train, mean_f_validation, strict=True)]
    return gap, [0.0] * len(gap), best if max(validation) - 2 * error > validation[-1] else None


def by_logsumexp(log_f, log_weights):
    """With 1/w scaled to a largest value of 1."""
    log_r = -log_weights.reshape(len(log_f), -1)
    C = log_r.shape[1]
    log_p = log_f + logsumexp(log_r, axis=1) - np.log(C)
    r = np.exp(log_r - log_r.max(axis=1, keepdims=True))
    return log_p, r.std(axis=1, ddof=1) / r.mean(axis=1) / np.sqrt(C)


def point_by_point(log_f, log_weights):
    """One point at a time, the variance of a mean from its squares."""
    log_p, errors = [], []
    for f, log_w in zip(log_f, np.split(log_weights, len(log_f)), strict=True):
        total = np.logaddexp.reduce(-log_w)
        share = np.exp(-log_w - total)
        C = len(log_w)
        log_p.append(f + total - np.log(C))
        errors.append(np.sqrt(((C * share - 1) ** 2).sum() / (C - 1) / C))
    return np.array(log_p), np.array(errors)


ANSWERS = {
    "gap_and_best_look": (from_both_likelihoods, look_by_look),
    "raise_estimate": (by_logsumexp, point_by_point),
}
