"""Paths: functions from β in [0, 1] to a distribution."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit

from anneal_edu.distributions import BinaryRBM, Distribution, GaussianBernoulli, GeometricBridge, JointRBM
from anneal_edu.distributions.bernoulli import bernoulli, sum_of_softplus, weigh_and_draw
from anneal_edu.paths.covariance import GaussianRBMPath
from anneal_edu.validation import as_beta, log_density_of, require_distribution

Path = Callable[[float], Distribution]

_FIELDS_AT_ONCE = 100_000
_CHAINS_AT_ONCE = 500  # the working arrays of a block stay in the processor's cache


class _Scratch(threading.local):
    """One array a thread, kept from step to step.

    Were W(β)ᵀ a new array at every step, the system would take its memory back and hand it out again page by page.
    """

    array = np.empty(0, dtype=np.float32)

    def like(self, a: np.ndarray) -> np.ndarray:
        """An array of the shape and type of ``a``, with anything in it."""
        if self.array.shape != a.shape or self.array.dtype != a.dtype:
            self.array = np.empty_like(a)
        return self.array


_scratch = _Scratch()


def require_ends(p0: Distribution, p1: Distribution) -> None:
    """Raise TypeError or ValueError unless a path can lead from one to the other."""
    for name, p in (("p0", p0), ("p1", p1)):
        require_distribution(name, p)
    if p0.dim != p1.dim:
        raise ValueError(f"the ends of a path must have the same dim, got {p0.dim} and {p1.dim}")
    both_have_hidden_units = any(all(isinstance(p, rbm) for p in (p0, p1)) for rbm in (BinaryRBM, GaussianBernoulli))
    if both_have_hidden_units and p0.n_hidden != p1.n_hidden:
        raise ValueError(
            f"the ends of a path must have the same number of hidden units, got {p0.n_hidden} and {p1.n_hidden}"
        )
    if isinstance(p0, JointRBM) and isinstance(p1, JointRBM):
        require_ends(p0.rbm, p1.rbm)


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

    def log_densities(self, schedule: np.ndarray, x: np.ndarray) -> np.ndarray:
        """(1-β) log f_0(x) + β log f_1(x) for every β of a schedule, from two densities: (K+1,), (N, D) -> (K+1, N)."""
        if hasattr(self.start, "n_hidden"):  # the average is one of joint densities, not of those of x
            return np.stack([self(float(beta)).log_density(x) for beta in schedule])
        betas = np.asarray(schedule)[:, None]
        start, end = log_density_of(self.start, x, 0), log_density_of(self.end, x, 1)  # (N,)
        with np.errstate(invalid="ignore"):  # 0 · (-inf): an end that does not count
            return np.where(betas == 1, 0, (1 - betas) * start) + np.where(betas == 0, 0, betas * end)


@dataclass(frozen=True, eq=False)
class GeometricRBMPath(GeometricPath):
    """The geometric path between two binary RBMs, which shares v @ weights between the weight and the Gibbs step."""

    start: BinaryRBM
    end: BinaryRBM

    @cached_property
    def _weightless_start(self) -> bool:
        return not self.start.weights.any()

    @cached_property
    def _line(self) -> tuple[np.ndarray, ...]:
        """W_0, W_1 - W_0, b_0, b_1 - b_0, c_0, c_1 - c_0 in float32: parameters at β are start + β · difference."""
        starts, ends = ((rbm.weights, rbm.visible_bias, rbm.hidden_bias) for rbm in (self.start, self.end))
        return tuple(np.asarray(a, np.float32) for a0, a1 in zip(starts, ends, strict=True) for a in (a0, a1 - a0))

    @cached_property
    def _transposed(self) -> tuple[np.ndarray, np.ndarray]:
        """W_0ᵀ and (W_1 - W_0)ᵀ, (H, D), stored row by row: small products then run several times faster."""
        return tuple(np.ascontiguousarray(W.T) for W in self._line[:2])

    def hidden_slope(self, v: np.ndarray) -> np.ndarray:
        """(v (W_1 - W_0))_j + c_1j - c_0j, by which the field of hidden unit j grows with β: (C, D) -> (C, H)."""
        _, dW, _, _, _, dc = self._line
        return np.asarray(v, dtype=np.float32) @ dW + dc

    def _hidden_level(self, v: np.ndarray) -> np.ndarray:
        """The field of the hidden units at β = 0: (C, D) -> (C, H), or (H,) where it does not depend on v."""
        W0, _, _, _, c0, _ = self._line
        return c0 if self._weightless_start else np.asarray(v, dtype=np.float32) @ W0 + c0

    def log_densities(self, schedule: np.ndarray, x: np.ndarray, slope: np.ndarray | None = None) -> np.ndarray:
        """Log f_β(v) for every β of a schedule, from one or two products with the weights: (K+1,), (N, D) -> (K+1, N).

        ``slope`` is `hidden_slope(x)`, where it is known. States of float64 are worth more digits, and get them.
        """
        if x.dtype != np.float32:
            return super().log_densities(schedule, x)
        slope = self.hidden_slope(x) if slope is None else slope
        level, db = self._hidden_level(x), self.end.visible_bias - self.start.visible_bias
        at_start, gain = x @ self.start.visible_bias, x @ db  # (N,)
        log_f = at_start + np.multiply.outer(schedule, gain)  # (K+1, N)
        at_once = max(1, _FIELDS_AT_ONCE // slope.size)
        for first in range(0, len(schedule), at_once):
            rungs = slice(first, first + at_once)
            betas = np.asarray(schedule[rungs], dtype=np.float32)[:, None, None]
            log_f[rungs] += sum_of_softplus(betas * slope + level)
        return log_f

    def log_density_slopes(self, schedule: np.ndarray, x: np.ndarray) -> np.ndarray:
        """d/dβ log f_β(v) = v·(b_1 - b_0) + Σ_j σ(a_j) da_j/dβ, a the fields of h: (K+1,), (N, D) -> (K+1, N)."""
        level = self.start.hidden_field(x)
        slope = self.end.hidden_field(x) - level  # (N, H): a = level + β slope
        gain = x @ (self.end.visible_bias - self.start.visible_bias)
        rows = [(expit(level + slope.dtype.type(beta) * slope) * slope).sum(-1, dtype=np.float64) for beta in schedule]
        return gain + np.array(rows)

    def gibbs_at(
        self, betas: np.ndarray, v: np.ndarray, rng: np.random.Generator, slope: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """One block Gibbs step of every chain at its own β, the new v and h: (C,), (C, D) -> (C, D), (C, H)."""
        slope = self.hidden_slope(v) if slope is None else slope
        _, _, b0, db, _, _ = self._line
        W0t, dWt = self._transposed
        t = np.asarray(betas, dtype=np.float32)[:, None]  # (C, 1)
        h = bernoulli(t * slope + self._hidden_level(v), rng)  # (C, H)
        field = (t * h) @ dWt  # (C, D)
        field += b0 + t * db
        if not self._weightless_start:
            field += h @ W0t
        return bernoulli(field, rng), h

    def energy_line(self, v: np.ndarray, h: np.ndarray, slope: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Log f_0(v, h) and log f_1(v, h) - log f_0(v, h), of which log f_β is the line: (C, D), (C, H) -> (C,), (C,).

        ``slope`` is `hidden_slope(v)`.
        """
        start, db = self.start.visible_bias, self.end.visible_bias - self.start.visible_bias
        at_start = v @ start + (h * self._hidden_level(v)).sum(1, dtype=np.float64)
        return at_start, v @ db + (h * slope).sum(1, dtype=np.float64)

    def weigh_and_gibbs(
        self, before: float, now: float, v: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """One pass of the loop of AIS, in float32: (log f_now(v) - log f_before(v) (C,), next v (C, D)).

        The field of hidden unit j is c_j(β) + (v W_0)_j + β (v (W_1 - W_0))_j: the products are done once, and serve
        both densities and the draw of h. From a weightless start only one of them is left.
        """
        (W0, dW, b0, db, c0, dc), (W0t, dWt) = self._line, self._transposed
        t0, t1 = np.float32(before), np.float32(now)
        if not self._weightless_start:
            Wt = np.multiply(t1, dWt, out=_scratch.like(dWt))
            Wt += W0t  # W(β)ᵀ, (H, D)
        b = b0 + t1 * db
        log_ratio, next_v = np.empty(len(v)), np.empty(v.shape, dtype=np.float32)
        for start in range(0, len(v), _CHAINS_AT_ONCE):
            rows = slice(start, start + _CHAINS_AT_ONCE)
            block = np.asarray(v[rows], dtype=np.float32)
            slope = block @ dW  # (C, H): the hidden field at β is level + β slope
            slope += dc
            level = c0
            if not self._weightless_start:
                level = block @ W0
                level += c0
            log_ratio[rows], h = weigh_and_draw(t0 * slope + level, t1 * slope + level, rng)
            log_ratio[rows] += (now - before) * (block @ db)
            visible_field = (h * t1) @ dWt if self._weightless_start else h @ Wt  # (C, D)
            visible_field += b
            next_v[rows] = bernoulli(visible_field, rng)
        return log_ratio, next_v


@dataclass(frozen=True, eq=False)
class JointRBMPath(GeometricPath):
    """The geometric path between two binary RBMs over states (v, h)."""

    start: JointRBM
    end: JointRBM

    @cached_property
    def summed(self) -> GeometricRBMPath:
        """The path of the same RBMs with h summed out, whose products with the weights serve both."""
        return GeometricRBMPath(self.start.rbm, self.end.rbm)


@dataclass(frozen=True, eq=False)
class MomentPath:
    """See `moment_path`."""

    start: Distribution
    end: Distribution

    def __call__(self, beta: float) -> Distribution:
        beta = as_beta(beta)
        if beta in (0, 1):
            return self.end if beta else self.start
        return self.start.moment_average(self.end, beta)


def geometric_path(p0: Distribution, p1: Distribution) -> GeometricPath:
    """Geometric averages, log f_β = (1-β) log f_0 + β log f_1  (Grosse et al. 2013, Eq. 1).

    Between two members of one exponential family this is the straight line in the natural parameters (Eq. 7), and the
    path returns members of that family. For RBMs, binary or Gaussian, the average is of the joint densities of (v, h).

    Parameters
    ----------
    p0, p1 : Distribution
        The tractable start, β = 0, and the target, β = 1.

    Returns
    -------
    callable, beta -> Distribution

    Raises
    ------
    ValueError
        Where the two have different ``dim``; later, where β lies outside [0, 1].

    Examples
    --------
    >>> import anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([4.0], [[1.0]]))
    >>> path(0.5).mean, path(0.5).log_z()
    (array([2.]), -2.0)
    """
    require_ends(p0, p1)
    if isinstance(p0, BinaryRBM) and isinstance(p1, BinaryRBM):
        return GeometricRBMPath(p0, p1)
    if isinstance(p0, GaussianBernoulli) and isinstance(p1, GaussianBernoulli):
        return GaussianRBMPath(p0, p1)
    if isinstance(p0, JointRBM) and isinstance(p1, JointRBM):
        return JointRBMPath(p0, p1)
    return GeometricPath(p0, p1)


def moment_path(p0: Distribution, p1: Distribution) -> MomentPath:
    """Moment averages, s(β) = (1-β) s_0 + β s_1 with s = E[g(x)]  (Grosse et al. 2013, Eq. 8 to 10).

    Parameters
    ----------
    p0, p1 : Distribution
        Two members of one exponential family whose moments determine the member in closed form, e.g. two Gaussians.

    Returns
    -------
    callable, beta -> Distribution

    Raises
    ------
    TypeError
        Where the two are of different families, or the family has no closed form.
    ValueError
        Where the two have different ``dim``; later, where β lies outside [0, 1].

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
    if not hasattr(p0, "moment_average"):
        raise TypeError(f"{type(p0).__name__} has no closed form from moments back to parameters")
    return MomentPath(p0, p1)
