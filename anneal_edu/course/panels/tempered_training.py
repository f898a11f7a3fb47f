"""The exact likelihood during training, with chains at one temperature and at ten: stored runs of `kadan-training`."""

from functools import lru_cache

import numpy as np

from anneal_edu.course.experiments import stored
from anneal_edu.course.experiments.kadan import METHODS
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.film import Film
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, slider

BARS, DIGITS = "bars 4×4", "digits 8×8"
SHOWN = {
    "four ways": ("PCD", "PCD, 10 steps", "PT, even-odd", "CD-25"),
    "PCD at PT's price": ("PCD, 10 steps", "PCD, 10 times the chains", "PCD, 10 small updates", "PT, even-odd"),
    "swaps": ("PT, coin", "PT, even-odd", "PT, lifted"),
    "CD": ("CD-1", "CD-25", "PT, even-odd"),
}
UPDATES, STEPS = "updates", "Gibbs steps"
BEST, LIMITS = -float(np.log(30)), {BARS: (-17.0, -2.0), DIGITS: (-26.0, -17.0)}
COSTS = {method: how.cost for method, how in METHODS.items()}

@lru_cache(maxsize=1)
def stored_curves() -> dict[str, dict[str, tuple[np.ndarray, np.ndarray]]]:
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
    """Ways to train one RBM on bars and stripes, and one on digits, by the exact log likelihood; stored runs.

    Controls: ``moment``, the share of all updates; ``data``; ``drawn``, which of nine ways; ``counted``, the unit of x.
    """

    title = "Training with chains at one temperature, and at ten"
    picture = (
        "Exact mean log likelihood of the data against updates or Gibbs steps, a curve each way, median of five seeds; "
        "at its end a bar over their range, and its name, with its cost where costs differ."
    )
    size = (12.0, 4.8)
    columns = (1,)
    controls = {  # noqa: RUF012
        "moment": slider("after … % of the updates", 10, 5, 100, 5),
        "data": choice("data", BARS, (BARS, DIGITS)),
        "drawn": choice("drawn", "four ways", tuple(SHOWN)),
        "counted": choice("counted in", UPDATES, (UPDATES, STEPS)),
    }
    scenes = {  # noqa: RUF012
        "who will fall?": {},
        "at the end": {"moment": 100},
        "equal cost": {"moment": 100, "drawn": "PCD at PT's price"},
        "three ways to swap": {"moment": 100, "drawn": "swaps"},
        "no need to temper": {"moment": 100, "data": DIGITS},
    }
    plays = "moment"

    def draw(self, moment, data, drawn, counted):
        (ax,), curves, (low, high) = self.axes, stored_curves()[data], LIMITS[data]
        now, names, in_steps = moment // 5 - 1, SHOWN[drawn], counted == STEPS
        film, middle = Film(now, rate=3.0), {name: np.median(values, axis=1) for name, (_, values) in curves.items()}
        labels = apart(np.array([middle[name] for name in names]).T, 0.055 * (high - low)) - 0.03 * (high - low)
        costs = {COSTS[name] for name in names}
        cost = "cost: Gibbs steps per update" if len(costs) > 1 else f"each: {max(costs)} Gibbs steps per update"
        ticks = (3, 4, 5) if in_steps else range(curves["PCD"][0][-1] // 1000 + 1)
        first, last = (2, 6.05) if in_steps else (0, 1.45 * ticks[-1])
        for i, (name, at) in enumerate(zip(names, labels.T, strict=True), 1):
            colour, (n, values) = STYLES[name]["color"], curves[name]
            x, y = np.log10(n * COSTS[name]) if in_steps else n / 1000, middle[name][:, None]
            film.trails(ax, f"{name} curve", x, y, [colour], width=3.0)
            aside = np.c_[x, x] + 0.007 * i * (last - first)
            film.curve(ax, f"{name} range", aside, np.c_[values.min(1), values.max(1)], name)
            film.dots(ax, f"{name} now", x[:, None], y, [colour], radius=5.0)
            label = _short(name).replace(" times the", "×") + (f": cost {COSTS[name]}" if len(costs) > 1 else "")
            film.words(ax, f"{name} name", x + 0.04 * (last - first), at, [label] * len(n), colour)
        if data == BARS:
            artists.curve(ax, "best", [first, last], [BEST] * 2, "truth")
            artists.words(ax, "best word", first + 0.03, BEST + 0.25, "best possible")
        artists.words(ax, "cost word", first + 0.03, low + 0.03 * (high - low), cost)
        ax.set(xlim=(first, last), ylim=(low, high), xlabel=counted, ylabel="nats per image")
        ax.set_xticks(ticks, [f"{10**tick if in_steps else 1000 * tick:,}" for tick in ticks])
        ax.set_title("exact log likelihood: median of five seeds; bars: worst to best of them")
        level = {name: float(curve[now]) for name, curve in middle.items()}
        held = [_short(name) for name in names if middle[name][: now + 1].max() <= level[name] + 1]
        numbers = {_short(name): f"{level[name]:.2f} nats" for name in names}
        return Readout(_takeaway(data, moment, names, level, held), numbers, film)


def apart(y: np.ndarray, gap: float) -> np.ndarray:
    """Heights (T, n) of labels near y (T, n), in the same order and at least ``gap`` apart."""
    order, found = np.argsort(y, axis=1, kind="stable"), np.sort(y, axis=1)
    for i in [*range(1, y.shape[1])] * 20:
        overlap = np.maximum(gap - (found[:, i] - found[:, i - 1]), 0) / 2
        found[:, i - 1] -= overlap
        found[:, i] += overlap
    return np.take_along_axis(found, np.argsort(order, axis=1), axis=1)


def _short(name):
    return name.replace(", ", " ").replace("even-odd", "in turn")


def _takeaway(data, moment, names, level, held) -> str:
    spread = np.ceil(10 * np.ptp([level[name] for name in names])) / 10
    if spread <= 1:
        why = "The chains still mix" if data == BARS else "On the digits Gibbs chains mix well"
        then = ", and ten rungs gain nothing." if moment > 50 else ". Who will fall?"
        return f"{why}: the curves are within {spread:.1f} nats of each other{then}"
    order = ", ".join(f"{_short(name)} {level[name]:.1f}" for name in sorted(names, key=level.get, reverse=True))
    fell = "None fell by a nat" if len(held) == len(names) else f"Only {', '.join(held)} did not fall by a nat"
    return f"From the top, in nats: {order}. {fell}."
