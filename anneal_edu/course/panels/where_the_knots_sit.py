"""What the knots of a moment averages spline buy, although the cost functional is the same with and without them."""

from functools import lru_cache

import numpy as np

from anneal_edu import ais, kl_bias, linear_schedule, segment_costs
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, seed, steps
from anneal_edu.course.panels.digits_annealing import BASE_RATE, UNIFORM
from anneal_edu.course.panels.samples_along_paths import MODELS
from anneal_edu.distributions.protocol import mix
from anneal_edu.models.knots import load_spline

KNOTS = (0, 1, 4, 9)
N_RUNS, N_CHAINS, N_STEPS = 3, 100, 200
BIAS_STEPS = 20
FINE = 41


@lru_cache(maxsize=32)
def spline(model: str, start: str, n_knots: int):
    """The spline with so many knots; without any it is the geometric path."""
    return load_spline(MODELS[model], start, n_knots)


@lru_cache(maxsize=32)
def deviations(model: str, start: str, n_knots: int) -> np.ndarray:
    """Largest distance of any moment from the straight line at FINE points of the spline, (FINE,)."""
    path = spline(model, start, n_knots)
    s0, s1 = path(0.0).moments(), path(1.0).moments()
    return np.array(
        [
            max(np.abs(s - line).max() for s, line in zip(path(beta).moments(), mix(s0, s1, beta), strict=True))
            for beta in np.linspace(0, 1, FINE)
        ]
    )


@lru_cache(maxsize=32)
def cost_and_bias(model: str, start: str, n_knots: int) -> tuple[float, float]:
    """F of the spline, exact, and its bias δ with BIAS_STEPS perfect transitions."""
    path = spline(model, start, n_knots)
    costs = segment_costs(path, path.betas)  # F_j of each segment, were it stretched over all of [0, 1]
    return float(costs.sum() * (n_knots + 1)), kl_bias(path, linear_schedule(BIAS_STEPS))


@lru_cache(maxsize=64)
def misses(model: str, start: str, n_knots: int, seed: int) -> np.ndarray:
    """log Ẑ - log Z of N_RUNS runs of AIS with Gibbs steps, each with its standard error, (N_RUNS, 2)."""
    path = spline(model, start, n_knots)
    rngs = [np.random.default_rng([seed, run]) for run in range(N_RUNS)]
    runs = [ais(path, linear_schedule(N_STEPS), N_CHAINS, rng=rng) for rng in rngs]
    return np.array([(run.log_z - path(1.0).log_z(), run.std_error) for run in runs])


def _all_misses(model: str, start: str, seed: int):
    """Yield the fraction done; return number of knots → `misses`."""
    found = {}
    for i, number in enumerate(KNOTS):
        yield i / len(KNOTS)
        found[number] = misses(model, start, number, seed)
    return found


class WhereTheKnotsSit(Panel):
    """Splines with few and many knots on the moment path: how straight they are, F, bias, and log Ẑ with Gibbs steps.

    Controls: ``knots`` R (0 is the geometric path), ``model``, ``start`` and ``seed``.
    """

    title = "What the knots buy"
    picture = (
        "Left: by how much any moment misses the straight line, along the spline, with the positions of its knots, and "
        "along the geometric path. "
        "Right: estimated minus exact log Z of three runs of AIS, ± 2 standard errors, for each number of knots."
    )
    controls = {  # noqa: RUF012
        "knots": steps("knots R", 9, KNOTS),
        "model": choice("model", "CD-1", tuple(reversed(MODELS))),
        "start": choice("start", UNIFORM, (UNIFORM, BASE_RATE)),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "nine knots": {},
        "one knot": {"knots": 1},
        "no knots": {"knots": 0},
        "from the base rate": {"start": BASE_RATE},
    }

    def draw(self, knots, model, start, seed):
        missed = yield from self.once((model, start, seed), _all_misses(model, start, seed))
        line, errors = self.axes
        here = deviations(model, start, knots)
        without = deviations(model, start, 0)
        _off_the_line(line, np.linspace(0, 1, FINE), here, np.linspace(0, 1, knots + 2), without)
        _errors_of_splines(errors, KNOTS, missed, knots)
        chosen = KNOTS.index(knots)
        artists.curve(errors, "now", [chosen] * 2, [-120, 12], "reference", linewidth=1.6, zorder=1)
        cost, bias = cost_and_bias(model, start, knots)
        plain_cost, plain_bias = cost_and_bias(model, start, 0)
        return Readout(
            _takeaway(knots, here.max(), without.max(), cost, plain_cost, np.median(missed[knots][:, 0])),
            {
                f"log Ẑ - log Z, {N_STEPS} Gibbs steps": ", ".join(f"{miss:.1f}" for miss, _ in missed[knots]),
                "F": f"{cost:.1f} (no knots {plain_cost:.1f})",
                f"bias, {BIAS_STEPS} perfect steps": f"{bias:.2f} (no knots {plain_bias:.2f})",
            },
        )


