"""Exercises of notebook 10: swapping temperatures."""

import numpy as np

from anneal_edu.course.check.engine import Exercise, alike, exercise, require
from anneal_edu.distributions import Gaussian, Unnormalized
from anneal_edu.paths.geometric import geometric_path, moment_path
from anneal_edu.tempering.matrices import ladder_distribution, lifted_matrix, lifted_move, tag_states


# Exercise 1: the lifted rule
def _judge_rule(exercise: Exercise, rule):
    exchanged = alike(exercise.asked(rule, (5, 1, True, 24)), (1, 6))
    require(not exchanged, "return the rung n first, and then the direction e.")
    for K in (1, 2, 3, 5, 24):
        asked = [(n, e, accepted, K) for n, e in tag_states(K) for accepted in (True, False)]
        after = {given: _step(exercise.asked(rule, given), *given) for given in asked}
        if K <= 3:
            log_f = np.random.default_rng(K).normal(size=(K + 1, 3))
            T = lifted_matrix(log_f, lambda *given, after=after: after[given])
            p = np.tile(ladder_distribution(log_f), 2 * K) / (2 * K)
            off = float(np.abs(p @ T - p).max())
            require(off < 1e-12, f"for K = {K} π T differs from π by {off:.1g}. Two ways should lead to each (n, e): "
                    "one after a swap, and one after a rejection of the same pair.")  # fmt: skip
        for (n, e, accepted, _), found in after.items():
            wall = "π T = π holds, but the tag only travels between two rungs. After a swap it should go on."
            last = f"right for K up to 3, but not for K = {K}: ({n}, {e:+d}) {_WORD[accepted]}. The last rung is K."
            require(found == lifted_move(n, e, accepted, K), wall if K <= 3 else last)


_WORD = {True: "accepted", False: "rejected"}


def _step(found, n, e, accepted, K):
    """The new rung and direction, as two whole numbers that are on the ladder and do not look beyond it."""
    found = found.tolist() if isinstance(found, np.ndarray) else found
    whole = isinstance(found, tuple | list) and len(found) == 2 and all(alike(part % 1, 0) for part in found)
    require(whole, f"return two whole numbers, the new n and the new e; yours: {found}.")
    (new_n, new_e), right = map(int, found), n + e if accepted else n
    case = f"for K = {K}, if the swap of ({n}, {e:+d}) is {_WORD[accepted]}, "
    require(new_n == right, f"{case}the tagged replica stands on rung {right}; your n is {new_n}.")
    require(new_e in (-1, 1), f"{case}your direction is {new_e}. A direction is +1 or -1.")
    end = "At an end only one direction is possible, so the tag keeps it." if K == 1 else (
        "That is S as the report prints it: it tests the rung n + e. Which rung should it test?")  # fmt: skip
    end = "A tag that arrives at an end must turn around." if accepted else end
    require(0 <= new_n + new_e <= K, f"{case}your tag goes to ({new_n}, {new_e:+d}) and looks beyond the ladder. {end}")
    return new_n, new_e


def _printed(n, e, accepted, K):
    inside = 0 < n + e < K
    return (n + e, e if inside else -e) if accepted else (n, -e if inside else e)


@exercise(
    hints=(
        "After a rejection, from which other state could the chain have come to where it is?",
        "After a swap the tag goes on, and turns at an end. After a rejection it turns, except at an end. Test the "
        "rung on which the tag stands.",
        "accepted: n' = n + e, e' = -e if n' in (0, K) else e; rejected: n' = n, e' = e if n in (0, K) else -e",
    ),
    judge=_judge_rule,
    mistakes={
        "That is S as the report prints it": _printed,
        "only one direction is possible": lambda n, e, a, K: lifted_move(n, e, a, K) if a else (n, -e),
        "must turn around": lambda n, e, a, K: (n + e, e) if a else lifted_move(n, e, a, K),
        "π T differs from π": lambda n, e, a, K: lifted_move(n, e, a, K) if a else (n, e),
        "only travels between two rungs": lambda n, e, a, K: (n + e, -e) if a else (n, e),
        "the tagged replica stands on rung": lambda n, e, a, K: lifted_move(n, e, True, K),
        "return the rung n first": lambda n, e, a, K: lifted_move(n, e, a, K)[::-1],
        "A direction is +1 or -1": lambda n, e, a, K: (n + e * a, 0),
        "not for K = 24": lambda n, e, a, K: lifted_move(n, e, a, K if n + e * a != 12 else 12),
    },
    praise="right: the tag stays on the ladder, π T = π to 1e-12, and it travels from one end to the other.",
)  # fmt: skip
def lifted_rule(n, e, accepted, K):
    """The new rung and the new direction of the tagged replica."""
    if accepted:
        n = n + e
        return n, (-e if n in (0, K) else e)
    return n, (e if n in (0, K) else -e)


