"""Ladders, integrals and single chains with a fault in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anneal_edu.annealing.ais import ais
from anneal_edu.auditing.problems import TwoBumps
from anneal_edu.course.bugs.annealed import leaning_path
from anneal_edu.course.bugs.planting import Plant
from anneal_edu.course.bugs.subject import Answer, of
from anneal_edu.distributions import Gaussian
from anneal_edu.kernels import random_walk
from anneal_edu.paths.geometric import geometric_path
from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.reweighting.density_matrix import log_density_matrix
from anneal_edu.tempering.matrices import ladder_distribution, lifted_matrix, tag_states

TINY_LADDER = np.log([[1.0, 1.0], [1.0, 2.0], [1.0, 5.0], [1.0, 9.0]])



def bumps_path(scale: float) -> Any:
    """From N(0, 9) to two bumps."""
    return geometric_path(Gaussian([0.0], [[9.0 * scale**2]]), _Wider(scale))


@dataclass(frozen=True, eq=False)
class _Wider:
    """`TwoBumps` in coordinates ``scale`` times as large; its log Z is 2 + log scale."""

    scale: float
    dim = 1

    def log_density(self, x: np.ndarray) -> np.ndarray:
        return TwoBumps().log_density(x / self.scale)

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        return self.scale * TwoBumps().sample(n, rng)


def other_bumps(scale: float, n: int, rng: np.random.Generator) -> Answer:
    return of(ais(bumps_path(scale), linear_schedule(20), n, random_walk(scale), rng=rng, workers=1))


def tempered_run(swaps: str, plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    plant("kernels")
    plant("tempering.swaps")
    run, kernel = plant("tempering.parallel").parallel_tempering, random_walk(scale)
    path, betas = bumps_path(scale), linear_schedule(3)
    return of(run(path, betas, 60, n // 5, kernel, swaps, n_burn_in=40, keep="nothing", rng=rng, workers=1))


class _TinyRung:
    """A distribution over two states."""

    def __init__(self, log_f: np.ndarray):
        self.log_f = log_f

    def log_density(self, x: np.ndarray) -> np.ndarray:
        return self.log_f[x[..., 0]]


class _EveryPair:
    def propose(self, rng: np.random.Generator) -> np.ndarray:
        return np.ones((1, 4), dtype=bool)

    def update(self, accepted: np.ndarray) -> None:
        """It has no memory."""


def swap_matrix_of(plant: Plant) -> tuple[np.ndarray, np.ndarray]:
    """Exchanges on two rungs and two states: with the probability of `sweep`, and as `swapped` makes them."""
    swapped, sweep = plant("kernels").swapped, plant("tempering.parallel").pt_sweep
    states = np.array([[0, 0, 1, 1], [0, 1, 0, 1]])  # (K+1, C): a ladder for each configuration
    rungs, still = [_TinyRung(row) for row in TINY_LADDER[[0, 3]]], lambda f, x, rng: x
    alpha = np.exp(sweep(rungs, states[..., None], _EveryPair(), still, np.random.default_rng(0))[3][0])
    new = swapped(states, np.ones((1, 4), dtype=bool))
    T = np.diag(1 - alpha)
    T[np.arange(4), 2 * new[0] + new[1]] += alpha
    return T, ladder_distribution(TINY_LADDER[[0, 3]])


def lifted_matrix_of(plant: Plant) -> tuple[np.ndarray, np.ndarray]:
    """Tag and configurations in full, the tag's move as `Lifted` makes it; one that leaves is put at the start."""
    walker = plant("tempering.swaps").Lifted(3, 1)

    def move(n: int, e: int, accepted: bool, n_pairs: int) -> tuple[int, int]:
        walker.rung, walker.direction = np.array([n]), np.array([e])
        walker.update(np.full((n_pairs, 1), accepted))
        return int(walker.rung[0]), int(walker.direction[0])

    tags = tag_states(3)
    T = lifted_matrix(TINY_LADDER, lambda *state: found if (found := move(*state)) in tags else tags[0])
    return T, np.tile(ladder_distribution(TINY_LADDER), len(tags)) / len(tags)


def rts_run(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    plant("tempering.simulated")
    run, path = plant("tempering.rts").rts, bumps_path(scale)
    return of(run(path, linear_schedule(4), 6, 12, n, random_walk(scale), n_initial=3, rng=rng, workers=1))


def integrated_run(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    path, betas = leaning_path(scale), linear_schedule(40)
    x = np.concatenate([path(beta).sample(n, rng) for beta in betas])
    matrix, integrate = log_density_matrix(path, betas, x), plant("reweighting.integration").thermodynamic_integration
    return of(integrate(matrix, np.full(len(betas), n), betas, start_log_z=0.0))


def chain_mean(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    x = np.zeros((1, 1))
    target, walk, chain = Gaussian([0.0], [[1.0]]), random_walk(1.5), []
    for _ in range(300):
        x = walk(target, x, rng)
        chain.append(x[0, 0])
    seen = np.array(chain)
    error = float(seen.std() / np.sqrt(plant("course.bugs.chains").effective_draws(seen)))
    value = float(seen.mean())
    return Answer(value, error, value - 1.96 * error, value + 1.96 * error)
