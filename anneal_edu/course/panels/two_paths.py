"""Grosse et al. 2013, Figure 1, in motion."""

from functools import lru_cache

import numpy as np

from anneal_edu import Gaussian, geometric_path, gibbs, linear_schedule, moment_path
from anneal_edu.course.figures.cached import CachedFigure
from anneal_edu.course.figures.film import Film
from anneal_edu.course.figures.paper_gaussians import chains_on_the_way
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, slider

PATHS = {"geometric": geometric_path, "moments": moment_path}
TITLES = {"geometric": "Geometric path", "moments": "Moment path"}
EXACT, GIBBS = "exact draws", "Gibbs, 25 sweeps"
N_CHAINS, N_STOPS, STRIDE = 150, 101, 4


def mirrored_gaussians(separation: float, correlation: float) -> tuple[Gaussian, Gaussian]:
    """The ends of Grosse et al. 2013, Figure 1: unit variances, opposite means and opposite correlations."""
    half = separation / 2
    return (
        Gaussian([-half, 0.0], [[1.0, -correlation], [-correlation, 1.0]]),
        Gaussian([half, 0.0], [[1.0, correlation], [correlation, 1.0]]),
    )


def planes(figure: CachedFigure, *widths: float) -> list:
    """Two planes, one above the other in the first column, and the Axes of the other columns."""
    whole, *others = figure.columns(*widths)
    above, below = whole.get_subplotspec().subgridspec(2, 1, hspace=0.22, height_ratios=(1.4, 1)).subplots(sharex=True)
    whole.remove()
    below.set_xlabel("x₁")
    for ax in (above, below):
        ax.set_ylabel("x₂", labelpad=0)
    return [above, below, *others]


@lru_cache(maxsize=64)
def _along(name: str, separation: float, correlation: float, moves: str) -> tuple[list[Gaussian], np.ndarray]:
    """The distributions at 101 β and chains there, (T, C, 2): exact draws or Gibbs sweeps."""
    path = PATHS[name](*mirrored_gaussians(separation, correlation))
    stops = [path(beta) for beta in linear_schedule(N_STOPS - 1)]
    rng = np.random.default_rng(16)
    noise = rng.standard_normal((N_CHAINS, 2))  # the same for all
    x = np.array([stop.mean + noise @ np.linalg.cholesky(stop.cov).T for stop in stops])
    if moves == GIBBS:
        for now in range(STRIDE, N_STOPS, STRIDE):
            x[now] = gibbs(stops[now], x[now - STRIDE], rng)
            for part in range(1, STRIDE):  # on the way
                x[now - part] = (part * x[now - STRIDE] + (STRIDE - part) * x[now]) / STRIDE
    return stops, x


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
    }
    plays = "beta"

    def make_axes(self, figure):
        return planes(figure, 1)

    def draw(self, beta, separation, correlation, moves):
        now = round(beta * (N_STOPS - 1))
        film, ends, sd, lag = Film(now, rate=20.0), mirrored_gaussians(separation, correlation), {}, {}
        tall = 4.5 + max(8.1, 3.5 + 2.5 * abs(correlation) + abs(correlation) * separation / 2)
        for ax, name in zip(self.axes, PATHS, strict=True):
            stops, x = _along(name, separation, correlation, moves)
            chains_on_the_way(film, ax, name, ends, stops, x)
            cov = stops[now].cov
            off = np.linalg.solve(np.linalg.cholesky(cov), x[now].mean(0) - stops[now].mean)
            widths = np.sqrt(np.linalg.eigvalsh([stop.cov for stop in stops])[:, -1])
            lag[name], sd[name] = np.linalg.norm(off), widths[now]
            half = np.abs(_along("moments", separation, correlation, EXACT)[1][..., 0]).max() + 0.5
            low = (-tall / 2, 4.5 - tall, -4.5)[int(np.sign(correlation))]
            limits = (low, low + tall) if name == "geometric" else (-tall / 2.8, tall / 2.8)  # on the same scale
            ax.set(xlim=(-half, half), ylim=limits)
            ax.set_title(f"{TITLES[name]}; grey: its mean so far")
            said = [f"width {width:.1f}" for width in widths]
            film.words(ax, "width", half - 0.5, limits[0] + 0.06 * np.ptp(limits), said, align="right")
        off_the_line = abs(_along("geometric", separation, correlation, moves)[0][now].mean[1])
        wide = f"geometric {sd['geometric']:.2f}, moments {sd['moments']:.2f}"
        away = f"geometric {lag['geometric']:.1f}, moments {lag['moments']:.1f} standard deviations"
        readout = {"width (largest standard deviation)": wide, "chains' mean, from the exact one": away}
        return Readout(_takeaway(beta, correlation, moves, off_the_line, sd, lag), readout, film)


def _takeaway(beta, correlation, moves, off_the_line, sd, lag) -> str:
    if beta == 0:
        return "Two paths lead from the left Gaussian to the right one. Where does each of them go, and how wide is it?"
    if beta == 1 and moves == EXACT:
        return "Here the two paths meet: they share their ends, and differ only in between."
    if moves == GIBBS and max(lag.values()) > 2:
        lost, other = max(lag, key=lag.__getitem__), min(lag, key=lag.__getitem__)
        off = f"lost on the {TITLES[lost].lower()}: they are {lag[lost]:.0f} standard deviations off"
        return f"Gibbs chains are {off}. On the {TITLES[other].lower()} they keep up."
    moments = f"{'stretches to' if sd['moments'] > np.sqrt(1 + abs(correlation)) else 'has'} {sd['moments']:.1f}"
    if correlation == 0:
        return f"Both paths go straight: the geometric one keeps its width of 1.0, the moment path {moments}."
    aside = f", {off_the_line:.1f} off the straight line" if off_the_line > 0 else ""
    return f"The geometric path shrinks to a width of {sd['geometric']:.1f}{aside}; the moment path {moments}."
