"""Carlson et al. 2016: small problems for simulated tempering and RTS, with exact shares by sums over a grid."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from anneal_edu.distributions import Gaussian, Unnormalized
from anneal_edu.kernels import Kernel
from anneal_edu.paths.geometric import GeometricPath, Path, geometric_path
from anneal_edu.paths.ladder import ladder_on
from anneal_edu.reweighting.density_matrix import log_density_matrix
from anneal_edu.tempering.rts import RTSRound, corrected_rounds, round_of, rts_round
from anneal_edu.tempering.simulated import tempered_walk

BUMPS = np.array([-4.0, 1.0, 5.0])
"""Where the three bumps of `three_bumps` stand."""
_WIDTH, _LOG_Z = 0.35, 8.0
_LOG_HEIGHTS = np.log([0.3, 0.3, 0.4]) + _LOG_Z - np.log(_WIDTH * np.sqrt(2 * np.pi))
_GRID = np.linspace(-15, 15, 6001)[:, None]
_LOG_CELL = float(np.log(_GRID[1, 0] - _GRID[0, 0]))


def _log_bumps(x: np.ndarray) -> np.ndarray:
    exponents = _LOG_HEIGHTS - (x - BUMPS) ** 2 / (2 * _WIDTH**2)  # (..., 3)
    top = exponents.max(-1)
    return top + np.log(np.exp(exponents - top[..., None]).sum(-1))


def three_bumps() -> GeometricPath:
    """From N(0, 1) to three bumps of width 0.35 with shares 0.3, 0.3 and 0.4, and log Z = 8."""
    return geometric_path(Gaussian([0.0], [[1.0]]), Unnormalized(_log_bumps, dim=1))


def gaussians_apart(distance: float) -> GeometricPath:
    """From N(0, 1) to N(distance, 1/4), both normalised; the members in between are Gaussian."""
    return geometric_path(Gaussian([0.0], [[1.0]]), Gaussian([float(distance)], [[1 / 4]]))


def exact_log_z(path: GeometricPath, schedule: np.ndarray) -> np.ndarray:
    """log Z_k of a path in one dimension whose mass lies between -15 and 15, by a sum over a fine grid: (K+1,)."""
    return logsumexp(log_density_matrix(path, schedule, _GRID), axis=1) + _LOG_CELL


def poster_rounds(
    path: Path, schedule: np.ndarray, n_initial: int, n_sweeps: int, n_chains: int, kernel: Kernel, *, rng
) -> Iterator[RTSRound]:
    """Yield rounds without end, as on the poster: n_initial rounds that each correct Ẑ_k, starting at Ẑ_k = Z_0.

    All later rounds keep the last Ẑ_k, and are pooled. `anneal_edu.tempering.rts` anneals up the ladder first.
    """
    start, walk = path(0.0), partial(rts_round, ladder_on(path, schedule, kernel), n_sweeps, rng, None)
    log_z, x, rungs = np.full(len(schedule), start.log_z()), start.sample(n_chains, rng), np.zeros(n_chains, dtype=int)
    yield from corrected_rounds(walk, log_z, x, rungs, n_initial, attrgetter("log_z"))


class Sweeps(NamedTuple):
    """A run of RTS before its first sweep and after each of T sweeps; logarithms are in nats."""

    x: np.ndarray
    """(T + 1, C)"""
    rungs: np.ndarray
    """(T + 1, C)"""
    assumed_log_z: np.ndarray
    """log Ẑ_k in use, (T + 1, K + 1)"""
    log_marginals: np.ndarray
    """log of the shares of time since Ẑ was corrected, Rao-Blackwellised, (T + 1, K + 1)"""
    log_z: np.ndarray
    """The estimate of log Z_K from them, (T + 1,); at first that in use"""
    std_error: np.ndarray
    """(T + 1,)"""
    bumps: np.ndarray
    """Shares of the time on the last rung by the nearest of BUMPS, since Ẑ was corrected, (T + 1, 3)"""


def poster_sweeps(
    path: Path, schedule: np.ndarray, n_initial: int, n_rounds: int, n_sweeps: int, n_chains: int, kernel: Kernel, *,
    rng: np.random.Generator,
) -> Sweeps:
    """The rounds of `poster_rounds`, sweep by sweep, in one dimension."""
    ladder, start, so_far = ladder_on(path, schedule, kernel), path(0.0), []

    def walk(log_z: np.ndarray, x: np.ndarray, k: np.ndarray) -> RTSRound:
        pool, log_sums, visited = so_far[n_initial * n_sweeps :][-1:], np.full((n_chains, len(log_z)), -np.inf), [k]
        for x_now, k_now, log_q in islice(tempered_walk(ladder, log_z, x, k, rng), n_sweeps):
            log_sums = np.logaddexp(log_sums, log_q.T)
            visited.append(k_now)
            latest = round_of(log_z, log_sums, np.array(visited).T, x_now)
            so_far.append(latest.pooled(pool[0]) if pool else latest)
        return latest

    guess, x, rungs = np.full(len(schedule), start.log_z()), start.sample(n_chains, rng), np.zeros(n_chains, dtype=int)
    next(islice(corrected_rounds(walk, guess, x, rungs, n_initial, attrgetter("log_z")), n_rounds - 1, None))
    first = x, rungs, guess, np.where(np.arange(len(guess)), -np.inf, 0.0), guess, np.zeros(len(guess))
    names = "x", "rungs", "assumed_log_z", "log_marginals", "log_z", "std_error"
    x, rungs, *rest, log_z, error = (
        np.array([before, *map(attrgetter(name), so_far)]) for before, name in zip(first, names, strict=True)
    )
    near = np.abs(x - BUMPS).argmin(-1)[..., None] == np.arange(3)  # (T + 1, C, 3)
    counts = np.cumsum((near & (rungs == len(guess) - 1)[..., None]).sum(1), axis=0)
    since = counts - counts[np.arange(len(counts)) - [0, *map(attrgetter("n_sweeps"), so_far)]]
    bumps = since / np.maximum(since.sum(1, keepdims=True), 1)
    return Sweeps(x[..., 0], rungs, *rest, log_z[:, -1], error[:, -1], bumps)
