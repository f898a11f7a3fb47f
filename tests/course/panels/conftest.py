"""Panels that compute for long, on smaller budgets: what holds for every panel is tested on these."""

import asyncio
import sys
from functools import cache, lru_cache

import pytest

import anneal_edu as ae
from anneal_edu.course import panels
from anneal_edu.course.figures import LectureFigure
from anneal_edu.course.panels.controls import steps

PANELS = {name: kind for name in panels.__all__ if issubclass(kind := getattr(panels, name), panels.Panel)}
"""Every panel of the course by its name."""
del PANELS["Panel"]

SMALLER = {
    "EstimatesAgainstSteps": {"TRANSITIONS": {"Gibbs": (ae.gibbs, (3, 10, 30)), "perfect": (ae.exact, (2, 4, 8))}},
    "LikelihoodTracking": {"N_UPDATES": 500, "N_CHAINS": 60, "_runs": {}},
    "OneMatrix": {"_SWEEPS": 20},
    "WhoVisitsTheTarget": {"N_BURN_IN": 100, "N_SWEEPS": 100},
    "SamplesAlongPaths": {"N_STEPS": 100},
    "StartsAgainstSteps": {"N_CHAINS": 200},
    "WhereTheKnotsSit": {"N_RUNS": 2, "N_CHAINS": 20, "N_STEPS": 20, "BIAS_STEPS": 4, "FINE": 9},
}
"""Panel → constants of its module that make it quick."""

FEWER = {
    "DigitsAnnealing": {"n_steps": steps("steps K", 100, (20, 100)), "n_chains": steps("chains", 100, (50, 100))},
}
"""Panel → controls whose own settings would take too long, or are not those of the SMALLER constants."""


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


def takes(recipe, value):
    """Whether a control has this value among its settings."""
    control = recipe()
    if hasattr(control, "options"):
        return any(value == option for _, option in control.options)
    return control.min <= value <= control.max


def make_quick(monkeypatch, kind):
    """Give a panel smaller constants and fewer settings."""
    name, module, few = kind.__name__, sys.modules[kind.__module__], FEWER.get(kind.__name__, {})
    scenes = {
        scene: {c: v for c, v in values.items() if c not in few or takes(few[c], v)}
        for scene, values in kind.scenes.items()
    }
    monkeypatch.setattr(kind, "scenes", scenes)
    monkeypatch.setattr(kind, "once", once_for_every_test)
    for control, recipe in few.items():
        monkeypatch.setitem(kind.controls, control, recipe)
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
