"""The audit of an estimator of log Z."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import bdtr, ndtr

from anneal_edu.auditing.findings import Docket, why
from anneal_edu.auditing.worlds import Skewed, Walled
from anneal_edu.distributions import BinaryRBM, Gaussian, uniform_rbm
from anneal_edu.kernels import Kernel, exact, gibbs, random_walk
from anneal_edu.paths.geometric import geometric_path
from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.weights import log_mean_exp

N_REPEATS, N_CHAINS, N_STEPS = 100, 100, 12
SHIFT = 2.0
_SLACK = 1.25  # by which an error bar may be off


@dataclass(frozen=True, eq=False)
class Problem:
    """A path whose end has a known log Z, and a kernel that moves along it; both may have been shifted by constants."""

    name: str
    make_path: Callable[[float, float], Any]
    log_z: float
    kernel: Kernel
    walled: bool = False

    def draws(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Exact draws of the target."""
        unshifted = self.make_path(0.0, 0.0)
        return unshifted(1.0).sample(n, rng)


@dataclass(frozen=True, eq=False)
class _Shifted:
    """A density times e^c."""

    inner: Any
    c: float

    @property
    def dim(self) -> int:
        return self.inner.dim

    def log_density(self, x: np.ndarray) -> np.ndarray:
        return self.inner.log_density(x) + self.c

    def grad_log_density(self, x: np.ndarray) -> np.ndarray:
        return self.inner.grad_log_density(x)

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        return self.inner.sample(n, rng)


def problems() -> list[Problem]:
    """Four of them: two Gaussians, a skewed plane, a wall behind which weights are zero, and an RBM."""
    wide = Gaussian(np.array([0.0]), np.array([[2.0]]))
    leaning = Skewed(np.array([[1.0, 0.0], [0.6, 0.9]]), np.array([-0.4, 0.3]))
    plane, off_wall = Gaussian(np.zeros(2), np.diag([2.0, 2.0])), Gaussian(np.array([2.5]), np.array([[6.0]]))
    weights, b, c = np.array([[1.2, -0.8], [-1.0, 0.9], [0.6, 1.1]]), np.array([-0.4, 0.5, -0.9]), np.array([0.3, -0.6])
    rbm, flat = BinaryRBM(weights, b, c), uniform_rbm(3, 2)

    def gaussians(start: float, end: float) -> Any:
        near = Gaussian(np.array([1.0]), np.array([[0.6]]), -1.3 + end)
        return geometric_path(Gaussian(wide.mean, wide.cov, 0.7 + start), near)

    def skewed(start: float, end: float) -> Any:
        return geometric_path(Gaussian(plane.mean, plane.cov, start), _Shifted(leaning, end))

    def walled(start: float, end: float) -> Any:
        return geometric_path(Gaussian(off_wall.mean, off_wall.cov, start), _Shifted(Walled(), end))

    def bits(start: float, end: float) -> Any:
        return geometric_path(flat, rbm)

    return [
        Problem("two Gaussians", gaussians, -1.3, exact),
        Problem("a skewed plane", skewed, leaning.log_z(), random_walk(1.0)),
        Problem("a half-line", walled, float(np.log(2)), random_walk(1.5), walled=True),
        Problem("an RBM of three bits", bits, rbm.log_z(), gibbs),
    ]


class Runs:
    """estimator(path, schedule, n_chains, kernel=…, rng=…), and what it returned."""

    def __init__(self, estimator: Callable[..., Any]):
        self.estimator = estimator
        parameters = inspect.signature(estimator).parameters
        self.takes_kernel = "kernel" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
        self.from_above = "samples" in parameters

    def __call__(
        self, problem: Problem, rng: np.random.Generator, n_chains: int = N_CHAINS, n_steps: int = N_STEPS,
        shifts: tuple[float, float] = (0.0, 0.0), path: Any = None, kernel: Kernel | None = None,
    ) -> Any:
        """Its result on a problem."""
        third = problem.draws(n_chains, rng) if self.from_above else n_chains
        named = {"kernel": kernel or problem.kernel} if self.takes_kernel else {}
        path = problem.make_path(*shifts) if path is None else path
        return self.estimator(path, linear_schedule(n_steps), third, **named, rng=rng)


