"""The panels of notebook 12 show what the library computes, and say what is so."""


import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.experiments.tempered_sampling import gaussians_apart
from anneal_edu.course.panels.missing_area import slopes
from anneal_edu.course.panels.one_matrix import compare, guesses, wrong
from anneal_edu.course.panels.tempered_walk import HELD, LEARNED, walk


@pytest.mark.thorough("what its scenes say")
def test_a_held_guess_is_stuck_and_a_learned_one_settles():
    """Means of 5 seeds. Over 10 seeds log Ẑ - 8 is -2.6 ± 0.2 and -0.4 ± 0.3; two rungs starve the outer bumps."""
    held, learned, two = ([walk(*how, seed) for seed in range(5)] for how in ((9, HELD), (9, LEARNED), (2, LEARNED)))
    assert all(run.log_z[-1] < 8 - 5 * run.std_error[-1] for run in held)
    assert abs(np.mean([run.log_z[-1] for run in learned]) - 8) < 1
    assert all(run.log_z[-1] < 8 - 3 * run.std_error[-1] for run in two)
    assert np.mean([run.bumps[-1, 1] for run in learned]) < 0.5 < np.mean([run.bumps[-1, 1] for run in two])


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
    rule = {k: np.trapezoid(slopes(3.0, ae.linear_schedule(k)), dx=1 / k) for k in (4, 400)}
    assert abs(found.log_z[-1] - rule[4]) < 4.5 * found.std_error[-1] < 0.12
    assert rule[400] == pytest.approx(0, abs=1e-3)


def test_who_speaks_when_the_overlap_goes():
    """Far apart, over 20 seeds, all errors that are called wrong are beyond 26 of their bars."""
    near, far = compare(0.0, 5, 0)[1], compare(20.0, 5, 0)[1]
    assert all(found.verdict == "no warning" and abs(found.error) < 4.5 * found.std_error for found in near.values())
    of_mbar = [compare(20.0, 5, seed)[1]["MBAR"] for seed in range(6)]
    refused = [np.isnan(found.error) and found.verdict == "refuses" for found in of_mbar]
    assert sum(refused) >= 3 and all(found.verdict == "warns" for found in of_mbar if np.isfinite(found.error))
    assert far["RTS"].verdict == "warns"
    assert wrong(far["stepping stone"]) and far["stepping stone"].verdict == "warns"
    assert wrong(far["TI"]) and far["TI"].verdict == "warns"


def test_mbar_and_rts_are_right_where_ti_is_not():
    """At least 6 of 11 seeds. Of 300 seeds fewer than 5% miss any of the limits: a false alarm has probability 1e-5."""
    found = [compare(4.0, 5, seed)[1] for seed in range(11)]
    for name in ("MBAR", "RTS"):
        assert sum(abs(each[name].error) < 0.45 for each in found) >= 6
    for name in ("TI", "RB-TI"):
        assert sum(wrong(each[name]) and each[name].error < -0.75 for each in found) >= 6
