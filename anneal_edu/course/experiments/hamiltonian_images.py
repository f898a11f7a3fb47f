"""Sohl-Dickstein and Culpepper (2012), Table 1 and Figure 5: image models compared, on other photographs.

The order of the models is the claim to look at, not the nats. The paper's patches come from 4,112 scenes, ours from two
photographs with much sky and blur: half of the patches are nearly flat, with |x|² < 2 where the average is 36. The more
a model can peak at zero and yet reach far out, the more it gains here.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path as File
from typing import NamedTuple

import numpy as np

from anneal_edu import models
from anneal_edu.annealing.likelihood import LikelihoodResult, log_likelihood
from anneal_edu.course.experiments import stored
from anneal_edu.course.experiments.run import HERE, Run, experiment
from anneal_edu.distributions import BilinearGenerative, Gaussian, LinearGenerative, MeanCovarianceRBM
from anneal_edu.models.images import IMAGE_RECIPES, ImageModel, image_patches
from anneal_edu.paths.schedules import linear_schedule

RESULTS = File(__file__).parent / "results"
PAPER = {  # Table 1, in its order: log likelihood and its standard error over 100 patches
    "image_linear_gaussian": (-49.15, 2.31),
    "image_linear_laplace": (-42.85, 2.41),
    "image_laplace_experts": (-41.54, 2.46),
    "image_mean_covariance": (-36.01, 2.57),
    "image_student_t_experts": (-34.01, 2.68),
    "image_bilinear": (-32.69, 2.56),
}
REFERENCE = "N(0, I)"  # what the whitening alone would give
CURVES = {  # of Figure 5, and how each model class is trained
    "laplace experts": "image_laplace_experts",
    "student_t experts": "image_student_t_experts",
    "mean-covariance RBM": "image_mean_covariance",
    "bilinear": "image_bilinear",
}
_COLUMNS = "model:26s size:d log_likelihood:.2f std_error:.2f monte_carlo_error:.2f exact:.2f"
_PATCHES = dict.fromkeys(("images", "model"), "its models are of whitened patches, and their densities of reals")
_QUICK = {
    "n_points": 100, "analysis_steps": 10_000, "analysis_chains": 200, "generative_steps": 40_000,
    "generative_chains": 20,
}  # fmt: skip
SCALES = {
    "tiny": {
        "n_points": 5, "analysis_steps": 60, "analysis_chains": 20, "generative_steps": 60, "generative_chains": 8
    },
    "quick": _QUICK,
    "full": _QUICK | {"analysis_steps": 100_000, "generative_steps": 100_000, "generative_chains": 200},
}  # fmt: skip
"""Some minutes; the paper's numbers of distributions and particles. n_points are held-out patches, the others
distributions and chains of Hamiltonian AIS for analysis models and for generative ones."""


class Evaluation(NamedTuple):
    """What is known of one model on held-out patches."""

    row: dict  # of the table, where size counts experts, mean and covariance units, or latent variables
    points: np.ndarray  # log likelihood of each patch, estimated where it can be
    exact: np.ndarray | None
    errors: np.ndarray | None  # Monte Carlo error of each point


def _evaluation(name: str, size: int, found: LikelihoodResult | None, exact: np.ndarray | None, seconds: float):
    points = exact if found is None else found.log_likelihoods
    row = {
        "model": name,
        "size": size,
        "log_likelihood": float(points.mean()),
        "std_error": float(points.std(ddof=1) / len(points) ** 0.5),
        "monte_carlo_error": getattr(found, "monte_carlo_error", None),
        "jensen_bias": getattr(found, "jensen_bias", None),
        "acceptance": getattr(found, "acceptance", None),
        "exact": None if exact is None else float(exact.mean()),
        "paper": PAPER.get(name),
        "warnings": list(getattr(found, "warnings", ())),
        "seconds": round(seconds, 1),
    }
    return Evaluation(row, points, exact, getattr(found, "point_errors", None))


def paired_difference(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """Mean of first - second over the same patches (N,), and its standard error."""
    difference = first - second
    return float(difference.mean()), float(difference.std(ddof=1) / np.sqrt(len(difference)))


def separate_error(first: np.ndarray, second: np.ndarray) -> float:
    """Standard error of the difference of the two means if each had patches (N,) of its own."""
    return float(np.sqrt(first.var(ddof=1) / len(first) + second.var(ddof=1) / len(second)))


def size_of(model: ImageModel) -> int:
    """Number of experts, latent variables or units, as the paper's Table 1 counts them."""
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
    """Each step sharpens by the same factor: 1 + β / noise² is geometric, the precision at β of Gaussian causes."""
    precision = 1 / noise**2
    return np.expm1(linear_schedule(n_steps) * np.log1p(precision)) / np.expm1(np.log1p(precision))


