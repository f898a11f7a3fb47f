"""Thermodynamic integration: log Z is an area under its slope, and trapezoids miss a part of it."""

import numpy as np

from anneal_edu import linear_schedule
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import slider

_BETAS = np.linspace(0, 1, 401)


def slopes(distance: float, betas: np.ndarray) -> np.ndarray:
    """E_β[log f_1 - log f_0], the slope of log Z, between N(0, 1) and N(distance, 1/4), which are normalised."""
    variance = 1 / (1 + 3 * betas)  # on the geometric path precisions add up
    mean = 4 * betas * distance * variance
    return -2 * ((mean - distance) ** 2 + variance) + (mean**2 + variance) / 2 + np.log(2)


class MissingArea(Panel):
    """TI on a path whose log Z begins and ends at 0: the exact slope, and trapezoids between K + 1 rungs on it.

    Controls: ``n_steps`` K, an even number; ``distance`` between the ends N(0, 1) and N(distance, 1/4).
    """

    title = "The missing area"
    picture = (
        "Left: the slope of log Z against β, trapezoids between the rungs below it, the area that they miss, and "
        "dashed the trapezoids without every second rung. Right: the error with all rungs and with half of them "
        "against 1/K², and a straight line through both, extrapolated to 1/K² = 0, near the exact value."
    )
    size, columns = (12.0, 4.6), (1, 1)
    controls = {  # noqa: RUF012
        "n_steps": slider("steps K", 2, 2, 16, 2),
        "distance": slider("distance of the ends", 4.0, 0.0, 8.0, 1.0),
    }
    scenes = {  # noqa: RUF012
        "how much do they miss?": {},
        "twice the rungs": {"n_steps": 4},
        "twice again": {"n_steps": 8},
        "ends far apart": {"n_steps": 8, "distance": 8.0},
    }

    def draw(self, n_steps, distance):
        slope, rungs = slopes(distance, _BETAS), linear_schedule(n_steps)
        at = slopes(distance, rungs)
        found, half = np.trapezoid(at, rungs), np.trapezoid(at[::2], rungs[::2])
        _draw_areas(self.axes[0], slope, rungs, at)
        _draw_errors(self.axes[1], n_steps, found, half, slopes(distance, np.array([0, 1])).mean())
        gain = f"With half of the rungs {-half:.2f}: a third of the difference is {(found - half) / 3:.2f}."
        then = gain if n_steps > 2 else "How much do four miss?"
        said = f"{n_steps} trapezoids miss {-found:.2f} nats of log Z, although every slope is exact. {then}"
        third, scaled = f"{(found - half) / 3:.3f} nats", f"{-(n_steps**2) * found:.1f} nats"
        return Readout(said, {"missed": f"{-found:.3f} nats", "a third of what moves": third, "missed × K²": scaled})


def _draw_areas(ax, slope, rungs, at):
    line, reach = np.interp(_BETAS, rungs, at), np.ptp(slope)
    artists.band(ax, "missing", _BETAS, np.minimum(line, slope), np.maximum(line, slope), "estimate", alpha=0.5)
    artists.curve(ax, "half", rungs[::2], at[::2], "reference", linewidth=1.8)
    artists.curve(ax, "exact", _BETAS, slope, "truth")
    artists.line(ax, "trapezoids", rungs, at, **STYLES["TI"] | {"linestyle": "-"})
    ax.set(xlim=(-0.03, 1.03), ylim=(slope.min() - 0.08 * reach, slope.max() + 0.08 * reach), xlabel="β")
    ax.set_title("slope of log Z; shaded: missed")
    meanings = {"truth": "exact slope", "TI": "trapezoids", "reference": "half of the rungs"}
    artists.legend(ax, meanings, loc="lower right")


def _draw_errors(ax, n_steps, found, half, one_step):
    guess = found + (found - half) / 3
    artists.curve(ax, "exact", [-0.3, 4.6], [0, 0], "truth")
    artists.words(ax, "exact words", 4.6, -0.03 * one_step, "exact", ha="right")
    artists.marks(ax, "found", 1, found, "TI", markersize=12)
    artists.marks(ax, "half", 4, half, "reference", marker="o", markersize=10)
    if n_steps > 2:  # else they are asked for
        artists.curve(ax, "through", [0, 4], [guess, half], "reference", linewidth=1.8)
        artists.marks(ax, "guess", 0, guess, "estimate", markersize=10)
        text = f"extrapolated: {guess:.2f}".replace("-", "−")
        artists.words(ax, "guess words", -0.2, max(guess, 0) - 0.04 * one_step, text)
    for x, error, name in ((1, found, "all rungs"), (4, half, "half of the rungs")):
        text = f"{name}\n{error:.2f}".replace("-", "−")
        artists.words(ax, f"words {x}", x + 0.25, error + 0.08 * one_step, text, ha="right", va="top")
    ax.set(xlim=(-0.3, 4.7), ylim=(1.35 * one_step, -0.2 * one_step), title="error (nats)")
    ax.set_xlabel("trapezoids K, spaced as 1/K²")
    ax.set_xticks([0, 1, 4], ["∞", n_steps, n_steps // 2])
