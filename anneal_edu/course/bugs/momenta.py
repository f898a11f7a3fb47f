"""Refreshes of momenta v, and moves of (x, v), right ones and faulty ones."""

from collections.abc import Callable

import numpy as np

Refresh = Callable[[np.ndarray, float, np.random.Generator], np.ndarray]
Move = Callable[[np.ndarray, np.ndarray, np.random.Generator], tuple[np.ndarray, np.ndarray]]


def right_refresh(v: np.ndarray, gamma: float, rng: np.random.Generator) -> np.ndarray:
    """√(1-γ) v + √γ r."""
    return np.sqrt(1 - gamma) * v + np.sqrt(gamma) * rng.standard_normal(v.shape)


def right_otherwise(v: np.ndarray, gamma: float, rng: np.random.Generator) -> np.ndarray:
    """The same law: r and -r are alike, and in which order it is drawn does not matter."""
    return np.sqrt(1 - gamma) * v - np.sqrt(gamma) * rng.normal(size=v.shape[::-1]).T


def renewed(keep=lambda g: np.sqrt(1 - g), new=np.sqrt, noise=lambda v, rng: rng.standard_normal(v.shape)) -> Refresh:
    """A refresh that keeps, adds or draws something else."""
    return lambda v, gamma, rng: keep(gamma) * v + new(gamma) * noise(v, rng)


as_printed = renewed(new=lambda g: g)


def _opposite(r: np.ndarray) -> np.ndarray:
    """Every second row is minus the one before."""
    r[1::2] = -r[: len(r) - len(r) % 2 : 2]
    return r


def _last_left(v: np.ndarray, gamma: float, rng: np.random.Generator) -> np.ndarray:
    new = right_refresh(v, gamma, rng)
    new[:, -1] = v[:, -1]
    return new


WRONG_REFRESHES: dict[str, Refresh] = {  # a sentence for the test that passes it
    "its noise is γ r, as a paper prints it: below γ = 1 momenta lose their variance": as_printed,
    "it keeps (1 - γ) v, without the root: momenta lose their variance": renewed(keep=lambda g: 1 - g),
    "it has no noise at all: momenta die out": renewed(new=lambda g: 0.0),
    "it renews a share 1 - γ and keeps √γ v: the variance is right, look at what is kept, at several γ": renewed(
        keep=np.sqrt, new=lambda g: np.sqrt(1 - g)
    ),
    "it returns v as it was: the variance is right, look at what is kept": lambda v, gamma, rng: v.copy(),
    "chains 0 and 1 share one noise, so do 2 and 3: each is right, all together are not": renewed(
        noise=lambda v, rng: np.repeat(rng.standard_normal(v.shape), 2, axis=0)[: len(v)]
    ),
    "its noise is ±1: the variance is right, the shape is not": renewed(
        noise=lambda v, rng: rng.choice([-1.0, 1.0], size=v.shape)
    ),
    "its noise has the sign of v: look at the noise and the old momentum together": renewed(
        noise=lambda v, rng: np.sign(v) * np.abs(rng.standard_normal(v.shape))
    ),
    "the last coordinate is never renewed: look at every one": _last_left,
    "all coordinates of a chain share one noise: each is right, all together are not": renewed(
        noise=lambda v, rng: np.repeat(rng.standard_normal((len(v), 1)), v.shape[1], axis=1)
    ),
    "it renews a share of 0.3, whatever γ is: ask with more than one": lambda v, gamma, rng: right_refresh(v, 0.3, rng),
    "its share is never above a half, whatever γ is: ask with a large one, too": lambda v, gamma, rng: right_refresh(
        v, min(gamma, 0.5), rng
    ),
    "its share is never below a half, whatever γ is: ask with a small one, too": lambda v, gamma, rng: right_refresh(
        v, max(gamma, 0.5), rng
    ),
    "its noise is uniform, with mean 0 and variance 1: the shape is not right": renewed(
        noise=lambda v, rng: rng.uniform(-(3**0.5), 3**0.5, size=v.shape)
    ),
    "what it keeps of v it turns round: the variance is right, look at what is kept": renewed(
        keep=lambda g: -np.sqrt(1 - g)
    ),
    "what a chain keeps is its neighbour's momentum: begin with another v for every chain": (
        lambda v, gamma, rng: right_refresh(np.roll(v, 1, axis=0), gamma, rng)
    ),
    "what it keeps of v has lost its sign, |v|: begin with momenta of both signs": (
        lambda v, gamma, rng: right_refresh(np.abs(v), gamma, rng)
    ),
    "its share is never above 0.9: ask with γ = 1, too": lambda v, gamma, rng: right_refresh(v, min(gamma, 0.9), rng),
    "its share is never below 0.1: ask with a small γ, too": lambda v, gamma, rng: right_refresh(
        v, max(gamma, 0.1), rng
    ),
    "its noise is as long as the old momentum is, |v| r: look at the noise of momenta of all lengths": renewed(
        noise=lambda v, rng: np.abs(v) * rng.standard_normal(v.shape)
    ),
    "chains 1 and 2 share one noise, so do 3 and 4: each is right, all together are not": renewed(
        noise=lambda v, rng: np.repeat(rng.standard_normal(v.shape), 2, axis=0)[1 : len(v) + 1]
    ),
    "chains 0 and 1 have opposite noise, r and -r, and so have 2 and 3: ask of both signs": renewed(
        noise=lambda v, rng: _opposite(rng.standard_normal(v.shape))
    ),
    "coordinates 0 and 1 of a chain have opposite noise, r and -r: ask of both signs": renewed(
        noise=lambda v, rng: _opposite(rng.standard_normal(v.shape).T).T
    ),
}


