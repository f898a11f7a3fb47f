"""Exercises of notebook 05: a better path for RBMs."""

from itertools import count
from unittest.mock import patch

import numpy as np
from scipy.special import expit

from anneal_edu.course.check.engine import WrongAnswerError, exercise, require
from anneal_edu.distributions import BinaryRBM, binary_states

_NAMES = ("E v", "E h", "E v hᵀ")


# Exercise 1: moments
def _small_models():
    """(h, p_h, weights, visible bias) by what is special."""
    W = np.array([[-0.6, 0.4, 0.4], [-1.2, -0.8, 1.4], [-1.0, 1.4, 0.9], [1.2, -0.7, 1.7]])
    b, c, v, h = np.array([0.2, -0.5, 0.4, -0.3]), np.array([0.7, 0.2, -1.0]), binary_states(4), binary_states(3)
    p = np.exp((v @ b)[:, None] + v @ W @ h.T + h @ c).sum(0)
    rng, sixteen = np.random.default_rng(5), binary_states(4)
    shares, wide = rng.dirichlet(np.full(16, 0.2)), rng.normal(size=(2, 4))
    return {
        "": (h, p / p.sum(), W, b),
        "two visible and four hidden units": (sixteen, shares, wide, b[:2]),
        "as many visible as hidden units": (sixteen, shares, 0.4 * rng.normal(size=(4, 4)), np.ones(4)),
        "rows of h in another order": (rng.permutation(sixteen), shares, wide, b[:2]),
        "weights of thousands": (sixteen, shares, np.abs(1e4 * wide) * [[1], [-1]], np.array([1e4, -1e4])),
        "large weights that cancel": (sixteen, shares, np.full((2, 4), 2000.5), np.full(2, -2000.0)),
    }


def _other_moments(h, p, W, b):
    field = h @ W.T + b
    v, mean_h, quotient = expit(field), p @ h, p @ (np.exp(field) / (1 + np.exp(field)))
    return {
        "E v hᵀ: the outer product of E v and E h is right for independent layers only. Average the product in each "
        "state.": (..., ..., np.outer(p @ v, mean_h)),
        "E v: this is the sigmoid of the mean of h. The mean of a sigmoid is another number: sigmoid first, then "
        "average.": (expit(mean_h @ W.T + b), ..., ...),
        "E v: you average the fields b + W h. Average their sigmoids.": (p @ field, ..., ...),
        "E v: the visible biases are missing: p(v_i = 1 | h) = sigmoid(b_i + (W h)_i).": (
            p @ expit(h @ W.T), ..., ...),
        "E v: the sign in the exponent: the sigmoid is 1 / (1 + exp(-x)).": (p @ expit(-field), ..., ...),
        "E v: you average over the states as if all were equally likely. Weight by p_h.": (v.mean(0), ..., ...),
        "E h: you average over the states as if all were equally likely. Weight by p_h.": (..., h.mean(0), ...),
        "E v hᵀ: the probabilities p_h are missing from the sum.": (..., ..., v.T @ h),
        "E v hᵀ: rows belong to visible units, columns to hidden ones. Yours is transposed.": (
            ..., ..., ((p[:, None] * v).T @ h).T),
        "exp(x) / (1 + exp(x)) is infinity over infinity for large x. Take 1 / (1 + exp(-x)).": (
            quotient if np.isfinite(quotient).all() else np.nan, ..., ...),
    }  # fmt: skip


@exercise(
    hints=(
        "Is the mean of a sigmoid the sigmoid of the mean?",
        "First p(v = 1 | h) for every row of h, then average over the rows with the weights p_h; products before "
        "averages.",
        "E v = Σ_h p(h) sigmoid(b + Wh), E h = Σ_h p(h) h, E v hᵀ = Σ_h p(h) sigmoid(b + Wh) hᵀ",
    ),
    returns=dict(zip(_NAMES, (
        "It is Σ_h p(h) p(v = 1 | h), with p(v_i = 1 | h) = sigmoid(b_i + (W h)_i).", "It is Σ_h p(h) h.",
        "It is Σ_h p(h) p(v_i = 1 | h) h_j."), strict=True)),
    errors={
        **dict.fromkeys(("matmul", "aligned", "broadcast"), "the field of pixels is b + W h. For rows of h, is it W or "
                        "its transpose that is multiplied from the right?"),
        "math range error": "math.exp overflows: use np.exp or scipy.special.expit.",
    },
    cases=_small_models, slips=_other_moments,
    praise="right: sigmoid first, then average, and the product inside the average.",
)  # fmt: skip
def moments(h, p_h, weights, visible_bias):
    """E v (D,), E h (H,) and E v hᵀ (D, H) of an RBM, from all hidden states and their probabilities."""
    v = expit(h @ weights.T + visible_bias)
    return p_h @ v, p_h @ h, (p_h[:, None] * v).T @ h


