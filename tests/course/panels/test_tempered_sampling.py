"""The panels of notebook 12 show what the library computes, and say what is so."""

from types import SimpleNamespace

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.experiments.tempered_sampling import gaussians_apart
from anneal_edu.course.figures import LectureFigure, tempered_sampling
from anneal_edu.course.panels import OneMatrix, TemperedWalk, one_matrix, tempered_walk
from anneal_edu.course.panels.one_matrix import Found, compare, error_of_the_rule, guesses, wrong
from anneal_edu.course.panels.tempered_walk import HELD, LEARNED, exact, most_travelled, walk, way


@pytest.fixture
def opened():
    panels = []

    def open_panel(kind, **values):
        panels.append(kind(**values))
        return panels[-1]

    yield open_panel
    for panel in panels:
        panel.close()


def drawn(ax, name):
    return next(artist for artist in ax.get_children() if artist.get_gid() == name)


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


@pytest.mark.thorough("what its scenes say")
def test_a_held_guess_is_stuck_and_a_learned_one_settles():
    """Means of 5 seeds. Over 10 seeds log Ẑ - 8 is -2.6 ± 0.2 and -0.4 ± 0.3, crossings 67 ± 3 and 144 ± 30."""
    held, learned = ([walk(9, z, seed).rounds[-1] for seed in range(5)] for z in (HELD, LEARNED))
    assert all(last.log_z[-1] < 8 - 5 * last.std_error[-1] for last in held)
    assert abs(np.mean([last.log_z[-1] for last in learned]) - 8) < 1
    assert np.mean([last.crossings for last in learned]) > 1.2 * np.mean([last.crossings for last in held])


EVEN, UNEVEN = np.log([0.3, 0.3, 0.4]), np.log([0.05, 0.3, 0.65])


@pytest.mark.parametrize(
    "rounds, z, error, bar, log_shares, words",
    [
        (12, LEARNED, 0.1, 0.1, EVEN, "has settled"),
        (12, LEARNED, -0.19, 0.1, EVEN, "has settled"),
        (12, LEARNED, 0.09, 0.001, EVEN, "within two errors of the truth"),
        (12, LEARNED, 0.21, 0.1, EVEN, "got too many chains: log Ẑ is too high by more than two of its errors"),
        (12, LEARNED, -0.21, 0.1, EVEN, "With 3 rungs the outer bumps got too few chains: log Ẑ is too low"),
        (1, LEARNED, -5.0, 0.1, UNEVEN, "Round 1: Ẑ is far off"),
        (6, LEARNED, -5.0, 0.1, EVEN, "Round 6: the shares are nearly even"),
        (7, LEARNED, -5.0, 0.1, EVEN, "too low by more than two of its errors"),
        (12, HELD, -2.6, 0.2, UNEVEN, "too low by many of its own error bars"),
        (12, HELD, -0.5, 0.01, UNEVEN, "leave the first rung and hardly come back"),
        (12, HELD, -2.6, 1.0, UNEVEN, "leave the first rung and hardly come back"),
        (12, HELD, 2.6, 0.2, UNEVEN, "leave the first rung and hardly come back"),
        (3, HELD, -0.9, 0.25, UNEVEN, "too low by many of its own error bars"),
        (12, LEARNED, 0.11, 0.001, EVEN, "too high by more than two of its errors"),
        (2, HELD, -2.6, 0.2, UNEVEN, "leave the first rung and hardly come back"),
    ],
)
def test_what_is_said_of_a_walk(rounds, z, error, bar, log_shares, words):
    assert words in tempered_walk._takeaway(rounds, z, error, bar, SimpleNamespace(log_shares=log_shares))


@pytest.mark.parametrize("z, rounds", [(LEARNED, 12), (HELD, 12), (LEARNED, 5)])
def test_the_walk_is_judged_by_what_is_drawn(z, rounds, opened):
    """The exact value is 8, and the bars are of two standard errors."""
    panel = opened(TemperedWalk, z=z, rounds=rounds)
    last, estimates = walk(9, z, 0).rounds[rounds - 1], panel.axes[2]
    np.testing.assert_allclose(drawn(estimates, "exact").get_ydata(), 8, atol=1e-6)
    low, high = np.sort(drawn(estimates, "errors").get_ydata()[-3:-1])
    error, bar = (low + high) / 2 - 8, (high - low) / 4
    assert (error, bar) == pytest.approx((last.log_z[-1] - 8, last.std_error[-1]), abs=1e-6)
    assert panel.takeaway == tempered_walk._takeaway(rounds, z, error, bar, last)
    assert "(exact 8.00)" in panel.readout["log Ẑ"]


def test_what_draws_would_guess_is_what_integration_says():
    path, schedule, counts = gaussians_apart(3.0), ae.linear_schedule(3), np.array([5000, 8000, 6000, 7000])
    rungs, rng = [path(float(b)) for b in schedule], np.random.default_rng(0)
    log_z = np.array([p.log_z() for p in rungs])
    x = np.concatenate([p.sample(n, rng) for p, n in zip(rungs, counts, strict=True)])
    found = guesses(ae.log_density_matrix(path, schedule, x), counts, log_z)
    grid = np.linspace(-12, 12, 20_001)[:, None]
    p = np.exp(ae.log_density_matrix(path, schedule, grid) - log_z[:, None])  # (K+1, points)
    share = counts[:, None] * p / (counts @ p)
    exact = np.trapezoid(p[:, None] * share, grid[:, 0], axis=2)
    np.testing.assert_allclose(found.sum(1), 1, atol=1e-12)
    assert (abs(found - exact) < 5 * 0.5 / np.sqrt(counts)[:, None]).all()  # no share scatters by more than 0.5


