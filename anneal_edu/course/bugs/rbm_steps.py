"""Steps on the visible units of a binary RBM, right ones and faulty ones."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import numpy as np
from scipy.stats import chi2

from anneal_edu.distributions import BinaryRBM, binary_states
from anneal_edu.distributions.enumeration import codes_of

Step = Callable[[BinaryRBM, np.ndarray, np.random.Generator], np.ndarray]

# Weights with which a unit depends on the others so much that each wrong step shows
STRONG_RBM = BinaryRBM([[2.5, -2.0], [2.5, 1.5], [-2.5, 2.5], [1.5, 2.5]], [-1.0, -2.0, 0.5, -1.5], [-1.0, 0.5])


def _bernoulli(p: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (rng.random(p.shape) < p).astype(float)


def exact_law(rbm: BinaryRBM) -> tuple[np.ndarray, np.ndarray]:
    """All states v of an RBM, in order, and their probabilities."""
    states = binary_states(rbm.dim)
    return states, np.exp(rbm.log_density(states) - rbm.log_z())


def gibbs(rbm: BinaryRBM, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return _bernoulli(rbm.visible_given_hidden(_bernoulli(rbm.hidden_given_visible(v), rng)), rng)


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
"""For the tests of the audit: name → step."""


def _round_of(n: int) -> Step:
    """Move the first n states round in a circle: each becomes the next."""

    def step(rbm: BinaryRBM, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        states, code = binary_states(rbm.dim), codes_of(v)
        return states[np.where(code < n, (code + 1) % n, code)]

    return step


def _a_third_on(rbm: BinaryRBM, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Lay all states on a circle, each with an arc of its probability, and go a third of the circle on."""
    states, p = exact_law(rbm)
    ends, code = np.cumsum(p), codes_of(v)
    at = ends[code] - p[code] * rng.random(len(v))
    return states[np.searchsorted(ends, (at + 1 / 3) % ends[-1])].astype(float)


def _each_pixel_alone(rbm: BinaryRBM, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Shuffle each pixel over the chains: every mean stays, the correlations go."""
    return np.stack([rng.permutation(column) for column in v.T], axis=1)


def _each_pair_right(rbm: BinaryRBM, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Fresh draws, right in every pixel and every pair of pixels, and wrong in the first three together."""
    states, p = exact_law(rbm)
    sign = (2 * states[:, :3] - 1).prod(-1)  # added to p it changes the mean of no pixel and of no product of two
    for fourth in (0, 1):
        here = states[:, 3] == fourth
        p[here] += p[here & (sign < 0)].min() * sign[here]
    return states[rng.choice(len(states), size=len(v), p=p / p.sum())]


def _leaning(kept: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Step:
    """Fresh draws, right in every pixel, in every pair and in the means of what is kept, of the states (S, D) and p."""

    def step(rbm: BinaryRBM, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        (states, p), (i, j) = exact_law(rbm), np.triu_indices(rbm.dim, 1)
        rows = np.vstack([p**0, states.T, (states[:, i] * states[:, j]).T, np.log(p), kept(states, p)])
        three, root = (2 * states[:, :3] - 1).prod(-1), np.sqrt(p)
        lean = p * (three - np.linalg.lstsq((root * rows).T, root * three)[0] @ rows)
        p += 0.99 * (p / -lean)[lean < 0].min() * lean
        return states[rng.choice(len(states), size=len(v), p=p / p.sum())]

    return step


_each_average_right = _leaning(lambda states, p: np.stack([(2 * states - 1).prod(-1), p]))
_each_amount_right = _leaning(lambda states, p: states.sum(1) == np.arange(states.shape[1] + 1)[:, None])


# step(rbm, v, rng) -> v; whether it is sound; the sentence for a wrong answer
STEPS: dict[str, tuple[Step, bool, str]] = {
    "Gibbs": (
        gibbs, True,
        "it is the Gibbs step of the lesson. Do you begin with exact draws, go on with one rng, and allow for chance?",
    ),
    "the hidden biases are missing": (
        lambda rbm, v, rng: gibbs(BinaryRBM(rbm.weights, rbm.visible_bias, 0 * rbm.hidden_bias), v, rng),
        False, "it forgets the hidden biases: exact draws become others at once.",
    ),
    "nothing moves": (lambda rbm, v, rng: v.copy(), True, "a step that never moves explores nothing, and is sound."),
    "Metropolis": (flip(), True, "it flips one pixel at a time by the rule of Metropolis."),
    "h is not drawn": (
        mean_field, False, "it uses the probabilities of h and never draws h.",
    ),
    "each pixel alone": (
        _each_pixel_alone, False,
        "every pixel keeps its mean, but it exchanges pixels between chains: compare whole states, not means, and "
        "start from a mixed batch of exact draws.",
    ),
    "independent": (lambda rbm, v, rng: rbm.sample(len(v), rng), True, "it makes fresh exact draws."),
    "a third on": (
        _a_third_on, True,
        "it goes round and hardly ever back, so that it is not in detailed balance; but exact draws stay exact draws, "
        "and more is not asked.",
    ),
    "each pair": (
        _each_pair_right, False,
        "each pixel and each pair of pixels comes up as often as it should, and three together do not: compare whole "
        "states, not means and products.",
    ),
    "each average": (
        _each_average_right, False,
        "each pixel and each pair, the parity of the ink and the means of p(v) and log f(v) come out as they should, "
        "and the shares of the states do not: a few averages are not enough, compare whole states.",
    ),
    "each amount": (
        _each_amount_right, False,
        "each pixel, each pair and each amount of ink comes up as often as it should, and the mean of log f(v) is "
        "right, but the shares of the states are not: compare whole states.",
    ),
    "turned round": (
        lambda rbm, v, rng: 1 - v, False,
        "it flips every pixel, and a second step flips them back: look after one step, too, or after an odd number.",
    ),
    "rolled round": (
        lambda rbm, v, rng: v[:, [1, 2, 0, 3]],
        False, "it exchanges three pixels in a circle, and a third step has them back: look after one step, too.",
    ),
    **{
        f"a round of {n}": (
            _round_of(n), False,
            f"it sends {n} of the states round in a circle, and the {n}th step has each back where it was: look after "
            "one step, too.",
        )
        for n in (5, 7, 11, 13)
    },
    "a generator of its own": (
        lambda rbm, v, rng: gibbs(rbm, v, np.random.default_rng(0)),
        False,
        "once it is harmless. But it throws the same coins in every call, `default_rng(0)`: take several steps, and "
        "draws enough to see what they do.",
    ),
}  # fmt: skip


def unlucky(number: int) -> Step:
    """Exact draws, whatever v is; at the call of this number a batch of which the shares are off as one in 20,000 is.

    That is by the chi-square of all states, of which none is off by more than four of its standard deviations.
    """
    calls = count(1)

    def step(rbm: BinaryRBM, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        if next(calls) != number or len(v) < 1000:
            return rbm.sample(len(v), rng)
        states, p = exact_law(rbm)
        counts = rng.multinomial(len(v), p / p.sum(), size=100_000)
        off = (counts - len(v) * p) / np.sqrt(len(v) * p)
        luck = chi2.logsf((off**2).sum(1), len(p) - 1) + np.log(20_000)
        luck[np.abs(off).max(1) > 4] = np.inf
        return rng.permutation(np.repeat(states, counts[np.abs(luck).argmin()], axis=0))

    return step
