"""Kernels: one transition of every chain, kernel(distribution, x, rng) -> x, that leaves the distribution invariant.

In symbols T p = p (Sohl-Dickstein and Culpepper 2012, Eq. 13). A kernel of your own may work in place: the estimators
hand it a copy of their states.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from anneal_edu.distributions import Distribution
from anneal_edu.validation import (
    as_count,
    as_finite_array,
    as_positive,
    gradient_of,
    log_density_of,
    require_ability,
)

_OTHERS = "random_walk(scale) or hmc(step_size, n_leapfrog)"
_DIVERGENT = 1e100  # larger coordinates are divergent; the square of this one does not overflow

Gradient = Callable[[np.ndarray], np.ndarray]
Kernel = Callable[[Distribution, np.ndarray, np.random.Generator], np.ndarray]


def _require_real_states(distribution: Distribution, kernel: str) -> None:
    if getattr(distribution, "discrete", False):
        raise TypeError(f"the {kernel} kernel moves real numbers; {type(distribution).__name__} is discrete: use gibbs")


def exact(distribution: Distribution, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A perfect transition: every chain is replaced by an exact, independent draw, (C, D) -> (C, D).

    Raises TypeError where the distribution has no ``sample``.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> ae.exact(ae.Gaussian([0.0], [[1.0]]), np.zeros((5, 1)), np.random.default_rng(0)).shape
    (5, 1)
    """
    return require_ability(distribution, "sample", "exact", f"gibbs, {_OTHERS}")(len(x), rng)


