"""The exact likelihood during training, with chains at one temperature and at ten: stored runs of `kadan-training`."""

from functools import lru_cache

import numpy as np
from matplotlib.ticker import MaxNLocator

from anneal_edu.course.experiments import stored
from anneal_edu.course.experiments.kadan import METHODS
from anneal_edu.course.figures import artists, tempered_training
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, slider

BARS, DIGITS = "bars 4×4", "digits 8×8"
SHOWN = {
    "PCD and PT": ("PCD", "PCD, 10 steps", "PCD, 10 times the chains", "PCD, 10 small updates", "PT, even-odd"),
    "three ways to swap": ("PT, coin", "PT, even-odd", "PT, lifted"),
    "CD": ("CD-1", "CD-25", "PT, even-odd"),
}
BANDED = {"PCD and PT": ("PCD", "PT, even-odd")}
"""Whose range is drawn, where five of them would hide each other."""
COUNTED = ("updates", "Gibbs steps")
BEST = {BARS: -float(np.log(30)), DIGITS: None}
LIMITS = {BARS: (-22.0, -2.5), DIGITS: (-26.0, -17.0)}
SQUEEZED = {BARS: -8.0, DIGITS: None}
"""Where the left axis begins to be logarithmic: on the bars plain PCD falls far below all others."""
TICKS = {BARS: (-20, -12, -8, -7, -6, -5, -4), DIGITS: (-26, -24, -22, -20, -18)}
COMPARED = {BARS: (-16.5, -2.4), DIGITS: (-25.5, -18.0)}
COSTS = {method: METHODS[method].cost for method in tempered_training.METHODS}
BRIEF = {"PCD, 10 times the chains": "PCD, 10 × chains", "PCD, 10 small updates": "PCD, small updates"}
"""Names that are shorter where a row has little room."""


@lru_cache(maxsize=1)
def stored_curves() -> dict[str, tempered_training.Curves]:
    """Data → method → numbers of updates (n,) and exact mean log likelihoods (n, seeds), of the stored run."""
    found: dict = {}
    for row in stored("kadan_training")["rows"]:
        _, values = found.setdefault(row["data"], {}).setdefault(row["method"], (row["n_updates"], []))
        values.append(row["log_likelihood"])
    return {
        data: {method: (np.array(of_method[method][0]), np.array(of_method[method][1]).T) for method in COSTS}
        for data, of_method in found.items()
    }


class TemperedTraining(Panel):
    """Nine ways to train one RBM on bars and stripes, and one on digits, by the exact log likelihood.

    Stored runs; ``python -m anneal_edu experiment kadan-training`` makes them. Controls: ``data``; ``methods`` drawn
    on the left; ``counted``, the unit of the horizontal axis; ``moment``, the share of all updates, in percent, at
    which the right side compares all nine.
    """

    title = "Training with chains at one temperature, and at ten"
    picture = (
        "Left: exact mean log likelihood of the data against updates or Gibbs steps, median of the seeds, and "
        "the range of plain PCD and of PT or, of three curves, of all. "
        "Right: all nine methods after one and the same number of updates, a row each, pale where "
        "the left side leaves them out; in brackets the Gibbs steps of an update."
    )
    size = (12.0, 4.8)
    controls = {  # noqa: RUF012
        "data": choice("data", BARS, (BARS, DIGITS)),
        "methods": choice("drawn", "PCD and PT", tuple(SHOWN)),
        "counted": choice("counted in", COUNTED[0], COUNTED),
        "moment": slider("compare after … % of the updates", 100, 10, 100, 10),
    }
    scenes = {  # noqa: RUF012
        "one price": {},
        "three ways to swap": {"methods": "three ways to swap"},
        "contrastive divergence": {"methods": "CD"},
        "early on": {"moment": 10},
        "digits": {"data": DIGITS},
    }
    plays = "moment"

    def make_axes(self, figure):
        curves, rows = figure.columns(1.25, 1, gap=2.6)
        curves.set_ylabel("nats an example", labelpad=0)
        rows.set_xlabel("nats an example")
        rows.xaxis.set_major_locator(MaxNLocator(3))
        return [curves, rows]

    def draw(self, data, methods, counted, moment):
        curves, limits = stored_curves()[data], LIMITS[data]
        n = len(next(iter(curves.values()))[0])
        at = round(moment / 100 * n) - 1
        in_steps = counted == COUNTED[1]
        drawn = {
            name: (curves[name][0] * (COSTS[name] if in_steps else 1), curves[name][1]) for name in SHOWN[methods]
        }
        left, right = self.axes
        xlabel = "Gibbs steps" if in_steps else "updates"
        banded = BANDED.get(methods, SHOWN[methods])
        tempered_training.training_curves(left, drawn, BEST[data], xlabel, in_steps, limits, banded, SQUEEZED[data])
        left.set_yticks(TICKS[data])
        tempered_training.moment(left, drawn, at)
        if BEST[data] is not None:
            x, y = left.get_xlim()[1], BEST[data] + 0.08
            artists.words(left, "best possible", x, y, "best possible, −log 30", ha="right", va="bottom")
        now = {name: values[at] for name, (_, values) in curves.items()}
        _draw_comparison(right, now, BEST[data], COMPARED[data], list(drawn))
        left.set_title("exact log likelihood")
        left.set_ylabel("nats an example" if SQUEEZED[data] is None else f"nats, squeezed below −{-SQUEEZED[data]:g}")
        right.set_title(f"after {next(iter(curves.values()))[0][at]:,} updates")
        middle = {name: float(np.median(values)) for name, values in now.items()}
        headline_first = sorted(drawn, key=lambda name: name != "PT, even-odd")
        return Readout(_takeaway(data, methods, middle), {name: f"{middle[name]:.2f} nats" for name in headline_first})


