"""The mean-covariance restricted Boltzmann machine (mcRBM) of Ranzato and Hinton (2010)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from anneal_edu.distributions.bernoulli import softplus
from anneal_edu.validation import as_finite_array, as_positive, as_states, require_shape

_ARRAYS = ("filters", "pooling", "covariance_bias", "mean_weights", "mean_bias", "visible_bias")


@dataclass(frozen=True, eq=False)
class MeanCovarianceRBM:
    """mcRBM with hidden units summed out, f(x) = exp(-E(x))  (Sohl-Dickstein and Culpepper 2012, Eq. 39 and 40), with

    E(x) = - Σ_k log(1 + exp(½ Σ_l pooling_lk (C_l·x)² / (|x|² + ½) + c_k))
           - Σ_j log(1 + exp(W_j·x + b_j)) + |x|² / 2σ² - x·visible_bias.

    Covariance units k see squared outputs of the filters C; mean units j see x. Without pooling it is a Gaussian RBM.

    Parameters
    ----------
    filters : (L, D) array
        C.
    pooling : (L, K) array
        P; negative entries let filters that respond raise the energy.
    covariance_bias : (K,) array
    mean_weights : (J, D) array
        W.
    mean_bias : (J,) array
    visible_bias : (D,) array
        The paper gives it K entries, a slip: it multiplies x.
    sigma : float

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> model = ae.MeanCovarianceRBM(np.eye(2), -np.eye(2), np.zeros(2), np.eye(2), np.zeros(2), np.zeros(2), sigma=1.0)
    >>> model.log_density(np.zeros(2)).round(4)
    np.float64(2.7726)
    """

    filters: np.ndarray
    pooling: np.ndarray
    covariance_bias: np.ndarray
    mean_weights: np.ndarray
    mean_bias: np.ndarray
    visible_bias: np.ndarray
    sigma: float = 1.0

    def __post_init__(self) -> None:
        for name in _ARRAYS:
            ndim = 1 if name.endswith("bias") else 2
            object.__setattr__(self, name, as_finite_array(name, getattr(self, name), ndim))
        (L, D), K, J = self.filters.shape, self.pooling.shape[1], self.mean_weights.shape[0]
        shapes = {"pooling": (L, K), "covariance_bias": (K,), "mean_weights": (J, D), "mean_bias": (J,)}
        for name, shape in (shapes | {"visible_bias": (D,)}).items():
            require_shape(name, getattr(self, name), shape)
        object.__setattr__(self, "sigma", as_positive("sigma", self.sigma))

    @property
    def dim(self) -> int:
        """Dimension D of the data."""
        return self.filters.shape[1]

    def fields(self, x: np.ndarray) -> tuple[np.ndarray, ...]:
        """|x|² + ½ (..., 1), the outputs C x (..., L), and the log odds of the covariance and the mean units."""
        size = (x * x).sum(-1, keepdims=True) + 0.5
        u = x @ self.filters.T
        covariance = 0.5 * (u * u / size) @ self.pooling + self.covariance_bias  # (..., K)
        return size, u, covariance, x @ self.mean_weights.T + self.mean_bias  # (..., J)

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """Log f(x) = -E(x): (..., D) -> (...)."""
        x = as_states(x, self.dim)
        _, _, covariance, mean = self.fields(x)
        quadratic = x @ self.visible_bias - 0.5 * (x * x).sum(-1) / self.sigma**2
        return quadratic + softplus(covariance).sum(-1) + softplus(mean).sum(-1)

    def grad_log_density(self, x: np.ndarray) -> np.ndarray:
        """∇ log f(x): (..., D) -> (..., D)."""
        x = as_states(x, self.dim)
        size, u, covariance, mean = self.fields(x)
        pull = expit(covariance) @ self.pooling.T * u / size  # (..., L): of (C_l·x)² / 2 size on C_l·x
        shrink = (pull * u).sum(-1, keepdims=True) / size  # the same squares, through |x|²
        of_covariance_units = pull @ self.filters - shrink * x
        return self.visible_bias - x / self.sigma**2 + of_covariance_units + expit(mean) @ self.mean_weights

    # Training: `minimum_probability_flow`

    def free_parameters(self) -> dict[str, np.ndarray]:
        """All parameters by name, with log sigma in place of sigma: any real numbers make a model."""
        return {name: getattr(self, name) for name in _ARRAYS} | {"log_sigma": np.log([self.sigma])}

    def with_free_parameters(self, parts: dict[str, np.ndarray]) -> MeanCovarianceRBM:
        """A model with these free parameters."""
        arrays: dict[str, Any] = {name: parts[name] for name in _ARRAYS}
        return MeanCovarianceRBM(**arrays, sigma=float(np.exp(parts["log_sigma"][0])))

    def parameter_slopes(self, x: np.ndarray, w: np.ndarray) -> dict[str, np.ndarray]:
        """Gradient of Σ_n w_n log f(x_n) in every free parameter: (N, D), (N,)."""
        size, u, covariance, mean = self.fields(x)
        on_covariance, on_mean = w[:, None] * expit(covariance), w[:, None] * expit(mean)  # (N, K), (N, J)
        pull = on_covariance @ self.pooling.T * u / size  # (N, L), of Σ w log f on u = filters x
        return {
            "filters": pull.T @ x,
            "pooling": 0.5 * (u * u / size).T @ on_covariance,
            "covariance_bias": on_covariance.sum(0),
            "mean_weights": on_mean.T @ x,
            "mean_bias": on_mean.sum(0),
            "visible_bias": w @ x,
            "log_sigma": np.array([w @ (x * x).sum(-1)]) / self.sigma**2,
        }
