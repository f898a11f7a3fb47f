"""What a panel's controls are made of. Each function returns a recipe; every panel cooks its own widget from it."""

from collections.abc import Callable, Sequence
from functools import partial

import ipywidgets as widgets

Recipe = Callable[[], widgets.ValueWidget]

_STYLE = {"description_width": "initial"}


def _long(label: str) -> dict:
    return {"description": label, "layout": {"width": "380px"}, "style": _STYLE}


def slider(label: str, value: float, low: float, high: float, step: float, live: bool = True) -> Recipe:
    """A slider; of whole numbers where ``step`` is one.

    ``live`` redraws while dragging (for redraws under 80 ms), else on release (80 to 500 ms).
    """
    kind = widgets.IntSlider if isinstance(step, int) else widgets.FloatSlider
    return partial(kind, value=value, min=low, max=high, step=step, continuous_update=live, **_long(label))


def steps(label: str, value: int, options: Sequence[int], live: bool = True) -> Recipe:
    """A slider over listed numbers, such as 10, 100, 1000."""
    named = [(f"{option:,}", option) for option in options]
    return partial(widgets.SelectionSlider, value=value, options=named, continuous_update=live, **_long(label))


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
