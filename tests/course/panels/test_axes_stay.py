"""Axes hold what is drawn."""

import numpy as np
import pytest

from anneal_edu.course import panels
from anneal_edu.course.panels.annealing_runs import LOG_WEIGHTS


def assert_inside(ax):
    """All that is drawn lies inside of the limits."""
    for line in (line for line in ax.lines if line.get_gid() and line.get_visible()):
        for values, (low, high) in zip(line.get_data(), (ax.get_xlim(), ax.get_ylim()), strict=True):
            values = np.asarray(values, dtype=float)
            assert low <= np.nanmin(values) and np.nanmax(values) <= high, line.get_gid()


@pytest.mark.parametrize("path", panels.equal_areas.PATHS)
def test_the_axis_holds_the_local_barrier(path, quick_panel):
    assert_inside(quick_panel(panels.EqualAreas, path=path).axes[0])


def test_log_weights_beyond_the_axis_are_counted(quick_panel):
    panel = quick_panel(panels.AnnealingRuns, n_steps=11)
    (runs,) = panel._runs.values()
    beyond = {style: np.mean(runs[style, 11][0].log_weights < LOG_WEIGHTS[0]) for style in ("geometric", "moments")}
    said = {text.get_gid(): text.get_text() for text in panel.axes[1].texts if text.get_visible()}
    assert said["moments beyond"] == f"← {beyond['moments']:.0%}" and beyond["moments"] > 0  # 13% of all
    assert "geometric beyond" not in said and beyond["geometric"] < 0.005
