"""The audit of a kernel."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from anneal_edu.annealing.ais import ais
from anneal_edu.auditing.behaviour import check_every_chain, check_exchangeability, check_independence, check_randomness
from anneal_edu.auditing.checked_kernel import CheckedKernel
from anneal_edu.auditing.invariance import NEWEST, check_invariance, moved_draws
from anneal_edu.auditing.problems import THREE_BITS, Problem, discrete_problem, real_problem, standard_problems
from anneal_edu.auditing.report import AuditStoppedError, Report, explain
from anneal_edu.auditing.statistics import z_and_p
from anneal_edu.distributions import Gaussian, uniform_rbm
from anneal_edu.kernels import Kernel
from anneal_edu.paths.geometric import geometric_path
from anneal_edu.paths.schedules import linear_schedule

_HINT = "check the acceptance ratio, or the half steps of a leapfrog"


def audit_kernel(kernel: Kernel, on: Any, n: int, report: Report, rng: np.random.Generator) -> None:
    """All checks of a kernel, on the test problems that it can move in, or on the distribution ``on``."""
    checked = CheckedKernel(kernel, report)
    try:
        problems = _usable_problems(checked, on, rng)
        share = min(1.0, n / 1000)  # of the other checks: a kernel that is audited with few draws is slow
        if problems:
            _check(checked, problems, n, share, rng)
        if problems and on is None:
            _check_weights(kernel, problems[0].discrete, max(1000, int(8000 * share)), report, rng)
    except AuditStoppedError:
        report.skipped.append("everything after this failure")
    except Exception as error:  # whatever a user's kernel raises
        report.add_failure("fails", explain(error))


def _check(kernel: CheckedKernel, problems: list[Problem], n: int, share: float, rng: np.random.Generator) -> None:
    first = problems[min(2, len(problems) - 1)]
    repeat = check_randomness(kernel, first)
    kernel.report.checks.append("randomness")
    check_every_chain(kernel, first, max(20, int(200 * share)), rng)
    kernel.report.checks.append("every chain")
    moved = [check_invariance(kernel, each, n, rng, NEWEST if each.discrete else _HINT) for each in problems]
    if not any(moved):
        kernel.report.add_failure("never moves", "no chain moved, on any problem")
    for problem in (first, problems[0])[: min(2, len(problems))]:
        check_independence(kernel, problem, rng)
        check_exchangeability(kernel, problem, max(60, int(100 * share)), rng)
    repeat()


def _usable_problems(kernel: CheckedKernel, on: Any, rng: np.random.Generator) -> list[Problem]:
    """Those in which the kernel can move; a failure if there are none."""
    if on is not None:
        name = "your distribution"
        try:
            return [discrete_problem(name, on) if getattr(on, "discrete", False) else real_problem(name, on, rng)]
        except Exception as error:  # such as draws out of reach: the kernel is not at fault
            kernel.report.skipped.append(f"{name}: {explain(error)}")
            return []
    found: list[Problem] = []
    refused: list[str] = []
    for problem in standard_problems(rng):
        if problem.discrete and found and not _keeps_values(kernel, problem):
            kernel.report.skipped.append(f"{problem.name}: it moves real numbers")
            continue
        try:
            kernel.kernel(problem.distribution, problem.distribution.sample(5, rng), np.random.default_rng(0))
            found.append(problem)
        except (TypeError, AttributeError, NotImplementedError) as error:
            refused.append(f"{problem.name}: {explain(error)}")
    kernel.report.skipped += refused
    if not found:
        kernel.report.add_failure("fails", f"on all {len(refused)} test problems. {refused[0]}")
    return found


def _keeps_values(kernel: CheckedKernel, problem: Problem) -> bool:
    """Whether no chain of a thousand leaves the values of draws in twelve moves: a lazy kernel rarely tries."""
    report = Report()
    with suppress(Exception):  # refused here, reported elsewhere
        moved_draws(CheckedKernel(kernel.kernel, report), problem, 1000, np.random.default_rng(0))
    return all(failure.kind != "leaves the support" for failure in report.failures)


def _check_weights(kernel: Kernel, discrete: bool, n: int, report: Report, rng: np.random.Generator) -> None:
    """The mean weight of AIS is Z for every kernel that leaves each f_β invariant."""
    if discrete:
        path, log_z = geometric_path(uniform_rbm(3, 2), THREE_BITS), THREE_BITS.log_z()
    else:
        start = Gaussian(np.zeros(2), 1.5 * np.eye(2), 0.7)
        end = Gaussian(np.array([1.0, -0.8]), np.array([[0.8, 0.5], [0.5, 1.0]]), -1.3)
        path, log_z = geometric_path(start, end), -1.3
    try:
        run = ais(path, linear_schedule(10), n, kernel, rng=rng, workers=1)
    except Exception as error:  # it moves on the test problems
        report.skipped.append(f"the mean weight of AIS: {explain(error)}")
        return
    weights = np.exp(run.log_weights - log_z)
    z, p = z_and_p((weights - 1)[:, None])
    sentence = f"the mean weight of {n} chains of AIS is {weights.mean():.3f} Z, {abs(z[0]):.1f} standard errors from Z"
    report.add_test("biased weights", sentence, p[0], "the mean weight of AIS")
