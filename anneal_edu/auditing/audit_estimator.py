"""The audit of an estimator of log Z."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from anneal_edu.auditing.problems import THREE_BITS, Skewed, Walled
from anneal_edu.auditing.report import Report, explain
from anneal_edu.auditing.statistics import error_bar_p_value
from anneal_edu.distributions import BinaryRBM, Gaussian, uniform_rbm
from anneal_edu.kernels import Kernel, exact, gibbs, random_walk
from anneal_edu.paths.geometric import geometric_path
from anneal_edu.paths.schedules import linear_schedule

N_REPEATS, N_CHAINS, N_STEPS = 100, 100, 12
_SLACK = 1.25  # by which an error bar may be off


class LogZProblem(NamedTuple):
    """A path with a kernel for it, and log Z of its target."""

    name: str
    path: Callable[[float], Any]
    kernel: Kernel
    log_z: float


def log_z_problems() -> list[LogZProblem]:
    """Two Gaussians, a skewed plane, a half-line outside of which weights are zero, and an RBM.

    No start has log Z_0 = 0: an estimator that forgets it is biased.
    """

    def gaussian(mean: float, var: float, log_z: float, dim: int = 1) -> Gaussian:
        return Gaussian(np.full(dim, mean), var * np.eye(dim), log_z)

    line = geometric_path(gaussian(0.0, 2.0, 0.7), gaussian(1.0, 0.6, -1.3))
    skewed = Skewed(np.array([[1.0, 0.0], [0.6, 0.9]]), np.array([-0.4, 0.3]))
    plane = geometric_path(gaussian(0.0, 2.0, 0.4, dim=2), skewed)
    half_line = geometric_path(gaussian(2.5, 6.0, -0.5), Walled())
    weights = np.array([[1.2, -0.8], [-1.0, 0.9], [0.6, 1.1]])
    rbm = BinaryRBM(weights, THREE_BITS.visible_bias, THREE_BITS.hidden_bias)
    return [
        LogZProblem("two Gaussians", line, exact, -1.3),
        LogZProblem("a skewed plane", plane, random_walk(1.0), skewed.log_z()),
        LogZProblem("a half-line", half_line, random_walk(1.5), float(np.log(2))),
        LogZProblem("an RBM of three bits", geometric_path(uniform_rbm(3, 2), rbm), gibbs, rbm.log_z()),
    ]


class Runs:
    """estimator(path, schedule, n_chains, kernel=…, rng=…) on the problems of an audit, and the report."""

    def __init__(self, estimator: Callable[..., Any], report: Report):
        self.estimator, self.report = estimator, report
        parameters = inspect.signature(estimator).parameters
        self.takes_kernel = "kernel" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
        self.from_target = "samples" in parameters

    def __call__(self, problem: LogZProblem, rng: np.random.Generator, n_steps: int = N_STEPS) -> Any:
        """The estimator's result on a problem."""
        third = problem.path(1.0).sample(N_CHAINS, rng) if self.from_target else N_CHAINS
        named = {"kernel": problem.kernel} if self.takes_kernel else {}
        return self.estimator(problem.path, linear_schedule(n_steps), third, **named, rng=rng)

    def repeated(self, problem: LogZProblem, rng: np.random.Generator, n_steps: int) -> tuple[list[Any], np.ndarray]:
        """The results of many runs, and the errors of log Ẑ."""
        results = [self(problem, child, n_steps) for child in rng.spawn(N_REPEATS)]
        return results, np.array([log_z_of(result) for result in results]) - problem.log_z


def log_z_of(result: Any) -> float:
    """A result's log Ẑ; of a ladder the last."""
    return float(np.ravel(result.log_z)[-1])


def audit_estimator(estimator: Callable[..., Any], report: Report, rng: np.random.Generator) -> None:
    """All checks of an estimator."""
    runs, first = Runs(estimator, report), True
    for problem in log_z_problems():
        if runs.from_target and problem.name == "a half-line":
            report.skipped.append(f"{problem.name}: from the target no chain leaves the half-line")
            continue
        try:
            log_z = log_z_of(runs(problem, rng))
            if not np.isfinite(log_z):
                raise ValueError(f"log_z is {log_z}")
        except Exception as error:  # whatever a user's estimator raises
            report.skipped.append(f"{problem.name}: {explain(error)}")
            continue
        try:
            _check(runs, problem, rng)
            if first:
                _check_arguments(runs, problem)
        except Exception as error:
            report.add_failure("fails", f"on {problem.name}: {explain(error)}")
        first = False
    if first:
        report.add_failure("fails", f"on every problem. {report.skipped[0]}")


def _check(runs: Runs, problem: LogZProblem, rng: np.random.Generator) -> None:
    results, errors = runs.repeated(problem, rng, N_STEPS)
    _check_bias(runs, problem, errors, rng)
    weights = np.asarray(getattr(results[0], "log_weights", 0.0))
    if weights.ndim == 1 and len(weights) != N_CHAINS:
        runs.report.add_failure("chains left out", f"{len(weights)} log weights of {N_CHAINS} chains")
    if hasattr(results[0], "std_error"):
        bars = np.array([float(np.ravel(result.std_error)[-1]) for result in results])
        if np.isfinite(bars).all() and (bars > 0).all():
            ratio = np.sqrt((bars**2).mean()) / errors.std(ddof=1)
            said = f"its standard error is {ratio:.2f} times the standard deviation of {len(bars)} runs"
            p = error_bar_p_value(errors, bars, _SLACK)
            runs.report.add_test("wrong error bar", f"{said} ({problem.name})", p, "error bars")


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
        _, finer = runs.repeated(problem, rng, 4 * N_STEPS)
        later, error = _excess(finer)
        said += f", and with four times the steps {finer.mean():+.3f} ± {error:.3f}"
        if later < 2 * error + beyond / 10:
            runs.report.skipped.append(f"{said}: allowed, as the error of a quadrature rule")
            p = 1.0
    if errors.mean() > 0 and not runs.from_target:
        said += ". The log of an unbiased Ẑ is too low, not too high: are states moved before they are weighted?"
    runs.report.add_test("biased", said, p, f"log Z of {problem.name}")


def _check_arguments(runs: Runs, problem: LogZProblem) -> None:
    """It must draw from rng, follow the schedule, and use the kernel."""
    one, other, again = (log_z_of(runs(problem, np.random.default_rng(seed))) for seed in (1, 2, 1))
    if one != again:
        sentence = "equal generators give two results: not all randomness comes from rng, or it keeps something"
        runs.report.add_failure("other randomness", sentence)
    if one == other:
        runs.report.add_failure("no randomness", "different generators give the same result")
    betas, moved = set(), []

    def recorded(beta: float) -> Any:
        betas.add(round(float(beta), 9))
        return problem.path(beta)

    def counted(distribution: Any, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        moved.append(len(x))
        return problem.kernel(distribution, x, rng)

    runs(problem._replace(path=recorded, kernel=counted), np.random.default_rng(1))
    runs.report.checks.append(f"randomness{', kernel' * runs.takes_kernel}, schedule")
    unused = [f"{beta:.3g}" for beta in linear_schedule(N_STEPS) if round(float(beta), 9) not in betas]
    if unused:
        runs.report.add_failure("ignores its schedule", f"it never calls the path at β = {', '.join(unused)}")
    if runs.takes_kernel and not moved:
        runs.report.add_failure("ignores its kernel", "it never calls the kernel that it gets")
