"""Exercises of notebook 04: a first real model."""

import numpy as np
from scipy.special import expit

from anneal_edu.course.check.engine import exercise
from anneal_edu.distributions import binary_states

_FIELDS = np.array([0.0, 1.0, 2.2, 3.3, 4.2, 5.5, 7.0, 8.5, 10.0, 11.0])  # log(1 + e^a) is not yet a


# Exercise 1: sum the visible units out
def _hidden_states():
    """(h, weights, visible bias, hidden bias) by what is special."""
    W = np.array([[-0.6, 0.4, 0.4], [-1.2, -0.8, 1.4], [-1.0, 1.4, 0.9], [1.2, -0.7, 1.7]])
    b, c, h = np.array([0.2, -0.5, 0.4, -0.3]), np.array([1.7, 1.2, -0.4]), binary_states(3)
    rng = np.random.default_rng(4)
    return {
        "": (h, W, b, c),
        "as many pixels as hidden units": (h, rng.normal(size=(3, 3)), b[:3], c),
        "seven pixels and two hidden units": (binary_states(2), rng.normal(size=(7, 2)), rng.normal(size=7), c[:2]),
        "one row of h": (np.ones((1, 3)), W, b, c),
        "fields between 0 and 11": (np.eye(10), _FIELDS[None], np.zeros(1), np.zeros(10)),
        "fields between -11 and 0": (np.eye(10), -_FIELDS[None], np.zeros(1), np.zeros(10)),
        "weights of ±400": (h, 400 * np.sign(W), b, c),
    }


def _other_sums(h, W, b, c):
    field, bias = h @ W.T + b, h @ c
    right = bias + np.logaddexp(0, field).sum(-1)
    return {
        "the hidden biases are missing: add h · c.": right - bias,
        "all hidden biases are added in every row. h_j says whether c_j counts: h · c.": right - bias + c.sum(),
        "the visible biases are missing: the field of pixel i is b_i + (W h)_i.": (
            bias + np.logaddexp(0, h @ W.T).sum(-1)),
        "the sign of the weights: the field of pixel i is b_i + (W h)_i.": (
            bias + np.logaddexp(0, b - h @ W.T).sum(-1)),
        "you put the mean of v into the exponent. The mean of exp is not exp of the mean: sum both values of each v_i, "
        "1 + e^a.": bias + (expit(field) * field).sum(-1),
        "you take the better of v_i = 0 and v_i = 1. Both count: log(1 + e^a), not max(0, a).": (
            bias + np.maximum(field, 0).sum(-1)),
        "this is the log of the sigmoid, a - log(1 + e^a). The sum over v_i is 1 + e^a.": (
            bias + np.log(expit(field)).sum(-1)),
        "this is one number for each row and pixel. The sum is a product over pixels: add their logs.": (
            np.logaddexp(0, field)),
        "you sum over all rows. Each row of h keeps its own: sum over the last axis, .sum(1).": (
            bias + np.logaddexp(0, field).sum()),
        "this is f. Return its logarithm.": np.exp(right),
        "this is -log f, a free energy.": -right,
        "e^a overflows above 709. For large a, log(1 + e^a) is a: np.logaddexp(0, a) knows this.": (
            bias + np.log(1 + np.exp(field)).sum(-1)),
    }  # fmt: skip


@exercise(
    hints=(
        "How many terms has the sum over one single pixel?",
        "Σ_v factorises: a factor 1 + e^a for each pixel, with its field a = b + W h. np.logaddexp(0, a) is "
        "log(1 + e^a).",
        "h·c + Σ_i log(1 + exp(a_i)), with a_i = b_i + (W h)_i",
    ),
    returns={"log f(h)": "For one pixel the sum is e^(h·c) (1 + e^(b + W h)). For several pixels add the logs."},
    errors={
        **dict.fromkeys(
            ("matmul", "aligned"), "is it W or its transpose, b or c? Or did you copy log f(v)? Here the "
            "pixels are summed, not the hidden units."),
        "broadcast": "what you add has different shapes. The sum over pixels, .sum(1), leaves one number for each row "
        "of h, and so does h @ hidden_bias; b has one entry for each pixel.",
        "math range error": "math.exp overflows above 709. For large a, log(1 + e^a) is a: np.logaddexp(0, a).",
    },
    cases=_hidden_states, slips=_other_sums,
    praise="right, and weights of ±400 do not overflow. The sum of f(h) over all h is Z.",
)  # fmt: skip
def log_f(h, weights, visible_bias, hidden_bias):
    """log Σ_v f(v, h) for each row of h: (C,)."""
    return h @ hidden_bias + np.logaddexp(0, h @ weights.T + visible_bias).sum(1)


# Exercise 2: log Z of the start
def _starts():
    """(visible bias, number of hidden units) by what is special."""
    b = np.array([1.3, -2.1, 0.4, 3.0, -0.7, 0.2, -1.6])
    return {
        "": (b, 4),
        "three pixels and forty hidden units": (b[:3], 40),
        **{f"one pixel with bias {a:g} and one hidden unit": (np.array([a]), 1) for a in (*_FIELDS, *-_FIELDS[1:])},
        "biases of ±800": (np.array([800.0, -800.0]), 2),
        "2,000 hidden units": (np.array([1.0]), 2000),
    }


