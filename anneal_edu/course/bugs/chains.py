"""How many independent draws a chain is worth: the smallest of the plain algorithms, with the most bugs."""

from __future__ import annotations

import numpy as np


def effective_draws(x: np.ndarray) -> float:
    """T / (1 + 2 Σ_t ρ_t) of a chain x (T,), the sum up to the first autocorrelation that is not positive.

    The rule is the simplest of those that Geyer discusses ("Practical Markov chain Monte Carlo", 1992, Section 3.3).
    """
    away = x - x.mean()
    total = 0.0
    for lag in range(1, len(x) // 2):
        rho = (away[:-lag] @ away[lag:]) / (away @ away)
        if rho <= 0:
            break
        total += rho
    return float(len(x) / (1 + 2 * total))