def evaluate(name: str, model: ImageModel, data: np.ndarray, scale: dict, rng: np.random.Generator) -> Evaluation:
    """Log likelihoods of the data by Hamiltonian AIS, and exactly where that can be."""
    begin = time.perf_counter()
    if isinstance(model, LinearGenerative | BilinearGenerative):
        step_size = (0.8 if isinstance(model, LinearGenerative) else 0.5) * model.noise
        schedule, n_chains = sharpening_schedule(scale["generative_steps"], model.noise), scale["generative_chains"]
    else:
        step_size, schedule, n_chains = 0.05, linear_schedule(scale["analysis_steps"]), scale["analysis_chains"]
    found = log_likelihood(model, data, schedule, n_chains, step_size, rng=rng)
    seconds = time.perf_counter() - begin
    return _evaluation(name, size_of(model), found, exact_log_likelihoods(model, data), seconds)


def table_row(name: str, model: ImageModel | None, scale: dict, seed: list[int]) -> Evaluation:
    """A row of Table 1; of the reference, where there is no model."""
    data = image_patches().held_out[: scale["n_points"]]
    if model is None:
        white = Gaussian(np.zeros(data.shape[1]), np.eye(data.shape[1]))
        return _evaluation(name, 0, None, white.log_density(data), 0.0)
    return evaluate(name, model, data, scale, np.random.default_rng(seed))


def evaluations(scale: dict, run: Run) -> Iterator[Evaluation]:
    """The rows of Table 1, with what is known of each patch."""
    named = [(REFERENCE, None), *((name, models.load(name)) for name in PAPER)]
    return run.each(table_row, [(*pair, scale, [run.seed, i]) for i, pair in enumerate(named)])


