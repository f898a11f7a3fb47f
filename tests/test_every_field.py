"""Every field of every result is that of a second implementation, and every property that of its formula."""

from itertools import islice, pairwise

import numpy as np
import pytest
from scipy.special import logsumexp

import anneal_edu as ae
from anneal_edu.annealing.ais import AISResult
from anneal_edu.annealing.hais import HAISResult
from anneal_edu.annealing.likelihood import LikelihoodResult
from anneal_edu.annealing.reverse import ReverseAISResult, Sandwich
from anneal_edu.distributions import LatentPosterior
from anneal_edu.estimate import Diagnostic, Estimate
from anneal_edu.reweighting.mbar import MBARResult
from anneal_edu.reweighting.stepping_stone import SteppingStoneResult
from anneal_edu.tempering.parallel import TemperingResult, tempering_states
from anneal_edu.tempering.record import count_round_trips
from anneal_edu.tempering.rts import RTSResult, RTSRound, rts_rounds
from anneal_edu.tempering.simulated import SimulatedTemperingResult
from anneal_edu.training.gaussian_rbm import energy_slopes, gaussian_contrastive_divergence, gibbs_step
from tests import second

SCHEDULE = np.array([0.0, 0.12345, 0.50041, 0.87654, 1.0])
START = ae.Gaussian([0.0, 0.5], np.eye(2), 0.4)
TARGET = ae.Gaussian([1.0, -0.5], [[0.8, 0.3], [0.3, 0.5]], -1.3)
PATH = ae.geometric_path(START, TARGET)
BRIDGE = ae.geometric_path(START, ae.Unnormalized(lambda x: -np.abs(x).sum(-1), 2, lambda x: -np.sign(x)))
WALK = ae.random_walk(0.7)


def rng(seed=0):
    return np.random.default_rng(seed)


def assert_has(result, **expected):
    for name, value in expected.items():
        found = getattr(result, name)
        if value is None or isinstance(value, bool | str | tuple):
            assert found == value, name
        else:
            np.testing.assert_allclose(found, value, rtol=1e-10, atol=1e-10, err_msg=name)


def log_mean_exp(a, axis=None):
    return np.log(np.exp(a).mean(axis))


def ess(w):
    return w.sum() ** 2 / (w**2).sum()


def std_error(w):
    return w.std(ddof=1) / w.mean() / np.sqrt(len(w))


# Annealing


WALKS = [(PATH, WALK), (PATH, ae.gibbs), (PATH, ae.hmc(0.5, 3)), (BRIDGE, WALK), (BRIDGE, ae.hmc(0.5, 3))]


@pytest.mark.parametrize(("path", "kernel"), WALKS)
def test_annealing_up_and_down(path, kernel):
    generator = rng()
    log_w, x = second.ais(path, SCHEDULE, 6, kernel, generator)
    found = ae.ais(path, SCHEDULE, 6, kernel, rng=rng())
    assert_has(found, log_weights=log_w, samples=x, bootstrap_seed=generator.integers(2**63), founders=None)
    generator, draws = rng(), rng(1).normal(size=(6, 2))
    log_w, x = second.reverse_ais(path, SCHEDULE, draws, kernel, generator)
    found = ae.reverse_ais(path, SCHEDULE, draws, kernel, rng=rng())
    assert_has(found, log_weights=log_w, samples=x, bootstrap_seed=generator.integers(2**63), founders=None)


def test_a_sandwich_is_a_forward_run_and_a_reverse_run_from_draws():
    both, generator = ae.sandwich(PATH, SCHEDULE, 5, WALK, rng=rng()), rng()
    up = second.ais(PATH, SCHEDULE, 5, WALK, generator)
    generator.integers(2**63)
    down = second.reverse_ais(PATH, SCHEDULE, TARGET.sample(5, generator), WALK, generator)
    assert_has(both.forward, log_weights=up[0], samples=up[1])
    assert_has(both.reverse, log_weights=down[0], samples=down[1])
    assert_has(both, draws="exact draws", lower=log_mean_exp(up[0]), upper=-log_mean_exp(-down[0]))


