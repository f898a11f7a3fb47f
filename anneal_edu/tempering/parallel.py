"""Parallel tempering: chains on every rung of a ladder, and swaps between neighbours.

Kadan, Syed and Wøien, "Lifted parallel tempering", 2018; Syed, Bouchard-Côté, Deligiannidis and Doucet, "Non-reversible
parallel tempering: a scalable highly parallel MCMC scheme", JRSS B 84, 2022.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anneal_edu.annealing.ais import require_start, require_walk
from anneal_edu.distributions import Distribution
from anneal_edu.estimate import SINGLE_CHAIN, Diagnostic, Result, end_warnings, half_warnings
from anneal_edu.kernels import Kernel, accept, difference, gibbs, swapped
from anneal_edu.paths.capabilities import Path, checked, offered
from anneal_edu.tempering.record import Record, RoundTrips
from anneal_edu.tempering.swaps import SwapScheme, as_scheme
from anneal_edu.validation import as_count, as_schedule, draws_of, log_z_of
from anneal_edu.workers import Watch, in_blocks, joined

ZERO = -1e300  # stands for log 0, which has no differences


@dataclass(frozen=True, eq=False)
class TemperingState:
    """One sweep of C ladders.

    Attributes
    ----------
    x : (K+1, C, D) array
        State on every rung, after the swaps.
    replicas : (K+1, C) array of int
        Which replica stands on each rung.
    proposed, accepted : (K, C) arrays of bool
        Pairs (k, k+1) that were tried, and swapped.
    swap_probabilities : (K, C) array
        α of every pair, tried or not.
    log_ratios : (2, K, C) array
        Before the swaps log f_{k+1}(x_k) - log f_k(x_k), and log f_k(x_{k+1}) - log f_{k+1}(x_{k+1}): what the stepping
        stones of log Z average, upwards and downwards.
    """

    x: np.ndarray
    replicas: np.ndarray
    proposed: np.ndarray
    accepted: np.ndarray
    swap_probabilities: np.ndarray
    log_ratios: np.ndarray


def tempering_states(
    path: Path, schedule: np.ndarray, n_chains: int, kernel: Kernel = gibbs, swaps: str = "even_odd", *,
    rng: np.random.Generator,
) -> Iterator[TemperingState]:
    """Yield the state after every sweep, for ever; the arguments are those of `parallel_tempering`."""
    schedule, n_chains = as_schedule("schedule", schedule), as_count("n_chains", n_chains)
    as_scheme(swaps)
    require_walk(path, kernel, rng)
    require_start(path(0.0), "sample")

    def states() -> Iterator[TemperingState]:
        sweep, scheme = sweep_on(path, schedule, kernel), as_scheme(swaps)(len(schedule) - 1, n_chains)
        x = np.stack([draws_of(path(0.0), n_chains, rng) for _ in schedule])  # (K+1, C, D)
        replicas = np.tile(np.arange(len(schedule))[:, None], (1, n_chains))
        while True:
            x, proposed, accepted, log_alpha, log_ratios = sweep(x, scheme, rng)
            replicas = swapped(replicas, accepted)
            yield TemperingState(x, replicas, proposed, accepted, np.exp(log_alpha), log_ratios)

    return states()


def pt_sweep(
    rungs: Sequence[Distribution], x: np.ndarray, scheme: SwapScheme, kernel: Kernel, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Move every chain on its rung, then swap neighbours with probability α  (Kadan et al. 2018, Section 4.1).

    For K + 1 rungs f_k and states x (K+1, C, D): the next states, which pairs were proposed and accepted (K, C), log α
    (K, C), and log f_{k+1}(x_k) - log f_k(x_k) and log f_k(x_{k+1}) - log f_{k+1}(x_{k+1}) (2, K, C).
    """
    x = np.stack([kernel(f, x_k, rng) for f, x_k in zip(rungs, x, strict=True)])
    own = np.stack([f.log_density(x_k) for f, x_k in zip(rungs, x, strict=True)])  # log f_k(x_k)
    above = np.stack([f.log_density(x_k) for f, x_k in zip(rungs[1:], x[:-1], strict=True)])  # log f_{k+1}(x_k)
    below = np.stack([f.log_density(x_k) for f, x_k in zip(rungs[:-1], x[1:], strict=True)])  # log f_k(x_{k+1})
    # α, Section 4.1; a state whose density on its own rung is zero accepts any swap
    log_alpha = np.minimum(0.0, np.maximum(above + below, ZERO) - np.maximum(own[:-1] + own[1:], ZERO))
    proposed = scheme.propose(rng)
    accepted = proposed & accept(log_alpha, rng)
    scheme.update(accepted)
    log_ratios = np.stack([difference(above, own[:-1]), difference(below, own[1:])])
    return swapped(x, accepted), proposed, accepted, log_alpha, log_ratios


