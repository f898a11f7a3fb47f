"""Kiwaki and Aihara 2015, Figures 2 and 3: chains on their way to four modes, from a start that the reader tilts."""

from functools import lru_cache

import numpy as np

from anneal_edu import gibbs
from anneal_edu.course import tilted_starts
from anneal_edu.course.ais_trace import annealed
from anneal_edu.course.experiments import kiwaki
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.film import Film, between
from anneal_edu.course.figures.paper_gaussians import rings
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import seed, slider

N_STEPS, N_CHAINS, PER_STEP = 8, 300, 5
LAST = N_STEPS * PER_STEP
GRID = np.linspace(-6.4, 6.4, 128)  # none at 0
COLOURS = {name: STYLES[name]["color"] for name in ("large modes", "small modes")}


@lru_cache(maxsize=1)
def density() -> tuple[np.ndarray, float]:
    """The square root of the target's density on GRID², and the exact share of its small modes."""
    p = np.exp(kiwaki.four_modes().log_density(np.stack(np.meshgrid(GRID, GRID), axis=-1)))
    return np.sqrt(p / p.max()), float(p[np.multiply.outer(GRID, GRID) < 0].sum() / p.sum())


@lru_cache(maxsize=64)
def walk(tilt: float, width: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Chains (K+1, C, 2) and log weights (K+1, C) at every step of AIS."""
    path, schedule = tilted_starts.tilted_path(tilt, width), kiwaki.paper_schedule(N_STEPS)
    log_w, x = zip(*annealed(path, schedule, N_CHAINS, gibbs, np.random.default_rng(seed)), strict=True)
    return np.array(x), np.array(log_w)


class WhereToStart(Panel):
    """AIS towards four modes from a Gaussian start that the reader tilts and widens.

    Controls: ``moment``, the time of the walk of 8 steps; ``tilt``, the correlation of the start; ``width``, its
    standard deviations in those of the target; ``seed``.
    """

    title = "Where to start"
    picture = (
        "Left: two large and two small modes, the start as a ring, and 300 chains, whose area is their weight. Middle: "
        "the share of the small modes, of chains, by weight, and exact. Right: this start and the paper's three, by "
        "tilt and width; when the walk has ended, on a map of the effective sample size."
    )
    size = (12.0, 4.8)
    columns = (1.1, 0.75, 0.95)
    plays = "moment"
    controls = {  # noqa: RUF012
        "moment": slider("time of the walk", 0, 0, LAST, 1),
        "tilt": slider("tilt of the start", 0.0, -0.9, 0.9, 0.05),
        "width": slider("width of the start", 1.0, 0.4, 2.0, 0.1),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "which way to tilt?": {},
        "no tilt": {"moment": LAST},
        "the target's tilt": {"moment": LAST, "tilt": 0.75},
        "the wrong way": {"moment": LAST, "tilt": -0.5},
        "too narrow": {"moment": LAST, "width": 0.4},
    }

    def draw(self, moment, tilt, width, seed):
        plane, shares, chart = self.axes
        x, log_w = walk(tilt, width, seed)
        weights = np.exp(log_w - log_w.max(1, keepdims=True))
        weights /= weights.sum(1, keepdims=True)
        film, steps, (image, exact) = Film(moment, rate=8.0), np.arange(LAST + 1) / PER_STEP, density()
        x, weights = between(steps, x), between(steps, weights)
        small, ess, ends = x.prod(2) < 0, 1 / (weights**2).sum(1), GRID[[0, -1]]  # (T, C), (T,)
        artists.image(plane, "target", image, (*ends, *ends), origin="lower", cmap="gray_r", vmax=1.5, aspect="auto")
        mean, cov = tilted_starts.tilted_path(tilt, width)(0.0).mean_and_cov()
        artists.curve(plane, "start", *rings(mean[None], cov[None], 2)[0].T, "start")
        for (name, colour), which in zip(COLOURS.items(), (~small, small), strict=True):
            radius = np.where(which & (abs(x) < GRID[-1]).all(2), np.sqrt(2 + 1500 * weights), np.nan)
            film.dots(plane, name, *np.moveaxis(x, 2, 0), [colour] * N_CHAINS, radius)
        for name, at, side in (("small modes", -6.3, "left"), ("start", 0, "center"), ("large modes", 6.3, "right")):
            look = {"color": STYLES[name]["color"], "ha": side, "va": "top", "weight": "bold"}
            artists.words(plane, f"{name} words", at, 7.6, name[:5], **look)
        film.words(plane, "ess", -6.2, -7.3, [f"ESS {size:.0f} of {N_CHAINS}" for size in ess])
        plane.set(xlim=ends, ylim=(-7.7, 7.7), xticks=[], yticks=[], title="Chains; area is weight")
        bars = np.column_stack([small.mean(1), np.zeros(LAST + 1), (small * weights).sum(1)])
        film.bars(shares, "shares", [-0.35, 0.35, 0.65, 1.35], 0 * bars, bars, COLOURS["small modes"])
        artists.curve(shares, "exact", [-0.6, 1.6], [exact, exact], "truth")
        artists.words(shares, "exact words", 1.6, 0.75, "dotted: exact", ha="right")
        shares.set(xlim=(-0.6, 1.6), ylim=(0, 0.85), xticks=(0, 1), xticklabels=("number", "weight"),
                   yticks=(0, 0.4, 0.8), yticklabels=("0", "40%", "80%"), title="Chains in small modes")  # fmt: skip
        _draw_map(chart, revealed=moment == LAST)
        artists.marks(chart, "you", tilt, width, "start", marker="o", markersize=18, fillstyle="none", mew=4)
        readout = {f"ESS of {N_CHAINS}": f"{ess[moment]:.0f}", "in small modes, by weight": f"{bars[moment, 2]:.0%}"}
        return Readout(_takeaway(moment, ess[moment], bars[moment, 0], exact), readout, film)


def _draw_map(ax, revealed: bool) -> None:
    """The paper's three starts; once ``revealed`` over the ESS from every start."""
    ink = "white" if revealed else "black"
    if revealed:
        widths, extent = np.linspace(0.4, 2, 65), (tilted_starts.TILTS[0], tilted_starts.TILTS[-1], 0.4, 2)
        rows = np.array([np.interp(widths, tilted_starts.WIDTHS, column) for column in tilted_starts.ESS_OF_TILTED.T]).T
        artists.image(ax, "map", rows, extent, origin="lower", cmap="cividis", interpolation="bilinear", aspect="auto")
        artists.words(ax, "few", -0.87, 0.75, "low", color=ink, weight="bold")
        artists.words(ax, "many", 0.86, 0.75, "high", ha="right", weight="bold")
    for name, x, y, colour in (("mean only", 0, 0.4, ink), ("diagonal", 0, 1, ink), ("full", 0.75, 1, "black")):
        artists.marks(ax, name, x, y, "reference", marker="s", markersize=7, markerfacecolor="white")
        artists.words(ax, f"{name} words", x, y + 0.1, name, color=colour, ha="center")
    title = "ESS of every start" if revealed else "Which start is best?"
    ax.set(xlim=(-1.03, 1.03), ylim=(0.28, 2.13), xlabel="tilt of the start", ylabel="its width", title=title)


def _takeaway(moment, ess, counted, exact) -> str:
    if moment == 0:
        return "The target leans to the upper right. Tilt the start: which start has the highest ESS?"
    if moment < LAST:
        return "Chains fall into the mode that is near, and hardly ever leave it: then only their weights change."
    ended = f"{counted:.0%} of the chains ended in the small modes, instead of {exact:.0%}."
    return f"{ended} The ESS is {ess:.0f} of 300."
