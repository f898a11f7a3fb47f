"""Generative image models: latent causes a drawn from a prior, and an image x = bases a + noise.

The likelihood p(x) = ∫ p(x, a) da is the partition function of f(a) = p(x, a), which `log_likelihood` estimates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anneal_edu.distributions.gaussian import Gaussian
from anneal_edu.distributions.protocol import Generative
from anneal_edu.validation import (
    as_choice,
    as_count,
    as_finite_array,
    as_positive,
    as_states,
    require_generator,
    require_shape,
)


@dataclass(frozen=True, eq=False)
class IndependentPrior:
    """Independent standard coordinates, normalised: normal, Laplace, or exponential where they must not be negative.

    The priors of Sohl-Dickstein and Culpepper 2012, Eq. 31, 32, 34 and 35. With ``sparse`` the density is exp(-|a|),
    exponential in the coordinates of ``nonnegative`` (dim,) and Laplace in the others; without it, normal.
    """

    dim: int
    sparse: bool
    nonnegative: np.ndarray

    def log_density(self, a: np.ndarray) -> np.ndarray:
        """Log p(a): (..., L) -> (...). L Laplace coordinates have the normaliser 2^L, where the paper prints 2."""
        a = as_states(a, self.dim)
        if self.sparse:
            log_p = -np.abs(a).sum(-1) - np.log(2) * (~self.nonnegative).sum()
            return np.where((self.nonnegative & (a < 0)).any(-1), -np.inf, log_p)
        return -0.5 * (a * a).sum(-1) - 0.5 * self.dim * np.log(2 * np.pi)

    def grad_log_density(self, a: np.ndarray) -> np.ndarray:
        """∇ log p(a): (..., L) -> (..., L)."""
        a = as_states(a, self.dim)
        return -np.sign(a) if self.sparse else -a

    def log_z(self) -> float:
        """Zero: it is normalised."""
        return 0.0

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw n exact, independent samples, (n, L)."""
        require_generator(rng)
        shape = as_count("n", n), self.dim
        if not self.sparse:
            return rng.standard_normal(shape)
        return np.where(self.nonnegative, rng.standard_exponential(shape), rng.laplace(size=shape))


