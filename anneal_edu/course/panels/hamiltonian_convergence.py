"""Sohl-Dickstein and Culpepper 2012, Figures 2 and 3: log Ẑ against K, with and without momentum."""

from functools import lru_cache

import numpy as np

from anneal_edu.course.experiments import stored
from anneal_edu.course.experiments.hamiltonian import EVALUATIONS, HAIS, METHODS, MODELS, TRAINED, WALK
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.hamiltonian import IN_SHORT
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice

COSTS = ("distributions", "evaluations")
METHOD_LABELS = {
    "HAIS": "HAIS, ε = 0.2",
    "fresh momentum": "fresh momentum, ε = 0.2",
    "random walk": "random walk, σ = 0.1",
    "longer walk": "random walk, σ = 0.4",
}


@lru_cache(maxsize=1)
def stored_errors() -> dict[str, dict[str, dict[int, np.ndarray]]]:
    """Model → method → K → errors of log Ẑ in the repeats, of the stored runs of ``hais-convergence``."""
    found: dict = {model: {method: {} for method in METHODS} for model in [*TRAINED, *MODELS]}
    for row in stored("hais_convergence_trained")["rows"] + stored("hais_convergence_quick")["rows"]:
        found[row["model"]][row["method"]].setdefault(row["n_steps"], []).append(row["error"])
    return {
        model: {method: {n: np.array(e) for n, e in of_k.items()} for method, of_k in methods.items()}
        for model, methods in found.items()
    }


def typical(errors: np.ndarray) -> np.ndarray:
    """Median size of the errors over the repeats: (..., repeats) -> (...)."""
    return np.median(np.abs(errors), axis=-1)


