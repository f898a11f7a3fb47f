"""Which neighbours a tempering ladder proposes to swap, and what happens to them.

A ladder has rungs k = 0 … K, rung k with the distribution f_k, and a replica on each. A swap of the states of rungs k
and k+1 is accepted with probability

    α = min(1, f_k(x_{k+1}) f_{k+1}(x_k) / (f_k(x_k) f_{k+1}(x_{k+1}))),

which leaves the product of all p_k invariant. The schemes differ in the pairs that they propose.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from anneal_edu.validation import as_choice, as_finite_array


class SwapScheme(Protocol):
    """A scheme for C ladders at once: ``propose`` says which pairs to try, ``update`` learns which were accepted."""

    def propose(self, rng: np.random.Generator) -> np.ndarray:
        """Pairs (k, k+1) to try in each ladder: (K, C) bool, no rung in two of them."""
        ...

    def update(self, accepted: np.ndarray) -> None:
        """Learn which pairs were swapped, (K, C) bool."""
        ...


def _pairs_of_parity(n_pairs: int, parity: np.ndarray) -> np.ndarray:
    """Pairs k with k ≡ parity (mod 2) in each ladder: (C,) -> (K, C)."""
    return (np.arange(n_pairs)[:, None] - parity) % 2 == 0


class StochasticEvenOdd:
    """A fair coin for each ladder picks the even or the odd pairs: reversible, and a replica walks at random."""

    def __init__(self, n_pairs: int, n_ladders: int):
        self.n_pairs, self.n_ladders = n_pairs, n_ladders

    def propose(self, rng: np.random.Generator) -> np.ndarray:
        """Even or odd pairs, by the toss of a coin: (K, C)."""
        return _pairs_of_parity(self.n_pairs, rng.integers(2, size=self.n_ladders))

    def update(self, accepted: np.ndarray) -> None:
        """The next coin does not depend on it."""


class EvenOdd:
    """Even and odd pairs in turn: not reversible, and an accepted replica keeps its direction."""

    def __init__(self, n_pairs: int, n_ladders: int):
        self.n_pairs, self.n_ladders, self.parity = n_pairs, n_ladders, 0

    def propose(self, rng: np.random.Generator) -> np.ndarray:
        """Even pairs first, then odd ones, and so on: (K, C)."""
        pairs = _pairs_of_parity(self.n_pairs, np.full(self.n_ladders, self.parity))
        self.parity = 1 - self.parity
        return pairs

    def update(self, accepted: np.ndarray) -> None:
        """The next turn does not depend on it."""


class Lifted:
    """One tagged replica a ladder, on rung n with direction e, tries the pair ahead of it.

    Accepted: it moves to n + e, and turns around if that is an end. Refused: it turns around, unless n is an end, where
    it can look one way only. The report tests n + e in place of n for that, and so turns on the last rung but one and
    looks beyond the ladder from an end (Kadan et al. 2018, Section 4.2.2).
    """

    def __init__(self, n_pairs: int, n_ladders: int):
        self.n_pairs = n_pairs
        self.rung, self.direction = np.zeros(n_ladders, dtype=int), np.ones(n_ladders, dtype=int)  # (C,)

    def propose(self, rng: np.random.Generator) -> np.ndarray:
        """The pair between n and n + e: (K, C), one True a ladder."""
        lower = np.minimum(self.rung, self.rung + self.direction)
        return np.arange(self.n_pairs)[:, None] == lower

    def update(self, accepted: np.ndarray) -> None:
        """Move on, or turn around."""
        moved = accepted.any(0)
        inside = (self.rung > 0) & (self.rung < self.n_pairs)
        self.direction = np.where(~moved & inside, -self.direction, self.direction)
        self.rung = np.where(moved, self.rung + self.direction, self.rung)
        at_end = (self.rung == 0) | (self.rung == self.n_pairs)
        self.direction = np.where(moved & at_end, -self.direction, self.direction)


SCHEMES: dict[str, type] = {"stochastic_even_odd": StochasticEvenOdd, "even_odd": EvenOdd, "lifted": Lifted}


def as_scheme(name: str) -> type:
    """The class of a scheme; ValueError for an unknown name."""
    return SCHEMES[as_choice("swaps", name, SCHEMES)]


def as_rates(rejection_rates: np.ndarray) -> np.ndarray:
    """Rejection rates (K,), each in [0, 1]."""
    rates = as_finite_array("rejection_rates", rejection_rates, ndim=1)
    if (rates < 0).any() or (rates > 1).any():
        raise ValueError(f"rejection_rates must lie in [0, 1], got {rates.min()} to {rates.max()}")
    return rates
