"""A figure that redraws fast: the pixels of its axes, legends and words are cached while these do not change."""

from functools import lru_cache
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
        alone = _remembers_words(RendererAgg(renderer.width, renderer.height, renderer.dpi))
        for part in self.parts:
            part.set_visible(True)
            part.draw(alone)
            part.set_visible(False)
        left, top, pixels = _cropped(alone)
        self._place, self._pixels = (left, int(alone.height) - top - len(pixels)), pixels[::-1]  # from below


def _cropped(renderer: RendererAgg) -> tuple[int, int, np.ndarray]:
    """Left, top and pixels of what has been drawn."""
    pixels = np.asarray(renderer.buffer_rgba())
    rows, columns = (np.flatnonzero(pixels[..., 3].any(axis)) for axis in (1, 0))
    if not rows.size:
        return 0, 0, pixels[:0]
    return int(columns[0]), int(rows[0]), pixels[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].copy()


@lru_cache(maxsize=1000)
def _ink(size: tuple[float, float, float], *text: Any) -> tuple[int, int, np.ndarray]:
    """Left, bottom and the share of ink in each pixel of a text: x, y, words, font, angle, is it mathematics."""
    alone = RendererAgg(*size)
    alone.draw_text(alone.new_gc(), *text)
    left, top, pixels = _cropped(alone)
    return left, top + len(pixels), pixels[..., 3].copy()


def _remembers_words(renderer: RendererAgg) -> RendererAgg:
    """Let it draw each text, of which the letters cost most of a picture, from the ink of the last time."""
    size = renderer.width, renderer.height, renderer.dpi

    def draw_text(gc, x, y, words, font, angle, ismath=False, mtext=None):
        left, bottom, ink = _ink(size, x, y, words, font, angle, ismath)
        if ink.size:
            renderer._renderer.draw_text_image(ink, left, bottom, 0, gc)

    renderer.draw_text = draw_text
    return renderer


class CachedFigure(LectureFigure):
    """A `LectureFigure` that draws axes, legends and words, which take most of the time, only when they change.

    Watched are words, and the place, scale, limits, ticks, tick labels and label of an axis, and the place of a legend;
    colours and sizes of axes and legends are not.
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
        _remembers_words(self.canvas.get_renderer())
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
