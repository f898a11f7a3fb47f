"""Hamiltonian annealed importance sampling (Sohl-Dickstein and Culpepper 2012)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from anneal_edu.annealing.ais import AISResult, log_quotient, require_start
from anneal_edu.distributions import Distribution
from anneal_edu.estimate import Diagnostic
from anneal_edu.kernels import accept, leapfrog
from anneal_edu.paths.capabilities import Path, offered
from anneal_edu.validation import (
    as_count,
    as_number,
    as_positive,
    as_schedule,
    draws_of,
    gradient_of,
    log_density_of,
    log_z_of,
    require_generator,
    require_path,
)
from anneal_edu.workers import Watch, in_blocks, joined

_LOW_ACCEPTANCE = 0.2
EFFORT = 4.0  # of a step, which computes gradients in float64, in Gibbs steps


@dataclass(frozen=True, eq=False, repr=False)
class HAISResult(AISResult):
    """The result of `ais`, and how often a leapfrog step was accepted.

    Attributes
    ----------
    acceptance_along_path : (K,) array
        Share of the chains that accepted, at every transition.
    """

    acceptance_along_path: np.ndarray

    @property
    def acceptance(self) -> float:
        """Share of accepted steps over all transitions and chains."""
        return float(self.acceptance_along_path.mean())

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What looks wrong; empty where nothing does."""
        return super().warnings + self.acceptance_warnings

    @property
    def acceptance_warnings(self) -> tuple[Diagnostic, ...]:
        """Those of the warnings that concern the leapfrog steps, not the weights."""
        if self.acceptance >= _LOW_ACCEPTANCE:
            return ()
        sentence = f"{self.acceptance:.1%} of the leapfrog steps were accepted: shorten step_size (adaptive_schedule)"
        return (Diagnostic("steps refused", sentence),)

    def _lines(self) -> list[str]:
        return [*super()._lines(), f"{self.acceptance:.1%} of the leapfrog steps accepted"]


class AnnealedDensity(Protocol):
    """What `hamiltonian_transition` asks of a density, for chains x (C, D) at β."""

    def remember(self, x: np.ndarray) -> np.ndarray:
        """What `log_f` needs to know of states: (C, D) -> (C, ...)."""

    def log_f(self, beta: float, known: np.ndarray) -> np.ndarray:
        """log f_β of the remembered states: (C,)."""

    def gradient(self, beta: float, x: np.ndarray) -> np.ndarray:
        """∇ log f_β(x): (C, D) -> (C, D)."""


class AlongPath:
    """log f_β(x) and its gradient at any β, without computing twice what two values of β share.

    On a geometric path log f_β = (1-β) log f_0 + β log f_1: the two densities of a state serve every β.
    """

    def __init__(self, path: Path):
        self.path: Any = path  # who offers "linear" has a start and an end
        self.shares_ends = bool(offered(path, "linear"))

    def remember(self, x: np.ndarray) -> np.ndarray:
        """What `log_f` needs to know of states: (C, D) -> (C, ...)."""
        if self.shares_ends:
            ends = log_density_of(self.path.start, x, 0), log_density_of(self.path.end, x, 1)
            return np.stack(ends, axis=1)  # (C, 2)
        return x

    def log_f(self, beta: float, known: np.ndarray) -> np.ndarray:
        """log f_β of the remembered states: (C,)."""
        if not self.shares_ends:
            return log_density_of(self.path(beta), known, beta)
        if beta in (0, 1):
            return known[:, int(beta)]
        return (1 - beta) * known[:, 0] + beta * known[:, 1]

    def gradient(self, beta: float, x: np.ndarray) -> np.ndarray:
        """∇ log f_β(x): (C, D) -> (C, D)."""
        if self.shares_ends and beta < 1:
            start, end = self.path.start, self.path.end
            slope = (1 - beta) * gradient_of(start, x) + beta * gradient_of(end, x)
        else:
            slope = gradient_of(self.path(beta), x)
        if np.isnan(slope).any():
            raise ValueError(f"grad_log_density is NaN in some chain at beta = {beta:.6g}")
        return slope


