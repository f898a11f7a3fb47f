"""Drawing functions: arrays in, Axes drawn on. Panels and notebooks share them.

>>> import anneal_edu as ae
>>> figure = ae.figures.LectureFigure(5, 3)
>>> (ax,) = figure.columns(1)
>>> ae.figures.artists.curve(ax, "truth", [0, 1], [2, 2], "truth")

The last line of a notebook cell, ``figure``, shows it.
"""

from anneal_edu.course.figures import (
    annealing,
    artists,
    bugs,
    estimators,
    first_rbm,
    gaussian_rbm,
    hamiltonian,
    image_models,
    images,
    importance,
    likelihood_tracking,
    paper_gaussians,
    rbm_paths,
    sandwich,
    tempered_sampling,
    tempering,
)
from anneal_edu.course.figures.style import STYLES, LectureFigure, projected

__all__ = [
    "STYLES",
    "LectureFigure",
    "annealing",
    "artists",
    "bugs",
    "estimators",
    "first_rbm",
    "gaussian_rbm",
    "hamiltonian",
    "image_models",
    "images",
    "importance",
    "likelihood_tracking",
    "paper_gaussians",
    "projected",
    "rbm_paths",
    "sandwich",
    "tempered_sampling",
    "tempering",
]
