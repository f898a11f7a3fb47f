"""Axes and legends stay where they are while sliders move, and what lies beyond an axis is said."""

import numpy as np
import pytest

from anneal_edu.course import panels
from anneal_edu.course.figures.annealing import LOG_WEIGHTS
from tests.course.panels.conftest import takes
from tests.course.panels.test_every_control import settings_of

STAY = {
    "FirstPath": {"beta"},
    "TwoPaths": {"beta", "separation", "correlation", "n_steps"},
    "TinyWorld": {"n_steps", "depth", "kernel"},
    "ImportanceSampling": {"distance", "n_samples", "seed"},
    "BiasDecay": {"n_steps", "separation", "ends", "schedule", "seed"},
    "AnnealingRuns": {"n_steps"},
    "WhereTheKnotsSit": {"knots"},
    "SamplesAlongPaths": {"beta", "model", "start", "shown", "seed"},
    "DigitsAnnealing": {"beta"},
    "FourModes": {"beta", "n_steps", "kernel", "seed"},
    "StartCovariance": {"share"},
    "MomentumTrails": {"step_size", "half_life", "seed"},
    "HamiltonianConvergence": {"cost"},
    "ImageModels": {"model"},
}
"""Panel → controls that move no axis."""


def frames(panel):
    """Of every plot: the ends of its axes, and where its legend stands; the height of a histogram may change."""
    for ax in panel.axes:
        legend = ax.get_legend()
        heights = () if list(ax.get_yticks()) == [] or "Log weights" in ax.get_title(loc="left") else ax.get_ylim()
        yield ax.get_xlim(), heights, None if legend is None else legend._loc


@pytest.mark.parametrize("name", STAY)
def test_axes_stay(name, quickest_panel):
    panel = quickest_panel(getattr(panels, name))
    for control in STAY[name]:
        widget, before = getattr(panel, control), panel.values[control]
        at_first = list(frames(panel))
        for value in settings_of(widget):
            widget.value = value
            assert list(frames(panel)) == at_first, f"{control} = {value}"
        widget.value = before


def test_an_estimate_below_the_plot_is_an_arrow_at_its_edge(quick_panel):
    panel = quick_panel(panels.ImportanceSampling, dim=64, distance=8.0)
    (arrow,) = (line for line in panel.axes[2].lines if line.get_gid() == "below" and line.get_visible())
    low, high = panel.axes[2].get_ylim()
    assert arrow.get_xdata() == [8.0] and low < arrow.get_ydata()[0] < low + 0.1 * (high - low)
    panel.distance.value = 0.0
    assert not arrow.get_visible()


def test_log_weights_beyond_the_axis_are_counted(quick_panel):
    panel = quick_panel(panels.AnnealingRuns, n_steps=11)
    (runs,) = panel._runs.values()
    beyond = {style: np.mean(runs[style, 11][0].log_weights < LOG_WEIGHTS[0]) for style in ("geometric", "moments")}
    said = {text.get_gid(): text.get_text() for text in panel.axes[1].texts if text.get_visible()}
    assert said["moments beyond"] == f"← {beyond['moments']:.0%}" and beyond["moments"] > 0  # 13% of all
    assert "geometric beyond" not in said and beyond["geometric"] < 0.005


def test_quick_panels_keep_of_a_scene_what_their_controls_can_take():
    controls = panels.BiasDecay.controls
    assert takes(controls["n_steps"], 100) and not takes(controls["n_steps"], 99)
    beta = panels.FirstPath.controls["beta"]
    assert takes(beta, 1.0) and not takes(beta, 1.1)