def _transition(
    log_f, grad, eps=0.8, gamma=0.3, refresh=right_refresh, turn=-1.0, kinetic=0.5, always=False, uphill=1.0
) -> Move:
    """The transition of HAIS in one dimension, (x, v, rng) -> (x, v), or one with a fault."""

    def move(x, v, rng):
        half = x + eps / 2 * v
        p = v + uphill * eps * grad(half)
        new = half + eps / 2 * p
        gain = log_f(new) - log_f(x) + kinetic * (v * v - p * p)
        accepted = (np.log(rng.random(len(x))) < gain) | always
        p = np.where(accepted, p, turn * v)
        return np.where(accepted, new, x), refresh(p, gamma, rng)

    return move


_SELDOM = 0.5 - 12**-0.5  # p (1 - p) = 1/6: of a 0 or 1 so drawn the fourth central moment is 3 squared variances
_SKEWED = (lambda x: 2 * x - np.exp(np.minimum(x, 50.0)), lambda x: 2 - np.exp(np.minimum(x, 50.0)))  # e^x ~ Gamma(2)
_ROUND = (lambda x: -(x**2) / 8, lambda x: -x / 4)  # N(0, 2²)
RIGHT_MOVES: dict[str, tuple[bool, Move]] = {  # what is said of it: is the target the skewed one, and the move
    "the transition of this lesson": (True, _transition(*_SKEWED)),
    "the transition of this lesson, with steps so long that many are refused": (True, _transition(*_SKEWED, eps=1.6)),
    "the transition of this lesson, all momentum drawn anew": (False, _transition(*_ROUND, gamma=1.0)),
    "a transition that flies with the gradient's sign exchanged: it is slow, but Metropolis puts it right": (
        True,
        _transition(*_SKEWED, eps=0.5, uphill=-1.0),
    ),
    "a move that does nothing at all: it is useless, but it leaves the distribution as it is": (
        False,
        lambda x, v, rng: (x.copy(), v.copy()),
    ),
}
EXACT_MOVE: tuple[str, Move] = (  # right, on the round target; it is cheap, and chance has its say in every average
    "a move that draws x and v anew, exactly",
    lambda x, v, rng: (2.0 * rng.standard_normal(len(x)), rng.standard_normal(len(v))),
)


def _sizes_alike(x, v, rng):
    new = np.empty_like(v)
    new[np.argsort(np.abs(x))] = np.sort(np.abs(v)) * rng.choice([-1.0, 1.0], len(v))
    return x.copy(), new


def _leap_and_turn(x, v, rng):
    half = x + 1.5 * v
    p = v + 3.0 * _ROUND[1](half)
    return half + 1.5 * p, -p


WRONG_MOVES: dict[str, tuple[bool | None, Move]] = {  # None: a narrow target
    "the noise is γ r, as printed. On this target, which is symmetric, no mean moves: look at the variances, "
    "of v too, after several moves": (
        False,
        _transition(*_ROUND, refresh=as_printed),
    ),
    "only the momentum is renewed, by γ r: x stays where it is, so that it shows in v alone, and after several moves": (
        False,
        lambda x, v, rng: (x.copy(), as_printed(v, 0.1, rng)),
    ),
    "x walks without a decision, and v is left alone, so that it shows in x alone, and after several moves": (
        False,
        lambda x, v, rng: (x + 0.4 * rng.standard_normal(len(x)), v.copy()),
    ),
    "all chains move a little to the right, and are a hundredth as wide as N(0, 1); no variance changes: look at the "
    "means, and measure them by √(variance / n)": (
        None,
        lambda x, v, rng: (x + 0.00015, v.copy()),
    ),
    "refused chains do not turn around, so that both drift the way in which steps are accepted": (
        True,
        _transition(*_SKEWED, eps=1.6, turn=1.0),
    ),
    "the decision forgets the momentum's energy": (False, _transition(*_ROUND, eps=2.0, kinetic=0.0)),
    "every step is accepted": (True, _transition(*_SKEWED, eps=1.2, always=True)),
    "x and v are drawn anew, x from N(1, 3) and not from N(0, 4): the mean of x² stays, that of x does not": (
        False,
        lambda x, v, rng: (1 + 3**0.5 * rng.standard_normal(len(x)), rng.standard_normal(len(v))),
    ),
    "v takes the sign of x: each alone keeps its distribution, but p(x) N(v; 0, 1) has them independent. Look at both "
    "together": (False, lambda x, v, rng: (x.copy(), np.abs(v) * np.sign(x))),
    "where |x| is large, |v| is made large: each alone keeps its distribution, and the mean of x v is still 0, but "
    "they are not independent": (False, _sizes_alike),
    "every x becomes 2 or -2, by its sign: mean and variance stay, the shape does not": (
        False,
        lambda x, v, rng: (2 * np.sign(x), v.copy()),
    ),
    "every v becomes 1 or -1, by its sign: mean and variance stay, the shape does not": (
        False,
        lambda x, v, rng: (x.copy(), np.sign(v)),
    ),
    "v is drawn anew from two numbers, the larger one seldom: the means of v, v² and v⁴ stay, the shape does not": (
        False,
        lambda x, v, rng: (x.copy(), ((rng.random(len(v)) < _SELDOM) - _SELDOM) * 6**0.5),
    ),
    "a leapfrog step and a turn, without a decision: a second move flies back, so that after an even number of moves "
    "nothing shows. Look after one move, or an odd number": (False, _leap_and_turn),
}
COARSE_MOVES: dict[str, tuple[bool | None, Move]] = {
    "x moves on by half its standard deviation": (False, lambda x, v, rng: (x + 1.0, v.copy())),
    "v moves on by half of its standard deviation": (True, lambda x, v, rng: (x.copy(), v + 0.5)),
    "all x end at one point": (True, lambda x, v, rng: (0 * x + 3.0, v.copy())),
}
