"""Annealing with a fault in a kernel, in the weights or in a model."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from anneal_edu.annealing.ais import ais
from anneal_edu.auditing.problems import Problem, Skewed, Walled, real_problem
from anneal_edu.course.bugs.planting import Plant
from anneal_edu.course.bugs.subject import Answer, Subject, of
from anneal_edu.distributions import BinaryRBM, Gaussian
from anneal_edu.kernels import Kernel, random_walk
from anneal_edu.paths.geometric import geometric_path
from anneal_edu.paths.schedules import linear_schedule

WEIGHTS, B, C = np.array([[1.6, -1.0], [-1.2, 0.8], [0.7, 1.5]]), np.array([-0.4, 0.5, -0.9]), np.array([0.3, -0.6])


def skewed_path(scale: float) -> Any:
    """From N(0, 4) to a density with one long tail, in coordinates ``scale`` times as large: log Z = log scale."""
    target = Skewed(scale * np.eye(1), 0.5 * scale * np.ones(1))
    return geometric_path(Gaussian([0.0], [[4.0 * scale**2]]), target)


def skewed_problem() -> Problem:
    """The end of `skewed_path`, with what is watched there."""
    return real_problem("a steep and a long tail", skewed_path(1.0)(1.0), np.random.default_rng(0))


def _annealed(make: Callable[[Plant, float], Kernel], path: Any, n_steps: int, plant, scale, n, rng) -> Answer:
    kernel = make(plant, scale)
    return of(ais(path(scale), linear_schedule(n_steps), n, kernel, rng=rng, workers=1))


def of_a_kernel(make: Callable[[Plant, float], Kernel], n_steps: int = 10, **more) -> Subject:
    return Subject(
        partial(_annealed, make, skewed_path, n_steps), np.log, n_steps, kernel=lambda plant: make(plant, 1.0),
        problem=skewed_problem, reversible=True, other=other_run, path=skewed_path, **more,
    )  # fmt: skip


def other_run(scale: float, n: int, rng: np.random.Generator) -> Answer:
    """AIS with a kernel and a schedule of its own."""
    return of(ais(skewed_path(scale), linear_schedule(30), n, random_walk(1.5 * scale), rng=rng, workers=1))


def walk_run(plant: Plant, scale: float) -> Kernel:
    return plant("kernels").random_walk(0.8 * scale)


def hamiltonian_run(plant: Plant, scale: float) -> Kernel:
    return plant("kernels").hmc(0.9 * scale, 2)


# A wall


def wall_path(scale: float) -> Any:
    """From a wide Gaussian to Gamma(3) on x > 0; log Z = log 2."""
    return geometric_path(Gaussian([2.5], [[6.0]]), Walled())


def annealed_to_the_wall(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    plant("weights")
    run = plant("annealing.ais").ais(wall_path(scale), linear_schedule(6), n, random_walk(1.5), rng=rng, workers=1)
    return of(run)


def other_at_the_wall(scale: float, n: int, rng: np.random.Generator) -> Answer:
    return of(ais(geometric_path(Gaussian([3.0], [[9.0]]), Walled()), [0, 1], 3 * n, random_walk(1.0), rng=rng))


# Estimators


def ais_run(plant: Plant, scale: float, n: int, rng: np.random.Generator, n_steps: int = 4) -> Answer:
    plant("weights")
    kernel = random_walk(0.8 * scale)
    return of(plant("annealing.ais").ais(skewed_path(scale), linear_schedule(n_steps), n, kernel, rng=rng, workers=1))


def ais_far_run(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    plant("weights")
    path = geometric_path(Gaussian([0.0], [[scale**2]]), Gaussian([0.0], [[40.0 * scale**2]]))
    return of(plant("annealing.ais").ais(path, [0, 1], n, random_walk(scale), rng=rng, workers=1))


def shifted_path(scale: float) -> Any:
    """From N(0, 1) to N(1.5, 1): the weights are log-normal in both directions."""
    return geometric_path(Gaussian([0.0], [[scale**2]]), Gaussian([1.5 * scale], [[scale**2]]))


def reverse_run(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    path, run = shifted_path(scale), plant("annealing.reverse").reverse_ais
    return of(run(path, linear_schedule(4), path(1.0).sample(n, rng), random_walk(scale), rng=rng, workers=1))


def other_shifted(scale: float, n: int, rng: np.random.Generator) -> Answer:
    return of(ais(shifted_path(scale), linear_schedule(40), n, random_walk(scale), rng=rng, workers=1))


def leaning_path(scale: float) -> Any:
    """Between two Gaussians of two correlated coordinates, whose Gibbs sweeps have an order."""
    cov, mean = scale**2 * np.array([[1.0, 0.9], [0.9, 1.0]]), scale * np.array([1.0, 0.0])
    return geometric_path(Gaussian([0.0, 0.0], 2 * cov), Gaussian(mean, cov))


def up_and_down(plant: Plant) -> Kernel:
    move = plant("tempering.transitions").tempered_transitions(leaning_path(1.0), linear_schedule(5))
    return lambda distribution, x, rng: move(move.target, x, rng)


def product_of_both(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    """E[x₀ x₁] of exact draws that have been moved ten times."""
    x, move = leaning_path(1.0)(1.0).sample(n, rng), up_and_down(plant)
    for _ in range(10):
        x = move(None, x, rng)
    products = x[:, 0] * x[:, 1]
    value, error = float(products.mean()), float(products.std(ddof=1) / np.sqrt(n))
    return Answer(value, error, value - 1.96 * error, value + 1.96 * error)


def leaning_problem() -> Problem:
    return real_problem("two correlated coordinates", leaning_path(1.0)(1.0), np.random.default_rng(0))


def other_leaning(scale: float, n: int, rng: np.random.Generator) -> Answer:
    return of(ais(leaning_path(scale), linear_schedule(40), n, rng=rng, workers=1))


def hais_run(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    ends = skewed_path(scale)
    path = plant("paths.geometric").GeometricPath(ends.start, ends.end)
    return of(plant("annealing.hais").hais(path, linear_schedule(30), n, 0.8 * scale, 0.3, rng=rng, workers=1))


def momentum_kernel(plant: Plant) -> Kernel:
    """Eight transitions from a fresh momentum."""

    def move(distribution: Any, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        settings = [1.0] * 9, x, rng.standard_normal(x.shape), [1.2] * 8, [0.3] * 8, rng
        *_, last = plant("annealing.hais").hais_states(lambda beta: distribution, *settings)
        return last.x

    return move


# Bits


def rbm_path(rbm: Any = BinaryRBM) -> Callable[[float], Any]:
    """β times every parameter of a small RBM."""
    return lambda beta: rbm(beta * WEIGHTS, beta * B, beta * C)


def rbm_truth(scale: float) -> float:
    """Its log Z, by enumeration."""
    return BinaryRBM(WEIGHTS, B, C).log_z()


def rbm_run(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    path = rbm_path(plant("distributions.binary_rbm").BinaryRBM)
    return of(ais(path, linear_schedule(6), n, rng=rng, workers=1))


def joint_run(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    joint = plant("distributions.joint_rbm").JointRBM
    return of(ais(lambda beta: joint(rbm_path()(beta)), linear_schedule(16), n, rng=rng, workers=1))


def persistent_kernel(plant: Plant) -> Kernel:
    """One update's negative phase; its data are all ones."""

    def move(f: Any, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        chains = plant("training.negative_phase").Persistent(v.astype(float), 1)
        return chains(f.weights, f.visible_bias, f.hidden_bias, np.ones(v.shape), rng).astype(v.dtype)

    return move


def persistent_run(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    return of(ais(rbm_path(), linear_schedule(6), n, persistent_kernel(plant), rng=rng, workers=1))


def other_bits(scale: float, n: int, rng: np.random.Generator) -> Answer:
    start = BinaryRBM(np.zeros((3, 2)), np.zeros(3), np.zeros(2))
    return of(ais(geometric_path(start, BinaryRBM(WEIGHTS, B, C)), [0, 1], 3 * n, rng=rng, workers=1))


def sparse_run(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    prior = plant("distributions.generative").IndependentPrior(3, True, np.zeros(3, dtype=bool))
    path = geometric_path(prior, Gaussian(np.zeros(3), 0.5 * np.eye(3)))
    return of(ais(path, linear_schedule(8), n, random_walk(0.7), rng=rng, workers=1))


def other_sparse(scale: float, n: int, rng: np.random.Generator) -> Answer:
    path = geometric_path(Gaussian(np.zeros(3), 1.2 * np.eye(3)), Gaussian(np.zeros(3), 0.5 * np.eye(3)))
    return of(ais(path, [0, 1], 3 * n, random_walk(0.7), rng=rng, workers=1))
