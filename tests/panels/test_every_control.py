"""Every exported panel, over every control's first, middle and last value, of a slow one where it opens and one end.

A new panel is covered by being exported. Nothing is rendered where the artists suffice, and SMALLER budgets do for
panels that compute for long.
"""

import inspect
import sys
from functools import cache, lru_cache
from itertools import combinations

import ipywidgets as widgets
import numpy as np
import pytest
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from matplotlib.text import Text
from matplotlib.transforms import Bbox

import anneal_edu as ae
from anneal_edu import panels
from anneal_edu.figures import LectureFigure, artists
from anneal_edu.panels.controls import slider, steps

PANELS = {name: kind for name in panels.__all__ if issubclass(kind := getattr(panels, name), panels.Panel)}
del PANELS["Panel"]

SMALLER = {
    "AnnealingRuns": {"STEPS": (10, 25, 100)},
    "BiasDecay": {"STEPS": (10, 25, 100), "SEPARATIONS": (1, 5, 20)},
    "EstimatesAgainstSteps": {"TRANSITIONS": {"Gibbs": (ae.gibbs, (3, 10, 30)), "perfect": (ae.exact, (2, 4, 8))}},
    "LikelihoodTracking": {"N_UPDATES": 500, "N_CHAINS": 20, "_runs": {}},
    "OneMatrix": {"_SWEEPS": 10, "_CHAINS": 40},
    "ParticlesAndModes": {"N_UPDATES": 90, "EVERY": 10, "WINDOW": 10},
    "ReplicaWalks": {"N_BURN_IN": 100, "N_SWEEPS": 100},
    "SamplesAlongPaths": {"N_STEPS": 20},
    "SandwichGap": {"STEPS": (4, 8, 12), "N_CHAINS": 25, "N_LONG_RUN": 5},
    "StartCovariance": {"N_CHAINS": 200, "N_STEPS": 12},
    "StartsAgainstSteps": {"N_CHAINS": 200, "N_STEPS": (4, 8, 12, 40)},
    "TemperedWalk": {"N_SWEEPS": 5},
    "WhereTheKnotsSit": {"N_RUNS": 2, "N_CHAINS": 20, "N_STEPS": 20, "BIAS_STEPS": 4, "FINE": 9},
}
"""Panel → constants of its module that make it quick."""

FEWER = {
    "AnnealingRuns": {
        "n_steps": steps("steps K", 25, (10, 25, 100)),
        "n_chains": steps("chains", 100, (50, 100, 200)),
    },
    "BiasDecay": {
        "n_steps": steps("steps K", 25, (10, 25, 100)),
        "separation": steps("separation of the means", 20, (1, 5, 20)),
    },
    "DigitsAnnealing": {"n_steps": steps("steps K", 40, (20, 40)), "n_chains": steps("chains", 25, (25, 50))},
    "ParticlesAndModes": {"updates": slider("after updates", 90, 10, 90, 10)},
}
"""Panel → controls whose own settings would take too long, or are not those of the SMALLER constants."""


def is_slow(kind):
    """Whether it has a Run button."""
    return inspect.isgeneratorfunction(kind.draw)


@cache
def with_a_memory_of_its_own(function):
    """For results of SMALLER budgets, which nobody else is to find."""
    return lru_cache(function.__wrapped__)


def make_quick(monkeypatch, kind):
    """Give a panel its SMALLER constants and FEWER settings."""
    name, module = kind.__name__, sys.modules[kind.__module__]
    for control, recipe in FEWER.get(name, {}).items():
        assert control in kind.controls, f"{name} has no {control}"
        monkeypatch.setitem(kind.controls, control, recipe)
    if name in SMALLER:
        for key, function in list(vars(module).items()):
            if hasattr(function, "cache_clear") and function.__module__ == module.__name__:
                monkeypatch.setattr(module, key, with_a_memory_of_its_own(function))
        for constant, value in SMALLER[name].items():
            monkeypatch.setattr(module, constant, value)


