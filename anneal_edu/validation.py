"""Arguments checked at the door: each error names the argument, what it got and what it wants.

What a user's density, gradient, kernel or start returns is checked here too.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cholesky


def as_real(name: str, value: Any, dtype: npt.DTypeLike | None = np.float64) -> np.ndarray:
    """Return a copy of ``value`` as real numbers, else TypeError; if dtype is None, floating arrays keep theirs."""
    require_unmasked(name, value)
    try:
        array = np.asarray(value)
    except ValueError as error:  # rows of different lengths
        raise TypeError(f"{name} must be an array of numbers: {error}") from None
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be an array of real numbers, got {type(value).__name__} of {array.dtype}")
    if dtype is None:
        dtype = array.dtype if array.dtype.kind == "f" else np.float64
    return array.astype(dtype)


def require_unmasked(name: str, value: Any) -> None:
    """Raise ValueError if a masked array hides entries: an array of plain numbers would show them."""
    if np.ma.is_masked(value):
        raise ValueError(f"{name} must not hide entries, got {np.sum(value.mask)} masked ones: fill or drop them")


def as_finite_array(name: str, value: Any, ndim: int, dtype: npt.DTypeLike | None = np.float64) -> np.ndarray:
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


def as_states(x: Any, dim: int) -> np.ndarray:
    """Return ``x`` as an array of shape (..., dim); the dtype of floating arrays is kept."""
    if type(x) is not np.ndarray or x.dtype.kind != "f":
        x = as_real("x", x, None)
    if x.ndim == 0 or x.shape[-1] != dim:
        raise ValueError(f"x must have shape (..., {dim}), got {x.shape}")
    if not np.isfinite(np.vdot(x, x)) and not np.isfinite(x).all():  # the first is quicker, and may overflow
        raise ValueError("x must be finite, got NaN or infinity")
    return x


def as_chains(name: str, x: Any, dim: int) -> np.ndarray:
    """Return a copy of ``x`` as one or more states, (N, dim); the dtype of floating arrays is kept."""
    states = as_real(name, x, dtype=None)
    if states.ndim != 2 or len(states) == 0 or states.shape[1] != dim:
        raise ValueError(f"{name} must have shape (N, {dim}), got {states.shape}")
    if not np.isfinite(states).all():
        raise ValueError(f"{name} must be finite, got NaN or infinity in {np.sum(~np.isfinite(states))} entries")
    return states


def as_binary_data(name: str, data: Any) -> np.ndarray:
    """Return ``data`` as a float32 array (N, D) of zeros and ones."""
    array = as_finite_array(name, data, ndim=2, dtype=None)
    if not ((array == 0) | (array == 1)).all():
        other = array[(array != 0) & (array != 1)][0]
        raise ValueError(f"{name} must hold zeros and ones only, got {other:g}: make it binary, such as data > 0.5")
    return array.astype(np.float32)


def as_count(name: str, value: Any, minimum: int = 1) -> int:
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


def as_number(name: str, value: Any) -> float:
    """Return ``value`` as a float; words, None and arrays are a TypeError."""
    if not isinstance(value, int | float | np.integer | np.floating) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number, got {value!r}")
    return float(value)


def as_flag(name: str, value: Any) -> bool:
    """Return ``value``, True or False; other values are a TypeError."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def as_choice(name: str, value: Any, choices: Iterable[str]) -> str:
    """Return ``value``, one of the given words."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")
    return value


def as_positive(name: str, value: Any) -> float:
    """Return ``value`` as a finite float above zero."""
    number = as_number(name, value)
    if not (np.isfinite(number) and number > 0):
        raise ValueError(f"{name} must be positive and finite, got {number}")
    return number


def as_cholesky(name: str, matrix: np.ndarray) -> np.ndarray:
    """Return the lower Cholesky factor of a symmetric, positive definite matrix."""
    same = np.array_equal(matrix, matrix.T)  # the usual case, in an eighth of the time
    if not same and not np.allclose(matrix, matrix.T, rtol=1e-8, atol=1e-12 * np.abs(matrix).max()):
        raise ValueError(f"{name} must be symmetric")
    try:
        return cholesky(matrix, lower=True)
    except LinAlgError:
        smallest = np.linalg.eigvalsh(matrix)[0]
        raise ValueError(f"{name} must be positive definite, got smallest eigenvalue {smallest:.3g}") from None


def as_beta(beta: Any) -> float:
    """Return a position on a path, a float in [0, 1]."""
    beta = as_number("beta", beta)
    if not 0 <= beta <= 1:
        raise ValueError(f"beta must lie in [0, 1], got {beta}")
    return beta


def as_schedule(name: str, schedule: Any) -> np.ndarray:
    """Return a schedule: values that rise strictly from exactly 0 to exactly 1."""
    if isinstance(schedule, int):
        raise ValueError(f"{name} must have 1 axes, got shape (): take linear_schedule({schedule}) for so many steps")
    betas = as_finite_array(name, schedule, ndim=1)
    if betas[0] != 0 or betas[-1] != 1:
        raise ValueError(f"{name} must start at 0 and end at 1, got {len(betas)} values, {betas[0]} to {betas[-1]}")
    if (np.diff(betas) <= 0).any():
        k = int(np.argmax(np.diff(betas) <= 0))
        raise ValueError(f"{name} must rise at every step, got {betas[k]} then {betas[k + 1]} at step {k + 1}")
    return betas


def require_callable(name: str, value: Any, example: str) -> None:
    """Raise TypeError unless ``value`` can be called; a class, such as random_walk without its scale, is refused."""
    if not callable(value) or isinstance(value, type):
        raise TypeError(f"{name} must be a function, such as {example}; got {value!r}")


def require_distribution(name: str, p: Any) -> None:
    """Raise TypeError unless ``p`` has what every distribution has."""
    if not (hasattr(p, "log_density") and hasattr(p, "dim")):
        raise TypeError(f"{name} must be a distribution (with dim and log_density), got {p!r}")


def require_kind(name: str, value: Any, kind: type) -> None:
    """Raise TypeError unless ``value`` is of this class."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be a {kind.__name__}, got {type(value).__name__}")


