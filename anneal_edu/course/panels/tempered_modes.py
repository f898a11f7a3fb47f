"""A target with three modes: chains that stay where they are, and chains that swap."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from anneal_edu import Gaussian, Unnormalized, linear_schedule
from anneal_edu.course.figures import artists
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import seed, slider, steps
from anneal_edu.kernels import accept, swapped
from anneal_edu.tempering.record import count_round_trips
from anneal_edu.tempering.swaps import EvenOdd

CENTRES, WIDTH, SHARES = np.array([-6.0, 0.0, 5.0]), 0.4, np.array([0.2, 0.5, 0.3])
BORDERS = np.array([-3.0, 2.5])
LOG_Z = 1.0
N_CHAINS = 20
STEP = 0.7
_LOG_HEIGHTS = LOG_Z + np.log(SHARES / (WIDTH * np.sqrt(2 * np.pi)))
_EDGES = np.linspace(-9, 8, 86)
_GRID = np.linspace(-9, 8, 341)


def _log_f(x: np.ndarray) -> np.ndarray:
    return np.logaddexp.reduce(_LOG_HEIGHTS - (x - CENTRES) ** 2 / (2 * WIDTH**2), axis=-1)


def three_modes() -> Unnormalized:
    """Three narrow Gaussians of masses 0.2, 0.5 and 0.3, times e: log Z = 1."""
    return Unnormalized(_log_f, 1)


class Rungs:
    """The geometric path from N(0, hottest²) to `three_modes`, all rungs at once.

    Examples
    --------
    >>> rungs = Rungs(np.array([0.0, 1.0]), 5.0)
    >>> bool(np.isclose(rungs.log_f(np.zeros((1, 1)), 1.0)[0], three_modes().log_density(np.zeros((1, 1)))[0]))
    True
    """

    def __init__(self, betas: np.ndarray, hottest: float):
        self.betas, self.hottest = betas, hottest

    def log_f(self, x: np.ndarray, betas: np.ndarray) -> np.ndarray:
        """Log f_β of states (..., 1) at β, each at its own: (...)."""
        start = -math.log(self.hottest * math.sqrt(2 * math.pi)) - x[..., 0] ** 2 / (2 * self.hottest**2)
        return (1 - betas) * start + betas * _log_f(x)

    def move(self, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A random walk step of every chain on its rung, (K+1, C, 1)."""
        betas, proposal = self.betas[:, None], x + STEP * rng.standard_normal(x.shape)
        accepted = accept(self.log_f(proposal, betas) - self.log_f(x, betas), rng)
        return np.where(accepted[..., None], proposal, x)

    def sweep(self, x: np.ndarray, scheme: EvenOdd, rng: np.random.Generator) -> tuple:
        """As `anneal_edu.tempering.parallel.pt_sweep`, all rungs at once: x, accepted, log f_{k+1}(x_k) / f_k(x_k)."""
        x, betas = self.move(x, rng), self.betas[:, None]
        own = self.log_f(x, betas)
        above, below = self.log_f(x[:-1], betas[1:]), self.log_f(x[1:], betas[:-1])
        accepted = scheme.propose(rng) & accept(above + below - own[:-1] - own[1:], rng)
        return swapped(x, accepted), accepted, above - own[:-1]


class Runs(NamedTuple):
    """States at the target, of chains alone and of ladders, and what the ladders say about log Z."""

    alone: np.ndarray
    """(T', C)"""
    tempered: np.ndarray
    """(T, C)"""
    trips: int
    log_z: float
    log_z_error: float


