"""The binary RBM over the states of both layers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anneal_edu.distributions.bernoulli import bernoulli
from anneal_edu.distributions.binary_rbm import BinaryRBM
from anneal_edu.validation import as_states, require_kind


@dataclass(frozen=True, eq=False)
class JointRBM:
    """A binary RBM over x = (v, h) in {0, 1}^(D+H): log f(x) = -E(v, h), with the log Z of the RBM.

    E(v, h) = -v·visible_bias - h·hidden_bias - vᵀ weights h  (Grosse et al. 2013, Eq. 11). Along a geometric path log f
    is linear in β, so one energy difference serves all rungs of a ladder. `BinaryRBM` costs more and gives less noise.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> joint = ae.JointRBM(ae.BinaryRBM(weights=np.ones((3, 2)), visible_bias=np.zeros(3), hidden_bias=np.zeros(2)))
    >>> joint.log_density(np.array([[1.0, 1, 1, 1, 1], [1, 0, 0, 1, 0]])), round(joint.log_z(), 6)
    (array([6., 1.]), 6.552801)
    """

    rbm: BinaryRBM

    discrete = binary = True

    def __post_init__(self) -> None:
        require_kind("rbm", self.rbm, BinaryRBM)

    @property
    def n_hidden(self) -> int:
        """Number of hidden units H, the last of the state."""
        return self.rbm.n_hidden

    @property
    def dim(self) -> int:
        """Number of units of both layers, D + H."""
        return self.rbm.dim + self.rbm.n_hidden

    @property
    def enumerable(self) -> bool:
        """Whether log_z and sample are within reach, as for the RBM."""
        return self.rbm.enumerable

    def layers(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """v and h of states x: (..., D+H) -> (..., D), (..., H)."""
        x = as_states(x, self.dim)
        return x[..., : self.rbm.dim], x[..., self.rbm.dim :]

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """Log f(v, h) = v·visible_bias + Σ_j h_j (hidden_bias_j + (v weights)_j): (..., D+H) -> (...), float64."""
        v, h = self.layers(x)
        return v @ self.rbm.visible_bias + (h * self.rbm.hidden_field(v)).sum(-1, dtype=np.float64)

    def gibbs(self, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """h ~ p(h | v), then v ~ p(v | h): (C, D+H) -> (C, D+H)."""
        h = bernoulli(self.rbm.hidden_field(self.layers(x)[0]), rng)
        return np.concatenate([bernoulli(self.rbm.visible_field(h), rng), h], axis=-1)

    def gibbs_backwards(self, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The time reversal of `gibbs`: v ~ p(v | h), then h ~ p(h | v)."""
        v = bernoulli(self.rbm.visible_field(self.layers(x)[1]), rng)
        return np.concatenate([v, bernoulli(self.rbm.hidden_field(v), rng)], axis=-1)

    def log_z(self) -> float:
        """Exact log Σ_{v,h} f(v, h), in nats."""
        return self.rbm.log_z()

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw n exact, independent states of both layers, (n, D+H) float32."""
        v = self.rbm.sample(n, rng)
        return np.concatenate([v, bernoulli(self.rbm.hidden_field(v), rng)], axis=1)

    def geometric_mean(self, other: JointRBM, beta: float) -> JointRBM:
        """The RBM with averaged parameters, over both layers."""
        return JointRBM(self.rbm.geometric_mean(other.rbm, beta))
