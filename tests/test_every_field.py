"""Every field and every property of every result is the number that its docstring defines, worked out once more.

Fields that an estimator fills in are compared with a run made by hand; properties with plain formulas on random arrays.
"""

import importlib
import inspect
from dataclasses import fields, is_dataclass
from functools import lru_cache, partial
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu import training
from anneal_edu.annealing.hais import HAISState, hais_states
from anneal_edu.data.whitened import _cut
from anneal_edu.estimate import Result
from anneal_edu.kernels import leapfrog
from anneal_edu.paths import splines
from anneal_edu.paths.rungs import Rungs
from anneal_edu.tempering.parallel import Swaps, TemperingState
from anneal_edu.tempering.rts import rts_round
from anneal_edu.tempering.simulated import TemperedWalkState, tempered_walk
from anneal_edu.tempering.transitions import TemperedMove
from anneal_edu.training.causes import _first_chains, move_latents
from anneal_edu.training.gaussian_rbm import gibbs_step

NO_LIBRARY = ("bugs", "figures", "panels", "check", "experiments", "__main__")
EXEMPT = {
    Swaps: "fields of TemperingState",
    ae.AdaptiveSchedule: "annealing/test_adaptive.py",
}


def rng(seed=0):
    return np.random.default_rng(seed)


# A path whose densities are written out here

SCHEDULE = np.array([0.0, 0.12345, 0.50041, 0.87654, 1.0])
MEANS, COVS, LOG_SCALES = ([0.0, 0.5], [1.0, -0.5]), (np.eye(2), np.array([[0.8, 0.3], [0.3, 0.5]])), (0.4, -1.3)
START, TARGET = (ae.Gaussian(*parts) for parts in zip(MEANS, COVS, LOG_SCALES, strict=True))
PATH = ae.geometric_path(START, TARGET)


def log_end(x, end):
    away, cov = x - np.array(MEANS[end]), COVS[end]
    quadratic = (away @ np.linalg.inv(cov) * away).sum(-1)
    return LOG_SCALES[end] - 0.5 * quadratic - 0.5 * np.log(np.linalg.det(2 * np.pi * cov))


def log_f(beta, x):
    return (1 - beta) * log_end(x, 0) + beta * log_end(x, 1)


class Recorder:
    """A kernel without randomness that keeps the states it was handed; where it moves depends on the distribution."""

    def __init__(self):
        self.seen = []

    def __call__(self, distribution, x, rng):
        self.seen.append(x.copy())
        return 0.9 * x + 0.1 * distribution.mean


def log_mean_exp(a, axis=None):
    return np.log(np.exp(a).mean(axis))


# Annealed importance sampling


@lru_cache(maxsize=1)
def forward():
    kernel, generator = Recorder(), rng()
    return ae.ais(PATH, SCHEDULE, 6, kernel, rng=generator), kernel.seen


def forward_log_weights(_):
    seen = forward()[1]
    steps = [log_f(now, x) - log_f(before, x) for (before, now), x in zip(pairwise(SCHEDULE), seen, strict=True)]
    return LOG_SCALES[0] + np.sum(steps, axis=0)


def seed_after_sampling(n):
    generator = rng()
    generator.standard_normal((n, 2))
    return generator.integers(2**63)


@lru_cache(maxsize=1)
def backward():
    kernel = Recorder()
    return ae.reverse_ais(PATH, SCHEDULE, rng(1).normal(size=(6, 2)), kernel, rng=rng()), kernel.seen


def backward_log_weights(_):
    seen = backward()[1][1:]  # the first move is at the target
    downwards = pairwise(SCHEDULE[::-1])
    steps = [log_f(now, x) - log_f(before, x) for (now, before), x in zip(downwards, seen, strict=True)]
    return LOG_SCALES[0] + np.sum(steps, axis=0)


def ess(w):
    return w.sum() ** 2 / (w**2).sum()


def std_error(w):
    return np.sqrt(((w / w.mean() - 1) ** 2).sum() / (len(w) - 1) / len(w))


LW = 1.3 * np.sin(np.arange(40.0)) - 3
ACCEPTANCE = rng(3).uniform(0.3, 0.9, size=7)
OF_WEIGHTS = {
    "log_z": lambda r: log_mean_exp(LW),
    "mean_log_weight": lambda r: LW.sum() / 40,
    "ess": lambda r: ess(np.exp(LW)),
    "std_error": lambda r: std_error(np.exp(LW)),
    "warnings": lambda r: (),
    "estimate": lambda r: (log_mean_exp(LW), std_error(np.exp(LW)), ()),
}


@lru_cache(maxsize=1)
def both():
    return ae.sandwich(PATH, SCHEDULE, 5, ae.random_walk(0.5), rng=rng())


def one_chain():
    return ae.sandwich(PATH, SCHEDULE, 1, ae.random_walk(0.5), rng=rng())


@lru_cache(maxsize=1)
def both_by_hand():
    generator, kernel = rng(), ae.random_walk(0.5)
    up = ae.ais(PATH, SCHEDULE, 5, kernel, rng=generator)
    down = ae.reverse_ais(PATH, SCHEDULE, TARGET.sample(5, generator), kernel, rng=generator)
    return up, down


def bounds():
    ends = np.zeros((40, 1))
    return ae.Sandwich(ae.AISResult(LW, ends, 5), ae.ReverseAISResult(3 - LW, ends, 6), "draws")


def middle_of_the_bounds(_):
    lower, upper = log_mean_exp(LW), 3 - log_mean_exp(LW)
    s_low, s_high = std_error(np.exp(LW)), std_error(np.exp(LW - 3))
    return 1.5, np.sqrt((upper - lower) ** 2 + s_low**2 + s_high**2) / 2, ()


# Hamiltonian annealed importance sampling

STEP = 0.9


@lru_cache(maxsize=1)
def hamiltonian_states():
    return list(hais_states(PATH, SCHEDULE, 200, STEP, 0.4, rng()))


@lru_cache(maxsize=1)
def hamiltonian_run():
    return ae.hais(PATH, SCHEDULE, 200, STEP, 0.4, rng=rng())


def moved():
    return [(a.x != b.x).all(1) for a, b in pairwise(hamiltonian_states())]


def leapfrog_position(state, beta):
    """Where a step from a state leads at β, if it is accepted."""
    half = state.x + 0.5 * STEP * state.v
    slopes = [-(half - np.array(mean)) @ np.linalg.inv(cov) for mean, cov in zip(MEANS, COVS, strict=True)]
    return half + 0.5 * STEP * (state.v + STEP * ((1 - beta) * slopes[0] + beta * slopes[1]))


def second_position(_):
    first = hamiltonian_states()[1]
    return np.where(moved()[1][:, None], leapfrog_position(first, SCHEDULE[2]), first.x)


def second_log_weights(_):
    where = zip(pairwise(SCHEDULE[:3]), hamiltonian_states()[:2], strict=True)
    steps = [log_f(now, state.x) - log_f(before, state.x) for (before, now), state in where]
    return LOG_SCALES[0] + np.sum(steps, axis=0)


