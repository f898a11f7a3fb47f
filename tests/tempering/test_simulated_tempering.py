"""Simulated tempering and RTS against exact joint laws on tiny models."""

from itertools import islice

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

import anneal_edu as ae
from anneal_edu.paths.ladder import Ladder, ladder_on
from anneal_edu.reweighting.mbar import minimise_objective
from anneal_edu.tempering.rts import RTSRound, climb, round_of, rts_round, rts_rounds
from anneal_edu.tempering.simulated import marginal_errors, ratio_estimate, st_sweep
from tests.frequencies import UNLIKELY, chance_of_farthest

SCHEDULE = np.array([0.0, 0.3, 0.6, 1.0])


def rbm_path(n_visible=4, n_hidden=3, scale=1.5):
    """To a target of the same numbers at any seed, as uneven as normal ones."""
    weights = np.sin(np.arange(1.0, n_visible * n_hidden + 1) ** 2).reshape(n_visible, n_hidden)
    biases = np.sin(np.arange(1.0, n_visible + 1) ** 3), np.cos(np.arange(1.0, n_hidden + 1) ** 2)
    target = ae.BinaryRBM(np.sqrt(2) * scale * weights, *biases)
    return ae.geometric_path(ae.uniform_rbm(n_visible, n_hidden), target)


def exact_log_z(path, schedule=SCHEDULE):
    return np.array([path(float(beta)).log_z() for beta in schedule])


def exact_conditionals(path, log_z, schedule=SCHEDULE):
    """log q(β_k | x) of all binary x, by the definition: (K+1, 2^D)."""
    states = ae.binary_states(path.start.dim).astype(float)
    log_q = np.stack([path(float(beta)).log_density(states) for beta in schedule]) - log_z[:, None]
    return log_q - logsumexp(log_q, axis=0)


def joint_matrix(path, log_z):
    """One sweep over (k, x): Gibbs at fixed k, then a draw of k given x, (4·16, 4·16); and its law q."""
    n = 2**path.start.dim
    moves = np.zeros((4 * n, 4 * n))
    for k, beta in enumerate(SCHEDULE):
        moves[k * n : (k + 1) * n, k * n : (k + 1) * n] = ae.gibbs_matrix(path(float(beta)))
    q = np.exp(exact_conditionals(path, log_z))  # (4, n)
    draws = np.zeros((4 * n, 4 * n))
    for x in range(n):
        draws[x::n, x::n] = q[:, x]
    states = ae.binary_states(path.start.dim).astype(float)
    law = np.exp(np.stack([path(float(b)).log_density(states) for b in SCHEDULE]) - log_z[:, None]).ravel()
    return moves @ draws, law / law.sum()


def index_of(x):
    """Position of binary states (C, D) in `binary_states`."""
    order = {tuple(state): n for n, state in enumerate(ae.binary_states(x.shape[1]).astype(int).tolist())}
    return np.array([order[tuple(state)] for state in x.astype(int).tolist()])


def test_the_joint_law_is_invariant():
    path = rbm_path()
    T, law = joint_matrix(path, np.array([0.0, 1.0, 0.5, 2.0]))
    np.testing.assert_allclose(T.sum(1), 1, atol=1e-12)
    np.testing.assert_allclose(law @ T, law, atol=1e-12)


@pytest.mark.parametrize("kernel", ["the path's own", "generic"])
def test_one_sweep_follows_the_joint_matrix(kernel):
    """The law after one sweep from one state is the row of the matrix, for the fast rungs and for the general ones."""
    path, log_z, n = rbm_path(), np.array([0.0, 1.0, 0.5, 2.0]), 40_000
    move = ae.gibbs if kernel == "the path's own" else lambda f, x, rng: ae.gibbs(f, x, rng)
    T, _ = joint_matrix(path, log_z)
    start, rung = 5, 2
    x = np.tile(ae.binary_states(4)[start].astype(np.float32), (n, 1))
    x, k, _ = st_sweep(ladder_on(path, SCHEDULE, move), log_z, x, np.full(n, rung), np.random.default_rng(0))
    share = np.bincount(k * 16 + index_of(x), minlength=64) / n
    row = T[rung * 16 + start]
    assert chance_of_farthest(share, row, n) > UNLIKELY


