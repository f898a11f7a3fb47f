"""The panel of two outputs draws what is stored of a fault, and hides which of the two it is until asked."""

import numpy as np
import pytest

from anneal_edu.course import bugs, panels
from anneal_edu.course.panels import which_is_wrong
from tests.course.panels.conftest import drawn


def named(panel):
    return {a.get_gid() for ax in panel.axes for a in ax.get_children() if a.get_gid() and a.get_visible()}


def test_twelve_stored_runs_and_those_that_miss(quick_panel):
    """Of the right sampler 11 of 12 intervals hold the truth, of one with a noise for all chains 5."""
    panel = quick_panel(panels.WhichIsWrong, fault="one noise for all chains", truth="shown")
    row, wrong = which_is_wrong.row_of("one noise for all chains"), which_is_wrong.wrong_one("one noise for all chains")
    for runs, ax, held in ((row.runs, panel.axes[wrong], 5), (row.right_runs, panel.axes[1 - wrong], 11)):
        held_ones = [value for value, low, high, *_ in runs if low <= row.truth <= high]
        assert len(held_ones) == held and f"{held} of 12 hit" in ax.get_title(loc="left")
        np.testing.assert_allclose(drawn(ax, "sound").get_xdata(), held_ones)
        assert len(drawn(ax, "faulty").get_xdata()) == 12 - held
    assert "faulty" in panel.axes[wrong].get_title(loc="left")


def test_hidden_means_hidden(quick_panel):
    panel = quick_panel(panels.WhichIsWrong)
    for truth in ("hidden", "shown", "hidden"):
        panel.truth.value = truth
        told = any("faulty" in name or name == "truth" for name in named(panel))
        assert told == (truth == "shown") == bool(panel.readout)


def test_the_first_pair_is_not_told_by_a_round_number(quick_panel):
    """Of the first pair both outputs are plausible: its truth is no whole number, and the intervals are as long."""
    panel = quick_panel(panels.WhichIsWrong)
    row = which_is_wrong.row_of(panel.fault.value)
    assert abs(row.truth - round(row.truth)) > 0.1
    for right, wrong in zip(row.right_runs, row.runs, strict=True):
        assert abs(wrong[0] - right[0]) < 0.1 * row.truth
        assert 0.7 < (wrong[2] - wrong[1]) / (right[2] - right[1]) < 1.5


def test_the_wrong_one_is_now_a_now_b():
    assert 8 <= sum(map(which_is_wrong.wrong_one, bugs.FAULTS)) <= 24


@pytest.mark.parametrize("fault", ["β and 1-β", "γ for √γ"])
def test_tests_are_marked_that_see_the_fault(quick_panel, fault):
    panel, row = quick_panel(panels.WhichIsWrong, fault=fault, truth="shown"), which_is_wrong.row_of(fault)
    marked = [name for name in named(panel) if name.startswith("faulty ") and name != "faulty bars"]
    assert len(marked) == len(row.seen_by)
    assert all(list(row.p_values)[int(name.split()[1])] in row.seen_by for name in marked)
