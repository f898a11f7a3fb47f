"""Negative phases on ladders of RBMs, for the exercises of notebook 11: right ones, and many with a fault."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import scipy

from anneal_edu.course.bugs.rbm_steps import exact_law
from anneal_edu.distributions import BinaryRBM, binary_states
from anneal_edu.kernels import accept, gibbs
from anneal_edu.paths.geometric import geometric_path

Phase = Callable[[np.ndarray, np.random.Generator], tuple[np.ndarray, np.ndarray]]


def exchange(states: np.ndarray, path, betas: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Swap neighbours on a ladder, even pairs and then odd ones, by Metropolis: (K+1, B, D) -> (K+1, B, D)."""
    states, rungs = np.array(states), [path(float(beta)) for beta in betas]
    pairs = range(len(rungs) - 1)
    for k in (*pairs[::2], *pairs[1::2]):
        x, y = states[k], states[k + 1]
        log_ratio = rungs[k].log_density(y) - rungs[k].log_density(x)
        log_ratio += rungs[k + 1].log_density(x) - rungs[k + 1].log_density(y)
        accepted = accept(log_ratio, rng)[:, None]
        states[k], states[k + 1] = np.where(accepted, y, x), np.where(accepted, x, y)
    return states


@dataclass(frozen=True, eq=False)
class Ladder:
    """RBMs from a start without weights to a model, small enough for exact draws and moments."""

    start: BinaryRBM
    model: BinaryRBM
    betas: np.ndarray

    @cached_property
    def rungs(self) -> list[BinaryRBM]:
        path = geometric_path(self.start, self.model)
        return [path(float(beta)) for beta in self.betas]

    def moved(self, states: np.ndarray, rng: np.random.Generator, rungs=None, move=gibbs) -> np.ndarray:
        return np.stack([move(rung, v, rng) for rung, v in zip(rungs or self.rungs, states, strict=True)])

    def swapped(self, states: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return exchange(states, geometric_path(self.start, self.model), self.betas, rng)

    def healthy(self, states: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """A negative phase without a fault."""
        states = self.swapped(self.moved(states, rng), rng)
        return states, states[-1]

    @cached_property
    def faults(self) -> dict[str, Phase]:
        """What a phase gets wrong in one place alone, and the phase."""
        return dict(_in_one_place(self))


@cache
def ladders() -> tuple[Ladder, Ladder]:
    """Two of exercise 1, of other sizes."""
    weights = [[4.0, 0, -1], [5.0, 0, 1], [0, 4.0, -1], [0, 4.0, 1]]
    pairs = BinaryRBM(weights, [-2.0, -2.0, -2.0, -1.5], [-4.0, -3.5, 0.3])
    weights = 4 * np.sin(1.7 * np.arange(20.0) ** 2).reshape(5, 4)
    waves = BinaryRBM(weights, -weights.sum(1) / 2 + 0.3 * np.cos(np.arange(5.0)), -weights.sum(0) / 2)
    return (
        Ladder(BinaryRBM(np.zeros((4, 3)), [0.5, -0.5, 0.0, 1.0], np.zeros(3)), pairs, np.array([0.0, 0.3, 0.6, 1.0])),
        Ladder(BinaryRBM(np.zeros((5, 4)), [0.3, -0.6, 0.8, 0.0, -0.4], np.zeros(4)), waves, np.linspace(0, 1, 7)),
    )


@cache
def turned() -> Ladder:
    """A third one, that goes from the model to the start and back: all but the start stand there twice."""
    short, _ = ladders()
    return Ladder(short.start, short.model, np.array([1.0, 0.4, 0.0, 0.4, 1.0]))


# Faults of a whole phase
def _likelier(rung: BinaryRBM, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    h = (rung.hidden_given_visible(v) > 0.5).astype(float)
    return (h @ rung.weights.T + rung.visible_bias > 0).astype(v.dtype)


def _cold(states, rng):
    ladder = ladders()[0]
    states = ladder.moved(ladder.swapped(states, rng), rng, [ladder.model] * len(states))
    return states, states[-1]


def _moving_one_as_another(rung: int, other: int) -> Phase:
    """A phase that moves this rung under the model of another one."""

    def phase(states, rng):
        ladder = ladders()[0]
        rungs = list(ladder.rungs)
        rungs[rung] = rungs[other]
        states = ladder.moved(ladder.swapped(states, rng), rng, rungs)
        return states, states[-1]

    return phase


def _always_swapping(states, rng):
    states = ladders()[0].moved(states, rng)[[1, 0, 3, 2]]
    return states, states[-1]


def _without_chance(states, rng):
    ladder = ladders()[0]
    states = ladder.swapped(ladder.moved(states, rng, move=_likelier), rng)
    return states, states[-1]


def _shuffled(states, rng):
    states, _ = ladders()[0].healthy(states, rng)
    mixed = states[:, : 5 * states.shape[1] // 6]
    mixed[:] = rng.permuted(mixed, axis=1)
    return states, states[-1]


def _later_ones_hot(states, rng):
    states, _ = ladders()[0].healthy(states, rng)
    for k in range(1, len(states)):
        later = states[k, states.shape[1] // 2 :]
        later[:] = ladders()[0].start.sample(len(later), rng)
    return states, states[-1]


def _first_rung(states, rng):
    states, _ = ladders()[0].healthy(states, rng)
    return states, states[0]


def _in_another_order(states, rng):
    states, particles = ladders()[0].healthy(states, rng)
    return states, rng.permutation(particles)


SOUND: dict[str, Phase] = {
    "never moves. That is no use, but it leaves every distribution as it is": lambda states, rng: (
        states.copy(),
        states[-1].copy(),
    ),
    "hands out the last rung's states in another order": _in_another_order,
}
"""What a phase on the first ladder may do as well, and the phase."""

SICK: dict[str, Phase] = {
    "moves every rung under the last model: look at what it returns on the other rungs, too": _cold,
    "moves the second rung as it does the first: look at what it returns on every rung": _moving_one_as_another(1, 0),
    "moves the first rung as it does the second: look at rung 0, too, and at its pixels, since E[h] may tell nothing "
    "of them there": _moving_one_as_another(0, 1),
    "moves the third rung as it does the second: look at what it returns on every rung": _moving_one_as_another(2, 1),
    "swaps neighbours without asking what the states are worth to them": _always_swapping,
    "sets every unit to its likelier value, in place of drawing it": _without_chance,
    "mixes the pixels of different chains: every E[v] is right, and E[v hᵀ], what pixels do together, is not: compare "
    "that, with ten thousand draws or more, by its standard error": _shuffled,
    "puts draws of the first rung into the second half of the chains of every rung: look at all of them": (
        _later_ones_hot
    ),
    "hands out the first rung's states as particles: look at the particles, too": _first_rung,
}
"""What a phase does wrong on the first ladder, and the phase."""


# Faults in one place: what stands there is drawn from another law, and no swap carries it on
def _in_one_place(ladder: Ladder) -> Iterator[tuple[str, Phase]]:
    n = len(ladder.rungs)
    for k, rung in enumerate([*ladder.rungs, ladder.model]):
        where, look = f"on rung {k} of 0 to {n - 1}", "look at what it returns on every rung"
        if k >= n - 1:
            where, look = "on the last rung that it returns, not in its particles", "look at both"
        if k == n:
            where = "in its particles, not on the last rung that it returns"
        j, on = (k - (n > 5)) % rung.dim, k % 2 == 0  # on rung 0 the first pixel, and on the longer ladder the last
        pixel = f"has pixel {j} too {'often' if on else 'seldom'} on, {where}: {look}, pixel by pixel"
        yield pixel, _with(ladder, {k: _with_pixel(rung, j, on)})
        if k > 0:  # where there are no weights, E[v hᵀ] is E[v] E[h]ᵀ
            pairs = f"has every E[v] and E[h] right, and E[v hᵀ] wrong, {where}: compare that, too; {look}"
            yield pairs, _with(ladder, {k: _other_pairs(rung)})


def opposite_faults() -> dict[str, Phase]:
    """Faults in two places of the same law, one as much too often as the other too seldom, and the phase."""
    ladder, faults = turned(), {}
    n = len(ladder.rungs)
    for first, second, other in (
        (1, 3, "on rung 3"), (0, n - 1, f"on rung {n - 1}"), (n - 1, n, "in its particles")
    ):
        rung = ladder.rungs[first]
        laws = {place: _leaning(rung, 0, sign) for place, sign in ((first, 1), (second, -1))}
        fault = f"has pixel 0 too often on, on rung {first} of 0 to {n - 1}, and as much too seldom {other}"
        faults[f"{fault}, whose law is the same: an average over both is right, so judge each by itself"] = _with(
            ladder, laws
        )
    return faults


def _leaning(rung: BinaryRBM, j: int, sign: int) -> np.ndarray:
    """The rung's law p and, for the two signs, as much more or less of it where a pixel is on."""
    v, p, _ = _exact(rung)
    lean = v[:, j] - p @ v[:, j]
    lean *= min(0.12 / (p @ lean**2), 1 / np.abs(lean).max())
    return p * (1 + sign * lean)


def _with(ladder: Ladder, laws: dict[int, np.ndarray]) -> Phase:
    """A phase that moves all rungs well; then what is in these places, the particles last, is drawn from ``laws``."""

    def phase(states, rng):
        states = ladder.moved(states, rng)
        handed = states[-1].copy()
        for place, law in laws.items():
            if place == len(states):
                handed[:] = drawn(law, len(handed), rng)
            else:
                states[place] = drawn(law, states.shape[1], rng)
        if len(states) - 1 in laws and len(states) not in laws:
            handed[:] = drawn(_exact(ladder.model)[1], len(handed), rng)
        return states, handed

    def drawn(p: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
        return binary_states(ladder.model.dim)[rng.choice(len(p), n, p=p)]

    return phase


def _exact(rung: BinaryRBM) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All states v, their probabilities, and p(h | v)."""
    v, p = exact_law(rung)
    return v.astype(float), p, rung.hidden_given_visible(v)


def _with_pixel(rung: BinaryRBM, j: int, on: bool) -> np.ndarray:
    """The rung's law, a pixel set now and then: its mean moves by 0.12, or as far as it goes."""
    v, p, _ = _exact(rung)
    changed = v[:, j] != on
    to = np.arange(len(p)) ^ (1 << (rung.dim - 1 - j))  # the state that differs there alone
    moved = np.where(changed, min(0.12 / p[changed].sum(), 1.0) * p, 0.0)
    return p - moved + moved[to]


def _other_pairs(rung: BinaryRBM) -> np.ndarray:
    """A law with the rung's E[v], E[h] and sum of E[v hᵀ], one of whose entries is as far off as it can be."""
    v, p, h = _exact(rung)
    pairs = (v[:, :, None] * h[:, None, :]).reshape(len(v), -1)
    kept = np.hstack([np.ones((len(v), 1)), v, h, pairs.sum(1, keepdims=True)]).T
    laws = [scipy.optimize.linprog(sign * pair, A_eq=kept, b_eq=kept @ p).x for pair in pairs.T for sign in (1, -1)]
    law = np.clip(max(laws, key=lambda law: np.abs((law - p) @ pairs).max()), 0, None)
    return law / law.sum()
