"""A distribution and moves for questions of an audit that are answered by hand."""

import numpy as np


def rng(seed=0):
    return np.random.default_rng(seed)


class Normal:
    """Independent standard normal coordinates."""

    def __init__(self, dim):
        self.dim = dim

    def sample(self, n, rng):
        return rng.standard_normal((n, self.dim))


def jitter(world, x, rng):
    return x + 0.5 * rng.standard_normal(x.shape)
