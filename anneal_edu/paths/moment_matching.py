"""RBMs with given moments, by maximum likelihood: the inverse problem of the moment path, for enumerable RBMs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

import numpy as np
import scipy

from anneal_edu.distributions import Distribution, FitsMoments
from anneal_edu.distributions.protocol import difference, inner
from anneal_edu.validation import as_positive

Moments = tuple[np.ndarray, ...]
_LBFGS = {"maxfun": 1000, "maxiter": 1000, "maxcor": 50, "ftol": 0.0, "gtol": 0.0}


@dataclass(frozen=True, eq=False)
class MomentMatch:
    """The RBM found for given moments, and by how much its own moments differ from them.

    Attributes
    ----------
    rbm : BinaryRBM or GaussianBernoulli
    residual : float
        max |E g(v, h) - target| over all moments, estimated if the fit is by chains. Moments of real visible units are
        whitened by the target's mean and covariance first.
    converged : bool or None
        Whether the residual is within the tolerance; None for a fit by chains, which has no tolerance.
    n_evaluations : int
        Number of times that the moments were computed.
    """

    rbm: Distribution = field(repr=False)
    residual: float
    converged: bool | None
    n_evaluations: int


Fit = Callable[[Moments, Distribution], MomentMatch]


def largest(errors: Moments) -> float:
    """Largest absolute value in any of the arrays."""
    return float(max(np.abs(error).max() for error in errors))


def match_moments(moments: Moments, initial: Distribution, tolerance: float = 5e-3) -> MomentMatch:
    """Find the RBM with given moments by maximum likelihood with exact gradients  (Grosse et al. 2013, Section 5.2).

    The parameters η with E_η[g] = s maximise η · s - A(η), which is concave; its gradient s - E_η[g] is enumerated.

    Parameters
    ----------
    moments : tuple of arrays
        The target s, as from `BinaryRBM.moments` or `GaussianRBM.moments`.
    initial : BinaryRBM, GaussianRBM or GaussianBernoulli
        Where to start; small enough to enumerate. A neighbour on the path saves most of the work.
    tolerance : float
        Largest error allowed in any moment. Those of a binary RBM are probabilities; real visible units are whitened by
        the target's mean and covariance first. If 1,000 enumerations do not reach it, the result is the best RBM found,
        with ``converged`` False.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> rbm = ae.BinaryRBM(np.eye(3, 2), np.zeros(3), np.ones(2))
    >>> ae.match_moments(rbm.moments(), ae.uniform_rbm(3, 2), tolerance=1e-6).rbm.weights.round(3)[0, 0]
    np.float64(1.0)
    """
    tolerance = as_positive("tolerance", tolerance)
    start, coordinates = _start_of(moments, initial)
    target, best, n_evaluations = coordinates.target, (np.inf, start), 0

    def objective(x: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal best, n_evaluations
        n_evaluations += 1
        eta = coordinates.unpack(x)
        rbm = start.member(eta)
        errors = difference(rbm.moments(), target)
        best = min(best, (largest(coordinates.scaled(errors)), rbm), key=itemgetter(0))
        return rbm.log_partition() - inner(eta, target), coordinates.gradient(x, errors)

    def stop_when_reached(_x: np.ndarray) -> None:
        if best[0] <= tolerance:
            raise StopIteration

    x = coordinates.pack(start.natural_parameters())
    # if no RBM has these moments, the search overflows, and the best RBM so far is the answer
    with suppress(ValueError), np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        scipy.optimize.minimize(objective, x, jac=True, method="L-BFGS-B", callback=stop_when_reached, options=_LBFGS)
    residual, rbm = best
    return MomentMatch(rbm, residual, residual <= tolerance, n_evaluations)


def _start_of(moments: Moments, initial: Distribution) -> tuple[Any, Any]:
    """Where a fit starts, and coordinates of η in which every direction is about equally steep."""
    if not isinstance(initial, FitsMoments):
        raise TypeError(f"moments can be fitted by RBMs, binary or Gaussian, got {type(initial).__name__}")
    return initial, initial.moment_coordinates(moments)
