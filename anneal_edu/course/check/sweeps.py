"""Sweeps and small runs for notebook 06, in which every way is followed."""

from functools import reduce
from itertools import pairwise, permutations, product
from math import prod

import numpy as np
from scipy.special import rel_entr

from anneal_edu.annealing.matrices import metropolis_matrix

FAR = 1


def reversible_move(p: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A move in detailed balance with p that goes from every state to every other, (S, S)."""
    flow, d = np.exp(2.5 * rng.normal(size=(p.size, p.size))), np.ones(p.size)
    flow += flow.T
    for _ in range(300):
        d = np.sqrt(d * p / (flow @ d))
    flow *= np.outer(d, d)
    flow *= (p / flow.sum(1)).min()  # what is left of p stays where it is
    return flow / p[:, None] + np.diag(1 - flow.sum(1) / p)


def in_order(*moves: np.ndarray) -> np.ndarray:
    """The matrix of moves that are made one after the other."""
    return reduce(np.matmul, moves)


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


def small_run(n: int, seed: int):
    """A run of two steps over n states: p, where forward chains end, and the exact error of reverse runs from q.

    With the seed FAR, three states in a line: forward chains stay on one side of a barrier, p is on the other.
    """
    rng = np.random.default_rng(seed)
    ends_f = rng.normal(size=(2, n)) if seed != FAR else np.array([[0.0, -70.0, -45.0], [-16.0, -28.0, 0.0]])
    log_f = np.array([(1 - beta) * ends_f[0] + 2.5 * beta * ends_f[1] for beta in (0.0, 0.5, 1.0)])
    p = [np.exp(row) / np.exp(row).sum() for row in log_f]
    moves = [metropolis_matrix(row) @ metropolis_matrix(row) for row in log_f[1:]]
    ends = p[0] @ moves[0] @ moves[1]

    def measure(q: np.ndarray) -> float:
        mass = ((q @ moves[1]) * np.exp(log_f[1] - log_f[2])) @ moves[0] * np.exp(log_f[0] - log_f[1])
        return float(-np.log(mass.sum() / np.exp(log_f[0]).sum()) - np.log(np.exp(log_f[2]).sum()))

    return p[2], ends, measure


def slips_with_logarithms(p: np.ndarray, q: np.ndarray, ends: np.ndarray) -> dict[str, float]:
    """What is said of means of logarithms in place of the logarithm of a mean, all KL divergences among them."""
    densities = {"q": q, "p": p, "ends": ends}
    with np.errstate(divide="ignore", invalid="ignore"):
        of_logs = -float(np.sum(ends * np.log(q / p)))
    return {
        "you left out where forward chains end: q/p counts only where they come.": -float(np.log(np.sum(q / p))),
        "that is the mean of the logarithm of q/p. First 1/w is averaged, and then the logarithm is taken: a mean of "
        "logarithms is less than the logarithm of the mean.": of_logs,
    } | {
        f"this is {sign}KL({a} ‖ {b}), the mean of a logarithm. Here 1/w is averaged over the chains, and the "
        "logarithm is taken of that average.": float(f"{sign}1") * float(rel_entr(densities[a], densities[b]).sum())
        for a, b in permutations(densities, 2)
        for sign in ("", "-")
    }
