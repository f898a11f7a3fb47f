"""Sohl-Dickstein and Culpepper 2012, Section 2.3: what a momentum that survives annealing does to a chain's way."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from anneal_edu import Gaussian, geometric_path, linear_schedule
from anneal_edu.annealing.hais import hais_states
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import seed, slider, steps

N_STEPS = 100
N_CHAINS, N_SHOWN = 1600, 400
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


def typical(walks: Iterable[Walk]) -> int:
    """The chain whose way covers about as much of the valley as is usual, in each of these walks of one seed."""
    covered = [np.ptp(w.x @ _DIRECTION, axis=0) for w in walks]
    return int(np.argmin(sum(np.abs(c - np.median(c)) for c in covered)))


def refresh_of(step_size: float, half_life: float) -> float:
    """γ = 1 - 2^{-ε / half-life}: in ``half_life`` units of simulated time half of the momentum's power is renewed."""
    return float(-np.expm1(-np.log(2) * step_size / half_life))


class MomentumTrails(Panel):
    """A chain of HAIS in a long valley, and the same chain, with the same random numbers, drawing its momentum anew.

    It is a `typical` one; small marks show where 400 chains have ended.

    Controls: ``step_size`` ε, ``half_life`` of the momentum's power in units of simulated time (the paper's is 1, and
    γ = 1 - 2^{-ε / half-life}) and ``seed``. K = 100 distributions; the curves are of 1,600 chains.
    """

    title = "Momentum in a valley"
    picture = (
        "Left: the trail of a typical chain that keeps part of its momentum, from the round start into a long narrow "
        "target, and where 400 chains have ended. Middle: the same chain with fresh momentum at every step, and where "
        "the 400 have ended then. Right: how far the chains have spread along the valley, against β, with bars of two "
        "standard errors and the exact curve."
    )
    size = (12.0, 4.6)
    controls = {  # noqa: RUF012
        "step_size": slider("step size ε", 0.2, 0.05, 1.0, 0.05, live=False),
        "half_life": steps("half-life of momentum (1: the paper's)", 1, (0.1, 0.25, 0.5, 1, 2, 4, 16), live=False),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "momentum that lasts": {},
        "never forgets": {"half_life": 16},
        "too long a step": {"step_size": 1.0},
    }

    def make_axes(self, figure):
        kept, forgotten, spread = figure.columns(1.15, 1.15, 1, gap=0.6)
        figure.subplots_adjust(left=0.6 / figure.get_figwidth())
        for ax in (kept, forgotten):
            ax.set(xticks=(-3, 0, 3), yticks=(-3, 0, 3), aspect="equal")
        kept.set_ylabel("x₂", labelpad=-4)
        return [kept, forgotten, spread]

    def draw(self, step_size, half_life, seed):
        refresh = refresh_of(step_size, half_life)
        walks = {KEPT: walk(step_size, refresh, seed), FORGOTTEN: walk(step_size, 1.0, seed)}
        covs = np.eye(2), valley().cov
        titles = (f"kept, γ = {refresh:.2g}", "drawn anew, γ = 1")
        one = typical(walks.values())
        for ax, (style, w), title in zip(self.axes, walks.items(), titles, strict=False):
            _draw_trail(ax, w.x[:, one], w.accepted[:, one], w.x[-1, :N_SHOWN], covs, style, title)
        betas = linear_schedule(N_STEPS)
        exact = 1 / np.sqrt(1 - betas + betas / LONG**2)
        found = {style: (w.spread, w.spread_error) for style, w in walks.items()}
        _spread_along_path(self.axes[2], betas, exact, found)
        paper = walk(step_size, refresh_of(step_size, 1.0), seed)
        return Readout(_takeaway(half_life, walks, paper), _readout(walks, one, refresh, step_size))