# Exercise 2: three change places at once
def _turns():
    x, betas = 1.8 * np.sin(1.7 * np.arange(1.0, 61.0) ** 1.1).reshape(3, 20, 1), np.array([0.3, 0.5, 0.8])
    tempered = geometric_path(Unnormalized(lambda x: np.zeros(x.shape[:-1]), 1), Gaussian([0.0], [[0.2]]))
    plane = moment_path(Gaussian([0.0, 0.0], [[1.0, 0.6], [0.6, 1.0]]), Gaussian([1.0, -1.0], [[2.0, -0.5], [-0.5, 1]]))
    return {
        "a tempered target, f^β": (tempered, betas, x),
        "a path of moments": (moment_path(Gaussian([0.0], [[1.0]]), Gaussian([3.0], [[0.5]])), betas, x),
        "other rungs": (tempered, np.array([0.0, 0.13, 1.0]), x),
        "two coordinates": (plane, betas, np.linspace(-1.2, 1.5, 42).reshape(3, 7, 2) ** 3),
        "one chain": (plane, betas, np.linspace(1.5, -1.2, 6).reshape(3, 1, 2) ** 3),
        "states far out, where f is 0 in floating point": (tempered, betas, 60 + x / 1000),
    }


def _misturned(path, betas, x):
    f = np.array([path(beta).log_density(x) for beta in betas])  # (rung, state, chain)
    rungs, before = np.arange(3), f[0, 0] + f[1, 1] + f[2, 2]

    def moved(*order):  # of the states, on rungs 0, 1, 2
        return f[rungs, list(order)].sum(0) - before

    def accepted(*log_ratios):
        return np.exp(sum(np.minimum(0, log_ratio) for log_ratio in log_ratios))

    turn, energy, ends = moved(2, 0, 1), -path(1.0).log_density(x), [path(b).log_density(x) for b in (0.0, 1.0)]
    averaged = (1 - betas)[:, None, None] * ends[0] + betas[:, None, None] * ends[1]
    quotient = np.minimum(1, np.exp(turn + before) / np.exp(before))
    return {
        "the min is missing: some of your probabilities are above 1.": np.exp(turn),
        "the ratio is upside down: divide after by before.": accepted(-turn),
        "that is the turn the other way: the state on rung 0 should go to rung 1.": accepted(moved(1, 2, 0)),
        "these are two swaps, both accepted. A turn is one move, with one ratio and one min.": accepted(
            moved(0, 2, 1), moved(2, 0, 1) - moved(0, 2, 1)),
        "that is the logarithm of the probability: take its exponential.": np.minimum(0, turn),
        "you decide about each state by itself. It is one move, with one ratio and one min.": accepted(
            *(f[k, k - 1] - f[k - 1, k - 1] for k in range(3))),
        "you decide about each rung by itself. It is one move, with one ratio and one min.": accepted(
            *(f[k, k - 1] - f[k, k] for k in range(3))),
        "you exchange the states of rungs 0 and 2 only. All three change places.": accepted(moved(2, 1, 0)),
        "x[k] stands on betas[k]; your rungs are in the opposite order.": accepted(
            f[2, 2] + f[1, 0] + f[0, 1] - f[2, 0] - f[1, 1] - f[0, 2]),
        "each chain decides by itself: do not take one ratio for all chains.": np.full_like(turn, accepted(turn.sum())),
        "a difference of β times a difference of energies needs log f = -β E. On any path use path(betas[k]) for every "
        "log density.": accepted(-betas @ (np.roll(energy, 1, axis=0) - energy)),
        "you take the path to be geometric. On any path use path(betas[k]) for every log density.": accepted(
            sum(averaged[k, k - 1] - averaged[k, k] for k in range(3))),
        "you divide 0 by 0. Add and subtract the six log densities first, and take the exponential "
        "then.": quotient if np.isfinite(quotient).all() else np.nan,
    }  # fmt: skip


@exercise(
    hints=(
        "It is one Metropolis move of all three rungs. Of which product of densities is its ratio?",
        "Write down which state stands on which rung afterwards: rung 0 holds the state of rung 2. Each rung needs two "
        "log densities, of the state that comes and of the one that goes.",
        "min(1, f_0(x_2) f_1(x_0) f_2(x_1) / [f_0(x_0) f_1(x_1) f_2(x_2)])",
    ),
    returns={"the probability": "Take min(1, after / before) of the product of all three densities."},
    errors={"truth value": "each chain has its own probability: use np.minimum in place of min."},
    cases=_turns, slips=_misturned, atol=1e-6,
    praise="right. Two swaps to the same places are accepted less often: min(1, a) min(1, b) ≤ min(1, ab).",
)  # fmt: skip
def turn_probability(path, betas, x):
    """The probability, (C,), that the states of rungs 0, 1 and 2 move to rungs 1, 2 and 0 at once."""
    log_ratio = 0
    for k, beta in enumerate(betas):
        log_f = path(beta).log_density
        log_ratio = log_ratio + log_f(x[k - 1]) - log_f(x[k])
    return np.exp(np.minimum(0, log_ratio))


