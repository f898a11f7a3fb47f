"""The audit of a path: its densities, normalisers, gradients, draws and Gibbs steps must fit each other."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import logsumexp

from anneal_edu.auditing.checked_kernel import CheckedKernel
from anneal_edu.auditing.invariance import NEWEST, check_invariance
from anneal_edu.auditing.problems import MOST_STATES, Problem, all_states, discrete_problem, real_problem, values_of
from anneal_edu.auditing.report import AuditStoppedError, Report, explain
from anneal_edu.auditing.statistics import bonferroni, z_and_p
from anneal_edu.kernels import Kernel, gibbs, random_walk
from anneal_edu.validation import rows_agree

BETAS = (0.0, 0.25, 0.5, 0.75, 1.0)


def audit_path(path: Callable[[float], Any], n: int, report: Report, rng: np.random.Generator) -> None:
    """All checks of a path."""
    without = []
    try:
        points = {beta: path(beta) for beta in BETAS}
        x = _check_ends(points, report, rng)
        report.checks.append("ends and densities")
        for beta, point in points.items():
            _check_density(path, beta, point, x, report)
        _check_continuity(path, x, report)
        _check_normalisers(points, n, report, rng)
        for beta, point in points.items():
            if _offers(point, "sample"):
                _check_draws(beta, point, n, report, rng)
            else:
                without.append(f"{beta:g}")
        if without:
            report.skipped.append(f"draws and Gibbs steps at β = {', '.join(without)}: no exact draws")
    except AuditStoppedError:
        report.skipped.append("everything after this failure")
    except Exception as error:  # whatever a user's path raises
        report.add_failure("fails", explain(error))


def _check_ends(points: dict[float, Any], report: Report, rng: np.random.Generator) -> np.ndarray:
    """Draws of the start, at which densities are compared."""
    for beta, point in points.items():
        if not (hasattr(point, "log_density") and hasattr(point, "dim")):
            lacking = f"is a {type(point).__name__} without dim and log_density"
            report.stop("not a distribution", f"path({beta:g}) {lacking}")
    dims = [point.dim for point in points.values()]
    if len(set(dims)) > 1:
        report.stop("not a distribution", f"dim changes along the path: {dims}")
    start = points[0.0]
    missing = [ability for ability in ("sample", "log_z") if not hasattr(start, ability)]
    if missing:
        at_the_end = all(hasattr(points[1.0], ability) for ability in missing)
        hint = "; path(1) has it: are β and 1 - β exchanged?" if at_the_end else ""
        report.stop("no start", f"path(0), where chains start, needs {' and '.join(missing)}{hint}")
    x = np.asarray(start.sample(200, rng))
    if x.shape != (200, start.dim):
        report.stop("no start", f"path(0).sample(200, rng) must have shape (200, {start.dim}), got {x.shape}")
    return x


def _check_density(path: Callable[[float], Any], beta: float, point: Any, x: np.ndarray, report: Report) -> None:
    given = x.copy()
    log_f = np.asarray(point.log_density(given))
    name = f"log_density of path({beta:g})"
    if not np.array_equal(given, x):
        report.add_failure("changes its input", f"{name} writes into the array of states that it gets")
    if log_f.shape != (len(x),) or np.isnan(log_f).any() or (log_f == np.inf).any():
        report.stop("invalid density", f"{name} must be a number or -inf for each of {len(x)} states")
    if not np.allclose(path(beta).log_density(x), log_f, rtol=1e-6, atol=1e-8):
        report.add_failure("not a function", f"two calls of path({beta:g}) give two densities")
    if not rows_agree(point.log_density, x):
        report.add_failure("states mixed up", f"{name} of a state depends on the other states of the call")
    if hasattr(point, "grad_log_density") and not getattr(point, "discrete", False):
        _check_gradient(beta, point, x[:50].astype(np.float64), report)


def _check_gradient(beta: float, point: Any, x: np.ndarray, report: Report) -> None:
    try:
        slope = np.asarray(point.grad_log_density(x))
    except TypeError:  # a bridge offers it, but its ends have none
        return
    report.checks.append("gradients")
    name = f"grad_log_density of path({beta:g})"
    if not rows_agree(point.grad_log_density, x):
        report.add_failure("states mixed up", f"{name} of a state depends on the other states of the call")
    h = 1e-5 * (1 + np.abs(x))
    for j in range(x.shape[1]):
        step = np.zeros_like(x)
        step[:, j] = h[:, j]
        found = (point.log_density(x + step) - point.log_density(x - step)) / (2 * h[:, j])
        fine = np.isfinite(found)
        if slope.shape != x.shape or not np.allclose(slope[fine, j], found[fine], rtol=1e-3, atol=1e-3):
            report.add_failure("wrong gradient", f"{name} is not the slope of log_density")


def _check_continuity(path: Callable[[float], Any], x: np.ndarray, report: Report) -> None:
    """log f_β must be continuous in β."""
    for beta, near in ((beta, beta + step) for beta in BETAS for step in (-1e-6, 1e-6)):
        if 0 <= near <= 1:
            gap = np.abs(path(near).log_density(x) - path(beta).log_density(x))
            gap = gap[np.isfinite(gap)]
            if gap.size and np.median(gap) > 0.01:
                jump = f"log f changes by {np.median(gap):.2g} between β = {beta:g} and {near:.6f}"
                report.add_failure("a jump", jump)


def _exact_log_z(point: Any) -> float | None:
    """By a sum over all states, or over a fine grid; None where neither is possible."""
    if getattr(point, "discrete", False):
        states = all_states(values_of(point))
        return None if states is None else float(logsumexp(point.log_density(states)))
    if not hasattr(point, "sample") or point.dim > 2:
        return None
    seen = point.sample(2000, np.random.default_rng(0))
    reach = 8 * seen.std(0) + 1e-300
    n = 4001 if point.dim == 1 else 401
    axes = [np.linspace(m - r, m + r, n) for m, r in zip(seen.mean(0), reach, strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    cell = np.prod([axis[1] - axis[0] for axis in axes])
    return float(logsumexp(point.log_density(grid)) + np.log(cell))


def _check_normalisers(points: dict[float, Any], n: int, report: Report, rng: np.random.Generator) -> None:
    """Compare log_z() with sums, where they are possible, and with the mean weight of a neighbour's draws."""
    known = {beta: float(p.log_z()) for beta, p in points.items() if _offers(p, "log_z")}
    for beta, log_z in known.items():
        exact = _exact_log_z(points[beta])
        report.checks += ["normalisers"] * (exact is not None)
        if exact is not None and abs(exact - log_z) > 0.01 * max(1.0, abs(log_z)) ** 0.5:
            report.add_failure("wrong normaliser", f"log_z() of path({beta:g}) is {log_z:.4f}; a sum gives {exact:.4f}")
    for before, now in pairwise(sorted(known)):
        if not hasattr(points[before], "sample"):
            continue
        x = points[before].sample(4 * n, rng)
        log_w = points[now].log_density(x) - points[before].log_density(x) - (known[now] - known[before])
        w = np.exp(log_w)
        if np.exp(2 * logsumexp(log_w) - logsumexp(2 * log_w)) < 0.05 * len(w):
            continue  # the effective sample size is too small for a test
        z, p = z_and_p((w - 1)[:, None])
        ratio = f"Z at β = {now:g} over Z at β = {before:g} is {w.mean():.3f} times the value by log_z()"
        report.add_test("wrong normaliser", f"{ratio}, {abs(z[0]):.1f} standard errors from it", p[0], "normalisers")


