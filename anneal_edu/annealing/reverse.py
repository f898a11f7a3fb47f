"""AIS from the target down, and the sandwich that a forward and a reverse run make around log Z.

Grosse, Ghahramani and Adams, "Sandwiching the marginal likelihood using bidirectional Monte Carlo", 2015.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from tqdm.auto import tqdm

from anneal_edu.annealing.ais import AISResult, ais, annealing_step, require_sound_step, require_start, require_walk
from anneal_edu.distributions import Distribution
from anneal_edu.estimate import Caveat, Estimate
from anneal_edu.kernels import Kernel, gibbs, reversal_of
from anneal_edu.paths.capabilities import Path
from anneal_edu.validation import (
    as_binary_data,
    as_chains,
    as_count,
    as_schedule,
    careful,
    log_density_of,
    log_z_of,
)
from anneal_edu.weights import log_mean_exp


@dataclass(frozen=True, eq=False)
class ReverseAISResult(AISResult):
    """What chains annealed from the target down say about its log Z; logarithms are in nats.

    Attributes
    ----------
    log_weights : (N,) array
        log w_i = log Z_0 + Σ_k [log f_k(x_{k-1}) - log f_{k-1}(x_{k-1})], as in forward AIS, but along reverse chains.
        Here 1/w is unbiased for 1/Z, so that log_z = -log (1/N) Σ_i 1/w_i, which is *high* on average, and
        mean_log_weight is higher still: log Z + Σ KL(p_k ‖ p_{k-1}) under perfect transitions.
    samples : (N, D) array
        Final states, at the start of the path.
    bootstrap_seed : int
        Drawn from the caller's rng, so that `interval` is a fixed property of the result.
    """

    _sign: ClassVar[int] = -1


def _as_draws(name: str, x: np.ndarray, target: Distribution) -> np.ndarray:
    x = as_chains(name, x, target.dim)
    return as_binary_data(name, x) if getattr(target, "binary", False) else x


def reverse_ais(
    path: Path,
    schedule: np.ndarray,
    samples: np.ndarray,
    kernel: Kernel = gibbs,
    *,
    rng: np.random.Generator,
    progress: bool = False,
) -> ReverseAISResult:
    """Estimate log Z of ``path(1)`` from above, by AIS run from draws of the target down to the start.

    If the samples are exact draws of the target, 1/w is unbiased for 1/Z. Together with `ais` this bounds log Z from
    both sides: forward E[log Ẑ] ≤ log Z ≤ reverse E[log Ẑ].

    Parameters
    ----------
    path : callable, beta -> Distribution
        ``path(0)`` must have ``log_z``.
    schedule : (K+1,) array
        Rises from 0 to 1, as for `ais`; it is walked backwards.
    samples : (N, D) array
        Draws from the target, one chain each.
    kernel : callable, (distribution, x, rng) -> x
        The forward kernel; its time reversal is used. Every kernel of the library is its own reversal, except `gibbs`
        on Gaussians, which sweeps backwards; your own is taken to be reversible.
    rng : numpy.random.Generator
    progress : bool
        Show a progress bar.

    Returns
    -------
    ReverseAISResult

    Raises
    ------
    TypeError
        Where the path's start has no log_z, or a distribution lacks what the kernel needs.
    ValueError
        Where the schedule does not rise from 0 to 1, or the samples have the wrong shape, are not finite, or lie where
        the target has no density.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> target, rng = ae.Gaussian([2.0], [[1.0]]), np.random.default_rng(0)
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), target)
    >>> abs(ae.reverse_ais(path, ae.linear_schedule(50), target.sample(500, rng), rng=rng).log_z) < 0.1
    True
    """
    schedule = as_schedule("schedule", schedule)
    require_walk(path, kernel, rng)
    start, target = path(0.0), path(1.0)
    require_start(start, "log_z")
    x = _as_draws("samples", samples, target)
    if lost := np.isneginf(log_density_of(target, x, 1)).sum():
        raise ValueError(f"samples must be draws of the target, got {lost} of {len(x)} where its density is zero")

    backwards = reversal_of(kernel)
    step = annealing_step(path, backwards)
    log_w = np.full(len(x), log_z_of(start), dtype=np.float64)  # (N,)
    x = careful(backwards)(target, x, rng)
    for now, before in pairwise(tqdm(schedule[::-1], desc="reverse AIS", disable=not progress)):
        log_ratio, x = step(now, before, x, rng)
        require_sound_step(log_w, log_ratio, x, before, now)
        log_w -= log_ratio
    return ReverseAISResult(log_w, x, bootstrap_seed=int(rng.integers(2**63)))


@dataclass(frozen=True, eq=False)
class Sandwich:
    """log Z between a forward and a reverse run of AIS.

    Attributes
    ----------
    forward : AISResult
    reverse : ReverseAISResult
    draws : str
        Where the reverse chains started: "exact draws" of the target, or "a long run" of its own kernel, in which case
        the upper bound is only as good as that run.
    """

    forward: AISResult
    reverse: ReverseAISResult
    draws: str

    @property
    def lower(self) -> float:
        """Forward log Ẑ, below log Z in expectation."""
        return self.forward.log_z

    @property
    def upper(self) -> float:
        """Reverse log Ẑ, above log Z in expectation."""
        return self.reverse.log_z

    @property
    def gap(self) -> float:
        """Upper minus lower; with exact draws, both errors are in expectation smaller than this."""
        return self.upper - self.lower

    @property
    def warnings(self) -> tuple[Caveat, ...]:
        """What looks wrong with either run; empty where nothing does."""
        return tuple(dict.fromkeys(self.forward.warnings + self.reverse.warnings))

    @property
    def estimate(self) -> Estimate:
        """The middle of the bounds, with half of the gap and the noise of both runs as its error bar.

        std_error² = (gap / 2)² + (s_forward² + s_reverse²) / 4: where the bounds hold, log Z lies within half of the
        gap from the middle, but for noise.
        """
        s = np.hypot(self.forward.std_error, self.reverse.std_error)
        return Estimate((self.lower + self.upper) / 2, float(np.hypot(self.gap, s) / 2), self.warnings)

    def __str__(self) -> str:
        line = (
            f"log Z between {self.lower:.3f} ± {self.forward.std_error:.3f} (forward) and "
            f"{self.upper:.3f} ± {self.reverse.std_error:.3f} (reverse, from {self.draws}); gap {self.gap:.3f}"
        )
        return "\n".join([line] + [f"warning: {sentence}" for sentence in self.warnings])


def long_run(
    distribution: Distribution, x: np.ndarray, n_steps: int, kernel: Kernel, rng: np.random.Generator
) -> np.ndarray:
    """The states of the chains x after ``n_steps`` moves, (C, D)."""
    move = careful(kernel)
    for _ in range(n_steps):
        x = move(distribution, x, rng)
    return x


def sandwich(
    path: Path,
    schedule: np.ndarray,
    n_chains: int,
    kernel: Kernel = gibbs,
    *,
    n_burn_in: int = 1000,
    rng: np.random.Generator,
    progress: bool = False,
) -> Sandwich:
    """Bound log Z of ``path(1)`` from both sides by forward and reverse AIS.

    The reverse run starts from exact draws where the target can give them, else from the final states of the forward
    run, resampled by their weights, after ``n_burn_in`` more moves at the target.

    Parameters
    ----------
    path : callable, beta -> Distribution
    schedule : (K+1,) array
    n_chains : int
        Chains of each run.
    kernel : callable, (distribution, x, rng) -> x
    n_burn_in : int
        Moves of the long run; unused where the target gives exact draws.
    rng : numpy.random.Generator
    progress : bool
        Show progress bars.

    Returns
    -------
    Sandwich

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([2.0], [[1.0]]))
    >>> both = ae.sandwich(path, ae.linear_schedule(20), 500, rng=np.random.default_rng(0))
    >>> both.draws, both.gap < 0.3
    ('exact draws', True)
    """
    n_burn_in = as_count("n_burn_in", n_burn_in, minimum=0)
    forward = ais(path, schedule, n_chains, kernel, rng=rng, progress=progress)
    target = path(1.0)
    samples, draws = _target_draws(target, n_chains, rng), "exact draws"
    if samples is None:
        if np.isneginf(forward.log_weights).all():
            raise ValueError(
                "every weight of the forward run is zero: no chain landed where the target has mass, and the reverse "
                "run has nowhere to start"
            )
        samples, draws = long_run(target, forward.resampled(rng=rng), n_burn_in, kernel, rng), "a long run"
    reverse = reverse_ais(path, schedule, samples, kernel, rng=rng, progress=progress)
    return Sandwich(forward, reverse, draws)


def _target_draws(target: Distribution, n: int, rng: np.random.Generator) -> np.ndarray | None:
    """Exact draws, or None where the target has none to give."""
    draw: Callable[[int, np.random.Generator], np.ndarray] | None = getattr(target, "sample", None)
    if draw is None or not getattr(target, "enumerable", True):
        return None
    return draw(n, rng)


def raise_log_likelihood(
    path: Path,
    schedule: np.ndarray,
    data: np.ndarray,
    n_chains: int,
    kernel: Kernel = gibbs,
    *,
    rng: np.random.Generator,
    progress: bool = False,
) -> np.ndarray:
    """Estimate log p(v) of data under the target by reverse AIS that starts at the data: RAISE.

    The mean of f(v) / w over chains annealed from v down to the start is unbiased for the probability of v under the
    *annealing model*, whose draws are the last states of AIS run up the path (Burda, Grosse and Salakhutdinov 2015,
    "Accurate and conservative estimates of MRF log-likelihood using reverse annealing"). Its logarithm is low on
    average, and over draws of the target the annealing model's log likelihood is below the target's: conservative,
    where log f(v) - log Ẑ of forward AIS is too good on average.

    Parameters
    ----------
    path : callable, beta -> Distribution
        ``path(0)`` must have ``log_z``.
    schedule : (K+1,) array
        Rises from 0 to 1.
    data : (N, D) array
        States of the target; on a path of `JointRBM`, both layers, and the estimate is of log p(v, h).
    n_chains : int
        Chains for each data point.
    kernel : callable, (distribution, x, rng) -> x
        The kernel of the annealing model; its time reversal is used, as in `reverse_ais`.
    rng : numpy.random.Generator
    progress : bool
        Show a progress bar.

    Returns
    -------
    (N,) array
        In nats; -inf where the target has no density.

    Raises
    ------
    TypeError, ValueError
        As `reverse_ais` does.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> target, rng = ae.Gaussian([2.0], [[1.0]]), np.random.default_rng(0)
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), target)
    >>> ae.raise_log_likelihood(path, ae.linear_schedule(100), np.array([[2.0]]), 500, rng=rng).round(1)
    array([-0.9])
    """
    require_walk(path, kernel, rng)
    n_chains, data = as_count("n_chains", n_chains), _as_draws("data", data, path(1.0))
    log_f = log_density_of(path(1.0), data, 1)  # (N,)
    possible = ~np.isneginf(log_f)
    if not possible.any():
        return np.full(len(data), -np.inf)
    chains = np.repeat(data[possible], n_chains, axis=0)
    run = reverse_ais(path, schedule, chains, kernel, rng=rng, progress=progress)
    log_p = np.full(len(data), -np.inf)
    log_p[possible] = [log_mean_exp(row) for row in -run.log_weights.reshape(-1, n_chains)]
    return log_f + log_p
