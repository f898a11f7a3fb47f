"""The parameters of a model as one vector, for optimisers."""

from __future__ import annotations

from typing import Any

import numpy as np

Parts = dict[str, Any]
"""Arrays by name."""


def pack(parts: Parts) -> np.ndarray:
    """All arrays in one vector."""
    return np.concatenate([part.ravel() for part in parts.values()])


def unpack(theta: np.ndarray, like: Parts) -> Parts:
    """The vector cut into arrays with the names and shapes of ``like``: the inverse of `pack`."""
    cuts = np.cumsum([part.size for part in like.values()])[:-1]
    return {
        name: piece.reshape(part.shape) for (name, part), piece in zip(like.items(), np.split(theta, cuts), strict=True)
    }
