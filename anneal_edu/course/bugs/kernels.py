"""Kernels with a fault, for the lessons, for the exercises, and for the tests of the audit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anneal_edu.kernels import Kernel, exact, hmc, random_walk

Proposal = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def step(scale: float = 0.8, widen: float = 0.0, shared: bool = False, left: int = 0) -> Proposal:
    """A random-walk proposal; steps may grow with |x|, all chains may share them, the last coordinates may stay."""

    def propose(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        noise = rng.standard_normal(x.shape[1:] if shared else x.shape)
        y = x + scale * (1 + widen * np.abs(x)) * noise
        if left and x.shape[1] > left:
            y[:, -left:] = x[:, -left:]
        return y

    return propose


def decide(
    f: Any,
    x: np.ndarray,
    y: np.ndarray,
    rng: np.random.Generator,
    power: float = 1.0,
    more: Any = 0.0,
    shared: bool = False,
    log_f: Callable | None = None,
) -> np.ndarray:
    """Metropolis: y where accepted, else x; or by a power of the ratio, by one number for all, by another log f."""
    log_f = log_f or f.log_density
    with np.errstate(all="ignore"):
        log_ratio = power * (log_f(y) - log_f(x)) + more
    accepted = (np.log(rng.random(() if shared else len(x))) < log_ratio) & np.isfinite(f.log_density(y))
    return np.where(accepted[:, None], y, x)


def metropolis(propose: Proposal = step(), **faults: Any) -> Kernel:  # noqa: B008
    """A Metropolis kernel with a symmetric proposal; another proposal, or a fault of `decide`, makes it wrong."""
    return lambda f, x, rng: decide(f, x, propose(x, rng), rng, **faults)


walk = metropolis()


def langevin(h: float = 0.4, noise: float = 1.0, hastings: bool = True, accept: bool = True) -> Kernel:
    """A Langevin step with its correction, or without the Hastings term, or without the decision."""

    def move(f: Any, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        g = f.grad_log_density(x)
        y = x + h / 2 * g + noise * np.sqrt(h) * rng.standard_normal(x.shape)
        if not accept:
            return np.where(np.isfinite(f.log_density(y))[:, None], y, x)
        back = f.grad_log_density(y)
        there_and_back = ((y - x - h / 2 * g) ** 2 - (x - y - h / 2 * back) ** 2).sum(1) / (2 * h)
        return decide(f, x, y, rng, more=there_and_back if hastings else 0.0)

    return move


def hamiltonian(kinetic: float = 0.5, first: float = 0.5, momentum: float = 1.0) -> Kernel:
    """Four leapfrog steps, or with another kinetic energy, first half step, or size of the momentum."""

    def move(f: Any, x: np.ndarray, rng: np.random.Generator, eps: float = 0.35, n: int = 4) -> np.ndarray:
        v = momentum * rng.standard_normal(x.shape)
        y, p = x, v + first * eps * f.grad_log_density(x)
        for i in range(n):
            y = y + eps * p
            p = p + (eps if i < n - 1 else 0.5 * eps) * f.grad_log_density(y)
        return decide(f, x, y, rng, more=kinetic * ((v**2).sum(1) - (p**2).sum(1)))

    return move


def one_by_one(sign: float = 1.0) -> Kernel:
    """Gibbs steps in a plane, one coordinate after the other: right, and not in detailed balance.

    With the other sign of the slope all means and variances stay the same, but the covariance does not.
    """

    def move(f: Any, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        for i in (0, 1):
            slope = f.cov[0, 1] / f.cov[1 - i, 1 - i]
            mean = f.mean[i] + sign * slope * (x[:, 1 - i] - f.mean[1 - i])
            x[:, i] = mean + np.sqrt(f.cov[i, i] - slope * f.cov[0, 1]) * rng.standard_normal(len(x))
        return x

    return move


def to_one_side(f: Any, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A right step, and then all chains are turned about the mean to one side of it: log f stays as it is."""
    away = walk(f, x, rng) - f.mean
    return f.mean + away * np.where(away[:, :1] < 0, -1.0, 1.0)


