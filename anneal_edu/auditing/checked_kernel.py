"""A kernel whose every output is checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from anneal_edu.auditing.problems import Problem
from anneal_edu.auditing.report import Report
from anneal_edu.kernels import Kernel


class CheckedKernel:
    """kernel(distribution, x, rng); what is wrong with the states that it returns goes into the report."""

    def __init__(self, kernel: Kernel, report: Report):
        self.kernel, self.report = kernel, report

    def __call__(self, problem: Problem, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The next states, (C, D) -> (C, D); raises AuditStoppedError if they cannot be used."""
        given = x.copy()
        states = self._as_states(self.kernel(problem.distribution, given, rng), x)
        if not np.array_equal(given, x):
            sentence = "it writes into the array that it gets: code that keeps the old states finds the new ones"
            self.report.add_failure("changes its input", sentence)
        if not problem.discrete and len(x) >= 20 and _is_single(states) and not _is_single(x):
            self.report.add_failure("rounds its states", "every coordinate that it returns has single precision")
        self._check_support(problem, states)
        return states.astype(x.dtype if problem.discrete else np.float64)

    def _as_states(self, answer: Any, x: np.ndarray) -> np.ndarray:
        states = np.array(None if isinstance(answer, tuple) else answer)  # a copy
        if states.dtype.kind not in "biuf":
            wanted = f"it must return an array of states {x.shape}"
            self.report.stop("invalid states", f"{wanted}, got {type(answer).__name__}")
        if states.shape != x.shape:
            self.report.stop("invalid states", f"it must return one state per chain, {x.shape}, got {states.shape}")
        if not np.isfinite(states).all():
            bad = np.sum(~np.isfinite(states))
            self.report.stop("invalid states", f"NaN or infinity in {bad} of {states.size} coordinates")
        return states

    def _check_support(self, problem: Problem, states: np.ndarray) -> None:
        where = f"of {len(states)} chains"
        if problem.values:
            unknown = (~np.isin(states, np.concatenate(problem.values)).all(1)).sum()
            if unknown > (0 if getattr(problem.distribution, "binary", False) else max(50, len(states) // 20)):
                sentence = f"{unknown} {where} have a value that no draw has ({problem.name})"
                self.report.stop("leaves the support", sentence)
        outside = np.isneginf(problem.distribution.log_density(states)).sum()
        if outside:
            self.report.stop("leaves the support", f"{outside} {where} are where the density is zero ({problem.name})")


def _is_single(x: np.ndarray) -> bool:
    return bool((x.astype(np.float32) == x).all())