def test_the_error_of_stepping_stones_is_right_where_rungs_overlap():
    """Of 400 repeats: their standard deviation is 1 ± 0.035, their mean 0 ± 0.05."""
    path, schedule, z = gaussians_apart(1.0), ae.linear_schedule(4), []
    rungs = [path(float(b)) for b in schedule]
    for seed in range(400):
        rng = np.random.default_rng(seed)
        log_f = ae.log_density_matrix(path, schedule, np.concatenate([rung.sample(100, rng) for rung in rungs]))
        found = ae.stepping_stone(log_f, np.full(5, 100))
        z.append(found.log_z[-1] / found.std_error[-1])
    assert abs(np.std(z) - 1) < 0.18
    assert abs(np.mean(z)) < 0.3


def test_the_rule_errs_as_many_draws_say():
    path, schedule = gaussians_apart(3.0), ae.linear_schedule(4)
    rng, counts = np.random.default_rng(1), np.full(5, 50_000)
    x = np.concatenate([path(float(b)).sample(50_000, rng) for b in schedule])
    found = ae.thermodynamic_integration(ae.log_density_matrix(path, schedule, x), counts, schedule)
    assert abs(found.log_z[-1] - error_of_the_rule(path, schedule)) < 4.5 * found.std_error[-1] < 0.12
    assert error_of_the_rule(path, ae.linear_schedule(400)) == pytest.approx(0, abs=1e-3)


def test_who_speaks_when_the_overlap_goes(opened):
    """Far apart, over 20 seeds, all errors that are called wrong are beyond 26 of their bars."""
    near, far = compare(0.0, 5, 0).found, compare(20.0, 5, 0).found
    assert all(found.says == "silent" and abs(found.error) < 4.5 * found.std_error for found in near.values())
    of_mbar = [compare(20.0, 5, seed).found["MBAR"] for seed in range(6)]
    refused = [found.error is None and "do not overlap" in found.sentence for found in of_mbar]
    assert sum(refused) >= 3 and all(found.says == "warns" for found in of_mbar if found.error is not None)
    assert far["RTS, own walk"].says == "warns"
    assert wrong(far["stepping stone"]) and far["stepping stone"].says == "warns"
    assert wrong(far["TI"]) and far["TI"].says == "warns"
    panel = opened(OneMatrix, distance=20.0, seed=refused.index(True))
    assert "Refuses: MBAR" in panel.takeaway
    assert panel.readout["MBAR"] == "refuses"


def test_a_result_that_warns_is_found_to_warn():
    result = SimpleNamespace(log_z=np.array([0.0, 0.5]), std_error=np.array([0.0, 0.1]), warnings=("one", "two"))
    assert one_matrix._as_found(result) == Found(0.5, 0.1, "warns", "one; two")
    result.warnings = ()
    assert one_matrix._as_found(result) == Found(0.5, 0.1, "silent", "")


@pytest.mark.parametrize(
    "found, words",
    [
        ({"A": (0.1, 0.1, "silent"), "B": (-0.1, 0.1, "silent")}, "five agree with the exact value within three"),
        ({"A": (0.31, 0.1, "silent"), "B": (-0.31, 0.1, "silent")}, "Wrong by more than three … and silent: A, B."),
        ({"A": (0.29, 0.1, "silent"), "B": (-0.31, 0.1, "warns")}, "Warns: B."),
        ({"A": (-0.31, 0.1, "silent"), "B": (0.0, 0.1, "warns")}, "silent: A. Warns: B."),
        ({"A": (None, 0.0, "refuses"), "B": (None, 0.0, "has no Ẑ")}, "Refuses: A."),
    ],
)
def test_what_is_said_of_five_estimators(found, words):
    takeaway = one_matrix._takeaway({name: Found(*numbers, "") for name, numbers in found.items()}, 0.0)
    assert all(part in takeaway for part in words.split("…")), takeaway
    assert ("silent" in takeaway, "Warns" in takeaway) == ("silent" in words, "Warns" in words), takeaway


@pytest.mark.parametrize(
    "rule, words",
    [(0.09, "TI's rule costs nothing"), (-0.11, "off by -0.1 nats, however many"), (0.11, "off by 0.1 nats")],
)
def test_the_rule_is_said_to_cost_what_it_costs(rule, words):
    assert words in one_matrix._takeaway({"TI": Found(0.0, 0.1, "silent", "")}, rule)


def test_the_comparison_is_judged_by_what_is_drawn(opened):
    panel = opened(OneMatrix, seed=3)
    _, found, rule = compare(4.0, 5, 3)
    assert panel.takeaway == one_matrix._takeaway(found, rule)
    assert panel.readout["TI"] == f"{found['TI'].error:+.2f} ± {found['TI'].std_error:.2f}"
    assert drawn(panel.axes[1], "TI limit").get_xdata() == pytest.approx([rule])


def test_mbar_and_rts_are_right_where_ti_is_not():
    """At least 6 of 11 seeds. Of 300 seeds fewer than 5% miss any of the limits: a false alarm has probability 1e-5."""
    found = [compare(4.0, 5, seed).found for seed in range(11)]
    for name in ("MBAR", "RTS, own walk"):
        assert sum(abs(each[name].error) < 0.45 for each in found) >= 6
    for name in ("TI", "RB-TI"):
        assert sum(wrong(each[name]) and each[name].error < -0.75 for each in found) >= 6


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
