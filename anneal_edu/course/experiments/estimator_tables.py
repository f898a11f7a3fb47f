"""All five papers: which estimator should be trusted? Every one over many seeds, at equal numbers of Gibbs sweeps.

The second table is "Robustness" of Carlson et al. 2016 on models whose log Z is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, product

import numpy as np

from anneal_edu import models
from anneal_edu.course.experiments import stored, stored_arrays
from anneal_edu.course.experiments.estimators import (
    ESTIMATORS,
    Problem,
    Report,
    geometric_ais,
    tempered_sampling,
    timed,
)
from anneal_edu.course.experiments.run import HERE, Run, experiment
from anneal_edu.data import digits
from anneal_edu.distributions import BinaryRBM, base_rate_rbm, uniform_rbm
from anneal_edu.models import knots
from anneal_edu.paths.splines import moment_spline_path


def hidden_mode(share: float = 0.9, pull: float = 6.0, negative: bool = False) -> BinaryRBM:
    """An RBM of 30 visible and 9 hidden units with most of its mass around one picture that chains do not find.

    Its last hidden unit, once on, holds every visible unit in place with a field of ± ``pull``; its bias gives it the
    probability ``share``. But at β a little below 1 nearly all mass is elsewhere, where hardly a state turns it on.
    With ``negative`` there is a tenth hidden unit, which holds the picture's negative, and each has half of the share:
    then the mean of every pixel is about 1/2, and says nothing of either.
    """
    W, b, picture = stored_arrays("hidden_mode").values()
    b, c = b - 0.5 * W.sum(1), np.zeros(W.shape[1])
    fields = [pull * picture, -pull * picture] if negative else [pull * picture]
    each = np.log(share / len(fields) / (1 - share))
    off = BinaryRBM(W, b, c).log_z()
    biases = [off - BinaryRBM(W, b + field, c).log_z() + each for field in fields]
    return BinaryRBM(np.column_stack([W, *fields]), b, np.append(c, biases))


def strong_couplings() -> BinaryRBM:
    """An RBM of 20 visible and 8 hidden units with weights from N(0, 1.5²)."""
    return BinaryRBM(**stored_arrays("strong_couplings"), visible_bias=np.zeros(20), hidden_bias=np.full(8, -1.0))


@lru_cache(maxsize=8)
def load_problem(name: str) -> Problem:
    """A toy with exact draws as data, or a stored RBM of the digits with the digits.

    The paths start from the base rates of the data, those to "strong couplings" from the uniform distribution.
    """
    if name in ("hidden modes", "strong couplings"):
        rbm = hidden_mode(negative=True) if name == "hidden modes" else strong_couplings()
        data = rbm.sample(500, np.random.default_rng(1))
        start = base_rate_rbm(data, rbm.n_hidden) if name == "hidden modes" else uniform_rbm(rbm.dim, rbm.n_hidden)
        return Problem(rbm, start, data, moment_spline_path(start, rbm))
    rbm = models.load(name)
    start, stored = knots.start_of(rbm, "base rate"), name in knots.MODELS
    spline = knots.load_spline(name, "base rate") if stored else moment_spline_path(start, rbm)
    return Problem(rbm, start, digits(round(rbm.dim**0.5)), spline)


_QUICK = {
    "models": ("digits8_cd", "hidden modes", "digits28_pcd_fast"), "sweeps": 10_000, "n_seeds": 50,
    "rung_models": ("digits8_cd", "strong couplings"), "rungs": (3, 5, 9, 17, 33), "rung_sweeps": (4000, 16_000),
    "n_rung_seeds": 20,
}  # fmt: skip
SCALES = {
    "tiny": {
        "models": ("strong couplings",), "sweeps": 4000, "n_seeds": 2,
        "rung_models": ("strong couplings",), "rungs": (3, 5), "rung_sweeps": (4000,), "n_rung_seeds": 2,
    },
    "quick": _QUICK,
    "medium": _QUICK | {
        "models": (*_QUICK["models"], "digits28_cd"), "sweeps": 200_000,
        "rungs": (*_QUICK["rungs"], 65, 129), "rung_sweeps": (5000, 20_000, 80_000), "n_rung_seeds": 50,
    },
}  # fmt: skip
"""Models, sweeps and seeds of the first table; models, rungs, sweeps and seeds of the second one."""

_COLUMNS = "model:18s name:25s sweeps:d errors:16.3f std_errors:16.3f seconds:.2f"
_STORED = dict.fromkeys(("images", "model"), "its models are stored, with their exact log Z")


@dataclass(frozen=True)
class Row:
    """One estimator on one model: a row of the tables, see `Report`."""

    model: str
    name: str
    bias_direction: str
    n_rungs: int | None
    sweeps: int
    products: int
    seconds: float  # mean over the seeds; readings of one run share its time
    exact: float
    errors: Sequence[float | None]  # log Ẑ minus the exact log Z for every seed; None where there was no estimate
    std_errors: Sequence[float | None]
    warnings: dict[str, Sequence[int]]  # kind of a warning → the seeds that had it

    @property
    def answered(self) -> np.ndarray:
        """Errors and error bars of the seeds with an estimate, (2, n)."""
        pairs = [pair for pair in zip(self.errors, self.std_errors, strict=True) if None not in pair]
        return np.array(pairs, dtype=float).reshape(-1, 2).T

    @property
    def bias(self) -> float:
        """Mean error."""
        return float(self.answered[0].mean())

    @property
    def rmse(self) -> float:
        """Root mean square error."""
        return float(np.sqrt((self.answered[0] ** 2).mean()))

    @property
    def own_error(self) -> float:
        """Median of the error bars."""
        return float(np.median(self.answered[1]))

    @property
    def coverage(self) -> float:
        """Share of the estimates within two of their own standard errors of the truth."""
        error, own = self.answered
        return float((np.abs(error) <= 2 * own).mean())

    @property
    def warned(self) -> float:
        """Share of the seeds with a warning of any kind."""
        return len({seed for seeds in self.warnings.values() for seed in seeds}) / len(self.errors)


@lru_cache(maxsize=2)
def stored_rows(name: str) -> list[Row]:
    """The stored rows of "estimators" or "estimators_rungs"."""
    return [Row(**row) for row in stored(name)["rows"]]


def _row(model: str, exact: float, n_rungs: int | None, reports: Sequence[Report]) -> dict:
    """The reports of one estimator, one for each seed."""
    one, kinds = reports[0], [{warning.kind for warning in report.warnings} for report in reports]
    return {
        "model": model,
        "name": one.name,
        "bias_direction": one.bias_direction,
        "n_rungs": n_rungs,
        "sweeps": one.sweeps,
        "products": one.products,
        "seconds": round(float(np.mean([r.seconds for r in reports])), 3),
        "exact": round(exact, 4),
        "errors": [round(r.log_z - exact, 4) if r.succeeded else None for r in reports],
        "std_errors": [round(float(r.std_error), 4) if r.succeeded else None for r in reports],
        "warnings": {
            kind: [seed for seed, found in enumerate(kinds) if kind in found] for kind in sorted(set().union(*kinds))
        },
    }


def run_all(name: str, sweeps: int, seed: int) -> list[Report]:
    """Every estimator on one model, each with random numbers of its own."""
    problem = load_problem(name)
    runs = [timed(f, problem, sweeps, np.random.default_rng([seed, i])) for i, f in enumerate(ESTIMATORS)]
    return list(chain.from_iterable(runs))


def run_with_rungs(name: str, sweeps: int, n_rungs: int, seed: int) -> list[Report]:
    """AIS with that many temperatures, and the four readings of one run of tempered sampling."""
    problem = load_problem(name)
    annealed = timed(geometric_ais, problem, sweeps, np.random.default_rng([seed, 0]), n_steps=n_rungs - 1)
    rng = np.random.default_rng([seed, 1])
    return annealed + timed(tempered_sampling, problem, sweeps, rng, n_rungs=n_rungs)


@experiment("estimators", _COLUMNS, refuses=_STORED, **SCALES)
def estimator_table(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """Bias, RMSE and coverage of every estimator on every model, over seeds seed, seed + 1, …"""
    seeds = range(run.seed, run.seed + scale["n_seeds"])
    for model in scale["models"]:
        exact, settings = load_problem(model).rbm.log_z(), (model, scale["sweeps"])
        for reports in zip(*run.each(run_all, [(*settings, seed) for seed in seeds]), strict=True):
            yield _row(model, exact, None, reports)


@experiment("estimators-rungs", f"n_rungs:d {_COLUMNS}", refuses=_STORED, **SCALES)
def rung_table(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """The same against the number of temperatures at a fixed number of sweeps: the poster's robustness."""
    seeds = range(run.seed, run.seed + scale["n_rung_seeds"])
    for settings in product(scale["rung_models"], scale["rung_sweeps"], scale["rungs"]):
        model, _, n_rungs = settings
        exact = load_problem(model).rbm.log_z()
        for reports in zip(*run.each(run_with_rungs, [(*settings, seed) for seed in seeds]), strict=True):
            yield _row(model, exact, n_rungs, reports)
