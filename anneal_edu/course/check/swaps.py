"""Checks of notebook 10: swapping temperatures."""

import numpy as np
from scipy.stats import norm

from anneal_edu import Gaussian, Unnormalized, geometric_path, linear_schedule, moment_path
from anneal_edu.course.check.rungs import judge_ladder
from anneal_edu.course.check.three_places import both_swaps, judge_turn, log_turn
from anneal_edu.course.check.verdict import WrongAnswerError, call, exercise, require, same, several
from anneal_edu.tempering.matrices import ladder_distribution, lifted_matrix, tag_states


# Exercise 1
@exercise(
    hints=(
        "After a refusal, from which other state could the chain have come to where it is?",
        "After a swap go on, and turn at an end; after a refusal turn, except at an end. Test the rung on which "
        "the tag stands.",
        "accepted: n' = n + e, e' = -e if n' in (0, K) else e; refused: n' = n, e' = e if n in (0, K) else -e",
    )
)
def lifted_rule(answer) -> str:
    """``answer(n, e, accepted, K)`` must be where the tagged replica goes, and in which direction it looks then.

    Examples
    --------
    >>> def printed(n, e, accepted, K):
    ...     inside = 0 < n + e < K
    ...     return (n + e, e if inside else -e) if accepted else (n, -e if inside else e)
    >>> lifted_rule(printed)
    ✗ on 2 pairs your tag goes from (0, +1) to (0, -1), and looks \
below the first rung. This is S as the report prints it: it tests n + e. Which rung should it test?
      A hint: ae.check.swaps.lifted_rule.hint()
    """
    exchanged = "return the rung n first, and then the direction e; yours come in the other order."
    require(not _exchanged(answer), exchanged)
    for n_pairs in (1, 2, 3, 5, 6, 24, 37):
        for n, e in tag_states(n_pairs):
            for accepted in (True, False):
                _judge_step(answer, n, e, accepted, n_pairs)
    for n_pairs in (1, 2, 3):
        log_f = np.random.default_rng(n_pairs).normal(size=(n_pairs + 1, 3))
        tags = tag_states(n_pairs)
        T = lifted_matrix(log_f, lambda *given: _pair(answer, *given))
        p = np.tile(ladder_distribution(log_f), len(tags)) / len(tags)
        found = float(np.abs(p @ T - p).max())
        require(
            found < 1e-12,
            f"on {_pairs(n_pairs)} π T differs from π by {found:.1g}: the distribution is not left invariant. Into "
            "every (n, e) as much must flow as out of it: one way in after a swap, one after a refusal.",
        )
    for n_pairs in (3, 5, 6, 24, 37):
        _judge_travel(answer, n_pairs)
    return "right: the tag stays on the ladder, π T = π to 1e-12, and it travels from one end to the other."


def _pairs(n: int) -> str:
    return f"{n} pair{'s' * (n > 1)}"


def _pair(answer, n, e, accepted, n_pairs) -> tuple[int, int]:
    new_n, new_e = _numbers(answer, n, e, accepted, n_pairs)
    require(new_e in (-1, 1), f"a direction is +1 or -1; yours is {new_e}.")
    return new_n, new_e


def _numbers(answer, n, e, accepted, n_pairs) -> tuple[int, int]:
    after = call(answer, n, e, accepted, n_pairs)
    after = after.tolist() if isinstance(after, np.ndarray) else after
    new_n, new_e = several(after, 2, "return two whole numbers: the new n and the new e.")
    for part, name in ((new_n, "n"), (new_e, "e")):
        require(
            isinstance(part, int | float | np.number) and part == np.round(part),
            f"return two whole numbers: your new {name} is {part!r}.",
        )
    return int(new_n), int(new_e)


def _exchanged(answer, n_pairs: int = 6) -> bool:
    """Whether what comes first is a direction each time, and the rung second."""
    tags = [(n, e, accepted) for n, e in tag_states(n_pairs) for accepted in (True, False)]
    found = [_numbers(answer, *tag, n_pairs) for tag in tags]
    return all(first in (-1, 1) and second == n + e * a for (first, second), (n, e, a) in zip(found, tags, strict=True))