def sweep_on(path: Path, schedule: np.ndarray, kernel: Kernel) -> Any:
    """`pt_sweep` on this ladder by this kernel, (x, scheme, rng) -> as there; the path's own, if it offers one."""
    own = offered(path, getattr(kernel, "sweep", None))
    if (sweep := own and own(schedule)) is not None:
        return sweep
    points, move = checked(path, kernel)
    rungs = [points(beta) for beta in schedule]
    return lambda x, scheme, rng: pt_sweep(rungs, x, scheme, move, rng)


@dataclass(frozen=True, eq=False, repr=False)
class TemperingResult(Result):
    """A run of C ladders of K + 1 rungs over T sweeps; logarithms are in nats.

    Attributes
    ----------
    schedule : (K+1,) array
    n_sweeps : int
        T.
    samples : (T, K+1, C, D) array
        States on every rung; ``samples[:, -1]`` are, once burnt in, dependent draws of the target. Of what `keep` and
        ``keep_every`` say only: (T', 1, C, D) for the target, with T' = 0 where nothing is kept.
    replicas : (T', K+1, C) array of int
        Which replica stood on each rung, at the sweeps of ``samples``.
    trips : (K+1, C) array of int
        Round trips of each replica, from the first rung to the last and back, over all sweeps.
    rejection_rates : (K,) array
        Mean of 1 - α over sweeps and ladders, for every pair of neighbours.
    log_mean_ratios : (2, 2, K, C) array
        log of 2/T times the sum over the first, and over the second half of the sweeps, of f_{k+1}(x_k) / f_k(x_k),
        upwards, and of f_k(x_{k+1}) / f_{k+1}(x_{k+1}), downwards, of every ladder.
    start_log_z : float
        log Z of the first rung.
    """

    schedule: np.ndarray
    n_sweeps: int
    samples: np.ndarray
    replicas: np.ndarray
    trips: np.ndarray
    rejection_rates: np.ndarray
    log_mean_ratios: np.ndarray
    start_log_z: float

    @property
    def barrier(self) -> float:
        """Communication barrier Λ ≈ Σ_k r_k, the sum of the rejection rates."""
        return float(self.rejection_rates.sum())

    @property
    def round_trips(self) -> int:
        """How often a replica went from the first rung to the last and back, over all ladders."""
        return int(self.trips.sum())

    @property
    def round_trip_rate(self) -> float:
        """Round trips a ladder and sweep; even-odd swaps reach at most about 1 / (2 + 2 Λ)."""
        return self.round_trips / (self.n_sweeps * self.trips.shape[1])

    @property
    def log_z(self) -> float:
        """Stepping stones: log Z_0 + Σ_k log mean f_{k+1}(x_k) / f_k(x_k); -inf where a rung never met the next one."""
        return float(self.start_log_z + _stones(self.log_mean_ratios[0])[0].sum())

    @property
    def upper(self) -> float:
        """The stones downwards, log Z_0 - Σ_k log mean f_k(x_{k+1}) / f_{k+1}(x_{k+1}): high on average, log_z low."""
        return float(self.start_log_z - _stones(self.log_mean_ratios[1])[0].sum())

    @property
    def std_error(self) -> float:
        """Standard error of log_z by the delta method, ladders counted as independent; NaN for a single one."""
        return float(_error_over_ladders(_stones(self.log_mean_ratios[0])[1].sum(0)))

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What looks wrong; empty where nothing does."""
        worst = int(self.rejection_rates.argmax())
        C, found = self.trips.shape[1], [SINGLE_CHAIN] if self.trips.shape[1] == 1 else []
        for k in np.flatnonzero(np.isneginf(self.log_mean_ratios[0]).all(axis=(0, 2)))[:1]:
            sentence = f"no chain of rung {k} has a density on rung {k + 1}: log_z is -inf; add rungs between"
            found.append(Diagnostic("rungs never meet", sentence))
        if (rate := self.rejection_rates[worst]) > 0.95:
            sentence = f"rungs {worst} and {worst + 1} refuse {rate:.1%} of swaps: add rungs there"
            found.append(Diagnostic("swaps refused", sentence))
        if self.round_trips == 0:
            sentence = (
                "no replica has made a round trip: what the last rung shows, and log_z, may be where it began; "
                "run more sweeps, or place the rungs anew (equal_rejection_schedule)"
            )
            found.append(Diagnostic("no round trip", sentence))
        (_, of_up), (_, of_down) = (_stones(ratios) for ratios in self.log_mean_ratios)
        found += end_warnings(self.log_z, self.upper, float(_error_over_ladders((of_up + of_down).sum(0))), C)
        (first, of_first), (second, of_second) = (_stones(half[None]) for half in self.log_mean_ratios[0])
        if self.n_sweeps > 1:
            longer = np.log(-(-self.n_sweeps // 2) / (self.n_sweeps // 2))  # by how much the first half may be
            with np.errstate(invalid="ignore"):  # -inf - (-inf), of which another warning speaks
                growth, change = second - first + longer, of_second - of_first
            growth, change = np.append(growth, growth.sum()), np.vstack([change, change.sum(0)])
            where = [f"between rungs {k} and {k + 1}" for k in range(len(first))] + ["over the ladder"]
            found += half_warnings(growth, _error_over_ladders(change), C, where)
        return tuple(found)

    def _lines(self) -> list[str]:
        return [
            f"log Z ≈ {self.log_z:.3f}  (standard error {self.std_error:.3f})",
            f"barrier {self.barrier:.2f} over {len(self.rejection_rates)} pairs, {self.round_trips} round trips",
        ]


def _stones(log_ratios: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Log of the mean over parts and ladders (…, K, C), (K,), and what each ladder contributes to it, (K, C)."""
    ladders = np.logaddexp.reduce(log_ratios, axis=0) - np.log(len(log_ratios))  # (K, C)
    log_means = np.logaddexp.reduce(ladders, axis=1) - np.log(ladders.shape[1])
    with np.errstate(invalid="ignore", under="ignore"):  # -inf - (-inf): no state of that rung counts on the next one
        return log_means, np.exp(ladders - log_means[:, None])


