"""Kiwaki and Aihara 2015, Figures 2 and 3: chains on their way to four modes, from a start that the reader tilts."""

from functools import lru_cache

import numpy as np

from anneal_edu import ais, covariance_path, effective_sample_size, gibbs
from anneal_edu.course.ais_trace import annealed
from anneal_edu.course.experiments import kiwaki
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.film import Film
from anneal_edu.course.figures.paper_gaussians import rings
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import seed, slider
from anneal_edu.paths.covariance import widen_covariance

N_STEPS, N_CHAINS, PER_STEP = 8, 300, 5
LAST = N_STEPS * PER_STEP
TILTS = np.linspace(-0.9, 0.9, 13)
WIDTHS = np.array([0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.15, 1.35, 1.6, 2.0])
_GRID = np.linspace(-6.4, 6.4, 65)
_FAR = np.linspace(-15.9, 15.9, 160)  # none at 0


@lru_cache(maxsize=1)
def target():
    """The four modes, their mean and the variance of each coordinate."""
    grbm = kiwaki.four_modes()
    mean, cov = grbm.mean_and_cov()
    return grbm, mean, float(cov[0, 0]), float(cov[0, 1] / cov[0, 0])


def start_cov(tilt: float, width: float) -> np.ndarray:
    """A covariance with ``width`` times the target's standard deviations, and this correlation; nowhere below noise."""
    grbm, _, variance, _ = target()
    return widen_covariance(width**2 * variance * np.array([[1.0, tilt], [tilt, 1.0]]), grbm.sigma)[0]


def path_from(tilt: float, width: float):
    """The annealing path from such a start."""
    grbm, mean, _, _ = target()
    return covariance_path(mean, start_cov(tilt, width), grbm)


def mean_ess(tilt: float, width: float) -> float:
    """ESS of 1,000 chains, the mean of three runs."""
    schedule, path = kiwaki.paper_schedule(N_STEPS), path_from(tilt, width)
    return float(np.mean([ais(path, schedule, 1000, gibbs, rng=np.random.default_rng(s)).ess for s in range(3)]))


ESS = np.array([
    [115, 100, 85, 120, 63, 135, 191, 194, 244, 290, 350, 370, 402],
    [113, 88, 117, 109, 182, 255, 315, 359, 418, 446, 482, 505, 522],
    [104, 54, 140, 229, 274, 364, 406, 467, 516, 549, 576, 597, 610],
    [102, 103, 216, 299, 366, 426, 459, 529, 568, 603, 639, 645, 645],
    [86, 170, 277, 362, 413, 458, 518, 553, 593, 625, 664, 682, 630],
    [85, 232, 330, 401, 443, 480, 518, 559, 581, 618, 654, 692, 672],
    [87, 265, 353, 403, 452, 475, 513, 536, 565, 591, 636, 669, 673],
    [127, 296, 358, 396, 422, 448, 483, 498, 517, 543, 572, 613, 652],
    [187, 309, 346, 376, 391, 405, 437, 444, 459, 477, 500, 551, 602],
    [212, 285, 307, 332, 333, 343, 354, 365, 391, 389, 399, 436, 504],
])
"""`mean_ess` at every width (rows) and tilt."""


