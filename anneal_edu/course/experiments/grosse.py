"""The RBM experiments of Grosse, Maddison and Salakhutdinov (2013), Section 5.2, on scikit-learn's digits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product

import numpy as np
from scipy.special import ndtr

from anneal_edu import models
from anneal_edu.annealing.ais import AISResult
from anneal_edu.course.experiments.blocks import BlockedAIS
from anneal_edu.course.experiments.kept import HERE, Run
from anneal_edu.data import digit_labels, digits
from anneal_edu.distributions import BinaryRBM, base_rate_rbm, uniform_rbm
from anneal_edu.kernels import Kernel, exact, gibbs
from anneal_edu.paths import schedules
from anneal_edu.paths.chain_moments import data_moments
from anneal_edu.paths.geometric import Path, geometric_path
from anneal_edu.paths.moment_matching import MomentMatch, Moments
from anneal_edu.paths.splines import SplinePath, moment_spline_path
from anneal_edu.weights import larger_ess_p_value

SCHEDULES: dict[str, Callable[[Path, int], np.ndarray]] = {
    "linear": lambda path, n_steps: schedules.linear_schedule(n_steps),
    "optimal binned": partial(schedules.optimal_binned_schedule, n_bins=10),
}


TRANSITIONS: dict[str, Kernel] = {"Gibbs": gibbs, "perfect": exact}


@dataclass(frozen=True)
class Scale:
    """How large an experiment is: the names of its models, transitions K, chains C and chains a block.

    Attributes
    ----------
    models : tuple of str
    n_steps, n_chains, block_size : int
    curve : tuple of int
        K of the points of Figure 3 with Gibbs transitions, before the last one, which is n_steps.
    perfect : tuple of int
        K of those with perfect transitions, which have the chains of one block: each step counts all hidden states.
    """

    models: tuple[str, ...]
    n_steps: int
    n_chains: int
    block_size: int
    curve: tuple[int, ...] = (10, 100)
    perfect: tuple[int, ...] = (10, 100)


SCALES = {
    "tiny": Scale(("digits8_cd",), 20, 50, 25, (10,), (5,)),
    "quick": Scale(("digits28_pcd", "digits28_cd"), 1000, 1000, 500),
    "medium": Scale(("digits28_pcd20", "digits28_cd20"), 1000, 1000, 500),
    "full": Scale(("digits28_pcd20", "digits28_cd20"), 100_000, 5000, 500, (10, 100, 1000, 10_000)),
}
"""A minute or two; the paper's 20 hidden units, whose exact knots take longer; the paper's size, which takes hours."""


@dataclass(frozen=True)
class Row:
    """One line of Table 1: a model, the start and the path to it, the schedule, and what AIS found."""

    model: str
    start: str
    path: str
    schedule: str
    exact: float
    result: AISResult
    p_value: float = np.nan
    """Of "the largest ESS among the rows of this model is not larger than this one": bold where at least 0.05."""

    def summary(self) -> dict:
        """The row as JSON has it."""
        found = {name: getattr(self.result, name) for name in ("log_z", "std_error", "ess")}
        words = {name: getattr(self, name) for name in ("model", "start", "path", "schedule", "exact")}
        return words | found | {"p_value": self.p_value}

    def __str__(self) -> str:
        return (
            f"{self.model:16}{self.start:11}{self.path:11}{self.schedule:16}exact {self.exact:9.2f}   "
            f"log Ẑ {self.result.log_z:10.3f} ± {self.result.std_error:.3f}   ESS {self.result.ess:.1f}"
        )


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


def starts(rbm: BinaryRBM, data: np.ndarray | None = None) -> dict[str, BinaryRBM]:
    """The two initial distributions of the paper: uniform, and the base rates of the data, or else of the digits."""
    data = digits(round(rbm.dim**0.5)) if data is None else data
    return {"uniform": uniform_rbm(rbm.dim, rbm.n_hidden), "base rate": base_rate_rbm(data, rbm.n_hidden)}


def biased_moments(rbm: BinaryRBM):
    """The paper's "highly biased moments": an image of digit i counts i + 1 times (footnote 2)."""
    return data_moments(rbm, digits(int(np.sqrt(rbm.dim))), digit_labels() + 1.0)


def kept_spline(run: Run, p0: BinaryRBM, p1: BinaryRBM, target_moments: Moments | None = None) -> SplinePath:
    """A moment spline made once for these ends and moments."""
    kinds = SplinePath, BinaryRBM, MomentMatch
    return run.once("moment-spline", _spline, (p0, p1, target_moments), *kinds)


def _spline(p0: BinaryRBM, p1: BinaryRBM, target_moments: Moments | None) -> SplinePath:
    return moment_spline_path(p0, p1, target_moments=target_moments)


