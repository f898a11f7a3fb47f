"""Kadan, Syed and Wøien (2018): the swap schemes on a ladder of three states, exactly by matrices."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from anneal_edu.annealing.matrices import metropolis_matrix
from anneal_edu.course.experiments.rejections import exact_rejection
from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.tempering.matrices import (
    even_odd_matrices,
    expected_round_trip_time,
    exploration_matrix,
    ladder_distribution,
    lifted_matrix,
    spectral_gap,
)

ALONE = "no swaps"


def gap_ladder(n_pairs: int = 3, depth: float = 6.0) -> np.ndarray:
    """log f of three states in a row on every rung, (K+1, 3): at β = 1 the middle one lies ``depth`` nats lower."""
    return linear_schedule(n_pairs)[:, None] * np.array([0.0, -depth, 0.0])


def autocorrelation_time(T: np.ndarray, p: np.ndarray, f: np.ndarray) -> float:
    """Sweeps per independent draw for the mean of a feature f (n,), exactly: 1 + 2 Σ_t corr(f_0, f_t).

    T (n, n) is the transition matrix, and p (n,) its invariant distribution.
    """
    f = f - p @ f
    g = np.linalg.solve(np.eye(len(T)) - T + p, f)  # Σ_t T^t f
    return float(2 * p @ (f * g) / (p @ (f * f)) - 1)


class Scheme(NamedTuple):
    """What one scheme does, exactly."""

    gap: float  # 1 - |λ₂| of one sweep
    trip: float  # mean sweeps in a round trip of a replica, the tagged one of the lifted scheme
    sweeps_per_draw: float  # for "the target's chain is in the left state"


def schemes(log_f: np.ndarray) -> dict[str, Scheme]:
    """Metropolis on every rung, then swaps, for each scheme and for the target's chain alone."""
    n_rungs, n_states = log_f.shape
    transitions = [metropolis_matrix(row) for row in log_f]
    p, target = ladder_distribution(log_f), np.exp(log_f[-1] - np.logaddexp.reduce(log_f[-1]))
    left = (np.arange(len(p)) % n_states == 0).astype(float)  # the last rung varies fastest
    explore, (even, odd) = exploration_matrix(transitions), even_odd_matrices(log_f)
    nothing, tags = np.zeros_like(explore), 2 * (n_rungs - 1)
    rates = np.array([exact_rejection(*pair) for pair in pairwise(log_f)])

    def time(T, copies):
        return autocorrelation_time(T, np.tile(p, copies) / copies, np.tile(left, copies))

    coin = explore @ (0.5 * (even + odd))
    turns = np.block([[nothing, explore @ even], [explore @ odd, nothing]])  # whose turn it is, and the states
    lifted = np.kron(np.eye(tags), explore) @ lifted_matrix(log_f)
    two_sweeps = spectral_gap(explore @ even @ explore @ odd)
    alone = transitions[-1]
    return {
        ALONE: Scheme(spectral_gap(alone), np.inf, autocorrelation_time(alone, target, np.eye(n_states)[0])),
        "stochastic_even_odd": Scheme(
            spectral_gap(coin), expected_round_trip_time("stochastic_even_odd", rates), time(coin, 1)
        ),
        "even_odd": Scheme(1 - np.sqrt(1 - two_sweeps), expected_round_trip_time("even_odd", rates), time(turns, 2)),
        "lifted": Scheme(spectral_gap(lifted), expected_round_trip_time("lifted", rates), time(lifted, tags)),
    }
