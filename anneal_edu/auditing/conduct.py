"""How a kernel behaves: is all its chance from rng, has it a memory, and does each chain walk for itself?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import chdtrc, ndtr

from anneal_edu.auditing.findings import Docket
from anneal_edu.auditing.moves import Moves
from anneal_edu.auditing.worlds import World

N_STARTS, N_CALLS, N_CHAINS = 8, 60, 6
N_REPEATS, N_MOVES = 12, 25
TIMES_MORE = 4
N_PLACES = 4


def ask_chance(moves: Moves, world: World, docket: Docket) -> Callable[[], None]:
    """Equal generators, equal moves; others, other moves. Returns what asks the first half once more, later."""
    x = world.distribution.sample(200, np.random.default_rng(0))

    def moved(seed: int) -> np.ndarray:
        return moves(world, x, np.random.default_rng(seed))

    first, again = moved(1), moved(1)
    others = [moved(seed) for seed in range(2, 8)]
    if not np.array_equal(first, again):
        docket.fact(
            "chance of its own",
            "the same states and an equal generator give other states: it draws from elsewhere, or it remembers",
        )
    # a few that leave a rare value may well go to the same place, whatever the generator
    if (first != x).any(1).mean() > 0.05 and all(np.array_equal(first, other) for other in others):
        docket.fact("no chance", "different generators give the same states: it does not draw from rng")

    def once_more() -> None:
        if not np.array_equal(first, moved(1)):
            docket.fact(
                "remembers",
                "after other calls the same states and an equal generator give other states: something is kept "
                "between calls, and what adapts while it samples leaves nothing invariant",
            )

    return once_more


def ask_few_chains(moves: Moves, world: World, many: int, docket: Docket, rng: np.random.Generator) -> None:
    """One chain is an array, too; and every row of eight, and of ``many``, must move some day."""
    try:
        moves(world, world.distribution.sample(1, rng), rng)
    except (TypeError, ValueError, IndexError) as error:
        docket.fact("fails", f"with a single chain: {type(error).__name__}: {error}")
        return
    for n in (8, many):
        ever = np.zeros((N_REPEATS, n), dtype=bool)
        for repeat in range(N_REPEATS):
            x = start = world.distribution.sample(n, rng)
            for _ in range(N_MOVES):
                x = moves(world, x, rng)
                ever[repeat] |= (x != start).any(1)
        share, still = ever.mean(), ~ever.any(0)
        others = ever[:, ~still].mean() if not still.all() else share
        if still.any() and share > 0:
            docket.test(
                "chains left out",
                f"{still.sum()} of {n} chains never move, where the others move in {others:.0%} of {N_REPEATS} runs; "
                f"the first of these is chain {int(np.argmax(still))}",
                min(1.0, n * (1 - others) ** N_REPEATS),
            )


def ask_independence(moves: Moves, world: World, docket: Docket, rng: np.random.Generator) -> None:
    """Chains that begin at one point: do they make up their minds each for itself?"""
    z, p = _likeness(moves, world, N_CALLS, rng)
    worst = int(np.argmin(p))
    if _suspicious(p):
        z, p = _likeness(moves, world, TIMES_MORE * N_CALLS, rng)
    docket.test(
        "chains share their chance",
        f"of {N_CHAINS} chains that begin at one point ({world.name}) those of a call move alike: their correlation "
        f"is {abs(z[worst]):.1f} standard errors from 0",
        p[worst] if _suspicious(p) else 1.0, "independence of the chains",
    )


def _suspicious(p: np.ndarray) -> bool:
    """Worth another look, with new calls: the products of few steps are far from normal."""
    return bool(len(p) * p.min() < 0.05)


def _likeness(
    moves: Moves, world: World, n_calls: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """z and p-values of Σ_{i≠j} of what chains i and j of a call did, less its mean: 0 where they are independent.

    A lazy kernel's products are rare events: where none is seen, or one more than usual, their own spread says
    little. So z is over the larger of the spread that was seen and that of independent chains.
    """
    looks, products, expected = _looks(world), [], []
    for start in world.distribution.sample(N_STARTS, rng):
        x = np.tile(start, (N_CHAINS, 1))
        seen = np.stack([looks(x, moves(world, x, rng)) for _ in range(n_calls)])  # (calls, chains, F)
        seen -= seen.mean(0)
        products.append(seen.sum(1) ** 2 - (seen**2).sum(1))
        var = seen.var(0, ddof=1)
        expected.append(2 * (var.sum(0) ** 2 - (var**2).sum(0)))  # (F,)
    found = np.concatenate(products)
    s = np.sqrt(np.maximum(found.var(0, ddof=1), np.mean(expected, axis=0)) / len(found))
    z = np.where(s > 1e-12, found.mean(0) / np.maximum(s, 1e-12), 0.0)
    return z, 2 * ndtr(-np.abs(z))


def _looks(world: World) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """What is looked at: where a chain came (C, D), whether it moved, and how far."""
    spread = world.distribution.sample(500, np.random.default_rng(0)).std(0) + 1e-12

    def looks(x: np.ndarray, new: np.ndarray) -> np.ndarray:
        step = np.subtract(new, x, dtype=float) / spread
        moved = (new != x).any(1, keepdims=True).astype(float)
        return np.concatenate([np.tanh(2 * step), moved, np.tanh((step**2).sum(1, keepdims=True))], axis=1)

    return looks


def ask_companions(moves: Moves, world: World, n_calls: int, docket: Docket, rng: np.random.Generator) -> None:
    """Must a chain's move depend on where the others are, on how many they are, or on its place among them?"""
    found = _companions(moves, world, n_calls, rng)
    if any(_suspicious(p) for p in found.values()):
        again = _companions(moves, world, TIMES_MORE * n_calls, rng)
        found = {said: again[said] if _suspicious(p) else p for said, p in found.items()}
    for said, p in found.items():
        docket.test(
            "chains depend on each other",
            f"how a chain moves depends on {said} ({world.name}): p = {len(p) * p.min():.1g} for one that does not",
            min(1.0, len(p) * p.min()) if _suspicious(p) else 1.0, "their companions",
        )


