"""From moments back to parameters, the inverse problem of the moment path, for RBMs small enough to enumerate."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize

from anneal_edu.distributions import Distribution, ExponentialFamily, FitsMoments
from anneal_edu.distributions.protocol import difference, inner
from anneal_edu.validation import as_count, as_positive

Moments = tuple[np.ndarray, ...]


@dataclass(frozen=True, eq=False)
class MomentMatch:
    """The RBM found for given moments, and how well it has them.

    Attributes
    ----------
    rbm : BinaryRBM or GaussianBernoulli
    residual : float
        max |E g(v, h) - target| over all moments; after a fit by chains, as these estimate it. Moments of real visible
        units are taken after whitening by the target's mean and covariance.
    converged : bool or None
        Whether the residual is within the tolerance asked for; None for a fit by chains, which asks for none.
    n_evaluations : int
        How often the moments were computed.
    """

    rbm: Distribution = field(repr=False)
    residual: float
    converged: bool | None
    n_evaluations: int


Fit = Callable[[Moments, Distribution], MomentMatch]


def largest_error(moments: Moments, target: Moments) -> float:
    """Largest difference between two sets of moments."""
    return _largest(difference(moments, target))


def _largest(errors: Moments) -> float:
    return float(max(np.abs(error).max() for error in errors))


def match_moments(
    moments: Moments,
    initial: Distribution,
    tolerance: float = 5e-3,
    max_evaluations: int = 1000,
) -> MomentMatch:
    """The RBM with given moments, by maximum likelihood with exact gradients (Grosse et al. 2013, Section 5.2).

    The parameters η with E_η[g] = s maximise η · s - A(η), which is concave; its gradient s - E_η[g] is enumerated.

    Parameters
    ----------
    moments : tuple of arrays
        The target s, as from `BinaryRBM.moments` or `GaussianRBM.moments`.
    initial : BinaryRBM, GaussianRBM or GaussianBernoulli
        Where to start; small enough to enumerate. A neighbour on the path saves most of the work.
    tolerance : float
        Largest error allowed in any moment. Those of a binary RBM are probabilities; real visible units are whitened by
        the target's mean and covariance first.
    max_evaluations : int
        Give up after so many enumerations; the result then says that it did not converge.

    Returns
    -------
    MomentMatch

    Raises
    ------
    ValueError
        Where shapes do not fit, a moment is no probability, or the covariance of v is not positive definite.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> rbm = ae.BinaryRBM(np.eye(3, 2), np.zeros(3), np.ones(2))
    >>> ae.match_moments(rbm.moments(), ae.uniform_rbm(3, 2), tolerance=1e-6).rbm.weights.round(3)[0, 0]
    np.float64(1.0)
    """
    if not isinstance(initial, FitsMoments):
        raise TypeError(f"moments can be fitted by RBMs, binary or Gaussian, got {type(initial).__name__}")
    coordinates = initial.moment_coordinates(moments)  # of η, in which every direction is about equally steep
    target = coordinates.target
    tolerance = as_positive("tolerance", tolerance)
    max_evaluations = as_count("max_evaluations", max_evaluations)
    best: tuple[float, ExponentialFamily] = (np.inf, initial)
    n_evaluations = 0

    def objective(x: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal best, n_evaluations
        n_evaluations += 1
        eta = coordinates.unpack(x)
        rbm = initial.member(eta)
        errors = difference(rbm.moments(), target)
        if (largest := _largest(coordinates.scaled(errors))) < best[0]:
            best = largest, rbm
        return rbm.log_partition() - inner(eta, target), coordinates.gradient(x, errors)

    def stop_when_reached(_x: np.ndarray) -> None:
        if best[0] <= tolerance:
            raise StopIteration

    x = coordinates.pack(initial.natural_parameters())
    options = {"maxfun": max_evaluations, "maxiter": max_evaluations, "maxcor": 50, "ftol": 0.0, "gtol": 0.0}
    # moments that no RBM has lead out of the range of numbers, and the best RBM so far stands
    with suppress(ValueError), np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        minimize(objective, x, jac=True, method="L-BFGS-B", callback=stop_when_reached, options=options)
    residual, rbm = best
    return MomentMatch(rbm, residual, residual <= tolerance, n_evaluations)
