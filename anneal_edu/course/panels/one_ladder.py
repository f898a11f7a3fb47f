"""One ladder of parallel tempering: every state moves on its rung, then neighbours propose to swap."""

from functools import lru_cache
from itertools import islice

import numpy as np

from anneal_edu import Gaussian, geometric_path, linear_schedule, random_walk
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.film import Film
from anneal_edu.course.figures.tempering import colours_of
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import seed, slider, steps
from anneal_edu.kernels import swapped
from anneal_edu.tempering.parallel import tempering_states

CENTRES, WIDTH, SHARES = np.array([-6.0, 0.0, 5.0]), 0.4, np.array([0.2, 0.5, 0.3])
N_SWEEPS, LAST, STEP = 60, 179, 0.7
_LOG_HEIGHTS = 1.0 + np.log(SHARES / (WIDTH * np.sqrt(2 * np.pi)))
_GRID, _EDGES = np.linspace(-20, 20, 801), np.linspace(-8, 8, 33)


class ThreeModes:
    """Three narrow Gaussians of masses 0.2, 0.5 and 0.3, times e: log Z = 1."""

    dim = 1

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """Log f, (..., 1) -> (...)."""
        return np.logaddexp.reduce(_LOG_HEIGHTS - (x - CENTRES) ** 2 / (2 * WIDTH**2), axis=-1)


@lru_cache(maxsize=64)
def ladder(n_pairs: int, hottest: float, seed: int) -> tuple[np.ndarray, ...]:
    """Walk K + 1 rungs from N(0, hottest²) over N sweeps, each of three moments: move, propose, swap; T = 3 N.

    Where each state is, and on which rung, (T, K+1), the columns by state; ends of the lines between pairs that propose
    to swap, (T, 4, K), NaN where they move; which pairs swap, (N, K); the density on each rung, (K+1, 801).
    """
    path, betas = geometric_path(Gaussian([0.0], [[hottest**2]]), ThreeModes()), linear_schedule(n_pairs) ** 2
    states = tempering_states(path, betas, 1, random_walk(STEP), rng=np.random.default_rng(seed))
    run = list(islice(states, N_SWEEPS))
    proposed, accepted = (np.array([getattr(s, name)[:, 0] for s in run]) for name in ("proposed", "accepted"))
    on_rung = np.array([swapped(s.x, s.accepted)[:, 0, 0] for s in run])  # before the swap, which undoes itself
    after = np.array([np.argsort(s.replicas[:, 0]) for s in run])
    before, height = np.vstack([np.arange(n_pairs + 1), after[:-1]]), linear_schedule(n_pairs)
    ends = np.stack(np.broadcast_arrays(on_rung[:, :-1], height[:-1], on_rung[:, 1:], height[1:]), axis=1)
    asked = np.where(proposed[:, None], ends, np.nan)
    links = np.stack([asked * np.nan, asked, np.where(accepted[:, None], asked[:, [0, 3, 2, 1]], asked)], axis=1)
    x = np.repeat(np.take_along_axis(on_rung, before, 1), 3, axis=0)
    rungs, f = np.stack([before, before, after], axis=1), np.exp([path(b).log_density(_GRID[:, None]) for b in betas])
    return x, rungs.reshape(x.shape), links.reshape(-1, 4, n_pairs), accepted, f


