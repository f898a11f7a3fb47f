"""The RBM experiments of Grosse, Maddison and Salakhutdinov (2013), Section 5.2, on scikit-learn's digits."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path as File

import numpy as np
from scipy.stats import norm

from anneal_edu import models
from anneal_edu.annealing.ais import AISResult
from anneal_edu.course.experiments.blocks import BlockedAIS
from anneal_edu.course.experiments.kept_rows import keep_arrays, kept_arrays, reading
from anneal_edu.data import digit_labels, digits
from anneal_edu.distributions import BinaryRBM
from anneal_edu.models.knots import STARTS, start_of
from anneal_edu.paths import schedules
from anneal_edu.paths.chain_moments import data_moments
from anneal_edu.paths.geometric import Path, geometric_path
from anneal_edu.paths.moment_matching import Moments
from anneal_edu.paths.splines import SplinePath, moment_spline_path, spline_path
from anneal_edu.weights import larger_ess_p_value

SCHEDULES: dict[str, Callable[[Path, int], np.ndarray]] = {
    "linear": lambda path, n_steps: schedules.linear_schedule(n_steps),
    "optimal binned": partial(schedules.optimal_binned_schedule, n_bins=10),
}


@dataclass(frozen=True)
class Scale:
    """How large an experiment is: the names of its models, transitions K, chains C and chains a block."""

    models: tuple[str, ...]
    n_steps: int
    n_chains: int
    block_size: int


SCALES = {
    "tiny": Scale(("digits8_cd",), 20, 50, 25),
    "quick": Scale(("digits28_pcd", "digits28_cd"), 1000, 1000, 500),
    "medium": Scale(("digits28_pcd20", "digits28_cd20"), 1000, 1000, 500),
    "full": Scale(("digits28_pcd20", "digits28_cd20"), 100_000, 5000, 500),
}


@dataclass(frozen=True)
class Row:
    """One line of Table 1: a model, the start and the path to it, the schedule, and what AIS found."""

    model: str
    start: str
    path: str
    schedule: str
    exact: float
    result: AISResult
    p_value: float
    """Of "the largest ESS among the rows of this model is not larger than this one": bold where at least 0.05."""

    @property
    def error(self) -> float:
        """log Ẑ - log Z, nats."""
        return self.result.log_z - self.exact


def starts(rbm: BinaryRBM) -> dict[str, BinaryRBM]:
    """The two initial distributions of the paper, for a model of the digits."""
    return {start: start_of(rbm, start) for start in STARTS}


def biased_moments(rbm: BinaryRBM):
    """The paper's "highly biased moments": an image of digit i counts i + 1 times (footnote 2)."""
    return data_moments(rbm, digits(int(np.sqrt(rbm.dim))), digit_labels() + 1.0)


def kept_spline(
    folder: File | None, name: str, p0: BinaryRBM, p1: BinaryRBM, target_moments: Moments | None = None
) -> SplinePath:
    """A moment spline made once: its knots are kept in ``folder``, and found again for the same ends and moments."""

    def make():
        return moment_spline_path(p0, p1, target_moments=target_moments)

    if folder is None:
        return make()
    arrays = (*p0.natural_parameters(), *p1.natural_parameters(), *(target_moments or ()))
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()[:12]
    file = File(folder) / f"knots-{name.replace(' ', '-')}-{digest}.npz"
    if not file.exists():
        spline = make()
        arrays = {
            f"{name}_{i}": array
            for i, rbm in enumerate(spline.distributions)
            for name, array in zip(("visible_bias", "hidden_bias", "weights"), rbm.natural_parameters(), strict=True)
        }
        keep_arrays(file, betas=spline.betas, **arrays)
    arrays = kept_arrays(file)
    with reading(file):
        knots = [
            BinaryRBM(arrays[f"weights_{i}"], arrays[f"visible_bias_{i}"], arrays[f"hidden_bias_{i}"])
            for i in range(len(arrays["betas"]))
        ]
        return spline_path(arrays["betas"], knots)


