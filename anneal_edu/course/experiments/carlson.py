"""Carlson et al. 2016, "Example", "Robustness" and "Tracking": the poster's figures on an RBM with 500 hidden units.

The digits are scikit-learn's in a frame of 28×28. At this size no log Z is known exactly: the reference is a long
sandwich of forward and reverse AIS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice, product
from time import perf_counter

import numpy as np

from anneal_edu.annealing.ais import ais
from anneal_edu.annealing.reverse import Sandwich, sandwich
from anneal_edu.course.experiments import grosse_large
from anneal_edu.course.experiments.estimators import log_z_by_raise
from anneal_edu.course.experiments.run import HERE, Run, experiment
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
from anneal_edu.training import contrastive_divergence, track_log_likelihood
from anneal_edu.workers import one_blas_thread

N_CHAINS = 100
N_REFERENCE_CHAINS = 200
SWEEPS_A_ROUND = 50

_QUICK = {
    "model": "quick", "budgets": (100, 250, 500, 1000, 2500), "n_rungs": 100, "n_seeds": 5, "n_reference": 10_000,
    "rungs": (10, 20, 50, 100), "n_rung_seeds": 4, "n_updates": 3000, "every": 50, "n_sweeps": 25, "n_tracks": 1,
}  # fmt: skip
SCALES = {
    "tiny": {
        "model": "tiny", "budgets": (100, 300, 600), "n_rungs": 10, "n_seeds": 2, "n_reference": 500,
        "rungs": (5, 10), "n_rung_seeds": 2, "n_updates": 240, "every": 80, "n_sweeps": 5, "n_tracks": 1,
    },
    "quick": _QUICK,
    "full": _QUICK | {"model": "full", "n_seeds": 20, "n_reference": 50_000, "n_rung_seeds": 20, "n_tracks": 20},
}  # fmt: skip
"""Seconds; from a quarter of an hour to three quarters each; twenty runs of everything, from a longer sandwich.

