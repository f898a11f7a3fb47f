"""The recipes of the stored models, and the functions that load these."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple

import numpy as np

from anneal_edu.data import color_patches, digits, load_rbm
from anneal_edu.distributions import BinaryRBM, GaussianRBM
from anneal_edu.models.images import IMAGE_RECIPES, ImageModel, ImageRecipe, load_image_model
from anneal_edu.training import train_gaussian_rbm, train_rbm


class Recipe(NamedTuple):
    """The arguments of `train_rbm` for a stored model of the digits, or of MNIST's 60,000 training images.

    Sizes and methods for MNIST are those of Grosse et al. (2013), Section 5.2; rates and numbers of updates are ours.
    """

    method: str
    n_gibbs: int
    n_hidden: int
    learning_rate: float
    n_updates: int
    batch_size: int
    size: int = 28

    def train(self, images: np.ndarray | None = None) -> BinaryRBM:
        """Train the model again on ``digits(size)`` (up to a minute), or on images (N, D) of 0 and 1 (minutes)."""
        data, arguments = digits(self.size) if images is None else images, self._asdict()
        del arguments["size"]
        return train_rbm(data, **arguments, rng=np.random.default_rng(0), progress=True)


class GaussianRecipe(NamedTuple):
    """The arguments of `train_gaussian_rbm` for a stored model of colour patches.

    As in Kiwaki and Aihara (2015): 80,000 updates on 100,000 patches of 6×6 pixels, D = 108, cut from images of
    CIFAR-10 or from two photographs. sigma is, or starts at, the standard deviation of each entry of the patches.
    """

    method: str
    n_gibbs: int
    n_hidden: int
    learning_rate: float
    learn_sigma: bool = False
    n_updates: int = 80_000

    def train(self, images: np.ndarray | None = None) -> GaussianRBM:
        """Train the model again on patches of the photographs, or of images (N, rows, cols, 3); minutes."""
        patches = color_patches(100_000, images=images, rng=np.random.default_rng(0))
        rng = np.random.default_rng(0)
        return train_gaussian_rbm(patches, **self._asdict(), sigma=patches.std(0), rng=rng, progress=True)


_GAUSSIAN = {
    "cd1_20": GaussianRecipe("cd", 1, 20, 0.05),
    "cd25_20": GaussianRecipe("cd", 25, 20, 0.05),
    "pcd_20": GaussianRecipe("pcd", 1, 20, 0.05),
    "cd1_200": GaussianRecipe("cd", 1, 200, 0.02),
    "cd25_200": GaussianRecipe("cd", 25, 200, 0.02),
    "pcd_200": GaussianRecipe("pcd", 1, 200, 0.02),
}
RECIPES: dict[str, Recipe | GaussianRecipe | ImageRecipe] = {
    "digits8_cd": Recipe("cd", 1, 10, 0.1, 5000, 100, size=8),
    "digits28_cd": Recipe("cd", 1, 10, 0.05, 15_000, 20),
    "digits28_pcd": Recipe("pcd", 1, 10, 0.01, 10_000, 100),
    "digits28_pcd_fast": Recipe("pcd", 1, 10, 0.05, 15_000, 20),
    "digits28_cd20": Recipe("cd", 1, 20, 0.05, 15_000, 20),
    "digits28_pcd20": Recipe("pcd", 1, 20, 0.01, 10_000, 100),
    **{f"patches_{name}": recipe for name, recipe in _GAUSSIAN.items()},
    "patches_pcd_sigma_20": GaussianRecipe("pcd", 1, 20, 0.05, learn_sigma=True),
    **IMAGE_RECIPES,
    "mnist_cd1_20": Recipe("cd", 1, 20, 0.05, 60_000, 100),
    "mnist_pcd_20": Recipe("pcd", 1, 20, 0.02, 60_000, 100),
    "mnist_cd1_500": Recipe("cd", 1, 500, 0.05, 30_000, 100),
    "mnist_pcd_500": Recipe("pcd", 1, 500, 0.02, 30_000, 100),
    "mnist_cd25_500": Recipe("cd", 25, 500, 0.05, 6000, 100),
    **{f"cifar_{name}": recipe for name, recipe in _GAUSSIAN.items()},
}
"""The recipe of every stored model. Those of MNIST and CIFAR-10 train on images that the library does not hold."""


def load(name: str) -> BinaryRBM | GaussianRBM | ImageModel:
    """Load a stored model: a BinaryRBM of digits or MNIST, a GaussianRBM of colour patches, or an image model.

    Parameters
    ----------
    name : str
        A key of `RECIPES`, such as "digits28_cd", "mnist_pcd_500" or "patches_cd25_200": the images, the training
        method and, for the digits if it is not 10, the number of hidden units.

    Examples
    --------
    >>> load("digits28_cd").weights.shape
    (784, 10)
    """
    if name not in RECIPES:
        raise ValueError(f"name must be one of {', '.join(RECIPES)}, got {name!r}")
    if name in IMAGE_RECIPES:
        return load_image_model(name)
    with as_file(files(__package__) / f"{name}.npz") as path:
        return load_rbm(path)


def load_given(model: str | Path) -> BinaryRBM | GaussianRBM | ImageModel:
    """Load the RBM of a file (see `load_rbm`), or else the stored model of that name."""
    file = Path(model)
    return load_rbm(file) if file.suffix or file.exists() else load(str(model))
