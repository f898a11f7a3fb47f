"""The experiment behind notebook 11: costs, trainings, and the exact likelihood."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.experiments import kadan, stored

QUICK = kadan.SCALES["quick"]
(TASK,) = kadan.SCALES["tiny"]["tasks"]


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


def test_the_stored_run_is_the_quick_one_and_shows_what_the_lesson_claims():
    rows, last = stored("kadan_training")["rows"], {}
    assert len(rows) == len(QUICK["tasks"]) * len(kadan.METHODS) * QUICK["n_seeds"]
    for row in rows:
        if row["data"] == "bars 4×4":
            assert max(row["log_likelihood"]) < -np.log(30), "the best that there is"
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
    rng, data = np.random.default_rng([3, list(kadan.METHODS).index(name)]), ae.data.bars_and_stripes(3)
    *_, last = ae.contrastive_divergence(
        data,
        6,
        method,
        n_gibbs=n_gibbs,
        n_updates=40,
        learning_rate=0.2,
        batch_size=batch,
        rng=rng,
        decay=False,
        **options,
    )
    found = kadan.train_once(TASK, name, 4, 3)["log_likelihood"][-1]
    assert found == pytest.approx(last.rbm.log_density(data).mean() - last.rbm.log_z(), abs=1e-4)


def test_small_updates_are_ten_times_as_many_at_a_tenth_of_the_rate():
    name, data = "PCD, 10 small updates", ae.data.bars_and_stripes(3)
    rng = np.random.default_rng([0, list(kadan.METHODS).index(name)])
    states = ae.contrastive_divergence(
        data, 6, "pcd", n_gibbs=1, n_updates=400, learning_rate=0.02, batch_size=10, rng=rng, decay=False
    )
    expected = [kadan.mean_log_likelihood(s.rbm, data) for s in states if s.n_updates % 100 == 0]
    row = kadan.train_once(TASK, name, 4, 0)
    assert row["n_updates"] == [10, 20, 30, 40] and row["cost"] == 10
    np.testing.assert_allclose(row["log_likelihood"], expected, atol=1e-4)


@pytest.mark.parametrize("name", ["PCD", "PT, even-odd"])
def test_the_stored_run_is_of_this_code(name):
    """The first 200 of 4,000 updates, four times anew, against the five stored ones, which differ by about 0.035."""
    rows = [row for row in stored("kadan_training")["rows"] if row["method"] == name and row["data"] == "bars 4×4"]
    assert {row["n_updates"][0] for row in rows} == {200}
    task = QUICK["tasks"][0] | {"n_updates": 200}
    begun = [kadan.train_once(task, name, 1, seed)["log_likelihood"][0] for seed in range(4)]
    kept = [row["log_likelihood"][0] for row in rows]
    spread = np.sqrt((np.var(begun) * 4 + np.var(kept) * 5) / 7)
    assert abs(np.mean(begun) - np.mean(kept)) < 6 * spread * np.sqrt(1 / 4 + 1 / 5)
    assert spread < 0.08
