"""The rungs of a ladder: the K + 1 distributions of a path at the β of a schedule, and chains that stand on them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from anneal_edu.kernels import Kernel, along_path, gibbs
from anneal_edu.paths.capabilities import Path, offered
from anneal_edu.validation import log_density_of

Carried = tuple[np.ndarray, ...]
"""States (..., D), and after them what was computed from each and travels with it wherever a swap takes it."""


class Rungs:
    """The K + 1 distributions of a path at the β of a schedule, for chains on any of them.

    Chains come in any arrangement: C that wander, as in simulated tempering, or C on every rung, (K+1, C), as in
    parallel tempering. An array of rungs in this arrangement says where each stands.
    """

    def __init__(self, path: Path, schedule: np.ndarray, kernel: Kernel = gibbs):
        self.path, self.schedule, self.kernel, self.kernel_at = path, schedule, kernel, along_path(kernel)
        self.distribution = lru_cache(maxsize=None)(lambda k: path(float(schedule[k])))  # made when a chain gets there

    def carry(self, x: np.ndarray) -> Carried:
        """What is to be known of states x (..., D) before the first move: nothing but themselves."""
        return (x,)

    def move(self, carried: Carried, rungs: np.ndarray, rng: np.random.Generator) -> Carried:
        """One transition of every chain on its own rung, (...,)."""
        x, *_ = carried
        moved = np.empty_like(x)
        for k in np.unique(rungs):
            here = rungs == k
            new = self.kernel_at(self.schedule[k])(self.distribution(int(k)), x[here], rng)
            moved = moved.astype(np.result_type(moved, new), copy=False)  # whole numbers may become real ones
            moved[here] = new
        return (moved,)

    def log_density(self, carried: Carried, rungs: np.ndarray) -> np.ndarray:
        """Log f_k(x) of every state x on a rung k of its own: (..., D), (...) -> (...)."""
        x, *_ = carried
        log_f = np.empty(rungs.shape)
        for k in np.unique(rungs):
            here = rungs == k
            log_f[here] = log_density_of(self.distribution(int(k)), x[here], self.schedule[k])
        return log_f

    def log_densities(self, carried: Carried) -> np.ndarray:
        """Log f_k(x_n) of every state on every rung: (N, D) -> (K+1, N)."""
        x, *_ = carried
        if (all_at_once := offered(self.path, "log_densities")) is not None:
            log_f: np.ndarray = all_at_once(self.schedule, x)
            return log_f
        return np.stack([log_density_of(self.distribution(k), x, beta) for k, beta in enumerate(self.schedule)])


def rungs_on(path: Path, schedule: np.ndarray, kernel: Kernel = gibbs, arranged: str = "rungs") -> Rungs:
    """The rungs of a path: its own, where it offers some that share their work under this kernel.

    ``arranged`` is "ladder" for chains on every rung, (K+1, C), which may share more.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> path = ae.geometric_path(ae.uniform_rbm(3, 1), ae.BinaryRBM([[1.0]] * 3, [0.0] * 3, [0.0]))
    >>> type(rungs_on(path, [0.0, 1.0])).__name__, type(rungs_on(path, [0.0, 1.0], ae.exact)).__name__
    ('RBMRungs', 'Rungs')
    """
    own = offered(path, getattr(kernel, arranged, None))
    return (own and own(schedule)) or Rungs(path, schedule, kernel)
