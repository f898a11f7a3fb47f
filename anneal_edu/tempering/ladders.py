"""Where the rungs of a ladder should be: the communication barrier of a pilot run, divided into equal parts.

Syed, Bouchard-Côté, Deligiannidis and Doucet, "Non-reversible parallel tempering: a scalable highly parallel MCMC
scheme", JRSS B 84, 2022.
"""

from __future__ import annotations

import numpy as np
import scipy

from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.tempering.swaps import as_rates
from anneal_edu.validation import as_count, as_schedule, require_shape


def cumulative_barrier(schedule: np.ndarray, rejection_rates: np.ndarray) -> scipy.interpolate.PchipInterpolator:
    """Λ(β), the rejection rates added up along the ladder and interpolated by a monotone cubic (Syed et al. 2022).

    Its derivative is the local barrier λ(β), how hard it is to pass there: ``cumulative_barrier(…).derivative()``.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> float(ae.tempering.ladders.cumulative_barrier([0, 0.5, 1], [0.2, 0.4])(1.0).round(6))
    0.6
    """
    schedule = as_schedule("schedule", schedule)
    rates = as_rates(rejection_rates)
    require_shape("rejection_rates", rates, (len(schedule) - 1,))
    return scipy.interpolate.PchipInterpolator(schedule, np.append(0.0, np.cumsum(rates)))


def equal_rejection_schedule(schedule: np.ndarray, rejection_rates: np.ndarray, n_steps: int) -> np.ndarray:
    """The ladder of K = n_steps pairs on which every pair should refuse equally often  (Syed et al. 2022, Section 5).

    Its rungs divide Λ(β), as a pilot run found it, into equal parts. About 2 Λ pairs are worth their cost.

    Parameters
    ----------
    schedule : (J+1,) array
        Of the pilot.
    rejection_rates : (J,) array
        Of the pilot.
    n_steps : int

    Returns
    -------
    (K+1,) array

    Examples
    --------
    >>> import anneal_edu as ae
    >>> ae.equal_rejection_schedule([0, 0.5, 1], [0.3, 0.3], 2)
    array([0. , 0.5, 1. ])
    """
    barrier = cumulative_barrier(schedule, rejection_rates)
    n_steps, total = as_count("n_steps", n_steps), float(barrier(1.0))
    if total < 1e-12:
        return linear_schedule(n_steps)
    edges, inner = barrier.x, []
    for goal in total * linear_schedule(n_steps)[1:-1]:
        low = int(np.searchsorted(barrier(edges), goal, side="right")) - 1
        width = edges[low + 1] - edges[low]  # by shares of it: all may happen where β is 1e-12
        share = scipy.optimize.brentq(lambda t: barrier(edges[low] + t * width) - goal, 0, 1)  # noqa: B023
        inner.append(edges[low] + width * share)
    return np.array([0.0, *inner, 1.0])
