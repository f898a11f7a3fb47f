"""Two outputs, one of them wrong: which? And which tests would have told?"""

import numpy as np

from anneal_edu.course.bugs import FAULTS
from anneal_edu.course.bugs.kinds import KINDS, LEVEL
from anneal_edu.course.bugs.table import N_SHOWN, Row, cheapest_for, faulty_rows
from anneal_edu.course.figures import bugs
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, named, slider

HIDDEN, SHOWN = "hidden", "shown"


def wrong_one(fault: str, run: int) -> int:
    """Which of the two outputs has the fault, 0 or 1: as if by a coin, the same for the same run."""
    return int(np.random.Generator(np.random.PCG64([list(FAULTS).index(fault), run])).integers(2))


def row_of(fault: str) -> Row:
    """The stored row of a fault."""
    return next(row for row in faulty_rows() if row.fault == fault)


class WhichIsWrong(Panel):
    """The output of a right algorithm and of the same with one fault, and what ten kinds of test say of the fault.

    Stored runs; ``python -m anneal_edu.course.bugs.table`` makes them. Controls: ``fault``; ``seed``, which of
    twelve runs, the same random numbers for both; ``truth``, hidden or shown.
    """

    title = "Which of the two is wrong?"
    picture = (
        "Left: two estimates with their 95% intervals, A and B, one of them from a faulty algorithm. Right: how loudly "
        "each kind of test accuses it, by its p-value; beyond the line it accuses, empty rows are not asked."
    )
    size = (12.0, 5.2)
    controls = {  # noqa: RUF012
        "fault": named("fault", "both layers from the old state", tuple(FAULTS)),
        "seed": slider("run", 0, 0, N_SHOWN - 1, 1),
        "truth": choice("truth and tests", HIDDEN, (HIDDEN, SHOWN)),
    }
    scenes = {  # noqa: RUF012
        "one of the two": {},
        "the same two, opened": {"truth": SHOWN},
        "all of them scream": {"fault": "ratio upside down", "truth": SHOWN},
        "right on average, bars too short": {"fault": "one noise for all chains", "truth": SHOWN},
        "plausible, and wrong": {"fault": "γ for √γ", "truth": SHOWN},
        "only the matrix sees it": {"fault": "tag turns when accepted", "truth": SHOWN},
        "nobody sees it": {"fault": "β and 1-β", "truth": SHOWN},
    }

    def make_axes(self, figure):
        """Two plots, the right one with room for the names of the tests."""
        left, right = figure.columns(1, 1)
        width, height = figure.get_size_inches()
        plot = (width - 3.6) / 2
        for ax, start in ((left, 0.5), (right, plot + 3.2)):
            ax.set_position((start / width, 0.75 / height, plot / width, 1 - 1.25 / height))
        return [left, right]

    def draw(self, fault, seed, truth):
        row, wrong, told = row_of(fault), wrong_one(fault, seed), truth == SHOWN
        pair = [row.right_runs[seed], row.right_runs[seed]]
        pair[wrong] = row.runs[seed]
        window = bugs.window_of([*row.runs, *row.right_runs], row.truth)
        bugs.two_outputs(self.axes[0], pair, wrong if told else None, row.truth if told else None, window)
        bugs.detections(self.axes[1], list(KINDS), [row.p_values[kind] for kind in KINDS], LEVEL, told)
        readout = {"A": _number(pair[0]), "B": _number(pair[1])}
        if told:
            readout |= {
                "truth": f"{row.truth:.3f}",
                "mean error over 100 runs": f"{row.error:+.3f} (right: {row.right_error:+.3f})",
                "intervals that hold the truth": f"{row.held:.0%} (right: {row.right_held:.0%})",
            }
        return Readout(_takeaway(row, "AB"[wrong], told), readout)


def _number(answer: list[float]) -> str:
    value, low, high, std_error, warned = answer
    return f"{value:.3f} (95% from {low:.3f} to {high:.3f}), own error {std_error:.3g}{', and it warns' * bool(warned)}"


def _takeaway(row: Row, wrong: str, told: bool) -> str:
    if not told:
        return "One of the two has a fault. Their numbers and their error bars are all that you see: which?"
    says = FAULTS[row.fault].says
    asked = sum(p is not None for p in row.p_values.values())
    if not row.seen_by:
        return f"It is {wrong}. {says} None of {asked} tests sees it: Ẑ stays unbiased, it only needs more chains."
    tail = f"cheapest: {cheapest_for(row)}"
    return f"It is {wrong}. {says} {len(row.seen_by)} of {asked} tests see it; {tail}."
