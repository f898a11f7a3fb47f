"""Fit the stored knots of moment averages splines again, in minutes: python tools/recipes/fit_knots.py DIR"""

import sys
from functools import partial
from pathlib import Path

import numpy as np

import anneal_edu as ae
from anneal_edu.models.knots import MODELS, N_KNOTS, STARTS, knot_file, start_of

TOLERANCE = 1e-3  # of every moment


def fit_knots(folder: Path) -> None:
    """Write the knots from each start to each model."""
    for model in MODELS:
        rbm = ae.models.load(model)
        for start in STARTS:
            fit = partial(ae.match_moments, tolerance=TOLERANCE)
            spline = ae.moment_spline_path(start_of(rbm, start), rbm, N_KNOTS, fit=fit)
            inner = [knot.single_precision for knot in spline.distributions[1:-1]]
            names = ("weights", "visible_bias", "hidden_bias")
            arrays = {name: np.stack(part) for name, part in zip(names, zip(*inner, strict=True), strict=True)}
            np.savez_compressed(folder / knot_file(model, start), **arrays)
            print(f"{model} from {start}: {sum(match.n_evaluations for match in spline.matches)} enumerations")


if __name__ == "__main__":
    fit_knots(Path(sys.argv[1]))