def _other_starts(b, H):
    visible, log_2 = np.logaddexp(0, b).sum(), np.log(2)
    return {
        "H log 2 is missing. A hidden unit without weight and bias still has two states, and doubles Z.": visible,
        "all hidden units together double Z only once. Each of the H doubles it.": visible + log_2,
        "each hidden unit doubles Z: log Z grows by log 2 = 0.69 each, not by 1.": visible + H,
        "H hidden units have 2^H states together, not H.": visible + np.log(H),
        "this is log Z of the uniform RBM. The visible biases must enter.": (len(b) + H) * log_2,
        "a visible unit has two states, with factors 1 and e^b: log(1 + e^b), not b.": b.sum() + H * log_2,
        "this is the better of 0 and b. Both states count: log(1 + e^b).": np.maximum(0, b).sum() + H * log_2,
        "a visible unit brings 1 + e^b, not 1 + e^-b.": np.logaddexp(0, -b).sum() + H * log_2,
        "this is the log of the sigmoid, b - log(1 + e^b). A visible unit brings 1 + e^b.": (
            H * log_2 - np.logaddexp(0, -b).sum()),
        "this is in bits. The course counts in nats: use natural logarithms.": visible / log_2 + H,
        "this is one number for each pixel: sum over the pixels, then add H log 2.": np.logaddexp(0, b) + H * log_2,
        "this is Z. Return its logarithm.": np.exp(visible) * 2.0 ** min(H, 999),
        "e^b overflows above 709: use np.logaddexp(0, b).": np.log(1 + np.exp(b)).sum() + H * log_2,
        "2^H overflows above H = 1023. Its log is H log 2.": visible + (H * log_2 if H < 1024 else np.inf),
    }  # fmt: skip


@exercise(
    hints=(
        "Without weights, does any unit know of another?",
        "The sum over all states is a product, one factor a unit: which for a pixel of bias b, which for a hidden "
        "unit?",
        "log Z = Σ_i log(1 + e^{b_i}) + H log 2",
    ),
    returns={"log Z": "Without weights the sum over all states is a product: one factor a unit."},
    errors={
        "math range error": "math.exp overflows above 709: use np.logaddexp(0, b).",
        **dict.fromkeys(("too large", "Numerical", "no callable log method"), "2^H overflows. Its log is H log 2."),
    },
    cases=_starts, slips=_other_starts,
    praise="right: one factor (1 + e^b) a visible unit, one factor 2 a hidden unit.",
)  # fmt: skip
def base_rate_log_z(visible_bias, n_hidden):
    """log Z of the RBM with these visible biases, and neither weights nor hidden biases."""
    return np.logaddexp(0, visible_bias).sum() + n_hidden * np.log(2)


# Exercise 3: how many chains?
def _modes():
    """(q, share, level) by what is special."""
    return {
        "": (0.12, 0.6, 0.93),
        "a mode that one chain in 250 reaches": (0.004, 0.9991, 0.95),
        "a mode that half of the chains reach": (0.5, 0.3, 0.9),
        "a level below one half": (0.03, 0.6, 0.4),
        "a mode that one chain in 100,000 reaches": (1e-5, 0.2, 0.99),
        "one chain that is enough": (0.7, 0.85, 0.6),
    }


def _other_runs(q, share, level):
    n, miss = np.log(1 - level) / np.log(1 - q), np.log(1 - share)
    return {
        "1/q chains bring one to the mode *on average*. Then about a third of the runs has none there.": (
            np.ceil(1 / q), ...),
        "q n = level: q n is how many chains to expect there, and several may come in one run. With which probability "
        "does none come?": (np.ceil(level / q), ...),
        "(1 - q)^n is the probability that *no* chain is there. It should be 1 - level.": (
            np.ceil(np.log(level) / np.log(1 - q)), ...),
        "q^n is the probability that *all* chains are there.": (np.ceil(np.log(1 - level) / np.log(q)), ...),
        "a number of chains is whole: round up.": (n, ...),
        "rounded down, the probability is just below the level: round up.": (np.floor(n), ...),
        "e^(-q n) is nearly (1 - q)^n if q is small. Take (1 - q)^n itself.": (np.ceil(-np.log(1 - level) / q), ...),
        "log Ẑ - log Z: this is the log of the share of the *missed* mode. The chains occupy the rest.": (
            ..., np.log(share)),
        "log Ẑ - log Z: this is Ẑ / Z. Take its logarithm.": (..., 1 - share),
        "log Ẑ - log Z: an estimate that misses mass is too low. The number is negative.": (..., -miss),
        "share is the mass of the mode. A chain ends there with probability q.": (
            np.ceil(np.log(1 - level) / np.log(1 - share)), ...),
        "the number of chains comes first, then log Ẑ - log Z.": (miss, np.ceil(n)),
    }  # fmt: skip


@exercise(
    hints=(
        "With which probability does one chain not end in the mode, and with which do n chains all end elsewhere?",
        "(1 - q)^n must be at most 1 - level. And log Ẑ reports the mass that the chains occupy.",
        "n = ⌈log(1 - level) / log(1 - q)⌉, and log Ẑ - log Z ≈ log(1 - share)",
    ),
    returns={
        "the number of chains": "With which probability do all n chains miss the mode?",
        "log Ẑ - log Z": "Which share of the mass do the chains occupy?",
    },
    cases=_modes, slips=_other_runs,
    praise="right: the rarer the mode, the more chains, about 3/q for 95%. And the miss does not depend on q: it is "
    "the log of the mass that the chains occupy.",
)  # fmt: skip
def chains_needed(q, share, level):
    """The least n with 1 - (1 - q)^n ≥ level, and log Ẑ - log Z if no chain is in the mode."""
    return np.ceil(np.log(1 - level) / np.log(1 - q)), np.log(1 - share)
