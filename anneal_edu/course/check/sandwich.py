"""Checks of notebook 06: large RBMs, where no truth is at hand."""

from math import prod

import numpy as np

from anneal_edu.course.check.sweeps import FAR, in_order, random_sweep, slips_with_logarithms, small_run
from anneal_edu.course.check.verdict import (
    WrongAnswerError,
    array,
    call,
    exercise,
    numbers,
    reject,
    require,
    same,
    several,
)
from anneal_edu.weights import log_mean_exp

OFTEN, SELDOM = "too often", "too seldom"  # where forward chains come so: the estimate is too low, too high


# Exercise 1
@exercise(
    hints=(
        "Socks first, and then shoes: in which order do they come off? And how often does a sweep go from x to y, how "
        "often from y to x?",
        "Line 1, for one sweep from x to y: what stands on its left in place of f_k T_k, and what on its right if the "
        "reverse run has the forward matrix? Average the logarithm of the ratio over chains that stand in p.",
        "With T = moves[0] @ moves[1] @ … the matrix is … @ moves[1] @ moves[0], and the nats are Σ_xy F[x, y] "
        "log(F[x, y] / F[y, x]), where F[x, y] = p[x] T[x, y]",
    )
)
def retraced(answer) -> str:
    """``answer(moves, p)`` must be the matrix that retraces a sweep of moves, and what the old order costs in nats.

    Each of the moves (S, S) is in detailed balance with p (S,). The second number is the mean, over forward sweeps, of
    log (P_F w) - log (Z P_R) if the reverse run makes the moves in the order of the forward run. The check follows
    every way through the moves.

    Examples
    --------
    >>> retraced(lambda moves, p: (np.linalg.multi_dot(moves), 0.0))
    ✗ 2 moves over 4 states: your matrix makes the moves in the old order. Each is in detailed balance, their sweep is \
not: who goes back must begin with the last.
      A hint: ae.check.sandwich.retraced.hint()
    """
    rng = np.random.default_rng(1)
    for n, order in ((4, "ab"), (3, "abc"), (5, "a"), (3, "aba"), (3, "abcd"), (6, "ba"), (4, "cab"), (3, "fabdce")):
        p, moves, flow = random_sweep(n, order, rng)
        case = f"{len(order)} moves over {n} states: "
        if len(order) == 1:
            case = f"a single move over {n} states: "
        elif len(order) > 2 and order == order[::-1]:
            case = f"{' '.join(order.upper())}, a sweep that reads the same backwards, over {n} states: "
        try:
            result = call(answer, [T.copy() for T in moves], p.copy())
        except (ValueError, IndexError) as error:  # as of a product that wants two matrices
            raise type(error)(f"{case}{error}") from error
        back, nats = _two_parts(result, n, case)
        _judge_back(back, flow, moves, p, case)
        _judge_nats(nats, flow, moves, p, case)
    return (
        "right, way by way: yours retraces every sweep. (The mean of 1/w is 1/Z with either order, for both leave p "
        "as it is; it is line 1 that only yours keeps.)"
    )


def _two_parts(result, n: int, case: str) -> tuple[np.ndarray, float]:
    back, nats = several(result, 2, "return two things: a matrix, and a number of nats.")
    exchanged = np.shape(back) == () and np.shape(nats) == (n, n)
    require(not exchanged, "return the matrix first, and then the nats.")
    back = array(back, (n, n), f"{case}your matrix has")
    return back, float(array(nats, (), f"{case}your number of nats has"))


