"""The report of an audit. Every statistical test adds a p-value; Bonferroni's correction shares the risk among them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np
from scipy.special import ndtri

CONSEQUENCES = "not invariant", "biased weights"


class AuditStoppedError(Exception):
    """Raised after a failure that ends an audit; the report has it."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong: a kind that code can compare, a sentence, and a p-value, 0 if it is not statistical."""

    kind: str
    sentence: str
    p_value: float = 0.0

    def __str__(self) -> str:
        return f"{self.kind}: {self.sentence}"


@dataclass(frozen=True)
class AuditResult:
    """What `audit` found out about a subject: a "kernel", a "path" or an "estimator".

    Of ``n_tests`` statistical tests, ``risk`` is the probability, at most, of a finding in something correct.
    ``checks`` were made, ``skipped`` not. ``n_draws`` exact draws were moved on each problem; 0 for an estimator.
    """

    subject: str
    findings: tuple[Finding, ...]
    n_tests: int
    risk: float
    checks: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    n_draws: int = 0

    @property
    def passed(self) -> bool:
        """Whether nothing was found. This is no proof that nothing is wrong."""
        return not self.findings

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the findings, each once."""
        return tuple(dict.fromkeys(finding.kind for finding in self.findings))

    def __str__(self) -> str:
        found = f"{n} finding{'s' * (n > 1)}" if (n := len(self.findings)) else "nothing found"
        size = f" with {self.n_draws:,} draws per problem" if self.n_draws else ""
        risk = f"risk of a false alarm: {self.risk:g} or less"
        lines = [f"{self.subject}: {found} in {self.n_tests} tests{size} ({risk})"]
        if self.passed and 0 < self.n_draws < 8000:
            smallest = -ndtri(self.risk / max(self.n_tests, 1) / 2) / np.sqrt(self.n_draws)
            lines.append(f"  few draws: errors of less than {smallest:.2f} standard deviations in a mean go undetected")
        lines += [f"  ✗ {finding}" for finding in self.findings]
        lines += [f"  checked: {', '.join(self.checks)}"] if self.checks else []
        return "\n".join(lines + [f"  not checked: {reason}" for reason in self.skipped])

    __repr__ = __str__


@dataclass
class Report:
    """Collects what the checks of one audit find."""

    failures: list[Finding] = field(default_factory=list)
    tests: list[Finding] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def add_failure(self, kind: str, sentence: str) -> None:
        """Add a finding that is not statistical; only the first of each kind is kept."""
        if kind not in {finding.kind for finding in self.failures}:
            self.failures.append(Finding(kind, sentence))

    def stop(self, kind: str, sentence: str) -> NoReturn:
        """Add a failure that ends the audit."""
        self.add_failure(kind, sentence)
        raise AuditStoppedError

    def add_test(self, kind: str, sentence: str, p_value: float, check: str = "") -> None:
        """Add a statistical test: a finding if its p-value is small enough in the end."""
        self.checks += [check] if check else []
        self.tests.append(Finding(kind, sentence, float(p_value)))

    def finish(self, subject: str, risk: float, n_draws: int = 0) -> AuditResult:
        """Give each test an equal share of the risk (Bonferroni); keep the smallest p-value of a kind, causes first."""
        rejected = [test for test in self.tests if test.p_value * len(self.tests) < risk]
        smallest: dict[str, Finding] = {}
        for test in sorted(rejected, key=lambda test: test.p_value):
            smallest.setdefault(test.kind, test)
        findings = (*self.failures, *sorted(smallest.values(), key=lambda test: test.kind in CONSEQUENCES))
        checks, skipped = (tuple(dict.fromkeys(texts)) for texts in (self.checks, self.skipped))
        return AuditResult(subject, findings, len(self.tests), risk, checks, skipped, n_draws)


def explain(error: Exception) -> str:
    """An exception in words; for a missing attribute of a distribution, what the sampler needs."""
    if isinstance(error, AttributeError) and hasattr(error.obj, "log_density"):
        return f"it needs {'a gradient' if error.name == 'grad_log_density' else error.name}"
    return f"{type(error).__name__}: {error}"
