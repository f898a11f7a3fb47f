"""The pictures and sentences of a panel for readers without Python: every scene, and each control moved from each.

A panel is a pure function of its controls, so that what it shows can be made beforehand. `frames_of` makes the frames
of one panel as numbers, words and pieces of SVG (`svg_parts`), which `panel_pages` writes into a page.
"""

import io
from collections.abc import Generator
from contextlib import redirect_stdout
from typing import Any

import ipywidgets as widgets
import numpy as np

from anneal_edu.course.figures.artists import hide_named
from anneal_edu.course.figures.style import LectureFigure, projected
from anneal_edu.course.panels import Panel
from svg_parts import Shared, pieces_of

SCREEN = 1024, 768  # for which a picture is drawn: no letter is lower than a 35th of it, on any screen that it fills
SETTINGS = 25  # a slider has no more of them than about so many
SEEDS = 0, 1, 2


def frames_of(kind: type[Panel], also: tuple[dict, ...] = ()) -> dict[str, Any]:
    """All that the page of a panel needs, of its scenes and of the states ``also``, each with each control moved."""
    panel = kind()
    try:
        return _Album(panel, also).contents()
    finally:
        panel.close()


class _Album:
    def __init__(self, panel: Panel, also: tuple[dict, ...]):
        self.panel, opening = panel, dict(panel.values)
        self.bases = [opening | scene for scene in [{}, *panel.scenes.values(), *also]]
        self.controls = {
            name: settings(getattr(panel, name), [base[name] for base in self.bases]) for name in panel.controls
        }
        self.shared, self.pieces, self.sentences, self.numbers = Shared(), {}, {}, {}
        panel.figure = LectureFigure.on_screen(*SCREEN)
        with projected():
            panel.axes = panel.make_axes(panel.figure)

    def contents(self) -> dict[str, Any]:
        """Draw all frames, and give them names."""
        columns = columns_of(self.panel, self.bases)
        frames = {self.key(state): self.frame(state, columns) for state in self.states()}
        width, height = self.panel.figure.get_size_inches() * 72
        ends = [*[left for left, _ in columns], width]
        return {
            "name": type(self.panel).__name__,
            "title": self.panel.title,
            "picture": self.panel.picture,
            "height": round(height, 2),
            "columns": [[round(left, 2), round(right - left, 2)] for left, right in zip(ends, ends[1:], strict=False)],
            "controls": [
                {"name": name, "label": getattr(self.panel, name).description} | about(getattr(self.panel, name), values)
                for name, values in self.controls.items()
            ],
            "scenes": {
                name: self.key(base) for name, base in zip(self.panel.scenes, self.bases[1:], strict=False)
            } or {"opening": self.key(self.bases[0])},
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
        """Each base, and each control moved from it."""
        moved = [base | {name: v} for base in self.bases for name, values in self.controls.items() for v in values]
        return list({tuple(state.values()): state for state in self.bases + moved}.values())

    def frame(self, state: dict, columns: list) -> list:
        """Draw a state: the numbers of its sentence, of its numbers and of its pieces in each column."""
        reading = draw(self.panel, state)
        shown = [[] for _ in columns]
        for piece in pieces_of(self.panel.figure, self.shared):
            column = next((i for i, (_, axes) in enumerate(columns) if piece.axes in axes), 0)
            shown[column].append(_number(self.pieces, piece.svg))
        numbers = _number(self.numbers, tuple(reading.readout.items()))
        return [_number(self.sentences, reading.takeaway), numbers, *shown]


def _number(table: dict, thing) -> int:
    return table.setdefault(thing, len(table))


def draw(panel: Panel, state: dict):
    """Draw a state, however long it takes, and return what the panel says of it."""
    hide_named(panel.figure)
    with projected(), redirect_stdout(io.StringIO()):
        drawing = panel.draw(**state)
        while isinstance(drawing, Generator):
            try:
                next(drawing)
            except StopIteration as end:
                drawing = end.value
    return drawing


def settings(control: widgets.ValueWidget, wanted: list) -> list:
    """The settings of a control that are shown, in order, those that are ``wanted`` among them."""
    if isinstance(control, widgets.BoundedIntText):
        return sorted({*SEEDS, *wanted})
    if not isinstance(control, widgets.IntSlider | widgets.FloatSlider):
        every = [option[1] if isinstance(option, tuple) else option for option in control.options]
        return every if len(every) <= SETTINGS or control.description != "seed" else sorted({*SEEDS, *wanted})
    number = round((control.max - control.min) / control.step)
    whole = isinstance(control, widgets.IntSlider)
    every = [control.min + i * control.step if whole else round(control.min + i * control.step, 10) for i in range(number + 1)]
    stride = next(stride for stride in range(1, number + 1) if number // stride < SETTINGS)
    return sorted({*every[::stride], every[-1], *wanted})


def about(control: widgets.ValueWidget, values: list) -> dict:
    """How a control is shown: as a row of choices, a list or a slider, with a word for each setting."""
    named = {option[1]: option[0] for option in getattr(control, "options", ()) if isinstance(option, tuple)}
    if isinstance(control, widgets.ToggleButtons):
        kind = "choice"
    else:
        kind = "list" if isinstance(control, widgets.BoundedIntText) else "slider"
    steps = np.diff(values) if kind == "slider" and not named else ()
    digits = max((len(f"{value:g}".partition(".")[2]) for value in values if not isinstance(value, str)), default=0)
    words = [named.get(v, v if isinstance(v, str) else f"{v:,.{digits}f}") for v in values]
    return {"kind": kind, "values": values, "words": words, "even": len(steps) > 0 and bool(np.allclose(steps, steps[0]))}


def columns_of(panel: Panel, states: list[dict]) -> list[tuple[float, set[int]]]:
    """(left end in points, numbers of its Axes) of each column of the picture: Axes one above another share one."""
    spans = {}
    for state in states:
        draw(panel, state)
        panel.figure.pixels()
        for i, ax in enumerate(panel.figure.axes):
            if ax.get_visible():
                box = ax.get_tightbbox()
                low, high = spans.get(i, (np.inf, -np.inf))
                spans[i] = min(low, box.x0), max(high, box.x1)
    columns = []  # [left, right, numbers]
    for i, (low, high) in sorted(spans.items(), key=lambda span: span[1]):
        if columns and low < columns[-1][1] - 1:
            columns[-1][1] = max(columns[-1][1], high)
            columns[-1][2].add(i)
        else:
            columns.append([low, high, {i}])
    cuts = [0.0, *((one[1] + other[0]) / 2 for one, other in zip(columns, columns[1:], strict=False))]
    return [(cut * 72 / panel.figure.dpi, column[2]) for cut, column in zip(cuts, columns, strict=True)]
