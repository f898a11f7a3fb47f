"""The audit of an estimator of log Z."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import bdtr, ndtr

from anneal_edu.auditing.problems import THREE_BITS, Skewed, Walled
from anneal_edu.auditing.report import Report, explain
from anneal_edu.auditing.statistics import error_bar_p_value
from anneal_edu.distributions import BinaryRBM, Gaussian, uniform_rbm
from anneal_edu.kernels import Kernel, exact, gibbs, random_walk
from anneal_edu.paths.geometric import geometric_path
from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.weights import log_mean_exp

N_REPEATS, N_CHAINS, N_STEPS = 100, 100, 12
_SLACK = 1.25  # by which an error bar may be off


@dataclass(frozen=True, eq=False)
class LogZProblem:
    """Two ends of a geometric path, a kernel for it, and log Z of the target."""

    name: str
    start: Any
    target: Any
    kernel: Kernel
    log_z: float

    def path(self) -> Any:
        return geometric_path(self.start, self.target)


def log_z_problems() -> list[LogZProblem]:
    """Two Gaussians, a skewed plane, a half-line outside of which weights are zero, and an RBM.

    No start has log Z_0 = 0: an estimator that forgets it is biased.
    """

    def gaussian(mean: float, var: float, dim: int = 1, log_z: float = 0.0) -> Gaussian:
        return Gaussian(np.full(dim, mean), var * np.eye(dim), log_z)

    skewed = Skewed(np.array([[1.0, 0.0], [0.6, 0.9]]), np.array([-0.4, 0.3]))
    weights = np.array([[1.2, -0.8], [-1.0, 0.9], [0.6, 1.1]])
    rbm = BinaryRBM(weights, THREE_BITS.visible_bias, THREE_BITS.hidden_bias)
    return [
        LogZProblem("two Gaussians", gaussian(0.0, 2.0, log_z=0.7), gaussian(1.0, 0.6, log_z=-1.3), exact, -1.3),
        LogZProblem("a skewed plane", gaussian(0.0, 2.0, dim=2, log_z=0.4), skewed, random_walk(1.0), skewed.log_z()),
        LogZProblem("a half-line", gaussian(2.5, 6.0, log_z=-0.5), Walled(), random_walk(1.5), float(np.log(2))),
        LogZProblem("an RBM of three bits", uniform_rbm(3, 2), rbm, gibbs, rbm.log_z()),
    ]


class Runs:
    """estimator(path, schedule, n_chains, kernel=…, rng=…) on the problems of an audit, and the report."""

    def __init__(self, estimator: Callable[..., Any], report: Report):
        self.estimator, self.report = estimator, report
        parameters = inspect.signature(estimator).parameters
        self.takes_kernel = "kernel" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
        self.from_target = "samples" in parameters

    def __call__(
        self, problem: LogZProblem, rng: np.random.Generator, n_chains: int = N_CHAINS, n_steps: int = N_STEPS,
        path: Any = None, kernel: Kernel | None = None,
    ) -> Any:
        """The estimator's result on a problem."""
        third = problem.target.sample(n_chains, rng) if self.from_target else n_chains
        named = {"kernel": kernel or problem.kernel} if self.takes_kernel else {}
        return self.estimator(path or problem.path(), linear_schedule(n_steps), third, **named, rng=rng)

    def log_z(self, *given: Any, **named: Any) -> float:
        """Its log Ẑ alone."""
        return log_z_of(self(*given, **named))

    def repeated(self, problem: LogZProblem, rng: np.random.Generator, **more: int) -> np.ndarray:
        """The errors of log Ẑ in many runs."""
        return np.array([self.log_z(problem, child, **more) for child in rng.spawn(N_REPEATS)]) - problem.log_z


def log_z_of(result: Any) -> float:
    """A result's log Ẑ; of a ladder the last."""
    return float(np.ravel(result.log_z)[-1])


def audit_estimator(estimator: Callable[..., Any], report: Report, rng: np.random.Generator) -> None:
    """All checks of an estimator."""
    runs, first = Runs(estimator, report), True
    for problem in log_z_problems():
        if runs.from_target and isinstance(problem.target, Walled):
            report.skipped.append(f"{problem.name}: from the target no chain leaves the half-line")
            continue
        try:
            log_z = runs.log_z(problem, rng)
            if not np.isfinite(log_z):
                raise ValueError(f"log_z is {log_z}")
        except Exception as error:  # whatever a user's estimator raises
            report.skipped.append(f"{problem.name}: {explain(error)}")
            continue
        try:
            _check(runs, problem, rng, first)
        except Exception as error:
            report.add_failure("fails", f"on {problem.name}: {explain(error)}")
        first = False
    if first:
        report.add_failure("fails", f"on every problem. {report.skipped[0]}")


def _check(runs: Runs, problem: LogZProblem, rng: np.random.Generator, first: bool) -> None:
    results = [runs(problem, child) for child in rng.spawn(N_REPEATS)]
    errors = np.array([log_z_of(result) for result in results]) - problem.log_z
    _check_bias(runs, problem, errors, rng)
    _check_weights(results[0], runs.report)
    _check_error_bars(problem, results, errors, runs.report)
    if first:
        _check_arguments(runs, problem)
        _check_more_chains(runs, problem, errors, rng)


