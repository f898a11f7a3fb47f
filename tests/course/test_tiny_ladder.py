"""Exact mixing of the three schemes on a ladder of three states."""

import numpy as np
import pytest

from anneal_edu.annealing.matrices import metropolis_matrix
from anneal_edu.course.tiny_ladder import (
    ALONE,
    autocorrelation_time,
    gap_ladder,
    schemes,
)
from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.tempering.parallel import tempering_states
from anneal_edu.tempering.swaps import SCHEMES
from tests.cases import always


class Rung:
    """One row of `gap_ladder` as a distribution: its Gibbs sweep is the Metropolis step of the matrices above."""

    dim, discrete = 1, True

    def __init__(self, row):
        self.row, self.p = row, np.exp(row - np.logaddexp.reduce(row))
        self.cumulative = np.cumsum(metropolis_matrix(row), axis=1)

    def log_density(self, x):
        """Log f of states (C, 1)."""
        return self.row[np.asarray(x)[..., 0].astype(int)]

    def sample(self, n, rng):
        """Exact draws, (n, 1)."""
        return rng.choice(len(self.p), size=(n, 1), p=self.p)

    def gibbs(self, x, rng):
        """One Metropolis step, (C, 1)."""
        return (rng.random((len(x), 1)) > self.cumulative[x[:, 0]]).sum(1, keepdims=True)


def simulated_sweeps_per_draw(scheme, log_f, n_sweeps, n_ladders, rng):
    """Sweeps per draw as the library's own ladders find them, and the standard error over ladders."""
    rungs = {float(beta): Rung(row) for beta, row in zip(linear_schedule(len(log_f) - 1), log_f, strict=True)}

    def settled(rung, x, rng):  # every rung begins at draws of its own
        return rung.gibbs(x if settled.calls >= len(log_f) else rung.sample(len(x), rng), rng)

    def kernel(rung, x, rng):
        moved = settled(rung, x, rng)
        settled.calls += 1
        return moved

    settled.calls = 0
    states = tempering_states(rungs.__getitem__, linear_schedule(len(log_f) - 1), n_ladders, kernel, scheme, rng=rng)
    p = rungs[1.0].p[0]
    mean = sum((next(states).x[-1, :, 0] == 0) - p for _ in range(n_sweeps)) / n_sweeps
    found = n_sweeps * mean**2 / (p * (1 - p))
    return float(found.mean()), float(found.std(ddof=1) / np.sqrt(n_ladders))


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
