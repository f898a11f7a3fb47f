"""A ladder: the K + 1 distributions of a path at the β of a schedule, and chains that stand on its rungs."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from anneal_edu.kernels import Kernel, gibbs
from anneal_edu.paths.capabilities import Path, checked, offered
from anneal_edu.validation import Point


class Ladder:
    """The K + 1 distributions of a path at the β of a schedule, and the kernel that moves chains on each."""

    def __init__(self, path: Path, schedule: np.ndarray, kernel: Kernel = gibbs):
        self.path, self.schedule, self.kernel = path, schedule, kernel
        self._point, self._transition = checked(path, kernel)

    @cached_property
    def rungs(self) -> list[Point]:
        """f_0 … f_K."""
        return [self._point(beta) for beta in self.schedule]

    def move(self, x: np.ndarray, k: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """One transition of every chain x (C, D) on its own rung k (C,)."""
        moved = np.concatenate([self._transition(self.rungs[rung], x[k == rung], rng) for rung in np.unique(k)])
        return moved[np.argsort(np.argsort(k, kind="stable"))]  # back in the order of the chains

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """Log f_k(x_n) of every state on every rung: (N, D) -> (K+1, N)."""
        at_once = offered(self.path, "log_densities")
        return at_once(self.schedule, x) if at_once else np.stack([f.log_density(x) for f in self.rungs])


def ladder_on(path: Path, schedule: np.ndarray, kernel: Kernel = gibbs) -> Ladder:
    """The ladder of a path: its own, if it offers one that shares work under this kernel."""
    own = offered(path, getattr(kernel, "ladder", None))
    return own(schedule) if own else Ladder(path, schedule, kernel)
