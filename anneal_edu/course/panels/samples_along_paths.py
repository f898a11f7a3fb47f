"""Grosse et al. 2013, Figure 4: what the distributions along two paths to an RBM look like."""

from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np

from anneal_edu import geometric_path, gibbs, linear_schedule
from anneal_edu.course.ais_trace import annealed, visible_probabilities
from anneal_edu.course.figures import artists, rbm_paths
from anneal_edu.course.figures.images import beside_pictures, image_grid
from anneal_edu.course.figures.rbm_paths import LABELS
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, seed, slider
from anneal_edu.course.panels.digits_annealing import BASE_RATE, UNIFORM
from anneal_edu.distributions import BinaryRBM
from anneal_edu.distributions.hidden_states import (
    effective_number_of_states,
    likeliest_hidden_state,
)
from anneal_edu.models.knots import load_spline
from anneal_edu.paths.geometric import Path

MODELS = {"PCD": "digits28_pcd", "CD-1": "digits28_cd"}
EXACT, CHAINS = "exact draws", "chains of AIS"
N_STOPS = 20
N_STEPS = 300  # of the chains of AIS
SHOWN = 20
COLUMNS = 4


class Measures(NamedTuple):
    """What can be counted at N_STOPS + 1 points of a path, each (N_STOPS + 1,)."""

    pictures: np.ndarray
    """exp of the entropy of p(h)."""
    likeliest: np.ndarray
    """Probability of the likeliest hidden state."""
    ink: np.ndarray
    """Mean number of black pixels, Σ_i E v_i."""
    own: np.ndarray
    """Probability of the hidden state that is likeliest in the target."""


@lru_cache(maxsize=8)
def paths_to(model: str, start: str) -> dict[str, Path]:
    """The "geometric" path to a stored model and its moment averages spline, "moments"."""
    spline = load_spline(MODELS[model], start)
    return {"geometric": geometric_path(spline(0.0), spline(1.0)), "moments": spline}


@lru_cache(maxsize=8)
def measures_along(model: str, start: str, style: str) -> Measures:
    """Exact measures of the path."""
    rbms = [paths_to(model, start)[style](beta) for beta in linear_schedule(N_STOPS)]
    p_h = [rbm.hidden_probabilities() for rbm in rbms]
    return Measures(
        np.array([effective_number_of_states(p) for p in p_h]),
        np.array([p.max() for p in p_h]),
        np.array([rbm.moments()[0].sum() for rbm in rbms]),
        np.array([p[p_h[-1].argmax()] for p in p_h]),
    )


