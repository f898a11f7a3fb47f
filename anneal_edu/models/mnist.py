"""How the RBMs of MNIST were trained, as large as those of Grosse, Maddison and Salakhutdinov (2013), Section 5.2.

    python -m anneal_edu models mnist_cd1_20 … --images train-images-idx3-ubyte.gz --folder DIR

trains the named ones again, on your file of the 60,000 training images: two minutes to a quarter of an hour each. The
images themselves are not part of the library.

    python -m anneal_edu experiment grosse-table1 --scale full --images train-images-idx3-ubyte --model mnist_pcd_20

is Table 1 of the paper on such a model: on two cores eight rows of ten minutes each, and twenty for the knots of either
spline. What is finished is kept in runs/, 500 chains at a time and the knots of a path at once, and the same command
goes on from there. ``grosse-figure3`` draws on the same runs.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from anneal_edu.distributions import BinaryRBM
from anneal_edu.training import train_rbm


class MnistRecipe(NamedTuple):
    """How a stored model of MNIST was trained: by `train_rbm` with these arguments, on images binary at half.

    Sizes and methods are the paper's; it does not print its rates and numbers of updates, and these are ours.
    """

    method: str
    n_gibbs: int
    n_hidden: int
    learning_rate: float
    n_updates: int
    batch_size: int = 100

    def train(self, images: np.ndarray) -> BinaryRBM:
        """Train the model again, on images (N, 784) of 0 and 1.

        Its parameters are rounded to half precision, in which they are stored: the model *is* what is left.
        """
        rbm = train_rbm(images, **self._asdict(), rng=np.random.default_rng(0), progress=True)
        return BinaryRBM(*(part.astype(np.float16) for part in rbm.single_precision))


MNIST_RECIPES = {
    "mnist_cd1_20": MnistRecipe("cd", 1, 20, 0.05, 60_000),
    "mnist_pcd_20": MnistRecipe("pcd", 1, 20, 0.02, 60_000),
    "mnist_cd1_500": MnistRecipe("cd", 1, 500, 0.05, 30_000),
    "mnist_pcd_500": MnistRecipe("pcd", 1, 500, 0.02, 30_000),
    "mnist_cd25_500": MnistRecipe("cd", 25, 500, 0.05, 6000),
}


def mnist_findings(name: str) -> dict[str, Any]:
    """What the command log-z once found of a stored model of MNIST, with the 10,000 test images as its data.

    Parameters
    ----------
    name : str
        One of `MNIST_RECIPES`.

    Returns
    -------
    dict
        As ``log-z --json`` writes it, rounded: "exact" is log Z where it was counted, "lower" and "upper" are the ends
        of the sandwich, and "log_likelihood" is the mean over the test images, from below and from above.

    Examples
    --------
    >>> [round(mnist_findings(name)["log_likelihood"][0]) for name in ("mnist_cd1_20", "mnist_pcd_20")]
    [-166, -136]
    """
    if name not in MNIST_RECIPES:
        raise ValueError(f"name must be one of {', '.join(MNIST_RECIPES)}, got {name!r}")
    return json.loads((files(__package__) / "mnist.json").read_text(encoding="utf-8"))["models"][name]
