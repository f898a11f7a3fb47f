"""The audit of a path: do densities, normalisers, gradients, draws and Gibbs steps of its points belong together?"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import logsumexp

from anneal_edu.auditing.findings import Docket, why, z_and_p
from anneal_edu.auditing.invariance import NEWEST, ask_invariance
from anneal_edu.auditing.moves import Moves, UnfitStatesError
from anneal_edu.auditing.worlds import MOST_STATES, World, all_states, discrete_world, real_world, values_of
from anneal_edu.kernels import gibbs, random_walk
from anneal_edu.validation import rows_agree

BETAS = (0.0, 0.25, 0.5, 0.75, 1.0)


def audit_path(path: Callable[[float], Any], n: int, docket: Docket, rng: np.random.Generator) -> None:
    """Every question to a path."""
    try:
        points = {beta: path(beta) for beta in BETAS}
        x = _look_at_ends(points, docket, rng)
        if x is None:
            return
        docket.asked.append("ends and densities")
        for beta, point in points.items():
            _look_at_point(path, beta, point, x, docket)
        _look_for_jumps(path, x, docket)
        _ask_normalisers(points, n, docket, rng)
        for beta, point in points.items():
            _ask_draws(beta, point, n, docket, rng)
        if without := [f"{beta:g}" for beta, point in points.items() if not _knows(point, "sample")]:
            docket.left_out.append(f"draws and Gibbs steps at β = {', '.join(without)}: there are no exact draws")
    except UnfitStatesError:
        docket.left_out.append("what comes after states that cannot be used")
    except Exception as error:  # whatever a user's path does, the audit tells it
        docket.fact("fails", why(error))


def _look_at_ends(points: dict[float, Any], docket: Docket, rng: np.random.Generator) -> np.ndarray | None:
    """States to look at, from the start; None where there is no start."""
    for beta, point in points.items():
        if not (hasattr(point, "log_density") and hasattr(point, "dim")):
            docket.fact("no distribution", f"path({beta:g}) has no dim and log_density, but is {type(point).__name__}")
            return None
    if len({point.dim for point in points.values()}) > 1:
        docket.fact("no distribution", f"dim changes along the path: {[point.dim for point in points.values()]}")
        return None
    start = points[0.0]
    missing = [ability for ability in ("sample", "log_z") if not hasattr(start, ability)]
    if missing:
        elsewhere = all(hasattr(points[1.0], ability) for ability in missing)
        hint = "; path(1) has: are β and 1 - β exchanged?" if elsewhere else ""
        docket.fact("no start", f"path(0) must offer {' and '.join(missing)}, where chains begin{hint}")
        return None
    x = np.asarray(start.sample(200, rng))
    if x.shape != (200, start.dim):
        docket.fact("no start", f"path(0).sample(200, rng) must have shape (200, {start.dim}), got {x.shape}")
        return None
    return x


def _look_at_point(path: Callable[[float], Any], beta: float, point: Any, x: np.ndarray, docket: Docket) -> None:
    shown = x.copy()
    log_f = np.asarray(point.log_density(shown))
    if not np.array_equal(shown, x):
        docket.fact("changes its input", f"log_density of path({beta:g}) changes the states that it is given")
    if log_f.shape != (len(x),) or np.isnan(log_f).any() or (log_f == np.inf).any():
        docket.fact("no density", f"log_density of path({beta:g}) must be a number or -inf for each of {len(x)} states")
        raise UnfitStatesError
    if not np.allclose(path(beta).log_density(x), log_f, rtol=1e-6, atol=1e-8):
        docket.fact("no function", f"path({beta:g}), asked twice, gives two densities")
    if not rows_agree(point.log_density, x):
        docket.fact("states mixed up", f"log_density of path({beta:g}) depends on which other states are asked with it")
    if hasattr(point, "grad_log_density") and not getattr(point, "discrete", False):
        _look_at_gradient(beta, point, x[:50].astype(np.float64), docket)


def _look_at_gradient(beta: float, point: Any, x: np.ndarray, docket: Docket) -> None:
    try:
        slope = np.asarray(point.grad_log_density(x))
    except TypeError:  # offered, but not there
        return
    docket.asked.append("gradients")
    if not rows_agree(point.grad_log_density, x):
        docket.fact("states mixed up", f"grad_log_density of path({beta:g}) depends on the states asked with one")
    h = 1e-5 * (1 + np.abs(x))
    for j in range(x.shape[1]):
        step = np.zeros_like(x)
        step[:, j] = h[:, j]
        found = (point.log_density(x + step) - point.log_density(x - step)) / (2 * h[:, j])
        fine = np.isfinite(found)
        if slope.shape != x.shape or not np.allclose(slope[fine, j], found[fine], rtol=1e-3, atol=1e-3):
            docket.fact("wrong gradient", f"at β = {beta:g} grad_log_density is not the slope of log_density")


def _look_for_jumps(path: Callable[[float], Any], x: np.ndarray, docket: Docket) -> None:
    """log f_β must be continuous in β: halving a step must make the change smaller."""
    for beta in BETAS:
        for near in (beta - 1e-6, beta + 1e-6):
            if not 0 <= near <= 1:
                continue
            gap = np.abs(path(near).log_density(x) - path(beta).log_density(x))
            gap = gap[np.isfinite(gap)]
            if gap.size and np.median(gap) > 0.01:
                docket.fact("a jump", f"log f changes by {np.median(gap):.2g} between β = {beta:g} and {near:.6f}")


def _exact_log_z(point: Any) -> float | None:
    """By a sum over all states, or over a fine grid; None where neither can be had."""
    if getattr(point, "discrete", False):
        states = all_states(values_of(point))
        return None if states is None else float(logsumexp(point.log_density(states)))
    if not hasattr(point, "sample") or point.dim > 2:
        return None
    seen = point.sample(2000, np.random.default_rng(0))
    reach = 8 * seen.std(0) + 1e-300
    n = 4001 if point.dim == 1 else 401
    axes = [np.linspace(m - r, m + r, n) for m, r in zip(seen.mean(0), reach, strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    cell = np.prod([axis[1] - axis[0] for axis in axes])
    return float(logsumexp(point.log_density(grid)) + np.log(cell))


def _ask_normalisers(points: dict[float, Any], n: int, docket: Docket, rng: np.random.Generator) -> None:
    """Z of every point that claims to know it: by sums where they can be had, and by weighing a neighbour's draws."""
    knows = {beta: float(p.log_z()) for beta, p in points.items() if _knows(p, "log_z")}
    for beta, log_z in knows.items():
        exact = _exact_log_z(points[beta])
        docket.asked += ["normalisers"] * (exact is not None)
        if exact is not None and abs(exact - log_z) > 0.01 * max(1.0, abs(log_z)) ** 0.5:
            docket.fact("wrong normaliser", f"log_z() of path({beta:g}) is {log_z:.4f}; a sum gives {exact:.4f}")
    for before, now in pairwise(sorted(knows)):
        if not hasattr(points[before], "sample"):
            continue
        x = points[before].sample(4 * n, rng)
        log_w = points[now].log_density(x) - points[before].log_density(x) - (knows[now] - knows[before])
        w = np.exp(log_w)
        if np.exp(2 * logsumexp(log_w) - logsumexp(2 * log_w)) < 0.05 * len(w):
            continue  # too far apart for a verdict
        z, p = z_and_p((w - 1)[:, None])
        sentence = f"Z at β = {now:g} over Z at β = {before:g} is {w.mean():.3f} of what log_z() says"
        docket.test("wrong normaliser", f"{sentence}, {abs(z[0]):.1f} standard errors from it", p[0], "normalisers")


