"""The guide for lecturers names scenes that exist, and its minutes add up."""

import re
from pathlib import Path

import pytest

from anneal_edu.course import panels

GUIDE = (Path(__file__).parents[1] / "docs" / "lecturing.md").read_text(encoding="utf-8")
SHOWN = re.compile(r"`([A-Z]\w+)`: ((?:\*[^*]+\*(?:, )?)+)")
SESSIONS = re.split(r"^##+ ", GUIDE, flags=re.MULTILINE)


def test_every_scene_that_the_guide_names_is_there():
    named = SHOWN.findall(GUIDE)
    assert len(named) > 20
    for panel, scenes in named:
        for scene in re.findall(r"\*([^*]+)\*", scenes):
            assert scene in getattr(panels, panel).scenes, f"{panel} has no scene {scene!r}"


def test_every_panel_of_the_guide_is_there():
    used = set(re.findall(r"`((?:[A-Z][a-z]+){2,})`", GUIDE))
    assert used <= set(panels.__all__)


@pytest.mark.parametrize(("title", "minutes"), [("One lecture", 45), *((f"{n}. ", 90) for n in range(1, 5))])
def test_the_minutes_of_a_session_add_up(title, minutes):
    (session,) = [text for text in SESSIONS if text.startswith(title)]
    assert sum(int(spent) for spent in re.findall(r"^\| (\d+) \|", session, re.MULTILINE)) == minutes


def test_a_term_has_every_lesson():
    (term,) = [text for text in SESSIONS if text.startswith("A term")]
    assert {int(n) for row in re.findall(r"^\| \d+ \| ([\d, ]+) \|", term, re.MULTILINE) for n in row.split(",")} == {
        *range(16)
    }
