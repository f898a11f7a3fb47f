"""Every warning of every result appears just beyond its threshold, and not just before it."""

import copy
import dataclasses
import pickle
import re
import warnings

import numpy as np
import pytest
from scipy.stats import norm

import anneal_edu as ae
from anneal_edu.annealing.ais import AISResult
from anneal_edu.annealing.hais import HAISResult
from anneal_edu.annealing.likelihood import LikelihoodResult, poor_points
from anneal_edu.annealing.reverse import ReverseAISResult, Sandwich
from anneal_edu.estimate import Diagnostic
from anneal_edu.paths.moment_matching import MomentMatch
from anneal_edu.reweighting.integration import ThermodynamicIntegrationResult
from anneal_edu.reweighting.mbar import MBARResult
from anneal_edu.tempering.parallel import TemperingResult
from anneal_edu.tempering.rts import RTSResult
from anneal_edu.tempering.simulated import SimulatedTemperingResult


def log(w):
    with np.errstate(divide="ignore"):
        return np.log(w)


def weights_worth(ess, n):
    """Log weights of n chains of which some are equal, one is smaller, and the others weigh nothing."""
    whole = int(ess)
    # (whole + a)² / (whole + a²) = ess, solved for a in [0, 1]
    a = (whole - np.sqrt(whole**2 - (ess - 1) * whole * (ess - whole))) / (ess - 1)
    return log(np.append(np.ones(whole), np.append(a, np.zeros(n - whole - 1))))


def pareto_weights(k, n=400):
    """The quantiles of w = u^{-k}, whose tail has the index k; the prior at ½ and the finite number pull a little."""
    return -k * np.log((np.arange(n) + 0.5) / n)


def annealed(log_weights, made=AISResult, sign=1):
    return made(sign * np.asarray(log_weights, dtype=float), np.zeros((len(log_weights), 1)), 0)


def reversed_(log_weights):
    return annealed(log_weights, ReverseAISResult, -1)


def hamiltonian(acceptance):
    return HAISResult(np.zeros(9), np.zeros((9, 1)), 0, np.array([acceptance - 0.1, acceptance + 0.1]))


def likelihoods(ess, n_chains):
    """Three points, of which the second is at stake."""
    rows = np.zeros((3, n_chains))
    rows[1] = weights_worth(ess, n_chains)
    return LikelihoodResult(np.zeros(3), np.ones(3), False, 0.9, poor_points(rows))


def pooled(link=9.0, gradient=0.0):
    return MBARResult(np.zeros(2), np.eye(2), np.eye(2), link, gradient)


def bracketed(log_weights):
    return Sandwich(annealed(log_weights), reversed_(log_weights), "draws")


def swept(rates=(0.1, 0.2, 0.1), trips=1, n_chains=2, met=True, later=0.0, drift=0.0, gap=0.0):
    """Seven sweeps of four rungs, of which the second meets the third or not.

    In the second half ladders differ by ``later``, and ratios by ``drift`` times the rung from those of the first; the
    stones downwards are off by ``gap``.
    """
    ratios = np.zeros((3, n_chains))
    ratios[1] = 0.0 if met else -np.inf
    means = np.array([[ratios, ratios], [-ratios, -ratios]])  # upwards and downwards, of both halves
    means += np.log(2 * np.array([4, 3]) / 7)[:, None, None]
    means[0, 1] += later * np.cos(np.pi * np.arange(n_chains)) + drift * np.arange(3)[:, None]
    means[1] += gap
    made = np.full((4, n_chains), trips)
    return TemperingResult(np.linspace(0, 1, 4), 7, None, None, made, np.array(rates), means, 0.0)


def log_marginals(factor, n_chains):
    """Three rungs, of which the second is visited so many times less than the others: (K+1, C)."""
    c = np.array([1, 1 / factor, 1])
    return np.tile(np.log(c / c.sum())[:, None], (1, n_chains))


def tempered(factor=1.0, n_chains=5):
    log_q, rungs = log_marginals(factor, n_chains)[None], np.zeros((1, n_chains), dtype=int)
    return SimulatedTemperingResult(np.linspace(0, 1, 3), np.zeros(3), 0.0, np.zeros((1, n_chains, 1)), rungs, log_q)


def rao_blackwellised(factor=1.0, n_chains=5, crossings=5):
    shares, visits, history = log_marginals(factor, n_chains), np.full(3, 1 / 3), np.zeros((1, 3))
    return RTSResult(np.zeros(3), shares, visits, 1, crossings, None, None, np.linspace(0, 1, 3), history, history)


