"""Error bars over chains: derivatives by hand, chains whose correlation is known, and labels that make no sense."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest

import anneal_edu as ae
from tests.cases import always

SCHEDULE = np.array([0.0, 0.5, 1.0])
PATH = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([2.0], [[1.0]]))
LOG_Z = np.array([PATH(beta).log_z() for beta in SCHEDULE])
ASSUMED = LOG_Z + np.array([0.0, 0.2, -0.1])
METHODS = {
    "stepping stones": ae.stepping_stone,
    "MBAR": ae.mbar,
    "TI": partial(ae.thermodynamic_integration, schedule=SCHEDULE),
    "RB-TI": partial(
        ae.thermodynamic_integration, schedule=SCHEDULE, rao_blackwellized=True, log_z=ASSUMED
    ),
}
every_method = pytest.mark.parametrize("name", METHODS)


def chains_of(rho, n_chains, n_steps, rng):
    """AR(1) chains at every rung, from equilibrium: the matrix, the counts, and which chain a column came from.

    Each has N(2β, 1) for its law, and the correlation ρ of neighbours; every chain stays on one rung.
    """
    noise = rng.normal(size=(n_steps, 3, n_chains))
    noise[1:] *= np.sqrt(1 - rho**2)
    for before, now in pairwise(noise):
        now += rho * before
    x = np.swapaxes(noise + 2 * SCHEDULE[:, None], 0, 1)  # (R, T, C)
    labels = np.broadcast_to(np.arange(3 * n_chains).reshape(3, 1, n_chains), x.shape)
    return ae.log_density_matrix(PATH, SCHEDULE, x.reshape(-1, 1)), [n_chains * n_steps] * 3, labels.ravel()


def weighted_mbar(log_f, origin, w):
    """MBAR of draws that count w times, by many self-consistent steps."""
    n, f, z, before = np.bincount(origin, w, minlength=len(log_f)), np.exp(log_f), np.ones(len(log_f)), 0
    while np.abs(z - before).max() > 1e-14:
        z, before = f / ((n / z) @ f) @ w, z
        z = z / z[0]
    return np.log(z)


def weighted_stones(log_f, origin, w):
    own = [origin == k for k in range(2)]
    steps = [
        np.log(np.average(np.exp(log_f[k + 1] - log_f[k])[of_k], weights=w[of_k])) for k, of_k in enumerate(own)
    ]
    return np.append(0, np.cumsum(steps))


def weighted_integral(log_f, origin, w, log_z=None):
    slope = log_f[-1] - log_f[0]
    if log_z is None:
        means = [np.average(slope[origin == k], weights=w[origin == k]) for k in range(3)]
    else:
        q = np.exp(log_f - log_z[:, None])
        means = (q / q.sum(0) * w) @ slope / ((q / q.sum(0)) @ w)
    return np.array([0, 0.25 * (means[0] + means[1]), 0.25 * (means[0] + 2 * means[1] + means[2])])


WEIGHTED = {
    "stepping stones": weighted_stones,
    "MBAR": weighted_mbar,
    "TI": weighted_integral,
    "RB-TI": partial(weighted_integral, log_z=ASSUMED),
}


@pytest.mark.parametrize("name, unsampled", [*((name, None) for name in METHODS), ("MBAR", 1), ("MBAR", 2)])
def test_an_influence_is_what_a_little_more_of_a_chain_does(name, unsampled):
    """The infinitesimal jackknife by its definition: every chain in turn counts 1 ± ε times, and ε is small."""
    rng, counts = np.random.default_rng(0), np.array([40, 50, 30])
    if unsampled is not None:
        counts[unsampled] = 0
    origin = np.repeat(np.arange(3), counts)
    log_f = ae.log_density_matrix(PATH, SCHEDULE, (2 * SCHEDULE[origin] + rng.normal(size=len(origin)))[:, None])
    chains, epsilon = rng.integers(7, size=len(origin)), 1e-4
    slopes = []
    for c in range(7):
        more, less = (WEIGHTED[name](log_f, origin, 1 + sign * epsilon * (chains == c)) for sign in (1, -1))
        slopes.append((more - less) / (2 * epsilon))
    by_hand = np.sqrt(7 / 6 * (np.array(slopes) ** 2).sum(0))
    found = METHODS[name](log_f, counts, chains=10 * chains - 3)  # any whole numbers will do
    np.testing.assert_allclose(found.std_error, by_hand, rtol=1e-5, atol=1e-12)


@every_method
def test_copies_of_a_draw_tell_nothing_new(name):
    """Every draw four times over: for independent draws the bar is halved, over chains of copies it stays."""
    log_f, counts, _ = chains_of(0.0, 30, 1, np.random.default_rng(1))
    once = METHODS[name](log_f, counts, chains=np.arange(90))
    copies, four = np.repeat(log_f, 4, axis=1), [120] * 3
    again = METHODS[name](copies, four, chains=np.repeat(np.arange(90), 4))
    np.testing.assert_allclose(again.log_z, once.log_z, atol=1e-9)
    np.testing.assert_allclose(again.std_error, once.std_error, rtol=1e-6, atol=1e-12)
    halved = METHODS[name](copies, four).std_error
    np.testing.assert_allclose(halved, METHODS[name](log_f, counts).std_error / 2, rtol=1e-6, atol=1e-12)


N_REPEATS = 300


def repeated(name, rho):
    """Errors of log Z of the target in repeats, and both error bars: (3, N_REPEATS)."""
    found = []
    for seed in range(N_REPEATS):
        log_f, counts, chains = chains_of(rho, 100, 20, np.random.default_rng([3, seed]))
        over_chains = METHODS[name](log_f, counts, chains=chains)
        off = over_chains.log_z[-1] - LOG_Z[-1]
        found.append((off, over_chains.std_error[-1], METHODS[name](log_f, counts).std_error[-1]))
    return np.array(found).T


@pytest.mark.parametrize("name", always("stepping stones", of=["stepping stones", "MBAR", "TI"]))
def test_correlated_chains_are_covered_over_chains_and_not_as_independent_draws(name):
    """Of 300 repeats 18 ± 4.1 miss by more than 1.96 error bars, and five standard deviations more at most.

    Weights that differ by orders of magnitude need many chains: with 20 of them stepping stones miss 30 times.
    """
    off, over_chains, independent = repeated(name, 0.9)
    assert (np.abs(off) > 1.96 * over_chains).sum() <= 18 + 5 * 4.1
    assert 0.8 < np.median(over_chains) / off.std() < 1.2
    assert (np.abs(off) > 1.96 * independent).mean() > 0.3


def test_the_covariance_over_chains_holds_for_any_two_states():
    """MBAR's is that of all states at once: the variance of log Z_2 - log Z_1 is the one that a swap of rows gives."""
    log_f, counts, chains = chains_of(0.9, 10, 10, np.random.default_rng(4))
    found = ae.mbar(log_f, counts, chains=chains)
    assert "over 30 chains" in str(found) and "for independent draws" in str(ae.mbar(log_f, counts))
    theta = found.covariance
    order = np.r_[100:200, 200:300, 0:100]  # state 1 first
    turned = ae.mbar(log_f[[1, 2, 0]][:, order], counts, chains=chains[order])
    assert theta[2, 2] - 2 * theta[2, 1] + theta[1, 1] == pytest.approx(turned.std_error[1] ** 2, rel=1e-6)


