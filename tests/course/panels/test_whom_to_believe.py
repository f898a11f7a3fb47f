"""The plot of twelve estimates holds those near the median, a band says what near is, and rows can be sorted."""

import numpy as np
import pytest

from anneal_edu.course import panels
from anneal_edu.course.panels.whom_to_believe import CLOSE, SORTED, STARTS, rows_of
from tests.course.panels.conftest import drawn


def band_of(panel):
    return next(patch for patch in panel.axes[0].patches if patch.get_gid() == "close").get_xy()[:, 0]


@pytest.mark.parametrize("model", "ABC")
def test_a_band_around_the_middle_one_and_around_the_truth(quick_panel, model):
    panel, rows = quick_panel(panels.WhomToBelieve, model=model), rows_of(model)
    middle = np.median([row.exact + row.errors[0] for row in rows])
    for truth, centre in (("hidden", middle), ("shown", rows[0].exact)):
        panel.truth.value = truth
        np.testing.assert_allclose([min(band_of(panel)), max(band_of(panel))], [centre - CLOSE, centre + CLOSE])
        low, high = panel.axes[0].get_xlim()
        assert low < centre - CLOSE and centre + CLOSE < high


def test_sorted_nine_stand_in_a_column_that_misses_the_truth(quick_panel):
    """Rows keep their numbers, and go in three groups of one look each: 9 from β = 0, 2 from the data, and MAS."""
    panel, rows = quick_panel(panels.WhomToBelieve, truth="shown", order=SORTED), rows_of("B")
    order = np.argsort(-panel.axes[0].get_yticks())
    drawn_as = {line.get_gid() for line in panel.axes[0].lines if line.get_visible()}
    for i, start in zip(order, np.repeat(STARTS, [9, 2, 1]), strict=True):
        assert drawn_as & {f"{start} {i}", f"{start} beyond {i}"}
    names = [label.get_text() for label in panel.axes[0].get_yticklabels()]
    assert names == [row.name for row in rows] and names[order[-1]] == "AIS, moment spline"
    nine = [drawn(panel.axes[0], f"{STARTS[0]} {i}").get_xdata()[0] for i in order[:9]]
    assert max(nine) < rows[0].exact - 2
