"""Carlson et al. 2016, "Example" and "Robustness": the poster's figures on an RBM with 500 hidden units.

The digits are scikit-learn's in a frame of 28×28; the reference value, of which there is no exact one at this size, is
a long sandwich of forward and reverse AIS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice, product

import numpy as np

from anneal_edu.annealing.ais import ais
from anneal_edu.annealing.reverse import Sandwich, sandwich
from anneal_edu.course.experiments import grosse_large
from anneal_edu.course.experiments.estimators import log_z_by_raise
from anneal_edu.course.experiments.kept import HERE, Run
from anneal_edu.distributions import BinaryRBM, JointRBM, base_rate_rbm
from anneal_edu.kernels import gibbs
from anneal_edu.paths.geometric import Path, geometric_path
from anneal_edu.paths.ladder import ladder_on
from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.reweighting.density_matrix import log_density_slopes
from anneal_edu.reweighting.integration import thermodynamic_integration
from anneal_edu.reweighting.mbar import mbar
from anneal_edu.reweighting.over_chains import by_rungs
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
    n_tracks : int
        How often each training is tracked, with new chains.
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
    n_tracks: int = 1


N_CHAINS = 100
N_REFERENCE_CHAINS = 200
SWEEPS_A_ROUND = 50

SCALES = {
    "tiny": Scale("tiny", (100, 300, 600), 10, 2, 500, (5, 10), 2, 240, 80, 5),
    "quick": Scale("quick", (100, 250, 500, 1000, 2500), 100, 5, 10_000, (10, 20, 50, 100), 4, 3000, 50, 25),
    "full": Scale("full", (100, 250, 500, 1000, 2500), 100, 20, 50_000, (10, 20, 50, 100), 20, 3000, 50, 25, 20),
}
"""Seconds; from a quarter of an hour to three quarters each; twenty runs of everything, from a longer sandwich."""


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


@dataclass(frozen=True)
class Reference:
    """The long sandwich that stands for the truth: its ends, their standard errors, and where its reverse run began."""

    lower: float
    upper: float
    draws: str
    lower_error: float
    upper_error: float

    @property
    def middle(self) -> float:
        """What estimates are compared with."""
        return (self.lower + self.upper) / 2

    def __str__(self) -> str:
        return (
            f"log Z between {self.lower:.3f} ± {self.lower_error:.3f} (forward) and {self.upper:.3f} ± "
            f"{self.upper_error:.3f} (reverse, from {self.draws})"
        )


def path_to_model(scale: Scale, run: Run) -> Path:
    """The geometric path from the base rates of the digits to the PCD model of Grosse et al., Table 2, or to yours."""
    large = grosse_large.SCALES[scale.model]
    ((_, rbm),) = run.models(["PCD"], partial(grosse_large.trained_model, large, run))
    return path_from(grosse_large.data_of(large, run), rbm)


def path_from(data: np.ndarray, rbm: BinaryRBM) -> Path:
    """The geometric path from the base rates of the data."""
    return geometric_path(base_rate_rbm(data, rbm.n_hidden), rbm)


def long_sandwich(path: Path, n_steps: int, rng: np.random.Generator) -> Sandwich:
    """The bounds that stand for the truth."""
    return sandwich(path, linear_schedule(n_steps), N_REFERENCE_CHAINS, n_burn_in=n_steps // 10, rng=rng)


def reference(path: Path, n_steps: int, seed: int) -> Reference:
    """The ends of a `long_sandwich`."""
    found = long_sandwich(path, n_steps, np.random.default_rng([seed, 1]))
    return Reference(found.lower, found.upper, found.draws, found.forward.std_error, found.reverse.std_error)


def rounds_within(budget: int, n_rungs: int) -> int:
    """Rounds of RTS that fit into so many sweeps, of which the first n_rungs go up the ladder."""
    return max(0, budget - n_rungs) // SWEEPS_A_ROUND


def _estimates(work: str, make: Callable, wanted: list[tuple], known: Reference, run: Run) -> list[Estimate]:
    """The rows of every repetition, whose number is the fourth argument; they are reported one by one."""
    rows = []
    for arguments, found in zip(wanted, run.each(work, make, wanted), strict=True):
        for name, setting, *result in found:
            rows.append(Estimate(name, setting, arguments[3], *result, known.middle))
            run.report(rows[-1])
    return rows


def _reference(path: Path, scale: Scale, run: Run) -> Reference:
    return run.once("carlson-reference", reference, (path, scale.n_reference, run.seed), Reference)


def convergence(scale: Scale, run: Run = HERE) -> list[Reference | Estimate]:
    """Carlson et al. 2016: log Ẑ of an RBM with 500 hidden units against Gibbs sweeps, for RTS, AIS and RAISE.

    All have 100 chains; the reference is the first row. RTS anneals once up its ladder, spends at most 5 rounds of 50
    sweeps on Ẑ_k, then holds it; all of this counts. It is there twice: on states v, and on states (v, h), see
    `JointRBM`. AIS and RAISE make one step a sweep.
    """
    path, data = path_to_model(scale, run), grosse_large.data_of(grosse_large.SCALES[scale.model], run)
    known = _reference(path, scale, run)
    run.report(known)
    wanted = [(path, data, run.seed, i, scale.budgets, scale.n_rungs) for i in range(scale.n_seeds)]
    return [known, *_estimates("carlson-convergence-run", convergence_run, wanted, known, run)]


def convergence_run(path: Path, data: np.ndarray, seed: int, run: int, budgets: tuple[int, ...], n_rungs: int) -> list:
    """One run of every estimator with every budget: name, sweeps, log Ẑ and standard error of each."""
    rng = np.random.Generator(np.random.SFC64([seed, 2, run]))
    found = [("RTS", *estimate) for estimate in tempered(path, budgets, n_rungs, rng)]
    for budget in budgets:
        found.append(annealed(path, budget, rng))
        v = data[rng.choice(len(data), size=min(N_CHAINS, len(data)), replace=False)]
        found.append(("RAISE", budget, *log_z_by_raise(path, linear_schedule(budget), v, 1, rng)))
    rng = np.random.Generator(np.random.SFC64([seed, 7, run]))
    return found + tempered_over_both_layers(path, budgets, n_rungs, rng)


def tempered(path: Path, budgets: tuple[int, ...], n_rungs: int, rng: np.random.Generator) -> Iterator[tuple]:
    """Budget, log Ẑ and standard error of one run of RTS, stopped at every budget that leaves it a round."""
    rounds = rts_rounds(path, linear_schedule(n_rungs), 5, SWEEPS_A_ROUND, N_CHAINS, rng=rng)
    n_rounds = {rounds_within(budget, n_rungs): budget for budget in budgets}
    for index, done in enumerate(islice(rounds, max(n_rounds)), start=1):
        if index in n_rounds:
            yield n_rounds[index], float(done.log_z[-1]), float(done.std_error[-1])


def tempered_over_both_layers(
    path: Path, budgets: tuple[int, ...], n_rungs: int, rng: np.random.Generator
) -> list[tuple]:
    """The same with states (v, h): name, budget, log Ẑ and standard error."""
    joint = geometric_path(JointRBM(path.start), JointRBM(path.end))
    return [("RTS, (v, h)", *estimate) for estimate in tempered(joint, budgets, n_rungs, rng)]


def annealed(path: Path, budget: int, rng: np.random.Generator) -> tuple:
    """Name, budget, log Ẑ and standard error of one run of AIS with a step a sweep."""
    result = ais(path, linear_schedule(budget), N_CHAINS, rng=rng)
    return "AIS", budget, result.log_z, result.std_error


def repeats(scale: Scale, run: Run = HERE) -> list[Reference | Estimate]:
    """Carlson et al. 2016: RTS on states (v, h) against AIS, four times as many runs of these two alone.

    The reference is the first row.
    """
    path = path_to_model(scale, run)
    known = _reference(path, scale, run)
    run.report(known)
    budgets = tuple(budget for budget in scale.budgets if rounds_within(budget, scale.n_rungs))
    wanted = [(path, scale.n_rungs, run.seed, i, budgets) for i in range(4 * scale.n_seeds)]
    return [known, *_estimates("carlson-repeats-run", repeats_run, wanted, known, run)]


def repeats_run(path: Path, n_rungs: int, seed: int, run: int, budgets: tuple[int, ...]) -> list:
    """One run of RTS, stopped at every budget, and one of AIS for each: name, sweeps, log Ẑ and standard error."""
    rng = np.random.Generator(np.random.SFC64([seed, 8, run]))
    found = tempered_over_both_layers(path, budgets, n_rungs, rng)
    return found + [annealed(path, budget, rng) for budget in budgets]


def repeated(n_sweeps: int) -> Callable:
    """Gibbs, n_sweeps times over, as one kernel."""

    def sweeps(distribution, x, rng):
        for _ in range(n_sweeps):
            x = gibbs(distribution, x, rng)
        return x

    return sweeps


def number_of_rungs(scale: Scale, run: Run = HERE) -> list[Estimate]:
    """Carlson et al. 2016: error against the number of temperatures, for RTS, MBAR, TI, RB-TI and AIS.

    All have the same number of sweeps. The middle three get every tenth state of simulated tempering: half of the
    sweeps find its Ẑ_k and where its chains begin, by RTS, the other half are walked at this Ẑ_k. AIS spends its sweeps
    evenly on its steps.
    """
    path = path_to_model(scale, run)
    known = _reference(path, scale, run)
    repeats = product(range(scale.n_rung_seeds), scale.rungs)
    wanted = [(path, scale.budgets[-2], run.seed, i, K) for i, K in repeats]
    return _estimates("carlson-rungs-run", rungs_run, wanted, known, run)


def rungs_run(path: Path, budget: int, seed: int, run: int, K: int) -> list:
    """One run of every estimator with K pairs of rungs: name, rungs, log Ẑ and standard error of each."""
    schedule, rng = linear_schedule(K), np.random.Generator(np.random.SFC64([seed, 3, run, K]))
    whole = rts(path, schedule, rounds_within(budget, K), SWEEPS_A_ROUND, N_CHAINS, rng=rng)
    half = rts(path, schedule, rounds_within(budget // 2, K), SWEEPS_A_ROUND, N_CHAINS, rng=rng)
    others = [(name, K, *found) for name, *found in from_one_matrix(path, half, budget // 2, rng)]
    result = ais(path, schedule, N_CHAINS, repeated(max(1, budget // K)), rng=rng)
    first = "RTS", K, float(whole.log_z[-1]), float(whole.std_error[-1])
    return [first, *others, ("AIS", K, result.log_z, result.std_error)]


def from_one_matrix(path: Path, found: RTSResult, n_sweeps: int, rng: np.random.Generator, every: int = 10):
    """MBAR, TI and Rao-Blackwellised TI on draws of simulated tempering that goes on from a run of RTS.

    Yields name, log Ẑ and standard error, the latter as if the draws were independent.
    """
    schedule, log_z = found.schedule, found.log_z
    walk = tempered_walk(ladder_on(path, schedule), log_z, found.x, found.rungs, rng)
    x, rungs, log_q = zip(*islice(walk, every - 1, n_sweeps, every), strict=True)
    order, counts = by_rungs(np.concatenate(rungs), len(schedule))
    x, log_q = np.concatenate(x)[order], np.concatenate(log_q, axis=1)[:, order]
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
