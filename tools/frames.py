"""The pictures and sentences of a panel for readers without Python: every scene, and each control moved from each.

A panel is a pure function of its controls, so that what it shows can be made beforehand. `frames_of` makes the frames
of one panel as numbers, words and pieces of SVG (`svg_parts`), which `panel_pages` writes into a page. The frames of a
film share the picture that stands still and the arrays of what moves; they are made for combinations of few settings.
"""

import inspect
import io
from collections.abc import Generator
from contextlib import redirect_stdout
from itertools import pairwise, product
from math import prod
from typing import Any, NamedTuple

import ipywidgets as widgets
import numpy as np
from matplotlib.transforms import Bbox

from anneal_edu.course.figures.artists import hide_named
from anneal_edu.course.figures.film import Film
from anneal_edu.course.figures.style import LectureFigure, projected
from anneal_edu.course.panels import Panel
from svg_parts import Shared, pieces_of

SCREEN = 1024, 768  # for which a picture is drawn: no letter is lower than a 35th of it, on any screen that it fills
SETTINGS = 25  # a slider has no more of them than about so many
RUNS = 48  # of a film, each with other settings
LEVELS = 500  # of a recorded number; fewer than half of WRAP, so that a move fits in one character
FIRST, WRAP, LEAST = 33, 1800, -46  # the character of the LEAST move, and after how many they begin anew; a space hides
SEEDS = 0, 1, 2
MARGIN = 4  # pixels above and below

NUMERIC = widgets.IntSlider, widgets.FloatSlider, widgets.BoundedIntText
States = tuple[dict[str, str], ...]


def frames_of(kind: type[Panel], also: States = ()) -> dict[str, Any]:
    """All frames of a panel: its scenes, the states ``also`` (in words), and each control moved from each of these."""
    panel = kind()
    try:
        return _Album(panel, also).contents()
    finally:
        panel.close()


class _Album:
    def __init__(self, panel: Panel, also: States):
        self.panel, opening = panel, dict(panel.values)
        asked = [{name: value_of(getattr(panel, name), text) for name, text in state.items()} for state in also]
        self.bases = [opening | scene for scene in [{}, *panel.scenes.values(), *asked, *choices_of(panel)]]
        self.shared, self.films = Shared(), {}
        self.pieces, self.sentences, self.numbers, self.arrays = {}, {}, {}, {}
        panel.figure = LectureFigure.on_screen(*SCREEN)
        with projected():
            panel.axes = panel.make_axes(panel.figure)
        self.time = panel.plays if draw(panel, opening).film else ""
        self.controls, most = self.settings(SETTINGS), SETTINGS
        while self.time and most > 3 and self.n_combined() > RUNS * len(self.controls[self.time]):
            most //= 2
            self.controls = self.settings(most)

    def settings(self, most: int) -> dict[str, list]:
        """The settings of all controls, but of time at most so many."""
        wanted = {name: [base[name] for base in self.bases] for name in self.panel.controls}
        return {
            name: settings(getattr(self.panel, name), wanted[name], SETTINGS if name == self.time else most)
            for name in self.panel.controls
        }

    def n_combined(self) -> int:
        return prod(map(len, self.combined().values()))

    def combined(self) -> dict[str, list]:
        """The settings of a film that are combined: all but other seeds."""
        return {name: values if name != "seed" else [self.bases[0][name]] for name, values in self.controls.items()}

    def contents(self) -> dict[str, Any]:
        """Draw all frames, and give them names."""
        plots = plots_of(self.panel, self.bases)
        frames = {self.key(state): self.frame(state, plots) for state in self.states()}
        scenes = [(name, self.key(base), base) for name, base in zip(self.panel.scenes, self.bases[1:], strict=False)]
        whole = {key: self.pictured(plots) for _, key, base in scenes if draw(self.panel, base)}
        return {
            "name": type(self.panel).__name__,
            "title": self.panel.title,
            "picture": self.panel.picture,
            "plots": [plot.box for plot in plots],
            "controls": [
                {"name": name} | about(getattr(self.panel, name), values) for name, values in self.controls.items()
            ],
            "scenes": {name: key for name, key, _ in scenes},
            "whole": whole,
            "films": {run: film for run, (film, _) in self.films.items()},
            "plays": self.panel.plays,
            "shared": self.shared.svg(),
            "pieces": list(self.pieces),
            "sentences": list(self.sentences),
            "numbers": [list(map(list, numbers)) for numbers in self.numbers],
            "arrays": list(self.arrays),
            "frames": frames,
        }

    def key(self, state: dict, anytime: str = "") -> str:
        """The name of a state: where each control stands among its settings."""
        return ".".join(
            anytime if anytime and name == self.time else str(self.controls[name].index(value))
            for name, value in state.items()
        )

    def states(self) -> list[dict]:
        """Every base, every control moved from every base; of a film these at all times, and all combinations."""
        found = [*self.bases]
        found += [base | {name: v} for base in self.bases for name, values in self.controls.items() for v in values]
        if self.time:
            found += [state | {self.time: t} for state in found for t in self.controls[self.time]]
            combined = self.combined()
            found += [dict(zip(combined, values, strict=True)) for values in product(*combined.values())]
        found = list({tuple(state.values()): state for state in found}.values())
        return sorted(found, key=lambda state: self.key(state, "*")) if self.time else found  # a run at all its times

    def frame(self, state: dict, plots: list["Plot"]) -> list:
        """Draw a state: the numbers of its sentence, of its numbers, and of its pieces in each plot."""
        reading = draw(self.panel, state)
        said = [_number(self.sentences, reading.takeaway), _number(self.numbers, tuple(reading.readout.items()))]
        if not reading.film:
            return [*said, *self.pictured(plots)]
        run = self.key(state, anytime="*")
        if run not in self.films:
            recorded = recording(reading.film, plots, self.panel.figure, self.arrays)
            for artist in reading.film.drawn():
                artist.set_visible(False)
            self.films[run] = recorded, self.pictured(plots)
        return [*said, *self.films[run][1]]

    def pictured(self, plots: list["Plot"]) -> list[list[int]]:
        """The numbers of the pieces in each plot, as the picture now is."""
        shown = [[] for _ in plots]
        for piece in pieces_of(self.panel.figure, self.shared):
            at = next(i for i, plot in enumerate(plots) if piece.axes in plot.axes)
            shown[at].append(_number(self.pieces, piece.svg))
        return shown


