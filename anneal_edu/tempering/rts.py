"""Rao-Blackwellized tempered sampling.

Carlson, Stinson, Pakman and Paninski, "Partition functions from Rao-Blackwellized tempered sampling", ICML 2016.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, pairwise
from operator import attrgetter

import numpy as np
from tqdm.auto import tqdm

from anneal_edu.annealing.ais import annealer, require_start, require_walk
from anneal_edu.estimate import Diagnostic, Result
from anneal_edu.kernels import Kernel, gibbs
from anneal_edu.paths.capabilities import Path
from anneal_edu.paths.ladder import Ladder, ladder_on
from anneal_edu.tempering.simulated import (
    drift_warnings,
    marginal_errors,
    marginal_warnings,
    ratio_estimate,
    st_sweep,
)
from anneal_edu.validation import as_count, as_finite_array, as_schedule, draws_of, log_z_of, require_shape
from anneal_edu.weights import logsumexp
from anneal_edu.workers import Watch, in_blocks, joined


def rts_rounds(
    path: Path, schedule: np.ndarray, n_initial: int, n_sweeps: int, n_chains: int, kernel: Kernel = gibbs,
    log_z: np.ndarray | None = None, *, rng: np.random.Generator, workers: int | None = None,
) -> Iterator[RTSRound]:
    """Yield rounds for ever: n_initial that each correct the Ẑ_k of the one before, then one that grows and grows.

    The arguments are those of `rts`.
    """
    schedule, n_chains = as_schedule("schedule", schedule), as_count("n_chains", n_chains)
    n_initial, n_sweeps = as_count("n_initial", n_initial, minimum=0), as_count("n_sweeps", n_sweeps)
    require_walk(path, kernel, rng)
    require_start(path(0.0), "sample", "log_z")
    if log_z is None:
        log_z, x, k = climb(path, schedule, n_chains, kernel, rng)
    else:
        log_z = as_finite_array("log_z", log_z, ndim=1)
        require_shape("log_z", log_z, schedule.shape)
        log_z = log_z - log_z[0] + log_z_of(path(0.0))
        x, k = draws_of(path(0.0), n_chains, rng), np.zeros(n_chains, dtype=int)
    ladder = ladder_on(path, schedule, kernel)
    return corrected_rounds(partial(rts_round, ladder, n_sweeps, rng, workers), log_z, x, k, n_initial)


def corrected_rounds(
    walk: Callable[[np.ndarray, np.ndarray, np.ndarray], RTSRound], log_z: np.ndarray, x: np.ndarray, k: np.ndarray,
    n_initial: int, correct: Callable[[RTSRound], np.ndarray] = attrgetter("corrected_log_z"),
) -> Iterator[RTSRound]:
    """The poster's loop: walk and correct log Ẑ_k (K+1,), ``n_initial`` times; then hold it, and pool all rounds."""
    for _ in range(n_initial):
        latest = walk(log_z, x, k)  # sweeps at fixed Ẑ_k: c_k is the mean of q(β_k | x)
        yield latest
        log_z, x, k = correct(latest), latest.x, latest.rungs  # Ẑ_k ← Ẑ_k c_k / c_0
    pool = walk(log_z, x, k)
    while True:
        yield pool
        pool = walk(log_z, pool.x, pool.rungs).pooled(pool)


def rts_round(
    ladder: Ladder, n_sweeps: int, rng: np.random.Generator, workers: int | None, log_z: np.ndarray, x: np.ndarray,
    k: np.ndarray,
) -> RTSRound:
    """Walk ``n_sweeps`` from states x (C, D) on rungs k (C,), at fixed log_z (K+1,)."""

    def walk(chains: slice, rng: np.random.Generator, watch: Watch) -> tuple[np.ndarray, ...]:
        return st_sweeps(ladder, log_z, x[chains], k[chains], watch(range(n_sweeps)), rng)

    effort, uses = 1 + len(log_z) / 25, (ladder.path, ladder.kernel)  # 25 densities take as long as a move
    blocks = in_blocks(walk, len(x), ladder.path(1.0), uses, effort=effort, rng=rng, workers=workers)
    return round_of(log_z, *joined(blocks))


