"""The binary restricted Boltzmann machine; its answers are exact if one layer has at most 24 units."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit

from anneal_edu.distributions.bernoulli import bernoulli, softplus
from anneal_edu.distributions.enumeration import MAX_ENUMERATED_UNITS, LayerSum, binary_states, normalised, states_of
from anneal_edu.distributions.moment_coordinates import BinaryCoordinates
from anneal_edu.distributions.protocol import mix
from anneal_edu.validation import as_binary_data, as_count, as_finite_array, as_states, require_generator, require_shape

_LARGEST_PARAMETER = 1e30  # beyond it, products would leave the range of float32


@dataclass(frozen=True, eq=False, repr=False)
class BinaryRBM:
    """Binary RBM: p(v, h) ∝ exp(v·visible_bias + h·hidden_bias + vᵀ weights h)  (Grosse et al. 2013, Eq. 11).

    The exponent is minus the energy of Kadan et al. 2018, Eq. 1. As a distribution it is the marginal over the visible
    units v in {0, 1}^D:
    log f(v) = v·visible_bias + Σ_j log(1 + exp(hidden_bias_j + (v weights)_j)).

    log_z, moments and sample are exact; they sum over 2^min(D, H) states once and keep the table (at most 24 units;
    weightless models have closed forms at any size). Samples are float32, sums of logarithms float64.

    Parameters
    ----------
    weights : (D, H) array
    visible_bias : (D,) array
    hidden_bias : (H,) array

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> rbm = ae.BinaryRBM(weights=np.ones((3, 2)), visible_bias=np.zeros(3), hidden_bias=np.zeros(2))
    >>> round(rbm.log_z(), 6)
    6.552801
    """

    weights: np.ndarray
    visible_bias: np.ndarray
    hidden_bias: np.ndarray

    discrete = binary = sums_hidden = True

    def __post_init__(self) -> None:
        for name, ndim in (("weights", 2), ("visible_bias", 1), ("hidden_bias", 1)):
            value = as_finite_array(name, getattr(self, name), ndim)
            if np.abs(value).max() > _LARGEST_PARAMETER:
                raise ValueError(f"{name} must not exceed {_LARGEST_PARAMETER:g}, got {np.abs(value).max():.3g}")
            object.__setattr__(self, name, value)
        require_shape("visible_bias", self.visible_bias, (self.dim,))
        require_shape("hidden_bias", self.hidden_bias, (self.n_hidden,))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(D={self.dim}, H={self.n_hidden})"

    @classmethod
    def from_sklearn(cls, estimator: Any) -> BinaryRBM:
        """The RBM of a fitted ``sklearn.neural_network.BernoulliRBM``, whose ``components_`` (H, D) are the weights.

        Examples
        --------
        >>> import anneal_edu as ae
        >>> from sklearn.neural_network import BernoulliRBM
        >>> fitted = BernoulliRBM(n_components=5, n_iter=2, random_state=0).fit(ae.data.digits(8))
        >>> ae.BinaryRBM.from_sklearn(fitted).weights.shape
        (64, 5)
        """
        names = "components_", "intercept_visible_", "intercept_hidden_"
        if missing := [name for name in names if not hasattr(estimator, name)]:
            raise TypeError(
                f"estimator must be a fitted BernoulliRBM, got a {type(estimator).__name__} without "
                f"{', '.join(missing)}: call its fit first"
            )
        weights, visible_bias, hidden_bias = (getattr(estimator, name) for name in names)
        return cls(as_finite_array("components_", weights, ndim=2).T, visible_bias, hidden_bias)

    def __getstate__(self) -> dict[str, np.ndarray]:
        """Pickle the parameters, not the tables computed from them."""
        return {name: getattr(self, name) for name in ("weights", "visible_bias", "hidden_bias")}

    @property
    def dim(self) -> int:
        """Number of visible units D."""
        return self.weights.shape[0]

    @property
    def n_hidden(self) -> int:
        """Number of hidden units H."""
        return self.weights.shape[1]

    @cached_property
    def single_precision(self) -> tuple[np.ndarray, ...]:
        """(weights, visible_bias, hidden_bias) in float32, for products with float32 states."""
        return tuple(np.asarray(a, dtype=np.float32) for a in (self.weights, self.visible_bias, self.hidden_bias))

    def _parameters_like(self, states: np.ndarray) -> tuple[np.ndarray, ...]:
        if states.dtype == np.float32:
            return self.single_precision
        return self.weights, self.visible_bias, self.hidden_bias

    def hidden_field(self, v: np.ndarray) -> np.ndarray:
        """hidden_bias + v weights, the log odds of each hidden unit: (..., D) -> (..., H)."""
        v = as_states(v, self.dim)
        weights, _, hidden_bias = self._parameters_like(v)
        return v @ weights + hidden_bias

    def visible_field(self, h: np.ndarray) -> np.ndarray:
        """visible_bias + h weightsᵀ, the log odds of each visible unit: (..., H) -> (..., D)."""
        h = as_states(h, self.n_hidden)
        weights, visible_bias, _ = self._parameters_like(h)
        return h @ weights.T + visible_bias

    def hidden_given_visible(self, v: np.ndarray) -> np.ndarray:
        """p(h_j = 1 | v): (..., D) -> (..., H)  (Kadan et al. 2018, Eq. 4)."""
        return expit(self.hidden_field(v))

    def visible_given_hidden(self, h: np.ndarray) -> np.ndarray:
        """p(v_i = 1 | h): (..., H) -> (..., D)  (Kadan et al. 2018, Eq. 3)."""
        return expit(self.visible_field(h))

    def log_density(self, v: np.ndarray) -> np.ndarray:
        """Log f(v) with h summed out: (..., D) -> (...), float64."""
        v = as_states(v, self.dim)
        return v @ self.visible_bias + softplus(self.hidden_field(v)).sum(-1, dtype=np.float64)

    def gibbs(self, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """One block Gibbs step, h ~ p(h | v), then v ~ p(v | h): (C, D) -> (C, D)."""
        h = bernoulli(self.hidden_field(v), rng)
        return bernoulli(self.visible_field(h), rng)

    # Exact answers

    @property
    def enumerable(self) -> bool:
        """Whether log_z, moments and sample are within reach: a layer of at most 24 units, or no weights."""
        return min(self.dim, self.n_hidden) <= MAX_ENUMERATED_UNITS or not self.weights.any()

    @property
    def _sums_hidden(self) -> bool:
        return self.n_hidden <= self.dim

    @cached_property
    def _layer_sum(self) -> LayerSum:
        if self._sums_hidden:
            return LayerSum(self.weights, self.visible_bias, self.hidden_bias)
        return LayerSum(self.weights.T, self.hidden_bias, self.visible_bias)

    @cached_property
    def _log_z_and_layer_probabilities(self) -> tuple[float, np.ndarray]:
        return normalised(self._layer_sum.log_weights())

    def log_z(self) -> float:
        """Exact log Σ_v f(v), in nats, by enumerating the smaller layer."""
        if not self.weights.any():
            return float(np.logaddexp(0, self.visible_bias).sum() + np.logaddexp(0, self.hidden_bias).sum())
        return self._log_z_and_layer_probabilities[0]

    def hidden_probabilities(self) -> np.ndarray:
        """Exact p(h) of every hidden state in the order of `binary_states`, (2^H,)."""
        if self._sums_hidden and self.weights.any():
            return self._log_z_and_layer_probabilities[1].copy()
        turned = BinaryRBM(self.weights.T, self.hidden_bias, self.visible_bias)  # no side of an RBM is preferred
        return np.exp(turned.log_density(binary_states(self.n_hidden)) - self.log_z())

    def moments(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Exact (E v, E h, E v hᵀ), shapes (D,), (H,), (D, H)."""
        if not self.weights.any():
            mean_v, mean_h = expit(self.visible_bias), expit(self.hidden_bias)
            return mean_v, mean_h, np.outer(mean_v, mean_h)
        mean_other, mean_summed, mean_product = self._layer_sum.moments(self._log_z_and_layer_probabilities[1])
        if self._sums_hidden:
            return mean_other, mean_summed, mean_product
        return mean_summed, mean_other, mean_product.T

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw n exact, independent visible states, (n, D) float32."""
        n = as_count("n", n)
        require_generator(rng)
        if not self.weights.any():
            return bernoulli(np.tile(self.single_precision[1], (n, 1)), rng)
        p = self._log_z_and_layer_probabilities[1]
        layer = states_of(rng.choice(len(p), size=n, p=p), self._layer_sum.weights.shape[1])  # (n, m)
        return bernoulli(self.visible_field(layer), rng) if self._sums_hidden else layer

    # As an exponential family with g(v, h) = (v, h, v hᵀ)

    log_partition = log_z

    def natural_parameters(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """η = (visible_bias, hidden_bias, weights), in the order of `moments`."""
        return self.visible_bias, self.hidden_bias, self.weights

    def member(self, parameters: tuple[np.ndarray, ...]) -> BinaryRBM:
        """The RBM with other natural parameters η."""
        visible_bias, hidden_bias, weights = parameters
        return BinaryRBM(weights, visible_bias, hidden_bias)

    def moment_coordinates(self, moments: tuple[np.ndarray, ...]) -> BinaryCoordinates:
        """Coordinates of η for `match_moments`."""
        return BinaryCoordinates(moments, self.natural_parameters())

    def geometric_mean(self, other: BinaryRBM, beta: float) -> BinaryRBM:
        """The RBM with averaged parameters, the geometric average of the *joint* densities of (v, h).

        The geometric average of the two marginals f(v) is another distribution. See Grosse et al. 2013, Eq. 7.
        """
        return self.member(mix(self.natural_parameters(), other.natural_parameters(), beta))


def uniform_rbm(n_visible: int, n_hidden: int) -> BinaryRBM:
    """The RBM with every parameter zero: uniform over all states, log Z = (D + H) log 2.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> round(ae.uniform_rbm(3, 2).log_z(), 4)
    3.4657
    """
    D, H = as_count("n_visible", n_visible), as_count("n_hidden", n_hidden)
    return BinaryRBM(np.zeros((D, H)), np.zeros(D), np.zeros(H))


def base_rate_rbm(data: np.ndarray, n_hidden: int) -> BinaryRBM:
    """The weightless RBM whose visible units are on as often as in the data (Salakhutdinov and Murray 2008).

    Weights and hidden biases are zero, and visible_bias is the logit of the means of the data (N, D), clipped to
    [0.01, 0.99] so that no pixel is impossible.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> ae.base_rate_rbm(np.array([[0, 1], [1, 1]]), n_hidden=3).visible_bias.round(2)
    array([0. , 4.6])
    """
    data = as_binary_data("data", data)
    H = as_count("n_hidden", n_hidden)
    mean = np.clip(data.mean(0, dtype=np.float64), 0.01, 0.99)
    return BinaryRBM(np.zeros((data.shape[1], H)), np.log(mean / (1 - mean)), np.zeros(H))
