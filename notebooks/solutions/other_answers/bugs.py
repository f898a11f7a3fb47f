"""Other right answers to the exercises of notebook 15."""

import numpy as np
from scipy import stats


def by_kolmogorov(refresh, rng):
    """Of a few chains, many times: the noise is normal, and nothing goes together with anything else."""
    for gamma in (0.1, 0.4, 0.9):
        v = rng.normal(size=(1000, 4, 2))
        noise = np.array([refresh(x, gamma, rng) - np.sqrt(1 - gamma) * x for x in v]) / np.sqrt(gamma)
        together = np.corrcoef(np.hstack([noise.reshape(1000, -1), v.reshape(1000, -1)]).T) - np.eye(16)
        if stats.kstest(noise.ravel(), "norm").pvalue < 1e-6 or np.abs(together).max() > 0.2:
            return False
    return True


def by_two_batches(refresh, rng):
    """The law of new and old momenta, by covariances and by quantiles."""
    for gamma in (0.05, 0.3, 1.0):
        v = rng.normal(size=(40_000, 2))
        noise = (refresh(v, gamma, rng) - np.sqrt(1 - gamma) * v) / np.sqrt(gamma)
        found = np.cov(np.hstack([noise[::2], noise[1::2], v[::2], v[1::2]]).T)
        shape = np.quantile(noise, [0.05, 0.25, 0.75, 0.95]) - stats.norm.ppf([0.05, 0.25, 0.75, 0.95])
        if np.abs(found - np.eye(8)).max() > 0.06 or np.abs(shape).max() > 0.05:
            return False
    return True


def one_move(samplers, rng):
    """One move of many exact draws, and chains that begin at one place."""
    wrong = set()
    for i, sampler in enumerate(samplers):
        x = sampler.target.sample(40_000, rng)
        y = sampler(x, rng)
        g = np.array([y[:, 0] - x[:, 0], y[:, 1] - x[:, 1], *(y**2 - x**2).T, y.prod(1) - x.prod(1)])
        if np.any(np.abs(g.mean(1)) > 4.5 * g.std(1) / 200) or np.any(np.all(x == y, axis=0)):
            wrong.add(i)
    return wrong


def by_the_exact_moments(samplers, rng):
    """Means and covariances after a few moves, beside those of the target."""
    wrong = []
    for i, sampler in enumerate(samplers):
        f = sampler.target
        x = f.sample(30_000, rng)
        y = x
        for _ in range(3):
            y = sampler(y, rng)
        far = np.abs(y.mean(0) - f.mean).max() > 0.04 or np.abs(np.cov(y.T) - f.cov).max() > 0.06
        if far or (y[:, 0] == x[:, 0]).all() or (y[:, 1] == x[:, 1]).all():
            wrong.append(i)
    return np.array(wrong)


def by_the_largest_weight(log_weights, states):
    """The share of the largest weight, pairs of chains, and the change from the first third to the last one."""
    w, n = np.exp(log_weights - log_weights.max()), states.shape[1]
    if w.max() / w.sum() > 0.5:
        return "collapsed"
    if any((states[:, i] == states[:, j]).all() for i in range(n) for j in range(i)):
        return "copies"
    if (np.diff(states, axis=0) == 0).all(axis=0).any():
        return "stuck"
    change = states[100:].mean(axis=0) - states[:100].mean(axis=0)
    return "not there yet" if abs(stats.ttest_1samp(change, 0).statistic) > 4 else "fine"


def by_sets(log_weights, states):
    """Columns as tuples."""
    chains = [tuple(chain) for chain in states.T]
    early, late = np.array_split(states, 2)
    _, p = stats.ttest_rel(early.mean(0), late.mean(0))
    seen = {
        "stuck": min(len(set(chain)) for chain in chains) == 1,
        "copies": len(set(chains)) < len(chains),
        "not there yet": p < 1e-5,
        "collapsed": np.exp(log_weights.max() - np.logaddexp.reduce(log_weights)) > 0.6,
    }
    return np.select(list(seen.values()), list(seen), "fine")


ANSWERS = {
    "refresh_test": (by_kolmogorov, by_two_batches),
    "which_are_wrong": (one_move, by_the_exact_moments),
    "what_is_wrong": (by_the_largest_weight, by_sets),
}
