"""Exercises of notebook 01: the weights of AIS, a kernel that is broken, the acceptance of Metropolis."""

import math
from itertools import pairwise, product

import numpy as np
from scipy.special import logsumexp, softmax

from anneal_edu.annealing.matrices import metropolis_matrix
from anneal_edu.course.check.engine import Exercise, alike, exercise, require


# Exercise 1: weigh
def _walks():
    """(log f, log Z_0, x) by what is special; the plain case has every trajectory of two steps on three sites."""
    rng = np.random.default_rng(1)
    small = np.log([[2.0, 1.0, 1.0], [1.0, 2.0, 5.0], [1.0, 0.5, 12.0]])
    log_f, x = 3 * rng.normal(size=(6, 4)), rng.integers(4, size=(50, 6))
    swings = 400.0 * (-1) ** np.arange(10)[:, None] + rng.normal(size=(10, 4))
    cases = {
        "": (small, np.array(list(product(range(3), repeat=3)))),
        "five steps and four sites": (log_f, x),
        "one step": (log_f[:2], x[:, :2]),
        "log f of about 900 (stay in logs: exp overflows)": (900 + log_f, x),
        "log f of about -900 (stay in logs: exp gives 0)": (-900 + log_f, x),
        "one chain, and ratios of e⁸⁰⁰ and e⁻⁸⁰⁰": (swings, rng.integers(4, size=(1, 10))),
    }
    return {name: (log_f, logsumexp(log_f[0]), x) for name, (log_f, x) in cases.items()}


def _misweighed(log_f, log_z_0, x):
    def ratios(above, below):
        """Σ_k log f_k - log f_{k-1}, each taken at this column of x, counted from k."""
        return sum(log_f[k][x[:, k + above]] - log_f[k - 1][x[:, k + below]] for k in range(1, len(log_f)))

    right = log_z_0 + ratios(0, 0)
    steps = [log_f[k][x[:, k]] - log_f[k - 1][x[:, k]] for k in range(1, len(log_f))]
    return {
        "your ratios are taken at x_{k-1}, before the move, as in the lesson. This program moves first.": (
            log_z_0 + ratios(-1, -1)),
        "both densities of a ratio belong at the same state: the change of the target is weighed, not the move.": (
            log_z_0 + ratios(0, -1)),
        "your ratios are upside down: the new density f_k stands above, f_{k-1} below.": log_z_0 - ratios(0, 0),
        "the mean of your weights is Z / Z_0: start from log_z_0.": ratios(0, 0),
        "these are the weights. Return their logarithms.": np.exp(right),
        "this is importance sampling: it goes from f_0 to f_K at x_0 and uses no state in between.": (
            log_z_0 + log_f[-1][x[:, 0]] - log_f[0][x[:, 0]]),
        "for k = 0 there is no ratio, and log_f[-1] is log f_K: k runs from 1.": (
            right + log_f[0][x[:, 0]] - log_f[-1][x[:, 0]]),
        "log_z_0 is subtracted: add it, as the mean of the weights is Z.": right - 2 * log_z_0,
        "you multiply logs. A product of ratios is a sum of their logs.": log_z_0 * np.prod(steps, 0),
        "the last ratio is missing: k runs to K = len(log_f) - 1.": right - steps[-1],
    }  # fmt: skip


@exercise(
    hints=(
        "At the moment when the target changes from f_{k-1} to f_k, has the chain of this program moved yet?",
        "Start from log_z_0 and add one log ratio for each k from 1 to K, with both densities at the same column of x.",
        "log w = log Z_0 + Σ_k [log f_k(x_k) - log f_{k-1}(x_k)]",
    ),
    returns={"log w": "Add one log ratio for each k, at the state of the chain when the target changes."},
    cases=_walks, slips=_misweighed, rtol=1e-5, atol=1e-4,
    praise="right: averaged over all 27 trajectories of the first case, these weights give exactly Z.",
)  # fmt: skip
def log_weights(log_f, log_z_0, x):
    """The log weights (C,) of AIS that moves before it weighs: log_f (K+1, S), x (C, K+1)."""
    log_w = np.full(len(x), log_z_0)
    for k in range(1, len(log_f)):
        log_w += log_f[k][x[:, k]] - log_f[k - 1][x[:, k]]
    return log_w