@lru_cache(maxsize=32)
def chains_along(model: str, start: str, style: str, seed: int) -> np.ndarray:
    """Chains of AIS at the N_STOPS + 1 points, (N_STOPS + 1, SHOWN, D)."""
    path, rng = paths_to(model, start)[style], np.random.default_rng(seed)
    states = annealed(path, linear_schedule(N_STEPS), SHOWN, gibbs, rng)
    return np.array([x for _, x in islice(states, 0, None, N_STEPS // N_STOPS)])


def chains_in_the_likeliest(model: str, start: str, style: str, seed: int, stop: int) -> int:
    """How many chains of AIS are in the likeliest hidden state of the path at a stop."""
    rbm = paths_to(model, start)[style](stop / N_STOPS)
    where = likeliest_hidden_state(rbm, chains_along(model, start, style, seed)[stop])
    return int(np.sum(where == rbm.hidden_probabilities().argmax()))


def pictures_of(rbm: BinaryRBM, v: np.ndarray | None, seed: int) -> np.ndarray:
    """Pixel probabilities behind the states v, or behind exact draws where v is None: (SHOWN, D)."""
    rng = np.random.default_rng(seed)
    return visible_probabilities(rbm, rbm.sample(SHOWN, rng) if v is None else v, rng)


class SamplesAlongPaths(Panel):
    """Pictures from the same β of the geometric path and of the moment averages spline, and how many each path holds.

    Controls: ``beta``, ``model`` (stored, 28×28 pixels, 10 hidden units), ``start``, ``shown`` (exact draws, or chains
    of AIS with 300 Gibbs steps) and ``seed``.
    """

    title = "Samples along two paths"
    picture = (
        "Left: pictures from the geometric path at β. Middle: from the moment averages spline at the same β. Right: "
        "effective number of pictures along both paths."
    )
    size = (12.0, 5.2)
    controls = {  # noqa: RUF012
        "beta": slider("position β", 0.6, 0.0, 1.0, 1 / N_STOPS),
        "model": choice("model", "PCD", tuple(MODELS)),
        "start": choice("start", BASE_RATE, (UNIFORM, BASE_RATE)),
        "shown": choice("shown", EXACT, (EXACT, CHAINS)),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "the bottleneck": {},
        "no bottleneck": {"start": UNIFORM, "beta": 0.5},
        "the wrong picture": {"model": "CD-1"},
        "what chains bring": {"model": "CD-1", "shown": CHAINS, "beta": 1.0},
    }
    plays = "beta"

    def make_axes(self, figure):
        axes = beside_pictures(figure, 2, 0.28, room=0.55)
        for ax in axes[:2]:
            image_grid(ax, "pictures", np.zeros((SHOWN, 784)), COLUMNS)
        return axes

    def draw(self, beta, model, start, shown, seed):
        stop = round(beta * N_STOPS)
        measures = {style: measures_along(model, start, style) for style in rbm_paths.LABELS}
        for ax, (style, label) in zip(self.axes, rbm_paths.LABELS.items(), strict=False):
            v = None if shown == EXACT else chains_along(model, start, style, seed)[stop]
            pictures = pictures_of(paths_to(model, start)[style](beta), v, seed)
            image_grid(ax, "pictures", pictures, COLUMNS, f"{label}, β = {beta:.2f}")
        curves, pictures = self.axes[2], {style: m.pictures for style, m in measures.items()}
        _pictures_along(curves, linear_schedule(N_STOPS), pictures, pictures["geometric"][-1])
        artists.curve(curves, "beta", [beta] * 2, [0.8, 2000], "reference", linewidth=1.6, zorder=1)
        for style, numbers in pictures.items():
            artists.marks(curves, f"{style} now", beta, numbers[stop], style, markersize=11)
        here = {style: Measures(*(values[stop] for values in m)) for style, m in measures.items()}
        found = None
        if shown == CHAINS:
            found = {style: chains_in_the_likeliest(model, start, style, seed, stop) for style in rbm_paths.LABELS}
        return Readout(_takeaway(beta, found, here, pictures["geometric"][-1]), _readout(here, found))


def _number(x: float) -> str:
    return f"{x:.1f}" if x < 10 else f"{x:.0f}"


def _readout(here: dict[str, Measures], found: dict[str, int] | None) -> dict[str, str]:
    geometric, moments = here["geometric"], here["moments"]
    last = {"black pixels of 784": f"geometric {geometric.ink:.0f}, MAS {moments.ink:.0f}"}
    if found is not None:
        reached = f"geometric {found['geometric']}, MAS {found['moments']} of {SHOWN}"
        last = {"chains in the likeliest picture": reached}
    return {
        "number of pictures, effective": f"geometric {_number(geometric.pictures)}, MAS {_number(moments.pictures)}",
        "share of the likeliest": f"geometric {geometric.likeliest:.0%}, MAS {moments.likeliest:.0%}",
        "share of the target's likeliest": f"geometric {geometric.own:.1%}, MAS {moments.own:.1%}",
    } | last


def _pictures_along(ax, betas, pictures, target):
    """Effective numbers of pictures (n,) of the "geometric" path and of the spline, "moments", at each β (n,)."""
    for style, numbers in pictures.items():
        artists.curve(ax, style, betas, numbers, style)
    artists.curve(ax, "target", [-0.03, 1.03], [target] * 2, "target")
    artists.legend(ax, LABELS | {"target": "target"}, loc="upper right")
    ax.set(xlim=(-0.03, 1.03), yscale="log", ylim=(0.8, 2000), xlabel="position β", xticks=(0, 0.5, 1))
    ax.set(yticks=(1, 10, 100, 1000), yticklabels=("1", "10", "100", "1,000"), title="Number of pictures")
    ax.minorticks_off()


def _takeaway(beta: float, found: dict[str, int] | None, here: dict[str, Measures], target: float) -> str:
    """``found`` says how many chains are in the likeliest picture, where chains are shown."""
    geometric, moments = here["geometric"], here["moments"]
    if beta == 1 and found is not None:
        clear = found["geometric"] <= 2 and found["moments"] >= 4
        arrived = f" On MAS several of the {SHOWN} chains have found it, on the geometric path hardly one." * clear
        return f"Both paths end in the same target, {moments.likeliest:.0%} of which is one picture.{arrived}"
    if geometric.likeliest > 0.5 and geometric.own < 0.1 < moments.own and target < 2:
        return (
            f"At β = {beta:g} the geometric path has {geometric.likeliest:.0%} of its probability on one picture, and "
            f"it is the wrong one. The target's own has {geometric.own:.1%} there, and {moments.own:.0%} on MAS."
        )
    narrow = geometric.pictures < 0.95 * min(target, moments.pictures)
    return (
        f"At β = {beta:g} the geometric path holds {_number(geometric.pictures)} pictures and MAS "
        f"{_number(moments.pictures)}; the target itself has {_number(target)}. The geometric path "
        f"{'goes through a bottleneck' if narrow else 'has no bottleneck here'}."
    )