# Exercise 2: fit one knot
_MOST = 4_000  # times that an RBM of one knot may be made, or its moments be asked for: a loop may never end


def _knots():
    """(an RBM without weights, the moments between it and another one, read-only) by what is special."""
    cases = {"": (4, 3, 0.5), "more hidden units": (3, 5, 0.7), "six visible units": (6, 4, 0.5)}
    for seed, (name, (D, H, beta)) in enumerate(cases.items()):
        rng = np.random.default_rng(seed)
        start = BinaryRBM(np.zeros((D, H)), rng.normal(size=D), np.zeros(H))
        end = BinaryRBM(1.5 * rng.normal(size=(D, H)), rng.normal(size=D), rng.normal(size=H))
        target = tuple((1 - beta) * s0 + beta * s1 for s0, s1 in zip(start.moments(), end.moments(), strict=True))
        for part in target:
            part.setflags(write=False)
        yield name, start, target


class _EndlessError(WrongAnswerError):
    """Too many RBMs were made, or their moments were asked for too often."""


def _counted(method, last):
    steps = count()

    def once_more(rbm):
        if next(steps) == _MOST:
            raise _EndlessError
        result, last[0] = method(rbm), rbm
        return result

    return once_more


def _judge_knot(exercise, answer):
    for name, start, target in _knots():
        where, last, endless = f"right at first, but not for {name}: " if name else "", [start], False
        methods = {name: _counted(getattr(BinaryRBM, name), last) for name in ("moments", "__post_init__")}
        try:
            with patch.multiple(BinaryRBM, **methods):
                found = exercise.asked(answer, (start, target), copied=False)
        except _EndlessError:
            where, found, endless = f"{where}your loop goes on after {_MOST:,} steps. The last RBM: ", last[0], True
        same = isinstance(found, BinaryRBM) and found.weights.shape == start.weights.shape
        require(same, "return an RBM of the same size: ae.BinaryRBM(weights, visible_bias, hidden_bias).")
        before, after = (
            max(abs(s - m).max() for s, m in zip(target, rbm.moments(), strict=True)) for rbm in (start, found)
        )
        moved = [(new != old).any() for new, old in zip(_parameters(found), _parameters(start), strict=True)]
        differs = f"{where}a moment differs by {after:.3g} from the target"
        require(any(moved), f"{where}it is the one that you were given.")
        for kind, has in zip(("visible biases", "hidden biases", "weights"), moved, strict=True):
            require(has, f"{where}the {kind} have not moved. Parameters of each kind have a slope of their own.")
        worse = f"{differs}, more than any did at the start. Add target minus model, in smaller steps."
        require(after < before, worse)
        jump = "Walk on, in larger steps, or in smaller ones if they jump to and fro."
        walk_on = "and 0.001 is asked. Walk on until the largest |difference| of all three is below it."
        require(after < 0.00105, f"{differs}. {jump}" if endless or after > 0.01 else f"{differs}, {walk_on}")
        require(not endless, f"{where}every moment is within 0.001 of its target: stop there.")


def _parameters(rbm):
    return rbm.visible_bias, rbm.hidden_bias, rbm.weights


def _partly(*shares):
    """An answer that goes these shares of the way to the solution, in the parameters of each kind."""

    def answer(rbm, target):
        ends = zip(shares, _parameters(rbm), _parameters(fit_knot.solution(rbm, target)), strict=True)
        b, c, weights = (x + share * (y - x) for share, x, y in ends)
        return BinaryRBM(weights, b, c)

    return answer


def _endless(rbm, target):
    while True:
        rbm.moments()


