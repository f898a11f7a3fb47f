"""Carlson et al. 2016, "Tracking": likelihoods of an RBM so small that its log Z is exact."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from anneal_edu import data
from anneal_edu.course.experiments.run import HERE, Run, experiment
from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.training import TrainingState, contrastive_divergence, track_log_likelihood
from anneal_edu.training.likelihood_tracking import TrackedLikelihood

N_TRAIN, N_VALIDATION, N_HIDDEN = 100, 500, 10
N_UPDATES, N_CHAINS, OFTEN, N_RUNGS = 1500, 100, 25, 20
FIRST_ROUNDS = 21
_QUICK = {"rates": (0.05, 0.1, 0.5, 1.0), "n_sweeps": (1, 3, 10, 30), "every": (25, 50, 250), "n_seeds": 4}
SCALES = {
    "tiny": {"rates": (0.1, 1.0), "n_sweeps": (1,), "every": (250,), "n_seeds": 1},
    "quick": _QUICK,
    "full": _QUICK | {"n_seeds": 20},
}
"""Seconds; a quarter of an hour; an hour and more. Learning rates, sweeps a look, updates between looks, seeds."""


@lru_cache(maxsize=1)
def digits_split() -> tuple[np.ndarray, np.ndarray]:
    """A hundred digits of 8×8 pixels to learn from, and 500 others."""
    digits = data.digits(8)
    order = np.random.default_rng(13).permutation(len(digits))
    return digits[order[:N_TRAIN]], digits[order[-N_VALIDATION:]]


class Training(NamedTuple):
    """A training run, seen after every OFTEN updates; exact log Z and mean log likelihoods, (n,) each."""

    states: list[TrainingState]
    log_z: np.ndarray
    train: np.ndarray
    validation: np.ndarray


def frozen(state: TrainingState) -> TrainingState:
    """A copy that further training leaves alone."""
    arrays = state.weights.copy(), state.visible_bias.copy(), state.hidden_bias.copy()
    return TrainingState(state.n_updates, *arrays)


@lru_cache(maxsize=16)
def training(rate: float, seed: int) -> Training:
    """PCD with one Gibbs step, 100 chains and a constant learning rate, and the exact likelihoods on its way."""
    train, validation = digits_split()
    rng = np.random.default_rng([seed, 0])
    run = contrastive_divergence(
        train, N_HIDDEN, "pcd", n_gibbs=1, n_updates=N_UPDATES, learning_rate=rate, batch_size=N_CHAINS, rng=rng,
        decay=False
    )  # fmt: skip
    states = [frozen(state) for state in run if state.n_updates % OFTEN == 0]
    log_z = np.array([state.rbm.log_z() for state in states])
    means = (np.array([state.rbm.log_density(v).mean() for state in states]) - log_z for v in (train, validation))
    return Training(states, log_z, *means)


def looks_at(rate: float, seed: int, every: int, n_sweeps: int, n_rungs: int = N_RUNGS) -> Iterator[TrackedLikelihood]:
    """Track that training."""
    train, validation = digits_split()
    rng, schedule = np.random.default_rng([seed, 1]), linear_schedule(n_rungs)
    states = training(rate, seed).states
    return track_log_likelihood(states, train, validation, every, n_sweeps, N_CHAINS, schedule, rng=rng)


def errors_at(
    rate: float, seed: int, every: int, n_sweeps: int, n_rungs: int = N_RUNGS
) -> tuple[np.ndarray, np.ndarray]:
    """Track that training: log Ẑ minus exact log Z at every look, and its standard error, both (n,)."""
    looks = list(looks_at(rate, seed, every, n_sweeps, n_rungs))
    log_z, std_error = np.transpose([(look.log_z, look.std_error) for look in looks])
    return log_z - training(rate, seed).log_z[every // OFTEN - 1 :: every // OFTEN], std_error


def gibbs_steps(every: int, n_sweeps: int, n_rungs: int = N_RUNGS) -> tuple[int, int]:
    """Gibbs steps of single chains: of the looks, of which the first climbs the ladder and makes 21 rounds; of PCD."""
    n_rounds = FIRST_ROUNDS + N_UPDATES // every - 1
    return (n_rungs + n_rounds * n_sweeps) * N_CHAINS, N_UPDATES * N_CHAINS


@experiment(
    "small-tracking", "rate:g seed:d n_sweeps:d every:d train:.3f validation:.3f error:.3f std_error:.3f",
    refuses={"images": "the split of the digits is part of it", "model": "it trains its own"}, **SCALES,
)  # fmt: skip
def small_tracking(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """Carlson et al. 2016: tracked log Z of an RBM with 10 hidden units that learns 100 digits, beside the exact one.

    A row of each training has the exact mean log likelihoods after every 25 updates, a row of each tracking of it the
    errors of log Ẑ and their standard errors, at every look.
    """
    for rate, seed in product(scale["rates"], range(run.seed, run.seed + scale["n_seeds"])):
        exact = run.once(training, rate, seed)
        yield {"rate": rate, "seed": seed, "train": _short(exact.train), "validation": _short(exact.validation)}
        wanted = [(rate, seed, every, n) for n, every in product(scale["n_sweeps"], scale["every"])]
        for (_, _, every, n), (error, std_error) in zip(wanted, run.each(errors_at, wanted), strict=True):
            row = {"rate": rate, "seed": seed, "n_sweeps": n, "every": every}
            yield row | {"error": _short(error), "std_error": _short(std_error)}


def _short(values: np.ndarray) -> list[float]:
    return [round(float(value), 3) for value in values]
