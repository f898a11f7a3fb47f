"""The shared base of all slider panels. `Panel` is the guide for writing one."""

import base64
import inspect
from collections.abc import Generator, Iterable
from html import escape
from typing import Any, ClassVar, NamedTuple, Self

import ipywidgets as widgets
from matplotlib.axes import Axes

from anneal_edu.course.figures.artists import hide_named
from anneal_edu.course.figures.style import LectureFigure, projected
from anneal_edu.course.panels.controls import Recipe

_ROW = {"flex_flow": "row wrap", "align_items": "center", "grid_gap": "2px 24px"}
_STALE = "The settings have changed: press Run to see what they do."
_CSS = """<style>
.anneal-edu-words p {font-size: 17px; line-height: 1.35; font-weight: 600; margin: 2px 0 6px; max-width: 62em}
.anneal-edu-words span {display: inline-block; font-size: 15px; margin-right: 1.6em; font-variant-numeric: tabular-nums}
.anneal-edu-presented .widget-image {max-height: 62vh; object-fit: contain; object-position: left}
.anneal-edu-presented .anneal-edu-words p {font-size: 25px}
.anneal-edu-presented .anneal-edu-words span {font-size: 23px}
.anneal-edu-presented .widget-label, .anneal-edu-presented .widget-readout {font-size: 20px}
.anneal-edu-presented .widget-slider {width: 500px !important}
.anneal-edu-presented .widget-toggle-button, .anneal-edu-presented input {font-size: 18px}
</style>"""


class Reading(NamedTuple):
    """What a panel says in words about what it has drawn.

    Attributes
    ----------
    takeaway : str
        One sentence. It is compared on other machines: exact numbers, verdicts with a margin, one or two safe digits.
    readout : dict
        Label → text of each number shown under the plot; Monte Carlo numbers are welcome here.
    """

    takeaway: str
    readout: dict[str, str]


def gathered(source: Iterable, number: int) -> Generator[float, None, list]:
    """The work of listing all of ``source``: yields the share of ``number`` that is there, and returns the list."""
    found = []
    yield 0.0
    for each in source:
        found.append(each)
        yield len(found) / number
    return found


