"""What AIS passes on its way and does not keep: its chains at every β, and the pictures behind those of an RBM."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from anneal_edu.annealing.ais import annealer
from anneal_edu.distributions import BinaryRBM
from anneal_edu.kernels import Kernel
from anneal_edu.paths.geometric import Path


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
