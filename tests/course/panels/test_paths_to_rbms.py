"""The panels of notebook 05 walk as the library does, and their default states show the lesson."""

import pytest

from anneal_edu.course.panels.samples_along_paths import (
    measures_along,
)
from anneal_edu.course.panels.where_the_knots_sit import WhereTheKnotsSit, deviations


def test_measures_at_the_ends_and_in_the_middle():
    geometric, moments = (measures_along("PCD", "base rate", style) for style in ("geometric", "moments"))
    assert geometric.pictures[0] == pytest.approx(1024) and moments.pictures[0] == pytest.approx(1024)
    assert geometric.pictures[-1] == pytest.approx(moments.pictures[-1])
    assert geometric.pictures[12] < 3 < 10 < moments.pictures[12]
    for measures in (geometric, moments):
        assert measures.ink.min() > 250, "no blank images on this path"


@pytest.mark.thorough("what its scenes say")
def test_knots_straighten_the_path_and_leave_f(quick_panel):
    largest = [deviations("CD-1", "uniform", knots).max() for knots in (0, 1, 4, 9)]
    assert largest[3] < 0.25 < 0.6 < min(largest[:3]), "few knots do not keep the path straight"
    panel = quick_panel(WhereTheKnotsSit, model="PCD", start="base rate")
    assert "F is 110, with none 110" in panel.takeaway and "not in F" in panel.takeaway
    panel.knots.value = 0
    assert "press Run" not in panel.takeaway and "geometric path" in panel.takeaway
