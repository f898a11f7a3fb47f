"""What an audit has found, and how it decides: every test hands in a p-value, and Bonferroni shares the risk."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtr, ndtri

CONSEQUENCES = "not invariant", "biased weights"


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong.

    Attributes
    ----------
    kind : str
        What code can ask for, such as "not invariant".
    sentence : str
        What was seen, in words and numbers.
    p_value : float
        The probability of seeing as much by chance in something right; 0 where chance has no part in it.

    Examples
    --------
    >>> print(Finding("does nothing", "no chain ever moved"))
    does nothing: no chain ever moved
    """

    kind: str
    sentence: str
    p_value: float = 0.0

    def __str__(self) -> str:
        return f"{self.kind}: {self.sentence}"


@dataclass(frozen=True)
class AuditResult:
    """What `audit` says of a kernel, a path or an estimator.

    Attributes
    ----------
    subject : str
        "kernel", "path" or "estimator".
    findings : tuple of Finding
        What is wrong; empty where nothing was found.
    n_tests : int
        Statistical tests that were made.
    risk : float
        The probability, at most, that something right is accused.
    asked : tuple of str
        Every question that was asked.
    left_out : tuple of str
        What could not be asked, and why.
    n_draws : int
        Exact draws that were moved in each world; 0 for an estimator, which is not asked by them.

    Examples
    --------
    >>> print(AuditResult("kernel", (), 12, 0.001, ("invariance",)))
    kernel: nothing found in 12 tests (something right is accused with probability 0.001 or less)
      asked: invariance
    """

    subject: str
    findings: tuple[Finding, ...]
    n_tests: int
    risk: float
    asked: tuple[str, ...] = ()
    left_out: tuple[str, ...] = field(default=())
    n_draws: int = 0

    @property
    def passed(self) -> bool:
        """Whether nothing was found. That is no proof: it says that these tests saw nothing."""
        return not self.findings

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of what was found, each once."""
        return tuple(dict.fromkeys(finding.kind for finding in self.findings))

    def __str__(self) -> str:
        found = f"{n} finding{'s' * (n > 1)}" if (n := len(self.findings)) else "nothing found"
        size = f" of {self.n_draws:,} draws per world" if self.n_draws else ""
        lines = [
            f"{self.subject}: {found} in {self.n_tests} tests{size} "
            f"(something right is accused with probability {self.risk:g} or less)"
        ]
        if self.passed and 0 < self.n_draws < 8000:
            unseen = -ndtri(self.risk / max(self.n_tests, 1) / 2) / np.sqrt(self.n_draws)
            lines.append(f"  weak: averages that are off by less than {unseen:.2f} standard deviations go unseen")
        lines += [f"  ✗ {finding}" for finding in self.findings]
        lines += [f"  asked: {', '.join(self.asked)}"] if self.asked else []
        return "\n".join(lines + [f"  not asked: {reason}" for reason in self.left_out])

    __repr__ = __str__


@dataclass
class Docket:
    """Where tests hand in what they saw."""

    facts: list[Finding] = field(default_factory=list)
    tests: list[Finding] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def fact(self, kind: str, sentence: str) -> None:
        """Something that chance has no part in; of each kind the first is kept."""
        if kind not in {finding.kind for finding in self.facts}:
            self.facts.append(Finding(kind, sentence))

    def test(self, kind: str, sentence: str, p_value: float, asked: str = "") -> None:
        """A test with its p-value, what is to be said if that is too small, and the question that it answers."""
        self.asked += [asked] if asked else []
        self.tests.append(Finding(kind, sentence, float(p_value)))

    def closed(self, subject: str, risk: float, n_draws: int = 0) -> AuditResult:
        """The result: every test has an equal share of the risk (Bonferroni). Of each kind the worst is told.

        Causes come first: chains that share their chance, for example, are no N independent draws, and seem off too.
        """
        seen = [t for t in self.tests if t.p_value * len(self.tests) < risk]
        worst: dict[str, Finding] = {}
        for test in sorted(seen, key=lambda t: t.p_value):
            worst.setdefault(test.kind, test)
        told = sorted(worst.values(), key=lambda test: test.kind in CONSEQUENCES)
        findings = (*self.facts, *told)
        asked, left_out = (tuple(dict.fromkeys(said)) for said in (self.asked, self.left_out))
        return AuditResult(subject, findings, len(self.tests), risk, asked, left_out, n_draws)


def why(error: Exception) -> str:
    """What a sampler needs of a distribution that lacks it, in words; else the error as it is."""
    if isinstance(error, AttributeError) and hasattr(error.obj, "log_density"):
        return f"it needs {'a gradient' if error.name == 'grad_log_density' else error.name}"
    return f"{type(error).__name__}: {error}"


def z_and_p(differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """z = mean / (sd / √N) along the first axis, and its two-sided p-value; both are harmless where little differs.

    A mean of differences that are nearly all zero is not normal yet: with fewer than 50 others z is 0, p is 1.

    Examples
    --------
    >>> z, p = z_and_p(np.tile([[1.0], [-1.0]], (50, 1)))
    >>> z, p
    (array([0.]), array([1.]))
    """
    n = len(differences)
    mean, sd = differences.mean(0), differences.std(0, ddof=1)
    enough = (np.count_nonzero(differences, axis=0) >= 50) & (sd > 0)
    z = np.where(enough, mean / np.where(enough, sd / np.sqrt(n), 1.0), 0.0)
    return z, 2 * ndtr(-np.abs(z))
