"""What a panel shows together are things that were declared to be seen together, and so are told apart."""

import importlib
import tomllib
from collections import UserDict
from pathlib import Path
from pkgutil import iter_modules

import pytest

from anneal_edu.course import figures, panels
from anneal_edu.course.figures import STYLES

DECLARED = Path(__file__).parents[1] / "figures" / "companies.toml"
COMPANIES = [set(names) for names in tomllib.loads(DECLARED.read_text(encoding="utf-8"))["together"]]
PANELS = {name: getattr(panels, name) for name in panels.__all__ if name != "Panel"}
PANELS = {name: kind for name, kind in PANELS.items() if isinstance(kind, type) and issubclass(kind, panels.Panel)}
MODULES = [
    importlib.import_module(f"{package.__name__}.{found.name}")
    for package in (figures, panels)
    for found in iter_modules(package.__path__)
]


class Watched(UserDict):
    """The table of looks, which remembers what was asked of it."""

    def __init__(self, table):
        super().__init__(table)
        self.asked = set()

    def __getitem__(self, name):
        look = dict(super().__getitem__(name))
        self.asked.add(name)
        return look


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
    quick_panel(PANELS[name])
    assert asked and any(asked <= company for company in COMPANIES), asked
