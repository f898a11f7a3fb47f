"""Sohl-Dickstein and Culpepper 2012, Section 2.3: what a momentum that survives annealing does to a chain's way."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from anneal_edu import Gaussian, geometric_path, linear_schedule
from anneal_edu.annealing.hais import hais_states
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.film import Film
from anneal_edu.course.figures.paper_gaussians import rings
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import seed, slider, steps

N_STEPS = 100
N_CHAINS, N_SHOWN = 1600, 150
LONG, ACROSS = 3.0, 0.3  # standard deviations of the target
_DIRECTION = np.array([1.0, 1.0]) / np.sqrt(2)  # of the valley
KEPT, FORGOTTEN = "HAIS", "fresh momentum"
"""Styles of chains that keep their momentum, and of those that draw it anew."""


def valley() -> Gaussian:
    """A Gaussian ten times as long as it is wide."""
    along = np.outer(_DIRECTION, _DIRECTION)
    return Gaussian(np.zeros(2), LONG**2 * along + ACROSS**2 * (np.eye(2) - along))


class Walk(NamedTuple):
    """Chains of `anneal_edu.annealing.hais`, before the first transition and after every one."""

    x: np.ndarray
    """(K+1, C, 2)"""
    accepted: np.ndarray
    """(K+1, C)"""

    @property
    def spread(self) -> np.ndarray:
        """Root mean square of the coordinate along the valley, (K+1,)."""
        return np.sqrt(((self.x @ _DIRECTION) ** 2).mean(1))

    @property
    def spread_error(self) -> np.ndarray:
        """Standard error of the spread over chains, (K+1,)."""
        squares = (self.x @ _DIRECTION) ** 2
        return squares.std(1, ddof=1) / np.sqrt(squares.shape[1]) / (2 * self.spread)

    @property
    def net_distance(self) -> float:
        """Root mean square distance between a chain's first and last position, per leapfrog step."""
        return float(np.sqrt(((self.x[-1] - self.x[0]) ** 2).sum(-1).mean()) / N_STEPS)


@lru_cache(maxsize=64)
def walk(step_size: float, refresh: float, seed: int) -> Walk:
    """One run from N(0, I) to the valley; all runs of one seed use the same random numbers."""
    path = geometric_path(Gaussian(np.zeros(2), np.eye(2)), valley())
    rng = np.random.default_rng(seed)
    x = path.start.sample(N_CHAINS, rng)
    v, settings = rng.standard_normal(x.shape), ([step_size] * N_STEPS, [refresh] * N_STEPS, rng)
    states = list(hais_states(path, linear_schedule(N_STEPS), x, v, *settings))
    accepted = [np.ones(N_CHAINS, dtype=bool), *(state.accepted for state in states)]
    return Walk(np.array([x, *(state.x for state in states)]), np.array(accepted))


def typical_chain(walks: Iterable[Walk]) -> int:
    """The chain whose way covers about as much of the valley as is usual, in each of these walks of one seed."""
    covered = [np.ptp(w.x @ _DIRECTION, axis=0) for w in walks]
    return int(np.argmin(sum(np.abs(c - np.median(c)) for c in covered)))


def refresh_of(step_size: float, half_life: float) -> float:
    """γ = 1 - 2^{-ε / half-life}: in ``half_life`` units of simulated time half of the momentum's power is renewed."""
    return float(-np.expm1(-np.log(2) * step_size / half_life))


