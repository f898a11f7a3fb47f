import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.tempering.matrices import (
    even_odd_matrices,
    expected_round_trip_time,
    exploration_matrix,
    index_chain,
    ladder_distribution,
    lifted_matrix,
    spectral_gap,
    swap_matrix,
    tag_states,
)
from anneal_edu.tempering.record import count_round_trips
from anneal_edu.tempering.swaps import SCHEMES
from tests.cases import index_walk

LOG_F = np.random.default_rng(0).normal(size=(4, 3))


def invariant(T, p):
    return np.abs(p @ T - p).max() < 1e-12 and np.abs(T.sum(1) - 1).max() < 1e-12 and (T >= 0).all()


def test_swaps_leave_the_product_of_the_rungs_invariant():
    p = ladder_distribution(LOG_F)
    even, odd = even_odd_matrices(LOG_F)
    for T in (even, odd, 0.5 * (even + odd), even @ odd):
        assert invariant(T, p)


def test_reversible_or_not():
    """Detailed balance holds for the coin and not for the two turns in a row."""
    p = ladder_distribution(LOG_F)
    even, odd = even_odd_matrices(LOG_F)
    for T, reversible in ((0.5 * (even + odd), True), (even @ odd, False)):
        flow = p[:, None] * T
        assert np.allclose(flow, flow.T, atol=1e-14) == reversible


def test_the_lifted_scheme_leaves_its_distribution_invariant():
    tags = len(tag_states(3))
    assert tags == 6
    p = np.tile(ladder_distribution(LOG_F), tags) / tags
    assert invariant(lifted_matrix(LOG_F), p)


def test_a_swap_of_equal_states_is_accepted_and_carries_the_tag():
    """Two rungs, two states; configurations 00, 01, 10, 11, tags (0, +) and (1, -)."""
    log_f = np.array([[0.0, 0.0], [0.0, 1.0]])
    T = lifted_matrix(log_f).reshape(2, 4, 2, 4)
    accepted = np.exp(-1.0)  # 01 → 10 gives the second rung its unlikely state
    assert tag_states(1) == [(0, 1), (1, -1)]
    for tag, other in ((0, 1), (1, 0)):
        assert T[tag, 0, other, 0] == T[tag, 3, other, 3] == 1
        assert T[tag, 2, other, 1] == 1
        assert T[tag, 1, other, 2] == pytest.approx(accepted, rel=1e-12)
        assert T[tag, 1, tag, 1] == pytest.approx(1 - accepted, rel=1e-12)


def printed_involution(n, e, accepted, n_pairs):
    """The report's φ and S: both test η + ε, S keeps the direction where it must turn and turns where it must not."""
    inside = 0 < n + e < n_pairs
    if accepted:
        return n + e, (e if inside else -e)
    return n, (-e if inside else e)


def flip_on_acceptance(n, e, accepted, n_pairs):
    """The direction turned on acceptance and kept on refusal: (n, e) and (n + e, -e) change places."""
    return (n + e, -e) if accepted else (n, e)


def test_the_involution_of_the_report_leaves_the_ladder():
    """From rung 0, refused: η + ε = 1 is inside, so S turns the tag to (0, -1), which looks below the first rung."""
    with pytest.raises(ValueError, match=r"would go from \(0, 1\) to \(0, -1\)"):
        lifted_matrix(LOG_F, printed_involution)


