"""Beyond Kiwaki and Aihara (2015): the distribution of AIS weights where a mode is rare, computed without sampling."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.special import expit

from anneal_edu.distributions import GaussianRBM
from anneal_edu.paths.covariance import GaussianRBMPath

_V = np.linspace(-16.0, 26.0, 2000)  # states of the one visible unit
_BIN = 0.005
_LOG_W = np.arange(-1800, 4400) * _BIN  # of log w - log Z


def rare_mode() -> GaussianRBM:
    """D = 1, H = 1: 99% of the mass around 0, and 1% in a mode 10 sigma away."""
    return GaussianRBM([[10.0]], [0.0], [np.log(0.01 / 0.99) - 50.0], [1.0])


def _spread(change: np.ndarray, probability: np.ndarray) -> tuple[int, np.ndarray]:
    """Probabilities of changes of log w in bins, each change shared by the two bins around it; number of the first."""
    change, probability = change[probability > 1e-20] / _BIN, probability[probability > 1e-20]
    left = np.floor(change).astype(int)
    first, right = left.min(), change - left
    left, size = left - first, left.max() - first + 2
    return first, np.bincount(left, probability * (1 - right), size) + np.bincount(left + 1, probability * right, size)


def weight_distribution(path: GaussianRBMPath, schedule: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distribution of log w - log Z of AIS by Gibbs steps, computed and not sampled, for one unit of either kind.

    After a Gibbs step a chain's future depends only on its hidden unit h. So the chains are two distributions of log w,
    one for each h; a step weighs v, drawn from p(v | h), and passes the mass on to the h' drawn from p(h' | v).
    Returned are bins of log w - log Z (n,), 0.005 wide, and the probability (2, n) that a chain ends there with each h.
    """
    before = path(schedule[0])
    chains = [np.exp(before.log_density(_V[:, None]) - before.log_z()) * (_V[1] - _V[0])]  # of v, one for each state
    first, begin = _spread(np.array([before.log_z() - path(1.0).log_z()]) - _LOG_W[0], np.ones(1))
    mass = np.zeros((1, len(_LOG_W)))
    mass[0, first : first + 2] = begin
    for was, now in pairwise(map(path, schedule)):
        change = now.log_density(_V[:, None]) - was.log_density(_V[:, None])
        on = expit(now.hidden_field(_V[:, None])[:, 0])
        after = np.zeros((2, len(_LOG_W)))
        for m, v in zip(mass, chains, strict=True):
            for h, p in enumerate((1 - on, on)):
                first, kernel = _spread(change, v * p)
                start = max(first, 0)
                moved = np.convolve(m, kernel)[start - first :]
                n = min(len(moved), len(_LOG_W) - start)
                after[h, start : start + n] += moved[:n]
        mass = after
        away = _V - now.visible_mean(np.array([[0.0], [1.0]]))  # (2, n)
        chains = np.exp(-0.5 * away**2 * now.precision)
        chains /= chains.sum(1, keepdims=True)
    return _LOG_W, mass


def rms_of_runs(log_w: np.ndarray, probability: np.ndarray, n_chains: int, rng: np.random.Generator) -> float:
    """Root mean square of log Ẑ - log Z over many runs, each of chains with weights from this distribution.

    Chains that weigh at most 5 Z are many, and their sum is normal; the others are rare, and are drawn one by one.
    """
    w, p, n_runs = np.exp(log_w), probability, 2_000_000
    rare = w > 5
    mean = (p * w)[~rare].sum() / p[~rare].sum()
    variance = (p * (w - mean) ** 2)[~rare].sum() / p[~rare].sum()
    n_rare = rng.binomial(n_chains, p[rare].sum(), n_runs)
    sums = (n_chains - n_rare) * mean + np.sqrt((n_chains - n_rare) * variance) * rng.standard_normal(n_runs)
    if n_rare.any():
        drawn = rng.choice(w[rare], n_rare.sum(), p=p[rare] / p[rare].sum())
        sums += np.bincount(np.repeat(np.arange(n_runs), n_rare), drawn, n_runs)
    return float(np.sqrt(np.mean(np.log(sums / n_chains) ** 2)))
