"""Sohl-Dickstein and Culpepper 2012, Figures 2 and 3, as a race: who is first near log Z, with or without momentum."""

from functools import lru_cache

import numpy as np

from anneal_edu.course.experiments import hamiltonian as runs
from anneal_edu.course.figures import artists
from anneal_edu.course.figures import hamiltonian as race
from anneal_edu.course.figures.film import Film
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, slider, steps

LAST, RESAMPLES = 100, 200
NAMES = ("HAIS", "fresh momentum", "the paper's walk", "a longer walk")
WALK = 2
HEIGHTS = (0.01, 0.1, 1, 2, 5, 10, 20)
COLOURS = [artists.STYLES[method]["color"] for method in runs.METHODS]


@lru_cache(maxsize=200)
def arrivals(model: str, unit: str, goal: float) -> np.ndarray:
    """Cost at which each method's typical error is down at the goal, of the runs and of resampled ones, (4, 1 + R)."""
    rng, found = np.random.default_rng(0), []
    for cost, errors in zip(*map(dict.values, race.costs_and_errors(model, unit)), strict=True):
        n = errors.shape[1]
        samples = [race.typical(errors), *race.typical(errors[:, rng.integers(0, n, (RESAMPLES, n))]).T]
        found.append([race.cost_to_reach(goal, cost, sizes) for sizes in samples])
    return np.array(found)


class HamiltonianConvergence(Panel):
    """A race of HAIS, of fresh momentum and of two random walks, on complete products of experts in 36 dimensions.

    Medians of stored runs of 200 chains; ``python -m anneal_edu experiment hais-convergence`` makes them. Controls:
    ``time`` of the race; ``goal``, the error at which it ends; ``model``; ``cost``, its unit.
    """

    title = "With and without momentum"
    picture = (
        "Left: the typical errors of log Ẑ of four methods against cost, on logarithmic axes, and a level line at the "
        "goal. Right: a lane for each method, with a bar as long as its cost until it is down at the goal."
    )
    size = (12.0, 4.8)
    columns = (1.15, 1)
    gap = 0.5
    plays = "time"
    controls = {  # noqa: RUF012
        "time": slider("time of the race, in %", 0, 0, LAST, 1),
        "goal": steps("goal: an error of … nats", 6, (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 4, 6, 10)),
        "model": choice("target", "Student-t, stretched", (*runs.MODELS, *runs.TRAINED)),
        "cost": choice("cost", race.COSTS[0], race.COSTS),
    }
    scenes = {  # noqa: RUF012
        "who is first?": {},
        "a stretched target": {"time": LAST},
        "the paper's Laplace": {"model": "Laplace, trained", "goal": 0.1, "time": LAST},
        "the paper's Student-t": {"model": "Student-t, trained", "goal": 2, "time": LAST},
        "at equal cost": {"cost": "evaluations", "time": LAST},
    }

    def draw(self, time, goal, model, cost):
        (left, right), film = self.axes, Film(time, rate=16.0)
        costs, errors = (list(of.values()) for of in race.costs_and_errors(model, cost))
        spent, lanes = np.geomspace(costs[0][0], costs[WALK][-1], LAST + 1), np.arange(4)[::-1]
        x, level = np.log10(spent), np.log10(goal)
        sizes = [np.log10(race.typical(of)) for of in errors]
        y = np.array([np.interp(x, np.log10(c), size) for c, size in zip(costs, sizes, strict=True)]).T
        reached = np.maximum(arrivals(model, cost, goal), spent[0])
        there = spent[:, None] >= reached[:, 0] * (1 - 1e-9)
        artists.curve(left, "goal", [x[0] - 0.1, x[-1] + 0.1], [level] * 2, "reference", linewidth=1.6)
        word = f"goal: {goal:g}" * bool(y.min() + 0.1 < level < y.max())
        artists.words(left, "goal word", x[0] - 0.05, max(level, y.min()) - 0.01 * np.ptp(y), word, va="top")
        film.trails(left, "errors", x, y, COLOURS)
        film.dots(left, "runners", x[:, None], y, COLOURS, radius=6.0)
        film.dots(left, "arrived", np.log10(reached[:, 0]), level, COLOURS, radius=np.where(there, 8.0, np.nan))
        left.set(xticks=range(2, 6), xticklabels=("100", "1,000", "10,000", "100,000"), xlabel=cost,
                 yticks=np.log10(HEIGHTS), yticklabels=HEIGHTS, title="error of log Ẑ (nats)",
                 xlim=(x[0] - 0.1, x[-1] + 0.1), ylim=(y.min() - 0.1, y.max() + 0.1))  # fmt: skip
        ends = np.quantile(reached, [0.16, 0.84], axis=1, method="nearest")
        end = min(max(reached[:, 0].max(), ends.max()), spent[-1])
        low, high = np.minimum(ends / end, 1.06)
        for i, (name, lane) in enumerate(zip(NAMES, lanes, strict=True)):
            bar, flat = np.minimum(np.minimum(spent, reached[i, 0]) / end, 1), np.full((LAST + 1, 1), lane)
            film.trails(right, f"bar {i}", bar, flat, COLOURS[i : i + 1], width=16.0)
            artists.words(right, f"name {i}", 0.01, lane + 0.28, name, color=COLOURS[i], fontsize=13)
            texts = [_said(reached[:, 0], i, spent[-1]) if now else "" for now in there[:, i]]
            film.words(right, f"cost {i}", 0.6, lane + 0.28, [*texts[:-1], texts[-1] or "not there"])
        film.links(right, "errors", np.where(there[:, None], np.stack([low, lanes, high, lanes]), np.nan), "truth")
        right.set(xlim=(0, 1.08), ylim=(-0.5, 3.7), xticks=[], yticks=[], title=f"{cost} until within {goal:g} nats")
        right.set_xlabel("black: 68% interval (bootstrap)\n×: fewer than the paper's walk", loc="left")
        numbers = {name: f"{10 ** y[time, i]:.2g} nats with {_two(spent[time])}" for i, name in enumerate(NAMES)}
        return Readout(_takeaway(time, goal, cost, spent, reached), numbers, film)


def _two(number: float) -> str:
    """With two significant digits."""
    return f"{float(f'{number:.2g}'):,g}"


def _said(reached, i, last):
    fewer, least = min(reached[WALK], last) / reached[i], "≥ " if reached[WALK] > last else ""
    return _two(reached[i]) + (f": {least}{_two(fewer)}×" if fewer > 1 else "")


def _takeaway(time, goal, cost, spent, reached):
    (now, last), costs = spent[[time, -1]], reached[:, 0]
    if time == 0:
        return f"All begin with {now:.0f} {cost}. Who is first within {goal:g} nats of the exact log Z?"
    if time < LAST:
        there = [name for name, at in zip(NAMES, costs, strict=True) if at <= now]
        return f"{_two(now)} {cost} spent, and within {goal:g} nats: {', '.join(there) or 'nobody yet'}."
    first = costs.argmin()
    if costs[first] > last:
        return f"With {last:,.0f} {cost}, no method comes within {goal:g} nats of log Z."
    rivals = [NAMES[i] for i in range(4) if i != first and np.mean(reached[i] <= reached[first]) > 0.05]
    told = f"First within {goal:g} nats, with {_two(costs[first])} {cost}: {' or '.join([NAMES[first], *rivals])}."
    if first == WALK or NAMES[WALK] in rivals:
        return f"{told} Momentum gains nothing here."
    least = "at least" if costs[WALK] > last else "about"
    return f"{told} The paper's walk needs {least} {_two(min(costs[WALK], last) / costs[first])} times as many."
