"""The multivariate Gaussian, with closed forms for everything that paths and estimators ask."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from anneal_edu.distributions.protocol import mix
from anneal_edu.validation import as_count, as_finite_array, as_number, as_states, require_generator, require_shape


@dataclass(frozen=True, eq=False)
class Gaussian:
    """Gaussian N(mean, cov) with density scaled by exp(log_scale).

    Parameters
    ----------
    mean : (D,) array
    cov : (D, D) array, (D,) array or float
        Symmetric and positive definite. Variances (D,), or one variance for all coordinates, are kept as a vector.
    log_scale : float
        log Z. The default 0 makes the density normalised; points of a geometric path have another value.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> p = ae.Gaussian(mean=[0.0, 1.0], cov=np.eye(2))
    >>> p.log_z(), p.sample(3, np.random.default_rng(0)).shape
    (0.0, (3, 2))
    """

    mean: np.ndarray
    cov: np.ndarray
    log_scale: float = 0.0
    _cholesky: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        mean = as_finite_array("mean", self.mean, ndim=1)
        if np.ndim(self.cov) < 2:
            cov = as_finite_array("cov", self.cov if np.ndim(self.cov) else np.full(len(mean), self.cov), ndim=1)
            require_shape("cov", cov, mean.shape)
            cholesky = np.sqrt(np.maximum(cov, 0))
            smallest = cov.min()
        else:
            cov = as_finite_array("cov", self.cov, ndim=2)
            require_shape("cov", cov, (len(mean), len(mean)))
            size = np.sqrt(np.abs(cov.diagonal()))
            if (np.abs(cov - cov.T) > 1e-8 * size * size[:, None]).any():
                raise ValueError("cov must be symmetric")
            try:
                cholesky, smallest = np.linalg.cholesky(cov), 1.0
            except np.linalg.LinAlgError:
                smallest = np.linalg.eigvalsh(cov)[0]
        if smallest <= 0:
            raise ValueError(f"cov must be positive definite, got smallest eigenvalue {smallest:.3g}")
        if not np.isfinite(as_number("log_scale", self.log_scale)):
            raise ValueError(f"log_scale must be finite, got {self.log_scale}")
        for name, value in (("mean", mean), ("cov", cov), ("_cholesky", cholesky)):
            object.__setattr__(self, name, value)

    @property
    def dim(self) -> int:
        """Number of coordinates D."""
        return len(self.mean)

    @cached_property
    def precision(self) -> np.ndarray:
        """Inverse covariance, (D, D), or (D,) as cov."""
        if self.cov.ndim == 1:
            return 1 / self.cov
        precision = np.linalg.inv(self.cov)
        return (precision + precision.T) / 2

    @cached_property
    def _whitener(self) -> np.ndarray:
        if self.cov.ndim == 1:
            return 1 / self._cholesky
        return np.linalg.inv(self._cholesky).T  # (D, D): (x - mean) @ whitener has identity covariance

    @cached_property
    def _log_det_2pi_cov(self) -> float:
        return self.dim * np.log(2 * np.pi) + _log_det(self._cholesky)

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """Log f(x) = log_scale + log N(x; mean, cov): (..., D) -> (...)."""
        z = _times(as_states(x, self.dim) - self.mean, self._whitener)
        squares = np.einsum("...i,...i->...", z, z)
        return self.log_scale - 0.5 * squares - 0.5 * self._log_det_2pi_cov

    def grad_log_density(self, x: np.ndarray) -> np.ndarray:
        """∇ log f(x) = -cov⁻¹ (x - mean): (..., D) -> (..., D)."""
        return -_times(as_states(x, self.dim) - self.mean, self.precision)

    def log_z(self) -> float:
        """Exact log Z = log_scale."""
        return float(self.log_scale)

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw n exact, independent samples, (n, D)."""
        require_generator(rng)
        return self.mean + _times(rng.standard_normal((as_count("n", n), self.dim)), self._cholesky.T)

    def gibbs(self, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """One sweep over the coordinates in order, each drawn given the others: (C, D) -> (C, D)."""
        return self._sweep(x, rng, range(self.dim))

    def gibbs_backwards(self, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The time reversal of `gibbs`: the same sweep in reverse order."""
        return self._sweep(x, rng, range(self.dim)[::-1])

    def _sweep(self, x: np.ndarray, rng: np.random.Generator, order: range) -> np.ndarray:
        mean, P = self.mean, self.precision
        x = np.array(as_states(x, self.dim), dtype=np.float64)
        noise = rng.standard_normal(x.shape)
        if P.ndim == 1:
            return mean + noise * self._cholesky
        for i in order:  # x_i | rest ~ N(μ_i - Σ_{j≠i} P_ij (x_j - μ_j) / P_ii, 1 / P_ii)
            pull = (x - mean) @ P[i] - P[i, i] * (x[..., i] - mean[i])  # (C,)
            x[..., i] = mean[i] - pull / P[i, i] + noise[..., i] / np.sqrt(P[i, i])
        return x

    # As an exponential family with g(x) = (x, x xᵀ)

    def natural_parameters(self) -> tuple[np.ndarray, np.ndarray]:
        """η = (cov⁻¹ mean, -½ cov⁻¹), shapes (D,) and (D, D)."""
        return _times(self.mean, self.precision), -0.5 * _full(self.precision)

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """s = (E x, E x xᵀ), shapes (D,) and (D, D)."""
        return self.mean, _full(self.cov) + np.outer(self.mean, self.mean)

    def log_partition(self) -> float:
        """A(η) = log ∫ exp(η · g(x)) dx = ½ meanᵀ cov⁻¹ mean + ½ log |2π cov|."""
        return 0.5 * float(_times(self.mean, self.precision) @ self.mean) + 0.5 * self._log_det_2pi_cov

    def geometric_mean(self, other: Gaussian, beta: float) -> Gaussian:
        """The Gaussian proportional to f^{1-β} f_other^β, carrying its own log Z.

        Natural parameters are averaged (Grosse et al. 2013, Eq. 7). With M = (1-β) Σ_1 + β Σ_0 and Δ = μ_1 - μ_0,

        Σ(β) = Σ_0 M⁻¹ Σ_1,  μ(β) = μ_0 + β Σ_0 M⁻¹ Δ,
        log Z(β) = (1-β) c_0 + β c_1 - ½ β (1-β) Δᵀ M⁻¹ Δ + ½ (β log |Σ_0| + (1-β) log |Σ_1| - log |M|),

        where c are the logarithms of the scales. As A(η(β)) less averages of A(η), the same number would be lost to
        cancellation where a covariance is nearly singular.
        """
        first, second = self.cov, other.cov
        if first.ndim != second.ndim:
            first, second = _full(first), _full(second)
        gap, M = other.mean - self.mean, (1 - beta) * second + beta * first
        if M.ndim == 1:
            cov, pull, factor = first * second / M, gap / M, np.sqrt(M)
        else:
            solved = np.linalg.solve(M, np.column_stack([second, gap]))
            cov, pull, factor = first @ solved[:, :-1], solved[:, -1], np.linalg.cholesky(M)
            cov = (cov + cov.T) / 2
        log_dets = beta * _log_det(self._cholesky) + (1 - beta) * _log_det(other._cholesky) - _log_det(factor)
        log_z = (1 - beta) * self.log_scale + beta * other.log_scale - 0.5 * beta * (1 - beta) * float(gap @ pull)
        return Gaussian(self.mean + beta * _times(pull, first), cov, log_z + 0.5 * log_dets)

    def moment_average(self, other: Gaussian, beta: float) -> Gaussian:
        """The Gaussian whose moments are averages of the two, as its log Z is (Grosse et al. 2013, Eq. 9 and 10).

        μ(β) = (1-β) μ_0 + β μ_1
        Σ(β) = (1-β) Σ_0 + β Σ_1 + β (1-β) (μ_1 - μ_0)(μ_1 - μ_0)ᵀ
        """
        mean, cov = mix((self.mean, _full(self.cov)), (other.mean, _full(other.cov)), beta)
        gap = other.mean - self.mean
        log_scale = (1 - beta) * self.log_scale + beta * other.log_scale
        return Gaussian(mean, cov + beta * (1 - beta) * np.outer(gap, gap), log_scale)


# A diagonal matrix is the vector of its diagonal, (D,)


def _times(x: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    return x * matrix if matrix.ndim == 1 else x @ matrix


def _full(matrix: np.ndarray) -> np.ndarray:
    return np.diag(matrix) if matrix.ndim == 1 else matrix


def _log_det(cholesky: np.ndarray) -> float:
    return 2 * float(np.log(cholesky if cholesky.ndim == 1 else cholesky.diagonal()).sum())
