"""The kinds of test that can be made of a sampler. Each returns a p-value and its cost in moves, or None."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property

import numpy as np
from scipy.special import bdtr, ndtr, stdtr

from anneal_edu.annealing.ais import ais
from anneal_edu.annealing.reverse import reverse_ais
from anneal_edu.auditing.problems import Problem
from anneal_edu.auditing.statistics import bonferroni, error_bar_p_value, z_and_p
from anneal_edu.course.bugs.planting import Plant
from anneal_edu.course.bugs.runs import Answer, answer_of
from anneal_edu.course.bugs.subjects import Subject
from anneal_edu.kernels import Kernel, random_walk
from anneal_edu.paths.schedules import linear_schedule

N_REPEATS, N_DRAWS, N_MOVES = 100, 20_000, 10
LEVEL = 1e-5
"""A test accuses below this p-value: in 300 tests of right algorithms once in 300 tables."""

Found = tuple[float, int]


class Trial:
    """One algorithm, right or wrong, and its runs, which several kinds of test share."""

    def __init__(self, subject: Subject, plant: Plant, seed: int):
        self.subject, self.plant, self.seed = subject, plant, seed
        self.runs = cache(self._runs)

    def _runs(self, scale: float) -> list[Answer]:
        rngs = np.random.default_rng(self.seed).spawn(N_REPEATS)
        return [self.subject.run(self.plant, scale, self.subject.n, rng) for rng in rngs]

    @cached_property
    def kernel(self) -> Kernel | None:
        return self.subject.kernel(self.plant) if self.subject.kernel else None

    @cached_property
    def problem(self) -> Problem:
        """Where the kernel is tested."""
        return self.subject.problem()

    def warns(self) -> bool:
        """Whether most runs warn: then their estimates and error bars are not judged."""
        return np.mean([answer.warned for answer in self.runs(1.0)]) > 0.5

    @property
    def cost(self) -> int:
        """Moves of all repeats."""
        return N_REPEATS * self.subject.n * self.subject.moves

    def rng(self, of: int) -> np.random.Generator:
        """A generator for one kind of test."""
        return np.random.default_rng([self.seed, of])


def full_matrix(trial: Trial) -> Found | None:
    """πT = π, in exact numbers."""
    if trial.subject.matrix is None:
        return None
    T, p = trial.subject.matrix(trial.plant)
    return (1.0 if np.abs(p @ T - p).max() < 1e-12 else 0.0), len(p)


def draws_moved(trial: Trial) -> Found | None:
    """Exact draws, moved, must remain exact draws: mean changes of many statistics."""
    if trial.kernel is None:
        return None
    problem, rng = trial.problem, trial.rng(1)
    x = problem.distribution.sample(N_DRAWS, rng)
    before = problem.evaluate(x)
    for _ in range(N_MOVES):
        x = trial.kernel(problem.distribution, x, rng)
    return bonferroni(z_and_p(problem.evaluate(x) - before)[1]), N_DRAWS * N_MOVES


def moments(trial: Trial) -> Found | None:
    """A long run from one state, against enumeration or exact draws."""
    if trial.kernel is None:
        return None
    problem, rng = trial.problem, trial.rng(2)
    x = np.repeat(problem.distribution.sample(1, np.random.default_rng(0)), 2000, axis=0)
    for _ in range(60):
        x = trial.kernel(problem.distribution, x, rng)
    exact = problem.evaluate(problem.distribution.sample(200_000, rng))
    seen = problem.evaluate(x)
    s = np.sqrt(seen.var(0) / len(seen) + exact.var(0) / len(exact))
    s = np.maximum(s, np.sqrt(exact.var(0) / len(seen)))
    z = (seen.mean(0) - exact.mean(0)) / np.where(s > 0, s, np.inf)
    return bonferroni(2 * ndtr(-np.abs(z))), 2000 * 60


def detailed_balance(trial: Trial) -> Found | None:
    """As many go from one set of states to another as come back, if the right kernel is in detailed balance."""
    if trial.kernel is None or not trial.subject.reversible:
        return None
    problem, rng = trial.problem, trial.rng(3)
    x = problem.distribution.sample(4 * N_DRAWS, rng)
    here, there = problem.evaluate(x), problem.evaluate(trial.kernel(problem.distribution, x, rng))
    cells = [i for i, (name, _) in enumerate(problem.statistics) if name.startswith("the share")]
    flows = [here[:, i] * there[:, j] - here[:, j] * there[:, i] for i in cells for j in cells if i < j]
    return bonferroni(z_and_p(np.stack(flows, axis=1))[1]), 4 * N_DRAWS


def mean_weight(trial: Trial) -> Found | None:
    """Is the mean of Ẑ over repeats the exact Z? For runs from the target, the mean of 1/Ẑ?"""
    if not trial.subject.of_z or trial.warns():
        return None
    errors = np.array([answer.value for answer in trial.runs(1.0)]) - trial.subject.truth(1.0)
    ratios = np.exp(-errors if trial.subject.from_target else errors)
    return _t(ratios - 1), trial.cost


def sandwich(trial: Trial) -> Found | None:
    """The run and one from the other end must meet."""
    subject, rng = trial.subject, trial.rng(4)
    if subject.path is None:
        return None
    path, kernel = subject.path(1.0), random_walk(1.2)
    draws = path(1.0).sample(4000, rng)
    betas = linear_schedule(60)
    if subject.from_target:
        other = answer_of(ais(path, betas, 4000, kernel, rng=rng))
    else:
        other = answer_of(reverse_ais(path, betas, draws, kernel, rng=rng))
    return _gap(subject.run(trial.plant, 1.0, 4000, rng), other), 4000 * (60 + subject.moves)


def coverage(trial: Trial) -> Found | None:
    """How many intervals contain the truth? 95% should; bootstrap intervals of few chains are allowed 85%."""
    if trial.warns():
        return None
    truth, runs = trial.subject.truth(1.0), trial.runs(1.0)
    held = sum(answer.low <= truth <= answer.high for answer in runs)
    return float(bdtr(held, len(runs), 0.85)), trial.cost


def two_methods(trial: Trial) -> Found | None:
    """Another method, no truth: do the two agree within their own error bars?"""
    if trial.subject.other is None:
        return None
    rng = trial.rng(5)
    ours = trial.subject.run(trial.plant, 1.0, 4000, rng)
    return _gap(ours, trial.subject.other(Plant(), 1.0, 4000, rng)), 4000 * (trial.subject.moves + 30)


def coordinates(trial: Trial) -> Found | None:
    """The same problem in coordinates ten times as large, no truth: log Z must change by log 10 a coordinate."""
    if not trial.subject.scalable:
        return None
    expected = trial.subject.truth(10.0) - trial.subject.truth(1.0)
    here, there = (np.array([answer.value for answer in trial.runs(scale)]) for scale in (1.0, 10.0))
    return _t(there[::-1] - here - expected), 2 * trial.cost


def error_bars(trial: Trial) -> Found | None:
    """The error bars, against the spread of the runs: 30% more or less is allowed."""
    if trial.warns():
        return None
    runs = trial.runs(1.0)
    values, bars = np.array([answer.value for answer in runs]), np.array([answer.std_error for answer in runs])
    return error_bar_p_value(values, bars, slack=1.3), trial.cost


def _gap(one: Answer, other: Answer) -> float:
    if not (np.isfinite(one.value) and np.isfinite(other.value)):
        return 0.0
    return float(2 * ndtr(-abs(one.value - other.value) / np.hypot(one.std_error, other.std_error)))


def _t(values: np.ndarray) -> float:
    if not np.isfinite(values).all():
        return 0.0
    t = values.mean() / (values.std(ddof=1) / np.sqrt(len(values)))
    return float(2 * stdtr(len(values) - 1, -abs(t)))


KINDS: dict[str, Callable[[Trial], Found | None]] = {
    "πT = π in full": full_matrix,
    "exact draws, moved": draws_moved,
    "moments": moments,
    "detailed balance": detailed_balance,
    "mean weight": mean_weight,
    "sandwich": sandwich,
    "coverage": coverage,
    "two methods": two_methods,
    "coordinates": coordinates,
    "error bars": error_bars,
}
"""Name → test."""
