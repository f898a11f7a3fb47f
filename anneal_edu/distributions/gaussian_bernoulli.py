"""The exponential family of Gaussian RBMs: real v, binary h, a quadratic energy."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import expit

from anneal_edu.distributions.bernoulli import bernoulli, softplus
from anneal_edu.distributions.enumeration import (
    MAX_ENUMERATED_UNITS,
    normalised,
    pair_moments,
    quadratic_log_weights,
    states_of,
)
from anneal_edu.distributions.moment_coordinates import GaussianCoordinates
from anneal_edu.distributions.protocol import mix
from anneal_edu.validation import (
    as_cholesky,
    as_count,
    as_finite_array,
    as_number,
    as_states,
    require_generator,
    require_shape,
)


@dataclass(frozen=True, eq=False, repr=False)
class GaussianBernoulli:
    """Log f(v, h) = constant + linear·v - ½ vᵀ precision v + vᵀ coupling h + hidden_bias·h, v real and h binary.

    As a distribution it is the marginal of v, a mixture of 2^H Gaussians with one covariance, precision⁻¹. A Gaussian
    RBM has a diagonal precision; a Gaussian beside H idle hidden units has no coupling.

    Parameters
    ----------
    linear : (D,) array
    precision : (D, D) array
        Symmetric and positive definite.
    coupling : (D, H) array
    hidden_bias : (H,) array
    constant : float

    Examples
    --------
    >>> import numpy as np
    >>> pair = GaussianBernoulli(np.zeros(2), np.eye(2), np.zeros((2, 3)), np.zeros(3))
    >>> round(float(pair.log_z()), 6), round(float(np.log(2 * np.pi) + 3 * np.log(2)), 6)
    (3.917319, 3.917319)
    """

    linear: np.ndarray
    precision: np.ndarray
    coupling: np.ndarray
    hidden_bias: np.ndarray
    constant: float = 0.0
    _cholesky: np.ndarray = field(init=False)

    sums_hidden = True

    def __post_init__(self) -> None:
        for name, ndim in (("linear", 1), ("precision", 2), ("coupling", 2), ("hidden_bias", 1)):
            object.__setattr__(self, name, as_finite_array(name, getattr(self, name), ndim))
        D, H = self.coupling.shape
        require_shape("linear", self.linear, (D,))
        require_shape("precision", self.precision, (D, D))
        require_shape("hidden_bias", self.hidden_bias, (H,))
        if not np.isfinite(as_number("constant", self.constant)):
            raise ValueError(f"constant must be finite, got {self.constant}")
        object.__setattr__(self, "_cholesky", as_cholesky("precision", self.precision))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(D={self.dim}, H={self.n_hidden})"

    @property
    def dim(self) -> int:
        """Number of visible units D."""
        return len(self.linear)

    @property
    def n_hidden(self) -> int:
        """Number of hidden units H."""
        return len(self.hidden_bias)

    @cached_property
    def _noise_factor(self) -> np.ndarray:
        """L⁻¹ with precision = L Lᵀ, (D, D): standard normal rows @ L⁻¹ have covariance precision⁻¹."""
        return solve_triangular(self._cholesky, np.eye(self.dim), lower=True)

    @cached_property
    def noise_cov(self) -> np.ndarray:
        """Covariance of v given h, precision⁻¹, (D, D)."""
        return self._noise_factor.T @ self._noise_factor

    @cached_property
    def _visible_line(self) -> tuple[np.ndarray, np.ndarray]:
        """E[v | h] is linear in h: level precision⁻¹ linear (D,), slope precision⁻¹ coupling (D, H)."""
        return self.noise_cov @ self.linear, self.noise_cov @ self.coupling

    # The two conditionals and the marginal density

    def hidden_field(self, v: np.ndarray) -> np.ndarray:
        """hidden_bias + v coupling, the log odds of each hidden unit: (..., D) -> (..., H)."""
        v = as_states(v, self.dim)
        return v @ np.asarray(self.coupling, v.dtype) + np.asarray(self.hidden_bias, v.dtype)

    def visible_mean(self, h: np.ndarray) -> np.ndarray:
        """E[v | h] = precision⁻¹ (linear + coupling h): (..., H) -> (..., D)."""
        h = as_states(h, self.n_hidden)
        level, slope = (np.asarray(a, h.dtype) for a in self._visible_line)
        return level + h @ slope.T

    def log_density(self, v: np.ndarray) -> np.ndarray:
        """Log f(v) with h summed out: (..., D) -> (...), float64  (Kiwaki and Aihara 2015, Eq. 2 and 8)."""
        v = as_states(v, self.dim)
        root = v @ self._cholesky
        quadratic = self.constant + v @ self.linear - 0.5 * (root * root).sum(-1)
        return quadratic + softplus(self.hidden_field(v)).sum(-1, dtype=np.float64)

    def grad_log_density(self, v: np.ndarray) -> np.ndarray:
        """∇ log f(v) = linear - precision v + coupling E[h | v]: (..., D) -> (..., D)."""
        v = as_states(v, self.dim)
        return self.linear - v @ self.precision + expit(self.hidden_field(v)) @ self.coupling.T

    def gibbs(self, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """h ~ p(h | v), then v ~ p(v | h)  (Kiwaki and Aihara 2015, Eq. 9, put right): (C, D) -> (C, D)."""
        return self.visible_given_hidden(bernoulli(self.hidden_field(v), rng), rng)

    def visible_given_hidden(self, h: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw v ~ N(E[v | h], precision⁻¹): (..., H) -> (..., D)."""
        h = as_states(h, self.n_hidden)
        noise = rng.standard_normal((*h.shape[:-1], self.dim), dtype=h.dtype)
        return self.visible_mean(h) + noise @ self._noise_factor.astype(h.dtype)

    # Exact answers: with v integrated out, log p(h) is quadratic in h

    @property
    def enumerable(self) -> bool:
        """Whether log_z, moments and sample are within reach: at most 24 hidden units, or no coupling."""
        return self.n_hidden <= MAX_ENUMERATED_UNITS or not self.coupling.any()

    @cached_property
    def _log_z_without_hidden(self) -> float:
        """Log ∫ exp(constant + linear·v - ½ vᵀ precision v) dv."""
        log_det = -2 * float(np.log(np.diag(self._cholesky)).sum())
        squares = float(self.linear @ self.noise_cov @ self.linear)
        return self.constant + 0.5 * (self.dim * np.log(2 * np.pi) + log_det + squares)

    @cached_property
    def _log_z_and_hidden_probabilities(self) -> tuple[float, np.ndarray]:
        """p(h) ∝ exp(l·h + ½ hᵀ G h), l = hidden_bias + couplingᵀ P⁻¹ linear and G = couplingᵀ P⁻¹ coupling."""
        slope = self._visible_line[1]  # (D, H)
        log_p = quadratic_log_weights(self.hidden_bias + self.linear @ slope, self.coupling.T @ slope)
        return normalised(log_p, self._log_z_without_hidden)

    def log_z(self) -> float:
        """Exact log Z, in nats, by enumerating h  (Kiwaki and Aihara 2015, Eq. 3)."""
        if not self.coupling.any():
            return float(self._log_z_without_hidden + np.logaddexp(0, self.hidden_bias).sum())
        return self._log_z_and_hidden_probabilities[0]

    def hidden_probabilities(self) -> np.ndarray:
        """Exact p(h) of every hidden state in the order of `binary_states`, (2^H,)."""
        return self._log_z_and_hidden_probabilities[1].copy()

    @cached_property
    def _hidden_moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Exact (E h, E h hᵀ), shapes (H,) and (H, H)."""
        if self.coupling.any():
            return pair_moments(self._log_z_and_hidden_probabilities[1], self.n_hidden)
        mean = expit(self.hidden_bias)
        return mean, np.outer(mean, mean) + np.diag(mean * (1 - mean))

    def mean_and_cov(self) -> tuple[np.ndarray, np.ndarray]:
        """Exact mean (D,) and covariance (D, D) of v: noise_cov + precision⁻¹ coupling Cov(h) couplingᵀ precision⁻¹."""
        mean_h, second_h = self._hidden_moments
        level, slope = self._visible_line
        cov = self.noise_cov + slope @ (second_h - np.outer(mean_h, mean_h)) @ slope.T
        return level + slope @ mean_h, (cov + cov.T) / 2

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw n exact, independent visible states, (n, D) float32."""
        n = as_count("n", n)
        require_generator(rng)
        if not self.coupling.any():
            h = bernoulli(np.tile(np.float32(self.hidden_bias), (n, 1)), rng)
        else:
            p = self._log_z_and_hidden_probabilities[1]
            h = states_of(rng.choice(len(p), size=n, p=p), self.n_hidden)  # (n, H)
        return self.visible_given_hidden(h, rng)

    # As an exponential family with g(v, h) = (v, v vᵀ, v hᵀ, h)

    def natural_parameters(self) -> tuple[np.ndarray, ...]:
        """η = (linear, -½ precision, coupling, hidden_bias), in the order of `moments`."""
        return self.linear, -0.5 * self.precision, self.coupling, self.hidden_bias

    def moments(self) -> tuple[np.ndarray, ...]:
        """Exact s = (E v, E v vᵀ, E v hᵀ, E h), shapes (D,), (D, D), (D, H), (H,)."""
        mean, cov = self.mean_and_cov()
        mean_h, second_h = self._hidden_moments
        level, slope = self._visible_line
        return mean, cov + np.outer(mean, mean), np.outer(level, mean_h) + slope @ second_h, mean_h

    def log_partition(self) -> float:
        """A(η) = log Z - constant."""
        return self.log_z() - self.constant

    def member(self, parameters: tuple[np.ndarray, ...]) -> GaussianBernoulli:
        """The member with other natural parameters η, and no constant."""
        linear, minus_half, coupling, hidden_bias = parameters
        return GaussianBernoulli(linear, -2 * minus_half, coupling, hidden_bias)

    def moment_coordinates(self, moments: tuple[np.ndarray, ...]) -> GaussianCoordinates:
        """Coordinates of η for `match_moments`."""
        return GaussianCoordinates(moments, self.natural_parameters())

    def geometric_mean(self, other: GaussianBernoulli, beta: float) -> GaussianBernoulli:
        """The member with log f(v, h) = (1-β) log f_self(v, h) + β log f_other(v, h): natural parameters averaged."""
        return GaussianBernoulli(*self.mixed_with(other, beta))

    def mixed_with(self, other: GaussianBernoulli, beta: float) -> tuple[Any, ...]:
        """The parameters of `geometric_mean`: energies averaged, Kiwaki and Aihara 2015, Eq. 7."""
        linear, minus_half, coupling, hidden_bias = mix(self.natural_parameters(), other.natural_parameters(), beta)
        return linear, -2 * minus_half, coupling, hidden_bias, (1 - beta) * self.constant + beta * other.constant
