"""Sohl-Dickstein and Culpepper (2012), Figure 5: four image models of growing size on held-out patches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from anneal_edu import models
from anneal_edu.annealing.likelihood import LikelihoodResult
from anneal_edu.course.experiments import hamiltonian_table1 as table
from anneal_edu.course.experiments import stored
from anneal_edu.course.experiments.hamiltonian_table1 import Row, evaluate, paired_difference, size_of
from anneal_edu.course.experiments.kept import HERE, Run
from anneal_edu.models.images import IMAGE_RECIPES, ImageModel, image_patches

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
    """How large the experiment is: the curves, and how their models are evaluated.

    Generative models get half of the distributions and a quarter of the chains of Table 1.
    """

    curves: dict[str, Curve]
    evaluation: table.Scale


def _scale(name: str, experts: tuple[int, ...], units: tuple[int, ...], latent: tuple[int, ...], *settings) -> Scale:
    curves = dict(zip(CURVES, map(Curve, (experts, experts, units, latent), settings), strict=True))
    of_table = table.SCALES[name]
    shorter = {"generative_steps": of_table.generative_steps // 2, "generative_chains": of_table.generative_chains // 4}
    return Scale(curves, replace(of_table, **shorter))


_QUICK, _FULL = (36, 72, 144), (36, 72, 144, 288, 432)
_SHORT = {"n_rounds": 2}, {"n_rounds": 2}, {"n_rounds": 1, "n_iterations": 1}, {"n_iterations": 1, "n_moves": 1}
SCALES = {
    "tiny": _scale("tiny", (36, 40), (36,), (72,), *_SHORT),
    "quick": _scale("quick", _QUICK, _QUICK, (72, 98), *2 * ({"n_rounds": 60},), {}, {}),
    "full": _scale("full", _FULL, _FULL, (72, 98, 144, 196), *2 * ({"n_rounds": 150},), {}, {}),
}


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


def figure_point(
    label: str, size: int, settings: dict[str, int], scale: table.Scale, seed: list[int], progress: bool
) -> Row:
    """A point of Figure 5: train, then evaluate."""
    rng = np.random.default_rng(seed)
    model = grown(CURVES[label], size, settings, rng, progress)
    return evaluate(label, model, image_patches().held_out[: scale.n_points], scale, rng, progress)


def figure_5(scale: Scale, run: Run = HERE) -> list[Row]:
    """Sohl-Dickstein and Culpepper 2012, Figure 5: four image models of growing size on held-out patches."""
    wanted = [
        (label, size, curve.settings, scale.evaluation, [run.seed, i, size])
        for i, (label, curve) in enumerate(scale.curves.items())
        for size in curve.sizes
    ]
    run.report(table.HEADER)
    rows = run.rows("hais-figure5", partial(figure_point, progress=run.progress), wanted, Row, LikelihoodResult)
    first = {row.model: row.points for row in reversed(rows)}
    return [replace(row, gain=paired_difference(row.points, first[row.model])) for row in rows]


def stored_sizes() -> tuple[dict[str, tuple[np.ndarray, ...]], dict[str, float]]:
    """Figure 5, as ``hais-figure5`` stored it.

    Returns
    -------
    dict
        Label → sizes, log likelihoods and Monte Carlo errors.
    dict
        Label → exact log likelihood of the smallest model, which is complete.

    Examples
    --------
    >>> found, exact = stored_sizes()
    >>> list(found), list(exact)
    (['Laplace experts', 'Student-t experts', 'mcRBM', 'bilinear'], ['Laplace experts', 'Student-t experts'])
    >>> found["bilinear"][0]
    array([72, 98])
    """
    rows, found, exact = stored("hais_figure5_quick")["rows"], {}, {}
    for label, model in zip(("Laplace experts", "Student-t experts", "mcRBM", "bilinear"), CURVES, strict=True):
        mine = [row for row in rows if row["model"] == model]
        found[label] = tuple(
            np.array([row[key] for row in mine]) for key in ("size", "log_likelihood", "monte_carlo_error")
        )
        if mine[0]["exact"] is not None:
            exact[label] = mine[0]["exact"]
    return found, exact


def stored_gains() -> dict[str, list[tuple[int, float, float]]]:
    """Model class → of every size what it gained on the smallest one, and the paired standard error over patches.

    Examples
    --------
    >>> [size for size, gain, error in stored_gains()["bilinear"]]
    [98]
    """
    gains = {model: [] for model in CURVES}
    for row in stored("hais_figure5_quick")["rows"]:
        if row["gain_error"] > 0:  # not the smallest itself
            gains[row["model"]].append((row["size"], row["gain"], row["gain_error"]))
    return gains
