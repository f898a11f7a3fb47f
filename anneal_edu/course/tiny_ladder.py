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
from anneal_edu.tempering.parallel import tempering_states

ALONE = "no swaps"


def gap_ladder(n_pairs: int = 3, depth: float = 6.0) -> np.ndarray:
    """log f of three states in a row on every rung, (K+1, 3): at β = 1 the middle one lies ``depth`` nats lower.

    Examples
    --------
    >>> gap_ladder(2, 6.0)[-1]
    array([ 0., -6.,  0.])
    """
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


class Rung:
    """One row of `gap_ladder` as a distribution: its Gibbs sweep is the Metropolis step of the matrices above."""

    dim, discrete = 1, True

    def __init__(self, row: np.ndarray):
        self.row, self.p = row, np.exp(row - np.logaddexp.reduce(row))
        self.cumulative = np.cumsum(metropolis_matrix(row), axis=1)

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """Log f of states (C, 1)."""
        return self.row[np.asarray(x)[..., 0].astype(int)]

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Exact draws, (n, 1)."""
        return rng.choice(len(self.p), size=(n, 1), p=self.p)

    def gibbs(self, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """One Metropolis step, (C, 1)."""
        return (rng.random((len(x), 1)) > self.cumulative[x[:, 0]]).sum(1, keepdims=True)


def simulated_sweeps_per_draw(
    scheme: str, log_f: np.ndarray, n_sweeps: int, n_ladders: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Sweeps per draw as the library's own ladders find them, and the standard error over ladders."""
    rungs = {float(beta): Rung(row) for beta, row in zip(linear_schedule(len(log_f) - 1), log_f, strict=True)}

    def settled(rung, x, rng):  # every rung begins at draws of its own
        return rung.gibbs(x if settled.calls >= len(log_f) else rung.sample(len(x), rng), rng)

    def kernel(rung, x, rng):
        moved = settled(rung, x, rng)
        settled.calls += 1
        return moved

    settled.calls = 0
    states = tempering_states(rungs.__getitem__, linear_schedule(len(log_f) - 1), n_ladders, kernel, scheme, rng=rng)
    p = rungs[1.0].p[0]
    mean = sum((next(states).x[-1, :, 0] == 0) - p for _ in range(n_sweeps)) / n_sweeps
    found = n_sweeps * mean**2 / (p * (1 - p))
    return float(found.mean()), float(found.std(ddof=1) / np.sqrt(n_ladders))
