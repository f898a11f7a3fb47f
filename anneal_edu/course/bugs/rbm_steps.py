"""Steps on the visible units of a binary RBM: right ones, and faulty ones for the tests of the audit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from anneal_edu.distributions import BinaryRBM

Step = Callable[[BinaryRBM, np.ndarray, np.random.Generator], np.ndarray]


def _bernoulli(p: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (rng.random(p.shape) < p).astype(float)


def mean_field(rbm: BinaryRBM, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The probabilities of h are used in place of h."""
    return _bernoulli(rbm.visible_given_hidden(rbm.hidden_given_visible(v)), rng)


def flip(power: float = 1.0, shared: bool = False, left: int = 0, twice: bool = False) -> Step:
    """Metropolis: propose to flip one pixel; or one for all chains, never the last, or all others but this one."""

    def step(rbm: BinaryRBM, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        new, rows = v.copy(), np.arange(len(v))
        pixel = rng.integers(rbm.dim - left, size=() if shared else len(v))
        new[rows, pixel] = 1 - new[rows, pixel]
        new = 1 - new if twice else new
        accepted = np.log(rng.random(len(v))) < power * (rbm.log_density(new) - rbm.log_density(v))
        return np.where(accepted[:, None], new, v)

    return step


def two_layers(rbm: BinaryRBM, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Each hidden unit comes from one of two draws, or is the opposite of the other one."""
    h, other = (rng.random((len(v), rbm.n_hidden)) < rbm.hidden_given_visible(v) for _ in range(2))
    mixed = np.where(rng.random(h.shape) < 0.5, h, ~other).astype(float)
    return _bernoulli(rbm.visible_given_hidden(mixed), rng)


FAULTY_STEPS: dict[str, Step] = {
    "ratio upside down": flip(power=-1.0),
    "always accepted": flip(power=0.0),
    "last pixel left out": flip(left=1),
    "one pixel for all chains": flip(shared=True),
    "an even number of flips": flip(twice=True),
    "means in place of draws": mean_field,
    "hidden units of two draws": two_layers,
}
