import tracemalloc
from itertools import islice

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator
from scipy.special import beta as beta_function

import anneal_edu as ae
from anneal_edu.kernels import swapped
from anneal_edu.tempering import swaps
from anneal_edu.tempering.ladders import cumulative_barrier
from anneal_edu.tempering.matrices import expected_round_trip_time
from anneal_edu.tempering.parallel import tempering_states
from anneal_edu.tempering.record import count_round_trips
from anneal_edu.tempering.swaps import SCHEMES
from tests.cases import always, index_walk
from tests.frequencies import UNLIKELY, chance_of_farthest

ALL = list(SCHEMES)


def narrowing(d):
    """N(0, I) to N(0, I / 10) in d dimensions."""
    return ae.geometric_path(ae.Gaussian(np.zeros(d), np.eye(d)), ae.Gaussian(np.zeros(d), np.eye(d) / 10))


def small_rbm(seed=0, scale=2.0):
    rng = np.random.default_rng(seed)
    return ae.BinaryRBM(scale * rng.normal(size=(5, 3)), rng.normal(size=5), rng.normal(size=3))


def rbm_path(rbm):
    return ae.geometric_path(ae.uniform_rbm(rbm.dim, rbm.n_hidden), rbm)


@pytest.mark.parametrize("scheme", ALL)
def test_the_target_of_a_small_rbm_is_reached(scheme):
    """Mean of every unit within 5 standard errors, these over 200 independent ladders, and a few draws of 30,000."""
    rbm = small_rbm()
    run = ae.parallel_tempering(
        rbm_path(rbm), ae.linear_schedule(4), 150, 200, swaps=scheme, n_burn_in=50, rng=np.random.default_rng(0)
    )
    assert run.samples.shape == (150, 5, 200, 5)
    assert run.replicas.shape == (150, 5, 200)
    of_ladders = run.samples[:, -1].mean(0)  # (C, D)
    error = of_ladders.std(0, ddof=1) / np.sqrt(200)
    assert (np.abs(of_ladders.mean(0) - rbm.moments()[0]) < 5 * error + 5 / 30_000).all()


@pytest.mark.parametrize("scheme", ALL)
def test_every_rung_keeps_its_own_distribution(scheme):
    """From exact draws on every rung, 20,000 ladders and five sweeps later: frequencies of all 32 states of each."""
    path, schedule = rbm_path(small_rbm()), ae.linear_schedule(3)
    run = ae.parallel_tempering(path, schedule, 1, 20_000, ae.exact, scheme, n_burn_in=4, rng=np.random.default_rng(0))
    for k, beta in enumerate(schedule):
        codes = run.samples[0, k] @ (1 << np.arange(5)[::-1])
        member = path(float(beta))
        p = np.exp(member.log_density(ae.binary_states(5)) - member.log_z())
        found = np.bincount(codes.astype(int), minlength=32) / 20_000
        assert chance_of_farthest(found, p, 20_000) > UNLIKELY


@pytest.mark.parametrize("scheme", ALL)
def test_swaps_exchange_states_and_lose_none(scheme):
    """A kernel that does nothing: the states on a ladder stay the same set, and go with their replicas."""
    path = narrowing(2)

    def still(distribution, x, rng):
        return x

    rng = np.random.default_rng(0)
    states = list(islice(tempering_states(path, ae.linear_schedule(5), 30, still, scheme, rng=rng), 40))
    ladders = np.arange(30)
    by_replica = np.empty_like(states[0].x)
    by_replica[states[0].replicas, ladders] = states[0].x
    for state in states[1:]:
        now = np.empty_like(state.x)
        now[state.replicas, ladders] = state.x
        np.testing.assert_array_equal(now, by_replica)
    assert len({state.replicas.tobytes() for state in states}) > 5


