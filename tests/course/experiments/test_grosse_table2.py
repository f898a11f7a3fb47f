"""Table 2 at a size where the truth is known: forward and reverse runs bracket it, and everything is reproducible."""

from dataclasses import replace

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.annealing.ais import AISResult
from anneal_edu.annealing.reverse import ReverseAISResult
from anneal_edu.course.experiments import grosse_large, grosse_table2, stored
from anneal_edu.course.experiments.blocks import BlockedAIS
from anneal_edu.course.experiments.grosse_figure4 import N_STOPS, figure_4, pictures_of
from anneal_edu.course.experiments.grosse_large import PATHS, SCALES
from anneal_edu.course.experiments.grosse_table2 import figure_5, stored_log_weights, table_2
from anneal_edu.course.experiments.kept import Run

TINY = SCALES["tiny"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def rows(folder):
    return table_2(TINY, Run(seed=1, folder=folder))


def test_the_table_has_a_row_for_each_model_start_and_path(rows):
    assert [(row.model, row.start, row.path) for row in rows] == [
        (model, start, path) for model in ("CD1", "PCD") for start in ("uniform", "base rate") for path in PATHS
    ]
    assert all(row.forward.log_weights.shape == row.reverse.log_weights.shape == (TINY.n_chains,) for row in rows)


def test_every_row_agrees_with_the_exact_value_from_both_sides(rows):
    """24 comparisons: over 20 seeds none was off by more than 2.8 standard errors."""
    for row in rows:
        assert row.draws == "exact draws"
        assert (type(row.forward), type(row.reverse)) == (AISResult, ReverseAISResult)
        assert abs(row.forward.log_z - row.exact) < 5 * row.forward.std_error, row
        assert abs(row.reverse.log_z - row.exact) < 5 * row.reverse.std_error, row


def test_the_largest_ess_of_a_model_is_bold(rows):
    for model in ("CD1", "PCD"):
        mine = [row for row in rows if row.model == model]
        assert max(mine, key=lambda row: row.forward.ess).p_value == 1
        assert all(0 < row.p_value <= 1 for row in mine)


def test_a_second_call_finds_models_and_blocks_and_gives_the_same_numbers(rows, folder):
    before = {file: file.stat().st_mtime_ns for file in folder.iterdir()}
    again = table_2(replace(TINY, training={"CD1": TINY.training["CD1"]}), Run(seed=1, folder=folder))
    for one, other in zip(rows, again, strict=False):
        np.testing.assert_array_equal(one.forward.log_weights, other.forward.log_weights)
        np.testing.assert_array_equal(one.reverse.log_weights, other.reverse.log_weights)
    assert {file: file.stat().st_mtime_ns for file in folder.iterdir()} == before


def test_the_curves_of_figure_5_end_in_the_rows_of_the_table_and_agree_with_the_exact_value(rows, folder):
    """48 comparisons, of which those of ten steps have heavy tails: Markov holds for each."""
    points = figure_5(replace(TINY, training={"PCD": TINY.training["PCD"]}), Run(seed=1, folder=folder))
    assert [point.n_steps for point in points] == [10, 100, TINY.n_steps] * 6
    assert [(point.start, point.path) for point in points[::3]] == [(r.start, r.path) for r in rows if r.model == "PCD"]
    for point, row in zip(points[2::3], [row for row in rows if row.model == "PCD"], strict=True):
        np.testing.assert_array_equal(point.forward.log_weights, row.forward.log_weights)
        np.testing.assert_array_equal(point.reverse.log_weights, row.reverse.log_weights)
    figure = ae.figures.LectureFigure(12, 5)
    axes, reference = figure.columns(1, 1), points[-1].exact
    ae.figures.sandwich.figure_five(axes, [point.summary() for point in points], reference)
    drawn = {line.get_gid(): line.get_ydata() for line in axes[1].lines}
    of_mas = [point for point in points if (point.start, point.path) == ("base rate", "MAS")]
    np.testing.assert_allclose(drawn["moments"], [point.forward.log_z - reference for point in of_mas], atol=2e-3)
    np.testing.assert_allclose(drawn["moments reverse"], [p.reverse.log_z - reference for p in of_mas], atol=2e-3)
    for point in points:
        assert "ess_p_value" not in point.summary() and point.summary()["n_steps"] == point.n_steps
        assert point.forward.log_z < point.exact + np.log(1e7)
        assert point.reverse.log_z > point.exact - np.log(1e7)


def test_figure_4_starts_in_the_base_rates_and_ends_in_the_table_s_model(folder):
    """Mean ink of the chains against the exact one, to a pixel of 64: 24 seeds were all within 0.16."""
    scale, data = replace(TINY, training={"PCD": TINY.training["PCD"]}, n_steps=4000), ae.data.digits(8)
    stops = figure_4(scale, Run(seed=1, folder=folder))
    assert [(stop.path, stop.beta) for stop in stops] == [(p, i / N_STOPS) for p in PATHS for i in range(N_STOPS + 1)]
    end = grosse_large.trained_model(TINY, Run(seed=1, folder=folder), "PCD")
    for stop in stops:
        assert stop.pictures.shape == (8, 64) and stop.n_chains == TINY.n_reverse
        read = pictures_of(stop.summary())
        assert abs(read - stop.pictures).max() <= 0.5 / 15 + 1e-6
    for path in range(3):
        first, last = stops[path * (N_STOPS + 1)], stops[(path + 1) * (N_STOPS + 1) - 1]
        assert abs(first.ink - data.sum(1).mean()) < 1
        assert abs(last.ink - end.moments()[0].sum()) < 1


def test_a_picture_without_ink_is_blank(monkeypatch):
    """A model that is white, at the end of a way from base rates that are not."""
    white = ae.BinaryRBM(np.zeros((64, 10)), np.full(64, -9.0), np.zeros(10))
    stops = figure_4(TINY, Run(model=white, images=ae.data.digits(8), name="white"))
    assert {stop.model for stop in stops} == {"white"}
    geometric = [stop for stop in stops if stop.path == "geometric"]
    assert (geometric[0].blank, geometric[-1].blank) == (0, 1)
    assert geometric[0].ink > 5 > 0.1 > geometric[-1].ink


@pytest.mark.thorough("rows with exact draws")
def test_without_exact_draws_a_long_run_is_named_and_brackets_all_the_same(rows, monkeypatch):
    monkeypatch.setattr(ae.BinaryRBM, "enumerable", False)
    monkeypatch.setattr(grosse_table2, "PATHS", ("geometric",))
    small = replace(TINY, training={"PCD": TINY.training["PCD"]}, n_long_run=2000)
    unknown = table_2(small, Run(seed=1))
    exact = next(row.exact for row in rows if row.model == "PCD")
    assert len(unknown) == 2
    for row in unknown:
        assert (row.draws, row.exact) == ("a long run", None)
        assert abs(row.reverse.log_z - exact) < 5 * row.reverse.std_error + 0.1


def test_reverse_blocks_are_unbiased_for_one_over_z_and_do_not_depend_on_workers():
    rng = np.random.default_rng(0)
    target = ae.BinaryRBM(rng.normal(size=(10, 4)), rng.normal(size=10), rng.normal(size=4))
    path = ae.geometric_path(ae.uniform_rbm(10, 4), target)
    run = BlockedAIS(path, ae.linear_schedule(20), 990, 3, 100, samples=target.sample(990, rng))
    result = run.run()
    assert result.log_weights.shape == (990,) and len(np.unique(result.log_weights)) == 990
    assert abs(result.log_z - target.log_z()) < 5 * result.std_error
    assert result.log_z == -ae.log_mean_exp(-result.log_weights)
    other = replace(run, samples=target.sample(990, rng))
    assert len({run.fingerprint(), other.fingerprint(), replace(run, seed=4).fingerprint()}) == 3


def test_stored_results_hold_every_row_and_how_they_were_made():
    found = stored("grosse_table2_quick")
    assert {"command", "settings", "seconds", "rows"} <= found.keys()
    scale = SCALES["quick"]
    assert [(row["model"], row["start"], row["path"]) for row in found["rows"]] == [
        (model, start, path) for model in scale.training for start in ("uniform", "base rate") for path in PATHS
    ]
    assert found["settings"]["n_steps"] == scale.n_steps


def test_the_papers_table_is_complete():
    assert all(len(column) == 6 for column in grosse_table2.PAPER.values())


STARTS = "uniform", "base rate"
WAYS = [(start, path) for start in STARTS for path in PATHS]
ON_MNIST = [(model, *way) for model in ("mnist_pcd_500", "mnist_cd25_500", "mnist_cd1_500") for way in WAYS]
CD1_LOG_Z = 816.09  # both geometric rows, with errors of 0.01


def on_mnist(model):
    """Rows of Table 2 by their way to the model."""
    rows = {(r["start"], r["path"]): r for r in stored("grosse_table2_mnist")["rows"] if r["model"] == model}
    assert list(rows) == WAYS
    return rows


def blobs():
    """Which of the 100 reverse chains to CD1 began at a black blob, by their weights on one path."""
    log_w = stored_log_weights("mnist_cd1_500", "base rate", "geometric", "reverse")
    return log_w > log_w.min() + 10


def test_on_mnist_the_geometric_path_is_pinned_at_the_papers_scale_and_the_curves_end_in_the_table():
    table, curves = (stored(f"grosse_{name}_mnist")["rows"] for name in ("table2", "figure5"))
    assert [(row["model"], row["start"], row["path"]) for row in table] == ON_MNIST
    assert stored("grosse_table2_mnist")["settings"]["n_steps"] == SCALES["long"].n_steps == 100_000
    for row in table:
        assert row["n_steps"] == 100_000
        where = {key: row[key] for key in ("model", "start", "path", "n_steps")}
        (end,) = [r for r in curves if where.items() <= {key: r[key] for key in where}.items()]
        assert {key: row[key] for key in end} == end
        if row["path"] == "geometric" and row["model"] != "mnist_cd1_500":
            assert abs(row["log_z"] - row["reverse_log_z"]) < 3 * np.hypot(row["std_error"], row["reverse_std_error"])
    assert len(curves) == 5 * len(ON_MNIST)


@pytest.mark.parametrize("model", ["mnist_pcd_500", "mnist_cd25_500"])
def test_on_mnist_mas_from_the_base_rates_loses_by_going_slowly(model):
    curves = stored("grosse_figure5_mnist")["rows"]
    means = {r["n_steps"]: r["mean_log_weight"] for r in curves if (r["model"], r["start"], r["path"]) == (
        model, "base rate", "MAS")}
    assert means[1000] > means[10_000] + 3 > means[100_000] + 13


def test_of_the_cd1_model_the_blank_page_says_which_rows_are_right_and_the_reverse_run_that_its_draws_are_none():
    blank = ae.models.load("mnist_cd1_500").log_density(np.zeros((1, 784)))[0]
    rows = on_mnist("mnist_cd1_500")
    for (_, path), row in rows.items():
        if path == "geometric":
            assert 0 < row["log_z"] - blank < 0.15
        else:
            assert row["reverse_log_z"] < blank - 70, "below a sum of which this is one term"
    assert rows["uniform", "geometric"]["reverse_log_z"] < blank - 10
    assert rows["uniform", "MAS cheap"]["interval"][1] < blank - 6, "a miss that one state proves"
    assert rows["uniform", "MAS"]["log_z"] < blank - 1
    for path in ("MAS", "MAS cheap"):
        assert abs(rows["base rate", path]["log_z"] - CD1_LOG_Z) < 2 * rows["base rate", path]["std_error"]


def test_on_mnist_the_lowest_row_of_cd25_is_that_of_the_paper_and_rests_on_one_chain():
    rows = on_mnist("mnist_cd25_500")
    column = {way: log_z for way, (log_z, _) in grosse_table2.PAPER["CD25"].items()}
    assert min(rows, key=lambda way: rows[way]["log_z"]) == min(column, key=column.get) == ("uniform", "MAS")
    log_w = np.sort(stored_log_weights("mnist_cd25_500", "uniform", "MAS"))
    assert log_w[-1] > log_w[-2] + 30


def test_on_mnist_every_forward_run_that_is_a_nat_off_is_warned_of():
    for model, log_z in {"mnist_cd25_500": 474.4, "mnist_cd1_500": CD1_LOG_Z}.items():
        for way in WAYS:
            log_w = stored_log_weights(model, *way)
            found = AISResult(log_w, log_w[:, None], 0)
            assert found.warnings or abs(found.log_z - log_z) < 0.5, (model, way)


def test_on_mnist_the_draws_that_are_none_of_cd1_are_sixteen_and_make_its_reverse_runs():
    elsewhere = blobs()
    assert elsewhere.sum() == 16
    for start in STARTS:
        for path in ("MAS", "MAS cheap"):
            log_w = stored_log_weights("mnist_cd1_500", start, path, "reverse")
            assert log_w[elsewhere].max() < log_w[~elsewhere].min() - 40


@pytest.mark.parametrize("start", STARTS)
def test_on_mnist_mas_weighs_the_blobs_of_cd1_forward_and_in_reverse_and_foretells_the_wrong_bound(start):
    """Their sum of f, about e^722: the mean of w over chains that end there, and over the sixteen that begin there."""
    forward, reverse = (stored_log_weights("mnist_cd1_500", start, "MAS", side) for side in ("forward", "reverse"))
    there = forward < 770
    assert forward[there].max() + 30 < forward[~there].min()
    mass = ae.log_mean_exp(np.where(there, forward, -np.inf))
    backward = np.log(there.mean()) - ae.log_mean_exp(-reverse[blobs()])
    assert abs(mass - 722) < 0.6 and abs(backward - mass) < 0.5
    q, p, ends = blobs().mean(), np.exp(mass - CD1_LOG_Z), there.mean()
    found = on_mnist("mnist_cd1_500")[start, "MAS"]
    assert abs(found["reverse_log_z"] - (CD1_LOG_Z + np.log(p / (q * ends)))) < 0.6


def test_chains_of_cd1_on_mnist_that_begin_at_digits_become_blank_pages_or_blobs():
    """Five seeds had 14 to 17 blank ones of forty, and at most two between."""
    model, v = ae.models.load("mnist_cd1_500"), ae.data.digits(28)[:40].astype(float)
    rng = np.random.default_rng(0)
    for _ in range(1000):
        v = ae.gibbs(model, v, rng)
    ink = v.sum(1)
    assert 5 < (ink < 20).sum() < 35
    assert ((ink >= 20) & (ink <= 180)).sum() <= 5


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


def test_on_mnist_chains_of_the_geometric_path_are_blank_ais_trace_and_those_of_splines_are_not():
    stops = stored("grosse_figure4_mnist")["rows"]
    betas = [i / N_STOPS for i in range(N_STOPS + 1)]
    assert [(stop["path"], stop["beta"]) for stop in stops] == [(path, beta) for path in PATHS for beta in betas]
    for stop in stops:
        assert pictures_of(stop).shape == (8, 784)
        blank = stop["path"] == "geometric" and 0.6 < stop["beta"] < 0.9
        assert stop["blank"] > 0.8 if blank else stop["blank"] < 0.35
        assert stop["path"] == "geometric" or stop["blank"] == 0
