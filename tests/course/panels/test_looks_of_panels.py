"""What a panel shows together are things that were declared to be seen together, and so are told apart."""

from collections import UserDict

import numpy as np
import pytest

from anneal_edu.course import panels
from anneal_edu.course.figures import STYLES
from tests.course.figures.test_names_of_looks import MODULES, in_one_company
from tests.course.panels.conftest import PANELS


class Watched(UserDict):
    """The table of looks, which remembers what was asked of it."""

    def __init__(self, table):
        super().__init__(table)
        self.asked = set()

    def __getitem__(self, name):
        self.asked.add(name)
        return super().__getitem__(name)


@pytest.fixture
def asked(monkeypatch):
    """Names of the looks that the figures take."""
    table = Watched(STYLES)
    for module in MODULES:
        if hasattr(module, "STYLES"):
            monkeypatch.setattr(module, "STYLES", table)
    return table.asked


@pytest.mark.parametrize("name", PANELS)
def test_a_panel_shows_things_of_one_company(quick_panel, asked, name):
    quick_panel(getattr(panels, name))
    assert in_one_company(asked), asked


@pytest.mark.parametrize("correlation", [-0.95, 0.0, 0.85])
def test_no_ring_of_a_path_is_cut_off_at_the_frame(correlation):
    panel = panels.TwoPaths(correlation=correlation)
    for panel.beta.value in (0.15, 0.25, 0.35, 0.65, 0.75, 0.85):
        for ax in panel.axes:
            for line in ax.lines:
                (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
                x, y = line.get_data()
                assert left <= np.nanmin(x) and np.nanmax(x) <= right, line.get_gid()
                assert low <= np.nanmin(y) and np.nanmax(y) <= high, line.get_gid()
    panel.close()