def momentum_that_leads_on(_):
    """From the third state as it is, solved for v: x' is linear in v."""
    state, after = hamiltonian_states()[2:4]
    still = HAISState(state.beta, state.x, np.zeros_like(state.v), state.log_weights, state.accepted)
    origin = leapfrog_position(still, SCHEDULE[3])
    unit = np.stack([leapfrog_position(HAISState(0.0, state.x, np.tile(e, (200, 1)), None, None), SCHEDULE[3]) - origin
                     for e in np.eye(2)], axis=1)[0]  # fmt: skip
    return np.where(moved()[2][:, None], (after.x - origin) @ np.linalg.inv(unit), state.v)


# Likelihoods

POINTS = rng(4).normal(size=(3, 2))
EXPERTS = ae.ProductOfExperts([[1.0, 0.3], [0.2, 1.5], [0.7, -0.9]])
CAUSES = ae.LinearGenerative([[1.0, 0.5], [0.0, 1.0]], noise=0.5)
BETAS = ae.linear_schedule(4)


@lru_cache(maxsize=1)
def analysed():
    return ae.log_likelihood(EXPERTS, POINTS, BETAS, 30, 0.3, rng=rng())


@lru_cache(maxsize=1)
def analysed_run():
    path = ae.geometric_path(ae.Gaussian(np.zeros(2), np.eye(2)), EXPERTS)
    return ae.hais(path, BETAS, 30, 0.3, rng=rng())


@lru_cache(maxsize=1)
def generated():
    return ae.log_likelihood(CAUSES, POINTS, BETAS, 8, 0.3, rng=rng())


@lru_cache(maxsize=1)
def generated_run():
    posterior = ae.LatentPosterior(CAUSES, np.repeat(POINTS, 8, axis=0))
    return ae.hais(ae.geometric_path(CAUSES.latent_prior, posterior), BETAS, 24, 0.3, rng=rng())


def of_each_point(f):
    return [f(np.exp(row)) for row in generated_run().log_weights.reshape(3, 8)]


def examined_rbm():
    return ae.models.examine(RBM, THREE_BITS, 5, 6, rng=rng())


def examined():
    return ae.models.Examination(bounds(), 60, "moments", "base-rate", None, LOG_P)


THREE_BITS = np.float32([[1, 0, 1], [1, 1, 0]])
LOG_P, ERRORS = rng(5).normal(size=9), rng(6).uniform(0.1, 0.5, size=9)
SHARED = np.full(9, 0.3)
OF_POINTS = {
    "mean": lambda r: LOG_P.sum() / 9,
    "std_error": lambda r: np.sqrt(((LOG_P - LOG_P.mean()) ** 2).sum() / 8 / 9),
    "warnings": lambda r: ("so it is",),
}

# Ladders of draws: MBAR and thermodynamic integration

COUNTS = np.array([5, 4, 7, 6, 8])
DRAWS = rng(7).normal(size=(30, 2)) * 0.8 + np.repeat([[0.0], [0.1], [0.5], [0.9], [1.0]], COUNTS, axis=0) * [1, -1]
LOG_F = np.stack([log_f(beta, DRAWS) for beta in SCHEDULE])


@lru_cache(maxsize=1)
def pooled():
    return ae.mbar(LOG_F, COUNTS)


def mbar_weights(log_z):
    """W of Shirts and Chodera, (N, K+1): f_k(x_n) / Z_k over the sum of n_j f_j(x_n) / Z_j."""
    p = np.exp(LOG_F.T - log_z)
    return p / (p @ COUNTS)[:, None]


def self_consistent_log_z(r):
    """One more step, Z_k = Σ_n f_k(x_n) / Σ_j n_j f_j(x_n) / Z_j, leaves log Z where it is."""
    log_z = r.log_z + np.log(mbar_weights(r.log_z).sum(0))
    return log_z - log_z[0]


def asymptotic_covariance(r):
    W = mbar_weights(r.log_z)
    theta = W.T @ np.linalg.pinv(np.eye(30) - (W * COUNTS) @ W.T, rcond=1e-10) @ W
    return against_first(against_first(theta).T)


def weakest_link(r):
    """Of a ladder: the flow across the cut whose strongest link is the weakest."""
    sampled = np.flatnonzero(COUNTS)
    n, flow = COUNTS[sampled], (COUNTS[:, None] * r.overlap)[np.ix_(sampled, sampled)]
    links = flow / np.sqrt(np.outer(n, n))
    cut = min(range(1, len(n)), key=lambda k: links[:k, k:].max())
    return flow[:cut, cut:].sum()


def counted(patch, owner, name):
    """What the function or method returns, one entry a call."""
    results, original = [], getattr(owner, name)

    def wrapper(*arguments, **settings):
        results.append(original(*arguments, **settings))
        return results[-1]

    patch.setattr(owner, name, wrapper)
    return results


THETA = (lambda a: a @ a.T)(rng(8).normal(size=(4, 4)))
SLOPES = rng(9).normal(size=(5, 30))
TRAPEZOIDS = np.array([[0.5 * ((SCHEDULE[j] - SCHEDULE[j - 1]) * (0 < j <= k) +
                               (SCHEDULE[min(j + 1, 4)] - SCHEDULE[j]) * (j < k)) for j in range(5)]
                       for k in range(5)])  # fmt: skip


def stones(down=False):
    """Of every rung but the last: log f_{k+1} / f_k of its draws; or, but for the first, log f_{k-1} / f_k."""
    parts = np.split(np.arange(30), COUNTS.cumsum()[:-1])
    if down:
        return [LOG_F[k, part] - LOG_F[k + 1, part] for k, part in enumerate(parts[1:])]
    return [LOG_F[k + 1, part] - LOG_F[k, part] for k, part in enumerate(parts[:-1])]


def rung_by_rung(f):
    return np.array([f(row[part]) for row, part in zip(SLOPES, np.split(np.arange(30), COUNTS.cumsum()), strict=False)])


MEAN_SLOPES = rng(10).normal(size=5)

# Tempered chains

ASSUMED = np.array([0.1, 0.5, -0.2, 0.4, 0.3])


class Shifting(Recorder):
    """Leads away in a way that tells the rungs apart, and wide enough that rungs are changed."""

    def __call__(self, distribution, x, rng):
        self.seen.append(x.copy())
        return x + 0.3 * distribution.mean


def walked(n_sweeps, n_chains=6, seed=0):
    """States of a tempered walk by hand: (x, rungs, log q(β_k | x)) after each sweep, and the generator after it."""
    generator = rng(seed)
    x, rungs, states = START.sample(n_chains, generator), np.zeros(n_chains, dtype=int), []
    means = np.array([PATH(beta).mean for beta in SCHEDULE])
    for _ in range(n_sweeps):
        x = x + 0.3 * means[rungs]
        q = np.exp(np.stack([log_f(beta, x) for beta in SCHEDULE]) - ASSUMED[:, None])
        log_q = np.log(q / q.sum(0))
        rungs = (log_q - np.log(generator.standard_exponential(log_q.shape))).argmax(0)
        states.append((x, rungs, log_q))
    return states


@lru_cache(maxsize=1)
def tempered_state():
    x = START.sample(6, generator := rng())
    walk = tempered_walk(Rungs(PATH, SCHEDULE, Shifting()), ASSUMED, x, np.zeros(6, dtype=int), rng=generator)
    return list(islice(walk, 3))[-1]


@lru_cache(maxsize=1)
def tempered_run():
    return ae.simulated_tempering(PATH, SCHEDULE, ASSUMED, 3, 6, Shifting(), n_burn_in=2, rng=rng())


