"""Training with chains at one temperature and at many: likelihoods, and where the negative particles stand."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
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

BRIEF = {"PCD, 10 times the chains": "PCD, 10 × chains", "PCD, 10 small updates": "PCD, small updates"}
"""Names that are shorter where a row has little room."""

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
    """Median over the seeds of the exact mean log likelihood, and of the ``banded`` methods its range as a band.

    Parameters
    ----------
    ax : Axes
    curves : dict
        The methods to be drawn.
    best : float or None
        The largest log likelihood that any model can have, where it is known.
    xlabel : str
    log : bool
        Logarithmic x axis.
    limits : (low, high)
        Of the y axis.
    squeezed : float or None
        Below this the y axis is logarithmic.
    """
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
def comparison(
    ax: Axes,
    values: dict[str, np.ndarray],
    costs: dict[str, int],
    best: float | None,
    limits: tuple[float, float],
    drawn: list[str],
) -> None:
    """One row a method: median and range over the seeds of the log likelihoods (seeds,); ◄ where it goes on.

    The names are the key to curves beside it: methods that are not ``drawn`` there are pale.
    """
    low = limits[0]
    for row, (method, found) in enumerate(values.items()):
        shown = np.clip(found, low, None)
        ends, alpha = [shown.min(), shown.max()], 1.0 if method in drawn else 0.5
        artists.curve(ax, f"{method} range", ends, [row, row], method, linestyle="-", linewidth=2.5, alpha=alpha)
        artists.marks(ax, method, np.median(shown), row, method, markersize=9, alpha=alpha)
        if found.min() < low:
            artists.marks(ax, f"{method} beyond", low, row, method, marker=8, markersize=9, clip_on=False)
    if best is not None:
        artists.curve(ax, "best", [best, best], [-0.6, len(values) - 0.4], "truth")
    ax.set(
        xlim=limits,
        ylim=(len(values) - 0.4, -0.6),
        yticks=range(len(values)),
        yticklabels=[f"{BRIEF.get(method, method)} ({costs[method]})" for method in values],
    )
    for method, label in zip(values, ax.get_yticklabels(), strict=True):
        label.set_alpha(1.0 if method in drawn else 0.6)


@projected()
def picture_strip(ax: Axes, pictures: np.ndarray, top: float) -> None:
    """Small pictures (N, size²) under the x axis, each below its x = 0, 1, …; ``top`` is the y limit.

    They stand in two rows by turns, so that each may be two units wide.
    """
    n, size, height = len(pictures), round(pictures.shape[1] ** 0.5), 0.14 * top
    for i, picture in enumerate(pictures):
        framed = np.pad(1 - picture.reshape(size, size), 1, constant_values=0.75)
        upper = -0.02 * top - (i % 2) * height
        extent = (i - 0.95, i + 0.95, upper - height, upper)
        ax.imshow(framed, cmap="gray", extent=extent, aspect="auto", vmin=0, vmax=1)
    ax.set(xlim=(-1.2, n + 0.2), ylim=(-0.02 * top - 2 * height, top), xticks=[])


@projected()
def occupation(ax: Axes, model: np.ndarray, particles: np.ndarray, style: str, title: str) -> None:
    """The model's exact probability of each picture, as bars, and the share of particles on it, as marks.

    Both arrays are (N + 1,); the last entry, the mass on none of the pictures, is written below. Both numbers of the
    likeliest picture are written above its bar.
    """
    x, top = np.arange(len(model) - 1), ax.get_ylim()[1]
    ax.set_xlabel(f"▮ model   × particles\nelsewhere ▮ {model[-1]:.0%} × {particles[-1]:.0%}", labelpad=4)
    for i, p in enumerate(model[:-1]):
        corners = i + np.array([-0.36, 0.36])
        artists.band(ax, f"model {i}", corners, np.zeros(2), np.full(2, min(p, top)), style, alpha=0.55)
    look = {"marker": "x", "markersize": 8, "markeredgewidth": 2.4}
    artists.marks(ax, "particles", x, np.minimum(particles[:-1], 0.98 * top), "truth", **look)
    likeliest = int(model[:-1].argmax())
    height = min(max(model[likeliest], particles[likeliest]), 0.85 * top) + 0.02 * top
    side = "left" if 2 * likeliest < len(x) else "right"
    said = f"▮ {model[likeliest]:.0%}, × {particles[likeliest]:.0%}"
    artists.words(ax, "likeliest", likeliest, height, said, ha=side, va="bottom", fontsize=13)
    ax.set_title(title)


@projected()
def moment(ax: Axes, curves: Curves, at: int) -> None:
    """A ring around point number ``at`` of every curve's median."""
    low = ax.get_ylim()[0]
    ring = {"marker": "o", "markersize": 15, "markerfacecolor": "none", "markeredgewidth": 2.2}
    ring |= {"clip_on": False}
    for method, (x, values) in curves.items():
        y = max(float(np.median(values[at])), low)
        artists.marks(ax, f"{method} now", x[at], y, method, **ring)


@projected()
def legend(ax: Axes, labels: dict[str, str], loc: str) -> None:
    """Say which look belongs to which method, ``{method: label}``, and what the dots of the truth are."""
    handles = [Line2D([], [], label=label, **STYLES[method]) for method, label in labels.items()]
    handles.append(Line2D([], [], label="best", **STYLES["truth"] | {"marker": "None"}))
    ax.legend(handles=handles, loc=loc, **artists.SMALL)