model is the scale of `grosse_large` whose PCD model is taken; budgets are Gibbs sweeps per chain, n_rungs rungs of RTS,
n_seeds runs of every estimator, n_reference steps of the reference. rungs are compared at the second-largest budget, by
n_rung_seeds runs of each. The last four are of `tracking`: updates of the training and between two looks,
sweeps per look, and how often each training is tracked, with new chains."""

_COLUMNS = "estimator:12s setting:d seed:d log_z:.3f std_error:.3f reference:.3f"
_WITH_REFERENCE = f"{_COLUMNS} lower:.3f upper:.3f draws:12s"


def path_to_model(scale: dict, run: Run) -> Path:
    """The geometric path from the base rates of the digits to the PCD model of Grosse et al., or to the given one."""
    large = grosse_large.SCALES[scale["model"]]
    ((_, rbm),) = run.models(["PCD"], partial(grosse_large.trained_model, large, run))
    return path_from(grosse_large.data_of(large, run), rbm)


def path_from(data: np.ndarray, rbm: BinaryRBM) -> Path:
    """The geometric path from the base rates of the data."""
    return geometric_path(base_rate_rbm(data, rbm.n_hidden), rbm)


def long_sandwich(path: Path, n_steps: int, rng: np.random.Generator) -> Sandwich:
    """The bounds that stand for the truth."""
    return sandwich(path, linear_schedule(n_steps), N_REFERENCE_CHAINS, n_burn_in=n_steps // 10, rng=rng)


def reference(path: Path, n_steps: int, seed: int) -> dict:
    """The ends of a `long_sandwich`, their standard errors, and where its reverse run began."""
    found = long_sandwich(path, n_steps, np.random.default_rng([seed, 1]))
    ends = {"lower": found.lower, "upper": found.upper, "draws": found.draws}
    return ends | {"lower_error": found.forward.std_error, "upper_error": found.reverse.std_error}


def rounds_within(budget: int, n_rungs: int) -> int:
    """Rounds of RTS that fit into so many sweeps, of which the first n_rungs go up the ladder."""
    return max(0, budget - n_rungs) // SWEEPS_A_ROUND


def _estimates(make: Callable, wanted: list[tuple], known: dict, run: Run) -> Iterator[dict]:
    """The rows of every repetition, whose number is the fourth argument."""
    middle = (known["lower"] + known["upper"]) / 2
    for arguments, found in zip(wanted, run.each(make, wanted), strict=True):
        for name, setting, log_z, std_error in found:
            row = {"estimator": name, "setting": setting, "seed": arguments[3]}
            yield row | {"log_z": log_z, "std_error": std_error, "reference": middle}


@experiment("carlson-convergence", _WITH_REFERENCE, **SCALES)
def convergence(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """Carlson et al. 2016: log Ẑ of an RBM with 500 hidden units against Gibbs sweeps, for RTS, AIS and RAISE.

    All have 100 chains; the reference is the first row. RTS anneals once up its ladder, spends at most 5 rounds of 50
    sweeps on Ẑ_k, then holds it; all of this counts. It is there twice: on states v, and on states (v, h), see
    `JointRBM`. AIS and RAISE make one step per sweep.
    """
    path, data = path_to_model(scale, run), grosse_large.data_of(grosse_large.SCALES[scale["model"]], run)
    known = run.once(reference, path, scale["n_reference"], run.seed)
    yield known
    wanted = [(path, data, run.seed, i, scale["budgets"], scale["n_rungs"]) for i in range(scale["n_seeds"])]
    yield from _estimates(convergence_run, wanted, known, run)


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
    """Name, budget, log Ẑ and standard error of one run of AIS with one step per sweep."""
    result = ais(path, linear_schedule(budget), N_CHAINS, rng=rng)
    return "AIS", budget, result.log_z, result.std_error


@experiment("carlson-repeats", _WITH_REFERENCE, **SCALES)
def repeats(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """Carlson et al. 2016: RTS on states (v, h) against AIS, four times as many runs of these two alone.

    The reference is the first row.
    """
    path = path_to_model(scale, run)
    known = run.once(reference, path, scale["n_reference"], run.seed)
    yield known
    budgets = tuple(budget for budget in scale["budgets"] if rounds_within(budget, scale["n_rungs"]))
    wanted = [(path, scale["n_rungs"], run.seed, i, budgets) for i in range(4 * scale["n_seeds"])]
    yield from _estimates(repeats_run, wanted, known, run)


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


@experiment("carlson-rungs", _COLUMNS, **SCALES)
def number_of_rungs(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """Carlson et al. 2016: error against the number of temperatures, for RTS, MBAR, TI, RB-TI and AIS.

    All have the same number of sweeps. The middle three get every tenth state of simulated tempering: half of the
    sweeps find its Ẑ_k and where its chains begin, by RTS, the other half are walked at this Ẑ_k. AIS spends its sweeps
    evenly on its steps.
    """
    path = path_to_model(scale, run)
    known = run.once(reference, path, scale["n_reference"], run.seed)
    budget, repeats = scale["budgets"][-2], product(range(scale["n_rung_seeds"]), scale["rungs"])
    return _estimates(rungs_run, [(path, budget, run.seed, i, K) for i, K in repeats], known, run)


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
    log_f = log_q + log_z[:, None]  # up to a constant of each draw, which cancels in ratios
    start = float(log_z[0])
    try:
        found = mbar(log_f, counts)
        yield "MBAR", start + float(found.log_z[-1]), float(found.std_error[-1])
    except ValueError:  # no overlap
        yield "MBAR", np.nan, np.nan
    slopes = log_density_slopes(path, schedule, x)
    if (counts > 0).all():
        found = thermodynamic_integration(log_f, counts, schedule, slopes)
        yield "TI", start + float(found.log_z[-1]), float(found.std_error[-1])
    found = thermodynamic_integration(log_f, counts, schedule, slopes, rao_blackwellized=True, log_z=log_z)
    yield "RB-TI", start + float(found.log_z[-1]), float(found.std_error[-1])


RUNS = ((1, False), (1, True), (5, True))
"""By how much the training is slower and longer than the recipe, and whether tempered chains are on both layers."""

N_JUDGED = 2000
"""Images of either kind, at most, over which a look averages: 60,000 would cost more than the tempered chains."""


class Stopwatch:
    """Seconds spent in making what an iterator yields."""

    def __init__(self, iterator):
        self.iterator, self.seconds = iter(iterator), 0.0

    def __iter__(self):
        return self

    def __next__(self):
        begin = perf_counter()
        try:
            return next(self.iterator)
        finally:
            self.seconds += perf_counter() - begin


@experiment(
    "carlson-tracking",
    "learning_rate:g both_layers: n_updates:d train:.2f validation:.2f log_z:.2f std_error:.2f lower:.2f upper:.2f "
    "annealed:.2f repeat:d",
    refuses={
        "progress": "each row is printed as soon as it is there",
        "model": "it trains its models",
        "workers": "the one training that is tracked goes on step after step",
        "folder": "nothing is kept, as a training cannot be resumed half way",
    },
    **SCALES,
)
def tracking(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """Carlson et al. 2016: train and validation log likelihood, tracked by RTS while PCD learns.

    As in the table of large RBMs the model is trained on the digits, or on given images; here every fifth of them is
    held out. The training is tracked on states v, then once more on states (v, h); then one that learns five times more
    slowly and five times as long. At six looks there are also a sandwich ("lower" and "upper") and AIS from nothing
    with the sweeps and chains of a look ("annealed"). Where a training is tracked again, by other chains, only these
    looks are rows, each with an AIS of its own.
    """
    large = grosse_large.SCALES[scale["model"]]
    recipe, data = large["training"]["PCD"], grosse_large.data_of(large, run)
    held_out = np.arange(len(data)) % 5 == 4
    train, validation = data[~held_out], data[held_out]

    def bounds_of(rbm: BinaryRBM, n_updates: int) -> tuple[float, float]:
        rng = np.random.default_rng([run.seed, 6, n_updates])
        found = long_sandwich(path_from(train, rbm), scale["n_reference"] // 5, rng)
        return found.lower, found.upper

    def annealed(rbm: BinaryRBM, n_updates: int, repeat: int) -> float:
        rng = np.random.default_rng([run.seed, 7, n_updates, repeat])
        return ais(path_from(train, rbm), linear_schedule(scale["n_sweeps"]), N_CHAINS, rng=rng).log_z

    known: dict[tuple, tuple] = {}
    with one_blas_thread():
        for (slower, both_layers), repeat in product(RUNS, range(scale["n_tracks"])):
            rate, n_updates = recipe["learning_rate"] / slower, slower * scale["n_updates"]
            states = contrastive_divergence(
                train, large["n_hidden"], "pcd", n_gibbs=recipe["n_gibbs"], n_updates=n_updates, learning_rate=rate,
                batch_size=recipe["batch_size"], rng=np.random.default_rng([run.seed, 4]),
            )  # fmt: skip
            training, rng = Stopwatch(states), np.random.Generator(np.random.SFC64([run.seed, 5, repeat]))
            looks = Stopwatch(track_log_likelihood(
                training, train[:N_JUDGED], validation[:N_JUDGED], scale["every"], scale["n_sweeps"], N_CHAINS,
                linear_schedule(scale["n_rungs"]), both_layers=both_layers, rng=rng,
            ))  # fmt: skip
            for look in looks:
                seconds = looks.seconds - training.seconds, training.seconds
                lower = upper = from_nothing = None
                if look.n_updates % (n_updates // 6) == 0:
                    model = rate, look.n_updates
                    if model not in known:
                        known[model] = bounds_of(look.rbm, look.n_updates)
                    lower, upper = known[model]
                    from_nothing = annealed(look.rbm, look.n_updates, repeat)
                elif repeat > 0:
                    continue
                yield {
                    "learning_rate": rate,
                    "both_layers": both_layers,
                    "n_updates": look.n_updates,
                    "log_z": look.log_z,
                    "std_error": look.std_error,
                    "train": look.train,
                    "validation": look.validation,
                    "lower": lower,
                    "upper": upper,
                    "annealed": from_nothing,
                    "tracking_seconds": seconds[0],
                    "training_seconds": seconds[1],
                    "repeat": repeat,
                }