@experiment("hais-table1", _COLUMNS, refuses=_PATCHES, **SCALES)
def table_1(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """Sohl-Dickstein and Culpepper 2012, Table 1: six image models on held-out patches, after the reference N(0, I)."""
    return (evaluation.row for evaluation in evaluations(scale, run))


@lru_cache(maxsize=1)
def stored_points() -> dict[str, np.ndarray]:
    """Model → log likelihoods (100,) of the same held-out patches; of the reference N(0, I), too."""
    points = stored("hais_table1_points")["points"]
    return {name: np.array(points[name]["log_likelihoods"]) for name in (REFERENCE, *PAPER)}


@lru_cache(maxsize=1)
def stored_patches() -> np.ndarray:
    """The held-out patches (100, 36) of `stored_points`."""
    with np.load(RESULTS / "hais_table1_patches.npz", allow_pickle=False) as arrays:
        return arrays["patches"]


_SHORT = {"n_rounds": 2}, {"n_rounds": 2}, {"n_rounds": 1, "n_iterations": 1}, {"n_iterations": 1, "n_moves": 1}


def _scale(name: str, experts: tuple[int, ...], units: tuple[int, ...], latent: tuple[int, ...], *settings) -> dict:
    """Sizes of each model class, counted as in Table 1, what differs from its training, and how models are evaluated.

    Generative models get half of the distributions and a quarter of the chains of Table 1.
    """
    sizes, table = zip(CURVES, (experts, experts, units, latent), settings, strict=True), SCALES[name]
    curves = {label: {"sizes": of_label, "settings": changed} for label, of_label, changed in sizes}
    n_steps, n_chains = table["generative_steps"] // 2, table["generative_chains"] // 4
    return {"curves": curves, "evaluation": table | {"generative_steps": n_steps, "generative_chains": n_chains}}


def grown(name: str, size: int, settings: dict[str, int], rng: np.random.Generator) -> ImageModel:
    """A model of that size, trained by the recipe of the stored one of that name with these settings changed.

    If nothing differs, it is the stored one.
    """
    recipe, stored = IMAGE_RECIPES[name], models.load(name)
    if size == size_of(stored) and not settings:
        return stored
    n = recipe.arguments[-1] * size // size_of(stored)
    start = recipe.start(*recipe.arguments[:-1], n, rng)
    return recipe.train_by(image_patches().train, start, **(recipe.settings | settings), rng=rng)


def figure_point(label: str, size: int, settings: dict[str, int], scale: dict, seed: list[int]) -> Evaluation:
    """A point of Figure 5: train, then evaluate."""
    rng = np.random.default_rng(seed)
    model = grown(CURVES[label], size, settings, rng)
    return evaluate(label, model, image_patches().held_out[: scale["n_points"]], scale, rng)


@experiment(
    "hais-figure5",
    f"{_COLUMNS} gain:.2f gain_error:.2f",
    refuses=_PATCHES,
    tiny=_scale("tiny", (36, 40), (36,), (72,), *_SHORT),
    quick=_scale("quick", (36, 72, 144), (36, 72, 144), (72, 98), *2 * ({"n_rounds": 60},), {}, {}),
    full=_scale(
        "full", (36, 72, 144, 288, 432), (36, 72, 144, 288, 432), (72, 98, 144, 196), *2 * ({"n_rounds": 150},), {}, {}
    ),
)
def figure_5(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """Sohl-Dickstein and Culpepper 2012, Figure 5: four image models of growing size on held-out patches.

    The gain is on the smallest of the class, in nats, with the paired standard error over patches.
    """
    wanted = [
        (label, size, curve["settings"], scale["evaluation"], [run.seed, i, size])
        for i, (label, curve) in enumerate(scale["curves"].items())
        for size in curve["sizes"]
    ]
    smallest: dict[str, np.ndarray] = {}
    for row, points, _, _ in run.each(figure_point, wanted):
        gain, error = paired_difference(points, smallest.setdefault(row["model"], points))
        yield row | {"gain": gain, "gain_error": error}


def stored_sizes() -> tuple[dict[str, tuple[np.ndarray, ...]], dict[str, float]]:
    """Figure 5, as ``hais-figure5`` stored it: label → sizes, log likelihoods and Monte Carlo errors.

    And label → exact log likelihood of the smallest model, where it is complete.
    """
    rows, found, exact = stored("hais_figure5_quick")["rows"], {}, {}
    keys = "size", "log_likelihood", "monte_carlo_error"
    for label, model in zip(("Laplace experts", "Student-t experts", "mcRBM", "bilinear"), CURVES, strict=True):
        mine = [row for row in rows if row["model"] == model]
        found[label] = tuple(np.array([row[key] for row in mine]) for key in keys)
        if mine[0]["exact"] is not None:
            exact[label] = mine[0]["exact"]
    return found, exact


def stored_gains() -> dict[str, list[tuple[int, float, float]]]:
    """Model class → for all but the smallest size: size, gain on the smallest, and the paired error over patches."""
    rows = [row for row in stored("hais_figure5_quick")["rows"] if row["gain_error"] > 0]
    return {model: [(r["size"], r["gain"], r["gain_error"]) for r in rows if r["model"] == model] for model in CURVES}
