"""The bias of log Ẑ under perfect transitions  (Grosse et al. 2013, Sections 3 and 4).

All functions here take a path whose distributions belong to one exponential family with known moments: there a KL
divergence is a difference of log partitions, and its symmetric sum is an inner product, Δη · Δs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from anneal_edu.distributions.protocol import Distribution, ExponentialFamily, difference, inner
from anneal_edu.paths.capabilities import Path
from anneal_edu.validation import as_finite_array, as_flag, as_schedule, require_path

_MOST_PIECES = 30_000  # smooth paths need hundreds, the wildest splines ten thousand


def as_family(p: Any) -> ExponentialFamily:
    """Return ``p`` if it belongs to an exponential family with known moments, else raise TypeError."""
    if not all(hasattr(p, name) for name in ("natural_parameters", "moments", "log_partition")):
        raise TypeError(
            f"{type(p).__name__} is no exponential family with known moments, so this has no closed form; "
            "estimate the bias by Monte Carlo: log_z minus ais(…, kernel=exact).mean_log_weight"
        )
    return p


def kl_divergence(p: Distribution, q: Distribution) -> float:
    """KL(p ‖ q) = A(η_q) - A(η_p) - (η_q - η_p) · s_p within one exponential family, in nats.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> ae.kl_divergence(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([2.0], [[1.0]]))
    2.0
    """
    p, q = as_family(p), as_family(q)
    gap = difference(q.natural_parameters(), p.natural_parameters())
    return float(q.log_partition() - p.log_partition() - inner(gap, p.moments()))


def symmetric_kl(p: Distribution, q: Distribution) -> float:
    """KL(p ‖ q) + KL(q ‖ p) = (η_q - η_p) · (s_q - s_p) within one exponential family, in nats.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> ae.symmetric_kl(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([2.0], [[1.0]]))
    4.0
    """
    p, q = as_family(p), as_family(q)
    gap = difference(q.natural_parameters(), p.natural_parameters())
    return inner(gap, difference(q.moments(), p.moments()))


def kl_bias(path: Path, schedule: np.ndarray, reverse: bool = False) -> float:
    """The bias δ of AIS with perfect transitions, exact: log Z - E[log w] = Σ_k KL(p_{k-1} ‖ p_k), in nats.

    Source: Grosse et al. 2013, Eq. 3. If ``reverse``, Σ_k KL(p_k ‖ p_{k-1}): by how much AIS run from the target down
    overestimates log Z.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([4.0], [[1.0]]))
    >>> round(ae.kl_bias(path, ae.linear_schedule(10)), 6)
    0.8
    """
    return sum(kl_divergence(p, q) for p, q in neighbours(path, schedule, reverse))


def neighbours(path: Path, schedule: np.ndarray, reverse: bool) -> Iterator[tuple[Distribution, Distribution]]:
    """Pairs p_{k-1}, p_k along a schedule; if reverse, pairs p_k, p_{k-1}."""
    require_path(path)
    as_flag("reverse", reverse)
    steps = pairwise(map(path, as_schedule("schedule", schedule)))
    return ((q, p) if reverse else (p, q) for p, q in steps)


def _integrate(path: Path, piece: Callable[[float, float], float]) -> float:
    """Sum ``piece(symmetric_kl, width)`` over an adaptive division of [0, 1]."""
    require_path(path)
    if (change := symmetric_kl(path(0.5), path(0.5))) > 1e-9:
        raise ValueError(f"path must be the same at every call, but path(0.5) moves by {change:.2g} nats")
    n_pieces = 0

    def refine(a: float, p: Distribution, b: float, q: Distribution, whole: float, depth: int) -> float:
        nonlocal n_pieces
        n_pieces += 1
        if n_pieces > _MOST_PIECES:
            raise ValueError(
                f"path is too rough to integrate: after {_MOST_PIECES} pieces the sum still changes at beta = {a:.6g}"
            )
        middle = (a + b) / 2
        r = path(middle)
        left, right = piece(symmetric_kl(p, r), middle - a), piece(symmetric_kl(r, q), b - middle)
        error = left + right - whole
        if abs(error) <= 1e-7 * (1 + left + right) or depth == 0:
            return left + right + error / 3  # Richardson: halving a piece divides its error by four
        return refine(a, p, middle, r, left, depth - 1) + refine(middle, r, b, q, right, depth - 1)

    nodes = [(beta, path(beta)) for beta in np.linspace(0, 1, 9)]
    return sum(refine(a, p, b, q, piece(symmetric_kl(p, q), b - a), 40) for (a, p), (b, q) in pairwise(nodes))


def cost_functional(path: Path) -> float:
    """F(γ) = ½ ∫ θ'ᵀ G θ' dβ, the limit of K δ under a linear schedule  (Grosse et al. 2013, Theorem 1 and Eq. 4).

    In an exponential family the integrand is η' · s', whose integral is the limit of Σ Δη · Δs / Δβ. On the geometric
    path Δη / Δβ is constant, on the moment path Δs / Δβ is (Grosse et al. 2013, Eq. 18 and 19): there the sum does not
    depend on the division, and F = ½ (η_1 - η_0) · (s_1 - s_0) on both (Grosse et al. 2013, Theorem 2 and Eq. 17).

    Examples
    --------
    >>> import anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([4.0], [[1.0]]))
    >>> round(ae.cost_functional(path), 6)
    8.0
    """
    return float(0.5 * _integrate(path, lambda divergence, width: divergence / width))


def path_length(path: Path) -> float:
    """Riemannian length ℓ(γ) = ∫ √(θ'ᵀ G θ') dβ; ℓ²/2 is F under the best schedule  (Grosse et al. 2013, Eq. 5).

    Examples
    --------
    >>> import anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([4.0], [[1.0]]))
    >>> round(ae.path_length(path), 6)
    4.0
    """
    return float(_integrate(path, lambda divergence, _width: np.sqrt(max(divergence, 0.0))))


def segment_costs(path: Path, edges: Iterable[float]) -> np.ndarray:
    """F_j = ½ (η_{j+1} - η_j) · (s_{j+1} - s_j) of each segment  (Grosse et al. 2013, Eq. 17), (n_segments,).

    F_j is the cost of a segment that follows a geometric or a moment path, under a linear schedule.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([4.0], [[1.0]]))
    >>> ae.segment_costs(path, [0, 0.5, 1]).round(6)
    array([2., 2.])
    """
    require_path(path)
    edges = as_finite_array("edges", edges, ndim=1)
    if len(edges) < 2 or (np.diff(edges) <= 0).any():
        raise ValueError(f"edges must be two or more rising values, got {edges}")
    return 0.5 * np.array([symmetric_kl(p, q) for p, q in pairwise(map(path, edges))])
