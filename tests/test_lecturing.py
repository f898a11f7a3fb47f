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
def test_the_minutes_of_a_session_add_up_and_a_tenth_is_slack(title, minutes):
    (session,) = [text for text in SESSIONS if text.startswith(title)]
    spent = {what: int(time) for time, what in re.findall(r"^\| (\d+) \| (.*)$", session, re.MULTILINE)}
    assert sum(spent.values()) == minutes and spent["| | Slack. |"] > minutes / 10


def test_twelve_sessions_have_every_lesson_and_its_minutes():
    (plan,) = [text for text in SESSIONS if text.startswith("Twelve sessions")]
    rows = re.findall(r"^\| (\d+|talk) \| ([\d, ]*)\| (?:(\d+) )?\|", plan, re.MULTILINE)
    assert sorted(int(n) for _, lessons, _ in rows for n in lessons.split(",") if n) == [*range(16)]
    assert {int(session) for session, *_ in rows if session != "talk"} == {*range(1, 13)}
    home = [(session, int(minutes)) for session, _, minutes in rows if minutes]
    assert "All sixteen lessons are 22¾" in GUIDE and round(sum(minutes for _, minutes in home) / 15) / 4 == 22.75
    twelve = sum(minutes / (2 if session == "8" else 1) for session, minutes in home if session != "talk")
    assert "twelve sessions are 35" in GUIDE and round(twelve / 60 + 12 * 1.5) == 35
