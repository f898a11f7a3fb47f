"""Sohl-Dickstein and Culpepper 2012, Section 2.3: what a momentum that survives annealing does to a chain's way."""

from functools import lru_cache

import matplotlib as mpl
import numpy as np

from anneal_edu import Gaussian, geometric_path, linear_schedule
from anneal_edu.annealing.hais import hais_states, half_life_refresh
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.film import Film
from anneal_edu.course.figures.paper_gaussians import rings
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import seed, slider, steps
from anneal_edu.course.panels.tempered_training import apart

N_STEPS, N_CHAINS, N_SHOWN, LONG, ACROSS = 100, 1600, 150, 3.0, 0.3  # the last two: standard deviations of the target
_ALONG = np.array([1.0, 1.0]) / np.sqrt(2)
START = Gaussian(np.zeros(2), np.eye(2))
VALLEY = Gaussian(np.zeros(2), LONG**2 * np.outer(_ALONG, _ALONG) + ACROSS**2 * (np.eye(2) - np.outer(_ALONG, _ALONG)))
COLOURS, INKS = ([STYLES[of]["color"] for of in two] for two in (("HAIS", "fresh momentum"), ("start", "target")))


@lru_cache(maxsize=64)
def walk(step_size: float, refresh: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """x (K+1, C, 2) and accepted (K, C) of a run from N(0, I) to the valley; one seed, the same random numbers."""
    rng = np.random.default_rng(seed)
    x = START.sample(N_CHAINS, rng)
    v, settings = rng.standard_normal(x.shape), ([step_size] * N_STEPS, [refresh] * N_STEPS, rng)
    states = list(hais_states(geometric_path(START, VALLEY), linear_schedule(N_STEPS), x, v, *settings))
    return np.array([x, *(state.x for state in states)]), np.array([state.accepted for state in states])


def spread(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Root mean square of the coordinate along the valley, and its standard error over chains, both (K+1,)."""
    squares = (x @ _ALONG) ** 2
    found = np.sqrt(squares.mean(1))
    return found, squares.std(1, ddof=1) / np.sqrt(squares.shape[1]) / (2 * found)


def typical_chain(*walks: np.ndarray) -> int:
    """The chain whose way covers about as much of the valley as is usual, in each of these walks of one seed."""
    return int(np.argmin(sum(np.abs(c - np.median(c)) for c in (np.ptp(x @ _ALONG, axis=0) for x in walks))))


class MomentumTrails(Panel):
    """Chains of HAIS in a long valley, and the same chains, with the same random numbers, drawing their momentum anew.

    Controls: ``beta``; ``step_size`` ε; ``half_life`` of the momentum's power; ``seed``. A trail: `typical_chain`.
    """

    title = "Momentum in a valley"
    picture = (
        "Left: 150 chains that keep part of their momentum, on their way from a round start into a long narrow target. "
        "Middle: the same chains with fresh momentum at every step. Right: how far they spread along the valley."
    )
    size, columns = (12.0, 4.6), (1.4, 1.4, 1)
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

    def draw(self, beta, step_size, half_life, seed):
        now, betas, path = round(beta * N_STEPS), linear_schedule(N_STEPS), geometric_path(START, VALLEY)
        film = Film(now, rate=12.0)
        walks = [walk(step_size, half_life_refresh(step_size / half_life), seed), walk(step_size, 1.0, seed)]
        one = typical_chain(walk(0.2, half_life_refresh(0.2), seed)[0], walk(0.2, 1.0, seed)[0])
        here = np.moveaxis(rings(np.zeros((len(betas), 2)), np.array([path(b).cov for b in betas]), 2), 2, 0)
        for ax, (x, accepted), colour, kept in zip(self.axes[:2], walks, COLOURS, ("kept", "drawn anew"), strict=True):
            pale = mpl.colors.to_hex(0.6 + 0.4 * np.array(mpl.colors.to_rgb(colour)))
            artists.curve(ax, "target", *here[:, -1], "target", linewidth=1.4)
            film.curve(ax, "here", *here, "start")
            film.dots(ax, "crowd", x[:, :N_SHOWN, 0], x[:, :N_SHOWN, 1], [pale] * N_SHOWN, radius=2.5)
            film.trails(ax, "trail", x[:, one, 0], x[:, [one], 1], [colour])
            steps = np.arange(1, len(betas))
            seen = np.where((np.arange(len(betas))[:, None] >= steps) & ~accepted[:, one], 4.0, np.nan)
            film.dots(ax, "refused", *x[steps, one].T, [STYLES["refused"]["color"]] * len(steps), seen)
            film.dots(ax, "one", x[:, [one], 0], x[:, [one], 1], [colour], radius=7.0)
            lasts = f", half-life {half_life / step_size:.3g} steps" * (kept == "kept")
            name = f"momentum {kept}\nstep ε = {step_size:g}{lasts}\nbig: one chain\nred: rejected"
            artists.words(ax, "name", -4.6, 3.4, name, color=colour)
            side = np.sqrt(2 / (1 - betas + betas / ACROSS**2))
            ring = ["start", *["now"] * (N_STEPS - 1), "now = target"]
            film.words(ax, "ring", side + 0.35, -side - 0.55, ring, INKS[0])
            film.words(ax, "aim", -2.9, -4.4, [*["target"] * N_STEPS, ""], INKS[1])
            ax.set(xlim=(-4.7, 4.7), ylim=(-4.7, 4.7), aspect="equal")
            ax.set_axis_off()
        right, spreads, exact = self.axes[2], [spread(x) for x, _ in walks], 1 / np.sqrt(1 - betas + betas / LONG**2)
        artists.curve(right, "exact", betas, exact, "truth")
        artists.words(right, "exact words", 0.78, 2.1, "exact", ha="right")
        film.trails(right, "spread", betas, np.column_stack([of for of, _ in spreads]), COLOURS)
        heights = apart(np.column_stack([of for of, _ in spreads]) - 0.25, 0.22)
        for name, at, colour in zip(("kept", "anew"), heights.T, COLOURS, strict=True):
            film.words(right, name, betas + 0.04, at, [name] * len(betas), colour)
        right.set(xlim=(0, 1.45), ylim=(0, 3.5), xticks=(0, 0.5, 1), xlabel="position β", title="sd along it")
        paper = spread(walk(step_size, half_life_refresh(step_size), seed)[0])
        told = [f"{of[now]:.2f} ± {error[now]:.2f}" for of, error in spreads]
        numbers = {"length": f"kept {told[0]}, drawn anew {told[1]}", "accepted": f"{walks[0][1].mean():.0%}"}
        return Readout(_takeaway(now, half_life, exact[now], spreads, paper, walks[0][1].mean()), numbers, film)


def _takeaway(now, half_life, exact, spreads, paper, accepted):
    if now == 0:
        return "Left, chains keep most of their momentum; in the middle, they draw it anew. Which crowd gets further?"
    far, others = (of[now] for of, _ in spreads)
    found = f"Chains that keep momentum have spread by {far:.2f}, the others by {others:.2f}; exact is {exact:.2f}."
    if accepted < 0.5:
        return "The step is too long for the narrow valley. Most steps are rejected, and then the chain turns round."
    if now < N_STEPS:
        return found
    (kept, error), (anew, other), (best, best_error) = ((of[-1], error[-1]) for of, error in (*spreads, paper))
    if half_life > 1 and best - kept > 2 * np.hypot(error, best_error):
        return f"{found} Momentum that never fades swings to and fro. With half-life 1 they get to {best:.2f}."
    gains = kept - anew > 3 * np.hypot(error, other)
    return f"{found} {'To keep momentum helps' if gains else 'Momentum gains little here'}."