def _judge_back(got: np.ndarray, flow: np.ndarray, moves: list[np.ndarray], p: np.ndarray, case: str) -> None:
    right, T = flow.T / p[:, None], flow / p[:, None]
    inverse, twice = np.linalg.inv(T), "yours makes the only move twice." if len(moves) == 1 else ""
    reject(got, {
        "your matrix makes the moves in the old order. Each is in detailed balance, their sweep is not: who goes back "
        "must begin with the last.": T,
        "the transpose turns the arrows round, but its rows do not sum to 1: p counts as well. Each move is its own "
        "reversal; in which order are they made?": T.T,
        "yours is the transpose of what retraces. No single move need be turned over; in which order are they "
        "made?": right.T,
        "yours is the inverse of the matrix. Nothing is undone here: it is the chances that are turned round.": inverse,
        "these are the flows, with the arrows turned round; divide by how many chains stand where the reverse run "
        "starts from.": flow.T,
        "half of the time in one order and half in the other: that sweep is in detailed balance, but it does not "
        "retrace this one.": (T + right) / 2,
        twice or "yours makes all moves twice, first in the old order.": T @ right,
        twice or "yours makes all moves twice, the second time in the old order.": right @ T,
        "yours makes only the last move.": moves[-1],
        "yours makes only the first move.": moves[0],
        "yours is the mean of the moves: a sweep makes all, one after the other.": sum(moves) / len(moves),
        "you multiplied the matrices entry by entry; moves that follow each other need `@`.": prod(moves),
    }, case, unless=right)
    if len(moves) > 2:
        reject(got, {
            "the first and the last move have changed places, but those between them are still in the old "
            "order.": in_order(moves[-1], *moves[1:-1], moves[0]),
            "the last move comes first, but all the others follow in the old order.": in_order(moves[-1], *moves[:-1]),
            "the first move comes last, but all the others are made in the old order.": in_order(*moves[1:], moves[0]),
            "only the first two moves have changed places.": in_order(moves[1], moves[0], *moves[2:]),
            "only the last two moves have changed places.": in_order(*moves[:-2], moves[-1], moves[-2]),
            "yours makes the last move and the first; a sweep makes those between them as well.": moves[-1] @ moves[0],
        }, case, unless=right)
    require(np.allclose(got.sum(1), 1), f"{case}the rows of yours do not sum to 1: a chain must go somewhere.")
    require((got > -1e-12).all(), f"{case}a probability must not be negative.")
    require(np.allclose(p @ got, p), f"{case}your matrix does not leave p as it is, as every move does.")
    require(
        same(got, right),
        f"{case}of the chains that stand in y after a forward sweep, a share of yours[y, x] should have come from x. "
        "Followed way by way, it is another.",
    )


def _judge_nats(got: float, flow: np.ndarray, moves: list[np.ndarray], p: np.ndarray, case: str) -> None:
    log_ratio = np.log(flow / flow.T)  # of line 1, left over right, for a sweep from x to y
    right, T = float(np.sum(flow * log_ratio)), flow / p[:, None]
    by_ways = sum(np.sum(p[:, None] * A * np.log(A / B.T)) for A, B in zip(moves, moves[::-1], strict=True))
    reject(got, {
        "you average over the ways, with the states between the moves. In line 1 T_k is the matrix of the whole sweep, "
        "and all ways from x to y count together: compare the sums.": by_ways,
        "nothing is off in the mean of 1/w, nor over all pairs of states alike. But forward sweeps go from x to y more "
        "often than back, or less, and line 1 is about each of them.": 0.0,
        "the sign is wrong: that is the mean over sweeps of the reverse run. Over forward sweeps the left side of line "
        "1 is the larger one.": -right,
        "states are not equally frequent: weigh by p.": np.sum(T * np.log(T / T.T)),
        "you averaged over the states as if all were equally frequent; weigh by p.": np.sum(T * log_ratio) / p.size,
        "this is the ratio; in nats it is its logarithm.": np.exp(right),
        "you took the mean of the ratio first; it is its logarithm that is averaged.": np.log(np.sum(flow**2 / flow.T)),
        "you took the mean of the ratio; it is its logarithm that is averaged.": np.sum(flow**2 / flow.T),
        "nats are natural logarithms; these are to base 2.": right / np.log(2),
        "nats are natural logarithms; these are to base 10.": right / np.log(10),
        "the signs are lost: it is the mean of the logarithm, not of its size.": np.sum(flow * np.abs(log_ratio)),
        "that is the largest breach of detailed balance, p[x] T[x, y] - p[y] T[y, x]; asked is a mean, in "
        "nats.": np.max(np.abs(flow - flow.T)),
        "that is a difference of probabilities; asked is one of logarithms.": np.sum(np.abs(flow - flow.T)),
        "that is the largest logarithm of all; asked is their mean.": np.max(log_ratio),
        "you summed the logarithms without saying how often a sweep goes from x to y.": np.sum(np.abs(log_ratio)),
    }, case, 1e-6, unless=right)
    way_by_way = f"{case}way by way line 1 is off by {right:.6g} nats in the mean; yours foretells {got:.6g}."
    if right < 1e-12:
        way_by_way += " Here both orders are one and the same."
    require(same(got, right, 1e-6), way_by_way)