def costs_and_errors(model: str, unit: str) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Method → cost (n,), in distributions or evaluations, and method → errors (n, repeats)."""
    cost, errors = {}, {}
    for method, of_k in stored_errors()[model].items():
        each = EVALUATIONS[method] if unit == "evaluations" else 1
        cost[method] = each * np.array(sorted(of_k))
        errors[method] = np.array([of_k[n] for n in sorted(of_k)])
    return cost, errors


def cost_to_reach(goal: float, cost: np.ndarray, error: np.ndarray) -> float | None:
    """The least cost at which the line through the errors (n,), on logarithmic axes, is down at the goal."""
    for i, e in enumerate(error):
        if e <= goal:
            if i == 0:
                return float(cost[0])
            share = np.log(error[i - 1] / goal) / np.log(error[i - 1] / e)
            return float(cost[i - 1] * (cost[i] / cost[i - 1]) ** share)
    return None


def advantage(model: str, unit: str, over: str = WALK) -> tuple[np.ndarray, np.ndarray]:
    """Errors of the other method at its three largest K, and how many times less HAIS spends to get down to each.

    A lower bound where HAIS is below the error at its smallest K already, 0 where it never gets there.
    """
    cost, errors = costs_and_errors(model, unit)
    goals, own = typical(errors[over])[-3:], typical(errors[HAIS])
    spent = [cost_to_reach(goal, cost[HAIS], own) or np.inf for goal in goals]
    return goals, cost[over][-3:] / np.array(spent)


def advantages(unit: str, others: tuple[str, ...]) -> tuple[dict, dict]:
    """Model → other method → the three factors of `advantage`, and whether each is only a lower bound."""
    factors, bounds = {}, {}
    for model in (*TRAINED, *MODELS):
        nearest = typical(costs_and_errors(model, unit)[1][HAIS])[0]  # at the smallest K
        found = {other: advantage(model, unit, other) for other in others}
        factors[model] = {other: ratios for other, (_, ratios) in found.items()}
        bounds[model] = {other: goals >= nearest for other, (goals, _) in found.items()}
    return factors, bounds


class HamiltonianConvergence(Panel):
    """Errors of HAIS, of fresh momentum and of two random walks on complete products of experts in 36 dimensions.

    Stored runs of 200 chains, for every K ten on the models that were trained and five on those that were drawn;
    ``python -m anneal_edu experiment hais-convergence`` makes them. Controls: ``model`` and ``cost``, the unit of the
    horizontal axis.
    """

    title = "With and without momentum"
    picture = (
        "Left: log Ẑ minus the exact log Z against the cost of a run, median and range of the runs, the four "
        "methods side by side: HAIS, fresh momentum and two random walks. Right: median sizes of the "
        "errors on logarithmic axes; a level line marks the error of the paper's random walk at its largest K."
    )
    size = (11.0, 4.8)
    columns = (1.1, 1)
    controls = {  # noqa: RUF012
        "model": choice("model", "Laplace, trained", (*TRAINED, *MODELS)),
        "cost": choice("cost", COSTS[0], COSTS),
    }
    scenes = {  # noqa: RUF012
        "the paper's Laplace": {},
        "the paper's Student-t": {"model": "Student-t, trained"},
        "at equal cost": {"cost": "evaluations"},
        "a stretched target": {"model": "Student-t, stretched"},
        "a round target": {"model": "Student-t, round"},
        "lighter tails": {"model": "Laplace, stretched"},
    }

    def draw(self, model, cost):
        spent, errors = costs_and_errors(model, cost)
        goals, ratios = advantage(model, cost)
        xlabel = "number of distributions K" if cost == COSTS[0] else "densities and gradients a chain"
        largest = int(max(spent[WALK]))  # an evaluation of the walk is a distribution
        _draw_convergence(self.axes, spent, errors, xlabel, goals[-1], largest)
        last = {method: typical(error)[-1] for method, error in errors.items()}
        readout = {f"{METHOD_LABELS[m]}, K = {largest:,}": f"{e:.2g} nats" for m, e in last.items()}
        return Readout(_takeaway(ratios, cost), readout)


def _draw_convergence(axes, cost, errors, xlabel, goal, largest):
    """Errors of log Ẑ: left their median and range, right the median of their sizes on logarithmic axes."""
    left, right = axes
    sizes = {method: np.median(np.abs(error), axis=1) for method, error in errors.items()}
    span = 20.0, 3.0 * largest
    artists.curve(left, "exact", span, [0, 0], "truth")
    for method, error in errors.items():
        aside = 1.18 ** (list(errors).index(method) - 1.5)  # bars beside each other
        x = cost[method] * aside
        artists.bars(left, f"{method} runs", x, error.min(1), error.max(1), method, linewidth=1.6, markersize=6)
        artists.line(left, method, x, np.median(error, 1), **STYLES[method] | {"markersize": 6})
        artists.line(right, method, cost[method], sizes[method], **STYLES[method] | {"markersize": 6})
    artists.curve(right, "goal", span, [goal] * 2, "reference", linewidth=1.6)
    low = min(error.min() for error in errors.values())
    high = max(1.0, *(error.max() for error in errors.values()))
    left.set(ylim=(low - 0.05 * (high - low), high + 0.05 * (high - low)), title="log Ẑ minus log Z (nats)")
    meanings = {method: IN_SHORT[method] for method in errors}
    artists.legend(right, meanings, loc="lower left", **artists.SMALL)
    low, high = 0.4 * min(map(np.min, sizes.values())), 1.25 * max(map(np.max, sizes.values()))
    artists.log_y(right, low, high, "size of the error (nats)")
    for ax in axes:
        artists.log_x(ax, xlabel, [tick for tick in (100, 1000, 10_000, 100_000) if tick < span[1]], span)


def _takeaway(ratios: np.ndarray, unit: str) -> str:
    what = "distributions" if unit == COSTS[0] else "evaluations"
    low, high = (f"{float(f'{ratio:.2g}'):g}" for ratio in (ratios.min(), ratios.max()))
    if ratios.max() < 2:
        never = ", if it gets there at all" if ratios.min() == 0 else ""
        return f"To come as near to the truth as the paper's random walk, HAIS needs more {what}{never}: no gain here."
    less = "" if ratios.min() >= 10 else " at best, at worst less"
    return (
        f"To come as near to the truth as the paper's random walk, HAIS needs about {low} to {high} times fewer "
        f"{what}: the paper's order of magnitude{less}."
    )