def _error_over_ladders(contributions: np.ndarray) -> np.ndarray:
    n = contributions.shape[-1]
    return contributions.std(-1, ddof=1) / np.sqrt(n) if n > 1 else np.full(contributions.shape[:-1], np.nan)


def parallel_tempering(
    path: Path, schedule: np.ndarray, n_sweeps: int, n_chains: int, kernel: Kernel = gibbs, swaps: str = "even_odd", *,
    n_burn_in: int | None = None, keep: str = "all", keep_every: int = 1, rng: np.random.Generator,
    workers: int | None = None, progress: bool = False,
) -> TemperingResult:
    """Sample every distribution of a ladder at once, with swaps between neighbours  (Kadan et al. 2018, Section 4.1).

    A sweep moves the chain of each rung by the kernel, then proposes swaps. Hot rungs cross what cold ones cannot, and
    hand their states down. Any path will do; the report tempers, f_β = f^β.

    Parameters
    ----------
    path : callable, beta -> Distribution
        ``path(0)`` must have ``sample`` and ``log_z``: every rung begins at its draws.
    schedule : (K+1,) array
        The rungs, rising from 0 to 1.
    n_sweeps : int
        Sweeps that are kept, T.
    n_chains : int
        Independent ladders C.
    kernel : callable, (distribution, x, rng) -> x
    swaps : "even_odd", "stochastic_even_odd" or "lifted"
        Even and odd pairs in turn; even or odd by a coin; or one tagged replica that keeps its direction.
    n_burn_in : int, optional
        Sweeps before those that are kept; as many if not given. All rungs begin at draws of the start: the
        first sweeps, and with them log_z and the rejection rates, are biased.
    keep : "all", "target" or "nothing"
        Which states to keep: T (K+1) C D numbers of 4 or 8 bytes, the last rung's T C D, or none. The estimates come
        from all sweeps and rungs whatever is kept.
    keep_every : int
        Keep the states of every so-many-th sweep only.
    rng : numpy.random.Generator
    workers, progress : see `anneal_edu.workers`

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[9.0]]), ae.Gaussian([0.0], [[1.0]]))
    >>> run = ae.parallel_tempering(path, ae.linear_schedule(4), 500, 20, rng=np.random.default_rng(0))
    >>> run.samples.shape, abs(run.samples[:, -1].std() - 1) < 0.05
    ((500, 5, 20, 1), np.True_)
    """
    schedule = as_schedule("schedule", schedule)
    n_sweeps, n_chains = as_count("n_sweeps", n_sweeps), as_count("n_chains", n_chains)
    n_burn_in = as_count("n_burn_in", n_sweeps if n_burn_in is None else n_burn_in, minimum=0)
    as_scheme(swaps)
    require_walk(path, kernel, rng)
    require_start(path(0.0), "sample", "log_z")

    if keep not in ("all", "target", "nothing"):
        raise ValueError(f"keep must be 'all', 'target' or 'nothing', got {keep!r}")
    rungs = slice(-1, None) if keep == "target" else slice(None)
    record = Record(range(0, 0 if keep == "nothing" else n_sweeps, as_count("keep_every", keep_every)), n_chains)

    def walk(chains: slice, rng: np.random.Generator, watch: Watch) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        states = tempering_states(path, schedule, chains.stop - chains.start, kernel, swaps, rng=rng)
        trips = RoundTrips(len(schedule), chains.stop - chains.start)
        halves, rejections = [np.full((1, 1, 1), -np.inf)] * 2, np.zeros(1)
        for sweep in watch(range(-n_burn_in, n_sweeps)):
            state = next(states)
            if sweep >= 0:
                record.put("samples", sweep, chains, state.x[rungs], axis=1)
                record.put("replicas", sweep, chains, state.replicas, axis=1)
                trips.update(state.replicas)
                half = int(2 * sweep >= n_sweeps)
                halves[half] = np.logaddexp(halves[half], state.log_ratios)  # (2, K, C)
                rejections = rejections + (1 - state.swap_probabilities)
        log_means = np.stack(np.broadcast_arrays(*halves), axis=1) - np.log(n_sweeps / 2)
        return trips.made.T, log_means.T, rejections.T / n_sweeps

    blocks = in_blocks(
        walk, n_chains, path(1.0), (path, kernel), n_rungs=len(schedule), n_steps=n_burn_in + n_sweeps,
        desc="tempering", rng=rng, workers=workers, progress=progress,
    )
    trips, log_means, rejections = (of_chains.T for of_chains in joined(blocks))
    start = log_z_of(path(0.0))
    return TemperingResult(
        schedule, n_sweeps, record["samples"], record["replicas"], trips, rejections.mean(1), log_means, start
    )
