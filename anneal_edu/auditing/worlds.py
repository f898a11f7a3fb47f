"""Tiny problems on which a kernel can be asked: exact draws, and what is looked at."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, product
from typing import Any

import numpy as np

from anneal_edu.distributions import BinaryRBM, Gaussian

N_CELLS = 6
_REFERENCE = 4000
MOST_STATES = 4096  # that are summed over
_FEW, _MOST_SHARES, _MOST_PAIRS = 32, 256, 500  # that are watched: of more states each is too rare to be seen


@dataclass(frozen=True, eq=False)
class Skewed:
    """x = A y + b with independent e^y ~ Gamma(2): one tail long, the other steep, and nothing symmetric.

    Examples
    --------
    >>> import numpy as np
    >>> Skewed(np.eye(1), np.zeros(1)).log_density(np.array([[0.0]]))
    array([-1.])
    """

    mixing: np.ndarray
    shift: np.ndarray
    _back: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_back", np.linalg.inv(self.mixing).T)

    @property
    def dim(self) -> int:
        """Number of coordinates D."""
        return len(self.shift)

    def _y(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        y = (x - self.shift) @ self._back
        return y, np.exp(np.minimum(y, 50.0))

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """Log f(x) = Σ_i 2 y_i - e^{y_i}: (..., D) -> (...)."""
        y, e = self._y(x)
        return (2 * y - e).sum(-1)

    def grad_log_density(self, x: np.ndarray) -> np.ndarray:
        """∇ log f(x): (..., D) -> (..., D)."""
        return (2 - self._y(x)[1]) @ self._back.T

    def log_z(self) -> float:
        """Log Z = log |det A|, since Γ(2) = 1."""
        return float(np.linalg.slogdet(self.mixing)[1])

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Exact draws, (n, D)."""
        return np.log(rng.gamma(2.0, size=(n, self.dim))) @ self.mixing.T + self.shift


@dataclass(frozen=True, eq=False)
class Walled:
    """Gamma(3) on x > 0, and nothing beyond the wall."""

    dim = 1

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """Log f(x) = 2 log x - x, -inf for x ≤ 0."""
        x = x[..., 0]
        inside = x > 0
        return np.where(inside, 2 * np.log(np.where(inside, x, 1.0)) - x, -np.inf)

    def grad_log_density(self, x: np.ndarray) -> np.ndarray:
        """∇ log f(x), 0 beyond the wall."""
        inside = x > 0
        return np.where(inside, 2 / np.where(inside, x, 1.0) - 1, 0.0)

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Exact draws, (n, 1)."""
        return rng.gamma(3.0, size=(n, 1))


@dataclass(frozen=True, eq=False)
class TwoBumps:
    """0.3 N(-1.5, 0.6²) + 0.7 N(1.2, 0.5²), unnormalised by a factor e²."""

    dim = 1
    shares, means, widths = np.array([0.3, 0.7]), np.array([-1.5, 1.2]), np.array([0.6, 0.5])

    def _parts(self, x: np.ndarray) -> np.ndarray:
        away = (x - self.means) / self.widths
        return np.log(self.shares / self.widths / np.sqrt(2 * np.pi)) - away**2 / 2  # (..., 2)

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """Log f(x): (..., 1) -> (...)."""
        return 2.0 + np.logaddexp(*np.moveaxis(self._parts(x), -1, 0))

    def grad_log_density(self, x: np.ndarray) -> np.ndarray:
        """∇ log f(x): (..., 1) -> (..., 1)."""
        parts = self._parts(x)
        share = np.exp(parts - np.logaddexp(parts[..., :1], parts[..., 1:]))
        return (share * (self.means - x) / self.widths**2).sum(-1, keepdims=True)

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Exact draws, (n, 1)."""
        bump = (rng.random(n) >= self.shares[0]).astype(int)
        return (self.means[bump] + self.widths[bump] * rng.standard_normal(n))[:, None]


@dataclass(frozen=True, eq=False)
class World:
    """A distribution with exact draws, and the functions of a state whose averages are watched.

    Parameters
    ----------
    name : str
    distribution : Distribution
        With ``sample``.
    discrete : bool
    probes : tuple of (str, callable (C, D) -> (C,))
        What is averaged; bounded, so that averages are soon normal.
    scalars : tuple of (str, callable (C, D) -> (C,))
        What a chain may not keep, nor one side of, for ever.
    values : tuple of ndarray
        Of discrete coordinates, the values that draws of each show: all but rare ones; empty where many are rare.
    """

    name: str
    distribution: Any
    discrete: bool
    probes: tuple[tuple[str, Callable[[np.ndarray], np.ndarray]], ...]
    scalars: tuple[tuple[str, Callable[[np.ndarray], np.ndarray]], ...]
    values: tuple[np.ndarray, ...] = ()

    def look(self, x: np.ndarray) -> np.ndarray:
        """Every probe at states x: (C, D) -> (C, F)."""
        return np.stack([probe(x) for _, probe in self.probes], axis=1)


Look = tuple[str, Callable[[np.ndarray], np.ndarray]]