def kept(part):
    return np.array([state[part] for state in walked(5)[2:]])


def normalised(log_p, axis=0):
    return log_p - np.log(np.exp(log_p).sum(axis, keepdims=True))


LOG_Q = normalised(rng(11).normal(size=(8, 5, 6)), axis=1)  # (T, K+1, C)
RUNGS = np.concatenate([np.repeat(np.arange(5), [9, 10, 11, 12, 6])[rng(12).permutation(48)]]).reshape(8, 6)
RARE = np.array([0, 0, 0, 0, -6.0])
VISITS = np.array([9, 10, 11, 12, 6]) / 48
CHAIN_LOG_SHARES = np.log(np.exp(LOG_Q).mean(0))  # (K+1, C)
LOG_SHARES = np.log(np.exp(LOG_Q).mean((0, 2)))


def error_of_shares(_):
    """Delta method, chain by chain: the spread of c_k / mean c_k - c_0 / mean c_0."""
    c = np.exp(CHAIN_LOG_SHARES)
    influence = c / c.mean(1, keepdims=True) - c[0] / c[0].mean()
    return np.sqrt(((influence - influence.mean(1, keepdims=True)) ** 2).sum(1) / 5 / 6)


def against_first(log_z):
    return log_z - log_z[0]


def round_made(n_sweeps=4):
    x = START.sample(6, generator := rng())
    return rts_round(Rungs(PATH, SCHEDULE, Shifting()), ASSUMED, x, np.zeros(6, dtype=int), n_sweeps, generator)


def crossings(rungs):
    """Chains that were on the first rung, and later reach the last: (T, C), the first row where they began."""
    found = 0
    for chain in rungs.T:
        from_below = False
        for rung in chain:
            if rung == 4 and from_below:
                found, from_below = found + 1, False
            from_below |= rung == 0
    return found


SQUEEZED = np.array([0.0, 0.5, 1.0])
NEAR = ae.geometric_path(ae.Gaussian([0.0], [[1.0]], 0.7), ae.Gaussian([0.5], [[1.0]], -0.4))


@lru_cache(maxsize=1)
def rts_run():
    return ae.rts(NEAR, SQUEEZED, 5, 3, 4, n_initial=2, rng=rng())


@lru_cache(maxsize=1)
def rts_rounds_by_hand():
    return list(islice(ae.rts_rounds(NEAR, SQUEEZED, 2, 3, 4, rng=rng()), 5))


# Parallel tempering


@lru_cache(maxsize=1)
def swept():
    return ae.parallel_tempering(PATH, SCHEDULE, 3, 4, Shifting(), n_burn_in=1, rng=rng())


@lru_cache(maxsize=1)
def swept_by_hand():
    """After each sweep: x, replicas, proposed, accepted, α, log f_{k+1}(x_k) - log f_k(x_k), and so downwards."""
    generator, states = rng(), []
    x = np.stack([START.sample(4, generator) for _ in SCHEDULE])
    replicas = np.tile(np.arange(5)[:, None], (1, 4))
    means = np.array([PATH(beta).mean for beta in SCHEDULE])
    for sweep in range(4):
        x = x + 0.3 * means[:, None]
        own = np.stack([log_f(b, x[k]) for k, b in enumerate(SCHEDULE)])
        above = np.stack([log_f(SCHEDULE[k + 1], x[k]) for k in range(4)])
        below = np.stack([log_f(SCHEDULE[k], x[k + 1]) for k in range(4)])
        log_alpha = np.minimum(0, above + below - own[:-1] - own[1:])
        proposed = np.tile((np.arange(4) % 2 == sweep % 2)[:, None], (1, 4))
        accepted = proposed & (np.exp(-generator.standard_exponential((4, 4))) < np.exp(log_alpha))
        for k, c in zip(*np.nonzero(accepted), strict=True):
            x[[k, k + 1], c], replicas[[k, k + 1], c] = x[[k + 1, k], c], replicas[[k + 1, k], c]
        ratios = np.stack([above - own[:-1], below - own[1:]])
        states.append((x.copy(), replicas.copy(), proposed, accepted, np.exp(log_alpha), ratios))
    return states


@lru_cache(maxsize=1)
def third_state():
    return list(islice(ae.tempering_states(PATH, SCHEDULE, 4, Shifting(), rng=rng()), 3))[-1]


RATES = np.array([0.3, 0.1, 0.5])
LOG_RATIOS = rng(13).normal(size=(7, 3, 6)) + rng(14).normal(size=(1, 3, 6)) - 2
UP = [[0, 1, 2, 3], [1, 0, 2, 3], [1, 2, 0, 3], [1, 2, 3, 0]]  # which replica stands on each rung
UP_AND_DOWN = np.array(UP + UP[-2::-1])
REPLICAS = np.concatenate([
    np.repeat(UP_AND_DOWN[:, :, None], 5, axis=2), np.tile(np.arange(4)[:, None], (7, 1, 1))
], axis=2)  # five ladders in which replica 0 makes one round trip, and one in which nothing moves  # fmt: skip


def in_halves(log_ratios):
    """Upwards and downwards, 2/T times the sums over the first four of seven sweeps, say, and over the others."""
    cut = -(-len(log_ratios) // 2)
    sums = [np.exp(half).sum(0) for half in (log_ratios[:cut], log_ratios[cut:])]
    return np.log(np.stack(sums, axis=1) * 2 / len(log_ratios))


def tempered_by_hand():
    """Seven sweeps of six ladders, which made five round trips."""
    trips = np.zeros((4, 6), dtype=int)
    trips[1, :5] = 1
    down = -np.log(np.exp(LOG_RATIOS).mean((0, 2), keepdims=True)) + 0 * LOG_RATIOS
    means = in_halves(np.stack([LOG_RATIOS, down], axis=1))
    return ae.TemperingResult([0, 0.2, 0.6, 1], 7, np.zeros((7, 4, 6, 1)), REPLICAS, trips, RATES, means, 0.7)


def stepping_stones(_):
    return 0.7 + np.log(np.exp(LOG_RATIOS).mean((0, 2))).sum()


def error_of_stones(_):
    """Delta method: each ladder has a mean of every ratio, which move together."""
    means = np.exp(LOG_RATIOS).mean(0)  # (K, C)
    influence = (means / means.mean(1, keepdims=True) - 1).sum(0)
    return np.sqrt((influence**2).sum() / 5 / 6)


# Tempered transitions


@lru_cache(maxsize=1)
def proposed():
    kernel = Recorder()
    whole = ae.tempered_transitions(PATH, SCHEDULE, kernel)
    return whole.move(rng(15).normal(size=(50, 2)), rng()), kernel.seen


def ratio_of_the_way(_):
    """Up: f_{k-1} / f_k before each move; the move at β = 0; down: f_k / f_{k-1} before each, and after the last."""
    seen = proposed()[1]
    means = [PATH(beta).mean for beta in SCHEDULE]
    up, down = seen[:4], [*seen[5:], 0.9 * seen[-1] + 0.1 * means[3]]
    start = rng(15).normal(size=(50, 2))
    np.testing.assert_array_equal(up[0], start)
    ratio = sum(log_f(low, x) - log_f(high, x) for (high, low), x in zip(pairwise(SCHEDULE[::-1]), up, strict=True))
    return ratio + sum(log_f(high, x) - log_f(low, x) for (low, high), x in zip(pairwise(SCHEDULE), down, strict=True))


def accepted_moves(move):
    return np.exp(-rng().standard_exponential(50)) < np.exp(move.log_ratios)


def where_it_led(move):
    last = 0.9 * proposed()[1][-1] + 0.1 * PATH(SCHEDULE[3]).mean
    return np.where(move.accepted[:, None], last, rng(15).normal(size=(50, 2)))


# Training. All examples are alike, so that every batch is known.

BITS = np.array([1.0, 0.0, 1.0, 1.0])


@lru_cache(maxsize=1)
def updates():
    """Three updates, copied: training goes on in the same arrays. From biases of zero, to have some way to go."""
    module = importlib.import_module("anneal_edu.training.rbm")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "base_rate_rbm", lambda data, n_hidden: ae.uniform_rbm(4, n_hidden))
        states = ae.contrastive_divergence(
            np.tile(BITS, (9, 1)).astype(np.float32), 3, "cd", n_gibbs=2, n_updates=3, learning_rate=0.5,
            batch_size=6, rng=rng()
        )
        return [training.TrainingState(state.n_updates, *(a.copy() for a in parts_of(state)), particles=state.particles)
                for state in states]  # fmt: skip


