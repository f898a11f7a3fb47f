"""Small RBMs trained on the digits, stored with the library so that a lesson shows everyone the same numbers.

    python -m anneal_edu.models [NAME …]

trains them again, all or those named, and overwrites the files. Rounding differs from processor to processor, training
magnifies it, and the same seed may then lead to another model: hence the files.
"""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import NamedTuple

from anneal_edu.data import load_rbm
from anneal_edu.distributions import BinaryRBM


class Recipe(NamedTuple):
    """How a stored model was trained: on ``digits(size)`` by `train_rbm` with these arguments."""

    size: int
    method: str
    n_updates: int
    learning_rate: float
    batch_size: int
    seed: int = 0
    n_hidden: int = 10


RECIPES = {
    "digits8_cd": Recipe(8, "cd", 5000, 0.1, 100),
    "digits28_cd": Recipe(28, "cd", 15000, 0.05, 20),
    "digits28_pcd": Recipe(28, "pcd", 10000, 0.01, 100),
    "digits28_pcd_fast": Recipe(28, "pcd", 15000, 0.05, 20),
    "digits28_cd20": Recipe(28, "cd", 15000, 0.05, 20, n_hidden=20),
    "digits28_pcd20": Recipe(28, "pcd", 10000, 0.01, 100, n_hidden=20),
}


def load(name: str) -> BinaryRBM:
    """Load a stored RBM.

    Parameters
    ----------
    name : "digits8_cd", "digits28_cd", "digits28_pcd", "digits28_pcd_fast", "digits28_cd20" or "digits28_pcd20"
        Size of the images, training method and, where it is not 10, the number of hidden units; `RECIPES` has the rest.

    Returns
    -------
    BinaryRBM

    Raises
    ------
    ValueError
        Where there is no model of that name.

    Examples
    --------
    >>> load("digits28_cd").weights.shape
    (784, 10)
    """
    if name not in RECIPES:
        raise ValueError(f"name must be one of {', '.join(RECIPES)}, got {name!r}")
    with as_file(files(__name__) / f"{name}.npz") as path:
        return load_rbm(path)