# Exercise 2
@exercise(
    hints=(
        "Line 2 sums over trajectories. How much more often does q start one in x than p would?",
        "Compare P_R of a reverse run that starts from q with that of one that starts from p: by which factor do they "
        "differ, and at which of its states? Then use line 1: where does a forward run have that state?",
        "E_q[1/w] = (1/Z) Σ_x q(x) / p(x) · P(a forward chain ends in x), and log Ẑ is minus the logarithm of the mean "
        "of 1/w: -log Σ_x q(x) / p(x) · ends(x)",
    )
)
def reverse_error(answer) -> str:
    """``answer(q, p, ends)`` must be reverse log Ẑ - log Z of very many chains that start from q in place of p.

    ``ends`` (S,) is where forward chains end. The check measures: it carries 1/w through the moves of a whole run.

    Examples
    --------
    >>> reverse_error(lambda q, p, ends: np.log((q / p * ends).sum()))
    ✗ chains that start from q: the sign is wrong. Where q holds too much of what forward chains reach, 1/w is \
large on average, and the estimate of Z comes out too *low*.
      A hint: ae.check.sandwich.reverse_error.hint()
    """
    runs = (5, 3, 0.5), (6, 8, OFTEN), (8, 4, 2.0), (6, 5, 1.0), (7, 6, SELDOM), (3, FAR, OFTEN), (3, FAR, SELDOM)
    for n, seed, spread in runs:
        p, ends, measure = small_run(n, seed)
        if seed == FAR:
            q = np.array([1e-9 * (spread == OFTEN), 0.0, 1.0])  # where p is far smaller still
        elif isinstance(spread, str):
            q = p * (ends > p if spread == OFTEN else ends < p)
        else:
            q = p ** (1 - spread) * np.random.default_rng(seed + 20).dirichlet(np.ones(n)) ** spread
            q[0] *= spread != 2.0  # a state that q never visits
        q /= q.sum()
        exact = float(call(answer, p.copy(), p.copy(), ends.copy(), shape=()))
        found = call(answer, q.copy(), p.copy(), ends.copy())
        require(
            (q > 0).all() or np.isfinite(found).all(),
            "your answer is NaN or infinite where q is 0 in some states. Reverse chains just never start there: do not "
            "divide by q, nor take its logarithm.",
        )
        got = float(array(found, (), "your function returned"))
        right = measure(q)
        reject(got, {
            "the sign is wrong. Where q holds too much of what forward chains reach, 1/w is large on average, and the "
            "estimate of Z comes out too *low*.": -right,
            "this is Σ (q/p) · ends, the mean of 1/w in units of 1/Z; the estimate is -log of it.": np.exp(-right),
            "this is its inverse, Ẑ / Z; take the logarithm.": np.exp(right),
            "p and q have changed places.": -np.log(np.sum(p[q > 0] / q[q > 0] * ends[q > 0])),
            "your answer is never positive. Where q holds too much of what forward chains miss, 1/w is small on "
            "average, and the estimate comes out too *high*.": min(right, 0.0),
            "you averaged over q: it is the forward chains whose ends weigh the states.": -np.log(np.sum(q * q / p)),
            "p occurs in your formula nowhere: what 1/w is worth depends on how q compares with "
            "p.": -np.log(np.sum(q * ends)),
            "terms of Σ (q/p) · ends are missing, or have something added to them: where q and p are tiny, q/p may be "
            "large all the same.": -np.log(np.sum((q / p * ends)[p > 1e-12])) if seed == FAR else np.nan,
        } | slips_with_logarithms(p, q, ends), case="chains that start from q: ", unless=right)
        require(abs(exact) < 1e-6, f"with q = p there is no error: it should be 0, and yours is {exact:.3g}.")
        measured = f"carried through all moves, 1/w gives {right:+.4f} nats; yours foretells {got:+.4f}."
        require(same(got, right, 1e-6), measured)
    return "right: it foretells what 1/w gives, carried through all moves of seven runs."