def _readout(walks: dict[str, Walk], one: int, refresh: float, step_size: float) -> dict[str, str]:
    kept, anew = walks.values()
    covered = [np.ptp(w.x[:, one] @ _DIRECTION) for w in (kept, anew)]
    refused = [(~w.accepted[:, one]).sum() for w in (kept, anew)]
    return {
        "the trail covers of the valley": f"kept {covered[0]:.1f}, anew {covered[1]:.1f}",
        "net distance per leapfrog step": f"kept {kept.net_distance:.3f}, anew {anew.net_distance:.3f}",
        "accepted": f"kept {kept.accepted[1:].mean():.1%}, anew {anew.accepted[1:].mean():.1%}",
        "refused on the trails (×)": f"{refused[0]} and {refused[1]} of {N_STEPS}",
        "γ": f"{refresh:.3f} (half-life 1 would be {refresh_of(step_size, 1.0):.3f})",
    }


def _ellipse(cov, radius):
    """Points at Mahalanobis distance ``radius`` from 0 under a covariance (2, 2)."""
    angle = np.linspace(0, 2 * np.pi, 181)
    return tuple(radius * np.linalg.cholesky(cov) @ [np.cos(angle), np.sin(angle)])


def _draw_trail(ax, x, accepted, crowd, covs, style, title):
    """One chain (K+1, 2) and its rejected steps, the ends of all (C, 2), and 2 σ ellipses of start and target."""
    look = {"linestyle": "-", "linewidth": 1.4}
    artists.curve(ax, "start", *_ellipse(covs[0], 2), "start", **look)
    artists.curve(ax, "target", *_ellipse(covs[1], 2), "target", **look)
    look = {"markersize": 4, "markeredgewidth": 0, "alpha": 0.3, "zorder": 1}
    artists.marks(ax, "crowd", *crowd.T, style, **look)
    look = {"linestyle": "-", "marker": ".", "markersize": 5, "linewidth": 1.3}
    artists.line(ax, "trail", *x.T, **STYLES[style] | look)
    if not accepted.all():
        cross = {"markersize": 9, "markeredgewidth": 2.4, "zorder": 4}
        artists.marks(ax, "refused", *x[~accepted].T, "refused", **cross)
    ends = {"markersize": 11, "markeredgecolor": "white", "zorder": 5}
    artists.marks(ax, "first", *x[0], "first", **ends)
    artists.marks(ax, "last", *x[-1], "last", **ends)
    look = {"fontsize": 12, "ha": "center"}
    artists.words(ax, "start words", -1.6, 1.7, "start", color=STYLES["start"]["color"], **look)
    artists.words(ax, "target words", 2.4, 4.3, "target", color=STYLES["target"]["color"], **look)
    signs, look = "small: all ends\n● first  ■ last\n× refused", {"fontsize": 11, "ha": "right", "va": "bottom"}
    artists.words(ax, "signs", 5.1, -5.2, signs, **look)
    ax.set(xlim=(-5.2, 5.2), ylim=(-5.3, 5.1), title=title, xlabel="x₁")


def _spread_along_path(ax, betas, exact, found):
    """Root mean square of the chains' long coordinate (K+1,) against β, and the standard deviation of p_β.

    ``found`` maps a style to the root mean squares and their standard errors; bars of two stand at every third of β.
    """
    artists.curve(ax, "exact", betas, exact, "truth")
    at = np.linspace(0, len(betas) - 1, 4).astype(int)[1:]
    for style, (spread, error) in found.items():
        artists.curve(ax, style, betas, spread, style)
        low, high = (spread[at] + sign * 2 * error[at] for sign in (-1, 1))
        artists.bars(ax, f"{style} errors", betas[at], low, high, style, linewidth=1.4, markersize=6)
    artists.legend(ax, {"truth": "exact", KEPT: "kept", FORGOTTEN: "anew"}, loc="upper left")
    ax.set(xlim=(-0.02, 1.02), ylim=(0, 1.15 * exact.max()), xlabel="position β", xticks=(0, 0.5, 1))
    ax.set_title("spread of the chains")


def _takeaway(half_life: float, walks: dict[str, Walk], paper: Walk) -> str:
    """``paper`` is the walk with half-life 1, which the present one is compared with."""
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
