"""Panels that compute for long, on smaller budgets: what holds for every panel is tested on these."""

import asyncio
import sys
from functools import cache, lru_cache

import pytest

from anneal_edu.course import panels
from anneal_edu.course.figures import LectureFigure

PANELS = {name: kind for name in panels.__all__ if issubclass(kind := getattr(panels, name), panels.Panel)}
"""Every panel of the course by its name."""
del PANELS["Panel"]

SMALLER = {
    "OneMatrix": {"_SWEEPS": 20},
    "WhoVisitsTheTarget": {"N_BURN_IN": 100, "N_SWEEPS": 100},
    "StartsAgainstSteps": {"N_CHAINS": 200},
}
"""Panel → constants of its module that make it quick."""


@pytest.fixture(autouse=True)
def no_loop_of_others():
    """A browser that tests of the same process drive leaves a loop running, which is not the panels'."""
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(running)


@cache
def shared(function):
    """A memory for the results of the smaller budgets."""
    return lru_cache(function.__wrapped__)


@cache
def runs_of(kind):
    """What panels of this kind have computed, by their settings."""
    return {}


def once_for_every_test(panel, settings, work):
    """`Panel.once`, that also looks for what another panel of the kind has computed."""
    runs = runs_of(type(panel))
    if settings not in panel._runs:
        if settings not in runs:
            runs[settings] = yield from work
        panel._runs[settings] = runs[settings]
    return panel._runs[settings]


def make_quick(monkeypatch, kind):
    """Give a panel smaller constants."""
    name, module = kind.__name__, sys.modules[kind.__module__]
    monkeypatch.setattr(kind, "once", once_for_every_test)
    if name in SMALLER:
        for key, function in list(vars(module).items()):
            if hasattr(function, "cache_clear") and function.__module__ == module.__name__:
                monkeypatch.setattr(module, key, shared(function))
        for constant, value in SMALLER[name].items():
            monkeypatch.setattr(module, constant, value)


@pytest.fixture
def quick_panel(monkeypatch):
    """A function that opens panels of smaller budgets that render no picture; closes them all."""
    monkeypatch.setattr(LectureFigure, "png", lambda figure: b"")
    opened = []

    def open_panel(kind, **values):
        if not opened:
            make_quick(monkeypatch, kind)
        opened.append(kind(**values))
        return opened[-1]

    yield open_panel
    for panel in opened:
        panel.close()


def drawn(ax, name):
    """The visible artist of this name."""
    return next(artist for artist in ax.get_children() if artist.get_gid() == name and artist.get_visible())