def parts_of(state):
    return state.weights, state.visible_bias, state.hidden_bias


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def after_an_update(part):
    before, state = updates()[1:]
    (W, _, c), rate, batch, model = parts_of(before), 0.5 * (1 - 2 / 3), np.tile(BITS, (6, 1)), state.particles
    h_data, h_model = (sigmoid(v @ W + c) for v in (batch, model))
    step = batch.T @ h_data - model.T @ h_model, (batch - model).sum(0), (h_data - h_model).sum(0)
    return parts_of(before)[part] + rate / 6 * step[part]


def after_two_gibbs_steps(_):
    """The particles of the first update, from the same random numbers."""
    generator = rng()
    W = 0.01 * generator.standard_normal((4, 3), dtype=np.float32)
    for _ in range(2):
        generator.integers(9, size=6)
    rbm, v = ae.BinaryRBM(W, np.zeros(4), np.zeros(3)), np.tile(BITS, (6, 1)).astype(np.float32)
    return rbm.gibbs(rbm.gibbs(v, generator), generator)


@lru_cache(maxsize=1)
def gaussian_update():
    data = np.tile([0.5, -1.0], (9, 1)).astype(np.float32)
    (state,) = training.gaussian_contrastive_divergence(
        data, 3, "cd", n_gibbs=1, n_updates=1, learning_rate=0.5, batch_size=6,
        sigma=np.array([0.7, 1.2], dtype=np.float32), learn_sigma=True, rng=rng()
    )
    return state


@lru_cache(maxsize=1)
def gaussian_update_by_hand():
    generator = rng()
    W = 0.01 * generator.standard_normal((2, 3), dtype=np.float32)
    for _ in range(2):
        generator.integers(9, size=6)
    b, c, sigma = np.array([0.5, -1.0]), np.zeros(3), np.array([0.7, 1.2])
    data = np.tile(b, (6, 1))
    v = gibbs_step(*(a.astype(np.float32) for a in (data, W, b, c, sigma)), generator)

    def slopes(v):
        h, away = sigmoid(v / sigma @ W + c), (v - b) / sigma
        log_sigma = (away**2).mean(0) - (v / sigma * (h @ W.T)).mean(0)
        return (v / sigma).T @ h / 6, (away / sigma).mean(0), h.mean(0), log_sigma

    parts = W, b, c, np.log(sigma)
    return [part + 0.5 * (up - down) for part, up, down in zip(parts, slopes(data), slopes(v), strict=True)]


@lru_cache(maxsize=1)
def em_step():
    (step,) = training.em_steps(rng(16).normal(size=(12, 2)), CAUSES, 1, 4, rng())
    return step


@lru_cache(maxsize=1)
def em_moves():
    x, generator = rng(16).normal(size=(12, 2)), rng()
    chains = _first_chains(CAUSES, x, 4, generator)
    return move_latents(CAUSES, x, chains.latent, chains.momentum, chains.relative_step * 0.5, 4, generator)


@lru_cache(maxsize=1)
def flow_round():
    (found,) = training.flow_rounds(rng(17).normal(size=(12, 2)), EXPERTS, 1, 2, 0.1, 5, rng())
    return found


def flow_of(model):
    """log K by its formula, for Laplace experts: energies are sums of |u|."""
    x, v = rng(17).normal(size=(12, 2)), rng().standard_normal((12, 2))
    y, v_y, _ = leapfrog(EXPERTS.grad_log_density, x, v, 0.1, 5)

    def H(x, v):
        return np.abs(x @ model.filters.T).sum(1) + 0.5 * (v**2).sum(1)

    return np.log(np.exp(0.5 * (H(x, v) - H(y, v_y))).mean())


VALIDATION = (rng(18).random((5, 4)) < 0.5).astype(float)


@lru_cache(maxsize=1)
def first_look():
    (look,) = ae.track_log_likelihood(
        iter(updates()[:2]), np.tile(BITS, (9, 1)), VALIDATION, 2, 3, 5, SQUEEZED, rng=rng()
    )
    return look


@lru_cache(maxsize=1)
def first_look_round():
    path = ae.geometric_path(ae.base_rate_rbm(np.tile(BITS, (9, 1)), 3), updates()[1].rbm)
    *_, last = islice(ae.rts_rounds(path, SQUEEZED, 20, 3, 5, rng=rng()), 21)
    return last


def mean_log_likelihood(data, look):
    W, b, c = parts_of(updates()[1])
    return (data @ b + np.log(1 + np.exp(data @ W + c)).sum(1)).mean() - look.log_z


# Moments and patches

RBM = ae.BinaryRBM(rng(19).normal(size=(3, 2)), rng(20).normal(size=3), rng(21).normal(size=2))


def moments_by_hand(rbm):
    states = ae.binary_states(5)
    v, h = states[:, :3], states[:, 3:]
    p = np.exp(v @ rbm.visible_bias + h @ rbm.hidden_bias + (v @ rbm.weights * h).sum(1))
    p /= p.sum()
    return p @ v, p @ h, (v.T * p) @ h


TARGET_MOMENTS = RBM.moments()


@lru_cache(maxsize=1)
def match():
    return ae.match_moments(TARGET_MOMENTS, ae.uniform_rbm(3, 2), 1e-9, 5)


def match_within(factor):
    """With a tolerance of so many times what the best of a few evaluations reached."""
    return ae.match_moments(TARGET_MOMENTS, ae.uniform_rbm(3, 2), factor * match().residual, 5)


def evaluations(_):
    with pytest.MonkeyPatch.context() as patch:
        made = counted(patch, ae.BinaryRBM, "moments")
        ae.match_moments(TARGET_MOMENTS, ae.uniform_rbm(3, 2), 1e-9, 5)
    return len(made)


def residual(found):
    return max(np.abs(a - b).max() for a, b in zip(moments_by_hand(found.rbm), moments_by_hand(RBM), strict=True))


@lru_cache(maxsize=1)
def spline():
    return ae.moment_spline_path(ae.uniform_rbm(3, 2), RBM, [0.3])


