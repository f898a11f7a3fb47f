"""Stored knots of moment averages splines: the nine of Grosse et al. (2013), at β = 0.1, …, 0.9.

``tools/recipes/fit_knots.py`` fits them again, in minutes.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

import numpy as np

from anneal_edu.data import digits
from anneal_edu.distributions import BinaryRBM, base_rate_rbm, uniform_rbm
from anneal_edu.models.stored import load
from anneal_edu.paths.splines import SplinePath, spline_path

MODELS = ("digits28_cd", "digits28_pcd", "digits28_pcd_fast")
STARTS = ("uniform", "base rate")
N_KNOTS = 9


def start_of(rbm: BinaryRBM, start: str) -> BinaryRBM:
    """The RBM without weights at which a path to a model of the digits starts: "uniform" or "base rate"."""
    if start not in STARTS:
        raise ValueError(f"start must be one of {', '.join(STARTS)}, got {start!r}")
    if start == "uniform":
        return uniform_rbm(rbm.dim, rbm.n_hidden)
    return base_rate_rbm(digits(round(rbm.dim**0.5)), rbm.n_hidden)


@lru_cache(maxsize=32)
def load_spline(model: str, start: str, knots: int = N_KNOTS) -> SplinePath:
    """Load the moment averages spline from a start to a stored model; a second call returns the same object.

    Parameters
    ----------
    model : "digits28_cd", "digits28_pcd" or "digits28_pcd_fast"
    start : "uniform" or "base rate"
    knots : 0, 1, 4 or 9
        Number of evenly spaced inner knots; these numbers share their positions with the stored nine.

    Examples
    --------
    >>> load_spline("digits28_cd", "base rate", knots=4).betas
    array([0. , 0.2, 0.4, 0.6, 0.8, 1. ])
    """
    if model not in MODELS:
        raise ValueError(f"knots are stored for {', '.join(MODELS)}, got {model!r}")
    if knots not in (0, 1, 4, N_KNOTS):
        raise ValueError(f"knots must be 0, 1, 4 or {N_KNOTS}, got {knots!r}")
    rbm = load(model)
    assert isinstance(rbm, BinaryRBM), f"{model} is no model of the digits"
    p0, every = start_of(rbm, start), (N_KNOTS + 1) // (knots + 1)
    with (files("anneal_edu.models") / knot_file(model, start)).open("rb") as file:
        stored = np.load(file, allow_pickle=False)
        parts = [stored[name][every - 1 :: every][:knots] for name in ("weights", "visible_bias", "hidden_bias")]
    inner = [BinaryRBM(*knot) for knot in zip(*parts, strict=True)]
    return spline_path(np.linspace(0, 1, knots + 2), [p0, *inner, rbm])


def knot_file(model: str, start: str) -> str:
    """The name of the file with the knots."""
    return f"{model}_knots_{start.replace(' ', '_')}.npz"