def _beside(difference: float) -> str:
    return f"{abs(difference):.1f} {'above' if difference > 0 else 'below'}"


def _draw_comparison(ax, values, best, limits, drawn):
    """One row a method: median and range over the seeds of the log likelihoods (seeds,); ◄ where it goes on.

    The names are the key to curves beside it: methods that are not ``drawn`` there are pale.
    """
    low = limits[0]
    for row, (method, found) in enumerate(values.items()):
        shown = np.clip(found, low, None)
        ends, alpha = [shown.min(), shown.max()], 1.0 if method in drawn else 0.5
        artists.curve(ax, f"{method} range", ends, [row, row], method, linestyle="-", linewidth=2.5, alpha=alpha)
        artists.marks(ax, method, np.median(shown), row, method, markersize=9, alpha=alpha)
        if found.min() < low:
            artists.marks(ax, f"{method} beyond", low, row, method, marker=8, markersize=9, clip_on=False)
    if best is not None:
        artists.curve(ax, "best", [best, best], [-0.6, len(values) - 0.4], "truth")
    names = [f"{BRIEF.get(method, method)} ({COSTS[method]})" for method in values]
    ax.set(xlim=limits, ylim=(len(values) - 0.4, -0.6), yticks=range(len(values)), yticklabels=names)
    for method, label in zip(values, ax.get_yticklabels(), strict=True):
        label.set_alpha(1.0 if method in drawn else 0.6)


def _takeaway(data: str, methods: str, middle: dict[str, float]) -> str:
    """Medians over the seeds, in words."""
    leader, pt = max(middle, key=middle.get), middle["PT, even-odd"]
    spread = middle[leader] - min(middle.values())
    if spread < 1:
        why = "The chains still mix" if data == BARS else "On the digits Gibbs chains mix well"
        return f"{why}: all nine ways are within {spread:.1f} nats of each other, and ten rungs buy nothing."
    if methods == "three ways to swap":
        order = sorted(SHOWN[methods], key=middle.get, reverse=True)
        return "PT by its way to swap: " + ", ".join(f"{name[4:]} {middle[name]:.1f}" for name in order) + " nats."
    beside = {name: _beside(y - pt) for name, y in middle.items()}
    if methods == "CD":
        return f"Against PT with even-odd swaps, in nats: CD-1 {beside['CD-1']}, CD-25 {beside['CD-25']}."
    return (
        f"Against PT, in nats: plain PCD {beside['PCD']}; at its price, ten steps {beside['PCD, 10 steps']}, ten times "
        f"the chains {beside['PCD, 10 times the chains']}, ten small updates {beside['PCD, 10 small updates']}. First "
        f"of all nine: {leader}."
    )
