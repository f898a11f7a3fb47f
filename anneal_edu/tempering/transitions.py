"""Tempered transitions: up the ladder and down again, as one Metropolis proposal (Neal 1996)."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from anneal_edu.annealing.ais import annealing_step, log_quotient
from anneal_edu.distributions import Distribution
from anneal_edu.kernels import Kernel, accept, along_path, gibbs, reversal_of
from anneal_edu.paths.capabilities import Path
from anneal_edu.validation import (
    as_chains,
    as_schedule,
    log_density_of,
    require_callable,
    require_generator,
    require_path,
)


@dataclass(frozen=True, eq=False)
class TemperedMove:
    """What one tempered transition proposed to C chains, and what became of it.

    Attributes
    ----------
    x : (C, D) array
        Where the chains stand now.
    log_ratios : (C,) array
        Logarithms of the ratio in the acceptance probability min(1, ratio).
    accepted : (C,) array of bool
    """

    x: np.ndarray
    log_ratios: np.ndarray
    accepted: np.ndarray


@dataclass(frozen=True, eq=False)
class tempered_transitions:
    """A kernel for ``path(1)`` that heats each chain up to β = 0, cools it down again, and accepts or refuses the end.

    It is reverse AIS followed by AIS. With ŵ the weight of the way up, as reverse AIS would give it, and w̌ that of the
    way down, the proposal is accepted with probability min(1, w̌ / ŵ)  (Neal 1996, Section 3).

    Parameters
    ----------
    path : callable, beta -> Distribution
    schedule : (K+1,) array
        Rises from 0 to 1.
    kernel : callable, (distribution, x, rng) -> x
        What moves the chains on the way. `gibbs` sweeps backwards on the way up, another one is taken to be reversible.

    Raises
    ------
    TypeError
        On use, where the distribution that it should move is not its ``target``, the end of its path.
    ValueError
        Where the schedule does not rise from 0 to 1.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[9.0]]), ae.Gaussian([0.0], [[1.0]]))
    >>> kernel = ae.tempered_transitions(path, ae.linear_schedule(5))
    >>> kernel(kernel.target, np.zeros((4, 1)), np.random.default_rng(0)).shape
    (4, 1)
    """

    path: Path
    schedule: np.ndarray
    kernel: Kernel = gibbs
    target: Distribution = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "schedule", as_schedule("schedule", self.schedule))
        require_path(self.path)
        require_callable("kernel", self.kernel, "gibbs or random_walk(0.5)")
        object.__setattr__(self, "target", self.path(1.0))

    def __call__(self, distribution: Distribution, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """One tempered transition: (C, D) -> (C, D)."""
        if distribution is not self.target:
            raise TypeError("tempered_transitions moves the end of its own path, its .target, and nothing else")
        return self.move(x, rng).x

    def move(self, x: np.ndarray, rng: np.random.Generator) -> TemperedMove:
        """One tempered transition, with the ratio that decided about it."""
        require_generator(rng)
        x = as_chains("x", x, self.target.dim)
        backwards = reversal_of(self.kernel)
        up, down = annealing_step(self.path, backwards), annealing_step(self.path, self.kernel)
        y, log_ratio = x, np.zeros(len(x))  # (C, D), (C,)
        for now, hotter in pairwise(self.schedule[::-1]):
            gain, y = up(now, hotter, y, rng)  # f_{k-1}(y) / f_k(y), then y moves at k-1
            log_ratio += gain
        y = along_path(self.kernel)(0.0)(self.path(0.0), y, rng)
        for hotter, now in pairwise(self.schedule[:-1]):
            gain, y = down(hotter, now, y, rng)  # f_k(y) / f_{k-1}(y), then y moves at k
            log_ratio += gain
        last = float(self.schedule[-2])
        log_ratio += log_quotient(log_density_of(self.target, y, 1), log_density_of(self.path(last), y, last))
        accepted = accept(log_ratio, rng)
        return TemperedMove(np.where(accepted[:, None], y, x), log_ratio, accepted)