class Panel(widgets.VBox):
    """Sliders, a picture, a sentence and a few numbers; displayed like any widget, and by itself in a static page.

    A subclass declares what can be moved and draws it:

    >>> import numpy as np
    >>> from anneal_edu.course.figures import artists
    >>> from anneal_edu.course.panels.controls import slider
    >>> class Wave(Panel):
    ...     title = "A wave"
    ...     picture = "A sine wave between -2 and 2."
    ...     controls = {"height": slider("height", 1.0, 0.0, 2.0, 0.1)}
    ...
    ...     def make_axes(self, figure):
    ...         (ax,) = figure.columns(1)
    ...         ax.set(xlim=(0, 6.3), ylim=(-2.1, 2.1), xlabel="x")
    ...         return [ax]
    ...
    ...     def draw(self, height):
    ...         x = np.linspace(0, 6.3, 100)
    ...         artists.curve(self.axes[0], "wave", x, height * np.sin(x), "estimate")
    ...         return Reading(f"The wave is {2 * height:g} high.", {"from top to bottom": f"{2 * height:.2f}"})
    >>> panel = Wave(height=0.5)
    >>> panel.height.value = 1.5
    >>> print(panel)
    A wave
      height 1.5
      The wave is 3 high.
    >>> panel.close()

    * ``controls`` maps names to recipes from `anneal_edu.course.panels.controls`. Each becomes an attribute
      (`panel.height`, a widget), a keyword of `draw` (its value) and of the constructor (the value to open with).
      Setting ``panel.height.value`` has redrawn when the statement returns.
    * `draw` is a pure function of the control values, so that the same settings give the same picture, byte for byte.
      Random numbers come from ``np.random.default_rng(seed)``, made anew in each call from the value of a control
      ``"seed": controls.seed()``: then another slider moves the curve for its parameter, not for noise. Keep what is
      slow to compute in a module-level function under `functools.lru_cache`.
    * Draw with the named artists of `anneal_edu.course.figures.artists`, best through a function in
      `anneal_edu.course.figures` that notebooks can use too: an artist is made once, then moved, and hidden by a `draw`
      that does not call for it. Set limits and titles that depend on the settings in `draw`, all others in `make_axes`.
    * Redraws of up to 80 ms are live. Up to 500 ms, pass ``live=False`` to the controls: they redraw on release.
      For slower ones make `draw` a generator: before it touches an artist it yields, between pieces of the slow work,
      the fraction done, and it returns the `Reading`. The panel then has a Run button and a progress bar, and covers
      its picture from a change until Run is pressed (or `run()` is called). A `draw` that finds all its work done
      already (``found = yield from self.once(settings, work)``) yields nothing: then the change is shown at once.
    * What goes wrong in `draw` is raised by the statement that moved the control, and shown under the plot.
    * Close a panel that a long session no longer needs: ipywidgets keeps every open widget alive.
    """

    title: ClassVar[str]
    picture: ClassVar[str]
    """What is seen where, for readers who cannot see it."""
    controls: ClassVar[dict[str, Recipe]]
    size: ClassVar[tuple[float, float]] = (10.0, 4.5)
    """Width and height of the picture in inches, of 100 pixels each."""
    columns: ClassVar[tuple[float, ...]] = (1, 1)
    """Relative widths of the Axes, side by side."""
    gap: ClassVar[float] = 0.95
    """Inches between two of them."""

    figure: LectureFigure
    axes: list[Axes]
    takeaway: str
    readout: dict[str, str]

    def make_axes(self, figure: LectureFigure) -> list[Axes]:
        """Create the Axes that `draw` finds in `self.axes`, with everything on them that never changes."""
        return figure.columns(*self.columns, gap=self.gap)

    def draw(self, **values) -> Reading | Generator[float, None, Reading]:
        """Draw the state that the control values describe on `self.axes`."""
        raise NotImplementedError

    def __init__(self, **values):
        for name in values.keys() - self.controls.keys():
            raise TypeError(f"{type(self).__name__} has no control {name!r}; it has {', '.join(self.controls)}")
        self._runs: dict[tuple, Any] = {}
        self._controls = {name: recipe() for name, recipe in self.controls.items()}
        for name, value in values.items():
            self._controls[name].value = value
            if self._controls[name].value != value:
                raise ValueError(f"{name} cannot be {value!r}: its control stops at {self._controls[name].value!r}")
        self._image = widgets.Image(format="png", layout={"max_width": "100%"})  # a tooltip breaks its view
        self._words = widgets.HTML().add_class("anneal-edu-words")
        self._progress = widgets.FloatProgress(min=0.0, max=1.0)
        run_button = widgets.Button(description="Run", button_style="primary", icon="play")
        run_button.on_click(lambda _button: self.run())
        rows = [widgets.Box([*self._controls.values()], layout=_ROW)]
        self._slow = inspect.isgeneratorfunction(self.draw)
        if self._slow:
            rows.append(widgets.HBox([run_button, self._progress]))
        super().__init__([*rows, self._image, self._words])
        for name, control in self._controls.items():
            if hasattr(self, name):
                raise TypeError(f"a control cannot be named {name!r}: panels have an attribute of that name")
            setattr(self, name, control)
            control.observe(self._control_moved, "value")
        self._open_figure(presentation=False)

    @property
    def values(self) -> dict:
        """Name → present value of every control."""
        return {name: control.value for name, control in self._controls.items()}

    def run(self) -> None:
        """Draw the present settings, however long it takes, as the Run button of a slow panel does."""
        self._update(wait=True)

    def present(self) -> Self:
        """Turn into the lecture version and return it: larger letters, thicker lines, a picture as wide as the page."""
        self._open_figure(presentation=True)
        self.add_class("anneal-edu-presented")
        return self

    def close(self) -> None:
        """Close the panel and every widget in it, and let go of the figure."""
        parts = [*self.children]
        for part in parts:
            parts.extend(getattr(part, "children", ()))
        for part in [*parts, super()]:
            for belonging in (getattr(part, "layout", None), getattr(part, "style", None)):
                if belonging is not None:
                    belonging.close()
            part.close()

    def once(self, settings: tuple, work: Generator[float, None, Any]) -> Generator[float, None, Any]:
        """What ``work`` returns for these settings: done, with the fractions it yields, where that was not done yet."""
        if settings not in self._runs:
            self._runs[settings] = yield from work
        return self._runs[settings]

    def _open_figure(self, presentation: bool) -> None:
        self.figure = LectureFigure(*self.size, presentation=presentation)
        with projected():
            self.axes = self.make_axes(self.figure)
        self._image.layout.width = "100%" if presentation else f"{100 * self.size[0]:.0f}px"
        self.run()

    def _control_moved(self, _change) -> None:
        self._update(wait=not self._slow)

    @projected()
    def _update(self, wait: bool) -> None:
        try:
            reading = self._draw(wait)
        except Exception as error:
            self._show(f"{type(error).__name__}: {error}", {})
            raise
        self.figure.cover("" if reading else "press Run")
        self._image.value = self.figure.png()
        self._show(*(reading or (_STALE, {})))

    def _draw(self, wait: bool) -> Reading | None:
        """Move the artists; None, and nothing moved, where this takes work for which the panel is not to wait."""
        hidden = hide_named(self.figure)
        drawing = self.draw(**self.values)
        while self._slow:
            try:
                self._progress.value = next(drawing) if wait else 0.0 * next(drawing)
            except StopIteration as end:
                self._progress.value = 1.0
                return end.value
            if not wait:
                for artist in hidden:
                    artist.set_visible(True)
                return None
        return drawing

    def _show(self, takeaway: str, readout: dict[str, str]) -> None:
        self.takeaway, self.readout = takeaway, readout
        numbers = " ".join(f"<span>{escape(label)} <b>{escape(text)}</b></span>" for label, text in readout.items())
        self._words.value = f"{_CSS}<p role='status'>{escape(takeaway)}</p><div>{numbers}</div>"

    def __repr__(self) -> str:
        settings = (
            f"{name} {value:g}" if isinstance(value, int | float) else f"{name} {value}"
            for name, value in self.values.items()
        )
        return f"{self.title}\n  {', '.join(settings)}\n  {self.takeaway}"

    def _repr_mimebundle_(self, **kwargs) -> tuple[dict, dict]:
        """The widget; for readers without a kernel also its picture, with alt text, and its settings in words."""
        png = base64.b64encode(bytes(self._image.value)).decode("ascii")
        alt = f"{self.title}. {self.picture} {self.takeaway}"
        bundle = super()._repr_mimebundle_(**kwargs) | {"text/plain": repr(self), "image/png": png}
        return bundle, {"image/png": {"alt": alt}}
