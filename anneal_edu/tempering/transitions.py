"""Tempered transitions: up the ladder and down again, as one Metropolis proposal (Neal 1996)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from anneal_edu.annealing.ais import annealer, log_ratio, moved
from anneal_edu.distributions import Distribution
from anneal_edu.kernels import Kernel, accept, gibbs, reversal_of
from anneal_edu.paths.capabilities import Path, checked
from anneal_edu.validation import as_chains, as_schedule, require_callable, require_generator, require_path


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
        log_up, y = annealer(self.path, reversal_of(self.kernel))(self.schedule[::-1], x, rng)  # up to β = 0
        y = moved(self.path(0.0), y, 0, self.kernel, rng)
        log_down, y = annealer(self.path, self.kernel)(self.schedule[:-1], y, rng)  # and down again
        points, _ = checked(self.path)
        log_alpha = log_up + log_down + log_ratio(points(1.0), points(self.schedule[-2]), y)
        accepted = accept(log_alpha, rng)
        return TemperedMove(np.where(accepted[:, None], y, x), log_alpha, accepted)
