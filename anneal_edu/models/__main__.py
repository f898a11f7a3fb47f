"""Train the stored models again, and fit the knots of the splines to them."""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from anneal_edu.data.files import rbm_arrays
from anneal_edu.distributions import BinaryRBM, Enumerable, GaussianRBM
from anneal_edu.models import GAUSSIAN_RECIPES, IMAGE_RECIPES, RECIPES
from anneal_edu.models.images import image_arrays
from anneal_edu.models.knots import fit_knots


def main(names: list[str], folder: Path = Path(__file__).parent) -> None:
    """Train the named models and write them to ``folder``, in the single precision in which they were trained.

    "knots" fits the knots of the splines to three of them, once these are as they should be.
    """
    recipes = RECIPES | GAUSSIAN_RECIPES | IMAGE_RECIPES
    if unknown := [name for name in names if name not in [*recipes, "knots"]]:
        raise SystemExit(f"no model is called {', '.join(unknown)}; there are {', '.join(recipes)}, and knots")
    for name in names or recipes:
        if name == "knots":
            fit_knots(folder)
            continue
        model = recipes[name].train()
        arrays = rbm_arrays(model) if isinstance(model, BinaryRBM | GaussianRBM) else image_arrays(model)
        single: dict[str, Any] = {part: array.astype(np.float32) for part, array in arrays.items()}
        np.savez_compressed(folder / f"{name}.npz", **single)
        print(f"{name}: log Z = {model.log_z():.2f}" if isinstance(model, Enumerable) and model.enumerable else name)


if __name__ == "__main__":
    main(sys.argv[1:])
