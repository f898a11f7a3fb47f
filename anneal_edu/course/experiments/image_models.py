"""The comparison of image models by Sohl-Dickstein and Culpepper (2012), Table 1 and Figure 5, on other photographs.

The order of the models is the claim to look at, not the nats. The paper's patches come from 4,112 scenes, ours from two
photographs with much sky and blur: half of the patches are nearly flat, with |x|² < 2 where the average is 36. The more
a model can peak at zero and yet reach far out, the more it gains here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path as File

import numpy as np

from anneal_edu import models
from anneal_edu.annealing.likelihood import log_likelihood
from anneal_edu.course.experiments.image_rows import PAPER, Row, run_rows
from anneal_edu.course.experiments.workers import one_blas_thread
from anneal_edu.distributions import BilinearGenerative, Gaussian, LinearGenerative, MeanCovarianceRBM
from anneal_edu.models.images import IMAGE_RECIPES, ImageModel, image_patches
from anneal_edu.paths.schedules import linear_schedule

REFERENCE = "N(0, I)"  # what the whitening alone would give
CURVES = {  # of Figure 5, and how each model class is trained
    "laplace experts": "image_laplace_experts",
    "student_t experts": "image_student_t_experts",
    "mean-covariance RBM": "image_mean_covariance",
    "bilinear": "image_bilinear",
}


@dataclass(frozen=True)
class Curve:
    """One model class of Figure 5: its sizes, counted as in Table 1, and what differs from the training for it."""

    sizes: tuple[int, ...]
    settings: dict[str, int]


@dataclass(frozen=True)
class Scale:
    """How large the experiment is: held-out patches, and distributions and chains of Hamiltonian AIS.

    Generative models of Figure 5 get half of the distributions and a quarter of the chains.
    """

    n_points: int
    analysis_steps: int
    analysis_chains: int
    generative_steps: int
    generative_chains: int
    curves: dict[str, Curve]


def _curves(experts: tuple[int, ...], units: tuple[int, ...], latent: tuple[int, ...], *settings) -> dict[str, Curve]:
    return dict(zip(CURVES, map(Curve, (experts, experts, units, latent), settings), strict=True))


_QUICK, _FULL = (36, 72, 144), (36, 72, 144, 288, 432)
SCALES = {
    "tiny": Scale(
        *(5, 60, 20, 60, 8),
        _curves(
            *((36, 40), (36,), (72,)),
            *2 * ({"n_rounds": 2},),
            *({"n_rounds": 1, "n_iterations": 1}, {"n_iterations": 1, "n_moves": 1}),
        ),
    ),
    "quick": Scale(
        *(100, 10_000, 200, 40_000, 20),
        _curves(_QUICK, _QUICK, (72, 98), *2 * ({"n_rounds": 60},), {}, {}),
    ),
    "full": Scale(
        *(100, 100_000, 200, 100_000, 200),
        _curves(_FULL, _FULL, (72, 98, 144, 196), *2 * ({"n_rounds": 150},), {}, {}),
    ),
}


def size_of(model: ImageModel) -> int:
    """Number of hidden things, as the paper's Table 1 counts them.

    Examples
    --------
    >>> size_of(models.load("image_bilinear"))
    98
    """
    if isinstance(model, LinearGenerative | BilinearGenerative):
        return model.n_latent
    if isinstance(model, MeanCovarianceRBM):
        return model.pooling.shape[1] + len(model.mean_weights)
    return len(model.filters)


def exact_log_likelihoods(model: ImageModel, data: np.ndarray) -> np.ndarray | None:
    """Where log p(x) is known: Gaussian causes, and complete products of experts."""
    if isinstance(model, LinearGenerative) and model.prior == "gaussian":
        return model.log_density(data)
    if getattr(model, "enumerable", False):
        return model.log_density(data) - model.log_z()
    return None


def sharpening_schedule(n_steps: int, noise: float) -> np.ndarray:
    """Each step sharpens by the same factor: 1 + β / noise² is geometric, the precision at β of Gaussian causes.

    Examples
    --------
    >>> sharpening_schedule(2, noise=0.1).round(3)
    array([0.  , 0.09, 1.  ])
    """
    precision = 1 / noise**2
    return np.expm1(linear_schedule(n_steps) * np.log1p(precision)) / np.expm1(np.log1p(precision))


def evaluate(
    name: str, model: ImageModel, data: np.ndarray, scale: Scale, rng: np.random.Generator, progress: bool = False
) -> Row:
    """Log likelihoods of the data by Hamiltonian AIS, and exactly where that can be."""
    begin = time.perf_counter()
    if isinstance(model, LinearGenerative | BilinearGenerative):
        step_size = (0.8 if isinstance(model, LinearGenerative) else 0.5) * model.noise
        schedule, n_chains = sharpening_schedule(scale.generative_steps, model.noise), scale.generative_chains
    else:
        step_size, schedule, n_chains = 0.05, linear_schedule(scale.analysis_steps), scale.analysis_chains
    found = log_likelihood(model, data, schedule, n_chains, step_size, rng=rng, progress=progress)
    return Row(name, size_of(model), found, exact_log_likelihoods(model, data), time.perf_counter() - begin)


def grown(
    name: str, size: int, settings: dict[str, int], rng: np.random.Generator, progress: bool = False
) -> ImageModel:
    """A model of that size, trained by the recipe of the stored one of that name but for these settings.

    Where nothing differs it is the stored one.

    Examples
    --------
    >>> size_of(grown("image_laplace_experts", 40, {"n_rounds": 1}, np.random.default_rng(0)))
    40
    """
    recipe, stored = IMAGE_RECIPES[name], models.load(name)
    if size == size_of(stored) and not settings:
        return stored
    n = recipe.arguments[-1] * size // size_of(stored)
    start = recipe.start(*recipe.arguments[:-1], n, rng)
    return recipe.train_by(image_patches().train, start, **(recipe.settings | settings), rng=rng, progress=progress)


def table_row(name: str, model: ImageModel | None, scale: Scale, seed: list[int], progress: bool) -> Row:
    """A row of Table 1; of the reference, where there is no model."""
    data = image_patches().held_out[: scale.n_points]
    if model is None:
        return Row(name, 0, None, Gaussian(np.zeros(data.shape[1]), np.eye(data.shape[1])).log_density(data), 0.0)
    with one_blas_thread():
        return evaluate(name, model, data, scale, np.random.default_rng(seed), progress)


def figure_point(
    label: str, size: int, settings: dict[str, int], scale: Scale, seed: list[int], progress: bool
) -> Row:
    """A point of Figure 5: train, then evaluate."""
    rng = np.random.default_rng(seed)
    with one_blas_thread():
        model = grown(CURVES[label], size, settings, rng, progress)
        return evaluate(label, model, image_patches().held_out[: scale.n_points], scale, rng, progress)


def table_1(
    scale: Scale,
    seed: int = 0,
    executor: Executor | None = None,
    folder: File | None = None,
    progress: bool = False,
    report: Callable[[Row], None] | None = None,
) -> list[Row]:
    """Table 1: the six stored models on the same held-out patches, after the reference N(0, I).

    Parameters
    ----------
    scale : Scale
        `SCALES["quick"]` takes some minutes; "full" has the paper's numbers of distributions and particles.
    seed : int
    executor : concurrent.futures.Executor, optional
        Where the rows are made; by default here, one by one.
    folder : path, optional
        Finished rows are kept there, and not made again.
    progress : bool
    report : callable, optional
        Called with every row in turn.

    Returns
    -------
    list of Row
    """
    scale = replace(scale, curves={})  # which rows of the table do not depend on
    wanted = [
        (name, None if name == REFERENCE else models.load(name), scale, [seed, i])
        for i, name in enumerate((REFERENCE, *PAPER))
    ]
    return run_rows(table_row, wanted, executor, folder, progress, report)


def figure_5(
    scale: Scale,
    seed: int = 0,
    executor: Executor | None = None,
    folder: File | None = None,
    progress: bool = False,
    report: Callable[[Row], None] | None = None,
) -> list[Row]:
    """Figure 5: four model classes, trained with more and more hidden units; the arguments are those of `table_1`.

    Returns
    -------
    list of Row
    """
    shorter = {"generative_steps": scale.generative_steps // 2, "generative_chains": scale.generative_chains // 4}
    wanted = [
        (label, size, curve.settings, replace(scale, curves={}, **shorter), [seed, i, size])
        for i, (label, curve) in enumerate(scale.curves.items())
        for size in curve.sizes
    ]
    return run_rows(figure_point, wanted, executor, folder, progress, report)
