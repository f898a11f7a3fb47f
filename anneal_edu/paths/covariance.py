"""Annealing Gaussian RBMs from a start of any covariance (Kiwaki and Aihara 2015)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import eigh

from anneal_edu.distributions import Distribution, Gaussian, GaussianBernoulli, GaussianRBM
from anneal_edu.distributions.bernoulli import weigh_and_draw
from anneal_edu.paths.capabilities import by_steps
from anneal_edu.paths.geometric import SHARING
from anneal_edu.validation import as_beta, as_count, as_finite_array, require_kind, require_shape

_ROUNDING = 1e-8


@dataclass(frozen=True, eq=False, repr=False)
class AnnealedGaussianRBM(GaussianBernoulli):
    """A point on the path from a start without coupling to a Gaussian RBM, with the paper's Gibbs step.

    Its ``gibbs`` draws h given v, then v given h alone, with the precision (1-β) (Σ^A)⁻¹ + β diag(σ⁻²). For a diagonal
    Σ^A this is the conventional step, its misprint corrected (Kiwaki and Aihara 2015, Eq. 9).
    """

    path: GaussianRBMPath = field(kw_only=True)
    beta: float = field(kw_only=True)


@dataclass(frozen=True, eq=False)
class GaussianRBMPath:
    """The geometric path between two distributions of real v and binary h, in coordinates that serve every β.

    The energies of the ends are averaged (Kiwaki and Aihara 2015, Eq. 7). Both are quadratic in v, with precisions P_0
    and P_1. Their generalised eigendecomposition is a matrix A with Aᵀ P_1 A = I and Aᵀ P_0 A = diag(λ). In coordinates
    z with v = centre + A z, the precision of v given h is diagonal at every β: (1-β) λ + β.
    """

    start: GaussianBernoulli
    end: GaussianBernoulli

    def __call__(self, beta: float) -> GaussianBernoulli:
        beta = as_beta(beta)
        if beta in (0, 1):
            return self.end if beta else self.start
        return AnnealedGaussianRBM(*self.start.mixed_with(self.end, beta), path=self, beta=beta)

    # Coordinates

    @cached_property
    def _frame(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A, A⁻¹ = Aᵀ P_1 and λ; if both precisions are diagonal, A and A⁻¹ are their diagonals, (D,), else (D, D)."""
        P0, P1 = self.start.precision, self.end.precision
        d0, d1 = P0.diagonal(), P1.diagonal()
        if (np.diag(d0) == P0).all() and (np.diag(d1) == P1).all():
            A = d1**-0.5
            return A, 1 / A, d0 / d1
        eigenvalues, A = eigh(P0, P1)
        return A, A.T @ P1, eigenvalues

    @cached_property
    def _centre(self) -> np.ndarray:
        """Mean of v under the end, given h = 0."""
        return self.end.noise_cov @ self.end.linear

    @cached_property
    def _line(self) -> tuple[np.ndarray, ...]:
        """λ (D,), z_0 (D,), U_0, U_1 - U_0 (D, H) and c_0, c_1 - c_0 (H,) in the coordinates z, float32.

        z_0 is the mean of the start given h = 0; the field of the hidden units is c(β) + z U(β).
        """
        A, _, eigenvalues = self._frame
        z0 = self._to_z(self.start.noise_cov @ self.start.linear)
        couplings = self.start.coupling, self.end.coupling
        U0, U1 = (A[:, None] * coupling if A.ndim == 1 else A.T @ coupling for coupling in couplings)
        c0, c1 = (p.hidden_bias + self._centre @ p.coupling for p in (self.start, self.end))
        return tuple(np.asarray(a, dtype=np.float32) for a in (eigenvalues, z0, U0, U1 - U0, c0, c1 - c0))

    @cached_property
    def _constant_gain(self) -> float:
        """Largest log f of the end given h = 0, minus that of the start."""
        peaks = [p.constant + 0.5 * float(p.linear @ p.noise_cov @ p.linear) for p in (self.start, self.end)]
        return peaks[1] - peaks[0]

    def _to_z(self, v: np.ndarray) -> np.ndarray:
        centre, inverse = self._centre.astype(v.dtype), self._frame[1].astype(v.dtype)
        return (v - centre) * inverse if inverse.ndim == 1 else (v - centre) @ inverse.T

    def _to_v(self, z: np.ndarray) -> np.ndarray:
        A = self._frame[0].astype(z.dtype)
        return self._centre.astype(z.dtype) + (z * A if A.ndim == 1 else z @ A.T)

    @cached_property
    def _auxiliary_variances(self) -> np.ndarray:
        """(1-β) times the variances of the paper's x given v in the coordinates z, 1 - λ, (D,)."""
        eigenvalues, _, U0 = self._line[:3]
        if U0.any() or eigenvalues.max() > 1 + 1e-5:
            raise ValueError("auxiliary_gibbs needs an uncoupled start no narrower than sigma in every direction")
        return np.maximum(1 - eigenvalues, 0)

    # One step

    @property
    def anneal_by_gibbs(self) -> Any:
        """The loop of AIS with x integrated out."""
        return by_steps(self.weigh_and_gibbs)

    @property
    def anneal_by_auxiliary_gibbs(self) -> Any:
        """The loop of AIS with the auxiliary x."""
        return by_steps(self.weigh_and_auxiliary_gibbs)

    def weigh_and_gibbs(
        self, before: float, now: float, v: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """One step of AIS, in float32: (log f_now(v) - log f_before(v) (C,), next v (C, D)).

        z | h ~ N(P⁻¹ ((1-β) λ z_0 + U h), P⁻¹), P = (1-β) λ + β diagonal  (Kiwaki and Aihara 2015, Eq. 9).
        """
        log_ratio, z, h = self._weigh_and_draw_hidden(before, now, v, rng)
        eigenvalues, z0, U0, dU, _, _ = self._line
        t = np.float32(now)
        precision = (1 - t) * eigenvalues + t
        z = rng.standard_normal(z.shape, dtype=np.float32)
        z *= precision**-0.5
        z += (h @ (U0 + t * dU).T + (1 - t) * eigenvalues * z0) / precision
        return log_ratio, self._to_v(z)

    def weigh_and_auxiliary_gibbs(
        self, before: float, now: float, v: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same with the paper's transition: x | z, then z | x, h  (Kiwaki and Aihara 2015, Eq. 13 and 14).

        The paper's Λ, the inverse of Σ^A - Σ^B with Σ^B = diag(σ²), need not exist. Its (Λ + Λ^B)⁻¹ does: it is
        (Σ^A - Σ^B) (Σ^A)⁻¹ Σ^B in v, and 1 - λ, diagonal, in z.
        """
        log_ratio, z, h = self._weigh_and_draw_hidden(before, now, v, rng)
        _, z0, _, dU, _, _ = self._line
        t, pull = np.float32(now), self._auxiliary_variances
        mean = h @ (t * dU).T
        if t < 1:
            x = rng.standard_normal(z.shape, dtype=np.float32)
            x *= np.sqrt(pull / (1 - t))
            x += z0 + pull * (z - z0)
            mean += (1 - t) * x
        return log_ratio, self._to_v(mean + rng.standard_normal(z.shape, dtype=np.float32))

    def _weigh_and_draw_hidden(
        self, before: float, now: float, v: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """log f_now - log f_before (C,), of Kiwaki and Aihara 2015, Eq. 8 and 11, z of v, and a draw of h (C, H)."""
        eigenvalues, z0, U0, dU, c0, dc = self._line
        z = self._to_z(np.asarray(v, dtype=np.float32))
        slope = z @ dU + dc  # (C, H): the hidden field at β is level + β slope
        level = z @ U0 + c0 if U0.any() else c0
        log_ratio, h = weigh_and_draw(np.float32(before) * slope + level, np.float32(now) * slope + level, rng)
        squares = (eigenvalues * (z - z0) ** 2 - z * z).sum(-1, dtype=np.float64)  # (C,)
        return log_ratio + (now - before) * (0.5 * squares + self._constant_gain), z, h


def auxiliary_gibbs(distribution: Distribution, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The Gibbs step of Kiwaki and Aihara 2015, Eq. 12 to 14: h and x given v, then v given both, (C, D) -> (C, D).

    The auxiliary x are normal, with the start's covariance minus diag(σ²). `gibbs` integrates them out; both kernels
    leave the same distributions invariant. For the points of a `covariance_path`; TypeError for other distributions.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> grbm = ae.GaussianRBM(np.eye(2), np.zeros(2), np.zeros(2), np.ones(2))
    >>> path = ae.covariance_path(*grbm.mean_and_cov(), grbm)
    >>> ae.paths.covariance.auxiliary_gibbs(path(0.5), np.zeros((5, 2)), np.random.default_rng(0)).shape
    (5, 2)
    """
    if isinstance(distribution, AnnealedGaussianRBM):
        beta = distribution.beta
        return distribution.path.weigh_and_auxiliary_gibbs(beta, beta, v, rng)[1]
    if isinstance(distribution, GaussianRBM) or (
        isinstance(distribution, GaussianBernoulli) and not distribution.coupling.any()
    ):  # an end of the path, where x drops out
        return distribution.gibbs(v, rng)
    raise TypeError(f"auxiliary_gibbs needs a point of a covariance_path, got {type(distribution).__name__}; use gibbs")


vars(auxiliary_gibbs).update(loop="anneal_by_auxiliary_gibbs")


def covariance_start(mean: np.ndarray, cov: np.ndarray, n_hidden: int) -> GaussianBernoulli:
    """N(mean, cov) and ``n_hidden`` uncoupled uniform hidden units, with log Z = ½ log |2π cov| + n_hidden log 2."""
    mean, n_hidden = as_finite_array("mean", mean, ndim=1), as_count("n_hidden", n_hidden)
    P, D = Gaussian(mean, cov).precision, len(mean)  # which checks the covariance
    linear = P @ mean
    return GaussianBernoulli(linear, P, np.zeros((D, n_hidden)), np.zeros(n_hidden), float(-0.5 * linear @ mean))


def widen_covariance(cov: np.ndarray, sigma: np.ndarray) -> tuple[np.ndarray, float]:
    """Widen a covariance that is narrower than diag(sigma²) in some direction, and return by how much it was, or 0.

    The covariance of a Gaussian RBM never is narrower: v given h alone has variance sigma². An estimate from chains can
    be. In units of v / sigma, eigenvalues below 1 are raised to 1.
    """
    cov, sigma = as_finite_array("cov", cov, ndim=2), as_finite_array("sigma", sigma, ndim=1)
    require_shape("cov", cov, (len(sigma), len(sigma)))
    if (sigma <= 0).any():
        raise ValueError(f"sigma must be positive, got {sigma.min()}")
    if not np.allclose(cov, cov.T, rtol=1e-8, atol=_ROUNDING * np.abs(cov).max()):
        raise ValueError("cov must be symmetric")
    eigenvalues, R = np.linalg.eigh((cov + cov.T) / (2 * np.outer(sigma, sigma)))
    if eigenvalues[0] <= 1e-12 * eigenvalues[-1]:
        raise ValueError(f"cov must be positive definite, got smallest eigenvalue {np.linalg.eigvalsh(cov)[0]:.3g}")
    lift = 1 - eigenvalues[0]
    if lift <= _ROUNDING:
        return cov, 0.0
    wide = (R * np.maximum(eigenvalues, 1)) @ R.T * np.outer(sigma, sigma)
    return (wide + wide.T) / 2, float(lift) if lift > _ROUNDING * eigenvalues[-1] else 0.0


def covariance_path(mean: np.ndarray, cov: np.ndarray, grbm: GaussianRBM) -> GaussianRBMPath:
    """From N(mean, cov) to a Gaussian RBM: the start may have any covariance  (Kiwaki and Aihara 2015, Eq. 10 and 11).

    log f_β(v) = -β Σ_j (v_j - b_j)² / 2σ_j² + Σ_i log(1 + exp β (c_i + Σ_j W_ji v_j / σ_j))
                 - (1-β) ½ (v - mean)ᵀ cov⁻¹ (v - mean)

    It is the geometric path of the joint densities of (v, h), from a start without coupling. The paper's auxiliary
    variables are integrated out: with the kernel `gibbs` v is drawn given h alone, with `auxiliary_gibbs` as in the
    paper.

    Parameters
    ----------
    mean : (D,) array
    cov : (D, D) array
        Symmetric and positive definite. The target's own covariance makes a good start: ``grbm.mean_and_cov()``, or an
        estimate. Where it is narrower than diag(sigma²), as an estimate can be, it is widened with a warning.
    grbm : GaussianRBM
        The target, β = 1.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> grbm = ae.GaussianRBM([[2.0], [2.0]], np.zeros(2), np.zeros(1), np.ones(2))
    >>> path, rng = ae.covariance_path(*grbm.mean_and_cov(), grbm), np.random.default_rng(0)
    >>> abs(ae.ais(path, ae.linear_schedule(100), 1000, rng=rng).log_z - grbm.log_z()) < 0.1
    True
    """
    require_kind("grbm", grbm, GaussianRBM)
    mean = as_finite_array("mean", mean, ndim=1)
    require_shape("mean", mean, (grbm.dim,))
    cov, lift = widen_covariance(cov, grbm.sigma)
    if lift:
        warnings.warn(
            f"cov was narrower than the noise of v given h, by up to {lift:.2g} sigma² in some direction, which no "
            "Gaussian RBM's covariance is; it was widened there",
            stacklevel=2,
        )
    return GaussianRBMPath(covariance_start(mean, cov, grbm.n_hidden), grbm)


SHARING[GaussianBernoulli] = GaussianRBMPath
