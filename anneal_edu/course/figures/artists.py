"""Named artists: made by the first call, moved by every later one with the same Axes and name.

A function built from them draws on a fresh Axes and redraws on a used one, so that panels and notebooks share it.
Redrawing this way takes half the time of clearing the Axes.
"""

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from anneal_edu.course.figures.style import STYLES

SMALL = {"fontsize": 13, "handlelength": 2.6, "borderpad": 0.2, "labelspacing": 0.25}
"""Layout of a legend where there is little room."""


def _find(ax: Axes, name: str) -> Artist | None:
    return next((artist for artist in ax.get_children() if artist.get_gid() == name), None)


def hide_named(figure: Figure) -> list[Artist]:
    """Hide and return all visible named artists: the next call for one shows it again, the others stay away."""
    named = [artist for ax in figure.axes for artist in ax.get_children() if artist.get_gid() is not None]
    visible = [artist for artist in named if artist.get_visible()]
    for artist in visible:
        artist.set_visible(False)
    return visible


def line(ax: Axes, name: str, x, y, gaps: bool = False, **look) -> None:
    """A line or markers through (x, y); ``look`` holds properties of a Line2D.

    A point that is not finite would silently be missing from the picture, and raises ValueError, except a NaN that
    separates pieces of the line where ``gaps`` is true.
    """
    odd = np.isinf([x, y]) if gaps else ~np.isfinite([x, y])
    if odd.any():
        raise ValueError(f"{odd.any(axis=0).sum()} points of {name!r} are not finite numbers and cannot be drawn")
    artist = _find(ax, name)
    if artist is None:
        artist = ax.add_line(Line2D([], [], gid=name))
    artist.set(data=(np.atleast_1d(x), np.atleast_1d(y)), visible=True, **look)


def curve(ax: Axes, name: str, x, y, style: str, **look) -> None:
    """A line without markers in the colour and line style of ``STYLES[style]``."""
    line(ax, name, x, y, **STYLES[style] | {"marker": "None"} | look)


def marks(ax: Axes, name: str, x, y, style: str, **look) -> None:
    """Markers without a line in the colour and shape of ``STYLES[style]``."""
    line(ax, name, x, y, **STYLES[style] | {"linestyle": "None"} | look)


def pieces(at, low, high) -> tuple[np.ndarray, np.ndarray]:
    """Separate straight pieces as one line, (3 n,) each: where they stand, and from ``low`` to ``high``, then NaN."""
    at, low, high = np.broadcast_arrays(*map(np.atleast_1d, (at, low, high)))
    return np.repeat(at.astype(float), 3), np.column_stack([low, high, np.full(len(at), np.nan)]).ravel()


_CAPS = {"linestyle": "-", "markersize": 10, "markeredgewidth": 2, "linewidth": 2}


def bars(ax: Axes, name: str, x, low, high, style: str, **look) -> None:
    """Vertical error bars with caps from ``low`` to ``high``."""
    line(ax, name, *pieces(x, low, high), gaps=True, **STYLES[style] | _CAPS | {"marker": "_"} | look)


def level_bars(ax: Axes, name: str, low, high, y, style: str, **look) -> None:
    """Horizontal error bars with caps from ``low`` to ``high``."""
    line(ax, name, *pieces(y, low, high)[::-1], gaps=True, **STYLES[style] | _CAPS | {"marker": "|"} | look)


def band(ax: Axes, name: str, x, low, high, style: str, **look) -> None:
    """A transparent band between ``low`` and ``high``."""
    corners = np.column_stack([np.r_[x, x[::-1]], np.r_[low, high[::-1]]])
    artist = _find(ax, name)
    if artist is None:
        artist = ax.add_patch(Polygon(corners, gid=name, facecolor=STYLES[style]["color"], edgecolor="none"))
    artist.set(xy=corners, visible=True, **{"alpha": 0.2} | look)


def area(ax: Axes, name: str, x, y, colour: str, **look) -> None:
    """A filled area with these corners."""
    artist = _find(ax, name)
    if artist is None:
        artist = ax.add_patch(Polygon(np.column_stack([x, y]), gid=name, edgecolor="none"))
    artist.set(xy=np.column_stack([x, y]), facecolor=colour, visible=True, **look)


