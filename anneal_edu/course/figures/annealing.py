"""Annealed importance sampling: estimates against the number of steps, and the log weights behind one of them."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import BLACK, STYLES, projected

LOG_WEIGHTS = -150.0, 12.0
"""Ends of the axis of log weights, in nats: the same for every number of steps."""


@projected()
def estimates(ax: Axes, name: str, n_steps: np.ndarray, log_z: np.ndarray, intervals: np.ndarray, style: str) -> None:
    """Estimates log Ẑ (n,) with intervals (n, 2) against the number of steps K (n,)."""
    artists.bars(ax, f"{name} intervals", n_steps, *np.transpose(intervals), style)
    artists.line(ax, name, n_steps, log_z, **STYLES[style])


@projected()
def log_weights(
    ax: Axes, log_weights: dict[str, np.ndarray], log_z: dict[str, float], expected: dict[str, float] | None = None
) -> None:
    """Histograms of log weights; above them, in two rows, log Ẑ, the log of the mean weight, and the mean log weight.

    The share that lies left of `LOG_WEIGHTS` is written at the edge, in the colour of its path.

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
    edges = np.linspace(*LOG_WEIGHTS, 76)
    shares = {name: np.histogram(lw, edges)[0] / len(lw) for name, lw in log_weights.items()}
    top = max(share.max() for share in shares.values())
    upper, lower = 1.6 * top, 1.3 * top
    for i, (name, share) in enumerate(shares.items()):
        aside = 0.09 * top * (0.5 * (len(shares) - 1) - i)
        artists.histogram(ax, f"{name} histogram", share, edges, name)
        artists.marks(ax, f"{name} log Ẑ", log_z[name], upper + aside, name, markersize=10)
        artists.marks(ax, f"{name} mean", log_weights[name].mean(), lower + aside, name, markersize=10)
        beyond = np.mean(log_weights[name] < edges[0])
        if beyond >= 0.005:
            look = {"color": STYLES[name]["color"], "fontsize": 12}
            artists.words(ax, f"{name} beyond", edges[0], (0.6 - 0.25 * i) * top, f"← {beyond:.0%}", **look)
        if expected is not None:
            tick = {"color": BLACK, "marker": "|", "markersize": 15, "markeredgewidth": 2.5}
            artists.marks(ax, f"{name} expected", expected[name], lower + aside, name, **tick)
            leftmost = min(expected.values())
            artists.words(ax, "exact", leftmost - 6, lower, "exact", ha="right", va="center", fontsize=11)
    artists.curve(ax, "truth", [0, 0], [0, 1.8 * top], "truth")
    ax.set(xlim=LOG_WEIGHTS, ylim=(0, 1.8 * top), yticks=(lower, upper))
    ax.set_yticklabels(("mean of\nlog w", "log Ẑ"))