@lru_cache(maxsize=64)
def walk(tilt: float, width: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Chains (K+1, C, 2) and log weights (K+1, C) at every step of AIS."""
    rng = np.random.default_rng(seed)
    states = annealed(path_from(tilt, width), kiwaki.paper_schedule(N_STEPS), N_CHAINS, gibbs, rng)
    log_w, x = zip(*states, strict=True)
    return np.array(x), np.array(log_w)


@lru_cache(maxsize=1)
def _density() -> tuple[np.ndarray, float]:
    """The target on the grid of the picture, and the exact share of its small modes."""
    grbm = target()[0]
    log_f = [grbm.log_density(np.stack(np.meshgrid(grid, grid), axis=-1)) for grid in (_GRID, _FAR)]
    p = np.exp(log_f[1] - log_f[1].max())
    return np.exp(0.5 * (log_f[0] - log_f[0].max())), float(p[np.multiply.outer(_FAR, _FAR) < 0].sum() / p.sum())


class WhereToStart(Panel):
    """AIS towards four modes from a Gaussian start that the reader tilts and widens.

    Controls: ``moment``, the time of the walk of 8 steps; ``tilt``, the correlation of the start; ``width``, its
    standard deviations in those of the target; ``seed``.
    """

    title = "Where to start"
    picture = (
        "Left: the target's two large and two small modes, the start as a ring, and 300 chains; those in small modes "
        "have another colour, and area is weight. Middle: the share of the small modes: of chains, by weight, and "
        "exact. Right: a map of the effective sample size over tilt and width, the paper's three starts and this one."
    )
    size = (12.0, 4.6)
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
        film, steps = Film(moment, rate=8.0), np.arange(LAST + 1) / PER_STEP
        x_now, weights_now = _between(steps, x), _between(steps, weights)
        small = x_now.prod(2) < 0  # (T, C)
        density, exact = _density()
        _draw_target(plane, density)
        ring = rings(target()[1][None], start_cov(tilt, width)[None], 2)[0]
        artists.curve(plane, "start", *ring.T, "start")
        radius = np.sqrt(2 + 1500 * weights_now)
        for name, which in (("large modes", ~small), ("small modes", small)):
            place = np.where(which[..., None], x_now, np.nan)
            film.dots(plane, name, place[..., 0], place[..., 1], [STYLES[name]["color"]] * N_CHAINS, radius)

        counted, weighed = small.mean(1), (small * weights_now).sum(1)
        for i, share in enumerate((counted, weighed)):
            colour, edges = STYLES["small modes"]["color"], [i - 0.35, i + 0.35]
            film.bars(shares, f"share {i}", edges, np.zeros((LAST + 1, 1)), share[:, None], colour)
        artists.curve(shares, "exact", [-0.6, 1.6], [exact, exact], "truth")
        artists.words(shares, "exact words", 0.5, 0.75, "dotted: exact", ha="center", fontsize=12)
        shares.set(xlim=(-0.6, 1.6), ylim=(0, 0.85), xticks=(0, 1), xticklabels=("count", "weight"),
                   yticks=(0, 0.4, 0.8), yticklabels=("0", "40%", "80%"), title="In small modes")  # fmt: skip

        _draw_map(chart)
        artists.marks(chart, "here", tilt, width, "start", markersize=13, markerfacecolor="none", markeredgewidth=3)
        at = moment // PER_STEP
        ess = effective_sample_size(log_w[at])
        return Readout(
            _takeaway(moment, ess, counted[moment], exact),
            {
                f"chains that count (ESS of {N_CHAINS})": f"{ess:.0f}",
                "in small modes": f"{counted[moment]:.0%} of the chains, {weighed[moment]:.0%} by weight, "
                f"exact {exact:.0%}",
            },
            film,
        )


def _between(steps, rows):
    """Rows (K+1, C, …) at times that may lie between two steps."""
    before = np.minimum(steps.astype(int), len(rows) - 2)
    part = (steps - before).reshape(-1, *[1] * (rows.ndim - 1))
    return (1 - part) * rows[before] + part * rows[before + 1]


def _draw_target(ax, density):
    extent = (_GRID[0], _GRID[-1]) * 2
    look = {"origin": "lower", "cmap": "gray_r", "vmin": 0, "vmax": 1.5, "interpolation": "bilinear"}
    artists.image(ax, "density", density, extent, **look)
    ax.set(xlim=extent[:2], ylim=extent[2:], xticks=(-5, 0, 5), yticks=(-5, 0, 5), xlabel="v₁", title="Your start")


def _draw_map(ax):
    rows = np.array([np.interp(np.linspace(WIDTHS[0], WIDTHS[-1], 65), WIDTHS, column) for column in ESS.T]).T
    extent = TILTS[0], TILTS[-1], WIDTHS[0], WIDTHS[-1]
    artists.image(ax, "map", rows, extent, origin="lower", cmap="cividis", interpolation="bilinear", aspect="auto")
    ax.set(xlim=(-0.95, 0.95), ylim=(0.35, 2.05), xlabel="tilt", ylabel="width", title="Chains that count")
    _, _, variance, tilt = target()
    for name, at in (("mean only", (0, max(variance**-0.5, 0.4))), ("diagonal", (0, 1)), ("full", (tilt, 1))):
        artists.marks(ax, name, *at, "reference", marker="s", markersize=7, markerfacecolor="white")
        artists.words(ax, f"{name} words", at[0], at[1] + 0.07, name, color="white", ha="center", fontsize=12)


def _takeaway(moment, ess, counted, exact) -> str:
    if moment == 0:
        return "The target leans to the upper right. Tilt the start: where will most of its 300 chains count?"
    if moment < LAST:
        return "Chains fall into the mode that is near, and hardly ever leave it: then only their weights change."
    return (
        f"{counted:.0%} of the chains ended in the small modes; {exact:.0%} would be right. Weights mend that: of 300 "
        f"chains {ess:.0f} count."
    )
