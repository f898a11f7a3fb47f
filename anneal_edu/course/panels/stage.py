"""The widget below a panel's controls; `stage.js` is its front end."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import ipywidgets as widgets
import traitlets


class Stage(anywidget.AnyWidget):
    """Shows the picture, sentence, numbers and scene buttons of a panel, and passes on what the reader asks for.

    Parameters
    ----------
    asked : callable, (message) -> None
        Called with what the reader asks for: ``{"scene": name}``, ``{"step": 1}`` of the first slider, ``{"play":
        again}`` for the next frame, at the slider's end for the first or for none, ``{"roll": True}`` for another
        seed, ``{"cancel": True}``, ``{"lecture": [width, height]}``, where None ends the lecture, or ``{"pixels":
        ratio}``: so many of the screen for one of the page. A film moves with ``plays``, the slider of time, itself.
    """

    _esm = "".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("film.js", "stage.js"))
    _css = Path(__file__).with_name("stage.css").read_text(encoding="utf-8")

    png = traitlets.Bytes().tag(sync=True)
    film = traitlets.Dict().tag(sync=True)
    alt = traitlets.Unicode().tag(sync=True)
    width = traitlets.Float(1000.0).tag(sync=True)
    takeaway = traitlets.Unicode().tag(sync=True)
    numbers = traitlets.List().tag(sync=True)
    overlay = traitlets.Unicode().tag(sync=True)
    computing = traitlets.Bool().tag(sync=True)
    done = traitlets.Float().tag(sync=True)
    scenes = traitlets.List(traitlets.Unicode()).tag(sync=True)
    scene = traitlets.Unicode().tag(sync=True)
    plays = traitlets.Instance(widgets.Widget, allow_none=True).tag(sync=True, **widgets.widget_serialization)
    can_roll = traitlets.Bool().tag(sync=True)

    def __init__(self, asked: Callable[[dict[str, Any]], None], **values):
        super().__init__(**values)
        self._asked = asked
        self.on_msg(self._answer)

    def _answer(self, _widget, message: dict[str, Any], _buffers) -> None:
        self.send({"here": True})
        self._asked(message)
