"""Store the held-out patches of hais-table1 at the quick scale, and the log likelihood of each: an hour.

    python tools/recipes/hais_patches.py [FOLDER]     a folder (default: runs) keeps finished rows

The panel of image models and lesson 09 read them.
"""

import json
import sys
from pathlib import Path

import numpy as np

from anneal_edu.course.experiments.hamiltonian_images import RESULTS, SCALES, evaluations
from anneal_edu.course.experiments.run import Run
from anneal_edu.models.images import image_patches


def store_patches(folder: Path, results: Path = RESULTS, scale: dict = SCALES["quick"]) -> None:
    """Write hais_table1_points.json and hais_table1_patches.npz; exact log likelihoods where they are known."""
    points = {}
    for found in evaluations(scale, Run(folder=folder)):
        values, errors = (found.points, found.errors) if found.exact is None else (found.exact, 0 * found.exact)
        rounded = {"log_likelihoods": values.round(4).tolist(), "errors": errors.round(4).tolist()}
        points[found.row["model"]] = rounded
    contents = {"command": "python tools/recipes/hais_patches.py", "points": points}
    text = json.dumps(contents, indent=None).replace('}, "', '},\n "').replace('{"', '{\n "', 2)
    (results / "hais_table1_points.json").write_text(text + "\n", encoding="utf-8")
    np.savez_compressed(results / "hais_table1_patches.npz", patches=image_patches().held_out[: scale["n_points"]])


if __name__ == "__main__":
    store_patches(Path(sys.argv[1] if len(sys.argv) > 1 else "runs"))