def test_conditionals_are_those_of_the_definition():
    path, log_z = rbm_path(), np.array([0.0, 1.0, 0.5, 2.0])
    run = ae.simulated_tempering(path, SCHEDULE, log_z, 5, 7, rng=np.random.default_rng(0))
    exact = exact_conditionals(path, log_z)
    for x, log_q in zip(run.samples, run.log_conditionals, strict=True):
        np.testing.assert_allclose(log_q, exact[:, index_of(x)], atol=1e-5)


def test_visits_are_proportional_to_z_over_assumed_z():
    path = rbm_path()
    log_z = exact_log_z(path) + np.array([0.0, 0.7, -0.7, 0.3])
    run = ae.simulated_tempering(path, SCHEDULE, log_z, 1000, 100, n_burn_in=50, rng=np.random.default_rng(1))
    expected = np.exp(exact_log_z(path) - log_z)
    expected /= expected.sum()
    np.testing.assert_allclose(run.visits, expected, atol=0.01)
    np.testing.assert_allclose(np.exp(run.log_marginals), expected, atol=0.01)
    mean = run.samples[run.rungs == 3].mean(0)
    np.testing.assert_allclose(mean, path(1.0).moments()[0], atol=0.02)


def test_only_differences_of_the_assumed_log_z_matter():
    path = rbm_path()
    one, other = (
        ae.simulated_tempering(path, SCHEDULE, log_z, 50, 20, rng=np.random.default_rng(2))
        for log_z in (np.arange(4.0), np.arange(4.0) - 300)
    )
    np.testing.assert_allclose(one.log_z, other.log_z, atol=1e-9)
    assert one.log_z[0] == path.start.log_z()


def test_the_printed_share_says_nothing():
    """The poster's c_k = mean of q(β_{k(i)} | x_i) has no k in it: all shares equal, and Ẑ_k is returned as it came."""
    path, log_z = rbm_path(), np.array([0.0, 1.0, 0.5, 2.0])
    run = ae.simulated_tempering(path, SCHEDULE, log_z, 200, 50, n_burn_in=20, rng=np.random.default_rng(3))
    log_own = np.take_along_axis(run.log_conditionals, run.rungs[:, None], axis=1)
    printed = np.log(np.full(4, np.exp(log_own).mean()))
    np.testing.assert_allclose(ratio_estimate(log_z, printed), log_z, atol=1e-12)
    gap = exact_log_z(path) - exact_log_z(path)[0]
    assert np.abs(log_z[1:] - gap[1:]).min() > 0.3, "the assumed values are far from the truth"
    assert np.abs(run.log_z - exact_log_z(path)).max() < 0.15


def test_two_chains_are_enough_for_an_error_bar():
    """Shares of 1/2 and 3/2 of their mean lie 1/2 either side of it, and so does the standard error of that mean."""
    shares = np.log([[0.4, 0.4], [0.1, 0.3]])
    np.testing.assert_allclose(marginal_errors(shares), [0.0, 0.5], atol=1e-12)
    assert np.isnan(marginal_errors(shares[:, :1])).all()


@pytest.mark.thorough("one run of it from a bad beginning, and both layers")
def test_rts_lands_within_its_error_bars():
    """50 seeds: z-scores of log Ẑ of the target have mean 0 and spread 1, and the mean estimate is right."""
    path = rbm_path(n_visible=10, n_hidden=5, scale=1.0)
    truth = exact_log_z(path, ae.linear_schedule(8))
    runs = [ae.rts(path, ae.linear_schedule(8), 6, 20, 40, rng=np.random.default_rng(seed)) for seed in range(50)]
    z = np.array([(run.log_z[1:] - truth[1:]) / run.std_error[1:] for run in runs])  # (50, K)
    assert np.abs(z.mean(0)).max() < 5 / np.sqrt(50)
    assert 0.5 < z[:, -1].std() < 1.5
    assert np.mean(np.abs(z[:, -1]) < 2) > 0.78  # 0.954 of exact bars, 0.92 of bars a tenth short: 3.7 errors below


@pytest.mark.thorough("shares in closed form")
def test_rao_blackwellisation_takes_noise_out_of_the_shares():
    path = rbm_path()
    log_z = exact_log_z(path)
    counted, averaged = np.zeros((2, 60))
    for seed in range(60):
        run = ae.simulated_tempering(path, SCHEDULE, log_z, 50, 20, n_burn_in=5, rng=np.random.default_rng(seed))
        counted[seed], averaged[seed] = run.counted_log_z[-1] - log_z[-1], run.log_z[-1] - log_z[-1]
    assert averaged.std() < 0.8 * counted.std()