def _size(miss: float) -> str:
    if abs(miss) < 2:
        return "within 2 nats of the truth"
    amount = next((f"more than {n} nats" for n in (50, 20, 5) if abs(miss) > n), "2 to 5 nats")
    return f"{amount} too {'low' if miss < 0 else 'high'}"


def _off_the_line(ax, betas, deviations, knots, without):
    """Largest miss (n,) of any moment from the straight line at each β (n,), and the knots' positions.

    ``without`` is that of the spline without knots, the geometric path, (n,).
    """
    artists.curve(ax, "without", betas, without, "geometric")
    artists.curve(ax, "deviation", betas, deviations, "moments")
    artists.curve(ax, "line", [-0.03, 1.03], [0, 0], "truth")
    artists.marks(ax, "knots", knots, np.zeros(len(knots)), "moments", markersize=10, clip_on=False, zorder=5)
    meanings = {"moments": "spline, and its knots", "geometric": "no knots: geometric", "truth": "moment path"}
    artists.legend(ax, meanings, loc="upper right")
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.35), xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
    ax.set(xlabel="position β on the path", title="Largest miss of any moment")


def _errors_of_splines(ax, knots, misses, chosen):
    """log Ẑ - log Z of runs, ± 2 standard errors, for each number of knots; the marks of the chosen number are full.

    ``misses`` maps a number of knots to (n, 2): log Ẑ - log Z of every run, and its standard error.
    """
    artists.curve(ax, "exact", [-0.6, len(knots) - 0.4], [0, 0], "truth")
    artists.words(ax, "exact words", -0.55, 0.12, "exact", fontsize=12)
    for i, number in enumerate(knots):
        spread = np.linspace(-0.24, 0.24, len(misses[number]))
        found, error = np.transpose(misses[number])
        style = "moments" if number else "geometric"
        ends = found - 2 * error, found + 2 * error
        artists.bars(ax, f"errors {number}", i + spread, *ends, style, markersize=7)
        look = {"markerfacecolor": STYLES[style]["color"] if number == chosen else "white", "markeredgewidth": 2}
        artists.marks(ax, f"runs {number}", i + spread, found, style, markersize=10, **look)
    ax.set(xlim=(-0.6, len(knots) - 0.4), xticks=range(len(knots)), xticklabels=knots, xlabel="number of knots R")
    artists.squeezed_y(ax, 1.0, (-100, -10, -1, 0, 1, 10), -120, 12)
    ax.set_title("log Ẑ − log Z, ± 2 errors (nats)")


def _takeaway(knots: int, largest: float, plain_largest: float, cost: float, plain_cost: float, miss: float) -> str:
    if knots == 0:
        return (
            f"Without knots this is the geometric path: some moment strays from the straight line by {largest:.2f}, "
            f"and log Ẑ is {_size(miss)}. F = {cost:.0f}."
        )
    number, same = f"{knots} knot{'s' * (knots > 1)}", f"F is {cost:.0f}, with none {plain_cost:.0f}"
    if largest > 0.8 * plain_largest:
        return (
            f"With {number} some moment still strays from the straight line by {largest:.2f}, and log Ẑ is "
            f"{_size(miss)}. Yet {same}."
        )
    return (
        f"With {number} every moment stays within {largest:.2f} of the straight line, and log Ẑ is "
        f"{_size(miss)}. Yet {same}: what knots buy is not in F."
    )
