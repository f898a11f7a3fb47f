"""What the library asks of a distribution, in tiers: two members of every one, more of one that can do more.

Nobody inherits from these. A class with the members of a tier is of that tier: for the estimators, which ask for a
member where they need it, and for a type checker, which reads ``def f(p: Distribution)`` as "anything with those two".
Begin with `Distribution`; each member that you add opens what the docstring of its tier says.

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
>>> isinstance(Laplace(), Start), isinstance(Laplace(), Differentiable)
(True, False)
>>> path = ae.geometric_path(Laplace(), ae.Gaussian([1.0], [[1.0]]))
>>> abs(ae.ais(path, ae.linear_schedule(50), 500, kernel=ae.random_walk(1.0), rng=np.random.default_rng(0)).log_z) < 0.2
True
"""

from __future__ import annotations

from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

from anneal_edu.distributions.moment_coordinates import Arrays, MomentCoordinates


@runtime_checkable
class Distribution(Protocol):
    """An unnormalised density f(x) = Z p(x) on R^D or {0, 1}^D: enough for `random_walk`, and for the end of a path."""

    @property
    def dim(self) -> int:
        """Number of coordinates D; a plain attribute will do."""

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """Log f(x), unnormalised: (..., D) -> (...)."""


# Exact answers


@runtime_checkable
class KnownLogZ(Distribution, Protocol):
    """Its log Z is known: enough for the start of reverse AIS."""

    def log_z(self) -> float:
        """Exact log Z, in nats."""


@runtime_checkable
class Samplable(Distribution, Protocol):
    """It can be drawn from: enough for the kernel `exact`, and for the start of `tempering_states`."""

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """n exact, independent draws from p, (n, D)."""


@runtime_checkable
class Start(KnownLogZ, Samplable, Protocol):
    """What AIS and the other estimators ask of path(0)."""


@runtime_checkable
class Enumerable(KnownLogZ, Samplable, Protocol):
    """It has exact answers for some parameters only, and says whether for these; others are taken to have them."""

    @property
    def enumerable(self) -> bool:
        """Whether log_z and sample are within reach."""


# Moves


@runtime_checkable
class Differentiable(Distribution, Protocol):
    """It has a gradient: for the kernel `hmc`, and for HAIS at both ends of its path."""

    def grad_log_density(self, x: np.ndarray) -> np.ndarray:
        """∇ log f(x): (..., D) -> (..., D)."""


@runtime_checkable
class GibbsSteps(Distribution, Protocol):
    """It knows its conditional distributions: for the kernel `gibbs`."""

    def gibbs(self, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """One Gibbs sweep that leaves p invariant, (C, D) -> (C, D)."""


@runtime_checkable
class GibbsBackwards(GibbsSteps, Protocol):
    """Its sweep is not its own time reversal, as when coordinates are drawn in order; others are taken to be."""

    def gibbs_backwards(self, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The time reversal of `gibbs`, (C, D) -> (C, D)."""


# Families, whose members can be averaged


@runtime_checkable
class GeometricAverages(Distribution, Protocol):
    """Geometric averages stay in the class: `geometric_path` then runs through its members."""

    def geometric_mean(self, other: Self, beta: float) -> Distribution:
        """f^{1-β} f_other^β as a member of the same family."""


@runtime_checkable
class MomentAverages(Distribution, Protocol):
    """Moments lead back to parameters in closed form: for `moment_path`."""

    def moment_average(self, other: Self, beta: float) -> Distribution:
        """The member whose moments are (1-β) s + β s_other."""


@runtime_checkable
class ExponentialFamily(Distribution, Protocol):
    """p(x) ∝ exp(η · g(x)) with known moments: for `kl_bias`, `cost_functional` and what else has a closed form.

    Grosse et al. 2013, Eq. 6.
    """

    def natural_parameters(self) -> Arrays:
        """η."""

    def moments(self) -> Arrays:
        """s = E[g(x)], arrays of the shapes of η."""

    def log_partition(self) -> float:
        """A(η) = log ∫ exp(η · g(x)) dx."""


@runtime_checkable
class FitsMoments(ExponentialFamily, Protocol):
    """Its member with given moments can be searched for: for `match_moments`."""

    def member(self, parameters: Arrays) -> ExponentialFamily:
        """The member with natural parameters η."""

    def moment_coordinates(self, moments: Arrays) -> MomentCoordinates:
        """Coordinates of η in which the member with moments s is soon found."""


# What the states are; who says nothing has real states without walls, and no hidden units


@runtime_checkable
class Discrete(Distribution, Protocol):
    """It says whether its states are discrete."""

    @property
    def discrete(self) -> bool:
        """If true, kernels that move real numbers refuse it."""


@runtime_checkable
class Binary(Discrete, Protocol):
    """It says whether its states are zeros and ones."""

    @property
    def binary(self) -> bool:
        """If true, data are checked for zeros and ones."""


@runtime_checkable
class Walled(Distribution, Protocol):
    """Some of its coordinates must not be negative."""

    @property
    def nonnegative(self) -> np.ndarray:
        """Which, (D,) of booleans; HAIS reflects them at 0."""


@runtime_checkable
class HiddenUnits(Distribution, Protocol):
    """It has hidden units, as many at both ends of a path."""

    @property
    def n_hidden(self) -> int:
        """Number of hidden units H."""


@runtime_checkable
class SumsHidden(HiddenUnits, Protocol):
    """It is the marginal of a joint density of (x, h)."""

    @property
    def sums_hidden(self) -> bool:
        """If true, averages are those of the joint density, and log f is no straight line in β."""


# Images and their hidden causes


@runtime_checkable
class Generative(Protocol):
    """A model of images by hidden causes: what `LatentPosterior` and `log_likelihood` ask of it."""

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
        """p(a), which can be drawn from and has a gradient, log_z and ``nonnegative``."""

    def reconstruct(self, a: np.ndarray) -> np.ndarray:
        """The image without noise: (..., L) -> (..., D)."""

    def pull_back(self, a: np.ndarray, error: np.ndarray) -> np.ndarray:
        """Gradient of error · reconstruct(a) with respect to a: (..., L), (..., D) -> (..., L)."""


def mix(first: Arrays, second: Arrays, beta: float) -> Arrays:
    """Entry-wise (1-β) first + β second of two tuples of arrays: a straight line in η or in s."""
    _require_same_shapes(first, second)
    return tuple((1 - beta) * a + beta * b for a, b in zip(first, second, strict=True))


def inner(first: Arrays, second: Arrays) -> float:
    """Inner product of two tuples of arrays, as in η · s."""
    return float(sum(np.vdot(a, b) for a, b in zip(first, second, strict=True)))


def difference(first: Arrays, second: Arrays) -> Arrays:
    """Entry-wise first - second of two tuples of arrays."""
    _require_same_shapes(first, second)
    return tuple(a - b for a, b in zip(first, second, strict=True))


def _require_same_shapes(first: Arrays, second: Arrays) -> None:
    shapes = [np.shape(a) for a in first], [np.shape(b) for b in second]
    if shapes[0] != shapes[1]:
        raise ValueError(f"two members of one family must have the same shapes, got {shapes[0]} and {shapes[1]}")
