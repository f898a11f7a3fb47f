"""The panels of notebook 12 show what the library computes, and say what is so."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.experiments.tempered_sampling import gaussians_apart
from anneal_edu.figures import LectureFigure, tempered_sampling
from anneal_edu.panels import OneMatrix, TemperedWalk
from anneal_edu.panels.one_matrix import compare, error_of_the_rule, overlap_at, stepping_error, wrong
from anneal_edu.panels.tempered_walk import HELD, LEARNED, exact, most_travelled, walk, way


@pytest.fixture
def opened():
    panels = []

    def open_panel(kind, **values):
        panels.append(kind(**values))
        return panels[-1]

    yield open_panel
    for panel in panels:
        panel.close()


@pytest.mark.parametrize("z", [LEARNED, HELD])
def test_the_trail_is_that_of_the_round(z):
    """Walked again, every round ends where it ended."""
    for number in (1, 2, 8):
        x, rungs = way(5, z, 3, number)
        done = walk(5, z, 3).rounds[number - 1]
        np.testing.assert_array_equal(x[-1], done.x[:, 0])
        np.testing.assert_array_equal(rungs[-1], done.rungs)
    first = way(5, z, 3, 2)[0][0]
    np.testing.assert_array_equal(first, way(5, z, 3, 1)[0][-1])


def test_the_ridges_are_densities():
    _, densities = exact(5)
    step = 14 / 280
    np.testing.assert_allclose(densities.sum(1) * step, 1, atol=1e-6)


def test_the_most_travelled_chain_is_found():
    x = np.array([[-4.0, 1.0, 1.0], [-4.0, 1.0, 5.0], [-4.0, 1.0, -4.0]])
    rungs = np.array([[0, 0, 2], [0, 1, 2], [0, 0, 1]])
    assert most_travelled(x, rungs) == 2


@pytest.mark.parametrize("seed", range(2))
def test_a_held_guess_is_stuck_and_a_learned_one_settles(seed):
    held, learned = walk(9, HELD, seed).rounds[-1], walk(9, LEARNED, seed).rounds[-1]
    assert held.log_z[-1] < 8 - 5 * held.std_error[-1]
    assert abs(learned.log_z[-1] - 8) < 1
    assert learned.crossings > held.crossings


def test_what_the_walk_says(opened):
    panel = opened(TemperedWalk)
    assert "has settled" in panel.takeaway
    panel.rounds.value = 1
    assert "far off" in panel.takeaway
    panel.z.value = HELD
    assert "leave the first rung" in panel.takeaway
    panel.rounds.value = 12
    assert "too low by many" in panel.takeaway


def test_overlap_at_mbars_own_log_z_is_mbars_overlap():
    path, schedule, counts = gaussians_apart(3.0), ae.linear_schedule(3), np.array([50, 80, 60, 70])
    rng = np.random.default_rng(0)
    x = np.concatenate([path(float(b)).sample(n, rng) for b, n in zip(schedule, counts, strict=True)])
    log_f = ae.log_density_matrix(path, schedule, x)
    result = ae.mbar(log_f, counts)
    np.testing.assert_allclose(overlap_at(log_f, counts, result.log_z), result.overlap, atol=1e-9)


def test_the_stepping_error_is_right_where_rungs_overlap():
    path, schedule, z = gaussians_apart(1.0), ae.linear_schedule(4), []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        x = np.concatenate([path(float(b)).sample(100, rng) for b in schedule])
        log_f = ae.log_density_matrix(path, schedule, x)
        z.append(ae.stepping_stone(log_f, np.full(5, 100))[-1] / stepping_error(log_f, 100))
    assert 0.8 < np.std(z) < 1.25
    assert abs(np.mean(z)) < 0.4


def test_the_rule_errs_as_many_draws_say():
    path, schedule = gaussians_apart(3.0), ae.linear_schedule(4)
    rng, counts = np.random.default_rng(1), np.full(5, 50_000)
    x = np.concatenate([path(float(b)).sample(50_000, rng) for b in schedule])
    found = ae.thermodynamic_integration(ae.log_density_matrix(path, schedule, x), counts, schedule)
    assert abs(found.log_z[-1] - error_of_the_rule(path, schedule)) < 4 * found.std_error[-1] < 0.1
    assert error_of_the_rule(path, ae.linear_schedule(400)) == pytest.approx(0, abs=1e-3)


def test_who_speaks_when_the_overlap_goes(opened):
    near, far = compare(0.0, 5, 0).found, compare(20.0, 5, 0).found
    assert not any(wrong(found) for found in near.values())
    assert far["MBAR"].error is None and "do not overlap" in far["MBAR"].sentence
    assert far["RTS, own walk"].says == "warns"
    assert wrong(far["stepping stone"]) and far["stepping stone"].says == "silent"
    assert wrong(far["TI"]) and far["TI"].says == "warns"
    assert compare(8.0, 5, 0).found["MBAR"].says == "warns"
    panel = opened(OneMatrix)
    assert "silent: stepping stone." in panel.takeaway and "Warns: TI, RB-TI." in panel.takeaway
    panel.distance.value = 20.0
    assert "Refuses, in words: MBAR" in panel.takeaway
    assert "nothing connects" in panel.readout["MBAR says"]


@pytest.mark.parametrize("seed", range(4))
def test_mbar_and_rts_are_right_where_ti_is_not(seed):
    found = compare(4.0, 5, seed).found
    assert not wrong(found["MBAR"])
    assert abs(found["RTS, own walk"].error) < 4 * found["RTS, own walk"].std_error
    assert wrong(found["TI"]) and wrong(found["RB-TI"])


def test_shares_of_zero_are_drawn_at_the_floor_and_said():
    figure = LectureFigure(5, 4)
    (ax,) = figure.columns(1)
    tempered_sampling.shares_of_time(ax, np.array([0.0, 1.0]), np.array([1e-9, 1.0]), np.array([0.1, 0.9]))
    assert figure.png()
    assert any(text.get_text() == "never visited" for text in ax.texts)


def test_iterations_leave_out_counts_that_are_not_finite():
    figure = LectureFigure(5, 4)
    (ax,) = figure.columns(1)
    counted = np.array([[np.inf, 1.0, 1.2], [0.9, 1.1, 1.0]])
    tempered_sampling.iterations(ax, np.ones((2, 3)), counted, 1.0)
    drawn = next(line for line in ax.lines if line.get_gid() == tempered_sampling.COUNTED)
    assert len(drawn.get_xdata()) == 2
    assert figure.png()