def _number(table: dict, thing) -> int:
    return table.setdefault(thing, len(table))


def draw(panel: Panel, state: dict):
    """Draw a state to its end and return its readout."""
    hide_named(panel.figure)
    with projected(), redirect_stdout(io.StringIO()):
        drawing = panel.draw(**state)
        while isinstance(drawing, Generator):
            try:
                next(drawing)
            except StopIteration as end:
                drawing = end.value
    return drawing


def recording(film: Film, plots: list["Plot"], figure: LectureFigure, table: dict) -> dict[str, Any]:
    """What moves, a view for each plot; its arrays are numbers of those in the table."""
    recorded = film.recorded()
    ((_, layers),) = (view.values() for view in recorded["views"])
    width, height = figure.get_size_inches() * 72
    views = []
    for plot in plots:
        left, top, wide, tall = plot.box
        views.append({"points": wide, "layers": []})
        for layer in layers:
            if layer["axes"] in plot.axes:
                x, y, w, h = layer["box"]
                box = [(x * width - left) / wide, (y * height - top) / tall, w * width / wide, h * height / tall]
                arrays = {
                    name: _number(table, _in_steps(np.frombuffer(part, np.float32), layer["rows"][name]))
                    for name, part in layer["arrays"].items()
                }
                views[-1]["layers"].append(layer | {"box": [round(part, 5) for part in box], "arrays": arrays})
    return recorded | {"views": views}


def _in_steps(flat: np.ndarray, n: int) -> tuple[float, float, str]:
    """Rows of n as the lowest number, a step, and a character each: the steps since the row where it was last seen."""
    rows = flat.reshape(-1, max(n, 1))
    seen = np.isfinite(rows)
    low, high = (float(rows[seen].min()), float(rows[seen].max())) if seen.any() else (0.0, 0.0)
    step = (high - low) / LEVELS
    levels = np.rint((np.where(seen, rows, low) - low) / (step or 1.0)).astype(int)
    last = np.maximum.accumulate(np.where(seen, np.arange(len(rows))[:, None], -1))
    levels = np.where(last < 0, 0, np.take_along_axis(levels, last, axis=0))
    codes = np.where(seen, FIRST + (np.diff(levels, axis=0, prepend=0) - LEAST) % WRAP, ord(" "))
    return low, step, "".join(map(chr, codes.ravel()))


