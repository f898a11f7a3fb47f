"""Pictures of faults: two outputs of which one is wrong, how loudly tests accuse, and who sees what."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import GREY, LectureFigure, projected

_LOUDEST = 20.0  # -log10 p beyond which all are alike
SOUND, FAULTY = "sound", "faulty"
"""Styles of an output that is right, or not known to be wrong, and of a wrong one."""


def window_of(answers: list[list[float]], truth: float) -> tuple[float, float]:
    """Ends of an axis that holds all answers but the most extreme ones, and the truth."""
    ends = np.array(answers, dtype=float)[:, 1:3]
    finite = ends[np.isfinite(ends)]
    low, high = np.quantile(finite, [0.1, 0.9])
    low, high = min(low, truth), max(high, truth)
    reach = 0.35 * (high - low) + 1e-3
    return float(low - reach), float(high + reach)


@projected()
def two_outputs(
    ax: Axes, pair: list[list[float]], wrong: int | None, truth: float | None, window: tuple[float, float]
) -> None:
    """A and B with their intervals; the wrong one is marked, and the truth drawn, where they are told.

    Parameters
    ----------
    ax : Axes
    pair : list of two lists
        Value, lower and upper end.
    wrong : int, optional
    truth : float, optional
    window : tuple
        Ends of the axis; what lies beyond is drawn at its edge.
    """
    low, high = window
    margin = 0.02 * (high - low)
    for i, (value, below, above, *_) in enumerate(pair):
        style, y = FAULTY if i == wrong else SOUND, 1.0 - i
        ends = np.clip([below, above], low + margin, high - margin)
        artists.level_bars(ax, f"bar {i} {style}", *ends, y, style, linestyle="-")
        artists.marks(ax, f"mark {i} {style}", np.clip(value, low + margin, high - margin), y, style, markersize=11)
    if truth is not None:
        artists.curve(ax, "truth", [truth, truth], [-0.6, 1.6], "truth")
    ax.set(yticks=[1, 0], yticklabels=["A", "B"], ylim=(-0.6, 1.6), xlim=window)
    ax.set(xlabel="estimate, 95% interval", title="two outputs" if wrong is None else f"{'AB'[wrong]} is wrong")


@projected()
def detections(ax: Axes, kinds: list[str], p_values: list[float | None], level: float, told: bool) -> None:
    """How small each test's p-value is, on a line from 1 to 10^-20; not told, the tests have no names and no marks."""
    rows = np.arange(len(kinds))[::-1]
    ax.set(yticks=rows, yticklabels=kinds if told else ["?"] * len(kinds))
    ax.set(ylim=(-0.6, len(kinds) - 0.4), xlim=(-1, _LOUDEST + 1))
    ax.set(xticks=[0, 5, 10, 15, 20], xticklabels=["1", "10⁻⁵", "10⁻¹⁰", "10⁻¹⁵", "less"])
    title = "the tests" if told else f"{len(kinds)} tests: ask them later"
    ax.set(xlabel="p-value: the smaller, the louder", title=title)
    at = -np.log10(level)
    artists.curve(ax, "level", [at, at], [-0.6, len(kinds) - 0.4], "reference")
    if not told:
        return
    loud = {k: min(_LOUDEST, -np.log10(max(p, 1e-300))) for k, p in zip(rows, p_values, strict=True) if p is not None}
    for style, chosen in ((FAULTY, [k for k in loud if loud[k] > at]), (SOUND, [k for k in loud if loud[k] <= at])):
        if chosen:
            x = np.array([loud[k] for k in chosen])
            artists.level_bars(ax, f"{style} from 0", np.zeros(len(x)), x, chosen, style, linestyle="-", marker="None")
            artists.marks(ax, style, x, chosen, style, markersize=10)
    for k, p in zip(rows, p_values, strict=True):
        if p is None:
            artists.words(ax, f"none {k}", 0.0, k, "not asked", color=GREY, fontsize=11, va="center")


@projected()
def who_sees_what(ax: Axes, faults: list[str], kinds: list[str], seen: list[list[bool | None]]) -> None:
    """A mark for each fault (row) that a kind of test (column) sees, a dot where it does not, nothing if not asked.

    Parameters
    ----------
    ax : Axes
    faults : list of n str
    kinds : list of m str
    seen : n lists of m
        True, False, or None where it cannot be asked.
    """
    rows = np.arange(len(faults))[::-1]
    for y in rows[1::2]:
        artists.band(ax, f"row {y}", [-0.6, len(kinds) - 0.4], [y - 0.5] * 2, [y + 0.5] * 2, "reference", alpha=0.1)
    for style, value in ((FAULTY, True), (SOUND, False)):
        at = [(j, row) for row, line in zip(rows, seen, strict=True) for j, v in enumerate(line) if v is value]
        if at:
            x, y = np.array(at).T
            artists.marks(ax, style, x, y, style, markersize=9 if value else 4)
    ax.set(yticks=rows, yticklabels=faults, ylim=(-0.7, len(faults) - 0.3), xlim=(-0.6, len(kinds) - 0.4))
    ax.set(xticks=range(len(kinds)))
    ax.set_xticklabels(kinds, rotation=40, ha="left")
    ax.xaxis.tick_top()
    ax.tick_params(length=0, labelsize=11)
    artists.legend(ax, {FAULTY: "seen", SOUND: "not seen"}, loc="lower center", ncols=2, bbox_to_anchor=(0.4, -0.08))


def tall_figure() -> LectureFigure:
    """For a table of some thirty rows, with room for their names and those of the columns."""
    return LectureFigure(10, 11)


def place_table(ax: Axes) -> None:
    """Leave room for the names of rows and columns of `who_sees_what`."""
    ax.set_position((0.29, 0.06, 0.58, 0.8))
