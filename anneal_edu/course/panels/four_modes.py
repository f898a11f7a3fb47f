"""Kiwaki and Aihara 2015, Figures 2 and 3: chains on their way to four modes, from a round and a slanted start."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from anneal_edu import effective_sample_size, normalised_weights
from anneal_edu.course.ais_trace import annealed
from anneal_edu.course.experiments import kiwaki
from anneal_edu.course.figures import artists
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, seed, steps

N_CHAINS = 1000
SHOWN = 400
_REACH, _FAR, _STEP = 6.4, 16.0, 0.2  # of the picture, and of the grid on which shares are summed up
_GRID = np.arange(-_FAR, _FAR + _STEP / 2, _STEP)
_SMALL = np.multiply.outer(_GRID, _GRID) < 0  # where a small mode lies: upper left, lower right
_PICTURE = slice(*np.searchsorted(_GRID, [-_REACH - 0.01, _REACH + 0.01]))


class Walk(NamedTuple):
    """Chains of AIS at every point of the schedule."""

    chains: np.ndarray
    """(K+1, C, 2)"""
    log_weights: np.ndarray
    """(K+1, C), as if AIS ended there."""


@lru_cache(maxsize=1)
def _paths() -> dict:
    grbm = kiwaki.four_modes()
    return {start: kiwaki.start_path(start, grbm, *grbm.mean_and_cov()) for start in kiwaki.STARTS}


@lru_cache(maxsize=24)
def walk(start: str, n_steps: int, kernel: str, seed: int) -> Walk:
    """Walk the path as `anneal_edu.annealing.ais` does, and keep every state on the way."""
    path, rng = _paths()[start], np.random.default_rng(seed)
    states = annealed(path, kiwaki.paper_schedule(n_steps), N_CHAINS, kiwaki.KERNELS[kernel], rng)
    log_w, chains = zip(*states, strict=True)
    return Walk(np.array(chains), np.array(log_w))


@lru_cache(maxsize=512)
def density(start: str, beta: float) -> tuple[np.ndarray, float]:
    """p_β on the grid of the picture, and the exact share of its small modes."""
    here = _paths()[start](beta)
    points = np.stack(np.meshgrid(_GRID, _GRID), axis=-1)  # (n, n, 2)
    p = np.exp(here.log_density(points) - here.log_z())
    return p[_PICTURE, _PICTURE], float(p[_SMALL].sum() / p.sum())


def in_small_modes(chains: np.ndarray) -> np.ndarray:
    """Which chains (C, 2) are in the upper left or lower right quadrant."""
    return chains[:, 0] * chains[:, 1] < 0


class FourModes(Panel):
    """Two large and two small modes, reached from a start with the target's variances and from one with its covariance.

    Controls: ``beta`` (points that the schedules of all K have), ``n_steps`` K, ``kernel`` (x integrated out, or the
    paper's auxiliary x) and ``seed``. Walks are kept, so that β is live.
    """

    title = "Four modes"
    picture = (
        "Left and middle: heat maps of the annealed density from the diagonal start and from the full one, with chains "
        "of AIS on top. Right: the share of the chains in the two small modes, for all three starts, and the exact one."
    )
    size = (12.0, 4.6)
    controls = {  # noqa: RUF012
        "beta": steps("position β", 1, (0, 0.05, 0.1, 0.175, 0.25, 0.375, 0.5, 0.75, 1)),
        "n_steps": steps("steps K", 8, (8, 16, 40, 120, 320)),
        "kernel": choice("kernel", "x integrated out", tuple(kiwaki.KERNELS)),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "eight steps": {},
        "at the start": {"beta": 0},
        "patience": {"n_steps": 320},
    }
    plays = "beta"

    def make_axes(self, figure):
        diagonal, full, bars = figure.columns(1, 1, 1.08, gap=0.6)
        figure.subplots_adjust(left=0.6 / figure.get_figwidth())
        for ax in (diagonal, full):
            ax.set(xticks=(-5, 0, 5), yticks=(-5, 0, 5), ylabel="")
        diagonal.set_ylabel("v₂", labelpad=-6)
        return [diagonal, full, bars]

    def draw(self, beta, n_steps, kernel, seed):
        k = int(np.abs(kiwaki.paper_schedule(n_steps) - beta).argmin())
        walks = {start: walk(start, n_steps, kernel, seed) for start in kiwaki.STARTS}
        small = {start: in_small_modes(walks[start].chains[k]) for start in kiwaki.STARTS}
        exact = {start: density(start, beta)[1] for start in kiwaki.STARTS}
        extent = (-_REACH - _STEP / 2, _REACH + _STEP / 2) * 2
        for ax, start in zip(self.axes, ("diagonal", "full"), strict=False):
            chains = walks[start].chains[k][:SHOWN]
            _density_with_chains(ax, density(start, beta)[0], extent, chains, small[start][:SHOWN])
            ax.set_title(f"{start} start, β = {beta:.3g}")
        shares = {start: float(which.mean()) for start, which in small.items()}
        _shares_in_small_modes(self.axes[2], shares, exact)
        return Readout(_takeaway(beta, shares, exact), _readout(walks, small, k))


def _readout(walks: dict[str, Walk], small: dict[str, np.ndarray], k: int) -> dict[str, str]:
    log_w = {start: of_start.log_weights[k] for start, of_start in walks.items()}
    weighted = {start: float((normalised_weights(log_w[start]) * small[start]).mean()) for start in walks}
    return {
        "in small modes, by weight": ", ".join(f"{start} {x:.0%}" for start, x in weighted.items()),
        "variance of log w": ", ".join(f"{start} {lw.var(ddof=1):.2f}" for start, lw in log_w.items()),
        f"ESS of {N_CHAINS:,}": ", ".join(f"{start} {effective_sample_size(lw):.0f}" for start, lw in log_w.items()),
    }


def _density_with_chains(ax, density, extent, chains, small):
    """A density on a grid of the plane (n, n), shaded by its square root, and chains (C, 2) on top."""
    shade = np.sqrt(density / density.max())  # else modes of a tenth of the mass would be invisible
    look = {"cmap": "gray_r", "vmin": 0, "vmax": 1.5, "interpolation": "bilinear"}
    artists.image(ax, "density", shade, extent, origin="lower", **look)
    look = {"markersize": 5, "markeredgewidth": 0.5, "markeredgecolor": "white"}
    for name, which in (("large modes", ~small), ("small modes", small)):
        artists.marks(ax, name, *chains[which].T, name, **look)
    ax.set(xlim=extent[:2], ylim=extent[2:], xlabel="v₁")


def _shares_in_small_modes(ax, shares, exact):
    """A bar for each start, as high as the share of its chains in the small modes, and a line where it should end."""
    for i, (start, share) in enumerate(shares.items()):
        corners = np.array([i - 0.32, i - 0.32, i + 0.32, i + 0.32])
        artists.band(ax, start, corners[[0, 3]], np.zeros(2), np.full(2, share), start, alpha=0.9)
        artists.curve(ax, f"{start} exact", corners[[0, 3]], [exact[start]] * 2, "truth", linewidth=4)
        above = max(share, exact[start]) + 0.014
        artists.words(ax, f"{start} words", i, above, f"{share:.0%}", ha="center", fontsize=14, weight="bold")
    names = [start.replace(" ", "\n") for start in shares]
    ax.set(xlim=(-0.6, len(shares) - 0.4), xticks=range(len(shares)), xticklabels=names)
    ax.set(ylim=(0, 0.66), yticks=(0, 0.2, 0.4, 0.6), yticklabels=("0", "20%", "40%", "60%"))
    ax.tick_params(axis="x", labelsize=12)
    ax.set_title("in the small modes")
    artists.legend(ax, {"truth": "exact share"}, loc="upper right")


def _takeaway(beta: float, shares: dict[str, float], exact: dict[str, float]) -> str:
    """Whole percents, of a thousand chains: another processor moves hardly any of them."""
    diagonal, full = shares["diagonal"], shares["full"]
    if beta == 1:
        near = max(abs(diagonal - exact["full"]), abs(full - exact["full"])) < 0.06
        rest = "with time both starts come near." if near else "weights have to put right the rest."
        return (
            f"At the target {exact['full']:.0%} of the chains should be in the small modes. From the diagonal start "
            f"{diagonal:.0%} are there, from the full one {full:.0%}; {rest}"
        )
    where = "At the start" if beta == 0 else f"At β = {beta:.3g}"
    return (
        f"{where}, {diagonal:.0%} of the chains from the diagonal start are where the small modes will be (exact share "
        f"{exact['diagonal']:.0%}), of those from the full one {full:.0%} (exact {exact['full']:.0%})."
    )
