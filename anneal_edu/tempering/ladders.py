"""Ladders: the rungs of parallel tempering, how their chains move, and what each state is worth to its neighbours."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from anneal_edu.annealing.ais import log_quotient
from anneal_edu.distributions import BinaryRBM
from anneal_edu.distributions.bernoulli import bernoulli, sum_of_softplus
from anneal_edu.kernels import Kernel, accept, gibbs
from anneal_edu.paths.geometric import GeometricRBMPath, Path
from anneal_edu.tempering.swaps import SwapScheme, swapped
from anneal_edu.validation import careful, log_density_of

_ROWS_AT_ONCE = 500  # the working arrays of a block stay in the processor's cache

Carried = tuple[np.ndarray, ...]
"""States (K+1, C, D), and after them what was computed from each and travels with it when it is swapped."""


class LogDensities(NamedTuple):
    """Of states x_k on rungs k = 0 … K.

    Attributes
    ----------
    own : (K+1, C) array
        log f_k(x_k).
    above : (K, C) array
        log f_{k+1}(x_k), k = 0 … K-1.
    below : (K, C) array
        log f_k(x_{k+1}), k = 0 … K-1.
    """

    own: np.ndarray
    above: np.ndarray
    below: np.ndarray


class Swaps(NamedTuple):
    """What one sweep proposed and accepted: fields of `anneal_edu.tempering.parallel.TemperingState`."""

    proposed: np.ndarray
    accepted: np.ndarray
    swap_probabilities: np.ndarray
    log_ratios: np.ndarray


class Ladder:
    """Any path with any kernel: rung k has the distribution path(β_k)."""

    def __init__(self, path: Path, schedule: np.ndarray, kernel: Kernel):
        self.rungs, self.betas = [path(float(beta)) for beta in schedule], schedule
        self.kernel = careful(kernel)

    def carry(self, x: np.ndarray) -> Carried:
        """What is to be known of states x (K+1, C, D) before the first move: nothing but themselves."""
        return (x,)

    def move(self, carried: Carried, rng: np.random.Generator) -> Carried:
        """Every chain by the kernel of its rung."""
        return (np.stack([self.kernel(f, x, rng) for f, x in zip(self.rungs, carried[0], strict=True)]),)

    def log_densities(self, carried: Carried) -> LogDensities:
        """Every state on its own rung and on the two neighbours."""
        (x,) = carried

        def on_rungs(which: slice, states: np.ndarray) -> np.ndarray:
            rungs = zip(self.rungs[which], states, self.betas[which], strict=True)
            return np.stack([log_density_of(f, x, beta) for f, x, beta in rungs])

        return LogDensities(
            own=on_rungs(slice(None), x), above=on_rungs(slice(1, None), x[:-1]), below=on_rungs(slice(-1), x[1:])
        )


class WeightlessStartLadder:
    """The geometric path from a binary RBM without weights to another one, moved by Gibbs, in float32.

    The hidden units of v have the field c_0 + β (v W + c_1 - c_0) on rung β: one product v @ W serves the densities on
    three rungs *and* the next Gibbs step, wherever the swaps take v. So it is carried along. A sweep does two products,
    v @ W and h @ Wᵀ, for all rungs and chains at once: the law of a `Ladder`, the same numbers up to rounding.
    """

    def __init__(self, start: BinaryRBM, end: BinaryRBM, schedule: np.ndarray):
        (_, b0, c0), (W, b1, c1) = start.single_precision, end.single_precision
        self.W, self.Wt = W, np.ascontiguousarray(W.T)  # stored row by row, small products run several times faster
        self.b0, self.db, self.c0, self.dc = b0, b1 - b0, c0, c1 - c0
        self.betas = np.asarray(schedule, dtype=np.float32)

    def carry(self, v: np.ndarray) -> Carried:
        """States v (K+1, C, D) and the slopes of their hidden fields, v W + c_1 - c_0, (K+1, C, H)."""
        v = np.asarray(v, dtype=np.float32)
        return v, v @ self.W + self.dc

    def _blocks(self, *arrays: np.ndarray):
        """Yield β of every row, (rows, 1), with rows of arrays (K+1, C, …) that are seen as ((K+1) C, …)."""
        beta = np.repeat(self.betas, arrays[0].shape[1])[:, None]
        flat = [array.reshape(len(beta), *array.shape[2:]) for array in arrays]
        for first in range(0, len(beta), _ROWS_AT_ONCE):
            rows = slice(first, first + _ROWS_AT_ONCE)
            yield beta[rows], *(array[rows] for array in flat)

    def move(self, carried: Carried, rng: np.random.Generator) -> Carried:
        """A block Gibbs step of every chain on its rung."""
        v, slope = np.empty_like(carried[0]), np.empty_like(carried[1])
        for beta, old_slope, new_v, new_slope in self._blocks(carried[1], v, slope):
            h = bernoulli(beta * old_slope + self.c0, rng)
            visible_field = np.matmul(h, self.Wt, out=new_v)
            visible_field += self.db
            visible_field *= beta
            visible_field += self.b0  # b_0 + β (h Wᵀ + b_1 - b_0)
            bernoulli(visible_field, rng)  # leaves its draws there, in new_v
            np.matmul(new_v, self.W, out=new_slope)
            new_slope += self.dc
        return v, slope

    def log_densities(self, carried: Carried) -> LogDensities:
        """Every state on its own rung and on the two neighbours, from the slopes alone."""
        v, slope = carried
        lift, level = v @ self.db, v @ self.b0  # (K+1, C): log f_β(v) = level + β lift + Σ_j softplus(field_j)

        at_once = max(1, _ROWS_AT_ONCE // v.shape[1])  # rungs

        def on_rungs(betas: np.ndarray, states: slice) -> np.ndarray:
            of_hidden = [
                sum_of_softplus(betas[k : k + at_once, None, None] * slope[states][k : k + at_once] + self.c0)
                for k in range(0, len(betas), at_once)
            ]
            return np.concatenate(of_hidden) + betas[:, None] * lift[states] + level[states]

        low, high = slice(None, -1), slice(1, None)
        return LogDensities(
            own=on_rungs(self.betas, slice(None)),
            above=on_rungs(self.betas[high], low),
            below=on_rungs(self.betas[low], high),
        )


def ladder_on(path: Path, schedule: np.ndarray, kernel: Kernel = gibbs) -> Ladder | WeightlessStartLadder:
    """The ladder that does this path's and this kernel's sweeps for least.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> path = ae.geometric_path(ae.uniform_rbm(3, 1), ae.BinaryRBM([[1.0]] * 3, [0.0] * 3, [0.0]))
    >>> type(ladder_on(path, [0.0, 1.0])).__name__, type(ladder_on(path, [0.0, 1.0], ae.exact)).__name__
    ('WeightlessStartLadder', 'Ladder')
    """
    if kernel is gibbs and isinstance(path, GeometricRBMPath) and not path.start.weights.any():
        return WeightlessStartLadder(path.start, path.end, schedule)
    return Ladder(path, schedule, kernel)


def sweep(
    ladder: Ladder | WeightlessStartLadder, carried: Carried, scheme: SwapScheme, rng: np.random.Generator
) -> tuple[Carried, Swaps]:
    """Move every chain on its rung, then propose swaps of neighbours; what is carried goes with the states."""
    carried = ladder.move(carried, rng)
    own, above, below = ladder.log_densities(carried)  # f_k(x_k), f_{k+1}(x_k), f_k(x_{k+1})
    # α = min(1, f_k(x_{k+1}) f_{k+1}(x_k) / (f_k(x_k) f_{k+1}(x_{k+1})))
    log_alpha = np.minimum(0.0, log_quotient(below + above, own[:-1] + own[1:]))  # (K, C)
    log_alpha[np.isneginf(own[:-1] + own[1:])] = 0.0  # from where the ladder has no business, any swap is welcome
    proposed = scheme.propose(rng)
    accepted = proposed & accept(log_alpha, rng)
    scheme.hear(accepted)
    outside = np.isneginf(own[:-1])
    log_ratios = np.where(outside, 0.0, above - np.where(outside, 0.0, own[:-1]))
    if np.isnan(log_ratios).any() or (log_ratios == np.inf).any():
        raise ValueError("log f is NaN or +inf on some rung")
    carried = tuple(swapped(array, accepted) for array in carried)
    return carried, Swaps(proposed, accepted, np.exp(log_alpha), log_ratios)
