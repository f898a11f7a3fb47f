"""Training with chains at one temperature and at many: curves of the log likelihood, for two panels."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import STYLES, projected

METHODS = (
    "CD-1",
    "CD-25",
    "PCD",
    "PCD, 10 steps",
    "PCD, 10 times the chains",
    "PCD, 10 small updates",
    "PT, coin",
    "PT, even-odd",
    "PT, lifted",
)
"""In the order in which they are compared."""


Curves = dict[str, tuple[np.ndarray, np.ndarray]]
"""Method → where it was measured (n,), and log likelihoods (n, seeds)."""


def _squeezed_below(bend: float, unit: float = 1.5):
    """A scale and its inverse: as it is above ``bend``, and logarithmic below, with the same slope there."""

    def squeeze(y):
        return np.where(y < bend, bend - unit * np.log1p(np.maximum(bend - y, 0) / unit), y)

    def stretch(z):
        return np.where(z < bend, bend - unit * np.expm1(np.maximum(bend - z, 0) / unit), z)

    return squeeze, stretch


@projected()
def training_curves(
    ax: Axes,
    curves: Curves,
    best: float | None,
    xlabel: str,
    log: bool,
    limits: tuple[float, float],
    banded: tuple[str, ...] = METHODS,
    squeezed: float | None = None,
) -> None:
    """Median over the seeds of the exact mean log likelihood, and of the ``banded`` methods its range as a band."""
    low = limits[0]
    if squeezed is not None:
        ax.set_yscale("function", functions=_squeezed_below(squeezed))
    elif ax.get_yscale() != "linear":
        ax.set_yscale("linear")
    for method, (x, values) in curves.items():
        shown = np.clip(values, low - 1, None)
        if method in banded:
            artists.band(ax, f"{method} range", x, shown.min(1), shown.max(1), method, alpha=0.2)
        look = STYLES[method] | {"markevery": max(1, len(x) // 6), "markersize": 7}
        artists.line(ax, method, x, np.median(shown, axis=1), **look)
    x_low = 10 ** np.floor(np.log10(min(x[0] for x, _ in curves.values()))) if log else 0
    x_high = max(x[-1] for x, _ in curves.values()) * (1.3 if log else 1.05)
    ax.set(xscale="log" if log else "linear", xlim=(x_low, x_high), ylim=limits, xlabel=xlabel)
    if log:
        ax.xaxis.set_minor_formatter(NullFormatter())
    if best is not None:
        artists.curve(ax, "best", [x_low, x_high], [best, best], "truth")


@projected()
def moment(ax: Axes, curves: Curves, at: int) -> None:
    """A ring around point number ``at`` of every curve's median."""
    low = ax.get_ylim()[0]
    ring = {"marker": "o", "markersize": 15, "markerfacecolor": "none", "markeredgewidth": 2.2}
    ring |= {"clip_on": False}
    for method, (x, values) in curves.items():
        y = max(float(np.median(values[at])), low)
        artists.marks(ax, f"{method} now", x[at], y, method, **ring)