def require_ability(distribution: Any, ability: str, kernel: str, instead: str) -> Callable[..., np.ndarray]:
    """The method of a distribution that a kernel needs; raise TypeError where it has none."""
    if hasattr(distribution, ability):
        return getattr(distribution, ability)
    if getattr(distribution, "discrete", False):
        instead = (
            "a path of your own from beta to a member that has it, such as lambda beta: Ising(beta * J), or give the "
            "class a geometric_mean(other, beta)"
        )
    lacks = f"the {kernel} kernel needs a distribution with {ability}(), which {type(distribution).__name__} lacks"
    raise TypeError(f"{lacks}; use {instead}")


@np.errstate(all="ignore")
def require_path(path: Any) -> None:
    """Raise unless ``path`` is a function from β to distributions of one dimension that take every state alone."""
    require_callable("path", path, "geometric_path(p0, p1)")
    start, end = path(0.0), path(1.0)
    require_distribution("path(0)", start)
    require_distribution("path(1)", end)
    if start.dim != end.dim:
        raise ValueError(f"the ends of a path must have the same dim, got {start.dim} and {end.dim}")
    n = start.dim if 3 < start.dim <= 1000 else 3  # as many as coordinates: a sum over the wrong axis fits then
    for name, function in (("log_density", log_density_of), ("grad_log_density", gradient_of)):
        for beta, p in ((0, start), (1, end)):
            try:
                mixed = not rows_agree(partial(function, p), draws_of(start, n, np.random.default_rng(0)))
            except Exception:  # no draws or no gradient: whoever needs them says so
                continue
            if mixed and not hasattr(p, "one_a_chain"):
                raise ValueError(
                    f"{name} of path({beta}) must take every state alone, but what it says of one depends on the "
                    "others: does a sum or a mean lack its axis? Sum over axis=-1"
                )


