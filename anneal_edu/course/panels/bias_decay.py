"""Grosse et al. 2013, Theorems 1 to 3: how the bias falls with K, and where along each path it is lost."""

from functools import lru_cache
from itertools import pairwise

import numpy as np

from anneal_edu import Gaussian, cost_functional, kl_bias, kl_divergence, linear_schedule, segment_costs
from anneal_edu import optimal_binned_schedule as optimal
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, steps
from anneal_edu.course.panels.two_paths import PATHS, mirrored_gaussians

SCHEDULES = {"linear": lambda path, n_steps: linear_schedule(n_steps), "optimal, 10 bins": optimal}
STEPS = (10, 16, 25, 40, 63, 100, 250, 1000)
SEPARATIONS = (1, 2, 5, 10, 20, 40)
MIRRORED, NARROWING = "mirrored correlations", "wide to narrow"
_HOLLOW = {"markerfacecolor": "white", "markersize": 9, "linewidth": 1.2}
_FULL = {"markersize": 5}


def path_ends(ends: str, separation: float) -> tuple[Gaussian, Gaussian]:
    """Start and target with the means this far apart: one the mirror image of the other, or variances 4 and 1/4."""
    if ends == MIRRORED:
        return mirrored_gaussians(separation, 0.85)
    half = separation / 2
    return Gaussian([-half, 0.0], 4.0 * np.eye(2)), Gaussian([half, 0.0], 0.25 * np.eye(2))


@lru_cache(maxsize=64)
def _exact_biases(name: str, ends: str, separation: float, schedule: str) -> tuple[np.ndarray, np.ndarray, float]:
    """Forward and reverse bias for every K of STEPS, and the limit of K times either."""
    path = lru_cache(maxsize=None)(PATHS[name](*path_ends(ends, separation)))
    schedules = [SCHEDULES[schedule](path, n_steps) for n_steps in STEPS]
    forward, reverse = (np.array([kl_bias(path, s, reverse=r) for s in schedules]) for r in (False, True))
    bins = 1 if schedule == "linear" else 10
    return forward, reverse, float(np.sqrt(segment_costs(path, linear_schedule(bins))).sum() ** 2)