# Exercise 3
@exercise(
    hints=(
        "How likely is it that an unbiased Ẑ is more than a times too large?",
        "Markov: P(Ẑ ≥ aZ) ≤ 1/a. Give each of the m estimates its share of the risk; which of several bounds says "
        "most?",
        "low = max(forward) - log(m / risk), high = min(reverse) + log(m / risk)",
    )
)
def safe_interval(answer) -> str:
    """``answer(forward, reverse, risk)`` must bound log Z with probability at least 1 - risk, as tightly as Markov can.

    ``forward`` and ``reverse`` are lists of log Ẑ. With m of them in all, each end has log(m / risk) to spare.
    """
    for forward, reverse, risk in (
        ([100.3, 99.1, 101.6, 100.9, 98.8, 99.7], [101.9, 103.2, 100.8, 102.4], 0.05),  # the best is not the first
        ([99.0], [101.0], 0.05),
        ([7.0], [7.0], 0.01),
        ([12.0], [12.5], 0.9),  # less than a nat is needed
        ([1640.0, 1618.0, 1642.0], [1628.0], 0.02),
        ([-41.3, -40.0, -42.1], [-38.2, -39.5, -37.9], 0.05),
        ([-0.4, 0.3], [0.9, -0.2, 1.1], 0.6),
        ([-3e9, -3e9 - 2.0], [-3e9 + 1.0], 0.05),  # no number to begin a search with is far enough out
        ([3e9], [3e9 + 3.0, 3e9 + 1.0], 0.05),
        ([5.0 + 0.1 * (i % 7) for i in range(60)], [6.0 + 0.1 * (i % 5) for i in range(45)], 1e-9),
    ):
        result = call(answer, list(forward), list(reverse), risk)
        low, high = (float(end) for end in numbers(result, 2, "return two numbers: `return low, high`."))
        require(np.isfinite([low, high]).all(), "your ends must be finite numbers.")
        _judge_interval(low, high, np.asarray(forward, float), np.asarray(reverse, float), risk)
    return "right: the best of the bounds on each side, and room for every one of them to have been lucky."


