"""Paths: functions from β in [0, 1] to a distribution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from anneal_edu.distributions import Distribution, GeometricBridge, MomentAverages
from anneal_edu.paths.capabilities import Path
from anneal_edu.validation import as_beta, log_density_of, require_distribution
from anneal_edu.workers import Remembered

SHARING: dict[type, type] = {}
"""Families with a faster class of geometric paths, and that class."""

_MAKES_A_FAMILY = {"log_density", "gibbs", "geometric_mean"}


def family_of(p: Distribution) -> type:
    """The class that defines p's log_density, gibbs or geometric_mean; a subclass that overrides one is another."""
    return next((kind for kind in type(p).__mro__ if _MAKES_A_FAMILY & vars(kind).keys()), type(p))


def require_ends(p0: Distribution, p1: Distribution) -> None:
    """Raise unless a path can join the two."""
    for name, p in (("p0", p0), ("p1", p1)):
        require_distribution(name, p)
    if p0.dim != p1.dim:
        raise ValueError(f"the ends of a path must have the same dim, got {p0.dim} and {p1.dim}")
    n0, n1 = (getattr(p, "n_hidden", None) for p in (p0, p1))
    if family_of(p0) is family_of(p1) and n0 != n1:
        raise ValueError(f"the ends of a path must have the same number of hidden units, got {n0} and {n1}")


@dataclass(frozen=True, eq=False)
class GeometricPath:
    """See `geometric_path`."""

    start: Distribution
    end: Distribution

    def __call__(self, beta: float) -> Distribution:
        beta = as_beta(beta)
        if beta in (0, 1):
            return self.end if beta else self.start
        if type(self.start) is type(self.end) and hasattr(self.start, "geometric_mean"):
            return self.start.geometric_mean(self.end, beta)
        return GeometricBridge(self.start, self.end, beta)

    @property
    def linear(self) -> bool:
        """Whether log f_β(x) is linear in β; it is not if hidden units are summed out."""
        return not getattr(self.start, "sums_hidden", False)

    def shared_densities(self) -> Callable[[float], Any]:
        """β -> log f_β(x): a bridge computes the densities of its two ends once for all β at which x is asked for."""
        start, end, bridge = self(0.0), self(1.0), isinstance(self(0.5), GeometricBridge)
        ends = Remembered(lambda x: np.array([log_density_of(start, x, 0), log_density_of(end, x, 1)]))

        def between(beta: float, x: np.ndarray) -> np.ndarray:
            log_f0, log_f1 = ends(x)
            if beta in (0, 1):
                return log_f1 if beta else log_f0
            return (1 - beta) * log_f0 + beta * log_f1

        return lambda beta: partial(between, beta) if bridge and self.linear else None

    def log_densities(self, schedule: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Log f_β(x) for every β of a schedule: (K+1,), (N, D) -> (K+1, N)."""
        if not self.linear:
            return np.stack([self(float(beta)).log_density(x) for beta in schedule])
        betas = np.asarray(schedule)[:, None]
        start, end = log_density_of(self.start, x, 0), log_density_of(self.end, x, 1)  # (N,)
        with np.errstate(invalid="ignore"):  # 0 · (-inf): an end of weight 0
            return np.where(betas == 1, 0, (1 - betas) * start) + np.where(betas == 0, 0, betas * end)


@dataclass(frozen=True, eq=False)
class MomentPath:
    """See `moment_path`."""

    start: MomentAverages
    end: MomentAverages

    def __call__(self, beta: float) -> Distribution:
        beta = as_beta(beta)
        if beta in (0, 1):
            return self.end if beta else self.start
        return self.start.moment_average(self.end, beta)


def geometric_path(p0: Distribution, p1: Distribution) -> Path:
    """Geometric averages, log f_β = (1-β) log f_0 + β log f_1  (Grosse et al. 2013, Eq. 1).

    The start p0 is tractable, and p1 is the target. Between two members of one exponential family this is the straight
    line in the natural parameters (Grosse et al. 2013, Eq. 7), and the path returns members of that family. For RBMs,
    binary or Gaussian, the joint densities of (v, h) are averaged. The average at β is the q that minimises
    (1-β) KL(q ‖ p_0) + β KL(q ‖ p_1)  (Grosse et al. 2013, Eq. 15). The same path: Kiwaki and Aihara 2015, Eq. 5; in
    energies Sohl-Dickstein and Culpepper 2012, Eq. 11 and 12.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([4.0], [[1.0]]))
    >>> path(0.5).mean, path(0.5).log_z()
    (array([2.]), -2.0)
    """
    require_ends(p0, p1)
    family = family_of(p0)
    return (SHARING.get(family, GeometricPath) if family is family_of(p1) else GeometricPath)(p0, p1)


def moment_path(p0: Distribution, p1: Distribution) -> MomentPath:
    """Moment averages, s(β) = (1-β) s_0 + β s_1 with s = E[g(x)]  (Grosse et al. 2013, Eq. 8 to 10).

    Both ends belong to one exponential family whose moments determine the member in closed form, e.g. Gaussians. The
    member at β is the q that minimises (1-β) KL(p_0 ‖ q) + β KL(p_1 ‖ q)  (Grosse et al. 2013, Eq. 16).

    Examples
    --------
    >>> import anneal_edu as ae
    >>> path = ae.moment_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([4.0], [[1.0]]))
    >>> path(0.5).mean, path(0.5).cov
    (array([2.]), array([[5.]]))
    """
    require_ends(p0, p1)
    if type(p0) is not type(p1):
        raise TypeError(
            "moments can be averaged only within one exponential family, "
            f"got {type(p0).__name__} and {type(p1).__name__}"
        )
    if not (isinstance(p0, MomentAverages) and isinstance(p1, MomentAverages)):
        raise TypeError(f"{type(p0).__name__} has no closed form from moments back to parameters")
    return MomentPath(p0, p1)
