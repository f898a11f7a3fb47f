"""Table 2 at a size where the truth is known: forward and reverse runs bracket it, and everything is reproducible."""

from dataclasses import replace

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.experiments import grosse_table2, stored
from anneal_edu.course.experiments.blocks import BlockedAIS
from anneal_edu.course.experiments.grosse_table2 import PATHS, SCALES, table_2
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
