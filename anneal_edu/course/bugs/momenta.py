"""Refreshes of momenta v, right ones and faulty ones."""

from collections.abc import Callable

import numpy as np

Refresh = Callable[[np.ndarray, float, np.random.Generator], np.ndarray]


def right_refresh(v: np.ndarray, gamma: float, rng: np.random.Generator) -> np.ndarray:
    """√(1-γ) v + √γ r."""
    return np.sqrt(1 - gamma) * v + np.sqrt(gamma) * rng.standard_normal(v.shape)


RIGHT_REFRESHES: dict[str, Refresh] = {  # of one law
    "√(1-γ) v + √γ r": right_refresh,
    "√(1-γ) v - √γ r": lambda v, gamma, rng: np.sqrt(1 - gamma) * v - np.sqrt(gamma) * rng.normal(size=v.shape[::-1]).T,
    "a draw of N(√(1-γ) v, γ)": lambda v, gamma, rng: rng.normal(np.sqrt(1 - gamma) * v, gamma**0.5),
}


def renewed(keep=lambda g: np.sqrt(1 - g), new=np.sqrt, noise=lambda v, rng: rng.standard_normal(v.shape)) -> Refresh:
    """A refresh that keeps, adds or draws something else."""
    return lambda v, gamma, rng: keep(gamma) * v + new(gamma) * noise(v, rng)


def _last_left(v: np.ndarray, gamma: float, rng: np.random.Generator) -> np.ndarray:
    new = right_refresh(v, gamma, rng)
    new[:, -1] = v[:, -1]
    return new


WRONG_REFRESHES: dict[str, Refresh] = {  # a sentence for the test that passes it
    "its noise is γ r, as a paper prints it: momenta lose variance": renewed(new=lambda g: g),
    "it keeps (1-γ) v, without the root: momenta lose variance": renewed(keep=lambda g: 1 - g),
    "it returns v as it was: look at what is kept": lambda v, gamma, rng: v.copy(),
    "it keeps √γ v and adds √(1-γ) r: look at what is kept, for several γ": renewed(np.sqrt, lambda g: np.sqrt(1 - g)),
    "it keeps -√(1-γ) v: look at the sign of what is kept": renewed(keep=lambda g: -np.sqrt(1 - g)),
    "it keeps √(1-γ) |v|: begin with momenta of both signs": lambda v, gamma, rng: right_refresh(np.abs(v), gamma, rng),
    "its noise has the sign of v: look at noise and old momentum together": renewed(
        noise=lambda v, rng: np.sign(v) * np.abs(rng.standard_normal(v.shape))
    ),
    "its noise is ±1: the variance is right, the shape is not": renewed(
        noise=lambda v, rng: rng.choice([-1.0, 1.0], size=v.shape)
    ),
    "its noise is uniform: the variance is right, the shape is not": renewed(
        noise=lambda v, rng: rng.uniform(-(3**0.5), 3**0.5, size=v.shape)
    ),
    "the last coordinate is never renewed: look at every one": _last_left,
    "all coordinates of a chain share one noise: look at pairs of coordinates": renewed(
        noise=lambda v, rng: np.repeat(rng.standard_normal((len(v), 1)), v.shape[1], axis=1)
    ),
    "chains 0 and 1 share one noise, so do 2 and 3: look at pairs of chains": renewed(
        noise=lambda v, rng: np.repeat(rng.standard_normal(v.shape), 2, axis=0)[: len(v)]
    ),
    "its share is never above a half: ask with a large γ, too": lambda v, g, rng: right_refresh(v, min(g, 0.5), rng),
    "its share is never below a half: ask with a small γ, too": lambda v, g, rng: right_refresh(v, max(g, 0.5), rng),
}
