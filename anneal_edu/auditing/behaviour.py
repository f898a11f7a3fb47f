"""How a kernel behaves: its randomness, its memory, and whether the chains of a call are independent."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import chdtrc, ndtr

from anneal_edu.auditing.checked_kernel import CheckedKernel
from anneal_edu.auditing.problems import Problem
from anneal_edu.auditing.statistics import bonferroni

N_STARTS, N_CALLS, N_CHAINS = 8, 60, 6  # check_independence
N_RUNS, N_MOVES = 12, 25  # check_every_chain
N_PLACES = 4  # check_exchangeability
REPEAT_FACTOR = 4


def check_randomness(kernel: CheckedKernel, problem: Problem) -> Callable[[], None]:
    """Equal generators must give equal moves, others other moves. Returns a check for a later repetition."""
    x = problem.distribution.sample(200, np.random.default_rng(0))

    def moved(seed: int) -> np.ndarray:
        return kernel(problem, x, np.random.default_rng(seed))

    first, *others, again = (moved(seed) for seed in (1, 2, 3, 4, 5, 6, 7, 1))
    if not np.array_equal(first, again):
        sentence = "equal generators give other states: not all randomness comes from rng, or it keeps something"
        kernel.report.add_failure("other randomness", sentence)
    # a few that leave a rare value may well go to the same place, whatever the generator
    if (first != x).any(1).mean() > 0.05 and all(np.array_equal(first, other) for other in others):
        kernel.report.add_failure("no randomness", "different generators give the same states: rng is not used")

    def repeat() -> None:
        if not np.array_equal(first, moved(1)):
            sentence = "after other calls an equal generator gives other states: does it adapt while it samples?"
            kernel.report.add_failure("keeps state", sentence)

    return repeat


def check_every_chain(kernel: CheckedKernel, problem: Problem, many: int, rng: np.random.Generator) -> None:
    """A single chain must work, and every row of eight, and of ``many``, must move."""
    try:
        kernel(problem, problem.distribution.sample(1, rng), rng)
    except (TypeError, ValueError, IndexError) as error:
        kernel.report.add_failure("fails", f"with a single chain: {type(error).__name__}: {error}")
        return
    for n in (8, many):
        ever = np.zeros((N_RUNS, n), dtype=bool)
        for run in range(N_RUNS):
            x = start = problem.distribution.sample(n, rng)
            for _ in range(N_MOVES):
                x = kernel(problem, x, rng)
                ever[run] |= (x != start).any(1)
        never = ~ever.any(0)
        if never.any() and not never.all():
            others = ever[:, ~never].mean()
            sentence = f"chain {np.argmax(never)} and {never.sum() - 1} others of {n} never move"
            sentence += f"; the rest move in {others:.0%} of {N_RUNS} runs"
            kernel.report.add_test("chains left out", sentence, min(1.0, n * (1 - others) ** N_RUNS))


def check_independence(kernel: CheckedKernel, problem: Problem, rng: np.random.Generator) -> None:
    """Chains that start at one point must move independently."""
    z, p = _correlation(kernel, problem, N_CALLS, rng)
    worst = np.argmin(p)
    if _suspicious(p):
        z, p = _correlation(kernel, problem, REPEAT_FACTOR * N_CALLS, rng)
    sentence = f"the correlation of {N_CHAINS} chains of one call is {abs(z[worst]):.1f} standard errors from 0"
    p_value = p[worst] if _suspicious(p) else 1.0
    kernel.report.add_test(
        "chains share randomness", f"{sentence} ({problem.name})", p_value, "independence of the chains"
    )


def _suspicious(p: np.ndarray) -> bool:
    """Worth a second test, with new calls: products of a few steps are far from normal."""
    return bool(len(p) * p.min() < 0.05)


def _correlation(
    kernel: CheckedKernel, problem: Problem, n_calls: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """z and p-values of Σ_{i≠j} of what chains i and j of a call did, less its mean: 0 where they are independent.

    Products of a lazy kernel are rare events, of which the spread that is seen says little: z is over the larger of
    this spread and that of independent chains.
    """
    features, products, expected = _features(problem), [], []
    for start in problem.distribution.sample(N_STARTS, rng):
        x = np.tile(start, (N_CHAINS, 1))
        seen = np.stack([features(x, kernel(problem, x, rng)) for _ in range(n_calls)])  # (calls, chains, F)
        seen -= seen.mean(0)
        products.append(seen.sum(1) ** 2 - (seen**2).sum(1))
        var = seen.var(0, ddof=1)
        expected.append(2 * (var.sum(0) ** 2 - (var**2).sum(0)))  # (F,)
    found = np.concatenate(products)
    s = np.sqrt(np.maximum(found.var(0, ddof=1), np.mean(expected, axis=0)) / len(found))
    z = np.where(s > 1e-12, found.mean(0) / np.maximum(s, 1e-12), 0.0)
    return z, 2 * ndtr(-np.abs(z))


def _features(problem: Problem) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Features of a move, (C, D + 2): the step of each coordinate, whether the chain moved, and how far."""
    spread = problem.distribution.sample(500, np.random.default_rng(0)).std(0) + 1e-12

    def features(x: np.ndarray, new: np.ndarray) -> np.ndarray:
        step = np.subtract(new, x, dtype=float) / spread
        moved = (new != x).any(1, keepdims=True).astype(float)
        return np.concatenate([np.tanh(2 * step), moved, np.tanh((step**2).sum(1, keepdims=True))], axis=1)

    return features