def knot_moments():
    return tuple(0.7 * a + 0.3 * b for a, b in zip(ae.uniform_rbm(3, 2).moments(), TARGET_MOMENTS, strict=True))


IMAGE = rng(22).uniform(0, 255, size=(8, 20))


@lru_cache(maxsize=1)
def patches():
    return ae.data.gray_patches(40, 3, 2, [IMAGE], 7, rng=rng())


@lru_cache(maxsize=1)
def cuts():
    """Patches of four pixels have three components, and lose nothing."""
    generator = rng()
    return _cut([IMAGE], 40, 2, False, generator), _cut([IMAGE], 7, 2, True, generator)


def principal_axes(patches):
    """By a singular value decomposition, each with its entry of largest magnitude positive."""
    _, singular, rows = np.linalg.svd(patches - patches.mean(0), full_matrices=False)
    signs = np.sign([row[np.abs(row).argmax()] for row in rows])
    return ((signs * singular)[:, None] * rows)[:3] / np.sqrt(len(patches))


ROUND_SAYS = "log_shares", "log_z", "corrected_log_z", "counted_log_z", "std_error", "warnings", "estimate"
FEW_CROSSINGS = "6 chains came from the first rung to the last 5 times: add rungs or sweeps"


HELD_BY = "held by the formula of "

FINDINGS = ae.Finding("odd", "it is odd", 0.25), ae.Finding("even", "it is even"), ae.Finding("odd", "once more")


def audited():
    return ae.AuditResult("kernel", FINDINGS, 12, 0.125, ("this", "that"), ("the rest: no",), 640)


