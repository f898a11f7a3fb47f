"""Hamiltonian annealed importance sampling: its likelihoods, a chain that bounces, and what the stored runs cost."""

from functools import lru_cache

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.experiments import stored
from anneal_edu.course.experiments.hamiltonian import EVALUATIONS, METHODS
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import GREY, STYLES, projected

COSTS = ("distributions", "evaluations")
"""Units of the cost of a run."""


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


@lru_cache(maxsize=10)
def costs_and_errors(model: str, unit: str) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Method → cost (n,), in distributions or evaluations, and method → errors of log Ẑ (n, repeats), both stored."""
    rows = stored("hais_convergence_trained")["rows"] + stored("hais_convergence_quick")["rows"]
    found: dict[str, dict[int, list[float]]] = {method: {} for method in METHODS}
    for row in (row for row in rows if row["model"] == model):
        each = EVALUATIONS[row["method"]] if unit == "evaluations" else 1
        found[row["method"]].setdefault(each * row["n_steps"], []).append(row["error"])
    costs = {method: np.array(sorted(of)) for method, of in found.items()}
    return costs, {method: np.array([found[method][cost] for cost in costs[method]]) for method in METHODS}


def typical(errors: np.ndarray) -> np.ndarray:
    """Median size of the errors over the repeats: (..., repeats) -> (...)."""
    return np.median(np.abs(errors), axis=-1)


def cost_to_reach(goal: float, cost: np.ndarray, error: np.ndarray) -> float:
    """The least cost at which the line through the errors (n,), on logarithmic axes, is down at the goal, or ∞."""
    (there,) = np.nonzero(error <= goal)
    if len(there) == 0 or there[0] == 0:
        return float(cost[0]) if len(there) else np.inf
    ends = slice(there[0] - 1, there[0] + 1)
    return float(np.exp(np.interp(-np.log(goal), -np.log(error[ends]), np.log(cost[ends]))))


@projected()
def errors_of_runs(axes: list[Axes], models: list[str]) -> None:
    """Figures 2 and 3: log Ẑ - log Z of each stored run against K, and a line through the medians of each method."""
    methods = list(METHODS)
    for ax, model in zip(axes, models, strict=True):
        costs, errors = costs_and_errors(model, "distributions")
        span = costs[methods[0]][0] / 1.7, max(cost[-1] for cost in costs.values()) * 1.7
        artists.curve(ax, "exact", span, [0, 0], "truth")
        for i, method in enumerate(methods):
            look, x = STYLES[method] | {"markersize": 4}, costs[method] * 1.12 ** (i - 1.5)
            each = look | {"linestyle": "None", "markerfacecolor": "white"}
            artists.line(ax, f"{method} runs", np.repeat(x, errors[method].shape[1]), errors[method].ravel(), **each)
            artists.line(ax, method, x, np.median(errors[method], axis=1), **look)
        artists.log_x(ax, "number of distributions K", sorted({*costs[methods[0]]})[::2], span)
        artists.squeezed_y(ax, 1.0, (-100, -10, -1, 0, 1), -100, 4)
        ax.set_title(f"{model}: log Ẑ - log Z")
    artists.legend(axes[-1], {method: method for method in methods} | {"truth": "exact"}, loc="lower right")


@projected()
def variances_kept(ax: Axes, variances: dict[str, tuple[str, np.ndarray]]) -> None:
    """Variance of the positions after each transition, divided by the exact one: style → (name, (n,))."""
    for style, (_, variance) in variances.items():
        artists.curve(ax, style, np.arange(len(variance)), variance, style)
    artists.curve(ax, "exact", (0, len(variance) - 1), (1, 1), "truth")
    ax.set(xlim=(0, len(variance) - 1), ylim=(0, 1.3), xlabel="transitions", title="variance of x / exact")
    artists.legend(ax, {style: name for style, (name, _) in variances.items()} | {"truth": "exact"}, "center right")