def _judge_step(answer, n, e, accepted, n_pairs) -> None:
    new_n, new_e = _pair(answer, n, e, accepted, n_pairs)
    right = n + e if accepted else n
    require(
        new_n == right,
        f"{'accepted' if accepted else 'refused'} at ({n}, {e:+d}), the tagged replica stands on rung {right}; your n "
        f"is {new_n}, and the tag has lost its replica.",
    )
    if 0 <= new_n + new_e <= n_pairs:
        return
    where = "below the first rung" if new_n + new_e < 0 else "above the last rung"
    message = f"on {_pairs(n_pairs)} your tag goes from ({n}, {e:+d}) to ({new_n}, {new_e:+d}), and looks {where}."
    if accepted:
        raise WrongAnswerError(f"{message} At the end of the ladder a replica that has arrived must turn around.")
    as_printed = n_pairs > 1 and 0 < n + e < n_pairs
    hint = "It was refused on an end, where only one way is open: it should look the same way again."
    printed = "This is S as the report prints it: it tests n + e. Which rung should it test?"
    raise WrongAnswerError(f"{message} {printed if as_printed and _keeps_next_to_end(answer, n_pairs) else hint}")


def _keeps_next_to_end(answer, n_pairs: int) -> bool:
    """Refused next to an end that it looks at, the tag does not turn: what the printed S does."""
    return _pair(answer, n_pairs - 1, 1, False, n_pairs)[1] == 1


def _judge_travel(answer, n_pairs: int) -> None:
    """That the tag gets everywhere; and that both states on a rung are entered, by a swap and by a refusal."""
    reached, last = _reached(answer, n_pairs), "The last rung is K, however long the ladder."
    why = last if n_pairs > 3 else "After a swap it should go on in its direction, not come back."
    require(
        reached == set(range(n_pairs + 1)),
        f"π T = π holds, and yet the tag is of no use: on {n_pairs} pairs, from rung 0, it only ever sees the rungs "
        f"{sorted(reached)}. {why}",
    )
    for accepted in (True, False):
        entered = {_pair(answer, n, e, accepted, n_pairs) for n, e in tag_states(n_pairs)}
        missed = sorted(set(tag_states(n_pairs)) - entered)
        require(
            not missed,
            f"right for 3 pairs, and not for {n_pairs}: no {'swap' if accepted else 'refusal'} leads to "
            f"{missed[0] if missed else ''}, so that π T = π fails there. {last}",
        )


def _reached(answer, n_pairs: int) -> set[int]:
    seen, front = set(), {(0, 1)}
    while front:
        seen |= front
        front = {_pair(answer, *tag, accepted, n_pairs) for tag in front for accepted in (True, False)} - seen
    return {n for n, _ in seen}