def test_the_initial_rounds_correct_a_bad_beginning():
    path = rbm_path(n_visible=10, n_hidden=5, scale=3.0)
    schedule = ae.linear_schedule(10)
    truth = exact_log_z(path, schedule)[-1]
    run = ae.rts(path, schedule, 12, 50, 100, log_z=np.zeros(11), rng=np.random.default_rng(0))
    assert truth - path.start.log_z() > 10, "the first Ẑ_k are far off"
    assert abs(run.history[0, -1] - truth) > 0.5
    assert abs(run.log_z[-1] - truth) < 5 * run.std_error[-1] < 0.5
    assert run.log_z[0] == path.start.log_z()
    assert run.warnings == ()


def test_chains_that_climb_are_left_where_they_belong():
    """With perfect transitions a chain left on rung k is an exact draw of it."""
    path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([30.0], [[1.0]]))
    schedule = ae.linear_schedule(6)
    for seed in range(3):
        _, x, rungs = climb(path, schedule, 300, ae.exact, np.random.default_rng(seed))
        assert set(rungs) == set(range(7))
        assert stats.kstest(x[:, 0] - 30 * schedule[rungs], "norm").pvalue > 1e-5


def test_no_correction_exceeds_what_the_draws_can_tell():
    """Chains all at one end say nothing of the other: Ẑ_k moves by at most log N there, whatever reweighting says."""
    path = rbm_path(n_visible=10, n_hidden=5, scale=2.0)
    log_z = np.array([path.start.log_z(), path.start.log_z() + 50.0])
    x, rungs = path.start.sample(20, np.random.default_rng(0)), np.zeros(20, dtype=int)
    done = rts_round(ladder_on(path, np.array([0.0, 1.0])), 5, np.random.default_rng(1), None, log_z, x, rungs)
    assert done.log_z[1] < log_z[1] - 20
    assert done.corrected_log_z[1] == pytest.approx(log_z[1] - np.log(100), abs=0.1)
    rounds = rts_rounds(path, np.array([0.0, 1.0]), 3, 5, 20, log_z=log_z, rng=np.random.default_rng(2))
    assumed = [done.assumed_log_z[1] for done in islice(rounds, 4)]
    np.testing.assert_allclose(np.diff(assumed), -np.log(100), atol=0.1)


class Raised:
    """A Gaussian whose density is e^height times as high: log Z of a ladder far from where Ẑ_k begins."""

    def __init__(self, gaussian, height):
        self.gaussian, self.height, self.dim, self.sample = gaussian, height, gaussian.dim, gaussian.sample

    def log_density(self, x):
        return self.gaussian.log_density(x) + self.height

    def log_z(self):
        return self.gaussian.log_z() + self.height


def test_a_ladder_far_from_the_first_guess_is_found():
    """300 nats over 20 rungs. Correcting Ẑ_k by all that c_k says, once a round, goes 13 to 19 nats too far.

    The estimate errs by 0.44 nats (standard deviation over 150 seeds): the bound of 4 is nine of them.
    """
    between = ae.geometric_path(ae.Gaussian(np.zeros(20), np.eye(20)), ae.Gaussian(np.ones(20), 0.1 * np.eye(20)))
    schedule, n_chains = ae.linear_schedule(20), 50

    def path(beta):
        return Raised(between(beta), 300 * beta)

    truth = path(1.0).log_z()
    for seed in range(3):
        run = ae.rts(path, schedule, 10, 10, n_chains, ae.exact, rng=np.random.default_rng(seed))
        assert abs(run.log_z[-1] - truth) < 4
    rng = np.random.default_rng(0)
    log_z, x, rungs = np.zeros(21), path(0.0).sample(n_chains, rng), np.zeros(n_chains, dtype=int)
    errors = []
    for _ in range(2):
        done = rts_round(Ladder(path, schedule, ae.exact), 10, rng, None, log_z, x, rungs)
        log_z, x, rungs = done.log_z, done.x, done.rungs
        errors.append(log_z[-1] - truth)
    assert errors[0] < -100 and errors[1] > 5


