"""Table 1 and Figure 3 of Grosse et al. 2013 at their smallest, and what the stored runs at the paper's scale found."""

import numpy as np
import pytest
from scipy.stats import chi2, norm

import anneal_edu as ae
from anneal_edu.course.experiments import grosse, stored
from anneal_edu.course.experiments.blocks import ais_in_blocks
from anneal_edu.course.experiments.run import Run

TINY, FULL = grosse.SCALES["tiny"], grosse.SCALES["full"]
MINE = {"model": ae.BinaryRBM(np.ones((4, 2)), np.zeros(4), np.zeros(2)), "images": np.eye(4), "name": "mine"}


def test_figure_3_has_the_curves_of_table_1_which_end_in_its_rows(tmp_path):
    points, table = list(grosse.figure_3(TINY, Run(folder=tmp_path))), list(grosse.table_1(TINY, Run(folder=tmp_path)))
    assert len({(row["start"], row["path"], row["schedule"]) for row in table}) == len(table) == 8
    assert max(row["p_value"] for row in table) == 1
    assert len(points) == 2 * 2 * (2 * 2 + 1)
    for row, end in zip(table, [point for point in points if point["n_steps"] == TINY["n_steps"]], strict=True):
        assert {key: row[key] for key in row if key != "p_value"}.items() <= end.items()
        assert end["low"] <= end["log_z"] <= end["high"]
    perfect = {(point["n_steps"], point["schedule"]) for point in points if point["transitions"] == "perfect"}
    assert perfect == {(5, "linear")}


def test_perfect_points_of_figure_3_are_runs_with_exact_draws():
    points = list(grosse.figure_3(TINY, Run(3, **MINE)))
    path = ae.geometric_path(ae.base_rate_rbm(MINE["images"], 2), MINE["model"])
    wanted = ais_in_blocks(path, ae.linear_schedule(5), 25, Run(3), 25, ae.exact).log_z
    drawn = {(p["start"], p["path"]): p["log_z"] for p in points if p["transitions"] == "perfect"}
    assert drawn["base rate", "geometric"] == wanted
    assert {point["model"] for point in points} == {"mine"}


def test_rows_of_the_geometric_path_do_not_wait_for_knots(monkeypatch):
    """Of a given model the knots can take half an hour."""
    said = []

    def fit(run, p0, p1):
        said.append("knots")
        return ae.geometric_path(p0, p1)

    monkeypatch.setattr(grosse, "kept_spline", fit)
    for row in grosse.table_1(TINY, Run(**MINE)):
        said.append(row["path"])
    assert said == ["geometric", "geometric", "knots", "MAS", "MAS"] * 2


def test_biased_moments_are_compared_with_exact_ones_and_lean_to_the_high_digits():
    rows = list(grosse.compare_moments(TINY))
    assert [row["start"] for row in rows] == ["uniform", "base rate"]
    for row in rows:
        assert 0 <= row["log_z_p_value"] <= 1 and 0 < row["ess_p_value"] <= 1
        assert row["log_z_exact"] != row["log_z_biased"]
    rbm = ae.models.load("digits8_cd")
    plain, biased = grosse.data_moments(rbm, grosse.digits(8))[0], grosse.biased_moments(rbm)[0]
    weighted = np.average(grosse.digits(8), axis=0, weights=grosse.digit_labels() + 1)
    np.testing.assert_allclose(biased, weighted, atol=1e-6)
    assert np.abs(biased - plain).max() > 0.02


def result(spread, n=200, mean=0.0):
    """Log weights whose spread, and so whose ESS, is given: the quantiles of a normal."""
    log_weights = mean + spread * norm.ppf((np.arange(n) + 0.5) / n)
    return ae.annealing.ais.AISResult(log_weights, np.zeros((n, 1)), 0)


def test_p_values_compare_with_the_largest_ess():
    """Ties are as often larger as not; bounds of 4.5 standard errors of the default number of resamples are wider."""
    wide, narrow, like, middle = result(2.0), result(0.5), result(0.5), result(0.7)
    p_values = grosse.ess_p_values([wide, narrow, middle, like], np.random.default_rng(0))
    assert p_values[1] == 1
    assert max(p_values[0], p_values[2]) < 0.05
    assert 0.2 < p_values[3] < 0.8


@pytest.mark.parametrize("order", [1, -1])
def test_p_values_of_a_comparison_are_two_sided_in_log_z_and_of_the_larger_ess(order):
    first, second = result(1.0, mean=0.2), result(1.0)
    z = 0.2 / np.hypot(first.std_error, second.std_error)
    of_log_z, of_ess = grosse._p_values(*(first, second)[::order], np.random.default_rng(0))
    assert of_log_z == pytest.approx(1 - chi2.cdf(z**2, 1), rel=1e-9)
    assert 0.2 < of_ess < 0.8
    of_log_z, of_ess = grosse._p_values(*(result(2.0), result(0.5))[::order], np.random.default_rng(0))
    assert of_ess < 0.01


@pytest.mark.parametrize("name", ["mnist_pcd_20", "mnist_cd1_20"])
def test_the_stored_table_at_the_papers_scale_is_right(name):
    table, exact = stored("grosse_table1_mnist"), ae.models.load(name).log_z()
    rows = [row for row in table["rows"] if row["model"] == name]
    assert (table["settings"]["n_steps"], table["settings"]["n_chains"]) == (FULL["n_steps"], FULL["n_chains"])
    assert len({(row["start"], row["path"], row["schedule"]) for row in rows}) == len(rows) == 8
    assert all(row["exact"] == pytest.approx(exact, abs=1e-6) for row in rows)
    assert all(abs(row["log_z"] - exact) < 3 * row["std_error"] for row in rows)


def largest_ess_first(name, start):
    rows = [row for row in stored("grosse_table1_mnist")["rows"] if (row["model"], row["start"]) == (name, start)]
    return sorted(rows, key=lambda row: -row["ess"])


def test_by_pcd_the_stored_table_has_the_papers_order_and_the_base_rates_do_more():
    rows, papers = largest_ess_first("mnist_pcd_20", "uniform"), grosse.PAPER["PCD"]
    assert [(row["path"], row["schedule"]) for row in rows] == sorted(papers, key=lambda key: -papers[key][1])
    assert min(row["ess"] for row in largest_ess_first("mnist_pcd_20", "base rate")) > 3 * rows[0]["ess"]


def test_the_stored_curve_at_the_papers_scale_ends_in_the_table():
    table, curve = (stored(f"grosse_{name}_mnist") for name in ("table1", "figure3"))
    assert (curve["settings"]["n_steps"], curve["settings"]["n_chains"]) == (FULL["n_steps"], FULL["n_chains"])
    rows = {(r["path"], r["schedule"]): r["log_z"] for r in table["rows"]
            if (r["model"], r["start"]) == ("mnist_pcd_20", "uniform")}  # fmt: skip
    ends = [row for row in curve["rows"] if row["n_steps"] == FULL["n_steps"]]
    assert ends and all(row["log_z"] == rows[row["path"], row["schedule"]] for row in ends)
