"""Annealed importance sampling (Neal 2001)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

import numpy as np

from anneal_edu import weights
from anneal_edu.distributions import Distribution
from anneal_edu.estimate import Diagnostic, Result
from anneal_edu.kernels import Kernel, difference, gibbs
from anneal_edu.paths.capabilities import Path, checked, offered
from anneal_edu.validation import (
    Point,
    as_count,
    as_number,
    as_schedule,
    checked_kernel,
    draws_of,
    log_z_of,
    require_callable,
    require_generator,
    require_path,
)
from anneal_edu.workers import Watch, in_blocks, joined

Annealer = Callable[[Iterable[float], np.ndarray, np.random.Generator], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True, eq=False, repr=False)
class AISResult(Result):
    """What a set of annealed chains says about log Z of the target; logarithms are in nats.

    Attributes
    ----------
    log_weights : (C,) array
        log w_i = log Z_0 + Σ_k [log f_k(x_{k-1}) - log f_{k-1}(x_{k-1})], one a chain.
    samples : (C, D) array
        Final states; weighted by w they are draws from the target.
    bootstrap_seed : int
        Drawn from the caller's rng, so that `interval` is a fixed property of the result.
    founders : (C,) array of int, optional
        From which first chain each one descends, where chains were resampled. Chains of one family depend on each
        other: ess, std_error, interval and warnings count families, w_j the sum over family j.
    """

    log_weights: np.ndarray
    samples: np.ndarray
    bootstrap_seed: int
    founders: np.ndarray | None = field(default=None, kw_only=True)

    _sign: ClassVar[int] = 1  # the result of reverse AIS averages 1/w instead of w

    @property
    def _independent(self) -> np.ndarray:
        """Log weights of chains, or of their families, (C,); of reverse AIS those of 1/w."""
        if self.founders is None:
            return self._sign * self.log_weights
        of_families = np.full(len(self.founders), -np.inf)
        np.logaddexp.at(of_families, self.founders, self.log_weights)
        return of_families

    @property
    def log_z(self) -> float:
        """log Ẑ = log (1/C) Σ_i w_i; Ẑ is unbiased, log Ẑ low on average. Reverse: -log (1/C) Σ_i 1/w_i, high."""
        return self._sign * weights.log_mean_exp(self._sign * self.log_weights)

    @property
    def mean_log_weight(self) -> float:
        """(1/C) Σ_i log w_i, an estimate of log Z - δ (Grosse et al. 2013, Eq. 3)."""
        return float(self.log_weights.mean())

    @property
    def ess(self) -> float:
        """Effective sample size C / (1 + s²(w*)), w* the weights normalised to mean 1."""
        return weights.effective_sample_size(self._independent)

    @property
    def std_error(self) -> float:
        """Standard error of log_z by the delta method, sd(w*) / √C."""
        return weights.log_mean_exp_std_error(self._independent)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What looks wrong; empty where nothing does."""
        return weights.warnings_of(self._independent, "low" if self._sign > 0 else "high")

    def resampled(self, *, rng: np.random.Generator) -> np.ndarray:
        """Final states drawn with their weights, (C, D): about draws of the target."""
        share = weights.normalised_weights(self.log_weights) / len(self.log_weights)
        return self.samples[rng.choice(len(share), size=len(share), p=share)]

    def interval(self, level: float = 0.95, n_resamples: int = 1000) -> tuple[float, float]:
        """Bootstrap percentile interval of log_z over the chains."""
        if not 0 < as_number("level", level) < 1:
            raise ValueError(f"level must lie strictly between 0 and 1, got {level}")
        rng = np.random.default_rng(self.bootstrap_seed)
        means = self._sign * weights.bootstrap_log_mean_exp(self._independent, n_resamples, rng=rng)
        low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], method="inverted_cdf")
        return float(low), float(high)

    def _lines(self) -> list[str]:
        low, high = self.interval()
        return [
            f"log Z ≈ {self.log_z:.3f}  (95% interval {low:.3f} to {high:.3f}, standard error {self.std_error:.3f})",
            f"mean log weight {self.mean_log_weight:.3f}, ESS {self.ess:.1f} of {len(self.log_weights)} chains",
        ]


def log_ratio(f: Distribution, f_before: Distribution, x: np.ndarray) -> np.ndarray:
    """log f(x) - log f_before(x), (C,); -inf where f_before is zero: a chain of weight zero keeps it."""
    return difference(f.log_density(x), f_before.log_density(x))


