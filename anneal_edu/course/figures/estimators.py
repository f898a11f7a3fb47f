"""Errors of many estimators on several models, what they say of them, and how many rungs they need."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import STYLES, LectureFigure, projected

READINGS = {
    "RTS": "RTS",
    "MBAR, same run": "MBAR",
    "TI, same run": "TI",
    "RB-TI, same run": "RB-TI",
    "AIS, geometric": "AIS",
}
"""Styles of the curves against the number of rungs."""


@projected()
def named_columns(figure: LectureFigure, bottom: float) -> list[Axes]:
    """Three equal plots, with room for names of rows to the left of the first, and for a legend below."""
    axes = figure.columns(1, 1, 1)
    for ax, left in zip(axes, (0.19, 0.465, 0.74), strict=True):
        ax.set_position((left, bottom, 0.245, 0.93 - bottom))
    return axes


@projected()
def one_answer(ax: Axes, i: int, y: float, value: float, bar: float, low: float, high: float, style: str) -> None:
    """An estimate and its bar at height y, or an arrow at the edge that it lies beyond."""
    if low < value < high:
        ends = np.clip([value - bar, value + bar], low, high)
        artists.level_bars(ax, f"{style} bar {i}", *ends, y, style, markersize=7)
        artists.marks(ax, f"{style} {i}", value, y, style, markersize=8)
    else:
        part, shape, ha = (0.01, "<", "left") if value < low else (0.99, ">", "right")
        x = low + part * (high - low)
        artists.marks(ax, f"{style} beyond {i}", x, y, style, marker=shape, markersize=12, clip_on=False)
        artists.words(ax, f"{style} far {i}", x, y, f"     {value:.1f}     ".replace("-", "−"), ha=ha, va="center")


@projected()
def own_and_true_errors(axes: list[Axes], names: list[str], sizes: dict[str, np.ndarray]) -> None:
    """Own error bar and root mean square error of each estimator in nats, title → (n, 2), a plot for each model."""
    rows = np.arange(len(names))[::-1]
    for i, (ax, (title, pairs)) in enumerate(zip(axes, sizes.items(), strict=True)):
        own, true = pairs.T
        artists.level_bars(ax, "from one to the other", own, true, rows, "reference", marker="None", linewidth=1.4)
        artists.marks(ax, "own", own, rows, "own error")
        artists.marks(ax, "true", true, rows, "true error")
        low, high = pairs.min() / 1.6, pairs.max() * 1.6
        few = (0.02, 0.05, 0.1, 0.2, 0.5) if high < 1 else (0.01, 0.1, 1, 10, 100)
        ticks = [tick for tick in few if low <= tick <= high]
        artists.log_x(ax, "nats", ticks, (low, high))
        ax.set(yticks=rows, yticklabels=names if i == 0 else [], ylim=(-0.6, len(names) - 0.4), title=title)
    meanings = {"own error": "own error", "true error": "true error (RMSE)"}
    artists.legend(axes[1], meanings, loc="upper center", ncols=2, bbox_to_anchor=(0.3, -0.13), fontsize=11)


@projected()
def rmse_against_rungs(ax: Axes, rungs: list[int], errors: dict[str, list[np.ndarray]]) -> None:
    """Root mean square errors over the seeds, with bars of two standard errors, against the number of rungs.

    They are those of the mean of the squares, on the logarithmic axis; an error that all seeds share has short ones.
    """
    for i, (name, found) in enumerate(errors.items()):
        style, squares = READINGS[name], np.array(found) ** 2
        x, y = 1.03 ** (i - 2) * np.array(rungs), np.sqrt(squares.mean(1))
        reach = np.exp(squares.std(1, ddof=1) / np.sqrt(squares.shape[1]) / squares.mean(1))
        artists.line(ax, name, x, y, **STYLES[style] | {"linewidth": 2})
        artists.bars(ax, f"{name} bars", x, y / reach, y * reach, style, linewidth=1.2, markersize=5)
    ends = np.array([np.sqrt(np.square(found).mean(1)) for found in errors.values()])
    artists.log_x(ax, "number of temperatures", rungs, (rungs[0] / 1.25, rungs[-1] * 1.25))
    artists.log_y(ax, ends.min() / 1.7, ends.max() * 1.7, "root mean square error of log Ẑ (nats)")
    artists.legend(ax, {style: style for name, style in READINGS.items() if name in errors}, loc="upper right", ncols=2)