def st_sweeps(
    ladder: Ladder, log_z: np.ndarray, x: np.ndarray, k: np.ndarray, sweeps: Iterable[int], rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sum of q(β_k | x) over sweeps, in logarithms (C, K+1), rungs at every sweep (C, n+1), and last states."""
    log_c, visited = np.full((len(log_z), len(x)), -np.inf), [k]
    for _ in sweeps:
        x, k, log_q = st_sweep(ladder, log_z, x, k, rng)
        log_c = np.logaddexp(log_c, log_q)
        visited.append(k)
    return log_c.T, np.array(visited).T, x


def round_of(log_z: np.ndarray, log_sums: np.ndarray, visited: np.ndarray, x: np.ndarray) -> RTSRound:
    """The round that `st_sweeps` made at fixed log_z (K+1,)."""
    K, n_sweeps, from_below, crossings = len(log_z) - 1, visited.shape[1] - 1, visited[:, 0] == 0, 0
    for rungs in visited[:, 1:].T:
        crossings += int((from_below & (rungs == K)).sum())
        from_below = (from_below | (rungs == 0)) & (rungs < K)
    visits = np.bincount(visited[:, 1:].ravel(), minlength=K + 1) / visited[:, 1:].size
    return RTSRound(log_z, log_sums.T - np.log(n_sweeps), visits, n_sweeps, crossings, x, visited[:, -1].copy())


@dataclass(frozen=True, eq=False, repr=False)
class RTSRound(Result):
    """Sweeps at fixed Ẑ_k, and what they say about Z_k; logarithms are in nats.

    Attributes
    ----------
    assumed_log_z : (K+1,) array
        log Ẑ_k during the sweeps.
    chain_log_marginals : (K+1, C) array
        log of the mean of q(β_k | x) over the sweeps, of every chain.
    visits : (K+1,) array
        c_k by counting: the share of the draws on each rung.
    n_sweeps : int
    crossings : int
        How often a chain came from the first rung to the last.
    x, rungs : (C, D) and (C,) arrays
        Where the chains stood at the end.
    """

    assumed_log_z: np.ndarray
    chain_log_marginals: np.ndarray
    visits: np.ndarray
    n_sweeps: int
    crossings: int
    x: np.ndarray
    rungs: np.ndarray

    @property
    def log_marginals(self) -> np.ndarray:
        """log c_k, Rao-Blackwellised: c_k = (1/N) Σ_i q(β_k | x_i), (K+1,)  (Carlson et al. 2016, "RTS")."""
        return logsumexp(self.chain_log_marginals, axis=1) - np.log(self.chain_log_marginals.shape[1])

    @property
    def log_z(self) -> np.ndarray:
        """log Z_k by the Rao-Blackwellised marginals, (K+1,): the first is exact, the last is the target's."""
        return ratio_estimate(self.assumed_log_z, self.log_marginals)

    @property
    def corrected_log_z(self) -> np.ndarray:
        """What Ẑ_k should be next, (K+1,): as log_z, but a rung counts as if one draw, at least, had come there.

        c_k far below 1/N is reweighted from draws of other rungs, and may be wrong by any factor: it must not be
        corrected by more than the draws can tell.
        """
        n_draws = self.n_sweeps * self.chain_log_marginals.shape[1]
        return ratio_estimate(self.assumed_log_z, np.maximum(self.log_marginals, -np.log(n_draws)))

    @property
    def counted_log_z(self) -> np.ndarray:
        """log Z_k by plain counts, (K+1,); infinite or NaN where a rung saw no chain."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return ratio_estimate(self.assumed_log_z, np.log(self.visits))

    @property
    def std_error(self) -> np.ndarray:
        """Standard errors of log_z, (K+1,), from how much the chains, each a mean over all its sweeps, differ."""
        return marginal_errors(self.chain_log_marginals)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What looks wrong; empty where nothing does."""
        n_chains = self.chain_log_marginals.shape[1]
        few = f"{n_chains} chains came from the first rung to the last {self.crossings} times: add rungs or sweeps"
        found = (Diagnostic("few crossings", few),) if self.crossings < n_chains else ()
        return marginal_warnings(self.log_marginals, n_chains) + found

    def pooled(self, earlier: RTSRound) -> RTSRound:
        """This round and an earlier one at the same Ẑ_k, as one."""
        n_sweeps, crossings = earlier.n_sweeps + self.n_sweeps, earlier.crossings + self.crossings
        before, now = earlier.n_sweeps / n_sweeps, self.n_sweeps / n_sweeps  # shares of the sweeps
        log_c = np.logaddexp(earlier.chain_log_marginals + np.log(before), self.chain_log_marginals + np.log(now))
        visits = before * earlier.visits + now * self.visits
        return replace(self, chain_log_marginals=log_c, visits=visits, n_sweeps=n_sweeps, crossings=crossings)


def climb(
    path: Path, schedule: np.ndarray, n_chains: int, kernel: Kernel, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First log Ẑ_k (K+1,), states (C, D) and rungs (C,): chains are annealed up the ladder, each left on one rung.

    With a poor first Ẑ all chains drift to one end of the ladder, and the other end is never estimated: corrections
    then swing by tens of nats.
    """
    log_z, x, step = [log_z_of(path(0.0))], draws_of(path(0.0), n_chains, rng), annealer(path, kernel)
    rungs, left = rng.integers(len(schedule), size=n_chains), x
    for k, pair in enumerate(pairwise(schedule), 1):
        log_ratio, x = step(pair, x, rng)
        if not np.isfinite(log_ratio).any():
            raise ValueError(f"no chain of rung {k - 1} has a density on rung {k}: add rungs between")
        log_z.append(log_z[-1] + logsumexp(log_ratio) - np.log(n_chains))
        left = np.where((rungs == k)[:, None], x, left)
    return np.array(log_z), left, rungs


@dataclass(frozen=True, eq=False, repr=False)
class RTSResult(RTSRound):
    """What Rao-Blackwellized tempered sampling says: the rounds after the initial ones, as one, and how it came there.

    Attributes
    ----------
    schedule : (K+1,) array
    history : (n_rounds, K+1) array
        Estimate of log Z_k after every round: from that round alone during the initial ones, then from all later ones.
    counted_history : (n_rounds, K+1) array
        The same from plain counts; infinite or NaN where a rung saw no chain.
    half : RTSRound, optional
        The first half of the rounds after the initial ones, as one, if there are two at least.
    """

    schedule: np.ndarray
    history: np.ndarray
    counted_history: np.ndarray
    half: RTSRound | None = None

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What looks wrong; empty where nothing does."""
        if self.half is None:
            return super().warnings
        first, share = self.half.chain_log_marginals, self.half.n_sweeps / self.n_sweeps
        rest = np.maximum(1 - share * np.exp(first - self.chain_log_marginals), 1e-12) / (1 - share)
        return super().warnings + drift_warnings(first, self.chain_log_marginals + np.log(rest))

    def _lines(self) -> list[str]:
        return [
            f"log Z ≈ {self.log_z[-1]:.3f}  (standard error {self.std_error[-1]:.3f})",
            f"{len(self.history)} rounds; {self.crossings} crossings from the first rung to the last",
        ]


def rts(
    path: Path, schedule: np.ndarray, n_rounds: int, n_sweeps: int, n_chains: int, kernel: Kernel = gibbs,
    *, n_initial: int | None = None, log_z: np.ndarray | None = None, rng: np.random.Generator,
    workers: int | None = None, progress: bool = False,
) -> RTSResult:
    """Estimate log Z of every rung by Rao-Blackwellized tempered sampling  (Carlson et al. 2016, "RTS").

    Chains that change their rung, `simulated_tempering`, stay on rung k for a share c_k of the time, proportional to
    Z_k / Ẑ_k. So c_k corrects Ẑ_k. The initial rounds do this again and again; then Ẑ_k is held and all further rounds
    add to c_k. In place of counting visits, q(β_k | x) is averaged: its expectation given x.

    Parameters
    ----------
    path : callable, beta -> Distribution
        ``path(0)`` must have ``sample`` and ``log_z``.
    schedule : (K+1,) array
        The rungs, rising from 0 to 1.
    n_rounds : int
        Rounds in all.
    n_sweeps : int
        Sweeps a round; the poster takes 50.
    n_chains : int
        Chains C; the poster takes 100.
    kernel : callable, (distribution, x, rng) -> x
    n_initial : int, optional
        Rounds that only improve Ẑ_k; half of them if not given.
    log_z : (K+1,) array, optional
        The first log Ẑ_k, up to a common constant. If not given, the chains are first annealed up the ladder, K sweeps
        that are not counted as a round.
    rng : numpy.random.Generator
    workers, progress : see `anneal_edu.workers`

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([4.0], [[1.0]]))
    >>> run = ae.rts(path, ae.linear_schedule(4), 20, 50, 100, rng=np.random.default_rng(0))
    >>> run.log_z.shape, abs(run.log_z[-1]) < 0.2
    ((5,), np.True_)
    """
    schedule, n_rounds = as_schedule("schedule", schedule), as_count("n_rounds", n_rounds)
    n_initial = n_rounds // 2 if n_initial is None else as_count("n_initial", n_initial, minimum=0)
    if n_initial >= n_rounds:
        raise ValueError(f"n_initial must leave at least one of {n_rounds} rounds, got {n_initial}")

    rounds = rts_rounds(path, schedule, n_initial, n_sweeps, n_chains, kernel, log_z, rng=rng, workers=workers)
    done = list(tqdm(islice(rounds, n_rounds), desc="RTS", total=n_rounds, disable=not progress))
    history, counted = (np.array([getattr(r, name) for r in done]) for name in ("log_z", "counted_log_z"))
    half = done[(n_initial + n_rounds) // 2 - 1] if n_rounds - n_initial > 1 else None
    return RTSResult(**vars(done[-1]), schedule=schedule, history=history, counted_history=counted, half=half)
