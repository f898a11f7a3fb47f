"""Stepping stones: log Z along a ladder by importance sampling from each state to the next.

Xie, Lewis, Fan, Kuo and Chen, "Improving marginal likelihood estimation for Bayesian phylogenetic model selection",
Systematic Biology 60, 2011.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anneal_edu.estimate import Diagnostic, end_warnings
from anneal_edu.reweighting.density_matrix import (
    RatioResult,
    as_draws,
    as_start_log_z,
    log_ratios_by_stepping_stones,
    stones,
)
from anneal_edu.reweighting.mbar import mbar, other_states
from anneal_edu.reweighting.over_chains import as_chain_labels, error_over_chains
from anneal_edu.weights import effective_sample_size, warnings_of


@dataclass(frozen=True, eq=False, repr=False)
class SteppingStoneResult(RatioResult):
    """log Z_k of every state relative to the first, in nats.

    Attributes
    ----------
    log_z : (K+1,) array
        log Z_k - log Z_0: the first is 0; -inf where no draw before reaches a state. Low on average.
    std_error : (K+1,) array
        Standard errors of log_z by the delta method: over chains where these were named, else for independent draws.
    start_log_z : float, optional
        log Z_0, where it was given.
    upper : float
        log Z - log Z_0 of the last sampled state by the same stones the other way, high on average.
    warnings : tuple of Diagnostic
        What looks wrong; empty where nothing does.
    """

    log_z: np.ndarray
    std_error: np.ndarray
    start_log_z: float | None = None
    upper: float | None = None
    warnings: tuple[Diagnostic, ...] = ()

    def _lines(self) -> list[str]:
        return [f"log Z ratio ≈ {self.log_z[-1]:.3f}  (standard error {self.std_error[-1]:.3f})"]


@np.errstate(under="ignore")
def stepping_stone(
    log_density_matrix: np.ndarray, counts: np.ndarray, *,
    chains: np.ndarray | None = None, start_log_z: float | None = None,
) -> SteppingStoneResult:
    """Estimate log Z of every state relative to the first, by importance sampling from each sampled state to the next.

    log Z_{k+1} - log Z_k ≈ log of the mean of f_{k+1}(x) / f_k(x) over the draws of state k: what AIS does with chains
    that never equilibrate, here with draws that have. The draws of state k + 1 give the same ratio from above, and both
    together are a sandwich: where its ends do not meet, a warning says so.

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
    chains, start_log_z = as_chain_labels(chains, counts), as_start_log_z(start_log_z)
    if counts[0] == 0:
        raise ValueError("stepping stones begin at the first state, which gave no draws")
    log_z = log_ratios_by_stepping_stones(log_f, counts)
    influences = _influences(log_f, counts, log_z)
    backwards, reached = slice(None, None, -1), counts.nonzero()[0][-1]
    from_end = log_f[: reached + 1][backwards, backwards]  # the same stones, laid from the last sampled state down
    down = log_ratios_by_stepping_stones(from_end, counts[reached::-1])
    gap = influences[reached] + _influences(from_end, counts[reached::-1], down)[-1][backwards]
    n = len(gap) if chains is None else chains.max() + 1
    warnings = (
        *_unreached(log_z),
        *_worst_stone(log_f, counts),
        *end_warnings(log_z[reached], -down[-1], float(error_over_chains(gap, chains)), n),
        *other_states(log_f, counts),
        *_beyond(log_f, counts, log_z),
    )
    return SteppingStoneResult(
        log_z, error_over_chains(influences, chains), start_log_z, float(-down[-1]), warnings
    )


def _unreached(log_z: np.ndarray) -> tuple[Diagnostic, ...]:
    apart = np.flatnonzero(np.isneginf(log_z))
    if not len(apart):
        return ()
    sentence = f"no draw before it has a density under state {apart[0]}: log_z is -inf; add states between"
    return (Diagnostic("rungs never meet", sentence),)


def _beyond(log_f: np.ndarray, counts: np.ndarray, log_z: np.ndarray) -> tuple[Diagnostic, ...]:
    """Whether draws of all states see more of the last one, which gave none, than those of the state before it."""
    if counts[-1] or np.count_nonzero(counts) < 2:
        return ()
    try:
        pooled = mbar(log_f, counts)
    except ValueError:
        return ()
    if not pooled.log_z[-1] - log_z[-1] > 3 * pooled.std_error[-1]:
        return ()
    sentence = f"the last state gave no draws; those of all others together say {pooled.log_z[-1]:.2f}: take mbar"
    return (Diagnostic("ends apart", sentence),)


def _worst_stone(log_f: np.ndarray, counts: np.ndarray) -> tuple[Diagnostic, ...]:
    """Of the stone that is worth the smallest share of its draws: whether few carry it.

    Where the far end gave no draws, so that nothing comes from above, also whether its tail is heavy.
    """
    log_w = {
        (here, state): log_f[state, own] - log_f[here, own]
        for here, own, reached in stones(counts)
        for state in range(reached.start, reached.stop)
    }
    worth = {stone: effective_sample_size(w) / len(w) for stone, w in log_w.items()}
    alone = [stone for stone in log_w if counts[stone[1]] == 0]
    return tuple(
        Diagnostic(kind, f"from state {here} to {state}: {warning}")
        for kind, judged in (("collapsed weights", list(log_w)), ("heavy tail", alone))
        for here, state in sorted(judged, key=worth.__getitem__)[:1]
        for warning in warnings_of(log_w[here, state], unit="states", advice="add states between")
        if warning.kind == kind
    )


def _influences(log_f: np.ndarray, counts: np.ndarray, log_z: np.ndarray) -> np.ndarray:
    """What every draw contributes to log_z, to first order: (K+1, N); NaN where that is -inf."""
    found = np.zeros_like(log_f)
    with np.errstate(invalid="ignore"):  # -inf - (-inf), which is not to be known
        for here, own, reached in stones(counts):
            found[reached] = found[here]
            relative = log_f[reached, own] - log_f[here, own] - (log_z[reached] - log_z[here])[:, None]
            found[reached, own] = (np.exp(relative) - 1) / counts[here]
    return found
