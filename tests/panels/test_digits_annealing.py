"""The panel of notebook 04 walks as the library does, and its default state shows the miss."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.panels.digits_annealing import BASE_RATE, N_STOPS, DigitsAnnealing, digits_path, stops_on_the_way


def test_the_last_stop_is_what_ais_returns():
    path = digits_path("8×8, CD-1", BASE_RATE)
    stops = list(stops_on_the_way(path, 40, 25, seed=3))
    result = ae.ais(path, ae.linear_schedule(40), 25, rng=np.random.default_rng(3))
    np.testing.assert_array_equal(stops[-1].result.log_weights, result.log_weights)
    np.testing.assert_array_equal(stops[-1].result.samples, result.samples)
    np.testing.assert_allclose([stop.beta for stop in stops], np.linspace(0, 1, N_STOPS + 1))
    assert stops[0].miss == pytest.approx(0, abs=1e-9)


def test_the_default_state_shows_the_miss():
    panel = DigitsAnnealing()
    try:
        assert "more than 5 nats below" in panel.takeaway
        assert "ESS that looks healthy" in panel.takeaway
        panel.beta.value = 0.5
        assert "within half a nat" in panel.takeaway
        panel.beta.value = 0.0
        assert "everything is known" in panel.takeaway
    finally:
        panel.close()


def test_moving_beta_needs_no_new_run():
    panel = DigitsAnnealing(model="8×8, CD-1", n_steps=20)
    try:
        panel.beta.value = 0.25
        assert "press Run" not in panel.takeaway
        panel.n_chains.value = 25
        assert "press Run" in panel.takeaway
        panel.run()
        assert "press Run" not in panel.takeaway
    finally:
        panel.close()