@every_method
@pytest.mark.parametrize(
    ("chains", "error", "message"),
    [
        (np.zeros(6), ValueError, "chains must name at least two chains, got 1"),
        (np.arange(5), ValueError, r"chains must have shape \(6,\), got \(5,\)"),
        (np.arange(6)[None], ValueError, "chains must have 1 axes"),
        (np.arange(6) / 2, ValueError, "chains must hold whole numbers"),
        ([0, 0, 0, 1, 1, np.nan], ValueError, "chains must be finite"),
        (list("aabbcc"), TypeError, "chains must be an array of real numbers"),
    ],
)
def test_bad_labels_are_refused(name, chains, error, message):
    log_f, counts, _ = chains_of(0.0, 2, 1, np.random.default_rng(5))
    with pytest.raises(error, match=message):
        METHODS[name](log_f, counts, chains=chains)


@every_method
def test_log_z_of_the_target_needs_that_of_the_first_state(name):
    log_f, counts, _ = chains_of(0.0, 20, 1, np.random.default_rng(6))
    result = METHODS[name](log_f, counts)
    with pytest.raises(ValueError, match=r"the draws tell ratios only: .* start_log_z"):
        _ = result.estimate
    found = METHODS[name](log_f, counts, start_log_z=7).estimate
    assert (found.log_z, found.std_error) == (7 + result.log_z[-1], result.std_error[-1])
    with pytest.raises(ValueError, match="start_log_z must be finite, got inf"):
        METHODS[name](log_f, counts, start_log_z=np.inf)
    with pytest.raises(TypeError, match="start_log_z must be a number"):
        METHODS[name](log_f, counts, start_log_z="0")


