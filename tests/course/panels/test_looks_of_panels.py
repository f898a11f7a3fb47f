"""What a panel shows together are things that were declared to be seen together, and so are told apart."""

from collections import UserDict

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
