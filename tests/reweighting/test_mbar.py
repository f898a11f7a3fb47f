"""MBAR against pymbar, against closed forms, and against its own convexity."""

import logging

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import expit, logsumexp

import anneal_edu as ae
from anneal_edu.reweighting.mbar import minimise_objective, responsibilities, rough_log_z


@pytest.fixture(scope="module")
def pymbar_class():
    logging.disable(logging.WARNING)  # it announces at length that it could use JAX
    from pymbar import MBAR

    yield MBAR
    logging.disable(logging.NOTSET)


def gaussian_draws(n_steps, n, distance, seed, unsampled=()):
    """Exact draws of every rung between N(0, 1) and N(distance, 1/2): the matrix, the counts, the true log Z."""
    rng, schedule = np.random.default_rng(seed), ae.linear_schedule(n_steps)
    path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([distance], [[0.5]]))
    counts = np.full(n_steps + 1, n, dtype=int)
    counts[list(unsampled)] = 0
    x = np.concatenate([path(float(b)).sample(m, rng) for b, m in zip(schedule, counts, strict=True) if m])
    return ae.log_density_matrix(path, schedule, x), counts, np.array([path(float(b)).log_z() for b in schedule])


# pymbar hands its solvers options that scipy does not know, and scipy says so
pymbar_warns = pytest.mark.filterwarnings("ignore:Unknown solver options:scipy.optimize.OptimizeWarning")

CASES = {
    "five states": (4, 500, 3.0, 0),
    "one unsampled": (4, 500, 3.0, 1, (2,)),
    "last unsampled": (4, 500, 3.0, 2, (4,)),
    "first unsampled": (4, 500, 3.0, 3, (0,)),
    "two states": (1, 2000, 5.0, 4),
    "hardly any overlap": (1, 5000, 6.0, 5),
    "twenty states": (20, 200, 8.0, 6),
    "unequal counts": (2, [50, 600, 250], 2.0, 7),
}


@pymbar_warns
@pytest.mark.parametrize("case", CASES)
def test_mbar_equals_pymbar(case, pymbar_class):
    log_f, counts, _ = gaussian_draws(*CASES[case])
    ours, theirs = ae.mbar(log_f, counts), pymbar_class(-log_f, counts)
    found = theirs.compute_free_energy_differences()
    np.testing.assert_allclose(ours.log_z, -found["Delta_f"][0], atol=1e-8)
    np.testing.assert_allclose(ours.std_error[1:], found["dDelta_f"][0, 1:], rtol=0.01)
    np.testing.assert_allclose(ours.overlap, theirs.compute_overlap()["matrix"], atol=1e-8)
    assert ours.log_z[0] == 0
    assert ours.std_error[0] == 0
    assert ours.gradient < 1e-12


def test_error_bars_keep_their_promise():
    """50 seeds of exact draws: z-scores of every state have mean 0 and spread 1."""
    z = []
    for seed in range(50):
        log_f, counts, truth = gaussian_draws(4, 100, 3.0, 100 + seed)
        result = ae.mbar(log_f, counts)
        z.append((result.log_z - truth)[1:] / result.std_error[1:])
    z = np.array(z)
    assert np.abs(z.mean(0)).max() < 5 / np.sqrt(50)
    assert 0.5 < z[:, -1].std() < 1.5


def test_the_objective_is_minimised_and_has_no_maximum():
    """The poster maximises it. Ours is the lowest of all points around, and it grows without limit along a ray."""
    log_f, counts, _ = gaussian_draws(3, 200, 3.0, 9)
    shares = counts / counts.sum()

    def objective(log_z):
        return responsibilities(log_f, np.log(shares), log_z)[0].mean() + shares @ log_z

    best, rng = ae.mbar(log_f, counts).log_z, np.random.default_rng(0)
    for size in (1e-3, 0.1, 1.0):
        for _ in range(20):
            assert objective(best + size * (rng.normal(size=4) * [0, 1, 1, 1])) > objective(best)
    ray = [objective(best + t * np.array([0, 1, 1, 1])) for t in (0, 10, 100, 1000)]
    assert ray[3] - ray[2] > 5 * (ray[2] - ray[1]) > 25 * (ray[1] - ray[0]) > 0


