"""Geometric paths between binary RBMs: every product with the weights that is shared for speed, and nothing else.

The plain algorithms know nothing of this room. They ask a path what it offers (`anneal_edu.paths.capabilities`), and
tests hold what is offered to the plain way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from threading import local
from typing import Any

import numpy as np
from scipy.special import expit

from anneal_edu.distributions import BinaryRBM, JointRBM
from anneal_edu.distributions.bernoulli import bernoulli, sum_of_softplus, weigh_and_draw
from anneal_edu.kernels import accept, swapped
from anneal_edu.paths.capabilities import by_steps
from anneal_edu.paths.geometric import SHARING, GeometricPath
from anneal_edu.paths.ladder import Ladder
from anneal_edu.workers import Scratch

_ROWS_AT_ONCE = 500  # the working arrays of a block stay in the processor's cache
_FIELDS_AT_ONCE = 100_000

_scratch = Scratch()


@dataclass(frozen=True, eq=False)
class GeometricRBMPath(GeometricPath):
    """The geometric path between two binary RBMs, which shares v @ weights between the weight and the Gibbs step."""

    start: BinaryRBM
    end: BinaryRBM

    @cached_property
    def _weightless_start(self) -> bool:
        return not self.start.weights.any()

    @cached_property
    def _line(self) -> tuple[np.ndarray, ...]:
        """W_0, W_1 - W_0, b_0, b_1 - b_0, c_0, c_1 - c_0 in float32: parameters at β are start + β · difference."""
        starts, ends = ((rbm.weights, rbm.visible_bias, rbm.hidden_bias) for rbm in (self.start, self.end))
        return tuple(np.asarray(a, np.float32) for a0, a1 in zip(starts, ends, strict=True) for a in (a0, a1 - a0))

    @cached_property
    def _transposed(self) -> tuple[np.ndarray, np.ndarray]:
        """W_0ᵀ and (W_1 - W_0)ᵀ, (H, D), stored row by row: small products then run several times faster."""
        W0, dW = self._line[:2]
        return np.ascontiguousarray(W0.T), np.ascontiguousarray(dW.T)

    def hidden_slope(self, v: np.ndarray) -> np.ndarray:
        """(v (W_1 - W_0))_j + c_1j - c_0j, by which the field of hidden unit j grows with β: (C, D) -> (C, H)."""
        _, dW, _, _, _, dc = self._line
        return np.asarray(v, dtype=np.float32) @ dW + dc

    def _hidden_level(self, v: np.ndarray) -> np.ndarray:
        """The field of the hidden units at β = 0: (C, D) -> (C, H), or (H,) where it does not depend on v."""
        W0, _, _, _, c0, _ = self._line
        return c0 if self._weightless_start else np.asarray(v, dtype=np.float32) @ W0 + c0

    def log_densities(self, schedule: np.ndarray, x: np.ndarray, slope: np.ndarray | None = None) -> np.ndarray:
        """Log f_β(v) for every β of a schedule, from one or two products with the weights: (K+1,), (N, D) -> (K+1, N).

        ``slope`` is `hidden_slope(x)`, where it is known. States of float64 are worth more digits, and get them.
        """
        if x.dtype != np.float32:
            return super().log_densities(schedule, x)
        slope = self.hidden_slope(x) if slope is None else slope
        level, db = self._hidden_level(x), self.end.visible_bias - self.start.visible_bias
        at_start, gain = x @ self.start.visible_bias, x @ db  # (N,)
        log_f = at_start + np.multiply.outer(schedule, gain)  # (K+1, N)
        at_once = max(1, _FIELDS_AT_ONCE // slope.size)
        for first in range(0, len(schedule), at_once):
            rungs = slice(first, first + at_once)
            betas = np.asarray(schedule[rungs], dtype=np.float32)[:, None, None]
            log_f[rungs] += sum_of_softplus(betas * slope + level)
        return log_f

    def log_density_slopes(self, schedule: np.ndarray, x: np.ndarray) -> np.ndarray:
        """d/dβ log f_β(v) = v·(b_1 - b_0) + Σ_j E[h_j] da_j/dβ, a the fields of h: (K+1,), (N, D) -> (K+1, N)."""
        level = self.start.hidden_field(x)
        slope = self.end.hidden_field(x) - level  # (N, H): a = level + β slope
        gain = x @ (self.end.visible_bias - self.start.visible_bias)
        rows = [(expit(level + slope.dtype.type(beta) * slope) * slope).sum(-1, dtype=np.float64) for beta in schedule]
        return gain + np.array(rows)

    def gibbs_at(
        self, betas: np.ndarray, v: np.ndarray, rng: np.random.Generator, slope: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """One block Gibbs step of every chain at its own β, the new v and h: (C,), (C, D) -> (C, D), (C, H).

        ``slope`` is `hidden_slope(v)`.
        """
        _, _, b0, db, _, _ = self._line
        W0t, dWt = self._transposed
        t = np.asarray(betas, dtype=np.float32)[:, None]  # (C, 1)
        h = bernoulli(t * slope + self._hidden_level(v), rng)  # (C, H)
        field = (t * h) @ dWt  # (C, D)
        field += b0 + t * db
        if not self._weightless_start:
            field += h @ W0t
        return bernoulli(field, rng), h

    def energy_line(self, v: np.ndarray, h: np.ndarray, slope: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Log f_0(v, h) and log f_1(v, h) - log f_0(v, h), of which log f_β is the line: (C, D), (C, H) -> (C,), (C,).

        ``slope`` is `hidden_slope(v)`.
        """
        start, db = self.start.visible_bias, self.end.visible_bias - self.start.visible_bias
        at_start = v @ start + (h * self._hidden_level(v)).sum(1, dtype=np.float64)
        return at_start, v @ db + (h * slope).sum(1, dtype=np.float64)

    def gibbs_ladder(self, schedule: np.ndarray) -> RBMLadder:
        """A ladder whose chains are moved by Gibbs."""
        return RBMLadder(self, schedule)

    def gibbs_sweep(self, schedule: np.ndarray) -> TemperingSweep | None:
        """A sweep of parallel tempering by Gibbs; None where the start has weights."""
        return TemperingSweep(self, schedule) if self._weightless_start else None

    @property
    def anneal_by_gibbs(self) -> Any:
        """The loop of AIS."""
        return by_steps(self.weigh_and_gibbs)

    def weigh_and_gibbs(
        self, before: float, now: float, v: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """One pass of the loop of AIS, in float32: (log f_now(v) - log f_before(v) (C,), next v (C, D)).

        The field of hidden unit j is c_j(β) + (v W_0)_j + β (v (W_1 - W_0))_j: the products are done once, and serve
        both densities and the draw of h. From a weightless start only one of them is left.
        """
        (_, dW, b0, db, _, dc), (W0t, dWt) = self._line, self._transposed
        t0, t1 = np.float32(before), np.float32(now)
        if not self._weightless_start:
            Wt = np.multiply(t1, dWt, out=_scratch.array("Wt", dWt.shape, np.float32))
            Wt += W0t  # W(β)ᵀ, (H, D)
        b = b0 + t1 * db
        log_ratio, next_v = np.empty(len(v)), np.empty(v.shape, dtype=np.float32)
        for start in range(0, len(v), _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            block = np.asarray(v[rows], dtype=np.float32)
            slope = block @ dW  # (C, H): the hidden field at β is level + β slope
            slope += dc
            level = self._hidden_level(block)
            log_ratio[rows], h = weigh_and_draw(t0 * slope + level, t1 * slope + level, rng)
            log_ratio[rows] += (now - before) * (block @ db)
            if self._weightless_start:
                h *= t1
            visible_field = np.matmul(h, dWt if self._weightless_start else Wt, out=next_v[rows])  # (C, D)
            visible_field += b
            bernoulli(visible_field, rng)  # leaves its draws there, in next_v
        return log_ratio, next_v


@dataclass(frozen=True, eq=False)
class JointRBMPath(GeometricPath):
    """The geometric path between two binary RBMs over states (v, h)."""

    start: JointRBM
    end: JointRBM

    @cached_property
    def summed(self) -> GeometricRBMPath:
        """The path of the same RBMs with h summed out, whose products with the weights serve both."""
        return GeometricRBMPath(self.start.rbm, self.end.rbm)

    def gibbs_ladder(self, schedule: np.ndarray) -> JointRBMLadder:
        """A ladder whose chains are moved by Gibbs."""
        return JointRBMLadder(self, schedule)


class RBMLadder(Ladder):
    """A ladder of a geometric path between RBMs, in float32: densities and the next move share v @ weights."""

    path: GeometricRBMPath

    def __init__(self, path: GeometricPath, schedule: np.ndarray):
        super().__init__(path, schedule)
        self._last = local()

    def _slope(self, v: np.ndarray) -> np.ndarray:
        """`GeometricRBMPath.hidden_slope` of states, of which the last are remembered."""
        if getattr(self._last, "v", None) is not v:
            self._last.v, self._last.slope = v, self.path.hidden_slope(v)
        slope: np.ndarray = self._last.slope
        return slope

    def move(self, v: np.ndarray, k: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """One block Gibbs step of every chain on its own rung."""
        return self.path.gibbs_at(self.schedule[k], v, rng, self._slope(v))[0]

    def log_density(self, v: np.ndarray) -> np.ndarray:
        """Log f_k(v_n): (N, D) -> (K+1, N)."""
        return self.path.log_densities(self.schedule, v, self._slope(v))


class JointRBMLadder(RBMLadder):
    """The same for states (v, h): log f is linear in β, and a sweep costs little more than its two products."""

    path: JointRBMPath  # type: ignore[assignment]

    def _layers(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        D = self.path.start.rbm.dim
        return x[:, :D], x[:, D:]

    def _slope(self, x: np.ndarray) -> np.ndarray:
        if getattr(self._last, "x", None) is not x:
            self._last.x, self._last.slope = x, self.path.summed.hidden_slope(self._layers(x)[0])
        slope: np.ndarray = self._last.slope
        return slope

    def move(self, x: np.ndarray, k: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """One block Gibbs step of every chain on its own rung."""
        layers = self.path.summed.gibbs_at(self.schedule[k], self._layers(x)[0], rng, self._slope(x))
        return np.concatenate(layers, axis=1)

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """Log f_k(v_n, h_n): (N, D+H) -> (K+1, N)."""
        at_start, gain = self.path.summed.energy_line(*self._layers(x), self._slope(x))
        return at_start + np.multiply.outer(self.schedule, gain)


class TemperingSweep:
    """`anneal_edu.tempering.parallel.pt_sweep` by Gibbs on the path from an RBM without weights to another, in float32.

    The hidden units of v have the field c_0 + β (v W + c_1 - c_0) on rung β: one product v @ W serves the densities on
    three rungs *and* the next Gibbs step, wherever the swaps take v. So it is kept with the states. A sweep takes two
    products, v @ W and h @ Wᵀ, for all rungs and chains at once: the same law, the same numbers up to rounding.
    """

    def __init__(self, path: GeometricRBMPath, schedule: np.ndarray):
        (_, b0, c0), (W, b1, c1) = path.start.single_precision, path.end.single_precision
        self.W, self.Wt = W, np.ascontiguousarray(W.T)  # stored row by row, small products run several times faster
        self.b0, self.db, self.c0, self.dc = b0, b1 - b0, c0, c1 - c0
        self.betas = np.asarray(schedule, dtype=np.float32)
        self.known: tuple[np.ndarray, ...] = ()  # v, v W + c_1 - c_0, v·b_0 and v·(b_1 - b_0) of the last states

    def __call__(
        self, x: np.ndarray, scheme: Any, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Explore, then swap: (K+1, C, D) -> as `pt_sweep`."""
        slope = self.known[1] if self.known and self.known[0] is x else np.asarray(x, np.float32) @ self.W + self.dc
        v, slope = self.explored(slope, rng)
        known = v, slope, v @ self.b0, v @ self.db
        lower, upper = (tuple(array[rungs] for array in known) for rungs in (slice(None, -1), slice(1, None)))
        own = self.log_density(known, self.betas)  # log f_k(x_k), (K+1, C)
        above, below = self.log_density(lower, self.betas[1:]), self.log_density(upper, self.betas[:-1])
        log_alpha = np.minimum(0.0, (above + below) - (own[:-1] + own[1:]))
        proposed = scheme.propose(rng)
        accepted = proposed & accept(log_alpha, rng)
        scheme.update(accepted)
        self.known = tuple(swapped(array, accepted) for array in known)
        return self.known[0], proposed, accepted, log_alpha, np.stack([above - own[:-1], below - own[1:]])

    def explored(self, old_slope: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """A block Gibbs step of every chain on its rung: the new v (K+1, C, D) and v W + c_1 - c_0 (K+1, C, H)."""
        n_rungs, C, H = old_slope.shape
        beta = np.repeat(self.betas, C)[:, None]
        v, slope = np.empty((n_rungs * C, len(self.W)), np.float32), np.empty((n_rungs * C, H), np.float32)
        for first in range(0, len(v), _ROWS_AT_ONCE):
            rows = slice(first, first + _ROWS_AT_ONCE)
            h = bernoulli(beta[rows] * old_slope.reshape(-1, H)[rows] + self.c0, rng)
            visible_field = np.matmul(h, self.Wt, out=v[rows])
            visible_field += self.db
            visible_field *= beta[rows]
            visible_field += self.b0  # b_0 + β (h Wᵀ + b_1 - b_0)
            bernoulli(visible_field, rng)  # leaves its draws there, in v
            np.matmul(v[rows], self.W, out=slope[rows])
            slope[rows] += self.dc
        return v.reshape(n_rungs, C, -1), slope.reshape(n_rungs, C, H)

    def log_density(self, known: tuple[np.ndarray, ...], betas: np.ndarray) -> np.ndarray:
        """Log f_β(v) = v·b_0 + β v·(b_1 - b_0) + Σ_j softplus(field_j), one β a rung: (R, C, D) -> (R, C)."""
        v, slope, level, lift = known
        at_once = max(1, _ROWS_AT_ONCE // v.shape[1])  # rungs
        of_hidden = [
            sum_of_softplus(betas[k : k + at_once, None, None] * slope[k : k + at_once] + self.c0)
            for k in range(0, len(betas), at_once)
        ]
        return np.concatenate(of_hidden) + betas[:, None] * lift + level


SHARING |= {BinaryRBM: GeometricRBMPath, JointRBM: JointRBMPath}