TABLE = [
    (ae.Finding, lambda: FINDINGS[0], {
        "kind": lambda r: "odd", "sentence": lambda r: "it is odd", "p_value": lambda r: 0.25,
    }),
    (ae.AuditResult, audited, {
        "subject": lambda r: "kernel", "n_tests": lambda r: 12, "risk": lambda r: 0.125,
        "findings": lambda r: [["odd", "it is odd", 0.25], ["even", "it is even", 0.0], ["odd", "once more", 0.0]],
        "asked": lambda r: ["this", "that"], "left_out": lambda r: ["the rest: no"],
        "n_draws": lambda r: 640,
        "kinds": lambda r: ["odd", "even"], "passed": lambda r: False,
    }),
    (ae.AISResult, lambda: forward()[0], {
        "log_weights": forward_log_weights,
        "samples": lambda r: 0.9 * forward()[1][-1] + 0.1 * np.array(MEANS[1]),
        "bootstrap_seed": lambda r: seed_after_sampling(6),
        "founders": lambda r: None,
    }),
    (ae.AISResult, lambda: ae.AISResult(LW, np.zeros((40, 1)), 5), OF_WEIGHTS),
    (ae.ReverseAISResult, lambda: backward()[0], {
        "log_weights": backward_log_weights,
        "samples": lambda r: 0.9 * backward()[1][-1] + 0.1 * np.array(MEANS[0]),
        "bootstrap_seed": lambda r: rng().integers(2**63),
        "founders": lambda r: None,
    }),
    (ae.ReverseAISResult, lambda: ae.ReverseAISResult(-LW, np.zeros((40, 1)), 5), {
        "log_z": lambda r: -log_mean_exp(LW),
        "mean_log_weight": lambda r: -LW.sum() / 40,
        "ess": lambda r: ess(np.exp(LW)),
        "std_error": lambda r: std_error(np.exp(LW)),
        "warnings": lambda r: (),
        "estimate": lambda r: (-log_mean_exp(LW), std_error(np.exp(LW)), ()),
    }),
    (ae.Sandwich, both, {
        "forward": lambda r: both_by_hand()[0],
        "reverse": lambda r: both_by_hand()[1],
        "draws": lambda r: "exact draws",
        "lower": lambda r: log_mean_exp(both_by_hand()[0].log_weights),
        "upper": lambda r: -log_mean_exp(-both_by_hand()[1].log_weights),
        "gap": lambda r: -log_mean_exp(-both_by_hand()[1].log_weights) - log_mean_exp(both_by_hand()[0].log_weights),
    }),
    (ae.Sandwich, bounds, {"estimate": middle_of_the_bounds}),
    (ae.Sandwich, one_chain, {
        "warnings": lambda r: ("a single chain: no error bar can be given; take n_chains=100, say",),
    }),
    (ae.models.Examination, examined_rbm, {
        "sandwich": lambda r: ae.sandwich(
            ae.geometric_path(ae.base_rate_rbm(THREE_BITS, 2), RBM), ae.linear_schedule(5), 6, rng=rng()),
        "n_steps": lambda r: 5,
        "path": lambda r: "geometric",
        "start": lambda r: "base-rate",
        "exact": lambda r: np.log(np.exp(RBM.log_density(ae.binary_states(3))).sum()),
        "log_densities": lambda r: RBM.log_density(THREE_BITS),
        "log_likelihood": lambda r: (np.mean(RBM.log_density(THREE_BITS)) - r.exact,) * 2,
    }),
    (ae.models.Examination, examined, {
        "verdict": lambda r: "wide",
        "log_likelihood": lambda r: (LOG_P.mean() - 3 + log_mean_exp(LW), LOG_P.mean() - log_mean_exp(LW)),
        "likelihood_error": lambda r: LOG_P.std(ddof=1) / 3,
        "advice": lambda r: ("n_steps=600: smaller steps, and a longer run before the reverse one",),
    }),
    (HAISState, lambda: hamiltonian_states()[2], {
        "beta": lambda r: SCHEDULE[2],
        "x": second_position,
        "v": momentum_that_leads_on,
        "log_weights": second_log_weights,
        "accepted": lambda r: moved()[1],
    }),
    (ae.HAISResult, hamiltonian_run, {
        "log_weights": lambda r: hamiltonian_states()[-1].log_weights,
        "samples": lambda r: hamiltonian_states()[-1].x,
        "acceptance_along_path": lambda r: [share.mean() for share in moved()],
        "acceptance": lambda r: np.mean(moved()),
        "founders": lambda r: None,
    }),
    (ae.HAISResult, lambda: ae.HAISResult(LW, np.zeros((40, 1)), 5, ACCEPTANCE), OF_WEIGHTS | {
        "bootstrap_seed": lambda r: 5,
        "acceptance": lambda r: ACCEPTANCE.sum() / 7,
        "acceptance_warnings": lambda r: (),
    }),
    (ae.LikelihoodResult, analysed, {
        "log_likelihoods": lambda r: -np.abs(POINTS @ EXPERTS.filters.T).sum(1)
                                     - log_mean_exp(analysed_run().log_weights),
        "point_errors": lambda r: np.full(3, std_error(np.exp(analysed_run().log_weights))),
        "shared_error": lambda r: True,
        "acceptance": lambda r: analysed_run().acceptance,
        "warnings": lambda r: analysed_run().warnings,
    }),
    (ae.LikelihoodResult, generated, {
        "log_likelihoods": lambda r: of_each_point(lambda w: np.log(w.mean())),
        "point_errors": lambda r: of_each_point(std_error),
        "shared_error": lambda r: False,
        "acceptance": lambda r: generated_run().acceptance,
    }),
    (ae.LikelihoodResult, lambda: ae.LikelihoodResult(LOG_P, ERRORS, False, 0.5, ("so it is",)), OF_POINTS | {
        "monte_carlo_error": lambda r: np.sqrt((ERRORS**2).sum()) / 9,
        "jensen_bias": lambda r: -0.5 * (ERRORS**2).sum() / 9,
    }),
    (ae.LikelihoodResult, lambda: ae.LikelihoodResult(LOG_P, SHARED, True, 0.5, ("so it is",)), OF_POINTS | {
        "monte_carlo_error": lambda r: 0.3,
        "jensen_bias": lambda r: 0.045,
    }),
    (ae.MBARResult, pooled, {
        "log_z": self_consistent_log_z,
        "overlap": lambda r: mbar_weights(r.log_z).T @ mbar_weights(r.log_z) * COUNTS,
        "covariance": asymptotic_covariance,
        "weakest_link": weakest_link,
        "gradient": lambda r: 0.0,
        "misplaced": lambda r: (),
    }),
    (ae.MBARResult, lambda: ae.MBARResult(np.arange(4.0), THETA, np.eye(4), 7.0, 0.0, None, 0.5), {
        "std_error": lambda r: np.sqrt([THETA[k, k] for k in range(4)]),
        "estimate": lambda r: (3.5, np.sqrt(THETA[3, 3]), ()),
        "warnings": lambda r: (),
    }),
    (ae.MBARResult, lambda: ae.mbar(LOG_F, COUNTS, chains=np.arange(30) % 4, start_log_z=0.5), {
        "n_chains": lambda r: 4,
        "start_log_z": lambda r: 0.5,
    }),
    (ae.SteppingStoneResult, lambda: ae.stepping_stone(LOG_F, COUNTS, start_log_z=0.5), {
        "log_z": lambda r: np.append(0, np.cumsum([log_mean_exp(stone) for stone in stones()])),
        "std_error": lambda r: np.sqrt(np.append(0, np.cumsum([1 / ess(np.exp(w)) - 1 / len(w) for w in stones()]))),
        "start_log_z": lambda r: 0.5,
        "upper": lambda r: -sum(log_mean_exp(stone) for stone in stones(down=True)),
    }),
    (ae.SteppingStoneResult, lambda: ae.SteppingStoneResult(np.arange(4.0), np.arange(5.0, 9.0), 0.5), {
        "warnings": lambda r: (),
        "estimate": lambda r: (3.5, 8.0, ()),
    }),
    (ae.Estimate, lambda: ae.Estimate(3.0, 8.0, ("so it is",)), {
        "log_z": lambda r: 3.0,
        "std_error": lambda r: 8.0,
        "warnings": lambda r: ("so it is",),
    }),
    (ae.ThermodynamicIntegrationResult, lambda: ae.thermodynamic_integration(LOG_F, COUNTS, SCHEDULE, SLOPES), {
        "schedule": lambda r: SCHEDULE,
        "mean_slopes": lambda r: rung_by_rung(np.mean),
        "std_error": lambda r: np.sqrt(TRAPEZOIDS**2 @ (rung_by_rung(np.var) / COUNTS)),
        "slope_variances": lambda r: None,
        "misplaced": lambda r: (),
    }),
    (ae.ThermodynamicIntegrationResult,
     lambda: ae.ThermodynamicIntegrationResult(SCHEDULE, MEAN_SLOPES, np.full(5, 9.0), 0.5), {
        "start_log_z": lambda r: 0.5,
        "estimate": lambda r: (0.5 + TRAPEZOIDS[-1] @ MEAN_SLOPES, 9.0, ()),
        "log_z": lambda r: TRAPEZOIDS @ MEAN_SLOPES,
        "rule_error": lambda r: abs(
            0.5 * (SCHEDULE[2] * (MEAN_SLOPES[0] + MEAN_SLOPES[2])
                   + (1 - SCHEDULE[2]) * (MEAN_SLOPES[2] + MEAN_SLOPES[4])) - TRAPEZOIDS[-1] @ MEAN_SLOPES) / 3,
        "warnings": lambda r: (),
    }),
    (TemperedWalkState, tempered_state, {
        name: partial(lambda r, part: walked(3)[-1][part], part=part)
        for part, name in enumerate(("x", "rungs", "log_conditionals"))
    }),
    (ae.SimulatedTemperingResult, tempered_run, {
        "schedule": lambda r: SCHEDULE,
        "assumed_log_z": lambda r: ASSUMED,
        "start_log_z": lambda r: LOG_SCALES[0],
        "samples": lambda r: kept(0),
        "rungs": lambda r: kept(1),
        "log_conditionals": lambda r: kept(2),
    }),
    (ae.SimulatedTemperingResult,
     lambda: ae.SimulatedTemperingResult(SCHEDULE, ASSUMED, 0.7, np.zeros((8, 6, 1)), RUNGS, LOG_Q), {
        "visits": lambda r: VISITS,
        "log_shares": lambda r: LOG_SHARES,
        "counted_log_z": lambda r: 0.7 + against_first(ASSUMED + np.log(VISITS)),
        "log_z": lambda r: 0.7 + against_first(ASSUMED + LOG_SHARES),
        "std_error": error_of_shares,
        "warnings": lambda r: (),
        "estimate": lambda r: (0.7 + against_first(ASSUMED + LOG_SHARES)[-1], error_of_shares(r)[-1], ()),
    }),
    (ae.RTSRound, round_made, {
        "assumed_log_z": lambda r: ASSUMED,
        "chain_log_shares": lambda r: np.log(np.mean([np.exp(state[2]) for state in walked(4)], axis=0)),
        "visits": lambda r: np.bincount(np.ravel([state[1] for state in walked(4)]), minlength=5) / 24,
        "n_sweeps": lambda r: 4,
        "x": lambda r: walked(4)[-1][0],
        "rungs": lambda r: walked(4)[-1][1],
    }),
    (ae.RTSRound, partial(round_made, 40), {
        "crossings": lambda r: crossings(np.array([np.zeros(6, dtype=int), *(state[1] for state in walked(40))])),
    }),
    (ae.RTSRound, lambda: ae.RTSRound(ASSUMED, CHAIN_LOG_SHARES + RARE[:, None], VISITS, 8, 3, None, None), {
        "log_shares": lambda r: LOG_SHARES + RARE,
        "log_z": lambda r: ASSUMED + against_first(LOG_SHARES + RARE),
        "corrected_log_z": lambda r: ASSUMED + np.append(LOG_SHARES[:4], -np.log(48)) - LOG_SHARES[0],
        "counted_log_z": lambda r: ASSUMED + against_first(np.log(VISITS)),
        "std_error": error_of_shares,
    }),
    (ae.RTSRound, lambda: ae.RTSRound(ASSUMED, CHAIN_LOG_SHARES, VISITS, 8, 5, None, None), {
        "warnings": lambda r: (FEW_CROSSINGS,),
        "estimate": lambda r: (ASSUMED[-1] + LOG_SHARES[-1] - LOG_SHARES[0], error_of_shares(r)[-1], (FEW_CROSSINGS,)),
    }),
    (ae.RTSRound, lambda: ae.RTSRound(ASSUMED, CHAIN_LOG_SHARES, VISITS, 8, 6, None, None), {
        "warnings": lambda r: (),
    }),
    (ae.RTSResult, rts_run, {
        "schedule": lambda r: SQUEEZED,
        "history": lambda r: [done.log_z for done in rts_rounds_by_hand()],
        "counted_history": lambda r: [done.counted_log_z for done in rts_rounds_by_hand()],
        "half": lambda r: rts_rounds_by_hand()[2],
        **{name: partial(lambda r, name: getattr(rts_rounds_by_hand()[-1], name), name=name)
           for name in (*(field.name for field in fields(ae.RTSRound)), *ROUND_SAYS)},
    }),
    (TemperingState, third_state, {
        name: partial(lambda r, part: swept_by_hand()[2][part], part=part)
        for part, name in enumerate(("x", "replicas", "proposed", "accepted", "swap_probabilities", "log_ratios"))
    }),
    (ae.TemperingResult, swept, {
        "schedule": lambda r: SCHEDULE,
        "samples": lambda r: [state[0] for state in swept_by_hand()[1:]],
        "replicas": lambda r: [state[1] for state in swept_by_hand()[1:]],
        "rejection_rates": lambda r: np.mean([1 - state[4] for state in swept_by_hand()[1:]], axis=(0, 2)),
        "n_sweeps": lambda r: len(swept_by_hand()[1:]),
        "trips": lambda r: ae.count_round_trips(np.array([state[1] for state in swept_by_hand()[1:]])),
        "log_mean_ratios": lambda r: in_halves(np.array([state[5] for state in swept_by_hand()[1:]])),
        "start_log_z": lambda r: LOG_SCALES[0],
    }),
    (ae.TemperingResult,
     lambda: tempered_by_hand(), {
        "barrier": lambda r: 0.9,
        "round_trips": lambda r: 5,
        "round_trip_rate": lambda r: 5 / 7 / 6,
        "log_z": stepping_stones,
        "upper": stepping_stones,
        "std_error": error_of_stones,
        "warnings": lambda r: (),
        "estimate": lambda r: (stepping_stones(r), error_of_stones(r), ()),
    }),
    (TemperedMove, lambda: proposed()[0], {
        "log_ratios": ratio_of_the_way,
        "accepted": accepted_moves,
        "x": where_it_led,
    }),
    (ae.MomentMatch, match, {
        "rbm": HELD_BY + "residual",
        "residual": residual,
        "converged": lambda r: False,
        "n_evaluations": evaluations,
    }),
    (ae.MomentMatch, lambda: match_within(0.999), {"converged": lambda r: False}),
    (ae.MomentMatch, lambda: match_within(1.001), {"converged": lambda r: True}),
    (splines.SplinePath, spline, {
        "betas": lambda r: [0, 0.3, 1],
        "distributions": lambda r: (ae.uniform_rbm(3, 2), r.matches[0].rbm, RBM),
        "matches": lambda r: (ae.match_moments(knot_moments(), ae.uniform_rbm(3, 2)),),
    }),
    (ae.data.GrayPatches, patches, {
        "train": lambda r: (cuts()[0] - r.mean_patch) @ np.linalg.pinv(r.axes),
        "held_out": lambda r: (cuts()[1] - r.mean_patch) @ np.linalg.pinv(r.axes),
        "mean_patch": lambda r: cuts()[0].mean(0),
        "axes": lambda r: principal_axes(cuts()[0]),
    }),
    (training.TrainingState, lambda: updates()[2], {
        "n_updates": lambda r: 3,
        "weights": lambda r: after_an_update(0),
        "visible_bias": lambda r: after_an_update(1),
        "hidden_bias": lambda r: after_an_update(2),
        "rbm": lambda r: ae.BinaryRBM(r.weights, r.visible_bias, r.hidden_bias),
    }),
    (training.TrainingState, lambda: updates()[0], {"particles": after_two_gibbs_steps}),
    (training.GaussianTrainingState, gaussian_update, {
        "n_updates": lambda r: 1,
        "weights": lambda r: gaussian_update_by_hand()[0],
        "visible_bias": lambda r: gaussian_update_by_hand()[1],
        "hidden_bias": lambda r: gaussian_update_by_hand()[2],
        "log_sigma": lambda r: gaussian_update_by_hand()[3],
        "rbm": lambda r: ae.GaussianRBM(r.weights, r.visible_bias, r.hidden_bias, np.exp(r.log_sigma)),
    }),
    (training.EMStep, em_step, {
        "latent": lambda r: em_moves()[0],
        "acceptance": lambda r: em_moves()[2].mean(),
        "model": lambda r: ae.LinearGenerative(
            np.linalg.lstsq(em_moves()[0], rng(16).normal(size=(12, 2)), rcond=None)[0].T, 0.5),
    }),
    (training.FlowRound, flow_round, {
        "before": lambda r: flow_of(EXPERTS),
        "after": lambda r: flow_of(r.model),
        "model": HELD_BY + "after",
    }),
    (training.TrackedLikelihood, first_look, {
        "n_updates": lambda r: 2,
        "rbm": lambda r: updates()[1].rbm,
        "log_z": lambda r: first_look_round().log_z[-1],
        "std_error": lambda r: np.hypot(first_look_round().std_error[-1],
                                        first_look_round().log_z[-1] - first_look_round().assumed_log_z[-1]),
        "train": lambda r: mean_log_likelihood(np.tile(BITS, (9, 1)), r),
        "validation": lambda r: mean_log_likelihood(VALIDATION, r),
    }),
]  # fmt: skip
LOOSE = {training.TrainingState, training.GaussianTrainingState, training.TrackedLikelihood}  # float32


