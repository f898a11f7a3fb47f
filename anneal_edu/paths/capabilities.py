"""What a path, or a kernel, may offer beside being called: the same numbers for less work.

Every estimator needs no more of a path than path(β), and of a kernel than kernel(distribution, x, rng). What is offered
here saves time, and is held to the plain way by a test. A path may offer, under these names:

==============================  ========================================================================
``linear``                      True where log f_β = (1-β) log f_0 + β log f_1 for states x: the two ends, ``start`` and
                                ``end``, then serve every β
``log_density_slopes(β, x)``    d/dβ log f_β(x) in closed form, (K+1,), (N, D) -> (K+1, N)
``weigh_and_gibbs(…)``          the step of AIS, weight and Gibbs move in one: (β_{k-1}, β_k, x, rng) -> (log ratio, x)
``gibbs_rungs(schedule)``       rungs that share their work for chains that wander, see `anneal_edu.paths.rungs.Rungs`
``gibbs_ladder(schedule)``      the same for chains on every rung, (K+1, C); None where there are none
==============================  ========================================================================

A kernel may say which of these it stands for, as ``gibbs.step = "weigh_and_gibbs"``, and what its time reversal is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anneal_edu.distributions import Distribution

Path = Callable[[float], Distribution]
Step = Callable[[float, float, np.ndarray, np.random.Generator], tuple[np.ndarray, np.ndarray]]
"""A step of AIS, weight and move in one: (β_{k-1}, β_k, x (C, D), rng) -> (log weight ratio (C,), next x)."""


def offered(thing: Any, name: str | None) -> Any:
    """What a path offers under a name; None where it offers nothing, or where a subclass has since changed the path.

    Who overrides ``__call__`` makes another path. What the class above wrote for its own path would be silently wrong.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([2.0], [[1.0]]))
    >>> class Slower(type(path)):
    ...     def __call__(self, beta):
    ...         return super().__call__(beta**2)
    >>> offered(path, "linear"), offered(Slower(path.start, path.end), "linear")
    (True, None)
    """
    if name is None:
        return None
    for kind in type(thing).__mro__:
        if name in vars(kind):
            return getattr(thing, name)
        if "__call__" in vars(kind):
            return None
    return None
