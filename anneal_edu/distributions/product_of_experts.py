"""Products of experts: the density of a data vector is a product over linear filters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from anneal_edu.validation import as_choice, as_count, as_finite_array, as_states, require_generator, require_shape


@dataclass(frozen=True, eq=False)
class ProductOfExperts:
    """Product of experts, f(x) = Π_l exp(-E(φ_l·x; λ_l))  (Sohl-Dickstein and Culpepper 2012, Eq. 36 to 38).

    ``"laplace"``: E(u; λ) = λ |u|;  ``"student_t"``: E(u; λ) = λ log(1 + u²).

    Complete models, with as many filters as dimensions, have exact log_z and sample: the filters x are independent.

    Parameters
    ----------
    filters : (L, D) array
        One filter φ_l a row, L ≥ D, of rank D: otherwise f is constant in some direction and has no integral.
    weights : (L,) array or None
        λ, positive; None stands for ones. Student-t experts must have weights large enough for f to have an integral,
        which is checked for filters in general position: no D of them in a hyperplane.
    expert : "laplace" or "student_t"

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> model = ae.ProductOfExperts(2 * np.eye(3), None, expert="laplace")
    >>> round(model.log_z(), 12) == 0.0
    True
    """

    filters: np.ndarray
    weights: np.ndarray
    expert: str

    def __init__(self, filters: np.ndarray, weights: np.ndarray | None = None, expert: str = "laplace") -> None:
        filters = as_finite_array("filters", filters, ndim=2)
        L, D = filters.shape
        weights = as_finite_array("weights", np.ones(L) if weights is None else weights, ndim=1)
        require_shape("weights", weights, (L,))
        if (weights <= 0).any():
            raise ValueError(f"weights must be positive, got {weights.min()}")
        as_choice("expert", expert, ("laplace", "student_t"))
        if np.linalg.matrix_rank(filters) < D:
            raise ValueError(f"filters must have rank {D}, got {np.linalg.matrix_rank(filters)}: f has no integral")
        # in a subspace of j dimensions D - j filters may vanish: twice the weights of the others must exceed j
        lightest = np.cumsum(np.sort(weights))[L - D :]  # (D,): of the lightest L - D + j filters, j = 1 … D
        if expert == "student_t" and (2 * lightest <= np.arange(1, D + 1)).any():
            raise ValueError("the tails of these student_t experts are too heavy, f has no integral: raise the weights")
        for name, value in (("filters", filters), ("weights", weights), ("expert", expert)):
            object.__setattr__(self, name, value)

    @property
    def dim(self) -> int:
        """Dimension D of the data."""
        return self.filters.shape[1]

    @property
    def enumerable(self) -> bool:
        """Whether the model is complete, so that log_z and sample are exact."""
        return len(self.filters) == self.dim

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """Log f(x): (..., D) -> (...)."""
        u = as_states(x, self.dim) @ self.filters.T  # (..., L)
        if self.expert == "laplace":
            return -(np.abs(u, out=u) @ self.weights)
        u *= u
        u += 1
        return -(np.log(u, out=u) @ self.weights)  # numpy's log is vectorised, its log1p is not

    def grad_log_density(self, x: np.ndarray) -> np.ndarray:
        """∇ log f(x): (..., D) -> (..., D)."""
        u = as_states(x, self.dim) @ self.filters.T
        if self.expert == "laplace":
            slope = np.sign(u, out=u)
        else:
            tail = u * u
            tail += 1
            slope = np.divide(u, tail, out=u)
            slope *= 2
        slope *= -self.weights
        return slope @ self.filters

    def _require_complete(self) -> None:
        if not self.enumerable:
            why = f"this one has {len(self.filters)} experts in {self.dim} dimensions; estimate log Z with hais(…)"
            raise ValueError(f"only a complete product of experts has an exact answer, {why}")

    def log_z(self) -> float:
        """Exact log Z of a complete model, in nats.

        With u = filters x, Z = ∏_l ∫ exp(-E(u; λ_l)) du / |det filters|; an integral is 2 / λ, or √π Γ(λ-½) / Γ(λ).
        """
        self._require_complete()
        lam = self.weights
        if self.expert == "laplace":
            log_integrals = np.log(2 / lam)
        else:
            log_integrals = 0.5 * np.log(np.pi) + gammaln(lam - 0.5) - gammaln(lam)
        return float(log_integrals.sum() - np.linalg.slogdet(self.filters)[1])

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw n exact, independent samples of a complete model, (n, D)."""
        self._require_complete()
        require_generator(rng)
        shape = as_count("n", n), self.dim
        if self.expert == "laplace":
            u = rng.laplace(scale=1 / self.weights, size=shape)
        else:  # (1 + u²)^-λ is Student's t with 2λ - 1 degrees of freedom, shrunk by their root
            degrees = 2 * self.weights - 1
            u = rng.standard_t(degrees, size=shape) / np.sqrt(degrees)
        return np.linalg.solve(self.filters, u.T).T

    # Training: `minimum_probability_flow`

    @property
    def _lightest_weight(self) -> float:
        """D / 2L: if the weights of all Student-t experts exceed it, f has an integral, in general position."""
        return 0.5 * self.dim / len(self.filters)

    def free_parameters(self) -> dict[str, np.ndarray]:
        """Parameters to be trained, by name; any real numbers make a model."""
        if self.expert == "laplace":  # the length of a filter can absorb its weight
            return {"filters": self.filters}
        excess = self.weights - self._lightest_weight
        if (excess <= 0).any():
            raise ValueError(
                f"weights of student_t experts must exceed D / 2L = {self._lightest_weight:g} to be trained, "
                f"got {self.weights.min():g}"
            )
        return {"filters": self.filters, "log_excess": np.log(excess)}

    def with_free_parameters(self, parts: dict[str, np.ndarray]) -> ProductOfExperts:
        """A model like this one with other free parameters."""
        weights = self.weights
        if self.expert == "student_t":
            weights = self._lightest_weight + np.exp(parts["log_excess"])
        return ProductOfExperts(parts["filters"], weights, self.expert)

    def parameter_slopes(self, x: np.ndarray, w: np.ndarray) -> dict[str, np.ndarray]:
        """Gradient of Σ_n w_n log f(x_n) in every free parameter: (N, D), (N,)."""
        u = x @ self.filters.T  # (N, L)
        if self.expert == "laplace":
            pull = -np.sign(u) * self.weights  # (N, L), of log f on u
            return {"filters": (pull * w[:, None]).T @ x}
        squares = 1 + u * u
        pull = -2 * u / squares * self.weights
        of_weights = -(w @ np.log(squares))  # (L,)
        return {
            "filters": (pull * w[:, None]).T @ x,
            "log_excess": of_weights * (self.weights - self._lightest_weight),
        }
