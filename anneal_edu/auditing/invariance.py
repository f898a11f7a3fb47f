"""Whether a kernel leaves a distribution invariant, and whether it can reach all of it.

Exact draws that a right kernel moves remain exact draws, so that the mean change of every statistic is zero. Many
statistics are computed; only the most suspicious ones are tested, with new draws.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from anneal_edu.auditing.checked_kernel import CheckedKernel
from anneal_edu.auditing.problems import Problem
from anneal_edu.auditing.statistics import z_and_p

STOPS = (1, 4, 12)  # numbers of moves after which statistics are computed
N_SUSPECTS = 2
REPEAT_FACTOR = 8
NEWEST = "is each coordinate drawn given the newest values of the others?"
_MANY = 80  # a quarter of those near a threshold should cross it: that none does has then probability 1e-10


def moved_draws(kernel: CheckedKernel, problem: Problem, n: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Exact draws, and the same after the moves of `STOPS`: four arrays (n, D)."""
    x = np.asarray(problem.distribution.sample(n, rng))
    x = x if problem.discrete else x.astype(np.float64)
    stages = [x]
    for move in range(1, max(STOPS) + 1):
        x = kernel(problem, x, rng)
        if move in STOPS:
            stages.append(x)
    return stages


def changes(statistic: Callable[[np.ndarray], np.ndarray], stages: list[np.ndarray]) -> np.ndarray:
    """The change of a statistic at each stop, (n, 3)."""
    before = statistic(stages[0])
    return np.stack([statistic(x) - before for x in stages[1:]], axis=1)


def check_invariance(kernel: CheckedKernel, problem: Problem, n: int, rng: np.random.Generator, hint: str = "") -> bool:
    """Move many chains together. Returns whether any moved, or need not have. The hint is for a fault of one move."""
    stages = moved_draws(kernel, problem, n, rng)
    if all((x == stages[0]).all() for x in stages[1:]):
        kernel.report.skipped.append(f"{problem.name}: none of {n} chains moved in {max(STOPS)} moves")
        return bool((stages[0] != np.median(stages[0], 0)).any(1).sum() < _MANY)  # nearly all draws are one state
    _check_reach(kernel, problem, stages)
    z = np.stack([z_and_p(changes(statistic, stages))[0] for _, statistic in problem.statistics])
    stages = moved_draws(kernel, problem, REPEAT_FACTOR * n, rng)
    for suspect in np.argsort(-np.abs(z), axis=None)[:N_SUSPECTS]:
        index, stop = divmod(int(suspect), len(STOPS))
        name, statistic = problem.statistics[index]
        found, p = z_and_p(changes(statistic, stages))
        at_once = f"{f', {abs(found[0]):.1f} after one' if stop else ''}: {hint}" if hint and p[0] < 1e-6 else ""
        off = f"{abs(found[stop]):.1f} standard errors off after {STOPS[stop]} move{'s' * (stop > 0)}{at_once}"
        sentence = f"{REPEAT_FACTOR * n} exact draws ({problem.name}): {name} is {off}"
        kernel.report.add_test("not invariant", sentence, p[stop], f"invariance and reach on {problem.name}")
    return True


def _check_reach(kernel: CheckedKernel, problem: Problem, stages: list[np.ndarray]) -> None:
    """Find what no move changes, although it differs between draws."""
    moved = (stages[0] != stages[-1]).any(1)
    if moved.sum() < _MANY:
        return
    start, end = stages[0][moved], stages[-1][moved]
    for name, observable in problem.observables:
        before, now = observable(start), observable(end)
        if problem.discrete and len(start) * before.var() < _MANY / 4 * start.var(0).sum():
            continue  # it hardly differs between chains, and may change too rarely to be seen
        change, scale = np.abs(now - before), before.std() + 1e-300
        if start.shape[1] > 1 or name.startswith(("coordinate", "the distance")):
            if scale > 1e-12 and (change <= 1e-9 * scale).all():
                kernel.report.add_failure("cannot reach", f"{name} never changes in any chain ({problem.name})")
                return
        if not problem.discrete and (at := _never_crossed(before, now)) is not None:
            kernel.report.add_failure("cannot reach", f"{name} never crosses {at:.2f} in any chain ({problem.name})")
            return
    if not problem.discrete:
        _check_for_lattice(kernel, problem, stages)


def _never_crossed(before: np.ndarray, now: np.ndarray) -> float | None:
    """A threshold that no chain crosses, although many that move start near it."""
    changed = now != before
    if changed.sum() < _MANY:
        return None
    reach = np.median(np.abs(now - before)[changed]) / 2
    low, high = np.quantile(before, [0.02, 0.98])
    inside = (0.0,) if low < 0 < high else ()
    for at in (*np.linspace(low, high, 41), *inside):
        near = changed & (np.abs(before - at) < reach)
        if near.sum() >= _MANY and not ((before < at) != (now < at))[changed].any():
            return float(at)
    return None


def _check_for_lattice(kernel: CheckedKernel, problem: Problem, stages: list[np.ndarray]) -> None:
    """Find moves to few points, or by few different steps or factors."""
    x, after = stages[0], stages[1]
    moved = (x != after).any(1)
    if moved.sum() < _MANY:
        return
    n_points = len(np.unique(np.round(after, 12), axis=0))
    if n_points < 0.9 * len(after):
        merged = f"{len(after)} chains at different points are at {n_points} points after one move ({problem.name})"
        kernel.report.add_failure("cannot reach", merged)
        return
    for j in range(x.shape[1]):
        for steps in ((after - x)[moved, j], after[moved, j] / np.where(x[moved, j] == 0, 1, x[moved, j])):
            taken = np.round(steps[np.abs(steps) > 1e-12], 9)
            few = len(np.unique(taken))
            if len(taken) >= _MANY and few < 0.1 * len(taken) and not np.isclose(np.abs(taken), 1).all():
                lattice = f"coordinate {j} takes only {few} different steps: most states are out of reach"
                kernel.report.add_failure("cannot reach", f"{lattice} ({problem.name})")
                return
