"""Carlson et al. 2016, "Tracking", on an RBM with 500 hidden units."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from time import perf_counter

import numpy as np

from anneal_edu.annealing.ais import ais
from anneal_edu.course.experiments import grosse_large
from anneal_edu.course.experiments.carlson import N_CHAINS, Scale, long_sandwich, path_from
from anneal_edu.course.experiments.kept import HERE, Run
from anneal_edu.distributions import BinaryRBM
from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.training import contrastive_divergence, track_log_likelihood
from anneal_edu.workers import one_blas_thread

RUNS = ((1, False), (1, True), (5, True))
"""How many times more slowly, and longer, than the recipe it learns; whether tempered chains weigh both layers."""

N_JUDGED = 2000
"""Images of either kind, at most, over which a look averages: at 60,000 it would cost more than the tempered chains."""


@dataclass(frozen=True)
class Look:
    """What tracking said after some updates, in nats a digit, and, now and then, others about the same model's log Z.

    ``lower`` and ``upper`` are a long sandwich; ``annealed`` is AIS from nothing with the sweeps and chains of a look,
    other chains in every repeat.
    """

    learning_rate: float
    both_layers: bool
    n_updates: int
    log_z: float
    std_error: float
    train: float
    validation: float
    lower: float | None
    upper: float | None
    annealed: float | None
    tracking_seconds: float
    training_seconds: float
    repeat: int = 0

    def __str__(self) -> str:
        bounds = f", sandwich {self.lower:.2f} to {self.upper:.2f}, AIS {self.annealed:.2f}" if self.lower else ""
        return (
            f"rate {self.learning_rate:g}, {'(v, h)' if self.both_layers else 'v':6} {self.n_updates:6} updates: "
            f"train {self.train:8.2f}, validation {self.validation:8.2f}, "
            f"log Ẑ {self.log_z:.2f} ± {self.std_error:.2f}{bounds}"
        )


class Stopwatch:
    """Seconds spent in making what an iterator yields."""

    def __init__(self, iterator):
        self.iterator, self.seconds = iter(iterator), 0.0

    def __iter__(self):
        return self

    def __next__(self):
        begin = perf_counter()
        try:
            return next(self.iterator)
        finally:
            self.seconds += perf_counter() - begin


def tracking(scale: Scale, run: Run = HERE) -> list[Look]:
    """Carlson et al. 2016: train and validation log likelihood, tracked by RTS while PCD learns.

    As in the table of large RBMs the model is trained on the digits, or on your images; here every fifth of them is
    held out. The training is tracked on states v, then once more on states (v, h); then one that learns five times more
    slowly and five times as long. Six times on the way a sandwich is made, and beside it stands AIS from nothing, with
    the sweeps of one look. Where a training is tracked again, by other chains, only the looks beside a sandwich are
    rows, each with an AIS of its own.
    """
    large = grosse_large.SCALES[scale.model]
    recipe, data = large.training["PCD"], grosse_large.data_of(large, run)
    held_out = np.arange(len(data)) % 5 == 4
    train, validation = data[~held_out], data[held_out]
    schedule = linear_schedule(scale.n_rungs)

    def bounds_of(rbm: BinaryRBM, n_updates: int) -> tuple[float, float]:
        rng = np.random.default_rng([run.seed, 6, n_updates])
        found = long_sandwich(path_from(train, rbm), scale.n_reference // 5, rng)
        return found.lower, found.upper

    def annealed(rbm: BinaryRBM, n_updates: int, repeat: int) -> float:
        rng = np.random.default_rng([run.seed, 7, n_updates, repeat])
        return ais(path_from(train, rbm), linear_schedule(scale.n_sweeps), N_CHAINS, rng=rng).log_z

    rows, known = [], {}
    with one_blas_thread():
        for (slower, both_layers), repeat in product(RUNS, range(scale.n_tracks)):
            rate, n_updates = recipe.learning_rate / slower, slower * scale.n_updates
            states = contrastive_divergence(
                train, large.n_hidden, "pcd", n_gibbs=recipe.n_gibbs, n_updates=n_updates, learning_rate=rate,
                batch_size=recipe.batch_size, rng=np.random.default_rng([run.seed, 4]),
            )  # fmt: skip
            training, rng = Stopwatch(states), np.random.Generator(np.random.SFC64([run.seed, 5, repeat]))
            looks = track_log_likelihood(
                training, train[:N_JUDGED], validation[:N_JUDGED], scale.every, scale.n_sweeps, N_CHAINS, schedule,
                both_layers=both_layers, rng=rng,
            )  # fmt: skip
            both = Stopwatch(looks)
            for look in both:
                seconds = both.seconds - training.seconds, training.seconds
                model = rate, look.n_updates
                beside = look.n_updates % (n_updates // 6) == 0
                others: tuple[float | None, ...] = (None, None, None)
                if beside:
                    if model not in known:
                        known[model] = bounds_of(look.rbm, look.n_updates)
                    others = *known[model], annealed(look.rbm, look.n_updates, repeat)
                if beside or repeat == 0:
                    found = (look.n_updates, look.log_z, look.std_error, look.train, look.validation)
                    rows.append(Look(rate, both_layers, *found, *others, *seconds, repeat))
                    run.report(rows[-1])
    return rows