def _companions(moves: Moves, world: World, n_calls: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Three chains from one point, in other company: p-values of every look, by what was changed."""
    looks = _looks(world)
    squares: dict[str, np.ndarray] = {}
    for start in world.distribution.sample(N_PLACES, rng):
        same = np.tile(start, (6, 1))
        apart = np.concatenate([same[:3], world.distribution.sample(3, rng)])
        crowd = np.concatenate([same[:3], world.distribution.sample(40, rng)])
        cases = {
            "": (same, slice(0, 3)),
            "where the others are": (apart, slice(0, 3)),
            "how many others there are": (crowd, slice(0, 3)),
            "its place among the others": (np.roll(apart, 3, axis=0), slice(3, 6)),
        }
        seen = {
            said: np.stack([looks(x[rows], moves(world, x, rng)[rows]).mean(0) for _ in range(n_calls)])
            for said, (x, rows) in cases.items()
        }
        for said in filter(None, cases):
            squares[said] = squares.get(said, 0) + _gap(seen[""], seen[said]) ** 2
    return {said: chdtrc(N_PLACES, s) for said, s in squares.items()}


def _gap(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """z of the difference of two means, 0 where hardly anything happened."""
    s = np.sqrt(a.var(0, ddof=1) / len(a) + b.var(0, ddof=1) / len(b))
    busy = ((np.abs(a - np.median(a, 0)) > 1e-12).sum(0) + (np.abs(b - np.median(b, 0)) > 1e-12).sum(0)) >= 50
    gap = a.mean(0) - b.mean(0)
    without_chance = (s < 1e-12) & (np.abs(gap) > 1e-9)
    return np.where(without_chance, 40.0, np.where(busy & (s > 0), gap / np.where(s > 0, s, 1.0), 0.0))
