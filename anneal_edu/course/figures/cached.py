"""A figure that redraws fast: the pixels of its axes and legends are cached while these do not change."""

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.legend import Legend

from anneal_edu.course.figures.style import LectureFigure

_ZORDERS = {"axes": 2.5, "legend": 5.0}


class CachedArtist(Artist):
    """Shows cached pixels in place of ``parts``, and makes them anew when ``state`` changes."""

    def __init__(self, zorder: float):
        super().__init__()
        self.set_zorder(zorder)
        self.parts: list[Artist] = []
        self.state: Any = None
        self._shown: Any = None
        self._pixels = np.empty((0, 0, 4), dtype=np.uint8)
        self._place = 0, 0

    def draw(self, renderer) -> None:
        """Put the pixels on the canvas; make them first if the state has changed."""
        if self._shown != self.state:
            self._make(renderer)
            self._shown = self.state
        if self._pixels.size:
            renderer.draw_image(renderer.new_gc(), *self._place, self._pixels)

    def _make(self, renderer) -> None:
        alone = RendererAgg(renderer.width, renderer.height, renderer.dpi)
        for part in self.parts:
            part.set_visible(True)
            part.draw(alone)
            part.set_visible(False)
        pixels = np.asarray(alone.buffer_rgba())[::-1]  # from the bottom upwards
        rows, columns = (np.flatnonzero(pixels[..., 3].any(axis)) for axis in (1, 0))
        if not rows.size:
            self._pixels = pixels[:0]
            return
        self._place = int(columns[0]), int(rows[0])
        self._pixels = pixels[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].copy()


class CachedFigure(LectureFigure):
    """A `LectureFigure` that draws axes and legends, which take most of the time, only when they change.

    Watched are the place, scale, limits, ticks, tick labels and label of an axis, and the place of a legend; colours
    and sizes are not.

    Examples
    --------
    >>> figure = CachedFigure()
    >>> (ax,) = figure.columns(1)
    >>> figure.png() == figure.png()
    True
    """

    def __init__(self, *size: float, **options: float):
        super().__init__(*size, **options)
        self._cached: dict[tuple[Axes | LectureFigure, str], CachedArtist] = {}

    def pixels(self) -> np.ndarray:
        """Draw, and return the picture as an array of shape (height, width, 4)."""
        kept = [each for ax in self.axes for each in self._of_axes(ax)]
        legends = [legend for legend in self.legends if legend.get_visible()]
        kept.append(self._one(self, "legend", legends, [_of_legend(legend) for legend in legends]))
        hidden = [part for each in kept for part in each.parts]
        for part in hidden:
            part.set_visible(False)
        try:
            return super().pixels()
        finally:
            for part in hidden:
                part.set_visible(True)

    def _of_axes(self, ax: Axes) -> list[CachedArtist]:
        axes = [ax.xaxis, ax.yaxis] if ax.axison else []
        spines = [*ax.spines.values()] if ax.axison else []
        parts = [part for part in [*spines, *axes] if part.get_visible()]
        state = ax.bbox.bounds, ax.get_visible(), len(parts), [_of_axis(axis) for axis in axes]
        found, legend = [self._one(ax, "axes", parts, state)], ax.get_legend()
        shown = [legend] if legend is not None and legend.get_visible() else []
        return [*found, self._one(ax, "legend", shown, [ax.bbox.bounds, *map(_of_legend, shown)])]

    def _one(self, owner: Axes | LectureFigure, name: str, parts: list[Artist], state: Any) -> CachedArtist:
        """The picture of these parts, made by the first call."""
        if (owner, name) not in self._cached:
            self._cached[owner, name] = owner.add_artist(CachedArtist(_ZORDERS[name]))
        found = self._cached[owner, name]
        found.parts, found.state = parts, state
        return found


def _of_axis(axis: Axis) -> tuple:
    """Everything that changes on an axis."""
    ticks, small = axis.get_majorticklocs(), axis.get_minorticklocs()
    words = axis.get_major_formatter().format_ticks(ticks)
    shades = [tick.label1.get_alpha() for tick in axis.get_major_ticks(len(ticks))]
    return axis.get_scale(), *axis.get_view_interval(), *ticks, *small, *words, *shades, axis.get_label_text()


def _of_legend(legend: Legend) -> tuple:
    return legend, legend._get_loc()  # type: ignore[attr-defined]
