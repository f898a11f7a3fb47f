"""What a path, or a kernel, may offer beside being called: the same numbers for less work.

An estimator needs no more of a path than path(β), and of a kernel than kernel(distribution, x, rng). A path may offer
the following, which a test holds to the plain way:

==============================  ========================================================================
``linear``                      True where log f_β = (1-β) log f_0 + β log f_1 for states x: the two ends, ``start`` and
                                ``end``, then serve every β
``shared_densities()``          β -> a function log f_β(x) that computes nothing twice, or None
``log_densities(β, x)``         log f_β(x) for every β of a schedule, (K+1,), (N, D) -> (K+1, N)
``log_density_slopes(β, x)``    d/dβ log f_β(x) in closed form, (K+1,), (N, D) -> (K+1, N)
``anneal_by_gibbs``             the loop of AIS by Gibbs, (betas, x, rng) -> (log weights, x); or None
``gibbs_ladder(schedule)``      a `anneal_edu.paths.ladder.Ladder` that shares work between Gibbs moves and densities
``gibbs_sweep(schedule)``       a sweep of parallel tempering by Gibbs, (x, scheme, rng) -> as `pt_sweep`; or None
==============================  ========================================================================

A kernel names those that do its work, as ``gibbs.loop = "anneal_by_gibbs"``, and its time reversal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from anneal_edu.distributions import Distribution
from anneal_edu.validation import Point, checked_kernel

Path = Callable[[float], Distribution]
Step = Callable[[float, float, np.ndarray, np.random.Generator], tuple[np.ndarray, np.ndarray]]
"""A step of AIS, weight and move in one: (β_{k-1}, β_k, x (C, D), rng) -> (log weight ratio (C,), next x)."""


def offered(thing: Any, name: str | None) -> Any:
    """What a path offers under a name; None if it offers nothing, or if a subclass has since changed the path.

    A class that overrides ``__call__`` makes another path. What the class above wrote for its own would be wrong.
    """
    last = next((kind for kind in type(thing).__mro__ if {name, "__call__"} & vars(kind).keys()), object)
    return getattr(thing, name) if name and name in vars(last) else None


def checked(path: Path, kernel: Any = None) -> tuple[Any, Any]:
    """The path and the kernel as a loop uses them: what a user's functions return is checked, points are kept."""
    sharing = offered(path, "shared_densities") or (lambda: lambda beta: None)
    density_at = sharing()
    points = lru_cache(maxsize=3)(lambda beta: Point(path(beta), beta, density_at(beta)))
    return points, checked_kernel(kernel)


def by_steps(step: Step) -> Callable[[Iterable[float], np.ndarray, np.random.Generator], tuple[np.ndarray, np.ndarray]]:
    """`anneal_edu.annealing.ais.anneal` by a step of the path's own."""

    def anneal(betas: Iterable[float], x: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        log_w = np.zeros(len(x))
        for before, now in pairwise(betas):
            log_ratio, x = step(before, now, x, rng)
            log_w += log_ratio
        return log_w, x

    return anneal
