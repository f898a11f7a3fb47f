"""Negative phases on a ladder of RBMs, for the checks of notebook 11: one that is sound, and some with a fault."""

from functools import lru_cache

import numpy as np

from anneal_edu import BinaryRBM, geometric_path, gibbs
from anneal_edu.kernels import accept

_LADDER = np.array([0.0, 0.3, 0.6, 1.0])
_PAIRS = BinaryRBM([[4.0, 0, -1], [5.0, 0, 1], [0, 4.0, -1], [0, 4.0, 1]], [-2.0, -2.0, -2.0, -1.5], [-4.0, -3.5, 0.3])


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


@lru_cache(maxsize=1)
def sound_rungs() -> tuple[BinaryRBM, ...]:
    """The ladder of exercise 1, small enough for exact draws and moments."""
    path = geometric_path(BinaryRBM(np.zeros((4, 3)), [0.5, -0.5, 0.0, 1.0], np.zeros(3)), _PAIRS)
    return tuple(path(float(beta)) for beta in _LADDER)


def _likelier(rung: BinaryRBM, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    h = (rung.hidden_given_visible(v) > 0.5).astype(float)
    return (h @ rung.weights.T + rung.visible_bias > 0).astype(v.dtype)


def _moved(states: np.ndarray, rng: np.random.Generator, rungs=None, move=gibbs) -> np.ndarray:
    return np.stack([move(rung, v, rng) for rung, v in zip(rungs or sound_rungs(), states, strict=True)])


def _swapped(states: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    rungs = sound_rungs()
    return exchange(states, geometric_path(rungs[0], rungs[-1]), _LADDER, rng)


def healthy(states: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A negative phase without a fault."""
    states = _swapped(_moved(states, rng), rng)
    return states, states[-1]


def _cold(states, rng):
    states = _moved(_swapped(states, rng), rng, [sound_rungs()[-1]] * len(states))
    return states, states[-1]


def _moving_one_as_another(rung: int, other: int):
    """A phase that moves this rung under the model of another one."""

    def phase(states, rng):
        rungs = list(sound_rungs())
        rungs[rung] = rungs[other]
        states = _moved(_swapped(states, rng), rng, rungs)
        return states, states[-1]

    return phase


def _always_swapping(states, rng):
    states = _moved(states, rng)[[1, 0, 3, 2]]
    return states, states[-1]


def _without_chance(states, rng):
    states = _swapped(_moved(states, rng, move=_likelier), rng)
    return states, states[-1]


def _shuffled(states, rng):
    states = rng.permuted(_swapped(_moved(states, rng), rng), axis=1)
    return states, states[-1]


def _first_rung(states, rng):
    states = _swapped(_moved(states, rng), rng)
    return states, states[0]


SICK = {
    "moves every rung under the last model: look at the other rungs, too": _cold,
    "moves the second rung as it does the first: look at every rung": _moving_one_as_another(1, 0),
    "moves the first rung as it does the second: look at rung 0, too": _moving_one_as_another(0, 1),
    "moves the third rung as it does the second: look at every rung": _moving_one_as_another(2, 1),
    "swaps neighbours without asking what the states are worth to them": _always_swapping,
    "sets every unit to its likelier value, in place of drawing it": _without_chance,
    "mixes the pixels of different chains: every E[v] is right, and E[v hᵀ], what pixels do together, is not: compare "
    "that, with ten thousand draws or more": _shuffled,
    "hands out the first rung's states as particles: look at the particles, too": _first_rung,
}
"""What a phase does wrong, and the phase."""
