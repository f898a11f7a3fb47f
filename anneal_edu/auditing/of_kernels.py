"""The audit of a kernel."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from anneal_edu.annealing.ais import ais
from anneal_edu.auditing.conduct import ask_chance, ask_companions, ask_few_chains, ask_independence
from anneal_edu.auditing.findings import Docket, z_and_p
from anneal_edu.auditing.invariance import STOPS, TIMES_MORE, ask_invariance, ask_rows
from anneal_edu.auditing.moves import Moves, UnfitStatesError
from anneal_edu.auditing.worlds import World, binary_world, real_world, tiny_worlds
from anneal_edu.distributions import BinaryRBM, Gaussian, uniform_rbm
from anneal_edu.kernels import Kernel
from anneal_edu.paths.geometric import geometric_path
from anneal_edu.paths.schedules import linear_schedule

N_ROW_CALLS = 600
MOST_SECONDS = 30.0
N_WEIGHTS = 8000
_FEWEST = 200  # draws a world
_MISSING = TypeError, AttributeError, NotImplementedError


def audit_kernel(kernel: Kernel, on: Any, n: int, docket: Docket, rng: np.random.Generator) -> None:
    """Every question to a kernel, on the tiny worlds that it can move in, or on the distribution ``on``."""
    moves = Moves(kernel, docket)
    try:
        worlds = _worlds_of(moves, on, docket, rng)
        if not worlds:
            return
        share = _affordable(moves, worlds, n)
        n = max(_FEWEST, int(share * n))
        if share < 1:
            docket.left_out.append(f"more than {n} draws a world: the kernel is slow")
        _ask(moves, worlds, n, share, docket, rng)
        if on is None:
            docket.asked.append("the mean weight of AIS")
            _ask_weights(kernel, worlds[0].discrete, max(1000, int(N_WEIGHTS * share)), docket, rng)
    except UnfitStatesError:
        docket.left_out.append("what comes after a move that cannot be used")
    except Exception as error:  # whatever a user's kernel does, the audit tells it
        docket.fact("fails", f"{type(error).__name__}: {error}")


def _affordable(moves: Moves, worlds: list[World], n: int) -> float:
    """The share of all draws that a kernel can be asked for in less than a minute: 1, or less if it loops over chains.

    Nearly all time goes to invariance: max(STOPS) moves of n draws, and of 8 n, in each world.
    """
    x = worlds[0].distribution.sample(300, np.random.default_rng(0))
    began = perf_counter()
    moves(worlds[0], x, np.random.default_rng(0))
    seconds = (perf_counter() - began) / len(x) * n * max(STOPS) * (1 + TIMES_MORE) * len(worlds)
    return min(1.0, MOST_SECONDS / seconds)


def _ask(
    moves: Moves, worlds: list[World], n: int, share: float, docket: Docket, rng: np.random.Generator
) -> None:
    first = worlds[min(2, len(worlds) - 1)]
    docket.asked += ["chance", "one chain, and every chain"]
    once_more = ask_chance(moves, first, docket)
    ask_few_chains(moves, first, max(20, int(200 * share)), docket, rng)
    moved = []
    for world in worlds:
        docket.asked.append(f"invariance and reach on {world.name}")
        moved.append(ask_invariance(moves, world, n, docket, rng))
    if not any(moved):
        docket.fact("does nothing", "no chain ever moved, in any world")
    docket.asked += ["every chain of a few", "independence of the chains", "their companions"]
    ask_rows(moves, first, N_ROW_CALLS, docket, rng)
    for world in (first, worlds[0])[: min(2, len(worlds))]:
        ask_independence(moves, world, docket, rng)
        ask_companions(moves, world, max(60, int(100 * share)), docket, rng)
    once_more()


def _worlds_of(moves: Moves, on: Any, docket: Docket, rng: np.random.Generator) -> list[World]:
    """Those in which the kernel can move; why not in the others is noted, and why in none is a finding."""
    if on is not None:
        discrete = bool(getattr(on, "discrete", False))
        return [binary_world("your distribution", on) if discrete else real_world("your distribution", on, rng)]
    found: list[World] = []
    refused: dict[str, str] = {}
    for world in tiny_worlds(rng):
        if world.discrete and found and not _keeps_bits(moves, world):
            docket.left_out.append(f"{world.name}: it moves real numbers")
            continue
        try:
            moves.kernel(world.distribution, world.distribution.sample(5, rng), np.random.default_rng(0))
        except _MISSING as error:
            refused[world.name] = f"{type(error).__name__}: {error}"
            continue
        found.append(world)
    docket.left_out += [f"{name}: {why}" for name, why in refused.items()]
    if not found:
        docket.fact("fails", f"it can move in none of {len(refused)} tiny worlds: {next(iter(refused.values()))}")
    return found


def _keeps_bits(moves: Moves, world: World) -> bool:
    """Whether no chain of a thousand ever leaves 0 and 1 in some moves: a lazy kernel rarely tries."""
    rng = np.random.default_rng(0)
    x = world.distribution.sample(1000, rng)
    for _ in range(12):
        try:
            new = np.asarray(moves.kernel(world.distribution, x.copy(), rng))
        except Exception:  # refused there, asked elsewhere
            return True
        if new.shape != x.shape or new.dtype.kind not in "fiub":
            return True
        if not np.isin(new, (0, 1)).all():
            return False
        x = new
    return True


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
        docket.left_out.append(f"the mean weight of AIS: {type(error).__name__}: {error}")
        return
    weights = np.exp(run.log_weights - log_z) - 1
    z, p = z_and_p(weights[:, None])
    docket.test(
        "biased weights",
        f"the mean weight of {n} chains of AIS is {1 + weights.mean():.3f} Z, {abs(z[0]):.1f} standard errors "
        "from Z",
        p[0],
    )
