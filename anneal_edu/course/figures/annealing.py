"""Annealed importance sampling: estimates against the number of steps, and along a path."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.ais_trace import N_STOPS, Stop
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.images import beside_pictures, image_grid
from anneal_edu.course.figures.style import STYLES, LectureFigure, projected


@projected()
def estimates(ax: Axes, name: str, n_steps: np.ndarray, log_z: np.ndarray, intervals: np.ndarray, style: str) -> None:
    """Estimates log Ẑ (n,) with intervals (n, 2) against the number of steps K (n,)."""
    artists.bars(ax, f"{name} intervals", n_steps, *np.transpose(intervals), style)
    artists.line(ax, name, n_steps, log_z, **STYLES[style])


@projected()
def pictures_and_curves(figure: LectureFigure, shown: int, columns: int, title: str) -> list[Axes]:
    """Axes with two empty grids of pictures, and right of them plots of shares and of misses over a path's β."""
    axes = beside_pictures(figure, 2, 0.265, room=0.65, plots=2)
    for ax in axes[:2]:
        image_grid(ax, "pictures", np.zeros((shown, 784)), columns)
    for ax in axes[2:]:
        ax.set(xlim=(-0.04, 1.34), xticks=(0, 0.5, 1))
    axes[2].set(ylim=(-0.18, 1.18), yticks=(0, 0.5, 1), title=title)
    axes[3].set(ylim=(-10, 3), xlabel="position β", title="log Ẑ − log Z (nats)")
    axes[3].set_yticks((-10, -5, 0), ("−10", "−5", "exact"))
    return axes


@projected()
def so_far(ax: Axes, name: str, values, style: str, label: str = "", va: str = "center") -> None:
    """Values at the stops of a path up to the present one, inside of the limits, and a label there."""
    betas, values = np.arange(len(values)) / N_STOPS, np.clip(values, *ax.get_ylim())
    artists.curve(ax, name, betas, values, style)
    artists.marks(ax, f"{name} now", betas[-1], values[-1], style, markersize=10)
    at = 5 if len(label) > 6 and betas[-1] > 0.8 else -1  # a long label stays in the picture
    y = values[at] + {"top": -0.02, "center": 0.0, "bottom": 0.02}[va] * np.ptp(ax.get_ylim())
    look = {"color": STYLES[style]["color"], "va": va, "weight": "bold"}
    artists.words(ax, f"{name} label", betas[at] + 0.03, y, label, **look)


@projected()
def misses(ax: Axes, name: str, stops: list[Stop], style: str, va: str | None = None) -> None:
    """log Ẑ - log Z of a run with its 95% intervals, up to the present stop."""
    artists.curve(ax, "exact", ax.get_xlim(), [0, 0], "truth")
    low, high = np.clip(np.transpose([stop.interval for stop in stops]), *ax.get_ylim())
    artists.bars(ax, f"{name} bars", np.arange(len(stops)) / N_STOPS, low, high, style, markersize=5, linewidth=1.6)
    found = [stop.miss for stop in stops]
    label = f"{round(found[-1], 1) + 0:+.{int(found[-1] > -50)}f}".replace("-", "−")
    so_far(ax, name, found, style, label, va or ("bottom" if 0 <= found[-1] < 1.5 else "top"))
