"""Annealed importance sampling: estimates against the number of steps, and the log weights behind one of them."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import BLACK, STYLES, projected


@projected()
def estimates(ax: Axes, name: str, n_steps: np.ndarray, log_z: np.ndarray, intervals: np.ndarray, style: str) -> None:
    """Estimates log Ẑ (n,) with intervals (n, 2) against the number of steps K (n,)."""
    artists.bars(ax, f"{name} intervals", n_steps, *np.transpose(intervals), style)
    artists.line(ax, name, n_steps, log_z, **STYLES[style])


@projected()
def log_weights(
    ax: Axes, log_weights: dict[str, np.ndarray], log_z: dict[str, float], expected: dict[str, float] | None = None
) -> None:
    """Histograms of log weights; above them, in two rows, the log of each mean weight and the mean of each log weight.

    Parameters
    ----------
    ax : Axes
    log_weights : dict
        Style → log weights (C,).
    log_z : dict
        Style → log Ẑ.
    expected : dict, optional
        Style → exact E[log w], a black bar in the row of the mean log weights.
    """
    every = np.concatenate(list(log_weights.values()))
    low, high = np.quantile(every, 0.005), max(every.max(), 0.0)
    margin = 0.05 * (high - low)
    edges = np.linspace(low - margin, high + margin, 61)
    shares = {name: np.histogram(lw, edges)[0] / len(lw) for name, lw in log_weights.items()}
    top = max(share.max() for share in shares.values())
    upper, lower = 1.45 * top, 1.2 * top
    for i, (name, share) in enumerate(shares.items()):
        aside = 0.09 * top * (0.5 * (len(shares) - 1) - i)
        artists.histogram(ax, f"{name} histogram", share, edges, name)
        artists.marks(ax, f"{name} log Ẑ", log_z[name], upper + aside, name, markersize=10)
        artists.marks(ax, f"{name} mean", log_weights[name].mean(), lower + aside, name, markersize=10)
        if expected is not None:
            tick = {"color": BLACK, "marker": "|", "markersize": 15, "markeredgewidth": 2.5}
            artists.marks(ax, f"{name} expected", expected[name], lower + aside, name, **tick)
            leftmost = min(expected.values())
            artists.words(ax, "exact", leftmost, lower - 0.16 * top, "exact", ha="center", va="center", fontsize=11)
    artists.curve(ax, "truth", [0, 0], [0, 1.6 * top], "truth")
    artists.words(ax, "upper row", edges[0], upper, " log of mean weight", va="center", fontsize=12)
    artists.words(ax, "lower row", edges[0], lower, " mean of log weight", va="center", fontsize=12)
    ax.set(xlim=(edges[0], edges[-1] + margin), ylim=(0, 1.6 * top))
