"""Arguments checked at the door: each error names the argument, what it got and what it wants."""

from __future__ import annotations

import operator

import numpy as np

MAX_ENUMERATED_UNITS = 24


def as_real(name: str, value, dtype=np.float64) -> np.ndarray:
    """Return ``value`` as an array of real numbers; words, complex numbers and objects are a TypeError."""
    try:
        array = np.asarray(value)
    except ValueError as error:  # rows of different lengths
        raise TypeError(f"{name} must be an array of numbers: {error}") from None
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be an array of real numbers, got {type(value).__name__} of {array.dtype}")
    return array.astype(dtype)


def as_finite_array(name: str, value, ndim: int, dtype=np.float64) -> np.ndarray:
    """Return a read-only copy of ``value`` with ``ndim`` axes, every entry finite."""
    array = as_real(name, value, dtype)
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
        x = as_real("x", x)
    if not np.isfinite(x).all():
        raise ValueError("x must be finite, got NaN or infinity")
    return x


def as_binary_data(name: str, data) -> np.ndarray:
    """Return ``data`` as a float32 array (N, D) of zeros and ones."""
    array = as_finite_array(name, data, ndim=2, dtype=np.result_type(np.asarray(data), np.float32))
    if not ((array == 0) | (array == 1)).all():
        raise ValueError(f"{name} must hold zeros and ones only, got values from {array.min()} to {array.max()}")
    return array.astype(np.float32)


def as_count(name: str, value, minimum: int = 1) -> int:
    """Return ``value`` as an int of at least ``minimum``."""
    try:
        count = operator.index(value)
    except TypeError:
        count = None
    if count is None or isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    if count < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {count}")
    return count


def as_number(name: str, value) -> float:
    """Return ``value`` as a float; words, None and arrays are a TypeError."""
    if not isinstance(value, int | float | np.integer | np.floating) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number, got {value!r}")
    return float(value)


def as_positive(name: str, value) -> float:
    """Return ``value`` as a finite float above zero."""
    number = as_number(name, value)
    if not (np.isfinite(number) and number > 0):
        raise ValueError(f"{name} must be positive and finite, got {number}")
    return number


def as_beta(beta) -> float:
    """Return a position on a path, a float in [0, 1]."""
    beta = as_number("beta", beta)
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


def require_callable(name: str, value, example: str) -> None:
    """Raise TypeError unless ``value`` can be called; a class, such as random_walk without its scale, is refused."""
    if not callable(value) or isinstance(value, type):
        raise TypeError(f"{name} must be a function, such as {example}; got {value!r}")


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