def integrated(times, n=3):
    """The rule is off by 0.1, a third of what the middle rung changes."""
    slopes = np.array([0.0, 0.6, 0.0])[:n]
    return ThermodynamicIntegrationResult(np.linspace(0, 1, n), slopes, np.full(n, 0.1 / times))


def stepped(log_ratio):
    with np.errstate(invalid="ignore"):
        return ae.stepping_stone(np.array([[0.0] * 30, [log_ratio] * 30, [log_ratio] * 30]), [30, 0, 0])


def stoned(means, n, backwards=False):
    """From N(0, 1) to N(1, 1), say, n quantiles of each."""
    means = np.asarray(means, dtype=float)[:, None]
    x = (norm.ppf((np.arange(n) + 0.5) / n) + means)[:: -1 if backwards else 1].ravel()
    return ae.stepping_stone(-0.5 * (x - means) ** 2, [n] * len(means))


SINGLE = "a single chain: no error bar can be given; take n_chains=100, say"
SMALLER = "take smaller steps, see adaptive_schedule"
OF_100 = "100 chains are worth 1.9 draws, and the largest weight carries 58% of the estimate; " + SMALLER
HEAVY = "the largest weights fall off slowly (Pareto index 0.7), so that log_z may be too {} and its error bar too"
RARE = "rung 1 is visited e^2.3 times less than another: Ẑ is far from Z; take that of rts"
SETTLED = {"n_chains": 10, "later": 0.1}

# kind, result just before, result just beyond, what it says
THRESHOLDS = [
    ("single chain", annealed([0.0, 0.0]), annealed([0.0]), SINGLE),
    ("single chain", bracketed([0.0, 0.0]), bracketed([0.0]), SINGLE),
    ("single chain", swept(), swept(n_chains=1), SINGLE),
    ("single chain", tempered(n_chains=2), tempered(n_chains=1), SINGLE),
    ("single chain", rao_blackwellised(n_chains=2), rao_blackwellised(n_chains=1), SINGLE),
    ("every weight is zero", annealed([-np.inf] * 4 + [0.0]), annealed([-np.inf] * 5),
     "every weight is zero: no chain landed where the target has mass; widen the start of the path"),
    ("collapsed weights", annealed(weights_worth(2.05, 100)), annealed(weights_worth(1.95, 100)), OF_100),
    ("collapsed weights", annealed(weights_worth(4.1, 12)), annealed(weights_worth(3.9, 12)),
     "collapsed weights: 12 chains are worth 3.9 draws, and the largest weight carries 27% of the estimate"),
    ("collapsed weights", annealed(weights_worth(10.1, 1000)), annealed(weights_worth(9.9, 1000)),
     "collapsed weights: 1000 chains are worth 9.9 draws, and the largest weight carries 10% of the estimate"),
    ("collapsed weights", reversed_(weights_worth(2.05, 100)), reversed_(weights_worth(1.95, 100)), OF_100),
    ("collapsed weights", stoned([0, 2], 400), stoned([0, 9], 400),
     "from state 0 to 1: collapsed weights: 400 states are worth 1.1 draws, and the largest weight carries 95% of the "
     "estimate; add states between"),
    ("heavy tail", annealed(pareto_weights(0.74)), annealed(pareto_weights(0.76)), HEAVY.format("low")),
    ("heavy tail", reversed_(pareto_weights(0.74)), reversed_(pareto_weights(0.76)), HEAVY.format("high")),
    ("heavy tail", annealed(pareto_weights(0.5, 4000)), annealed(pareto_weights(1.25, 4000)),
     "chains which were not drawn are likely to carry the mean; expect log_z to be too low and its error bar"),
    ("steps refused", hamiltonian(0.201), hamiltonian(0.199),
     "19.9% of the leapfrog steps were accepted: shorten step_size (adaptive_schedule)"),
    ("poor points", likelihoods(10.1, 100), likelihoods(9.9, 100),
     "at 1 of 3 points fewer than two chains, or a tenth of 100, carry the weight"),
    ("poor points", likelihoods(2.05, 10), likelihoods(1.95, 10), "or a tenth of 10, carry the weight"),
    ("little overlap", pooled(5.01), pooled(4.99),
     "about 5 draws connect two groups of states, too few: add states between"),
    ("not converged", pooled(gradient=0.9e-8), pooled(gradient=1.1e-8),
     "the minimum was not reached (gradient 1.1e-08): add states between, or draws"),
    ("rungs never meet", swept(), swept(met=False),
     "no chain of rung 1 has a density on rung 2: log_z is -inf; add rungs between"),
    ("rungs never meet", stepped(-9.9), stepped(-np.inf),
     "no draw before it has a density under state 1: log_z is -inf; add states between"),
    ("swaps refused", swept((0.1, 0.95, 0.1)), swept((0.1, 0.951, 0.1)), "rungs 1 and 2 refuse 95.1% of swaps"),
    ("no round trip", swept(), swept(trips=0), "no replica has made a round trip: what the last rung shows"),
    ("not settled", swept(**SETTLED, drift=0.05), swept(**SETTLED, drift=0.15),
     "from the first half of the sweeps to the second log Z changed by +0.30 ± 0.033 between rungs 2 and 3; raise"),
    ("ends apart", swept(**SETTLED), swept(**SETTLED, gap=-0.2),
     "log Z may lie anywhere between 0.01 and 0.60; log_z is too low: add rungs between"),
    ("crossed", swept(**SETTLED), swept(**SETTLED, gap=0.2),
     "crossed: the bound from above, -0.60, is lower than that from below, 0.01: some draws are not of their"),
    ("uneven visits", tempered(9.9), tempered(10.1), RARE),
    ("uneven visits", rao_blackwellised(9.9), rao_blackwellised(10.1), RARE),
    ("few crossings", rao_blackwellised(crossings=5), rao_blackwellised(crossings=4),
     "5 chains came from the first rung to the last 4 times: add rungs or sweeps"),
    ("other states", stoned(range(8), 50), stoned(range(8), 50, backwards=True),
     "draws said to be of state 0 fit state 7 better, by 24.5 nats each: put the columns in the order of their"),
    ("two rungs", integrated(1.0, n=3), integrated(1.0, n=2), "how far the trapezoid rule is off cannot be told"),
    ("coarse rule", integrated(1.99), integrated(2.01), "the trapezoid rule is off by about 0.1 nats: add rungs"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "before", "beyond", "sentence"), THRESHOLDS)
