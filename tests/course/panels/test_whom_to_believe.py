"""The plot of twelve estimates holds those that are near the middle one, and a band says what near is."""

import numpy as np
import pytest

from anneal_edu.course import panels
from anneal_edu.course.panels.whom_to_believe import CLOSE, rows_of


def band_of(panel):
    return next(patch for patch in panel.axes[0].patches if patch.get_gid() == "close").get_xy()[:, 0]


@pytest.mark.parametrize("model", "ABC")
def test_a_band_around_the_middle_one_and_around_the_truth(quick_panel, model):
    panel, rows = quick_panel(panels.WhomToBelieve, model=model), rows_of(model)
    middle = np.median([row.exact + row.errors[0] for row in rows])
    for truth, centre, words in (("hidden", middle, "middle one ± 0.3"), ("shown", rows[0].exact, "truth ± 0.3")):
        panel.truth.value = truth
        np.testing.assert_allclose([min(band_of(panel)), max(band_of(panel))], [centre - CLOSE, centre + CLOSE])
        low, high = panel.axes[0].get_xlim()
        assert low < centre - CLOSE and centre + CLOSE < high
        assert panel.axes[0].get_xlabel().endswith(words)


def test_the_truth_is_no_entry_of_the_key_until_it_is_drawn(quick_panel):
    panel = quick_panel(panels.WhomToBelieve)
    for truth, exact in (("hidden", []), ("shown", ["exact log Z"]), ("hidden", [])):
        panel.truth.value = truth
        (legend,) = panel.axes[0].get_figure().legends
        assert [text.get_text() for text in legend.get_texts()] == ["errs low", "errs high", "neither", *exact]