# Exercise 2
@exercise(
    hints=(
        "It is one Metropolis move of all three rungs: over which product of densities is its ratio taken?",
        "Write down which state stands on which rung afterwards: rung 0 holds what stood on rung 2. Each of the three "
        "rungs is asked for two log densities, that of the state which comes and that of the one which goes.",
        "min(1, f_0(x_2) f_1(x_0) f_2(x_1) / [f_0(x_0) f_1(x_1) f_2(x_2)])",
    )
)
def turn_probability(answer) -> str:
    """``answer(path, betas, x)`` must be the probability, (C,), that x_0 → x_1 → x_2 → x_0 change places at once.

    Examples
    --------
    >>> def tempered_only(path, betas, x):
    ...     energy = -path(1.0).log_density(x)  # (3, C)
    ...     return np.exp(np.minimum(0, -betas @ (np.roll(energy, 1, axis=0) - energy)))
    >>> turn_probability(tempered_only)
    ✗ right for tempered targets, f^β, and wrong for any other path: the formula with differences of β needs \
log f to be β times one energy. Ask path(betas[k]) for the log_density of the states that come and go.
      A hint: ae.check.swaps.turn_probability.hint()
    """
    x = 1.8 * np.sin(1.7 * np.arange(1.0, 181.0) ** 1.1).reshape(3, 60, 1)
    flat = Unnormalized(lambda x: np.zeros(x.shape[:-1]), 1)
    tempered = geometric_path(flat, Gaussian([0.0], [[0.2]]))
    moments = moment_path(Gaussian([0.0], [[1.0]]), Gaussian([3.0], [[0.5]]))
    betas = np.array([0.3, 0.5, 0.8])
    judge_turn(answer, tempered, betas, x, "on a tempered target, f^β,")
    found = call(answer, moments, betas.copy(), x.copy(), shape=(60,))
    require(
        not same(found, np.exp(np.minimum(0, log_turn(geometric_path(moments(0.0), moments(1.0)), betas, x)))),
        "right on a geometric path, whose log f_k is the average of those of its ends, and wrong on any other path. "
        "Ask path(betas[k]) for the log_density of the states that come and go.",
    )
    energy, right = -moments(1.0).log_density(x), np.exp(np.minimum(0, log_turn(moments, betas, x)))
    require(
        not same(found, np.exp(np.minimum(0, -betas @ (np.roll(energy, 1, axis=0) - energy)))),
        "right for tempered targets, f^β, and wrong for any other path: the formula with differences of β needs log f "
        "to be β times one energy. Ask path(betas[k]) for the log_density of the states that come and go.",
    )
    off = np.abs(found - right).max()
    require(
        same(found, right),
        f"right on a tempered target, f^β, and off by up to {off:.2g} on the path of moments between two Gaussians. "
        + ("Is it computed in single precision?" if off < 1e-4 else "Ask path(betas[k]) for every log_density."),
    )
    others = "right for the rungs 0.3, 0.5 and 0.8, and wrong for others:"
    for given in ([0.1, 0.2, 0.9], [0.0, 0.3, 0.9], [0.137, 0.42, 0.955]):
        judge_turn(answer, tempered, np.array(given), x, others)
    skew = Gaussian([0.0, 0.0], [[1.0, 0.6], [0.6, 1.0]]), Gaussian([1.0, -1.0], [[2.0, -0.5], [-0.5, 0.4]])
    slanted = moment_path(*skew)
    for n_chains in (1, 7):
        plane = np.linspace(-1.2, 1.5, 6 * n_chains).reshape(3, n_chains, 2) ** 3
        for states in (plane, plane[::-1]):
            judge_turn(answer, slanted, betas, states, f"for x of shape {plane.shape}")
    far, ends = np.zeros((3, 2, 1)), np.array([0.0, 0.4, 1.0])
    far[0] = 60.0
    require(
        same(call(answer, tempered, ends, far.copy(), shape=(2,)), np.zeros(2)),
        "a turn that would bring a terrible state to the next rung is hardly ever accepted.",
    )
    far[2] = 59.0
    require(
        same(np.asarray(answer(tempered, ends, far.copy())), np.exp(np.minimum(0, log_turn(tempered, ends, far)))),
        "where some states lie far out, a part of your ratio is infinite, or 0, and then it is no number any more. "
        "Add and subtract the six logarithms first, and exponentiate what is left.",
    )
    remote = 60 + 1e-3 * np.arange(3.0)[:, None, None]  # log f near -9,000 on both sides of the fraction
    require(
        same(
            np.asarray(answer(tempered, betas.copy(), remote.copy())),
            np.exp(np.minimum(0, log_turn(tempered, betas, remote))),
            atol=1e-6,
        ),
        "where all states lie far out, log f is near -9,000 and its exponential is 0, so that the ratio becomes 0/0. "
        "Add and subtract the six logarithms first, and exponentiate what is left.",
    )
    points = norm.ppf((np.arange(20) + 0.5) / 20)
    rungs = [moments(beta).mean + np.sqrt(moments(beta).cov[0]) * points for beta in ends]
    x = np.stack(np.meshgrid(*rungs)).reshape(3, -1, 1)  # all triples of twenty points a rung, equally likely
    turns, swaps = (float(np.mean(ways(moments, ends, x))) for ways in (answer, both_swaps))
    return (
        f"right: {turns:.1%} of the states at β = 0, 0.4 and 1 of a path of moments turn at once. Two swaps that end "
        f"in the same places are both accepted for {swaps:.1%}: min(1, ab) is never less than min(1, a) min(1, b)."
    )