def test_a_tag_that_flips_on_acceptance_is_right_and_useless():
    """An involution accepted by Metropolis is invariant, even reversible; but the tag shuttles between two rungs."""
    tags = tag_states(3)
    p = np.tile(ladder_distribution(LOG_F), len(tags)) / len(tags)
    T = lifted_matrix(LOG_F, flip_on_acceptance)
    assert invariant(T, p)
    reached = np.linalg.matrix_power(T + np.eye(len(T)), 50).reshape(len(tags), -1, len(tags), T.shape[0] // len(tags))
    from_first = {tags[i][0] for i in np.flatnonzero(reached[0].sum(axis=(0, 2)))}
    assert from_first == {0, 1}
    right = lifted_matrix(LOG_F)
    reached = np.linalg.matrix_power(right + np.eye(len(T)), 50).reshape(reached.shape)
    assert {tags[i][0] for i in np.flatnonzero(reached[0].sum(axis=(0, 2)))} == {0, 1, 2, 3}


def test_exploration_and_swaps_together():
    transitions = [ae.metropolis_matrix(row) for row in LOG_F]
    T = exploration_matrix(transitions)
    p = ladder_distribution(LOG_F)
    even, odd = even_odd_matrices(LOG_F)
    assert invariant(T, p)
    assert invariant(T @ even @ T @ odd, p)
    assert spectral_gap(T @ (0.5 * (even + odd))) > spectral_gap(T)


RATES = [np.array([0.1, 0.5, 0.3]), np.full(8, 0.2), np.zeros(5), np.array([0.4])]


@pytest.mark.parametrize("rates", RATES, ids=["uneven", "equal", "never refused", "one pair"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_round_trips_take_as_long_as_the_index_chain_says(scheme, rates):
    """10 batches of ladders give the standard error; the tagged replica alone for the lifted scheme."""
    n_sweeps, n_ladders = 2000, 50
    walk = np.array(list(index_walk(scheme, rates, n_sweeps, n_ladders, np.random.default_rng(0))))
    trips = count_round_trips(walk)
    followed = trips[:1] if scheme == "lifted" else trips
    rates_found = followed.mean(0) / n_sweeps  # of each ladder
    error = rates_found.std(ddof=1) / np.sqrt(n_ladders)
    lost = 1 / n_sweeps  # a trip under way at either end
    assert abs(rates_found.mean() - 1 / expected_round_trip_time(scheme, rates)) < 5 * error + lost


def test_even_odd_follows_the_formula_of_syed_and_others():
    for rates in RATES:
        time = expected_round_trip_time("even_odd", rates)
        assert (len(rates) + 1) / time == pytest.approx(1 / (2 + 2 * (rates / (1 - rates)).sum()), rel=1e-12)


def test_more_rungs_help_even_odd_and_ruin_the_coin():
    """At a fixed barrier of 2: rates tend to 1 / (2 + 2 Λ), and to 0."""
    barrier, lengths = 2.0, (4, 16, 64)
    rate = {
        scheme: [(n + 1) / expected_round_trip_time(scheme, np.full(n, barrier / n)) for n in lengths]
        for scheme in ("even_odd", "stochastic_even_odd")
    }
    assert rate["even_odd"] == sorted(rate["even_odd"])
    assert rate["even_odd"][-1] == pytest.approx(1 / (2 + 2 * barrier), rel=0.05)
    assert rate["stochastic_even_odd"][-1] < 0.2 * rate["stochastic_even_odd"][0]


def test_impossible_ladders_are_refused():
    with pytest.raises(ValueError, match="at least 2 rungs"):
        ladder_distribution(np.zeros((1, 3)))
    with pytest.raises(ValueError, match="at most 5000"):
        swap_matrix(np.zeros((9, 3)), 0)
    with pytest.raises(ValueError, match="1296 configurations with 6 tags do not fit"):
        lifted_matrix(np.zeros((4, 6)))
    with pytest.raises(ValueError, match="scheme must be"):
        index_chain("both", RATES[0])
    with pytest.raises(ValueError, match="no round trips"):
        expected_round_trip_time("even_odd", [0.5, 1.0])
    with pytest.raises(ValueError, match="k must be a pair of neighbours"):
        swap_matrix(LOG_F, -1)
    with pytest.raises(ValueError, match=f"0 to {len(LOG_F) - 2}, got {len(LOG_F) - 1}"):
        swap_matrix(LOG_F, len(LOG_F) - 1)
    with pytest.raises(ValueError, match="rejection_rates must lie in"):
        index_chain("even_odd", [1.5])
    with pytest.raises(ValueError, match="swaps must be one of"):
        next(index_walk("both", [0.5], 1, 1, np.random.default_rng(0)))
    assert np.isfinite(ladder_distribution([[0.0, 1000.0], [0.0, -1000.0]])).all()
