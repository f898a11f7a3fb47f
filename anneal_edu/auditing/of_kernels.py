"""The audit of a kernel."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from anneal_edu.annealing.ais import ais
from anneal_edu.auditing.conduct import ask_chance, ask_companions, ask_few_chains, ask_independence
from anneal_edu.auditing.findings import Docket, why, z_and_p
from anneal_edu.auditing.invariance import NEWEST, ask_invariance, ask_rows, walked
from anneal_edu.auditing.moves import Moves, UnfitStatesError
from anneal_edu.auditing.worlds import World, discrete_world, real_world, tiny_worlds
from anneal_edu.distributions import BinaryRBM, Gaussian, uniform_rbm
from anneal_edu.kernels import Kernel
from anneal_edu.paths.geometric import geometric_path
from anneal_edu.paths.schedules import linear_schedule

N_ROW_CALLS = 600
N_WEIGHTS = 8000
_MISSING = TypeError, AttributeError, NotImplementedError
_LOOK_AT = "look at the acceptance ratio, or at the half steps of a leapfrog"


def audit_kernel(kernel: Kernel, on: Any, n: int, docket: Docket, rng: np.random.Generator) -> None:
    """Every question to a kernel, on the tiny worlds that it can move in, or on the distribution ``on``."""
    moves = Moves(kernel, docket)
    try:
        worlds = _worlds_of(moves, on, docket, rng)
        if not worlds:
            return
        share = min(1.0, n / 1000)  # of what else is asked: a kernel that is asked with few draws is slow
        _ask(moves, worlds, n, share, docket, rng)
        if on is None:
            _ask_weights(kernel, worlds[0].discrete, max(1000, int(N_WEIGHTS * share)), docket, rng)
    except UnfitStatesError:
        docket.left_out.append("what comes after a move that cannot be used")
    except Exception as error:  # whatever a user's kernel does, the audit tells it
        docket.fact("fails", why(error))


def _ask(
    moves: Moves, worlds: list[World], n: int, share: float, docket: Docket, rng: np.random.Generator
) -> None:
    first = worlds[min(2, len(worlds) - 1)]
    once_more = ask_chance(moves, first, docket)
    docket.asked.append("chance")
    ask_few_chains(moves, first, max(20, int(200 * share)), docket, rng)
    docket.asked.append("one chain, and every chain")
    moved = []
    for world in worlds:
        moved.append(ask_invariance(moves, world, n, docket, rng, NEWEST if world.discrete else _LOOK_AT))
    if not any(moved):
        docket.fact("does nothing", "no chain ever moved, in any world")
    ask_rows(moves, first, N_ROW_CALLS, docket, rng)
    for world in (first, worlds[0])[: min(2, len(worlds))]:
        ask_independence(moves, world, docket, rng)
        ask_companions(moves, world, max(60, int(100 * share)), docket, rng)
    once_more()


def _worlds_of(moves: Moves, on: Any, docket: Docket, rng: np.random.Generator) -> list[World]:
    """Those in which the kernel can move; why not in the others is noted, and why in none is a finding."""
    if on is not None:
        discrete, name = getattr(on, "discrete", False), "your distribution"
        try:
            return [discrete_world(name, on) if discrete else real_world(name, on, rng)]
        except Exception as error:  # such as draws out of reach: no fault of the kernel
            docket.left_out.append(f"{name}: {why(error)}")
            return []
    found: list[World] = []
    refused: dict[str, str] = {}
    for world in tiny_worlds(rng):
        if world.discrete and found and not _keeps_values(moves, world):
            docket.left_out.append(f"{world.name}: it moves real numbers")
            continue
        try:
            moves.kernel(world.distribution, world.distribution.sample(5, rng), np.random.default_rng(0))
        except _MISSING as error:
            refused[world.name] = why(error)
            continue
        found.append(world)
    docket.left_out += [f"{name}: {why}" for name, why in refused.items()]
    if not found:
        docket.fact("fails", f"it can move in none of {len(refused)} tiny worlds: {next(iter(refused.values()))}")
    return found


def _keeps_values(moves: Moves, world: World) -> bool:
    """Whether no chain of a thousand ever leaves the values of draws in some moves: a lazy kernel rarely tries."""
    own = Docket()
    with suppress(Exception):  # refused there, asked elsewhere
        walked(Moves(moves.kernel, own), world, 1000, np.random.default_rng(0))
    return all(fact.kind != "leaves the support" for fact in own.facts)


def _ask_weights(kernel: Kernel, discrete: bool, n: int, docket: Docket, rng: np.random.Generator) -> None:
    """Is the mean weight of AIS with this kernel Z, as it must be for every kernel that leaves each f_β invariant?"""
    if discrete:
        target = BinaryRBM(np.array([[1.5, -1.0], [-1.0, 1.2]]), np.array([0.3, -0.6]), np.array([-0.2, 0.4]))
        path, log_z = geometric_path(uniform_rbm(2, 2), target), target.log_z()
    else:
        start = Gaussian(np.zeros(2), 1.5 * np.eye(2), 0.7)
        end = Gaussian(np.array([1.0, -0.8]), np.array([[0.8, 0.5], [0.5, 1.0]]), -1.3)
        path, log_z = geometric_path(start, end), -1.3
    try:
        run = ais(path, linear_schedule(10), n, kernel, rng=rng, workers=1)
    except Exception as error:  # it moves in the worlds above
        docket.left_out.append(f"the mean weight of AIS: {why(error)}")
        return
    weights = np.exp(run.log_weights - log_z) - 1
    z, p = z_and_p(weights[:, None])
    docket.test(
        "biased weights",
        f"the mean weight of {n} chains of AIS is {1 + weights.mean():.3f} Z, {abs(z[0]):.1f} standard errors "
        "from Z",
        p[0], "the mean weight of AIS",
    )