@pytest.mark.parametrize("d", always(2, of=[1, 2, 5]))
def test_the_barrier_has_its_closed_form(d):
    """Λ = 2^{2-d} / B(d/2, d/2) · ln √10 for N(0, I) to N(0, I/10); the sum over 30 pairs is within half a percent."""
    run = ae.parallel_tempering(narrowing(d), ae.linear_schedule(30), 200, 50, ae.exact, rng=np.random.default_rng(0))
    exact = 2.0 ** (2 - d) / beta_function(d / 2, d / 2) * np.log(np.sqrt(10))
    per_sweep = 0.05 * np.sqrt(30 / (200 * 50))  # spread of a sum of 30 rates, generous
    assert abs(run.barrier - exact) < 0.01 * exact + 4 * per_sweep


def test_log_z_by_stepping_stones():
    """30 seeds: mean error within 5 standard errors of zero, and the reported errors of the right size."""
    rbm = small_rbm()
    runs = [
        ae.parallel_tempering(rbm_path(rbm), ae.linear_schedule(5), 40, 20, n_burn_in=20, rng=np.random.default_rng(s))
        for s in range(30)
    ]
    errors = np.array([run.log_z - rbm.log_z() for run in runs])
    assert abs(errors.mean()) < 5 * errors.std(ddof=1) / np.sqrt(30) + 0.002
    reported = np.mean([run.std_error for run in runs])
    assert 0.6 < reported / errors.std(ddof=1) < 2
    assert "round trips" in str(runs[0])


def test_with_every_swap_accepted_even_odd_is_clockwork():
    """K + 1 rungs: each replica makes a round trip in 2 (K + 1) sweeps, and comes back to where it was."""
    walk = np.array(list(index_walk("even_odd", np.zeros(5), 24, 3, np.random.default_rng(0))))
    np.testing.assert_array_equal(walk[12], walk[0])
    np.testing.assert_array_equal(walk[24], walk[0])
    assert (walk[:, :, 0] == walk[:, :, 2]).all()
    trips = count_round_trips(np.array(list(index_walk("even_odd", np.zeros(5), 240, 1, np.random.default_rng(1)))))
    assert ((trips >= 18) & (trips <= 20)).all()


def test_round_trips_are_counted():
    path = [0, 1, 2, 1, 0, 1, 0, 1, 2, 2, 1, 0]  # two trips of replica 0 on three rungs; the turn at rung 1 is none
    replicas = np.empty((len(path), 3, 1), dtype=int)
    for t, rung in enumerate(path):
        others = iter((1, 2))
        replicas[t, :, 0] = [0 if k == rung else next(others) for k in range(3)]
    assert count_round_trips(replicas)[0, 0] == 2


@pytest.mark.parametrize("scheme", always("lifted", of=ALL))
def test_with_perfect_exploration_replicas_walk_as_the_index_chain_says(scheme):
    """Fresh states at every sweep: whether a swap is accepted then depends on nothing that came before."""
    run = ae.parallel_tempering(
        narrowing(2), ae.linear_schedule(6), 600, 40, ae.exact, scheme, rng=np.random.default_rng(0)
    )
    trips = count_round_trips(run.replicas)
    followed = trips[0] if scheme == "lifted" else trips.mean(0)
    expected = 1 / expected_round_trip_time(scheme, run.rejection_rates)
    error = followed.std(ddof=1) / np.sqrt(len(followed)) / 600
    assert abs(followed.mean() / 600 - expected) < 5 * error + 1 / 600  # at most a trip is lost at the ends


def test_the_adapted_ladder_refuses_equally():
    path = narrowing(10)
    start = ae.linear_schedule(6)
    pilot = ae.parallel_tempering(path, start, 300, 40, ae.exact, rng=np.random.default_rng(0))
    assert pilot.rejection_rates.max() > 2 * pilot.rejection_rates.min()
    schedule = ae.equal_rejection_schedule(start, pilot.rejection_rates, 8)
    assert len(schedule) == 9
    for _ in range(2):
        run = ae.parallel_tempering(path, schedule, 300, 40, ae.exact, rng=np.random.default_rng(1))
        schedule = ae.equal_rejection_schedule(schedule, run.rejection_rates, 8)
    run = ae.parallel_tempering(path, schedule, 300, 40, ae.exact, rng=np.random.default_rng(2))
    assert run.rejection_rates.max() - run.rejection_rates.min() < 0.06


