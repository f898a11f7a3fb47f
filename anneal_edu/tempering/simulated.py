"""Simulated tempering: one chain that changes its temperature as it goes.

Marinari and Parisi, "Simulated tempering: a new Monte Carlo scheme", 1992; Carlson, Stinson, Pakman and Paninski,
"Partition functions from Rao-Blackwellized tempered sampling", 2016.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from anneal_edu.annealing.ais import require_start, require_walk
from anneal_edu.estimate import SINGLE_CHAIN, Diagnostic, Result, half_warnings
from anneal_edu.kernels import Kernel, gibbs
from anneal_edu.paths.capabilities import Path
from anneal_edu.paths.ladder import Ladder, ladder_on
from anneal_edu.tempering.record import Record
from anneal_edu.validation import as_count, as_finite_array, as_schedule, draws_of, log_z_of, require_shape
from anneal_edu.weights import logsumexp
from anneal_edu.workers import Watch, in_blocks


@np.errstate(under="ignore")
def log_conditionals(log_f: np.ndarray, log_z: np.ndarray) -> np.ndarray:
    """log q(β_k | x_n), where q(x, β_k) ∝ f_k(x) / Ẑ_k: from which rung a state may be; (K+1, N), (K+1,) -> (K+1, N).

    Carlson et al. 2016, "Simulated Tempering".

    Examples
    --------
    >>> import numpy as np
    >>> np.exp(log_conditionals(np.log([[1.0, 3.0], [1.0, 1.0]]), np.zeros(2)))
    array([[0.5 , 0.75],
           [0.5 , 0.25]])
    """
    log_q = log_f - log_z[:, None]
    log_q -= np.logaddexp.reduce(log_q, axis=0)  # q(β_k | x) = [f_k(x) / Ẑ_k] / Σ_j [f_j(x) / Ẑ_j]
    return log_q


def ratio_estimate(log_z: np.ndarray, log_c: np.ndarray) -> np.ndarray:
    """log Ẑ_k^RTS = log Ẑ_k + log c_k - log c_0, for equal r_k  (Carlson et al. 2016, "RTS"): (K+1,).

    c_k is the share of the chains' time on rung k: of their visits or, Rao-Blackwellised, the mean of q(β_k | x).
    """
    return log_z + log_c - log_c[0]


def st_sweep(
    ladder: Ladder, log_z: np.ndarray, x: np.ndarray, k: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Move each chain x (C, D) on its rung k (C,), then draw its rung anew: x, k, log q(β_k | x) (K+1, C).

    Both leave q(x, β_k) ∝ f_k(x) / Ẑ_k invariant  (Carlson et al. 2016, "Simulated Tempering").
    """
    x = ladder.move(x, k, rng)
    log_q = log_conditionals(ladder.log_density(x), log_z)
    gumbel = -np.log(rng.standard_exponential(log_q.shape))
    k = (log_q + gumbel).argmax(0)  # the largest of log q + Gumbel noise is a draw from q
    return x, k, log_q


