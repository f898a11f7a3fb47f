"""Axes of the panels of tempering and of estimators stay while a slider moves, and hold what is drawn."""

import numpy as np
import pytest

from anneal_edu.course import panels
from tests.course.panels.test_every_control import settings_of

STAYING = {
    "LadderAdaptation": ("step", "seed"),
    "OneMatrix": ("seed",),
    "ParticlesAndModes": ("updates",),
    "RungsAgainstError": ("seed",),
    "TemperedModes": ("n_pairs", "hottest", "seed"),
    "TemperedTraining": ("methods", "moment"),
    "TemperedWalk": ("rounds", "seed"),
    "WhichIsWrong": ("seed",),
    "WhomToBelieve": ("seed",),
}
"""Panel → controls that move what is drawn, and not its axes."""


def limits_of(panel):
    return [limits for ax in panel.axes for limits in (*ax.get_xlim(), *ax.get_ylim())]


@pytest.mark.parametrize("name", STAYING)
def test_axes_stay_while_a_slider_moves(name, quick_panel):
    panel = quick_panel(getattr(panels, name))
    opening = limits_of(panel)
    for control in STAYING[name]:
        first = getattr(panel, control).value
        for value in settings_of(getattr(panel, control)):
            getattr(panel, control).value = value
            panel.run()
            assert limits_of(panel) == opening, f"{control} at {value}"
        getattr(panel, control).value = first


def assert_inside(ax):
    """All that is drawn lies inside of the limits."""
    for line in (line for line in ax.lines if line.get_gid() and line.get_visible()):
        for values, (low, high) in zip(line.get_data(), (ax.get_xlim(), ax.get_ylim()), strict=True):
            values = np.asarray(values, dtype=float)
            assert low <= np.nanmin(values) and np.nanmax(values) <= high, line.get_gid()


def test_every_run_is_inside_of_the_axis_of_its_number_of_temperatures(quick_panel):
    panel = quick_panel(panels.RungsAgainstError, rungs=3, model="strong couplings")
    for seed in range(20):
        panel.seed.value = seed
        assert_inside(panel.axes[1])


@pytest.mark.parametrize("path", panels.ladder_adaptation.PATHS)
def test_the_axis_of_the_local_barrier_holds_that_of_every_round(path, quick_panel):
    panel = quick_panel(panels.LadderAdaptation, path=path, n_pairs=16)
    for step in range(4):
        panel.step.value = step
        assert_inside(panel.axes[2])


def test_masses_of_nothing_and_of_all_are_seen_whole(quick_panel):
    """Half a marker is 4 pixels high."""
    panel = quick_panel(panels.TemperedModes, hottest=0.5)
    masses = panel.axes[2]
    low, high = (masses.transData.transform((0, mass))[1] for mass in (0, 1))
    box = masses.get_window_extent()
    assert low - box.y0 > 4 and box.y1 - high > 4
