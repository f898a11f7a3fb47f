"""Schedules: the β of the intermediate distributions."""

from __future__ import annotations

import heapq

import numpy as np

from anneal_edu.paths.asymptotics import segment_costs
from anneal_edu.paths.capabilities import Path
from anneal_edu.validation import as_count, as_finite_array, as_schedule


def linear_schedule(n_steps: int) -> np.ndarray:
    """Evenly spaced values of β from 0 to 1, (K+1,) for K = n_steps transitions.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> ae.linear_schedule(4)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    return np.linspace(0, 1, as_count("n_steps", n_steps) + 1)


def piecewise_schedule(edges: np.ndarray, n_steps: int | np.ndarray) -> np.ndarray:
    """Evenly spaced values of β within each segment, (K+1,), K the total number of transitions.

    Parameters
    ----------
    edges : (n_segments + 1,) array
        Rises from 0 to 1.
    n_steps : int or (n_segments,) array of int
        Transitions of each segment, at least 1; one number is divided evenly, the remainder among the first segments.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> ae.piecewise_schedule([0, 0.1, 1], [2, 3])
    array([0.  , 0.05, 0.1 , 0.4 , 0.7 , 1.  ])
    """
    edges = as_schedule("edges", edges)
    n_segments = len(edges) - 1
    if isinstance(n_steps, int) or np.ndim(n_steps) == 0:
        total = as_count("n_steps", n_steps, minimum=n_segments)
        counts = [total // n_segments + (j < total % n_segments) for j in range(n_segments)]
    else:
        counts = [as_count("n_steps", n) for n in n_steps]
    if len(counts) != n_segments:
        raise ValueError(f"n_steps must give one number for each of {n_segments} segments, got {len(counts)}")
    pieces = [np.linspace(a, b, n, endpoint=False) for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)]
    return np.append(np.concatenate(pieces), 1.0)


def optimal_allocation(costs: np.ndarray, n_steps: int) -> np.ndarray:
    """Whole numbers K_j ≥ 1 with Σ K_j = n_steps that minimise Σ_j F_j / K_j.

    Without rounding the answer is K_j ∝ √F_j (Grosse et al. 2013, Eq. 20). Assigning the transitions one by one, each
    to the segment where it saves most, F_j / K_j - F_j / (K_j + 1), gives the best whole numbers.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> ae.optimal_allocation([1.0, 9.0], 8)
    array([2, 6])
    """
    costs = as_finite_array("costs", costs, ndim=1)
    if (costs < 0).any():
        raise ValueError(f"costs must not be negative, got {costs.min()}")
    n_steps = as_count("n_steps", n_steps, minimum=len(costs))
    counts = np.ones(len(costs), dtype=int)
    queue = [(-cost / 2, j) for j, cost in enumerate(costs)]
    heapq.heapify(queue)
    for _ in range(n_steps - len(costs)):
        _, j = queue[0]
        counts[j] += 1
        heapq.heapreplace(queue, (-costs[j] / (counts[j] * (counts[j] + 1)), j))
    return counts


def optimal_binned_schedule(path: Path, n_steps: int, n_bins: int = 10) -> np.ndarray:
    """The best schedule that is linear within each of ``n_bins`` equal segments  (Grosse et al. 2013, Theorem 3).

    It has K = n_steps transitions, at least ``n_bins``. The distributions of the path at the edges of the bins must
    have known natural parameters and moments.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> path = ae.moment_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([20.0], [[1.0]]))
    >>> ae.optimal_binned_schedule(path, 10, n_bins=2)
    array([0. , 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1. ])
    """
    edges = linear_schedule(as_count("n_bins", n_bins))
    return piecewise_schedule(edges, optimal_allocation(segment_costs(path, edges), n_steps))
