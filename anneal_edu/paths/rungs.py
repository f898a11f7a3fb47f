"""The rungs of a ladder: the K + 1 distributions of a path at the β of a schedule."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from anneal_edu.kernels import Kernel, gibbs
from anneal_edu.paths.capabilities import Path, offered
from anneal_edu.validation import careful, log_density_of

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


class Rungs:
    """The K + 1 distributions of a path at the β of a schedule, for chains that change from one to another."""

    def __init__(self, path: Path, schedule: np.ndarray, kernel: Kernel = gibbs):
        self.path, self.schedule, self.kernel = path, schedule, careful(kernel)
        self.distribution = lru_cache(maxsize=None)(lambda k: path(float(schedule[k])))  # made when a chain gets there

    def log_densities(self, x: np.ndarray) -> np.ndarray:
        """Log f_k(x_n): (N, D) -> (K+1, N)."""
        if (all_at_once := offered(self.path, "log_densities")) is not None:
            log_f = all_at_once(self.schedule, x)
        else:
            rungs = enumerate(self.schedule)
            log_f = np.stack([log_density_of(self.distribution(k), x, beta) for k, beta in rungs])
        if np.isnan(log_f).any() or (log_f == np.inf).any():
            raise ValueError("log f is NaN or +inf on some rung")
        return log_f

    def move(self, x: np.ndarray, rungs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """One transition of every chain on its own rung: (C, D), (C,) -> (C, D)."""
        moved = np.empty_like(x)
        for k in np.unique(rungs):
            here = rungs == k
            new = self.kernel(self.distribution(int(k)), x[here], rng)
            moved = moved.astype(np.result_type(moved, new), copy=False)  # whole numbers may become real ones
            moved[here] = new
        return moved


def rungs_on(path: Path, schedule: np.ndarray, kernel: Kernel = gibbs) -> Rungs:
    """The rungs of a path: its own, where it offers some that share their work under this kernel.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> path = ae.geometric_path(ae.uniform_rbm(3, 1), ae.BinaryRBM([[1.0]] * 3, [0.0] * 3, [0.0]))
    >>> type(rungs_on(path, [0.0, 1.0])).__name__, type(rungs_on(path, [0.0, 1.0], ae.exact)).__name__
    ('RBMRungs', 'Rungs')
    """
    own = offered(path, getattr(kernel, "rungs", None))
    return Rungs(path, schedule, kernel) if own is None else own(schedule)