@pytest.mark.parametrize("path", [PATH, BRIDGE, ae.moment_path(START, TARGET)])
def test_hamiltonian_annealing(path):
    for given, gamma in ((0.4, 0.4), (None, 1 - 0.5**0.9)):
        log_w, x, shares = second.hais(path, SCHEDULE, 200, 0.9, gamma, rng())
        found = ae.hais(path, SCHEDULE, 200, 0.9, given, rng=rng())
        assert_has(found, log_weights=log_w, samples=x, acceptance_along_path=shares, acceptance=np.mean(shares))


def test_likelihoods():
    points, betas = rng(4).normal(size=(3, 2)), ae.linear_schedule(4)
    experts = ae.ProductOfExperts([[1.0, 0.3], [0.2, 1.5], [0.7, -0.9]])
    path = ae.geometric_path(ae.Gaussian(np.zeros(2), np.eye(2)), experts)
    log_w, _, shares = second.hais(path, betas, 30, 0.3, 1 - 0.5**0.3, rng())
    assert_has(
        ae.log_likelihood(experts, points, betas, 30, 0.3, rng=rng()), shared_error=True, acceptance=np.mean(shares),
        log_likelihoods=-np.abs(points @ experts.filters.T).sum(1) - log_mean_exp(log_w),
        point_errors=np.full(3, std_error(np.exp(log_w))),
    )  # fmt: skip
    causes = ae.LinearGenerative([[1.0, 0.5], [0.0, 1.0]], noise=0.5)
    path = ae.geometric_path(causes.latent_prior, LatentPosterior(causes, np.repeat(points, 8, axis=0)))
    log_w, _, shares = second.hais(path, betas, 24, 0.3, 1 - 0.5**0.3, rng())
    rows = log_w.reshape(3, 8)
    assert_has(
        ae.log_likelihood(causes, points, betas, 8, 0.3, rng=rng()), shared_error=False, acceptance=np.mean(shares),
        log_likelihoods=log_mean_exp(rows, 1), point_errors=[std_error(np.exp(row)) for row in rows],
    )  # fmt: skip
    log_w, _ = second.reverse_ais(PATH, SCHEDULE, np.repeat(points, 8, axis=0), WALK, rng())
    found = ae.raise_log_likelihood(PATH, SCHEDULE, points, 8, WALK, rng=rng())
    np.testing.assert_allclose(found, TARGET.log_density(points) + log_mean_exp(-log_w.reshape(3, 8), 1), rtol=1e-10)


# Tempering

ASSUMED = np.array([0.1, 0.5, -0.2, 0.4, 0.3])


@pytest.mark.parametrize(("path", "kernel"), WALKS)
def test_tempered_transitions(path, kernel):
    x = rng(15).normal(size=(50, 2))
    log_ratios, accepted, after = second.tempered_transition(path, SCHEDULE, x, kernel, rng())
    found = ae.tempered_transitions(path, SCHEDULE, kernel).move(x, rng())
    assert_has(found, log_ratios=log_ratios, accepted=accepted, x=after)
    assert 0 < accepted.sum() < 50


