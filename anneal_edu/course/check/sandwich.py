"""Checks of notebook 06: large RBMs, where no truth is at hand."""

import numpy as np

from anneal_edu.annealing.matrices import metropolis_matrix
from anneal_edu.course.check.verdict import (
    WrongAnswerError,
    array,
    call,
    exercise,
    numbers,
    reject,
    require,
    same,
)
from anneal_edu.weights import log_mean_exp

OFTEN, SELDOM = "too often", "too seldom"  # where forward chains come so: the estimate is too low, too high


def _states(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Log f of two stages (2, n), and a move that leaves the second one invariant and is no reversal of itself."""
    log_f = np.random.default_rng(seed).normal(size=(2, n))
    right = metropolis_matrix(log_f[1])
    around = np.r_[1:n:2, 0:n:2]  # other neighbours: two moves that do not commute are not their own reversal
    return log_f, right @ metropolis_matrix(log_f[1, around])[np.ix_(np.argsort(around), np.argsort(around))]


# Exercise 1
@exercise(
    hints=(
        "A chain stands in x' now. Where did it probably come from?",
        "Bayes: of all chains that move from x to x', p(x) T[x, x'] are there in each moment. Divide by how many "
        "are in x'.",
        "backwards[x', x] = p[x] T[x, x'] / p[x']",
    )
)
def backwards(answer) -> str:
    """``answer(T, p)`` must be the time reversal of a move (S, S) that leaves p (S,) invariant.

    Examples
    --------
    >>> backwards(lambda T, p: T.T)
    ✗ 4 states: the rows of yours do not sum to 1. The transpose has the arrows turned round, but a state that is \
visited often also sends many chains off: weigh by p.
      A hint: ae.check.sandwich.backwards.hint()
    """
    for n, seed in ((4, 1), (7, 2)):
        log_f, T = _states(n, seed)
        p = np.exp(log_f[1]) / np.exp(log_f[1]).sum()
        got = call(answer, T.copy(), p.copy(), shape=(n, n))
        _judge_backwards(got, T, p, f"{n} states: ")
        again = call(answer, got.copy(), p.copy(), shape=(n, n))
        require(same(again, T), f"{n} states: a move that is turned round twice should be the move itself.")
    return "right: its flow is the old one with the arrows turned round, and turned twice it is the old move."


def _judge_backwards(got: np.ndarray, T: np.ndarray, p: np.ndarray, case: str) -> None:
    right = T.T * p / p[:, None]
    turned = T.T / T.T.sum(1, keepdims=True)
    reject(got, {
        "the rows of yours do not sum to 1. The transpose has the arrows turned round, but a state that is visited "
        "often also sends many chains off: weigh by p.": T.T,
        "this is the move as it was. Only a move in detailed balance is its own reversal, and this one is not.": T,
        "yours is the inverse of the matrix. Nothing is undone here: it is the chances that are turned "
        "round.": np.linalg.inv(T),
        "you made the rows sum to 1 by dividing. That is right for a uniform p only; Bayes' rule weighs the states by "
        "p.": turned,
        "p is upside down: yours divides by p[x], where it should multiply.": T.T / p * p[:, None],
        "these are the flows, p[x] T[x, x'], with the arrows turned round; divide by how many chains stand in "
        "x'.": T.T * p,
        "the arrows are not turned round: row x' should hold where a chain in x' came from.": right.T,
    }, case)
    require(np.allclose(got.sum(1), 1), f"{case}the rows of yours do not sum to 1: a chain must go somewhere.")
    require((got > -1e-12).all(), f"{case}a probability must not be negative.")
    require(np.allclose(p @ got, p), f"{case}your move does not leave p invariant, as T does.")
    require(
        same(got, right),
        f"{case}the flow from x' to x under yours should be that from x to x' under T: p[x'] · yours[x', x] = "
        "p[x] T[x, x'].",
    )


# Exercise 2
@exercise(
    hints=(
        "Line 2 sums over trajectories. How much more often does q start one in x than p would?",
        "E_q[1/w] = (1/Z) Σ q(x)/p(x) · P(a forward chain ends in x). What does the estimate make of the mean of 1/w?",
        "-log Σ_x q(x) / p(x) · ends(x)",
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
    for n, seed, spread in ((5, 3, 0.5), (6, 8, OFTEN), (8, 4, 2.0), (6, 5, 1.0), (7, 6, SELDOM)):
        p, ends, measure = _small_run(n, seed)
        if isinstance(spread, str):
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
            "you left out where forward chains end: q/p counts only where they come.": -np.log(np.sum(q / p)),
            "you averaged over q: it is the forward chains whose ends weigh the states.": -np.log(np.sum(q * q / p)),
            "this would be right if 1/w did not depend on the way; compare with p, not with the ends "
            "alone.": -np.log(np.sum(q * ends)),
        }, case="chains that start from q: ", unless=right)
        require(abs(exact) < 1e-9, f"with q = p there is no error: it should be 0, and yours is {exact:.3g}.")
        measured = f"carried through all moves, 1/w gives {right:+.4f} nats; yours foretells {got:+.4f}."
        require(same(got, right), measured)
    return "right: it foretells what 1/w gives, carried through all moves of five runs."


def _small_run(n: int, seed: int):
    """A run of two steps over n states: p, where forward chains end, and the exact error of reverse runs from q."""
    rng = np.random.default_rng(seed)
    ends_f = rng.normal(size=(2, n))
    log_f = np.array([(1 - beta) * ends_f[0] + 2.5 * beta * ends_f[1] for beta in (0.0, 0.5, 1.0)])
    p = [np.exp(row) / np.exp(row).sum() for row in log_f]
    moves = [metropolis_matrix(row) @ metropolis_matrix(row) for row in log_f[1:]]
    ends = p[0] @ moves[0] @ moves[1]

    def measure(q: np.ndarray) -> float:
        mass = ((q @ moves[1]) * np.exp(log_f[1] - log_f[2])) @ moves[0] * np.exp(log_f[0] - log_f[1])
        return float(-np.log(mass.sum() / np.exp(log_f[0]).sum()) - np.log(np.exp(log_f[2]).sum()))

    return p[2], ends, measure


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
    rng = np.random.default_rng(41)
    many = 100 + rng.normal(size=6), 102 + rng.normal(size=4)
    for forward, reverse, risk in (
        (*many, 0.05),
        ([99.0], [101.0], 0.05),
        ([7.0], [7.0], 0.01),
        ([1640.0, 1618.0, 1642.0], [1628.0], 0.02),
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
    spare = forward.max() - low, high - reverse.min()
    reject([low, high], {
        "low and high have changed places. If low comes out above high, leave it so: that is how the two sides say "
        "that they contradict each other.": [reverse.min() + room, forward.max() - room]
    }, atol=1e-4)
    for_two = np.log(2 / risk)
    reject([low, high], {
        "this is valid, too: the mean of several unbiased estimates is unbiased, and log(2 / risk) is room for both "
        "means. But asked is Markov once for *each* estimate, without averages.": [
            log_mean_exp(forward) - for_two,
            -log_mean_exp(-reverse) + for_two,
        ]
    }, atol=1e-4)
    if len(forward) > 1:
        reject(low, {
            "every forward estimate is a lower bound, so the *largest* of them says the most; you took the "
            "smallest.": forward.min() - room,
            "you averaged the forward estimates. Each is a lower bound by itself: the largest says the "
            "most.": forward.mean() - room,
        }, atol=1e-4)
    if len(reverse) > 1:
        reject(high, {
            "every reverse estimate is an upper bound, so the *smallest* of them says the most; you took the "
            "largest.": reverse.max() + room,
            "you averaged the reverse estimates. Each is an upper bound by itself: the smallest says the "
            "most.": reverse.mean() + room,
        }, atol=1e-4)
    for message, wrong in {
        "this leaves no room: a bound that holds on average is exceeded in single runs.": 0.0,
        "the room has the wrong sign: it makes the interval wider, down below and up above.": -room,
        f"log(1/risk) covers a single estimate. Here {m} estimates may each be lucky: give each its share of the risk, "
        "risk / m.": np.log(1 / risk),
        f"this shares the risk between two estimates, but there are {m}.": np.log(2 / risk),
        f"this shares the risk between the {len(forward)} forward estimates; the reverse ones need a share too.": (
            np.log(len(forward) / risk)
        ),
        "the factor m / risk belongs to Ẑ; for log Ẑ add its logarithm.": m / risk,
        "Markov's factor 1 / risk belongs to Ẑ; for log Ẑ add its logarithm, and share the risk.": 1 / risk,
        "use the natural logarithm: log Ẑ is in nats.": np.log10(m / risk),
        "1.96 is for normal errors with a known standard deviation. Markov's inequality needs neither.": 1.96,
    }.items():
        require(same(wrong, room, 1e-4) or not any(same(side, wrong, 1e-4) for side in spare), message)
    require(
        spare[0] > room - 1e-4 and spare[1] > room - 1e-4,
        f"with {m} estimates and risk {risk:g}, your interval leaves {min(spare):.2f} nats at one end; {room:.2f} are "
        "needed. P(Ẑ ≥ a Z) ≤ 1/a; what a makes this risk / m?",
    )
    raise WrongAnswerError(
        f"your interval is safe but wider than need be: from the largest forward estimate down and from the smallest "
        f"reverse one up, {room:.2f} nats suffice; yours has {spare[0]:.2f} and {spare[1]:.2f}."
    )