def _knows(point: Any, exactly: str) -> bool:
    return hasattr(point, exactly) and bool(getattr(point, "enumerable", True))


def _ask_draws(beta: float, point: Any, n: int, docket: Docket, rng: np.random.Generator) -> None:
    """Draws that a right kernel moves stay as they are, if they are draws; and so under the point's own Gibbs step."""
    if not _knows(point, "sample"):
        return
    name, discrete = f"path({beta:g})", getattr(point, "discrete", False)
    world = discrete_world(name, point) if discrete else real_world(name, point, rng)
    if not world.discrete:
        scale = np.asarray(point.sample(500, rng), dtype=np.float64).std(0)
        _ask("wrong draws", random_walk(np.maximum(scale, 1e-9)), world, n, docket, rng)
    else:
        _ask_shares(world, n, docket, rng)
    if hasattr(point, "gibbs"):
        _ask("wrong Gibbs step", gibbs, world, n, docket, rng)


def _ask(kind: str, kernel: Any, world: World, n: int, docket: Docket, rng: np.random.Generator) -> None:
    """The invariance of a kernel, with another name for what is then wrong."""
    own = Docket()
    ask_invariance(Moves(kernel, own), world, n, own, rng, NEWEST if kernel is gibbs else "")
    docket.left_out += own.left_out
    for test in own.tests:
        docket.test(kind, test.sentence, test.p_value, kind.removeprefix("wrong "))
    for fact in own.facts:
        if kind == "wrong Gibbs step":
            docket.fact(kind, fact.sentence)


def _ask_shares(world: World, n: int, docket: Docket, rng: np.random.Generator) -> None:
    states = all_states(world.values)
    if states is None:
        docket.left_out.append(f"draws, by a sum over states: there are more than {MOST_STATES:,}, or rare ones")
        return
    log_f = world.distribution.log_density(states)
    share, looks = np.exp(log_f - logsumexp(log_f)), world.look(states)
    exact = share @ looks
    z, p = z_and_p(world.look(np.asarray(world.distribution.sample(4 * n, rng))) - exact)
    p[4 * n * np.minimum(share @ (looks != 0), share @ (looks != 1)) < 50] = 1.0  # too rare to be normal
    worst = int(np.argmin(p))
    sentence = f"{world.probes[worst][0]} among draws of {world.name} is {abs(z[worst]):.1f} standard errors off"
    docket.test("wrong draws", sentence, min(1.0, len(p) * p[worst]), "draws")
