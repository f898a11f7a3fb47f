"""The table of key to picture is made of presses that each change the picture."""

import os

import pytest

import lab_page
import panel_latency

pytestmark = pytest.mark.skipif("DRIVE" not in os.environ, reason="opens a notebook: make drive")


def test_every_panel_that_is_drawn_while_dragged_is_in_the_table():
    live = panel_latency.live_panels()
    assert {"TwoPaths": (0, "position β"), "WhomToBelieve": (0, "run")}.items() <= live.items()
    assert "ReplicaWalks" not in live and "DigitsAnnealing" not in live


def test_presses_turn_round_at_the_end(chromium, lab):
    number, _ = panel_latency.live_panels()["TwoPaths"]
    times = panel_latency.measured(chromium, lab, "TwoPaths", number, presses=3)
    assert len(times) == 3 and all(0 < time < lab_page.CHANGE_LIMIT_MS for time in times)
