"""Axes hold what is drawn."""

import numpy as np
import pytest

from anneal_edu.course import panels


def assert_inside(ax):
    """All that is drawn lies inside of the limits."""
    for line in (line for line in ax.lines if line.get_gid() and line.get_visible()):
        for values, (low, high) in zip(line.get_data(), (ax.get_xlim(), ax.get_ylim()), strict=True):
            values = np.asarray(values, dtype=float)
            assert low <= np.nanmin(values) and np.nanmax(values) <= high, line.get_gid()


@pytest.mark.parametrize("path", panels.equal_areas.PATHS)
def test_the_axis_holds_the_local_barrier(path, quick_panel):
    assert_inside(quick_panel(panels.EqualAreas, path=path).axes[0])
