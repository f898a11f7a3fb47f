"""The panels of notebook 10 walk as the library does, and agree with exact answers."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.panels.equal_areas import (
    DIGITS,
    NARROWING,
    PATHS,
    SHIFT,
    SHIFT_MOMENTS,
    exact_barrier,
    exact_local_barrier,
    pilot,
)
from anneal_edu.course.panels.one_ladder import SHARES, ladder, three_modes
from anneal_edu.course.panels.who_visits_the_target import rejection_rate, rungs_of, trip_rates, walks
from anneal_edu.tempering.matrices import expected_round_trip_time
from anneal_edu.tempering.swaps import SCHEMES


@pytest.mark.parametrize("scheme", SCHEMES)
def test_replicas_make_as_many_trips_as_theory_expects(scheme):
    """Six standard errors, since they come from 24 ladders only."""
    rates = np.full(4, rejection_rate(4, 1.5))
    rate, error = trip_rates(4, 1.5, 0.0, 0)[scheme]
    assert abs(rate - 1 / expected_round_trip_time(scheme, rates)) < 6 * error


def test_without_a_barrier_replicas_in_turn_are_clockwork():
    replicas = walks(7, 0.0, 0.0, 3)["even_odd"]
    np.testing.assert_array_equal(replicas[16:], replicas[:-16])
    assert trip_rates(7, 0.0, 0.0, 3)["even_odd"][1] < 1e-3


def test_the_rejection_rate_of_the_ladder_is_exact():
    """Against the library's swaps between N(0, 1) and N(Λ √π, 1) with exact draws."""
    path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([2 * np.sqrt(np.pi)], [[1.0]]))
    run = ae.parallel_tempering(path, ae.linear_schedule(3), 50, 800, ae.exact, rng=np.random.default_rng(0))
    assert np.abs(run.rejection_rates - rejection_rate(3, 2.0)).max() < 4 * 0.5 / np.sqrt(50 * 800)


def test_exploration_leaves_its_rung_invariant_and_memory_slows_trips():
    fresh, remembering = (trip_rates(6, 2.0, memory, 0)["even_odd"][0] for memory in (0.0, 0.97))
    assert remembering < 0.7 * fresh


def test_rungs_and_replicas_are_inverse_permutations():
    replicas = walks(3, 1.0, 0.0, 0)["lifted"][:50, :, 0]
    rungs = rungs_of(replicas)
    for t in range(50):
        np.testing.assert_array_equal(replicas[t][rungs[t]], np.arange(4))


def test_exact_barriers_are_areas_under_the_local_barrier():
    betas = np.linspace(0, 1, 101)
    for path in (NARROWING, SHIFT, SHIFT_MOMENTS):
        assert np.trapezoid(exact_local_barrier(path), betas) == pytest.approx(exact_barrier(path), rel=0.01)
    assert exact_barrier(SHIFT) > 1.5 * exact_barrier(SHIFT_MOMENTS)
    assert exact_barrier(DIGITS) is None and set(PATHS) == {NARROWING, SHIFT, SHIFT_MOMENTS, DIGITS}


def test_pilot_runs_find_the_exact_barrier_and_make_the_ladder_even():
    """A sum over 16 pairs falls short of Λ by a percent; the rates range over 5 ± 1.2 errors, at first over 40."""
    for path in (NARROWING, SHIFT_MOMENTS):
        last = pilot(path, 16, 1.0, 0, 3)
        assert exact_barrier(path) * 0.93 < last.rates.sum() < exact_barrier(path) * 1.03
        assert last.rates.max() - last.rates.min() < 12 * last.errors.max()


def test_the_three_modes_are_what_they_say():
    x = np.linspace(-12, 12, 20_001)[:, None]
    f = np.exp(three_modes().log_density(x)) * (x[1, 0] - x[0, 0])
    assert np.log(f.sum()) == pytest.approx(1.0)
    np.testing.assert_allclose([f[x[:, 0] < -3].sum(), f[x[:, 0] > 2.5].sum()], np.exp(1) * SHARES[[0, 2]], rtol=1e-6)


def test_a_ladder_is_shown_as_the_library_walks_it():
    """Every rung holds one state at every moment; states change rungs where swaps are accepted, and only there."""
    run = ladder(4, 5.0, 0)
    assert (np.sort(run.rungs, axis=1) == np.arange(5)).all() and run.accepted.sum() > 20
    assert (run.accepted <= run.proposed).all()
    asked, after = run.rungs[1::3], run.rungs[2::3]
    np.testing.assert_array_equal((asked != after).sum(1), 2 * run.accepted.sum(1))
    np.testing.assert_array_equal(run.x[1::3], run.x[2::3])
    np.testing.assert_array_equal(after[:-1], asked[1:])
