"""Which kinds of test detect which fault."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import LectureFigure, projected

SOUND, FAULTY = "sound", "faulty"
"""Styles of an output that is right, or not known to be wrong, and of a wrong one."""


@projected()
def who_sees_what(ax: Axes, faults: list[str], kinds: list[str], seen: list[list[bool | None]]) -> None:
    """A mark for each fault (row) that a kind of test (column) sees, a dot for False, nothing for None."""
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