def choices_of(panel: Panel) -> list[dict]:
    """Every choice of the toggle buttons of a quick panel; the other controls are moved from each."""
    if inspect.isgeneratorfunction(panel.draw):
        return []
    choices = [name for name in panel.controls if isinstance(getattr(panel, name), widgets.ToggleButtons)]
    return [{name: word} for name in choices for word in options_of(getattr(panel, name))]


def options_of(control: widgets.ValueWidget) -> dict:
    """Setting → word of a control that has a list of them."""
    listed = (option if isinstance(option, tuple) else (option, option) for option in control.options)
    return {value: word for word, value in listed}


def value_of(control: widgets.ValueWidget, text: str):
    """The setting of a control that a panel prints as ``text``."""
    if isinstance(control, NUMERIC):
        return type(control.value)(float(text))
    return next(value for value in options_of(control) if text == (value if isinstance(value, str) else f"{value:g}"))


def settings(control: widgets.ValueWidget, wanted: list, most: int = SETTINGS) -> list:
    """The settings of a control that the page offers, in order, including the ``wanted`` ones."""
    if control.description == "seed":
        return sorted({*SEEDS, *wanted})
    if not isinstance(control, NUMERIC):
        return list(options_of(control))
    last = round((control.max - control.min) / control.step)
    every = [type(control.value)(round(control.min + i * control.step, 10)) for i in range(last + 1)]
    stride = next(stride for stride in range(1, last + 1) if last // stride < most)
    return sorted({*every[::stride], every[-1], *wanted})


def about(control: widgets.ValueWidget, values: list) -> dict:
    """How a control is shown: as a row of choices, a list or a slider, with a word for each setting."""
    if isinstance(control, NUMERIC):
        digits = max(len(f"{value:g}".partition(".")[2]) for value in values)
        words = [f"{value:,.{digits}f}" for value in values]
    else:
        words = [options_of(control)[value] for value in values]
    kinds = {widgets.ToggleButtons: "choice", widgets.Dropdown: "list"}
    kind = "list" if control.description == "seed" else kinds.get(type(control), "slider")
    in_numbers = kind != "choice" and not isinstance(values[0], str)
    return {
        "label": control.description,
        "kind": kind,
        "values": values,
        "words": words,
        "even": in_numbers and bool(np.allclose(np.diff(values), values[1] - values[0])),
    }


class Plot(NamedTuple):
    """A part of the picture that stays together on a narrow screen.

    Attributes
    ----------
    box : list of float
        Left, top, width and height, in points.
    axes : set
        The numbers of its Axes.
    """

    box: list[float]
    axes: set[int]


def plots_of(panel: Panel, states: list[dict]) -> list[Plot]:
    """Divide a picture from left to right between its Axes; Axes that stand one above another stay together."""
    boxes: dict[int, Bbox] = {}
    for state in states:
        draw(panel, state)
        panel.figure.pixels()
        for i, ax in enumerate(panel.figure.axes):
            if ax.get_visible():
                box = ax.get_tightbbox()
                boxes[i] = Bbox.union([box, boxes.get(i, box)])
    columns: list[tuple[Bbox, set]] = []
    for i, box in sorted(boxes.items(), key=lambda at: at[1].x0):
        if columns and box.x0 < columns[-1][0].x1 - 1:
            columns[-1] = Bbox.union([columns[-1][0], box]), columns[-1][1] | {i}
        else:
            columns.append((box, {i}))
    width, height = panel.figure.bbox.size
    bottom, top = min(box.y0 for box, _ in columns) - MARGIN, max(box.y1 for box, _ in columns) + MARGIN
    cuts = [0, *((one.x1 + other.x0) / 2 for (one, _), (other, _) in pairwise(columns)), width]
    found = [
        (Bbox([[left, bottom], [right, top]]), axes)
        for (left, right), (_, axes) in zip(pairwise(cuts), columns, strict=True)
    ]
    points = 72 / panel.figure.dpi
    return [
        Plot([round(float(x) * points, 2) for x in (box.x0, height - box.y1, box.width, box.height)], axes)
        for box, axes in found
    ]
