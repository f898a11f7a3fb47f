"""The image models of Sohl-Dickstein and Culpepper (2012), trained on 10,000 grey patches.

Six are those of Table 1. The two complete ones, with as many filters as pixels, have an exact log Z (Figures 2 and 3).
The stored models are older than the rule for the signs of the patches' axes: training again leads to other filters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.resources import as_file, files
from typing import Any, NamedTuple

import numpy as np

from anneal_edu.data import GrayPatches, gray_patches
from anneal_edu.distributions import BilinearGenerative, LinearGenerative, MeanCovarianceRBM, ProductOfExperts
from anneal_edu.training import expectation_maximisation, minimum_probability_flow

ImageModel = LinearGenerative | BilinearGenerative | ProductOfExperts | MeanCovarianceRBM

_DIM = 36


@cache
def image_patches() -> GrayPatches:
    """The patches on which the models were trained, and 1,000 held-out ones."""
    rng = np.random.default_rng(np.random.SeedSequence(0))  # the data: --seed-shift leaves a SeedSequence alone
    return gray_patches(10_000, n_held_out=1000, rng=rng)


def _orthogonal(n_causes: int, rng: np.random.Generator) -> np.ndarray:
    size = max(_DIM, n_causes)
    return np.linalg.qr(rng.normal(size=(size, size)))[0][:_DIM, :n_causes]


def linear(prior: str, rng: np.random.Generator) -> LinearGenerative:
    """A linear model before training: 36 causes and orthogonal bases."""
    return LinearGenerative(_orthogonal(36, rng), 0.1, prior)


def bilinear(n: int, rng: np.random.Generator) -> BilinearGenerative:
    """A bilinear model before training: n bases, each with its own cause c, and n strengths d, each mostly of one."""
    return BilinearGenerative(_orthogonal(n, rng), np.eye(n), 0.5 * np.eye(n) + rng.uniform(size=(n, n)) / n)


def experts(expert: str, n: int, rng: np.random.Generator) -> ProductOfExperts:
    """A product of n experts before training, with random filters of one length; Student-t weights add up to 1.5 D."""
    filters = rng.normal(size=(n, _DIM))
    filters = filters * np.sqrt(_DIM / n) / np.linalg.norm(filters, axis=1, keepdims=True)
    if expert == "laplace":
        return ProductOfExperts(1.4 * filters)
    return ProductOfExperts(2 * filters, np.full(n, 1.5 * _DIM / n), expert)


def mean_covariance(n: int, rng: np.random.Generator) -> MeanCovarianceRBM:
    """An mcRBM before training: n covariance units, each of which pools two of 2n filters, and n mean units."""
    pooling = -np.repeat(np.eye(n), 2, axis=0)
    filters = 3 * rng.normal(size=(2 * n, _DIM)) / np.sqrt(_DIM)
    mean_weights = 0.5 * rng.normal(size=(n, _DIM)) / np.sqrt(_DIM)
    return MeanCovarianceRBM(filters, pooling, np.ones(n), mean_weights, -np.ones(n), np.zeros(_DIM))


class ImageRecipe(NamedTuple):
    """How a stored image model was trained: its start, the training function and its settings."""

    start: Callable[..., ImageModel]
    arguments: tuple[Any, ...]
    train_by: Callable[..., ImageModel]
    settings: dict[str, int]

    def begin(self, rng: np.random.Generator) -> ImageModel:
        """The model before training."""
        return self.start(*self.arguments, rng)

    def train(self) -> ImageModel:
        """Train the model again, in half a minute to six minutes."""
        rng = np.random.default_rng(0)
        data = gray_patches(10_000, n_held_out=1000, rng=rng).train
        return self.train_by(data, self.begin(rng), **self.settings, rng=rng, progress=True)


_EM, _FLOW = expectation_maximisation, minimum_probability_flow
IMAGE_RECIPES = {
    "image_linear_gaussian": ImageRecipe(linear, ("gaussian",), _EM, {"n_iterations": 60, "n_moves": 5}),
    "image_linear_laplace": ImageRecipe(linear, ("laplace",), _EM, {"n_iterations": 400, "n_moves": 5}),
    "image_bilinear": ImageRecipe(bilinear, (49,), _EM, {"n_iterations": 300, "n_moves": 5}),
    "image_laplace_experts": ImageRecipe(experts, ("laplace", 144), _FLOW, {"n_rounds": 100}),
    "image_student_t_experts": ImageRecipe(experts, ("student_t", 144), _FLOW, {"n_rounds": 150}),
    "image_laplace_complete": ImageRecipe(experts, ("laplace", 36), _FLOW, {"n_rounds": 100}),
    "image_student_t_complete": ImageRecipe(experts, ("student_t", 36), _FLOW, {"n_rounds": 150}),
    "image_mean_covariance": ImageRecipe(mean_covariance, (36,), _FLOW, {"n_rounds": 24, "n_iterations": 8}),
}


def image_arrays(model: ImageModel) -> dict[str, np.ndarray]:
    """The numbers of a model that are stored: its arrays, its noise and sigma."""
    return {name: np.asarray(value) for name, value in vars(model).items() if isinstance(value, np.ndarray | float)}


def load_image_model(name: str) -> ImageModel:
    """Load a model of `IMAGE_RECIPES`; what is not a number comes from the recipe."""
    like = IMAGE_RECIPES[name].begin(np.random.default_rng(0))
    with as_file(files(__package__) / f"{name}.npz") as path, np.load(path, allow_pickle=False) as stored:
        numbers = {key: value.astype(float) if value.ndim else value.item() for key, value in stored.items()}
    return replace(like, **numbers)
