"""Where the steps should be, and how long the moves: found by a pilot run of sequential Monte Carlo.

Zhou, Johansen and Aston, "Toward automatic model comparison", 2016.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from scipy.special import logsumexp

from anneal_edu.annealing.ais import moved, require_start, require_walk
from anneal_edu.kernels import Kernel, difference
from anneal_edu.paths.capabilities import Path
from anneal_edu.validation import as_count, as_number, draws_of, log_density_of
from anneal_edu.weights import effective_sample_size, normalised_weights, systematic_resample

_LEAST_STEP = 1e-12  # of what is left of the path


@dataclass(frozen=True, eq=False)
class AdaptiveSchedule:
    """A schedule, and a kernel whose steps change along it: hand in ``schedule``, and the whole as the kernel.

    Attributes
    ----------
    kernel : callable
        The one that was handed in.
    schedule : (K+1,) array
    scales : (K, D) array
        Steps of the kernel: standard deviations of the chains at every β, times a factor that hits the best acceptance;
        of a kernel that has none to tune, the standard deviations.
    acceptance : (K,) array
        Share of the chains that moved, at every β.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> schedule, scales = np.array([0, 0.1, 1]), np.array([[3.0], [0.5]])
    >>> found = AdaptiveSchedule(ae.hmc(0.2, 5), schedule, scales, np.full(2, 0.8))
    >>> found.at(0.05).step_size, found.at(1.0).step_size
    (array([3.]), array([0.5]))
    """

    kernel: Any
    schedule: np.ndarray
    scales: np.ndarray
    acceptance: np.ndarray

    def at(self, beta: float) -> Kernel:
        """The kernel at β, with the steps of the first rung that is not below it."""
        if not hasattr(self.kernel, "with_scale"):
            return cast(Kernel, self.kernel)
        return cast(Kernel, self.kernel.with_scale(self.scales[max(1, int(np.searchsorted(self.schedule, beta))) - 1]))

    def __call__(self, distribution: Any, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """One move at the target, (C, D) -> (C, D)."""
        return self.at(1.0)(distribution, x, rng)


def adaptive_schedule(
    path: Path, n_chains: int, kernel: Any, *, ess: float = 0.97, rng: np.random.Generator
) -> AdaptiveSchedule:
    """Place β where weights ask for it, and tune the kernel on the way: for `ais`, `hais`, tempering and `rts`.

    A pilot run climbs the path. Its next β is where the conditional ESS of the step, (Σ W w)² / Σ W w² with W the
    weights so far and w those of the step, has fallen to ``ess``  (Zhou, Johansen and Aston 2016). It resamples where
    the ESS falls below one half. After each move the steps grow or shrink towards the kernel's best acceptance. A run
    with this schedule and this kernel, both held fixed, is unbiased.

    Parameters
    ----------
    path : callable, beta -> Distribution
        ``path(0)`` must have ``sample``.
    n_chains : int
        Chains of the pilot; a few hundred.
    kernel : callable, (distribution, x, rng) -> x
        `hmc` or `random_walk` is tuned, for every coordinate by itself, and so is any with ``with_scale(scale)`` and
        ``best_acceptance``; another one is used as it is.
    ess : float
        Of each step, as a share of the chains. 0.97 gives the short steps that AIS needs, 0.5 rungs for tempering.
    rng : numpy.random.Generator

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> rng, path = np.random.default_rng(0), ae.geometric_path(ae.Gaussian([0, 0], 25.0), ae.Gaussian([3, 3], 0.01))
    >>> tuned = ae.adaptive_schedule(path, 300, ae.hmc(0.2, 5), rng=rng)
    >>> abs(ae.ais(path, tuned.schedule, 300, tuned, resample=0.5, rng=rng).log_z) < 0.5
    True
    """
    n_chains = as_count("n_chains", n_chains, minimum=2)
    require_walk(path, kernel, rng)
    require_start(path(0.0), "sample")
    if not 0 < as_number("ess", ess) < 1:
        raise ValueError(f"ess must lie strictly between 0 and 1, got {ess}")
    x, log_w, tunable = draws_of(path(0.0), n_chains, rng), np.zeros(n_chains), hasattr(kernel, "with_scale")
    factor, beta, size = 1.0, 0.0, 1e-3
    betas, scales, acceptance = [0.0], [], []
    while beta < 1:
        now, log_ratio = _next_step(path, beta, x, log_w, size, -np.log(ess))
        log_w, size, beta = log_w + log_ratio, now - beta, now
        if effective_sample_size(log_w) < n_chains / 2:
            x, log_w = x[systematic_resample(log_w, rng)], np.zeros(n_chains)
        shares = normalised_weights(log_w) / n_chains
        sd = np.sqrt(shares @ (x - shares @ x) ** 2)  # (D,)
        new = moved(path(beta), x, beta, kernel.with_scale(factor * sd) if tunable else kernel, rng)
        acceptance.append(float((new != x).any(1).mean()))
        factor *= np.exp(acceptance[-1] - kernel.best_acceptance) if tunable else 1.0
        x = new
        betas.append(beta)
        scales.append(factor * sd)
    return AdaptiveSchedule(kernel, np.array(betas), np.array(scales), np.array(acceptance))


def _next_step(
    path: Path, beta: float, x: np.ndarray, log_w: np.ndarray, size: float, goal: float
) -> tuple[float, np.ndarray]:
    """The next β, where -log conditional ESS is about ``goal``, and log f there less log f here, (C,).

    -log CESS grows about as the square of the step; chains that leave the support at once do not count.
    """
    log_f = log_density_of(path(beta), x, beta)
    while size > _LEAST_STEP:
        now = min(1.0, beta + size)
        log_ratio = difference(log_density_of(path(now), x, now), log_f)
        inside = np.isfinite(log_ratio + log_w)
        w, step = log_w[inside], log_ratio[inside]
        loss = logsumexp(w) + logsumexp(w + 2 * step) - 2 * logsumexp(w + step) if inside.any() else np.inf
        if (now == 1 and loss <= goal) or 0.9 < loss / goal < 1.1:
            return now, log_ratio
        size = min(size * float(np.clip(np.sqrt(goal / max(loss, 1e-12)), 0.1, 10)), 1 - beta)
    raise ValueError(f"no chain has a density a little beyond beta = {beta:.3g}: widen the start of the path")
