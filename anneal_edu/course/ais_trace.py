"""What AIS passes on its way and does not keep: its chains at every β, and the pictures behind those of an RBM."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np

from anneal_edu.annealing.ais import AISResult, annealer
from anneal_edu.distributions import BinaryRBM
from anneal_edu.kernels import Kernel, gibbs
from anneal_edu.paths.geometric import Path
from anneal_edu.paths.schedules import linear_schedule


def annealed(path: Path, schedule: np.ndarray, n_chains: int, kernel: Kernel, rng) -> Iterator[tuple]:
    """Walk as `anneal_edu.annealing.ais` does: log weights (C,) and states (C, D) at every β of the schedule."""
    walk, x = annealer(path, kernel), path(0.0).sample(n_chains, rng)
    log_w = np.full(n_chains, path(0.0).log_z())
    yield log_w, x
    for pair in pairwise(schedule):
        log_ratio, x = walk(pair, x, rng)
        log_w = log_w + log_ratio
        yield log_w, x


def visible_probabilities(rbm: BinaryRBM, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """p(v_i = 1 | h) with h drawn given v: the picture behind each chain, (C, D), without the noise of its pixels."""
    h = rng.random((len(v), rbm.n_hidden)) < rbm.hidden_given_visible(v)
    return rbm.visible_given_hidden(h.astype(np.float32))


N_STOPS = 20  # chains are looked at N_STOPS + 1 times, at evenly spaced β
NEGLIGIBLE = 0.01


class Stop(NamedTuple):
    """AIS as it would end at one β of a path of RBMs, and what is exact there."""

    rbm: BinaryRBM
    result: AISResult
    miss: float
    """log Ẑ(β) - log Z(β)."""
    interval: np.ndarray
    """Of the miss, 95%."""
    p_h: np.ndarray
    """Exact probabilities of the hidden states, (2^H,)."""

    def chains(self, number: int, rng: np.random.Generator) -> np.ndarray:
        """Pictures of the first chains, (number, D): pale ones weigh less than a hundredth of the mean."""
        pictures = visible_probabilities(self.rbm, self.result.samples[:number], rng)
        pictures[np.exp(self.result.log_weights[:number] - self.result.log_z) < NEGLIGIBLE] *= 0.25
        return pictures

    def draws(self, number: int, rng: np.random.Generator) -> np.ndarray:
        """Pictures of exact draws, (number, D)."""
        return visible_probabilities(self.rbm, self.rbm.sample(number, rng), rng)


def stops_along(path: Path, n_steps: int, n_chains: int, seed: int) -> list[Stop]:
    """Walk a path of RBMs with Gibbs steps; what can be seen at every 1/N_STOPS of the way."""
    betas, stops = linear_schedule(n_steps), []
    states = annealed(path, betas, n_chains, gibbs, np.random.default_rng(seed))
    for beta, (log_w, x) in islice(zip(betas, states, strict=True), 0, None, n_steps // N_STOPS):
        rbm, result = path(float(beta)), AISResult(log_w, x, bootstrap_seed=seed)
        log_z, interval = rbm.log_z(), np.array(result.interval(n_resamples=300))
        stops.append(Stop(rbm, result, result.log_z - log_z, interval - log_z, rbm.hidden_probabilities()))
    return stops
