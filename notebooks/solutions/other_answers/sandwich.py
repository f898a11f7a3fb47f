"""Other right answers to the exercises of notebook 06."""

import math

import numpy as np


def by_bayes(moves, p):
    """Of the chains that stand in y after a sweep, the share that came from x."""
    T = np.eye(len(p))
    for move in moves:
        T = T @ move
    return T.T * p / p[:, None]


def each_in_front(moves, p):
    """The next move goes in front of those before it."""
    back = moves[0]
    for move in moves[1:]:
        back = move @ back
    return back.tolist()


def by_a_product(q, p, ends):
    """Minus the log of a product of vectors, in single precision."""
    q, p, ends = (part.astype(np.float32) for part in (q, p, ends))
    return -np.log(ends @ (q / p))


def state_by_state(q, p, ends):
    """A loop over the states."""
    factor = 0.0
    for of_q, of_p, of_ends in zip(q, p, ends, strict=True):
        factor += of_q / of_p * of_ends
    return -math.log(factor)


def every_bound(forward, reverse, risk):
    """Each estimate gives a bound; the best ones count."""
    m = len(forward) + len(reverse)
    return [max(f - math.log(m / risk) for f in forward), min(r + math.log(m / risk) for r in reverse)]


def by_arrays(forward, reverse, risk):
    """Both ends in one array."""
    share = risk / len(np.concatenate([forward, reverse]))
    return np.array([np.max(forward) + np.log(share), np.min(reverse) - np.log(share)])


ANSWERS = {
    "retraced": (by_bayes, each_in_front),
    "reverse_error": (by_a_product, state_by_state),
    "safe_interval": (every_bound, by_arrays),
}
