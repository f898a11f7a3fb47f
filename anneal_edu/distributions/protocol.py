"""What the library asks of a distribution: two members of every one, and more from one that can do more.

Nobody inherits from these classes. An object with the members of a protocol fits it, for the estimators and for a type
checker. Begin with `Distribution`. Each of these optional members adds something:

    grad_log_density(x)             ∇ log f(x): (..., D) -> (..., D); for the kernel `hmc`, and for HAIS
    gibbs(x, rng)                   a sweep that leaves p invariant, (C, D) -> (C, D); for the kernel `gibbs`
    gibbs_backwards(x, rng)         the time reversal of gibbs, where it is not its own reversal
    geometric_mean(other, beta)     f^{1-β} f_other^β as a member of the same family; for `geometric_path`
    enumerable                      False where log_z and sample exist but are out of reach
    discrete, binary                True for discrete states, and for zeros and ones; otherwise states are real
    nonnegative                     (D,) booleans: coordinates that must not be negative; HAIS reflects them at 0
    n_hidden, sums_hidden           number of hidden units, and True where log_density sums over them

Examples
--------
>>> import numpy as np, anneal_edu as ae
>>> class Laplace:
...     dim = 1
...     def log_density(self, x):
...         return -np.abs(x).sum(-1)
...     def log_z(self):
...         return np.log(2)
...     def sample(self, n, rng):
...         return rng.laplace(size=(n, 1))
>>> path = ae.geometric_path(Laplace(), ae.Gaussian([1.0], [[1.0]]))
>>> abs(ae.ais(path, ae.linear_schedule(50), 500, kernel=ae.random_walk(1.0), rng=np.random.default_rng(0)).log_z) < 0.2
True
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

from anneal_edu.distributions.moment_coordinates import Arrays


@runtime_checkable
class Distribution(Protocol):
    """An unnormalised density f(x) = Z p(x) on R^D or {0, 1}^D: enough for `random_walk`, and for the end of a path."""

    @property
    def dim(self) -> int:
        """Number of coordinates D; a plain attribute will do."""

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """Log f(x), unnormalised: (..., D) -> (...)."""


@runtime_checkable
class Start(Distribution, Protocol):
    """A distribution with exact answers, as path(0) must be."""

    def log_z(self) -> float:
        """Exact log Z, in nats."""

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """n exact, independent draws from p, (n, D)."""


@runtime_checkable
class MomentAverages(Distribution, Protocol):
    """A family in which moments lead back to parameters in closed form: for `moment_path`."""

    def moment_average(self, other: Self, beta: float) -> Distribution:
        """The member whose moments are (1-β) s + β s_other."""


@runtime_checkable
class ExponentialFamily(Distribution, Protocol):
    """p(x) ∝ exp(η · g(x)) with known moments (Grosse et al. 2013, Eq. 6): for `kl_bias` and `cost_functional`."""

    def natural_parameters(self) -> Arrays:
        """η."""

    def moments(self) -> Arrays:
        """s = E[g(x)], arrays of the shapes of η."""

    def log_partition(self) -> float:
        """A(η) = log ∫ exp(η · g(x)) dx."""


@runtime_checkable
class FitsMoments(ExponentialFamily, Protocol):
    """A family in which `match_moments` can search for the member with given moments."""

    def member(self, parameters: Arrays) -> ExponentialFamily:
        """The member with natural parameters η."""

    def moment_coordinates(self, moments: Arrays) -> Any:
        """Coordinates of η for the search, as in `anneal_edu.distributions.moment_coordinates`."""


@runtime_checkable
class Generative(Protocol):
    """A model of images by latent causes: for `LatentPosterior` and `log_likelihood`."""

    @property
    def dim(self) -> int:
        """Dimension D of the data."""

    @property
    def n_latent(self) -> int:
        """Number of causes L."""

    @property
    def noise(self) -> float:
        """Standard deviation of the noise."""

    @property
    def latent_prior(self) -> Any:
        """p(a), a `Start` with a gradient and ``nonnegative``."""

    def reconstruct(self, a: np.ndarray) -> np.ndarray:
        """The image without noise: (..., L) -> (..., D)."""

    def pull_back(self, a: np.ndarray, error: np.ndarray) -> np.ndarray:
        """Gradient of error · reconstruct(a) with respect to a: (..., L), (..., D) -> (..., L)."""


def mix(first: Arrays, second: Arrays, beta: float) -> Arrays:
    """Entry-wise (1-β) first + β second of two tuples of arrays: a straight line in η or in s."""
    return tuple((1 - beta) * a + beta * b for a, b in _pairs(first, second))


def inner(first: Arrays, second: Arrays) -> float:
    """Inner product of two tuples of arrays, as in η · s."""
    return float(sum(np.vdot(a, b) for a, b in _pairs(first, second)))


def difference(first: Arrays, second: Arrays) -> Arrays:
    """Entry-wise first - second of two tuples of arrays."""
    return tuple(a - b for a, b in _pairs(first, second))


def _pairs(first: Arrays, second: Arrays) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    shapes = [np.shape(a) for a in first], [np.shape(b) for b in second]
    if shapes[0] != shapes[1]:
        raise ValueError(f"two members of one family must have the same shapes, got {shapes[0]} and {shapes[1]}")
    return zip(first, second, strict=True)
