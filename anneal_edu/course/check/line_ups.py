"""Line-ups of samplers without names for the second exercise of notebook 15: which of them are wrong."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anneal_edu.course.bugs.kernels import langevin, metropolis, one_by_one, step
from anneal_edu.distributions import Gaussian
from anneal_edu.kernels import exact, hmc, random_walk


class BudgetError(Exception):
    """Raised by a sampler that is called more often than the budget allows."""


@dataclass
class Budget:
    """How many moves of single chains are left."""

    left: int


@dataclass(frozen=True)
class Anonymous:
    """A sampler without a name: ``sampler(x, rng)`` moves chains x (C, 2) that have the distribution ``target``."""

    target: Gaussian
    move: Callable
    budget: Budget

    def __call__(self, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The next states; len(x) moves of the budget are spent."""
        self.budget.left -= len(x)
        if self.budget.left < 0:
            raise BudgetError
        return self.move(self.target, np.array(x, dtype=float), rng)


def _to_one_side(f, x, rng):
    """A right step, and then all chains are turned about the mean to one side of it: log f stays as it is."""
    away = random_walk(1.2)(f, x, rng) - f.mean
    return f.mean + away * np.where(away[:, :1] < 0, -1.0, 1.0)


_RIGHT = (random_walk(0.5), random_walk(1.2), hmc(0.4, 4), exact, one_by_one(), hmc(0.8, 2))
WRONG = {
    "it accepts by the ratio turned upside down": metropolis(step(0.9), power=-1.0),
    "it accepts by the root of the ratio": metropolis(step(0.9), power=0.5),
    "its steps are longer where x is large, and it does not ask for the way back": metropolis(step(0.6, widen=0.7)),
    "one and the same noise moves all chains": metropolis(step(0.4, shared=True)),
    "a coordinate never changes": metropolis(step(0.9, left=1)),
    "a Langevin step, without the decision": langevin(h=0.8, accept=False),
    "it accepts whatever comes": metropolis(step(0.9), power=0.0),
    "it accepts by a power of the ratio, 1.6": metropolis(step(1.0), power=1.6),
    "a coordinate follows the other one with the wrong sign": one_by_one(sign=-1.0),
    "all chains are turned to one side of the middle, which no density tells": _to_one_side,
}
BUDGET, N_SAMPLERS, N_ROUNDS = 400_000, 8, 10
LEFT_OUT = "a coordinate never changes"  # no average of exact draws sees it


def line_up(seed: int, budget: int = BUDGET) -> tuple[list[Anonymous], dict[int, str]]:
    """Eight samplers for one target, and which are wrong, at least one, at most six: number → what is wrong.

    Ten seeds in a row have every kind of fault among them.
    """
    rng = np.random.default_rng([1515, seed])
    mean, tilt = rng.normal(size=2), rng.uniform(-0.6, 0.6)
    target, shared = Gaussian(mean, [[1.0, tilt], [tilt, 1.2]]), Budget(budget)
    wrong = rng.random(N_SAMPLERS) < 0.5
    wrong[rng.integers(N_SAMPLERS, size=1)] = True
    wrong[rng.choice(np.flatnonzero(wrong), max(0, wrong.sum() - 6), replace=False)] = False
    kinds = [int(rng.integers(len(WRONG) if bad else len(_RIGHT))) for bad in wrong]
    kinds[rng.choice(np.flatnonzero(wrong))] = seed % len(WRONG)
    bad = {i: list(WRONG)[kinds[i]] for i in np.flatnonzero(wrong).tolist()}
    moves = [WRONG[bad[i]] if i in bad else _RIGHT[kind] for i, kind in enumerate(kinds)]
    return [Anonymous(target, move, shared) for move in moves], bad