def test_rounds_after_the_initial_ones_are_pooled():
    """Held rounds are one long run: the same random numbers in one round of all sweeps give the same shares."""
    path, rng = rbm_path(), np.random.default_rng
    flat = np.full(4, path.start.log_z())
    rounds = list(zip(range(5), rts_rounds(path, SCHEDULE, 2, 10, 6, log_z=flat, rng=rng(4)), strict=False))
    held = [done for index, done in rounds if index >= 2]
    assert all(done.assumed_log_z is held[0].assumed_log_z for done in held)
    generator = rng(4)
    log_z, x, rungs = np.full(4, path.start.log_z()), path.start.sample(6, generator), np.zeros(6, dtype=int)
    for n_sweeps in (10, 10, 30):
        done = rts_round(ladder_on(path, SCHEDULE), n_sweeps, generator, None, log_z, x, rungs)
        log_z, x, rungs = done.corrected_log_z, done.x, done.rungs
    assert held[-1].n_sweeps == 30
    np.testing.assert_allclose(held[-1].chain_log_marginals, done.chain_log_marginals, atol=1e-12)
    np.testing.assert_allclose(held[-1].visits, done.visits, atol=1e-12)
    np.testing.assert_allclose(held[-1].log_z, done.log_z, atol=1e-12)


def test_crossings_are_counted_over_walks_to_the_top():
    """Two equal rungs, each drawn by a fair coin: a crossing is a 0 and then a 1, a quarter of all pairs of sweeps."""
    flat, rng = ae.uniform_rbm(4, 3), np.random.default_rng(0)
    path, log_z = ae.geometric_path(flat, flat), np.full(2, flat.log_z())
    x, rungs = flat.sample(50, rng), np.zeros(50, dtype=int)
    done = rts_round(ladder_on(path, np.array([0.0, 1.0])), 400, rng, None, log_z, x, rungs)
    assert abs(done.crossings / (50 * 400) - 0.25) < 0.02


def test_on_both_layers_every_reading_of_a_run_is_right():
    """The same log Z from states (v, h), on which log f is linear in β; RTS sums over h or does not.

    Over five seeds the means of MBAR and of TI are known to 0.03.
    """
    summed = rbm_path(n_visible=8, n_hidden=4, scale=1.0)
    path = ae.geometric_path(ae.JointRBM(summed.start), ae.JointRBM(summed.end))
    truth = exact_log_z(summed, SCHEDULE)
    z, pooled, integrated = [], [], []
    for seed in range(5):
        found = ae.rts(path, SCHEDULE, 10, 20, 50, rng=np.random.default_rng(seed))
        assert found.std_error[-1] < 0.15
        z.append((found.log_z - truth)[1:] / found.std_error[1:])
        run = ae.simulated_tempering(path, SCHEDULE, truth, 100, 50, n_burn_in=20, rng=np.random.default_rng(seed))
        order = np.argsort(run.rungs.ravel(), kind="stable")
        log_f = ae.log_density_matrix(path, SCHEDULE, run.samples.reshape(-1, 12)[order])
        counts = np.bincount(run.rungs.ravel())
        pooled.append(ae.mbar(log_f, counts).log_z[-1])
        integrated.append(ae.thermodynamic_integration(log_f, counts, SCHEDULE).log_z[-1])
    assert np.abs(z).max() < stats.t.isf(UNLIKELY, 49), "bars of fifty chains; z has a spread of 1.00 in 400 runs"
    assert abs(np.mean(pooled) - (truth[-1] - truth[0])) < 0.15
    assert abs(np.mean(integrated) - (truth[-1] - truth[0])) < 0.25, "the rule of four rungs costs a tenth"


def test_rts_is_mbar_with_expected_counts():
    """With n_k / N replaced by c_k the objective of MBAR is minimised by the Ẑ_k of RTS  (Carlson et al. 2016)."""
    path, log_z = rbm_path(), np.array([0.0, 1.0, 0.5, 2.0])
    run = ae.simulated_tempering(path, SCHEDULE, log_z, 100, 20, rng=np.random.default_rng(5))
    x = run.samples.reshape(-1, 4).astype(float)
    log_f = ae.log_density_matrix(path, SCHEDULE, x)
    log_q = log_f - log_z[:, None]
    log_c = logsumexp(log_q - logsumexp(log_q, axis=0), axis=1) - np.log(len(x))
    found, _, gradient = minimise_objective(log_f, np.exp(log_c), np.zeros(4))
    expected = ratio_estimate(log_z, log_c)
    np.testing.assert_allclose(found, expected - expected[0], atol=1e-8)
    assert gradient < 1e-10
    np.testing.assert_allclose(run.log_z - run.log_z[0], found, atol=1e-4)  # float32 states


