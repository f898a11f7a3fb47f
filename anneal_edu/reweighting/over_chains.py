"""Error bars for draws of chains: draws of one chain depend on each other, those of two chains do not.

To first order an estimate moves by the sum of what every draw contributes to it, its *influence*. Added up chain by
chain, influences are independent, whatever the draws of a chain have to do with each other, and their mean is zero:

    std_error² = C / (C - 1) Σ_c (Σ_{n in chain c} influence_n)²,  C chains.

This is the infinitesimal jackknife with whole chains in place of draws  (Jaeckel, "The infinitesimal jackknife", Bell
Laboratories, 1972; Liang and Zeger, "Longitudinal data analysis using generalized linear models", Biometrika 73, 1986).
With C chains an error bar is itself uncertain by a factor of about 1 ± 1 / √(2 C).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from anneal_edu.validation import as_finite_array, require_shape


def by_rungs(rungs: np.ndarray, n_rungs: int) -> tuple[np.ndarray, np.ndarray]:
    """The order that puts draws of rung 0 first, then those of rung 1, and so on; and their counts.

    Examples
    --------
    >>> import numpy as np
    >>> by_rungs(np.array([1, 0, 1]), 2)
    (array([1, 0, 2]), array([1, 2]))
    """
    return np.argsort(rungs, kind="stable"), np.bincount(rungs, minlength=n_rungs)


def as_chain_labels(chains: npt.ArrayLike | None, counts: np.ndarray) -> np.ndarray | None:
    """Which chain every draw came from, (N,) of whole numbers, two at least for every sampled state; or None."""
    if chains is None:
        return None
    labels = as_finite_array("chains", chains, ndim=1)
    require_shape("chains", labels, (int(counts.sum()),))
    if (labels != np.round(labels)).any():
        raise ValueError("chains must hold whole numbers, the same for all draws of one chain")
    names, labels = np.unique(labels, return_inverse=True)
    if len(names) < 2:
        raise ValueError("chains must name at least two chains, got 1: how much it errs can only another one tell")
    for state, of_state in enumerate(np.split(labels, np.cumsum(counts)[:-1])):
        if len(of_state) > 1 and (of_state == of_state[0]).all():
            raise ValueError(
                f"chains must name two chains at least for every state, got one for state {state}: of a single run "
                "name blocks, each longer than what it remembers, as chains"
            )
    return labels


def chain_sums(influences: np.ndarray, chains: np.ndarray) -> np.ndarray:
    """Influences (..., N) added up chain by chain, times √(C / (C - 1)): (..., C); their products are covariances.

    Labels (N,) are 0, 1, …, as `as_chain_labels` makes them.

    Examples
    --------
    >>> import numpy as np
    >>> chain_sums(np.array([1.0, 1.0, -1.0, -1.0]), np.array([0, 0, 1, 1])).round(2)
    array([ 2.83, -2.83])
    """
    n = chains.max() + 1
    order = np.argsort(chains, kind="stable")
    sums = np.add.reduceat(influences[..., order], np.searchsorted(chains[order], np.arange(n)), axis=-1)
    return sums * np.sqrt(n / (n - 1))


def error_over_chains(influences: np.ndarray, chains: np.ndarray | None) -> np.ndarray:
    """Standard error of sums of influences (..., N): over chains, or, without labels, for independent draws.

    Examples
    --------
    >>> import numpy as np
    >>> error_over_chains(np.array([1.0, 1.0, -1.0, -1.0]), np.array([0, 0, 1, 1])).round(6)
    np.float64(4.0)
    """
    independent = influences if chains is None else chain_sums(influences, chains)
    return np.sqrt((independent**2).sum(-1))
