"""Checks of notebook 08: momentum that survives annealing."""

from functools import partial

import numpy as np

from anneal_edu.course.bugs.momenta import COARSE_MOVES, EXACT_MOVE, RIGHT_MOVES, WRONG_MOVES, Move
from anneal_edu.course.check.flights import right_step, stepped, turns_only, volume
from anneal_edu.course.check.fresh_noise import judge_factors, judge_few, judge_law, judge_spread
from anneal_edu.course.check.verdict import (
    call,
    exercise,
    judge_exchanged,
    own_chance,
    reject,
    require,
    same,
)

_N = 100_000
_REPEATS = 30  # of each right move
_SIZES = 10_000, 100  # draws in these repeats, in turn: no fixed tolerance fits both
_OFTEN = 550  # of the right move that is cheap, with the smaller size
_ALARMS = 1  # may be false: a test that allows three errors has about 14, and seldom so few; one that allows five, none


# Exercise 1
@exercise(
    hints=(
        "If you add two independent terms, what do their variances do?",
        "What survives of the amplitude, 1-γ, is the factor of v. Which variance is left to (1-γ) v, and which is "
        "missing?",
        "v' = a v + b r, a = 1-γ, b = √(1 - a²), r = rng.standard_normal(v.shape)",
    )
)
def refresh(answer) -> str:
    """``answer(v, gamma, rng)`` must renew the share γ of the momentum's amplitude and leave N(0, I) invariant.

    Examples
    --------
    >>> refresh(lambda v, gamma, rng: (1 - gamma) * v + np.sqrt(gamma) * rng.standard_normal(v.shape))
    ✗ momenta of variance 1 come out with variance 0.79 at γ = 0.3. Your noise brings the variance γ. Of the variance \
of v less than 1-γ is left here, so that more is missing.
      A hint: ae.check.momentum.refresh.hint()
    """
    start = np.random.default_rng(8).standard_normal((_N, 3))
    for gamma, n_coordinates in ((0.3, 2), (0.1, 2), (0.02, 3), (0.9, 3), (1.0, 3), (0.97, 2), (0.004, 2)):
        v = start[:, :n_coordinates].copy()
        new = call(answer, v, gamma, np.random.default_rng(1), shape=v.shape)
        require(not same(new, v), f"once, at γ = {gamma}, nothing is renewed: the momentum comes out as it went in.")
        again = call(answer, v, gamma, np.random.default_rng(2), shape=v.shape)
        require(not same(new, again), "two generators give the same momenta: draw r from the rng that is passed in.")
        repeated = call(answer, v, gamma, np.random.default_rng(1), shape=v.shape)
        require(same(new, repeated), "one and the same generator gives other momenta each time: draw r from it alone.")
        size = np.abs(new)
        largest = int((size == size.max()).sum())
        cut = "None may be cut off: N(0, 1) has large ones, too."
        require(largest < 3, f"{largest:,} momenta come out as ±{size.max():.3g} exactly. {cut}")
        noise = call(answer, np.zeros_like(v), gamma, np.random.default_rng(1), shape=v.shape)
        require(
            gamma == 1 or min(abs(noise.std() - 1), np.abs(noise.std(0) - 1).max()) > 1e-9,
            "you divide by the spread of what comes out. That hides a wrong a or b, and ties each chain to all others: "
            "choose the two numbers so that the variance stays 1 by itself.",
        )
        judge_spread(noise)
        # From v = 0 and the same generator come the same r: what is left is the old momentum's part, free of chance
        judge_factors(new - noise, v, noise, gamma)
        judge_law(noise)
        call(answer, np.ones((7, 3)), gamma, np.random.default_rng(1), shape=(7, 3))
    v = start[:5].copy()
    kept = call(answer, v, 0.0, np.random.default_rng(1), shape=(5, 3))
    require(same(kept, start[:5], 3e-6), "with γ = 0 nothing is renewed, and v should come out as it went in.")
    require(not np.shares_memory(kept, v), "with γ = 0 yours returns v itself; return a new array, there too.")
    rng = np.random.default_rng(3)
    for shape in ((1, 1), (1, 2), (2, 1)):
        judge_few([call(answer, np.zeros(shape), 0.3, rng) for _ in range(1000)], shape, 0.51**0.5)
    return "right: the variance stays 1, and a share 1 - γ of the amplitude survives, at every γ tried from 0 to 1."


