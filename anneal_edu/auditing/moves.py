"""A kernel that is watched while it moves: what it returns, and what it does to what it is given."""

from __future__ import annotations

from typing import Any

import numpy as np

from anneal_edu.auditing.findings import Docket
from anneal_edu.auditing.worlds import World
from anneal_edu.kernels import Kernel


class UnfitStatesError(Exception):
    """Raised where a kernel returns no states, so that no further question makes sense; already in the docket."""


class Moves:
    """kernel(distribution, x, rng), whose every answer is looked at."""

    def __init__(self, kernel: Kernel, docket: Docket):
        self.kernel, self.docket = kernel, docket

    def __call__(self, world: World, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The next states, (C, D) -> (C, D); raises UnfitStatesError where they are none."""
        given = x.copy()
        states = self._as_states(self.kernel(world.distribution, given, rng), x)
        if not np.array_equal(given, x):
            self.docket.fact(
                "changes its input",
                "the states that it is given are changed in place. The estimators of this library hand out copies; "
                "whoever keeps the old states elsewhere, to weigh or to record them, finds the new ones there",
            )
        if not world.discrete:
            self._look_at_digits(states, x)
        self._look_at_support(world, states)
        return states.astype(x.dtype if world.discrete else np.float64)

    def _as_states(self, answer: Any, x: np.ndarray) -> np.ndarray:
        try:
            states = np.asarray(answer)
        except ValueError:  # rows of unequal lengths
            states = np.empty(0, dtype=object)
        if isinstance(answer, tuple) or states.dtype.kind not in "biuf":
            self._unfit("no states", f"it must return an array of states {x.shape}, got {type(answer).__name__}")
        if states.shape != x.shape:
            self._unfit("no states", f"it must return one state for each chain, {x.shape}, got {states.shape}")
        if not np.isfinite(states).all():
            self._unfit("no states", f"NaN or infinity in {np.sum(~np.isfinite(states))} of {states.size} coordinates")
        return states.copy()

    def _look_at_digits(self, states: np.ndarray, x: np.ndarray) -> None:
        if len(x) < 20 or not self._single(states) or self._single(x):
            return
        self.docket.fact("rounds its states", "every coordinate that it returns is a number of single precision")

    @staticmethod
    def _single(x: np.ndarray) -> bool:
        with np.errstate(over="ignore"):
            return bool((x.astype(np.float32) == x).all())

    def _look_at_support(self, world: World, states: np.ndarray) -> None:
        if world.values:
            strange = ~np.isin(states, np.concatenate(world.values)).all(1)
            if strange.sum() > (0 if getattr(world.distribution, "binary", False) else max(50, len(states) // 20)):
                sentence = f"{strange.sum()} of {len(states)} chains have a value that no draw has ({world.name})"
                self._unfit("leaves the support", sentence)
        outside = np.isneginf(world.distribution.log_density(states)).sum()
        if outside:
            sentence = f"{outside} of {len(states)} chains stand where the density is zero ({world.name})"
            self._unfit("leaves the support", sentence)

    def _unfit(self, kind: str, sentence: str) -> None:
        self.docket.fact(kind, sentence)
        raise UnfitStatesError
