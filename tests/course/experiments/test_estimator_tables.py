"""The models and the stored rows of notebook 14."""

import numpy as np
import pytest

from anneal_edu.course.experiments import estimator_tables
from anneal_edu.course.experiments.estimator_tables import SCALES, hidden_mode, stored_rows


def test_a_row_counts_what_it_says():
    row = estimator_tables.Row("m", "n", "low", None, 1, 2, 0.0, 5.0, (0.1, -0.3, None), (0.1, 0.1, None), {"k": [2]})
    assert row.coverage == 0.5 and row.warned == pytest.approx(1 / 3)
    assert row.rmse == pytest.approx(np.sqrt(0.05)) and row.bias == pytest.approx(-0.1)


def test_the_hidden_mode_has_its_share():
    for share in (0.5, 0.95):
        assert hidden_mode(share).moments()[1][-1] == pytest.approx(share)


def test_a_picture_and_its_negative_leave_the_base_rates_blank():
    rbm = hidden_mode(negative=True)
    mean_v, mean_h, _ = rbm.moments()
    np.testing.assert_allclose(mean_h[-2:], 0.45, atol=1e-9)
    assert np.abs(mean_v - 0.5).max() < 0.06, "with one picture they are 0.05 or 0.95"
    assert np.abs(hidden_mode().moments()[0] - 0.5).min() > 0.3
    start = estimator_tables.load_problem("hidden modes").start
    assert not start.weights.any() and start.visible_bias.any(), "the base rates of the data, as with stored models"


def test_stored_runs_are_those_of_the_quick_scale():
    quick = SCALES["quick"]
    rows = stored_rows("estimators")
    assert {row.model for row in rows} == set(quick["models"])
    for row in rows:
        assert len(row.errors) == len(row.std_errors) == quick["n_seeds"]
        assert row.exact == pytest.approx(estimator_tables.load_problem(row.model).rbm.log_z(), abs=1e-3)
        assert 0.9 * quick["sweeps"] <= row.sweeps <= quick["sweeps"]
    of_rungs = stored_rows("estimators_rungs")
    assert {row.n_rungs for row in of_rungs} == set(quick["rungs"])
    exact = {row.model: row.exact for row in of_rungs}
    assert exact.keys() == set(quick["rung_models"])
    for model, log_z in exact.items():
        assert estimator_tables.load_problem(model).rbm.log_z() == pytest.approx(log_z, abs=1e-3)
