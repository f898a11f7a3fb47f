"""p-values that the audit and the course's lesson on bugs share."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr


def z_and_p(differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """z = mean / (sd / √N) along the first axis, and its two-sided p-value.

    A mean of differences that are nearly all zero is not normal yet: with fewer than 50 others z is 0 and p is 1.
    """
    mean, sd = differences.mean(0), differences.std(0, ddof=1)
    enough = (np.count_nonzero(differences, axis=0) >= 50) & (sd > 0)
    z = np.where(enough, mean / np.where(enough, sd / np.sqrt(len(differences)), 1.0), 0.0)
    return z, 2 * ndtr(-np.abs(z))


def bonferroni(p_values: np.ndarray) -> float:
    """The p-value of the smallest of several."""
    return float(min(1.0, len(p_values) * p_values.min()))


def error_bar_p_value(values: np.ndarray, std_errors: np.ndarray, slack: float) -> float:
    """Compare reported standard errors with the spread of the values over runs; a factor ``slack`` is allowed.

    The log variance of n values has variance (kurtosis - 1) / n; a kurtosis below 3 counts as 3.
    """
    n, spread, own = len(values), values.std(ddof=1), float(np.sqrt((std_errors**2).mean())) + 1e-300
    kurtosis = max(3.0, ((values - values.mean()) ** 4).mean() / values.var() ** 2)
    noise = np.sqrt((kurtosis - 1) / n) + 2 * std_errors.std() / own / np.sqrt(n)
    z = max(0.0, abs(2 * np.log(own / spread)) - 2 * np.log(slack)) / noise
    return float(2 * ndtr(-z))