def _offers(point: Any, exactly: str) -> bool:
    return hasattr(point, exactly) and bool(getattr(point, "enumerable", True))


def _check_draws(beta: float, point: Any, n: int, report: Report, rng: np.random.Generator) -> None:
    """Exact draws must remain so under a right kernel, and under the point's own Gibbs step."""
    name = f"path({beta:g})"
    kernels: dict[str, Kernel] = {}
    if getattr(point, "discrete", False):
        problem = discrete_problem(name, point)
        _check_shares(problem, n, report, rng)
    else:
        problem = real_problem(name, point, rng)
        scale = np.asarray(point.sample(500, rng), dtype=np.float64).std(0)
        kernels["draws"] = random_walk(np.maximum(scale, 1e-9))
    if hasattr(point, "gibbs"):
        kernels["Gibbs step"] = gibbs
    for part, kernel in kernels.items():
        found = Report()
        check_invariance(CheckedKernel(kernel, found), problem, n, rng, NEWEST if kernel is gibbs else "")
        report.skipped += found.skipped
        for test in found.tests:
            report.add_test(f"wrong {part}", test.sentence, test.p_value, part)
        for failure in found.failures if kernel is gibbs else ():
            report.add_failure(f"wrong {part}", failure.sentence)


def _check_shares(problem: Problem, n: int, report: Report, rng: np.random.Generator) -> None:
    """Statistics of draws against their exact means."""
    states = all_states(problem.values)
    if states is None:
        report.skipped.append(f"draws, by a sum over states: there are more than {MOST_STATES:,}, or rare ones")
        return
    log_f = problem.distribution.log_density(states)
    share, statistics = np.exp(log_f - logsumexp(log_f)), problem.evaluate(states)
    draws = np.asarray(problem.distribution.sample(4 * n, rng))
    z, p = z_and_p(problem.evaluate(draws) - share @ statistics)
    p[4 * n * np.minimum(share @ (statistics != 0), share @ (statistics != 1)) < 50] = 1.0  # too rare to be normal
    worst = int(np.argmin(p))
    sentence = f"{problem.statistics[worst][0]} in draws of {problem.name} is {abs(z[worst]):.1f} standard errors off"
    report.add_test("wrong draws", sentence, bonferroni(p), "draws")
