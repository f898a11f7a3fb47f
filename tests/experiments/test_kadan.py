"""The experiment behind notebook 11: costs, kept runs, and the exact likelihood."""

import json
from pathlib import Path

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.experiments import kadan
from anneal_edu.experiments.__main__ import main

RESULTS = Path(kadan.__file__).parent / "results" / "kadan_training.json"


def test_the_likelihood_is_that_of_a_sum_over_all_images():
    rng = np.random.default_rng(0)
    rbm, data = ae.BinaryRBM(rng.normal(size=(9, 3)), rng.normal(size=9), rng.normal(size=3)), kadan.DATA["bars 3×3"]()
    log_f = rbm.log_density(ae.binary_states(9))
    by_hand = rbm.log_density(data).mean() - np.log(np.exp(log_f).sum())
    assert kadan.mean_log_likelihood(rbm, data) == pytest.approx(by_hand, abs=1e-6)


def test_a_cost_is_counted_in_gibbs_steps_over_all_rungs():
    for method in kadan.METHODS.values():
        rungs = method.options.get("n_rungs", 1)
        assert method.cost == method.n_gibbs * rungs * method.more_chains


def test_runs_are_kept_and_come_out_the_same_however_they_were_made(tmp_path, capsys):
    file = tmp_path / "rows.json"
    arguments = ["kadan-training", "--scale", "tiny", "--folder", str(tmp_path / "kept"), "--json", str(file)]
    main([*arguments, "--workers", "1"])
    first = json.loads(file.read_text(encoding="utf-8"))["rows"]
    assert len({(row["method"], row["seed"]) for row in first}) == len(first) == 2 * len(kadan.METHODS)
    assert "PT, lifted" in capsys.readouterr().out
    kept = sorted((tmp_path / "kept").iterdir())
    assert len(kept) == len(first)
    kept[3].unlink()
    main([*arguments, "--workers", "1"])
    assert json.loads(file.read_text(encoding="utf-8"))["rows"] == first
    assert all(row["n_updates"] == [10, 20, 30, 40] for row in first)


def test_the_stored_run_is_the_quick_one_and_shows_what_the_lesson_claims():
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))
    scale = kadan.SCALES["quick"]
    assert [task["data"] for task in stored["settings"]["tasks"]] == [task.data for task in scale.tasks]
    assert len(stored["rows"]) == len(scale.tasks) * len(kadan.METHODS) * scale.n_seeds
    best = -np.log(30)
    last = {}
    for row in stored["rows"]:
        if row["data"] == "bars 4×4":
            assert max(row["log_likelihood"]) < best
            last.setdefault(row["method"], []).append(row["log_likelihood"][-1])
    assert max(last["PCD"]) < min(last["PT, even-odd"])
    assert np.median(last["PT, even-odd"]) > np.median(last["PCD, 10 steps"])
