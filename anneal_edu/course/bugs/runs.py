"""Runs of plain algorithms with a fault in them, on paths with a known log Z."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from anneal_edu.auditing.problems import THREE_BITS, Skewed, TwoBumps, Walled
from anneal_edu.course.bugs.planting import Plant
from anneal_edu.distributions import BinaryRBM, Gaussian, Unnormalized
from anneal_edu.kernels import Kernel, gibbs, random_walk
from anneal_edu.paths.geometric import geometric_path
from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.reweighting.density_matrix import log_density_matrix
from anneal_edu.tempering.matrices import ladder_distribution, lifted_matrix, tag_states


@dataclass(frozen=True)
class Answer:
    """What one run returns: a value, its standard error and 95% interval, and whether it warns."""

    value: float
    std_error: float
    low: float
    high: float
    warned: bool = False


def answer_of(result: Any) -> Answer:
    """The answer of a result of the library."""
    if hasattr(result, "interval"):
        return Answer(result.log_z, result.std_error, *result.interval(0.95, n_resamples=200), bool(result.warnings))
    found = result.estimate
    warned = any(w.kind in ("rungs never meet", "coarse rule", "uneven visits") for w in found.warnings)
    return replace(_normal(found.log_z, found.std_error), warned=warned)


def _normal(value: float, std_error: float) -> Answer:
    return Answer(value, std_error, value - 1.96 * std_error, value + 1.96 * std_error)


Run = Callable[[Plant, float, int, np.random.Generator], Answer]


# Problems: paths in coordinates `scale` times as large, with their log Z


def skewed_path(scale: float) -> Any:
    """From N(0, 4) to a density with one long tail: log Z = log scale."""
    return geometric_path(Gaussian([0.0], [[4.0 * scale**2]]), Skewed(scale * np.eye(1), 0.5 * scale * np.ones(1)))


def shifted_path(scale: float) -> Any:
    """From N(0, 1) to N(1.5, 1): the weights are log-normal in both directions."""
    return geometric_path(Gaussian([0.0], [[scale**2]]), Gaussian([1.5 * scale], [[scale**2]]))


def far_path(scale: float) -> Any:
    """From N(0, 1) to N(0, 40)."""
    return geometric_path(Gaussian([0.0], [[scale**2]]), Gaussian([0.0], [[40.0 * scale**2]]))


def leaning_path(scale: float) -> Any:
    """Between two Gaussians of two correlated coordinates, whose Gibbs sweeps have an order."""
    cov, mean = scale**2 * np.array([[1.0, 0.9], [0.9, 1.0]]), scale * np.array([1.0, 0.0])
    return geometric_path(Gaussian([0.0, 0.0], 2 * cov), Gaussian(mean, cov))


def bumps_path(scale: float) -> Any:
    """From N(0, 9) to two bumps: log Z = 2 + log scale."""
    wider = Unnormalized(lambda x: TwoBumps().log_density(x / scale), 1)
    return geometric_path(Gaussian([0.0], [[9.0 * scale**2]]), wider)


def wall_path(scale: float, mean: float = 2.5, var: float = 6.0) -> Any:
    """From a wide Gaussian to Gamma(3) on x > 0, at scale 1 only: log Z = log 2."""
    return geometric_path(Gaussian([mean], [[var]]), Walled())


def rbm_path(rbm: Any = BinaryRBM) -> Callable[[float], Any]:
    """β times every parameter of a small RBM."""
    weights, b, c = THREE_BITS.weights, THREE_BITS.visible_bias, THREE_BITS.hidden_bias
    return lambda beta: rbm(beta * weights, beta * b, beta * c)


# Runs


def planted(make: Callable[[Plant], Run]) -> Run:
    """A run with something of the plant in it."""
    return lambda plant, scale, n, rng: make(plant)(plant, scale, n, rng)


def annealed(
    n_steps: int, path: Callable[[float], Any], kernel: Callable[[float], Kernel] = lambda scale: gibbs, times: int = 1
) -> Run:
    """AIS, with ``times`` n chains."""

    def run(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
        estimate, betas = plant("annealing.ais").ais, linear_schedule(n_steps)
        return answer_of(estimate(path(scale), betas, times * n, kernel(scale), rng=rng, workers=1))

    return run


def walk(width: float) -> Callable[[float], Kernel]:
    """A random walk, by the scale."""
    return lambda scale: random_walk(width * scale)


def reverse_run(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    path, estimate = shifted_path(scale), plant("annealing.reverse").reverse_ais
    return answer_of(
        estimate(path, linear_schedule(4), path(1.0).sample(n, rng), random_walk(scale), rng=rng, workers=1)
    )


def hais_run(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    estimate, ends = plant("annealing.hais").hais, skewed_path(scale)
    path = plant("paths.geometric").GeometricPath(ends.start, ends.end)
    return answer_of(estimate(path, linear_schedule(30), n, 0.8 * scale, 0.3, rng=rng, workers=1))


def momentum_kernel(plant: Plant) -> Kernel:
    """Eight transitions from a fresh momentum."""

    def move(f: Any, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        settings = [1.0] * 9, x, rng.standard_normal(x.shape), [1.2] * 8, [0.3] * 8, rng
        *_, last = plant("annealing.hais").hais_states(lambda beta: f, *settings)
        return last.x

    return move


def up_and_down(plant: Plant) -> Kernel:
    move = plant("tempering.transitions").tempered_transitions(leaning_path(1.0), linear_schedule(5))
    return lambda f, x, rng: move(move.target, x, rng)


def product_of_both(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    """E[x₀ x₁] of exact draws that have been moved ten times."""
    x, move = leaning_path(1.0)(1.0).sample(n, rng), up_and_down(plant)
    for _ in range(10):
        x = move(None, x, rng)
    products = x[:, 0] * x[:, 1]
    return _normal(float(products.mean()), float(products.std(ddof=1) / np.sqrt(n)))


def persistent_kernel(plant: Plant) -> Kernel:
    """One update's negative phase; its data are all ones."""

    def move(f: Any, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        chains = plant("training.negative_phase").Persistent(v.astype(float), 1)
        return chains(f.weights, f.visible_bias, f.hidden_bias, np.ones(v.shape), rng).astype(v.dtype)

    return move


def tempered(swaps: str) -> Run:
    """Parallel tempering."""

    def run(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
        estimate, betas, kernel = plant("tempering.parallel").parallel_tempering, linear_schedule(3), random_walk(scale)
        settings = {"n_burn_in": 40, "keep": "nothing", "workers": 1}
        return answer_of(estimate(bumps_path(scale), betas, 60, n // 5, kernel, swaps, rng=rng, **settings))

    return run


TINY_LADDER = np.log([[1.0, 1.0], [1.0, 2.0], [1.0, 5.0], [1.0, 9.0]])
"""log f of two states on four rungs."""


class _EveryPair:
    """A scheme that proposes every swap of two rungs and four ladders."""

    def propose(self, rng: np.random.Generator) -> np.ndarray:
        return np.ones((1, 4), dtype=bool)

    def update(self, accepted: np.ndarray) -> None:
        pass


def swap_matrix_of(plant: Plant) -> tuple[np.ndarray, np.ndarray]:
    """Exchanges on two rungs and two states: with the probability of `pt_sweep`, and as `swapped` makes them."""
    sweep = plant("tempering.parallel").pt_sweep
    rungs = [SimpleNamespace(log_density=lambda x, log_f=log_f: log_f[x[..., 0]]) for log_f in TINY_LADDER[[0, 3]]]
    states = np.array([[0, 0, 1, 1], [0, 1, 0, 1]])  # (K+1, C): a ladder for each configuration
    still = lambda f, x, rng: x  # noqa: E731
    alpha = np.exp(sweep(rungs, states[..., None], _EveryPair(), still, np.random.default_rng(0))[3][0])
    new = plant("kernels").swapped(states, np.ones((1, 4), dtype=bool))
    T = np.diag(1 - alpha)
    T[np.arange(4), 2 * new[0] + new[1]] += alpha
    return T, ladder_distribution(TINY_LADDER[[0, 3]])


def lifted_matrix_of(plant: Plant) -> tuple[np.ndarray, np.ndarray]:
    """Tag and configurations in full, the tag's move as `Lifted` makes it; one that leaves is put at the start."""
    walker, tags = plant("tempering.swaps").Lifted(3, 1), tag_states(3)

    def move(n: int, e: int, accepted: bool, n_pairs: int) -> tuple[int, int]:
        walker.rung, walker.direction = np.array([n]), np.array([e])
        walker.update(np.full((n_pairs, 1), accepted))
        moved = int(walker.rung[0]), int(walker.direction[0])
        return moved if moved in tags else tags[0]

    return lifted_matrix(TINY_LADDER, move), np.tile(ladder_distribution(TINY_LADDER), len(tags)) / len(tags)


def rts_run(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    estimate, settings = plant("tempering.rts").rts, {"n_initial": 3, "workers": 1}
    return answer_of(estimate(bumps_path(scale), linear_schedule(4), 6, 12, n, random_walk(scale), rng=rng, **settings))


def integrated_run(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    path, betas = leaning_path(scale), linear_schedule(40)
    x = np.concatenate([path(beta).sample(n, rng) for beta in betas])
    estimate, matrix = plant("reweighting.integration").thermodynamic_integration, log_density_matrix(path, betas, x)
    return answer_of(estimate(matrix, np.full(len(betas), n), betas, start_log_z=0.0))


def chain_mean(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    """The mean of a random walk's 300 states."""
    x, target, step, chain = np.zeros((1, 1)), Gaussian([0.0], [[1.0]]), random_walk(1.5), []
    for _ in range(300):
        x = step(target, x, rng)
        chain.append(x[0, 0])
    seen = np.array(chain)
    n_effective = plant("course.bugs.chains").effective_draws(seen)
    return _normal(float(seen.mean()), float(seen.std() / np.sqrt(n_effective)))