def hamiltonian_transition(
    density: AnnealedDensity, beta: float, x: np.ndarray, v: np.ndarray, known: np.ndarray,
    step_size: float | np.ndarray, refresh: float | np.ndarray, rng: np.random.Generator,
    walled: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """One leapfrog step at β, its Metropolis decision, and a partial renewal of the momentum.

    It leaves f_β(x) N(v; 0, I) invariant; a rejected chain turns around. See Sohl-Dickstein and Culpepper 2012,
    Eq. 17 to 23, Section 2.3, steps 1 to 5.

    Parameters
    ----------
    density : AnnealedDensity
    beta : float
    x, v : (C, D) arrays
        Positions and momenta.
    known : array
        ``density.remember(x)``.
    step_size, refresh : float
        ε and γ.
    rng : numpy.random.Generator
    walled : (D,) array of bool, optional
        Coordinates that must not be negative.

    Returns
    -------
    x, v, known, accepted (C,)
    """
    proposal, p, runaway = leapfrog(partial(density.gradient, beta), x, v, step_size, 1, walled)
    new = density.remember(proposal)
    log_ratio = log_quotient(density.log_f(beta, new), density.log_f(beta, known))
    log_ratio = log_ratio - 0.5 * (p * p).sum(-1) + 0.5 * (v * v).sum(-1)
    accepted = accept(log_ratio, rng) & ~runaway  # (C,)
    chosen = accepted[:, None]
    p = np.where(chosen, p, -v)
    # v ← √(1-γ) p + √γ r: the paper prints γ r, which would not keep the variance of v at 1
    p *= np.sqrt(1 - refresh)
    p += np.sqrt(refresh) * rng.standard_normal(p.shape)
    return np.where(chosen, proposal, x), p, np.where(chosen, new, known), accepted


@dataclass(frozen=True, eq=False)
class HAISState:
    """One moment of a run: where the chains are at β, their momenta, log weights, and who accepted the last step."""

    beta: float
    x: np.ndarray
    v: np.ndarray
    log_weights: np.ndarray
    accepted: np.ndarray


def half_life_refresh(step_size: float | np.ndarray) -> float | np.ndarray:
    """γ = 1 - 2^{-ε}, with which half of the momentum's power is renewed in a unit of simulated time.

    It is the γ of Sohl-Dickstein and Culpepper 2012, Section 2.3, step 4.

    Examples
    --------
    >>> float(half_life_refresh(1.0))
    0.5
    """
    return -np.expm1(-np.log(2) * step_size)


def walls_of(target: Distribution, x: np.ndarray) -> np.ndarray | None:
    """Which coordinates of the states x (C, D) must not be negative, (D,) of bool, if the target forbids any."""
    walled = getattr(target, "nonnegative", None)
    if walled is None:
        return None
    walled = np.asarray(walled)
    if walled.shape != x.shape[1:] or walled.dtype != bool or (x[:, walled] < 0).any():
        raise ValueError(
            f"the target's nonnegative must be {x.shape[1]} booleans, and path(0) must keep these coordinates "
            "nonnegative too"
        )
    return walled


def hais_states(
    path: Path, schedule: np.ndarray, n_chains: int, step_size: float | np.ndarray, refresh: float | np.ndarray,
    rng: np.random.Generator,
) -> Iterator[HAISState]:
    """Yield the state before the first transition and after every one; the arguments are those of `hais`."""
    start, density, K = path(0.0), AlongPath(path), len(schedule) - 1
    steps, refreshes = (np.broadcast_to(given, (K, *np.shape(given)[1:])) for given in (step_size, refresh))
    x = draws_of(start, n_chains, rng).astype(np.float64)  # (C, D)
    walled = walls_of(path(1.0), x)
    v = rng.standard_normal(x.shape)
    log_w = np.full(n_chains, log_z_of(start))  # (C,)
    known = density.remember(x)
    yield HAISState(0.0, x, v, log_w, np.ones(n_chains, dtype=bool))
    for (before, now), step_size, refresh in zip(pairwise(schedule), steps, refreshes, strict=True):
        log_ratio = log_quotient(density.log_f(now, known), density.log_f(before, known))
        log_w = log_w + log_ratio  # Sohl-Dickstein and Culpepper 2012, Eq. 24 and 25: the momenta cancel
        x, v, known, accepted = hamiltonian_transition(
            density, now, x, v, known, step_size, refresh, rng, walled
        )
        yield HAISState(float(now), x, v, log_w, accepted)


def hais(
    path: Path, schedule: np.ndarray, n_chains: int, step_size: float | np.ndarray = 0.2,
    refresh: float | None = None, *, rng: np.random.Generator, workers: int | None = None, progress: bool = False,
) -> HAISResult:
    """Estimate log Z of ``path(1)`` by AIS whose momenta live on from one distribution to the next.

    Each chain carries a momentum. At every intermediate distribution it makes one leapfrog step, a Metropolis decision,
    and renews part of the momentum (Sohl-Dickstein and Culpepper 2012, Section 2.3). The mean weight is unbiased for
    any fixed step size; one that adapts while it weights would lose that, so tune it before: `adaptive_schedule`.

    Parameters
    ----------
    path : callable, beta -> Distribution
        ``path(0)`` must have ``sample`` and ``log_z``, every distribution ``grad_log_density``. Where the target has an
        array ``nonnegative`` of D booleans, these coordinates are reflected at 0.
    schedule : (K+1,) array
        Rises from 0 to 1.
    n_chains : int
        Number of independent chains C, the paper's particles.
    step_size : float or (K, D) array
        ε, in the units of x; the paper takes 0.2 throughout. `adaptive_schedule` has ``scales``, one a step.
    refresh : float, optional
        γ in (0, 1], the share of the momentum's power that a step renews. By default 1 - 2^{-ε}; 1 forgets the momentum
        at every step.
    rng : numpy.random.Generator
    workers, progress : int and bool, optional
        Threads, by default as `anneal_edu.workers` has it (the numbers do not depend on them); a progress bar.

    Returns
    -------
    HAISResult
        As of `ais`, and ``acceptance``.

    Raises
    ------
    TypeError
        Where the path's start cannot be sampled or has no log_z, or a distribution is discrete or has no gradient.
    ValueError
        Where the schedule does not rise from 0 to 1, there is no chain, a setting is out of range, or a density or a
        gradient is NaN.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([2.0], [[1.0]]))
    >>> abs(ae.hais(path, ae.linear_schedule(50), n_chains=500, rng=np.random.default_rng(0)).log_z) < 0.1
    True
    """
    schedule, n_chains = as_schedule("schedule", schedule), as_count("n_chains", n_chains)
    if np.ndim(step_size) == 0:
        step_size = as_positive("step_size", step_size)
    elif np.shape(step_size)[0] != len(schedule) - 1 or not (np.asarray(step_size) > 0).all():
        raise ValueError(f"step_size must be positive, one for each of {len(schedule) - 1} steps, got {step_size}")
    if refresh is not None and not 0 < as_number("refresh", refresh) <= 1:
        raise ValueError(f"refresh must lie in (0, 1], got {refresh}")
    renewed = half_life_refresh(step_size) if refresh is None else refresh
    require_path(path)
    require_generator(rng)
    require_start(path(0.0), "sample", "log_z")
    for end in (path(0.0), path(1.0)):
        if getattr(end, "discrete", False) or not hasattr(end, "grad_log_density"):
            raise TypeError(f"hais needs real states and grad_log_density, which {type(end).__name__} lacks: use ais")

    def walk(rows: slice, rng: np.random.Generator, watch: Watch) -> HAISBlock:
        return hais_block(watch(hais_states(path, schedule, rows.stop - rows.start, step_size, renewed, rng)))

    blocks = in_blocks(
        walk, n_chains, path(1.0), (path,), effort=EFFORT, n_steps=len(schedule), desc="HAIS", rng=rng,
        workers=workers, progress=progress,
    )
    return hais_of(blocks, rng)


HAISBlock = tuple[np.ndarray, np.ndarray, np.ndarray]
"""What is left of a block of B chains: log weights (B,), last states (B, D), and how many accepted each step (1, K)."""


def hais_block(states: Iterable[HAISState]) -> HAISBlock:
    """Walk a block of chains to its end."""
    n_accepted = []
    for state in states:
        n_accepted.append(state.accepted.sum())
    return state.log_weights, state.x, np.array([n_accepted[1:]])


def hais_of(blocks: list[HAISBlock], rng: np.random.Generator) -> HAISResult:
    """The result of all blocks."""
    log_w, x, n_accepted = joined(blocks)
    return HAISResult(log_w, x, int(rng.integers(2**63)), n_accepted.sum(0) / len(log_w))
