"""The panel of two outputs draws what is stored of a fault, and hides which of the two it is until asked."""

import numpy as np
import pytest

from anneal_edu.course import bugs, panels
from anneal_edu.course.panels import which_is_wrong


def named(ax):
    return {artist.get_gid() for artist in ax.get_children() if artist.get_gid() and artist.get_visible()}


def test_the_two_outputs_are_stored_runs_with_the_same_numbers(quick_panel):
    panel = quick_panel(panels.WhichIsWrong, fault="γ for √γ", seed=4)
    row = which_is_wrong.row_of("γ for √γ")
    shown = [panel.readout[letter].split()[0] for letter in "AB"]
    pair = [row.right_runs[4], row.right_runs[4]]
    pair[which_is_wrong.wrong_one("γ for √γ", 4)] = row.runs[4]
    assert shown == [f"{answer[0]:.3f}" for answer in pair]


def test_hidden_means_hidden(quick_panel):
    panel = quick_panel(panels.WhichIsWrong)
    assert not any("faulty" in name or name == "truth" for ax in panel.axes for name in named(ax))
    assert set(panel.readout) == {"A", "B"}
    panel.truth.value = "shown"
    assert "truth" in named(panel.axes[0]) and "faulty" in named(panel.axes[1])
    assert "truth" in panel.readout
    panel.truth.value = "hidden"
    assert not any("faulty" in name or name == "truth" for ax in panel.axes for name in named(ax))


def test_the_first_pair_is_not_told_by_a_round_number(quick_panel):
    """Of the first pair both outputs are plausible: its truth is no whole number, and the intervals are as long."""
    panel = quick_panel(panels.WhichIsWrong)
    row = which_is_wrong.row_of(panel.fault.value)
    assert abs(row.truth - round(row.truth)) > 0.1
    for right, wrong in zip(row.right_runs, row.runs, strict=True):
        assert abs(wrong[0] - right[0]) < 0.1 * row.truth
        assert 0.7 < (wrong[2] - wrong[1]) / (right[2] - right[1]) < 1.5


@pytest.mark.parametrize("fault", bugs.FAULTS)
def test_the_wrong_one_is_now_a_now_b(fault):
    letters = [which_is_wrong.wrong_one(fault, run) for run in range(12)]
    assert 1 <= sum(letters) <= 11


def test_marks_stand_at_p_values(quick_panel):
    panel = quick_panel(panels.WhichIsWrong, fault="β and 1-β", truth="shown")
    row = which_is_wrong.row_of("β and 1-β")
    marks = next(line for line in panel.axes[1].lines if line.get_gid() == "sound")
    asked = [p for p in row.p_values.values() if p is not None]
    np.testing.assert_allclose(sorted(marks.get_xdata()), sorted(-np.log10(asked)))
