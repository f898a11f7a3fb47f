"""The step of the leapfrog, tuned before the run that it is for."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from anneal_edu.annealing.hais import hais
from anneal_edu.paths.capabilities import Path
from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.validation import as_number, require_generator

_LOG_STEPS = np.log(1e-5), np.log(1e4)


def tune_step_size(
    path: Path,
    n_steps: int = 100,
    n_chains: int = 50,
    target_acceptance: float = 0.9,
    *,
    rng: np.random.Generator,
) -> float:
    """The leapfrog step at which a pilot run of `hais` accepts the given share of its steps.

    Parameters
    ----------
    path : callable, beta -> Distribution
    n_steps, n_chains : int
        Transitions, on a linear schedule, and chains of each pilot run.
    target_acceptance : float
        Between 0 and 1.
    rng : numpy.random.Generator

    Returns
    -------
    float
        Within 2% of where the share is reached; the pilots use common random numbers.

    Raises
    ------
    ValueError
        Where the target is not strictly between 0 and 1, or no step size between 1e-5 and 1e4 reaches it.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([0.0], [[1e-4]]))
    >>> 0.001 < ae.tune_step_size(path, rng=np.random.default_rng(0)) < 0.1
    True
    """
    if not 0 < as_number("target_acceptance", target_acceptance) < 1:
        raise ValueError(f"target_acceptance must lie strictly between 0 and 1, got {target_acceptance}")
    schedule = linear_schedule(n_steps)
    require_generator(rng)
    seed = int(rng.integers(2**63))

    def excess(log_step: float) -> float:
        pilot = hais(path, schedule, n_chains, float(np.exp(log_step)), rng=np.random.default_rng(seed))
        return pilot.acceptance - target_acceptance

    low = high = np.log(0.2)  # from the paper's step out by factors of two: far too long a step would overflow
    while excess(low) < 0 and low > _LOG_STEPS[0]:
        low -= np.log(2)
    while excess(high) > 0 and high < _LOG_STEPS[1]:
        high += np.log(2)
    if not excess(low) >= 0 >= excess(high):
        raise ValueError(f"no step size between 1e-5 and 1e4 reaches an acceptance of {target_acceptance}")
    return float(np.exp(brentq(excess, low, high, xtol=0.02))) if low < high else float(np.exp(low))
