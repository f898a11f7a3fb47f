"""Syed et al. 2022, Section 5: rejections, the local barrier, and a ladder that is adapted round by round."""

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from scipy.special import beta as beta_function

from anneal_edu import (
    Gaussian,
    equal_rejection_schedule,
    exact,
    geometric_path,
    gibbs,
    linear_schedule,
    models,
    moment_path,
)
from anneal_edu.course.experiments.rejections import exact_rejection
from anneal_edu.course.figures import artists
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, seed, slider
from anneal_edu.models.knots import start_of
from anneal_edu.tempering.ladders import cumulative_barrier
from anneal_edu.tempering.parallel import tempering_states

N_ROUNDS = 3
N_SWEEPS, N_BURN_IN = 15, 15
N_LADDERS, N_DIGITS_LADDERS = 160, 40
DIM, NARROWER, APART = 10, 10.0, 8.0
NARROWING, SHIFT, SHIFT_MOMENTS, DIGITS = "narrowing", "shift", "shift, moments", "digits RBM"
PATHS = (NARROWING, SHIFT, SHIFT_MOMENTS, DIGITS)
TOPS = {NARROWING: 15.0, SHIFT: 6.5, SHIFT_MOMENTS: 26.0, DIGITS: 13.0}
"""Upper end of the axis of λ(β), for any ladder."""
_BETAS = np.linspace(0, 1, 101)


def narrowing_barrier(dim: int) -> float:
    """Λ from N(0, I) to N(0, I/10) in ``dim`` dimensions, exactly: 2^{2-d} / B(d/2, d/2) · ln √10.

    Examples
    --------
    >>> round(narrowing_barrier(2), 4)
    1.1513
    """
    return float(2.0 ** (2 - dim) / beta_function(dim / 2, dim / 2) * np.log(NARROWER) / 2)


@lru_cache(maxsize=4)
def path_of(name: str):
    """One of `PATHS`."""
    if name == DIGITS:
        rbm = models.load("digits8_cd")
        return geometric_path(start_of(rbm, "uniform"), rbm)
    if name == NARROWING:
        return geometric_path(Gaussian(np.zeros(DIM), np.eye(DIM)), Gaussian(np.zeros(DIM), np.eye(DIM) / NARROWER))
    ends = Gaussian([0.0], [[1.0]]), Gaussian([APART], [[1.0]])
    return (moment_path if name == SHIFT_MOMENTS else geometric_path)(*ends)


@lru_cache(maxsize=4)
def exact_local_barrier(name: str) -> np.ndarray | None:
    """λ(β) on 101 points of [0, 1]: in closed form or, for the shifts, from exact rejections of steps of 1/100."""
    if name == DIGITS:
        return None
    if name == NARROWING:
        shape = (NARROWER - 1) / (1 + (NARROWER - 1) * _BETAS)
        return narrowing_barrier(DIM) * shape / np.log(NARROWER)
    path, grid = path_of(name), np.linspace(-10, APART + 10, 1501)[:, None]
    edges = np.clip(_BETAS[:, None] + [-1 / 200, 1 / 200], 0, 1)
    log_f = {beta: path(float(beta)).log_density(grid) for beta in np.unique(edges)}
    return np.array([exact_rejection(log_f[a], log_f[b]) / (b - a) for a, b in edges])


def exact_barrier(name: str) -> float | None:
    """Λ, the area under λ(β); None where it is not known."""
    if name == NARROWING:
        return narrowing_barrier(DIM)
    if name == SHIFT:
        return APART / np.sqrt(np.pi)
    local = exact_local_barrier(name)
    return None if local is None else float(np.trapezoid(local, _BETAS))


class Round(NamedTuple):
    """A ladder and what its pilot run found."""

    schedule: np.ndarray
    rates: np.ndarray
    errors: np.ndarray


@lru_cache(maxsize=256)
def pilot(name: str, n_pairs: int, bend: float, seed: int, round_: int) -> Round:
    """The pilot run of one round; each round's ladder is made from the one before, the first is (k/K)^bend."""
    if round_ == 0:
        schedule = linear_schedule(n_pairs) ** bend
    else:
        before = pilot(name, n_pairs, bend, seed, round_ - 1)
        schedule = equal_rejection_schedule(before.schedule, before.rates, n_pairs)
    kernel, n_ladders = (gibbs, N_DIGITS_LADDERS) if name == DIGITS else (exact, N_LADDERS)
    states = tempering_states(path_of(name), schedule, n_ladders, kernel, rng=np.random.default_rng([seed, round_]))
    for _ in range(N_BURN_IN if name == DIGITS else 0):
        next(states)
    refused = sum(1 - next(states).swap_probabilities for _ in range(N_SWEEPS)) / N_SWEEPS  # (K, C)
    return Round(schedule, refused.mean(1), refused.std(1, ddof=1) / np.sqrt(n_ladders))


