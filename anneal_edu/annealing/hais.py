"""Hamiltonian annealed importance sampling (Sohl-Dickstein and Culpepper 2012)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from anneal_edu.annealing.ais import AISResult, require_start
from anneal_edu.distributions import Distribution
from anneal_edu.estimate import Diagnostic
from anneal_edu.kernels import accept, difference, leapfrog
from anneal_edu.paths.capabilities import Path, checked
from anneal_edu.validation import (
    as_count,
    as_number,
    as_positive,
    as_schedule,
    draws_of,
    log_z_of,
    require_generator,
    require_path,
)
from anneal_edu.workers import Watch, in_blocks, joined

_LOW_ACCEPTANCE = 0.2
EFFORT = 4.0  # of a step, which computes gradients in float64, in Gibbs steps

Steps = float | np.ndarray
Block = tuple[np.ndarray, np.ndarray, np.ndarray]


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


@dataclass(frozen=True, eq=False)
class HAISState:
    """One moment of a run: where the chains are at β, their momenta, log weights, and who accepted the last step."""

    beta: float
    x: np.ndarray
    v: np.ndarray
    log_weights: np.ndarray
    accepted: np.ndarray


def half_life_refresh(step_size: Steps) -> Steps:
    """γ = 1 - 2^{-ε}, with which half of the momentum's power is renewed in a unit of simulated time.

    It is the γ of Sohl-Dickstein and Culpepper 2012, Section 2.3, step 4.
    """
    return -np.expm1(-np.log(2) * step_size)


def reflected(target: Distribution, x: np.ndarray) -> np.ndarray | None:
    """Which coordinates of the states x (C, D) must not be negative, (D,) of bool, if the target forbids any."""
    nonnegative = getattr(target, "nonnegative", None)
    if nonnegative is None:
        return None
    nonnegative = np.asarray(nonnegative)
    if nonnegative.shape != x.shape[1:] or nonnegative.dtype != bool or (x[:, nonnegative] < 0).any():
        raise ValueError(
            f"the target's nonnegative must be {x.shape[1]} booleans, and path(0) must keep these coordinates "
            "nonnegative too"
        )
    return nonnegative


def hais_states(
    path: Callable[[float], Any], betas: Iterable[float], x: np.ndarray, v: np.ndarray, step_sizes: Iterable[Steps],
    refreshes: Iterable[Steps], rng: np.random.Generator, nonnegative: np.ndarray | None = None,
) -> Iterator[HAISState]:
    """Yield chains, momenta and log weights after every transition.

    A transition is one leapfrog step at β, its Metropolis decision, and a partial renewal of the momentum. It leaves
    f_β(x) N(v; 0, I) invariant; a rejected chain turns around  (Sohl-Dickstein and Culpepper 2012, Eq. 17 to 23,
    Section 2.3, steps 1 to 5; the printed γ of step 4 would not keep the variance of v).

    Parameters
    ----------
    path : callable, beta -> Distribution
    betas : iterable of K + 1 numbers
    x, v : (C, D) arrays
        Positions and momenta.
    step_sizes, refreshes : iterables of K numbers or arrays
        ε and γ of each step.
    rng : numpy.random.Generator
    nonnegative : (D,) array of bool, optional
        Coordinates that are reflected at 0.
    """
    log_w = np.zeros(len(x))
    for (before, now), step_size, refresh in zip(pairwise(betas), step_sizes, refreshes, strict=True):
        f, log_f = path(now), path(now).log_density(x)
        # the momenta cancel from the weight: Sohl-Dickstein and Culpepper 2012, Eq. 24 and 25
        log_w = log_w + difference(log_f, path(before).log_density(x))
        y, p, divergent = leapfrog(f.grad_log_density, x, v, step_size, 1, nonnegative)  # (C, D)
        log_alpha = difference(f.log_density(y), log_f) - 0.5 * (p * p).sum(-1) + 0.5 * (v * v).sum(-1)
        accepted = accept(log_alpha, rng) & ~divergent  # (C,)
        x, v = np.where(accepted[:, None], y, x), np.where(accepted[:, None], p, -v)  # rejected: turn round
        v *= np.sqrt(1 - refresh)
        v += np.sqrt(refresh) * rng.standard_normal(v.shape)  # renew a part of the momentum
        yield HAISState(float(now), x, v, log_w, accepted)


def hais(
    path: Path, schedule: np.ndarray, n_chains: int, step_size: Steps = 0.2,
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
    workers, progress : see `anneal_edu.workers`

    Returns
    -------
    HAISResult
        As of `ais`, and ``acceptance``.

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

    def walk(chains: slice, rng: np.random.Generator, watch: Watch) -> Block:
        return walked(path, schedule, chains.stop - chains.start, step_size, renewed, rng, watch)

    blocks = in_blocks(
        walk, n_chains, path(1.0), (path,), effort=EFFORT, n_steps=len(schedule), desc="HAIS", rng=rng,
        workers=workers, progress=progress,
    )
    return hais_of(blocks, rng)


def walked(
    path: Path, schedule: np.ndarray, n_chains: int, step_size: Steps, refresh: Steps, rng: np.random.Generator,
    watch: Watch,
) -> Block:
    """A block of chains at its end: log weights (B,), last states (B, D), and how many accepted each step (1, K)."""
    K, n_accepted = len(schedule) - 1, []
    step_sizes, refreshes = (np.broadcast_to(given, (K, *np.shape(given)[1:])) for given in (step_size, refresh))
    x = draws_of(path(0.0), n_chains, rng).astype(np.float64)  # (C, D)
    nonnegative, v = reflected(path(1.0), x), rng.standard_normal(x.shape)
    for state in hais_states(checked(path)[0], watch(schedule), x, v, step_sizes, refreshes, rng, nonnegative):
        n_accepted.append(state.accepted.sum())
    return log_z_of(path(0.0)) + state.log_weights, state.x, np.array([n_accepted])


def hais_of(blocks: list[Block], rng: np.random.Generator) -> HAISResult:
    """The result of all blocks."""
    log_w, x, n_accepted = joined(blocks)
    return HAISResult(log_w, x, int(rng.integers(2**63)), n_accepted.sum(0) / len(log_w))
