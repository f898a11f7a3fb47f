"""All five papers: every estimator of the course on one binary RBM, with the same number of Gibbs sweeps.

A sweep is one Gibbs step of one chain. Parallel tempering with R rungs needs R of them for every ladder and time step.
Those that lead to the start of a reverse run count, and those of the rounds in which tempered sampling finds its Ẑ.
Exact draws and the knots of a spline are free here, and nowhere else. Hamiltonian AIS is missing: it needs a gradient
with respect to x, and the states of a binary RBM have none.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

import numpy as np

from anneal_edu.annealing.ais import ais
from anneal_edu.annealing.likelihood import raise_log_likelihood
from anneal_edu.annealing.reverse import long_run, reverse_ais
from anneal_edu.distributions import BinaryRBM
from anneal_edu.estimate import Diagnostic, Estimate
from anneal_edu.kernels import gibbs
from anneal_edu.paths.geometric import Path, geometric_path
from anneal_edu.paths.ladder import ladder_on
from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.reweighting.density_matrix import log_density_matrix, log_density_slopes
from anneal_edu.reweighting.integration import thermodynamic_integration
from anneal_edu.reweighting.mbar import mbar
from anneal_edu.reweighting.over_chains import by_rungs
from anneal_edu.tempering.parallel import parallel_tempering
from anneal_edu.tempering.rts import round_of, rts_rounds
from anneal_edu.tempering.simulated import tempered_walk

N_CHAINS = 100
N_LADDERS = 10
N_RUNGS = 20
N_DATA = 20
LOW, HIGH, NEITHER = "low", "high", "neither"


@dataclass(frozen=True, eq=False)
class Problem:
    """One log Z to be estimated."""

    rbm: BinaryRBM
    start: BinaryRBM  # without weights, where the paths begin
    data: np.ndarray | None = None  # (N, D), what the model was trained on, or other states that it should find likely
    spline: Path | None = None  # a moment spline path from the start to the model

    @property
    def path(self) -> Path:
        """The geometric path."""
        return geometric_path(self.start, self.rbm)


@dataclass(frozen=True)
class Report:
    """What one estimator says about log Z, in nats, and what it cost."""

    name: str
    log_z: float  # NaN where the estimator gives no estimate; the warning then says why
    std_error: float  # as the estimator itself sees it, from how much its chains (RAISE: its data points) differ
    warnings: tuple[Diagnostic, ...]
    bias_direction: str  # whether its expectation lies below or above log Z: "low", "high" or "neither"
    sweeps: int
    products: int  # of one state with the weights, or of one hidden state with their transpose
    seconds: float = float("nan")  # with whatever else the machine did

    @property
    def succeeded(self) -> bool:
        """Whether there is an estimate with an error bar."""
        return bool(np.isfinite(self.log_z) and np.isfinite(self.std_error))

    def __str__(self) -> str:
        found = f"{self.log_z:9.3f} ± {self.std_error:.3f}" if self.succeeded else " no answer       "
        return f"{self.name:26}{found}" + "".join(f"\n    {w.kind}" for w in self.warnings)


def _report(name: str, estimate: Estimate, bias_direction: str, sweeps: int, products: int) -> Report:
    return Report(name, estimate.log_z, estimate.std_error, estimate.warnings, bias_direction, sweeps, products)


def _weighted(name: str, bias_direction: str, run, sweeps: int, per_sweep: int = 2) -> list[Report]:
    return [_report(name, run.estimate, bias_direction, sweeps, per_sweep * sweeps)]


def importance_sampling(problem: Problem, sweeps: int, rng: np.random.Generator) -> list[Report]:
    """AIS with one step: all sweeps are chains."""
    return _weighted("importance sampling", LOW, ais(problem.path, [0, 1], sweeps, rng=rng), sweeps)


def geometric_ais(problem: Problem, sweeps: int, rng: np.random.Generator, n_steps: int | None = None) -> list[Report]:
    """AIS along the geometric path, with `N_CHAINS` chains or a given number of steps."""
    n_steps = max(1, sweeps // N_CHAINS) if n_steps is None else n_steps
    n_chains = max(2, sweeps // n_steps)
    run = ais(problem.path, linear_schedule(n_steps), n_chains, rng=rng)
    return _weighted("AIS, geometric", LOW, run, n_steps * n_chains)


def spline_ais(problem: Problem, sweeps: int, rng: np.random.Generator) -> list[Report]:
    """AIS along the moment spline path, where its knots are at hand; they have weights, which costs a third product."""
    if problem.spline is None:
        return []
    n_steps = max(1, sweeps // N_CHAINS)
    run = ais(problem.spline, linear_schedule(n_steps), N_CHAINS, rng=rng)
    return _weighted("AIS, moment spline", LOW, run, n_steps * N_CHAINS, per_sweep=3)


def reverse_from_exact(problem: Problem, sweeps: int, rng: np.random.Generator) -> list[Report]:
    """Reverse AIS from exact draws, the upper side of the sandwich: only for models that can be summed."""
    if not problem.rbm.enumerable:
        return []
    n_steps = max(1, sweeps // N_CHAINS - 1)
    run = reverse_ais(problem.path, linear_schedule(n_steps), problem.rbm.sample(N_CHAINS, rng), rng=rng)
    return _weighted("reverse AIS, exact draws", HIGH, run, (n_steps + 1) * N_CHAINS)


def reverse_from_chains(problem: Problem, sweeps: int, rng: np.random.Generator) -> list[Report]:
    """Reverse AIS from forward chains after a long run: a third of the sweeps each for down, staying, and up."""
    third = max(2, sweeps // (3 * N_CHAINS))
    forward = ais(problem.path, linear_schedule(third), N_CHAINS, rng=rng)
    x = long_run(problem.rbm, forward.resampled(rng=rng), third, gibbs, rng=rng)
    run = reverse_ais(problem.path, linear_schedule(third - 1), x, rng=rng)
    return _weighted("reverse AIS, from chains", HIGH, run, 3 * third * N_CHAINS)


def reverse_from_data(problem: Problem, sweeps: int, rng: np.random.Generator) -> list[Report]:
    """Reverse AIS from data after a long run, half of the sweeps each."""
    if problem.data is None:
        return []
    half = max(2, sweeps // (2 * N_CHAINS))
    x = problem.data[rng.integers(len(problem.data), size=N_CHAINS)].astype(np.float32)
    x = long_run(problem.rbm, x, half, gibbs, rng=rng)
    run = reverse_ais(problem.path, linear_schedule(half - 1), x, rng=rng)
    return _weighted("reverse AIS, from data", HIGH, run, 2 * half * N_CHAINS)


def log_z_by_raise(
    path: Path, schedule: np.ndarray, v: np.ndarray, n_chains: int, rng: np.random.Generator
) -> tuple[float, float]:
    """log Ẑ = mean over data v (N, D) of log f(v) - log p̂(v), with p̂ of RAISE, and its standard error over v."""
    log_z = path(1.0).log_density(v) - raise_log_likelihood(path, schedule, v, n_chains, rng=rng)
    return float(log_z.mean()), float(log_z.std(ddof=1) / np.sqrt(len(v)))


def raise_estimate(problem: Problem, sweeps: int, rng: np.random.Generator) -> list[Report]:
    """RAISE: log Ẑ is high on average, as its log likelihood is low."""
    if problem.data is None:
        return []
    chains_each = max(2, N_CHAINS // N_DATA)
    n_steps = max(1, sweeps // (N_DATA * chains_each) - 1)
    v = problem.data[rng.integers(len(problem.data), size=N_DATA)]
    found = Estimate(*log_z_by_raise(problem.path, linear_schedule(n_steps), v, chains_each, rng))
    sweeps = (n_steps + 1) * N_DATA * chains_each
    return [_report("RAISE", found, HIGH, sweeps, 2 * sweeps)]


def tempering(
    problem: Problem, sweeps: int, rng: np.random.Generator, n_rungs: int = N_RUNGS, thin: int = 2
) -> list[Report]:
    """Parallel tempering, a fifth of it burn-in: by stepping stones, and by MBAR from every second state."""
    n_steps = max(10, sweeps // (n_rungs * N_LADDERS))
    burn_in, schedule = n_steps // 5, linear_schedule(n_rungs - 1)
    run = parallel_tempering(problem.path, schedule, n_steps - burn_in, N_LADDERS, n_burn_in=burn_in, rng=rng)
    sweeps = n_steps * n_rungs * N_LADDERS
    stones = _report("PT, stepping stones", run.estimate, LOW, sweeps, 2 * sweeps)
    x = np.swapaxes(run.samples[::thin], 0, 1)  # (R, T, C, D)
    log_f = log_density_matrix(problem.path, schedule, x.reshape(-1, x.shape[-1]))
    counts, ladders = np.full(n_rungs, x[0, ..., 0].size), np.indices(x.shape[:3])[2].ravel()
    read = partial(_read, run.warnings, mbar, log_f, counts, start_log_z=problem.start.log_z())
    price = NEITHER, sweeps, 2 * sweeps + len(ladders)
    return [stones, _report("PT, MBAR", read(chains=ladders), *price), _report("PT, MBAR, naive bar", read(), *price)]


def _read(warnings: tuple[Diagnostic, ...], method: Callable, *draws, **options) -> Estimate:
    """The estimate of a method from the draws of a run with these warnings; NaN where it refuses them.

    A trapezoid rule that is off by less than a tenth of a nat is not warned of here.
    """
    try:
        result = method(*draws, **options)
    except ValueError as refusal:
        return Estimate(np.nan, np.nan, (Diagnostic("no answer", f"no answer: {refusal}"), *warnings))
    fine = getattr(result, "rule_error", np.inf) <= 0.1
    found = [warning for warning in result.warnings if not (fine and warning.kind == "coarse rule")]
    return replace(result.estimate, warnings=(*found, *warnings))


def tempered_sampling(problem: Problem, sweeps: int, rng: np.random.Generator, n_rungs: int = N_RUNGS) -> list[Report]:
    """One run of tempered sampling, read by RTS, MBAR, and thermodynamic integration with and without RB.

    Chains are annealed up the ladder once. Half of the other sweeps are initial rounds, ten at most, by which RTS finds
    its Ẑ; then Ẑ is held.
    """
    schedule, path, n_chains = linear_schedule(n_rungs - 1), problem.path, N_CHAINS // 2
    n_sweeps = max(2, sweeps // n_chains - (n_rungs - 1))
    n_initial = min(10, n_sweeps // 2)
    each = n_sweeps // (2 * n_initial)
    *_, last = islice(rts_rounds(path, schedule, n_initial, each, n_chains, rng=rng), n_initial)
    log_z = last.corrected_log_z
    walk = tempered_walk(ladder_on(path, schedule), log_z, last.x, last.rungs, rng)
    x, k, log_q = (np.array(each) for each in zip(*islice(walk, n_sweeps - n_initial * each), strict=True))
    run = round_of(log_z, np.logaddexp.reduce(log_q).T, np.array([last.rungs, *k]).T, x[-1])
    log_q = np.concatenate(log_q, axis=-1)
    order, counts = by_rungs(k.ravel(), n_rungs)
    slopes = log_density_slopes(path, schedule, np.concatenate(x))[:, order]
    draws = (log_q + log_z[:, None])[:, order], counts  # log f up to a term of x, which cancels in ratios
    labels = {"chains": np.tile(np.arange(n_chains), len(x))[order], "start_log_z": problem.start.log_z()}
    integrate = partial(_read, run.warnings, thermodynamic_integration, *draws, schedule, slopes, **labels)
    found = {
        "RTS": run.estimate,
        "MBAR, same run": _read(run.warnings, mbar, *draws, **labels),
        "TI, same run": integrate(),
        "RB-TI, same run": integrate(rao_blackwellized=True, log_z=log_z),
    }
    sweeps = (n_rungs - 1 + n_sweeps) * n_chains
    return [_report(name, estimate, NEITHER, sweeps, 2 * sweeps) for name, estimate in found.items()]


ESTIMATORS: tuple[Callable[..., list[Report]], ...] = (
    importance_sampling,
    geometric_ais,
    spline_ais,
    reverse_from_exact,
    reverse_from_chains,
    reverse_from_data,
    raise_estimate,
    tempering,
    tempered_sampling,
)


def timed(estimator: Callable[..., list[Report]], problem: Problem, sweeps: int, rng, **settings) -> list[Report]:
    """Reports of one estimator, with the seconds that its run and all its readings took together."""
    begin = time.perf_counter()
    reports = estimator(problem, sweeps, rng, **settings)
    seconds = time.perf_counter() - begin
    return [replace(report, seconds=seconds) for report in reports]