def test_the_local_barrier_is_flat_where_the_path_is_even():
    """λ(β) of N(0, I) to N(0, I/10) is proportional to 9 / (1 + 9 β): ratios of precisions count, not steps of β."""
    run = ae.parallel_tempering(narrowing(2), ae.linear_schedule(20), 100, 200, ae.exact, rng=np.random.default_rng(0))
    local = cumulative_barrier(run.schedule, run.rejection_rates).derivative()
    betas = np.array([0.1, 0.5, 0.9])
    shape = local(betas) * (1 + 9 * betas)
    np.testing.assert_allclose(shape / shape.mean(), 1, atol=0.12)


def test_a_monotone_cubic_runs_through_the_barrier_and_the_new_rungs_divide_it_evenly():
    """Of rates that vary much a straight line between the old rungs would be far off."""
    schedule, rates = np.array([0.0, 0.2, 0.5, 1.0]), np.array([0.05, 0.6, 0.1])
    barrier = cumulative_barrier(schedule, rates)
    np.testing.assert_allclose(barrier(schedule), [0, 0.05, 0.65, 0.75], rtol=1e-12)
    between = np.linspace(0, 1, 101)
    np.testing.assert_allclose(barrier(between), PchipInterpolator(schedule, [0, 0.05, 0.65, 0.75])(between))
    adapted = ae.equal_rejection_schedule(schedule, rates, 7)
    np.testing.assert_allclose(barrier(adapted), 0.75 * np.arange(8) / 7, atol=1e-10)
    assert np.abs(np.interp(adapted, schedule, [0, 0.05, 0.65, 0.75]) - barrier(adapted)).max() > 0.01


def test_nothing_to_pass_leaves_the_ladder_linear():
    np.testing.assert_allclose(ae.equal_rejection_schedule([0, 0.3, 1], [0.0, 0.0], 4), ae.linear_schedule(4))


def test_one_shared_uniform_for_all_pairs_would_be_seen():
    """Accepted pairs of one sweep are independent given the states: the rate of both together is the product."""
    path, rng = narrowing(2), np.random.default_rng(0)
    states = islice(tempering_states(path, ae.linear_schedule(4), 4000, ae.exact, rng=rng), 10)
    both, expected = [], []
    for state in states:
        tried = state.proposed.all(1)
        if tried[0] and tried[2]:
            both.append((state.accepted[0] & state.accepted[2]).mean())
            expected.append((state.swap_probabilities[0] * state.swap_probabilities[2]).mean())
    assert abs(np.mean(both) - np.mean(expected)) < 5 * np.sqrt(0.25 / (4000 * len(both)))


def test_the_lifted_tag_follows_its_replica():
    scheme, rng = swaps.Lifted(4, 200), np.random.default_rng(0)
    replicas = np.tile(np.arange(5)[:, None], (1, 200))
    for _ in range(50):
        accepted = scheme.propose(rng) & (rng.random((4, 200)) < 0.6)
        scheme.update(accepted)
        replicas = swapped(replicas, accepted)
        np.testing.assert_array_equal((replicas == 0).argmax(0), scheme.rung)
        ahead = scheme.rung + scheme.direction
        assert ((ahead >= 0) & (ahead <= 4)).all()


def test_a_run_that_does_not_mix_says_so():
    far = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([60.0], [[1.0]]))
    run = ae.parallel_tempering(far, ae.linear_schedule(2), 20, 5, rng=np.random.default_rng(0))
    assert {"swaps refused", "no round trip", "ends apart"} <= {warning.kind for warning in run.warnings}
    assert "warning: rungs" in str(run)