# Exercise 3
@exercise(
    hints=(
        "If you walk along the pilot's ladder and add up rejections, how much is there at the end? And how much of it "
        "may a pair take?",
        "np.cumsum, with a 0 in front, gives Λ at the pilot's rungs; its end is shared among whole pairs, as few as "
        "leave none more than `most`. At which β has it reached each of the equal parts?",
        "K = int(np.ceil(Λ(1) / most)), np.interp(np.linspace(0, Λ(1), K + 1), Λ at the rungs, schedule)",
    )
)
def equal_ladder(answer) -> str:
    """``answer(schedule, rates, most)`` must be the shortest ladder whose pairs, all alike, refuse ``most`` or less.

    Λ, the sum of the pilot's rejection rates, is taken to be the same on every ladder.

    Examples
    --------
    >>> def linear(schedule, rates, most):
    ...     return np.linspace(0, 1, int(np.ceil(rates.sum() / most)) + 1)
    >>> equal_ladder(linear)
    ✗ your ladder is linear, as if the pilot's pairs had refused alike all the way: its parts carry from 0.12 to 0.75 \
of rejections, and they should all carry 0.29.
      A hint: ae.check.swaps.equal_ladder.hint()
    """
    pilot = linear_schedule(200)
    falling, rising = 9 / (1 + 9 * pilot), 0.3 + 6 * pilot**2
    fall, rise = (0.5 * (shape[1:] + shape[:-1]) / 200 for shape in (falling, rising))
    judge_ladder(answer, pilot, fall, 0.303)  # 7.6 pairs would do
    judge_ladder(answer, pilot, rise, 0.5)
    judge_ladder(answer, np.sort(np.append(pilot[1:-1] ** 2, [0.0, 1.0])), np.linspace(0.002, 0.018, 200), 0.6)
    coarse, high = linear_schedule(6), np.array([0.8, 0.4, 0.4, 0.2, 0.2, 0.4])  # thirds of Λ end at rungs 1 and 3
    judge_ladder(answer, coarse, high, 0.95, tolerance=1e-5)
    uneven = np.array([0.0, 0.02, 0.1, 0.15, 0.4, 0.5, 0.55, 0.8, 1.0])
    of_one = np.array([0.98, 0.5, 0.48, 0.95, 0.02, 0.01, 0.979, 0.001])  # each quarter of Λ ends at a rung
    judge_ladder(answer, uneven, of_one, 0.99, tolerance=1e-5)
    judge_ladder(answer, linear_schedule(4), np.array([0.001, 0.003, 0.002, 0.002]), 0.0065, tolerance=1e-5)
    judge_ladder(answer, np.array([0.0, 0.3, 1.0]), np.array([0.2, 0.6]), 0.9, tolerance=1e-5)  # a single pair will do
    judge_ladder(answer, linear_schedule(1), np.array([0.8]), 0.3, tolerance=1e-5)  # a pilot of one pair
    judge_ladder(answer, uneven[[0, 2, 3, 5, 6, 8]], np.array([2, 2, 4, 1, 3]) / 16, 0.25, tolerance=1e-5)  # exactly 3
    judge_ladder(answer, coarse, high, 2.4 / 3.02, tolerance=0.6)  # hardly more than 3 pairs would do
    judge_ladder(answer, coarse, high, 2.4 / 3.0004, tolerance=0.6)
    judge_ladder(answer, pilot, fall, 0.02)  # many pairs
    judge_ladder(answer, coarse, high, 0.41, tolerance=0.6)  # a curve in place of straight lines is welcome
    return (
        "right: as many pairs as it takes and none more, and every pair gets the same share of the barrier, also where "
        "the pilot's own rungs were uneven."
    )
