"""Draws of several states: checks, error bars over chains, and the result that ratios of Z share.

Draws of one chain depend on each other, those of two chains do not. To first order an estimate moves by the sum of what
every draw contributes to it, its *influence*. Added up chain by chain, influences are independent, and their mean is
zero:

    std_error² = C / (C - 1) Σ_c (Σ_{n in chain c} influence_n)²,  C chains.

This is the infinitesimal jackknife with whole chains in place of draws  (Jaeckel, "The infinitesimal jackknife", Bell
Laboratories, 1972; Liang and Zeger, "Longitudinal data analysis using generalized linear models", Biometrika 73, 1986).
With C chains an error bar is itself uncertain by a factor of about 1 ± 1 / √(2 C).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from anneal_edu.estimate import Estimate, Result
from anneal_edu.validation import as_count, as_finite_array, as_number, as_real, require_shape, require_unmasked


def by_rungs(rungs: np.ndarray, n_rungs: int) -> tuple[np.ndarray, np.ndarray]:
    """The order that puts draws of rung 0 first, then those of rung 1, and so on; and their counts."""
    return np.argsort(rungs, kind="stable"), np.bincount(rungs, minlength=n_rungs)


def as_draws(
    matrix: np.ndarray, counts: np.ndarray, chains: npt.ArrayLike | None, start_log_z: float | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, float | None]:
    """The arguments of an estimator from draws, checked; the chains are numbered 0, 1, …"""
    log_f = as_real("log_density_matrix", matrix)
    if log_f.ndim == 2 and np.shape(counts) == log_f.shape[1:] != log_f.shape[:1]:
        raise ValueError(f"log_density_matrix must have shape (K+1, N), got {log_f.shape}: turned over? Hand in its .T")
    if log_f.ndim != 2 or len(log_f) < 2 or log_f.shape[1] == 0:
        raise ValueError(f"log_density_matrix must have shape (K+1, N), at least two states, got {log_f.shape}")
    if np.isnan(log_f).any() or (log_f == np.inf).any():
        raise ValueError("log_density_matrix must not hold NaN or +inf")
    require_unmasked("counts", counts)
    counts = np.asarray(counts)
    require_shape("counts", counts, (len(log_f),))
    counts = np.array([as_count("every entry of counts", n, minimum=0) for n in counts.tolist()])
    if counts.sum() != log_f.shape[1]:
        raise ValueError(f"counts must add up to the {log_f.shape[1]} columns of the matrix, got {counts.sum()}")
    origin = np.repeat(np.arange(len(counts)), counts)
    if np.isneginf(log_f[origin, np.arange(len(origin))]).any():
        raise ValueError("a draw has density zero under the state that it is said to come from: are columns in order?")
    if start_log_z is not None and not np.isfinite(start_log_z := as_number("start_log_z", start_log_z)):
        raise ValueError(f"start_log_z must be finite, got {start_log_z}")
    return log_f, counts, None if chains is None else _as_labels(chains, counts), start_log_z


def _as_labels(chains: npt.ArrayLike, counts: np.ndarray) -> np.ndarray:
    """Which chain every draw came from, numbered from 0, (N,); at least two chains for every sampled state."""
    labels = as_finite_array("chains", chains, ndim=1)
    require_shape("chains", labels, (int(counts.sum()),))
    if (labels != np.round(labels)).any():
        raise ValueError("chains must hold whole numbers, the same for all draws of one chain")
    names, labels = np.unique(labels, return_inverse=True)
    if len(names) < 2:
        raise ValueError("chains must name at least two chains, got 1: one chain alone has no error bar")
    for state, of_state in enumerate(np.split(labels, np.cumsum(counts)[:-1])):
        if len(of_state) > 1 and (of_state == of_state[0]).all():
            raise ValueError(
                f"chains must name two chains at least for every state, got one for state {state}: of a single run "
                "name blocks, each longer than what it remembers, as chains"
            )
    return labels


def chain_sums(influences: np.ndarray, chains: np.ndarray) -> np.ndarray:
    """Influences (..., N) added up chain by chain, times √(C / (C - 1)): (..., C); their products are covariances."""
    n = chains.max() + 1
    order = np.argsort(chains, kind="stable")
    sums = np.add.reduceat(influences[..., order], np.searchsorted(chains[order], np.arange(n)), axis=-1)
    return sums * np.sqrt(n / (n - 1))


def error_over_chains(influences: np.ndarray, chains: np.ndarray | None) -> np.ndarray:
    """Standard error of sums of influences (..., N): over chains, or, without labels, for independent draws."""
    independent = influences if chains is None else chain_sums(influences, chains)
    return np.sqrt((independent**2).sum(-1))


class RatioResult(Result):
    """log Z of every state relative to the first, log_z (K+1,), and log Z of the first, start_log_z, if it is known."""

    start_log_z: float | None

    @property
    def estimate(self) -> Estimate:
        """log Z of the last state, the target; ValueError without start_log_z."""
        if self.start_log_z is None:
            raise ValueError(
                "the draws tell ratios only: give the estimator log Z of the first state, start_log_z, or 0 for ratios"
            )
        ratio = super().estimate
        return Estimate(self.start_log_z + ratio.log_z, ratio.std_error, ratio.warnings)
