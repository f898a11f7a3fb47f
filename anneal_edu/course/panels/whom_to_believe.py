"""Every estimator's answer to one question, with error bars and warnings, and the truth behind a curtain."""

import numpy as np
from matplotlib.lines import Line2D

from anneal_edu.course.experiments.estimator_tables import Row, stored_rows
from anneal_edu.course.experiments.estimators import HIGH, LOW, NEITHER
from anneal_edu.course.figures import artists, estimators
from anneal_edu.course.figures.estimators import SIDES
from anneal_edu.course.figures.style import GREY, STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, slider

MODELS = {"A": "digits8_cd", "B": "hidden modes", "C": "digits28_pcd_fast"}
HIDDEN, SHOWN = "hidden", "shown"
CLOSE = 0.3  # nats
SIDE_OF = {LOW: estimators.LOW, HIGH: estimators.HIGH, NEITHER: estimators.NEITHER}
_LEFT_OUT = ("reverse AIS, exact draws", "PT, MBAR, naive bar")  # nobody has the former; the latter repeats a number


def rows_of(model: str) -> list[Row]:
    """The stored rows of a model that a reader without the truth could have had."""
    return [row for row in stored_rows("estimators") if row.model == MODELS[model] and row.name not in _LEFT_OUT]


def kinds_of(row: Row, seed: int) -> list[str]:
    """Warnings of one seed, for short."""
    return [kind for kind, seeds in row.warnings.items() if seed in seeds]


class WhomToBelieve(Panel):
    """Twelve estimates of one log Z at equal numbers of Gibbs sweeps, with their own error bars and warnings.

    Stored runs; ``python -m anneal_edu experiment estimators`` makes them. Controls: ``model``, three RBMs without
    names; ``truth``, hidden or shown; ``seed``, which of 50 runs.
    """

    title = "Whom to believe?"
    picture = (
        "One row for each estimator. Left: log Ẑ with two of its own standard errors either way; arrows at the edge "
        "stand for estimates beyond it, and a grey band reaches 0.3 nats to both sides of the middle estimate, or of "
        "the truth where it is shown. Right: the same in numbers, ± two own errors, and what the estimator warns about."
    )
    size = (13.0, 5.6)
    controls = {  # noqa: RUF012
        "model": choice("model", "A", tuple(MODELS)),
        "truth": choice("truth", HIDDEN, (HIDDEN, SHOWN)),
        "seed": slider("run", 0, 0, 49, 1),
    }
    scenes = {  # noqa: RUF012
        "model A": {},
        "model B": {"model": "B"},
        "model C": {"model": "C"},
        "the truth about A": {"truth": SHOWN},
        "the truth about B": {"model": "B", "truth": SHOWN},
        "the truth about C": {"model": "C", "truth": SHOWN},
    }

    def make_axes(self, figure):
        """The plot, with room for names at its left, and words; of these as much as there is room for."""
        left, right = figure.columns(1, 1)
        width, height = figure.get_size_inches()
        plot = min(max(0.44 * (width - 2.5), width - 7.0), 6.2)
        for ax, (start, wide) in zip((left, right), ((2.4, plot), (2.6 + plot, width - plot - 2.65)), strict=True):
            ax.set_position((start / width, 0.9 / height, wide / width, 1 - 1.3 / height))
        right.set_axis_off()
        return [left, right]

    def draw(self, model, truth, seed):
        rows = rows_of(model)
        found = np.array([[r.errors[seed], r.std_errors[seed]] for r in rows], dtype=float)  # None becomes NaN
        exact, told = rows[0].exact, truth == SHOWN
        estimates = found + np.array([exact, 0.0])
        answers = np.isfinite(found).all(1)
        middle = float(np.median(estimates[answers, 0]))
        aim = exact if told else middle
        kinds = [kinds_of(r, seed) for r in rows]
        _side_by_side(
            self.axes,
            [r.name for r in rows],
            estimates,
            [", ".join(k) for k in kinds],
            [SIDE_OF[r.bias_direction] for r in rows],
            _window(rows, told),
            exact if told else None,
            (aim - CLOSE, aim + CLOSE),
        )
        _key_below(self.axes[0].get_figure(), told)
        self.axes[0].set_xlabel(f"nats; grey: {'truth' if told else 'middle one'} ± {CLOSE}")
        silent = [i for i, k in enumerate(kinds) if answers[i] and not k]
        readout = {"Gibbs sweeps each": f"{rows[1].sweeps:,}", "without a warning": f"{len(silent)} of {len(rows)}"}
        if told:
            readout["exact log Z"] = f"{exact:.3f}"
        return Readout(_takeaway(found, silent, told, answers, middle, exact), readout)


def _window(rows: list[Row], told: bool) -> tuple[float, float]:
    """Ends of the axis, the same for every run: of what lies around the middle estimate, and of the truth if told."""
    found = rows[0].exact + np.array([error for row in rows for error in row.errors if error is not None])
    aside = np.abs(found - np.median(found))
    near = found[aside < 4.5 * np.median(aside) + 3.0]
    shown = np.append(near, rows[0].exact) if told else near
    low, high = shown.min(), shown.max()
    return float(low - 0.1 * (high - low)), float(high + 0.1 * (high - low))


def _side_by_side(axes, names, estimates, warnings, styles, window, exact, close):
    """One row for each estimator: its estimate ± 2 standard errors, (n, 2), the same in numbers, and its warnings."""
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


def _key_below(figure, told):
    """What the looks of `SIDES` mean, in one line below all plots; of the truth only where it is told."""
    sides = {style: meaning for style, meaning in SIDES.items() if told or style != "truth"}
    if [text.get_text() for legend in figure.legends for text in legend.get_texts()] != list(sides.values()):
        for legend in list(figure.legends):
            legend.remove()
        handles = [Line2D([], [], label=meaning, **STYLES[style]) for style, meaning in sides.items()]
        figure.legend(handles=handles, loc="lower center", ncols=len(handles), fontsize=11)


def _takeaway(found, silent, told, answers, middle, exact) -> str:
    near = int((np.abs(found[answers, 0] + exact - middle) < CLOSE).sum())
    if not told:
        return (
            f"{near} of {len(found)} estimates lie within {CLOSE} nats of the middle one; {len(silent)} come without "
            "a warning. Whom do you believe?"
        )
    right = np.abs(found[:, 0]) < CLOSE
    good, fooled = int(right[answers].sum()), sum(not right[i] for i in silent)
    bars = int((np.abs(found[:, 0]) <= 2 * found[:, 1])[answers].sum())
    return (
        f"{good} of {len(found)} lie within {CLOSE} nats of the truth, and {bars} within two of their own standard "
        f"errors. Of the {len(silent)} without a warning {fooled} are wrong by more."
    )
