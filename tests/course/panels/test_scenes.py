"""The states that teach: every panel has three or more, each says what it shows, and the first is the opening one."""

import re
import tomllib
from itertools import combinations, permutations
from pathlib import Path

import matplotlib as mpl
import pytest
from PIL import ImageFont

from anneal_edu.course.figures import LectureFigure
from tests.course.panels.conftest import PANELS, SMALLER

SENTENCES = tomllib.loads(Path(__file__).with_name("scenes.toml").read_text(encoding="utf-8"))
"""Panel → scene → what its sentence must match."""

MAY_COINCIDE = {
    ("StartsAgainstSteps", "far modes"),
}
"""Scenes in which, on a small budget, chance decides what is said, so that it may be what another scene says."""

SCREENS = (1024, 768), (1920, 1080)
WIDE_LETTERS = ImageFont.truetype(Path(mpl.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf"), 100)
"""As wide as the bold ones of the fonts that browsers take."""


def lines_of(sentence, width, height):
    """How many it takes in a lecture on a screen of this size: `stage.css` has its letters and margins."""
    room, space = 100 * 0.97 * width / max(0.029 * height, 20), WIDE_LETTERS.getlength(" ")
    lines, end = 1, -space
    for word in map(WIDE_LETTERS.getlength, sentence.split()):
        lines, end = (lines + 1, word) if end + space + word > room else (lines, end + space + word)
    return lines


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


@pytest.mark.fixed_seed("a scene has a seed of its own, and its sentence is about this one")
@pytest.mark.parametrize("name", PANELS)
def test_every_scene_says_what_it_shows(name, request, monkeypatch):
    """Of panels that compute for long, with small budgets."""
    kind = PANELS[name]
    assert SENTENCES[name].keys() == kind.scenes.keys()
    slow = name in SMALLER
    monkeypatch.setattr(LectureFigure, "png", lambda figure: b"")
    panel = request.getfixturevalue("quick_panel")(kind) if slow else kind()
    said = {scene: panel.show(scene).takeaway for scene in kind.scenes}
    panel.close()
    for scene, sentence in SENTENCES[name].items():
        assert re.search(sentence, said[scene]), f"{scene}: {said[scene]}"
        for screen in SCREENS:
            assert lines_of(said[scene], *screen) <= 2, f"{scene} at {screen}: {said[scene]}"
    for (scene, sentence), (other, its) in permutations(SENTENCES[name].items(), 2):
        if sentence != its and said[scene] != said[other] and not {(name, scene), (name, other)} & MAY_COINCIDE:
            assert not re.search(sentence, said[other]), f"what {scene} says, {other} says too: {said[other]}"