def in_halves(log_ratios):
    """Upwards and downwards, 2/T times the sums over the first four of seven sweeps, say, and over the others."""
    cut = -(-len(log_ratios) // 2)
    sums = [logsumexp(half, axis=0) for half in (log_ratios[:cut], log_ratios[cut:])]
    return np.stack(sums, axis=1) + np.log(2 / len(log_ratios))


@pytest.mark.parametrize(("path", "n_sweeps"), [(PATH, 7), (BRIDGE, 6)])
def test_parallel_tempering(path, n_sweeps):
    states = list(second.parallel_tempering(path, SCHEDULE, n_sweeps + 1, 4, WALK, rng()))
    names = "x", "replicas", "proposed", "accepted", "swap_probabilities", "log_ratios"
    for found, state in zip(tempering_states(path, SCHEDULE, 4, WALK, rng=rng()), states, strict=False):
        assert_has(found, **dict(zip(names, state, strict=True)))
    x, replicas, _, _, alpha, log_ratios = (np.array(part) for part in zip(*states[1:], strict=True))
    assert_has(
        ae.parallel_tempering(path, SCHEDULE, n_sweeps, 4, WALK, n_burn_in=1, rng=rng()), schedule=SCHEDULE, samples=x,
        replicas=replicas, rejection_rates=(1 - alpha).mean((0, 2)), log_mean_ratios=in_halves(log_ratios),
        n_sweeps=n_sweeps, trips=count_round_trips(replicas), start_log_z=0.4,
    )  # fmt: skip


def walked(n_sweeps, log_z=ASSUMED):
    generator = rng()
    x, rungs = START.sample(6, generator), np.zeros(6, dtype=int)
    walk = second.tempered_walk(PATH, SCHEDULE, log_z, x, rungs, WALK, generator)
    return [np.array(part) for part in zip(*islice(walk, n_sweeps), strict=True)]


def test_simulated_tempering():
    x, rungs, log_q = (part[2:] for part in walked(5))
    assert_has(
        ae.simulated_tempering(PATH, SCHEDULE, ASSUMED, 3, 6, WALK, n_burn_in=2, rng=rng()), schedule=SCHEDULE,
        assumed_log_z=ASSUMED, start_log_z=0.4, samples=x, rungs=rungs, log_conditionals=log_q,
    )  # fmt: skip


def shares_of(log_q):
    """Log shares of every chain, (K+1, C), and of all, (K+1,): log q (T, K+1, C)."""
    of_chains = log_mean_exp(log_q, 0)
    return of_chains, log_mean_exp(of_chains, 1)


def test_rao_blackwellised_tempering():
    """Two initial rounds, each with Ẑ of its own, and three that are pooled."""
    generator, log_z = rng(), ASSUMED - ASSUMED[0] + 0.4
    done, x, rungs = second.rts(PATH, SCHEDULE, 2, 5, 20, log_z, START.sample(6, generator), WALK, generator)
    expected = [
        {
            "assumed_log_z": log_z, "chain_log_marginals": shares_of(log_q)[0], "n_sweeps": len(log_q),
            "visits": np.bincount(visited.ravel(), minlength=5) / visited.size, "crossings": crossings,
            "log_z": log_z + shares_of(log_q)[1] - shares_of(log_q)[1][0],
        }
        for log_z, log_q, visited, crossings in done
    ]  # fmt: skip
    for found, numbers in zip(rts_rounds(PATH, SCHEDULE, 2, 20, 6, WALK, ASSUMED, rng=rng()), expected, strict=False):
        assert_has(found, **numbers)
    run = ae.rts(PATH, SCHEDULE, 5, 20, 6, WALK, n_initial=2, log_z=ASSUMED, rng=rng())
    history = [numbers["log_z"] for numbers in expected]
    assert_has(run, schedule=SCHEDULE, x=x, rungs=rungs, history=history, **expected[-1])
    assert_has(run.half, **expected[2])
    assert run.crossings > 0


def test_the_first_guess_of_rts_is_annealed_up_the_ladder():
    generator = rng()
    x = START.sample(50, generator)
    left_at, log_z, left = generator.integers(5, size=50), [0.4], x
    for k, (before, now) in enumerate(pairwise(SCHEDULE), start=1):
        log_ratio, x = second.anneal(PATH, [before, now], x, WALK, generator)
        log_z.append(log_z[-1] + log_mean_exp(log_ratio))
        left = np.where((left_at == k)[:, None], x, left)
    walk = second.tempered_walk(PATH, SCHEDULE, np.array(log_z), left, left_at, WALK, generator)
    found = next(rts_rounds(PATH, SCHEDULE, 1, 3, 50, WALK, rng=rng()))
    assert_has(found, assumed_log_z=log_z, x=list(islice(walk, 3))[-1][0])


# Properties, from arrays that no run has made

LW = 1.3 * np.sin(np.arange(40.0)) - 3
W = np.exp(LW)
ENDS = np.zeros((40, 1))
FORWARD, REVERSE = AISResult(LW, ENDS, 5), ReverseAISResult(3 - LW, ENDS, 6)
LOG_P, ERRORS = rng(5).normal(size=9), rng(6).uniform(0.1, 0.5, size=9)
MEAN_LOG_P = {"mean": LOG_P.mean(), "std_error": LOG_P.std(ddof=1) / 3, "warnings": ("so it is",)}


def test_weights():
    same = {"ess": ess(W), "std_error": std_error(W), "warnings": ()}
    assert_has(FORWARD, log_z=log_mean_exp(LW), mean_log_weight=LW.mean(), **same)
    assert_has(REVERSE, log_z=3 - log_mean_exp(LW), mean_log_weight=3 - LW.mean(), **same)
    assert_has(Sandwich(FORWARD, REVERSE, "draws"), gap=3 - 2 * log_mean_exp(LW))
    middle = Sandwich(FORWARD, REVERSE, "draws").estimate
    assert_has(middle, log_z=1.5, std_error=np.hypot(3 - 2 * log_mean_exp(LW), np.sqrt(2) * std_error(W)) / 2)
    families = np.arange(40) // 4 * 4  # of four chains each
    found, w = AISResult(LW, ENDS, 5, founders=families), W.reshape(10, 4).sum(1)
    of_families = np.zeros(40)
    of_families[::4] = w
    assert_has(found, log_z=log_mean_exp(LW), ess=ess(of_families), std_error=std_error(of_families))
    means = [np.log(of_families[rng(5).integers(40, size=(200, 40))].mean(1))]
    np.testing.assert_allclose(found.interval(0.9, 200), np.sort(means)[0, [9, 189]], rtol=1e-12)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("level", "n_resamples"), [(0.95, 200), (0.5, 33)])
