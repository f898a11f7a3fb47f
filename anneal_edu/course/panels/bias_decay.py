"""Grosse et al. 2013, Theorems 1 to 3: the bias falls like F/K, and how far away that limit is."""

from functools import lru_cache

import numpy as np

from anneal_edu import Gaussian, linear_schedule, optimal_binned_schedule, segment_costs
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.film import Film
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, named, slider
from anneal_edu.course.panels.two_paths import PATHS, mirrored_gaussians

SCHEDULES = {"linear": lambda path, n_steps: linear_schedule(n_steps), "optimal, 10 bins": optimal_binned_schedule}
STEPS = 10 * 2 ** np.arange(7)
MIRRORED = "mirror image"
_WIDTHS = {"¼ as wide": 0.25, "½ as wide": 0.5, MIRRORED: 1.0, "2 times as wide": 2.0, "4 times as wide": 4.0}


def path_ends(target: str) -> tuple[Gaussian, Gaussian]:
    """Start and target, 20 apart: mirror images, or round Gaussians, of which one is so many times as wide."""
    if target == MIRRORED:
        return mirrored_gaussians(20.0, 0.85)
    ratio = _WIDTHS[target]
    return Gaussian([-10.0, 0.0], np.eye(2) / ratio), Gaussian([10.0, 0.0], np.eye(2) * ratio)


def both_ways(stops: list[Gaussian]) -> tuple[float, float]:
    """Σ_k KL(p_{k-1} ‖ p_k) and Σ_k KL(p_k ‖ p_{k-1}), all steps at once."""
    mean, cov = np.array([p.mean for p in stops]), np.array([p.cov for p in stops])
    precision, change = np.linalg.inv(cov), np.diff(np.linalg.slogdet(cov)[1])
    gap = np.diff(mean, axis=0)[:, :, None]
    forward = np.einsum("kij,kij->k", precision[1:], cov[:-1] + gap @ gap.swapaxes(1, 2))
    reverse = np.einsum("kij,kij->k", precision[:-1], cov[1:] + gap @ gap.swapaxes(1, 2))
    return (forward - 2 + change).sum() / 2, (reverse - 2 - change).sum() / 2


@lru_cache(maxsize=32)
def exact_biases(name: str, target: str, schedule: str) -> tuple[np.ndarray, float, float]:
    """Forward and reverse bias for every K of STEPS, (T, 2), the limit of K times either, and F."""
    path = lru_cache(maxsize=None)(PATHS[name](*path_ends(target)))  # a doubled K has the old stops, too
    biases = [both_ways([*map(path, SCHEDULES[schedule](path, int(n_steps)))]) for n_steps in STEPS]
    bins = linear_schedule(1 if schedule == "linear" else 10)
    return np.array(biases), np.sqrt(segment_costs(path, bins)).sum() ** 2, segment_costs(path, [0, 1])[0]


class BiasDecay(Panel):
    """K times the bias over F under perfect transitions, forward and reverse, while K doubles.

    Controls: ``doublings`` of K = 10, ``target``: how wide it is, against the start; ``schedule``.
    """

    title = "How fast the bias falls"
    picture = (
        "Left the geometric path, right the moment path: K times the bias over F against the number of steps K so far, "
        "forward and reverse, and the limit of both as a dotted line."
    )
    size = (11.0, 4.5)
    plays = "doublings"
    controls = {  # noqa: RUF012
        "doublings": slider("doublings of K = 10", 0, 0, len(STEPS) - 1, 1),
        "target": named("target, against the start", "¼ as wide", tuple(_WIDTHS)),
        "schedule": choice("schedule", "linear", tuple(SCHEDULES)),
    }
    scenes = {  # noqa: RUF012
        "does doubling K halve it?": {},
        "six doublings later": {"doublings": 6},
        "narrow to wide": {"doublings": 6, "target": "4 times as wide"},
        "mirror images": {"doublings": 6, "target": MIRRORED},
        "the optimal schedule": {"doublings": 6, "target": MIRRORED, "schedule": "optimal, 10 bins"},
    }

    def draw(self, doublings, target, schedule):
        film, doubled = Film(doublings, rate=1.5), np.arange(len(STEPS))
        found = {name: exact_biases(name, target, schedule) for name in PATHS}
        for ax, (name, (biases, limit, F)) in zip(self.axes, found.items(), strict=True):
            scaled, colour = biases * STEPS[:, None] / F, STYLES[name]["color"]
            if schedule != "linear":
                artists.curve(ax, "linear", [-0.3, 6.3], [1, 1], "reference", linewidth=1.4)
                artists.words(ax, "linear words", 6.55, 1.03, "linear: F/K", color=STYLES["reference"]["color"])
            artists.curve(ax, "limit", [-0.3, 6.3], [limit / F, limit / F], "truth")
            said = f"bias = F/K,\nF = {F:.0f}" if schedule == "linear" else f"{limit / F:.2f} F/K"
            artists.words(ax, "limit words", 6.55, limit / F, f"{said}:\nlimit for\nmany steps", va="center")
            upper, alike = int(scaled[0, 1] > scaled[0, 0]), np.isclose(*scaled[0])
            names = ("forward = reverse", "") if alike else ("forward", "reverse")
            for way, width, radius in ((0, 2.6, 8.5), (1, 1.4, 5.5)):
                at = scaled[0, way] + (0.14 if way == upper or alike else -0.26)
                artists.words(ax, f"way {way}", -0.1, at, names[way], color=colour)
                film.trails(ax, f"trail {way}", doubled, scaled[:, way, None], [colour], width)
                film.dots(ax, f"head {way}", doubled[:, None], scaled[:, way, None], [colour], radius)
            nats = zip(STEPS, biases[:, 0], strict=True)
            film.words(ax, "now", -0.1, 2.33, [f"K = {k}: forward bias {lost:.2g} nats" for k, lost in nats])
            ax.set(xlim=(-0.3, 9.3), ylim=(-0.6, 2.5), yticks=(0, 1, 2), xlabel="number of steps K",
                   title=f"{name.capitalize().rstrip('s')} path: bias in units of F/K")  # fmt: skip
            ax.set_xticks((0, 2, 4, 6), STEPS[::2])
            artists.words(ax, "F", -0.1, -0.5, "flat: bias halves as K doubles")
        return Readout(*_words(found, int(STEPS[doublings]), doublings, target, schedule), film)


def _words(found, n_steps, doublings, target, schedule) -> tuple[str, dict[str, str]]:
    (geometric, limit_g, F), (moments, limit_m, _) = found.values()
    lost, off = f"{geometric[0, 0]:.2g} nats on the geometric path", moments[doublings, 0] * n_steps / F - 1
    if schedule != "linear":
        cut = f"{limit_g:.3g} on the geometric path and to {limit_m:.3g} on the moment path"
        said = f"More steps where the path turns fast cut the cost from F = {F:.3g} to {cut}."
    elif target == MIRRORED:
        said = "Mirror images: forward and reverse bias both are F/K, exactly, on either path and at every K."
    elif doublings == 0:
        lost += f" and {moments[0, 0]:.2g} on the moment path"
        said = f"At K = 10 the bias is {lost}; F/K is {F / 10:.2g}. Does doubling K halve both, as it halves F/K?"
    else:
        still = f"At K = {n_steps} the moment path is still {abs(off):.0%} {'above' if off > 0 else 'below'}"
        why = "Steps that narrow lose more forward" if off > 0 else "Steps that widen lose less forward"
        said = f"{why} than in reverse; both biases are always equally far from F/K. {still}."
    return said, {"F": f"{F:.1f}", "F/K": f"{F / n_steps:.4g} nats"}