class MomentumTrails(Panel):
    """A chain of HAIS in a long valley, and the same chain, with the same random numbers, drawing its momentum anew.

    Controls: ``beta``, the time of the walk over K = 100 distributions; ``step_size`` ε; ``half_life`` of the
    momentum's power in units of simulated time (the paper's is 1, and γ = 1 - 2^{-ε / half-life}); ``seed``. The curves
    are of 1,600 chains; the chain with a trail is a `typical_chain` of ε = 0.2 and half-life 1.
    """

    title = "Momentum in a valley"
    picture = (
        "Left: 150 chains that keep part of their momentum, on their way from a round start into a long narrow target, "
        "and the trail of one. Middle: the same chains with fresh momentum at every step. Right: how far the "
        "chains have spread along the valley, up to β, and the exact curve."
    )
    size = (12.0, 4.6)
    plays = "beta"
    controls = {  # noqa: RUF012
        "beta": slider("position β", 0.0, 0.0, 1.0, 0.01),
        "step_size": slider("step size ε", 0.2, 0.05, 1.0, 0.05, live=False),
        "half_life": steps("half-life of momentum (1: the paper's)", 1, (0.1, 0.25, 0.5, 1, 2, 4, 16), live=False),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "which crowd gets further?": {},
        "momentum that lasts": {"beta": 1.0},
        "never forgets": {"beta": 1.0, "half_life": 16},
        "too long a step": {"beta": 1.0, "step_size": 1.0},
    }

    def make_axes(self, figure):
        kept, forgotten, spread = figure.columns(1.15, 1.15, 1, gap=0.6)
        figure.subplots_adjust(left=0.6 / figure.get_figwidth())
        for ax in (kept, forgotten):
            ax.set(xticks=(-3, 0, 3), yticks=(-3, 0, 3), xlim=(-5.2, 5.2), ylim=(-5.2, 5.2))
            ax.set(aspect="equal", xlabel="x₁")
        kept.set_ylabel("x₂", labelpad=-4)
        return [kept, forgotten, spread]

    def draw(self, beta, step_size, half_life, seed):
        now, betas = round(beta * N_STEPS), linear_schedule(N_STEPS)
        film, refresh = Film(now, rate=12.0), refresh_of(step_size, half_life)
        walks = {KEPT: walk(step_size, refresh, seed), FORGOTTEN: walk(step_size, 1.0, seed)}
        one = typical_chain([walk(0.2, refresh_of(0.2, 1.0), seed), walk(0.2, 1.0, seed)])
        path = geometric_path(Gaussian(np.zeros(2), np.eye(2)), valley())
        here = rings(np.zeros((len(betas), 2)), np.array([path(b).cov for b in betas]), 2)
        titles = (f"kept, γ = {refresh:.2g}", "drawn anew, γ = 1")
        for ax, (style, w), title in zip(self.axes, walks.items(), titles, strict=False):
            colour, (x, y) = STYLES[style]["color"], np.moveaxis(w.x, 2, 0)
            artists.curve(ax, "target", *rings(np.zeros((1, 2)), valley().cov[None], 2)[0].T, "target", linewidth=1.4)
            film.curve(ax, "here", *np.moveaxis(here, 2, 0), "start")
            film.dots(ax, "crowd", x[:, :N_SHOWN], y[:, :N_SHOWN], [colour] * N_SHOWN, radius=2.5)
            film.trails(ax, "trail", x[:, one], y[:, [one]], [colour])
            refused = np.flatnonzero(~w.accepted[:, one])
            seen, red = np.where(np.arange(len(betas))[:, None] >= refused, 5.0, np.nan), STYLES["refused"]["color"]
            film.dots(ax, "refused", x[refused, one], y[refused, one], [red] * len(refused), seen)
            film.dots(ax, "one", x[:, [one]], y[:, [one]], [colour], radius=7.0)
            ax.set_title(title)
        artists.curve(self.axes[2], "exact", betas, exact_spread(betas), "truth")
        spreads = np.column_stack([w.spread for w in walks.values()])
        film.trails(self.axes[2], "spread", betas, spreads, [STYLES[style]["color"] for style in walks])
        artists.legend(self.axes[2], {"truth": "exact", KEPT: "kept", FORGOTTEN: "anew"}, loc="upper left")
        self.axes[2].set(xlim=(-0.02, 1.02), ylim=(0, 1.15 * LONG), xlabel="position β", xticks=(0, 0.5, 1),
                         title="spread of the chains")  # fmt: skip
        paper = walk(step_size, refresh_of(step_size, 1.0), seed)
        return Readout(_takeaway(now, half_life, walks, paper), _readout(walks, one, refresh, step_size), film)


def exact_spread(betas: np.ndarray) -> np.ndarray:
    """The standard deviation of p_β along the valley."""
    return 1 / np.sqrt(1 - betas + betas / LONG**2)


def _readout(walks: dict[str, Walk], one: int, refresh: float, step_size: float) -> dict[str, str]:
    kept, anew = walks.values()
    covered = [np.ptp(w.x[:, one] @ _DIRECTION) for w in (kept, anew)]
    refused = [(~w.accepted[:, one]).sum() for w in (kept, anew)]
    return {
        "the trail covers of the valley": f"kept {covered[0]:.1f}, anew {covered[1]:.1f}",
        "net distance per leapfrog step": f"kept {kept.net_distance:.3f}, anew {anew.net_distance:.3f}",
        "accepted": f"kept {kept.accepted[1:].mean():.1%}, anew {anew.accepted[1:].mean():.1%}",
        "refused on the trails": f"{refused[0]} and {refused[1]} of {N_STEPS}",
        "γ": f"{refresh:.3f} (half-life 1 would be {refresh_of(step_size, 1.0):.3f})",
    }


def _takeaway(now: int, half_life: float, walks: dict[str, Walk], paper: Walk) -> str:
    """``paper`` is the walk with half-life 1, which the present one is compared with."""
    if now == 0:
        return "Left, chains keep most of their momentum; in the middle, they draw it anew. Which crowd gets further?"
    if now < N_STEPS:
        far = [f"{w.spread[now]:.2f}" for w in walks.values()]
        exact = exact_spread(np.array(now / N_STEPS))
        return f"Chains that keep momentum have spread by {far[0]}, the others by {far[1]}; exact is {exact:.2f}."
    kept, anew = (w.spread[-1] / LONG for w in walks.values())
    apart = np.hypot(*(w.spread_error[-1] / LONG for w in walks.values()))
    accepted = walks[KEPT].accepted[1:].mean()
    if accepted < 0.5:
        return (
            "The step is too long for the narrow side of the valley: more than half is refused, and a refused chain "
            "turns around."
        )
    found = (
        f"Chains that keep momentum fill {kept:.2f} of the target's length, the others {anew:.2f} "
        f"(difference ± {apart:.2f})."
    )
    best, error = paper.spread[-1] / LONG, np.hypot(paper.spread_error[-1], walks[KEPT].spread_error[-1])
    if half_life > 1 and best - kept > 2 * error / LONG:
        return f"{found} Momentum that never fades swings to and fro: half-life 1 gives {best:.2f}."
    if kept - anew > 3 * apart:
        return f"{found} Momentum that survives goes somewhere; fresh momentum wanders."
    return f"{found} Here keeping the momentum gains little."