def test_an_interval_is_made_of_percentiles_of_resampled_chains(sign, level, n_resamples):
    generator = rng(5)
    means = [sign * log_mean_exp(LW[generator.integers(40, size=40)]) for _ in range(n_resamples)]
    result = AISResult(LW, ENDS, 5) if sign == 1 else ReverseAISResult(-LW, ENDS, 5)
    ranks = [int(np.ceil(n_resamples * (1 + side * level) / 2)) - 1 for side in (-1, 1)]
    np.testing.assert_allclose(result.interval(level, n_resamples), np.sort(means)[ranks], rtol=1e-12)


def test_likelihoods_of_many_points():
    assert_has(
        LikelihoodResult(LOG_P, ERRORS, False, 0.5, ("so it is",)), **MEAN_LOG_P,
        monte_carlo_error=np.sqrt((ERRORS**2).sum()) / 9, jensen_bias=-0.5 * (ERRORS**2).mean(),
    )  # fmt: skip
    shared = LikelihoodResult(LOG_P, np.full(9, 0.3), True, 0.5, ("so it is",))
    assert_has(shared, **MEAN_LOG_P, monte_carlo_error=0.3, jensen_bias=0.045)


LOG_Q = rng(11).normal(size=(8, 5, 6))  # (T, K+1, C)
LOG_Q -= logsumexp(LOG_Q, axis=1, keepdims=True)
RUNGS = rng(12).permutation(np.repeat(np.arange(5), [9, 10, 11, 12, 6])).reshape(8, 6)
VISITS = np.array([9, 10, 11, 12, 6]) / 48
CHAIN_SHARES, SHARES = shares_of(LOG_Q)


def error_of_shares():
    """Delta method, chain by chain: the spread of c_k / mean c_k - c_0 / mean c_0."""
    c = np.exp(CHAIN_SHARES)
    return (c / c.mean(1, keepdims=True) - c[0] / c[0].mean()).std(1, ddof=1) / np.sqrt(6)


