"""For all papers on tempering: how often swaps are rejected under perfect exploration, and the ladder that evens it."""

from __future__ import annotations

import numpy as np

from anneal_edu.paths.geometric import Path
from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.tempering.ladders import equal_rejection_schedule


def rejection(below: np.ndarray, above: np.ndarray) -> float:
    """How often a swap is rejected, from values of log q/p at draws of p (n,) and of q (n,).

    min(1, ratio) averaged over p × q is twice the probability that of two draws the one of p has the larger log q/p,
    ties counted by half: the rejection rate is one minus that.
    """
    below, above = np.sort(below), np.asarray(above)
    smaller = np.searchsorted(below, above, "left") + np.searchsorted(below, above, "right")
    return float(max(0.0, smaller.mean() / len(below) - 1))


def exact_rejection(log_p: np.ndarray, log_q: np.ndarray) -> float:
    """The same without draws: a sum over all states, or over a grid, on which log f of both is given: (n,) each."""
    p, q = (np.exp(log_f - np.logaddexp.reduce(log_f)) for log_f in (log_p, log_q))
    gain, which = np.unique(log_q - log_p, return_inverse=True)
    p, q = (np.bincount(which, weights=mass, minlength=len(gain)) for mass in (p, q))
    return float(1 - 2 * (q * (1 - np.cumsum(p) + 0.5 * p)).sum())


def perfect_rejections(path: Path, schedule: np.ndarray, n_draws: int, rng: np.random.Generator) -> np.ndarray:
    """Rejection rates (K,) of a ladder whose rungs hold independent exact draws."""
    p = path(0.0)
    rates, low = [], p.sample(n_draws, rng)
    for beta in schedule[1:]:
        q = path(float(beta))
        high = q.sample(n_draws, rng)
        rates.append(rejection(*(q.log_density(x) - p.log_density(x) for x in (low, high))))
        p, low = q, high
    return np.array(rates)


def equal_ladder(
    path: Path, n_pairs: int, n_draws: int, rng: np.random.Generator, n_fine: int = 100
) -> tuple[np.ndarray, np.ndarray]:
    """The schedule (K+1,) with equal rejection rates, found from ``n_fine`` pairs, and these rates."""
    schedule = linear_schedule(n_fine)
    for _ in range(3):
        rates = perfect_rejections(path, schedule, n_draws, rng)
        schedule = equal_rejection_schedule(schedule, rates, n_pairs)
    return schedule, perfect_rejections(path, schedule, n_draws, rng)
