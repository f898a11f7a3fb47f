"""Drawing functions: arrays in, Axes drawn on. Panels and notebooks share them.

>>> from anneal_edu.course import figures
>>> figure = figures.LectureFigure(5, 3)
>>> (ax,) = figure.columns(1)
>>> figures.artists.curve(ax, "truth", [0, 1], [2, 2], "truth")

The last line of a notebook cell, ``figure``, shows it.
"""

from anneal_edu.course.figures import annealing, artists, bias, first_rbm, gaussians, images, importance
from anneal_edu.course.figures.style import STYLES, LectureFigure, projected

__all__ = [
    "STYLES",
    "LectureFigure",
    "annealing",
    "artists",
    "bias",
    "first_rbm",
    "gaussians",
    "images",
    "importance",
    "projected",
]
