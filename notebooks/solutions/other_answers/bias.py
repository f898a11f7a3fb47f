"""Other right answers to the exercises of notebook 03."""

import numpy as np
from scipy.optimize import minimize_scalar

import anneal_edu as ae


def by_search(mean, cov):
    """Both widths by minimising the library's own divergence."""
    p = ae.Gaussian(mean, cov)

    def least(divergence):
        def at(log_variance):
            return divergence(ae.Gaussian(mean, np.exp(log_variance) * np.eye(len(mean))))

        return mean, np.exp(minimize_scalar(at, bounds=(-15, 15), method="bounded", options={"xatol": 1e-5}).x)

    return least(lambda q: ae.kl_divergence(p, q)), least(lambda q: ae.kl_divergence(q, p))


def by_axes(mean, cov):
    """The mean of the variances along the axes of p, and their harmonic mean."""
    axes = np.linalg.eigvalsh(cov)
    return [[mean, axes.mean()], [mean, 1 / np.mean(1 / axes)]]


def seconds_as_in_the_lesson(costs, seconds, budget):
    """With u_j = t_j K_j the loss is Σ F_j t_j / u_j: Theorem 3 for the costs F_j t_j, in seconds."""
    u = budget * np.sqrt(costs * seconds) / np.sqrt(costs * seconds).sum()
    return u / seconds


def by_lagrange(costs, seconds, budget):
    """K_j = √(F_j / λ t_j), with the λ that spends the budget."""
    root_of_lambda = sum(np.sqrt(F * t) for F, t in zip(costs, seconds, strict=True)) / budget
    return [np.sqrt(F / t) / root_of_lambda for F, t in zip(costs, seconds, strict=True)]


def most_alike_without_it(n_steps, forward, reverse):
    """The row without which the others agree best."""
    total = n_steps * (forward + reverse)
    return np.argmin([np.delete(total, i).std() for i in range(len(total))])


def farthest_from_the_mean(n_steps, forward, reverse):
    """In logs, and compared with the mean."""
    logs = np.log(n_steps) + np.log(forward + reverse)
    return int(abs(logs - logs.mean()).argmax())


ANSWERS = {
    "nearest_round": (by_search, by_axes),
    "allocation": (seconds_as_in_the_lesson, by_lagrange),
    "wrong_entry": (most_alike_without_it, farthest_from_the_mean),
}