# Exercise 2
@exercise(
    hints=(
        "A ball flies into a wall during a half flight: how far from the wall is it then, and which way does it fly?",
        "After each half flight, where x < wall: the momentum of that coordinate changes its sign, and so does the "
        "distance x - wall.",
        "x += ε/2 v, reflect; v += ε grad(x); x += ε/2 v, reflect: x becomes 2 wall - x, and v becomes -v",
    )
)
def leapfrog(answer) -> str:
    """``answer(x, v, grad, eps, wall)`` must be one leapfrog step on x ≥ wall: flight, kick, flight, with reflection.

    Examples
    --------
    >>> def clipped(x, v, grad, eps, wall):
    ...     half = np.maximum(x + eps / 2 * v, wall)
    ...     v = v + eps * grad(half)
    ...     return np.maximum(half + eps / 2 * v, wall), v
    >>> leapfrog(clipped)
    ✗ you stop chains at the wall, x = wall exactly. Where they came from is then forgotten, and the step cannot be \
reversed: reflect. What is 0.1 behind the wall should be 0.1 before it.
      A hint: ae.check.momentum.leapfrog.hint()
    """
    rng = np.random.default_rng(9)
    x, v, wall = rng.standard_exponential((400, 2)), 1.5 * rng.standard_normal((400, 2)), np.array([-0.7, 0.4])
    grad = lambda y: 2.0 / (1.0 + y) - y  # noqa: E731  of (1 + y)² exp(-y²/2)
    _judge_free_flight(answer, x + 20.0, v, grad, 0.4, wall)
    praise = _judge_reflection(answer, wall + x, v, grad, 0.4, wall)
    for n, D, eps in ((400, 3, 0.1), (1, 5, 0.3), (60, 1, 2.0), (4, 4, 1.0)):
        x, v, wall = rng.standard_exponential((n, D)), 1.5 * rng.standard_normal((n, D)), np.linspace(0.8, -0.5, D)
        v[0] = -8.0  # flies far behind every wall
        found, right = stepped(answer, wall + x, v, grad, eps, wall), right_step(wall + x, v, grad, eps, wall)
        other = f"with x of shape ({n}, {D}) and ε = {eps} yours is another step: take the shape from x, and the step "
        require(same(found, right, 3e-6), f"{other}from eps. (A chain may fly far behind its wall.)")
    return praise


def _judge_free_flight(answer, x, v, grad, eps, wall) -> None:
    """Where no chain comes near the wall, it must be the plain step."""
    new_x, new_v = stepped(answer, x, v, grad, eps, wall)
    half = x + eps / 2 * v
    kicked = v + eps * grad(half)
    right = half + eps / 2 * kicked
    reject((new_x, new_v), {
        "return x first, and then v.": (kicked, right),
        "position and momentum move at once: that is Euler's step.": (x + eps * v, v + eps * grad(x)),
        "the second half flight takes a whole ε; it should take ε / 2.": (half + eps * kicked, kicked),
        "your momentum comes out turned around; the Metropolis decision will see to signs.": (right, -kicked),
        "the second half flight uses the old momentum; the kick comes before it.": (half + eps / 2 * v, kicked),
    }, case="far from the wall: ")
    reject(new_v, {
        "your kick has the wrong sign: grad is that of log f, and points uphill.": v - eps * grad(half),
        "the gradient is taken at the old position; take it after the first half flight.": v + eps * grad(x),
        "the kick takes ε / 2; between the half flights it is a whole ε.": v + eps / 2 * grad(half),
    })
    require(
        same((new_x, new_v), (right, kicked)),
        "far from the wall yours is not the leapfrog step: x + ε/2 v, then v + ε grad there, then x + ε/2 v again.",
    )