# Exercise 2: which step is broken?
def _kernels():
    """(log f, tables) by what is special. In the plain case T_1 … T_7 are sound, and each is what one slip names."""
    eye = np.eye(4)
    log_f = np.log([[1, 1, 1, 1], [1, 9, 1, 1], [2, 1, 1, 2], [1, 1, 1, 1], [1, 1, 1, 1], [4, 2, 2, 2],
                    [1000, 1300, 1000, 1200], [1, 1, 1, 1], [2, 3, 3, 2], [5, 6, 5, 5]])  # fmt: skip
    p = softmax(log_f, axis=1)
    tables = [eye, eye[[0, 2, 1, 3]], np.roll(eye, 1, axis=1), 0.6 * eye + 0.1, np.tile(p[5], (4, 1)),
              np.tile(p[6], (4, 1)), eye, metropolis_matrix(log_f[7]), metropolis_matrix(log_f[9])]  # fmt: skip
    cases = {"": (log_f, tables), "the last table as the broken one": (log_f[:9], tables[:8])}
    faults = {
        "Z_k that differ by e⁸⁰": (1, {2: 0.02, 7: -0.02}), "two sites that are exchanged": (6, {}),
        "a fault at the first sites": (3, {0: 0.02, 3: -0.02}), "a fault at the last sites": (1, {5: 0.02, 9: -0.02}),
        "a fault that keeps the mean site": (2, {0: 0.01, 2: -0.03, 4: 0.03, 6: -0.01}),
        "a fault at the odd sites": (2, {3: 0.01, 5: -0.03, 7: 0.03, 9: -0.01}),
        "a fault at improbable sites": (4, {8: 0.002, 9: -0.002}),
    }  # fmt: skip
    return cases | {name: _faulty(*fault) for name, fault in faults.items()}


def _faulty(broken, change):
    """Six tables on ten sites, all sound but T_broken: it draws from p + change, or exchanges two sites of p."""
    log_f, eye, tables = 0.5 * np.random.default_rng(broken).normal(size=(7, 10)), np.eye(10), []
    log_f[:, [1, 8]], log_f[:, list(change)] = (2.0, -3.0), -3.0 if 8 in change else 0.0
    for k, f in enumerate(log_f[1:]):
        p = softmax(f)
        ring = eye + (0.9 * p.min() / p)[:, None] * (np.roll(eye, 1, axis=1) - eye)  # no detailed balance
        tables.append([metropolis_matrix(f), np.tile(p, (10, 1)), ring][k % 3])
    p = softmax(log_f[broken])
    p[[2, 7]] = p[[2, 7]] if change else p[[7, 2]]
    p[list(change)] += list(change.values())
    tables[broken - 1] = np.tile(p, (10, 1))
    return log_f + 40.0 * (-1) ** np.arange(7)[:, None], tables


def _misnamed(log_f, tables):
    return {} if len(tables) < 9 else {
        "T_1 moves nothing, so p_1 is invariant. tables[k - 1] goes with log_f[k]; do not carry p_0 along.": 1,
        "T_2 leaves p_2 invariant, though not p_1: tables[k - 1] belongs to log_f[k].": 2,
        "T_3 has no detailed balance, but as many chains come into each site as leave it: p_3 T_3 = p_3.": 3,
        "T_4 changes p_4 by rounding alone: allow for it.": 4,
        "T_5 leaves p_5 invariant. p stands on the left, p @ T; and the columns of T need not sum to 1.": 5,
        "T_6 leaves p_6 invariant. Do you use log f as if it were f? Or sums of rows? They are 1 anyway.": 6,
        "T_7 moves nothing. If you count from 0: tables[0] is T_1.": 7,
    }  # fmt: skip


def _named(change, f, tables):
    """The k of the largest change of an f_k."""
    return 1 + int(np.argmax([np.abs(change(q, T)).max() for q, T in zip(f, tables, strict=False)]))


@exercise(
    hints=(
        "Which property of T_k does the proof need, and does it need anything else?",
        "T_k must leave f_k invariant, the f of the same k. It need not have detailed balance.",
        "p_k T_k = p_k with p_k = f_k / Σ f_k, up to rounding, for all k but one",
    ),
    returns={"k": "Return one whole number. For which k is p_k T_k = p_k wrong, with p_k = f_k / Σ f_k?"},
    errors={"None": "your function returns None: no table fails your test, or a `return` is missing. Divide f_k by its "
                    "sum before you compare.",
            "list index out of range": "tables[0] is T_1: tables[k - 1] goes with log_f[k]."},
    cases=_kernels, slips=_misnamed,
    mistakes={
        "T_2": lambda log_f, tables: _named(lambda q, T: q @ T - q, softmax(log_f[:-1], axis=1), tables),
        "T_3": lambda log_f, tables: _named(lambda q, T: q[:, None] * T - q * T.T, softmax(log_f[1:], axis=1), tables),
        "T_5": lambda log_f, tables: _named(lambda q, T: T @ q - q, softmax(log_f[1:], axis=1), tables),
        "T_6": lambda log_f, tables: _named(lambda q, T: q @ T - q, log_f[1:], tables),
        "Z_k that differ": lambda log_f, tables: _named(lambda q, T: q @ T - q, np.exp(log_f[1:]), tables),
    },
    praise="right: p_k T_k = p_k is all that the proof asks, of every k.",
)  # fmt: skip
def broken_step(log_f, tables):
    """The k whose kernel does not leave p_k invariant: log_f (K+1, S), tables T_1 … T_K (S, S)."""
    p = softmax(log_f, axis=1)
    return 1 + int(np.argmax([abs(p[k] @ T - p[k]).max() for k, T in enumerate(tables, start=1)]))


