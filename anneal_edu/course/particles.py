"""A small RBM trained on bars and stripes: where its model is, and where the negative particles are."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from anneal_edu.course.experiments.kadan import mean_log_likelihood
from anneal_edu.data import bars_and_stripes
from anneal_edu.distributions import BinaryRBM
from anneal_edu.training import contrastive_divergence

SIZE, N_HIDDEN, BATCH = 4, 12, 20
N_IMAGES = 2 ** (SIZE + 1) - 2
N_UPDATES, WINDOW, STORED_EVERY = 1800, 50, 25
RATES, SEEDS, METHODS = (0.15, 0.3), (0, 1, 2), ("pcd", "pt")
_FILE = Path(__file__).parent / "experiments" / "results" / "particles.npz"


class Snapshot(NamedTuple):
    """A moment of training.

    Attributes
    ----------
    n_updates : int
    rbm : BinaryRBM
    particles : (B, D) array
        Of the last update.
    log_likelihood : float
        Exact, mean of the images.
    model, share : (N + 1,) arrays
        Exact probability of each image, and of everything else; and the share of particles there. Means over the last
        50 updates, of the model over every tenth.
    """

    n_updates: int
    rbm: BinaryRBM
    particles: np.ndarray
    log_likelihood: float
    model: np.ndarray
    share: np.ndarray

    @property
    def distance(self) -> float:
        """Total variation between the model and its particles: the mass that would have to move, from 0 to 1."""
        return distance(self.model, self.share)

    def distance_of(self, particles: np.ndarray) -> float:
        """Total variation between this very model and other particles (B, D), with no mean over updates."""
        images = bars_and_stripes(SIZE)
        return distance(exact_probabilities(self.rbm, images), shares(particles, images))


def distance(model: np.ndarray, share: np.ndarray) -> float:
    """Total variation between two distributions."""
    return 0.5 * float(np.abs(model - share).sum())


def exact_probabilities(rbm: BinaryRBM, images: np.ndarray) -> np.ndarray:
    """p(v) of every image (N, D), and of all other states together: (N + 1,)."""
    p = np.exp(rbm.log_density(images.astype(np.float64)) - rbm.log_z())
    return np.append(p, 1 - p.sum())


def shares(particles: np.ndarray, images: np.ndarray) -> np.ndarray:
    """The share of particles (B, D) on every image (N, D), and elsewhere: (N + 1,)."""
    on = (particles[:, None] == images[None]).all(-1).mean(0)
    return np.append(on, 1 - on.sum())


def snapshots(method: str, rate: float, seed: int, every: int, n_updates: int = N_UPDATES) -> Iterator[Snapshot]:
    """Train by "pcd" or "pt", the latter on eight rungs, and yield a snapshot after every so many updates."""
    images, model, share = bars_and_stripes(SIZE), deque(maxlen=WINDOW // 10), deque(maxlen=WINDOW)  # type: ignore
    for state in contrastive_divergence(
        images, N_HIDDEN, method, n_gibbs=1, n_updates=n_updates, learning_rate=rate, batch_size=BATCH,
        rng=np.random.default_rng(seed), decay=False, **({"n_rungs": 8} if method == "pt" else {}),
    ):  # fmt: skip
        share.append(shares(state.particles, images))
        if state.n_updates % 10 == 0:
            model.append(exact_probabilities(state.rbm, images))
        if state.n_updates % every == 0:
            likelihood = mean_log_likelihood(state.rbm, images)
            means = np.mean(model, 0), np.mean(share, 0)
            yield Snapshot(state.n_updates, state.rbm, state.particles.copy(), likelihood, *means)


@lru_cache(maxsize=32)
def trained(method: str, rate: float, seed: int) -> tuple[Snapshot, ...]:
    """Snapshots of one training after every 200 updates; a second or two."""
    return tuple(snapshots(method, rate, seed, 200))


class Film(NamedTuple):
    """What is stored of a training: ``model`` and ``share`` (T, 31), and ``log_likelihood`` (T,), as in `Snapshot`."""

    model: np.ndarray
    share: np.ndarray
    log_likelihood: np.ndarray


@cache
def stored_film(method: str, rate: float, seed: int) -> Film:
    """A stored training after every 25 updates: the same on every machine."""
    with np.load(_FILE, allow_pickle=False) as arrays:
        model, share, likelihood = (arrays[f"{method} {rate} {seed} {field}"] for field in Film._fields)
    return Film(model / 1e4, share / 1e4, likelihood.astype(float))


def store() -> None:
    """Train anew and store, by ``python -c "from anneal_edu.course import particles; particles.store()"``."""
    arrays = {}
    for method, rate, seed in ((m, r, s) for m in METHODS for r in RATES for s in SEEDS):
        run = [*snapshots(method, rate, seed, STORED_EVERY)]
        for field in ("model", "share"):
            shown = np.round(1e4 * np.array([getattr(moment, field) for moment in run]))
            arrays[f"{method} {rate} {seed} {field}"] = shown.astype(np.uint16)
        found = np.array([moment.log_likelihood for moment in run], np.float32)
        arrays[f"{method} {rate} {seed} log_likelihood"] = found
    np.savez_compressed(_FILE, **arrays)
