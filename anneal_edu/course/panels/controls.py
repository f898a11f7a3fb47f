"""Recipes of a panel's controls: each function returns a callable that makes one widget."""

from collections.abc import Callable, Sequence
from functools import partial

import ipywidgets as widgets

Recipe = Callable[[], widgets.ValueWidget]

_STYLE = {"description_width": "initial"}
_FRAMES = 40  # of a slider that is played from end to end


def _long(label: str) -> dict:
    return {"description": label, "layout": {"width": "auto"}, "style": _STYLE}


def slider(label: str, value: float, low: float, high: float, step: float, live: bool = True) -> Recipe:
    """A slider; of whole numbers where ``step`` is one.

    ``live`` redraws while dragging (for redraws under 80 ms), else on release (80 to 500 ms).
    """
    kind = widgets.IntSlider if isinstance(step, int) else widgets.FloatSlider
    return partial(kind, value=value, min=low, max=high, step=step, continuous_update=live, **_long(label))


def steps(label: str, value: int | str, options: Sequence[int | str], live: bool = True) -> Recipe:
    """A slider over listed numbers, such as 10, 100, 1000, or over words."""
    named = [(option if isinstance(option, str) else f"{option:,}", option) for option in options]
    return partial(widgets.SelectionSlider, value=value, options=named, continuous_update=live, **_long(label))


def named(label: str, value: str, options: Sequence[str]) -> Recipe:
    """A list of words to choose from, where buttons would be too many."""
    return partial(widgets.Dropdown, value=value, options=list(options), **_long(label))


def choice(label: str, value: str, options: Sequence[str]) -> Recipe:
    """A choice between a few words."""
    return partial(
        widgets.ToggleButtons,
        value=value,
        options=list(options),
        description=label,
        layout={"display": "flex", "width": "max-content", "grid_gap": "0 8px"},
        style=_STYLE | {"button_width": "auto"},
    )


def seed(value: int = 0) -> Recipe:
    """The seed of all random numbers of a panel: the same seed, the same numbers, whatever else is moved."""
    return partial(
        widgets.BoundedIntText,
        value=value,
        min=0,
        max=999,
        description="seed",
        layout={"width": "120px"},
        style=_STYLE,
    )


def is_slider(control: widgets.ValueWidget) -> bool:
    """Whether a control is a slider."""
    return isinstance(control, widgets.IntSlider | widgets.FloatSlider | widgets.SelectionSlider)


def step(control: widgets.ValueWidget, way: int) -> None:
    """Move a slider by ``way`` steps, as far as it goes."""
    if isinstance(control, widgets.SelectionSlider):
        control.index = min(max(control.index + way, 0), len(control.options) - 1)
    else:
        control.value += way * control.step  # the slider itself stops at its ends


def next_frame(control: widgets.ValueWidget, again: bool) -> bool:
    """Move a slider one of some forty frames on, at its end to the start if ``again``; return whether it has moved."""
    before = control.value
    if isinstance(control, widgets.SelectionSlider):
        frames = range(len(control.options))
        control.index = 0 if again and control.index == frames[-1] else min(control.index + 1, frames[-1])
    elif again and control.value == control.max:
        control.value = control.min
    else:
        step(control, max(1, round((control.max - control.min) / control.step / _FRAMES)))
    return control.value != before
