"""Small models stored with the library, so that a lesson shows everyone the same numbers: of digits and of patches.

    python -m anneal_edu models [NAME …]

trains them again, all or those named, and overwrites the files. Rounding differs from processor to processor, training
magnifies it, and the same seed may then lead to another model: hence the files.
"""

from anneal_edu.models.examination import Examination, examine
from anneal_edu.models.images import IMAGE_RECIPES, image_patches
from anneal_edu.models.knots import load_spline
from anneal_edu.models.stored import GAUSSIAN_RECIPES, RECIPES, GaussianRecipe, Recipe, load

__all__ = [
    "GAUSSIAN_RECIPES",
    "IMAGE_RECIPES",
    "RECIPES",
    "Examination",
    "GaussianRecipe",
    "Recipe",
    "examine",
    "image_patches",
    "load",
    "load_spline",
]
