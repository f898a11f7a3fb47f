"""What moves in a picture: arrays over moments, drawn by matplotlib at one of them, and by the player in between."""

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists


def between(time: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Rows (T, …) at times that may lie between two of them."""
    before = time.astype(int)
    part = (time - before).reshape(-1, *[1] * (rows.ndim - 1))
    return (1 - part) * rows[before] + part * rows[np.minimum(before + 1, len(rows) - 1)]


class Film:
    """The moving things of a picture, at T moments.

    Each method draws a thing as it is ``now``, by named artists, and keeps its arrays for `recorded`. Arrays have one
    row a moment; NaN hides. Axes are linear.

    Parameters
    ----------
    now : int
        The moment that is drawn.
    rate : float
        Moments a second, when it is played.
    """

    def __init__(self, now: int, rate: float):
        self.now, self.rate = now, rate
        self.n_moments = 1
        self._layers: list[tuple[Axes, str, dict[str, Any]]] = []
        self._names: set[tuple[Axes, str]] = set()

    def dots(self, ax: Axes, name: str, x, y, colours: Sequence[str], radius=5.0) -> None:
        """Dots at x, y (T, C), in points ``radius`` (T, C) or a number, each in its colour (C,)."""
        x, y, radius = np.broadcast_arrays(x, y, radius)
        artists.dots(ax, name, x[self.now], y[self.now], radius[self.now], colours)
        self._keep(ax, name, "dots", len(x), x=x, y=y, radius=radius, colours=list(colours))

    def curve(self, ax: Axes, name: str, x, y, style: str, fill: float = 0.0) -> None:
        """A curve through x, (N,) or (T, N), and y (T, N), in the colour of a style, and the area under it."""
        look = artists.STYLES[style]
        x, y = np.broadcast_arrays(x, y)
        artists.curve(ax, name, x[self.now], y[self.now], style, linestyle="-")
        if fill:
            artists.band(ax, name + " area", x[self.now], np.zeros(x.shape[1]), y[self.now], style, alpha=fill)
            self._names.add((ax, name + " area"))
        self._keep(ax, name, "curve", len(y), x=x, y=y, colours=[look["color"]], fill=fill)

    def bars(self, ax: Axes, name: str, edges, low, high, colour: str) -> None:
        """Bars between edges (n + 1,), from ``low`` to ``high`` (T, n)."""
        x = np.repeat(edges, 2)[1:-1]
        corners = np.r_[x, x[::-1]], np.r_[np.repeat(low[self.now], 2), np.repeat(high[self.now], 2)[::-1]]
        artists.area(ax, name, *corners, colour)
        self._keep(ax, name, "bars", len(high), x=edges, low=low, high=high, colours=[colour])

    def trails(self, ax: Axes, name: str, x, y, colours: Sequence[str], width: float = 2.2) -> None:
        """Lines through x (T,) and y (T, C), up to now."""
        for i, colour in enumerate(colours):
            until = slice(self.now + 1)
            artists.line(ax, f"{name} {i}", x[until], y[until, i], color=colour, linewidth=width, solid_capstyle="butt")
            self._names.add((ax, f"{name} {i}"))
        self._keep(ax, name, "trails", len(y), x=x, y=y, colours=list(colours), width=width)

    def strip(self, ax: Axes, name: str, x, which, colours: Sequence[str], low: float, high: float) -> None:
        """A strip between two heights: from x_t to x_{t+1}, (T + 1,), the colour number ``which`` (T,), up to now."""
        rgb = mpl.colors.to_rgba_array(colours)[which[: self.now + 1]]
        artists.image(ax, name, rgb[None], (x[0], x[self.now + 1], low, high), aspect="auto", interpolation="nearest")
        self._keep(ax, name, "strip", len(which), x=x, which=which, y=[low, high], colours=list(colours))

    def links(self, ax: Axes, name: str, ends, style: str, dashed: bool = False) -> None:
        """Straight lines between two points, ends (T, 4, n): x, y, x, y."""
        colour = artists.STYLES[style]["color"]
        ends = np.asarray(ends, dtype=float)
        x, y = ends[self.now][[0, 2]], ends[self.now][[1, 3]]
        gap = np.full((1, x.shape[1]), np.nan)
        found = np.isfinite(x).all(0)
        points = [np.concatenate([part, gap])[:, found].T.ravel() for part in (x, y)]
        if found.any():
            look = {"color": colour, "linewidth": 3.0, "linestyle": ":" if dashed else "-"}
            artists.line(ax, name, *points, gaps=True, **look)
        self._keep(ax, name, "links", len(ends), ends=ends, colours=[colour], dashed=dashed)

    def words(self, ax: Axes, name: str, x, y, texts: Sequence[str], colour="black", align="left") -> None:
        """A text, one a moment, at x, y: (T,) or numbers."""
        x, y = (np.broadcast_to(part, (len(texts),))[:, None] for part in (x, y))
        look = {"color": colour, "ha": align, "fontsize": 13}
        artists.words(ax, name, x[self.now, 0], y[self.now, 0], texts[self.now], **look)
        self._keep(ax, name, "words", len(x), x=x, y=y, texts=list(texts), colours=[colour], align=align)

    def _keep(self, ax: Axes, name: str, kind: str, n_moments: int, **layer: Any) -> None:
        self.n_moments = max(self.n_moments, n_moments)
        self._names.add((ax, name))
        self._layers.append((ax, kind, layer))

    def drawn(self) -> list:
        """The artists that the player draws in place of matplotlib."""
        return [a for ax, name in self._names for a in ax.get_children() if a.get_gid() == name and a.get_visible()]

    def recorded(self) -> dict[str, Any]:
        """What the player needs: arrays in numbers of 32 bits, boxes in shares of the picture, which is one view."""
        layers = []
        for ax, kind, layer in self._layers:
            place = ax.get_position()
            arrays = {name: np.asarray(part, np.float32) for name, part in layer.items() if name in _ARRAYS}
            layers.append(
                {
                    "kind": kind,
                    "axes": ax.figure.axes.index(ax),
                    "box": [place.x0, 1 - place.y1, place.width, place.height],
                    "limits": [*map(float, ax.get_xlim()), *map(float, ax.get_ylim())],
                    "arrays": {name: part.tobytes() for name, part in arrays.items()},
                    "rows": {name: int(np.prod(part.shape[1:])) for name, part in arrays.items()},
                    **{name: part for name, part in layer.items() if name not in _ARRAYS},
                }
            )
        width = self._layers[0][0].figure.get_size_inches()[0]
        return {
            "moments": self.n_moments, "rate": self.rate, "views": [{"points": 72 * float(width), "layers": layers}],
        }  # fmt: skip


_ARRAYS = {"x", "y", "radius", "low", "high", "ends", "which"}
