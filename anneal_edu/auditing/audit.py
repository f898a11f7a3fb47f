"""An audit of a sampler that anyone wrote: exact and statistical tests on tiny problems, and a report in words."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from anneal_edu.auditing.findings import AuditResult, Docket
from anneal_edu.auditing.invariance import TIMES_MORE
from anneal_edu.auditing.of_estimators import audit_estimator
from anneal_edu.auditing.of_kernels import audit_kernel
from anneal_edu.auditing.of_paths import audit_path
from anneal_edu.validation import as_count, as_number, require_ability, require_callable, require_generator

KERNEL, PATH, ESTIMATOR = "kernel", "path", "estimator"
_WANTED = "a kernel(distribution, x, rng), a path(beta) or an estimator(path, schedule, n_chains, kernel=…, rng=…)"


def audit(
    subject: Callable[..., Any],
    *,
    on: Any = None,
    n_draws: int = 8000,
    risk: float = 0.001,
    rng: np.random.Generator,
) -> AuditResult:
    """Ask a kernel, a path or an estimator of your own what it must be able to answer, on problems that can be solved.

    What it is, its signature says: ``kernel(distribution, x, rng)``, ``path(beta)`` or
    ``estimator(path, schedule, n_chains, kernel=…, rng=…)``, which returns something with ``log_z``.

    * A kernel must leave five densities and a small RBM invariant: exact draws that it moves must stay exact draws. It
      must be able to come everywhere, draw all its chance from ``rng``, remember nothing, leave its input alone, and
      move every chain, each independently of the others.
    * A path must give densities whose normalisers, gradients, draws and Gibbs steps belong to one another.
    * An estimator must find log Z of four problems, shift it by c where log f is shifted by c, use the kernel, the
      schedule and all the chains that it is given, and tell the truth about its error where it gives one.

    No test sees everything. In particular a mode that no chain reaches from where chains begin leaves no trace here.

    Parameters
    ----------
    subject : callable
    on : Distribution, optional
        For a kernel that needs more of a distribution than log f and its gradient: one that it can move, with exact
        draws, ``sample(n, rng)``. It is then asked on this one alone.
    n_draws : int
        Exact draws that are moved together at first; suspicious averages are asked again with eight times as many.
        A kernel then moves single chains five million times, 300,000 times if 200 are asked for: ask a slow one so.
    risk : float
        The probability, at most, that something right is accused: each of n tests gets risk / n (Bonferroni).
    rng : numpy.random.Generator

    Returns
    -------
    AuditResult
        ``passed``, ``findings`` with a kind and a sentence each, and all of it as text.

    Raises
    ------
    TypeError
        Where the signature is that of none of the three.
    ValueError
        Where ``n_draws`` is below 200, or ``risk`` not between 0 and 1.

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
    kind, docket = kind_of(subject), Docket()
    if on is not None:
        if kind != KERNEL:
            raise TypeError(f"on is for a kernel, got it with a {kind}")
        require_ability(on, "sample", "audited", "a distribution with exact draws")
    with np.errstate(all="ignore"):
        if kind == KERNEL:
            audit_kernel(subject, on, n_draws, docket, rng)
        elif kind == PATH:
            audit_path(subject, n_draws, docket, rng)
        else:
            audit_estimator(subject, docket, rng)
    return docket.closed(kind, risk, TIMES_MORE * n_draws * (kind != ESTIMATOR))


def kind_of(subject: Callable[..., Any]) -> str:
    """What a function is, by what must be handed to it.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> kind_of(ae.gibbs), kind_of(lambda beta: ae.uniform_rbm(2, 2)), kind_of(ae.ais)
    ('kernel', 'path', 'estimator')
    """
    try:
        parameters = inspect.signature(subject).parameters.values()
    except (TypeError, ValueError):
        raise TypeError(f"subject must be {_WANTED}; its signature cannot be read") from None
    by_place = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = [p.name for p in by_place if p.default is p.empty]
    by_name = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}
    names = [p.name for p in by_place]
    if needed[:1] == ["path"] or {"schedule", "n_chains"} & set(names) or (len(needed) >= 3 and "rng" in by_name):
        return ESTIMATOR
    if len(needed) == 1 and "rng" not in names:
        return PATH
    if len(needed) == 3 or names[:3] == ["distribution", "x", "rng"]:
        return KERNEL
    raise TypeError(f"subject must be {_WANTED}, got one with the arguments ({', '.join(names)})")