def test_a_bad_start_does_not_matter():
    log_f, counts, _ = gaussian_draws(3, 200, 3.0, 10)
    shares = counts / counts.sum()
    best = ae.mbar(log_f, counts).log_z
    for start in (np.zeros(4), np.array([0.0, 50.0, -50.0, 20.0]), np.array([0.0, -500.0, 0.0, 300.0])):
        np.testing.assert_allclose(minimise_objective(log_f, shares, start)[0], best, atol=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_newton_ends_after_a_few_steps(case):
    """From the rough start each step squares the error."""
    n_steps, n, distance, _, *unsampled = CASES[case]
    for seed in range(100, 103):
        log_f, counts, _ = gaussian_draws(n_steps, n, distance, seed, *unsampled)
        sampled = counts > 0
        start, _ = rough_log_z(log_f, counts)
        assert minimise_objective(log_f[sampled], counts[sampled] / counts.sum(), start)[1] < 8


def test_shifting_a_row_shifts_its_log_z():
    log_f, counts, _ = gaussian_draws(3, 200, 3.0, 11)
    shift = np.array([0.0, 1e5, -1e5, 5.0])
    base, moved = ae.mbar(log_f, counts), ae.mbar(log_f + shift[:, None], counts)
    np.testing.assert_allclose(moved.log_z, base.log_z + shift, atol=1e-9)
    np.testing.assert_allclose(moved.std_error, base.std_error, atol=1e-9)
    assert moved.warnings == ()


def test_low_overlap_is_warned_of_and_none_is_refused():
    log_f, counts, _ = gaussian_draws(1, 1000, 6.0, 12)
    assert [warning.kind for warning in ae.mbar(log_f, counts).warnings] == ["little overlap"]
    log_f, counts, _ = gaussian_draws(3, 500, 3.0, 13)
    assert ae.mbar(log_f, counts).warnings == ()
    two_groups = np.full((4, 40), -np.inf)
    two_groups[:2, :20] = two_groups[2:, 20:] = 0.0
    with pytest.raises(ValueError, match=r"nothing connects states \[0, 1\] and \[2, 3\]"):
        ae.mbar(two_groups, [10, 10, 10, 10])
    log_f, counts, _ = gaussian_draws(3, 500, 120.0, 14)
    with pytest.raises(ValueError, match="do not overlap"):
        ae.mbar(log_f, counts)


@pytest.mark.parametrize("link", [-60.0, -1000.0])
def test_states_are_named_by_the_groups_that_nothing_connects(link):
    """States 0 and 2 share their draws, 1 and 3 do too, and a draw is e^link as likely in the other group."""
    log_f = np.full((4, 40), link)
    for group in ([0, 2], [1, 3]):
        draws = np.isin(np.repeat(np.arange(4), 10), group)
        log_f[np.ix_(group, np.flatnonzero(draws))] = [[0.0], [-0.5]]
    with pytest.raises(ValueError, match=r"nothing connects states \[0, 2\] and \[1, 3\]"):
        ae.mbar(log_f, [10, 10, 10, 10])


def test_a_density_that_is_zero_somewhere():
    """Uniform on [0, 1] and on [0, 1/2]: Z_1 / Z_0 = 1/2, whatever the draws of the second."""
    x = np.concatenate([np.linspace(0, 1, 1000, endpoint=False), np.full(500, 0.25)])
    log_f = np.stack([np.zeros(1500), np.where(x < 0.5, 0.0, -np.inf)])
    result = ae.mbar(log_f, [1000, 500])
    assert abs(result.log_z[1] - np.log(0.5)) < 1e-9


def test_stepping_stone_is_importance_sampling_from_the_state_before():
    log_f, counts, truth = gaussian_draws(4, 2000, 2.0, 15, unsampled=(2, 4))
    found = ae.stepping_stone(log_f, counts).log_z
    first = logsumexp(log_f[1, :2000] - log_f[0, :2000]) - np.log(2000)
    skipped = first + logsumexp(log_f[2:4, 2000:4000] - log_f[1, 2000:4000], axis=1) - np.log(2000)
    beyond = skipped[1] + logsumexp(log_f[4, 4000:] - log_f[3, 4000:]) - np.log(2000)
    np.testing.assert_allclose(found, [0, first, *skipped, beyond], atol=1e-12)
    np.testing.assert_allclose(found, truth, atol=0.15)
    with pytest.raises(ValueError, match="begin at the first state"):
        ae.stepping_stone(np.zeros((2, 4)), [0, 4])


@pytest.mark.parametrize(
    "matrix, counts, message",
    [
        (np.zeros(4), [4], r"shape \(K\+1, N\)"),
        (np.zeros((1, 4)), [4], r"shape \(K\+1, N\), at least two states, got \(1, 4\)"),
        (np.zeros((2, 0)), [0, 0], r"shape \(K\+1, N\), at least two states, got \(2, 0\)"),
        (np.full((2, 4), np.nan), [2, 2], "NaN"),
        (np.full((2, 4), np.inf), [2, 2], r"\+inf"),
        (np.zeros((2, 4)), [2, 1], "add up to the 4 columns"),
        (np.zeros((2, 4)), [2, 1, 1], r"counts must have shape \(2,\)"),
        (np.zeros((2, 4)), [-1, 5], "at least 0"),
        (np.zeros((2, 4)), [2.5, 1.5], "whole number"),
        (np.zeros((2, 4)), [4, 0], "at least two states are needed"),
        (np.array([[0.0, 0.0], [0.0, -np.inf]]), [1, 1], "are columns in order"),
    ],
)
def test_bad_input(matrix, counts, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ae.mbar(matrix, counts)


@pytest.mark.parametrize("width", [0.1, 0.03])
def test_the_minimum_is_reached_from_a_start_that_is_far_off(width):
    """Between N(0, 1) and a narrow state off its centre stepping stones are tens of nats off; Bennett's root is not."""
    reached = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        x = np.concatenate([rng.normal(size=1000), 3 + width * rng.normal(size=1000)])
        log_f = np.stack([-(x**2) / 2, -(((x - 3) / width) ** 2) / 2])
        root = brentq(lambda z, log_f=log_f: expit(np.diff(log_f, axis=0)[0] - z).sum() - 1000, -200, 200, xtol=1e-10)
        try:
            found = ae.mbar(log_f, [1000, 1000])
        except ValueError:  # nothing connects them
            continue
        reached += 1
        assert found.log_z[1] == pytest.approx(root, abs=1e-6) and found.gradient < 1e-8
    assert reached > 4


def test_a_long_ladder_of_sound_links_is_not_accused():
    means = np.linspace(0, 40, 81)
    x = (means[:, None] + np.random.default_rng(0).normal(size=(81, 50))).ravel()
    found = ae.mbar(-((x - means[:, None]) ** 2) / 2, [50] * 81)
    assert found.warnings == ()
