"""Carlson et al. 2016: how AIS and RAISE bound the mean likelihood of a model that can be enumerated."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from anneal_edu.annealing.ais import ais
from anneal_edu.annealing.likelihood import raise_log_likelihood
from anneal_edu.annealing.matrices import gibbs_matrix, state_distributions
from anneal_edu.distributions import BinaryRBM, uniform_rbm
from anneal_edu.distributions.enumeration import binary_states
from anneal_edu.paths.geometric import Path, geometric_path
from anneal_edu.paths.schedules import linear_schedule

N_VISIBLE, N_HIDDEN = 5, 4


def small_path(seed: int = 0, spread: float = 2.0) -> Path:
    """From a uniform RBM to one of 5 visible and 4 hidden units with weights from N(0, spread²)."""
    rng = np.random.default_rng(np.random.SeedSequence(seed))  # the model: --seed-shift leaves a SeedSequence alone
    weights = rng.normal(0, spread, (N_VISIBLE, N_HIDDEN))
    biases = rng.normal(0, 1, N_VISIBLE), rng.normal(0, 1, N_HIDDEN)
    return geometric_path(uniform_rbm(N_VISIBLE, N_HIDDEN), BinaryRBM(weights, *biases))


def annealing_model(path: Path, schedule: np.ndarray) -> np.ndarray:
    """p_ann = p_0 T_1 T_2 … T_K, the exact law of the last state of AIS with Gibbs transitions, (2^D,)."""
    states, rungs = binary_states(N_VISIBLE).astype(float), [path(float(beta)) for beta in schedule]
    log_f = np.array([rung.log_density(states) for rung in rungs])
    return state_distributions(log_f, [gibbs_matrix(rung) for rung in rungs[1:]])[-1]


class Bounds(NamedTuple):
    """Mean log likelihoods of draws of the model, in nats, for several numbers of steps."""

    n_steps: np.ndarray  # (n,)
    exact: float  # Σ_v p(v) log p(v)
    annealing_model: np.ndarray  # (n,), Σ_v p(v) log p_ann(v), exact
    found: dict[str, np.ndarray]  # "AIS" and "RAISE" → Σ_v p(v) times the mean estimate for v over many runs (n,)
    errors: dict[str, np.ndarray]  # their standard errors


def bounds_against_steps(
    path: Path, n_steps: tuple[int, ...], n_chains: int, n_runs: int, rng: np.random.Generator
) -> Bounds:
    """AIS, log f(v) - log Ẑ, and RAISE, with n_chains chains each (for RAISE: for every v), over n_runs runs."""
    states = binary_states(N_VISIBLE).astype(float)
    log_f = path(1.0).log_density(states)
    log_p = log_f - path(1.0).log_z()
    p, rows = np.exp(log_p), []
    for K in n_steps:
        schedule = linear_schedule(K)
        log_z = np.array([ais(path, schedule, n_chains, rng=rng).log_z for _ in range(n_runs)])
        copies = np.tile(states, (n_runs, 1))
        found = raise_log_likelihood(path, schedule, copies, n_chains, rng=rng).reshape(n_runs, -1) @ p
        ceiling = p @ np.log(annealing_model(path, schedule))
        root = np.sqrt(n_runs)
        rows.append((p @ log_f - log_z.mean(), found.mean(), log_z.std() / root, found.std() / root, ceiling))
    ais_mean, raise_mean, ais_error, raise_error, ceiling = np.transpose(rows)
    means, errors = {"AIS": ais_mean, "RAISE": raise_mean}, {"AIS": ais_error, "RAISE": raise_error}
    return Bounds(np.array(n_steps), float(p @ log_p), ceiling, means, errors)
