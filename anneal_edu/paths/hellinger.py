"""The shortest path between two Gaussians in the Fisher metric: a great circle from √p_0 to √p_1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anneal_edu.distributions import Gaussian
from anneal_edu.validation import as_beta, as_count, require_kind


def overlap(p: Gaussian, q: Gaussian) -> float:
    """The Bhattacharyya coefficient ∫ √(p q) dx in [0, 1], which is Z at β = ½ of the geometric path from p to q."""
    log_z = p.geometric_mean(q, 0.5).log_z() - (p.log_z() + q.log_z()) / 2
    return float(np.exp(min(log_z, 0.0)))  # rounding may exceed 1 if p and q are alike


@dataclass(frozen=True, eq=False)
class Superposition:
    """The normalised p(x) = (a √p_0(x) + b √p_1(x))² of two Gaussians.

    It is a mixture of three Gaussians: p_0 with weight a², p_1 with b², and √(p_0 p_1) with the rest.
    """

    p0: Gaussian
    p1: Gaussian
    a: float
    b: float

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return self.p0.dim

    def log_z(self) -> float:
        """0: it is normalised."""
        return 0.0

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """Log p(x), (..., D) -> (...)."""
        with np.errstate(divide="ignore"):  # at an end one of the two has weight 0
            roots = [
                np.log(share) + (p.log_density(x) - p.log_z()) / 2
                for share, p in ((self.a, self.p0), (self.b, self.p1))
            ]
        return 2 * np.logaddexp(*roots)

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Exact draws, (n, D)."""
        parts = (self.p0, self.p0.geometric_mean(self.p1, 0.5), self.p1)
        which = rng.choice(3, size=as_count("n", n), p=[self.a**2, max(1 - self.a**2 - self.b**2, 0), self.b**2])
        return np.choose(which[:, None], [part.sample(n, rng) for part in parts])


@dataclass(frozen=True, eq=False)
class HellingerPath:
    """See `hellinger_path`."""

    start: Gaussian
    end: Gaussian

    @cached_property
    def angle(self) -> float:
        """Between √p_0 and √p_1, as vectors of length 1: its cosine is their `overlap`."""
        return float(np.arccos(overlap(self.start, self.end)))

    @property
    def length(self) -> float:
        """Riemannian length, twice the angle: at most π, and no path is shorter."""
        return 2 * self.angle

    def __call__(self, beta: float) -> Superposition:
        beta, angle = as_beta(beta), self.angle
        if angle < 1e-6:
            return Superposition(self.start, self.end, 1 - beta, beta)
        a, b = np.sin([(1 - beta) * angle, beta * angle]) / np.sin(angle)
        return Superposition(self.start, self.end, float(a), float(b))


def hellinger_path(start: Gaussian, end: Gaussian) -> HellingerPath:
    """The path on which √p moves at constant speed on a great circle from √p_0 to √p_1; it knows its ``length``.

    In the Fisher metric, ds² = 4 ∫ (d√p)² dx, no path between the two Gaussians is shorter. Its members are normalised;
    no local kernel can walk it, since at most three separate modes share the mass.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> near, far = ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([20.0], [[1.0]])
    >>> path = hellinger_path(near, far)
    >>> print(f"length {path.length:.4f}, log p(10) in the middle {path(0.5).log_density([10.0]):.2f}")
    length 3.1416, log p(10) in the middle -50.23
    """
    require_kind("start", start, Gaussian)
    require_kind("end", end, Gaussian)
    if start.dim != end.dim:
        raise ValueError(f"the ends of a path must have the same dim, got {start.dim} and {end.dim}")
    return HellingerPath(start, end)