@dataclass(frozen=True, eq=False)
class LinearGenerative:
    """x = bases a + noise · N(0, I), a Gaussian or Laplace  (Sohl-Dickstein and Culpepper 2012, Eq. 30 to 32 and 41).

    With the Gaussian prior p(x) is exact, x ~ N(0, bases basesᵀ + noise² I). Without bases x is noise under any prior.

    Parameters
    ----------
    bases : (D, L) array
        Φ, one image a column.
    noise : float
        σ_n, the standard deviation of the noise; the paper takes 0.1.
    prior : "gaussian" or "laplace"

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> model = ae.LinearGenerative(np.eye(2), noise=1.0, prior="gaussian")
    >>> model.log_density(np.zeros(2)).round(4)
    np.float64(-2.531)
    """

    bases: np.ndarray
    noise: float = 0.1
    prior: str = "gaussian"

    def __post_init__(self) -> None:
        object.__setattr__(self, "bases", as_finite_array("bases", self.bases, ndim=2))
        object.__setattr__(self, "noise", as_positive("noise", self.noise))
        as_choice("prior", self.prior, ("gaussian", "laplace"))

    @property
    def dim(self) -> int:
        """Dimension D of the data."""
        return self.bases.shape[0]

    @property
    def n_latent(self) -> int:
        """Number of causes L."""
        return self.bases.shape[1]

    @property
    def latent_prior(self) -> IndependentPrior:
        """p(a)."""
        return IndependentPrior(self.n_latent, self.prior == "laplace", np.zeros(self.n_latent, dtype=bool))

    def reconstruct(self, a: np.ndarray) -> np.ndarray:
        """bases a, the image without noise: (..., L) -> (..., D)."""
        return as_states(a, self.n_latent) @ self.bases.T

    def pull_back(self, a: np.ndarray, error: np.ndarray) -> np.ndarray:
        """Gradient of error · reconstruct(a) with respect to a: (..., L), (..., D) -> (..., L)."""
        return error @ self.bases

    def reconstruction_slopes(self, a: np.ndarray, error: np.ndarray) -> dict[str, np.ndarray]:
        """Gradient of Σ_n error_n · reconstruct(a_n) in every parameter, by name: (N, L), (N, D)."""
        return {"bases": error.T @ a}

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw n exact, independent images, (n, D)."""
        return _sample(self, n, rng)

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """Log p(x), exact, for the Gaussian prior: (..., D) -> (...); ValueError for the Laplace prior."""
        if self.prior != "gaussian":
            raise ValueError("p(x) is exact for the gaussian prior only; estimate it: log_likelihood(…)")
        cov = self.bases @ self.bases.T + self.noise**2 * np.eye(self.dim)
        return Gaussian(np.zeros(self.dim), cov).log_density(x)

    def log_z(self) -> float:
        """Zero: the model of x is normalised."""
        return 0.0


@dataclass(frozen=True, eq=False)
class BilinearGenerative:
    """x = bases ((c_weights c) ⊙ (d_weights d)) + noise · N(0, I)  (Sohl-Dickstein and Culpepper 2012, Eq. 33 to 35).

    c has a Laplace prior and d an exponential one: each cause is a signed coefficient times a strength that it shares
    with others. The latent vector is (c, d).

    Parameters
    ----------
    bases, c_weights, d_weights : (D, L), (L, Kc) and (L, Kd) arrays
        Φ, Θ and Ψ.
    noise : float
        σ_n.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> model = ae.BilinearGenerative(np.eye(2), np.eye(2), np.ones((2, 1)))
    >>> model.n_latent, model.sample(4, np.random.default_rng(0)).shape
    (3, (4, 2))
    """

    bases: np.ndarray
    c_weights: np.ndarray
    d_weights: np.ndarray
    noise: float = 0.1

    def __post_init__(self) -> None:
        for name in ("bases", "c_weights", "d_weights"):
            value = as_finite_array(name, getattr(self, name), ndim=2)
            object.__setattr__(self, name, value)
            if name != "bases":
                require_shape(name, value, (self.bases.shape[1], value.shape[1]))
        object.__setattr__(self, "noise", as_positive("noise", self.noise))

    @property
    def dim(self) -> int:
        """Dimension D of the data."""
        return self.bases.shape[0]

    @property
    def n_latent(self) -> int:
        """Number of latent variables, Kc + Kd."""
        return self.c_weights.shape[1] + self.d_weights.shape[1]

    @property
    def latent_prior(self) -> IndependentPrior:
        """p(c, d)."""
        return IndependentPrior(self.n_latent, True, np.arange(self.n_latent) >= self.c_weights.shape[1])

    def _factors(self, latent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Θ c and Ψ d, both (..., L)."""
        c, d = np.split(as_states(latent, self.n_latent), [self.c_weights.shape[1]], axis=-1)
        return c @ self.c_weights.T, d @ self.d_weights.T

    def reconstruct(self, latent: np.ndarray) -> np.ndarray:
        """bases ((Θ c) ⊙ (Ψ d)), the image without noise: (..., Kc + Kd) -> (..., D)."""
        signed, strength = self._factors(latent)
        return (signed * strength) @ self.bases.T

    def pull_back(self, latent: np.ndarray, error: np.ndarray) -> np.ndarray:
        """Gradient of error · reconstruct(latent) with respect to (c, d): (..., Kc + Kd)."""
        signed, strength = self._factors(latent)
        pull = error @ self.bases  # (..., L)
        return np.concatenate([(pull * strength) @ self.c_weights, (pull * signed) @ self.d_weights], axis=-1)

    def reconstruction_slopes(self, latent: np.ndarray, error: np.ndarray) -> dict[str, np.ndarray]:
        """Gradient of Σ_n error_n · reconstruct(latent_n) in every parameter, by name: (N, Kc + Kd), (N, D)."""
        c, d = np.split(latent, [self.c_weights.shape[1]], axis=1)
        signed, strength = self._factors(latent)
        pull = error @ self.bases  # (N, L)
        return {
            "bases": error.T @ (signed * strength),
            "c_weights": (pull * strength).T @ c,
            "d_weights": (pull * signed).T @ d,
        }

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw n exact, independent images, (n, D)."""
        return _sample(self, n, rng)


def _sample(model: Generative, n: int, rng: np.random.Generator) -> np.ndarray:
    image = model.reconstruct(model.latent_prior.sample(n, rng))
    return image + model.noise * rng.standard_normal(image.shape)


@dataclass(frozen=True, eq=False)
class LatentPosterior:
    """f(a) = p(x, a) of images x (C, D), one a chain; Z is p(x)  (Sohl-Dickstein and Culpepper 2012, Eq. 27 and 29)."""

    model: Generative
    x: np.ndarray

    one_a_chain = True  # chains cannot be split into blocks without x

    def __post_init__(self) -> None:
        if not isinstance(self.model, Generative):
            raise TypeError(f"model must be a LinearGenerative or BilinearGenerative, got {type(self.model).__name__}")
        x = as_finite_array("x", self.x, ndim=2)
        require_shape("x", x, (len(x), self.model.dim))
        object.__setattr__(self, "x", x)

    @property
    def dim(self) -> int:
        """Number of latent variables."""
        return self.model.n_latent

    @property
    def nonnegative(self) -> np.ndarray:
        """Which latent variables must not be negative, (dim,) bool."""
        return self.model.latent_prior.nonnegative

    def log_density(self, a: np.ndarray) -> np.ndarray:
        """Log p(x, a) = log N(x; reconstruct(a), noise² I) + log p(a): (C, dim) -> (C,)."""
        error = (self.x - self.model.reconstruct(a)) / self.model.noise
        log_noise = self.model.dim * (0.5 * np.log(2 * np.pi) + np.log(self.model.noise))
        return -0.5 * (error * error).sum(-1) - log_noise + self.model.latent_prior.log_density(a)

    def grad_log_density(self, a: np.ndarray) -> np.ndarray:
        """∇_a log p(x, a): (C, dim) -> (C, dim)."""
        error = (self.x - self.model.reconstruct(a)) / self.model.noise**2
        return self.model.pull_back(a, error) + self.model.latent_prior.grad_log_density(a)