def last(value: Any) -> float:
    """A number, or the last of a ladder's."""
    return float(np.ravel(value)[-1])


def audit_estimator(estimator: Callable[..., Any], docket: Docket, rng: np.random.Generator) -> None:
    """Every question to an estimator."""
    runs, answered = Runs(estimator), 0
    for problem in problems():
        if runs.from_above and problem.walled:
            docket.left_out.append(f"{problem.name}: from above nobody comes back behind a wall")
            continue
        try:
            found = runs(problem, rng)
            if not np.isfinite(last(found.log_z)):
                raise ValueError(f"log_z is {found.log_z}")
        except Exception as error:  # whatever a user's estimator does, the audit tells it
            docket.left_out.append(f"{problem.name}: {why(error)}")
            continue
        answered += 1
        try:
            _ask(runs, problem, docket, rng, first=answered == 1)
        except Exception as error:
            docket.fact("fails", f"on {problem.name}: {why(error)}")
    if not answered:
        docket.fact("fails", f"it answers none of the problems; {docket.left_out[0]}")


def _ask(runs: Runs, problem: Problem, docket: Docket, rng: np.random.Generator, first: bool) -> None:
    results = [runs(problem, child) for child in rng.spawn(N_REPEATS)]
    errors = np.array([last(result.log_z) for result in results]) - problem.log_z
    spread = float(errors.std(ddof=1))
    _ask_bias(runs, problem, errors, docket, rng)
    if "bits" not in problem.make_path.__name__:
        _look_at_shifts(runs, problem, spread, docket, rng)
    _look_at_weights(results[0], docket)
    _ask_error_bars(problem, results, errors, docket)
    if first:
        _look_at_conduct(runs, problem, docket)
        _ask_more_chains(runs, problem, errors, docket, rng)


def _excess(errors: np.ndarray) -> tuple[float, float]:
    """The mean error beyond what a logarithm of a mean must have, var / 2, and the standard error of it."""
    beyond = max(0.0, abs(errors.mean()) - 0.75 * errors.var(ddof=1))
    return beyond, float(errors.std(ddof=1) / np.sqrt(len(errors))) + 1e-9


def _ask_bias(runs: Runs, problem: Problem, errors: np.ndarray, docket: Docket, rng: np.random.Generator) -> None:
    """Off, and not much less so with four times the steps: a rule of integration may be, and is excused."""
    beyond, error = _excess(errors)
    p = 2 * ndtr(-beyond / error)
    said = f"on {problem.name} log Ẑ is off by {errors.mean():+.3f} ± {error:.3f} on average"
    if p < 1e-3:
        finer = [last(runs(problem, child, n_steps=4 * N_STEPS).log_z) for child in rng.spawn(N_REPEATS)]
        later, error = _excess(np.array(finer) - problem.log_z)
        said += f", and with four times the steps by {np.mean(finer) - problem.log_z:+.3f} ± {error:.3f}"
        if later < 2 * error + beyond / 10:
            docket.left_out.append(f"{said}: that is excused")
            p = 1.0
    if errors.mean() > 0 and not runs.from_above:
        said += ": too high, and the logarithm of an unbiased Ẑ is low; are states moved before they are weighed?"
    docket.test("biased", said, p, f"log Z of {problem.name}")


def _look_at_shifts(runs: Runs, problem: Problem, spread: float, docket: Docket, rng: np.random.Generator) -> None:
    """log f_1 + c must give log Z + c; log f_0 + c, with its own log Z + c, must change nothing."""
    (seed,) = rng.bit_generator.seed_seq.spawn(1)  # type: ignore[attr-defined]
    here, start, end = (
        last(runs(problem, np.random.default_rng(seed), shifts=shifts).log_z)
        for shifts in ((0.0, 0.0), (SHIFT, 0.0), (0.0, SHIFT))
    )
    docket.asked.append("constants")
    allowed = 0.02 + 8 * spread
    if abs(end - here - SHIFT) > allowed:
        docket.fact("constants", f"log f + {SHIFT:g} gives log Ẑ {end - here:+.3f} ({problem.name})")
    if abs(start - here) > allowed:
        docket.fact("constants", f"log f_0 + {SHIFT:g}, with its log Z, gives log Ẑ {start - here:+.3f} for +0")