def anneal(
    path: Path, betas: Iterable[float], x: np.ndarray, kernel: Kernel, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Log weights (C,) and last states (C, D) of chains that walk along a path  (Grosse et al. 2013, Algorithm 1).

    The weight is Π_k f_k(x_{k-1}) / f_{k-1}(x_{k-1})  (Sohl-Dickstein and Culpepper 2012, Eq. 15 and 16). If β falls
    instead of rising, this is reverse AIS.
    """
    log_w = np.zeros(len(x))
    for before, now in pairwise(betas):
        log_w += log_ratio(path(now), path(before), x)  # w ← w f_k(x_{k-1}) / f_{k-1}(x_{k-1})
        x = kernel(path(now), x, rng)  # x_k ~ T_k(· | x_{k-1})
    return log_w, x


def annealer(path: Path, kernel: Kernel) -> Annealer:
    """`anneal` along this path by this kernel, (betas, x, rng) -> (log weights, x).

    A path that offers a faster loop is walked by it: the same law, up to rounding.
    """
    if (own := offered(path, getattr(kernel, "loop", None))) is not None:
        return own
    points, move = checked(path, kernel)
    return lambda betas, x, rng: anneal(points, betas, x, move, rng)


def moved(
    distribution: Distribution, x: np.ndarray, beta: float, kernel: Kernel, rng: np.random.Generator
) -> np.ndarray:
    """One checked transition at a point of a path, (C, D) -> (C, D)."""
    return checked_kernel(kernel)(Point(distribution, beta), x, rng)


def anneal_and_resample(
    anneal: Annealer, betas: Iterable[float], x: np.ndarray, share: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sequential Monte Carlo: chains of equal weight replace those whose ESS is below this share of their number.

    Returns log weights (C,), last states (C, D), and the first chain from which each one descends (C,).
    """
    log_w, founders = np.zeros(len(x)), np.arange(len(x))
    for pair in pairwise(betas):
        gain, x = anneal(pair, x, rng)
        log_w += gain
        if 0 < weights.effective_sample_size(log_w) < share * len(x):
            chosen = weights.systematic_resample(log_w, rng)
            x, founders, log_w = x[chosen], founders[chosen], np.full(len(x), weights.log_mean_exp(log_w))
    return log_w, x, founders


def require_walk(path: Path, kernel: Kernel, rng: np.random.Generator) -> None:
    """Raise TypeError unless these can walk: a path and a kernel to call, and a random generator."""
    require_path(path)
    require_callable("kernel", kernel, "gibbs or random_walk(0.5)")
    require_generator(rng)


def require_start(start: Distribution, *abilities: str) -> None:
    """Raise unless the start of a path can do what is asked of it: "sample", or "log_z", which must be a number."""
    if not all(hasattr(start, ability) for ability in abilities):
        raise TypeError(f"path(0) must offer {' and '.join(abilities)}, which {type(start).__name__} lacks")
    if "log_z" in abilities:
        log_z_of(start)


def ais(
    path: Path, schedule: np.ndarray, n_chains: int, kernel: Kernel = gibbs, *,
    resample: float = 0.0, rng: np.random.Generator, workers: int | None = None, progress: bool = False,
) -> AISResult:
    """Estimate log Z of ``path(1)`` by annealed importance sampling  (Grosse et al. 2013, Algorithm 1).

    The mean weight is unbiased for Z for any number of steps and any kernel that leaves each f_k invariant, whether or
    not the chains equilibrate. With one step it is plain importance sampling. Kiwaki and Aihara 2015, Algorithm 1, is
    the same with Z_0 taken out.

    Parameters
    ----------
    path : callable, beta -> Distribution
        ``path(0)`` must have ``sample`` and ``log_z``.
    schedule : (K+1,) array
        Rises from 0 to 1.
    n_chains : int
        Number of independent chains C.
    kernel : callable, (distribution, x, rng) -> x
        `gibbs`, `exact`, `random_walk(scale)`, `hmc(step_size, n_leapfrog)`, what `adaptive_schedule` tuned, or your
        own.
    resample : float
        If the ESS falls below this share of the chains, those of small weight are replaced by copies of those of large
        weight, and go on with equal weights: sequential Monte Carlo  (Del Moral, Doucet and Jasra 2006, Section 3.4).
        The mean weight stays unbiased. 0 is AIS, 0.5 is usual.
    rng : numpy.random.Generator
    workers, progress : see `anneal_edu.workers`

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([2.0], [[1.0]]))
    >>> abs(ae.ais(path, ae.linear_schedule(50), n_chains=500, rng=np.random.default_rng(0)).log_z) < 0.1
    True
    """
    schedule, n_chains = as_schedule("schedule", schedule), as_count("n_chains", n_chains)
    require_walk(path, kernel, rng)
    if not 0 <= as_number("resample", resample) <= 1:
        raise ValueError(f"resample must be a share of the chains, 0 to 1, got {resample}")
    start, target = path(0.0), path(1.0)
    require_start(start, "sample", "log_z")

    def walk(chains: slice, rng: np.random.Generator, watch: Watch) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        x = draws_of(start, chains.stop - chains.start, rng)  # (C, D)
        walked, betas = annealer(path, kernel), watch(schedule)
        if resample:
            log_w, x, founders = anneal_and_resample(walked, betas, x, resample, rng)
            return log_w, x, chains.start + founders
        return *walked(betas, x, rng), np.zeros(len(x))

    blocks = in_blocks(
        walk, n_chains, target, (path, kernel), n_steps=len(schedule), desc="AIS", rng=rng, workers=workers,
        progress=progress,
    )
    log_w, x, founders = joined(blocks)
    seed = int(rng.integers(2**63))
    return AISResult(log_z_of(start) + log_w, x, seed, founders=founders if resample else None)
