"""The panel of notebook 04 walks as the library does, shows the miss, and says what it shows."""

from types import SimpleNamespace

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.panels import digits_annealing
from anneal_edu.course.panels.digits_annealing import BASE_RATE, N_STOPS, DigitsAnnealing, digits_path, stops_on_the_way


def test_the_last_stop_is_what_ais_returns():
    path = digits_path("8×8, CD-1", BASE_RATE)
    stops = list(stops_on_the_way(path, 40, 25, seed=3))
    result = ae.ais(path, ae.linear_schedule(40), 25, rng=np.random.default_rng(3))
    np.testing.assert_array_equal(stops[-1].result.log_weights, result.log_weights)
    np.testing.assert_array_equal(stops[-1].result.samples, result.samples)
    np.testing.assert_allclose([stop.beta for stop in stops], np.linspace(0, 1, N_STOPS + 1))
    assert stops[0].miss == pytest.approx(0, abs=1e-9)


def test_most_chains_miss_the_target_by_far():
    """Nine in ten weigh less than Z/e⁴; of 16 seeds the heaviest tenth begins at e^-7.2 to e^-6.1."""
    *_, last = stops_on_the_way(digits_path("28×28, CD-1", BASE_RATE), 100, 100, seed=0)
    assert np.quantile(last.result.log_weights, 0.9) < last.log_z - 4


@pytest.mark.parametrize(
    "beta, miss, high, ess, mass, words",
    [
        (0.0, 0.0, 0.0, 100, 0.9, "At the start everything is known"),
        (0.5, 0.4, 0.9, 50, 0.9, "At β = 0.5 the estimate is within half a nat of the exact log Z."),
        (0.5, -0.4, 0.1, 50, 0.9, "At β = 0.5 the estimate is within half a nat of the exact log Z."),
        (1.0, -6.9, -6.6, 35, 0.9, "At the target log Ẑ lies more than 5 nats below the exact log Z, beyond its "
         "interval, with a healthy ESS."),
        (1.0, -6.9, -6.6, 9, 0.9, "beyond its interval."),
        (1.0, -1.5, 0.1, 35, 0.9, "lies more than 1 nat below the exact log Z, but its interval reaches that far."),
        (1.0, -0.7, -0.1, 35, 0.9, "lies half a nat to a nat below the exact log Z, beyond its interval"),
        (1.0, -6.9, -6.6, 11, 0.9, "beyond its interval, with a healthy ESS."),
        (1.0, -10.5, -9.0, 9, 0.9, "lies more than 10 nats below the exact log Z"),
        (1.0, 0.6, 0.9, 9, 0.9, "lies half a nat to a nat above the exact log Z"),
        (1.0, -31.0, -30.0, 35, 0.9, "more than 30 nats below"),
        (1.0, 4.1, 5.0, 2, 0.9, "lies more than 2 nats above the exact log Z: a few heavy chains carry the estimate."),
        (1.0, -6.9, -6.6, 9, 0.001, "interval: chains stand where hardly any of the exact probability is."),
        (0.8, -0.7, -0.1, 35, 0.5, "healthy ESS: chains stand where only a part of the exact probability is."),
        (1.0, -6.9, -6.6, 35, 0.9, "with a healthy ESS."),
    ],
)  # fmt: skip
def test_what_is_said_of_a_stop(beta, miss, high, ess, mass, words):
    result = SimpleNamespace(ess=ess, log_weights=np.zeros(100))
    stop = SimpleNamespace(miss=miss, interval=(miss + 50.0 - 1, 50.0 + high), log_z=50.0, result=result, mass=mass)
    takeaway = digits_annealing._takeaway(beta, stop)
    assert words in takeaway and ("The chains stand" in takeaway) == ("The chains stand" in words)


def test_digits_annealing_judges_what_it_draws():
    panel = DigitsAnnealing(model="8×8, CD-1", n_steps=20, n_chains=25)
    try:
        stops = list(stops_on_the_way(digits_path("8×8, CD-1", BASE_RATE), 20, 25, seed=0))
        for beta, stop in ((1.0, stops[20]), (0.25, stops[5])):
            panel.beta.value = beta
            assert panel.takeaway == digits_annealing._takeaway(beta, stop)
            drawn = {line.get_gid(): line for line in panel.axes[2].lines}
            np.testing.assert_allclose(drawn["misses"].get_ydata(), [stop.miss for stop in stops])
            assert drawn["now"].get_xydata().tolist() == [[beta, stop.miss]]
            assert panel.readout["exact log Z"] == f"{stop.log_z:.2f}"
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
