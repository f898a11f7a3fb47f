"""The poster's experiments at their smallest, where the truth can be enumerated, and what its stored runs say."""

import numpy as np
import pytest
from scipy.stats import chi2

import anneal_edu as ae
from anneal_edu.course.experiments import carlson, carlson_rows, likelihood_bounds
from anneal_edu.course.experiments.run import Run

TINY = carlson.SCALES["tiny"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


def rows_and_exact(experiment, folder):
    run = Run(folder=folder)
    return list(experiment(TINY, run)), carlson.path_to_model(TINY, run).end.log_z()


def settings_of(rows):
    return {(row["estimator"], row["setting"], row["seed"]) for row in rows}


def test_convergence_gives_every_estimator_at_every_budget(folder):
    (known, *rows), exact = rows_and_exact(carlson.convergence, folder)
    middle = (known["lower"] + known["upper"]) / 2
    assert known["draws"] == "exact draws" and abs(middle - exact) < 0.1
    names = ("RTS", "AIS", "RAISE", "RTS, (v, h)")
    assert settings_of(rows) == {(name, n, seed) for name in names for n in TINY["budgets"] for seed in (0, 1)}
    for row in rows:
        assert row["reference"] == middle
        assert row["setting"] < 600 or abs(row["log_z"] - exact) < 0.3


@pytest.mark.thorough("every estimator at every budget")
def test_two_estimators_are_repeated_four_times_as_often(folder):
    """At every budget that leaves RTS a round of 50 sweeps after its ascent of 10 steps."""
    (_, *rows), exact = rows_and_exact(carlson.repeats, folder)
    names = "RTS, (v, h)", "AIS"
    assert settings_of(rows) == {(name, n, seed) for name in names for n in TINY["budgets"] for seed in range(8)}
    assert all(abs(row["log_z"] - exact) < (0.3 if row["setting"] == 600 else 1.5) for row in rows)


def test_every_estimator_is_there_for_every_number_of_rungs(folder):
    rows, exact = rows_and_exact(carlson.number_of_rungs, folder)
    names = ("RTS", "MBAR", "TI", "RB-TI", "AIS")
    assert settings_of(rows) == {(name, K, seed) for name in names for K in TINY["rungs"] for seed in (0, 1)}
    assert all(np.isnan(row["log_z"]) or abs(row["log_z"] - exact) < 1.0 for row in rows)


def test_tracking_looks_at_train_and_held_out_digits():
    rows = list(carlson.tracking(TINY))
    assert [row["n_updates"] for row in rows] == [*2 * [80, 160, 240], *range(80, 1201, 80)]
    assert {(row["learning_rate"], row["both_layers"]) for row in rows} == {(0.1, False), (0.1, True), (0.02, True)}
    for row in rows:
        assert row["train"] != row["validation"]
        assert row["tracking_seconds"] > 0 and row["training_seconds"] > 0
        if row["lower"] is not None:
            assert row["lower"] < row["upper"] + 0.1
            assert abs(row["log_z"] - row["upper"]) < 5 * row["std_error"] + 0.3
    assert rows[3]["lower"] == rows[0]["lower"] != rows[-1]["lower"]


def test_a_training_is_tracked_again_by_other_chains():
    small = TINY | {"n_updates": 120, "every": 20}
    once, twice = (list(carlson.tracking(small | {"n_tracks": n})) for n in (1, 2))
    first, again = ([row for row in twice if row["repeat"] == repeat] for repeat in (0, 1))
    assert [(row["n_updates"], row["log_z"]) for row in first] == [(row["n_updates"], row["log_z"]) for row in once]
    beside = [row for row in first if row["lower"] is not None]
    same = "learning_rate", "both_layers", "n_updates", "lower", "upper"
    for row, other in zip(beside, again, strict=True):
        assert [row[key] for key in same] == [other[key] for key in same]
        assert row["log_z"] != other["log_z"] and row["annealed"] != other["annealed"]


def test_a_look_averages_over_some_of_many_images(monkeypatch):
    monkeypatch.setattr(carlson, "N_JUDGED", 7)
    shown = []

    def watched(states, train, validation, *settings, **options):
        shown.append((len(train), len(validation)))
        return iter(())

    monkeypatch.setattr(carlson, "track_log_likelihood", watched)
    assert list(carlson.tracking(TINY)) == [] and set(shown) == {(7, 7)}


def test_repeated_is_so_many_steps():
    steps = []

    class Counting:
        def gibbs(self, x, rng):
            steps.append(x)
            return x + 1

    assert carlson.repeated(3)(Counting(), 0, None) == 3
    assert len(steps) == 3


def row(name, setting, error, bar):
    return {"estimator": name, "setting": setting, "log_z": 10 + error, "std_error": bar, "reference": 10.0}


def test_a_summary_by_hand():
    rows = [row("RTS", 10, 0.3, 0.1), row("RTS", 10, -0.1, 0.1), row("RTS", 5, np.nan, np.nan), row("AIS", 10, 1, 0.2)]
    found = carlson_rows.summarise(rows, half_gap=0.05)
    rts = found["RTS"]
    assert list(rts.settings) == [10], "a setting without answers is left out"
    np.testing.assert_allclose([rts.mean[0], rts.low[0], rts.high[0]], [0.1, -0.1, 0.3])
    assert rts.rmse[0] == pytest.approx(np.sqrt(0.05)) and rts.std_error[0] == pytest.approx(0.1)
    assert (rts.covered[0], rts.n_runs[0], rts.unanswered[0]) == (1, 2, 0)
    partly = carlson_rows.summarise([row("MBAR", 10, np.nan, np.nan), row("MBAR", 10, 0.1, 0.1)], 0.0)["MBAR"]
    assert (partly.n_runs[0], partly.unanswered[0]) == (1, 1)


def test_a_ratio_has_an_interval_from_both_sides():
    """Of 20 runs each, the one with errors ± 1 and the other with errors that are half as large or equal."""
    rows = [row("RTS", 10, (-1) ** i * (1.0 if i % 4 < 2 else 0.5), 0.1) for i in range(20)]
    rows += [row("AIS", 10, (-1) ** i, 0.1) for i in range(20)]
    ratio, low, high = carlson_rows.rmse_ratio(rows, "RTS", "AIS", 10)
    assert ratio == pytest.approx(np.sqrt(0.625)) and 0.6 < low < ratio < high < 0.95
    assert carlson_rows.rmse_ratio(rows, "AIS", "RTS", 10)[0] == pytest.approx(1 / ratio)
    found = carlson_rows.summarise(rows, 0.0)["RTS"]
    assert found.rmse_low[0] < found.rmse[0] < found.rmse_high[0]


def wavy_path():
    i, j = np.indices((likelihood_bounds.N_VISIBLE, likelihood_bounds.N_HIDDEN))
    rbm = ae.BinaryRBM(2 * np.cos(3 * i + 5 * j**2), np.zeros(5), np.zeros(4))
    return ae.geometric_path(ae.uniform_rbm(5, 4), rbm)


def test_the_annealing_model_is_the_law_of_the_last_state():
    """Counts of 40,000 chains against p_ann: chi-square over 32 states, of which each is expected 30 times or more."""
    path, schedule = wavy_path(), ae.linear_schedule(2)
    law = likelihood_bounds.annealing_model(path, schedule)
    assert 40_000 * law.min() > 30
    run = ae.ais(path, schedule, 40_000, rng=np.random.default_rng(0))
    codes = (run.samples @ (2 ** np.arange(4, -1, -1))).astype(int)
    states = ae.binary_states(5) @ (2 ** np.arange(4, -1, -1))
    counts = np.bincount(codes, minlength=32)[states.astype(int)]
    assert ((counts - 40_000 * law) ** 2 / (40_000 * law)).sum() < chi2.isf(1e-7, 31)


def test_the_bounds_bound_for_every_seed():
    """At K = 2 with one chain and 100 runs AIS is 10 standard errors too high, and RAISE 12 too low."""
    path = wavy_path()
    found = likelihood_bounds.bounds_against_steps(path, (2,), 1, 100, np.random.default_rng(3))
    assert found.found["AIS"][0] - found.exact > 4.5 * found.errors["AIS"][0] > 0
    assert found.exact > found.annealing_model[0]
    assert found.annealing_model[0] - found.found["RAISE"][0] > 4.5 * found.errors["RAISE"][0] > 0
    states = ae.binary_states(5).astype(float)
    log_p = path(1.0).log_density(states) - path(1.0).log_z()
    assert found.exact == pytest.approx(float(np.exp(log_p) @ log_p))
