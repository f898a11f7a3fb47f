"""The states that teach: every panel has three or more, each says what it shows, and the first is the opening one."""

import re
import tomllib
from itertools import combinations
from pathlib import Path

import pytest

from anneal_edu.course.figures import LectureFigure
from tests.course.panels.conftest import FEWER, PANELS, SMALLER

SENTENCES = tomllib.loads(Path(__file__).with_name("scenes.toml").read_text(encoding="utf-8"))
"""Panel → scene → what its sentence must match."""


@pytest.mark.parametrize("name", PANELS)
def test_every_panel_has_three_scenes_that_differ(name):
    kind = PANELS[name]
    opening = {control: recipe().value for control, recipe in kind.controls.items()}
    states = [opening | scene for scene in kind.scenes.values()]
    assert len(states) >= 3
    assert states[0] == opening
    assert all(one != other for one, other in combinations(states, 2))
    assert all(set(scene) <= set(opening) for scene in kind.scenes.values())
    assert all(len(scene) <= 32 and scene[:1].islower() for scene in kind.scenes), "a button's words: a few, small"
    assert not kind.plays or kind.plays in opening


@pytest.mark.parametrize("name", PANELS)
def test_every_scene_says_what_it_shows(name, request, monkeypatch):
    """Of panels that compute for long, with small budgets."""
    kind = PANELS[name]
    assert SENTENCES[name].keys() == kind.scenes.keys()
    slow = name in SMALLER or name in FEWER
    monkeypatch.setattr(LectureFigure, "png", lambda figure: b"")
    panel = request.getfixturevalue("quick_panel")(kind) if slow else kind()
    for scene, sentence in SENTENCES[name].items():
        said = panel.show(scene).takeaway
        assert re.search(sentence, said), f"{scene}: {said}"
    panel.close()
