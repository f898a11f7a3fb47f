"""Grosse, Maddison and Salakhutdinov (2013), Section 5.2: RBMs that can be enumerated, on scikit-learn's digits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
from scipy.special import ndtr

from anneal_edu import models
from anneal_edu.annealing.ais import AISResult
from anneal_edu.course.experiments.blocks import ais_in_blocks
from anneal_edu.course.experiments.run import HERE, Run, experiment
from anneal_edu.data import digit_labels, digits
from anneal_edu.distributions import BinaryRBM, base_rate_rbm, uniform_rbm
from anneal_edu.kernels import Kernel, exact, gibbs
from anneal_edu.paths import schedules
from anneal_edu.paths.chain_moments import data_moments
from anneal_edu.paths.geometric import Path, geometric_path
from anneal_edu.paths.moment_matching import Moments
from anneal_edu.paths.splines import SplinePath, moment_spline_path
from anneal_edu.weights import larger_ess_p_value

SCHEDULES: dict[str, Callable[[Path, int], np.ndarray]] = {
    "linear": lambda path, n_steps: schedules.linear_schedule(n_steps),
    "optimal binned": partial(schedules.optimal_binned_schedule, n_bins=10),
}
TRANSITIONS: dict[str, Kernel] = {"Gibbs": gibbs, "perfect": exact}

_QUICK = {
    "models": ("digits28_pcd", "digits28_cd"), "n_steps": 1000, "n_chains": 1000, "block_size": 500,
    "curve": (10, 100), "perfect": (10, 100),
}  # fmt: skip
_MEDIUM = _QUICK | {"models": ("digits28_pcd20", "digits28_cd20")}
SCALES = {
    "tiny": {
        "models": ("digits8_cd",), "n_steps": 20, "n_chains": 50, "block_size": 25, "curve": (10,), "perfect": (5,),
    },
    "quick": _QUICK,
    "medium": _MEDIUM,
    "full": _MEDIUM | {"n_steps": 100_000, "n_chains": 5000, "curve": (10, 100, 1000, 10_000)},
}  # fmt: skip
"""A minute or two; the paper's 20 hidden units, whose exact knots take longer; the paper's size, which takes hours.

n_steps is the number of transitions K; curve has K of the points of Figure 3 with Gibbs transitions, before the last
one, which is n_steps, and perfect K of those with perfect transitions. These have the chains of one block, because each
step enumerates all hidden states."""

PAPER = {
    "PCD": {
        ("geometric", "linear"): (177.99, 204),
        ("geometric", "optimal binned"): (177.92, 142),
        ("MAS", "linear"): (178.09, 289),
        ("MAS", "optimal binned"): (178.08, 934),
    },
    "CD1": {
        ("geometric", "linear"): (279.60, 248),
        ("geometric", "optimal binned"): (279.51, 124),
        ("MAS", "linear"): (279.59, 2686),
        ("MAS", "optimal binned"): (279.60, 2619),
    },
}
"""The paper's Table 1: log Ẑ and ESS of 5,000 chains, K = 100,000, from the uniform start, on MNIST."""

PAPER_LOG_Z = {"PCD": 178.06, "CD1": 279.59}
"""The exact log Z of its models."""

_COLUMNS = "model:16s start:10s path:10s schedule:15s exact:.2f log_z:.3f std_error:.3f ess:.1f"


def starts(rbm: BinaryRBM, data: np.ndarray | None = None) -> dict[str, BinaryRBM]:
    """The two initial distributions of the paper: uniform, and the base rates of the data, or else of the digits."""
    data = digits(round(rbm.dim**0.5)) if data is None else data
    return {"uniform": uniform_rbm(rbm.dim, rbm.n_hidden), "base rate": base_rate_rbm(data, rbm.n_hidden)}


def biased_moments(rbm: BinaryRBM) -> Moments:
    """The paper's "highly biased moments": an image of digit i counts i + 1 times (footnote 2)."""
    return data_moments(rbm, np.repeat(digits(int(np.sqrt(rbm.dim))), digit_labels() + 1, axis=0))


def kept_spline(run: Run, p0: BinaryRBM, p1: BinaryRBM, target_moments: Moments | None = None) -> SplinePath:
    """A moment spline computed once for these ends and moments."""
    return run.once(_spline, p0, p1, target_moments)


def _spline(p0: BinaryRBM, p1: BinaryRBM, target_moments: Moments | None) -> SplinePath:
    return moment_spline_path(p0, p1, target_moments=target_moments)


def _anneal(
    scale: dict, run: Run, settings: Iterable[tuple[str, int, str]], model: str, rbm: BinaryRBM
) -> Iterator[tuple[dict, AISResult]]:
    """Rows and results of every (schedule, K, transitions) on every path; a spline's exact knots may take long."""
    for (start, p0), path_name in product(starts(rbm, run.images).items(), ("geometric", "MAS")):
        path = geometric_path(p0, rbm) if path_name == "geometric" else kept_spline(run, p0, rbm)
        for schedule, n_steps, transitions in settings:
            size = scale["block_size"]
            n_chains = scale["n_chains"] if transitions == "Gibbs" else min(size, scale["n_chains"])
            betas = SCHEDULES[schedule](path, n_steps)
            found = ais_in_blocks(path, betas, n_chains, run, size, TRANSITIONS[transitions])
            words = {"model": model, "start": start, "path": path_name, "schedule": schedule, "exact": rbm.log_z()}
            yield words | {name: getattr(found, name) for name in ("log_z", "std_error", "ess")}, found


