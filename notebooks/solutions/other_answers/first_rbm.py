"""Other right answers to the exercises of notebook 04."""

import math

import numpy as np

import anneal_edu as ae


def one_by_one(h, weights, visible_bias, hidden_bias):
    """A sum over all images, each written out."""
    images = ae.binary_states(len(visible_bias))
    return np.logaddexp.reduce([h @ hidden_bias + (h @ weights.T + visible_bias) @ v for v in images])


def in_loops(h, weights, visible_bias, hidden_bias):
    """Plain Python, where log(1 + e^a) is a for large a."""
    rows = []
    for row in h:
        fields = [b + sum(W * row) for W, b in zip(weights, visible_bias, strict=True)]
        logs = [a if a > 30 else math.log1p(math.exp(a)) for a in fields]
        rows.append(sum(row * hidden_bias) + sum(logs))
    return rows


def by_the_library(visible_bias, n_hidden):
    """An RBM without weights."""
    return ae.BinaryRBM(np.zeros((len(visible_bias), n_hidden)), visible_bias, np.zeros(n_hidden)).log_z()


def unit_by_unit(visible_bias, n_hidden):
    """Each hidden unit as a visible one of bias 0."""
    return sum(np.logaddexp(0, b) for b in [*visible_bias, *np.zeros(n_hidden)])


def to_base_ten(q, share, level):
    """The number of chains as a quotient of any logarithms."""
    return math.ceil(math.log10(1 - level) / math.log10(1 - q)), math.log(1 - share)


def by_doubling(q, share, level):
    """More chains until they are enough: doubled first, then halved intervals."""
    low, high = 0, 1
    while 1 - (1 - q) ** high < level:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if 1 - (1 - q) ** middle >= level else (middle, high)
    return high, np.log1p(-share)


ANSWERS = {
    "log_f": (one_by_one, in_loops),
    "base_rate_log_z": (by_the_library, unit_by_unit),
    "chains_needed": (to_base_ten, by_doubling),
}