@lru_cache(maxsize=64)
def runs(n_pairs: int, hottest: float, n_sweeps: int, seed: int) -> Runs:
    """The same number of random walk moves for both: K + 1 times as many sweeps for each chain alone."""
    target, rng = Rungs(np.ones(1), hottest), np.random.default_rng([seed, 0])
    x, alone = hottest * rng.standard_normal((1, N_CHAINS, 1)), []
    for _ in range(n_sweeps * (n_pairs + 1)):
        x = target.move(x, rng)
        alone.append(x[0, :, 0])
    rungs, scheme = Rungs(linear_schedule(n_pairs) ** 2, hottest), EvenOdd(n_pairs, N_CHAINS)
    start, rng, kept = Gaussian([0.0], [[hottest**2]]), np.random.default_rng([seed, 1]), []
    x = np.stack([start.sample(N_CHAINS, rng) for _ in rungs.betas])  # (K+1, C, 1)
    replicas = np.tile(np.arange(n_pairs + 1)[:, None], (1, N_CHAINS))
    for _ in range(n_sweeps):
        x, accepted, log_ratio = rungs.sweep(x, scheme, rng)
        replicas = swapped(replicas, accepted)
        kept.append((x[-1, :, 0], replicas, log_ratio))
    tempered, replicas, log_ratios = (np.array(each) for each in zip(*kept, strict=True))
    ratios = np.exp(log_ratios[n_sweeps // 2 :])  # (T, K, C)
    means = ratios.mean(0)
    error = float((means / means.mean(1, keepdims=True)).sum(0).std(ddof=1) / np.sqrt(N_CHAINS))
    return Runs(
        np.array(alone)[len(alone) // 2 :],
        tempered[n_sweeps // 2 :],
        int(count_round_trips(replicas).sum()),
        float(np.log(means.mean(1)).sum()),
        error,
    )


def masses(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shares of the three modes (3,) in states (T, C), and their standard errors over chains."""
    which = np.searchsorted(BORDERS, x)
    shares = np.array([(which == mode).mean(0) for mode in range(3)])  # (3, C)
    return shares.mean(1), shares.std(1, ddof=1) / np.sqrt(x.shape[1])


class TemperedModes(Panel):
    """Random walks on a target of three modes, alone and on a ladder, at the same cost.

    Controls: ``n_pairs`` K, ``hottest``, the standard deviation of the first rung, ``n_sweeps`` of the ladders, and
    ``seed``. The rungs are (k/K)²; the first half of every run is left out.
    """

    title = "Three modes"
    picture = (
        "Left: where 20 chains alone were, an outline, and where one of them was, filled; and the exact density. "
        "Middle: the same for the last rung of 20 ladders. "
        "Right: the mass of each mode, exact, of chains alone and of ladders, with two standard errors."
    )
    size = (12.0, 4.4)
    controls = {  # noqa: RUF012
        "n_pairs": slider("pairs K", 6, 1, 8, 1, live=False),
        "hottest": slider("hottest rung: standard deviation", 5.0, 0.5, 12.0, 0.5, live=False),
        "n_sweeps": steps("sweeps", 160, (20, 40, 80, 160), live=False),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "a wide start": {},
        "a narrow start": {"hottest": 0.5},
        "one steep step": {"n_pairs": 1, "hottest": 12.0},
    }
    plays = "n_sweeps"

    def make_axes(self, figure):
        axes = figure.columns(1, 1, 1, gap=0.6)
        axes[1].tick_params(labelleft=False)
        return axes

    def draw(self, n_pairs, hottest, n_sweeps, seed):
        found = runs(n_pairs, hottest, n_sweeps, seed)
        density = np.exp(_log_f(_GRID[:, None]) - LOG_Z)
        pairs = (("alone", found.alone, "alone"), ("swapping", found.tempered, "swapping"))
        top = 2.25 * density.max()
        for ax, (title, x, style) in zip(self.axes, pairs, strict=False):
            heights = [np.histogram(of, _EDGES)[0] / (of.size * np.diff(_EDGES)) for of in (x, x[:, 0])]
            _density_and_histogram(ax, _GRID, density, *np.minimum(heights, top), _EDGES, style, title)
        by_style = {style: masses(x) for _, x, style in pairs}
        _draw_masses(self.axes[2], SHARES, by_style, {"alone": "alone", "swapping": "swapping"})
        readout = {"masses of the modes, exact": ", ".join(f"{share:.2f}" for share in SHARES)}
        for title, _, style in pairs:
            readout[title] = ", ".join(f"{m:.2f} ± {e:.2f}" for m, e in zip(*by_style[style], strict=True))
        readout["round trips"] = f"{found.trips}"
        readout["log Z by stepping stones"] = f"{found.log_z:.2f} ± {found.log_z_error:.2f} (exact {LOG_Z:.2f})"
        return Readout(_takeaway(found), readout)


def _density_and_histogram(ax, x, density, heights, one, edges, style, title):
    """An exact density (n,) on a grid, and what chains visited: an outline of all, and ``one`` of them filled."""
    sides = np.repeat(edges, 2)
    artists.band(ax, "one", sides, np.zeros_like(sides), np.r_[0.0, np.repeat(one, 2), 0.0], style, alpha=0.35)
    artists.curve(ax, "visited", sides, np.r_[0.0, np.repeat(heights, 2), 0.0], style, linestyle="-", linewidth=2)
    artists.curve(ax, "exact", x, density, "truth")
    artists.words(ax, "one words", x[0] + 0.5, 2.4 * density.max(), "filled: one chain", fontsize=12)
    ax.set(xlim=(x[0], x[-1]), ylim=(0, 2.6 * density.max()), xlabel="x", title=title)


def _draw_masses(ax, exact, found, labels):
    """Mass of each mode: exact (n,), and by style what was found (n,) with ± 2 standard errors (n,)."""
    k = np.arange(len(exact))
    for i, share in enumerate(exact):
        artists.curve(ax, f"exact {i}", [i - 0.35, i + 0.35], [share] * 2, "truth")
    for i, (style, (mass, error)) in enumerate(found.items()):
        x = k + 0.24 * (i - 0.5)
        artists.bars(ax, f"{style} bars", x, np.clip(mass - 2 * error, 0, 1), np.clip(mass + 2 * error, 0, 1), style)
        artists.marks(ax, style, x, mass, style)
    artists.legend(ax, labels | {"truth": "exact"}, loc="upper right", **artists.SMALL)
    ax.set(xlim=(-0.6, len(exact) - 0.4), ylim=(-0.06, 1.5), title="mass of each mode")
    ax.set(xticks=k, xticklabels=("left", "middle", "right")[: len(exact)], yticks=(0, 0.25, 0.5, 0.75, 1))


def _takeaway(found: Runs) -> str:
    crossings = (np.diff(np.searchsorted(BORDERS, found.alone), axis=0) != 0).sum() / N_CHAINS
    alone = "hardly ever leave the mode that they fell into" if crossings < 2 else "cross now and then"
    off = float(np.abs(masses(found.tempered)[0] - SHARES).max())
    per_chain = found.trips / N_CHAINS
    if per_chain < 0.3:
        return f"Chains alone {alone}, and hardly a replica makes a round trip: the masses of this ladder mean nothing."
    if masses(found.tempered)[0].min() < 0.01:
        return (
            "Plenty of round trips, and modes that nobody has seen: the hottest rung itself does not reach them. "
            "Nothing here warns you, least of all the error bars."
        )
    if off > 0.12 or per_chain < 12:
        return f"Chains alone {alone}. The ladders make round trips, but too few yet to trust the masses."
    return f"Chains alone {alone}. The ladders go up and down, and have each mass right within 0.12, at equal cost."
