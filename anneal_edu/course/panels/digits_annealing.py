"""Annealing to an RBM of digits, chains beside exact draws."""

from functools import lru_cache

import numpy as np

from anneal_edu import geometric_path, models
from anneal_edu.course.ais_trace import N_STOPS, Stop, stops_along
from anneal_edu.course.figures import annealing, artists
from anneal_edu.course.figures.images import image_grid, small_picture
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, seed, slider, steps
from anneal_edu.distributions.enumeration import binary_states
from anneal_edu.distributions.hidden_states import occupied_mass
from anneal_edu.models.knots import start_of

MODELS = {"8×8": "digits8_cd", "28×28": "digits28_cd", "28×28, PCD": "digits28_pcd"}
UNIFORM, BASE_RATE = "uniform", "base rate"
SHOWN, COLUMNS, N_CHAINS = 24, 4, 100


@lru_cache(maxsize=32)
def _stops(model: str, start: str, n_steps: int, seed: int) -> list[Stop]:
    target = models.load(MODELS[model])
    return stops_along(geometric_path(start_of(target, start), target), n_steps, N_CHAINS, seed)


class DigitsAnnealing(Panel):
    """AIS to an RBM trained on digits, looked at on its way, beside exact draws from each intermediate distribution.

    Controls: ``beta``, ``model`` (size of the images; CD-1 where not PCD), ``start`` (uniform or base-rate RBM),
    ``n_steps`` K and ``seed``.
    """

    title = "Annealing to a model of digits"
    picture = (
        "Left: pictures of the chains of AIS at β. Middle: exact draws from the same distribution. Right, up to β: "
        "exact shares of the picture that leads halfway and of the target's own; log Ẑ minus log Z, 95% intervals."
    )
    size = (12.0, 5.2)
    controls = {  # noqa: RUF012
        "beta": slider("position β", 1.0, 0.0, 1.0, 1 / N_STOPS),
        "model": choice("pixels", "8×8", tuple(MODELS)),
        "start": choice("start", BASE_RATE, (UNIFORM, BASE_RATE)),
        "n_steps": steps("steps K", 1000, (100, 300, 1000), live=False),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "small images": {},
        "larger images": {"model": "28×28"},
        "where they part": {"model": "28×28", "beta": 0.85},
        "from the uniform start": {"model": "28×28", "start": UNIFORM},
        "trained by PCD": {"model": "28×28, PCD"},
    }
    plays = "beta"

    def make_axes(self, figure):
        return annealing.pictures_and_curves(figure, SHOWN, COLUMNS, "Shares of framed pictures")

    def draw(self, beta, model, start, n_steps, seed):
        every, rng = _stops(model, start, n_steps, seed), np.random.default_rng(seed)
        stops = every[: round(beta * N_STOPS) + 1]
        now = stops[-1]
        chains, draws, shares, misses = self.axes
        image_grid(chains, "pictures", now.chains(SHOWN, rng), COLUMNS, "Chains (pale: w ≈ 0)")
        image_grid(draws, "pictures", now.draws(SHOWN, rng), COLUMNS, f"Exact draws, {model.split(',')[0]} pixels")
        rbm, p_h = every[-1].rbm, np.array([stop.p_h for stop in every])
        for style, state, corner, word in (
            ("another mode", p_h[N_STOPS // 2].argmax(), (0.02, 0.68), "β = ½"),
            ("target", p_h[-1].argmax(), (1.03, 0.5), "β = 1"),
        ):
            annealing.so_far(shares, style, p_h[: len(stops), state], style)
            pixels = rbm.visible_given_hidden(binary_states(rbm.n_hidden)[[state]])[0]
            small_picture(shares, f"{style} picture", pixels, *corner, 0.48, style)
            below = {"x": corner[0], "y": corner[1] - 0.06, "va": "top", "color": STYLES[style]["color"]}
            artists.words(shares, f"{style} word", text=word, **below)
        annealing.misses(misses, "misses", stops, "estimate")
        artists.words(misses, "asked", 0.5, -6, "and 28×28 pixels?" * (beta == 1 and model == "8×8"), ha="center")
        low, high = now.interval + now.result.log_z - now.miss
        held = occupied_mass(now.rbm, now.result.samples)
        numbers = {
            "log Ẑ": f"{now.result.log_z:.2f} ({low:.2f} to {high:.2f})",
            "exact log Z": f"{now.result.log_z - now.miss:.2f}",
            "ESS": f"{now.result.ess:.0f} of {N_CHAINS}",
            "exact share of the pictures that chains are in": f"{held:.2%}",
        }
        return Readout(_takeaway(beta, model, now, held), numbers)


def _takeaway(beta: float, model: str, now: Stop, held: float) -> str:
    """One sentence; it promises no digit that another processor could change, where the outcome is clear."""
    at, size = "At the target" if beta == 1 else f"At β = {beta:g}", abs(now.miss)
    if size < 0.5:
        asked = " Will AIS do as well on larger images?" * (model == "8×8" and beta == 1)
        return f"{at} log Ẑ is within half a nat of the exact log Z.{asked}"
    amount = next((f"more than {n} nat{'s' * (n > 1)}" for n in (10, 5, 2, 1) if size > n), "half a nat to a nat")
    if now.miss > 0:
        return f"{at} log Ẑ is {amount} too high: a few heavy chains carry the estimate."
    share = next((name for top, name in ((0.01, "a hundredth"), (0.5, "half")) if held < top), "all")
    return f"{at} log Ẑ is {amount} too low: the chains are in pictures with less than {share} of the probability."
