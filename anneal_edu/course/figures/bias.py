"""How the bias of the mean log weight falls with the number of steps, and how its cost grows with distance."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import STYLES, projected


@projected()
def bias_against_steps(
    ax: Axes, name: str, n_steps: np.ndarray, forward: np.ndarray, reverse: np.ndarray, style: str
) -> None:
    """Exact bias (n,) against K (n,): forward with full markers, reverse with hollow ones and a thin line.

    Marks stand at every other K, those of the two paths in turn: curves on each other show the marks of both.
    """
    look = STYLES[style] | {"markevery": (int(style == "moments"), 2)}
    hollow = {"markerfacecolor": "white", "markersize": 9, "linewidth": 1.2}
    artists.line(ax, f"{name} reverse", n_steps, reverse, **look | hollow)
    artists.line(ax, f"{name} forward", n_steps, forward, **look | {"markersize": 5})


@projected()
def monte_carlo(ax: Axes, name: str, x: float, estimate: float, std_error: float) -> None:
    """A Monte Carlo estimate with an error bar of 1.96 standard errors."""
    artists.bars(ax, f"{name} bar", x, estimate - 1.96 * std_error, estimate + 1.96 * std_error, "estimate", zorder=5)
    artists.marks(ax, name, x, estimate, "estimate", markersize=8, markeredgecolor="black", zorder=6)


@projected()
def cost_against_distance(ax: Axes, distances: np.ndarray, costs: dict[str, np.ndarray], now: int) -> None:
    """Style → cost (n,) against distance (n,), with rings around the points number ``now``."""
    for name, cost in costs.items():
        artists.line(ax, name, distances, cost, **STYLES[name])
        ring = {"markersize": 14, "markerfacecolor": "none", "markeredgecolor": "black", "markeredgewidth": 2}
        artists.marks(ax, f"{name} now", distances[now], cost[now], name, **ring)
