"""A target given by the user as a log density, and the bridge between any two densities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anneal_edu.distributions.protocol import Distribution
from anneal_edu.validation import as_beta, as_count, as_states


@dataclass(frozen=True, eq=False)
class Unnormalized:
    """A user's own target, known up to a constant.

    Parameters
    ----------
    log_density : callable, (..., D) -> (...)
        Log f(x) in nats, vectorised over leading axes; -inf outside the support.
    dim : int
        Number of coordinates D.
    grad : callable, (..., D) -> (..., D), optional
        ∇ log f(x); needed by the hmc kernel alone.

    Raises
    ------
    ValueError
        Where ``log_density`` returns NaN, +inf or another shape than (...).

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> target = ae.Unnormalized(lambda x: -np.abs(x).sum(-1), dim=1)
    >>> target.log_density(np.array([[2.0], [0.0]]))
    array([-2., -0.])
    """

    log_density: Callable[[np.ndarray], np.ndarray]
    dim: int
    grad: Callable[[np.ndarray], np.ndarray] | None = None

    def __post_init__(self):
        as_count("dim", self.dim)
        if not callable(self.log_density):
            raise TypeError(f"log_density must be a function, got {self.log_density!r}")
        if self.grad is not None and not callable(self.grad):
            raise TypeError(f"grad must be a function or None, got {self.grad!r}")
        user_log_density = self.log_density

        def checked(x: np.ndarray) -> np.ndarray:
            x = as_states(x, self.dim)
            values = np.asarray(user_log_density(x), dtype=np.float64)
            if values.shape != x.shape[:-1]:
                raise ValueError(
                    f"log_density must map shape {x.shape} to {x.shape[:-1]}, got {values.shape}: "
                    "sum over the last axis?"
                )
            if np.isnan(values).any() or (values == np.inf).any():
                raise ValueError("log_density returned NaN or +inf")
            return values

        object.__setattr__(self, "log_density", checked)

    def grad_log_density(self, x: np.ndarray) -> np.ndarray:
        """∇ log f(x), as given by the user: (..., D) -> (..., D)."""
        if self.grad is None:
            raise TypeError("this target has no gradient: pass grad=… to Unnormalized, or use random_walk")
        x = as_states(x, self.dim)
        gradient = np.asarray(self.grad(x), dtype=np.float64)
        if gradient.shape != x.shape:
            raise ValueError(f"grad must map shape {x.shape} to itself, got {gradient.shape}")
        return gradient


@dataclass(frozen=True, eq=False)
class GeometricBridge:
    """The density f_0^{1-β} f_1^β between any two (Grosse et al. 2013, Eq. 1); it offers no exact answers."""

    start: Distribution
    end: Distribution
    beta: float

    def __post_init__(self):
        as_beta(self.beta)

    @property
    def dim(self) -> int:
        """Number of coordinates D."""
        return self.start.dim

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """(1-β) log f_0(x) + β log f_1(x): (..., D) -> (...)."""
        return (1 - self.beta) * self.start.log_density(x) + self.beta * self.end.log_density(x)

    def grad_log_density(self, x: np.ndarray) -> np.ndarray:
        """(1-β) ∇ log f_0(x) + β ∇ log f_1(x): (..., D) -> (..., D)."""
        return (1 - self.beta) * self.start.grad_log_density(x) + self.beta * self.end.grad_log_density(x)
