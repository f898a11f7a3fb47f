"""AIS from the target down, and the sandwich that a forward and a reverse run make around log Z.

Grosse, Ghahramani and Adams, "Sandwiching the marginal likelihood using bidirectional Monte Carlo", 2015.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anneal_edu.annealing.ais import AISResult, ais, annealer, moved, require_start, require_walk
from anneal_edu.distributions import Distribution
from anneal_edu.estimate import Diagnostic, Estimate, Result, end_warnings
from anneal_edu.kernels import Kernel, gibbs, reversal_of
from anneal_edu.paths.capabilities import Path
from anneal_edu.validation import as_binary_data, as_chains, as_count, as_schedule, log_density_of, log_z_of
from anneal_edu.workers import Watch, in_blocks, joined


@dataclass(frozen=True, eq=False, repr=False)
class ReverseAISResult(AISResult):
    """What chains annealed from the target down say about its log Z, with the fields of `AISResult`.

    Here 1/w is unbiased for 1/Z, so that log_z = -log (1/N) Σ_i 1/w_i, which is *high* on average, and mean_log_weight
    is higher still: log Z + Σ KL(p_k ‖ p_{k-1}) under perfect transitions. The samples are at the start of the path.
    """

    _sign: ClassVar[int] = -1


def as_draws_of(name: str, x: np.ndarray, target: Distribution) -> np.ndarray:
    """Return x as states (N, D) of the target."""
    x = as_chains(name, x, target.dim)
    return as_binary_data(name, x) if getattr(target, "binary", False) else x


def reverse_ais(
    path: Path, schedule: np.ndarray, samples: np.ndarray, kernel: Kernel = gibbs, *,
    rng: np.random.Generator, workers: int | None = None, progress: bool = False,
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
    workers, progress : see `anneal_edu.workers`

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
    x = as_draws_of("samples", samples, target)
    if lost := np.isneginf(log_density_of(target, x, 1)).sum():
        raise ValueError(f"samples must be draws of the target, got {lost} of {len(x)} where its density is zero")
    backwards = reversal_of(kernel)

    def walk(chains: slice, rng: np.random.Generator, watch: Watch) -> tuple[np.ndarray, np.ndarray]:
        start = moved(target, x[chains], 1, backwards, rng)
        return annealer(path, backwards)(watch(schedule[::-1]), start, rng)

    blocks = in_blocks(
        walk, len(x), target, (path, kernel), n_steps=len(schedule), desc="reverse AIS", rng=rng, workers=workers,
        progress=progress,
    )
    log_w, last = joined(blocks)
    return ReverseAISResult(log_z_of(start) - log_w, last, bootstrap_seed=int(rng.integers(2**63)))


@dataclass(frozen=True, eq=False, repr=False)
class Sandwich(Result):
    """log Z between a forward and a reverse run of AIS.

    Attributes
    ----------
    forward : AISResult
    reverse : ReverseAISResult
    draws : str
        Where the reverse chains started: "exact draws" of the target, or "a long run" of its own kernel, or "a long run
        from data"; after a long run the upper bound is only as good as that run.
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
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What looks wrong with either run, or with both together; empty where nothing does."""
        noise = float(np.hypot(self.forward.std_error, self.reverse.std_error))
        crossed = end_warnings(self.lower, min(self.upper, self.lower), noise, len(self.reverse.log_weights))
        return tuple(dict.fromkeys((*self.forward.warnings, *self.reverse.warnings, *crossed)))

    @property
    def estimate(self) -> Estimate:
        """The middle of the bounds, with half of the gap and the noise of both runs as its error bar.

        std_error² = (gap / 2)² + (s_forward² + s_reverse²) / 4: where the bounds hold, log Z lies within half of the
        gap from the middle, but for noise.
        """
        s = np.hypot(self.forward.std_error, self.reverse.std_error)
        return Estimate((self.lower + self.upper) / 2, float(np.hypot(self.gap, s) / 2), self.warnings)

    def _lines(self) -> list[str]:
        return [
            f"log Z between {self.lower:.3f} ± {self.forward.std_error:.3f} (forward) and "
            f"{self.upper:.3f} ± {self.reverse.std_error:.3f} (reverse, from {self.draws}); gap {self.gap:.3f}"
        ]


def long_run(
    distribution: Distribution, x: np.ndarray, n_steps: int, kernel: Kernel, *, rng: np.random.Generator,
    workers: int | None = None,
) -> np.ndarray:
    """The states of the chains x after ``n_steps`` moves, (C, D)."""

    def walk(chains: slice, rng: np.random.Generator, watch: Watch) -> tuple[np.ndarray]:
        here = x[chains]
        for _ in watch(range(n_steps)):
            here = moved(distribution, here, 1, kernel, rng)
        return (here,)

    return joined(in_blocks(walk, len(x), distribution, (kernel,), rng=rng, workers=workers))[0]


def sandwich(
    path: Path, schedule: np.ndarray, n_chains: int, kernel: Kernel = gibbs, *,
    n_burn_in: int = 1000, data: np.ndarray | None = None, rng: np.random.Generator, workers: int | None = None,
    progress: bool = False,
) -> Sandwich:
    """Bound log Z of ``path(1)`` from both sides by forward and reverse AIS.

    The reverse run starts from exact draws where the target can give them, with ``sample``; a class whose ``sample`` is
    right for some parameters only says so by ``enumerable``, a bool. Else ``n_burn_in`` moves at the target lead
    to its start from the final states of the forward run, resampled by their weights, or from data: these come from
    elsewhere, and may be where no forward chain has been.

    Parameters
    ----------
    path : callable, beta -> Distribution
    schedule : (K+1,) array
    n_chains : int
        Chains of each run.
    kernel : callable, (distribution, x, rng) -> x
    n_burn_in : int
        Moves of the long run; unused where the target gives exact draws.
    data : (N, D) array, optional
        States that the target should like, such as those that it was trained on; unused like ``n_burn_in``.
    rng : numpy.random.Generator
    workers, progress : see `anneal_edu.workers`

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([2.0], [[1.0]]))
    >>> both = ae.sandwich(path, ae.linear_schedule(20), 500, rng=np.random.default_rng(0))
    >>> both.draws, both.gap < 0.3
    ('exact draws', True)
    """
    n_burn_in = as_count("n_burn_in", n_burn_in, minimum=0)
    require_walk(path, kernel, rng)
    target = path(1.0)
    data = None if data is None else as_draws_of("data", data, target)
    forward = ais(path, schedule, n_chains, kernel, rng=rng, workers=workers, progress=progress)
    if hasattr(target, "sample") and getattr(target, "enumerable", True):
        samples, draws = target.sample(n_chains, rng), "exact draws"
    else:
        if data is not None:
            start, draws = data[rng.integers(len(data), size=n_chains)], "a long run from data"
        elif np.isneginf(forward.log_weights).all():
            raise ValueError(
                "every weight of the forward run is zero: no chain landed where the target has mass, and the reverse "
                "run has nowhere to start"
            )
        else:
            start, draws = forward.resampled(rng=rng), "a long run"
        samples = long_run(target, start, n_burn_in, kernel, rng=rng, workers=workers)
    reverse = reverse_ais(path, schedule, samples, kernel, rng=rng, workers=workers, progress=progress)
    return Sandwich(forward, reverse, draws)