@lru_cache(maxsize=64)
def _losses(
    name: str, ends: str, separation: float, schedule: str, n_steps: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The schedule (K+1,), and what each of its steps adds to the forward and to the reverse bias, (K,) each."""
    path = PATHS[name](*path_ends(ends, separation))
    betas = SCHEDULES[schedule](path, n_steps)
    steps = pairwise(map(path, betas))
    forward, reverse = zip(*((kl_divergence(p, q), kl_divergence(q, p)) for p, q in steps), strict=True)
    return betas, np.array(forward), np.array(reverse)


class BiasDecay(Panel):
    """The bias log Z - E[log w] under perfect transitions, in units of F/K: against K, and step by step.

    Controls: ``n_steps`` K, ``separation`` of the means, ``ends`` of the path, ``schedule``.
    """

    title = "How fast the bias falls"
    picture = (
        "Left: K times the bias over F against the number of steps K, forward and reverse, of both paths, and the "
        "line 1. Right: the bias at the chosen K, added up step by step from β = 0 to 1, in the same units."
    )
    controls = {  # noqa: RUF012
        "n_steps": steps("steps K", 25, STEPS, live=False),
        "separation": steps("separation of the means", 20, SEPARATIONS, live=False),
        "ends": choice("ends", NARROWING, (NARROWING, MIRRORED)),
        "schedule": choice("schedule", "linear", tuple(SCHEDULES)),
    }
    scenes = {  # noqa: RUF012
        "wide to narrow": {},
        "mirror images": {"ends": MIRRORED},
        "the optimal schedule": {"ends": MIRRORED, "schedule": "optimal, 10 bins"},
        "four times the steps": {"n_steps": 100},
    }
    plays = "n_steps"

    def make_axes(self, figure):
        left, right = figure.columns(1.15, 1)
        left.set(ylim=(0, 2.1), yticks=(0, 1, 2), title="K × bias / F: forward ●, reverse ○")
        artists.log_x(left, "number of steps K", (10, 100, 1000), (8, 1250))
        right.set(xlim=(-0.03, 1.03), ylim=(0, 2.1), xlabel="position β", title="Lost up to β, in units of F/K")
        right.set(xticks=(0, 0.5, 1), xticklabels=("0", "0.5", "1"), yticks=(0, 1, 2))
        return [left, right]

    def draw(self, n_steps, separation, ends, schedule):
        left, right = self.axes
        now, F = STEPS.index(n_steps), cost_functional(PATHS["geometric"](*path_ends(ends, separation)))
        every_k = np.array(STEPS)
        artists.curve(left, "F/K", [5, 2000], [1, 1], "reference")
        artists.curve(left, "now", [n_steps, n_steps], [0, 2.1], "reference", linewidth=1.2)
        artists.curve(right, "F/K", [-0.03, 1.03], [1, 1], "reference")
        exact_bias, shares, readout = {}, [], {"F/K": f"{F / n_steps:.3f} nats", "F": f"{F:.3f}"}
        for name in PATHS:
            forward, reverse, limit = _exact_biases(name, ends, separation, schedule)
            _bias_against_steps(left, name, every_k, every_k * forward / F, every_k * reverse / F, name)
            betas, *losses = _losses(name, ends, separation, schedule, n_steps)
            _lost_up_to(right, name, betas, *losses, F / n_steps, name)
            exact_bias[name] = forward[now], limit
            shares.append(losses[0][0 if name == "geometric" else -1] / forward[now])
            readout[name] = f"forward {forward[now]:.4g}, reverse {reverse[now]:.4g} nats"
        artists.legend(right, {"geometric": "geometric", "moments": "moments"}, loc="upper left")
        return Readout(_takeaway(F, n_steps, ends, schedule, exact_bias, *shares), readout)


def _bias_against_steps(ax, name, n_steps, forward, reverse, style):
    """Bias (n,) in units of F/K against K (n,): forward with full markers, reverse with hollow ones and a thin line.

    Marks stand at every other K, those of the two paths in turn: curves on each other show the marks of both.
    """
    look = STYLES[style] | {"markevery": (int(style == "moments"), 2)}
    artists.line(ax, f"{name} reverse", n_steps, reverse, **look | _HOLLOW)
    artists.line(ax, f"{name} forward", n_steps, forward, **look | _FULL)


def _lost_up_to(ax, name, betas, forward, reverse, unit, style):
    """The losses (K,) of the steps between ``betas`` (K+1,), added up from β = 0, as multiples of ``unit``.

    Forward has full markers, reverse hollow ones and a thin line: up to six of each, the last at β = 1.
    """
    places = *(np.arange(1, 6) / 6 - (style == "moments") / 12), 1.0  # curves on each other show the marks of both
    marks = sorted({int(np.abs(betas - place).argmin()) for place in places})
    look = STYLES[style] | {"markevery": marks}
    for direction, losses, marker in (("reverse", reverse, _HOLLOW), ("forward", forward, _FULL)):
        lost = np.append(0.0, np.cumsum(losses)) / unit
        artists.line(ax, f"{name} {direction}", betas, lost, **look | marker)


def _takeaway(F, n_steps, ends, schedule, exact_bias, first, last) -> str:
    (forward_g, limit_g), (forward_m, limit_m) = exact_bias["geometric"], exact_bias["moments"]
    bias_g, bias_m, limit = (f"{float(f'{nats:.2g}'):g}" for nats in (forward_g, forward_m, F / n_steps))
    if schedule != "linear":
        return (
            f"More steps where the path turns fast cut the cost from F = {F:.3g} to {limit_g:.3g} on the geometric "
            f"path and to {limit_m:.3g} on the moment path: with K = {n_steps} the bias is {bias_g} and {bias_m} nats."
        )
    if ends == MIRRORED:
        return (
            f"Mirrored ends: forward and reverse bias both are F/K = {F / n_steps:.4g} nats, exactly, on either path "
            "and at every K: what a step loses forward, its mirror image loses in reverse."
        )
    return (
        f"From wide to narrow the forward bias ({bias_g} geometric, {first:.0%} of it in the first step; {bias_m} "
        f"moments, {last:.0%} in the last) lies above F/K = {limit}, the reverse one as far below."
    )