def _judge_reflection(answer, x, v, grad, eps, wall) -> str:
    """Near the wall it must be reversible, keep volume, and reflect."""

    def walled_grad(y):
        y = np.asarray(y)
        behind = "you ask for the gradient behind the wall: after the first half flight, too, each coordinate d "
        behind += "must be reflected at wall[d]."
        require((y >= wall - 1e-12).all(), behind)
        return grad(y)

    new_x, new_v = stepped(answer, x, v, walled_grad, eps, wall)
    through = int((new_x < wall - 1e-12).sum())
    require(through == 0, f"{through} of {x.size} coordinates went through the wall, x < wall.")
    require(
        (new_x > wall).all(),
        "you stop chains at the wall, x = wall exactly. Where they came from is then forgotten, and the step cannot be "
        "reversed: reflect. What is 0.1 behind the wall should be 0.1 before it.",
    )
    single = f"your arrays are {new_x.dtype}, with seven digits; return float64."
    require(new_x.dtype == np.float64, single)
    back_x, back_v = stepped(answer, new_x, -new_v, walled_grad, eps, wall)
    astray = ~(np.isclose(back_x, x) & np.isclose(-back_v, v))
    off = max(np.abs(back_x - x).max(), np.abs(back_v + v).max())
    few_digits = "turned around, chains come back to a few digits. Is something rounded, or in single precision?"
    require(not 1e-8 < off < 1e-4, few_digits)
    lost = f"not reversible: turned around, {int(astray.any(1).sum())} of {len(x)} chains do not come back. "
    require(
        not astray.any() or not turns_only(answer, x, v, eps, wall),
        f"{lost}Their momenta turn, and yet: what is 0.1 behind the wall should be 0.1 before it, the distance stays; "
        "and what turns in the first half of the flight has turned before the kick.",
    )
    require(
        not astray.any(),
        f"{lost}Where a position is reflected, after either half of the flight, the momentum of that "
        "coordinate, and of it alone, changes its sign.",
    )
    worst = max(abs(volume(answer, x[i], v[i], walled_grad, eps, wall) - 1) for i in range(40))
    require(worst < 1e-4, f"a step should keep volume; yours changes it by a factor that is off by {worst:.2g}.")
    right = right_step(x, v, grad, eps, wall)
    beside = ~(np.isclose(new_x, right[0]) & np.isclose(new_v, right[1])).all(1)
    require(
        not beside.any(),
        f"reversible, but not a reflection: {int(beside.sum())} of {len(x)} chains end elsewhere. A chain that "
        "flies 0.1 behind the wall should be 0.1 before it, and fly on away from it; it neither stays nor stops.",
    )
    return "right: reversible, volume kept, and no chain of 400 gets behind the wall."


# Exercise 3
@exercise(
    hints=(
        "If x and v are exact draws and the move is right, what are they after eleven moves?",
        "Compare averages before and after, of x, v, x² and v², each with its standard error; chance moves every "
        "one of them by an error or two. A shape can change and leave these alone; so can what v has to do with x.",
        "after eleven moves: right if all |mean(a_after) - mean(a_before)| < 5 √((var(a_after) + var(a_before)) / n), "
        "a = xⁱ vʲ with i + j ≤ 4",
    )
)
def leaves_invariant(answer) -> str:
    """``answer(move, x, v, rng)`` must say whether the move leaves the distribution as it is of which x, v are draws.

    ``move(x, v, rng)`` returns new x and v; all are of shape (n,).

    Examples
    --------
    >>> leaves_invariant(lambda move, x, v, rng: abs(move(x, v, rng)[0].mean() - x.mean()) < 0.1)
    ✗ you pass a faulty move: the noise is γ r, as printed. On this target, which is symmetric, no mean moves: look \
at the variances, of v too, after several moves.
      A hint: ae.check.momentum.leaves_invariant.hint()
    """
    if _last_of_moves(answer, np.random.default_rng(1)) is not None:
        own_chance(partial(_last_of_moves, answer), "moves")
    for said, (skewed, move) in WRONG_MOVES.items():
        passed = _verdict_on(answer, move, skewed, 0)
        if passed:
            _judge_exchanged(answer)
        require(not passed, f"you pass a faulty move: {said}.")
    for said, (skewed, move) in COARSE_MOVES.items():
        few = f"you pass a faulty move, and so coarse a one that n = {_SIZES[1]} draws are enough to see it: {said}."
        require(not _verdict_on(answer, move, skewed, 1, _SIZES[1]), few)
    n_right = _judge_alarms(answer)
    for said, (skewed, move) in reversed(WRONG_MOVES.items()):  # of one who counts how often it was called
        again = f"asked once more, after the moves that are right, you pass a faulty one: {said}."
        require(not _verdict_on(answer, move, skewed, 2), again)
    n_faults = len(WRONG_MOVES) + len(COARSE_MOVES)
    return f"right: all {n_faults} faults are found, with no more than one false alarm in {n_right} other tests."


