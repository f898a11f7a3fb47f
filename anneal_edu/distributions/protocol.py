"""What the rest of the library asks of a distribution."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class Distribution(Protocol):
    """An unnormalised density f(x) = Z p(x) on R^D or {0, 1}^D.

    Only ``dim`` and ``log_density`` are required. A distribution that can do more offers more, under these names:

    ==============================  ========================================================================
    ``log_z() -> float``            exact log Z, in nats
    ``sample(n, rng) -> (n, D)``    exact, independent draws from p
    ``gibbs(x, rng) -> (C, D)``     one Gibbs sweep that leaves p invariant
    ``grad_log_density(x)``         ∇ log f(x), same shape as x
    ``natural_parameters()``        η of an exponential family p(x) ∝ exp(η · g(x)), a tuple of arrays
    ``moments()``                   s = E[g(x)], arrays of the same shapes
    ``log_partition()``             A(η) = log ∫ exp(η · g(x)) dx
    ``geometric_mean(other, β)``    f^{1-β} f_other^β as a member of the same family
    ``moment_average(other, β)``    the member whose moments are (1-β) s + β s_other
    ``member(η)``                   the member of the family with natural parameters η
    ``moment_coordinates(s)``       coordinates of η in which the member with moments s is soon found
    ==============================  ========================================================================
    """

    dim: int

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """Log f(x), unnormalised: (..., D) -> (...)."""
        ...


def mix(first: tuple, second: tuple, beta: float) -> tuple:
    """Entry-wise (1-β) first + β second of two tuples of arrays: a straight line in η or in s."""
    _require_same_shapes(first, second)
    return tuple((1 - beta) * a + beta * b for a, b in zip(first, second, strict=True))


def inner(first: tuple, second: tuple) -> float:
    """Inner product of two tuples of arrays, as in η · s."""
    return float(sum(np.vdot(a, b) for a, b in zip(first, second, strict=True)))


def difference(first: tuple, second: tuple) -> tuple:
    """Entry-wise first - second of two tuples of arrays."""
    _require_same_shapes(first, second)
    return tuple(a - b for a, b in zip(first, second, strict=True))


def _require_same_shapes(first: tuple, second: tuple) -> None:
    shapes = [np.shape(a) for a in first], [np.shape(b) for b in second]
    if shapes[0] != shapes[1]:
        raise ValueError(f"two members of one family must have the same shapes, got {shapes[0]} and {shapes[1]}")
