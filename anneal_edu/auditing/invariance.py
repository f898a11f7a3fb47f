"""Does a kernel leave a distribution as it is, and does it come everywhere?

Chains that start at exact draws and move by a right kernel are exact draws for ever, so that the mean change of
anything is zero. Many things are looked at, the most suspicious ones again with new draws; only these are tests.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from anneal_edu.auditing.findings import Docket, z_and_p
from anneal_edu.auditing.moves import Moves
from anneal_edu.auditing.worlds import World

STOPS = (1, 4, 12)  # moves after which chains are looked at
N_SUSPECTS = 2
TIMES_MORE = 8
N_TOGETHER = 4  # chains a call, where it is asked whether each of a few is treated right
NEWEST = "is each coordinate drawn given the newest values of the others?"
_MANY = 80  # a quarter of those near a threshold should cross it: that none does has then probability 1e-10


def walked(moves: Moves, world: World, n: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Exact draws, and where they are after the moves of `STOPS`: four arrays (n, D)."""
    x = np.asarray(world.distribution.sample(n, rng))
    x = x if world.discrete else x.astype(np.float64)
    stages = [x]
    for move in range(1, max(STOPS) + 1):
        x = moves(world, x, rng)
        if move in STOPS:
            stages.append(x)
    return stages


def changes(probe: Callable[[np.ndarray], np.ndarray], stages: list[np.ndarray]) -> np.ndarray:
    """How much a probe has changed at each stop, (n, 3)."""
    before = probe(stages[0])
    return np.stack([probe(x) - before for x in stages[1:]], axis=1)


def ask_invariance(moves: Moves, world: World, n: int, docket: Docket, rng: np.random.Generator, tip: str = "") -> bool:
    """Many chains, moved together. Returns whether any ever moved, or need not have. A tip is on one move."""
    stages = walked(moves, world, n, rng)
    if all((x == stages[0]).all() for x in stages[1:]):
        docket.left_out.append(f"{world.name}: {n} chains stood still in {max(STOPS)} moves: there is nothing to see")
        return bool((stages[0] != np.median(stages[0], 0)).any(1).sum() < _MANY)  # where nearly all draws are one state
    _look_for_what_never_changes(world, stages, docket)
    z = np.stack([z_and_p(changes(probe, stages))[0] for _, probe in world.probes])
    stages = walked(moves, world, TIMES_MORE * n, rng)
    for suspect in np.argsort(-np.abs(z), axis=None)[:N_SUSPECTS]:
        probe, stop = divmod(int(suspect), len(STOPS))
        said, watched = world.probes[probe]
        found, p = z_and_p(changes(watched, stages))
        at_once = f"{f', {abs(found[0]):.1f} after one' if stop else ''}: {tip}" if tip and p[0] < 1e-6 else ""
        docket.test(
            "not invariant",
            f"of {TIMES_MORE * n} exact draws ({world.name}) {said} is {abs(found[stop]):.1f} standard "
            f"errors off after {STOPS[stop]} move{'s' * (stop > 0)}{at_once}",
            p[stop], f"invariance and reach on {world.name}",
        )
    return True


def ask_rows(moves: Moves, world: World, n_calls: int, docket: Docket, rng: np.random.Generator) -> None:
    """A few chains a call: is every one of them treated right, the first and the last as well?"""

    def by_row(n_calls: int) -> np.ndarray:
        x = np.asarray(world.distribution.sample(N_TOGETHER * n_calls, rng)).reshape(n_calls, N_TOGETHER, -1)
        after = x
        for _ in range(2):
            after = np.stack([moves(world, few, rng) for few in after])
        flat = (states.reshape(len(states) * N_TOGETHER, -1) for states in (after, x))
        new, old = (world.look(states) for states in flat)
        return (new - old).reshape(n_calls, -1)  # (calls, rows · F)

    z, _ = z_and_p(by_row(n_calls))
    suspects = np.argsort(-np.abs(z))[:1]
    z, p = z_and_p(by_row(2 * n_calls)[:, suspects])
    row, probe = divmod(int(suspects[0]), len(world.probes))
    docket.test(
        "not invariant",
        f"in calls with {N_TOGETHER} chains ({world.name}) {world.probes[probe][0]} of chain {row} is "
        f"{abs(z[0]):.1f} standard errors off after 2 moves",
        p[0], "every chain of a few",
    )


def _look_for_what_never_changes(world: World, stages: list[np.ndarray], docket: Docket) -> None:
    """Moves that leave the distribution as it is, but cannot reach all of it."""
    x, after = stages[0], stages[-1]
    moved = (x != after).any(1)
    if moved.sum() < _MANY:
        return
    start, end = x[moved], after[moved]
    for said, scalar in world.scalars:
        before, now = scalar(start), scalar(end)
        if world.discrete and len(start) * before.var() < _MANY / 4 * start.var(0).sum():
            continue  # it hardly differs between chains, and may change too rarely to be seen
        change = np.abs(now - before)
        if len(x[0]) > 1 or said.startswith(("coordinate", "the distance")):
            scale = before.std() + 1e-300
            if scale > 1e-12 and (change <= 1e-9 * scale).all():
                docket.fact("cannot reach", f"{said} never changes: it stays as it began in all chains ({world.name})")
                return
        if not world.discrete and (at := _never_crossed(before, now)) is not None:
            docket.fact("cannot reach", f"no chain ever takes {said} across {at:.2f} ({world.name})")
            return
    if not world.discrete:
        _look_for_lattices(world, stages, docket)


def _never_crossed(before: np.ndarray, now: np.ndarray) -> float | None:
    """A threshold that no chain crosses though many of those that move begin near it."""
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


def _look_for_lattices(world: World, stages: list[np.ndarray], docket: Docket) -> None:
    x, after = stages[0], stages[1]
    moved = (x != after).any(1)
    if moved.sum() < _MANY:
        return
    rows = np.unique(np.round(after, 12), axis=0)
    if len(rows) < 0.9 * len(after):
        sentence = f"{len(after)} chains that were all apart stand on {len(rows)} points after one move ({world.name})"
        docket.fact("cannot reach", sentence)
        return
    for j in range(x.shape[1]):
        for steps in ((after - x)[moved, j], after[moved, j] / np.where(x[moved, j] == 0, 1, x[moved, j])):
            taken = np.round(steps[np.abs(steps) > 1e-12], 9)
            few = len(np.unique(taken))
            if len(taken) >= _MANY and few < 0.1 * len(taken) and not np.isclose(np.abs(taken), 1).all():
                sentence = f"coordinate {j} takes only {few} different steps: most points are out of reach"
                docket.fact("cannot reach", f"{sentence} ({world.name})")
                return
