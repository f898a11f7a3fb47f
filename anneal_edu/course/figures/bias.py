"""How the bias of the mean log weight falls with the number of steps, and where along the path it is lost."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import STYLES, projected

_HOLLOW = {"markerfacecolor": "white", "markersize": 9, "linewidth": 1.2}
_FULL = {"markersize": 5}


@projected()
def bias_against_steps(
    ax: Axes, name: str, n_steps: np.ndarray, forward: np.ndarray, reverse: np.ndarray, style: str
) -> None:
    """Exact bias (n,) against K (n,): forward with full markers, reverse with hollow ones and a thin line.

    Marks stand at every other K, those of the two paths in turn: curves on each other show the marks of both.
    """
    look = STYLES[style] | {"markevery": (int(style == "moments"), 2)}
    artists.line(ax, f"{name} reverse", n_steps, reverse, **look | _HOLLOW)
    artists.line(ax, f"{name} forward", n_steps, forward, **look | _FULL)


@projected()
def monte_carlo(ax: Axes, name: str, x: float, estimate: float, std_error: float) -> None:
    """A Monte Carlo estimate with an error bar of 1.96 standard errors."""
    artists.bars(ax, f"{name} bar", x, estimate - 1.96 * std_error, estimate + 1.96 * std_error, "estimate", zorder=5)
    artists.marks(ax, name, x, estimate, "estimate", markersize=8, markeredgecolor="black", zorder=6)


@projected()
def lost_up_to(
    ax: Axes, name: str, betas: np.ndarray, forward: np.ndarray, reverse: np.ndarray, unit: float, style: str
) -> None:
    """The losses (K,) of the steps between ``betas`` (K+1,), added up from β = 0, as multiples of ``unit``.

    Forward has full markers, reverse hollow ones and a thin line: up to six of each, the last at β = 1.
    """
    places = *(np.arange(1, 6) / 6 - (style == "moments") / 12), 1.0  # curves on each other show the marks of both
    marks = sorted({int(np.abs(betas - place).argmin()) for place in places})
    look = STYLES[style] | {"markevery": marks}
    for direction, losses, marker in (("reverse", reverse, _HOLLOW), ("forward", forward, _FULL)):
        lost = np.append(0.0, np.cumsum(losses)) / unit
        artists.line(ax, f"{name} {direction}", betas, lost, **look | marker)
