"""Small test problems: distributions with exact draws, and the statistics that are computed on them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice, product
from typing import Any

import numpy as np

from anneal_edu.distributions import BinaryRBM, Gaussian

N_CELLS = 6
MOST_STATES = 4096  # that are summed over
_REFERENCE = 4000
_FEW, _MOST_SHARES, _MOST_PAIRS = 32, 256, 500  # of more states, each is too rare for a statistic of its own


@dataclass(frozen=True, eq=False)
class Skewed:
    """x = A y + b with independent e^y ~ Gamma(2), so that log Z = log |det A|: one tail is long, the other steep."""

    mixing: np.ndarray
    shift: np.ndarray

    @property
    def dim(self) -> int:
        return len(self.shift)

    @cached_property
    def _back(self) -> np.ndarray:
        return np.linalg.inv(self.mixing).T

    def _y(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        y = (x - self.shift) @ self._back
        return y, np.exp(np.minimum(y, 50.0))

    def log_density(self, x: np.ndarray) -> np.ndarray:
        y, e = self._y(x)
        return (2 * y - e).sum(-1)

    def grad_log_density(self, x: np.ndarray) -> np.ndarray:
        return (2 - self._y(x)[1]) @ self._back.T

    def log_z(self) -> float:
        return float(np.linalg.slogdet(self.mixing)[1])

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        return np.log(rng.gamma(2.0, size=(n, self.dim))) @ self.mixing.T + self.shift


class Walled:
    """Gamma(3): log f(x) = 2 log x - x for x > 0, and -inf elsewhere; log Z = log 2."""

    dim = 1

    def log_density(self, x: np.ndarray) -> np.ndarray:
        x = x[..., 0]
        inside = x > 0
        return np.where(inside, 2 * np.log(np.where(inside, x, 1.0)) - x, -np.inf)

    def grad_log_density(self, x: np.ndarray) -> np.ndarray:
        inside = x > 0
        return np.where(inside, 2 / np.where(inside, x, 1.0) - 1, 0.0)

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        return rng.gamma(3.0, size=(n, 1))


class TwoBumps:
    """0.3 N(-1.5, 0.6²) + 0.7 N(1.2, 0.5²) times e², so that log Z = 2."""

    dim = 1
    shares, means, widths = np.array([0.3, 0.7]), np.array([-1.5, 1.2]), np.array([0.6, 0.5])

    def _parts(self, x: np.ndarray) -> np.ndarray:
        away = (x - self.means) / self.widths
        return np.log(self.shares / self.widths / np.sqrt(2 * np.pi)) - away**2 / 2  # (..., 2)

    def log_density(self, x: np.ndarray) -> np.ndarray:
        return 2.0 + np.logaddexp(*np.moveaxis(self._parts(x), -1, 0))

    def grad_log_density(self, x: np.ndarray) -> np.ndarray:
        parts = self._parts(x)
        share = np.exp(parts - np.logaddexp(parts[..., :1], parts[..., 1:]))
        return (share * (self.means - x) / self.widths**2).sum(-1, keepdims=True)

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        bump = (rng.random(n) >= self.shares[0]).astype(int)
        return (self.means[bump] + self.widths[bump] * rng.standard_normal(n))[:, None]


Named = tuple[str, Callable[[np.ndarray], np.ndarray]]


@dataclass(frozen=True, eq=False)
class Problem:
    """A distribution with exact draws, and functions (C, D) -> (C,) of its states, each with a name.

    The means of the ``statistics``, which are bounded, are compared. A kernel that reaches every state must change each
    of the ``observables``, and take it to both sides of every threshold. ``values`` are those that draws of each
    discrete coordinate show; empty where many are rare.
    """

    name: str
    distribution: Any
    discrete: bool
    statistics: tuple[Named, ...]
    observables: tuple[Named, ...]
    values: tuple[np.ndarray, ...] = ()

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        """Every statistic of states x: (C, D) -> (C, F)."""
        return np.stack([statistic(x) for _, statistic in self.statistics], axis=1)


def real_problem(name: str, distribution: Any, rng: np.random.Generator) -> Problem:
    """Statistics of real coordinates: means, widths, correlations, shares of cells, and the mean of log f."""
    seen = np.asarray(distribution.sample(_REFERENCE, rng), dtype=np.float64)
    middle, width, edges = np.median(seen, 0), seen.std(0), np.quantile(seen, np.arange(1, N_CELLS) / N_CELLS, axis=0)
    log_f = distribution.log_density(seen)
    level, spread = np.median(log_f), log_f.std() + 1e-300

    def unit(x: np.ndarray, j: Any = slice(None)) -> np.ndarray:
        return (x[:, j] - middle[j]) / width[j]

    def of_one(j: int) -> list[Named]:
        def in_cell(c: int, x: np.ndarray) -> np.ndarray:
            return (np.digitize(x[:, j], edges[:, j]) == c).astype(float)

        return [
            (f"the mean of coordinate {j}", lambda x: np.clip(unit(x, j), -5, 5)),
            (f"the width of coordinate {j}", lambda x: np.minimum(unit(x, j) ** 2, 16)),
            *((f"the share of cell {c} of coordinate {j}", partial(in_cell, c)) for c in range(N_CELLS)),
        ]

    def of_two(i: int, j: int) -> Named:
        return f"the correlation of coordinates {i} and {j}", lambda x: np.tanh(unit(x, i)) * np.tanh(unit(x, j))

    dim = seen.shape[1]
    statistics = [one for j in range(dim) for one in of_one(j)] + [of_two(i, j) for i, j in _pairs(dim)]
    statistics.append(("the mean of log f", lambda x: np.clip((distribution.log_density(x) - level) / spread, -5, 5)))
    distances: list[Named] = [
        ("the distance from 0", lambda x: np.hypot.reduce(x, axis=1)),
        ("the distance from the middle", lambda x: np.hypot.reduce(unit(x), axis=1)),
        ("log f", distribution.log_density),
    ]
    return Problem(name, distribution, False, tuple(statistics), (*_sums(dim), *distances))


def _pairs(dim: int) -> list[tuple[int, int]]:
    """Neighbours first, and not all pairs where D is large."""
    return list(islice(((i, i + k) for k in range(1, dim) for i in range(dim - k)), _MOST_PAIRS))


def _sums(dim: int) -> list[Named]:
    """Coordinates, and the sums and differences of two."""
    one = np.eye(dim)
    weights = {f"coordinate {j}": one[j] for j in range(dim)}
    for i, j in _pairs(dim):
        weights[f"the sum of coordinates {i} and {j}"] = one[i] + one[j]
        weights[f"the difference of coordinates {i} and {j}"] = one[i] - one[j]
    return [(name, partial(np.dot, b=w)) for name, w in weights.items()]


def values_of(distribution: Any) -> tuple[np.ndarray, ...]:
    """The values of every discrete coordinate: 0 and 1, or what draws show, unless many values are rare."""
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


def discrete_problem(name: str, distribution: Any) -> Problem:
    """Statistics of discrete coordinates: the share of each of few states; of many also those of real coordinates."""
    values = values_of(distribution)
    states = all_states(values, _MOST_SHARES)
    shares = tuple(
        (f"the share of state {' '.join(f'{v:g}' for v in s)}", lambda x, s=s: ((x == s).all(1)).astype(float))
        for s in (() if states is None else states)
    )
    least = np.array([v[0] for v in values] or 0)
    totals: list[Named] = [
        ("the sum of the coordinates", lambda x: x.sum(1).astype(float)),
        ("whether an even number of coordinates is above the least value", lambda x: (x != least).sum(1) % 2.0),
    ]
    few = 0 < len(shares) <= _FEW
    others = () if few else real_problem(name, distribution, np.random.default_rng(_REFERENCE)).statistics
    return Problem(name, distribution, True, (*shares, *others), (*_sums(distribution.dim), *totals), values)


SKEWED_LINE = Skewed(np.array([[1.0]]), np.array([0.5]))
THREE_BITS = BinaryRBM(
    np.array([[1.6, -1.0], [-1.2, 0.8], [0.7, 1.5]]), np.array([-0.4, 0.5, -0.9]), np.array([0.3, -0.6])
)


def standard_problems(rng: np.random.Generator) -> list[Problem]:
    """The problems on which `audit` tests a kernel: five of real numbers, one of bits."""
    cov = np.array([[1.0, 0.5, -0.2], [0.5, 0.6, 0.1], [-0.2, 0.1, 1.5]])
    space = Gaussian(np.array([1.0, -0.7, 20.0]), cov, 1.5)
    plane = Skewed(np.array([[1.0, 0.0], [0.7, 0.8]]), np.array([-0.5, 0.4]))
    return [
        real_problem("a steep and a long tail", SKEWED_LINE, rng),
        real_problem("a correlated Gaussian in three dimensions", space, rng),
        real_problem("a skewed plane", plane, rng),
        real_problem("two bumps", TwoBumps(), rng),
        real_problem("a half-line", Walled(), rng),
        discrete_problem("an RBM of three bits", THREE_BITS),
    ]
