"""Grosse et al. 2013, Figures 3 and 4: what two paths to an RBM draw on the way, and what AIS makes of it."""

from functools import lru_cache

import numpy as np

from anneal_edu import geometric_path
from anneal_edu.course.ais_trace import N_STOPS, Stop, stops_along
from anneal_edu.course.figures import annealing
from anneal_edu.course.figures.images import image_grid, small_picture
from anneal_edu.course.figures.rbm_paths import LABELS
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, seed, slider, steps
from anneal_edu.course.panels.digits_annealing import BASE_RATE, COLUMNS, N_CHAINS, SHOWN
from anneal_edu.distributions.enumeration import binary_states
from anneal_edu.distributions.hidden_states import effective_number_of_states, likeliest_hidden_state
from anneal_edu.models.knots import load_spline

MODELS = {"CD-1": "digits28_cd", "PCD": "digits28_pcd"}
EXACT, CHAINS = "exact draws", "chains"


@lru_cache(maxsize=32)
def stops_of(model: str, style: str, n_steps: int, seed: int) -> list[Stop]:
    """AIS along the "geometric" path to a stored model, or its moment averages spline, "moments"."""
    spline = load_spline(MODELS[model], BASE_RATE)
    path = spline if style == "moments" else geometric_path(spline(0.0), spline(1.0))
    return stops_along(path, n_steps, N_CHAINS, seed)


class SamplesAlongPaths(Panel):
    """Pictures from the same β of the geometric path and of the moment averages spline, and AIS on both.

    Controls: ``beta``, ``model`` (stored, 28×28 pixels, 10 hidden units), ``shown`` (exact draws, or chains of AIS),
    ``n_steps`` K and ``seed``. Both paths start at the base rates.
    """

    title = "Samples along two paths"
    picture = (
        "Left: pictures from the geometric path at β. Middle: from the moment averages spline, MAS. Right, up to β, "
        "for both: exact share of the target's own picture; log Ẑ minus log Z of AIS with 95% intervals."
    )
    size = (12.0, 5.2)
    controls = {  # noqa: RUF012
        "beta": slider("position β", 0.0, 0.0, 1.0, 1 / N_STOPS),
        "model": choice("model", "CD-1", tuple(MODELS)),
        "shown": choice("shown", EXACT, (EXACT, CHAINS)),
        "n_steps": steps("steps K", 300, (20, 100, 300), live=False),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "which way?": {},
        "the wrong picture": {"beta": 0.6},
        "what chains bring": {"beta": 1.0, "shown": CHAINS},
        "the bottleneck": {"beta": 0.6, "model": "PCD"},
    }
    plays = "beta"

    def make_axes(self, figure):
        return annealing.pictures_and_curves(figure, SHOWN, COLUMNS, "Share of framed target")

    def draw(self, beta, model, shown, n_steps, seed):
        *grids, shares, misses = self.axes
        here, own, numbers = {}, {}, {}
        for ax, (style, label), va in zip(grids, LABELS.items(), ("top", "bottom"), strict=True):
            every = stops_of(model, style, n_steps, seed)
            stops = every[: round(beta * N_STOPS) + 1]
            now, picture = stops[-1], every[-1].p_h.argmax()
            here[style], own[style] = now, now.p_h[picture]
            seen = (now.draws if shown == EXACT else now.chains)(SHOWN, np.random.default_rng(seed))
            image_grid(ax, "pictures", seen, COLUMNS, f"{label.title()[0]}{label[1:]}: {shown}", STYLES[style]["color"])
            annealing.so_far(shares, style, [stop.p_h[picture] for stop in stops], style, label, va)
            annealing.misses(misses, style, stops, style, va)
            found = np.mean(likeliest_hidden_state(now.rbm, now.result.samples) == picture)
            for what, number in (
                ("log Ẑ - log Z", f"{round(now.miss, 1) + 0:.1f}"),
                ("ESS", f"{now.result.ess:.0f} of {N_CHAINS}"),
                ("chains in the target's picture", f"{found:.0%}"),
                ("pictures, effective number", f"{effective_number_of_states(now.p_h):.1f}"),
            ):
                numbers.setdefault(what, []).append(f"{label} {number}")
        pixels = every[-1].rbm.visible_given_hidden(binary_states(every[-1].rbm.n_hidden)[[picture]])[0]
        small_picture(shares, "target picture", pixels, 1.06, 0.2, 0.48, "target")
        said = _takeaway(beta, shown, here, own, effective_number_of_states(every[-1].p_h))
        return Readout(said, {what: ", ".join(of_both) for what, of_both in numbers.items()})


def _takeaway(beta: float, shown: str, here: dict[str, Stop], own: dict[str, float], target: float) -> str:
    """``own`` is the exact share of the target's picture, ``target`` its effective number of pictures."""
    geometric, moments = here["geometric"], here["moments"]
    if beta == 0:
        ends = "from the same blur to the same model. What does each of them draw on its way?"
        return f"The geometric path and one by moment averages (MAS) lead {ends}"
    if beta == 1 and shown == EXACT:
        return "Both paths end in the same model: exact draws do not differ. Where do the chains of AIS end?"
    if beta == 1:
        one = f"The target is one picture, {own['moments']:.0%}. " * (target < 2)
        misses = f"{_size(geometric.miss)} on the geometric path, {_size(moments.miss)} on MAS"
        return f"{one}log Ẑ is {misses}. Pale: w ≈ 0."
    if geometric.p_h.max() > 0.5 and own["geometric"] < 0.1 < own["moments"] and target < 2:
        wrong = f"{geometric.p_h.max():.0%} of its probability on one picture, the wrong one"
        return f"At β = {beta:g} the geometric path has {wrong}. MAS has {own['moments']:.0%} on the target's own."
    held = {style: effective_number_of_states(stop.p_h) for style, stop in here.items()}
    narrow = held["geometric"] < 0.95 * min(target, held["moments"])
    pictures = f"{held['geometric']:.2g} pictures, MAS {held['moments']:.2g}, the target {target:.2g}"
    said = f"At β = {beta:g} the geometric path holds {pictures}."
    return said + " The geometric path goes through a bottleneck." * narrow


def _size(miss: float) -> str:
    if abs(miss) < 1:
        return "within a nat"
    amount = next((f"more than {n} nats" for n in (30, 10, 5, 2) if abs(miss) > n), "1 to 2 nats")
    return f"{amount} too {'low' if miss < 0 else 'high'}"
