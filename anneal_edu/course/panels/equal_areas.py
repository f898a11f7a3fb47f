"""Syed et al. 2022, Section 5: rejections, the local barrier, and a ladder that is adapted round by round."""

from functools import lru_cache
from itertools import pairwise

import matplotlib as mpl
import numpy as np
from scipy.special import beta as beta_function
from scipy.special import fdtr

from anneal_edu import Gaussian, equal_rejection_schedule, geometric_path, linear_schedule, moment_path
from anneal_edu.course.experiments.rejections import exact_rejection
from anneal_edu.course.figures import artists
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, slider

DIM, NARROWER, APART = 10, 10.0, 8.0
NARROWING, SHIFT, SHIFT_MOMENTS = "narrowing", "shift", "shift, moments"
PATHS = (NARROWING, SHIFT, SHIFT_MOMENTS)
TOPS = {NARROWING: 12.0, SHIFT: 6.0, SHIFT_MOMENTS: 19.0}  # of the axis of λ(β)
_BETAS, _GRID = np.linspace(0, 1, 101), np.linspace(-10, APART + 10, 601)[:, None]


def rejected(path: str, low: float, high: float) -> float:
    """How often a swap between two β is rejected, exactly."""
    if path == NARROWING:  # 1 - 2 P(|x|² < |y|²): of two χ² times their variances
        return float(1 - 2 * fdtr(DIM, DIM, (1 + 9 * low) / (1 + 9 * high)))
    rungs = (geometric_path if path == SHIFT else moment_path)(Gaussian([0.0], [[1.0]]), Gaussian([APART], [[1.0]]))
    return exact_rejection(*(rungs(float(beta)).log_density(_GRID) for beta in (low, high)))


@lru_cache(maxsize=4)
def local_barrier(path: str) -> np.ndarray:
    """λ(β) on 101 points of [0, 1]: in closed form or, for the shifts, from exact rejections of steps of 1/100."""
    if path == NARROWING:  # Λ is 2^{2-d} / B(d/2, d/2) · ln √10
        barrier = 2.0 ** (2 - DIM) / beta_function(DIM / 2, DIM / 2) / 2
        return barrier * (NARROWER - 1) / (1 + (NARROWER - 1) * _BETAS)
    edges = np.clip(_BETAS[:, None] + [-1 / 200, 1 / 200], 0, 1)
    return np.array([rejected(path, low, high) / (high - low) for low, high in edges])


def barrier(path: str) -> float:
    """Λ, the area under λ(β)."""
    return float(np.trapezoid(local_barrier(path), _BETAS))


@lru_cache(maxsize=256)
def ladder(path: str, n_pairs: int, n_rounds: int) -> np.ndarray:
    """The linear ladder (K+1,), after so many rounds that each build the next one from what its pairs reject."""
    if n_rounds == 0:
        return linear_schedule(n_pairs)
    before = ladder(path, n_pairs, n_rounds - 1)
    return equal_rejection_schedule(before, np.array([rejected(path, *pair) for pair in pairwise(before)]), n_pairs)


class EqualAreas(Panel):
    """The rungs of a ladder cut the area under λ(β) into slices, and a slice is what a pair rejects.

    Controls: ``path`` (N(0, I) to N(0, I/10) in 10 dimensions; N(0, 1) to N(8, 1) along either path), ``rung``, where
    rung 1 is pushed to between its neighbours, ``rounds`` of adaptation and ``n_pairs`` K.
    """

    title = "Equal areas"
    picture = (
        "The local barrier λ(β), cut into slices by the rungs, triangles on the axis. In each slice stands how often "
        "its pair rejects; the darker, the more."
    )
    size = (12.0, 4.6)
    columns = (1,)
    controls = {  # noqa: RUF012
        "path": choice("path", NARROWING, PATHS),
        "rung": slider("push rung 1, in %", 0, -90, 90, 5),
        "rounds": slider("rounds of adaptation", 0.0, 0.0, 3.0, 0.1),
        "n_pairs": slider("pairs K", 8, 2, 12, 1),
    }
    scenes = {  # noqa: RUF012
        "a linear ladder": {},
        "two rounds later": {"rounds": 2.0},
        "one rung by hand": {"rung": -30},
        "even from the start": {"path": SHIFT},
        "the other way": {"path": SHIFT_MOMENTS, "rounds": 2.0},
    }
    plays = "rounds"

    def draw(self, path, rung, rounds, n_pairs):
        (ax,) = self.axes
        before, after = (ladder(path, n_pairs, int(round_)) for round_ in (np.floor(rounds), np.ceil(rounds)))
        rungs = before + rounds % 1 * (after - before)
        rungs[1] += rung / 100 * (rungs[2] - rungs[1] if rung > 0 else rungs[1])
        rates, local = np.array([rejected(path, *pair) for pair in pairwise(rungs)]), local_barrier(path)
        for k, (low, high) in enumerate(pairwise(rungs)):
            x = np.union1d(_BETAS[(_BETAS > low) & (_BETAS < high)], [low, high])
            shade = mpl.colors.to_hex(mpl.colormaps["Oranges"](0.15 + 0.75 * rates[k]))
            look = {"edgecolor": "white", "linewidth": 2}
            artists.area(ax, f"slice {k}", np.r_[x, x[::-1]], np.r_[np.interp(x, _BETAS, local), 0 * x], shade, **look)
            if high - low > 0.02:  # upright where there is room
                top, room = np.interp((low + high) / 2, _BETAS, local), 0.03 * TOPS[path]
                height = room if top > 2.8 * room else top + 0.5 * room  # above a slice that is too low
                place = {"x": (low + high) / 2, "y": height, "ha": "center", "rotation": 90 * (high - low < 0.045)}
                artists.words(ax, f"rate {k}", text=f"{rates[k]:.0%}", **place)
        artists.curve(ax, "exact", _BETAS, local, "truth", linestyle="-", linewidth=1.6)
        artists.marks(ax, "rungs", rungs, 0 * rungs, "truth", marker="^", markersize=11, clip_on=False)
        artists.marks(ax, "pushed", rungs[1], 0, "here", marker="^", markersize=15, clip_on=False)
        artists.words(ax, "barrier", 0.5, 0.85 * TOPS[path], f"area Λ = {barrier(path):.2f}", fontsize=16, ha="center")
        ax.set(xlim=(0, 1), ylim=(0, TOPS[path]), xticks=(0, 0.5, 1), yticks=(), xlabel="β (▲ rungs; orange: rung 1)")
        ax.set_title("λ(β), and how often each pair of rungs rejects its swap")
        trips = 1 / (2 + 2 * (rates / (1 - rates)).sum())
        readout = {"round trips a sweep, in theory": f"{trips:.3f}", "sum of rejection rates": f"{rates.sum():.2f}"}
        return Readout(_takeaway(rates, rounds, rung, barrier(path)), readout)


def _takeaway(rates, rounds, rung, area) -> str:
    said = f"The rates add up to {rates.sum():.2f}; Λ = {area:.2f}, wherever the rungs are."
    if np.ptp(rates) < 0.06:
        why = "no rung needs to move" if rounds == rung == 0 else "the slices are equal"
        return f"All pairs reject about {rates.mean():.0%}: {why}. {said}"
    pair, asked = rates.argmax() + 1, " Where should they be?" * (rounds == rung == 0)
    return f"Pair {pair} rejects {rates.max():.0%}, another {rates.min():.0%}: the slices are not equal. {said}{asked}"