def test_shares_of_rungs():
    counted = np.log(VISITS / VISITS[0])
    assert_has(
        SimulatedTemperingResult(SCHEDULE, ASSUMED, 0.7, np.zeros((8, 6, 1)), RUNGS, LOG_Q), visits=VISITS,
        log_marginals=SHARES, log_z=0.7 + ASSUMED - ASSUMED[0] + SHARES - SHARES[0], std_error=error_of_shares(),
        counted_log_z=0.7 + ASSUMED - ASSUMED[0] + counted, warnings=(),
    )  # fmt: skip
    rare = np.array([0, 0, 0, 0, -6.0])
    found = RTSRound(ASSUMED, CHAIN_SHARES + rare[:, None], VISITS, 8, 3, None, None)
    corrected = np.append(SHARES[:4], -np.log(48)) - SHARES[0]
    log_z = ASSUMED + SHARES + rare - SHARES[0]
    assert_has(found, log_marginals=SHARES + rare, log_z=log_z, std_error=error_of_shares())
    assert_has(found, corrected_log_z=ASSUMED + corrected, counted_log_z=ASSUMED + counted)


def test_a_ladder():
    """Seven sweeps of six ladders, which made five round trips."""
    trips, log_ratios = np.zeros((4, 6), dtype=int), rng(13).normal(size=(7, 3, 6)) + rng(14).normal(size=(3, 6))
    trips[1, :5] = 1
    means = in_halves(np.stack([log_ratios, 1 - log_ratios], axis=1))
    betas, rates = np.array([0, 0.2, 0.6, 1]), np.array([0.3, 0.1, 0.5])
    w = np.exp(log_ratios).mean(0)  # (K, C): of every ladder a mean of each ratio, which move together
    influence = (w / w.mean(1, keepdims=True) - 1).sum(0)
    assert_has(
        TemperingResult(betas, 7, None, None, trips, rates, means, 0.7),
        barrier=0.9, round_trips=5, round_trip_rate=5 / 7 / 6, log_z=0.7 + np.log(w.mean(1)).sum(),
        upper=0.7 - log_mean_exp(1 - log_ratios, (0, 2)).sum(), std_error=np.sqrt((influence**2).sum() / 5 / 6),
    )  # fmt: skip


# Draws of all rungs together

COUNTS = np.array([5, 4, 7, 6, 8])
DRAWS = rng(7).normal(size=(30, 2)) * 0.8 + np.repeat([[0.0], [0.1], [0.5], [0.9], [1.0]], COUNTS, axis=0) * [1, -1]
LOG_F = np.stack([PATH(beta).log_density(DRAWS) for beta in SCHEDULE])
OF_RUNG = np.split(np.arange(30), COUNTS.cumsum()[:-1])


def test_mbar():
    run = ae.mbar(LOG_F, COUNTS, chains=None, start_log_z=0.5)
    p = np.exp(LOG_F.T - run.log_z)
    share = p / (p @ COUNTS)[:, None]  # W of Shirts and Chodera, (N, K+1)
    overlap = share.T @ share * COUNTS
    flow = COUNTS[:, None] * overlap
    links = flow / np.sqrt(np.outer(COUNTS, COUNTS))
    cut = min(range(1, 5), key=lambda k: links[:k, k:].max())  # of a ladder, where the strongest link is the weakest
    theta = share.T @ np.linalg.pinv(np.eye(30) - (share * COUNTS) @ share.T, rcond=1e-10) @ share
    theta = theta - theta[0] - theta[:, [0]] + theta[0, 0]  # of log Z_k - log Z_0
    assert_has(
        run, log_z=run.log_z + np.log(share.sum(0)) - np.log(share.sum(0)[0]), overlap=overlap, covariance=theta,
        weakest_link=flow[:cut, cut:].sum(), std_error=np.sqrt(np.diag(theta)), n_chains=None, start_log_z=0.5,
        misplaced=(),
    )  # fmt: skip
    assert_has(run.estimate, log_z=0.5 + run.log_z[-1], std_error=run.std_error[-1])
    assert run.gradient < 1e-12
    assert ae.mbar(LOG_F, COUNTS, chains=np.arange(30) % 4).n_chains == 4


def test_stepping_stones():
    up = [LOG_F[k + 1, part] - LOG_F[k, part] for k, part in enumerate(OF_RUNG[:-1])]
    down = [LOG_F[k, part] - LOG_F[k + 1, part] for k, part in enumerate(OF_RUNG[1:])]
    variances = [1 / ess(np.exp(stone)) - 1 / len(stone) for stone in up]
    assert_has(
        ae.stepping_stone(LOG_F, COUNTS, start_log_z=0.5), start_log_z=0.5,
        log_z=np.append(0, np.cumsum([log_mean_exp(stone) for stone in up])),
        std_error=np.sqrt(np.append(0, np.cumsum(variances))), upper=-sum(log_mean_exp(stone) for stone in down),
    )  # fmt: skip