@every_method
def test_a_state_that_one_chain_alone_has_served_is_refused(name):
    """Its influences would add up to 0, and so would the error bar."""
    log_f, counts, _ = chains_of(0.0, 20, 1, np.random.default_rng(8))
    window = np.repeat(np.arange(len(counts)), counts)
    with pytest.raises(ValueError, match=r"two chains at least for every state, got one for state 0: .* blocks"):
        METHODS[name](log_f, counts, chains=window)
    blocks = METHODS[name](log_f, counts, chains=np.arange(sum(counts)) // 2).std_error[-1]
    assert 0.5 < blocks / METHODS[name](log_f, counts).std_error[-1] < 2


@pytest.mark.parametrize("order", ["by name", "backwards", "shuffled", "right"])
def test_columns_out_of_the_order_of_their_states_are_noticed(order):
    means, rng = np.linspace(0, 10, 12), np.random.default_rng(0)
    states = {"by name": sorted(range(12), key=str), "backwards": range(11, -1, -1)}.get(order, range(12))
    x = np.concatenate([means[k] + rng.normal(size=100) for k in states])
    x = rng.permutation(x) if order == "shuffled" else x
    log_f, counts = x * means[:, None] - x**2 / 2, [100] * 12
    found = ae.mbar(log_f, counts), ae.stepping_stone(log_f, counts), ae.thermodynamic_integration(
        log_f, counts, np.linspace(0, 1, 12))
    assert [["other states"] == [w.kind for w in r.warnings if w.kind == "other states"] for r in found] == (
        3 * [order != "right"])
    with pytest.raises(ValueError, match=r"turned over\? Hand in its \.T"):
        ae.mbar(log_f.T, counts)


def test_stones_downwards_bound_from_above_and_draws_of_all_states_from_the_side():
    rng = np.random.default_rng(0)
    low, high = rng.normal(size=(500, 8)), 0.9 * rng.normal(size=(500, 8))
    x = np.concatenate([low, high])
    log_f = np.stack([-(x**2).sum(1) / 2, -((x / 0.9) ** 2).sum(1) / 2])
    found = ae.stepping_stone(log_f, [500, 500])
    down = -ae.stepping_stone(log_f[::-1, ::-1], [500, 500]).log_z[-1]
    assert found.upper == pytest.approx(down) and found.log_z[-1] < 8 * np.log(0.9) + 0.5 < found.upper + 1
    windows = np.array([-2.0, 0.0, 2.0])  # around a target that has mass at both ends
    x = np.concatenate([0.7 * rng.normal(size=300) + c for c in windows])
    of_windows = -((x - windows[:, None]) ** 2) / 2 / 0.49
    target = np.logaddexp(-((x - 2) ** 2) / 0.5, 2 - (x + 2) ** 2 / 0.5)
    said = ae.stepping_stone(np.vstack([of_windows, target]), [300, 300, 300, 0])
    assert any("those of all others together" in warning for warning in said.warnings)


def test_the_noise_between_both_ends_is_known(monkeypatch):
    seen, means = [], np.array([0.0, 0.8, 1.6])
    monkeypatch.setattr("anneal_edu.reweighting.stepping_stone.end_warnings", lambda *ends: seen.append(ends) or ())
    for seed in range(300):
        x = (means[:, None] + np.random.default_rng(seed).normal(size=(3, 60))).ravel()
        ae.stepping_stone(-((x - means[:, None]) ** 2) / 2, [60] * 3)
    lower, upper, error, _ = np.array(seen).T
    assert 0.85 < np.sqrt((error**2).mean()) / (upper - lower).std() < 1.15
