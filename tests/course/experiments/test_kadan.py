"""The experiment behind notebook 11: costs, kept runs, and the exact likelihood."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.experiments import kadan
from anneal_edu.course.experiments.__main__ import main

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
        assert method.cost == method.n_gibbs * rungs * method.more_chains * method.parts


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


@pytest.mark.parametrize(
    ("name", "method", "n_gibbs", "batch", "options"),
    [
        ("CD-25", "cd", 25, 10, {}),
        ("PCD, 10 steps", "pcd", 10, 10, {}),
        ("PCD, 10 times the chains", "pcd", 1, 100, {}),
        ("PT, lifted", "pt", 1, 10, {"swaps": "lifted", "n_rungs": 10}),
    ],
)
def test_a_method_trains_as_its_name_says(name, method, n_gibbs, batch, options):
    """Beside the same training, spelled out: constant rate 0.2, random numbers of this seed and method."""
    (task,) = kadan.SCALES["tiny"].tasks
    rng, data = np.random.default_rng([3, list(kadan.METHODS).index(name)]), ae.data.bars_and_stripes(3)
    *_, last = ae.contrastive_divergence(
        data, 6, method, n_gibbs=n_gibbs, n_updates=40, learning_rate=0.2, batch_size=batch, rng=rng, decay=False,
        **options
    )
    found = kadan.train_once(task, name, 4, 3).log_likelihood[-1]
    assert found == pytest.approx(last.rbm.log_density(data).mean() - last.rbm.log_z(), abs=1e-4)


def test_small_updates_are_ten_times_as_many_at_a_tenth_of_the_rate():
    (task,) = kadan.SCALES["tiny"].tasks
    name, data = "PCD, 10 small updates", ae.data.bars_and_stripes(3)
    rng = np.random.default_rng([0, list(kadan.METHODS).index(name)])
    states = ae.contrastive_divergence(
        data, 6, "pcd", n_gibbs=1, n_updates=400, learning_rate=0.02, batch_size=10, rng=rng, decay=False
    )
    expected = [kadan.mean_log_likelihood(s.rbm, data) for s in states if s.n_updates % 100 == 0]
    row = kadan.train_once(task, name, 4, 0)
    assert row.n_updates == [10, 20, 30, 40] and row.cost == 10
    np.testing.assert_allclose(row.log_likelihood, expected, atol=1e-4)


@pytest.mark.parametrize("name", ["PCD", "PT, even-odd"])
def test_the_stored_run_is_of_this_code(name):
    """The first 200 of 4,000 updates, four times anew, against the five stored ones, which differ by about 0.035."""
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))["rows"]
    rows = [row for row in stored if row["method"] == name and row["data"] == "bars 4×4"]
    assert {row["n_updates"][0] for row in rows} == {200}
    task = replace(kadan.SCALES["quick"].tasks[0], n_updates=200)
    begun = [kadan.train_once(task, name, 1, seed).log_likelihood[0] for seed in range(4)]
    kept = [row["log_likelihood"][0] for row in rows]
    spread = np.sqrt((np.var(begun) * 4 + np.var(kept) * 5) / 7)
    assert abs(np.mean(begun) - np.mean(kept)) < 6 * spread * np.sqrt(1 / 4 + 1 / 5)
    assert spread < 0.08
