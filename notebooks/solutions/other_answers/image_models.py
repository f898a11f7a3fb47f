"""Other right answers to the exercises of notebook 09."""

import math

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.stats import multivariate_normal


def by_search(r, spread, budget):
    """The smallest sum of squared bias and variance, found by the computer."""

    def error(log_chains):
        C = math.exp(log_chains)
        return (r / (2 * C)) ** 2 + (spread**2 + r / C) * C / budget

    return math.exp(minimize_scalar(error, bounds=(0, math.log(budget)), method="bounded").x)


def by_the_number_of_patches(r, spread, budget):
    """N first: N³ = 2 spread² budget² / r²."""
    return budget / (2 * (spread * budget / r) ** 2) ** (1 / 3)


def by_covariances(first, second, mc_errors, log_z_error):
    """The variance of a difference, from the covariance matrix."""
    cov = np.cov(first, second)
    return np.hypot(np.sqrt((cov[0, 0] + cov[1, 1] - 2 * cov[0, 1]) / len(first)), log_z_error)


def patch_by_patch(first, second, mc_errors, log_z_error):
    """In loops over the patches."""
    d = [a - b for a, b in zip(first, second, strict=True)]
    mean = sum(d) / len(d)
    return math.sqrt(sum((one - mean) ** 2 for one in d) / (len(d) - 1) / len(d) + log_z_error**2)


def by_scipy(x, bases, noise):
    """The Gaussian of SciPy; of a single image it returns a number."""
    return np.atleast_1d(multivariate_normal(cov=bases @ bases.T + noise**2 * np.eye(len(bases))).logpdf(x))


def in_the_space_of_causes(x, bases, noise):
    """By the Woodbury identity: an inverse of size (L, L)."""
    D, L = bases.shape
    M = np.eye(L) + bases.T @ bases / noise**2
    squares = (x**2).sum(1) / noise**2 - (x @ bases * np.linalg.solve(M, bases.T @ x.T).T).sum(1) / noise**4
    return -0.5 * (squares + D * np.log(2 * np.pi * noise**2) + np.linalg.slogdet(M)[1])


ANSWERS = {
    "chains_per_patch": (by_search, by_the_number_of_patches),
    "gap_error": (by_covariances, patch_by_patch),
    "linear_gaussian": (by_scipy, in_the_space_of_causes),
}
