"""The pictures and sentences of a panel for readers without Python: every scene, and each control moved from each.

A panel is a pure function of its controls, so that what it shows can be made beforehand. `frames_of` makes the frames
of one panel as numbers, words and pieces of SVG (`svg_parts`), which `panel_pages` writes into a page.
"""

import inspect
import io
from collections.abc import Generator
from contextlib import redirect_stdout
from itertools import pairwise
from typing import Any, NamedTuple

import ipywidgets as widgets
import numpy as np
from matplotlib.transforms import Bbox

from anneal_edu.course.figures.artists import hide_named
from anneal_edu.course.figures.style import LectureFigure, projected
from anneal_edu.course.panels import Panel
from svg_parts import Shared, pieces_of

SCREEN = 1024, 768  # for which a picture is drawn: no letter is lower than a 35th of it, on any screen that it fills
SETTINGS = 25  # a slider has no more of them than about so many
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
        self.controls = {
            name: settings(getattr(panel, name), [base[name] for base in self.bases]) for name in panel.controls
        }
        self.shared, self.pieces, self.sentences, self.numbers = Shared(), {}, {}, {}
        panel.figure = LectureFigure.on_screen(*SCREEN)
        with projected():
            panel.axes = panel.make_axes(panel.figure)

    def contents(self) -> dict[str, Any]:
        """Draw all frames, and give them names."""
        plots = plots_of(self.panel, self.bases)
        frames = {self.key(state): self.frame(state, plots) for state in self.states()}
        scenes = zip(self.panel.scenes, self.bases[1:], strict=False)
        return {
            "name": type(self.panel).__name__,
            "title": self.panel.title,
            "picture": self.panel.picture,
            "plots": [plot.box for plot in plots],
            "controls": [
                {"name": name} | about(getattr(self.panel, name), values) for name, values in self.controls.items()
            ],
            "scenes": {name: self.key(base) for name, base in scenes},
            "plays": self.panel.plays,
            "shared": self.shared.svg(),
            "pieces": list(self.pieces),
            "sentences": list(self.sentences),
            "numbers": [list(map(list, numbers)) for numbers in self.numbers],
            "frames": frames,
        }

    def key(self, state: dict) -> str:
        """The name of a state: where each control stands among its settings."""
        return ".".join(str(self.controls[name].index(value)) for name, value in state.items())

    def states(self) -> list[dict]:
        """Every base, and every control moved from every base."""
        moved = [base | {name: v} for base in self.bases for name, values in self.controls.items() for v in values]
        return list({tuple(state.values()): state for state in self.bases + moved}.values())

    def frame(self, state: dict, plots: list["Plot"]) -> list:
        """Draw a state: the numbers of its sentence, of its numbers, and of its pieces in each plot."""
        reading = draw(self.panel, state)
        shown = [[] for _ in plots]
        for piece in pieces_of(self.panel.figure, self.shared):
            at = next(i for i, plot in enumerate(plots) if piece.axes in plot.axes)
            shown[at].append(_number(self.pieces, piece.svg))
        numbers = _number(self.numbers, tuple(reading.readout.items()))
        return [_number(self.sentences, reading.takeaway), numbers, *shown]


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


def settings(control: widgets.ValueWidget, wanted: list) -> list:
    """The settings of a control that the page offers, in order, including the ``wanted`` ones."""
    if control.description == "seed":
        return sorted({*SEEDS, *wanted})
    if not isinstance(control, NUMERIC):
        return list(options_of(control))
    last = round((control.max - control.min) / control.step)
    every = [type(control.value)(round(control.min + i * control.step, 10)) for i in range(last + 1)]
    stride = next(stride for stride in range(1, last + 1) if last // stride < SETTINGS)
    return sorted({*every[::stride], every[-1], *wanted})


def about(control: widgets.ValueWidget, values: list) -> dict:
    """How a control is shown: as a row of choices, a list or a slider, with a word for each setting."""
    if isinstance(control, NUMERIC):
        digits = max(len(f"{value:g}".partition(".")[2]) for value in values)
        words = [f"{value:,.{digits}f}" for value in values]
    else:
        words = [options_of(control)[value] for value in values]
    kind = "choice" if isinstance(control, widgets.ToggleButtons) else "slider"
    in_numbers = kind == "slider" and not isinstance(values[0], str)
    return {
        "label": control.description,
        "kind": "list" if control.description == "seed" else kind,
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
        The numbers of its Axes; None stands for what belongs to the figure.
    """

    box: list[float]
    axes: set[int | None]


def plots_of(panel: Panel, states: list[dict]) -> list[Plot]:
    """Divide a picture from left to right between its Axes; Axes that stand one above another stay together."""
    boxes: dict[int | None, Bbox] = {}
    for state in states:
        draw(panel, state)
        panel.figure.pixels()
        seen = [(i, ax) for i, ax in enumerate(panel.figure.axes) if ax.get_visible()]
        for i, thing in [*seen, *((None, legend) for legend in panel.figure.legends)]:
            box = thing.get_tightbbox()
            boxes[i] = Bbox.union([box, boxes.get(i, box)])
    columns: list[tuple[Bbox, set]] = []
    for i, box in sorted(((i, box) for i, box in boxes.items() if i is not None), key=lambda at: at[1].x0):
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
    if None in boxes:
        found.append((boxes[None], {None}))
    points = 72 / panel.figure.dpi
    return [
        Plot([round(float(x) * points, 2) for x in (box.x0, height - box.y1, box.width, box.height)], axes)
        for box, axes in found
    ]
