"""Errors of many estimators on several models, and what they say of them."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import GREY, LectureFigure, projected

LOW, HIGH, NEITHER = "errs low", "errs high", "errs either way"
"""Styles of estimators that err downwards, upwards, and on no known side."""
SIDES = {LOW: "errs low", HIGH: "errs high", NEITHER: "neither", "truth": "exact log Z"}


@projected()
def named_columns(figure: LectureFigure, bottom: float) -> list[Axes]:
    """Three equal plots, with room for names of rows to the left of the first, and for a legend below."""
    axes = figure.columns(1, 1, 1)
    for ax, left in zip(axes, (0.19, 0.465, 0.74), strict=True):
        ax.set_position((left, bottom, 0.245, 0.93 - bottom))
    return axes


@projected()
def errors_of_models(
    axes: list[Axes], names: list[str], styles: list[str], errors: dict[str, np.ndarray], reach: tuple[float, ...]
) -> None:
    """log Ẑ - log Z ± 2 own standard errors, title → (n, 2): a row for each estimator and a plot for each model."""
    rows = np.arange(len(names))[::-1]
    for i, (ax, (title, found), edge) in enumerate(zip(axes, errors.items(), reach, strict=True)):
        ax.hlines(rows, -edge, edge, color=GREY, linewidth=0.4, zorder=0)
        artists.curve(ax, "exact", [0, 0], [-0.6, len(names) - 0.4], "truth")
        for row, style, (value, bar) in zip(rows, styles, found, strict=True):
            if abs(value) > edge:
                look = {"marker": "<" if value < 0 else ">", "markersize": 11}
                artists.marks(ax, f"beyond {row}", 0.97 * np.sign(value) * edge, row, style, **look)
                beside = {"ha": "left" if value < 0 else "right", "va": "center", "fontsize": 11}
                artists.words(ax, f"how far {row}", 0.9 * np.sign(value) * edge, row, f"{value:+.0f}", **beside)
                continue
            low, high = np.clip([value - 2 * bar, value + 2 * bar], -edge, edge)
            artists.level_bars(ax, f"bar {row}", low, high, row, style, markersize=7)
            artists.marks(ax, f"mark {row}", value, row, style)
        ax.set(yticks=rows, yticklabels=names if i == 0 else [], ylim=(-0.6, len(names) - 0.4), xlim=(-edge, edge))
        ax.set_title(title)
    artists.legend(axes[1], SIDES, loc="upper center", ncols=4, bbox_to_anchor=(0.3, -0.07), fontsize=11)


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
    meanings = {"own error": "own error bar", "true error": "true error (RMSE)"}
    artists.legend(axes[1], meanings, loc="upper center", ncols=2, bbox_to_anchor=(0.3, -0.13), fontsize=11)