def test_a_ladder_that_has_not_settled_says_so_and_one_that_has_is_silent():
    """From N(0, 100) to N(0, 1) with short steps; a start that is cooled takes long to shrink."""
    path = ae.geometric_path(ae.Gaussian([0.0, 0.0], 100.0), ae.Gaussian([0.0, 0.0], 1.0))
    betas, rng = np.linspace(0, 1, 9) ** 3, np.random.default_rng(0)
    slow = ae.parallel_tempering(path, betas, 200, 40, ae.random_walk(0.5), n_burn_in=0, rng=rng)
    fast = ae.parallel_tempering(path, betas, 200, 40, ae.random_walk(4.0), n_burn_in=20, rng=rng)
    assert "not settled" in [warning.kind for warning in slow.warnings] and abs(slow.log_z) > 3 * slow.std_error
    assert fast.warnings == () and abs(fast.log_z) < 3 * fast.std_error


def test_the_default_burn_in_is_as_long_as_the_run():
    path = ae.geometric_path(ae.Gaussian([0.0], [[9.0]]), ae.Gaussian([0.0], [[1.0]]))
    for sample in (ae.parallel_tempering, lambda *a, **how: ae.simulated_tempering(*a[:2], [0, 0], *a[2:], **how)):
        one, other = (sample(path, [0, 1], 5, 3, n_burn_in=n, rng=np.random.default_rng(0)) for n in (None, 5))
        np.testing.assert_array_equal(one.samples, other.samples)


def test_an_unknown_scheme_of_swaps_is_refused():
    with pytest.raises(ValueError, match="swaps must be one of"):
        ae.parallel_tempering(narrowing(1), [0, 1], 2, 2, swaps="odd", rng=np.random.default_rng(0))


def test_bad_rejection_rates_are_refused():
    with pytest.raises(ValueError, match=r"rejection_rates must have shape \(2,\)"):
        cumulative_barrier([0, 0.5, 1], [0.1])
    with pytest.raises(ValueError, match="must lie in"):
        cumulative_barrier([0, 1], [1.5])


def test_a_target_with_limits_is_reached_from_a_start_without():
    """Every rung begins at draws of N(0, 1), most of them where the target is zero."""

    def log_uniform(x):
        return np.where((x > 1) & (x < 2), 0.0, -np.inf).sum(-1)

    path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Unnormalized(log_uniform, 1))
    run = ae.parallel_tempering(
        path, [0, 0.1, 1], 400, 100, ae.random_walk(0.5), n_burn_in=200, rng=np.random.default_rng(0)
    )
    assert np.isfinite(run.rejection_rates).all()
    assert ((run.samples[-1, -1] > 1) & (run.samples[-1, -1] < 2)).mean() > 0.95
    assert abs(run.log_z) < 5 * run.std_error < 0.25


def test_the_burn_in_counts_for_nothing_in_the_rejection_rates():
    settings = (narrowing(2), ae.linear_schedule(3))
    run = ae.parallel_tempering(*settings, 10, 7, ae.exact, n_burn_in=30, rng=np.random.default_rng(0))
    states = list(islice(tempering_states(*settings, 7, ae.exact, rng=np.random.default_rng(0)), 40))[30:]
    expected = np.mean([1 - state.swap_probabilities for state in states], axis=(0, 2))
    np.testing.assert_allclose(run.rejection_rates, expected)


def test_a_run_needs_little_more_memory_than_its_samples():
    wide = ae.geometric_path(ae.Gaussian(np.zeros(20), np.eye(20)), ae.Gaussian(np.ones(20), np.eye(20)))
    tracemalloc.start()
    try:
        run = ae.parallel_tempering(wide, [0.0, 0.5, 1.0], 200, 100, ae.exact, rng=np.random.default_rng(0))
        assert tracemalloc.get_traced_memory()[1] < 1.4 * run.samples.nbytes
    finally:
        tracemalloc.stop()


def test_two_chains_have_an_error_bar_and_one_has_none():
    path, rng = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([1.0], [[0.5]])), np.random.default_rng(0)
    bars = {n: ae.parallel_tempering(path, [0, 0.5, 1], 5, n, rng=rng).std_error for n in (1, 2)}
    assert np.isnan(bars[1]) and 0 < bars[2] < 10
