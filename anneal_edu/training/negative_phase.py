"""The negative phase of training an RBM: draws from the present model.

The gradient of the log likelihood, E_data[v hᵀ] - E_model[v hᵀ], needs draws of a model that changes with every
update. Each class here is one answer: called with the present model and a batch of data, it gives particles (B, D).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from anneal_edu.distributions import BinaryRBM
from anneal_edu.distributions.bernoulli import bernoulli
from anneal_edu.kernels import gibbs
from anneal_edu.paths.geometric import geometric_path
from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.tempering.parallel import sweep_on
from anneal_edu.tempering.swaps import as_scheme

NegativePhase = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.random.Generator], np.ndarray]
"""(W, b, c, batch, rng) -> particles (B, D) of the model with weights W, visible biases b and hidden biases c."""


def gibbs_chain(
    v: np.ndarray, W: np.ndarray, b: np.ndarray, c: np.ndarray, n_gibbs: int, rng: np.random.Generator
) -> np.ndarray:
    """States (B, D) after ``n_gibbs`` block Gibbs steps of the model."""
    for _ in range(n_gibbs):
        h = bernoulli(v @ W + c, rng)  # (B, H)
        v = bernoulli(h @ W.T + b, rng)  # (B, D)
    return v


class FromTheData:
    """CD-k: k Gibbs steps from the batch, and forget them (Hinton 2002)."""

    def __init__(self, n_gibbs: int):
        self.n_gibbs = n_gibbs

    def __call__(
        self, W: np.ndarray, b: np.ndarray, c: np.ndarray, batch: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Particles near the data."""
        return gibbs_chain(batch, W, b, c, self.n_gibbs, rng)


class Persistent:
    """PCD: k Gibbs steps from where the last update left the chains (Tieleman 2008)."""

    def __init__(self, particles: np.ndarray, n_gibbs: int):
        self.particles, self.n_gibbs = particles, n_gibbs

    def __call__(
        self, W: np.ndarray, b: np.ndarray, c: np.ndarray, batch: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Particles that follow the model, if it does not run away."""
        self.particles = gibbs_chain(self.particles, W, b, c, self.n_gibbs, rng)
        return self.particles


class Tempered:
    """PT: every persistent chain is the last rung of a ladder, k sweeps an update (Desjardins et al. 2010).

    The ladder leads from a weightless start, which stays, to the present model; its chains live on between updates.
    """

    def __init__(self, particles: np.ndarray, start: BinaryRBM, n_sweeps: int, swaps: str, n_rungs: int):
        self.states = np.repeat(particles[None], n_rungs, axis=0)  # (K+1, B, D)
        self.start, self.n_sweeps, self.schedule = start, n_sweeps, linear_schedule(n_rungs - 1)
        self.scheme = as_scheme(swaps)(n_rungs - 1, len(particles))

    def __call__(
        self, W: np.ndarray, b: np.ndarray, c: np.ndarray, batch: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Particles of the last rung, handed down by hotter ones."""
        sweep = sweep_on(geometric_path(self.start, BinaryRBM(W, b, c)), self.schedule, gibbs)
        for _ in range(self.n_sweeps):
            self.states, *_ = sweep(self.states, self.scheme, rng)
        return self.states[-1]