def trapezoids(schedule):
    """What each rung counts in the integral up to each rung, (K+1, K+1)."""
    h, K = np.diff(schedule), len(schedule) - 1
    return np.array([[0.5 * (sum(h[max(j - 1, 0) : j][: j <= k]) + sum(h[j : j + 1][: j < k])) for j in range(K + 1)]
                     for k in range(K + 1)])  # fmt: skip


def test_thermodynamic_integration():
    slopes, rule = rng(9).normal(size=(5, 30)), trapezoids(SCHEDULE)
    own = [row[part] for row, part in zip(slopes, OF_RUNG, strict=True)]
    means = np.array([part.mean() for part in own])
    variances = np.array([part.var() / len(part) for part in own])
    coarse = 0.5 * (SCHEDULE[2] * (means[0] + means[2]) + (1 - SCHEDULE[2]) * (means[2] + means[4]))
    assert_has(
        ae.thermodynamic_integration(LOG_F, COUNTS, SCHEDULE, slopes, start_log_z=0.5), schedule=SCHEDULE,
        mean_slopes=means, log_z=rule @ means, std_error=np.sqrt(rule**2 @ variances), slope_variances=None,
        start_log_z=0.5, rule_error=abs(coarse - rule[-1] @ means) / 3, misplaced=(),
    )  # fmt: skip


# Fits


@pytest.mark.parametrize(("product", "converged"), [(0.0, True), (0.9, False)])
def test_a_match_of_moments_is_the_best_of_its_evaluations(product, converged, monkeypatch):
    """Of two units that are on half of the time: never together, and, which nothing can have, together even oftener."""
    target, computed = (np.full(3, 0.5), np.full(2, 0.5), np.full((3, 2), product)), []

    def moments(rbm, compute=ae.BinaryRBM.moments):
        found = compute(rbm)
        computed.append(max(np.abs(a - b).max() for a, b in zip(found, target, strict=True)))
        return found

    monkeypatch.setattr(ae.BinaryRBM, "moments", moments)
    found = ae.match_moments(target, ae.uniform_rbm(3, 2))
    assert_has(found, residual=min(computed), n_evaluations=len(computed), converged=converged)
    found.rbm.moments()
    assert computed[-1] == found.residual and (converged or computed[-2] > found.residual)


BITS = np.tile([1.0, 0.0, 1.0, 1.0], (9, 1)).astype(np.float32)  # all alike, so that every batch is known


def test_an_update_of_contrastive_divergence(monkeypatch):
    """The third of three, from the second, when the learning rate has fallen to a third; biases begin at 0."""
    monkeypatch.setattr("anneal_edu.training.rbm.base_rate_rbm", lambda data, n_hidden: ae.uniform_rbm(4, n_hidden))

    def sigmoid(a):
        return 1 / (1 + np.exp(-a))

    states = ae.contrastive_divergence(
        BITS, 3, "cd", n_gibbs=2, n_updates=3, learning_rate=0.5, batch_size=6, rng=rng()
    )
    before, after = [
        (s.weights.copy(), s.visible_bias.copy(), s.hidden_bias.copy(), s.particles) for s in states
    ][1:]
    (W, _, c, _), data, model = before, BITS[:6], after[3]
    h_data, h_model = sigmoid(data @ W + c), sigmoid(model @ W + c)
    step = data.T @ h_data - model.T @ h_model, (data - model).sum(0), (h_data - h_model).sum(0)
    for old, new, gradient in zip(before, after, step, strict=False):
        np.testing.assert_allclose(new, old + 0.5 / 3 / 6 * gradient, atol=1e-6)
        assert np.abs(gradient).max() > 0.01