def test_warnings_name_what_is_wrong():
    far = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([40.0], [[1.0]]))
    run = ae.rts(far, ae.linear_schedule(2), 3, 20, 10, rng=np.random.default_rng(0))
    assert "few crossings" in [warning.kind for warning in run.warnings]
    single = ae.rts(rbm_path(), SCHEDULE, 4, 50, 1, rng=np.random.default_rng(0))
    assert np.isnan(single.std_error).all()
    assert "single chain" in [warning.kind for warning in single.warnings]
    assert "warning" in str(single)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"n_initial": 3}, "n_initial must leave at least one of 3 rounds"),
        ({"log_z": np.zeros(3)}, r"log_z must have shape \(4,\)"),
        ({"log_z": np.array([0, 0, 0, np.inf])}, "log_z must be finite"),
    ],
)
def test_rts_refuses_bad_input(arguments, message):
    good = {"schedule": SCHEDULE, "n_rounds": 3, "n_sweeps": 2, "n_chains": 2, "rng": np.random.default_rng(0)}
    with pytest.raises(ValueError, match=message):
        ae.rts(rbm_path(), **(good | arguments))


def test_simulated_tempering_refuses_bad_input():
    with pytest.raises(ValueError, match=r"log_z must have shape \(4,\)"):
        ae.simulated_tempering(rbm_path(), SCHEDULE, np.zeros(3), 2, 2, rng=np.random.default_rng(0))


def test_a_run_of_simulated_tempering_warns_too():
    far = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([40.0], [[1.0]]))
    run = ae.simulated_tempering(far, [0, 0.5, 1], np.zeros(3), 20, 1, rng=np.random.default_rng(0))
    assert [warning.kind for warning in run.warnings] == ["single chain", "uneven visits"]
    good = ae.simulated_tempering(rbm_path(), SCHEDULE, exact_log_z(rbm_path()), 20, 10, rng=np.random.default_rng(0))
    assert good.warnings == ()


def test_a_crossing_leads_from_the_first_rung_to_the_last():
    """Three chains, of which the second begins on the rung in between: 2 + 1 + 1 crossings."""
    visited = np.array([[0, 1, 0], [2, 2, 1], [0, 0, 2], [2, 2, 2]]).T
    assert round_of(np.zeros(3), np.zeros((3, 3)), visited, np.zeros((3, 1))).crossings == 4


def test_a_walk_that_has_not_settled_says_so_and_one_that_has_is_silent():
    """Wide draws of the start, cooled by steps that are too short, and by long ones."""
    path = ae.geometric_path(ae.Gaussian([0.0, 0.0], 100.0), ae.Gaussian([0.0, 0.0], 1.0))
    betas, rng = np.linspace(0, 1, 9) ** 3, np.random.default_rng(0)
    truth = np.array([path(beta).log_z() for beta in betas])
    for step, settled in ((0.5, False), (5.0, True)):
        walk, burn_in = ae.random_walk(step), 50 * settled
        walked = ae.simulated_tempering(path, betas, truth, 200, 400, walk, n_burn_in=burn_in, rng=rng)
        rounds = ae.rts(path, betas, 7, 40, 400, walk, n_initial=2 * settled, log_z=truth, rng=rng)
        for run in (walked, rounds):
            assert ("not settled" in [warning.kind for warning in run.warnings]) != settled


def test_the_second_half_of_pooled_rounds_is_what_the_first_leaves(monkeypatch):
    path, later, halves = rbm_path(), [], []
    pooled = RTSRound.pooled
    monkeypatch.setattr(RTSRound, "pooled", lambda new, old: later.append(new) or pooled(new, old))
    monkeypatch.setattr("anneal_edu.tempering.rts.drift_warnings", lambda *shares: halves.append(shares) or ())
    run = ae.rts(path, SCHEDULE, 4, 9, 20, n_initial=2, rng=np.random.default_rng(0))
    assert run.warnings is not None
    np.testing.assert_allclose(halves[0], [run.half.chain_log_marginals, later[0].chain_log_marginals], atol=1e-9)
