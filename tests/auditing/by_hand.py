"""A distribution and moves for questions of an audit that are answered by hand."""

from itertools import product

import numpy as np
from scipy.special import logsumexp


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


class Coupled:
    """Log f = Σ_{i<j} J_ij [x_i = x_j] on discrete values, and a Gibbs sweep one by one, or wrongly all at once."""

    discrete = True

    def __init__(self, values, dim, at_once=False, rare=0.0):
        self.values, self.dim, self.at_once, self.binary = np.array(values), dim, at_once, values == (0.0, 1.0)
        couplings = np.triu(rng(1).normal(size=(dim, dim)), 1)
        self.couplings, self.field = couplings + couplings.T, np.where(np.arange(len(values)) == 0, -rare, 0.0)
        self.states = np.array(list(product(self.values, repeat=dim)))

    def log_density(self, x):
        terms = zip(self.values, self.field, strict=True)
        return sum(((x == v) * ((x == v) @ self.couplings / 2 + h)).sum(-1) for v, h in terms)

    def log_z(self):
        return logsumexp(self.log_density(self.states))

    def sample(self, n, rng):
        return self.states[rng.choice(len(self.states), n, p=np.exp(self.log_density(self.states) - self.log_z()))]

    def gibbs(self, x, rng):
        x = x.copy()
        seen = x.copy() if self.at_once else x
        for i in range(self.dim):
            scores = (seen[:, None] == self.values[:, None]) @ self.couplings[i] + self.field
            x[:, i] = self.values[np.argmax(scores + rng.gumbel(size=scores.shape), axis=1)]
        return x