def records():
    """Every dataclass and named tuple of the library that documents its attributes, or is one by its name."""
    root = Path(ae.__file__).parent
    for parts in sorted(file.relative_to(root.parent).with_suffix("").parts for file in root.rglob("*.py")):
        name = ".".join(part for part in parts if part != "__init__")
        if set(parts) & set(NO_LIBRARY):
            continue
        for cls in vars(importlib.import_module(name)).values():
            if inspect.isclass(cls) and cls.__module__ == name and (is_dataclass(cls) or hasattr(cls, "_fields")):
                if "Attributes\n" in cls.__doc__ or cls.__name__.endswith(("Result", "State", "Round")):
                    yield cls


def names_of(cls):
    """Fields and properties, inherited ones too."""
    own = [field.name for field in fields(cls)] if is_dataclass(cls) else list(cls._fields)
    properties = [name for name, _ in inspect.getmembers(cls, lambda a: isinstance(a, property))]
    return {name for name in own + properties if name[0] != "_"}


def test_a_result_at_the_end_of_a_cell_shows_its_text():
    results = [make() for cls, make, _ in TABLE if issubclass(cls, Result)]
    assert len({type(result) for result in results}) > 8
    assert all(repr(result) == str(result) for result in results)


def test_estimates_have_differences():
    gap = ae.Estimate(3.0, 0.3, ("one", "two")) - ae.Estimate(1.0, 0.4, ("two",))
    assert (gap.log_z, gap.std_error, gap.warnings) == (2.0, 0.5, ("one", "two"))