class EqualAreas(Panel):
    """The rungs of a ladder cut the area under λ(β) into slices, and a slice is what a pair refuses.

    Controls: ``path`` (N(0, I) to N(0, I/10) in 10 dimensions; N(0, 1) to N(8, 1) along either path; an RBM of 8×8
    digits from the uniform start, geometric), ``n_pairs`` K, ``bend``, the power of k/K that places the rungs by hand,
    ``step``, the round of adaptation that follows, and ``seed``.
    """

    title = "Equal areas"
    picture = (
        "Left: the local barrier λ(β), exact where it is known, cut by the rungs into slices; the darker, the more a "
        "pair refuses. Right: the rejection rate of each pair, and their mean."
    )
    size = (12.0, 4.4)
    columns = (1.6, 1)
    controls = {  # noqa: RUF012
        "path": choice("path", NARROWING, PATHS),
        "bend": slider("rungs by hand: (k/K) to the power", 1.0, 0.5, 4.0, 0.25, live=False),
        "step": slider("rounds of adaptation", 0, 0, N_ROUNDS, 1, live=False),
        "n_pairs": slider("pairs K", 8, 3, 16, 1, live=False),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "a linear ladder": {},
        "two rounds later": {"step": 2},
        "bent too far": {"bend": 4.0},
        "even from the start": {"path": SHIFT},
        "digits": {"path": DIGITS, "step": 2},
    }
    plays = "step"

    def draw(self, path, bend, step, n_pairs, seed):
        now, first = (pilot(path, n_pairs, bend, seed, i) for i in (step, 0))
        known, local = exact_barrier(path), exact_local_barrier(path)
        found = np.maximum(cumulative_barrier(now.schedule, now.rates).derivative()(_BETAS), 0)
        _draw_slices(self.axes[0], now, found if local is None else local, TOPS[path])
        _draw_rejections(self.axes[1], now.rates, now.errors)
        spread = now.rates.max() - now.rates.min()
        more = _rate(now.rates) / _rate(first.rates)
        readout = {
            "round trips a sweep, in theory": f"{_rate(now.rates):.3f}, {more:.2f} times those of round 0",
            "Λ, the sum of rejections": f"{now.rates.sum():.2f}",
            "exact Λ, many rungs": "not known" if known is None else f"{known:.2f}",
        }
        said = _takeaway(step, spread, first)
        return Readout(said if known is None else f"{said} Λ = {known:.2f}, wherever the rungs stand.", readout)


def _rate(rates: np.ndarray) -> float:
    rates = np.minimum(rates, 1 - 1e-9)
    return float(1 / (2 + 2 * (rates / (1 - rates)).sum()))


def _draw_slices(ax, ladder, local, top):
    """The area under λ(β) (101,), cut at the rungs; the darker a slice, the more its pair refuses."""
    for k, (low, high) in enumerate(pairwise(ladder.schedule)):
        x = np.union1d(_BETAS[(_BETAS > low) & (_BETAS < high)], [low, high])
        look = {"edgecolor": "white", "linewidth": 2}
        shade = mpl.colors.to_hex(mpl.colormaps["Oranges"](0.15 + 0.85 * min(1.0, ladder.rates[k])))
        artists.area(ax, f"slice {k}", np.r_[x, x[::-1]], np.r_[np.interp(x, _BETAS, local), 0 * x], shade, **look)
    artists.curve(ax, "exact", _BETAS, local, "truth", linestyle="-", linewidth=1.6)
    artists.marks(ax, "rungs", ladder.schedule, 0 * ladder.schedule, "truth", marker="^", markersize=9, clip_on=False)
    ax.set(xlim=(0, 1), ylim=(0, top), xticks=(0, 0.5, 1), xlabel="β (▲ rungs)", title="Slices: what pairs refuse")


def _draw_rejections(ax, rates, errors):
    """Rejection rate of each pair (K,) with ± 2 standard errors, and their mean."""
    k = np.arange(1, len(rates) + 1)
    artists.histogram(ax, "rates", rates, np.append(k - 0.5, k[-1] + 0.5), "estimate", linestyle="-")
    artists.bars(ax, "errors", k, np.clip(rates - 2 * errors, 0, 1), np.clip(rates + 2 * errors, 0, 1), "estimate")
    artists.curve(ax, "mean", [0.5, len(rates) + 0.5], [rates.mean()] * 2, "truth")
    artists.legend(ax, {"estimate": "found", "truth": "their mean"}, loc="upper right", **artists.SMALL)
    ax.set(xlim=(0.5, len(rates) + 0.5), ylim=(0, 1.25), xlabel="pair", title="refused")
    ax.set_yticks([0, 0.5, 1])


def _takeaway(step: int, spread: float, first: Round) -> str:
    uneven = first.rates.max() - first.rates.min()
    if step == 0:
        if uneven < 0.1:
            return "All pairs refuse about equally often: no rung needs to move."
        worst = first.rates.argmax()
        least = first.rates.min()
        return f"Pair {worst + 1} refuses {first.rates[worst]:.0%}, others {least:.0%}: the slices are not equal."
    if spread < 0.12:
        return "All pairs refuse about equally often. Another ladder of as many rungs makes hardly more round trips."
    return "Rungs have moved to where swaps are refused. The rejections are not equal yet: another round may help."
