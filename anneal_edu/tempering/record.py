"""What is kept of a tempered run: states, as many as are asked for, and round trips."""

from __future__ import annotations

from threading import Lock

import numpy as np

from anneal_edu.validation import as_real
from anneal_edu.workers import require_room


class Record:
    """Arrays over sweeps and chains, into which every block writes its own chains.

    They have their full size from the start: a list of sweeps would need twice the memory at the end.

    Parameters
    ----------
    sweeps : range
        Those that are kept.
    n_chains : int
        Chains of all blocks.
    """

    def __init__(self, sweeps: range, n_chains: int):
        self._sweeps, self._n_chains, self._lock = sweeps, n_chains, Lock()
        self._arrays: dict[str, np.ndarray] = {}

    def put(self, name: str, sweep: int, chains: slice, values: np.ndarray, axis: int = 0) -> None:
        """Keep what a block shows after a sweep, with its ``chains`` of all, along an axis of ``values``."""
        with self._lock:
            if name not in self._arrays:
                shape = (len(self._sweeps), *values.shape[:axis], self._n_chains, *values.shape[axis + 1 :])
                require_room(f"what is kept as {name}", shape, "keep less, see keep and keep_every", values.itemsize)
                self._arrays[name] = np.empty(shape, dtype=values.dtype)
        if sweep in self._sweeps:
            kept = np.moveaxis(self._arrays[name][self._sweeps.index(sweep)], axis, 0)
            kept[chains] = np.moveaxis(values, axis, 0)

    def __getitem__(self, name: str) -> np.ndarray:
        return self._arrays[name]


class RoundTrips:
    """Counts the round trips of every replica while a run goes on, and keeps no sweep.

    Attributes
    ----------
    made : (K+1, C) array of int
        Of replica r in ladder c.
    """

    def __init__(self, n_rungs: int, n_chains: int):
        self.made = np.zeros((n_rungs, n_chains), dtype=int)
        self._left_start, self._seen_top = np.zeros((2, n_rungs, n_chains), dtype=bool)
        self._ladders = np.arange(n_chains)

    def update(self, replicas: np.ndarray) -> None:
        """Take in which replica stands on each rung after a sweep, (K+1, C)."""
        bottom, top = (replicas[0], self._ladders), (replicas[-1], self._ladders)
        self.made[bottom] += self._seen_top[bottom]
        self._left_start[bottom], self._seen_top[bottom] = True, False
        self._seen_top[top] = self._left_start[top]


def count_round_trips(replicas: np.ndarray) -> np.ndarray:
    """How often each replica went from rung 0 to rung K and back: (T, K+1, C) -> (K+1, C).

    Examples
    --------
    >>> import numpy as np
    >>> up_and_down = np.array([[0, 1], [1, 0], [0, 1]])[:, :, None]
    >>> count_round_trips(up_and_down).ravel()
    array([1, 0])
    """
    given = as_real("replicas", replicas)
    if given.ndim != 3 or (np.sort(given, axis=1) != np.arange(given.shape[1])[:, None]).any():
        raise ValueError(
            f"replicas must have shape (T, K+1, C) and hold each of 0 … K once in every ladder, got {given.shape}"
        )
    trips = RoundTrips(*given.shape[1:])
    for rungs in given.astype(int):
        trips.update(rungs)
    return trips.made
