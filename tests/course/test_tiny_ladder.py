"""Exact mixing of the three schemes on a ladder of three states."""

import numpy as np
import pytest

from anneal_edu.course.tiny_ladder import (
    ALONE,
    autocorrelation_time,
    gap_ladder,
    schemes,
    simulated_sweeps_per_draw,
)
from anneal_edu.tempering.swaps import SCHEMES
from tests.cases import always


def test_the_autocorrelation_time_is_the_sum_of_the_correlations():
    rng = np.random.default_rng(0)
    T = rng.dirichlet(np.ones(4), size=4)
    p = np.linalg.matrix_power(T, 200)[0]
    f = rng.normal(size=4)
    centred = f - p @ f
    correlations = [p @ (centred * (np.linalg.matrix_power(T, t) @ centred)) for t in range(1, 200)]
    expected = 1 + 2 * sum(correlations) / (p @ centred**2)
    assert autocorrelation_time(T, p, f) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("scheme", always("lifted", of=SCHEMES))
def test_the_library_mixes_as_the_matrices_say(scheme):
    """A shallow gap, so that a short run is long enough; its ends cost a part of order τ / T."""
    log_f = gap_ladder(3, 2.0)
    exact = schemes(log_f)[scheme].sweeps_per_draw
    found, error = simulated_sweeps_per_draw(scheme, log_f, 400, 1000, np.random.default_rng(0))
    assert abs(found - exact) < 5 * error + 2 * exact**2 / 400


def test_one_tag_moves_itself_and_hardly_anybody_else():
    found = schemes(gap_ladder())
    assert found["even_odd"].sweeps_per_draw < found["stochastic_even_odd"].sweeps_per_draw < 20
    assert found["lifted"].trip < found["even_odd"].trip
    assert 100 < found["lifted"].sweeps_per_draw < found[ALONE].sweeps_per_draw / 2