@experiment("grosse-table1", _COLUMNS, exact=True, **SCALES)
def table_1(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """Grosse et al. 2013, Table 1: log Ẑ and ESS beside the exact log Z.

    The rows are {geometric, MAS} × {linear, binned} × {uniform, base rate}. A given model, one that can be enumerated,
    takes the place of the stored ones, and given images that of the digits. Rows are yielded before their p-values are
    known.
    """
    settings = [(schedule, scale["n_steps"], "Gibbs") for schedule in SCHEDULES]
    for name, rbm in run.models(scale["models"], models.load):
        yield from with_p_values(_anneal(scale, run, settings, name, rbm), "p_value", run.seed)


@experiment("grosse-figure3", f"transitions:8s n_steps:, {_COLUMNS}", exact=True, **SCALES)
def figure_3(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """Grosse et al. 2013, Figure 3: log Ẑ against K, with Gibbs and with perfect transitions.

    The curves are the rows of Table 1, "low" and "high" the bootstrap interval; where work is kept, the last points are
    those of that table.
    """
    settings = [*product(SCHEDULES, (*scale["curve"], scale["n_steps"]), ["Gibbs"])]
    settings += product(["linear"], scale["perfect"], ["perfect"])
    for name, rbm in run.models(scale["models"], models.load):
        points = _anneal(scale, run, settings, name, rbm)
        for (row, found), (_, n_steps, transitions) in zip(points, 4 * settings, strict=True):
            low, high = found.interval()
            yield row | {"transitions": transitions, "n_steps": n_steps, "low": low, "high": high}


def with_p_values(found: Iterable[tuple[dict, AISResult]], name: str, seed: int) -> Iterator[dict]:
    """Yield the rows of one model; after the last one each gets a p-value of its result, under that name.

    The p-value is of "the largest ESS of this model is not larger than that of this row": bold where at least 0.05.
    """
    rows, results = [], []
    for row, result in found:
        yield row
        rows.append(row)
        results.append(result)
    for row, p_value in zip(rows, ess_p_values(results, np.random.default_rng(seed)), strict=True):
        row[name] = p_value
    print("p-values, of an ESS as large as the largest of its model:", *(f"{row[name]:.3f}" for row in rows))


def ess_p_values(results: list[AISResult], rng: np.random.Generator) -> list[float]:
    """Each result compared with the one of the largest ESS by the paper's bootstrap test; that one itself gets 1."""
    best = max(results, key=lambda result: result.ess)
    return [
        1.0 if result is best else larger_ess_p_value(best.log_weights, result.log_weights, rng=rng)
        for result in results
    ]


@experiment(
    "grosse-biased-moments",
    "model:16s start:10s log_z_exact:.3f log_z_biased:.3f log_z_p_value:.3f ess_exact:.1f ess_biased:.1f "
    "ess_p_value:.3f",
    refuses=dict.fromkeys(("images", "model"), "its moments are biased by which digit an image shows"),
    **SCALES,
)
def compare_moments(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """Grosse et al. 2013, Section 5.2: MAS with accurate moments, and with highly biased ones (footnote 2)."""
    schedule = schedules.linear_schedule(scale["n_steps"])
    for name in scale["models"]:
        rbm = models.load(name)
        for start, p0 in starts(rbm).items():
            paths = {"exact": kept_spline(run, p0, rbm), "biased": kept_spline(run, p0, rbm, biased_moments(rbm))}
            row, results = {"model": name, "start": start}, []
            for i, (moments, path) in enumerate(paths.items()):
                again = replace(run, seed=run.seed + i)
                found = ais_in_blocks(path, schedule, scale["n_chains"], again, scale["block_size"])
                row |= {f"{key}_{moments}": getattr(found, key) for key in ("log_z", "std_error", "ess")}
                results.append(found)
            log_z_p_value, ess_p_value = _p_values(*results, np.random.default_rng(run.seed))
            yield row | {"log_z_p_value": log_z_p_value, "ess_p_value": ess_p_value}


def _p_values(first: AISResult, second: AISResult, rng: np.random.Generator) -> tuple[float, float]:
    """Two-sided p-value of a z test for equal log Ẑ, and p-value of "the larger ESS of the two is not larger"."""
    z = (first.log_z - second.log_z) / np.hypot(first.std_error, second.std_error)
    larger, smaller = (first, second) if first.ess > second.ess else (second, first)
    return float(2 * ndtr(-abs(z))), larger_ess_p_value(larger.log_weights, smaller.log_weights, rng=rng)
