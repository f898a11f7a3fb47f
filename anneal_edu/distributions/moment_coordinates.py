"""Coordinates of natural parameters in which L-BFGS finds the RBM with given moments quickly.

The objective of the fit is A(η) - η · s. Its Hessian is the covariance of the statistics g(v, h), the Fisher
information. With statistics that are centred and scaled by the *target* moments it is near the identity, and L-BFGS
needs tens of evaluations instead of thousands.

Both classes have ``target``, the moments s, checked; ``pack`` from η to x and ``unpack`` back; ``gradient`` of the
objective in x, from the errors E_η[g] - s; and ``scaled`` errors, in the units of a tolerance.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from anneal_edu.validation import as_cholesky, as_finite_array, require_shape

Arrays = tuple[np.ndarray, ...]
"""A point in the space of η, or of s = E[g(x)]: one array for each part of g."""


def _as_moments(moments: Arrays, parameters: Arrays, names: tuple[str, ...], probabilities: tuple[str, ...]) -> Arrays:
    """Return moments as finite float64 arrays of the shapes of the natural parameters, some of them probabilities."""
    if len(moments) != len(names):
        raise ValueError(f"moments must be {', '.join(names)}, got {len(moments)} arrays")
    target = tuple(map(as_finite_array, names, moments, (eta.ndim for eta in parameters)))
    for name, s, eta in zip(names, target, parameters, strict=True):
        require_shape(name, s, eta.shape)
        if name in probabilities and not ((s >= 0) & (s <= 1)).all():
            raise ValueError(f"{name} must hold probabilities, got values from {s.min()} to {s.max()}")
    return target


def _spread(mean: np.ndarray) -> np.ndarray:
    """Standard deviation of binary units with these means; at least 1e-3, if a unit is almost always on or off."""
    return np.sqrt(np.maximum(mean * (1 - mean), 1e-3**2))


class BinaryCoordinates:
    """Coordinates of a binary RBM: its energy in (v_i - m_i) / d_i, (h_j - m_j) / d_j and their products."""

    def __init__(self, moments: Arrays, parameters: Arrays):
        names = ("E v", "E h", "E v hᵀ")
        self.target = _as_moments(moments, parameters, names, names)
        self.mean_v, self.mean_h, _ = self.target
        self.sd_v, self.sd_h = _spread(self.mean_v), _spread(self.mean_h)
        self.scale = np.outer(self.sd_v, self.sd_h)

    def pack(self, parameters: Arrays) -> np.ndarray:
        """x, (D + H + D H,), of η = (b, c, W)."""
        b, c, W = parameters
        return np.concatenate(
            [(b + W @ self.mean_h) * self.sd_v, (c + self.mean_v @ W) * self.sd_h, (W * self.scale).ravel()]
        )

    def unpack(self, x: np.ndarray) -> Arrays:
        """η = (b, c, W) of x."""
        D, H = self.scale.shape
        W = x[D + H :].reshape(D, H) / self.scale
        return x[:D] / self.sd_v - W @ self.mean_h, x[D : D + H] / self.sd_h - self.mean_v @ W, W

    def gradient(self, x: np.ndarray, errors: Arrays) -> np.ndarray:
        """The chain rule from (b, c, W), where the gradient is the errors."""
        error_v, error_h, error_vh = errors
        centred = error_vh - np.outer(error_v, self.mean_h) - np.outer(self.mean_v, error_h)
        return np.concatenate([error_v / self.sd_v, error_h / self.sd_h, (centred / self.scale).ravel()])

    def scaled(self, errors: Arrays) -> Arrays:
        """The errors as they are: all moments are probabilities."""
        return errors


class GaussianCoordinates:
    """Coordinates of a pair of real v and binary h.

    The visible units are whitened by the target's mean and covariance, v = mean + L y with L Lᵀ the covariance. In
    these units the precision is T Tᵀ, T lower triangular with its diagonal as a logarithm: every x is a valid member.
    """

    def __init__(self, moments: Arrays, parameters: Arrays):
        self.target = _as_moments(moments, parameters, ("E v", "E v vᵀ", "E v hᵀ", "E h"), ("E h",))
        self.mean_v, second_v, _, self.mean_h = self.target
        self.sd_h = _spread(self.mean_h)
        self.L = as_cholesky("the covariance E v vᵀ - E v E vᵀ", second_v - np.outer(self.mean_v, self.mean_v))
        self.lower = np.tril_indices(len(self.mean_v), -1)

    def pack(self, parameters: Arrays) -> np.ndarray:
        """x, (2 D + D (D - 1) / 2 + D H + H,), of η = (linear, -½ precision, coupling, hidden bias)."""
        linear, minus_half, coupling, bias = parameters
        L, mean, precision = self.L, self.mean_v, -2 * minus_half
        bias = (bias + mean @ coupling) * self.sd_h
        coupling = L.T @ coupling
        linear = L.T @ (linear - precision @ mean) + coupling @ self.mean_h
        T = cholesky(L.T @ precision @ L, lower=True)
        coupling *= self.sd_h
        return np.concatenate([linear, np.log(T.diagonal()), T[self.lower], coupling.ravel(), bias])

    def _parts(self, x: np.ndarray) -> Arrays:
        """Linear (D,), T (D, D), coupling (D, H) and hidden bias (H,) of the whitened units."""
        D, H = len(self.mean_v), len(self.mean_h)
        linear, log_diagonal, rest, coupling, bias = np.split(x, np.cumsum([D, D, len(self.lower[0]), D * H]))
        T = np.diag(np.exp(log_diagonal))
        T[self.lower] = rest
        coupling = coupling.reshape(D, H) / self.sd_h
        return linear - coupling @ self.mean_h, T, coupling, bias / self.sd_h

    def unpack(self, x: np.ndarray) -> Arrays:
        """η = (linear, -½ precision, coupling, hidden bias) of x."""
        linear, T, coupling, bias = self._parts(x)
        root, coupling, linear = (solve_triangular(self.L, a, lower=True, trans="T") for a in (T, coupling, linear))
        precision = root @ root.T
        return linear + precision @ self.mean_v, -0.5 * precision, coupling, bias - self.mean_v @ coupling

    def scaled(self, errors: Arrays) -> Arrays:
        """Errors of the moments E y, E y yᵀ, E y hᵀ and E h of the whitened units, from those of v."""
        error_v, error_vv, error_vh, error_h = errors
        error_vv = error_vv - np.outer(error_v, self.mean_v) - np.outer(self.mean_v, error_v)
        error_vh = error_vh - np.outer(self.mean_v, error_h)
        whiten = partial(solve_triangular, self.L, lower=True)
        return whiten(error_v), whiten(whiten(error_vv).T), whiten(error_vh), error_h

    def gradient(self, x: np.ndarray, errors: Arrays) -> np.ndarray:
        """The chain rule from η = (linear, -½ T Tᵀ, coupling, hidden bias) of the whitened units."""
        error_y, error_yy, error_yh, error_h = self.scaled(errors)
        T = self._parts(x)[1]
        by_T = -error_yy @ T
        by_coupling = (error_yh - np.outer(error_y, self.mean_h)) / self.sd_h
        by_diagonal, by_rest = by_T.diagonal() * T.diagonal(), by_T[self.lower]
        return np.concatenate([error_y, by_diagonal, by_rest, by_coupling.ravel(), error_h / self.sd_h])