def _judge_exchanged(answer) -> None:
    """Of an answer that passes a faulty move: whether it passes most of them, and none that is right."""
    right, faulty = (
        [_verdict_on(answer, move, skewed, 0) for skewed, move in of.values()] for of in (RIGHT_MOVES, WRONG_MOVES)
    )
    meant = " True is for a move that leaves the distribution as it is."
    judge_exchanged(right, faulty, f"you refuse all {len(right)} moves that are right", "faulty ones", meant)


def _judge_alarms(answer) -> int:
    """Right moves must be passed, but for what chance does to a test that allows five errors; how many were asked."""
    wrong = {
        said: [
            not _verdict_on(answer, move, skewed, 100 * number + repeat, _SIZES[repeat % 2])
            for repeat in range(_REPEATS)
        ]
        for number, (said, (skewed, move)) in enumerate(RIGHT_MOVES.items())
    }
    of_many, of_few = (sum(sum(each[size::2]) for each in wrong.values()) for size in (0, 1))
    said, move = EXACT_MOVE
    wrong[said] = [not _verdict_on(answer, move, False, 1000 + repeat, _SIZES[1]) for repeat in range(_OFTEN)]
    shares, chance = {said: np.mean(each) for said, each in wrong.items()}, ""
    if any(0 < share < 1 for share in shares.values()):
        chance = " Chance moves every average by an error or two, and you look at many: allow five."
    if any(share > 0.5 for share in shares.values()):
        chance += " And p(x) need not be N(0, 1), nor be round: compare with the x that you are given."
    if of_few > 3 * of_many + 4:  # more than a rule with an error too few would have by chance
        chance = (
            f" That happens with n = {_SIZES[1]} draws, where chance moves every average ten times as far as with "
            f"{_SIZES[0]:,}: measure each difference by its own standard error. If you do, which of your averages do "
            "few draws decide, a rare event or a high power? So few do not tell its error."
        )
    worst = max(shares, key=lambda said: shares[said])
    alarms = sum(map(sum, wrong.values()))
    all_of_them = f" ({alarms} false alarms in all; {_ALARMS} is allowed.)" * (alarms > sum(wrong[worst]))
    times = f"{sum(wrong[worst])} times of {len(wrong[worst])} you reject a move that is right: {worst}."
    require(alarms <= _ALARMS, f"{times}{all_of_them}{chance}")
    return sum(map(len, wrong.values()))


def _verdict_on(answer, move: Move, skewed: bool | None, seed: int, n: int = _SIZES[0], own=None) -> bool:
    """What the answer says to this move of n draws; its generator is ``own``, or one of the seed."""
    rng = np.random.default_rng([seed, 17])
    width = 0.01 if skewed is None else 2.0
    x = np.log(rng.gamma(2.0, size=n)) if skewed else width * rng.standard_normal(n)
    said = call(answer, move, x, rng.standard_normal(n), own or np.random.default_rng([seed, 18]))
    require(np.ndim(said) == 0 and said in (True, False), f"return True or False; yours is {said!r}.")
    return bool(said)


def _last_of_moves(answer, own: np.random.Generator) -> np.ndarray | None:
    """The new x and v of the last move that the answer makes of a right one if it is given this generator."""
    (skewed, move), *_ = RIGHT_MOVES.values()
    made = []

    def heard(x, v, rng):
        new = move(x, v, rng)
        made.append(np.array(new))
        return new

    _verdict_on(answer, heard, skewed, 0, own=own)
    return made[-1] if made else None
