"""Two outputs, one of them wrong: which? And which tests would have told?"""

import numpy as np

from anneal_edu.course.bugs import FAULTS
from anneal_edu.course.bugs.table import Row, cheapest_for, faulty_rows
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.bugs import FAULTY, SOUND
from anneal_edu.course.figures.style import GREY, STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, named

HIDDEN, SHOWN = "hidden", "shown"


def wrong_one(fault: str) -> int:
    """Which of the two outputs has the fault, 0 or 1, as if by a coin."""
    return int(np.random.Generator(np.random.PCG64([list(FAULTS).index(fault), 2])).integers(2))


def row_of(fault: str) -> Row:
    """The stored row of a fault."""
    return next(row for row in faulty_rows() if row.fault == fault)


class WhichIsWrong(Panel):
    """Twelve runs of a right algorithm and of the same with one fault, and which of ten kinds of test see the fault.

    Stored runs; ``python -m anneal_edu.course.bugs.table`` makes them. Controls: ``fault``; ``truth``, hidden or shown.
    """

    title = "Which of the two is wrong?"
    picture = (
        "Two plots, A and B: twelve estimates each with their 95% intervals; one of the two algorithms has a fault. "
        "With the truth, intervals that miss it are orange. At the right stand ten kinds of test; those that see the "
        "fault are marked."
    )
    size = (12.0, 5.0)
    controls = {  # noqa: RUF012
        "fault": named("fault", "both layers from the old state", tuple(FAULTS)),
        "truth": choice("truth and tests", HIDDEN, (HIDDEN, SHOWN)),
    }
    scenes = {  # noqa: RUF012
        "which one?": {},
        "the truth": {"truth": SHOWN},
        "bars too short": {"fault": "one noise for all chains", "truth": SHOWN},
        "only the matrix sees it": {"fault": "tag turns when accepted", "truth": SHOWN},
        "nobody sees it": {"fault": "β and 1-β", "truth": SHOWN},
    }

    def make_axes(self, figure):
        (width, height), axes = figure.get_size_inches(), figure.columns(1, 1, 1)
        plot = (width - 3.8) / 2
        for ax, left, wide in zip(axes, (0.3, plot + 0.7, 2 * plot + 1.3), (plot, plot, 2.3), strict=True):
            ax.set_position((left / width, 0.75 / height, wide / width, 1 - 1.25 / height))
        for ax in axes[:2]:
            ax.set(yticks=[], ylim=(-0.6, 12.8), xlabel="log Ẑ, 95% intervals")
        axes[2].set(ylim=(-11, 0.9), xlim=(0, 1))
        axes[2].set_axis_off()
        return axes

    def draw(self, fault, truth):
        row, told = row_of(fault), truth == SHOWN
        outputs = [row.right_runs, row.right_runs]
        outputs[wrong_one(fault)] = row.runs
        low, high = _window_of(row)
        for ax, letter, runs in zip(self.axes, "AB", outputs, strict=False):
            value, below, above = np.array(runs)[:, :3].T
            missed = told & ((row.truth < below) | (row.truth > above))
            for style, which in ((FAULTY, missed), (SOUND, ~missed)):
                if which.any():
                    x, *ends = np.clip([value[which], below[which], above[which]], low, high)
                    y = 11 - np.flatnonzero(which)
                    artists.level_bars(ax, f"{style} bars", *ends, y, style, linestyle="-", linewidth=2.5)
                    artists.marks(ax, style, x, y, style, marker="o", markersize=7)
            if told:
                artists.curve(ax, "truth", [row.truth] * 2, [-0.6, 11.7], "truth")
                artists.words(ax, "the truth", row.truth, 11.8, "truth", ha="center", va="bottom", fontsize=12)
            ax.set_xlim(low, high)
            hits = f"{letter}{', faulty' * (runs is row.runs)}: {12 - sum(missed)} of 12 hit"
            ax.set_title(hits if told else f"{letter}: right or faulty?")
        _list_tests(self.axes[2], row, told)
        readout = {
            "mean error of the faulty one, 100 runs": f"{row.error:+.3f} (right: {row.right_error:+.3f})",
            "intervals that hold the truth": f"{row.held:.0%} (right: {row.right_held:.0%})",
        }
        return Readout(_takeaway(row, told), readout if told else {})


def _window_of(row: Row) -> tuple[float, float]:
    """Ends of an axis that holds all answers but the most extreme ones, and the truth."""
    ends = np.array([*row.runs, *row.right_runs], dtype=float)[:, 1:3]
    low, high = np.quantile(ends[np.isfinite(ends)], [0.1, 0.9])
    low, high = min(low, row.truth), max(high, row.truth)
    reach = 0.35 * (high - low) + 1e-3
    return float(low - reach), float(high + reach)


def _list_tests(ax, row: Row, told: bool) -> None:
    """The kinds of test; of these, if told, those that see the fault, those that do not, and the rest, pale."""
    for i, (kind, p) in enumerate(row.p_values.items()):
        sees, pale = told and kind in row.seen_by, told and p is None
        if told and not pale:
            style = FAULTY if sees else SOUND
            artists.marks(ax, f"{style} {i}", 0.04, -i, style, markersize=9 if sees else 4)
        look = {"color": STYLES[FAULTY]["color"] if sees else "black", "alpha": 0.4 if pale else 1.0}
        artists.words(ax, f"kind {i}", 0.12, -i, kind, fontsize=13, va="center_baseline", **look)
    asked = sum(p is not None for p in row.p_values.values())
    artists.words(ax, "pale", 0, -11, "✖ sees it, ● does not,\npale: not asked" * told, color=GREY, fontsize=12)
    ax.set_title(f"{len(row.seen_by)} of {asked} tests see it" if told else "Which test sees it?")


def _takeaway(row: Row, told: bool) -> str:
    if not told:
        return "One of the two has a fault. Twelve runs and their error bars are all that you see: which?"
    asked = sum(p is not None for p in row.p_values.values())
    wrong = f"It is {'AB'[wrong_one(row.fault)]}. {FAULTS[row.fault].sentence}"
    if not row.seen_by:
        return f"{wrong} None of {asked} tests sees it: Ẑ stays unbiased, it only needs more chains."
    return f"{wrong} {len(row.seen_by)} of {asked} tests see it; cheapest: {cheapest_for(row)}."
