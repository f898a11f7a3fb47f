"""Grosse et al. 2013, Figure 1, in motion."""

from functools import lru_cache

import numpy as np

from anneal_edu import Gaussian, geometric_path, gibbs, linear_schedule, moment_path
from anneal_edu.course.figures.film import Film
from anneal_edu.course.figures.paper_gaussians import contours, rings
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, slider

PATHS = {"geometric": geometric_path, "moments": moment_path}
EXACT, GIBBS = "exact draws", "Gibbs, 25 sweeps"
N_CHAINS, N_STOPS, STRIDE = 150, 101, 4


def mirrored_gaussians(separation: float, correlation: float) -> tuple[Gaussian, Gaussian]:
    """The ends of Grosse et al. 2013, Figure 1: unit variances, opposite means and opposite correlations."""
    half = separation / 2
    return (
        Gaussian([-half, 0.0], [[1.0, -correlation], [-correlation, 1.0]]),
        Gaussian([half, 0.0], [[1.0, correlation], [correlation, 1.0]]),
    )


@lru_cache(maxsize=64)
def _along(name: str, separation: float, correlation: float, moves: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """At 101 β: means (T, 2), covariances (T, 2, 2) and chains (T, C, 2), exact draws or Gibbs sweeps."""
    stops = [PATHS[name](*mirrored_gaussians(separation, correlation))(beta) for beta in linear_schedule(N_STOPS - 1)]
    means, covs = np.array([stop.mean for stop in stops]), np.array([stop.cov for stop in stops])
    rng = np.random.default_rng(0)
    x = means[:, None] + rng.standard_normal((N_CHAINS, 2)) @ np.linalg.cholesky(covs).swapaxes(1, 2)  # one noise
    if moves == GIBBS:
        for now in range(STRIDE, N_STOPS, STRIDE):
            x[now] = gibbs(stops[now], x[now - STRIDE], rng)
            for part in range(1, STRIDE):  # on the way
                x[now - part] = (part * x[now - STRIDE] + (STRIDE - part) * x[now]) / STRIDE
    return means, covs, x


class TwoPaths(Panel):
    """The geometric and the moment path between two Gaussians whose correlations mirror each other.

    Controls: ``beta``, ``separation`` of the means, ``correlation`` ρ (-ρ at the start, ρ at the target) and ``moves``:
    chains that are exact draws at every β, or that make one Gibbs sweep at each of 25 stops.
    """

    title = "Two paths between two Gaussians"
    picture = (
        "Two planes, above the geometric and below the moment path. Each shows start and target as rings, at one and "
        "two standard deviations, the rings of the distribution at β, the trace of its mean, and 150 chains."
    )
    size = (12.0, 5.6)
    controls = {  # noqa: RUF012
        "beta": slider("position β", 0.0, 0.0, 1.0, 0.01),
        "separation": slider("separation of the means", 20.0, 0.0, 20.0, 0.5),
        "correlation": slider("correlation ρ", 0.85, -0.95, 0.95, 0.05),
        "moves": choice("moves", EXACT, (EXACT, GIBBS)),
    }
    scenes = {  # noqa: RUF012
        "which way?": {},
        "halfway": {"beta": 0.5},
        "no correlation": {"beta": 0.5, "correlation": 0.0},
        "with Gibbs": {"beta": 1.0, "moves": GIBBS},
        "close together": {"beta": 0.5, "separation": 4.0},
    }
    plays = "beta"

    def make_axes(self, figure):
        (whole,) = figure.columns(1)
        planes = whole.get_subplotspec().subgridspec(2, 1, hspace=0.22).subplots(sharex=True)
        whole.remove()
        planes[1].set_xlabel("x₁")
        return list(planes)

    def draw(self, beta, separation, correlation, moves):
        now, film = round(beta * (N_STOPS - 1)), Film(round(beta * (N_STOPS - 1)), rate=20.0)
        ends, sd, lag = mirrored_gaussians(separation, correlation), {}, {}
        deep = 2.5 + abs(correlation) * separation / 2
        for ax, name in zip(self.axes, PATHS, strict=True):
            means, covs, x = _along(name, separation, correlation, moves)
            for style, end in zip(("start", "target"), ends, strict=True):
                contours(ax, style, end.mean, end.cov, style, linewidth=2.2)
            film.trails(ax, f"{name} means", means[:, 0], means[:, 1:], [STYLES["reference"]["color"]])
            film.dots(ax, f"{name} chains", *np.moveaxis(x, 2, 0), [STYLES[name]["color"]] * N_CHAINS, radius=2.6)
            for size in (1, 2):
                around = rings(means, covs, size)
                film.curve(ax, f"{name} {size}", *np.moveaxis(around, 2, 0), name)
            off = np.linalg.solve(np.linalg.cholesky(covs[now]), x[now].mean(0) - means[now])
            lag[name], sd[name] = np.linalg.norm(off), np.sqrt(np.linalg.eigvalsh(covs[now])[-1])
            below = deep if name == "geometric" and correlation > 0 else 4.5
            above = deep if name == "geometric" and correlation < 0 else 4.5
            half = np.abs(around[..., 0]).max() + 0.5
            ax.set(xlim=(-half, half), ylim=(-below, above))
            ax.set_ylabel("x₂", labelpad=0)
            ax.set_title({"geometric": "Geometric path", "moments": "Moment path"}[name] + f", β = {beta:.2f}")
        off_the_line = abs(_along("geometric", separation, correlation, moves)[0][now, 1])
        return Readout(
            _takeaway(beta, correlation, moves, off_the_line, sd, lag),
            {
                "width (largest standard deviation)": f"geometric {sd['geometric']:.2f}, moments {sd['moments']:.2f}",
                "chains' mean, from the exact one": f"geometric {lag['geometric']:.1f}, moments {lag['moments']:.1f} "
                "standard deviations",
            },
            film,
        )


def _takeaway(beta, correlation, moves, off_the_line, sd, lag) -> str:
    if beta == 0:
        return "Two paths lead from the left Gaussian to the right one. Where does each of them go, and how wide is it?"
    if beta == 1 and moves == EXACT:
        return "Here the two paths meet: they share their ends, and differ only in between."
    if moves == GIBBS and max(lag.values()) > 2:
        lost, other = max(lag, key=lag.__getitem__), min(lag, key=lag.__getitem__)
        named = {"geometric": "the geometric path", "moments": "the moment path"}
        return (
            f"Gibbs chains are lost on {named[lost]}: they are {lag[lost]:.0f} standard deviations off. On "
            f"{named[other]} they keep up."
        )
    moments = f"{'stretches to' if sd['moments'] > np.sqrt(1 + abs(correlation)) else 'has'} {sd['moments']:.1f}"
    if correlation == 0:
        return f"Both paths go straight: the geometric one keeps its width of 1.0, the moment path {moments}."
    aside = f", {off_the_line:.1f} off the straight line" if off_the_line > 0 else ""
    return f"The geometric path shrinks to a width of {sd['geometric']:.1f}{aside}; the moment path {moments}."
