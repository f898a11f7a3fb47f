"""A target defined by your own log density, and the geometric average of any two densities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anneal_edu.distributions.protocol import Distribution
from anneal_edu.validation import (
    answer,
    as_beta,
    as_count,
    as_gradient,
    as_log_density,
    as_states,
    gradient_of,
    log_density_of,
)


class Unnormalized:
    """A target defined by your own log density, up to a constant.

    Parameters
    ----------
    log_density : callable, (..., D) -> (...)
        Log f(x) in nats, vectorised over leading axes; -inf outside the support. It must not change x.
    dim : int
        Number of coordinates D.
    grad : callable, (..., D) -> (..., D), optional
        ∇ log f(x); needed by `hmc`, `hais` and `log_likelihood`.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> target = ae.Unnormalized(lambda x: -np.abs(x).sum(-1), dim=1)
    >>> target.log_density(np.array([[2.0], [0.0]]))
    array([-2., -0.])
    """

    def __init__(
        self, log_density: Callable[[np.ndarray], np.ndarray], dim: int,
        grad: Callable[[np.ndarray], np.ndarray] | None = None,
    ):
        self.dim = as_count("dim", dim)
        if not callable(log_density):
            raise TypeError(f"log_density must be a function, got {log_density!r}")
        if grad is not None and not callable(grad):
            raise TypeError(f"grad must be a function or None, got {grad!r}")
        self._log_density, self.grad = log_density, grad

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """Log f(x), checked: (..., D) -> (...)."""
        x = as_states(x, self.dim)
        return as_log_density(answer("log_density", self._log_density, x), x.shape[:-1]).astype(np.float64, copy=False)

    def grad_log_density(self, x: np.ndarray) -> np.ndarray:
        """∇ log f(x), checked: (..., D) -> (..., D)."""
        if self.grad is None:
            raise TypeError("this target has no gradient: pass grad=… to Unnormalized, or use random_walk")
        x = as_states(x, self.dim)
        return as_gradient(answer("grad", self.grad, x), x.shape).astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class GeometricBridge:
    """The geometric average f_0^{1-β} f_1^β of any two densities (Grosse et al. 2013, Eq. 1), without exact answers."""

    start: Distribution
    end: Distribution
    beta: float

    def __post_init__(self) -> None:
        as_beta(self.beta)

    @property
    def dim(self) -> int:
        """Number of coordinates D."""
        return self.start.dim

    @property
    def discrete(self) -> bool:
        """Whether the states are discrete."""
        return any(getattr(p, "discrete", False) for p in (self.start, self.end))

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """(1-β) log f_0(x) + β log f_1(x): (..., D) -> (...)."""
        return (1 - self.beta) * log_density_of(self.start, x) + self.beta * log_density_of(self.end, x)

    def grad_log_density(self, x: np.ndarray) -> np.ndarray:
        """(1-β) ∇ log f_0(x) + β ∇ log f_1(x): (..., D) -> (..., D)."""
        return (1 - self.beta) * gradient_of(self.start, x) + self.beta * gradient_of(self.end, x)
