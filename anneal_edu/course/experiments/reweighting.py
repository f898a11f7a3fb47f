"""MBAR and thermodynamic integration with error bars that count chains, not draws: draws of one chain are no strangers.

Each function returns log Z_K - log Z_0, its standard error and warnings. An estimate moves, to first order, by the
sum of what every draw contributes to it; added up chain by chain, these contributions are independent.
"""

from __future__ import annotations

import numpy as np

from anneal_edu.reweighting.integration import rung_weights, thermodynamic_integration
from anneal_edu.reweighting.mbar import mbar, responsibilities


def by_rungs(rungs: np.ndarray, n_rungs: int) -> tuple[np.ndarray, np.ndarray]:
    """The order that puts draws of rung 0 first, then those of rung 1, and so on; and their counts.

    Examples
    --------
    >>> import numpy as np
    >>> by_rungs(np.array([1, 0, 1]), 2)
    (array([1, 0, 2]), array([1, 2]))
    """
    return np.argsort(rungs, kind="stable"), np.bincount(rungs, minlength=n_rungs)


def error_over_chains(influences: np.ndarray, chains: np.ndarray) -> float:
    """Standard error of a sum of influences (N,), of which those with the same number in ``chains`` (N,) depend.

    Examples
    --------
    >>> import numpy as np
    >>> error_over_chains(np.array([1.0, 1.0, -1.0, -1.0]), np.array([0, 0, 1, 1])).round(6)
    np.float64(4.0)
    """
    sums = np.bincount(chains, influences)
    n = len(sums)
    return np.sqrt(n / (n - 1) * (sums**2).sum()) if n > 1 else np.nan


def mbar_over_chains(
    log_f: np.ndarray, rungs: np.ndarray, chains: np.ndarray
) -> tuple[float, float, float, tuple[str, ...]]:
    """MBAR of draws (N,) with their log densities (R, N), rungs and chains.

    Returns
    -------
    log_z, std_error, naive_error, warnings
        The naive error is MBAR's own, for independent draws.
    """
    order, counts = by_rungs(rungs, len(log_f))
    log_f, rungs, chains = log_f[:, order], rungs[order], chains[order]
    result = mbar(log_f, counts)
    sampled = np.flatnonzero(counts)
    _, p = responsibilities(log_f[sampled], np.log(counts[sampled]), result.log_z[sampled])  # (R, N)
    hessian = np.diag(p.sum(1)) - p @ p.T
    ends = np.zeros(len(sampled))
    ends[-1], ends[0] = 1.0, -1.0
    direction = np.linalg.pinv(hessian, rcond=1e-12, hermitian=True) @ ends
    origin = np.searchsorted(sampled, rungs)
    influences = direction @ p + (ends / counts[sampled] - direction)[origin]  # counts that are random count too
    error = error_over_chains(influences, chains)
    return float(result.log_z[-1]), float(error), float(result.std_error[-1]), result.warnings


def ti_over_chains(
    log_f: np.ndarray,
    rungs: np.ndarray,
    chains: np.ndarray,
    schedule: np.ndarray,
    slopes: np.ndarray,
    log_z: np.ndarray | None = None,
) -> tuple[float, float, tuple[str, ...]]:
    """Thermodynamic integration, Rao-Blackwellised where log Ẑ (R,) of the run is given.

    Returns
    -------
    log_z, std_error, warnings
        The one warning is about the trapezoid rule: where its `rule_error` is above two error bars and 0.1 nats.
    """
    order, counts = by_rungs(rungs, len(log_f))
    log_f, chains, slopes = log_f[:, order], chains[order], slopes[:, order]
    result = thermodynamic_integration(
        log_f, counts, schedule, slopes, rao_blackwellized=log_z is not None, log_z=log_z
    )
    trapezoid = np.convolve(np.diff(schedule), [0.5, 0.5])  # (R,)
    influences = trapezoid @ (rung_weights(log_f, counts, log_z) * (slopes - result.mean_slopes[:, None]))
    estimate, error = float(result.log_z[-1]), float(error_over_chains(influences, chains))
    if result.rule_error > max(2 * error, 0.1):  # NaN for two rungs
        sentence = f"coarse rule: rungs this far apart cost about {result.rule_error:.1f} nats; add rungs"
        return estimate, error, (sentence,)
    return estimate, error, ()
