"""What is run with a fault in it, by name."""

from __future__ import annotations

from functools import partial

import numpy as np

from anneal_edu.annealing.ais import ais
from anneal_edu.auditing.problems import Problem, Walled, discrete_problem, real_problem
from anneal_edu.course.bugs.annealed import (
    WEIGHTS,
    B,
    C,
    ais_far_run,
    ais_run,
    annealed_to_the_wall,
    hais_run,
    hamiltonian_run,
    joint_run,
    leaning_path,
    leaning_problem,
    momentum_kernel,
    of_a_kernel,
    other_at_the_wall,
    other_bits,
    other_leaning,
    other_run,
    other_shifted,
    other_sparse,
    persistent_kernel,
    persistent_run,
    product_of_both,
    rbm_run,
    rbm_truth,
    reverse_run,
    shifted_path,
    skewed_path,
    skewed_problem,
    sparse_run,
    up_and_down,
    walk_run,
    wall_path,
)
from anneal_edu.course.bugs.laddered import (
    chain_mean,
    integrated_run,
    lifted_matrix_of,
    other_bumps,
    rts_run,
    swap_matrix_of,
    tempered_run,
)
from anneal_edu.course.bugs.subject import Subject, of
from anneal_edu.distributions import BinaryRBM, JointRBM
from anneal_edu.paths.schedules import linear_schedule


def _zero(scale: float) -> float:
    return 0.0


def _wider_bumps(scale: float) -> float:
    return float(2.0 + np.log(scale))


def _bit_problem() -> Problem:
    return discrete_problem("an RBM of three bits", BinaryRBM(WEIGHTS, B, C))


def _joint_problem() -> Problem:
    return discrete_problem("both layers", JointRBM(BinaryRBM(WEIGHTS, B, C)))


SUBJECTS: dict[str, Subject] = {
    "random walk": of_a_kernel(walk_run),
    "random walk at a wall": Subject(
        lambda plant, scale, n, rng: of(
            ais(wall_path(scale), linear_schedule(6), n, plant("kernels").random_walk(2.5), rng=rng, workers=1)
        ),
        lambda scale: float(np.log(2)), 6, kernel=lambda plant: plant("kernels").random_walk(2.5),
        problem=lambda: real_problem("a half-line", Walled(), np.random.default_rng(0)), reversible=True,
        other=other_at_the_wall, scalable=False,
    ),
    "Hamiltonian": of_a_kernel(hamiltonian_run),
    "momentum": Subject(
        hais_run, np.log, 30, kernel=momentum_kernel, problem=skewed_problem, other=other_run, path=skewed_path
    ),
    "RBM": Subject(
        rbm_run, rbm_truth, 6, kernel=lambda plant: lambda f, x, rng: plant("distributions.binary_rbm").BinaryRBM(
            f.weights, f.visible_bias, f.hidden_bias
        ).gibbs(x, rng), problem=_bit_problem, reversible=True, other=other_bits, scalable=False,
    ),
    "RBM of both layers": Subject(
        joint_run, rbm_truth, 16,
        kernel=lambda plant: lambda f, x, rng: plant("distributions.joint_rbm").JointRBM(f.rbm).gibbs(x, rng),
        problem=_joint_problem, other=other_bits, scalable=False,
    ),
    "persistent chains": Subject(
        persistent_run, rbm_truth, 6, kernel=persistent_kernel, problem=_bit_problem, reversible=True, other=other_bits,
        scalable=False,
    ),
    "AIS": Subject(ais_run, np.log, 4, other=other_run, path=skewed_path),
    "AIS at a wall": Subject(
        annealed_to_the_wall, lambda scale: float(np.log(2)), 6, other=other_at_the_wall, scalable=False
    ),
    "AIS far away": Subject(ais_far_run, _zero, 1, n=1000),
    "reverse AIS": Subject(reverse_run, _zero, 4, other=other_shifted, above=True, path=shifted_path),
    "tempered transitions": Subject(
        product_of_both, lambda scale: 0.9, 100, kernel=up_and_down, problem=leaning_problem, reversible=True,
        scalable=False, of_z=False,
    ),
    "sparse prior": Subject(sparse_run, _zero, 8, other=other_sparse, scalable=False),
    "parallel tempering": Subject(
        partial(tempered_run, "even_odd"), _wider_bumps, 80, matrix=swap_matrix_of, other=other_bumps
    ),
    "lifted swaps": Subject(
        partial(tempered_run, "lifted"), _wider_bumps, 80, matrix=lifted_matrix_of, other=other_bumps
    ),
    "RTS": Subject(rts_run, _wider_bumps, 77, other=other_bumps),
    "thermodynamic integration": Subject(integrated_run, _zero, 1, other=other_leaning, path=leaning_path),
    "mean of a chain": Subject(chain_mean, _zero, 300, n=1, scalable=False, of_z=False),
}  # fmt: skip
"""Name → what is run."""
