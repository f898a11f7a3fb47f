"""Log likelihoods of each held-out patch under the six image models: what stands behind the averages of Table 1.

    python -m anneal_edu.course.experiments.image_points

makes them again, the very run of ``hais-table1 --scale quick``, and writes them to results/hais_table1_points.json, and
the patches themselves to results/hais_table1_patches.npz. It takes as long as that one, but for the rows that it finds
in runs/, where ``hais-table1`` keeps them.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np

from anneal_edu.course.experiments import stored
from anneal_edu.course.experiments.image_models import CURVES, REFERENCE, SCALES, table_1
from anneal_edu.course.experiments.image_rows import PAPER, Row
from anneal_edu.models.images import image_patches

_NAME, _PATCHES = "hais_table1_points", "hais_table1_patches.npz"


def points_of(row: Row) -> dict[str, list[float]]:
    """Log likelihoods (N,) of one model, and their Monte Carlo errors (N,), 0 where they are exact."""
    if row.exact is not None:
        return {"log_likelihoods": row.exact.round(4).tolist(), "errors": [0.0] * len(row.exact)}
    return {
        "log_likelihoods": row.found.log_likelihoods.round(4).tolist(),
        "errors": row.found.point_errors.round(4).tolist(),
    }


@lru_cache(maxsize=1)
def stored_points() -> dict[str, np.ndarray]:
    """Model → log likelihoods (100,) of the same held-out patches; of the reference N(0, I), too.

    Examples
    --------
    >>> [len(points) for points in stored_points().values()]
    [100, 100, 100, 100, 100, 100, 100]
    """
    points = stored(_NAME)["points"]
    return {name: np.array(points[name]["log_likelihoods"]) for name in (REFERENCE, *PAPER)}


@lru_cache(maxsize=1)
def stored_patches() -> np.ndarray:
    """The held-out patches (100, 36) of which `stored_points` has the likelihoods, stored with them.

    Examples
    --------
    >>> stored_patches().shape
    (100, 36)
    """
    with as_file(files(__package__) / "results" / _PATCHES) as path, np.load(path, allow_pickle=False) as kept:
        return kept["patches"]


def stored_rows(name: str) -> list[dict]:
    """Rows that ``python -m anneal_edu experiment`` stored, by the name of the file in results/.

    Examples
    --------
    >>> [row["exact"] is None for row in stored_rows("hais_table1_quick")][:3]
    [False, False, True]
    """
    return stored(name)["rows"]


def stored_sizes() -> tuple[dict[str, tuple[np.ndarray, ...]], dict[str, float]]:
    """Figure 5, as ``hais-figure5`` stored it.

    Returns
    -------
    dict
        Label → sizes, log likelihoods and Monte Carlo errors.
    dict
        Label → exact log likelihood of the smallest model, which is complete.

    Examples
    --------
    >>> found, exact = stored_sizes()
    >>> list(found), list(exact)
    (['Laplace experts', 'Student-t experts', 'mcRBM', 'bilinear'], ['Laplace experts', 'Student-t experts'])
    >>> found["bilinear"][0]
    array([72, 98])
    """
    rows, found, exact = stored_rows("hais_figure5_quick"), {}, {}
    for label, model in zip(("Laplace experts", "Student-t experts", "mcRBM", "bilinear"), CURVES, strict=True):
        mine = [row for row in rows if row["model"] == model]
        found[label] = tuple(
            np.array([row[key] for row in mine]) for key in ("size", "log_likelihood", "monte_carlo_error")
        )
        if mine[0]["exact"] is not None:
            exact[label] = mine[0]["exact"]
    return found, exact


def stored_gains() -> dict[str, list[tuple[int, float, float]]]:
    """Model class → of every size what it gained on the smallest one, and the paired standard error over patches.

    Examples
    --------
    >>> [size for size, gain, error in stored_gains()["bilinear"]]
    [98]
    """
    gains = {model: [] for model in CURVES}
    for row in stored_rows("hais_figure5_quick"):
        if row["gain_error"] > 0:  # not the smallest itself
            gains[row["model"]].append((row["size"], row["gain"], row["gain_error"]))
    return gains


def main(folder: Path = Path("runs")) -> None:
    """Run Table 1 at the quick scale and store every patch; rows that the folder holds are not made again."""
    rows = table_1(SCALES["quick"], folder=folder, report=lambda row: print(row, flush=True))
    contents = {"command": f"python -m {__spec__.name}", "points": {row.model: points_of(row) for row in rows}}
    text = json.dumps(contents, indent=None).replace('}, "', '},\n "').replace('{"', '{\n "', 2)
    results = Path(__file__).parent / "results"
    (results / f"{_NAME}.json").write_text(text + "\n", encoding="utf-8")
    np.savez_compressed(results / _PATCHES, patches=image_patches().held_out[: SCALES["quick"].n_points])


if __name__ == "__main__":
    main()
