"""What is asked of a plain algorithm: an answer with an error bar and a truth, perhaps a kernel and a matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from anneal_edu.auditing.problems import Problem
from anneal_edu.course.bugs.planting import Plant
from anneal_edu.kernels import Kernel


@dataclass(frozen=True)
class Answer:
    """What one run says: a value, its error bar and interval, log weights if there are some, whether it warns."""

    value: float
    std_error: float
    low: float
    high: float
    log_weights: np.ndarray | None = None
    warned: bool = False


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
    kernel : callable, plant -> kernel, optional
    problem : callable, () -> Problem, optional
        Where the kernel is asked.
    reversible : bool
        Whether the right kernel is in detailed balance.
    matrix : callable, plant -> (T, p), optional
        A transition matrix in full, and the distribution that it should keep.
    other : callable, (scale, n, rng) -> Answer, optional
        Another method for the same number.
    above : bool
        Whether it begins at draws of the target.
    scalable : bool
    path : callable, scale -> path, optional
        Whose log Z it estimates, where AIS can be run from the other end.
    of_z : bool
        Whether it estimates log Z.
    """

    run: Callable[[Plant, float, int, np.random.Generator], Answer]
    truth: Callable[[float], float]
    moves: int
    n: int = 100
    kernel: Callable[[Plant], Kernel] | None = None
    problem: Callable[[], Problem] | None = None
    reversible: bool = False
    matrix: Callable[[Plant], tuple[np.ndarray, np.ndarray]] | None = None
    other: Callable[[float, int, np.random.Generator], Answer] | None = None
    above: bool = False
    scalable: bool = True
    path: Callable[[float], Any] | None = None
    of_z: bool = True


def of(result: Any) -> Answer:
    """The answer that a result of the library gives."""
    if hasattr(result, "interval"):
        low, high = result.interval(0.95, n_resamples=200)
        return Answer(result.log_z, result.std_error, low, high, result.log_weights, bool(result.warnings))
    found = result.estimate
    reach = 1.96 * found.std_error
    warned = any(w.kind in ("rungs never meet", "coarse rule", "uneven visits") for w in found.warnings)
    return Answer(found.log_z, found.std_error, found.log_z - reach, found.log_z + reach, warned=warned)
