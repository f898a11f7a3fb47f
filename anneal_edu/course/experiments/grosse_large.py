"""The RBMs of Grosse, Maddison and Salakhutdinov (2013) that are too large to enumerate: their training, and the paths.

Table 2 and Figures 4 and 5 are about them, and Carlson's figures take one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from anneal_edu.annealing.reverse import long_run
from anneal_edu.course.experiments.kept import Run
from anneal_edu.data import digits
from anneal_edu.distributions import BinaryRBM
from anneal_edu.kernels import gibbs
from anneal_edu.paths.chain_moments import data_moments, estimate_moments, pcd_fit
from anneal_edu.paths.geometric import Path, geometric_path
from anneal_edu.paths.moment_matching import MomentMatch
from anneal_edu.paths.splines import SplinePath, moment_spline_path
from anneal_edu.training import train_rbm
from anneal_edu.workers import one_blas_thread


class Training(NamedTuple):
    """How a model is trained by `train_rbm`."""

    method: str
    n_gibbs: int
    n_updates: int
    learning_rate: float
    batch_size: int


class Chains(NamedTuple):
    """Long Gibbs chains: how many, how many steps, how many of these are burn-in, and every how-many-th is used."""

    n_chains: int
    n_steps: int
    n_burn_in: int
    every: int


class KnotFit(NamedTuple):
    """How `pcd_fit` fits a knot of a spline."""

    n_updates: int
    n_particles: int
    learning_rate: float


@dataclass(frozen=True)
class LargeScale:
    """How large the experiment is.

    Attributes
    ----------
    size : int
        Side of the images in pixels.
    n_hidden : int
    training : dict
        Name of a model → how it is trained.
    n_steps, n_chains, n_reverse, block_size : int
        Transitions K, forward chains C, reverse chains, and chains a block.
    moments : Chains
        The Gibbs chains that estimate the target's moments for MAS.
    fit, cheap_fit : KnotFit
        Of the nine knots of MAS and of MAS cheap.
    n_long_run : int
        Gibbs steps, from the digits, that lead to the start of the reverse chains where there are no exact draws.
    """

    size: int
    n_hidden: int
    training: dict[str, Training]
    n_steps: int
    n_chains: int
    n_reverse: int
    block_size: int
    moments: Chains
    fit: KnotFit
    cheap_fit: KnotFit
    n_long_run: int


_CD1 = Training("cd", 1, 6000, 0.05, 20)
_PCD = Training("pcd", 1, 3000, 0.01, 100)
_CD25 = Training("cd", 25, 6000, 0.05, 20)

SCALES = {
    "tiny": LargeScale(
        8, 10, {"CD1": Training("cd", 1, 1500, 0.1, 50), "PCD": Training("pcd", 1, 1500, 0.1, 50)},
        200, 100, 100, 50, Chains(50, 200, 50, 1), KnotFit(300, 100, 0.05), KnotFit(100, 100, 0.05), 200,
    ),
    "live": LargeScale(
        8, 30, {"CD1": Training("cd", 1, 2000, 0.05, 50)},
        300, 200, 200, 200, Chains(100, 500, 100, 2), KnotFit(200, 100, 0.03), KnotFit(200, 100, 0.03), 500,
    ),
    "quick": LargeScale(
        28, 500, {"CD1": _CD1, "PCD": _PCD},
        1000, 250, 100, 125, Chains(100, 1000, 200, 5), KnotFit(1000, 100, 0.01), KnotFit(1000, 100, 0.01), 1000,
    ),
    "medium": LargeScale(
        28, 500, {"CD1": _CD1, "PCD": _PCD, "CD25": _CD25},
        10_000, 1000, 500, 250, Chains(200, 5000, 1000, 2), KnotFit(10_000, 100, 0.01), KnotFit(1000, 100, 0.01),
        10_000,
    ),
    "long": LargeScale(
        28, 500, {"CD1": _CD1, "PCD": _PCD, "CD25": _CD25},
        100_000, 500, 100, 125, Chains(1000, 10_000, 1000, 1), KnotFit(50_000, 100, 0.01), KnotFit(1000, 100, 0.01),
        10_000,
    ),
    "full": LargeScale(
        28, 500, {"CD1": _CD1, "PCD": _PCD, "CD25": _CD25},
        100_000, 5000, 500, 500, Chains(1000, 10_000, 1000, 1), KnotFit(50_000, 100, 0.01), KnotFit(1000, 100, 0.01),
        10_000,
    ),
}  # fmt: skip
"""Seconds for the first two, about ten minutes, some hours; the paper's sizes with a tenth of its chains; all of them,
which takes days."""

PATHS = ("geometric", "MAS", "MAS cheap")


def trained_model(scale: LargeScale, run: Run, name: str) -> BinaryRBM:
    """One of the models, trained once on the digits or your images.

    Parameters are rounded to half precision, the model *being* what is left. Rounding differs between processors and
    training magnifies it, so that elsewhere the same seed leads to another model: keep the file to compare results.
    """
    arguments = name, scale.n_hidden, scale.training[name], run.seed, data_of(scale, run)
    return run.once("rbm", _train, arguments, BinaryRBM)


def models_of(scale: LargeScale, run: Run) -> Iterator[tuple[str, BinaryRBM]]:
    """Name and model: your own alone if you gave one, else those that are trained, as soon as each is asked for."""
    return run.models(scale.training, partial(trained_model, scale, run))


def _train(name: str, n_hidden: int, recipe: Training, seed: int, data: np.ndarray) -> BinaryRBM:
    rng = np.random.default_rng([seed, ("CD1", "PCD", "CD25").index(name)])
    rbm = train_rbm(data, n_hidden, **recipe._asdict(), rng=rng)
    return BinaryRBM(*(part.astype(np.float16) for part in rbm.single_precision))


def data_of(scale: LargeScale, run: Run) -> np.ndarray:
    """Your images, or the digits."""
    return digits(scale.size) if run.images is None else run.images


def path_to(rbm: BinaryRBM, start: BinaryRBM, name: str, scale: LargeScale, data: np.ndarray, run: Run) -> Path:
    """The geometric path, MAS from moments of long Gibbs chains, or MAS cheap from moments of the data."""
    if name == "geometric":
        return geometric_path(start, rbm)
    moments, fit = (scale.moments, scale.fit) if name == "MAS" else (data, scale.cheap_fit)
    return run.once("knots", _spline, (rbm, start, moments, fit, run.seed), SplinePath, MomentMatch, BinaryRBM)


def _spline(rbm: BinaryRBM, start: BinaryRBM, moments: Chains | np.ndarray, fit: KnotFit, seed: int) -> SplinePath:
    """Knots by PCD, with moments of long chains or of the data."""
    chains = isinstance(moments, Chains)
    rng = np.random.default_rng([seed, PATHS.index("MAS" if chains else "MAS cheap")])
    with one_blas_thread():
        s = estimate_moments(rbm, *moments[:3], every=moments.every, rng=rng) if chains else data_moments(rbm, moments)
        return moment_spline_path(start, rbm, target_moments=s, fit=pcd_fit(*fit, rng=rng))


def reverse_starts(rbm: BinaryRBM, scale: LargeScale, data: np.ndarray, seed: int) -> tuple[np.ndarray, str]:
    """Exact draws of the target where it can be enumerated, else a long Gibbs run from the digits; and which it is."""
    rng = np.random.default_rng([seed, 99])
    if rbm.enumerable:
        return rbm.sample(scale.n_reverse, rng), "exact draws"
    v = data[rng.integers(len(data), size=scale.n_reverse)]
    with one_blas_thread():
        return long_run(rbm, v, scale.n_long_run, gibbs, rng=rng), "a long run"
