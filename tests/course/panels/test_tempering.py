"""The panels of notebook 10 walk as the library does, and agree with exact answers."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import beta

import anneal_edu as ae
from anneal_edu.course.panels.equal_areas import NARROWING, PATHS, SHIFT, SHIFT_MOMENTS, barrier, rejected
from anneal_edu.course.panels.equal_areas import ladder as ladder_of
from anneal_edu.course.panels.one_ladder import CENTRES, SHARES, ThreeModes, ladder
from anneal_edu.course.panels.who_visits_the_target import rejection_rate, walks
from anneal_edu.tempering.matrices import expected_round_trip_time
from anneal_edu.tempering.swaps import SCHEMES


@pytest.mark.parametrize("scheme", SCHEMES)
def test_replicas_make_as_many_trips_as_theory_expects(scheme):
    """Six standard errors, since they come from 24 ladders only."""
    rates = np.full(4, rejection_rate(4, 1.5))
    _, _, trips, error = walks(4, 1.5, 0.0, 0)[scheme]
    n_counted = 1 if scheme == "lifted" else 5
    assert abs(trips - 1000 * n_counted / expected_round_trip_time(scheme, rates)) < 6 * error


def test_without_a_barrier_replicas_in_turn_are_clockwork():
    replicas, _, _, error = walks(7, 0.0, 0.0, 3)["even_odd"]
    np.testing.assert_array_equal(replicas[16:], replicas[:-16])
    assert error < 1


def test_the_rejection_rate_of_the_ladder_is_exact():
    """Against the library's swaps between N(0, 1) and N(Λ √π, 1) with exact draws."""
    path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([2 * np.sqrt(np.pi)], [[1.0]]))
    run = ae.parallel_tempering(path, ae.linear_schedule(3), 50, 800, ae.exact, rng=np.random.default_rng(0))
    assert np.abs(run.rejection_rates - rejection_rate(3, 2.0)).max() < 4 * 0.5 / np.sqrt(50 * 800)


def test_exploration_leaves_its_rung_invariant_and_memory_slows_trips():
    fresh, remembering = (walks(6, 2.0, memory, 0)["even_odd"][2] for memory in (0.0, 0.97))
    assert remembering < 0.7 * fresh


def test_exact_refusals_are_those_of_simulated_swaps():
    """With exact draws, on ladders of the panel; on the narrowing the area is Λ = 2^{2-d} / B(d/2, d/2) · ln √10."""
    ends = ae.Gaussian(np.zeros(10), np.eye(10)), ae.Gaussian(np.zeros(10), np.eye(10) / 10)
    apart, along = (ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([8.0], [[1.0]])), ae.geometric_path
    paths = {NARROWING: along(*ends), SHIFT: along(*apart), SHIFT_MOMENTS: ae.moment_path(*apart)}
    for name, path in paths.items():
        rungs = ladder_of(name, 4, 1)
        run = ae.parallel_tempering(path, rungs, 50, 400, ae.exact, rng=np.random.default_rng(0))
        rates = [rejected(name, *pair) for pair in pairwise(rungs)]
        assert np.abs(run.rejection_rates - rates).max() < 4 * 0.5 / np.sqrt(50 * 400)
    assert barrier(NARROWING) == pytest.approx(2.0**-8 / beta(5, 5) * np.log(10) / 2, rel=1e-3)


@pytest.mark.parametrize("path", PATHS)
def test_rounds_of_adaptation_make_the_slices_equal(path):
    rates = [rejected(path, *pair) for pair in pairwise(ladder_of(path, 8, 3))]
    assert np.ptp(rates) < 0.02 and 0.9 * barrier(path) < sum(rates) < barrier(path)


@pytest.mark.fixed_seed("the panel opens with this ladder")
def test_most_states_bring_one_mode_to_the_target():
    """Notebook 10 says so of the panel's first ladder."""
    x, rungs, *_ = ladder(6, 5.0, 3)
    top = rungs[2::3].argmax(1)  # the state on the target's rung after each sweep
    mode = np.abs(x[2::3][np.arange(len(top)), top][:, None] - CENTRES).argmin(1)
    found = [set(mode[top == state]) for state in set(top)]
    assert len(found) >= 4 and sum(len(modes) == 1 for modes in found) >= len(found) - 1


def test_the_three_modes_are_what_they_say():
    x = np.linspace(-12, 12, 20_001)[:, None]
    f = np.exp(ThreeModes().log_density(x)) * (x[1, 0] - x[0, 0])
    assert np.log(f.sum()) == pytest.approx(1.0)
    np.testing.assert_allclose([f[x[:, 0] < -3].sum(), f[x[:, 0] > 2.5].sum()], np.exp(1) * SHARES[[0, 2]], rtol=1e-6)


def test_a_ladder_is_shown_as_the_library_walks_it():
    """Every rung holds one state at every moment; states change rungs where swaps are accepted, and only there."""
    x, rungs, links, accepted, _ = ladder(4, 5.0, 0)
    assert (np.sort(rungs, axis=1) == np.arange(5)).all() and accepted.sum() > 20
    proposed = np.isfinite(links[:, 0])
    assert not proposed[::3].any() and (accepted <= proposed[1::3]).all()
    asked, after = rungs[1::3], rungs[2::3]
    np.testing.assert_array_equal((asked != after).sum(1), 2 * accepted.sum(1))
    np.testing.assert_array_equal(x[1::3], x[2::3])
    np.testing.assert_array_equal(after[:-1], asked[1:])
    sweep, pair = np.argwhere(proposed[1::3])[7]
    ends = x[3 * sweep + 1, np.argsort(asked[sweep])[pair : pair + 2]]
    np.testing.assert_allclose(links[3 * sweep + 1, :, pair], [ends[0], pair / 4, ends[1], (pair + 1) / 4])
    after = [0, 3, 2, 1] if accepted[sweep, pair] else [0, 1, 2, 3]  # a state takes its end along
    np.testing.assert_array_equal(links[3 * sweep + 2, :, pair], links[3 * sweep + 1, after, pair])
