"""Log likelihoods of each held-out patch under the six image models: what stands behind the averages of Table 1.

    python -m anneal_edu.experiments.image_points

makes them again in two minutes, the very run of ``hais-table1 --scale quick``, and writes them to
results/hais_table1_points.json.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from anneal_edu.experiments.image_models import PAPER, REFERENCE, SCALES, Row, table_1

_FILE = "hais_table1_points.json"


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
    stored = json.loads((files(__package__) / "results" / _FILE).read_text(encoding="utf-8"))["points"]
    return {name: np.array(stored[name]["log_likelihoods"]) for name in (REFERENCE, *PAPER)}


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
    >>> list(found), found["Laplace experts"][0]
    (['Laplace experts', 'Student-t experts'], array([ 36,  72, 144]))
    """
    file = files(__package__) / "results" / "hais_figure5_quick.json"
    rows, found, exact = json.loads(file.read_text(encoding="utf-8"))["rows"], {}, {}
    for label, model in (("Laplace experts", "laplace experts"), ("Student-t experts", "student_t experts")):
        mine = [row for row in rows if row["model"] == model]
        found[label] = tuple(
            np.array([row[key] for row in mine]) for key in ("size", "log_likelihood", "monte_carlo_error")
        )
        exact[label] = mine[0]["exact"]
    return found, exact


def paired_difference(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """Mean of first - second over the same patches (N,), and its standard error.

    Examples
    --------
    >>> paired_difference(np.array([3.0, 100.0]), np.array([2.0, 99.0]))
    (1.0, 0.0)
    """
    difference = first - second
    return float(difference.mean()), float(difference.std(ddof=1) / np.sqrt(len(difference)))


def separate_error(first: np.ndarray, second: np.ndarray) -> float:
    """Standard error that the difference of the two means would have, were the patches (N,) of each its own."""
    return float(np.sqrt(first.var(ddof=1) / len(first) + second.var(ddof=1) / len(second)))


def main() -> None:
    """Run Table 1 at the quick scale and store every patch."""
    rows = table_1(SCALES["quick"], report=lambda row: print(row, flush=True))
    stored = {"command": f"python -m {__spec__.name}", "points": {row.model: points_of(row) for row in rows}}
    text = json.dumps(stored, indent=None).replace('}, "', '},\n "').replace('{"', '{\n "', 2)
    (Path(__file__).parent / "results" / _FILE).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