class OneLadder(Panel):
    """A ladder from a wide Gaussian to a target of three modes, in time; its rungs are β = (k/K)².

    Controls: ``moment``, three a sweep; ``n_pairs`` K; ``hottest``, the standard deviation of the first rung; ``seed``.
    """

    title = "One ladder"
    picture = (
        "Left: the density on each rung, hot at the bottom, and its state as a coloured dot; lines join pairs that "
        "propose to swap. Middle: the rungs of each state in time. Right: what the target has seen, and its density."
    )
    size = (12.0, 5.0)
    columns = (1.5, 1.2, 1)
    plays = "moment"
    controls = {  # noqa: RUF012
        "moment": slider("moment (move, propose, swap)", 0, 0, LAST, 1),
        "n_pairs": steps("pairs K", 6, range(1, 9)),
        "hottest": slider("width of the hottest rung", 5.0, 0.5, 8.0, 0.5),
        "seed": seed(3),
    }
    scenes = {  # noqa: RUF012
        "who gets to the top?": {},
        "sixty sweeps later": {"moment": LAST},
        "one steep step": {"n_pairs": 1, "moment": LAST},
        "a narrow start": {"hottest": 0.5, "moment": LAST},
    }

    def draw(self, moment, n_pairs, hottest, seed):
        left, middle, right = self.axes
        x, rungs, links, accepted, densities = ladder(n_pairs, hottest, seed)
        film, colours, done = Film(moment, rate=5.0), colours_of(n_pairs + 1), (moment + 1) // 3
        for k, f in enumerate(densities):
            low, look = np.full(len(_GRID), k / n_pairs), {"edgecolor": "black", "linewidth": 0.8, "alpha": 0.35}
            artists.band(left, f"rung {k}", _GRID, low, low + 0.7 * f / f.max() / max(n_pairs, 3), "reference", **look)
        swap = np.repeat(accepted, 3, axis=0)[:, None]
        for at, name, style, shown in ((-15.5, "swap", "swapping", swap), (1, "rejected", "rejected swap", ~swap)):
            dashed = style != "swapping"
            film.links(left, name, np.where(shown, np.clip(links, -19, 19), np.nan), style, dashed=dashed)
            artists.curve(left, f"sample {name}", [at - 3.5, at - 0.5], [1.165] * 2, style, linestyle="-:"[dashed])
            artists.words(left, f"word {name}", at + 0.5, 1.14, name, color=artists.STYLES[style]["color"])
        film.dots(left, "states", np.clip(x, -19, 19), rungs / n_pairs, colours, radius=8.0)
        phases = [f"sweep {t // 3 + 1}: {('move', 'propose', 'swap')[t % 3]}" for t in range(LAST + 1)]
        film.words(left, "phase", -19.4, 1.25, phases)
        sweeps = (np.arange(LAST + 1) + 1) // 3  # that are done at each moment
        film.trails(middle, "ways", sweeps, rungs / n_pairs, colours)
        rungs_up = {"ylim": (-0.05, 1.33), "yticks": (0, 1), "yticklabels": ("hot", "target")}
        left.set(xlim=(-20, 20), xlabel="x", title="One state on each rung", **rungs_up)
        middle.set(xlim=(0, N_SWEEPS), xlabel="sweep", title="Rungs; colour: state", **rungs_up)

        top = np.argmax(rungs[2::3], axis=1)  # which state is there after each sweep
        where = np.take_along_axis(x[2::3], top[:, None], 1)[:, 0]
        seen = np.zeros((N_SWEEPS + 1, n_pairs + 2, len(_EDGES) + 1))
        seen[np.arange(1, N_SWEEPS + 1), top + 1, np.searchsorted(_EDGES, where)] = 1
        levels = seen.cumsum(0).cumsum(1)[sweeps, :, 1:-1] / (N_SWEEPS * np.diff(_EDGES))  # (T, K+2, bins)
        for state, colour in enumerate(colours):
            film.bars(right, f"seen {state}", _EDGES, levels[:, state], levels[:, state + 1], colour)
        artists.curve(right, "exact", _GRID, np.exp(ThreeModes().log_density(_GRID[:, None]) - 1), "truth")
        artists.words(right, "word exact", 0.6, 0.5, "exact")
        right.set(xlim=(-8, 8), ylim=(0, 0.95), xlabel="x", yticks=(), title="At the target")
        modes = np.bincount(np.abs(where[:done, None] - CENTRES).argmin(1), minlength=3)
        swaps = f"{accepted[:done].sum()} of {np.isfinite(links[1 : 3 * done : 3, 0]).sum()} proposed"
        numbers = {"swaps": swaps, "visits to the modes": f"{', '.join(map(str, modes))} (exact: 20, 50, 30%)"}
        if not done:
            said = "Each state walks on its rung; then neighbours propose to swap. Which states will reach the target?"
            return Readout(said, numbers, film)
        said = f"After sweep {done}, {len({n_pairs, *top[:done]})} of {n_pairs + 1} states have stood on the target "
        return Readout(f"{said}rung, and it has seen {np.count_nonzero(modes)} of its 3 modes.", numbers, film)
