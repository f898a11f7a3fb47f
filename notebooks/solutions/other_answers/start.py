"""Other right answers to the exercises of notebook 00."""

import math

import numpy as np

import anneal_edu as ae


def by_the_worst_ends(log_f_a, log_f_b, log_z_a, log_z_b, error):
    """Compare the worst that each model may be with the best that the other may be."""
    mean_log_p_a, mean_log_p_b = np.mean(log_f_a) - log_z_a, np.mean(log_f_b) - log_z_b
    if mean_log_p_a - error > mean_log_p_b + error:
        return "a"
    if mean_log_p_b - error > mean_log_p_a + error:
        return "b"
    return "undecided"


def by_select(log_f_a, log_f_b, log_z_a, log_z_b, error):
    """The gap in a sum over observations, and the word from `numpy.select`."""
    gap = sum(log_f_a) / len(log_f_a) - sum(log_f_b) / len(log_f_b) - log_z_a + log_z_b
    return np.select([gap > 2 * error, gap < -2 * error], ["a", "b"], "undecided")


ANSWERS = {
    "log_number_of_states": (math.log(2**20 / 2), 13.17),
    "better_model": (by_the_worst_ends, by_select),
    "your_path": (
        ae.moment_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([3.0], [[1.0]])),
        lambda beta: ae.Gaussian([3 * beta**2], [[1.0]]),
    ),
}