def rows_agree(function: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> bool:
    """Whether a function of states (N, D) returns the same for the first alone as for all, up to rounding."""
    together = np.asarray(function(x))[:1]
    try:
        alone = np.asarray(function(x[:1]))
    except ValueError:
        return False
    return together.shape == alone.shape and np.allclose(together, alone, rtol=1e-4, atol=1e-4, equal_nan=True)


def require_generator(rng: Any) -> None:
    """Raise TypeError unless ``rng`` is a numpy random Generator."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng must be a numpy.random.Generator (np.random.default_rng(0)), got {rng!r}")


def _ours(thing: Any) -> bool:
    """Whether a class of the library: its distributions and kernels leave x unchanged, and need no check."""
    return (getattr(thing, "__module__", None) or "").startswith("anneal_edu.")


def answer(name: str, function: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> Any:
    """Call ``function`` on states that it may read, but not change."""
    shown = x.view()
    shown.setflags(write=False)
    try:
        return function(shown)
    except ValueError as error:
        if "read-only" not in str(error):
            raise
        raise ValueError(f"{name} must not change x in place: let it work on a copy, x = x.copy()") from error


def log_density_of(distribution: Any, x: np.ndarray, beta: float | None = None) -> np.ndarray:
    """Log f(x) of any distribution, (..., D) -> (...): real numbers or -inf, one for every state, x unchanged."""
    if _ours(distribution):
        return distribution.log_density(x)
    require_distribution("a point of the path", distribution)
    return as_log_density(answer("log_density", distribution.log_density, x), x.shape[:-1], beta)


def as_log_density(values: Any, shape: tuple[int, ...], beta: float | None = None) -> np.ndarray:
    """Return what a log_density gave for states of shape (*shape, D), if it is valid."""
    if np.shape(values) != shape:
        raise ValueError(
            f"log_density must give one number a chain, {shape}, got {np.shape(values)}: sum over the last axis?"
        )
    require_unmasked("log_density's result", values)
    values = np.asarray(values)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"log_density's result must be an array of real numbers, got {values.dtype}")
    if np.isnan(values).any() or (values == np.inf).any():
        said = "log f must be -inf outside the support; it is NaN or +inf in some chain"
        raise ValueError(said if beta is None else f"{said} at beta = {beta:.6g}")
    return values


def gradient_of(distribution: Any, x: np.ndarray) -> np.ndarray:
    """∇ log f(x) of any distribution, (..., D) -> (..., D): real numbers in the shape of x, x unchanged."""
    if _ours(distribution):
        return distribution.grad_log_density(x)
    return as_gradient(answer("grad_log_density", distribution.grad_log_density, x), x.shape)


def as_gradient(values: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return what a gradient gave for states of this shape, if it is valid."""
    if np.shape(values) != shape:
        raise ValueError(f"grad must map shape {shape} to itself, got {np.shape(values)}")
    require_unmasked("grad's result", values)
    values = np.asarray(values)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"grad's result must be an array of real numbers, got {values.dtype}")
    return values


def draws_of(start: Any, n: int, rng: np.random.Generator) -> np.ndarray:
    """n draws of the start of a path, (n, D)."""
    return _as_chains("sample of path(0)", start.sample(n, rng), (n, start.dim))


def log_z_of(start: Any) -> float:
    """Log Z of the start of a path, a finite number."""
    log_z = as_number("log_z of path(0)", start.log_z())
    if not np.isfinite(log_z):
        raise ValueError(f"log_z of path(0) must be finite, got {log_z}")
    return log_z


class Point:
    """A point of a path as the loops see it: what it returns is checked; log_density may be a faster one."""

    def __init__(self, distribution: Any, beta: float, log_density: Callable[[np.ndarray], np.ndarray] | None = None):
        self.distribution, self.beta = distribution, beta
        self.log_density = log_density or partial(log_density_of, distribution, beta=beta)

    def grad_log_density(self, x: np.ndarray) -> np.ndarray:
        """∇ log f_β of every chain: (C, D) -> (C, D)."""
        slope = gradient_of(self.distribution, x)
        if np.isnan(np.vdot(slope, slope)):
            raise ValueError(f"grad_log_density is NaN in some chain at beta = {self.beta:.6g}")
        return slope


def checked_kernel(kernel: Any) -> Callable[[Point, np.ndarray, np.random.Generator], np.ndarray]:
    """A kernel for points of a path: a user's gets a copy of the states, and what it returns is checked.

    A kernel that changes along the path offers ``at(beta)``.
    """

    def transition(point: Point, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        move = kernel.at(point.beta) if hasattr(kernel, "at") else kernel
        if _ours(move) and _ours(point.distribution):
            return move(point.distribution, x, rng)
        return _as_chains("the kernel", move(point.distribution, x.copy(), rng), x.shape).copy()

    return transition


def _as_chains(name: str, x: Any, shape: tuple[int, ...]) -> np.ndarray:
    wanted = f"{name} must return one state for each of {shape[0]} chains, {shape}, got"
    try:
        states = np.asarray(x)
    except ValueError:  # rows of different lengths
        raise TypeError(f"{wanted} {type(x).__name__}") from None
    if isinstance(x, tuple) or states.dtype.kind not in "biuf":
        raise TypeError(f"{wanted} {x if x is None else f'{type(x).__name__} of {states.dtype}'}")
    if states.shape != shape:
        raise ValueError(f"{wanted} {states.shape}")
    if np.ma.is_masked(x) or not np.isfinite(states).all():
        raise ValueError(f"{wanted} some that are NaN, infinite or masked")
    return states
