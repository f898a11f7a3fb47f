"""Stored models, their recipes, and the examination of an RBM.

Training again on another processor may lead to another model, because it magnifies differences in rounding.
"""

from anneal_edu.models.examination import Examination, examine
from anneal_edu.models.images import IMAGE_RECIPES, ImageRecipe, image_patches
from anneal_edu.models.knots import load_spline
from anneal_edu.models.stored import RECIPES, GaussianRecipe, Recipe, load

__all__ = [
    "IMAGE_RECIPES",
    "RECIPES",
    "Examination",
    "GaussianRecipe",
    "ImageRecipe",
    "Recipe",
    "examine",
    "image_patches",
    "load",
    "load_spline",
]