def table_1(scale: Scale, run: Run = HERE) -> list[Row]:
    """Grosse et al. 2013, Table 1: log Ẑ and ESS beside the exact log Z.

    The rows are {geometric, MAS} × {linear, binned} × {uniform, base rate}. With a model of yours, one that can be
    enumerated, it takes the place of the stored ones, and your images that of the digits. Rows are reported before
    their p-values are known.
    """
    rows = []
    for name, rbm in run.models(scale.models, models.load):
        of_model = []
        for start, path_name, path in _paths(rbm, run):
            for schedule, make in SCHEDULES.items():
                blocks = BlockedAIS(path, make(path, scale.n_steps), scale.n_chains, run.seed, scale.block_size)
                of_model.append(Row(name, start, path_name, schedule, rbm.log_z(), blocks.run(run)))
                run.report(of_model[-1])
        rows += with_p_values(of_model, [row.result for row in of_model], run)
    return rows


def _paths(rbm: BinaryRBM, run: Run) -> Iterator[tuple[str, str, Path]]:
    """Start, name and path, one by one: the exact knots of a spline may take long."""
    for start, p0 in starts(rbm, run.images).items():
        yield start, "geometric", geometric_path(p0, rbm)
        yield start, "MAS", kept_spline(run, p0, rbm)


@dataclass(frozen=True)
class Point(Row):
    """One point of Figure 3: what a row of Table 1 has, but for its p-value, and the transitions and their number K."""

    p_value: float = field(default=np.nan, init=False)
    transitions: str
    n_steps: int

    def summary(self) -> dict:
        """The point as JSON has it, with the bootstrap interval that the figure draws."""
        low, high = self.result.interval()
        words = {"transitions": self.transitions, "n_steps": self.n_steps, "low": low, "high": high}
        return {name: value for name, value in super().summary().items() if name != "p_value"} | words

    def __str__(self) -> str:
        return f"{self.transitions:8}{self.n_steps:8,d} {super().__str__()}"


def figure_3(scale: Scale, run: Run = HERE) -> list[Point]:
    """Grosse et al. 2013, Figure 3: log Ẑ against K, with Gibbs and with perfect transitions.

    The curves are the rows of Table 1; where work is kept, the last points are those of that table.
    """
    settings = [*product(SCHEDULES, (*scale.curve, scale.n_steps), ["Gibbs"])]
    settings += product(["linear"], scale.perfect, ["perfect"])
    points = []
    for name, rbm in run.models(scale.models, models.load):
        for start, path_name, path in _paths(rbm, run):
            for schedule, n_steps, transitions in settings:
                n_chains = scale.n_chains if transitions == "Gibbs" else min(scale.block_size, scale.n_chains)
                betas, kernel = SCHEDULES[schedule](path, n_steps), TRANSITIONS[transitions]
                found = BlockedAIS(path, betas, n_chains, run.seed, scale.block_size, kernel).run(run)
                points.append(Point(name, start, path_name, schedule, rbm.log_z(), found, transitions, n_steps))
                run.report(points[-1])
    return points


def with_p_values(rows: list, results: list[AISResult], run: Run) -> list:
    """The rows of one model with the p-values of their results, which are reported in a line."""
    p_values = ess_p_values(results, np.random.default_rng(run.seed))
    words = " ".join(f"{p_value:.3f}" for p_value in p_values)
    run.report(f"p-values, of an ESS as large as the largest of its model: {words}")
    return [replace(row, p_value=p_value) for row, p_value in zip(rows, p_values, strict=True)]


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

    def summary(self) -> dict:
        """The row as JSON has it."""
        found = {
            f"{name}_{moments}": getattr(getattr(self, moments), name)
            for moments in ("exact", "biased")
            for name in ("log_z", "std_error", "ess")
        }
        p_values = {"log_z_p_value": self.log_z_p_value, "ess_p_value": self.ess_p_value}
        return {"model": self.model, "start": self.start} | found | p_values

    def __str__(self) -> str:
        return ", ".join(f"{k} {v:.3f}" if isinstance(v, float) else f"{k} {v}" for k, v in self.summary().items())


def compare_moments(scale: Scale, run: Run = HERE) -> list[Comparison]:
    """Grosse et al. 2013, Section 5.2: MAS with accurate moments, and with highly biased ones (footnote 2)."""
    comparisons, schedule = [], schedules.linear_schedule(scale.n_steps)
    for name in scale.models:
        rbm = models.load(name)
        for start, p0 in starts(rbm).items():
            paths = kept_spline(run, p0, rbm), kept_spline(run, p0, rbm, biased_moments(rbm))
            results = [
                BlockedAIS(path, schedule, scale.n_chains, run.seed + i, scale.block_size).run(run)
                for i, path in enumerate(paths)
            ]
            p_values = _p_values(*results, np.random.default_rng(run.seed))
            comparisons.append(Comparison(name, start, *results, *p_values))
            run.report(comparisons[-1])
    return comparisons


def _p_values(first: AISResult, second: AISResult, rng: np.random.Generator) -> tuple[float, float]:
    z = (first.log_z - second.log_z) / np.hypot(first.std_error, second.std_error)
    larger, smaller = (first, second) if first.ess > second.ess else (second, first)
    return float(2 * ndtr(-abs(z))), larger_ess_p_value(larger.log_weights, smaller.log_weights, rng=rng)
