"""Ladders: the rungs of parallel tempering, how their chains move, and what each state is worth to its neighbours."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from anneal_edu.annealing.ais import log_quotient
from anneal_edu.kernels import Kernel, accept, gibbs
from anneal_edu.paths.capabilities import Path, offered
from anneal_edu.paths.rungs import Carried, LogDensities
from anneal_edu.tempering.swaps import SwapScheme, swapped
from anneal_edu.validation import careful, log_density_of


class Swaps(NamedTuple):
    """What one sweep proposed and accepted: fields of `anneal_edu.tempering.parallel.TemperingState`."""

    proposed: np.ndarray
    accepted: np.ndarray
    swap_probabilities: np.ndarray
    log_ratios: np.ndarray


class AnyLadder(Protocol):
    """What a sweep asks of a ladder, the plain one below or one that a path offers."""

    def carry(self, x: np.ndarray) -> Carried:
        """States x (K+1, C, D), and what is to be known of them before the first move."""

    def move(self, carried: Carried, rng: np.random.Generator) -> Carried:
        """Every chain moved on its rung."""

    def log_densities(self, carried: Carried) -> LogDensities:
        """Every state on its own rung and on the two neighbours."""


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


def ladder_on(path: Path, schedule: np.ndarray, kernel: Kernel = gibbs) -> AnyLadder:
    """The ladder of a path: its own, where it offers one that shares its work under this kernel.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> path = ae.geometric_path(ae.uniform_rbm(3, 1), ae.BinaryRBM([[1.0]] * 3, [0.0] * 3, [0.0]))
    >>> type(ladder_on(path, [0.0, 1.0])).__name__, type(ladder_on(path, [0.0, 1.0], ae.exact)).__name__
    ('WeightlessStartLadder', 'Ladder')
    """
    own = offered(path, getattr(kernel, "ladder", None))
    return (own and own(schedule)) or Ladder(path, schedule, kernel)


def sweep(
    ladder: AnyLadder, carried: Carried, scheme: SwapScheme, rng: np.random.Generator
) -> tuple[Carried, Swaps]:
    """Move every chain on its rung, then propose swaps of neighbours; what is carried goes with the states.

    α, by which a swap is accepted, is that of Kadan et al. 2018, Section 4.1, for any path.
    """
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
