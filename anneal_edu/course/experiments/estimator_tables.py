"""Which estimator should be trusted? All of them, at equal numbers of Gibbs sweeps, over many seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from anneal_edu.course.experiments.kept import HERE, Run
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

    Examples
    --------
    >>> round(float(hidden_mode().moments()[1][-1]), 6)
    0.9
    >>> hidden_mode(negative=True).moments()[1][-2:].round(6)
    array([0.45, 0.45])
    """
    W, b, picture = stored_arrays("hidden_mode").values()
    b, c = b - 0.5 * W.sum(1), np.zeros(W.shape[1])
    fields = [pull * picture, -pull * picture] if negative else [pull * picture]
    each = np.log(share / len(fields) / (1 - share))
    off = BinaryRBM(W, b, c).log_z()
    biases = [off - BinaryRBM(W, b + field, c).log_z() + each for field in fields]
    return BinaryRBM(np.column_stack([W, *fields]), b, np.append(c, biases))


def hidden_modes() -> BinaryRBM:
    """A `hidden_mode` and its negative."""
    return hidden_mode(negative=True)


def strong_couplings() -> BinaryRBM:
    """An RBM of 20 visible and 8 hidden units with weights from N(0, 1.5²)."""
    return BinaryRBM(**stored_arrays("strong_couplings"), visible_bias=np.zeros(20), hidden_bias=np.full(8, -1.0))


TOYS: dict[str, tuple[Callable[[], BinaryRBM], bool]] = {
    "hidden modes": (hidden_modes, True),
    "strong couplings": (strong_couplings, False),
}
"""Models, and whether their paths start from the base rates of their data, or from the uniform distribution."""


@lru_cache(maxsize=8)
def load_problem(name: str) -> Problem:
    """One of `TOYS` with exact draws as data, or a stored RBM of the digits from its base rates, with the digits."""
    if name in TOYS:
        make, from_base_rates = TOYS[name]
        rbm = make()
        data = rbm.sample(500, np.random.default_rng(1))
        start = base_rate_rbm(data, rbm.n_hidden) if from_base_rates else uniform_rbm(rbm.dim, rbm.n_hidden)
        return Problem(rbm, start, data, moment_spline_path(start, rbm))
    rbm = models.load(name)
    start, stored = knots.start_of(rbm, "base rate"), name in knots.MODELS
    spline = knots.load_spline(name, "base rate") if stored else moment_spline_path(start, rbm)
    return Problem(rbm, start, digits(round(rbm.dim**0.5)), spline)


@dataclass(frozen=True)
class Scale:
    """How large the two experiments are: models and sweeps of the table; models, rungs and sweeps of the second one."""

    models: tuple[str, ...]
    sweeps: int
    n_seeds: int
    rung_models: tuple[str, ...]
    rungs: tuple[int, ...]
    rung_sweeps: tuple[int, ...]
    n_rung_seeds: int


SCALES = {
    "tiny": Scale(("strong couplings",), 4000, 2, ("strong couplings",), (3, 5), (4000,), 2),
    "quick": Scale(
        ("digits8_cd", "hidden modes", "digits28_pcd_fast"),
        10_000,
        50,
        ("digits8_cd", "strong couplings"),
        (3, 5, 9, 17, 33),
        (4000, 16_000),
        20,
    ),
    "medium": Scale(
        ("digits8_cd", "hidden modes", "digits28_pcd_fast", "digits28_cd"),
        200_000,
        50,
        ("digits8_cd", "strong couplings"),
        (3, 5, 9, 17, 33, 65, 129),
        (5000, 20_000, 80_000),
        50,
    ),
}


