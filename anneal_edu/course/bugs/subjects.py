"""What is run with a fault in it: plain algorithms on problems with a known answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from anneal_edu.auditing.problems import (
    SKEWED_LINE,
    THREE_BITS,
    Problem,
    Skewed,
    TwoBumps,
    Walled,
    discrete_problem,
    real_problem,
)
from anneal_edu.course.bugs.planting import Plant
from anneal_edu.distributions import BinaryRBM, Gaussian, JointRBM, Unnormalized
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


@dataclass(frozen=True)
class Subject:
    """A plain algorithm on a problem with a known answer.

    Attributes
    ----------
    run : callable, (plant, scale, n, rng) -> Answer
        In coordinates ``scale`` times as large, with about n chains.
    truth : callable, scale -> float
    moves : int
        Moves that a run of it costs, of each of the n chains.
    n : int
        Chains of one run.
    kernel, problem : callables, plant -> kernel and () -> Problem, optional
        The algorithm's kernel, and where it is tested.
    reversible : bool
        Whether the right kernel is in detailed balance.
    matrix : callable, plant -> (T, p), optional
        A transition matrix in full, and the distribution that it should keep.
    other : callable, (plant, scale, n, rng) -> Answer, optional
        Another method for the same number, without a fault.
    above : bool
        Whether it begins at draws of the target.
    scalable : bool
    path : callable, scale -> path, optional
        Whose log Z it estimates, where AIS can be run from the other end.
    of_z : bool
        Whether it estimates log Z.
    """

    run: Run
    truth: Callable[[float], float]
    moves: int
    n: int = 100
    kernel: Callable[[Plant], Kernel] | None = None
    problem: Callable[[], Problem] | None = None
    reversible: bool = False
    matrix: Callable[[Plant], tuple[np.ndarray, np.ndarray]] | None = None
    other: Run | None = None
    above: bool = False
    scalable: bool = True
    path: Callable[[float], Any] | None = None
    of_z: bool = True


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


def _kernel_on_a_line(make: Callable[[Plant, float], Kernel]) -> Subject:
    """AIS with a kernel of the plant, and this kernel alone."""
    return Subject(
        planted(lambda plant: annealed(10, skewed_path, lambda scale: make(plant, scale))), np.log, 10,
        kernel=lambda plant: make(plant, 1.0), reversible=True, **ON_A_LINE,
    )


def _zero(scale: float) -> float:
    return 0.0


def _log_2(scale: float) -> float:
    return float(np.log(2))


def _log_z_of_bits(scale: float) -> float:
    return THREE_BITS.log_z()


def _log_z_of_bumps(scale: float) -> float:
    return float(2.0 + np.log(scale))


def _real(name: str, distribution: Any) -> Callable[[], Problem]:
    return lambda: real_problem(name, distribution, np.random.default_rng(0))


ON_A_LINE = {
    "problem": _real("a steep and a long tail", SKEWED_LINE), "other": annealed(30, skewed_path, walk(1.5)),
    "path": skewed_path,
}  # fmt: skip
AT_A_WALL = {"other": annealed(1, lambda scale: wall_path(scale, 3.0, 9.0), walk(1.0), times=3), "scalable": False}
ON_BITS = {
    "problem": lambda: discrete_problem("an RBM of three bits", THREE_BITS), "scalable": False,
    "other": annealed(1, lambda scale: geometric_path(rbm_path()(0.0), THREE_BITS), times=3),
}  # fmt: skip
ON_BUMPS = {"other": annealed(20, bumps_path, walk(1.0))}
SPARSE_TARGET = Gaussian(np.zeros(3), 0.5 * np.eye(3))

SUBJECTS: dict[str, Subject] = {
    "random walk": _kernel_on_a_line(lambda plant, scale: plant("kernels").random_walk(0.8 * scale)),
    "random walk at a wall": Subject(
        planted(lambda plant: annealed(6, wall_path, lambda scale: plant("kernels").random_walk(2.5))), _log_2, 6,
        kernel=lambda plant: plant("kernels").random_walk(2.5), problem=_real("a half-line", Walled()),
        reversible=True, **AT_A_WALL,
    ),
    "Hamiltonian": _kernel_on_a_line(lambda plant, scale: plant("kernels").hmc(0.9 * scale, 2)),
    "momentum": Subject(hais_run, np.log, 30, kernel=momentum_kernel, **ON_A_LINE),
    "RBM": Subject(
        planted(lambda plant: annealed(6, lambda scale: rbm_path(plant("distributions.binary_rbm").BinaryRBM))),
        _log_z_of_bits, 6, kernel=lambda plant: lambda f, x, rng: plant("distributions.binary_rbm").BinaryRBM(
            f.weights, f.visible_bias, f.hidden_bias
        ).gibbs(x, rng), reversible=True, **ON_BITS,
    ),
    "RBM of both layers": Subject(
        planted(lambda plant: annealed(
            16, lambda scale: lambda beta: plant("distributions.joint_rbm").JointRBM(rbm_path()(beta))
        )), _log_z_of_bits, 16,
        kernel=lambda plant: lambda f, x, rng: plant("distributions.joint_rbm").JointRBM(f.rbm).gibbs(x, rng),
        **ON_BITS | {"problem": lambda: discrete_problem("both layers", JointRBM(THREE_BITS))},
    ),
    "persistent chains": Subject(
        planted(lambda plant: annealed(6, lambda scale: rbm_path(), lambda scale: persistent_kernel(plant))),
        _log_z_of_bits, 6, kernel=persistent_kernel, reversible=True, **ON_BITS,
    ),
    "AIS": Subject(
        annealed(4, skewed_path, walk(0.8)), np.log, 4, path=skewed_path, other=ON_A_LINE["other"]
    ),
    "AIS at a wall": Subject(annealed(6, wall_path, walk(1.5)), _log_2, 6, **AT_A_WALL),
    "AIS far away": Subject(annealed(1, far_path, walk(1.0)), _zero, 1, n=1000),
    "reverse AIS": Subject(
        reverse_run, _zero, 4, other=annealed(40, shifted_path, walk(1.0)), above=True, path=shifted_path
    ),
    "tempered transitions": Subject(
        product_of_both, lambda scale: 0.9, 100, kernel=up_and_down, reversible=True, scalable=False, of_z=False,
        problem=_real("two correlated coordinates", leaning_path(1.0)(1.0)),
    ),
    "sparse prior": Subject(
        planted(lambda plant: annealed(8, lambda scale: geometric_path(
            plant("distributions.generative").IndependentPrior(3, True, np.zeros(3, dtype=bool)), SPARSE_TARGET
        ), lambda scale: random_walk(0.7))), _zero, 8, scalable=False, other=annealed(
            1, lambda scale: geometric_path(Gaussian(np.zeros(3), 1.2 * np.eye(3)), SPARSE_TARGET),
            lambda scale: random_walk(0.7), times=3,
        ),
    ),
    "parallel tempering": Subject(tempered("even_odd"), _log_z_of_bumps, 80, matrix=swap_matrix_of, **ON_BUMPS),
    "lifted swaps": Subject(tempered("lifted"), _log_z_of_bumps, 80, matrix=lifted_matrix_of, **ON_BUMPS),
    "RTS": Subject(rts_run, _log_z_of_bumps, 77, **ON_BUMPS),
    "thermodynamic integration": Subject(
        integrated_run, _zero, 1, other=annealed(40, leaning_path), path=leaning_path
    ),
    "mean of a chain": Subject(chain_mean, _zero, 300, n=1, scalable=False, of_z=False),
}  # fmt: skip
"""Name → what is run."""