# Exercise 3: leave it invariant
_LANDSCAPES = {
    "": np.log([0.1, 0.2, 0.6, 0.3]),
    "steep ways down": np.array([0.0, 0.0, 5.0, -7.0, 3.0, -19.0, -69.0, 11.0, 9.0]),
    "log f of about -5000 (subtract before exp)": -5000 + np.array([0.0, 2**-5, -0.5, -1.0]),
    "log f of a million (subtract before exp)": 2.0**20 + np.array([0.0, 2**-3, 1.0]),
}


def _judge_acceptance(exercise: Exercise, acceptance):
    def asked(here, there):
        a = exercise.asked(acceptance, (float(here), float(there)))
        require(np.ndim(a) == 0 and np.asarray(a).dtype.kind in "biuf", "return one number, the probability to accept.")
        require(np.isfinite(a), "your answer is NaN or infinite. Subtract the logs before exp.")
        return a

    logs = [[asked(4.0, 1.0), asked(4.0, 3.0)], [asked(1.0, 4.0), asked(3.0, 4.0)]]
    require(not any(alike(pair, (0.25, 0.75)) for pair in logs), _LOGS)
    same = all(asked(-1.0, -1.5) == asked(-1.0, -1.5) for _ in range(20))
    require(same, "asked again, your function gives another answer: return the probability, without a random number.")
    for case, log_f in _LANDSCAPES.items():
        where = f"right at first, but not for {case}: " if case else ""
        right, left = (np.array([asked(*way) for way in pairwise(f)]) for f in (log_f, log_f[::-1]))
        left = left[::-1]
        T, p = np.diag(right / 2, 1) + np.diag(left / 2, -1), softmax(log_f)
        T, lowest, highest = T + np.diag(1 - T.sum(1)), min(*right, *left), max(*right, *left)
        down, up = np.where(np.diff(log_f) < 0, (right, left), (left, right))
        turned = "Downhill f(there) / f(here) is below 1: is your sign turned?"
        require(lowest >= 0, f"{where}{lowest:.3g} is no probability. here and there are logs: exponentiate.")
        require(down.max() <= 1 + 1e-6, f"{where}{highest:.3g} is no probability. {turned}")
        require(highest <= 1 + 1e-6, f"{where}{highest:.3g} is no probability. Uphill take the smaller of it and 1.")
        slips = {} if case else {
            "you accept every proposal alike: that leaves the flat distribution invariant, not f.": lowest == highest,
            "you never go downhill: chains climb a peak and stay.": np.all(down == 0),
            "you never go uphill. Is it the probability to refuse? Return that to accept.": np.all(up == 0),
            "your ratio is upside down: it leaves 1/f invariant. f(there) stands above, f(here) below.": np.allclose(
                softmax(-log_f) @ T, softmax(-log_f)),
        }  # fmt: skip
        flow = "p T differs from p. As much must flow from here to there as back."
        said = next((said for said, hit in slips.items() if hit), flow)
        require(np.allclose(p @ T / p, 1, rtol=0, atol=1e-4), where + said)
        still = "a chain that never moves leaves f invariant, and is importance sampling again. Let it move."
        require(np.maximum(right, left).min() > 1e-9, where + still)
    far = asked(1000.0, 0.0) < 1e-12 < asked(0.0, 1000.0)
    require(far, "1000 nats downhill must be refused, and 1000 nats uphill not. Subtract the logs before exp.")


_LOGS = "here and there are log f, not f: f(there) / f(here) = exp(there - here)."


@exercise(
    hints=(
        "If much mass stands here and little there, which of the two ways must be accepted less often?",
        "Ask that as much flows there as back, f(here) a(here → there) = f(there) a(there → here), and stay in logs.",
        "a = min(1, exp(there - here)), with the minimum taken before exp overflows.",
    ),
    judge=_judge_acceptance,
    errors={"division by zero": _LOGS, "math range error": "exp of more than 709 overflows: take the minimum first."},
    mistakes={
        _LOGS: lambda here, there: min(1.0, there / here),
        "upside down": lambda here, there: min(1.0, np.exp(here - there)),
        "is your sign turned": lambda here, there: 1 if there > here else np.exp(here - there),
        "never go uphill": lambda here, there: 1 - min(1.0, np.exp(there - here)),
        "Uphill take the smaller": lambda here, there: np.exp(there - here),
        "exponentiate": lambda here, there: there - here,
        "accept every proposal": lambda here, there: 1.0,
        "never go downhill": lambda here, there: float(there >= here),
        "never moves": lambda here, there: 0.0,
        "without a random number": lambda here, there: float(np.random.default_rng().random() < np.exp(there - here)),
        "steep ways down: p T differs from p": lambda here, there: np.exp(max(min(0.0, there - here), -20.0)),
        "Subtract the logs before exp": lambda here, there: np.exp(there) / (np.exp(there) + np.exp(here)),
        "take the minimum first": lambda here, there: min(1.0, math.exp(there - here)),
    },
    praise="right: p T = p on every landscape, and constants such as log Z cancel.",
)  # fmt: skip
def acceptance(here, there):
    """The probability to accept a move from log f = here to log f = there, so that f stays invariant."""
    return np.exp(min(0.0, there - here))
