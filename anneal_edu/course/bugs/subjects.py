"""What is run with a fault in it: plain algorithms on problems with a known answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from anneal_edu.auditing.problems import SKEWED_LINE, THREE_BITS, Problem, Walled, discrete_problem, real_problem
from anneal_edu.course.bugs import runs
from anneal_edu.course.bugs.planting import Plant
from anneal_edu.course.bugs.runs import Run, annealed, planted, walk
from anneal_edu.distributions import Gaussian, JointRBM
from anneal_edu.kernels import Kernel, random_walk
from anneal_edu.paths.geometric import geometric_path


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
    from_target : bool
        Whether it starts at exact draws of the target.
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
    from_target: bool = False
    scalable: bool = True
    path: Callable[[float], Any] | None = None
    of_z: bool = True


def _kernel_on_a_line(make: Callable[[Plant, float], Kernel]) -> Subject:
    """AIS with a kernel of the plant, and this kernel alone."""
    return Subject(
        planted(lambda plant: annealed(10, runs.skewed_path, lambda scale: make(plant, scale))), np.log, 10,
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
    "problem": _real("a steep and a long tail", SKEWED_LINE), "other": annealed(30, runs.skewed_path, walk(1.5)),
    "path": runs.skewed_path,
}  # fmt: skip
AT_A_WALL = {"other": annealed(1, lambda scale: runs.wall_path(scale, 3.0, 9.0), walk(1.0), times=3), "scalable": False}
ON_BITS = {
    "problem": lambda: discrete_problem("an RBM of three bits", THREE_BITS), "scalable": False,
    "other": annealed(1, lambda scale: geometric_path(runs.rbm_path()(0.0), THREE_BITS), times=3),
}  # fmt: skip
ON_BUMPS = {"other": annealed(20, runs.bumps_path, walk(1.0))}
SPARSE_TARGET = Gaussian(np.zeros(3), 0.5 * np.eye(3))

SUBJECTS: dict[str, Subject] = {
    "random walk": _kernel_on_a_line(lambda plant, scale: plant("kernels").random_walk(0.8 * scale)),
    "random walk at a wall": Subject(
        planted(lambda plant: annealed(6, runs.wall_path, lambda scale: plant("kernels").random_walk(2.5))), _log_2, 6,
        kernel=lambda plant: plant("kernels").random_walk(2.5), problem=_real("a half-line", Walled()),
        reversible=True, **AT_A_WALL,
    ),
    "Hamiltonian": _kernel_on_a_line(lambda plant, scale: plant("kernels").hmc(0.9 * scale, 2)),
    "momentum": Subject(runs.hais_run, np.log, 30, kernel=runs.momentum_kernel, **ON_A_LINE),
    "RBM": Subject(
        planted(lambda plant: annealed(6, lambda scale: runs.rbm_path(plant("distributions.binary_rbm").BinaryRBM))),
        _log_z_of_bits, 6, kernel=lambda plant: lambda f, x, rng: plant("distributions.binary_rbm").BinaryRBM(
            f.weights, f.visible_bias, f.hidden_bias
        ).gibbs(x, rng), reversible=True, **ON_BITS,
    ),
    "RBM of both layers": Subject(
        planted(lambda plant: annealed(
            16, lambda scale: lambda beta: plant("distributions.joint_rbm").JointRBM(runs.rbm_path()(beta))
        )), _log_z_of_bits, 16,
        kernel=lambda plant: lambda f, x, rng: plant("distributions.joint_rbm").JointRBM(f.rbm).gibbs(x, rng),
        **ON_BITS | {"problem": lambda: discrete_problem("both layers", JointRBM(THREE_BITS))},
    ),
    "persistent chains": Subject(
        planted(lambda plant: annealed(6, lambda scale: runs.rbm_path(), lambda scale: runs.persistent_kernel(plant))),
        _log_z_of_bits, 6, kernel=runs.persistent_kernel, reversible=True, **ON_BITS,
    ),
    "AIS": Subject(
        annealed(4, runs.skewed_path, walk(0.8)), np.log, 4, path=runs.skewed_path, other=ON_A_LINE["other"]
    ),
    "AIS at a wall": Subject(annealed(6, runs.wall_path, walk(1.5)), _log_2, 6, **AT_A_WALL),
    "AIS far away": Subject(annealed(1, runs.far_path, walk(1.0)), _zero, 1, n=1000),
    "reverse AIS": Subject(
        runs.reverse_run, _zero, 4, other=annealed(40, runs.shifted_path, walk(1.0)), from_target=True,
        path=runs.shifted_path,
    ),
    "tempered transitions": Subject(
        runs.product_of_both, lambda scale: 0.9, 100, kernel=runs.up_and_down, reversible=True, scalable=False,
        problem=_real("two correlated coordinates", runs.leaning_path(1.0)(1.0)), of_z=False,
    ),
    "sparse prior": Subject(
        planted(lambda plant: annealed(8, lambda scale: geometric_path(
            plant("distributions.generative").IndependentPrior(3, True, np.zeros(3, dtype=bool)), SPARSE_TARGET
        ), lambda scale: random_walk(0.7))), _zero, 8, scalable=False, other=annealed(
            1, lambda scale: geometric_path(Gaussian(np.zeros(3), 1.2 * np.eye(3)), SPARSE_TARGET),
            lambda scale: random_walk(0.7), times=3,
        ),
    ),
    "parallel tempering": Subject(
        runs.tempered("even_odd"), _log_z_of_bumps, 80, matrix=runs.swap_matrix_of, **ON_BUMPS
    ),
    "lifted swaps": Subject(runs.tempered("lifted"), _log_z_of_bumps, 80, matrix=runs.lifted_matrix_of, **ON_BUMPS),
    "RTS": Subject(runs.rts_run, _log_z_of_bumps, 77, **ON_BUMPS),
    "thermodynamic integration": Subject(
        runs.integrated_run, _zero, 1, other=annealed(40, runs.leaning_path), path=runs.leaning_path
    ),
    "mean of a chain": Subject(runs.chain_mean, _zero, 300, n=1, scalable=False, of_z=False),
}  # fmt: skip
"""Name → what is run."""
