"""Sweeps for notebook 06: moves in detailed balance with the same probabilities, one after the other."""

from itertools import pairwise, product
from math import prod

import numpy as np


def reversible_move(p: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A move in detailed balance with p that goes from every state to every other, (S, S)."""
    flow, d = np.exp(2.5 * rng.normal(size=(p.size, p.size))), np.ones(p.size)
    flow += flow.T
    for _ in range(300):
        d = np.sqrt(d * p / (flow @ d))
    flow *= np.outer(d, d)
    flow *= (p / flow.sum(1)).min()  # what is left of p stays where it is
    return flow / p[:, None] + np.diag(1 - flow.sum(1) / p)


def _flows(moves: list[np.ndarray], p: np.ndarray) -> np.ndarray:
    """Which share of all chains goes from x to y in one sweep, way by way: (S, S)."""
    flow = np.zeros((p.size, p.size))
    for way in product(range(p.size), repeat=len(moves) + 1):
        steps = (T[x, y] for T, (x, y) in zip(moves, pairwise(way), strict=True))
        flow[way[0], way[-1]] += p[way[0]] * prod(steps)
    return flow


def random_sweep(n: int, order: str, rng: np.random.Generator) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
    """States' p, moves in detailed balance with it, and their flows: clearly one-way where two orders differ."""
    while True:
        p = rng.dirichlet(np.full(n, 2.0)) + 0.02
        p /= p.sum()
        named = {name: reversible_move(p, rng) for name in sorted(set(order))}
        moves = [named[name] for name in order]
        flow = _flows(moves, p)
        if order == order[::-1] or np.sum(flow * np.log(flow / flow.T)) > 1e-3:
            return p, moves, flow
