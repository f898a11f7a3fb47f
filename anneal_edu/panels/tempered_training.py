"""The exact likelihood during training, with chains at one temperature and at ten: stored runs of `kadan-training`."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files

import numpy as np

from anneal_edu.experiments.kadan import METHODS, N_RUNGS
from anneal_edu.figures import tempered_training
from anneal_edu.panels.base import Panel, Reading
from anneal_edu.panels.controls import choice, slider

BARS, DIGITS = "bars 4×4", "digits 8×8"
SHOWN = {
    "PCD and PT": ("PCD", "PCD, 10 steps", "PCD, 10 times the chains", "PT, even-odd"),
    "three ways to swap": ("PT, coin", "PT, even-odd", "PT, lifted"),
    "CD": ("CD-1", "CD-25", "PT, even-odd"),
}
COUNTED = ("updates", "Gibbs steps")
BEST = {BARS: -float(np.log(30)), DIGITS: None}
LIMITS = {BARS: (-14.0, -3.0), DIGITS: (-26.0, -17.0)}
COSTS = {method: how.cost for method, how in METHODS.items()}


@lru_cache(maxsize=1)
def stored_curves() -> dict[str, tempered_training.Curves]:
    """Data → method → numbers of updates (n,) and exact mean log likelihoods (n, seeds), of the stored run."""
    file = files("anneal_edu.experiments") / "results" / "kadan_training.json"
    found: dict = {}
    for row in json.loads(file.read_text(encoding="utf-8"))["rows"]:
        _, values = found.setdefault(row["data"], {}).setdefault(row["method"], (row["n_updates"], []))
        values.append(row["log_likelihood"])
    return {
        data: {method: (np.array(n), np.array(values).T) for method, (n, values) in of_method.items()}
        for data, of_method in found.items()
    }


class TemperedTraining(Panel):
    """Eight ways to train one RBM on bars and stripes, and one on digits, by the exact log likelihood.

    Stored runs; ``python -m anneal_edu.experiments kadan-training`` makes them. Controls: ``data``; ``methods`` drawn
    on the left; ``counted``, the unit of the horizontal axis; ``moment``, the share of all updates, in percent, at
    which the right side compares all eight.
    """

    title = "Training with chains at one temperature, and at ten"
    picture = (
        "Left: exact mean log likelihood of the data against updates or Gibbs steps, median and range of the seeds. "
        "Right: all eight methods after one and the same number of updates, a row each; in brackets the Gibbs steps of "
        "an update."
    )
    size = (12.0, 4.8)
    controls = {  # noqa: RUF012
        "data": choice("data", BARS, (BARS, DIGITS)),
        "methods": choice("drawn", "PCD and PT", tuple(SHOWN)),
        "counted": choice("counted in", COUNTED[0], COUNTED),
        "moment": slider("compare after … % of the updates", 100, 10, 100, 10),
    }

    def make_axes(self, figure):
        """Curves and rows."""
        curves, rows = figure.columns(1.25, 1, gap=3.0)
        curves.set_ylabel("nats an example", labelpad=0)
        rows.set_xlabel("nats an example")
        return [curves, rows]

    def draw(self, data, methods, counted, moment):
        """Draw the stored curves."""
        curves, limits = stored_curves()[data], LIMITS[data]
        n = len(next(iter(curves.values()))[0])
        at = round(moment / 100 * n) - 1
        in_steps = counted == COUNTED[1]
        drawn = {
            name: (curves[name][0] * (COSTS[name] if in_steps else 1), curves[name][1]) for name in SHOWN[methods]
        }
        left, right = self.axes
        xlabel = "Gibbs steps of each chain and its rungs" if in_steps else "updates"
        tempered_training.training_curves(left, drawn, BEST[data], xlabel, in_steps, limits)
        tempered_training.moment(left, drawn, at)
        now = {name: values[at] for name, (_, values) in curves.items()}
        tempered_training.comparison(right, now, COSTS, BEST[data], limits)
        left.set_title("exact log likelihood: median, range")
        right.set_title(f"after {next(iter(curves.values()))[0][at]:,} updates")
        readout = {name: f"{np.median(values):.2f} nats" for name, values in now.items()}
        return Reading(_takeaway(data, now), readout)


def _takeaway(data: str, now: dict[str, np.ndarray]) -> str:
    middle = {name: float(np.median(values)) for name, values in now.items()}
    pt, pcd, dear = middle["PT, even-odd"], middle["PCD"], middle["PCD, 10 steps"]
    if pt > pcd + 1:
        beside = "beats" if pt > dear + 0.5 else "is about as good as" if pt > dear - 0.5 else "is worse than"
        return (
            f"Plain PCD has lost {pt - pcd:.0f} nats an example on PT with even-odd swaps, which {beside} PCD with "
            f"{N_RUNGS} Gibbs steps, its equal in cost."
        )
    if data == BARS:
        return "Not much has been learned so far, the chains still mix well, and all methods are alike."
    return "On the digits Gibbs chains mix well enough: ten rungs buy nothing that plain chains do not have."