def test_an_update_of_a_gaussian_rbm():
    data, sigma, generator = np.tile(np.float32([0.5, -1.0]), (9, 1)), np.float32([0.7, 1.2]), rng()
    (state,) = gaussian_contrastive_divergence(
        data, 3, "cd", n_gibbs=1, n_updates=1, learning_rate=0.5, batch_size=6, sigma=sigma, learn_sigma=True, rng=rng()
    )
    W, b, c = 0.01 * generator.standard_normal((2, 3), dtype=np.float32), data[0], np.zeros(3, dtype=np.float32)
    for _ in range(2):  # which examples the chains and the batch begin at: all are alike
        generator.integers(9, size=6)
    v = gibbs_step(data[:6], W, b, c, sigma, generator)

    parts = W, b, c, np.log(sigma)
    found = state.weights, state.visible_bias, state.hidden_bias, state.log_sigma
    for new, old, *slopes in zip(found, parts, *(energy_slopes(x, *parts) for x in (data[:6], v)), strict=True):
        np.testing.assert_allclose(new, old + 0.5 * (slopes[0] - slopes[1]), atol=1e-6)


# What is printed


def test_a_result_prints_its_own_numbers():
    low, high = FORWARD.interval()
    lines = [f"log Z ≈ {FORWARD.log_z:.3f}  (95% interval {low:.3f} to {high:.3f}, standard error {std_error(W):.3f})",
             f"mean log weight {LW.mean():.3f}, ESS {ess(W):.1f} of 40 chains"]  # fmt: skip
    hamiltonian = HAISResult(LW, ENDS, 5, np.array([0.4, 0.6]))
    assert str(FORWARD).splitlines() == lines
    assert repr(hamiltonian).splitlines() == [*lines, "50.0% of the leapfrog steps accepted"]
    ladder = TemperingResult(SCHEDULE, 4, None, None, np.ones((2, 3)), np.full(4, 0.25), np.zeros((2, 2, 4, 3)), 2.0)
    for result, words in (
        (Sandwich(FORWARD, REVERSE, "draws"), [f"{FORWARD.log_z:.3f} ± {FORWARD.std_error:.3f} (forward)",
         f"{REVERSE.log_z:.3f} ± {REVERSE.std_error:.3f} (reverse, from draws); gap {3 - 2 * FORWARD.log_z:.3f}"]),
        (LikelihoodResult(LOG_P, ERRORS, False, 0.8125, ("so it is",)), [
         f"{LOG_P.mean():.2f} ± {LOG_P.std(ddof=1) / 3:.2f} (over 9 points)", "(over chains); 81.2% of the leapfrog",
         "\nwarning: so it is"]),
        (ladder, ["log Z ≈ 2.000  (standard error 0.000)", "barrier 1.00 over 4 pairs, 6 round trips"]),
        (SteppingStoneResult(np.arange(4.0), np.arange(5.0, 9.0)), ["log Z ratio ≈ 3.000  (standard error 8.000)"]),
        (SimulatedTemperingResult(SCHEDULE, ASSUMED, 0.7, np.zeros((8, 6, 1)), RUNGS, LOG_Q),
         ["48 draws, between 12.5% and 25.0% of them on a rung"]),
        (MBARResult(np.arange(4.0), np.eye(4), np.eye(4), 9.0, 0.0),
         ["log Z ratio ≈ 3.000  (standard error 1.000, for independent draws)"]),
        (RTSResult(ASSUMED, CHAIN_SHARES, VISITS, 8, 17, None, None, SCHEDULE, np.zeros((3, 5)), np.zeros((3, 5))),
         ["3 rounds; 17 crossings from the first rung to the last"]),
        (Estimate(3.0, 0.25, (Diagnostic("heavy tail", "it is heavy"),)), ["log Z ≈ 3.000 ± 0.250, heavy tail"]),
    ):  # fmt: skip
        assert all(part in str(result) for part in words), str(result)


def test_estimates_have_differences():
    gap = Estimate(3.0, 0.3, ("one", "two")) - Estimate(1.0, 0.4, ("two",))
    assert (gap.log_z, gap.std_error, gap.warnings) == (2.0, 0.5, ("one", "two"))
