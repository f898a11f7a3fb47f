"""Train the stored models again."""

from pathlib import Path

import numpy as np

from anneal_edu.data import digits
from anneal_edu.models import RECIPES
from anneal_edu.training import train_rbm


def main(folder: Path = Path(__file__).parent) -> None:
    """Train every model of `RECIPES` and write it to ``folder``."""
    for name, recipe in RECIPES.items():
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
    main()
