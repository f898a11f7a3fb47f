"""How the stored RBMs of digits and of colour patches were trained, and the reader of all stored models."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple

import numpy as np

from anneal_edu.data import color_patches, digits, load_rbm
from anneal_edu.distributions import BinaryRBM, GaussianRBM
from anneal_edu.models.images import IMAGE_RECIPES, ImageModel, load_image_model
from anneal_edu.models.mnist import MNIST_RECIPES
from anneal_edu.training import train_gaussian_rbm, train_rbm


class Recipe(NamedTuple):
    """How a stored model of the digits was trained: on ``digits(size)`` by `train_rbm` with these arguments."""

    size: int
    method: str
    n_updates: int
    learning_rate: float
    batch_size: int
    seed: int = 0
    n_hidden: int = 10

    def train(self) -> BinaryRBM:
        """Train the model again; seconds to a minute."""
        return train_rbm(
            digits(self.size),
            self.n_hidden,
            self.method,
            n_updates=self.n_updates,
            learning_rate=self.learning_rate,
            batch_size=self.batch_size,
            rng=np.random.default_rng(self.seed),
            progress=True,
        )


class GaussianRecipe(NamedTuple):
    """How a stored model of colour patches was trained: by `train_gaussian_rbm` with these arguments.

    As in Kiwaki and Aihara (2015): 80,000 updates on 100,000 patches of 6×6 pixels, D = 108. Theirs come from CIFAR-10,
    as those of `CIFAR_RECIPES` do; the others are cut from two photographs. sigma is, or starts at, the standard
    deviation of each entry of the patches.
    """

    method: str
    n_gibbs: int
    n_hidden: int
    learning_rate: float
    learn_sigma: bool = False
    n_updates: int = 80_000

    def train(self, images: np.ndarray | None = None) -> GaussianRBM:
        """Train the model again, on patches of the two photographs or of images (N, rows, cols, 3); minutes."""
        patches = color_patches(100_000, images=images, rng=np.random.default_rng(0))
        return train_gaussian_rbm(
            patches,
            self.n_hidden,
            self.method,
            self.n_gibbs,
            self.n_updates,
            self.learning_rate,
            sigma=patches.std(0),
            learn_sigma=self.learn_sigma,
            rng=np.random.default_rng(0),
            progress=True,
        )


RECIPES = {
    "digits8_cd": Recipe(8, "cd", 5000, 0.1, 100),
    "digits28_cd": Recipe(28, "cd", 15000, 0.05, 20),
    "digits28_pcd": Recipe(28, "pcd", 10000, 0.01, 100),
    "digits28_pcd_fast": Recipe(28, "pcd", 15000, 0.05, 20),
    "digits28_cd20": Recipe(28, "cd", 15000, 0.05, 20, n_hidden=20),
    "digits28_pcd20": Recipe(28, "pcd", 10000, 0.01, 100, n_hidden=20),
}

GAUSSIAN_RECIPES = {
    "patches_cd1_20": GaussianRecipe("cd", 1, 20, 0.05),
    "patches_cd25_20": GaussianRecipe("cd", 25, 20, 0.05),
    "patches_pcd_20": GaussianRecipe("pcd", 1, 20, 0.05),
    "patches_pcd_sigma_20": GaussianRecipe("pcd", 1, 20, 0.05, learn_sigma=True),
    "patches_cd1_200": GaussianRecipe("cd", 1, 200, 0.02),
    "patches_cd25_200": GaussianRecipe("cd", 25, 200, 0.02),
    "patches_pcd_200": GaussianRecipe("pcd", 1, 200, 0.02),
}

CIFAR_RECIPES = {
    name.replace("patches", "cifar"): recipe
    for name, recipe in GAUSSIAN_RECIPES.items()
    if not recipe.learn_sigma
}
"""The three trainings of Kiwaki and Aihara (2015) with 20 hidden units and with 200, on images of CIFAR-10."""


def load(name: str) -> BinaryRBM | GaussianRBM | ImageModel:
    """Load a stored model.

    Parameters
    ----------
    name : str
        One of those that ``anneal-edu models`` lists, such as "digits28_cd", "mnist_pcd_500" or "patches_cd25_200": the
        images, the training method and, of the digits where it is not 10, the number of hidden units. `RECIPES`,
        `MNIST_RECIPES`, `GAUSSIAN_RECIPES` (colour patches), `CIFAR_RECIPES` and `IMAGE_RECIPES` (grey patches) have
        the rest.

    Returns
    -------
    BinaryRBM of the digits and MNIST, GaussianRBM of the colour patches, and the model of its name of the grey ones

    Raises
    ------
    ValueError
        Where there is no model of that name.

    Examples
    --------
    >>> load("digits28_cd").weights.shape
    (784, 10)
    """
    names = [*RECIPES, *MNIST_RECIPES, *GAUSSIAN_RECIPES, *CIFAR_RECIPES, *IMAGE_RECIPES]
    if name not in names:
        raise ValueError(f"name must be one of {', '.join(names)}, got {name!r}")
    if name in IMAGE_RECIPES:
        return load_image_model(name)
    with as_file(files(__package__) / f"{name}.npz") as path:
        return load_rbm(path)


def load_given(model: str | Path) -> BinaryRBM | GaussianRBM | ImageModel:
    """The model of a file, see `load_rbm`, or a stored one by its name: what the command line takes for --model.

    Examples
    --------
    >>> load_given("digits8_cd").n_hidden
    10
    """
    file = Path(model)
    return load_rbm(file) if file.suffix or file.exists() else load(str(model))
