"""The density of every state on every rung, the one matrix behind RTS, MBAR and TI, and its derivative with β."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anneal_edu.estimate import Estimate, Result
from anneal_edu.kernels import difference
from anneal_edu.paths.capabilities import Path, offered
from anneal_edu.paths.ladder import Ladder
from anneal_edu.validation import (
    as_chains,
    as_count,
    as_number,
    as_real,
    as_schedule,
    log_density_of,
    require_path,
    require_shape,
    require_unmasked,
)
from anneal_edu.weights import logsumexp
from anneal_edu.workers import require_room

_STEP = 1e-4  # in β; the difference is accurate to about 1e-8


def log_density_matrix(path: Path, schedule: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Log f_k(x_n), the unnormalised density of every state on every rung: all that MBAR, TI and their kin need.

    Parameters
    ----------
    path : callable, beta -> Distribution
    schedule : (K+1,) array
        The rungs, rising from 0 to 1.
    x : (N, D) array
        States, from whatever rungs. Estimators that ask for ``counts`` want those of rung 0 first, then those of rung
        1, and so on.

    Returns
    -------
    (K+1, N) array
        In nats; -inf outside the support of a rung.

    Raises
    ------
    ValueError
        Where the schedule does not rise from 0 to 1, the states do not fit the path, or a density is NaN or +inf.
    MemoryError
        Where (K+1) N numbers of 8 bytes are more than the machine can hold.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([4.0], [[1.0]]))
    >>> ae.log_density_matrix(path, ae.linear_schedule(2), np.array([[0.0], [2.0], [4.0]])).round(1)
    array([[-0.9, -2.9, -8.9],
           [-4.9, -2.9, -4.9],
           [-8.9, -2.9, -0.9]])
    """
    require_path(path)
    schedule, x = as_schedule("schedule", schedule), as_chains("x", x, path(0.0).dim)
    require_room("the matrix of log densities", (len(schedule), len(x)), "take every so-many-th state")
    return Ladder(path, schedule).log_density(x)


def as_draws(log_density_matrix: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A matrix log f_k(x_n) (K+1, N) and the number of its columns that each state gave, both checked."""
    log_f = as_real("log_density_matrix", log_density_matrix)
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
    return log_f, counts


def stones(counts: np.ndarray) -> Iterator[tuple[int, slice, slice]]:
    """Each sampled state, its columns, and the states that are reached from it: the next sampled one, those between."""
    sampled, ends = np.flatnonzero(counts), np.cumsum(counts)
    for here, after in zip(sampled.tolist(), [*sampled[1:].tolist(), len(counts) - 1], strict=True):
        yield here, slice(ends[here] - counts[here], ends[here]), slice(here + 1, after + 1)


def log_ratios_by_stepping_stones(log_f: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """log Z_k - log Z_0 of a matrix (K+1, N) and its counts (K+1,), both checked: (K+1,)."""
    log_z = np.zeros(len(counts))
    for here, own, reached in stones(counts):
        log_w = log_f[reached, own] - log_f[here, own]
        log_z[reached] = log_z[here] + logsumexp(log_w, axis=1) - np.log(counts[here])
    return log_z


def as_start_log_z(value: float | None) -> float | None:
    """log Z of the first state, a finite number, or None where it is not known."""
    if value is not None and not np.isfinite(value := as_number("start_log_z", value)):
        raise ValueError(f"start_log_z must be finite, got {value}")
    return value


class RatioResult(Result):
    """log Z of every state relative to the first, log_z (K+1,), and start_log_z, that one's, where it is known."""

    start_log_z: float | None

    @property
    def estimate(self) -> Estimate:
        """log Z of the last state, the target: the face that all results share; ValueError without start_log_z."""
        if self.start_log_z is None:
            raise ValueError(
                "the draws tell ratios only: give the estimator log Z of the first state, start_log_z, or 0 for ratios"
            )
        ratio = super().estimate
        return Estimate(self.start_log_z + ratio.log_z, ratio.std_error, ratio.warnings)


def log_density_slopes(path: Path, schedule: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Δ_k(x_n) = d/dβ log f_β(x_n) at β_k: its mean over p_k is the slope of log Z, for thermodynamic integration.

    A geometric path between densities of x has Δ = log f_1 - log f_0 on every rung; between binary RBMs it is known.
    Elsewhere Δ is taken from differences of log f in float64, one-sided at the two ends.

    Parameters
    ----------
    path : callable, beta -> Distribution
    schedule : (K+1,) array
        The rungs, rising from 0 to 1.
    x : (N, D) array
        States.

    Returns
    -------
    (K+1, N) array

    Raises
    ------
    ValueError
        As `log_density_matrix`; also where a state lies outside the support of a rung, and has no slope.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([4.0], [[1.0]]))
    >>> ae.log_density_slopes(path, ae.linear_schedule(1), np.array([[0.0], [2.0], [4.0]])).round(6)
    array([[-8.,  0.,  8.],
           [-8.,  0.,  8.]])
    """
    require_path(path)
    schedule = as_schedule("schedule", schedule)
    x = as_chains("x", x, path(0.0).dim)
    if (closed_form := offered(path, "log_density_slopes")) is not None:
        return closed_form(schedule, x)
    x = x.astype(np.float64)

    def log_f(beta: float) -> np.ndarray:
        return log_density_of(path(float(beta)), x, beta)

    def slope(beta: float) -> np.ndarray:
        inside = min(max(beta, _STEP), 1 - _STEP)
        low, middle, high = log_f(inside - _STEP), log_f(inside), log_f(inside + _STEP)
        # the derivative at β of the parabola through three points
        return (high - low) / (2 * _STEP) + (beta - inside) * (high - 2 * middle + low) / _STEP**2

    if offered(path, "linear"):
        slopes = np.tile(difference(log_f(1), log_f(0)), (len(schedule), 1))
    else:
        slopes = np.stack([slope(float(beta)) for beta in schedule])
    if not np.isfinite(slopes).all():
        raise ValueError("a state lies where log f is not finite on some rung: it has no slope there")
    return slopes
