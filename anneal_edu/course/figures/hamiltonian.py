"""Hamiltonian annealed importance sampling: its likelihoods, and a chain that bounces."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import GREY, STYLES, projected


@projected()
def likelihood_convergence(
    ax: Axes, n_steps: list[int], estimates: np.ndarray, errors: np.ndarray, exact: float
) -> None:
    """Average log likelihood (n,) with ± 2 Monte Carlo errors (n,) against K, and the exact value."""
    span = n_steps[0] / 1.4, n_steps[-1] * 1.4
    artists.curve(ax, "exact", span, [exact] * 2, "truth")
    artists.bars(ax, "errors", n_steps, estimates - 2 * errors, estimates + 2 * errors, "HAIS")
    artists.line(ax, "HAIS", n_steps, estimates, **STYLES["HAIS"])
    artists.legend(ax, {"HAIS": "HAIS", "truth": "exact"}, loc="lower right")
    low, high = min((estimates - 2 * errors).min(), exact), max((estimates + 2 * errors).max(), exact)
    margin = 0.08 * (high - low)
    ax.set(ylim=(low - margin, high + margin), title="log likelihood a point (nats)")
    artists.log_x(ax, "number of distributions K", n_steps, span)


@projected()
def bouncing(ax: Axes, x: np.ndarray, v: np.ndarray) -> None:
    """Positions and momenta (n,) of a chain at a wall at 0, under f = e^{-x}, and the line of its first energy."""
    energy = x[0] + v[0] ** 2 / 2
    level = np.linspace(-np.sqrt(2 * energy), np.sqrt(2 * energy), 121)
    artists.curve(ax, "energy", energy - level**2 / 2, level, "reference", linewidth=1.6)
    artists.marks(ax, "states", x, v, "HAIS", markersize=6)
    artists.curve(ax, "wall", [0, 0], [-3, 3], "truth", linestyle="-", linewidth=5)
    look = {"fontsize": 12, "color": GREY, "va": "center"}
    artists.words(ax, "wall words", 0.08, 0, "the wall turns v", **look)
    artists.words(ax, "up", 1.6, 2.15, "flies up", **look)
    artists.words(ax, "down", 1.6, -2.15, "falls", **look)
    ax.set(xlim=(-0.1, 1.2 * energy), ylim=(-3, 3), xlabel="position x", ylabel="momentum v")