def dots(ax: Axes, name: str, x, y, radius, colours) -> None:
    """Dots with a dark rim; their radii are in points, those at NaN are not seen."""
    artist = _find(ax, name)
    if artist is None:
        artist = ax.scatter([], [], gid=name, edgecolors="black", linewidths=0.8, alpha=0.8, zorder=3)
    artist.set(offsets=np.column_stack([x, y]), sizes=4 * np.asarray(radius) ** 2, facecolors=colours, visible=True)


def histogram(ax: Axes, name: str, heights, edges, style: str, **look) -> None:
    """Outline and light filling of a histogram with given bar heights (n,) and edges (n + 1,)."""
    x, y = np.repeat(edges, 2), np.r_[0.0, np.repeat(heights, 2), 0.0]
    band(ax, name + " area", x, np.zeros_like(y), y, style)
    curve(ax, name, x, y, style, **{"linewidth": 2} | look)


def image(ax: Axes, name: str, pixels: np.ndarray, extent, **look) -> None:
    """An array as a picture between the ends ``extent`` (left, right, bottom, top)."""
    artist = _find(ax, name)
    if artist is None:
        artist = ax.imshow(pixels, gid=name, **look)
    artist.set(data=pixels, extent=extent, visible=True)


def words(ax: Axes, name: str, x: float, y: float, text: str, **look) -> None:
    """A text at (x, y) in data coordinates; pass ``transform=ax.transAxes`` for fractions of the Axes."""
    artist = _find(ax, name)
    if artist is None:
        artist = ax.text(x, y, text, gid=name)
    artist.set(position=(x, y), text=text, visible=True, **look)


def log_x(ax: Axes, label: str, ticks, limits: tuple[float, float]) -> None:
    """A logarithmic x axis with ticks at these numbers alone."""
    ax.set(xscale="log", xlim=limits, xlabel=label, xticks=ticks, xticklabels=[f"{tick:,}" for tick in ticks])
    ax.minorticks_off()


def log_y(ax: Axes, low: float, high: float, title: str) -> None:
    """A logarithmic y axis from ``low`` to ``high``, with those of 0.001, 0.002, 0.005, …, 50 that lie between."""
    rounded = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
    ticks = [tick for tick in rounded if low <= tick <= high]
    ax.set(yscale="log", ylim=(low, high), yticks=ticks, yticklabels=[f"{tick:g}" for tick in ticks], title=title)
    ax.minorticks_off()


def squeezed_y(ax: Axes, linear: float, ticks, low: float, high: float) -> None:
    """A y axis from ``low`` to ``high`` that is linear up to ±``linear`` and logarithmic beyond, with these ticks."""
    ax.set_yscale("symlog", linthresh=linear)
    ax.set(ylim=(low, high), yticks=ticks, yticklabels=_with_minus(ticks))
    ax.minorticks_off()


def _with_minus(ticks) -> list[str]:
    return [f"{tick:g}".replace("-", "−") for tick in ticks]


def legend(ax: Axes, meanings: dict[str, str], loc: str, **layout) -> None:
    """A legend of styles, ``{"geometric": "geometric path"}``, at ``loc``; ``layout`` goes to `Axes.legend`.

    Draw first: what was drawn as a line without marks, or as marks without a line, is shown so.
    """
    shown = ax.get_legend()
    if shown is None or [text.get_text() for text in shown.get_texts()] != list(meanings.values()):
        handles = [Line2D([], [], label=meaning, **_as_drawn(ax, style)) for style, meaning in meanings.items()]
        ax.legend(handles=handles, **layout)
    ax.get_legend().set_loc(loc)


def _as_drawn(ax: Axes, style: str) -> dict:
    """The look of a style, without its mark or its line where no artist of its colour has one."""
    look = STYLES[style]
    own = [artist for artist in ax.lines if artist.get_visible() and artist.get_color() == look["color"]]
    drawn = [artist for artist in own if artist.get_marker() not in ("_", "|")]  # but for the caps of error bars
    missing = {
        "marker": all(artist.get_marker() == "None" for artist in drawn),
        "linestyle": all(artist.get_linestyle() == "None" for artist in drawn),
    }
    return look | {part: "None" for part, absent in missing.items() if drawn and absent}