@pytest.fixture
def opened(monkeypatch):
    """Opens quick panels that render no picture, and closes them."""
    monkeypatch.setattr(LectureFigure, "png", lambda figure: b"")
    panels = []

    def open_panel(kind, **values):
        if not panels:
            make_quick(monkeypatch, kind)
        panels.append(kind(**values))
        return panels[-1]

    yield open_panel
    for panel in panels:
        panel.close()


def settings_of(control):
    """First, middle and last value of a control, each once."""
    if hasattr(control, "options"):
        options = [option[1] if isinstance(option, tuple) else option for option in control.options]
        return list(dict.fromkeys([options[0], options[len(options) // 2], options[-1]]))
    if isinstance(control, widgets.Checkbox):
        return [False, True]
    middle = (control.min + control.max) / 2
    return [control.min, int(middle) if isinstance(control.value, int) else middle, control.max]


def assert_sound(panel):
    """Finite numbers in every artist and word; no empty plot; nothing clipped at the edge, no plot over another."""
    assert panel.takeaway and "press Run" not in panel.takeaway
    words = [panel.takeaway, *panel.readout.values()]
    for ax in panel.figure.axes:
        assert np.isfinite([ax.get_xlim(), ax.get_ylim()]).all()
        visible = [artist for artist in ax.get_children() if artist.get_gid() and artist.get_visible()]
        for artist in visible:
            if isinstance(artist, Line2D):
                points = np.array(artist.get_data(), dtype=float)
                gaps = np.isnan(points).any(axis=0)  # a line may have gaps between its pieces, but not only gaps
                assert np.isfinite(points[:, ~gaps]).all() and not gaps.all(), artist.get_gid()
            elif isinstance(artist, Polygon):
                assert np.isfinite(artist.get_xy()).all(), artist.get_gid()
            elif isinstance(artist, Text):
                words.append(artist.get_text())
        assert visible or ax.images, "empty axes"
        words += [ax.get_title(loc="left"), ax.get_xlabel(), ax.get_ylabel()]
    boxes = {ax: ax.get_tightbbox() for ax in panel.figure.axes}
    for ax, box in boxes.items():
        width, height = panel.figure.bbox.size
        room = min(box.x0, box.y0, width - box.x1, height - box.y1)
        assert room > -1, f"{ax.get_title(loc='left')!r} is clipped by {-room:.0f} pixels"
    for (_, one), (ax, other) in combinations(boxes.items(), 2):
        common = Bbox.intersection(one, other)
        assert common is None or min(common.size) < 1, f"{ax.get_title(loc='left')!r} overlaps another plot"
    for text in words:
        assert not {"nan", "inf", "-inf"} & set(text.lower().replace(",", " ").split()), text


def seen(panel):
    """What tells two pictures apart: named artists as pixels; titles, labels and limits, without their slow ticks."""
    renderer = panel.figure.canvas.get_renderer()
    renderer.clear()
    frames = []
    for ax in panel.figure.axes:
        frames += [ax.get_xlim(), ax.get_ylim(), ax.get_title(loc="left"), ax.get_xlabel(), ax.get_ylabel()]
        for artist in ax.get_children():
            if artist.get_gid():
                artist.draw(renderer)
    return bytes(renderer.buffer_rgba()), *frames


def shown(panel):
    """All that the reader sees."""
    panel.figure.canvas.draw()
    return bytes(panel.figure.canvas.buffer_rgba()), str(panel), panel.readout


def over_all_controls(opened, kind):
    """Each setting has its own sound picture, and it matters not how it was reached."""
    panel = opened(kind)
    at_first = panel.values
    ends = {control: settings_of(getattr(panel, control)) for control in at_first}
    for control, values in ends.items():
        pictures = set()
        for value in values:
            getattr(panel, control).value = value
            assert_sound(panel)
            pictures.add(seen(panel))
        assert len(pictures) == len(values), f"two settings of {control} look the same"
        getattr(panel, control).value = at_first[control]
    for control in reversed(ends):
        getattr(panel, control).value = ends[control][0]
    fresh = opened(kind, **{control: values[0] for control, values in ends.items()})
    assert shown(panel) == shown(fresh), "what is shown depends on how it was reached"


def over_one_end_of_its_controls(opened, kind):
    """The same of the opening picture and of one end of each control, since a run takes long."""
    panel = opened(kind)
    assert_sound(panel)
    at_first, opening = panel.values, seen(panel)
    for control, first in at_first.items():
        low, *_, high = settings_of(getattr(panel, control))
        getattr(panel, control).value = low if first == high else high
        panel.run()
        assert_sound(panel)
        assert seen(panel) != opening, f"two settings of {control} look the same"
        reached, found = panel.values, shown(panel)
        getattr(panel, control).value = first
    assert found == shown(opened(kind, **reached)), "what is shown depends on how it was reached"


@pytest.mark.parametrize("name", PANELS)
def test_a_panel_over_its_controls(name, opened):
    (over_one_end_of_its_controls if is_slow(PANELS[name]) else over_all_controls)(opened, PANELS[name])


@pytest.mark.parametrize("name", PANELS)
def test_a_panel_is_sound_in_the_lecture_hall(name, opened):
    assert_sound(opened(PANELS[name]).present())


class Line(panels.Panel):
    """A line of a given height, and its faults below."""

    title = "A line"
    picture = "A level line."
    controls = {"height": slider("height", 1.0, 0.0, 2.0, 0.5), "width": slider("width", 2.0, 1.0, 3.0, 0.5)}  # noqa: RUF012

    def make_axes(self, figure):
        axes = figure.columns(1, 1)
        for ax in axes:
            ax.set(xlim=(0, 1), ylim=(-1, 3), title="a plot")
        return axes

    def draw(self, height, width):
        for ax in self.axes:
            artists.curve(ax, "line", [0, 1], [height, height], "truth", linewidth=width)
        return panels.Reading(f"The line is {height:g} high.", {})


class Unconnected(Line):
    def draw(self, height, width):
        return super().draw(height, 2.0)


class NotANumber(Line):
    def draw(self, height, width):
        return panels.Reading(super().draw(height, width).takeaway, {"height": "nan" if height > 1 else "1"})


class Clipped(Line):
    def draw(self, height, width):
        self.axes[1].set_title("A title that is too long. " * 5 * (height > 1))
        return super().draw(height, width)


class Overlapping(Line):
    def draw(self, height, width):
        self.axes[0].set_title("A title that is too long. " * 3 * (height > 1))
        return super().draw(height, width)


class OutOfSight(Line):
    def draw(self, height, width):
        return super().draw(min(height, 1.0) if width == 2 else height, width)


class Remembering(Line):
    def draw(self, height, width):
        self.highest = max(height, getattr(self, "highest", 0.0))
        return panels.Reading(f"The highest was {self.highest:g}.", super().draw(height, width).readout)


class Empty(Line):
    def draw(self, height, width):
        if height < 2:
            return super().draw(height, width)
        return panels.Reading("Nothing is that high.", {})


FAULTS = {
    Unconnected: "two settings of width look the same",
    OutOfSight: "two settings of height look the same",
    NotANumber: "nan",
    Clipped: "is clipped by",
    Overlapping: "overlaps another plot",
    Remembering: "depends on how it was reached",
    Empty: "empty axes",
}


@pytest.mark.parametrize("over", [over_all_controls, over_one_end_of_its_controls])
def test_a_panel_without_faults_passes(over, opened):
    over(opened, Line)


@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("over", [over_all_controls, over_one_end_of_its_controls])
def test_a_faulty_panel_is_found_out(over, kind, opened):
    with pytest.raises(AssertionError, match=FAULTS[kind]):
        over(opened, kind)


@pytest.mark.parametrize("name", PANELS)
def test_a_panel_says_what_it_shows(name):
    kind = PANELS[name]
    assert kind.__doc__ and kind.title and kind.picture.endswith(".")
    for control in kind.controls:
        assert f"``{control}``" in kind.__doc__, f"the docstring does not name the control {control}"
