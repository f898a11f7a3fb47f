"""Exercises of notebook 06: large RBMs, where no truth is at hand."""

from functools import reduce

import numpy as np

from anneal_edu.course.check.engine import exercise
from anneal_edu.weights import log_mean_exp


# Exercise 1: a sweep, run backwards
def _sweeps():
    rng, cases = np.random.default_rng(1), {}
    for case, n, order in (
        ("two moves", 4, "ab"), ("a sweep of one move", 5, "a"), ("three moves", 3, "abc"), ("six moves", 3, "fabdce"),
    ):  # fmt: skip
        p = rng.dirichlet(np.full(n, 2.0)) + 0.02
        p /= p.sum()
        named = {name: _reversible_move(p, rng) for name in sorted(order)}
        cases[case] = [named[name] for name in order], p
    return cases


def _reversible_move(p, rng):
    """A move in detailed balance with p that goes from every state to every other, (S, S)."""
    flow = np.exp(2 * rng.normal(size=(len(p), len(p))))
    flow += flow.T
    flow *= (p / flow.sum(1)).min()  # the rest of p stays where it is
    return flow / p[:, None] + np.diag(1 - flow.sum(1) / p)


def _misretraced(moves, p):
    T, back = reduce(np.matmul, moves), reduce(np.matmul, moves[::-1])
    return {
        "your matrix makes the moves in the old order. Each move is in detailed balance, their sweep is not: the "
        "reverse run begins with the last move.": T,
        "yours is the transpose of the forward sweep, whose rows do not sum to 1. Each move is its own reversal: "
        "transpose none, and begin with the last.": T.T,
        "yours is the transpose of the right matrix. Did you transpose each move, or forget in Bayes' rule that row "
        "and column change places?": back.T,
        "that is the inverse matrix. The reverse run does not undo a move: it makes the same moves in another "
        "order.": np.linalg.inv(T),
        "these are the joint probabilities p[x] T[x, y], transposed. Divide by the p of the state in which the reverse "
        "run stands.": (p[:, None] * T).T,
        "you multiply the matrices entry by entry. Moves that follow each other need `@`.": np.prod(moves, axis=0),
        "the mean of both orders is in detailed balance, but does not retrace this sweep.": (T + back) / 2,
    }  # fmt: skip


@exercise(
    hints=(
        "Socks first, and then shoes: in which order do they come off?",
        "Write down the probability that a chain, begun in p, goes from x over z to y by two moves. Use the detailed "
        "balance of each move to turn it round.",
        "moves[-1] @ … @ moves[1] @ moves[0]",
    ),
    returns={"matrix": "If chains in p make the sweep, entry [y, x] is the share of those in y that came from x."},
    errors={"at least two arrays": "a sweep may have one move only, and multi_dot wants two matrices."},
    cases=_sweeps, slips=_misretraced,
    praise="right: the same moves, the last one first.",
)  # fmt: skip
def retraced(moves, p):
    """The matrix of the sweep that retraces a sweep of reversible moves (S, S)."""
    return reduce(np.matmul, moves[::-1])


# Exercise 2: predict the wrong bound
def _starts():
    q, p, ends = np.array([[0.7, 0.2, 0.1], [0.2, 0.3, 0.5], [0.5, 0.4, 0.1]])
    return {
        "three states": (q, p, ends),
        "q = p": (p, p, ends),
        "a q that is 0 in some states": (np.array([0.0, 0.6, 0.4]), p, ends),
        "a q that forward chains hardly reach": (np.array([0.1, 0.1, 0.8]), p, np.array([0.1, 0.899, 0.001])),
        "a state where q and p are tiny": (np.array([1e-9, 0.5, 0.5]), np.array([1e-20, 0.1, 0.9]), ends),
        "a state that forward chains never reach": (q, p, np.array([0.0, 0.5, 0.5])),
    }


def _misforetold(q, p, ends):
    right = -np.log(np.sum(q / p * ends))
    return {
        "you use p/q. Reverse chains start in x more often than they should by the factor q/p.": -np.log(
            np.sum(p / q * ends)),
        "the log of a mean of p/q is not minus that of a mean of q/p. Average q/p.": np.log(np.sum(p / q * ends)),
        "the sign is wrong. A mean of 1/w that is too large makes the estimate of Z too low.": -right,
        "that is Σ (q/p) · ends, the factor by which the mean of 1/w is off. Return minus its log.": np.exp(-right),
        "that is Ẑ / Z. Return its logarithm.": np.exp(right),
        "minus belongs there, but the logarithm is missing: -log Σ (q/p) · ends.": -np.exp(-right),
        "you average over q. The weights of the states are the shares of forward chains, `ends`.": -np.log(
            np.sum(q * q / p)),
        "your formula has no p. The mean of 1/w depends on how q compares with p.": -np.log(q @ ends),
        "your formula has no `ends`. q/p counts only where forward chains end.": -np.log(np.sum(q / p)),
        "you average log(q/p). Average q/p first, and take the logarithm then.": -np.sum(ends * np.log(q / p)),
        "you average log(q/p), and minus is missing. Average q/p first, and take minus the logarithm "
        "then.": np.sum(ends * np.log(q / p)),
        "that is KL(q ‖ p), a mean of logarithms. Average q/p over `ends` first, and take the logarithm "
        "then.": np.sum(q * np.log(q / p)),
        "that is KL(p ‖ q), a mean of logarithms. Average q/p over `ends` first, and take the logarithm "
        "then.": np.sum(p * np.log(p / q)),
    }  # fmt: skip