def _look_at_weights(result: Any, docket: Docket) -> None:
    weights = getattr(result, "log_weights", None)
    if weights is None or np.ndim(weights) != 1:
        return
    if len(weights) != N_CHAINS:
        docket.fact("chains left out", f"{len(weights)} log weights of {N_CHAINS} chains")
        return
    means = log_mean_exp(weights), -log_mean_exp(-np.asarray(weights)) if np.isfinite(weights).all() else np.nan
    if not np.isclose(last(result.log_z), means, atol=1e-6).any():
        docket.fact("not the mean weight", f"log_z is {last(result.log_z):.4f}, the log mean weight {means[0]:.4f}")


def _ask_error_bars(problem: Problem, results: list[Any], errors: np.ndarray, docket: Docket) -> None:
    n = len(errors)
    if hasattr(results[0], "std_error"):
        said = np.array([last(result.std_error) for result in results])
        if np.isfinite(said).all() and (said > 0).all():
            true, own = errors.std(ddof=1), float(np.sqrt((said**2).mean()))
            shape = ((errors - errors.mean()) ** 4).mean() / errors.var() ** 2  # its kurtosis
            noise = np.sqrt(max(shape, 3.0) - 1) / np.sqrt(n) + 2 * said.std() / own / np.sqrt(n)
            z = max(0.0, abs(2 * np.log(own / true)) - 2 * np.log(_SLACK)) / noise
            sentence = f"its standard error is {own / true:.2f} of how much {n} runs differ ({problem.name})"
            docket.test("wrong error bar", sentence, 2 * ndtr(-z), "error bars")
    if callable(getattr(results[0], "interval", None)):
        held = sum(low <= problem.log_z <= high for low, high in (result.interval(0.95) for result in results))
        docket.test(
            "wrong interval",
            f"of {n} intervals that should hold the truth in 95% of runs, {held} do ({problem.name})",
            float(bdtr(held, n, 0.88)), "intervals",
        )


def _look_at_conduct(runs: Runs, problem: Problem, docket: Docket) -> None:
    one, again, other = (last(runs(problem, np.random.default_rng(seed)).log_z) for seed in (1, 1, 2))
    if one != again:
        docket.fact("chance of its own", "equal generators give two results: it draws from elsewhere, or remembers")
    if one == other:
        docket.fact("no chance", "different generators give the same result")
    betas, moved = set(), []
    path = problem.make_path(0.0, 0.0)

    def watched(beta: float) -> Any:
        betas.add(round(float(beta), 9))
        return path(beta)

    def counted(distribution: Any, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        moved.append(len(x))
        return problem.kernel(distribution, x, rng)

    runs(problem, np.random.default_rng(1), path=watched, kernel=counted)
    docket.asked.append(f"chance{', kernel' * runs.takes_kernel}, schedule")
    skipped = [f"{beta:.3g}" for beta in linear_schedule(N_STEPS) if round(float(beta), 9) not in betas]
    if skipped:
        docket.fact("ignores its schedule", f"it never asks for the path at β = {', '.join(skipped)}")
    if runs.takes_kernel and not moved:
        docket.fact("ignores its kernel", "the kernel that it is given is never called")


def _ask_more_chains(
    runs: Runs, problem: Problem, errors: np.ndarray, docket: Docket, rng: np.random.Generator
) -> None:
    more = np.array([last(runs(problem, child, 4 * N_CHAINS).log_z) for child in rng.spawn(N_REPEATS)])
    ratio, noise = errors.var(ddof=1) / more.var(ddof=1), np.sqrt(2 * 2 * 1.5 / N_REPEATS)
    z = max(0.0, np.log(4 / _SLACK) - np.log(ratio)) / noise
    sentence = f"four times the chains divide the variance of log Ẑ by {ratio:.1f}, not by 4"
    docket.test("chains left out", sentence, 2 * ndtr(-z), "more chains")
