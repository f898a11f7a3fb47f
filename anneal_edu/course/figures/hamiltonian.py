"""Hamiltonian annealed importance sampling: what it saves, its likelihoods, and a chain that bounces."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import GREY, STYLES, projected

IN_SHORT = {
    "HAIS": "HAIS",
    "fresh momentum": "fresh momentum",
    "random walk": "walk, σ = 0.1",
    "longer walk": "walk, σ = 0.4",
}


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


@projected()
def savings(
    ax: Axes,
    factors: dict[str, dict[str, np.ndarray]],
    bounds: dict[str, dict[str, np.ndarray]],
    title: str,
    named: bool,
) -> None:
    """How many times less HAIS spends: model → method → factors (n,), and which of them are lower bounds."""
    at, (low, high) = np.arange(len(factors))[::-1], (0.1, 400.0)
    methods = list(next(iter(factors.values())))
    for row, y in enumerate(at):
        artists.band(ax, f"row {row}", [low, high], [y - 0.5] * 2, [y + 0.5] * 2, "reference", alpha=0.1 * (row % 2))
    for method, aside in zip(methods, np.linspace(0.26, -0.26, len(methods)), strict=True):
        found = np.clip([of_model[method] for of_model in factors.values()], low, high)  # (models, n)
        artists.level_bars(ax, f"{method} bars", found.min(1), found.max(1), at + aside, method, marker="None")
        artists.marks(ax, method, np.median(found, 1), at + aside, method, markersize=8)
        row, k = np.nonzero([of_model[method] for of_model in bounds.values()])
        arrow = {"marker": ">", "markersize": 9, "markerfacecolor": "white", "markeredgewidth": 1.6, "zorder": 4}
        artists.marks(ax, f"{method} bounds", found[row, k], (at + aside)[row], method, **arrow)
    artists.curve(ax, "no gain", [1.0, 1.0], [-1.9, len(at) - 0.5], "truth")
    artists.log_x(ax, "HAIS spends this many times less", (0.1, 1, 10, 100), (low, high))
    ax.set(yticks=at, yticklabels=list(factors) if named else [], ylim=(-1.9, len(at) - 0.5), title=title)
    ax.tick_params(axis="y", length=0)
    if named:
        signs = "a bar from the left edge:\nnever as near;  ▷ at least"
        artists.words(ax, "edge", 1.3, -1.2, signs, va="center", fontsize=13)
    else:
        artists.legend(ax, {method: f"than {IN_SHORT[method]}" for method in methods}, loc="lower right")
