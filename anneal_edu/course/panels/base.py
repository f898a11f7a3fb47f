"""The shared base of all slider panels. `Panel` is the guide for writing one."""

import asyncio
import base64
import inspect
import random
from collections import deque
from collections.abc import Generator
from contextlib import nullcontext
from itertools import islice
from typing import Any, ClassVar, NamedTuple, Self

import ipywidgets as widgets
from matplotlib.axes import Axes

from anneal_edu.course.figures.artists import hide_named
from anneal_edu.course.figures.cached import CachedFigure
from anneal_edu.course.figures.film import Film
from anneal_edu.course.figures.style import projected
from anneal_edu.course.panels.controls import Recipe, is_slider, next_frame, step
from anneal_edu.course.panels.stage import Stage


class Readout(NamedTuple):
    """The words of a panel about its picture.

    Attributes
    ----------
    takeaway : str
        One sentence. It is compared on other machines: exact numbers, verdicts with a margin, one or two safe digits.
    readout : dict
        Label → text of each number shown under the plot; Monte Carlo numbers are welcome here.
    film : Film, optional
        What moves, when the slider ``plays`` does.
    """

    takeaway: str
    readout: dict[str, str]
    film: Film | None = None


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
    ...         return Readout(f"The wave is {2 * height:g} high.", {"from top to bottom": f"{2 * height:.2f}"})
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
    * Draw with the named artists of `anneal_edu.course.figures.artists`: an artist is made once, then moved, and hidden
      by a `draw` that does not call for it. What one panel draws stands in its file, what a notebook draws too in
      `anneal_edu.course.figures`. Set limits and titles that depend on the settings in `draw`, others in `make_axes`.
    * Redraws of up to 80 ms are live. Up to 500 ms, pass ``live=False`` to the controls: they redraw on release.
      For slower ones make `draw` a generator: before it touches an artist it yields, between pieces of the slow work,
      the fraction done, and it returns the `Readout`. The panel then has a Run button and a progress bar, and covers
      its picture from a change until Run is pressed (or `run()` is called). A `draw` that finds all its work done
      already (``found = yield from self.once(settings, work)``) yields nothing: then the change is shown at once.
    * What goes wrong in `draw` is raised by the statement that moved the control, and shown under the plot.
    * Close a panel that a long session no longer needs: ipywidgets keeps every open widget alive.
    """

    title: ClassVar[str]
    picture: ClassVar[str]
    """What is seen where, for readers who cannot see it."""
    controls: ClassVar[dict[str, Recipe]]
    scenes: ClassVar[dict[str, dict]] = {}
    """Name → values of controls, of each state that teaches; the first is the state in which the panel opens."""
    plays: ClassVar[str] = ""
    """Name of the slider that the play button moves: time, or the position on a path."""
    size: ClassVar[tuple[float, float]] = (10.0, 4.5)
    """Width and height of the picture in inches, of 100 pixels each."""
    columns: ClassVar[tuple[float, ...]] = (1, 1)
    """Relative widths of the Axes, side by side."""
    gap: ClassVar[float] = 0.95
    """Inches between two of them."""

    figure: CachedFigure
    axes: list[Axes]
    takeaway: str
    readout: dict[str, str]

    def make_axes(self, figure: CachedFigure) -> list[Axes]:
        """Create the Axes that `draw` finds in `self.axes`, with everything on them that never changes."""
        return figure.columns(*self.columns, gap=self.gap)

    def draw(self, **values) -> Readout | Generator[float, None, Readout]:
        """Draw the state that the control values describe on `self.axes`."""
        raise NotImplementedError

    def __init__(self, **values):
        for name in values.keys() - self.controls.keys():
            raise TypeError(f"{type(self).__name__} has no control {name!r}; it has {', '.join(self.controls)}")
        self._runs: dict[tuple, Any] = {}
        self._work: Generator[float, None, None] | None = None
        self._held = False  # while several controls move at once
        self._pixels = 1.0  # of the screen, for each pixel of the page
        self._controls = {name: recipe() for name, recipe in self.controls.items()}
        self._opening = {name: control.value for name, control in self._controls.items()}
        for name, value in values.items():
            self._controls[name].value = value
            if self._controls[name].value != value:
                raise ValueError(f"{name} cannot be {value!r}: its control stops at {self._controls[name].value!r}")
        time = self._controls.get(self.plays)
        self._stage = Stage(self._asked, scenes=list(self.scenes), plays=time, can_roll="seed" in self.controls)
        row = [*self._controls.values()]
        self._slow = inspect.isgeneratorfunction(self.draw)
        if self._slow:
            run_button = widgets.Button(description="Run", button_style="primary", icon="play")
            run_button.on_click(lambda _button: self._run_in_pieces())
            row.append(run_button)
        super().__init__([widgets.Box(row).add_class("anneal-edu-controls"), self._stage])
        self.add_class("anneal-edu-panel")
        for name, control in self._controls.items():
            if hasattr(self, name):
                raise TypeError(f"a control cannot be named {name!r}: panels have an attribute of that name")
            setattr(self, name, control)
            control.observe(self._control_moved, "value")
        self._open_figure()

    @property
    def values(self) -> dict:
        """Name → present value of every control."""
        return {name: control.value for name, control in self._controls.items()}

    def run(self) -> None:
        """Draw the present settings, however long it takes, as the Run button of a slow panel does."""
        self._update(wait=True)

    def show(self, scene: str) -> Self:
        """Move the controls to a scene of ``scenes``, draw it however long it takes, and return the panel."""
        if scene not in self.scenes:
            raise ValueError(f"{type(self).__name__} has no scene {scene!r}; it has {', '.join(self.scenes)}")
        time = self._controls[self.plays].hold_sync() if self.plays else nullcontext()
        with time:  # a film moves with its slider, but not before it is loaded
            self._held = True
            try:
                for name, value in (self._opening | self.scenes[scene]).items():
                    self._controls[name].value = value
            finally:
                self._held = False
            self.run()
        return self

    def present(self) -> Self:
        """Turn into the lecture version and return it: larger letters, thicker lines, a picture as wide as the page."""
        self._open_figure([1400, 1000])
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
        """Return what ``work`` returns for these settings; the first time, do it and yield its fractions."""
        if settings not in self._runs:
            self._runs[settings] = yield from work
        return self._runs[settings]

    def _open_figure(self, screen: list[float] | None = None) -> None:
        """Make the picture anew: for a page, or for a whole screen (width, height)."""
        self._screen = screen
        if screen is None:
            self.figure = CachedFigure(*self.size, dpi=100 * self._pixels)
        else:
            self.figure = CachedFigure.on_screen(*screen, pixels=self._pixels)
        with projected():
            self.axes = self.make_axes(self.figure)
        self._stage.width = self.figure.shown_width
        self.run()

    def _asked(self, message: dict[str, Any]) -> None:
        match message:
            case {"scene": name}:
                self.show(name)
            case {"step": way}:
                for first in islice(filter(is_slider, self._controls.values()), 1):
                    step(first, way)
            case {"play": again}:
                if not next_frame(self._controls[self.plays], again):
                    self._stage.send({"played": True})
            case {"roll": True}:
                self._controls["seed"].value = random.randrange(1000)
            case {"lecture": screen}:
                self._open_figure(screen)
            case {"pixels": pixels} if pixels != self._pixels:
                self._pixels = pixels
                self._open_figure(self._screen)
            case {"cancel": True}:
                self._work = None  # it ends after the piece that is at work

    def _control_moved(self, _change) -> None:
        self._work = None  # what is being computed is of other settings
        if not self._held:
            self._update(wait=not self._slow)

    def _update(self, wait: bool) -> None:
        with projected():  # once for all of it
            deque(self._redraw(wait), maxlen=0)  # whatever it yields

    def _run_in_pieces(self) -> None:
        """As `run`, but let the event loop run between two pieces of the work, so that Cancel works."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return self.run()
        if self._work is None:
            self._work = self._redraw(wait=True)
            self._task = loop.create_task(self._listening(self._work))

    async def _listening(self, work: Generator[float, None, None]) -> None:
        try:
            for done in work:
                self._stage.set_trait("done", done)
                await asyncio.sleep(0.02)  # what has come in meanwhile is dealt with here, or in another thread
                if self._work is not work:
                    work.close()
                    return self._update(wait=False) if self._work is None else None
        finally:
            if self._work is work:
                self._work = None

    def _redraw(self, wait: bool) -> Generator[float, None, None]:
        """Draw and show the present settings; yield the share done. Without ``wait`` slow work is left to Run."""
        hidden, reading = hide_named(self.figure), None
        try:
            with projected():
                drawing = self.draw(**self.values)
            while self._slow:
                with projected():
                    done = next(drawing)
                if not wait:
                    break
                self._stage.set_trait("overlay", "computing …")
                self._stage.set_trait("computing", True)
                yield done
            reading = None if self._slow else drawing
        except StopIteration as end:
            reading = end.value
        except Exception as error:
            self._tell(f"{type(error).__name__}: {error}", {}, overlay="this picture is of earlier settings")
            raise
        finally:
            self._stage.set_trait("computing", False)
            if reading is None:
                for artist in hidden:
                    artist.set_visible(True)
        if reading is None:
            self._tell("The settings have changed: press Run to see what they do.", {}, overlay="press Run")
        else:
            with self._stage.hold_sync():  # picture and words in one message
                self._show_picture(reading.film)
                self._tell(reading.takeaway, reading.readout)

    def _show_picture(self, film: Film | None) -> None:
        """Show the picture; of a film only what stands still, since the player draws what moves."""
        moving = film.drawn() if film else []
        for artist in moving:
            artist.set_visible(False)
        self._stage.set_trait("png", self.figure.png())
        for artist in moving:
            artist.set_visible(True)
        if film:
            self._stage.set_trait("film", film.recorded())

    def _tell(self, takeaway: str, readout: dict[str, str], overlay: str = "") -> None:
        self.takeaway, self.readout = takeaway, readout
        shown = [name for name, scene in self.scenes.items() if self.values == self._opening | scene]
        with self._stage.hold_sync():
            for name, value in {
                "takeaway": takeaway,
                "numbers": [[label, text] for label, text in readout.items()],
                "alt": f"{self.title.rstrip('?')}. {self.picture} {takeaway}",
                "scene": shown[0] if shown else "",
                "overlay": overlay,
            }.items():
                self._stage.set_trait(name, value)

    def __repr__(self) -> str:
        settings = (
            f"{name} {value:g}" if isinstance(value, int | float) else f"{name} {value}"
            for name, value in self.values.items()
        )
        return f"{self.title}\n  {', '.join(settings)}\n  {self.takeaway}"

    def _repr_mimebundle_(self, **kwargs) -> tuple[dict, dict]:
        """The widget; for readers without a kernel also its picture, with alt text, and its settings in words."""
        bundle = super()._repr_mimebundle_(**kwargs) | {"text/plain": repr(self)}
        if self._stage.overlay:
            return bundle, {}  # the picture is of other settings
        picture = self.figure.png() if self._stage.film else self._stage.png
        png = base64.b64encode(picture).decode("ascii")
        return bundle | {"image/png": png}, {"image/png": {"alt": self._stage.alt}}
