"""Table 2 and Figures 4 and 5 at a size where the truth is known: forward and reverse runs bracket it."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.annealing.ais import AISResult
from anneal_edu.course.experiments import grosse_large, stored
from anneal_edu.course.experiments.grosse_large import (
    BEGINNINGS,
    N_KNOT_CHAINS,
    N_STOPS,
    PATHS,
    SCALES,
    figure_4,
    figure_5,
    knots,
    pictures_of,
    seen_in,
    stored_log_weights,
    table_2,
)
from anneal_edu.course.experiments.run import Run

TINY = SCALES["tiny"]
PCD_ALONE = TINY | {"training": {"PCD": TINY["training"]["PCD"]}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def rows(folder):
    return list(table_2(TINY, Run(seed=1, folder=folder)))


def test_every_row_agrees_with_the_exact_value_from_both_sides(rows):
    """24 comparisons: over 20 seeds none was off by more than 2.8 standard errors."""
    assert [(row["model"], row["start"], row["path"]) for row in rows] == [
        (model, start, path) for model in ("CD1", "PCD") for start in ("uniform", "base rate") for path in PATHS
    ]
    for row in rows:
        assert row["draws"] == "exact draws"
        assert abs(row["log_z"] - row["exact"]) < 5 * row["std_error"] + 0.001, row
        assert abs(row["reverse_log_z"] - row["exact"]) < 5 * row["reverse_std_error"] + 0.001, row
    for model in ("CD1", "PCD"):
        mine = [row for row in rows if row["model"] == model]
        assert max(mine, key=lambda row: row["ess"])["ess_p_value"] == 1
        assert all(0 < row["ess_p_value"] <= 1 for row in mine)


def test_the_curves_of_figure_5_end_in_the_rows_of_the_table_and_agree_with_the_exact_value(rows, folder):
    """48 comparisons, of which those of ten steps have heavy tails: Markov holds for each."""
    points = list(figure_5(PCD_ALONE, Run(seed=1, folder=folder)))
    assert [point["n_steps"] for point in points] == [10, 100, TINY["n_steps"]] * 6
    for point, row in zip(points[2::3], [row for row in rows if row["model"] == "PCD"], strict=True):
        kept = {key for key in point if "seconds" not in key}
        assert {key: point[key] for key in kept} == {key: row[key] for key in kept}
    for point in points:
        assert point["log_z"] < point["exact"] + np.log(1e7)
        assert point["reverse_log_z"] > point["exact"] - np.log(1e7)


def test_figure_4_starts_in_the_base_rates_and_ends_in_the_table_s_model(folder):
    """Mean ink of the chains against the exact one, to a pixel of 64: 24 seeds were all within 0.16."""
    stops = list(figure_4(PCD_ALONE | {"n_steps": 4000}, Run(seed=1, folder=folder)))
    assert [(s["path"], s["beta"]) for s in stops] == [(p, i / N_STOPS) for p in PATHS for i in range(N_STOPS + 1)]
    end = grosse_large.trained_model(TINY, Run(seed=1, folder=folder), "PCD")
    assert all(pictures_of(s).shape == (8, 64) and s["n_chains"] == TINY["n_reverse"] for s in stops)
    for path in range(3):
        first, last = stops[path * (N_STOPS + 1)], stops[(path + 1) * (N_STOPS + 1) - 1]
        assert abs(first["ink"] - ae.data.digits(8).sum(1).mean()) < 1
        assert abs(last["ink"] - end.moments()[0].sum()) < 1


def test_a_picture_without_ink_is_blank():
    """A model that is white, at the end of a way from base rates that are not."""
    white = ae.BinaryRBM(np.zeros((64, 10)), np.full(64, -9.0), np.zeros(10))
    stops = list(figure_4(TINY, Run(model=white, images=ae.data.digits(8), name="white")))
    assert {stop["model"] for stop in stops} == {"white"}
    geometric = [stop for stop in stops if stop["path"] == "geometric"]
    assert (geometric[0]["blank"], geometric[-1]["blank"]) == (0, 1)
    assert geometric[0]["ink"] > 5 > 0.1 > geometric[-1]["ink"]


@pytest.mark.thorough("rows with exact draws")
def test_without_exact_draws_a_long_run_is_named_and_brackets_all_the_same(rows, monkeypatch):
    monkeypatch.setattr(ae.BinaryRBM, "enumerable", False)
    monkeypatch.setattr(grosse_large, "PATHS", ("geometric",))
    unknown = list(table_2(PCD_ALONE | {"n_long_run": 2000}, Run(seed=1)))
    exact = next(row["exact"] for row in rows if row["model"] == "PCD")
    assert len(unknown) == 2
    for row in unknown:
        assert (row["draws"], row["exact"]) == ("a long run", None)
        assert abs(row["reverse_log_z"] - exact) < 5 * row["reverse_std_error"] + 0.1


WAYS = [(start, path) for start in ("uniform", "base rate") for path in PATHS]
ON_MNIST = [(model, *way) for model in ("mnist_pcd_500", "mnist_cd25_500", "mnist_cd1_500") for way in WAYS]


def test_on_mnist_the_geometric_path_is_pinned_at_the_papers_scale_and_the_curves_end_in_the_table():
    table, curves = (stored(f"grosse_{name}_mnist")["rows"] for name in ("table2", "figure5"))
    assert [(row["model"], row["start"], row["path"]) for row in table] == ON_MNIST
    assert stored("grosse_table2_mnist")["settings"]["n_steps"] == SCALES["long"]["n_steps"] == 100_000
    for row in table:
        assert row["n_steps"] == 100_000
        where = {key: row[key] for key in ("model", "start", "path", "n_steps")}
        (end,) = [r for r in curves if where.items() <= {key: r[key] for key in where}.items()]
        assert {key: row[key] for key in end} == end
        if row["path"] == "geometric" and row["model"] != "mnist_cd1_500":
            assert abs(row["log_z"] - row["reverse_log_z"]) < 3 * np.hypot(row["std_error"], row["reverse_std_error"])
    assert len(curves) == 5 * len(ON_MNIST)


def test_the_stored_log_weights_make_the_stored_rows_of_mnist():
    """Estimates, errors and ESS again, from the weights of all chains."""
    n_found = 0
    for row in stored("grosse_table2_mnist")["rows"]:
        where = row["model"], row["start"], row["path"]
        try:
            log_w, reverse = (stored_log_weights(*where, side) for side in ("forward", "reverse"))
        except ValueError:
            continue
        n_found += 1
        found = AISResult(log_w, np.zeros((len(log_w), 1)), 0)
        for name in ("log_z", "std_error", "ess", "mean_log_weight"):
            assert abs(getattr(found, name) - row[name]) < (0.06 if name == "ess" else 0.006), (where, name)
        assert abs(-ae.log_mean_exp(-reverse) - row["reverse_log_z"]) < 0.002
    assert n_found == len(ON_MNIST) - 4  # all but those of mnist_pcd_500 from before they were kept
    with pytest.raises(ValueError, match=r"mnist_pcd_500/base rate/MAS cheap/forward, .* and not of mine/uniform/MAS"):
        stored_log_weights("mine", "uniform", "MAS")


def test_on_mnist_chains_of_the_geometric_path_are_blank_on_the_way_and_those_of_splines_are_not():
    stops = stored("grosse_figure4_mnist")["rows"]
    betas = [i / N_STOPS for i in range(N_STOPS + 1)]
    assert [(stop["path"], stop["beta"]) for stop in stops] == [(path, beta) for path in PATHS for beta in betas]
    for stop in stops:
        assert pictures_of(stop).shape == (8, 784)
        blank = stop["path"] == "geometric" and 0.6 < stop["beta"] < 0.9
        assert stop["blank"] > 0.8 if blank else stop["blank"] < 0.35
        assert stop["path"] == "geometric" or stop["blank"] == 0


D = 16


def two_modes():
    """White pages, and black ones that have nearly all of the mass; a hidden unit holds all pixels in place."""
    return ae.BinaryRBM(np.full((D, 1), 8.0), np.full(D, -4.0), np.array([-50.0]))


def test_chains_from_black_pages_find_a_mode_that_those_from_the_data_do_not():
    knot, white = two_modes(), np.zeros((50, D))
    end = ae.BinaryRBM(np.zeros((D, 1)), np.full(D, -4.0), np.zeros(1))
    path = ae.spline_path([0, 0.5, 1], [ae.uniform_rbm(D, 1), knot, end])
    rows = list(seen_in(path, white, seed=3))
    assert [(row["beta"], row["began"]) for row in rows] == [
        (beta, began) for beta in (0, 0.5, 1) for began in BEGINNINGS
    ]
    from_data, from_black = rows[2:4]
    assert from_data["ink"] < 1 and from_black["ink"] > D - 1
    np.testing.assert_allclose(from_data["log_f"], knot.log_density(np.zeros((1, D)))[0], atol=0.051)
    np.testing.assert_allclose(from_black["log_f"], knot.log_density(np.ones((1, D)))[0], atol=0.051)
    assert from_black["log_f"] - from_data["log_f"] > 10
    assert (pictures_of(from_data) < 0.1).all() and (pictures_of(from_black) > 0.9).all()
    assert abs(rows[4]["ink"] - rows[5]["ink"]) < 1, "without a second mode the two meet"


def test_the_ink_is_that_of_the_knots_where_chains_mix():
    """Eight comparisons; with 50 seeds none was off by more than 3.1 standard errors."""
    rng = np.random.default_rng(0)
    target = ae.BinaryRBM(0.3 * rng.normal(size=(8, 4)), 0.5 * rng.normal(size=8), 0.3 * rng.normal(size=4))
    path = ae.moment_spline_path(ae.uniform_rbm(8, 4), target, knots=2)
    states = ae.binary_states(8)
    for row in seen_in(path, states, seed=1):
        knot = path(row["beta"])
        p = np.exp(knot.log_density(states) - knot.log_z())
        ink = states.sum(1)
        spread = np.sqrt(p @ ink**2 - (p @ ink) ** 2)
        assert abs(row["ink"] - p @ ink) < 5 * spread / np.sqrt(N_KNOT_CHAINS) + 0.05
        assert knot.log_density(states).min() - 0.05 <= row["log_f"] <= knot.log_density(states).max() + 0.05


def test_every_knot_of_both_splines_from_both_starts(monkeypatch):
    monkeypatch.setattr(grosse_large, "N_KNOT_STEPS", 50)
    rows = list(knots(TINY, Run(model=two_modes(), images=np.eye(D, dtype=int), name="two modes")))
    assert len(rows) == 2 * 2 * 11 * 2
    assert {"start": "base rate", "path": "MAS cheap", "beta": 1.0, "began": "black pages"}.items() <= rows[-1].items()