def table_1(
    scale: Scale,
    seed: int = 0,
    executor: Executor | None = None,
    folder: File | None = None,
    progress: bool = False,
    report: Callable[[Row], None] | None = None,
) -> list[Row]:
    """Table 1: log Ẑ and ESS for {geometric, MAS} × {linear, binned} × {uniform, base rate}, beside the exact log Z.

    Parameters
    ----------
    scale : Scale
        `SCALES["quick"]` takes a minute or two; "medium" has the paper's 20 hidden units, and spends its time on exact
        knots; "full" is the paper's size and takes hours.
    seed : int
    executor, folder, progress
        As for `BlockedAIS.run`.
    report : callable, optional
        Called with every row as soon as it is there; its p-value is then still NaN.

    Returns
    -------
    list of Row
    """
    rows = []
    for name in scale.models:
        rbm = models.load(name)
        of_model = []
        for start, p0 in starts(rbm).items():
            for path_name in ("geometric", "MAS"):
                geometric = path_name == "geometric"
                path = geometric_path(p0, rbm) if geometric else kept_spline(folder, f"{name}-{start}", p0, rbm)
                for schedule, make in SCHEDULES.items():
                    run = BlockedAIS(path, make(path, scale.n_steps), scale.n_chains, seed, scale.block_size)
                    result = run.run(executor, folder, progress)
                    of_model.append(Row(name, start, path_name, schedule, rbm.log_z(), result, np.nan))
                    if report is not None:
                        report(of_model[-1])
        p_values = ess_p_values([row.result for row in of_model], np.random.default_rng(seed))
        rows += [replace(row, p_value=p_value) for row, p_value in zip(of_model, p_values, strict=True)]
    return rows


def ess_p_values(results: list[AISResult], rng: np.random.Generator) -> list[float]:
    """Each result compared with the one of the largest ESS by the paper's bootstrap test; that one itself gets 1."""
    best = max(results, key=lambda result: result.ess)
    return [
        1.0 if result is best else larger_ess_p_value(best.log_weights, result.log_weights, rng=rng)
        for result in results
    ]


@dataclass(frozen=True)
class Comparison:
    """MAS with exact and with highly biased moments, and whether the two differ significantly."""

    model: str
    start: str
    exact: AISResult
    biased: AISResult
    log_z_p_value: float
    """Two-sided, of a z test for equal log Ẑ with the two standard errors."""
    ess_p_value: float
    """Of "the larger ESS of the two is not larger"."""


def biased_moments_experiment(
    scale: Scale,
    seed: int = 0,
    executor: Executor | None = None,
    folder: File | None = None,
    progress: bool = False,
) -> list[Comparison]:
    """Does MAS need accurate moments of the target? Repeat it with highly biased ones (Grosse et al. 2013, footnote 2).

    Parameters and executor as for `table_1`; linear schedule, both starts.

    Returns
    -------
    list of Comparison
    """
    comparisons = []
    schedule = schedules.linear_schedule(scale.n_steps)
    for name in scale.models:
        rbm = models.load(name)
        for start, p0 in starts(rbm).items():
            runs = [
                BlockedAIS(path, schedule, scale.n_chains, seed + i, scale.block_size).run(executor, folder, progress)
                for i, path in enumerate(
                    (
                        kept_spline(folder, f"{name}-{start}", p0, rbm),
                        kept_spline(folder, f"{name}-{start}-biased", p0, rbm, biased_moments(rbm)),
                    )
                )
            ]
            comparisons.append(Comparison(name, start, *runs, *_p_values(*runs, np.random.default_rng(seed))))
    return comparisons


def _p_values(first: AISResult, second: AISResult, rng: np.random.Generator) -> tuple[float, float]:
    z = (first.log_z - second.log_z) / np.hypot(first.std_error, second.std_error)
    larger, smaller = (first, second) if first.ess > second.ess else (second, first)
    return float(2 * norm.sf(abs(z))), larger_ess_p_value(larger.log_weights, smaller.log_weights, rng=rng)
