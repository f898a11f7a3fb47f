"""Exact sums over every state of one binary layer of an RBM.

For a binary RBM, with the summed layer called u (m units) and the other one w (n units),

    Z = Σ_u exp(a·u) Π_i (1 + exp(b_i + (Wu)_i)),          W of shape (n, m).

With u split into two halves, exp(b_i + W_i u) = left_i[u'] · right_i[u''] is a product of two small tables, so that the
inner loop over 2^m states multiplies and adds but never exponentiates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from anneal_edu.validation import as_count

MAX_ENUMERATED_UNITS = 24
_LARGEST_SAFE_LOG = 600.0  # a product below e^600 stays clear of the largest float64, e^709
_BLOCK = 1 << 15  # states handled at once: the working arrays stay in the processor's cache


def require_enumerable(n_units: int) -> None:
    """Raise ValueError where a sum over 2^n_units states is out of reach."""
    if n_units > MAX_ENUMERATED_UNITS:
        raise ValueError(
            f"an exact answer needs a sum over 2^{n_units} states; at most 2^{MAX_ENUMERATED_UNITS} are summed. "
            "Estimate it instead: ais(...)"
        )


def binary_states(n_units: int) -> np.ndarray:
    """Every state of ``n_units`` binary units, (2^n_units, n_units) of 0.0 and 1.0; the first unit varies slowest.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> ae.binary_states(2)
    array([[0., 0.],
           [0., 1.],
           [1., 0.],
           [1., 1.]])
    """
    n_units = as_count("n_units", n_units, minimum=0)
    require_enumerable(n_units)
    return states_of(np.arange(1 << n_units), n_units, np.float64)


def states_of(codes: np.ndarray, n_units: int, dtype: npt.DTypeLike = np.float32) -> np.ndarray:
    """The rows of ``binary_states(n_units)`` with these numbers: (n,) -> (n, n_units)."""
    return ((codes[:, None] >> np.arange(n_units)[::-1]) & 1).astype(dtype)


def codes_of(states: np.ndarray) -> np.ndarray:
    """Row numbers of states in ``binary_states``, the inverse of ``states_of``: (C, n_units) -> (C,)."""
    return states.astype(np.int64) @ (1 << np.arange(states.shape[1])[::-1])


def normalised(log_p: np.ndarray, constant: float = 0.0) -> tuple[float, np.ndarray]:
    """constant + log Σ exp(log_p), and the probabilities exp(log_p) / Σ exp(log_p)."""
    top = log_p.max()
    p = np.exp(log_p - top)
    total = p.sum()
    return float(constant + top + np.log(total)), p / total


def _halves(m: int) -> tuple[np.ndarray, np.ndarray]:
    """States of the first m // 2 and of the other units: (A, m1) and (B, m2), with A·B = 2^m."""
    require_enumerable(m)
    return binary_states(m // 2), binary_states(m - m // 2)


@dataclass(frozen=True, eq=False)
class LayerSum:
    """The marginal of a layer u of an RBM, p(u) ∝ exp(summed_bias·u) Π_i (1 + exp(other_bias_i + W_i·u))."""

    weights: np.ndarray  # W (n, m), a row for each unit that is summed out in closed form
    other_bias: np.ndarray
    summed_bias: np.ndarray

    def _blocks(self) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """Yield (rows, left (n, A_block), right (n, B)): exponentials of half sums, some first halves at a time."""
        first, last = _halves(self.weights.shape[1])
        cut = first.shape[1]
        right = np.exp(self.weights[:, cut:] @ last.T)  # (n, B)
        step = max(1, _BLOCK // len(last))
        for start in range(0, len(first), step):
            rows = slice(start, start + step)
            left = np.exp(self.other_bias[:, None] + self.weights[:, :cut] @ first[rows].T)  # (n, A_block)
            yield rows, left, right

    def _overflows(self) -> bool:
        return np.abs(self.weights).sum(1).max() + np.abs(self.other_bias).max() > _LARGEST_SAFE_LOG

    @np.errstate(under="ignore")
    def log_weights(self) -> np.ndarray:
        """Unnormalised log p(u) of every state in the order of `binary_states`, (2^m,)."""
        states = _halves(self.weights.shape[1])
        cut = states[0].shape[1]
        log_p = np.add.outer(states[0] @ self.summed_bias[:cut], states[1] @ self.summed_bias[cut:])  # (A, B)
        if self._overflows():  # a way without tables: slow, but safe for parameters of any size
            u = binary_states(self.weights.shape[1])
            units = zip(self.weights, self.other_bias, strict=True)
            return log_p.ravel() + sum(np.logaddexp(0, bias + u @ row) for row, bias in units)
        largest_log_factor = np.logaddexp(0, self.other_bias + np.maximum(self.weights, 0).sum(1))  # (n,)
        for rows, left, right in self._blocks():
            product = np.ones((left.shape[1], right.shape[1]))
            factor = np.empty_like(product)
            log_size = 0.0
            for i, log_factor in enumerate(largest_log_factor):
                if log_size + log_factor > _LARGEST_SAFE_LOG:
                    log_p[rows] += np.log(product)
                    product.fill(1)
                    log_size = 0.0
                np.multiply(left[i, :, None], right[i], out=factor)
                factor += 1
                product *= factor
                log_size += log_factor
            log_p[rows] += np.log(product)
        return log_p.ravel()

    def moments(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Exact (E w, E u, E w uᵀ), shapes (n,), (m,), (n, m), given the probabilities p of every state u."""
        if self._overflows():
            return self._moments_directly(p)
        first, last = _halves(self.weights.shape[1])
        p = p.reshape(len(first), len(last))
        n = len(self.other_bias)
        by_first, by_last = np.empty((n, len(first))), np.zeros((n, len(last)))  # p(w_i = 1, half of u)
        for rows, left, right in self._blocks():
            for i in range(0, n, step := max(1, _BLOCK // (left.shape[1] * len(last)))):
                units = slice(i, i + step)
                on = left[units, :, None] * right[units, None, :]  # (units, A_block, B): the odds of w_i = 1 given u
                on /= on + 1
                on *= p[rows]
                on.sum(2, out=by_first[units, rows])
                by_last[units] += on.sum(1)
        mean_u = np.concatenate([p.sum(1) @ first, p.sum(0) @ last])
        both_on = np.hstack([by_first @ first, by_last @ last])  # a rounded sum may end an ulp above 1
        return np.minimum(by_first.sum(1), 1), np.minimum(mean_u, 1), np.minimum(both_on, 1)

    def _moments_directly(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """`moments` without the tables."""
        states = binary_states(self.weights.shape[1])
        mean_wu = np.empty(self.weights.shape)
        mean_w = np.empty(len(self.weights))
        for i, (row, bias) in enumerate(zip(self.weights, self.other_bias, strict=True)):
            on = p * expit(bias + states @ row)
            mean_w[i], mean_wu[i] = on.sum(), on @ states
        return np.minimum(mean_w, 1), np.minimum(p @ states, 1), np.minimum(mean_wu, 1)


@np.errstate(under="ignore")
def quadratic_log_weights(linear: np.ndarray, quadratic: np.ndarray) -> np.ndarray:
    """linear·h + ½ hᵀ quadratic h of every state h in the order of `binary_states`, (2^m,); ``quadratic`` symmetric."""
    first, last = _halves(len(linear))
    cut = first.shape[1]
    own = [  # of each half of h
        h @ linear[units] + 0.5 * ((h @ quadratic[units, units]) * h).sum(1)
        for h, units in ((first, slice(cut)), (last, slice(cut, None)))
    ]
    return (np.add.outer(*own) + first @ quadratic[:cut, cut:] @ last.T).ravel()


def pair_moments(p: np.ndarray, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Exact (E h, E h hᵀ), shapes (m,) and (m, m), given the probabilities p of every state h of m units."""
    first, last = _halves(m)
    p = p.reshape(len(first), len(last))
    within = first.T @ (p.sum(1)[:, None] * first), last.T @ (p.sum(0)[:, None] * last)
    across = first.T @ p @ last
    second = np.minimum(np.block([[within[0], across], [across.T, within[1]]]), 1)
    return second.diagonal().copy(), second
