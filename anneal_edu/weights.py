"""Estimates from importance weights, their standard errors, and diagnostics.

All functions take *log* weights (C,) in nats. The largest is subtracted before any is exponentiated.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

from anneal_edu.estimate import SINGLE_CHAIN, Diagnostic
from anneal_edu.validation import as_count, as_real, require_generator

logsumexp = np.errstate(under="ignore")(special.logsumexp)  # tiny terms become 0, whatever the caller makes of others
_MOST_RESAMPLED = 100_000
_NUMBERS_AT_ONCE = 30_000  # of a few resamples together: they fit into a cache


def as_log_weights(log_weights: npt.ArrayLike) -> np.ndarray:
    """Return log weights as a float64 vector; -inf (a weight of zero) is allowed, NaN and +inf are not."""
    lw = as_real("log_weights", log_weights)
    if lw.ndim != 1 or lw.size == 0:
        raise ValueError(f"log_weights must be a vector with at least one entry, got shape {lw.shape}")
    if np.isnan(lw).any() or (lw == np.inf).any():
        raise ValueError("log_weights must not hold NaN or +inf")
    return lw


@np.errstate(under="ignore")
def log_mean_exp(log_weights: npt.ArrayLike) -> float:
    """Log of the mean weight, log (1/C) Σ_i exp(log w_i), the importance-sampling estimate of log Z.

    Its exponential is unbiased for Z; the logarithm itself is low on average (Jensen's inequality).

    Examples
    --------
    >>> import anneal_edu as ae
    >>> round(ae.log_mean_exp([1000.0, 1000.0]), 3)
    1000.0
    """
    lw = as_log_weights(log_weights)
    top = lw.max()
    if top == -np.inf:
        return -np.inf
    return float(top + np.log(np.mean(np.exp(lw - top))))


def systematic_resample(log_weights: npt.ArrayLike, rng: np.random.Generator) -> np.ndarray:
    """Systematic resampling: the indices of the chains that go on, (C,) of int.

    One uniform number decides for all. With w_i the share of chain i in the weight, it is taken ⌊C w_i⌋ or ⌈C w_i⌉
    times, C w_i on average  (Kitagawa 1996).
    """
    shares = np.cumsum(normalised_weights(log_weights))
    points = (rng.random() + np.arange(len(shares))) * shares[-1] / len(shares)
    return np.searchsorted(shares, points, side="right")


@np.errstate(under="ignore")
def normalised_weights(log_weights: npt.ArrayLike) -> np.ndarray:
    """Weights rescaled to mean 1, w* = w / mean(w), (C,); all zero if every weight is zero.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> ae.normalised_weights([1000.0, 1000.0])
    array([1., 1.])
    """
    lw = as_log_weights(log_weights)
    top = lw.max()
    if top == -np.inf:
        return np.zeros_like(lw)
    w = np.exp(lw - top)
    return w / w.mean()


def effective_sample_size(log_weights: npt.ArrayLike) -> float:
    """Effective sample size, the number of equally weighted draws that tell as much: from 1 to C.

    ESS = C / (1 + s²(w*)), with w* the weights normalised to mean 1 (Grosse et al. 2013, footnote 1; Kiwaki and
    Aihara 2015, Eq. 6). s² is the population variance, so that the value equals (Σw)²/Σw². It is 0 if every weight is
    zero. A high ESS does not prove that every mode was found: chains that all missed one agree with each other.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> round(ae.effective_sample_size([0.0, 0.0, 0.0, -1000.0]), 6)
    3.0
    """
    w = normalised_weights(log_weights)
    if not w.any():
        return 0.0
    return float(len(w) / (1 + w.var()))


def log_mean_exp_std_error(log_weights: npt.ArrayLike) -> float:
    """Standard error of log mean w by the delta method, sd(w*) / √C; infinite for a single chain."""
    w = normalised_weights(log_weights)
    if len(w) < 2 or not w.any():
        return float("inf")
    return float(w.std(ddof=1) / np.sqrt(len(w)))


@np.errstate(under="ignore")
def bootstrap_log_mean_exp(
    log_weights: npt.ArrayLike, n_resamples: int = 1000, *, rng: np.random.Generator
) -> np.ndarray:
    """Bootstrap distribution of log Ẑ: the log mean weight of resamples of the chains, (n_resamples,)."""
    lw = as_log_weights(log_weights)
    n_resamples = as_count("n_resamples", n_resamples)
    require_generator(rng)
    top = lw.max()
    if top == -np.inf:
        return np.full(n_resamples, -np.inf)
    w = np.exp(lw - top)
    if len(w) > _MOST_RESAMPLED:  # means of groups of chains, drawn at random, are resampled as well, and sooner
        first = np.linspace(0, len(w), _MOST_RESAMPLED, endpoint=False, dtype=int)
        w = np.add.reduceat(rng.permutation(w), first) * (_MOST_RESAMPLED / len(w))
    at_once = max(1, _NUMBERS_AT_ONCE // len(w))
    sizes = [min(at_once, n_resamples - done) for done in range(0, n_resamples, at_once)]
    means = np.concatenate([w[rng.integers(len(w), size=(n, len(w)))].mean(-1) for n in sizes])
    with np.errstate(divide="ignore"):  # a resample may miss every positive weight: log 0 = -inf
        return top + np.log(means)


def larger_ess_p_value(log_weights: npt.ArrayLike, others: npt.ArrayLike, *, rng: np.random.Generator) -> float:
    """p-value of "the first effective sample size is not the larger one", by bootstrap  (Grosse et al. 2013, Table 1).

    It is the share of 1,000 resamples of both sets of chains in which the first ESS does not exceed the second. The
    paper sets an ESS in bold if the largest one of its column is not significantly larger, p ≥ 0.05.
    """
    first, second = as_log_weights(log_weights), as_log_weights(others)
    require_generator(rng)

    def resampled_ess(lw: np.ndarray) -> float:
        return effective_sample_size(lw[rng.integers(len(lw), size=len(lw))])

    not_larger = sum(resampled_ess(first) <= resampled_ess(second) for _ in range(1000))
    return (not_larger + 1) / 1001


@np.errstate(under="ignore")
def pareto_tail_index(log_weights: npt.ArrayLike) -> float:
    """Shape k̂ of the tail of the largest weights, as in Pareto-smoothed importance sampling.

    A generalised Pareto distribution of shape k is fitted to the largest 3√C weights (Vehtari, Simpson, Gelman, Yao and
    Gabry 2024, Algorithm 1, with the estimator of Zhang and Stephens 2009). Moments of order 1/k and above do not exist
    for such a tail: below ½ the variance of the weights is finite; above about 0.7 a few of the drawn weights carry
    their mean. NaN if fewer than 5 weights exceed the others (C below 21, or equal weights).

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> normal = np.random.default_rng(0).normal(size=1000)
    >>> ae.pareto_tail_index(normal) < 0.5, ae.pareto_tail_index(5 * normal) > 1
    (True, True)
    """
    lw = np.sort(as_log_weights(log_weights))
    n_tail = int(np.ceil(min(0.2 * len(lw), 3 * np.sqrt(len(lw)))))
    if np.isneginf(lw[-1]):
        return float("nan")
    w = np.exp(lw[-n_tail - 1 :] - lw[-1])
    x = w - w[0]  # exceedances over the threshold, rising
    x = x[x > 0]
    n = len(x)
    if n < 5 or x[0] == x[-1]:
        return float("nan")
    grid = 30 + int(np.sqrt(n))
    quartile = x[int(n / 4 + 0.5) - 1]
    theta = 1 / x[-1] + (1 - np.sqrt(grid / (np.arange(1, grid + 1) - 0.5))) / (3 * quartile)
    k = np.log1p(-theta[:, None] * x).mean(1)
    log_likelihood = n * (np.log(-theta / k) - k - 1)
    posterior = np.exp(log_likelihood - log_likelihood.max())
    k_hat = np.log1p(-np.average(theta, weights=posterior) * x).mean()
    return float((n * k_hat + 10 * 0.5) / (n + 10))  # a weak prior at ½, worth ten observations


_SMALLER_STEPS = "take smaller steps, see adaptive_schedule"


@np.errstate(under="ignore")
def warnings_of(
    log_weights: npt.ArrayLike, side: str = "low", unit: str = "chains", advice: str = _SMALLER_STEPS
) -> tuple[Diagnostic, ...]:
    """Diagnostics of a set of weights; empty if nothing looks wrong.

    They warn if a few weights carry the estimate (ESS), and if the largest weights were probably not drawn
    (`pareto_tail_index` above 0.7, the limit of Vehtari et al. 2024; above 1 there is no mean). They cannot detect a
    mode that no chain has found.
    """
    lw = as_log_weights(log_weights)
    n = len(lw)
    if n == 1:
        return (SINGLE_CHAIN,)
    if np.isneginf(lw).all():
        sentence = "every weight is zero: no chain landed where the target has mass; widen the start of the path"
        return (Diagnostic("every weight is zero", sentence),)
    found = []
    share, ess = normalised_weights(lw).max() / n, effective_sample_size(lw)
    if ess < max(2.0, 0.01 * n, n / 3 if n < 21 else 0):  # of so few weights no tail can be seen
        sentence = f"{n} {unit} are worth {ess:.1f} draws, and the largest weight carries {share:.0%} of the estimate"
        found.append(Diagnostic("collapsed weights", f"collapsed weights: {sentence}; {advice}"))
    tail = pareto_tail_index(lw)
    if tail > 0.7:
        sentence = f"heavy tail: the largest weights fall off slowly (Pareto index {tail:.1f}), so that "
        if tail > 1:
            sentence += f"{unit} which were not drawn are likely to carry the mean; expect log_z to be "
        else:
            sentence += "log_z may be "
        sentence += f"too {side} and its error bar too small; {advice}"
        found.append(Diagnostic("heavy tail", sentence))
    return tuple(found)
