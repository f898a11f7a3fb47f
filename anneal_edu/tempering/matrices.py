"""Transition matrices of parallel tempering on few discrete states, and exact mean round-trip times.

A ladder of K + 1 rungs over S states has S^(K+1) configurations, numbered with the first rung varying slowest. Rung k
has the distribution proportional to exp(log_f[k]).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from anneal_edu.tempering.swaps import SCHEMES, as_rates
from anneal_edu.validation import as_choice, as_finite_array

_MOST_CONFIGURATIONS = 5000

TagMove = Callable[[int, int, bool, int], tuple[int, int]]


def _as_ladder(log_f: np.ndarray) -> np.ndarray:
    log_f = as_finite_array("log_f", log_f, ndim=2)
    if len(log_f) < 2:
        raise ValueError(f"log_f must have a row for each of at least 2 rungs, got {len(log_f)}")
    if (size := log_f.shape[1] ** len(log_f)) > _MOST_CONFIGURATIONS:
        raise ValueError(f"log_f has {size} configurations, at most {_MOST_CONFIGURATIONS} fit into a matrix")
    return log_f


def ladder_distribution(log_f: np.ndarray) -> np.ndarray:
    """Probability of every configuration, the product of the rungs: (K+1, S) -> (S^(K+1),)."""
    log_f = _as_ladder(log_f)
    p = np.exp(log_f - log_f.max(1, keepdims=True))
    return reduce(np.kron, p / p.sum(1, keepdims=True))


def exploration_matrix(transitions: list[np.ndarray]) -> np.ndarray:
    """One transition on every rung: K + 1 matrices (S, S) -> (S^(K+1), S^(K+1))."""
    return reduce(np.kron, transitions)


def swap_matrix(log_f: np.ndarray, k: int) -> np.ndarray:
    """Transition matrix of a Metropolis swap of rungs k and k + 1, (S^(K+1), S^(K+1))."""
    log_f = _as_ladder(log_f)
    n_rungs, n_states = log_f.shape
    if not 0 <= k < n_rungs - 1:
        raise ValueError(f"k must be a pair of neighbours, 0 to {n_rungs - 2}, got {k}")
    shape = (n_states,) * n_rungs
    configurations = np.indices(shape).reshape(n_rungs, -1)  # (K+1, S^(K+1)): the state on every rung
    low, high = configurations[k], configurations[k + 1]
    log_alpha = log_f[k, high] + log_f[k + 1, low] - log_f[k, low] - log_f[k + 1, high]
    alpha = np.exp(np.minimum(0, log_alpha))
    swapped = np.arange(len(alpha)).reshape(shape).swapaxes(k, k + 1).ravel()
    T = np.diag(1 - alpha)
    T[np.arange(len(alpha)), swapped] += alpha
    return T


def even_odd_matrices(log_f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Swaps of all even pairs (0, 1), (2, 3), …, and of all odd ones: two matrices (S^(K+1), S^(K+1)).

    The stochastic scheme is their average; the deterministic one alternates.
    """
    swaps = [swap_matrix(log_f, k) for k in range(len(_as_ladder(log_f)) - 1)]
    unchanged = np.eye(len(swaps[0]))
    return reduce(np.matmul, swaps[::2], unchanged), reduce(np.matmul, swaps[1::2], unchanged)


def tag_states(n_pairs: int) -> list[tuple[int, int]]:
    """Rung and direction (n, e) of the tagged replica, with n + e on the ladder: 2 K of them."""
    return [(n, e) for n in range(n_pairs + 1) for e in (-1, 1) if 0 <= n + e <= n_pairs]


def lifted_move(n: int, e: int, accepted: bool, n_pairs: int) -> tuple[int, int]:
    """The tag (n, e) after a swap is accepted or rejected: see `anneal_edu.tempering.swaps.Lifted`."""
    n = n + e if accepted else n
    return n, (-e if accepted == (n in (0, n_pairs)) else e)


