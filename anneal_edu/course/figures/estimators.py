"""Many estimates of one log Z: side by side with their error bars and warnings, and against the number of rungs."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import GREY, STYLES, LectureFigure, projected

LOW, HIGH, NEITHER = "errs low", "errs high", "errs either way"
"""Styles of estimators that err downwards, upwards, and on no known side."""
SIDES = {LOW: "errs low", HIGH: "errs high", NEITHER: "neither", "truth": "exact log Z"}
READINGS = {
    "RTS": "RTS",
    "MBAR, same run": "MBAR",
    "TI, same run": "TI",
    "RB-TI, same run": "RB-TI",
    "AIS, geometric": "AIS",
}
"""Styles of the curves against the number of rungs."""


@projected()
def side_by_side(
    axes: list[Axes],
    names: list[str],
    estimates: np.ndarray,
    warnings: list[str],
    styles: list[str],
    window: tuple[float, float],
    exact: float | None = None,
    close: tuple[float, float] | None = None,
) -> None:
    """One row for each estimator: its estimate ± 2 standard errors on the left, the same numbers and its warnings.

    Parameters
    ----------
    axes : list of two Axes
        A plot and a plain one for words.
    names : list of n str
    estimates : (n, 2) array
        log Ẑ and standard error; NaN for no answer.
    warnings : list of n str
    styles : list of n str
        Keys of `SIDES`.
    window : tuple
        Ends of the axis; estimates beyond it are drawn as arrows at its edge.
    exact : float, optional
    close : tuple, optional
        Ends of a grey band.
    """
    ax, text = axes
    inches = text.get_window_extent().width / ax.get_figure().dpi
    roomy = inches > 4.2  # else the warnings, and no numbers
    rows = np.arange(len(names))[::-1]
    low, high = window
    for style in dict.fromkeys(styles):
        chosen = [i for i, s in enumerate(styles) if s == style and np.isfinite(estimates[i]).all()]
        inside = [i for i in chosen if low <= estimates[i, 0] <= high]
        if inside:
            value, error = estimates[inside].T
            ends = np.maximum(value - 2 * error, low), np.minimum(value + 2 * error, high)
            artists.level_bars(ax, f"{style} bars", *ends, rows[inside], style, markersize=14)
            artists.marks(ax, style, value, rows[inside], style, markersize=6)
        for side, edge, shape in (("left", low, "<"), ("right", high, ">")):
            beyond = [i for i in chosen if (estimates[i, 0] < low if side == "left" else estimates[i, 0] > high)]
            if beyond:
                x = np.full(len(beyond), edge + (0.015 if side == "left" else -0.015) * (high - low))
                artists.marks(ax, f"{style} {side}", x, rows[beyond], style, marker=shape, markersize=12)
    if exact is not None:
        artists.curve(ax, "exact", [exact, exact], [-0.6, len(names) - 0.4], "truth")
    if close is not None:
        artists.band(ax, "close", np.array(close), [-0.6] * 2, [len(names) - 0.4] * 2, "truth", alpha=0.13)
    for i, row in enumerate(rows):
        value, error = estimates[i]
        number = f"{value:.2f} ± {2 * error:.2f}" if np.isfinite([value, error]).all() else "no answer"
        at = {"va": "center", "transform": text.transData}
        if roomy:
            artists.words(text, f"number {i}", 1.55, row, number, ha="right", **at)
        artists.words(text, f"warning {i}", 1.7 * roomy, row, warnings[i] or "–", color=GREY, fontsize=11, **at)
    ax.set(yticks=rows, yticklabels=names, ylim=(-0.6, len(names) - 0.4), xlim=window)
    ax.set(title="log Ẑ ± 2 own errors", xlabel="nats")
    text.set(xlim=(0, inches), ylim=ax.get_ylim())
    text.set_title("the same, ± 2 own errors, and warnings" if roomy else "warnings")


@projected()
def key_below(figure: LectureFigure, told: bool) -> None:
    """What the looks of `SIDES` mean, in one line below all plots; of the truth only where it is told."""
    sides = {style: meaning for style, meaning in SIDES.items() if told or style != "truth"}
    if [text.get_text() for legend in figure.legends for text in legend.get_texts()] != list(sides.values()):
        for legend in list(figure.legends):
            legend.remove()
        handles = [Line2D([], [], label=meaning, **STYLES[style]) for style, meaning in sides.items()]
        figure.legend(handles=handles, loc="lower center", ncols=len(handles), fontsize=11)


@projected()
def rmse_against_rungs(
    ax: Axes, rungs: list[int], errors: dict[str, list[np.ndarray]], chosen: int
) -> None:
    """Root mean square errors over the seeds, with bars of two standard errors, against the number of rungs.

    They are those of the mean of the squares, on the logarithmic axis; an error that all seeds share has short ones.

    Parameters
    ----------
    ax : Axes
    rungs : list of n int
    errors : dict
        Name from `READINGS` → n arrays, the errors of the seeds that gave an answer.
    chosen : int
        The number of rungs to mark.
    """
    low, high, top = np.inf, 0.0, 0.0
    for i, (name, found) in enumerate(errors.items()):
        style, nudge = READINGS[name], 1.03 ** (i - 2)
        answered = {n: e**2 for n, e in zip(rungs, found, strict=True) if e.size}
        x, y = nudge * np.array([*answered]), np.sqrt([squares.mean() for squares in answered.values()])
        reach = np.exp([s.std(ddof=1) / np.sqrt(s.size) / s.mean() for s in answered.values()])
        artists.line(ax, name, x, y, **STYLES[style] | {"linewidth": 2})
        artists.bars(ax, f"{name} bars", x, y / reach, y * reach, style, linewidth=1.2, markersize=5)
        low, high = min(low, y.min()), max(high, y.max())
        top = max(top, *(y * reach)[x == nudge * chosen])
    look = {"linestyle": "-", "linewidth": 9, "alpha": 0.25}
    artists.curve(ax, "chosen", [chosen, chosen], [low / 2, 1.15 * top], "reference", **look)
    artists.log_x(ax, "number of temperatures", rungs, (rungs[0] / 1.25, rungs[-1] * 1.25))
    artists.log_y(ax, low / 1.7, high * 1.7, "root mean square error of log Ẑ (nats)")


@projected()
def one_seed(
    ax: Axes, errors: dict[str, tuple[float, float] | None], title: str, limits: tuple[float, float]
) -> None:
    """log Ẑ - log Z ± 2 of its own standard errors for every name of `READINGS`, and the truth at 0."""
    names = list(errors)
    rows = np.arange(len(names))[::-1]
    for row, (name, found) in zip(rows, errors.items(), strict=True):
        if found is None:
            artists.words(ax, f"{name} none", 0.0, row, "no answer", ha="center", va="bottom", color=GREY)
            continue
        value, error = found
        span = [value - 2 * error, value + 2 * error]
        artists.level_bars(ax, f"{name} bar", *span, row, READINGS[name])
        artists.marks(ax, name, value, row, READINGS[name], markersize=9)
    artists.curve(ax, "exact", [0, 0], [-0.6, len(names) - 0.4], "truth")
    ax.set(yticks=rows, yticklabels=[name.split(",")[0] for name in names], ylim=(-0.6, len(names) - 0.4))
    ax.set(xlim=limits, xlabel="log Ẑ − log Z, ± 2 own errors", title=title)


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
    """log Ẑ - log Z ± 2 own standard errors, a row for each estimator and a plot for each model.

    Parameters
    ----------
    axes : list of m Axes
    names : list of n str
    styles : list of n str
        Keys of `SIDES`.
    errors : dict
        Title → (n, 2) array of errors and error bars, for m models.
    reach : tuple of m floats
        Half the width of each plot; what lies beyond becomes an arrow at its edge, with its error beside it.
    """
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
    """What each estimator says of its error, and how large it is, both in nats.

    Parameters
    ----------
    axes : list of m Axes
    names : list of n str
    sizes : dict
        Title → (n, 2) array of own error bars and root mean square errors, for m models.
    """
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
