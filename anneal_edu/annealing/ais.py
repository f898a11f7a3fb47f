"""Annealed importance sampling (Neal 2001)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar

import numpy as np

from anneal_edu import weights
from anneal_edu.distributions import Distribution
from anneal_edu.estimate import Diagnostic, Result
from anneal_edu.kernels import Kernel, along_path, gibbs
from anneal_edu.paths.capabilities import Path, Step, offered
from anneal_edu.validation import (
    as_count,
    as_number,
    as_schedule,
    draws_of,
    log_density_of,
    log_z_of,
    require_callable,
    require_generator,
    require_path,
)
from anneal_edu.workers import Watch, in_blocks, joined


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


def log_quotient(log_f: np.ndarray, log_f_before: np.ndarray) -> np.ndarray:
    """log f - log f_before; where f_before is zero the chain's weight is, and stays, zero: -inf."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(log_f_before), -np.inf, log_f - log_f_before)


def annealing_step(path: Path, kernel: Kernel) -> Step:
    """The body of the loop of AIS: a function (β_{k-1}, β_k, x (C, D), rng) -> (log weight ratio (C,), next x).

    See Grosse et al. 2013, Algorithm 1; the weight is that of Sohl-Dickstein and Culpepper 2012, Eq. 15 and 16. A path
    that can do both for less offers a step of its own: the same law, the same result up to rounding.
    """
    if (combined := offered(path, getattr(kernel, "step", None))) is not None:
        return combined
    distribution, kernel_at = lru_cache(maxsize=2)(path), along_path(kernel)  # f_k serves pass k and pass k+1

    def weigh_and_move(
        before: float, now: float, x: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        f_before, f = distribution(before), distribution(now)
        log_f_before, log_f = log_density_of(f_before, x, before), log_density_of(f, x, now)
        log_ratio = log_quotient(log_f, log_f_before)  # w ← w f_k(x_{k-1}) / f_{k-1}(x_{k-1})
        return log_ratio, kernel_at(now)(f, x, rng)  # x_k ~ T_k(· | x_{k-1})

    return weigh_and_move


def resampled(
    x: np.ndarray, log_w: np.ndarray, founders: np.ndarray, share: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Chains of equal weight in place of chains whose ESS is below this share of them; their mean weight stays."""
    if not 0 < weights.effective_sample_size(log_w) < share * len(log_w):
        return x, log_w, founders
    chosen = weights.systematic_resample(log_w, rng)
    return x[chosen], np.full(len(log_w), weights.log_mean_exp(log_w)), founders[chosen]


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
    workers, progress : int and bool, optional
        Threads, by default as `anneal_edu.workers` has it (the numbers do not depend on them); a progress bar.

    Returns
    -------
    AISResult

    Raises
    ------
    TypeError
        Where the path's start cannot be sampled or has no log_z, or a distribution lacks what the kernel needs.
    ValueError
        Where the schedule does not rise from 0 to 1, there is no chain, or a density returns NaN or +inf.

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

    def walk(rows: slice, rng: np.random.Generator, watch: Watch) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        step, n = annealing_step(path, kernel), rows.stop - rows.start
        x = draws_of(start, n, rng)  # (C, D)
        log_w, founders = np.full(n, log_z_of(start)), np.arange(rows.start, rows.stop)  # (C,)
        for before, now in pairwise(watch(schedule)):
            log_ratio, x = step(before, now, x, rng)
            log_w += log_ratio
            x, log_w, founders = resampled(x, log_w, founders, resample, rng)  # as they are, unless it is asked for
        return log_w, x, founders

    blocks = in_blocks(
        walk, n_chains, target, (path, kernel), n_steps=len(schedule), desc="AIS", rng=rng, workers=workers,
        progress=progress,
    )
    log_w, x, founders = joined(blocks)
    return AISResult(log_w, x, int(rng.integers(2**63)), founders=founders if resample else None)