@exercise(
    hints=(
        "What is the slope of η · s - A(η) in the direction of one weight, and what is known of it exactly?",
        "Each parameter has its moment: visible biases E v, hidden biases E h, weights E v hᵀ. Add a part of target "
        "minus model to each, make a new RBM, and repeat.",
        "W ← W + ½ (target[2] - E v hᵀ), b ← b + ½ (target[0] - E v), c ← c + ½ (target[1] - E h), a thousand times",
    ),
    errors={
        **dict.fromkeys(("'tuple' and 'tuple'", "multiply sequence", "inhomogeneous"), "target and rbm.moments() are "
                        "tuples of three arrays: subtract one by one."),
        **dict.fromkeys(("broadcast", "shape"), "parameters and slopes do not fit together. Moments come as E v (D,), "
                        "E h (H,), E v hᵀ (D, H), and ae.BinaryRBM takes weights, visible_bias, hidden_bias."),
        **dict.fromkeys(("read-only", "cannot assign"), "what you are given cannot be changed. Make a new RBM: "
                        "ae.BinaryRBM(rbm.weights + …, …)."),
        "'method' object": "moments is a function: rbm.moments().",
        "no attribute": "the parameters are rbm.weights, rbm.visible_bias and rbm.hidden_bias.",
    },
    judge=_judge_knot,
    mistakes={
        "return an RBM": lambda rbm, target: (target[2], target[0], target[1]),
        "it is the one that you were given": _partly(0, 0, 0),
        "the weights have not moved": _partly(1, 1, 0),
        "the hidden biases have not moved": _partly(1, 0, 1),
        "Add target minus model": _partly(-1, -1, -1),
        "in smaller steps": _partly(50, 50, 50),
        "Walk on": _partly(0.5, 0.5, 0.5),
        "until the largest |difference|": _partly(0.997, 0.997, 0.997),
        "your loop goes on": _endless,
    },
    praise="right: every moment is within 0.001 of its target. This is line 5, and the RBM is a knot.",
)  # fmt: skip
def fit_knot(rbm, target):
    """The RBM whose moments are the target's, by gradient ascent."""
    for _ in range(1000):
        slopes = (s - m for s, m in zip(target, rbm.moments(), strict=True))
        b, c, weights = (x + slope / 2 for x, slope in zip(_parameters(rbm), slopes, strict=True))
        rbm = BinaryRBM(weights, b, c)
    return rbm


# Exercise 3: predict the error
def _ends():
    """(p_h, reach, number of chains) by what is special."""
    p = np.array([0.02, 0.43, 0.07, 0.3, 0.11, 0.07])
    cases = {
        "": ([0.45, 0.02, 0.2, 0.01, 0.3, 0.02], 3),
        "30 chains and a state that none reaches": ([0.1, 0.002, 0.4, 1e-5, 0.0, 0.49799], 30),
        "7 chains that all end in one state": ([0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 7),
        "one chain": ([0.002, 0.997, 0.0, 0.001, 0.0, 0.0], 1),
        "60 chains": ([0.02, 0.01, 0.03, 0.04, 0.005, 0.895], 60),
    }
    rare = np.array([0.4, 0.6, 0.0]), np.array([3e-5, 4e-5, 1 - 7e-5]), 20
    return {name: (p, np.array(reach), n) for name, (reach, n) in cases.items()} | {"20 chains and rare states": rare}


def _other_misses(p, reach, n):
    missed = (1 - reach) ** n
    return {
        "this is the share. Return its logarithm.": p @ (1 - missed),
        "the sign: an estimate that misses a part of Z is too low.": -np.log(p @ (1 - missed)),
        "this is the log of what is *missed*.": np.log(p @ missed),
        "this is what one chain reaches. More chains reach more.": np.log(p @ reach),
        "n · reach is how many chains to expect in a state, and two may come in one run. With which probability does "
        "none come?": np.log(p @ (n * reach)),
        "1 - reach^n is the probability that not *all* chains are there. One is enough.": np.log(p @ (1 - reach**n)),
        "reach^n is the probability that *all* chains are there. One is enough.": np.log(p @ reach**n),
        "the states count alike in yours. Weight them by p_h.": np.log(np.mean(1 - missed)),
        "you average logs. Average the shares first, and take the log then.": p @ np.log(1 - missed),
        "you average the reach over the states first. Each state has its own.": np.log(1 - (1 - p @ reach) ** n),
    }  # fmt: skip


@exercise(
    hints=(
        "With which probability does a single chain miss a state, and with which do all of them?",
        "A state counts once, as soon as one chain is in it: one minus the probability that all n miss it. Averages "
        "add up, state by state, each with its p_h.",
        "log Σ_h p(h) (1 - (1 - reach_h)^n)",
    ),
    returns={"the log of the mean share": "State by state: with which probability do all chains miss it?"},
    cases=_ends, slips=_other_misses,
    praise="right: one minus the probability that all miss it, state by state. What one chain in 10,000 reaches, 99% "
    "of all runs with 100 chains miss, and 37% of those with 10,000.",
)  # fmt: skip
def predicted_miss(p_h, reach, n_chains):
    """The log of the mean share of the target's probability in states that at least one chain reaches."""
    return np.log(p_h @ (1 - (1 - reach) ** n_chains))