def _excess(errors: np.ndarray) -> tuple[float, float]:
    """The mean error beyond that of a log of a mean, var / 2, with half as much again; and its standard error."""
    beyond = max(0.0, abs(errors.mean()) - 0.75 * errors.var(ddof=1))
    return beyond, float(errors.std(ddof=1) / np.sqrt(len(errors))) + 1e-9


def _check_bias(runs: Runs, problem: LogZProblem, errors: np.ndarray, rng: np.random.Generator) -> None:
    """A bias is allowed if nearly all of it goes with four times the steps, as that of a quadrature rule does."""
    beyond, error = _excess(errors)
    p = 2 * ndtr(-beyond / error)
    said = f"on {problem.name} the mean error of log Ẑ is {errors.mean():+.3f} ± {error:.3f}"
    if p < 1e-3:
        finer = runs.repeated(problem, rng, n_steps=4 * N_STEPS)
        later, error = _excess(finer)
        said += f", and with four times the steps {finer.mean():+.3f} ± {error:.3f}"
        if later < 2 * error + beyond / 10:
            runs.report.skipped.append(f"{said}: allowed, as the error of a quadrature rule")
            p = 1.0
    if errors.mean() > 0 and not runs.from_target:
        said += ". The log of an unbiased Ẑ is too low, not too high: are states moved before they are weighted?"
    runs.report.add_test("biased", said, p, f"log Z of {problem.name}")


def _check_weights(result: Any, report: Report) -> None:
    weights = getattr(result, "log_weights", None)
    if weights is None or np.ndim(weights) != 1:
        return
    if len(weights) != N_CHAINS:
        report.add_failure("chains left out", f"{len(weights)} log weights of {N_CHAINS} chains")
        return
    log_z = log_z_of(result)
    means = log_mean_exp(weights), -log_mean_exp(-np.asarray(weights)) if np.isfinite(weights).all() else np.nan
    if not np.isclose(log_z, means, atol=1e-6).any():
        report.add_failure("not the mean weight", f"log_z is {log_z:.4f}, the log of the mean weight {means[0]:.4f}")


def _check_error_bars(problem: LogZProblem, results: list[Any], errors: np.ndarray, report: Report) -> None:
    n = len(errors)
    if hasattr(results[0], "std_error"):
        bars = np.array([float(np.ravel(result.std_error)[-1]) for result in results])
        if np.isfinite(bars).all() and (bars > 0).all():
            ratio = np.sqrt((bars**2).mean()) / errors.std(ddof=1)
            sentence = f"its standard error is {ratio:.2f} times the standard deviation of {n} runs ({problem.name})"
            report.add_test("wrong error bar", sentence, error_bar_p_value(errors, bars, _SLACK), "error bars")
    if callable(getattr(results[0], "interval", None)):
        intervals = [result.interval(0.95) for result in results]
        held = sum(low <= problem.log_z <= high for low, high in intervals)
        sentence = f"{held} of {n} intervals of 95% contain the true value ({problem.name})"
        report.add_test("wrong interval", sentence, float(bdtr(held, n, 0.88)), "intervals")


def _check_arguments(runs: Runs, problem: LogZProblem) -> None:
    """It must draw from rng, follow the schedule, and use the kernel."""
    one, other, again = (runs.log_z(problem, np.random.default_rng(seed)) for seed in (1, 2, 1))
    if one != again:
        sentence = "equal generators give two results: not all randomness comes from rng, or it keeps something"
        runs.report.add_failure("other randomness", sentence)
    if one == other:
        runs.report.add_failure("no randomness", "different generators give the same result")
    betas, moved = set(), []
    path = problem.path()

    def recorded(beta: float) -> Any:
        betas.add(round(float(beta), 9))
        return path(beta)

    def counted(distribution: Any, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        moved.append(len(x))
        return problem.kernel(distribution, x, rng)

    runs(problem, np.random.default_rng(1), path=recorded, kernel=counted)
    runs.report.checks.append(f"randomness{', kernel' * runs.takes_kernel}, schedule")
    unused = [f"{beta:.3g}" for beta in linear_schedule(N_STEPS) if round(float(beta), 9) not in betas]
    if unused:
        runs.report.add_failure("ignores its schedule", f"it never calls the path at β = {', '.join(unused)}")
    if runs.takes_kernel and not moved:
        runs.report.add_failure("ignores its kernel", "it never calls the kernel that it gets")


def _check_more_chains(runs: Runs, problem: LogZProblem, errors: np.ndarray, rng: np.random.Generator) -> None:
    more = runs.repeated(problem, rng, n_chains=4 * N_CHAINS)
    ratio, noise = errors.var(ddof=1) / more.var(ddof=1), np.sqrt(2 * 2 * 1.5 / N_REPEATS)
    z = max(0.0, np.log(4 / _SLACK) - np.log(ratio)) / noise
    sentence = f"four times the chains divide the variance of log Ẑ by {ratio:.1f}, not by 4"
    runs.report.add_test("chains left out", sentence, 2 * ndtr(-z), "more chains")