# Exercise 3: rungs where they belong
def _pilots():
    even, middles = np.linspace(0, 1, 201), (np.arange(200) + 0.5) / 200
    fall, rise, uneven = 9 / (1 + 9 * middles) / 200, (0.3 + 6 * middles**2) / 200, np.linspace(0, 1, 201) ** 2
    few, high = [0, 0.02, 0.1, 0.15, 0.4, 0.5, 0.55, 0.8, 1], [0.98, 0.5, 0.48, 0.95, 0.02, 0.01, 0.979, 0.001]
    return {
        "rejections that fall with β": (even, fall, 0.303),
        "rejections that rise with β": (even, rise, 0.5),
        "uneven rungs in the pilot run": (uneven, np.linspace(0.002, 0.018, 200), 0.6),
        "rejection rates near 1": (np.array(few), np.array(high), 0.99),
        "3.02 pairs, rounded up": (even, fall, fall.sum() / 3.02),
        "exactly three pairs": (np.array([0, 0.25, 0.4, 0.5, 0.6, 1]), np.array([3, 1, 4, 3, 1]) / 16, 0.25),
        "a ladder with a single pair": (np.array([0, 0.3, 1]), np.array([0.2, 0.6]), 0.9),
        "a pilot run with a single pair": (np.array([0.0, 1.0]), np.array([0.8]), 0.3),
        "a hundred pairs": (even, fall, 0.02),
    }


def _misplaced(schedule, rates, most):
    total = np.append(0, np.cumsum(rates))
    end, needed, even = total[-1], total[-1] / most, np.linspace(0, 1, len(schedule))
    K = int(np.ceil(needed))

    def by(rates, K=K, schedule=schedule):
        heights = np.append(0, np.cumsum(rates))
        return np.interp(np.linspace(0, heights[-1], max(1, K) + 1), heights, schedule)

    return {
        "your ladder is linear, as if the pilot's pairs all rejected alike.": np.linspace(0, 1, K + 1),
        "you round the number of pairs down, so each rejects more than `most`.": by(rates, int(needed)),
        "K pairs have K + 1 rungs: your ladder has a pair too few.": by(rates, K - 1),
        "your ladder has a pair too many. A shorter one is enough.": by(rates, K + 1),
        "you need as many pairs as share Λ, not as many as the pilot run had.": by(rates, len(rates)),
        "that is Λ at evenly spaced β. You need β at evenly spaced Λ: exchange the two axes.": np.interp(
            np.linspace(0, 1, K + 1), schedule, total / end),
        "Λ is 0 at the first rung: put a 0 in front of the sum.": np.interp(
            np.linspace(0, end, K + 1), total[1:], schedule[1:]),
        "you take the pilot's rungs to be even. They are in `schedule`.": by(rates, schedule=even),
        "your last pair rejects less than the others. Divide Λ into K equal parts.": np.interp(
            np.append(np.arange(0, end, most), end), total, schedule),
        "Λ is the sum of rejection rates, not of acceptance rates.": by(1 - rates),
        "Λ is the sum of the rates themselves, not of -log(1 - rate).": by(-np.log(1 - rates)),
        "a ladder includes both ends, 0 and 1.": by(rates, K + 2)[1:-1],
    }  # fmt: skip


@exercise(
    hints=(
        "If you go along the pilot's ladder and add up rejection rates, how large is the sum at the end? How much of "
        "it may one pair have?",
        "np.cumsum, with a 0 in front, gives Λ at the pilot's rungs. Divide its end among as few pairs as `most` "
        "allows. At which β does it reach each of the equal parts?",
        "K = int(np.ceil(Λ(1) / most)), np.interp(np.linspace(0, Λ(1), K + 1), Λ at the rungs, schedule)",
    ),
    returns={"your ladder": "Each pair gets the share Λ/K: read off β at equal parts of Λ."},
    errors={"cannot be interpreted as an integer": "the number of pairs is whole: int(np.ceil(…)).",
            "n_steps must be": "the library needs the number of pairs. How many share Λ?",
            "fp and xp": "Λ belongs to rungs, of which there are J + 1. It is 0 at the first: put a 0 in front."},
    cases=_pilots, slips=_misplaced, atol=2e-3,
    praise="right: as few pairs as `most` allows, and each has the same share of the barrier.",
)  # fmt: skip
def equal_ladder(schedule, rates, most):
    """The shortest ladder, (K+1,), whose pairs all reject alike, and `most` at most."""
    barrier = np.append(0, np.cumsum(rates))
    n_pairs = int(np.ceil(barrier[-1] / most))
    return np.interp(np.linspace(0, barrier[-1], n_pairs + 1), barrier, schedule)