@dataclass(frozen=True)
class Row:
    """One estimator on one model, with ``sweeps`` Gibbs sweeps and, in the second experiment, ``n_rungs`` rungs.

    Attributes
    ----------
    errors, std_errors : tuples of float or None
        Of every seed: log Ẑ minus the exact log Z, and the estimator's own error bar; None where it gave no answer.
    warnings : dict
        Kind of a warning → the seeds that had it.
    products : int
        Products of a state with the weights.
    seconds : float
        Mean over the seeds, with whatever else the machine did; readings of one run share its time.
    """

    model: str
    name: str
    errs: str
    n_rungs: int | None
    sweeps: int
    products: int
    seconds: float
    exact: float
    errors: tuple[float | None, ...]
    std_errors: tuple[float | None, ...]
    warnings: dict[str, tuple[int, ...]]

    @property
    def answered(self) -> np.ndarray:
        """Errors and error bars of the seeds that gave an answer, (2, n)."""
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
        """Share of the answers within two of their own standard errors of the truth."""
        error, own = self.answered
        return float((np.abs(error) <= 2 * own).mean())

    @property
    def warned(self) -> float:
        """Share of the seeds with a warning of any kind."""
        return len({seed for seeds in self.warnings.values() for seed in seeds}) / len(self.errors)

    def __str__(self) -> str:
        rungs = "" if self.n_rungs is None else f"{self.n_rungs:4d}"
        head = f"{self.model:18}{self.name:26}{rungs}{self.sweeps:8d}"
        if not self.answered.size:
            return f"{head}  no answer"
        return (
            f"{head}{self.bias:9.3f}{self.rmse:8.3f}{self.own_error:8.3f}{self.coverage:6.0%}{self.warned:6.0%}"
            f"{self.seconds:7.2f}s"
        )


@lru_cache(maxsize=2)
def stored_rows(name: str) -> list[Row]:
    """The stored rows of "estimators" or "estimators_rungs".

    Examples
    --------
    >>> stored_rows("estimators")[0].model
    'digits8_cd'
    """
    return [Row(**row) for row in stored(name)["rows"]]


def _row(model: str, exact: float, n_rungs: int | None, reports: list[Report]) -> Row:
    """The reports of one estimator, one a seed."""
    one = reports[0]
    kinds = [{warning.kind for warning in report.warnings} for report in reports]
    return Row(
        model,
        one.name,
        one.errs,
        n_rungs,
        one.sweeps,
        one.products,
        round(float(np.mean([r.seconds for r in reports])), 3),
        round(exact, 4),
        tuple(round(r.log_z - exact, 4) if r.answers else None for r in reports),
        tuple(round(float(r.std_error), 4) if r.answers else None for r in reports),
        {kind: tuple(i for i, k in enumerate(kinds) if kind in k) for kind in sorted(set().union(*kinds))},
    )


@dataclass(frozen=True)
class OneSeed:
    """What every estimator reported from one seed."""

    reports: list[Report]


def run_all(name: str, sweeps: int, seed: int) -> OneSeed:
    """Every estimator on one model, each with random numbers of its own."""
    problem = load_problem(name)
    runs = [timed(f, problem, sweeps, np.random.default_rng([seed, i])) for i, f in enumerate(ESTIMATORS)]
    return OneSeed(list(chain.from_iterable(runs)))


def run_with_rungs(name: str, sweeps: int, n_rungs: int, seed: int) -> OneSeed:
    """AIS with that many temperatures, and the four readings of one run of tempered sampling."""
    problem = load_problem(name)
    annealed = timed(geometric_ais, problem, sweeps, np.random.default_rng([seed, 0]), n_steps=n_rungs - 1)
    rng = np.random.default_rng([seed, 1])
    return OneSeed(annealed + timed(tempered_sampling, problem, sweeps, rng, n_rungs=n_rungs))


def _repeated(run: Run, work: Callable, settings: tuple, n_seeds: int) -> Iterator[list[Report]]:
    """Of every estimator, its reports for seeds seed, seed + 1, …"""
    wanted = [(*settings, seed) for seed in range(run.seed, run.seed + n_seeds)]
    seeds = run.each(work.__name__, work, wanted, OneSeed, Report)
    return map(list, zip(*(seed.reports for seed in seeds), strict=True))


def estimator_table(scale: Scale, run: Run = HERE) -> list[Row]:
    """Bias, RMSE and coverage of every estimator on every model, over seeds seed, seed + 1, …"""
    rows = []
    for model in scale.models:
        exact = load_problem(model).rbm.log_z()
        for reports in _repeated(run, run_all, (model, scale.sweeps), scale.n_seeds):
            rows.append(_row(model, exact, None, reports))
            run.report(rows[-1])
    return rows


def rung_table(scale: Scale, run: Run = HERE) -> list[Row]:
    """The same against the number of temperatures at a fixed number of sweeps: the poster's robustness."""
    rows = []
    for model, sweeps, n_rungs in product(scale.rung_models, scale.rung_sweeps, scale.rungs):
        exact = load_problem(model).rbm.log_z()
        for reports in _repeated(run, run_with_rungs, (model, sweeps, n_rungs), scale.n_rung_seeds):
            rows.append(_row(model, exact, n_rungs, reports))
            run.report(rows[-1])
    return rows
