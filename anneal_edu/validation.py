"""Arguments checked at the door: each error names the argument, what it got and what it wants."""

from __future__ import annotations

import operator

import numpy as np

MAX_ENUMERATED_UNITS = 24


def as_finite_array(name: str, value, ndim: int, dtype=np.float64) -> np.ndarray:
    """Return a read-only copy of ``value`` with ``ndim`` axes, every entry finite."""
    try:
        array = np.array(value, dtype=dtype)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be an array of numbers, got {type(value).__name__}") from error
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} axes, got shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} is empty: shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got NaN or infinity in {np.sum(~np.isfinite(array))} entries")
    array.setflags(write=False)
    return array


def require_shape(name: str, array: np.ndarray, shape: tuple[int, ...]) -> None:
    """Raise ValueError unless ``array`` has exactly this shape."""
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {array.shape}")


def as_states(x, dim: int) -> np.ndarray:
    """Return ``x`` as an array of shape (..., dim); the dtype of floating arrays is kept."""
    x = np.asarray(x)
    if x.ndim == 0 or x.shape[-1] != dim:
        raise ValueError(f"x must have shape (..., {dim}), got {x.shape}")
    if not np.issubdtype(x.dtype, np.floating):
        if not (np.issubdtype(x.dtype, np.integer) or x.dtype == bool):
            raise TypeError(f"x must be an array of real numbers, got dtype {x.dtype}")
        x = x.astype(np.float64)
    return x


def as_binary_data(name: str, data) -> np.ndarray:
    """Return ``data`` as a float32 array (N, D) of zeros and ones."""
    array = as_finite_array(name, data, ndim=2, dtype=np.float32)
    if not np.isin(array, (0, 1)).all():
        raise ValueError(f"{name} must hold zeros and ones only, got values from {array.min()} to {array.max()}")
    return array


def as_count(name: str, value, minimum: int = 1) -> int:
    """Return ``value`` as an int of at least ``minimum``."""
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, got {value!r}") from None
    if count < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {count}")
    return count


def as_positive(name: str, value) -> float:
    """Return ``value`` as a finite float above zero."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, got {value!r}") from None
    if not (np.isfinite(number) and number > 0):
        raise ValueError(f"{name} must be positive and finite, got {number}")
    return number


def as_beta(beta) -> float:
    """Return a position on a path, a float in [0, 1]."""
    beta = float(beta)
    if not 0 <= beta <= 1:
        raise ValueError(f"beta must lie in [0, 1], got {beta}")
    return beta


def as_schedule(name: str, schedule) -> np.ndarray:
    """Return a schedule: values that rise strictly from exactly 0 to exactly 1."""
    betas = as_finite_array(name, schedule, ndim=1)
    if len(betas) < 2 or betas[0] != 0 or betas[-1] != 1:
        raise ValueError(f"{name} must start at 0 and end at 1, got {len(betas)} values, {betas[0]} to {betas[-1]}")
    if (np.diff(betas) <= 0).any():
        step = int(np.argmax(np.diff(betas) <= 0))
        raise ValueError(
            f"{name} must rise at every step, got {betas[step]} then {betas[step + 1]} at step {step + 1}"
        )
    return betas


def require_generator(rng) -> None:
    """Raise TypeError unless ``rng`` is a numpy random Generator."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng must be a numpy.random.Generator (np.random.default_rng(0)), got {rng!r}")


def require_enumerable(n_units: int) -> None:
    """Raise ValueError where a sum over 2^n_units states is out of reach."""
    if n_units > MAX_ENUMERATED_UNITS:
        raise ValueError(
            f"an exact answer needs a sum over 2^{n_units} states; at most 2^{MAX_ENUMERATED_UNITS} are summed. "
            "Estimate it instead: ais(...)"
        )
