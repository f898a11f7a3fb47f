"""Importance sampling: draws, weights, and where the estimate leaves the truth."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import projected


@projected()
def densities(ax: Axes, x: np.ndarray, start: np.ndarray, target: np.ndarray, draws: np.ndarray) -> None:
    """The densities of start and target (n,) at x (n,), and a tick under the axis for each of ``draws``."""
    top = max(start.max(), target.max())
    artists.band(ax, "start area", x, np.zeros_like(x), start, "start")
    artists.curve(ax, "start", x, start, "start", linestyle="-")
    artists.curve(ax, "target", x, target, "target")
    tick = {"marker": "|", "markersize": 12, "markeredgewidth": 1, "alpha": 0.5}
    artists.marks(ax, "draws", draws, np.full(len(draws), -0.12 * top), "start", **tick)
    ax.set(xlim=(x[0], x[-1]), ylim=(-0.24 * top, 1.45 * top))


@projected()
def weight_shares(ax: Axes, draws: np.ndarray, shares: np.ndarray) -> None:
    """A stem at each draw (n,), as high as its share (n,) of the total weight."""
    stems = artists.pieces(draws, 0.0, shares)
    artists.curve(ax, "stems", *stems, "estimate", gaps=True, linestyle="-", linewidth=1.8)
    artists.marks(ax, "heads", draws, shares, "estimate", markersize=5)


@projected()
def estimate_against(
    ax: Axes, x: np.ndarray, log_z: np.ndarray, low: np.ndarray, high: np.ndarray, truth: float, now: int
) -> None:
    """log Ẑ (n,) with its interval against x (n,), the truth, and a ring around point number ``now``."""
    artists.band(ax, "interval", x, low, high, "estimate", alpha=0.35)
    artists.curve(ax, "log Ẑ", x, log_z, "estimate", linestyle="-")
    artists.curve(ax, "truth", x[[0, -1]], [truth, truth], "truth")
    artists.bars(ax, "interval now", x[now], low[now], high[now], "estimate")
    artists.marks(ax, "now", x[now], log_z[now], "estimate", markersize=11, markeredgecolor="black")
