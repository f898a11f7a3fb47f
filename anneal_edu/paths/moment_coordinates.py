"""Parameters of RBMs written so that every direction is about equally steep, for the fit of moments.

The objective of the fit is A(η) - η · s. Its Hessian is the covariance of the statistics g(v, h), the Fisher
information. With statistics that are centred and scaled by the *target* moments it is near the identity, and L-BFGS
needs tens of evaluations instead of thousands.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from anneal_edu.distributions import BinaryRBM, GaussianBernoulli
from anneal_edu.validation import as_finite_array, require_shape

_SMALLEST_SPREAD = 1e-3  # a unit that is almost always on, or off, still gets a scale


def _spread(mean: np.ndarray) -> np.ndarray:
    """Standard deviation of binary units with these means."""
    return np.sqrt(np.maximum(mean * (1 - mean), _SMALLEST_SPREAD**2))


class BinaryCoordinates:
    """Coordinates of a binary RBM: its energy in (v_i - m_i) / d_i, (h_j - m_j) / d_j and their products."""

    def __init__(self, mean_v: np.ndarray, mean_h: np.ndarray):
        self.mean_v, self.mean_h = mean_v, mean_h
        self.sd_v, self.sd_h = _spread(mean_v), _spread(mean_h)
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

    def gradient(self, x: np.ndarray, errors: tuple[np.ndarray, ...]) -> np.ndarray:
        """Chain rule: moment errors, the gradient in (b, c, W), to the gradient in these coordinates."""
        error_v, error_h, error_vh = errors
        centred = error_vh - np.outer(error_v, self.mean_h) - np.outer(self.mean_v, error_h)
        return np.concatenate([error_v / self.sd_v, error_h / self.sd_h, (centred / self.scale).ravel()])

    def scaled(self, errors: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        """Moment errors in units that a tolerance can be given in: all are probabilities already."""
        return errors


class GaussianCoordinates:
    """Coordinates of a pair of real v and binary h.

    The visible units are whitened by the target's mean and covariance, v = mean + L y with L Lᵀ the covariance. In
    these units the precision is T Tᵀ, T lower triangular with its diagonal as a logarithm: every x is a valid member.
    """

    def __init__(self, mean_v: np.ndarray, second_v: np.ndarray, mean_h: np.ndarray):
        self.mean_v, self.mean_h, self.sd_h = mean_v, mean_h, _spread(mean_h)
        try:
            self.L = cholesky(second_v - np.outer(mean_v, mean_v), lower=True)
        except LinAlgError:
            raise ValueError("the moments E v and E v vᵀ must belong to a positive definite covariance") from None
        self.lower = np.tril_indices(len(mean_v), -1)

    def _sizes(self) -> list[int]:
        """Where linear, diagonal and rest of T, and coupling end within x; the hidden biases are last."""
        D, H = len(self.mean_v), len(self.mean_h)
        return list(np.cumsum([D, D, len(self.lower[0]), D * H]))

    def pack(self, pair: GaussianBernoulli) -> np.ndarray:
        """Coordinates of a member, (2 D + D (D - 1) / 2 + D H + H,)."""
        L, mean = self.L, self.mean_v
        coupling = L.T @ pair.coupling
        linear = L.T @ (pair.linear - pair.precision @ mean) + coupling @ self.mean_h
        T = cholesky(L.T @ pair.precision @ L, lower=True)
        hidden_bias = (pair.hidden_bias + mean @ pair.coupling) * self.sd_h
        return np.concatenate(
            [linear, np.log(T.diagonal()), T[self.lower], (coupling * self.sd_h).ravel(), hidden_bias]
        )

    def _parts(self, x: np.ndarray) -> tuple[np.ndarray, ...]:
        """Linear (D,), T (D, D), coupling (D, H) and hidden bias (H,) of the whitened units."""
        linear, log_diagonal, rest, coupling, hidden_bias = np.split(x, self._sizes())
        T = np.diag(np.exp(log_diagonal))
        T[self.lower] = rest
        coupling = coupling.reshape(len(self.mean_v), -1) / self.sd_h
        return linear - coupling @ self.mean_h, T, coupling, hidden_bias / self.sd_h

    def unpack(self, x: np.ndarray) -> GaussianBernoulli:
        """The member at given coordinates."""
        linear, T, coupling, hidden_bias = self._parts(x)
        root = solve_triangular(self.L, T, lower=True, trans="T")
        precision = root @ root.T
        coupling, linear = (solve_triangular(self.L, a, lower=True, trans="T") for a in (coupling, linear))
        return GaussianBernoulli(
            linear + precision @ self.mean_v, precision, coupling, hidden_bias - self.mean_v @ coupling
        )

    def scaled(self, errors: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        """Errors of the moments E y, E y yᵀ, E y hᵀ and E h of the whitened units, from those of v."""
        error_v, error_vv, error_vh, error_h = errors
        mean = self.mean_v
        error_vv = error_vv - np.outer(error_v, mean) - np.outer(mean, error_v)
        error_vh = error_vh - np.outer(mean, error_h)

        def whiten(a: np.ndarray) -> np.ndarray:
            return solve_triangular(self.L, a, lower=True)

        return whiten(error_v), whiten(whiten(error_vv).T), whiten(error_vh), error_h

    def gradient(self, x: np.ndarray, errors: tuple[np.ndarray, ...]) -> np.ndarray:
        """Chain rule: moment errors to the gradient in these coordinates; η is -½ T Tᵀ there."""
        error_y, error_yy, error_yh, error_h = self.scaled(errors)
        T = self._parts(x)[1]
        by_T = -error_yy @ T
        by_coupling = (error_yh - np.outer(error_y, self.mean_h)) / self.sd_h
        return np.concatenate(
            [error_y, by_T.diagonal() * T.diagonal(), by_T[self.lower], by_coupling.ravel(), error_h / self.sd_h]
        )


def coordinates_of(rbm: BinaryRBM | GaussianBernoulli, target: tuple[np.ndarray, ...]) -> Any:
    """The coordinates for RBMs of this kind and these target moments."""
    if isinstance(rbm, BinaryRBM):
        return BinaryCoordinates(target[0], target[1])
    return GaussianCoordinates(target[0], target[1], target[3])


def as_moments(moments: tuple[np.ndarray, ...], like: BinaryRBM | GaussianBernoulli) -> tuple[np.ndarray, ...]:
    """Return moments as finite float64 arrays of the shapes that an RBM like this one has, every probability one."""
    if not isinstance(like, BinaryRBM | GaussianBernoulli):
        raise TypeError(f"moments can be fitted by RBMs, binary or Gaussian, got {type(like).__name__}")
    binary = isinstance(like, BinaryRBM)
    names = ("E v", "E h", "E v hᵀ") if binary else ("E v", "E v vᵀ", "E v hᵀ", "E h")
    if len(moments) != len(names):
        raise ValueError(f"moments must be {', '.join(names)}, got {len(moments)} arrays")
    target = tuple(
        as_finite_array(name, s, ndim=np.ndim(eta))
        for name, s, eta in zip(names, moments, like.natural_parameters(), strict=True)
    )
    for name, s, eta in zip(names, target, like.natural_parameters(), strict=True):
        require_shape(name, s, eta.shape)
        if (binary or name == "E h") and not ((s >= 0) & (s <= 1)).all():
            raise ValueError(f"{name} must hold probabilities, got values from {s.min()} to {s.max()}")
        if name == "E v vᵀ" and not np.allclose(s, s.T, rtol=1e-8, atol=1e-12 * np.abs(s).max()):
            raise ValueError("E v vᵀ must be symmetric")
    return target
