"""A spline as a string: its knots pin one moment to the straight line, and it matters where they sit."""

from functools import lru_cache

import numpy as np

from anneal_edu import segment_costs
from anneal_edu.course.ais_trace import N_STOPS, Stop, stops_along
from anneal_edu.course.figures import annealing, artists
from anneal_edu.course.figures.images import image_grid
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, seed, steps
from anneal_edu.course.panels.digits_annealing import BASE_RATE, UNIFORM
from anneal_edu.distributions.enumeration import binary_states
from anneal_edu.models.knots import load_spline
from anneal_edu.paths.splines import SplinePath, spline_path

NONE, NINE = "none", "all nine"
KNOTS = (NONE, *(f"0.{tenth}" for tenth in range(1, 10)), NINE)
N_CHAINS, N_STEPS = 100, 200
PIXEL, SIDE = (25, 19), 28  # row and column: black in the 6, white in the 4


@lru_cache(maxsize=32)
def spline(start: str, knots: str) -> SplinePath:
    """The spline to the CD-1 model with these of the stored knots; without any it is the geometric path."""
    nine = load_spline("digits28_cd", start)
    betas = nine.betas[[0, *(range(1, 10) if knots == NINE else () if knots == NONE else [int(knots[-1])]), 10]]
    return spline_path(betas, [nine(beta) for beta in betas])


@lru_cache(maxsize=64)
def stops_of(start: str, knots: str, seed: int) -> list[Stop]:
    """AIS along the spline."""
    return stops_along(spline(start, knots), N_STEPS, N_CHAINS, seed)


@lru_cache(maxsize=32)
def mean_images(start: str, knots: str) -> np.ndarray:
    """E[v] at every tenth of the path, (11, D)."""
    return np.array([spline(start, knots)(beta).moments()[0] for beta in np.linspace(0, 1, 11)])


def pixel_along(stops: list[Stop]) -> np.ndarray:
    """E[v_i] of the pixel at each stop."""
    i, states = PIXEL[0] * SIDE + PIXEL[1], binary_states(10)
    fields = [states @ stop.rbm.weights[i] + stop.rbm.visible_bias[i] for stop in stops]
    return np.array([stop.p_h @ (1 / (1 + np.exp(-field))) for stop, field in zip(stops, fields, strict=True)])


def cost_of(path: SplinePath) -> float:
    """F."""
    return float((segment_costs(path, path.betas) / np.diff(path.betas)).sum())


class WhereTheKnotsSit(Panel):
    """One moment along a spline to an RBM, pinned to the straight line at its knots; mean images; AIS on the spline.

    Controls: ``knots`` (none, one of the nine places, all nine), ``start`` and ``seed``.
    """

    title = "Where the knots sit"
    picture = (
        "Left: how often one pixel is black along the spline, as a string that knots pin to the straight line; below, "
        "the mean image at every tenth. Right: log Ẑ minus log Z along the spline, with 95% intervals."
    )
    size = (12.0, 5.2)
    controls = {  # noqa: RUF012
        "knots": steps("knots at β", NONE, KNOTS, live=False),
        "start": choice("start", UNIFORM, (UNIFORM, BASE_RATE)),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "would one knot do?": {},
        "in the middle": {"knots": "0.5"},
        "late": {"knots": "0.9"},
        "early": {"knots": "0.1"},
        "nine": {"knots": NINE},
    }

    def make_axes(self, figure):
        places = (0.85, 1.55, 6.6, 3.23), (0.85, 0.55, 6.6, 0.6), (8.3, 0.65, 3.6, 4.13)  # inches
        string, strip, misses = axes = [figure.add_axes((x / 12, y / 5.2, w / 12, h / 5.2)) for x, y, w, h in places]
        string.set(xlim=(-0.05, 1.05), ylim=(-0.02, 1.02), yticks=(0, 0.5, 1), title="How often one pixel is black")
        string.set_xticks(np.linspace(0, 1, 11), ("β = 0", *KNOTS[1:10], "1"))
        strip.set_xlabel("mean image at every tenth of the path; the dot is the pixel")
        misses.set(xlim=(-0.04, 1.34), xticks=(0, 0.5, 1), xlabel="β", title="log Ẑ − log Z (nats)")
        artists.squeezed_y(misses, 10.0, (-200, -100, -50, -20, -10, -5, 0, 5), -235, 8)
        return axes

    def draw(self, knots, start, seed):
        string, strip, misses = self.axes
        path, stops = spline(start, knots), stops_of(start, knots, seed)
        style, name = ("geometric", "no knots: geometric path") if knots == NONE else ("moments", "spline")
        betas, pixel = np.linspace(0, 1, N_STOPS + 1), pixel_along(stops)
        line, heights = (np.interp(x, (0, 1), pixel[[0, -1]]) for x in (betas, path.betas))
        artists.band(string, "miss", betas, line, pixel, "reference")
        artists.curve(string, "line", betas, line, "truth")
        artists.curve(string, "string", betas, pixel, style)
        artists.marks(string, "pins", path.betas, heights, style, markersize=12, markeredgecolor="black")
        look = {"color": STYLES[style]["color"], "weight": "bold", "ha": "right" if knots == NONE else "left"}
        artists.words(string, "name", 0.55, pixel[11] + 0.09 * np.sign(pixel[11] - line[11]), name, va="center", **look)
        artists.words(string, "knot", path.betas[1] + 0.015, heights[1] + 0.03, "knot" * (knots != NONE), **look)
        artists.words(string, "straight", 0.05, min(*pixel[1:12], line[11]) - 0.03, "moment path: straight", va="top")
        image_grid(strip, "means", mean_images(start, knots), 11)
        artists.marks(strip, "pixel", 30 * np.arange(11) + PIXEL[1], [PIXEL[0]] * 11, style, markersize=4)
        annealing.misses(misses, "misses", stops, style)
        miss, cost, ess = stops[-1].miss, cost_of(path), stops[-1].result.ess
        artists.words(misses, "F", 0, -180, f"perfect moves:\nbias F/K, F = {cost:.0f}")
        artists.words(misses, "misses label", 1.08, max(miss, -200), f"{miss:+.{int(miss > -50)}f}".replace("-", "−"))
        numbers = {"log Ẑ - log Z": f"{miss:.1f}", "ESS": f"{ess:.0f} of {N_CHAINS}", "F": f"{cost:.1f}"}
        return Readout(_takeaway(knots, miss, cost, cost_of(spline(start, NONE))), numbers)


def _takeaway(knots: str, miss: float, cost: float, plain_cost: float) -> str:
    size = next((f"more than {n} nats" for n in (100, 50, 20, 10, 5) if abs(miss) > n), "")
    low = f"log Ẑ ends {size} too {'low' if miss < 0 else 'high'}" if size else "log Ẑ ends within 5 nats of the truth"
    if knots == NONE:
        return f"Without knots the pixel strays from the straight line, and {low}. F = {cost:.0f}. Would one knot do?"
    number = "nine knots" if knots == NINE else f"a single knot at β = {knots}"
    return f"With {number} {low}. Yet F is {cost:.0f}, and {plain_cost:.0f} without knots."