def test_every_field_is_in_the_table():
    listed = {cls: set() for cls, _, _ in TABLE}
    for cls, _, formulas in TABLE:
        listed[cls] |= formulas.keys()
    missing = {cls.__name__: names_of(cls) - listed.get(cls, set()) for cls in records() if cls not in EXEMPT}
    missing = {name: sorted(left) for name, left in missing.items() if left}
    assert not missing, "enter in TABLE how each comes about"
    assert not [cls for cls, names in listed.items() if names - names_of(cls)]


def plain(value):
    """Arrays and numbers as they are, models and results as the arrays that they hold."""
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    if is_dataclass(value):
        return [plain(getattr(value, field.name)) for field in fields(value)]
    return value


def assert_same(actual, expected, tolerance):
    if isinstance(expected, list) and not isinstance(actual, np.ndarray):
        assert len(actual) == len(expected)
        for a, b in zip(actual, expected, strict=True):
            assert_same(a, b, tolerance)
    elif expected is None or isinstance(expected, str | bool):
        assert actual == expected
    else:
        np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    ("cls", "made", "name", "formula"),
    [
        pytest.param(cls, made, name, formula, id=f"{cls.__name__}-{name}-{number}")
        for number, (cls, made, formulas) in enumerate(TABLE)
        for name, formula in formulas.items()
    ],
)
def test_a_field_is_what_its_formula_says(cls, made, name, formula):
    result = made()
    assert type(result) is cls or isinstance(result, cls)
    if isinstance(formula, str):
        assert callable(dict(next(f for c, m, f in TABLE if m is made))[formula.removeprefix(HELD_BY)])
        return
    assert_same(plain(getattr(result, name)), plain(formula(result)), 1e-6 if cls in LOOSE else 1e-10)


# What is printed


def printed_ais(r):
    low, high = r.interval()
    return [
        f"log Z ≈ {r.log_z:.3f}  (95% interval {low:.3f} to {high:.3f}, standard error {r.std_error:.3f})",
        f"mean log weight {r.mean_log_weight:.3f}, ESS {r.ess:.1f} of 40 chains",
    ]


PRINTED = [
    (lambda: FINDINGS[1], lambda r: ["even: it is even"]),
    (audited, lambda r: [
        "kernel: 3 findings in 12 tests of 640 draws per world "
        "(something right is accused with probability 0.125 or less)",
        "  ✗ odd: it is odd", "  ✗ even: it is even", "  ✗ odd: once more",
        "  asked: this, that", "  not asked: the rest: no",
    ]),
    (lambda: ae.AISResult(LW, np.zeros((40, 1)), 5), printed_ais),
    (lambda: ae.ReverseAISResult(-LW, np.zeros((40, 1)), 5), printed_ais),
    (lambda: ae.HAISResult(LW, np.zeros((40, 1)), 5, ACCEPTANCE),
     lambda r: [*printed_ais(r), f"{100 * ACCEPTANCE.mean():.1f}% of the leapfrog steps accepted"]),
    (bounds, lambda r: [
        f"log Z between {log_mean_exp(LW):.3f} ± {std_error(np.exp(LW)):.3f} (forward) and "
        f"{3 - log_mean_exp(LW):.3f} ± {r.reverse.std_error:.3f} (reverse, from draws); "
        f"gap {3 - 2 * log_mean_exp(LW):.3f}"
    ]),
    (examined, lambda r: [
        "moments path from base rate, 60 steps, 40 chains",
        str(bounds()),
        "verdict: wide, the ends do not meet within 0.5 nats, three standard errors included",
        f"mean log likelihood of 9 data ± {r.likelihood_error:.3f} over the data:",
        f"  {r.log_likelihood[1]:.3f} with log Z of the forward run, which is low on average: too good on average",
        f"  {r.log_likelihood[0]:.3f} with log Z of the reverse run, which is high if its chains began in the model: "
        "too bad",
        f"next: {r.advice[0]}",
    ]),
    (lambda: ae.LikelihoodResult(LOG_P, ERRORS, False, 0.8125, ("so it is",)), lambda r: [
        f"log likelihood {r.mean:.2f} ± {r.std_error:.2f} (over 9 points) ± {r.monte_carlo_error:.2f} (over chains); "
        "81.2% of the leapfrog steps accepted",
        "warning: so it is",
    ]),
    (lambda: ae.MBARResult(np.arange(4.0), THETA, np.eye(4), 7.0, 0.0), lambda r: [
        f"log Z ratio ≈ 3.000  (standard error {r.std_error[3]:.3f}, for independent draws)",
    ]),
    (lambda: ae.SteppingStoneResult(np.arange(4.0), np.arange(5.0, 9.0)), lambda r: [
        "log Z ratio ≈ 3.000  (standard error 8.000)",
    ]),
    (lambda: ae.Estimate(3.0, 0.25, (ae.Diagnostic("heavy tail", "it is"), ae.Diagnostic("little overlap", "far"))),
     lambda r: ["log Z ≈ 3.000 ± 0.250, heavy tail, little overlap"]),
    (lambda: ae.ThermodynamicIntegrationResult(SCHEDULE, MEAN_SLOPES, np.arange(9.0, 14.0)), lambda r: [
        f"log Z ratio ≈ {r.log_z[-1]:.3f}  (standard error 13.000, and the rule's own error about {r.rule_error:.2g})"
    ]),
    (lambda: ae.SimulatedTemperingResult(SCHEDULE, ASSUMED, 0.7, np.zeros((8, 6, 1)), RUNGS, LOG_Q), lambda r: [
        f"log Z ≈ {r.log_z[4]:.3f}  (standard error {r.std_error[4]:.3f})",
        "48 draws, between 12.5% and 25.0% of them on a rung",
    ]),
    (lambda: ae.RTSResult(ASSUMED, CHAIN_LOG_SHARES, VISITS, 8, 17, None, None, SCHEDULE, np.zeros((3, 5)),
                          np.zeros((3, 5))), lambda r: [
        f"log Z ≈ {r.log_z[4]:.3f}  (standard error {r.std_error[4]:.3f})",
        "3 rounds; 17 crossings from the first rung to the last",
    ]),
    (lambda: tempered_by_hand(), lambda r: [
        f"log Z ≈ {r.log_z:.3f}  (standard error {r.std_error:.3f})",
        "barrier 0.90 over 3 pairs, 5 round trips",
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("made", "text"), PRINTED, ids=[type(made()).__name__ for made, _ in PRINTED])
def test_a_result_prints_its_own_numbers(made, text):
    assert str(made()).splitlines() == text(made())


def test_every_result_that_prints_itself_is_in_the_table():
    printing = {cls for cls in records() if "__str__" in vars(cls)}
    assert printing <= {type(made()) for made, _ in PRINTED}


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("level", "n_resamples"), [(0.95, 200), (0.5, 33)])
def test_an_interval_is_made_of_percentiles_of_resampled_chains(sign, level, n_resamples):
    """Whole chains, as many as there were, drawn with replacement from the seed of the result."""
    generator = rng(5)
    means = [sign * log_mean_exp(LW[generator.integers(40, size=40)]) for _ in range(n_resamples)]
    made = ae.AISResult if sign == 1 else ae.ReverseAISResult
    low, high = made(sign * LW, np.zeros((40, 1)), 5).interval(level, n_resamples)
    ranks = [int(np.ceil(n_resamples * (1 + side * level) / 2)) - 1 for side in (-1, 1)]
    np.testing.assert_allclose([low, high], np.sort(means)[ranks], rtol=1e-12)
