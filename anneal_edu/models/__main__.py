"""Train the stored models again."""

import sys
from pathlib import Path

import numpy as np

from anneal_edu.data.files import rbm_arrays
from anneal_edu.models import GAUSSIAN_RECIPES, RECIPES


def main(names: list[str], folder: Path = Path(__file__).parent) -> None:
    """Train the named models and write them to ``folder``, in the single precision in which they were trained."""
    recipes = RECIPES | GAUSSIAN_RECIPES
    for name in names or recipes:
        rbm = recipes[name].train()
        np.savez_compressed(
            folder / f"{name}.npz", **{part: array.astype(np.float32) for part, array in rbm_arrays(rbm).items()}
        )
        print(f"{name}: log Z = {rbm.log_z():.2f}" if rbm.enumerable else f"{name}: {rbm.n_hidden} hidden units")


if __name__ == "__main__":
    main(sys.argv[1:])