def check_exchangeability(kernel: CheckedKernel, problem: Problem, n_calls: int, rng: np.random.Generator) -> None:
    """A chain's move must not depend on the other chains, on their number, or on its own row."""
    found = _dependences(kernel, problem, n_calls, rng)
    if any(_suspicious(p) for p in found.values()):
        again = _dependences(kernel, problem, REPEAT_FACTOR * n_calls, rng)
        found = {on: again[on] if _suspicious(p) else p for on, p in found.items()}
    for on, p in found.items():
        sentence = f"the move of a chain depends on {on} ({problem.name}): p = {len(p) * p.min():.1g}"
        p_value = bonferroni(p) if _suspicious(p) else 1.0
        kernel.report.add_test("chains depend on each other", sentence, p_value, "exchangeability of the chains")


def _dependences(
    kernel: CheckedKernel, problem: Problem, n_calls: int, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Move three chains from one point among other chains: p-values of every feature, by what was changed."""
    features = _features(problem)
    squares: dict[str, np.ndarray] = {}

    def seen(x: np.ndarray, rows: slice = slice(3)) -> np.ndarray:
        return np.stack([features(x[rows], kernel(problem, x, rng)[rows]).mean(0) for _ in range(n_calls)])

    for start in problem.distribution.sample(N_PLACES, rng):
        same = np.tile(start, (6, 1))
        apart = np.concatenate([same[:3], problem.distribution.sample(3, rng)])
        crowd = np.concatenate([same[:3], problem.distribution.sample(40, rng)])
        usual = seen(same)
        changed = {
            "where the others are": seen(apart),
            "how many others there are": seen(crowd),
            "its place among the others": seen(np.roll(apart, 3, axis=0), slice(3, 6)),
        }
        for on, moves in changed.items():
            squares[on] = squares.get(on, 0) + _z_of_difference(usual, moves) ** 2
    return {on: chdtrc(N_PLACES, square) for on, square in squares.items()}


def _z_of_difference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """z of the difference of two means; 0 with fewer than 50 events, 40 where two constants differ."""
    s = np.sqrt(a.var(0, ddof=1) / len(a) + b.var(0, ddof=1) / len(b))
    enough = sum((np.abs(x - np.median(x, 0)) > 1e-12).sum(0) for x in (a, b)) >= 50
    difference = a.mean(0) - b.mean(0)
    constant = (s < 1e-12) & (np.abs(difference) > 1e-9)
    return np.where(constant, 40.0, np.where(enough & (s > 0), difference / np.where(s > 0, s, 1.0), 0.0))
