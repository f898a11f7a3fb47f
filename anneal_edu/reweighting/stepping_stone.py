"""Stepping stones: log Z along a ladder by importance sampling from each state to the next.

Xie, Lewis, Fan, Kuo and Chen, "Improving marginal likelihood estimation for Bayesian phylogenetic model selection",
Systematic Biology 60, 2011.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from anneal_edu.estimate import Diagnostic, end_warnings
from anneal_edu.reweighting.mbar import mbar, rough_log_z
from anneal_edu.reweighting.over_chains import RatioResult, as_draws, error_over_chains
from anneal_edu.weights import effective_sample_size, logsumexp, warnings_of


@dataclass(frozen=True, eq=False, repr=False)
class SteppingStoneResult(RatioResult):
    """log Z_k of every state relative to the first, in nats.

    Attributes
    ----------
    log_z : (K+1,) array
        log Z_k - log Z_0: the first is 0; -inf if no draw before reaches a state. Low on average.
    std_error : (K+1,) array
        Standard errors of log_z by the delta method: over chains if these are named, else for independent draws.
    start_log_z : float, optional
    upper : float
        log Z - log Z_0 of the last sampled state by the same stones downwards, high on average.
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

    log Z_{k+1} - log Z_k ≈ log of the mean of f_{k+1}(x) / f_k(x) over the draws of state k. AIS does the same with
    chains that never equilibrate. The draws of state k + 1 give the same ratio from above, and both together are a
    sandwich: a warning says if its ends do not meet. The arguments are those of `mbar`; a state without draws is
    reached from the sampled one before it.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> ae.stepping_stone(np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 2.0]]), [2, 1]).log_z
    array([0., 1.])
    """
    log_f, counts, chains, start_log_z = as_draws(log_density_matrix, counts, chains, start_log_z)
    if counts[0] == 0:
        raise ValueError("stepping stones begin at the first state, which gave no draws")
    log_z, influences = _climb(log_f, counts)
    backwards, last = slice(None, None, -1), counts.nonzero()[0][-1]
    down, of_down = _climb(log_f[: last + 1][backwards, backwards], counts[last::-1])
    gap = influences[last] + of_down[-1][backwards]
    n = len(gap) if chains is None else chains.max() + 1
    warnings = (
        *_unreached(log_z),
        *_worst_stone(log_f, counts),
        *end_warnings(log_z[last], -down[-1], float(error_over_chains(gap, chains)), n),
        *rough_log_z(log_f, counts)[1],
        *_beyond(log_f, counts, log_z),
    )
    error = error_over_chains(influences, chains)
    return SteppingStoneResult(log_z, error, start_log_z, float(-down[-1]), warnings)


def _stones(counts: np.ndarray) -> Iterator[tuple[int, slice, slice]]:
    """Each sampled state, its columns, and the states reached from it: those up to the next sampled one, or the end."""
    sampled, ends = np.flatnonzero(counts), np.cumsum(counts)
    for here, after in zip(sampled.tolist(), [*sampled[1:].tolist(), len(counts) - 1], strict=True):
        yield here, slice(ends[here] - counts[here], ends[here]), slice(here + 1, after + 1)


@np.errstate(invalid="ignore")  # -inf - (-inf): the influence on a log Z of -inf is NaN
def _climb(log_f: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """log Z_k - log Z_0, (K+1,), and what every draw contributes to it, to first order, (K+1, N)."""
    log_z, influences = np.zeros(len(counts)), np.zeros_like(log_f)
    for here, own, reached in _stones(counts):
        log_w = log_f[reached, own] - log_f[here, own]
        ratio = logsumexp(log_w, axis=1) - np.log(counts[here])
        log_z[reached] = log_z[here] + ratio
        influences[reached] = influences[here]
        influences[reached, own] = (np.exp(log_w - ratio[:, None]) - 1) / counts[here]
    return log_z, influences


def _unreached(log_z: np.ndarray) -> tuple[Diagnostic, ...]:
    if not np.isneginf(log_z).any():
        return ()
    state = int(np.isneginf(log_z).argmax())
    sentence = f"no draw before it has a density under state {state}: log_z is -inf; add states between"
    return (Diagnostic("rungs never meet", sentence),)


def _beyond(log_f: np.ndarray, counts: np.ndarray, log_z: np.ndarray) -> tuple[Diagnostic, ...]:
    """If the last state gave no draws: whether all others together find more of its Z than the one before it."""
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
    """Whether few draws carry the stone with the smallest share of effective draws.

    Of the stones whose far end gave no draws, so that nothing comes from above, also whether the tail is heavy.
    """
    log_w = {
        (here, state): log_f[state, own] - log_f[here, own]
        for here, own, reached in _stones(counts)
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