def test_a_warning_appears_beyond_its_threshold_and_not_before(kind, before, beyond, sentence):
    assert kind not in [warning.kind for warning in before.warnings]
    assert any(warning.kind == kind and sentence in warning for warning in beyond.warnings)
    assert sentence in str(beyond) and "warning: " in str(beyond)
    if not isinstance(before, AISResult | LikelihoodResult):  # weights of zero stand out in other ways
        assert before.warnings == ()


def test_every_kind_is_in_the_table():
    kinds = {kind for kind, *_ in THRESHOLDS}
    assert set(re.findall(r'^ *"(.+?)"  ', Diagnostic.__doc__, flags=re.MULTILINE)) == kinds


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda warning: pickle.loads(pickle.dumps(warning))])
def test_a_copy_of_a_warning_keeps_its_kind(copied):
    """As a worker process makes one."""
    (warning,) = annealed([0.0]).warnings
    again = copied(warning)
    assert (again, again.kind, type(again)) == (warning, "single chain", Diagnostic)


def test_of_rungs_that_never_meet_the_first_pair_is_named():
    result = swept()
    ratios = np.array(result.log_mean_ratios)
    ratios[0, :, 1:] = -np.inf
    result = dataclasses.replace(result, log_mean_ratios=ratios)
    assert result.log_z == -np.inf and np.isnan(swept(n_chains=1).std_error)
    (found,) = [warning for warning in result.warnings if warning.kind == "rungs never meet"]
    assert "no chain of rung 1 has a density on rung 2" in found


def messages_of(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in caught]


@pytest.mark.parametrize(("narrower", "warns"), [(1e-9, False), (1e-7, True)])
def test_a_covariance_that_is_too_narrow_is_warned_of(narrower, warns):
    """Beyond rounding; 1e-8 of sigma² is the line."""
    grbm = ae.GaussianRBM(np.zeros((2, 1)), np.zeros(2), np.zeros(1), [2.0, 0.5])
    found = messages_of(lambda: ae.covariance_path(np.zeros(2), np.diag([4.0, 0.25 * (1 - narrower)]), grbm))
    assert [sentence[:49] for sentence in found] == warns * ["cov was narrower than the noise of v given h, by "]


@pytest.mark.parametrize(("converged", "warns"), [(False, True), (True, False), (None, False)])
def test_a_knot_that_misses_its_moments_is_warned_of(converged, warns):
    """Not where the fit asks for no tolerance."""

    def fit(moments, initial):
        return MomentMatch(initial, 0.123, converged, 7)

    ends = ae.uniform_rbm(3, 2), ae.BinaryRBM(np.ones((3, 2)), np.zeros(3), np.zeros(2))
    sentence = "the knot at beta = 0.25 misses its moments by up to 0.12"
    assert messages_of(lambda: ae.moment_spline_path(*ends, [0.25], fit=fit)) == warns * [sentence]
