"""Spline paths: geometric paths between knots, and knots placed by moment averaging."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from anneal_edu.distributions import Distribution
from anneal_edu.distributions.protocol import mix
from anneal_edu.kernels import gibbs
from anneal_edu.paths.asymptotics import as_family
from anneal_edu.paths.capabilities import Path, by_steps, offered
from anneal_edu.paths.geometric import family_of, geometric_path, moment_path, require_ends
from anneal_edu.paths.moment_matching import Fit, MomentMatch, Moments, match_moments
from anneal_edu.validation import as_beta, as_count, as_finite_array, as_schedule


@dataclass(frozen=True, eq=False)
class SplinePath:
    """See `spline_path`; ``matches`` say how each inner knot was fitted to its moments, if it was."""

    betas: np.ndarray
    distributions: tuple[Distribution, ...]
    matches: tuple[MomentMatch, ...] = field(default=(), repr=False)
    _segments: tuple[Path, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "betas", as_schedule("betas", self.betas))
        object.__setattr__(self, "distributions", tuple(self.distributions))
        if len(self.distributions) != len(self.betas):
            raise ValueError(
                f"a spline needs one distribution for each of {len(self.betas)} betas, got {len(self.distributions)}"
            )
        segments = tuple(geometric_path(p, q) for p, q in pairwise(self.distributions))
        object.__setattr__(self, "_segments", segments)

    def _local(self, beta: float, segment: int) -> float:
        """Position of β on the geometric path of the segment; knots map to 0 and 1 exactly."""
        low, high = self.betas[segment], self.betas[segment + 1]
        return float((beta - low) / (high - low))

    def _segment_at(self, beta: float) -> int:
        return min(int(np.searchsorted(self.betas, beta, side="right")), len(self.betas) - 1) - 1

    def __call__(self, beta: float) -> Distribution:
        beta = as_beta(beta)
        segment = self._segment_at(beta)
        return self._segments[segment](self._local(beta, segment))

    @property
    def anneal_by_gibbs(self) -> Any:
        """The fast loop of AIS, if every segment offers one."""
        return by_steps(self.weigh_and_gibbs) if all(offered(p, "anneal_by_gibbs") for p in self._segments) else None

    def weigh_and_gibbs(
        self, before: float, now: float, v: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """One step of AIS; a step that crosses a knot is done the plain way."""
        segment = self._segment_at((before + now) / 2)
        if min(before, now) >= self.betas[segment] and max(before, now) <= self.betas[segment + 1]:
            local = self._local(before, segment), self._local(now, segment)
            return offered(self._segments[segment], "weigh_and_gibbs")(*local, v, rng)
        log_ratio = self(now).log_density(v) - self(before).log_density(v)
        return log_ratio, gibbs(self(now), v, rng)


def spline_path(betas: np.ndarray, distributions: list[Distribution]) -> SplinePath:
    """Join the given distributions by geometric paths  (Grosse et al. 2013, Section 4).

    The knots stand at ``betas``, (R+2,), which rise from 0 to 1; each has one distribution, from start to target.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> knots = [ae.Gaussian([mean], [[1.0]]) for mean in (0.0, 4.0, 0.0)]
    >>> ae.spline_path([0, 0.5, 1], knots)(0.25).mean
    array([2.])
    """
    return SplinePath(betas, tuple(distributions))


def moment_spline_path(
    p0: Distribution,
    p1: Distribution,
    knots: int | np.ndarray = 9,
    *,
    target_moments: Moments | None = None,
    fit: Fit = match_moments,
) -> SplinePath:
    """The moment averages spline, MAS: knots on the moment path, geometric paths between them  (Grosse et al. 2013).

    Both ends belong to one exponential family. The distribution at knot β_j has the moments (1-β_j) s_0 + β_j s_1; for
    an RBM, Grosse et al. 2013, Eq. 12 to 14. If the family has no closed form from moments to parameters (RBMs, binary
    or Gaussian), each knot is fitted, starting from the ones before, and ``matches`` of the path report how. A knot
    that did not reach its tolerance is warned of; the path is valid all the same, only its moments are off.

    Parameters
    ----------
    p0, p1 : Distribution
    knots : int or (R,) array
        Number of evenly spaced inner knots, or their positions strictly between 0 and 1. The paper takes 0.1, …, 0.9.
    target_moments : tuple of arrays, optional
        s_1, if p1 is an RBM too large to enumerate: `estimate_moments` or `data_moments`.
    fit : callable, (moments, initial RBM) -> MomentMatch
        `match_moments`, exact, for RBMs with a layer of at most 24 units; `pcd_fit(…)` for larger ones.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> path = ae.moment_spline_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([4.0], [[1.0]]), knots=1)
    >>> path(0.5).cov
    array([[5.]])
    """
    betas = _as_knots(p0, p1, knots)
    if not (hasattr(p0, "moment_coordinates") and family_of(p0) is family_of(p1)):
        return spline_path(betas, [moment_path(p0, p1)(beta) for beta in betas])
    s0, s1 = as_family(p0).moments(), as_family(p1).moments() if target_moments is None else target_moments
    matches: list[MomentMatch] = []
    for beta in betas[1:-1]:
        matches.append(fit(mix(s0, s1, beta), _first_guess(p0, matches, betas)))
    _warn_of_misses(betas, matches)
    return SplinePath(betas, (p0, *(match.rbm for match in matches), p1), tuple(matches))


def _as_knots(p0: Distribution, p1: Distribution, knots: int | np.ndarray) -> np.ndarray:
    """β of the knots, both ends included, once the ends are checked."""
    require_ends(p0, p1)
    if np.ndim(knots) == 0:
        return np.linspace(0, 1, as_count("knots", knots) + 2)
    return as_schedule("knots, with 0 and 1 added,", [0.0, *as_finite_array("knots", knots, ndim=1), 1.0])


def _warn_of_misses(betas: np.ndarray, matches: list[MomentMatch]) -> None:
    for beta, match in zip(betas[1:-1], matches, strict=True):
        if match.converged is False:
            sentence = f"the knot at beta = {beta:.3g} misses its moments by up to {match.residual:.2g}"
            warnings.warn(sentence, stacklevel=3)


def _first_guess(p0: Any, matches: list[MomentMatch], betas: np.ndarray) -> Any:
    """Where to start the next fit: at the last knot or, after exact fits, on the line through the last two.

    Fits by chains are noisy, and extrapolation enlarges the noise. An extrapolated precision matrix need not be
    positive definite.
    """
    n = len(matches)
    if n == 0:
        return p0
    if n == 1 or not matches[-1].converged or not getattr(p0, "binary", False):
        return matches[-1].rbm
    ahead = (betas[n + 1] - betas[n - 1]) / (betas[n] - betas[n - 1])  # above 1
    before: Any = matches[-2].rbm
    return before.geometric_mean(matches[-1].rbm, ahead)
