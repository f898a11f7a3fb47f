"""Every exported panel, over every control's two ends, of a slow one where it opens and one end.

Axes and legends stay where they are while controls move that move what is drawn alone.
A new panel is covered by being exported. Nothing is rendered where the artists suffice; panels that compute for long
have the smaller budgets of conftest.py.
"""

import inspect
from itertools import combinations

import ipywidgets as widgets
import numpy as np
import pytest
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from tests.course.panels.conftest import PANELS, runs_of

STAY = {
    "AnnealedWalk": {"moment"},
    "AnnealingRuns": {"moment", "n_steps", "transitions", "seed"},
    "BiasDecay": {"doublings", "target", "schedule"},
    "DigitsAnnealing": {"beta", "start", "n_steps", "seed"},
    "FirstPath": {"beta"},
    "HalfPlane": {"schedule", "n_steps"},
    "HamiltonianConvergence": {"time", "goal"},
    "ImageModels": {"share"},
    "EqualAreas": {"rung", "rounds", "n_pairs"},
    "LargeModels": {"power", "model"},
    "MissingArea": {"n_steps"},
    "MomentumTrails": {"beta", "step_size", "half_life", "seed"},
    "OneMatrix": {"distance", "seed"},
    "ParticlesAndModes": {"updates", "rate", "training"},
    "SamplesAlongPaths": {"beta", "model", "shown", "n_steps", "seed"},
    "OneLadder": {"moment", "n_pairs", "hottest", "seed"},
    "SandwichGap": {"draws", "path", "seed"},
    "StartsAgainstSteps": {"n_steps"},
    "TemperedTraining": {"drawn", "moment"},
    "TemperedWalk": {"sweep", "z", "seed"},
    "TinyWorld": {"moment"},
    "TwoPaths": {"beta", "moves"},
    "WhereTheKnotsSit": {"knots", "start", "seed"},
    "WhereToStart": {"moment", "tilt", "width", "seed"},
    "WhoVisitsTheTarget": {"sweep", "n_pairs", "barrier", "memory", "seed"},
    "WhichIsWrong": {"truth"},
    "WhomToBelieve": {"truth", "order", "seed"},
    "WidthOfAStep": {"doublings", "seed"},
}
"""Panel → controls that move what is drawn, but no axis."""
assert STAY.keys() <= PANELS.keys()


def is_slow(kind):
    """Whether it has a Run button."""
    return inspect.isgeneratorfunction(kind.draw)


def settings_of(control):
    """Both ends of a slider; first, middle and last value of a choice, each once."""
    if hasattr(control, "options"):
        options = [option[1] if isinstance(option, tuple) else option for option in control.options]
        return list(dict.fromkeys([options[0], options[len(options) // 2], options[-1]]))
    if isinstance(control, widgets.Checkbox):
        return [False, True]
    return [control.min, control.max]


def frames(panel):
    """Of every plot: the ends of its axes, and where its legend stands; the height of a histogram may change."""
    for ax in panel.axes:
        legend = ax.get_legend()
        heights = () if list(ax.get_yticks()) == [] or "Log weights" in ax.get_title(loc="left") else ax.get_ylim()
        yield ax.get_xlim(), heights, None if legend is None else legend._loc


def assert_sound(panel):
    """Finite numbers in every artist and word; no empty plot; nothing clipped at the edge, no plot over another."""
    assert panel.takeaway and "press Run" not in panel.takeaway
    words = [panel.takeaway, *panel.readout.values()]
    assert not panel.figure.legends, "on a page a legend of the figure would be a plot beside the others"
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


def over_all_controls(quick_panel, kind):
    """Each setting has its own sound picture, and it matters not how it was reached."""
    panel = quick_panel(kind)
    if kind.plays:
        time = getattr(panel, kind.plays)
        time.value = settings_of(time)[1]  # at first some settings look the same
    at_first = panel.values
    ends = {control: settings_of(getattr(panel, control)) for control in at_first}
    for control, values in ends.items():
        pictures, opening = set(), list(frames(panel))
        for value in values:
            getattr(panel, control).value = value
            assert_sound(panel)
            assert control not in STAY.get(kind.__name__, ()) or list(frames(panel)) == opening, f"{control} = {value}"
            # a point may move by less than a pixel from seed to seed, but its number is another one
            pictures.add((seen(panel), *(panel.readout.values() if control == "seed" else ())))
        assert len(pictures) == len(values), f"two settings of {control} look the same"
        getattr(panel, control).value = at_first[control]
    for control in reversed(ends):
        getattr(panel, control).value = ends[control][0]
    fresh = quick_panel(kind, **{control: values[0] for control, values in ends.items()})
    assert shown(panel) == shown(fresh), "what is shown depends on how it was reached"


def over_one_end_of_its_controls(quick_panel, kind):
    """The same of the opening picture and of one end of each control, since a run takes long."""
    panel = quick_panel(kind)
    assert_sound(panel)
    at_first, opening, axes = panel.values, seen(panel), list(frames(panel))
    for control, first in at_first.items():
        low, *_, high = settings_of(getattr(panel, control))
        getattr(panel, control).value = low if first == high else high
        panel.run()
        assert_sound(panel)
        assert control not in STAY.get(kind.__name__, ()) or list(frames(panel)) == axes, control
        assert seen(panel) != opening, f"two settings of {control} look the same"
        reached, found = panel.values, shown(panel)
        getattr(panel, control).value = first
    runs = runs_of(kind).copy()
    runs_of(kind).clear()
    assert found == shown(quick_panel(kind, **reached)), "what is shown depends on how it was reached"
    runs_of(kind).update(runs)


@pytest.mark.parametrize("name", PANELS)
def test_a_panel_over_its_controls(name, quick_panel):
    kind = PANELS[name]
    (over_one_end_of_its_controls if is_slow(kind) else over_all_controls)(quick_panel, kind)


@pytest.mark.parametrize("name", PANELS)
def test_a_panel_says_what_it_shows(name):
    kind = PANELS[name]
    assert kind.__doc__ and kind.title and kind.picture.endswith(".")
    for control in kind.controls:
        assert f"``{control}``" in kind.__doc__, f"the docstring does not name the control {control}"
