"""From moments back to parameters, the inverse problem of the moment path, for RBMs small enough to enumerate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize

from anneal_edu.distributions import BinaryRBM
from anneal_edu.distributions.protocol import difference, inner
from anneal_edu.validation import as_count, as_positive, require_shape

Moments = tuple[np.ndarray, np.ndarray, np.ndarray]

_SMALLEST_SPREAD = 1e-3  # a unit that is almost always on, or off, still gets a scale


@dataclass(frozen=True, eq=False)
class MomentMatch:
    """The RBM found for given moments, and how well it has them.

    Attributes
    ----------
    rbm : BinaryRBM
    residual : float
        max |E g(v, h) - target| over all of E v, E h and E v hᵀ; after a fit by chains, as these estimate it.
    converged : bool or None
        Whether the residual is within the tolerance asked for; None for a fit by chains, which asks for none.
    n_evaluations : int
        How often the moments were computed.
    """

    rbm: BinaryRBM = field(repr=False)
    residual: float
    converged: bool | None
    n_evaluations: int


Fit = Callable[[Moments, BinaryRBM], MomentMatch]


def as_moments(moments: Moments, like: BinaryRBM) -> Moments:
    """Return moments as float64 arrays of the shapes that an RBM like this one has, every entry a probability."""
    target = tuple(np.asarray(s, dtype=np.float64) for s in moments)
    for name, s, eta in zip(("E v", "E h", "E v hᵀ"), target, like.natural_parameters(), strict=True):
        require_shape(name, s, eta.shape)
        if not ((s >= 0) & (s <= 1)).all():
            raise ValueError(f"{name} must hold probabilities, got values from {s.min()} to {s.max()}")
    return target


def largest_error(moments: Moments, target: Moments) -> float:
    """Largest difference between two sets of moments, over E v, E h and E v hᵀ."""
    return float(max(np.abs(model - s).max() for model, s in zip(moments, target, strict=True)))


class _CentredCoordinates:
    """RBM parameters in which every direction is about equally steep.

    With means m and standard deviations d of the *target* moments, the energy is written in the statistics
    (v_i - m_i) / d_i, (h_j - m_j) / d_j and their products. These are nearly uncorrelated and have variance about 1,
    so that the Hessian, the Fisher information, is near the identity: L-BFGS then needs tens of evaluations, not
    thousands.
    """

    def __init__(self, mean_v: np.ndarray, mean_h: np.ndarray):
        self.mean_v, self.mean_h = mean_v, mean_h
        self.sd_v = np.sqrt(np.maximum(mean_v * (1 - mean_v), _SMALLEST_SPREAD**2))
        self.sd_h = np.sqrt(np.maximum(mean_h * (1 - mean_h), _SMALLEST_SPREAD**2))
        self.scale = np.outer(self.sd_v, self.sd_h)

    def pack(self, rbm: BinaryRBM) -> np.ndarray:
        """Coordinates of an RBM, (D + H + D H,)."""
        b, c, W = rbm.natural_parameters()
        return np.concatenate(
            [(b + W @ self.mean_h) * self.sd_v, (c + self.mean_v @ W) * self.sd_h, (W * self.scale).ravel()]
        )

    def unpack(self, x: np.ndarray) -> BinaryRBM:
        """The RBM at given coordinates."""
        D, H = self.scale.shape
        W = x[D + H :].reshape(D, H) / self.scale
        return BinaryRBM(W, x[:D] / self.sd_v - W @ self.mean_h, x[D : D + H] / self.sd_h - self.mean_v @ W)

    def gradient(self, error_v: np.ndarray, error_h: np.ndarray, error_vh: np.ndarray) -> np.ndarray:
        """Chain rule: moment errors, the gradient in (b, c, W), to the gradient in these coordinates."""
        centred = error_vh - np.outer(error_v, self.mean_h) - np.outer(self.mean_v, error_h)
        return np.concatenate([error_v / self.sd_v, error_h / self.sd_h, (centred / self.scale).ravel()])


def match_moments(
    moments: tuple[np.ndarray, np.ndarray, np.ndarray],
    initial: BinaryRBM,
    tolerance: float = 5e-3,
    max_evaluations: int = 1000,
) -> MomentMatch:
    """The binary RBM with given moments, by maximum likelihood with exact gradients (Grosse et al. 2013, Section 5.2).

    The parameters η with E_η[g] = s maximise η · s - A(η), which is concave; its gradient s - E_η[g] is enumerated.

    Parameters
    ----------
    moments : (E v (D,), E h (H,), E v hᵀ (D, H))
        The target s, as from `BinaryRBM.moments`.
    initial : BinaryRBM
        Where to start; its smaller layer has at most 24 units. A neighbour on the path saves most of the work.
    tolerance : float
        Largest error allowed in any moment. All moments are probabilities.
    max_evaluations : int
        Give up after so many enumerations; the result then says that it did not converge.

    Returns
    -------
    MomentMatch

    Raises
    ------
    ValueError
        Where shapes do not fit, or a moment is no probability.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> rbm = ae.BinaryRBM(np.eye(3, 2), np.zeros(3), np.ones(2))
    >>> ae.match_moments(rbm.moments(), ae.uniform_rbm(3, 2), tolerance=1e-6).rbm.weights.round(3)[0, 0]
    np.float64(1.0)
    """
    target = as_moments(moments, initial)
    tolerance = as_positive("tolerance", tolerance)
    max_evaluations = as_count("max_evaluations", max_evaluations)
    coordinates = _CentredCoordinates(*target[:2])
    best = (np.inf, initial)
    n_evaluations = 0

    def objective(x):
        nonlocal best, n_evaluations
        n_evaluations += 1
        rbm = coordinates.unpack(x)
        model = rbm.moments()
        best = min(best, (largest_error(model, target), rbm), key=lambda pair: pair[0])
        errors = difference(model, target)
        return rbm.log_z() - inner(rbm.natural_parameters(), target), coordinates.gradient(*errors)

    def stop_when_reached(_x):
        if best[0] <= tolerance:
            raise StopIteration

    minimize(
        objective,
        coordinates.pack(initial),
        jac=True,
        method="L-BFGS-B",
        callback=stop_when_reached,
        options={"maxfun": max_evaluations, "maxiter": max_evaluations, "maxcor": 50, "ftol": 0.0, "gtol": 0.0},
    )
    residual, rbm = best
    return MomentMatch(rbm, residual, residual <= tolerance, n_evaluations)