def only_rows(rows: Callable[[int], slice]) -> Kernel:
    """A right kernel that forgets all other chains."""

    def move(f: Any, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        new, moved = x.copy(), rows(len(x))
        new[moved] = walk(f, x[moved], rng)
        return new

    return move


def _uniform_against_log(f: Any, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    y = step()(x, rng)
    return np.where((rng.random(len(x)) < f.log_density(y) - f.log_density(x))[:, None], y, x)


def _last_undecided(f: Any, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    new = walk(f, x, rng)
    new[-1:] = decide(f, x[-1:], step(0.3)(x[-1:], rng), rng, power=0.0)
    return new


def _in_place(f: Any, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    x[:] = walk(f, x.copy(), rng)
    return x


def _own_side(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    y = step()(x, rng)
    return np.where(np.sign(y) == np.sign(x), y, x)


def _until_accepted(f: Any, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    new = x.copy()
    for _ in range(5):
        refused = (new == x).all(1)
        new[refused] = walk(f, x[refused], rng)
    return new


def adapting() -> Kernel:
    """A random walk whose steps adapt to the acceptance of the last call."""
    scale = [0.5]

    def move(f: Any, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        new = decide(f, x, step(scale[0])(x, rng), rng)
        scale[0] *= 1.1 if (new != x).any(1).mean() > 0.44 else 0.9
        return new

    return move


def stale() -> Kernel:
    """A random walk that keeps log f of its last states, whichever states it gets."""
    kept: dict[str, np.ndarray] = {}

    def move(f: Any, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        y, log_f = step()(x, rng), kept.get("log_f", np.empty(0))
        log_f, new_log_f = f.log_density(x) if len(log_f) != len(x) else log_f, f.log_density(y)
        accepted = np.log(rng.random(len(x))) < new_log_f - log_f
        kept["log_f"] = np.where(accepted, new_log_f, log_f)
        return np.where(accepted[:, None], y, x)

    return move


FAULTY: dict[str, Kernel] = {
    "ratio upside down": metropolis(power=-1.0),
    "half of the log ratio": metropolis(power=0.5),
    "no decision": metropolis(step(0.1), power=0.0),
    "uphill only": metropolis(power=np.inf),
    "u against the log": _uniform_against_log,
    "step depends on x": metropolis(step(0.3, widen=1.0)),
    "x e^z without its factor": metropolis(lambda x, rng: x * np.exp(0.5 * rng.standard_normal((len(x), 1)))),
    "lopsided step": metropolis(lambda x, rng: x + rng.uniform(-0.5, 0.8, x.shape)),
    "independent, uncorrected": metropolis(lambda x, rng: 1.5 * rng.standard_normal(x.shape)),
    "until accepted": _until_accepted,
    "another density": metropolis(log_f=lambda x: -0.5 * (x**2).sum(1)),
    "Langevin without Hastings": langevin(hastings=False),
    "Langevin undecided": langevin(accept=False),
    "Langevin, too much noise": langevin(noise=1.2),
    "no kinetic energy": hamiltonian(kinetic=0.0),
    "kinetic energy twice": hamiltonian(kinetic=1.0),
    "no half step": hamiltonian(first=0.0),
    "momentum too small": hamiltonian(momentum=0.8),
    "last coordinate left out": metropolis(step(left=1)),
    "never across 0": metropolis(_own_side),
    "lattice": metropolis(lambda x, rng: x + 0.5 * rng.choice([-1, 1], size=x.shape)),
    "only mirrored": metropolis(lambda x, rng: -x),
    "clipped": metropolis(lambda x, rng: np.clip(step()(x, rng), -2.0, 2.0)),
    "two digits": lambda f, x, rng: np.round(walk(f, x, rng), 2),
    "float32": lambda f, x, rng: walk(f, x, rng).astype(np.float32),
    "in place": _in_place,
    "nothing": lambda f, x, rng: x.copy(),
    "one state": lambda f, x, rng: walk(f, x, rng)[0],
    "squeezed": lambda f, x, rng: walk(f, x, rng).squeeze(),
    "one noise for all chains": metropolis(step(shared=True)),
    "one uniform for all chains": metropolis(shared=True),
    "first half": only_rows(lambda n: slice((n + 1) // 2)),
    "all but the last chain": only_rows(lambda n: slice(max(1, n - 1))),
    "first ten": only_rows(lambda n: slice(10)),
    "last chain undecided": _last_undecided,
    "scale of the others": metropolis(lambda x, rng: x + x.std(0) * rng.standard_normal(x.shape)),
    "difference of the others": metropolis(lambda x, rng: step(0.01)(x, rng) + np.roll(x, 1, 0) - np.roll(x, 2, 0)),
    "chains exchanged": lambda f, x, rng: walk(f, x, rng)[rng.permutation(len(x))],
    "chains resampled": lambda f, x, rng: walk(f, x, rng)[rng.integers(len(x), size=len(x))],
    "seed of its own": lambda f, x, rng: walk(f, x, np.random.default_rng(3)),
    "other randomness": lambda f, x, rng: walk(f, x, np.random.default_rng()),
    "adapts": adapting(),
    "old density": stale(),
}
"""On real numbers: name → kernel."""

RIGHT_SAMPLERS: dict[str, Kernel] = {
    "a random walk of small steps": random_walk(0.5),
    "exact draws": exact,
    "two leapfrog steps": hmc(0.8, 2),
    "a random walk of large steps": random_walk(1.5),
    "four leapfrog steps": hmc(0.4, 4),
    "a Gibbs step, one coordinate after the other": one_by_one(),
}
"""What it is → kernel, for a Gaussian in a plane."""

WRONG_SAMPLERS: dict[str, Kernel] = {
    "it accepts by the ratio turned upside down": FAULTY["ratio upside down"],
    "it accepts by the root of the ratio": FAULTY["half of the log ratio"],
    "it accepts by the ratio to the power of 1.6": metropolis(step(1.0), power=1.6),
    "it accepts every proposal": metropolis(power=0.0),
    "its steps are longer where x is large, and the ratio does not correct this": FAULTY["step depends on x"],
    "one and the same noise moves all chains": FAULTY["one noise for all chains"],
    "a coordinate never changes": FAULTY["last coordinate left out"],
    "it makes a Langevin step and never rejects it": langevin(h=0.8, accept=False),
    "the covariance comes out with the wrong sign": one_by_one(sign=-1.0),
    "it turns all chains to one side of the mean": to_one_side,
}
"""What is wrong with it → kernel, for a Gaussian in a plane."""
