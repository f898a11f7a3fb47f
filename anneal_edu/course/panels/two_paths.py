"""Grosse et al. 2013, Figure 1, in motion."""

from functools import lru_cache
from itertools import pairwise

import numpy as np

from anneal_edu import Gaussian, geometric_path, kl_bias, linear_schedule, moment_path
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.paper_gaussians import contours, means_along_path
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import slider
from anneal_edu.paths.hellinger import overlap

PATHS = {"geometric": geometric_path, "moments": moment_path}


def mirrored_gaussians(separation: float, correlation: float) -> tuple[Gaussian, Gaussian]:
    """The ends of Grosse et al. 2013, Figure 1: unit variances, opposite means and opposite correlations."""
    half = separation / 2
    return (
        Gaussian([-half, 0.0], [[1.0, -correlation], [-correlation, 1.0]]),
        Gaussian([half, 0.0], [[1.0, correlation], [correlation, 1.0]]),
    )


@lru_cache(maxsize=64)
def _along(name: str, separation: float, correlation: float, n_steps: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Means (K+1, 2), overlaps of neighbours (K,) and Σ KL at K + 1 evenly spaced points of a path."""
    path = lru_cache(maxsize=None)(PATHS[name](*mirrored_gaussians(separation, correlation)))
    betas = linear_schedule(n_steps)
    stops = [path(beta) for beta in betas]
    overlaps = np.array([overlap(p, q) for p, q in pairwise(stops)])
    return np.array([stop.mean for stop in stops]), overlaps, kl_bias(path, betas)


class TwoPaths(Panel):
    """The geometric and the moment path between two Gaussians whose correlations mirror each other.

    Controls: ``beta``, ``separation`` of the means, ``correlation`` ρ (-ρ at the start, ρ at the target) and
    ``n_steps``, the number K of steps of which the right-hand plot shows the overlaps.
    """

    title = "Two paths between two Gaussians"
    picture = (
        "Left: contours, at one and two standard deviations, of start, target and the intermediate distribution of "
        "each path, the traces of its mean, and the long axes of the ends. "
        "Right: overlap of neighbouring distributions along each path."
    )
    controls = {  # noqa: RUF012
        "beta": slider("position β", 0.5, 0.0, 1.0, 0.01),
        "separation": slider("separation of the means", 20.0, 0.0, 20.0, 0.5),
        "correlation": slider("correlation ρ", 0.85, -0.95, 0.95, 0.05),
        "n_steps": slider("steps K", 10, 2, 40, 1),
    }
    scenes = {  # noqa: RUF012
        "mirror images": {},
        "no correlation": {"correlation": 0.0},
        "forty steps": {"n_steps": 40},
        "close together": {"separation": 4.0},
    }
    plays = "beta"

    def make_axes(self, figure):
        plane, overlaps = figure.columns(1.5, 1)
        plane.set(xlim=(-21.5, 21.5), ylim=(-11.5, 18.5), xlabel="x₁", ylabel="x₂", yticks=(-10, 0, 10))
        meanings = {"start": "start", "target": "target", "geometric": "geometric", "moments": "moments"}
        artists.legend(plane, meanings, loc="upper center", ncols=2)
        overlaps.set(xlim=(0, 1), ylim=(0, 1.03), xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
        overlaps.set(xlabel="position β on the path", title="Overlap of neighbours")
        return [plane, overlaps]

    def draw(self, beta, separation, correlation, n_steps):
        plane, overlap_axes = self.axes
        ends = mirrored_gaussians(separation, correlation)
        betas = linear_schedule(n_steps)
        for name, end in zip(("start", "target"), ends, strict=True):
            contours(plane, name, end.mean, end.cov, name, linewidth=2.6)
            artists.marks(plane, f"{name} mean", *end.mean, name)
        sd, smallest, bias = {}, {}, {}
        for name, make_path in PATHS.items():
            here = make_path(*ends)(beta)
            means, overlaps, bias[name] = _along(name, separation, correlation, n_steps)
            means_along_path(plane, f"{name} means", means, name)
            contours(plane, name, here.mean, here.cov, name)
            _neighbour_overlaps(overlap_axes, name, betas, overlaps, name)
            sd[name], smallest[name] = np.sqrt(np.linalg.eigvalsh(here.cov)[-1]), overlaps.min()
        if abs(correlation) > 0.05:  # the long axes of the two ends, to where they meet
            depth = -np.sign(correlation) * separation / 2
            artists.curve(plane, "axes", [-separation / 2, 0, separation / 2], [0, depth, 0], "reference", linewidth=1)
        artists.curve(overlap_axes, "beta", [beta, beta], [0, 1.03], "reference", linewidth=1.6)
        plane.set_title(f"Intermediate distributions at β = {beta:.2f}")
        off_the_line = abs(PATHS["geometric"](*ends)(beta).mean[1])
        return Readout(
            _takeaway(beta, correlation, n_steps, off_the_line, sd, smallest, bias["moments"]),
            {
                "width (largest standard deviation)": f"geometric {sd['geometric']:.2f}, moments {sd['moments']:.2f}",
                "smallest overlap": f"geometric {smallest['geometric']:.3f}, moments {smallest['moments']:.3f}",
                "bias Σ KL": f"geometric {bias['geometric']:.2f}, moments {bias['moments']:.2f} nats",
            },
        )


def _neighbour_overlaps(ax, name, betas, overlaps, style):
    """Overlap (K,) of p(β_{k-1}) and p(β_k), drawn over the middle of each step of the schedule ``betas`` (K+1,)."""
    marker_size = 7 if len(overlaps) <= 16 else 4
    artists.line(ax, name, (betas[1:] + betas[:-1]) / 2, overlaps, **STYLES[style], markersize=marker_size)


def _takeaway(beta, correlation, n_steps, off_the_line, sd, smallest, bias) -> str:
    if beta in (0, 1):
        return "Here the two paths meet: they share their ends, and differ only in between."
    price = (
        f"Smallest overlaps in {n_steps} steps: {smallest['geometric']:.3f} and {smallest['moments']:.2f}; both lose "
        f"{bias:.1f} nats."
    )
    moments = f"{'stretches to' if sd['moments'] > np.sqrt(1 + abs(correlation)) else 'has'} {sd['moments']:.1f}"
    if correlation == 0:
        return (
            f"Both paths go straight: the geometric one keeps its width of 1.0, the moment path {moments}. {price}"
        )
    aside = f", {off_the_line:.1f} off the straight line" if off_the_line > 0 else ""
    return (
        f"The geometric path shrinks to a width of {sd['geometric']:.1f}{aside}; the moment path {moments}. {price}"
    )
