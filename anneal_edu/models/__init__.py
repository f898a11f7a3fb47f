"""Models stored with the library, so that a lesson shows everyone the same numbers; and what to ask one of your own.

    python -m anneal_edu models [NAME … --folder DIR]

lists them, or trains the named ones again and writes them to a folder of yours. Those of MNIST and of CIFAR-10 need its
images, ``--images FILE``. Rounding differs from processor to processor, training magnifies it, and the same
seed may then lead to another model: hence the files.
"""

from anneal_edu.models.examination import Examination, examine
from anneal_edu.models.images import IMAGE_RECIPES, image_patches
from anneal_edu.models.knots import load_spline
from anneal_edu.models.mnist import MNIST_RECIPES, MnistRecipe, mnist_findings
from anneal_edu.models.stored import CIFAR_RECIPES, GAUSSIAN_RECIPES, RECIPES, GaussianRecipe, Recipe, load

__all__ = [
    "CIFAR_RECIPES",
    "GAUSSIAN_RECIPES",
    "IMAGE_RECIPES",
    "MNIST_RECIPES",
    "RECIPES",
    "Examination",
    "GaussianRecipe",
    "MnistRecipe",
    "Recipe",
    "examine",
    "image_patches",
    "load",
    "load_spline",
    "mnist_findings",
]
