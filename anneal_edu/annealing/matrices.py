"""Transition matrices on few discrete states, and AIS on vectors of probability instead of samples.

A distribution over S states is the vector of its log f, (S,). A transition matrix T is (S, S): row x holds T(x' | x).
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logsumexp

from anneal_edu.distributions import BinaryRBM, binary_states
from anneal_edu.distributions.enumeration import require_enumerable
from anneal_edu.validation import as_finite_array, as_positive, require_kind, require_shape


def gibbs_matrix(rbm: BinaryRBM) -> np.ndarray:
    """Transition matrix of block Gibbs on the visible states of a tiny RBM, (2^D, 2^D).

    T(v' | v) = Σ_h p(h | v) p(v' | h), states in the order of `binary_states`.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> ae.gibbs_matrix(ae.uniform_rbm(1, 1))
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    require_kind("rbm", rbm, BinaryRBM)
    require_enumerable(rbm.dim + rbm.n_hidden)
    v, h = binary_states(rbm.dim), binary_states(rbm.n_hidden)

    def row_probabilities(p_on: np.ndarray, states: np.ndarray) -> np.ndarray:
        return np.prod(np.where(states[None] == 1, p_on[:, None], 1 - p_on[:, None]), axis=-1)

    h_given_v = row_probabilities(expit(v @ rbm.weights + rbm.hidden_bias), h)  # (2^D, 2^H)
    v_given_h = row_probabilities(expit(h @ rbm.weights.T + rbm.visible_bias), v)  # (2^H, 2^D)
    return h_given_v @ v_given_h


def metropolis_matrix(log_f: np.ndarray) -> np.ndarray:
    """Transition matrix of Metropolis on a line of S states that proposes a neighbour, (S, S).

    T(x ± 1 | x) = ½ min(1, f(x ± 1) / f(x)); a proposal beyond the end of the line is rejected.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> ae.metropolis_matrix(np.log([1.0, 2.0]))
    array([[0.5 , 0.5 ],
           [0.25, 0.75]])
    """
    log_f = as_finite_array("log_f", log_f, ndim=1)
    up = 0.5 * np.exp(np.minimum(0, np.diff(log_f)))
    down = 0.5 * np.exp(np.minimum(0, -np.diff(log_f)))
    T = np.diag(up, 1) + np.diag(down, -1)
    return T + np.diag(1 - T.sum(1))


def random_walk_matrix(log_f: np.ndarray, x: np.ndarray, step_size: float) -> np.ndarray:
    """Transition matrix of random-walk Metropolis on a line of S narrow cells, (S, S).

    The proposal is N(x, step_size²) on the cells; one beyond the ends is rejected.
    """
    log_f, x = as_finite_array("log_f", log_f, ndim=1), as_finite_array("x", x, ndim=1)
    require_shape("x", x, log_f.shape)
    step_size = as_positive("step_size", step_size)
    gaps = np.diff(x)
    if len(x) < 2 or gaps[0] <= 0 or not np.allclose(gaps, gaps[0]) or gaps[0] >= step_size:
        raise ValueError("x must be evenly spaced and rising, by less than a step_size")
    away = (x[:, None] - x) / step_size
    proposed = np.exp(-(away**2) / 2) * gaps[0] / (step_size * np.sqrt(2 * np.pi))
    T = proposed * np.exp(np.minimum(0, log_f - log_f[:, None]))
    np.fill_diagonal(T, 0)
    return T + np.diag(1 - T.sum(1))


def _checked(log_f: np.ndarray, transitions: list[np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Log f_k of K + 1 stages over S states, and K transition matrices that fit them."""
    log_f = as_finite_array("log_f", log_f, ndim=2)
    if np.abs(log_f).max() > 600:
        raise ValueError(f"log_f must stay within ±600, so that exp(log_f) is a number, got {np.abs(log_f).max():.0f}")
    if len(transitions) != len(log_f) - 1:
        raise ValueError(f"transitions must hold {len(log_f) - 1} matrices, got {len(transitions)}")
    matrices = [as_finite_array(f"transitions[{k}]", T, ndim=2) for k, T in enumerate(transitions)]
    for k, T in enumerate(matrices):
        require_shape(f"transitions[{k}]", T, (log_f.shape[1], log_f.shape[1]))
        if not np.allclose(T.sum(1), 1):
            raise ValueError(f"transitions[{k}] must have rows that sum to 1")
    return log_f, matrices


def expected_ais_weights(
    log_f: np.ndarray, transitions: list[np.ndarray], starts: np.ndarray | None = None
) -> np.ndarray:
    """The exact mean AIS weight at every stage, split by the state of the chains: E[w_k 1(x_k = s)], (K+1, S).

    From m_0 = f_0, each step of AIS multiplies by the weight ratio and by the transition matrix,
    m_k = (m_{k-1} · f_k / f_{k-1}) T_k. If every T_k leaves f_k invariant, m_k = f_k, and the total weight Σ m_K is
    exactly Z_K: AIS is unbiased out of equilibrium.

    ``log_f`` holds log f_k of every state, (K+1, S), and ``transitions`` T_1 … T_K, each (S, S). With ``starts``, (S,)
    of bool, only the chains that start in these states are counted.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> log_f = np.log([[1.0, 1.0], [1.0, 3.0]])
    >>> ae.expected_ais_weights(log_f, [np.eye(2)]).sum(1)
    array([2., 4.])
    """
    log_f, transitions = _checked(log_f, transitions)
    counted = np.ones(log_f.shape[1], dtype=bool) if starts is None else np.asarray(starts)
    if counted.dtype != bool or counted.shape != log_f[0].shape:
        raise ValueError(f"starts must hold {log_f.shape[1]} booleans, one a state, got {starts!r}")
    mass = [np.exp(log_f[0]) * counted]
    for k, T in enumerate(transitions, start=1):
        mass.append((mass[-1] * np.exp(log_f[k] - log_f[k - 1])) @ T)
    return np.array(mass)


def state_distributions(log_f: np.ndarray, transitions: list[np.ndarray]) -> np.ndarray:
    """Distribution of the chains without their weights, p_0 T_1 … T_k: rows that sum to 1, (K+1, S)."""
    log_f, transitions = _checked(log_f, transitions)
    rows = [np.exp(log_f[0] - logsumexp(log_f[0]))]
    for T in transitions:
        rows.append(rows[-1] @ T)
    return np.array(rows)
