"""Runs from both ends, and what Gibbs chains find in the knots of a spline."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import STYLES, projected


@projected()
def knots_seen(axes: list[Axes], splines: dict[str, list[dict]]) -> None:
    """The ink of Gibbs chains in each knot of splines, from the data and from black pages, against β.

    A dashed line has the ink that changes evenly from the start's to the data's, as moments of the data ask for.
    """
    top = 1.25 * max(row["ink"] for rows in splines.values() for row in rows)
    for ax, (title, rows) in zip(axes, splines.items(), strict=True):
        artists.curve(ax, "evenly", *np.array([(row["beta"], row["even"]) for row in rows]).T, "reference")
        for style, began in (("target", "the data"), ("another mode", "black pages")):
            betas, ink = np.array([(row["beta"], row["ink"]) for row in rows if row["began"] == began]).T
            artists.line(ax, style, betas, ink, **STYLES[style])
        ax.set(xlabel="β of the knot", xlim=(-0.03, 1.03), ylim=(0, top), title=title)
    axes[0].set_ylabel("pixels that are on")
    meanings = {"target": "begun at digits", "another mode": "begun at black pages", "reference": "evenly, to the data"}
    artists.legend(axes[-1], meanings, "upper left", **artists.SMALL)


@projected()
def misses(ax: Axes, values: dict[str, np.ndarray]) -> None:
    """How far single estimates of log Z lie off, as a histogram for each direction: style → (C,)."""
    edges = np.linspace(-16, 16, 65)
    for style, value in values.items():
        artists.histogram(ax, style, np.histogram(value, edges)[0] / len(value), edges, style)
    artists.curve(ax, "exact", (0, 0), (0, 1), "truth")
    ax.set(xlim=(-16, 16), ylim=(0, 0.2), xlabel="log Ẑ - log Z of one chain (nats)", title="share of the runs")
    artists.legend(ax, {style: style for style in values} | {"truth": "exact"}, loc="upper left")


@projected()
def as_chains_are_added(ax: Axes, values: dict[str, tuple[str, np.ndarray]]) -> None:
    """How far averages over the first 1, 2, … chains lie above log Z: style → (name, (C,))."""
    for style, (_, value) in values.items():
        artists.curve(ax, style, 1 + np.arange(len(value)), value, style)
    artists.curve(ax, "exact", (1, len(value)), (0, 0), "truth")
    ax.set(xscale="log", xlim=(1, len(value)), ylim=(-0.5, 5), xlabel="reverse chains C", title="nats above log Z")
    artists.legend(ax, {style: name for style, (name, _) in values.items()} | {"truth": "exact"}, loc="upper left")