@exercise(
    hints=(
        "Line 2 of the argument sums over trajectories. How much more often does q start one in x than p would?",
        "A reverse run from q has the probability q(x) / p(x) · P_R, with x its first state. Line 1 replaces P_R: "
        "where is x in the forward run?",
        "E[1/w] = (1/Z) Σ_x q(x) / p(x) · ends(x), so the answer is -log Σ_x q(x) / p(x) · ends(x)",
    ),
    returns={"your number of nats": "Each state counts by q/p and by the share of forward chains that end there."},
    cases=_starts, slips=_misforetold, atol=1e-6,
    praise="right: the error of the bound is -log Σ (q/p) · ends, of either sign.",
)  # fmt: skip
def reverse_error(q, p, ends):
    """Reverse log Ẑ - log Z of very many chains that start from q in place of p."""
    return -np.log(np.sum(q / p * ends))


# Exercise 3: what we know for certain
def _lists_of_estimates():
    return {
        "six and four estimates": ([100.3, 99.1, 101.6, 100.9, 98.8, 99.7], [101.9, 103.2, 100.8, 102.4], 0.05),
        "one estimate on each side": ([99.0], [101.0], 0.01),
        "a risk of 0.9": ([12.0], [12.5], 0.9),
        "negative estimates": ([-41.3, -40.0, -42.1], [-38.2, -39.5, -37.9], 0.05),
        "bounds that cross (low may be above high)": ([1640.0, 1618.0, 1642.0], [1628.0], 0.02),
        "105 estimates, some of them equal": ([5.0 + i % 7 for i in range(60)], 9 * [6.0, 7.0, 8.0, 7.0, 9.0], 1e-9),
        "enormous estimates": ([-3e9, -3e9 - 2], [3e9 + 1, 3e9], 0.05),
    }


def _other_intervals(forward, reverse, risk):
    f, r, m = np.array(forward), np.array(reverse), len(forward) + len(reverse)
    room, low, high = np.log(m / risk), *safe_interval.solution(forward, reverse, risk)
    half, both = np.log(2 / risk), "a bound for each side holds, but asked is the same share for every *estimate*."
    rooms = {
        "you leave no room. A bound that holds on average is exceeded in single runs.": 0.0,
        "the room has the wrong sign: go down from forward estimates, and up from reverse ones.": -room,
        "log(1/risk) covers one estimate. Each of the m estimates may exceed its bound: give each risk / m.": np.log(
            1 / risk),
        "log(2/risk) shares the risk between two estimates. Here there are m.": half,
        "the factor m / risk belongs to Ẑ. For log Ẑ take its logarithm.": m / risk,
        "your room shrinks as the risk does. The less you may be wrong, the more room you need.": np.log(m * risk),
    }  # fmt: skip
    return {
        "low and high have changed places. If low comes out above high, leave it so.": (high, low),
        "you take the mean of the forward estimates. Each is a lower bound: use the largest.": (f.mean() - room, ...),
        "you take the smallest forward estimate. Each is a lower bound: use the largest.": (f.min() - room, ...),
        "you take the mean of the reverse estimates. Each is an upper bound: use the smallest.": (
            ..., r.mean() + room),
        "you take the largest reverse estimate. Each is an upper bound: use the smallest.": (..., r.max() + room),
        "you give the whole risk to each side. Together the estimates of both sides have `risk`.": (
            low + room - np.log(len(f) / risk), high - room + np.log(len(r) / risk)),
        both: (low + room - half - np.log(len(f)), high - room + half + np.log(len(r))),
        "the mean of the Ẑ is unbiased and gives a valid bound, but asked is Markov once for each estimate.": (
            log_mean_exp(f) - half, half - log_mean_exp(-r)),
    } | {said: (f.max() - by, r.min() + by) for said, by in rooms.items()}  # fmt: skip


@exercise(
    hints=(
        "How likely is it that an unbiased Ẑ is more than a times too large?",
        "Markov: P(Ẑ ≥ aZ) ≤ 1/a. Give each of the m estimates its share of the risk.",
        "low = max(forward) - log(m / risk), high = min(reverse) + log(m / risk)",
    ),
    returns={"low": "Go down from the largest forward estimate, as far as Markov asks.",
             "high": "Go up from the smallest reverse estimate, as far as Markov asks."},
    cases=_lists_of_estimates, slips=_other_intervals,
    praise="right: the best bound on each side, and each of the m estimates has the share risk / m.",
)  # fmt: skip
def safe_interval(forward, reverse, risk):
    """(low, high) that holds log Z with probability 1 - risk at least, by Markov's inequality for each estimate."""
    room = np.log((len(forward) + len(reverse)) / risk)
    return max(forward) - room, min(reverse) + room
