"""Examiners of negative phases, the answers to exercise 1 of notebook 11, and what is said to one that errs."""

from collections.abc import Callable
from functools import partial

import numpy as np

from anneal_edu import BinaryRBM
from anneal_edu.course.bugs.phases import SICK, Ladder, Phase, ladders
from anneal_edu.course.check.verdict import WrongAnswerError, call, judge_exchanged, require

N = 20_000


def says_sound(answer: Callable, ladder: Ladder, phase: Phase, seed: int) -> bool:
    """Whether this phase passes, in the eyes of ``answer(phase, rungs, rng)``."""
    given = np.random.default_rng([11, seed])

    def handed(states, rng):
        require(rng is given, "hand the rng that you are given on to the phase: it has no other chance.")
        require(
            np.shape(states)[0] == len(ladder.rungs) and np.shape(states)[2:] == (ladder.model.dim,),
            f"the phase wants one block a rung, ({len(ladder.rungs)}, B, {ladder.model.dim}); it got "
            f"{np.shape(states)}.",
        )
        return phase(states, rng)

    found = call(answer, handed, list(ladder.rungs), given)
    require(isinstance(found, bool | np.bool_), f"return True or False; yours is {found!r}.")
    return bool(found)


def lets_go(answer: Callable, ladder: Ladder, phase: Phase, seed: int) -> bool:
    """Whether a phase without a fault passes, or else with other draws: a rule of five errors errs, too."""
    return says_sound(answer, ladder, phase, seed) or says_sound(answer, ladder, phase, seed + 1000)


def condemned(answer: Callable) -> int:
    """How often of 24 times a phase without a fault is condemned; one may be, if not with other draws as well."""
    short, long = ladders()
    on = [short] * 8 + [long] * 16
    refused = [ladder for seed, ladder in enumerate(on) if not says_sound(answer, ladder, ladder.healthy, seed)]
    n = len(refused)
    if n == 1 and says_sound(answer, refused[0], refused[0].healthy, 1000):
        return 0
    if n < len(on) - 2:
        return n
    never = f"you condemn a phase without a fault {'nearly ' * (n < len(on))}every time"
    judge_exchanged([], [says_sound(answer, short, phase, 30) for phase in SICK.values()], never, "with one")
    judge_beginning(answer, short, never)
    _judge_order(answer, short, never)
    require(
        not all(says_sound(answer, short, _all_elsewhere, seed) for seed in range(30, 35)),
        f"{never}, and pass one that puts every chain into another state than it had. Whether chains move is not "
        "asked: what leaves every distribution as it is may leave a chain where it is, too.",
    )
    raise WrongAnswerError(
        f"{never}. Did it begin at exact draws of its rungs, is each rung compared with its own law (the mean of v hᵀ, "
        "too, and no product of means), and may a mean of finitely many draws be a little off?"
    )


def judge_beginning(answer: Callable, ladder: Ladder, said: str) -> None:
    """Of one who condemns a healthy phase: whether what is handed to it are draws of the rungs, each of its own."""
    begun: list[np.ndarray] = []

    def heard(states, rng):
        begun.append(np.array(states, dtype=float))
        return ladder.healthy(begun[-1], rng)

    says_sound(answer, ladder, heard, 30)
    fits = [[[_like_draws(v, rung) for rung in ladder.rungs] for v in states] for states in begun[:3]]
    off = [[k for k, row in enumerate(each) if not row[k]] for each in fits]
    if off and all(off):
        k, row = off[0][0], fits[0][off[0][0]]
        other = f": they look like draws of rungs[{row.index(True)}]" if any(row) else ", nor of any other rung"
        raise WrongAnswerError(
            f"{said}. It wants exact draws of its rungs, of rungs[k] in states[k]; what you hand to it in states[{k}] "
            f"are no draws of rungs[{k}]{other}."
        )


def _judge_order(answer: Callable, ladder: Ladder, never: str) -> None:
    """Of one who passes no healthy phase: whether it passes one that returns the rungs from the other end."""
    backwards = [
        all(says_sound(answer, ladder, partial(_backwards, ladder, last), seed) for seed in range(30, 33))
        for last in (0, -1)
    ]
    require(
        not any(backwards),
        f"{never}, and pass one that returns its rungs in reversed order: what it returns in states[k] is to be judged "
        "by the law of rungs[k].",
    )


def _like_draws(v: np.ndarray, rung: BinaryRBM) -> bool:
    """Whether the means of v and of v hᵀ are those of the rung, within six standard errors and a half."""
    h = rung.hidden_given_visible(v)
    mean_v, _, mean_vh = rung.moments()
    off, limit = [np.abs(v.mean(0) - mean_v).max(), np.abs(v.T @ h / len(v) - mean_vh).max()], 6.5 * 0.5
    return bool(max(off) < limit / np.sqrt(len(v)))


def _backwards(ladder: Ladder, last: int, states: np.ndarray, rng: np.random.Generator):
    """A healthy phase that returns its rungs from the other end; the particles are those of the first, or the last."""
    new, _ = ladder.healthy(np.array(states), rng)
    return new[::-1].copy(), new[last].copy()


def _all_elsewhere(states: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The same states on every rung, handed on among the chains: none keeps its own, if no state is that of half."""
    new = np.array(states)
    for x in new:
        _, code, counts = np.unique(x, axis=0, return_inverse=True, return_counts=True)
        order = np.argsort(code.ravel(), kind="stable")
        x[order] = x[np.roll(order, counts.max())]
    return new, new[-1].copy()


def judge_fault(answer: Callable, ladder: Ladder, fault: str, phase: Phase, seed: int) -> None:
    """Ask about a phase with this fault; of one that is passed say more if grosser ones are seen in its places."""
    if not says_sound(answer, ladder, phase, seed):
        return
    what, places = fault.partition(":")[0], _where_off(ladder, phase)
    gross = [not says_sound(answer, ladder, partial(_grossly, ladder, k, off), seed) for k, off in places.items()]
    where = "one of those places" if len(places) > 1 else "this place"
    require(
        not gross or not all(gross),
        f"you pass a phase that {what}. With pixels that are always on, or always off, in {where}, you say False. So "
        "is it compared by itself, with its own law, and how far may a mean of n draws be off there, to either side?",
    )
    raise WrongAnswerError(f"you pass a phase that {fault}.")


def _where_off(ladder: Ladder, phase: Phase) -> dict[int, np.ndarray]:
    """Place, the particles last, to whether exact draws come out of it with a pixel too often or too seldom on."""
    rng = np.random.default_rng([11, 40])
    states, particles = phase(np.stack([rung.sample(N, rng) for rung in ladder.rungs]).astype(float), rng)
    found = {}
    for k, (rung, v) in enumerate(zip([*ladder.rungs, ladder.model], [*states, particles], strict=True)):
        off = v.mean(0) - rung.moments()[0]
        off[np.abs(off) < 0.05] = 0
        if off.any():
            found[k] = np.sign(off)
    return found


def _grossly(ladder: Ladder, place: int, off: np.ndarray, states: np.ndarray, rng: np.random.Generator):
    """A healthy phase, but for pixels in one place that are always on or always off, (D,) by the sign."""
    new, particles = ladder.healthy(np.array(states), rng)
    particles = particles.copy()
    x = particles if place == len(new) else new[place]
    x[:, off != 0] = off[off != 0] > 0
    return new, particles
