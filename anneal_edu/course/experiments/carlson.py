"""Carlson, Stinson, Pakman and Paninski (2016): the poster's figures on an RBM with 500 hidden units.

The digits are scikit-learn's in a frame of 28×28; the reference value, of which there is no exact one at this size, is
a long sandwich of forward and reverse AIS.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path as File

import numpy as np

from anneal_edu.annealing.ais import AISResult, ais
from anneal_edu.annealing.reverse import ReverseAISResult, Sandwich, raise_log_likelihood, sandwich
from anneal_edu.course.experiments import grosse_large
from anneal_edu.course.experiments.kept_rows import file_name, run_rows
from anneal_edu.course.experiments.reweighting import by_rungs
from anneal_edu.course.experiments.workers import one_blas_thread
from anneal_edu.data import digits
from anneal_edu.distributions import JointRBM, base_rate_rbm
from anneal_edu.kernels import gibbs
from anneal_edu.paths.geometric import Path, geometric_path
from anneal_edu.paths.rungs import rungs_on
from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.reweighting.density_matrix import log_density_slopes
from anneal_edu.reweighting.integration import thermodynamic_integration
from anneal_edu.reweighting.mbar import mbar
from anneal_edu.tempering.rts import RTSResult, rts, rts_rounds
from anneal_edu.tempering.simulated import tempered_walk


@dataclass(frozen=True)
class Scale:
    """How large the experiments are.

    Attributes
    ----------
    model : str
        Scale of `grosse_large` whose PCD model is taken.
    budgets : tuple of int
        Gibbs sweeps a chain, of 100 chains in all estimators.
    n_rungs, n_seeds, n_reference : int
        Rungs of RTS; runs of every estimator; steps of the reference sandwich, of 200 chains.
    rungs, n_rung_seeds : tuple of int, int
        Numbers of rungs that are compared, each at the second-largest budget; runs of each.
    n_updates, every, n_sweeps : int
        Training that is tracked; updates between two looks; sweeps a look.
    """

    model: str
    budgets: tuple[int, ...]
    n_rungs: int
    n_seeds: int
    n_reference: int
    rungs: tuple[int, ...]
    n_rung_seeds: int
    n_updates: int
    every: int
    n_sweeps: int


N_CHAINS = 100
N_REFERENCE_CHAINS = 200
SWEEPS_A_ROUND = 50

SCALES = {
    "tiny": Scale("tiny", (100, 300, 600), 10, 2, 500, (5, 10), 2, 240, 80, 5),
    "quick": Scale("quick", (100, 250, 500, 1000, 2500), 100, 5, 10_000, (10, 20, 50, 100), 4, 3000, 50, 25),
}


@dataclass(frozen=True)
class Estimate:
    """One estimate of log Z, in nats: by whom, from how many sweeps or rungs, with which seed, and how far off."""

    estimator: str
    setting: int
    seed: int
    log_z: float
    std_error: float
    reference: float

    def __str__(self) -> str:
        return (
            f"{self.estimator:9}{self.setting:6} seed {self.seed}: log Ẑ {self.log_z:9.3f} ± {self.std_error:6.3f}, "
            f"off by {self.log_z - self.reference:+7.3f}"
        )


def path_to_model(scale: Scale, seed: int, folder: File | None) -> Path:
    """The geometric path from the base rates of the digits to the PCD model of Table 2 of Grosse et al."""
    large = grosse_large.SCALES[scale.model]
    rbm = grosse_large.trained_model(large, "PCD", seed, folder)
    return geometric_path(base_rate_rbm(digits(large.size), rbm.n_hidden), rbm)


def reference(path: Path, n_steps: int, rng: np.random.Generator) -> Sandwich:
    """The bounds that stand for the truth."""
    return sandwich(path, linear_schedule(n_steps), N_REFERENCE_CHAINS, n_burn_in=n_steps // 10, rng=rng)


def raise_log_z(path: Path, n_steps: int, data: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    """log Ẑ as RAISE has it: mean over data of log f(v) - log p̂(v), one chain for each; and its standard error."""
    v = data[rng.choice(len(data), size=N_CHAINS, replace=False)]
    difference = path(1.0).log_density(v) - raise_log_likelihood(path, linear_schedule(n_steps), v, 1, rng=rng)
    return float(difference.mean()), float(difference.std(ddof=1) / np.sqrt(N_CHAINS))


def rounds_within(budget: int, n_rungs: int) -> int:
    """Rounds of RTS that fit into so many sweeps, of which the first n_rungs go up the ladder."""
    return max(0, budget - n_rungs) // SWEEPS_A_ROUND


@dataclass(frozen=True)
class Run:
    """What the estimators of one run found: name, sweeps or rungs, log Ẑ and standard error of each."""

    found: list[tuple[str, int, float, float]]

    def estimates(self, run: int, truth: float) -> list[Estimate]:
        """One a line, beside the reference value."""
        return [Estimate(name, setting, run, *result, truth) for name, setting, *result in self.found]


def convergence(
    scale: Scale,
    seed: int = 0,
    folder: File | None = None,
    report: Callable = print,
    executor: Executor | None = None,
) -> tuple[Sandwich, list[Estimate]]:
    """Mean and RMSE of log Ẑ against Gibbs sweeps, for RTS, AIS and RAISE with 100 chains; and the reference.

    RTS anneals once up its ladder, spends at most 5 rounds of 50 sweeps on Ẑ_k, then holds it; all of this counts. It
    is there twice: on states v, and on states (v, h), see `JointRBM`. AIS and RAISE make one step a sweep. The
    reference and each finished run are kept in the folder, and not made again.
    """
    path = path_to_model(scale, seed, folder)
    known = _kept_reference(path, scale, seed, folder, report)
    wanted = [(path, scale, seed, run) for run in range(scale.n_seeds)]
    settings = scale.model, scale.budgets, scale.n_rungs
    rows = _estimates(convergence_run, wanted, settings, known, executor, folder, report)
    return known, rows


def convergence_run(path: Path, scale: Scale, seed: int, run: int) -> Run:
    """One run of every estimator with every budget."""
    over_both_layers = geometric_path(JointRBM(path.start), JointRBM(path.end))
    data = digits(grosse_large.SCALES[scale.model].size)
    with one_blas_thread():
        rng = np.random.Generator(np.random.SFC64([seed, 2, run]))
        found = [("RTS", *estimate) for estimate in tempered(path, scale, rng)]
        for budget in scale.budgets:
            result = ais(path, linear_schedule(budget), N_CHAINS, rng=rng)
            found.append(("AIS", budget, result.log_z, result.std_error))
            found.append(("RAISE", budget, *raise_log_z(path, budget, data, rng)))
        rng = np.random.Generator(np.random.SFC64([seed, 7, run]))
        return Run(found + [("RTS, (v, h)", *estimate) for estimate in tempered(over_both_layers, scale, rng)])


def _kept_reference(path: Path, scale: Scale, seed: int, folder: File | None, report: Callable) -> Sandwich:
    def make(path, n_steps, seed):
        with one_blas_thread():
            return reference(path, n_steps, np.random.default_rng([seed, 1]))

    def read(row):
        forward, reverse = (
            kind(np.array(row[name]["log_weights"]), np.array(row[name]["samples"]), row[name]["bootstrap_seed"])
            for name, kind in (("forward", AISResult), ("reverse", ReverseAISResult))
        )
        return Sandwich(forward, reverse, row["draws"])

    file_of = partial(_file_of, "reference", (scale.model,))
    (known,) = run_rows(make, [(path, scale.n_reference, seed)], read, file_of, None, folder, report)
    return known


def _estimates(make, wanted, settings, known: Sandwich, executor, folder, report) -> list[Estimate]:
    """The rows of every run; ``settings`` are those of its scale that a run depends on."""
    truth, rows, runs = (known.lower + known.upper) / 2, [], iter(wanted)

    def add(found: Run):
        _path, _scale, _seed, run, *_ = next(runs)
        for row in found.estimates(run, truth):
            rows.append(row)
            report(row)

    file_of = partial(_file_of, make.__name__, settings)
    run_rows(make, wanted, lambda row: Run(**row), file_of, executor, folder, add)
    return rows


def _file_of(name: str, settings: tuple, path: Path, *arguments) -> str:
    """Another model, such as one that was trained on another processor, has other files."""
    digest = hashlib.sha256(repr(settings).encode())
    for array in path.end.natural_parameters():
        digest.update(np.ascontiguousarray(array).tobytes())
    numbers = [argument for argument in arguments if not isinstance(argument, Scale)]
    return file_name(f"carlson-{name.replace('_', '-')}", digest.hexdigest()[:12], *numbers)


def tempered(path: Path, scale: Scale, rng: np.random.Generator) -> Iterator[tuple[int, float, float]]:
    """Budget, log Ẑ and standard error of one run of RTS, stopped at every budget that leaves it a round."""
    rounds = rts_rounds(path, linear_schedule(scale.n_rungs), 5, SWEEPS_A_ROUND, N_CHAINS, rng=rng)
    n_rounds = {rounds_within(budget, scale.n_rungs): budget for budget in scale.budgets}
    for index, done in enumerate(islice(rounds, max(n_rounds)), start=1):
        if index in n_rounds:
            yield n_rounds[index], float(done.log_z[-1]), float(done.std_error[-1])


def repeated(n_sweeps: int) -> Callable:
    """Gibbs, n_sweeps times over, as one kernel."""

    def sweeps(distribution, x, rng):
        for _ in range(n_sweeps):
            x = gibbs(distribution, x, rng)
        return x

    return sweeps


def number_of_rungs(
    scale: Scale,
    seed: int = 0,
    folder: File | None = None,
    report: Callable = print,
    executor: Executor | None = None,
) -> list[Estimate]:
    """Error against the number of rungs, at a fixed number of sweeps: RTS, MBAR, TI, Rao-Blackwellised TI and AIS.

    The middle three get every tenth state of simulated tempering: half of the sweeps find its Ẑ_k and where its chains
    begin, by RTS, the other half are walked at this Ẑ_k. AIS spends its sweeps evenly on its steps. The reference and
    each finished run are kept in the folder, and not made again.
    """
    path = path_to_model(scale, seed, folder)
    known = _kept_reference(path, scale, seed, folder, report=lambda _known: None)
    wanted = [(path, scale, seed, run, K) for run in range(scale.n_rung_seeds) for K in scale.rungs]
    return _estimates(rungs_run, wanted, (scale.model, scale.budgets[-2]), known, executor, folder, report)


def rungs_run(path: Path, scale: Scale, seed: int, run: int, K: int) -> Run:
    """One run of every estimator with K pairs of rungs."""
    budget, schedule = scale.budgets[-2], linear_schedule(K)
    rng = np.random.Generator(np.random.SFC64([seed, 3, run, K]))
    with one_blas_thread():
        whole = rts(path, schedule, rounds_within(budget, K), SWEEPS_A_ROUND, N_CHAINS, rng=rng)
        half = rts(path, schedule, rounds_within(budget // 2, K), SWEEPS_A_ROUND, N_CHAINS, rng=rng)
        others = [(name, K, *found) for name, *found in from_one_matrix(path, half, budget // 2, rng)]
        annealed = ais(path, schedule, N_CHAINS, repeated(max(1, budget // K)), rng=rng)
    first = "RTS", K, float(whole.log_z[-1]), float(whole.std_error[-1])
    return Run([first, *others, ("AIS", K, annealed.log_z, annealed.std_error)])


def from_one_matrix(path: Path, found: RTSResult, n_sweeps: int, rng: np.random.Generator, every: int = 10):
    """MBAR, TI and Rao-Blackwellised TI on draws of simulated tempering that goes on from a run of RTS.

    Yields name, log Ẑ and standard error, the latter as if the draws were independent.
    """
    schedule, log_z, last = found.schedule, found.log_z, found.final
    walk = tempered_walk(rungs_on(path, schedule), log_z, last.x, last.rungs, rng=rng)
    states = list(islice(walk, every - 1, n_sweeps, every))
    order, counts = by_rungs(np.concatenate([state.rungs for state in states]), len(schedule))
    x = np.concatenate([state.x for state in states])[order]
    log_q = np.concatenate([state.log_conditionals for state in states], axis=1)[:, order]
    log_f = log_q + log_z[:, None]  # up to a constant of each draw, which no ratio feels
    start = float(log_z[0])
    try:
        found = mbar(log_f, counts)
        yield "MBAR", start + float(found.log_z[-1]), float(found.std_error[-1])
    except ValueError:  # no overlap: it says that it cannot know
        yield "MBAR", np.nan, np.nan
    slopes = log_density_slopes(path, schedule, x)
    if (counts > 0).all():
        found = thermodynamic_integration(log_f, counts, schedule, slopes)
        yield "TI", start + float(found.log_z[-1]), float(found.std_error[-1])
    found = thermodynamic_integration(log_f, counts, schedule, slopes, rao_blackwellized=True, log_z=log_z)
    yield "RB-TI", start + float(found.log_z[-1]), float(found.std_error[-1])
