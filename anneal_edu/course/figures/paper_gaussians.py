"""Grosse et al. 2013 between Gaussians: Figures 1 and 2, and pictures of the arguments of Sections 3 and 4."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.film import Film
from anneal_edu.course.figures.style import GREY, STYLES, projected

_HOLLOW = {"markerfacecolor": "white", "markersize": 9, "linewidth": 1.4}
_LARGE = 15  # points


@projected()
def contours(ax: Axes, name: str, mean: np.ndarray, cov: np.ndarray, style: str, **look) -> None:
    """The contours of a Gaussian at one and two standard deviations."""
    angle = np.linspace(0, 2 * np.pi, 121)
    circle = np.linalg.cholesky(cov) @ np.array([np.cos(angle), np.sin(angle)])  # (2, 121)
    gap = np.full((2, 1), np.nan)
    x, y = mean[:, None] + np.hstack([circle, gap, 2 * circle])
    artists.curve(ax, name, x, y, style, gaps=True, **look)


def rings(means: np.ndarray, covs: np.ndarray, size: float) -> np.ndarray:
    """Points of the rings of Gaussians at so many standard deviations, (T, 61, 2)."""
    angle = np.linspace(0, 2 * np.pi, 61)
    circle = size * np.column_stack([np.cos(angle), np.sin(angle)])
    return means[:, None] + circle @ np.linalg.cholesky(covs).swapaxes(1, 2)


def chains_on_the_way(film: Film, ax: Axes, style: str, ends, stops: list, x: np.ndarray, radius=2.6) -> None:
    """The two ends; and in motion the rings of the stop at each moment, the trace of its mean, and chains (T, C, 2)."""
    means, covs = np.array([stop.mean for stop in stops]), np.array([stop.cov for stop in stops])
    for name, end, side in zip(("start", "target"), ends, ("right", "left"), strict=True):
        contours(ax, name, end.mean, end.cov, name, linewidth=2.2)
        look = {"color": STYLES[name]["color"], "ha": side, "fontsize": 14}
        artists.words(ax, f"name of {name}", end.mean[0], end.mean[1] + 3.2, f" {name} ", **look)
    film.trails(ax, f"{style} means", means[:, 0], means[:, 1:], [STYLES["reference"]["color"]])
    film.dots(ax, f"{style} chains", *np.moveaxis(x, 2, 0), [STYLES[style]["color"]] * x.shape[1], radius)
    for size in (1, 2):
        film.curve(ax, f"{style} {size}", *np.moveaxis(rings(means, covs, size), 2, 0), style)


@projected()
def figure_one(ax: Axes, clouds: dict[str, tuple], means: dict[str, np.ndarray]) -> None:
    """Figure 1: contours of the ends and the intermediate distributions, and μ(β) along each path."""
    for style, (mean, cov) in clouds.items():
        contours(ax, style, mean, cov, style)
    for style, along in means.items():
        artists.line(ax, f"{style} means", *along.T, **STYLES[style], linewidth=1.2, markersize=4)
    ax.set(xlim=(-21, 21), ylim=(-12, 4), xlabel="x₁", ylabel="x₂")
    ax.set_aspect("equal")
    artists.legend(ax, {style: style for style in clouds}, loc="lower left", ncols=2)


@projected()
def figure_two(axes: list[Axes], n_steps: np.ndarray, runs: dict[str, dict[tuple[str, str], list]]) -> None:
    """Figure 2: log Ẑ with 95% intervals against the number of transitions; the truth is 0. Squeezed beyond a nat.

    A line joins the runs with a linear schedule; hollow markers, a little to the right, are those with another one.
    """
    for ax, (transitions, found) in zip(axes, runs.items(), strict=True):
        artists.curve(ax, "truth", [5, 3000], [0, 0], "truth", zorder=1)
        for (style, schedule), results in found.items():
            linear = schedule == "linear"
            x, log_z = np.asarray(n_steps) * (1 if linear else 1.12), [result.log_z for result in results]
            intervals = np.array([result.interval() for result in results])
            artists.bars(ax, f"{style} {schedule} bars", x, *intervals.T, style, linewidth=1.4, markersize=7)
            look = STYLES[style] if linear else STYLES[style] | _HOLLOW | {"linestyle": "None"}
            artists.line(ax, f"{style} {schedule}", x, log_z, **look)
        artists.log_x(ax, "number of transitions K", n_steps, (9, 1500))
        ax.set_xticklabels([f"{n}" for n in n_steps])
        artists.squeezed_y(ax, 1.0, (-30, -10, -3, -1, 0, 1), -120, 4)
        ax.set_title(f"log Ẑ, {transitions} transitions", fontsize=_LARGE)
        ax.tick_params(labelsize=_LARGE)
        ax.xaxis.label.set_size(_LARGE)
    looks = {style: STYLES[style] for found in runs.values() for style, _ in found}
    looks["truth"] = STYLES["truth"] | {"marker": "None"}
    marks = {"linear schedule": {"linestyle": "-"}, "optimal binned": _HOLLOW | {"linestyle": "None"}}
    for ax, meanings in ((axes[0], looks), (axes[-1], marks)):
        handles = [
            Line2D([], [], label=name, **{"color": GREY, "marker": "o"} | look) for name, look in meanings.items()
        ]
        ax.legend(handles=handles, loc="lower right", fontsize=_LARGE)


@projected()
def objective_rises(ax: Axes, change: np.ndarray, rises: dict[str, np.ndarray], labels: dict[str, str]) -> None:
    """How far an objective rises when the width is multiplied by 2^change, (n,) a style; the minimum is marked."""
    for style, rise in rises.items():
        artists.curve(ax, style, change, rise, style)
        lowest = int(np.argmin(rise))
        artists.marks(ax, f"{style} lowest", change[lowest], rise[lowest], style, markersize=11)
    top = 1.05 * max(rise.max() for rise in rises.values())
    artists.curve(ax, "no change", [0, 0], [-top, top], "reference", linewidth=1.4, zorder=1)
    ax.set(xlim=(change[0], change[-1]), ylim=(-0.05 * top, top), title="Rise of the objective (nats)")
    ax.set_xlabel("change of width: −1 is half as wide, +1 twice as wide")
    artists.legend(ax, labels, loc="upper center")


@projected()
def along_path(ax: Axes, betas: np.ndarray, values: dict[str, np.ndarray], title: str) -> None:
    """One number (n,) of every distribution along each path, against β (n,)."""
    for style, value in values.items():
        artists.curve(ax, style, betas, value, style)
    ax.set(xlim=(0, 1), ylim=(-1.05, 1.05), xlabel="position β", title=title)
    artists.legend(ax, {style: style for style in values}, loc="lower right")


@projected()
def walkable(axes: list[Axes], x: np.ndarray, middles: dict[str, np.ndarray], log_z: dict[str, dict]) -> None:
    """The middle of each path, and log Ẑ along it with perfect transitions and with a random walk; the truth is 0.

    The axis of log Ẑ is linear within one nat of the truth and logarithmic beyond, and each walk has its number.
    """
    left, right = axes
    for style, density in middles.items():
        artists.curve(left, style, x, density, style)
    left.set(xlim=(x[0], x[-1]), ylim=(0, 0.62), xlabel="x", title="The middle of each path")
    names = {"geometric": "geometric", "moments": "moments", "Hellinger": "great circle"}
    artists.legend(left, names, loc="upper left")
    artists.curve(right, "truth", [-1, 3], [0, 0], "truth")
    artists.words(right, "truth words", -0.45, 0.25, "truth: log Z = 0", fontsize=12)
    for i, (style, found) in enumerate(log_z.items()):
        artists.marks(right, f"{style} perfect", i - 0.2, found["perfect"], "truth", markersize=15)
        miss = found["random walk"]
        artists.marks(right, f"{style} walk", i + 0.2, miss, style, markersize=12)
        place = {"y": miss - max(0.2, 0.7 * abs(miss)), "ha": "center", "va": "top", "fontsize": 13}  # below its mark
        artists.words(right, f"{style} words", i + 0.2, text=f"{miss:.1f}".replace("-", "−"), **place)
    right.set(xlim=(-0.5, 2.5), xticks=range(3), xticklabels=[names[style] for style in log_z])
    artists.squeezed_y(right, 1.0, (-100, -10, -1, 0, 1), -900, 3)
    right.set_title("log Ẑ: perfect ★, random walk ● ■ ◆")


@projected()
def in_each_bin(ax: Axes, edges: np.ndarray, values: dict[str, np.ndarray], title: str) -> None:
    """A number of each path (J,) for each bin of β between the edges (J + 1,)."""
    for style, value in values.items():
        artists.histogram(ax, style, value, edges, style)
    ax.set(xlim=(0, 1), ylim=(0, 1.05 * max(value.max() for value in values.values())), xlabel="β", title=title)
    artists.legend(ax, {style: style for style in values}, loc="upper center")
