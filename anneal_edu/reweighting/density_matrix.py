"""The log density of every state on every rung, and its derivative with respect to β."""

from __future__ import annotations

import numpy as np

from anneal_edu.kernels import difference
from anneal_edu.paths.capabilities import Path, offered
from anneal_edu.paths.ladder import Ladder
from anneal_edu.validation import as_chains, as_schedule, log_density_of, require_path
from anneal_edu.workers import require_room

_STEP = 1e-4  # in β; the difference is accurate to about 1e-8


def log_density_matrix(path: Path, schedule: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Log f_k(x_n) of every state on every rung, (K+1, N): the input of MBAR, stepping stones and TI.

    It is unnormalised, in nats, and -inf outside the support of a rung.

    Parameters
    ----------
    path : callable, beta -> Distribution
    schedule : (K+1,) array
        The rungs, rising from 0 to 1.
    x : (N, D) array
        States, from whatever rungs. Estimators that ask for ``counts`` expect those of rung 0 first, then of rung 1,
        and so on.

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


def log_density_slopes(path: Path, schedule: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Δ_k(x_n) = d/dβ log f_β(x_n) at β_k, (K+1, N): its mean over p_k is the slope of log Z.

    It is for thermodynamic integration; the arguments are those of `log_density_matrix`. A geometric path between
    densities of x has Δ = log f_1 - log f_0 on every rung; between binary RBMs Δ is known. On other paths Δ is a
    difference quotient of log f in float64, one-sided at the two ends.

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