def gibbs(distribution: Distribution, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One Gibbs sweep of the distribution's own, (C, D) -> (C, D).

    Raises TypeError where the distribution has no ``gibbs``.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> ae.gibbs(ae.uniform_rbm(3, 2), np.zeros((5, 3)), np.random.default_rng(0)).shape
    (5, 3)
    """
    return require_ability(distribution, "gibbs", "gibbs", _OTHERS)(x, rng)


def gibbs_backwards(distribution: Distribution, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The time reversal of `gibbs`: a sweep over the coordinates in the opposite order, (C, D) -> (C, D).

    Distributions whose sweep depends on an order offer ``gibbs_backwards``; the others' sweeps are reversible.
    """
    if hasattr(distribution, "gibbs_backwards"):
        return distribution.gibbs_backwards(x, rng)
    return gibbs(distribution, x, rng)


def reversal_of(kernel: Kernel) -> Kernel:
    """The time reversal that a kernel declares as its ``reversal``; who declares none is taken to be reversible.

    It is the T~ of Sohl-Dickstein and Culpepper 2012, Eq. 14.
    """
    return getattr(kernel, "reversal", kernel)


# what a path may offer in their place (`anneal_edu.paths.capabilities`); a block Gibbs step is its own reversal
vars(gibbs).update(reversal=gibbs_backwards, loop="anneal_by_gibbs", ladder="gibbs_ladder", sweep="gibbs_sweep")
vars(gibbs_backwards).update(reversal=gibbs, loop="anneal_by_gibbs")


def accept(log_ratio: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Metropolis decisions, True with probability min(1, exp(log_ratio)): (C,) -> (C,)."""
    return -rng.standard_exponential(log_ratio.shape) < log_ratio  # log of a uniform is minus an exponential


def difference(log_f: np.ndarray, log_f_before: np.ndarray) -> np.ndarray:
    """log f - log f_before, -inf where f_before is zero: a chain of weight zero keeps it."""
    with np.errstate(invalid="ignore"):
        return np.where(log_f_before == -np.inf, -np.inf, log_f - log_f_before)


def swapped(order: np.ndarray, accepted: np.ndarray) -> np.ndarray:
    """Exchange the entries of accepted pairs of rungs: (K+1, C, ...) and (K, C) bool -> (K+1, C, ...)."""
    new = order.copy()
    new[:-1][accepted] = order[1:][accepted]
    new[1:][accepted] = order[:-1][accepted]
    return new


def _as_scale(name: str, value: Any) -> float | np.ndarray:
    if np.ndim(value) == 0:
        return as_positive(name, value)
    if ((scale := as_finite_array(name, value, ndim=1)) <= 0).any():
        raise ValueError(f"{name} must be positive, got {value}")
    return scale


@dataclass(frozen=True, eq=False)
class random_walk:
    """Metropolis with Gaussian proposals, x + scale · N(0, I).

    Parameters
    ----------
    scale : float or (D,) array
        Standard deviation of the proposal, in the units of x.

    Raises
    ------
    ValueError
        Where ``scale`` is not positive and finite.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> ae.random_walk(0.5)(ae.Gaussian([0.0], [[1.0]]), np.zeros((5, 1)), np.random.default_rng(0)).shape
    (5, 1)
    """

    scale: float | np.ndarray

    best_acceptance = 0.3

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", _as_scale("scale", self.scale))

    def with_scale(self, scale: np.ndarray) -> random_walk:
        """The same kernel with other steps (D,); `adaptive_schedule` asks for it."""
        return random_walk(scale)

    def __call__(self, distribution: Distribution, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        _require_real_states(distribution, "random_walk")
        proposal = x + self.scale * rng.standard_normal(x.shape)
        with np.errstate(invalid="ignore"):  # -inf - (-inf), outside the support: stay
            log_ratio = log_density_of(distribution, proposal) - log_density_of(distribution, x)
        accepted = accept(log_ratio, rng)
        return np.where(accepted[:, None], proposal, x)


def leapfrog(
    gradient: Gradient, x: np.ndarray, v: np.ndarray, step_size: float | np.ndarray, n_steps: int = 1,
    nonnegative: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Hamiltonian dynamics in steps of time ε: half a step of drift, a kick by the gradient, half a step of drift.

    Two half steps that meet are taken as one. The map preserves volume, and is reversed by turning the momenta around
    (Neal 2011, Section 2.3, with drift and kick exchanged).

    Parameters
    ----------
    gradient : callable, (C, D) -> (C, D)
        Of log f; -log f is the potential energy.
    x, v : (C, D) arrays
        Positions and momenta.
    step_size : float, (D,) or (C, 1) array
        ε, in the units of x.
    n_steps : int
    nonnegative : (D,) array of bool, optional
        Coordinates that must not be negative: they are reflected at 0.

    Returns
    -------
    x, v : (C, D) arrays
    divergent : (C,) array of bool
        Where the step is far too long and the trajectory goes to infinity; there x is as it began, and v = 0.

    Examples
    --------
    >>> x, v, divergent = leapfrog(lambda x: -x, np.array([[1.0]]), np.array([[0.0]]), np.pi / 50, 25)  # quarter turn
    >>> bool(abs(x.item()) < 1e-3), v.round(2).item(), divergent
    (True, -1.0, array([False]))
    """
    start, divergent = x, np.zeros(len(x), dtype=bool)
    x, v = _drift(x, v, step_size / 2, nonnegative)
    for step in range(n_steps):
        v = v + step_size * gradient(x)
        x, v = _drift(x, v, step_size if step < n_steps - 1 else step_size / 2, nonnegative)
        if not np.abs(x).max() < _DIVERGENT:  # or NaN
            divergent |= ~(np.abs(x) < _DIVERGENT).all(-1)
            x[divergent], v[divergent] = start[divergent], 0.0
    return x, v, divergent


def _drift(
    x: np.ndarray, v: np.ndarray, time: float | np.ndarray, nonnegative: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """x + time · v; a coordinate that must not be negative is reflected at 0, and its momentum with it."""
    x = x + time * v
    if nonnegative is None:
        return x, v
    hit = nonnegative & (x < 0)
    return np.where(hit, -x, x), np.where(hit, -v, v)


@dataclass(frozen=True, eq=False)
class hmc:
    """Hamiltonian Monte Carlo: fresh momentum, `leapfrog` steps, one Metropolis decision (Neal 2011, Section 3).

    Parameters
    ----------
    step_size : float or (D,) array
        Leapfrog step ε, in the units of x; one a coordinate stands for a diagonal mass matrix.
    n_leapfrog : int
        Number of leapfrog steps.

    Raises
    ------
    ValueError
        Where ``step_size`` is not positive and finite, or ``n_leapfrog`` below 1.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> ae.hmc(0.2, 10)(ae.Gaussian([0.0], [[1.0]]), np.zeros((5, 1)), np.random.default_rng(0)).shape
    (5, 1)
    """

    step_size: float | np.ndarray
    n_leapfrog: int

    best_acceptance = 0.8

    def __post_init__(self) -> None:
        object.__setattr__(self, "step_size", _as_scale("step_size", self.step_size))
        object.__setattr__(self, "n_leapfrog", as_count("n_leapfrog", self.n_leapfrog))

    def with_scale(self, scale: np.ndarray) -> hmc:
        """The same kernel with other steps (D,); `adaptive_schedule` asks for it."""
        return hmc(scale, self.n_leapfrog)

    def __call__(self, distribution: Distribution, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        _require_real_states(distribution, "hmc")
        require_ability(distribution, "grad_log_density", "hmc", "random_walk(scale)")
        gradient, momentum = partial(gradient_of, distribution), rng.standard_normal(x.shape)
        log_f = log_density_of(distribution, x)
        proposal, turned, divergent = leapfrog(gradient, x, momentum, self.step_size, self.n_leapfrog)
        if divergent.any() and np.isnan(gradient(x)[np.isfinite(log_f)]).any():
            raise ValueError("grad_log_density is NaN in some chain")
        with np.errstate(invalid="ignore"):
            log_ratio = log_density_of(distribution, proposal) - log_f
            log_ratio -= 0.5 * (turned**2).sum(-1) - 0.5 * (momentum**2).sum(-1)  # kinetic energies
        accepted = accept(log_ratio, rng) & ~divergent
        return np.where(accepted[:, None], proposal, x)