def tempered_walk(
    ladder: Ladder, log_z: np.ndarray, x: np.ndarray, k: np.ndarray, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield what `st_sweep` returns, sweep after sweep, for ever."""
    while True:
        x, k, log_q = st_sweep(ladder, log_z, x, k, rng)
        yield x, k, log_q


@dataclass(frozen=True, eq=False, repr=False)
class SimulatedTemperingResult(Result):
    """A run of C chains over T sweeps and K + 1 rungs; logarithms are in nats.

    Attributes
    ----------
    schedule : (K+1,) array
    assumed_log_z : (K+1,) array
        log Ẑ_k, which decides how often each rung is visited: q(β_k) ∝ Z_k / Ẑ_k.
    start_log_z : float
        log Z_0, exact.
    samples : (T, C, D) array
        ``samples[rungs == k]`` are, once burnt in, dependent draws of rung k.
    rungs : (T, C) array of int
    log_conditionals : (T, K+1, C) array
        log q(β_k | x).
    """

    schedule: np.ndarray
    assumed_log_z: np.ndarray
    start_log_z: float
    samples: np.ndarray
    rungs: np.ndarray
    log_conditionals: np.ndarray

    @property
    def visits(self) -> np.ndarray:
        """c_k by counting: the share of sweeps that chains spent on each rung, (K+1,)."""
        return np.bincount(self.rungs.ravel(), minlength=len(self.schedule)) / self.rungs.size

    @property
    def log_marginals(self) -> np.ndarray:
        """log c_k, Rao-Blackwellised: c_k = (1/N) Σ_i q(β_k | x_i), (K+1,)."""
        return logsumexp(self.log_conditionals, axis=(0, 2)) - np.log(self.rungs.size)

    @property
    def counted_log_z(self) -> np.ndarray:
        """log Z_k from plain counts, log Z_0 + log Ẑ_k / Ẑ_0 + log c_k / c_0, (K+1,); infinite where one is zero."""
        with np.errstate(divide="ignore"):
            return self.start_log_z + ratio_estimate(self._relative_log_z, np.log(self.visits))

    @property
    def log_z(self) -> np.ndarray:
        """log Z_k, Rao-Blackwellised, (K+1,); the first is exact."""
        return self.start_log_z + ratio_estimate(self._relative_log_z, self.log_marginals)

    @property
    def _relative_log_z(self) -> np.ndarray:
        return self.assumed_log_z - self.assumed_log_z[0]

    @property
    def std_error(self) -> np.ndarray:
        """Standard errors of log_z, (K+1,), from how much the chains, each a mean over all sweeps, differ."""
        return marginal_errors(logsumexp(self.log_conditionals, axis=0) - np.log(len(self.rungs)))

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What looks wrong; empty where nothing does."""
        found, half = marginal_warnings(self.log_marginals, self.rungs.shape[1]), len(self.rungs) // 2
        if not half:
            return found
        first, second = logsumexp(self.log_conditionals[:half], axis=0), logsumexp(self.log_conditionals[half:], axis=0)
        return found + drift_warnings(first, second)

    def _lines(self) -> list[str]:
        return [
            f"log Z ≈ {self.log_z[-1]:.3f}  (standard error {self.std_error[-1]:.3f})",
            f"{self.rungs.size} draws, between {self.visits.min():.1%} and {self.visits.max():.1%} of them on a rung",
        ]


def marginal_errors(*sets: np.ndarray) -> np.ndarray:
    """Standard errors of log c_k - log c_0 by the delta method, from those of every chain: (K+1, C) -> (K+1,).

    A chain's draws depend on each other, the chains do not: each counts as one draw, however long. NaN for one chain.
    Of two sets of the same chains, the errors of the difference.
    """
    n_chains = sets[0].shape[1]
    if n_chains < 2:
        return np.full(len(sets[0]), np.nan)
    with np.errstate(under="ignore"):
        relative = [np.exp(log_c - logsumexp(log_c, axis=1, keepdims=True)) * n_chains for log_c in sets]
    influence = relative[0] - relative[0][0] - sum(other - other[0] for other in relative[1:])  # c_k of a chain / c_k
    return influence.std(1, ddof=1) / np.sqrt(n_chains)


def drift_warnings(first: np.ndarray, second: np.ndarray) -> tuple[Diagnostic, ...]:
    """Whether log c_k of every chain (K+1, C) differs between two halves of a run."""
    one, two = (logsumexp(half, axis=1)[-1] - logsumexp(half, axis=1)[0] for half in (first, second))
    error = marginal_errors(first, second)[-1:]
    return half_warnings(np.array([two - one]), error, first.shape[1], ["over the ladder"])


def marginal_warnings(log_marginals: np.ndarray, n_chains: int) -> tuple[Diagnostic, ...]:
    """What log c_k (K+1,) and the number of chains say against an estimate."""
    found = [SINGLE_CHAIN] if n_chains == 1 else []
    rarest = int(log_marginals.argmin())
    if (gap := log_marginals.max() - log_marginals[rarest]) > np.log(10):
        sentence = f"rung {rarest} is visited e^{gap:.1f} times less than another: Ẑ is far from Z; take that of rts"
        found.append(Diagnostic("uneven visits", sentence))
    return tuple(found)


def simulated_tempering(
    path: Path, schedule: np.ndarray, log_z: np.ndarray, n_sweeps: int, n_chains: int, kernel: Kernel = gibbs, *,
    n_burn_in: int | None = None, keep_every: int = 1, rng: np.random.Generator, workers: int | None = None,
    progress: bool = False,
) -> SimulatedTemperingResult:
    """Sample states and rungs jointly, q(x, β_k) ∝ f_k(x) / Ẑ_k  (Carlson et al. 2016, "Simulated Tempering").

    A sweep moves each chain on its rung, then draws the rung anew given the state. With Ẑ_k = Z_k all rungs are visited
    equally often; how far they are from it tells how far Ẑ_k is from Z_k. `rts` finds good Ẑ_k by itself. The paper's
    weights r_k are no further freedom: ask for unequal visits by handing in Ẑ_k / r_k.

    Parameters
    ----------
    path : callable, beta -> Distribution
        ``path(0)`` must have ``sample`` and ``log_z``: chains begin there.
    schedule : (K+1,) array
        The rungs, rising from 0 to 1.
    log_z : (K+1,) array
        log Ẑ_k, up to a common constant.
    n_sweeps : int
        Sweeps that are kept, T.
    n_chains : int
    kernel : callable, (distribution, x, rng) -> x
    n_burn_in : int, optional
        Sweeps before those that are kept; as many if not given.
    keep_every : int
        Keep every so-many-th sweep only; the estimates are from those. T sweeps take T C (D + K + 2) numbers.
    rng : numpy.random.Generator
    workers, progress : see `anneal_edu.workers`

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([2.0], [[1.0]]))
    >>> run = ae.simulated_tempering(path, [0, 0.5, 1], [0, -0.5, 0], 500, 50, rng=np.random.default_rng(0))
    >>> run.visits.round(1), abs(run.log_z[-1]) < 0.1
    (array([0.3, 0.3, 0.3]), np.True_)
    """
    schedule = as_schedule("schedule", schedule)
    log_z = as_finite_array("log_z", log_z, ndim=1)
    require_shape("log_z", log_z, schedule.shape)
    n_sweeps, n_chains = as_count("n_sweeps", n_sweeps), as_count("n_chains", n_chains)
    n_burn_in = as_count("n_burn_in", n_sweeps if n_burn_in is None else n_burn_in, minimum=0)
    require_walk(path, kernel, rng)
    start = path(0.0)
    require_start(start, "sample", "log_z")

    record = Record(range(0, n_sweeps, as_count("keep_every", keep_every)), n_chains)

    def walk(chains: slice, rng: np.random.Generator, watch: Watch) -> None:
        ladder, x = ladder_on(path, schedule, kernel), draws_of(start, chains.stop - chains.start, rng)
        sweeps = tempered_walk(ladder, log_z, x, np.zeros(len(x), dtype=int), rng)
        for sweep in watch(range(-n_burn_in, n_sweeps)):
            x, k, log_q = next(sweeps)
            record.put("x", sweep, chains, x)
            record.put("rungs", sweep, chains, k)
            record.put("log_q", sweep, chains, log_q, axis=1)

    in_blocks(
        walk, n_chains, path(1.0), (path, kernel), n_steps=n_burn_in + n_sweeps, desc="simulated tempering",
        rng=rng, workers=workers, progress=progress,
    )
    return SimulatedTemperingResult(schedule, log_z, log_z_of(start), record["x"], record["rungs"], record["log_q"])
