"""The panels of notebook 05 walk as the library does, and their default states show the lesson."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.panels.samples_along_paths import (
    CHAINS,
    N_STEPS,
    SHOWN,
    SamplesAlongPaths,
    chains_along,
    measures_along,
    paths_to,
)
from anneal_edu.course.panels.where_the_knots_sit import WhereTheKnotsSit, deviations


@pytest.mark.parametrize("style", ["geometric", "moments"])
def test_the_last_chains_are_those_of_ais(style):
    path = paths_to("PCD", "base rate")[style]
    result = ae.ais(path, ae.linear_schedule(N_STEPS), SHOWN, rng=np.random.default_rng(5))
    np.testing.assert_array_equal(chains_along("PCD", "base rate", style, 5)[-1], result.samples)


def test_measures_at_the_ends_and_in_the_middle():
    geometric, moments = (measures_along("PCD", "base rate", style) for style in ("geometric", "moments"))
    assert geometric.pictures[0] == pytest.approx(1024) and moments.pictures[0] == pytest.approx(1024)
    assert geometric.pictures[-1] == pytest.approx(moments.pictures[-1])
    assert geometric.pictures[12] < 3 < 10 < moments.pictures[12]
    for measures in (geometric, moments):
        assert measures.ink.min() > 250, "no blank images on this path"


def test_samples_along_paths_shows_the_bottleneck():
    panel = SamplesAlongPaths()
    try:
        assert "bottleneck" in panel.takeaway
        panel.beta.value = 1.0
        assert "they share their ends" in panel.takeaway
        panel.model.value, panel.shown.value = "CD-1", CHAINS
        assert "On MAS several of the 20 chains have found it, on the geometric path hardly one" in panel.takeaway
        assert panel.readout["chains in the likeliest picture"].endswith("of 20")
    finally:
        panel.close()


@pytest.mark.thorough("what its scenes say")
def test_knots_straighten_the_path_and_leave_f(quick_panel):
    largest = [deviations("CD-1", "uniform", knots).max() for knots in (0, 1, 4, 9)]
    assert largest[3] < 0.25 < 0.6 < min(largest[:3]), "few knots do not keep the path straight"
    panel = quick_panel(WhereTheKnotsSit, model="PCD", start="base rate")
    assert "F is 110, with none 110" in panel.takeaway and "not in F" in panel.takeaway
    panel.knots.value = 0
    assert "press Run" not in panel.takeaway and "geometric path" in panel.takeaway


def test_the_marks_of_the_chosen_number_of_knots_are_full(quick_panel):
    panel = quick_panel(WhereTheKnotsSit, knots=9)
    for chosen in (9, 1, 0):
        panel.knots.value = chosen
        marks = {line.get_gid(): line for line in panel.axes[1].lines}
        empty = {n for n in (0, 1, 4, 9) if marks[f"runs {n}"].get_markerfacecolor() == "white"}
        assert empty == {0, 1, 4, 9} - {chosen}
