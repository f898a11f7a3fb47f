"""One step of importance sampling, from a proposal to a target that is narrower or wider."""

from fractions import Fraction
from functools import lru_cache

import numpy as np
from scipy.special import erfc

from anneal_edu import log_mean_exp
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.film import Film
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import seed, slider

DOUBLINGS = np.linspace(-3, 3, 49)
"""Of the width: log₂ of the target's over the proposal's."""
N_DRAWS, N_SHOWN, N_RUNS = 5000, 300, 60
_GRID = np.linspace(-8, 8, 321)


def log_weights(draws: np.ndarray, ratio) -> np.ndarray:
    """Of draws in units of the proposal's width."""
    return draws**2 / 2 * (1 - 1 / ratio**2) - np.log(ratio)


@lru_cache(maxsize=1)
def typical_miss() -> np.ndarray:
    """The median of |log Ẑ| over runs of 5,000 draws, at every width, (T,)."""
    runs = np.random.default_rng(0).standard_normal((N_RUNS, N_DRAWS))
    return np.array([np.median([abs(log_mean_exp(log_weights(run, r))) for run in runs]) for r in 2.0**DOUBLINGS])


class WidthOfAStep(Panel):
    """Importance sampling from one Gaussian to another of the same mean and another width.

    Controls: ``doublings`` of the width, from the proposal to the target; ``seed`` of the draws.
    """

    title = "How wide a step may be"
    picture = (
        "Left: proposal and target, below them draws of the proposal, whose area is their weight; dark is what part of "
        "the target lies beyond every draw. Right: the KL divergence and the typical miss of log Ẑ against the ratio "
        "of the widths; the variance of the weights is infinite where the ground is grey."
    )
    size = (12.0, 4.6)
    columns = (1, 1.1)
    plays = "doublings"
    controls = {  # noqa: RUF012
        "doublings": slider("width of the target, in doublings", 0.0, -3.0, 3.0, 0.125),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "narrower or wider?": {},
        "four times as narrow": {"doublings": -2.0},
        "four times as wide": {"doublings": 2.0},
        "where error bars end": {"doublings": 0.5},
    }

    def make_axes(self, figure):
        left, right = super().make_axes(figure)
        left.set(xlim=(-8, 8), ylim=(-0.3, 1.2), yticks=[], xlabel="x", title="Draws; area is weight")
        ticks = (0, 0.5, 2, 5, 10, 20, 30)
        right.set(xlim=(-3.1, 3.1), ylim=(-0.2, 5.7), yticks=np.sqrt(ticks), yticklabels=ticks)
        right.set(xticks=range(-3, 4), xticklabels=[Fraction(2) ** k for k in range(-3, 4)])
        right.set(xlabel="width of target / of proposal", title="Nats lost (square-root axis)")
        right.axvspan(0.5, 3.1, color=STYLES["reference"]["color"], alpha=0.15, linewidth=0)
        right.text(0.6, 4.45, "weights of\ninfinite\nvariance", color=STYLES["reference"]["color"])
        return [left, right]

    def draw(self, doublings, seed):
        (left, right), now = self.axes, int(np.argmin(abs(DOUBLINGS - doublings)))
        film, ratio = Film(now, rate=8.0), 2.0 ** DOUBLINGS[:, None]
        draws = np.random.default_rng(seed).standard_normal(N_DRAWS)
        reach = abs(draws).max()
        beyond = erfc(reach / ratio[:, 0] / np.sqrt(2))
        ends = ("start", "proposal", 1.08, ratio**-0.5), ("target", "target", 0.97, ratio**0.5)
        for style, name, height, sd in ends:
            film.curve(left, style, _GRID, _normal(_GRID, sd), style, fill=0.2)
            artists.words(left, f"{style} name", 7.6, height, name, ha="right", color=STYLES[style]["color"])
        for side in (-1, 1):
            tail = side * np.minimum(reach * ratio**-0.5 + np.linspace(0, 8, 81), 8)
            film.curve(left, f"tail {side}", tail, _normal(tail, ratio**0.5), "target", fill=0.8)
        weight = np.exp(log_weights(draws[:N_SHOWN], ratio))
        radius = np.sqrt(2 + 1500 * weight / weight.sum(1, keepdims=True))
        below = np.random.default_rng(1).uniform(-0.22, -0.06, N_SHOWN)
        film.dots(left, "draws", draws[:N_SHOWN] * ratio**-0.5, below, [STYLES["estimate"]["color"]] * N_SHOWN, radius)
        film.words(left, "ratio", -7.6, 1.08, [f"target {r:.3g} × as wide" for r in ratio[:, 0]])
        film.words(left, "beyond", -7.6, 0.97, [f"{part:.0%} beyond all draws" for part in beyond])

        kl, miss = np.log(ratio[:, 0]) + 0.5 / ratio[:, 0] ** 2 - 0.5, typical_miss()
        for style, nats, name, at in (
            ("theory", kl, "of mean\nlog weight (KL)", (-1.9, 3.1)),
            ("estimate", miss, "typical miss\nof log Ẑ", (-3.0, 0.35)),
        ):
            if doublings:  # at rest neither curve gives the answer away
                artists.curve(right, style, DOUBLINGS, np.sqrt(nats), style)
                artists.words(right, f"{style} name", *at, name, color=STYLES[style]["color"])
            film.dots(right, f"{style} now", DOUBLINGS[:, None], np.sqrt(nats)[:, None], [STYLES[style]["color"]], 7.0)
        w = np.exp(log_weights(draws, ratio[now]))
        bar = w.std() / w.mean() / np.sqrt(N_DRAWS)
        readout = {"log Ẑ of these 5,000 draws": f"{np.log(w.mean()):.2f} ± {bar:.2f}, exact 0"}
        return Readout(_takeaway(doublings, kl[now], miss[now], beyond[now]), readout, film)


def _normal(x, sd):
    return np.exp(-((x / sd) ** 2) / 2) / (sd * np.sqrt(2 * np.pi))


def _takeaway(doublings, kl, miss, beyond) -> str:
    if doublings == 0:
        return "Target and proposal are equally wide: nothing is lost. Which is worse, a narrower or a wider target?"
    if doublings < 0:
        return f"From wide to narrow the mean log weight loses {kl:.1f} nats, but log Ẑ typically misses by {miss:.2f}."
    if doublings == 0.5:
        return "Twice the variance: from here on the weights have infinite variance, and an error bar means nothing."
    lost = f"the mean log weight loses {kl:.1f} nats, and log Ẑ typically misses by {miss:.2f}"
    return f"From narrow to wide {lost}: {beyond:.0%} of the target lies beyond every draw."