def _judge_interval(low: float, high: float, forward: np.ndarray, reverse: np.ndarray, risk: float) -> None:
    m = len(forward) + len(reverse)
    room = np.log(m / risk)
    if same([low, high], [forward.max() - room, reverse.min() + room], 1e-4):
        return
    spare, for_two = (forward.max() - low, high - reverse.min()), np.log(2 / risk)
    reject([low, high], {
        "low and high have changed places. If low comes out above high, leave it so: that is how the two sides say "
        "that they contradict each other.": [reverse.min() + room, forward.max() - room],
        "low must start from the forward estimates, the lower bounds, and high from the reverse ones; yours start from "
        "each other's.": [reverse.min() - room, forward.max() + room],
        "this is valid, too: half of the risk for each side. But asked is the same share for every *estimate*.": [
            forward.max() - for_two - np.log(len(forward)), reverse.min() + for_two + np.log(len(reverse))
        ],
        "this is valid, too: the mean of several unbiased estimates is unbiased, and log(2 / risk) is room for both "
        "means. But asked is Markov once for *each* estimate, without averages.": [
            log_mean_exp(forward) - for_two, -log_mean_exp(-reverse) + for_two
        ],
    }, atol=1e-4)
    of_many = "every forward estimate is a lower bound, so the *largest* of them says the most;"
    if len(forward) > 1:
        reject(low, {
            f"{of_many} you took the smallest.": forward.min() - room,
            f"{of_many} you took the first.": forward[0] - room,
            f"{of_many} you took the last.": forward[-1] - room,
            f"{of_many} you took the median.": np.median(forward) - room,
            "you averaged the forward estimates. Each is a lower bound by itself: the largest says the "
            "most.": forward.mean() - room,
        }, atol=1e-4, unless=forward.max() - room)
    of_many = "every reverse estimate is an upper bound, so the *smallest* of them says the most;"
    if len(reverse) > 1:
        reject(high, {
            f"{of_many} you took the largest.": reverse.max() + room,
            f"{of_many} you took the first.": reverse[0] + room,
            f"{of_many} you took the last.": reverse[-1] + room,
            f"{of_many} you took the median.": np.median(reverse) + room,
            "you averaged the reverse estimates. Each is an upper bound by itself: the smallest says the "
            "most.": reverse.mean() + room,
        }, atol=1e-4, unless=reverse.min() + room)
    require(
        forward.max() > 0 or not any(same(low, top - room, 1e-4) for top in (0, -forward.min())),
        "here Z is below 1, and every log Ẑ is negative: 0 is no bound, and the sign counts.",
    )
    distinct, of_each = np.log(np.array([len({*forward, *reverse}), len({*forward}) + len({*reverse})]) / risk)
    for message, wrong in {
        "estimates that are equal are several all the same, and each of them may be lucky. Count them all.": of_each,
        "a forward and a reverse estimate that are equal are two all the same. Count both.": distinct,
        "your room has the logarithm of m · risk, which shrinks as the risk does. The less you may be wrong, the more "
        "room it takes: each estimate has the share risk / m, and Markov's factor is one over that.": np.log(m * risk),
        "this leaves no room: a bound that holds on average is exceeded in single runs.": 0.0,
        "the room has the wrong sign: it makes the interval wider, down below and up above.": -room,
        f"log(1/risk) covers a single estimate. Here {m} estimates may each be lucky: give each its share of the risk, "
        "risk / m.": np.log(1 / risk),
        f"this shares the risk between two estimates, but there are {m}.": np.log(2 / risk),
        f"this shares all the risk among the {len(forward)} forward estimates. The others want their part of it.": (
            np.log(len(forward) / risk)
        ),
        "the factor m / risk belongs to Ẑ; for log Ẑ add its logarithm.": m / risk,
        "Markov's factor 1 / risk belongs to Ẑ; for log Ẑ add its logarithm, and share the risk.": 1 / risk,
        "use the natural logarithm: log Ẑ is in nats.": np.log10(m / risk),
        "1.96 is for normal errors with a known standard deviation. Markov's inequality needs neither.": 1.96,
    }.items():
        require(same(wrong, room, 1e-4) or not any(same(side, wrong, 1e-4) for side in spare), message)
    tip = " (If you search in a loop, begin with one of them, not with a number.)"
    require(low < forward.max() + 1e-4, f"your low lies above every forward estimate; go down from the largest.{tip}")
    require(high > reverse.min() - 1e-4, f"your high lies below every reverse estimate; go up from the smallest.{tip}")
    require(
        spare[0] > room - 1e-4 and spare[1] > room - 1e-4,
        f"with {m} estimates and risk {risk:g}, your interval leaves {min(spare):.6g} nats at one end; {room:.6g} are "
        "needed. P(Ẑ ≥ a Z) ≤ 1/a; what a makes this risk / m?",
    )
    raise WrongAnswerError(
        f"your interval is safe but wider than need be: from the largest forward estimate down and from the smallest "
        f"reverse one up, {room:.6g} nats suffice; yours has {spare[0]:.6g} and {spare[1]:.6g}."
    )
