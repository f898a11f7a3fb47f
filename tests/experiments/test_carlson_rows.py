"""Summaries of stored estimates, and bounds on a model small enough to enumerate."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.experiments import carlson_rows, likelihood_bounds


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


def test_the_stored_runs_are_all_there():
    for name in carlson_rows.EXPERIMENTS:
        run = carlson_rows.stored(name)
        assert f"carlson-{name} " in run["command"] and run["rows"]
    with pytest.raises(ValueError, match="experiment must be one of"):
        carlson_rows.stored("something")


def test_the_annealing_model_is_the_law_of_the_last_state():
    """Counts of 40,000 chains against p_ann: chi-square over 32 states, 99.99% quantile of 31 degrees of freedom."""
    path, schedule = likelihood_bounds.small_path(), ae.linear_schedule(2)
    law = likelihood_bounds.annealing_model(path, schedule)
    run = ae.ais(path, schedule, 40_000, rng=np.random.default_rng(0))
    codes = (run.samples @ (2 ** np.arange(4, -1, -1))).astype(int)
    states = ae.binary_states(5) @ (2 ** np.arange(4, -1, -1))
    counts = np.bincount(codes, minlength=32)[states.astype(int)]
    assert ((counts - 40_000 * law) ** 2 / (40_000 * law)).sum() < 70


def test_the_bounds_bound_for_every_seed():
    """AIS at K = 2 is too high, and RAISE too low, by 1.6 standard errors or more at 10 seeds of 60 runs."""
    path = likelihood_bounds.small_path()
    found = likelihood_bounds.bounds_against_steps(path, (2,), 5, 60, np.random.default_rng(3))
    assert found.found["AIS"][0] > found.exact > found.annealing_model[0] > found.found["RAISE"][0]
    states = ae.binary_states(5).astype(float)
    log_p = path(1.0).log_density(states) - path(1.0).log_z()
    assert found.exact == pytest.approx(float(np.exp(log_p) @ log_p))
