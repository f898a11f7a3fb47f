"""Refreshes of momenta v, right ones and faulty ones."""

from collections.abc import Callable

import numpy as np

Refresh = Callable[[np.ndarray, float, np.random.Generator], np.ndarray]


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
