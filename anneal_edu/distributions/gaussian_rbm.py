"""The Gaussian restricted Boltzmann machine: real visible units, binary hidden units."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from anneal_edu.distributions.gaussian_bernoulli import GaussianBernoulli
from anneal_edu.validation import as_finite_array, require_shape


def as_sigma(sigma: float | np.ndarray, dim: int, dtype: DTypeLike = np.float64) -> np.ndarray:
    """Positive standard deviations (D,); one number serves all units."""
    sigma = as_finite_array("sigma", np.full(dim, sigma) if np.ndim(sigma) == 0 else sigma, ndim=1, dtype=dtype)
    require_shape("sigma", sigma, (dim,))
    if (sigma <= 0).any():
        raise ValueError(f"sigma must be positive, got {sigma.min()}")
    return sigma


class GaussianRBM(GaussianBernoulli):
    """Gaussian RBM: p(v, h) ∝ exp(-E), v real, h in {0, 1}^H  (Kiwaki and Aihara 2015, Eq. 1), with

    E(v, h) = Σ_j (v_j - visible_bias_j)² / 2σ_j² - Σ_ji (v_j / σ_j) weights_ji h_i - hidden_bias · h.

    As a distribution it is the marginal of v: a mixture of 2^H Gaussians with means visible_bias + σ · (weights h) and
    variances σ². log_z, mean_and_cov, moments and sample are exact, by a sum over h (at most 24 hidden units).

    Parameters
    ----------
    weights : (D, H) array
    visible_bias : (D,) array
        In the units of v.
    hidden_bias : (H,) array
    sigma : float or (D,) array
        Standard deviation of each visible unit given h, in the units of v.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> grbm = ae.GaussianRBM(weights=[[2.0], [0.0]], visible_bias=[0.0, 0.0], hidden_bias=[-2.0], sigma=2.0)
    >>> mean, cov = grbm.mean_and_cov()
    >>> mean, cov.diagonal()
    (array([2., 0.]), array([8., 4.]))
    """

    weights: np.ndarray
    visible_bias: np.ndarray
    sigma: np.ndarray

    def __init__(
        self, weights: np.ndarray, visible_bias: np.ndarray, hidden_bias: np.ndarray, sigma: float | np.ndarray
    ) -> None:
        W = as_finite_array("weights", weights, ndim=2)
        b, sigma = as_finite_array("visible_bias", visible_bias, ndim=1), as_sigma(sigma, len(W))
        require_shape("visible_bias", b, W.shape[:1])
        for name, value in (("weights", W), ("visible_bias", b), ("sigma", sigma)):
            object.__setattr__(self, name, value)
        constant = float(-0.5 * (b**2 / sigma**2).sum())  # the squares of the energy multiplied out
        super().__init__(b / sigma**2, np.diag(sigma**-2.0), W / sigma[:, None], hidden_bias, constant)

    def __reduce__(self) -> tuple[type[GaussianRBM], tuple[np.ndarray, ...]]:
        """Pickle the parameters, not the tables computed from them."""
        return GaussianRBM, (self.weights, self.visible_bias, self.hidden_bias, self.sigma)
