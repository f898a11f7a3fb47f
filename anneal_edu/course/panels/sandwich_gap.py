"""Bidirectional Monte Carlo: a lower and an upper estimate of log Z, and the pictures that their chains hold."""

from functools import lru_cache

import numpy as np

from anneal_edu import ais, data, geometric_path, gibbs, linear_schedule, models, reverse_ais
from anneal_edu.annealing.reverse import long_run
from anneal_edu.course.ais_trace import visible_probabilities
from anneal_edu.course.figures import annealing, artists
from anneal_edu.course.figures.images import beside_pictures, image_grid
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, seed
from anneal_edu.models.knots import load_spline, start_of

MODEL, STEPS, N_CHAINS, N_LONG_RUN, SHOWN = "digits28_cd", (20, 60, 200), 60, 300, 24
NONE, EXACT, FROM_CHAINS, FROM_DIGITS = "nowhere yet", "exact draws", "the forward chains", "the digits"
TITLES = "Forward chains end", "Reverse chains start"
CROSSING = np.log(100)
"""Nats by which two bounds cross at most once in 100 times, if the draws are exact and know nothing of the forward run:
then its Ẑ/Z times the mean of Z/w has the mean 1, and Markov bounds how often this is large."""


@lru_cache(maxsize=8)
def forward(path: str, seed: int) -> list:
    """AIS from the base rates, one result for each K, and the path."""
    target, rng = models.load(MODEL), np.random.default_rng(seed)
    along = load_spline(MODEL, "base rate") if path == "MAS" else geometric_path(start_of(target, "base rate"), target)
    return [along, *(ais(along, linear_schedule(n_steps), N_CHAINS, rng=rng) for n_steps in STEPS)]


@lru_cache(maxsize=32)
def reverse(path: str, draws: str, seed: int) -> tuple[np.ndarray, list]:
    """Where the reverse chains start, (N_CHAINS, D), and one result for each K."""
    target, rng, (along, *_, up) = models.load(MODEL), np.random.default_rng([seed, 1]), forward(path, seed)
    if draws == EXACT:
        states = target.sample(N_CHAINS, rng)
    else:  # a long run; forward chains are first drawn by their weights
        digits = data.digits(28)
        begin = up.resampled(rng=rng) if draws == FROM_CHAINS else digits[rng.integers(len(digits), size=N_CHAINS)]
        states = long_run(target, begin, N_LONG_RUN, gibbs, rng=rng)
    return states, [reverse_ais(along, linear_schedule(n_steps), states, rng=rng) for n_steps in STEPS]


class SandwichGap(Panel):
    """Forward and reverse log Ẑ of a small RBM of digits against K, and what both kinds of chains look like.

    Controls: ``draws``, from which the reverse chains start: exact, or 300 Gibbs steps from somewhere; the ``path`` of
    the annealing; ``seed``.
    """

    title = "The sandwich"
    picture = (
        "Left: pictures in which the forward chains end. Middle: pictures from which the reverse chains start. Right: "
        "forward and reverse log Ẑ less the exact log Z, with 95% intervals, against the number of steps."
    )
    size = (12.0, 5.0)
    controls = {  # noqa: RUF012
        "draws": choice("reverse chains start from", NONE, (NONE, EXACT, FROM_CHAINS, FROM_DIGITS)),
        "path": choice("path", "geometric", ("geometric", "MAS")),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "one run alone": {},
        "exact draws: a gap": {"draws": EXACT},
        "agreed, and both wrong": {"draws": FROM_CHAINS},
        "bounds that cross": {"draws": FROM_DIGITS},
        "a better path": {"path": "MAS", "draws": FROM_CHAINS},
    }

    def make_axes(self, figure):
        *grids, plot = beside_pictures(figure, 2, 0.26, room=0.6)
        for ax, title in zip(grids, TITLES, strict=True):
            image_grid(ax, "pictures", np.zeros((SHOWN, 784)), 4, title)
        artists.log_x(plot, "number of steps K", STEPS, (STEPS[0] / 1.4, STEPS[-1] * 5))
        plot.set(ylim=(-58, 24), title="log Ẑ minus log Z (nats)")
        plot.set_yticks((-40, -20, 0, 20), ("−40", "−20", "exact", "20"))
        return [*grids, plot]

    def draw(self, draws, path, seed):
        ends, starts, plot = self.axes
        target, (_, *up), k = models.load(MODEL), forward(path, seed), np.array(STEPS)
        log_z, rng = target.log_z(), np.random.default_rng(seed)
        image_grid(ends, "pictures", visible_probabilities(target, up[-1].samples[:SHOWN], rng), 4, TITLES[0])
        artists.curve(plot, "exact", plot.get_xlim(), [0, 0], "truth")
        sides = {"AIS": ("forward", up)}
        if draws == NONE:
            artists.words(starts, "?", 0.5, 0.5, "?", transform=starts.transAxes, fontsize=70, ha="center")
        else:
            states, down = reverse(path, draws, seed)
            sides["reverse AIS"] = "reverse", down
            image_grid(starts, "pictures", visible_probabilities(target, states[:SHOWN], rng), 4, TITLES[1])
            low, high = (np.array([r.log_z for r in results]) - log_z for results in (up, down))
            style = "missed" if low[-1] > high[-1] + CROSSING else "reference"
            artists.band(plot, style, k, low, high, style, alpha=0.25)
            if abs(high[-1] - low[-1]) > 8:
                gap = f"{high[-1] - low[-1]:.0f} nats".replace("-", "−")
                look = {"ha": "right", "va": "bottom", "weight": "bold"}
                artists.words(plot, "gap", 0.93 * k[-1], (low[-1] + high[-1]) / 2, gap, **look)
        at = {name: results[-1].log_z - log_z for name, results in sides.values()}
        for style, (name, results) in sides.items():
            intervals = np.array([r.interval(n_resamples=300) for r in results]) - log_z
            annealing.estimates(plot, name, k, [r.log_z - log_z for r in results], intervals, style)
            place = {"va": "bottom"} if at[name] == max(at.values()) and len(at) > 1 else {"va": "top"}
            artists.words(plot, f"{name} words", 1.15 * k[-1], at[name], name, color=STYLES[style]["color"], **place)
        readout = {f"{name} run, K = {k[-1]}": f"{miss:+.1f} nats" for name, miss in at.items()}
        return Readout(_takeaway(*at.values(), draws=draws), readout)


def _takeaway(low: float, high: float = 0.0, draws: str = "") -> str:
    if draws == NONE:
        return f"One run, {abs(low):.0f} nats off, and nothing in it says so. Where does a run from the other end land?"
    if high < low - CROSSING:
        cause = "a rare chain did it" if draws == EXACT else f"300 steps from {draws} are too few"
        return f"The upper bound lies {low - high:.0f} nats below the lower one, against all odds: {cause}."
    if max(low, high) < -2:
        return f"Both are too low, by {-low:.0f} and {-high:.0f} nats: no chain is in the 4, which holds most of Z."
    if high - low > 3:
        return f"The bounds are {high - low:.0f} nats apart, and log Z lies between: the runs hold different digits."
    return "The bounds agree, and the exact log Z lies there: forward chains, too, reach the 4."
