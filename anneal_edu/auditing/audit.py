"""Audit a sampler: exact and statistical tests on small problems, and a report in words."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from anneal_edu.auditing.audit_estimator import audit_estimator
from anneal_edu.auditing.audit_kernel import audit_kernel
from anneal_edu.auditing.audit_path import audit_path
from anneal_edu.auditing.invariance import REPEAT_FACTOR
from anneal_edu.auditing.report import AuditResult, Report
from anneal_edu.validation import as_count, as_number, require_ability, require_callable, require_generator

_WANTED = "a kernel(distribution, x, rng), a path(beta) or an estimator(path, schedule, n_chains, kernel=…, rng=…)"


def audit(
    subject: Callable[..., Any],
    *,
    on: Any = None,
    n_draws: int = 8000,
    risk: float = 0.001,
    rng: np.random.Generator,
) -> AuditResult:
    """Test a kernel, a path or an estimator of your own on small problems with exact answers.

    The signature tells which it is: ``kernel(distribution, x, rng)``, ``path(beta)`` or
    ``estimator(path, schedule, n_chains, kernel=…, rng=…)``, which returns something with ``log_z``.

    * A kernel must leave five densities and a small RBM invariant, reach every state, take all randomness from
      ``rng``, keep nothing between calls, leave its input unchanged, and move all chains independently of each other.
    * The densities, normalisers, gradients, draws and Gibbs steps of a path must fit each other.
    * An estimator must find log Z of four problems, use the kernel and the schedule that it gets, give a weight to
      every chain, and report a correct standard error, if it reports any of these.

    No test finds everything: a mode that no chain reaches from the start leaves no trace here.

    Parameters
    ----------
    subject : callable
    on : Distribution, optional
        For a kernel that needs more of a distribution than log f and its gradient: one that it can move, with exact
        draws, ``sample(n, rng)``. The kernel is then tested on this one alone.
    n_draws : int
        Exact draws that are moved together at first; suspicious means are tested with eight times as many.
    risk : float
        The probability, at most, of a finding in something correct: each of n tests gets risk / n (Bonferroni).
    rng : numpy.random.Generator

    Returns
    -------
    AuditResult
        ``passed``, ``findings`` with a kind and a sentence each, and a printed report.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> def always(distribution, x, rng):
    ...     return x + 0.5 * rng.standard_normal(x.shape)
    >>> ae.audit(always, n_draws=1000, rng=np.random.default_rng(0)).kinds[0]
    'leaves the support'
    """
    require_callable("subject", subject, _WANTED)
    n_draws, risk = as_count("n_draws", n_draws, minimum=200), as_number("risk", risk)
    if not 0 < risk < 1:
        raise ValueError(f"risk must lie strictly between 0 and 1, got {risk}")
    require_generator(rng)
    kind, report = kind_of(subject), Report()
    if on is not None:
        if kind != "kernel":
            raise TypeError(f"on is for a kernel, got it with a {kind}")
        require_ability(on, "sample", "audited", "a distribution with exact draws")
    with np.errstate(all="ignore"):
        if kind == "kernel":
            audit_kernel(subject, on, n_draws, report, rng)
        elif kind == "path":
            audit_path(subject, n_draws, report, rng)
        else:
            audit_estimator(subject, report, rng)
    return report.finish(kind, risk, REPEAT_FACTOR * n_draws * (kind != "estimator"))


def kind_of(subject: Callable[..., Any]) -> str:
    """Whether a function is a "kernel", a "path" or an "estimator", by its signature."""
    try:
        parameters = inspect.signature(subject).parameters.values()
    except (TypeError, ValueError):
        raise TypeError(f"subject must be {_WANTED}; its signature cannot be read") from None
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = [p.name for p in positional if p.default is p.empty]
    keywords = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}
    names = [p.name for p in positional]
    if needed[:1] == ["path"] or {"schedule", "n_chains"} & set(names) or (len(needed) >= 3 and "rng" in keywords):
        return "estimator"
    if len(needed) == 1 and "rng" not in names:
        return "path"
    if len(needed) == 3 or names[:3] == ["distribution", "x", "rng"]:
        return "kernel"
    raise TypeError(f"subject must be {_WANTED}, got one with the arguments ({', '.join(names)})")
