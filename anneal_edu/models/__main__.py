"""Train the stored models again."""

import sys
from pathlib import Path

import numpy as np

from anneal_edu.data import digits
from anneal_edu.models import RECIPES
from anneal_edu.training import train_rbm


def main(names: list[str], folder: Path = Path(__file__).parent) -> None:
    """Train the named models of `RECIPES` and write them to ``folder``."""
    for name in names:
        recipe = RECIPES[name]
        rbm = train_rbm(
            digits(recipe.size),
            recipe.n_hidden,
            recipe.method,
            n_updates=recipe.n_updates,
            learning_rate=recipe.learning_rate,
            batch_size=recipe.batch_size,
            rng=np.random.default_rng(recipe.seed),
            progress=True,
        )
        weights, visible_bias, hidden_bias = rbm.single_precision
        np.savez_compressed(
            folder / f"{name}.npz", weights=weights, visible_bias=visible_bias, hidden_bias=hidden_bias
        )
        print(f"{name}: log Z = {rbm.log_z():.2f}")


if __name__ == "__main__":
    main(sys.argv[1:] or list(RECIPES))
