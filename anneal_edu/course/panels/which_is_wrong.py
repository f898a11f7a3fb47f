"""Two outputs, one of them wrong: which? And which tests would have told?"""

import numpy as np

from anneal_edu.course.bugs import FAULTS
from anneal_edu.course.bugs.kinds import KINDS, LEVEL
from anneal_edu.course.bugs.table import N_SHOWN, Row, cheapest_for, faulty_rows
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.bugs import FAULTY, SOUND
from anneal_edu.course.figures.style import GREY
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, named, slider

HIDDEN, SHOWN = "hidden", "shown"
_LOUDEST = 20.0  # -log10 p beyond which all are alike


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
        window = _window_of([*row.runs, *row.right_runs], row.truth)
        _two_outputs(self.axes[0], pair, wrong if told else None, row.truth if told else None, window)
        _draw_detections(self.axes[1], list(KINDS), [row.p_values[kind] for kind in KINDS], LEVEL, told)
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


def _window_of(answers, truth):
    """Ends of an axis that holds all answers but the most extreme ones, and the truth."""
    ends = np.array(answers, dtype=float)[:, 1:3]
    finite = ends[np.isfinite(ends)]
    low, high = np.quantile(finite, [0.1, 0.9])
    low, high = min(low, truth), max(high, truth)
    reach = 0.35 * (high - low) + 1e-3
    return float(low - reach), float(high + reach)


def _two_outputs(ax, pair, wrong, truth, window):
    """A and B with their intervals; the wrong one is marked, and the truth drawn, where they are told."""
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


def _draw_detections(ax, kinds, p_values, level, told):
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


def _takeaway(row: Row, wrong: str, told: bool) -> str:
    if not told:
        return "One of the two has a fault. Their numbers and their error bars are all that you see: which?"
    says = FAULTS[row.fault].sentence
    asked = sum(p is not None for p in row.p_values.values())
    if not row.seen_by:
        return f"It is {wrong}. {says} None of {asked} tests sees it: Ẑ stays unbiased, it only needs more chains."
    tail = f"cheapest: {cheapest_for(row)}"
    return f"It is {wrong}. {says} {len(row.seen_by)} of {asked} tests see it; {tail}."