def lifted_matrix(log_f: np.ndarray, move: TagMove = lifted_move) -> np.ndarray:
    """Transition matrix of the lifted scheme, (2 K S^(K+1), 2 K S^(K+1))  (Kadan et al. 2018, Sections 4.2.1, 4.2.2).

    Its states are `tag_states` × configurations. Its invariant distribution is uniform over the former, and the product
    of the rungs over the latter.
    """
    log_f = _as_ladder(log_f)
    n_pairs = len(log_f) - 1
    tags, size = tag_states(n_pairs), len(ladder_distribution(log_f))
    if len(tags) * size > _MOST_CONFIGURATIONS:
        raise ValueError(f"{size} configurations with {len(tags)} tags do not fit, at most {_MOST_CONFIGURATIONS} do")
    T = np.zeros((len(tags), size, len(tags), size))
    configurations = np.indices((log_f.shape[1],) * (n_pairs + 1)).reshape(n_pairs + 1, -1)
    for i, (n, e) in enumerate(tags):
        swap = swap_matrix(log_f, min(n, n + e))
        stays = np.zeros_like(swap)
        # a configuration with equal states on both rungs is swapped with probability 1, onto itself
        equal = configurations[n] == configurations[n + e]
        np.fill_diagonal(stays, np.where(equal, 0.0, swap.diagonal()))
        for accepted, part in ((True, swap - stays), (False, stays)):
            after = move(n, e, accepted, n_pairs)
            if after not in tags:
                raise ValueError(f"the tag would go from {(n, e)} to {after}, which is no state of the ladder")
            T[i, :, tags.index(after), :] += part
    return T.reshape(len(tags) * size, -1)


def spectral_gap(T: np.ndarray) -> float:
    """1 - |λ₂|, λ₂ the second largest eigenvalue of a transition matrix by absolute value."""
    return float(1 - np.sort(np.abs(np.linalg.eigvals(T)))[-2])


def index_chain(scheme: str, rejection_rates: np.ndarray) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """Transition matrix of one replica if each pair rejects at its rate, independently each time; and its states.

    A state is (rung, memory). Memory is the parity of the turn for "even_odd", 0 for "stochastic_even_odd", and the
    direction for "lifted", where the replica is the tagged one.
    """
    as_choice("scheme", scheme, SCHEMES)
    r = as_rates(rejection_rates)
    n_pairs = len(r)
    memories = (0, 1) if scheme == "even_odd" else (0,)
    states = tag_states(n_pairs) if scheme == "lifted" else [(n, m) for n in range(n_pairs + 1) for m in memories]
    T = np.zeros((len(states), len(states)))
    for i, (n, memory) in enumerate(states):
        if scheme == "lifted":
            refused = r[min(n, n + memory)]
            T[i, states.index(lifted_move(n, memory, True, n_pairs))] += 1 - refused
            T[i, states.index(lifted_move(n, memory, False, n_pairs))] += refused
            continue
        for parity, weight in ((memory, 1.0),) if scheme == "even_odd" else ((0, 0.5), (1, 0.5)):
            partner = n + 1 if n % 2 == parity else n - 1
            after = 1 - memory if scheme == "even_odd" else 0
            p = 1 - r[min(n, partner)] if 0 <= partner <= n_pairs else 0.0
            T[i, states.index((partner if p else n, after))] += weight * p
            T[i, states.index((n, after))] += weight * (1 - p)
    return T, states


def _mean_time_to_rung(T: np.ndarray, states: list[tuple[int, int]], start: int, rung: int) -> tuple[float, int]:
    """Mean number of sweeps from a state to a rung, and the likeliest state of arrival."""
    inside = [i for i, (n, _) in enumerate(states) if n != rung]
    Q = T[np.ix_(inside, inside)]
    visits = np.linalg.solve((np.eye(len(inside)) - Q).T, np.eye(len(inside))[inside.index(start)])
    arrivals = visits @ T[inside]
    arrivals[inside] = 0
    return float(visits.sum()), int(arrivals.argmax())


def expected_round_trip_time(scheme: str, rejection_rates: np.ndarray) -> float:
    """Mean number of sweeps in which one replica goes from rung 0 to rung K and back.

    K + 1 replicas make (K + 1) / this many round trips per sweep, for "even_odd" 1 / (2 + 2 Σ r/(1-r)). In the lifted
    scheme only the tagged replica counts. The rejection rates are (K,), below 1.
    """
    T, states = index_chain(scheme, rejection_rates)
    if (np.asarray(rejection_rates) >= 1).any():
        raise ValueError("rejection_rates must be below 1: if a pair rejects every swap there are no round trips")
    at_start = next(i for i, (n, memory) in enumerate(states) if n == 0 and (scheme != "even_odd" or memory == 1))
    up, at_top = _mean_time_to_rung(T, states, at_start, len(rejection_rates))
    down, _ = _mean_time_to_rung(T, states, at_top, 0)
    return up + down
