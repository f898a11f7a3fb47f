"""Natural parameters of RBMs written so that every direction is about equally steep, for the fit of moments.

The objective of the fit is A(η) - η · s. Its Hessian is the covariance of the statistics g(v, h), the Fisher
information. With statistics that are centred and scaled by the *target* moments it is near the identity, and L-BFGS
needs tens of evaluations instead of thousands.

A family offers its coordinates as ``moment_coordinates(s)``. They have the same face: ``target``, the moments s after
the checks; ``pack`` from η to coordinates x and ``unpack`` back; ``gradient``, the chain rule; and ``scaled`` errors.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from anneal_edu.validation import as_finite_array, require_shape

Arrays = tuple[np.ndarray, ...]
"""A point in the space of η, or of s = E[g(x)]: one array for each part of g."""

_SMALLEST_SPREAD = 1e-3  # a unit that is almost always on, or off, still gets a scale


class MomentCoordinates(Protocol):
    """Coordinates x of natural parameters η in which a fit to moments s is about equally steep in every direction."""

    target: Arrays
    """s, checked."""

    def pack(self, parameters: Arrays) -> np.ndarray:
        """x of η."""

    def unpack(self, x: np.ndarray) -> Arrays:
        """η of x."""

    def scaled(self, errors: Arrays) -> Arrays:
        """Errors of the moments in the units in which a tolerance is given."""

    def gradient(self, x: np.ndarray, errors: Arrays) -> np.ndarray:
        """∂/∂x of A(η) - η · s, from E_η[g] - s."""


def _as_moments(moments: Arrays, parameters: Arrays, names: tuple[str, ...]) -> tuple[np.ndarray, ...]:
    """Return moments as finite float64 arrays of the shapes of the natural parameters."""
    if len(moments) != len(names):
        raise ValueError(f"moments must be {', '.join(names)}, got {len(moments)} arrays")
    named = zip(names, moments, parameters, strict=True)
    target = tuple(as_finite_array(name, s, eta.ndim) for name, s, eta in named)
    for name, s, eta in zip(names, target, parameters, strict=True):
        require_shape(name, s, eta.shape)
    return target


def _require_probabilities(name: str, s: np.ndarray) -> None:
    if not ((s >= 0) & (s <= 1)).all():
        raise ValueError(f"{name} must hold probabilities, got values from {s.min()} to {s.max()}")


def _spread(mean: np.ndarray) -> np.ndarray:
    """Standard deviation of binary units with these means."""
    return np.sqrt(np.maximum(mean * (1 - mean), _SMALLEST_SPREAD**2))


class BinaryCoordinates:
    """Coordinates of a binary RBM: its energy in (v_i - m_i) / d_i, (h_j - m_j) / d_j and their products."""

    def __init__(self, moments: tuple[np.ndarray, ...], parameters: tuple[np.ndarray, ...]):
        names = ("E v", "E h", "E v hᵀ")
        self.target = _as_moments(moments, parameters, names)
        for name, s in zip(names, self.target, strict=True):
            _require_probabilities(name, s)
        self.mean_v, self.mean_h, _ = self.target
        self.sd_v, self.sd_h = _spread(self.mean_v), _spread(self.mean_h)
        self.scale = np.outer(self.sd_v, self.sd_h)

    def pack(self, parameters: tuple[np.ndarray, ...]) -> np.ndarray:
        """Coordinates of η = (b, c, W), (D + H + D H,)."""
        b, c, W = parameters
        return np.concatenate(
            [(b + W @ self.mean_h) * self.sd_v, (c + self.mean_v @ W) * self.sd_h, (W * self.scale).ravel()]
        )

    def unpack(self, x: np.ndarray) -> tuple[np.ndarray, ...]:
        """η = (b, c, W) at given coordinates."""
        D, H = self.scale.shape
        W = x[D + H :].reshape(D, H) / self.scale
        return x[:D] / self.sd_v - W @ self.mean_h, x[D : D + H] / self.sd_h - self.mean_v @ W, W

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

    def __init__(self, moments: tuple[np.ndarray, ...], parameters: tuple[np.ndarray, ...]):
        self.target = _as_moments(moments, parameters, ("E v", "E v vᵀ", "E v hᵀ", "E h"))
        self.mean_v, second_v, _, self.mean_h = self.target
        _require_probabilities("E h", self.mean_h)
        if not np.allclose(second_v, second_v.T, rtol=1e-8, atol=1e-12 * np.abs(second_v).max()):
            raise ValueError("E v vᵀ must be symmetric")
        self.sd_h = _spread(self.mean_h)
        try:
            self.L = cholesky(second_v - np.outer(self.mean_v, self.mean_v), lower=True)
        except LinAlgError:
            raise ValueError("the moments E v and E v vᵀ must belong to a positive definite covariance") from None
        self.lower = np.tril_indices(len(self.mean_v), -1)

    def _sizes(self) -> list[int]:
        """Where linear, diagonal and rest of T, and coupling end within x; the hidden biases are last."""
        D, H = len(self.mean_v), len(self.mean_h)
        return list(np.cumsum([D, D, len(self.lower[0]), D * H]))

    def pack(self, parameters: tuple[np.ndarray, ...]) -> np.ndarray:
        """Coordinates of η = (linear, -½ precision, coupling, hidden bias), (2 D + D (D - 1) / 2 + D H + H,)."""
        linear, minus_half, coupling, hidden_bias = parameters
        L, mean, precision = self.L, self.mean_v, -2 * minus_half
        hidden_bias = (hidden_bias + mean @ coupling) * self.sd_h
        coupling = L.T @ coupling
        linear = L.T @ (linear - precision @ mean) + coupling @ self.mean_h
        T = cholesky(L.T @ precision @ L, lower=True)
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

    def unpack(self, x: np.ndarray) -> tuple[np.ndarray, ...]:
        """η = (linear, -½ precision, coupling, hidden bias) at given coordinates."""
        linear, T, coupling, hidden_bias = self._parts(x)
        root = solve_triangular(self.L, T, lower=True, trans="T")
        precision = root @ root.T
        coupling, linear = (solve_triangular(self.L, a, lower=True, trans="T") for a in (coupling, linear))
        return linear + precision @ self.mean_v, -0.5 * precision, coupling, hidden_bias - self.mean_v @ coupling

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