def real_world(name: str, distribution: Any, rng: np.random.Generator) -> World:
    """A world of real numbers: means, widths, correlations, shares of cells, and the density itself are watched."""
    seen = np.asarray(distribution.sample(_REFERENCE, rng), dtype=np.float64)
    middle, width, edges = np.median(seen, 0), seen.std(0), np.quantile(seen, np.arange(1, N_CELLS) / N_CELLS, axis=0)
    log_f = distribution.log_density(seen)
    level, spread = np.median(log_f), log_f.std() + 1e-300

    def unit(x: np.ndarray, j: Any = slice(None)) -> np.ndarray:
        return (x[:, j] - middle[j]) / width[j]

    def of_one(j: int) -> list[Look]:
        def in_cell(c: int, x: np.ndarray) -> np.ndarray:
            return (np.digitize(x[:, j], edges[:, j]) == c).astype(float)

        shares = [(f"the share of cell {c} of coordinate {j}", partial(in_cell, c)) for c in range(N_CELLS)]
        return [
            (f"the mean of coordinate {j}", lambda x: np.clip(unit(x, j), -5, 5)),
            (f"the width of coordinate {j}", lambda x: np.minimum(unit(x, j) ** 2, 16)),
            *shares,
        ]

    def of_two(i: int, j: int) -> Look:
        said = f"the correlation of coordinates {i} and {j}"
        return said, lambda x: np.tanh(unit(x, i)) * np.tanh(unit(x, j))

    dim = seen.shape[1]
    probes = [look for j in range(dim) for look in of_one(j)] + [of_two(i, j) for i, j in _pairs(dim)]
    probes.append(("the mean of log f", lambda x: np.clip((distribution.log_density(x) - level) / spread, -5, 5)))
    distances: list[Look] = [
        ("the distance from 0", lambda x: np.hypot.reduce(x, axis=1)),
        ("the distance from the middle", lambda x: np.hypot.reduce(unit(x), axis=1)),
        ("log f", distribution.log_density),
    ]
    return World(name, distribution, False, tuple(probes), (*_sums_of(dim), *distances))


def _pairs(dim: int) -> list[tuple[int, int]]:
    """Neighbours first, and not all of them where D is large."""
    return list(islice(((i, i + k) for k in range(1, dim) for i in range(dim - k)), _MOST_PAIRS))


def _sums_of(dim: int) -> list[Look]:
    """Coordinates, and the sums and differences of two."""

    def weighted(w: np.ndarray, x: np.ndarray) -> np.ndarray:
        return x @ w

    one = np.eye(dim)
    found: list[Look] = [(f"coordinate {j}", partial(weighted, one[j])) for j in range(dim)]
    for i, j in _pairs(dim):
        found.append((f"the sum of coordinates {i} and {j}", partial(weighted, one[i] + one[j])))
        found.append((f"the difference of coordinates {i} and {j}", partial(weighted, one[i] - one[j])))
    return found


def values_of(distribution: Any) -> tuple[np.ndarray, ...]:
    """The values of every discrete coordinate: 0 and 1, or what draws show, unless they show some only once."""
    if getattr(distribution, "binary", False):
        return (np.array([0.0, 1.0]),) * distribution.dim
    if not hasattr(distribution, "sample") or not getattr(distribution, "enumerable", True):
        return ()
    seen = np.asarray(distribution.sample(_REFERENCE, np.random.default_rng(_REFERENCE)))
    values, counts = zip(*(np.unique(column, return_counts=True) for column in seen.T), strict=True)
    once = sum(np.count_nonzero(count == 1) for count in counts)  # their share is about that of all unseen values
    return tuple(values) if once <= _REFERENCE / 1000 else ()


def all_states(values: tuple[np.ndarray, ...], at_most: int = MOST_STATES) -> np.ndarray | None:
    """Every state of coordinates with these values, the first varying slowest; None where they are too many."""
    few = values and math.prod(map(len, values)) <= at_most
    return np.array(list(product(*values))) if few else None


def discrete_world(name: str, distribution: Any) -> World:
    """The share of each of few states is watched; of many, what is watched of real numbers, too."""
    values = values_of(distribution)
    states = all_states(values, _MOST_SHARES)
    shares = tuple(
        (f"the share of state {' '.join(f'{v:g}' for v in s)}", lambda x, s=s: ((x == s).all(1)).astype(float))
        for s in (() if states is None else states)
    )
    least = np.array([v[0] for v in values] or 0)
    wholes: list[Look] = [
        ("the sum of the coordinates", lambda x: x.sum(1).astype(float)),
        ("whether an even number of coordinates is above the least value", lambda x: (x != least).sum(1) % 2.0),
    ]
    few = 0 < len(shares) <= _FEW
    others = () if few else real_world(name, distribution, np.random.default_rng(_REFERENCE)).probes
    return World(name, distribution, True, (*shares, *others), (*_sums_of(distribution.dim), *wholes), values)


def tiny_worlds(rng: np.random.Generator) -> list[World]:
    """The problems of `audit`: five of real numbers, one of bits."""
    leaning = np.array([[1.0, 0.5, -0.2], [0.5, 0.6, 0.1], [-0.2, 0.1, 1.5]])
    off = np.array([1.0, -0.7, 20.0])
    couplings = np.array([[1.6, -1.0], [-1.2, 0.8], [0.7, 1.5]])
    rbm = BinaryRBM(couplings, np.array([-0.4, 0.5, -0.9]), np.array([0.3, -0.6]))
    return [
        real_world("a steep and a long tail", Skewed(np.array([[1.0]]), np.array([0.5])), rng),
        real_world("a correlated Gaussian in three dimensions", Gaussian(off, leaning, 1.5), rng),
        real_world("a skewed plane", Skewed(np.array([[1.0, 0.0], [0.7, 0.8]]), np.array([-0.5, 0.4])), rng),
        real_world("two bumps", TwoBumps(), rng),
        real_world("a half-line", Walled(), rng),
        discrete_world("an RBM of three bits", rbm),
    ]
