"""Stepping stones: log Z along a ladder by importance sampling from each state to the next.

Xie, Lewis, Fan, Kuo and Chen, "Improving marginal likelihood estimation for Bayesian phylogenetic model selection",
Systematic Biology 60, 2011.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy.special import logsumexp

from anneal_edu.estimate import Caveat, Estimate
from anneal_edu.reweighting.density_matrix import as_draws, as_start_log_z, estimate_from_ratios
from anneal_edu.reweighting.over_chains import as_chain_labels, error_over_chains


@dataclass(frozen=True, eq=False)
class SteppingStoneResult:
    """log Z_k of every state relative to the first, in nats.

    Attributes
    ----------
    log_z : (K+1,) array
        log Z_k - log Z_0: the first is 0; -inf where no draw before reaches a state.
    std_error : (K+1,) array
        Standard errors of log_z by the delta method: over chains where these were named, else for independent draws.
    start_log_z : float, optional
        log Z_0, where it was given.
    """

    log_z: np.ndarray
    std_error: np.ndarray = field(repr=False)
    start_log_z: float | None = None

    @property
    def warnings(self) -> tuple[Caveat, ...]:
        """What looks wrong; empty where nothing does."""
        apart = np.flatnonzero(np.isneginf(self.log_z))
        if not len(apart):
            return ()
        sentence = f"no draw before it has a density under state {apart[0]}: log_z is -inf; add states between"
        return (Caveat("rungs never meet", sentence),)

    @property
    def estimate(self) -> Estimate:
        """log Z of the last state, the target: the face that all results share; ValueError without start_log_z."""
        return estimate_from_ratios(self.start_log_z, self.log_z, self.std_error, self.warnings)

    def __str__(self) -> str:
        lines = [f"log Z ratio ≈ {self.log_z[-1]:.3f}  (standard error {self.std_error[-1]:.3f})"]
        return "\n".join(lines + [f"warning: {sentence}" for sentence in self.warnings])


def stepping_stone(
    log_density_matrix: np.ndarray,
    counts: np.ndarray,
    *,
    chains: np.ndarray | None = None,
    start_log_z: float | None = None,
) -> SteppingStoneResult:
    """Estimate log Z of every state relative to the first, by importance sampling from each sampled state to the next.

    log Z_{k+1} - log Z_k ≈ log of the mean of f_{k+1}(x) / f_k(x) over the draws of state k: what AIS does with chains
    that never equilibrate, here with draws that have.

    Parameters
    ----------
    log_density_matrix : (K+1, N) array
        Log f_k(x_n); columns of state 0 first, then of state 1, and so on.
    counts : (K+1,) array of int
        Draws of each state. One that gave none is reached from the sampled one before it.
    chains : (N,) array of int, optional
        Which chain each column came from; without it the error bars take all draws for independent.
    start_log_z : float, optional
        log Z of the first state, where it is known: ``estimate`` adds it to the ratio.

    Returns
    -------
    SteppingStoneResult

    Raises
    ------
    ValueError
        Where shapes, counts or chains do not fit, there is one chain only, or the first state was not sampled.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> ae.stepping_stone(np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 2.0]]), [2, 1]).log_z
    array([0., 1.])
    """
    log_f, counts = as_draws(log_density_matrix, counts)
    chains, start_log_z = as_chain_labels(chains, log_f.shape[1]), as_start_log_z(start_log_z)
    if counts[0] == 0:
        raise ValueError("stepping stones begin at the first state, which gave no draws")
    log_z = log_ratios_by_stepping_stones(log_f, counts)
    influences = _influences(log_f, counts, log_z)
    return SteppingStoneResult(log_z, error_over_chains(influences, chains), start_log_z)


def _stones(counts: np.ndarray) -> Iterator[tuple[int, slice, slice]]:
    """Each sampled state, its columns, and the states that are reached from it: the next sampled one, those between."""
    sampled, ends = np.flatnonzero(counts), np.cumsum(counts)
    for here, after in zip(sampled.tolist(), [*sampled[1:].tolist(), len(counts) - 1], strict=True):
        yield here, slice(ends[here] - counts[here], ends[here]), slice(here + 1, after + 1)


def log_ratios_by_stepping_stones(log_f: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """log Z_k - log Z_0 of a matrix (K+1, N) and its counts (K+1,), both checked: (K+1,)."""
    log_z = np.zeros(len(counts))
    for here, own, reached in _stones(counts):
        log_w = log_f[reached, own] - log_f[here, own]
        log_z[reached] = log_z[here] + logsumexp(log_w, axis=1) - np.log(counts[here])
    return log_z


def _influences(log_f: np.ndarray, counts: np.ndarray, log_z: np.ndarray) -> np.ndarray:
    """What every draw contributes to log_z, to first order: (K+1, N); NaN where that is -inf."""
    found = np.zeros_like(log_f)
    with np.errstate(invalid="ignore"):  # -inf - (-inf), which is not to be known
        for here, own, reached in _stones(counts):
            found[reached] = found[here]
            relative = log_f[reached, own] - log_f[here, own] - (log_z[reached] - log_z[here])[:, None]
            found[reached, own] = (np.exp(relative) - 1) / counts[here]
    return found
