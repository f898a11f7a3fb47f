"""Grosse et al. 2013, Table 2 and Figure 5: RBMs of 500 hidden units on MNIST, between two estimates."""

from functools import lru_cache

import numpy as np

from anneal_edu import log_mean_exp
from anneal_edu.course.experiments import stored
from anneal_edu.course.experiments.grosse_large import PAPER
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.film import Film
from anneal_edu.course.figures.style import GREY, STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, slider

POWERS = (1, 2, 3, 4, 5)
SIDES = {"AIS": "forward", "reverse AIS": "reverse"}
TICKS = (-100, -30, -10, -3, -1, 0, 1, 3, 10, 30, 100)


def squeezed(nats: np.ndarray) -> np.ndarray:
    """About linear within a nat, logarithmic beyond."""
    return np.sign(nats) * np.log10(1 + np.abs(nats))


@lru_cache(maxsize=4)
def runs(model: str) -> tuple[np.ndarray, np.ndarray, float]:
    """Forward and reverse log Ẑ less the reference, with errors, (K, row, side, 2); ESS (K, row); the reference.

    That is the logarithm of the mean of both geometric Ẑ at the largest K.
    """
    found = [row for row in stored("grosse_figure5_mnist")["rows"] if row["model"] == f"mnist_{model.lower()}_500"]
    rows = [[row for row in found if (row["start"], row["path"]) == way] for way in PAPER[model]]
    pairs = (("log_z", "std_error"), ("reverse_log_z", "reverse_std_error"))
    values = np.array([[[[r[key] for key in pair] for pair in pairs] for r in row] for row in rows]).swapaxes(0, 1)
    reference = float(log_mean_exp(values[-1, [path == "geometric" for _, path in PAPER[model]], 0, 0]))
    values[..., 0] -= reference
    return values, np.array([[r["ess"] for r in row] for row in rows]).T, reference


class LargeModels(Panel):
    """Forward and reverse log Ẑ of an RBM with 500 hidden units, on three paths from two starts, for K up to 100,000.

    Controls: ``power`` of ten that K is, and the ``model``, named by its training.
    """

    title = "Six ways to a large RBM"
    picture = (
        "A row for each start and path: forward and reverse log Ẑ ± 2 standard errors, less the best guess, on an axis "
        "that is squeezed beyond one nat; the effective sample size of 500 chains; log Ẑ and ESS of the paper's model."
    )
    size = (12.0, 5.0)
    plays = "power"
    controls = {  # noqa: RUF012
        "power": slider("steps K: ten to the power of", 1, POWERS[0], POWERS[-1], 1),
        "model": choice("model", "PCD", tuple(PAPER)[1:] + tuple(PAPER)[:1]),
    }
    scenes = {  # noqa: RUF012
        "ten steps": {},
        "one row opens again": {"power": 5},
        "an ESS of one": {"power": 5, "model": "CD25"},
        "bounds that cross": {"power": 5, "model": "CD1"},
    }

    def make_axes(self, figure):
        (ax,) = figure.columns(1)
        figure.subplots_adjust(left=1.3 / figure.get_size_inches()[0])
        ax.set(xlim=(-2.7, 4.3), ylim=(-0.6, 6.6), xticks=squeezed(np.array(TICKS)), yticks=range(6))
        ax.set(xticklabels=[f"{tick}".replace("-", "−") for tick in TICKS])
        ax.set(yticklabels=["\n".join(way) for way in PAPER["PCD"]][::-1])
        ax.set_xlabel("log Ẑ − best guess (nats); forward: lower bound, reverse: upper", loc="left")
        ax.set_title("Do the bounds meet? (MAS: moment averages; cheap: short fit)")
        ax.axvspan(2.7, 4.3, color="0.93")
        ax.tick_params(axis="y", length=0)
        return [ax]

    def draw(self, power, model):
        (ax,), now = self.axes, POWERS.index(power)
        values, ess, reference = runs(model)
        film, rows = Film(now, rate=0.8), np.arange(6)[::-1]
        artists.curve(ax, "reference", [0, 0], [-0.6, 5.7], "reference")
        artists.words(ax, "reference words", 0, 5.75, f"best guess {reference:.1f}", ha="center")
        for at, (y, sizes) in enumerate(zip(rows, ess.T, strict=True)):
            film.curve(ax, f"gap {at}", squeezed(values[:, at, :, 0]), np.full((5, 2), y), "reference")
            for style, side in zip(SIDES, values[:, at].swapaxes(0, 1), strict=True):
                ends = squeezed(side[:, :1] + [-2, 2] * side[:, 1:])
                film.curve(ax, f"{style} bar {at}", ends, np.full((5, 2), y), style)
            film.words(ax, f"ess {at}", 2.35, y - 0.1, [f"{size:.0f}" for size in sizes], align="center")
            log_z, size = [*PAPER[model].values()][at]
            for part, x, text in (("log Ẑ", 3.5, f"{log_z:.2f}"), ("ESS", 4.15, f"{size:,}")):
                artists.words(ax, f"paper {part} {at}", x, y - 0.1, text, ha="right", color=GREY)
                artists.words(ax, f"paper {part}", x, 5.75, part, ha="right", color=GREY)
        for (style, name), x, radius in zip(SIDES.items(), (-2.6, 1.1), (6.5, 4.5), strict=True):
            colour = STYLES[style]["color"]
            at = squeezed(values[:, :, [*SIDES].index(style), 0])
            film.dots(ax, name, at, np.tile(rows, (5, 1)), [colour] * 6, radius)
            artists.words(ax, f"{name} words", x, 5.75, name, color=colour, weight="bold")
        artists.words(ax, "ess words", 2.35, 5.75, "our ESS", ha="center")
        artists.words(ax, "paper words", 4.15, 6.2, f"paper's {model}(500)", ha="right", color=GREY)
        film.words(ax, "K", -2.6, 6.2, [f"our {model}(500), K = {10**p:,} steps" for p in POWERS])
        gaps = values[:, :, 1, 0] - values[:, :, 0, 0]  # (K, row)
        return Readout(_takeaway(now, [", ".join(way) for way in PAPER[model]], gaps, ess), {}, film)


def _takeaway(now: int, rows: list[str], gaps: np.ndarray, ess: np.ndarray) -> str:
    if now == 0:
        return f"With ten steps the bounds are up to {gaps[0].max():.0f} nats apart. Which will meet, and stay so?"
    met, crossed = np.sum(np.abs(gaps[now]) < 1), np.sum(gaps[now] < -4.6)
    worst = int(np.argmax(gaps[now] - gaps[now - 1]))
    said = f"In {met} of 6 rows the bounds are within a nat"
    if crossed:
        return f"{said}; in {crossed} the upper one is far too low: reverse chains start from no draws of this model."
    if gaps[now, worst] > gaps[now - 1, worst] + 3:
        return f"{said}; {rows[worst]} opens again: {gaps[now, worst]:.0f} nats, an ESS of {ess[now, worst]:.0f}."
    return f"{said}; the widest gap is {gaps[now].max():.0f} nats."
