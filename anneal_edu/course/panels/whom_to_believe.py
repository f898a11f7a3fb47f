"""Every estimator's answer to one question, with error bars and warnings, and the truth behind a curtain."""

import numpy as np

from anneal_edu.course.experiments.estimator_tables import Row, stored_rows
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.estimators import one_answer
from anneal_edu.course.figures.style import GREY, STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, slider

MODELS = {"A": "digits8_cd", "B": "hidden modes", "C": "digits28_pcd_fast"}
HIDDEN, SHOWN = "hidden", "shown"
LISTED, SORTED = "as listed", "by where it began"
CLOSE = 0.3  # nats
START, DATA, MOMENTS = STARTS = "began at β = 0", "began at the data", "fitted to exact moments"
_ELSEWHERE = {"reverse AIS, from data": DATA, "RAISE": DATA, "AIS, moment spline": MOMENTS}
_LEFT_OUT = ("reverse AIS, exact draws", "PT, MBAR, naive bar")  # nobody has the former; the latter repeats a number
_BOTTOM, _TOP = -13.3, 0.7


def rows_of(model: str) -> list[Row]:
    """The twelve stored rows of a model that a reader without the truth could have had."""
    return [row for row in stored_rows("estimators") if row.model == MODELS[model] and row.name not in _LEFT_OUT]


class WhomToBelieve(Panel):
    """Twelve estimates of one log Z at equal numbers of Gibbs sweeps, with their own error bars and warnings.

    Stored runs; ``python -m anneal_edu experiment estimators`` makes them. Controls: ``model``, three RBMs without
    names; ``truth``, hidden or shown; ``order`` of the estimators; ``seed``, which of 50 runs.
    """

    title = "Whom to believe?"
    picture = (
        "One row for each estimator: log Ẑ with two of its own standard errors either way, or an arrow where it lies "
        "beyond the edge. Grey is what lies within 0.3 nats of the median, or of the truth where it is shown. "
        "At the right stands what the estimator warns of, or where it began."
    )
    size = (11.5, 5.2)
    controls = {  # noqa: RUF012
        "model": choice("model", "B", tuple(MODELS)),
        "truth": choice("truth", HIDDEN, (HIDDEN, SHOWN)),
        "order": choice("sort", LISTED, (LISTED, SORTED)),
        "seed": slider("run", 0, 0, 49, 1),
    }
    scenes = {  # noqa: RUF012
        "seven agree": {},
        "the truth about B": {"truth": SHOWN},
        "one witness, heard nine times": {"truth": SHOWN, "order": SORTED},
        "the truth about A": {"model": "A", "truth": SHOWN},
        "the truth about C": {"model": "C", "truth": SHOWN},
    }

    def make_axes(self, figure):
        (ax,) = figure.columns(1)
        width, height = figure.get_size_inches()
        ax.set_position((2.5 / width, 0.8 / height, 1 - 5.2 / width, 1 - 1.3 / height))
        ax.set(xlabel="log Ẑ ± 2 own errors (nats); grey: ± 0.3", ylim=(_BOTTOM, _TOP + 0.8))
        return [ax]

    def draw(self, model, truth, order, seed):
        ax, rows, told, grouped = self.axes[0], rows_of(model), truth == SHOWN, order == SORTED
        began = np.array([STARTS.index(_ELSEWHERE.get(row.name, START)) for row in rows])
        place = np.argsort(np.argsort(began, kind="stable")) + 0.8 * began if grouped else np.linspace(0, 12.6, 12)
        warned = [", ".join(kind for kind, seeds in row.warnings.items() if seed in seeds) for row in rows]
        exact, (low, high) = rows[0].exact, _window(rows)
        found = exact + np.array([row.errors[seed] for row in rows])
        aim, label = (exact, "truth") if told else (float(np.median(found)), "median")
        near, silent = np.abs(found - aim) < CLOSE, np.array([not kinds for kinds in warned])
        artists.band(ax, "close", aim + np.array([-CLOSE, CLOSE]), [_BOTTOM] * 2, [_TOP] * 2, "truth", alpha=0.13)
        if told:
            artists.curve(ax, "exact", [exact] * 2, [_BOTTOM, _TOP], "truth")
        artists.words(ax, "aim", aim, _TOP, label, ha="center", va="bottom", fontsize=12)
        beside = {"transform": ax.get_yaxis_transform(), "va": "center"}
        for i, row in enumerate(rows):
            style = STARTS[began[i]] if grouped else "estimate"
            one_answer(ax, i, -place[i], found[i], 2 * row.std_errors[seed], low, high, style)
            words = warned[i].replace("collapsed weights", "collapsed") or "–"
            if not grouped:
                artists.words(ax, f"warning {i}", 1.03, -place[i], words, color=GREY, fontsize=12, **beside)
        if grouped:
            for i, start in enumerate(STARTS):
                y, colour = -place[began == i].mean(), STYLES[start]["color"]
                artists.words(ax, start, 1.03, y, start, color=colour, fontsize=14, **beside)
        artists.words(ax, "warnings", 1.03, _TOP + 0.45, "" if grouped else "warns of", fontsize=12, **beside)
        ax.set(yticks=-place, yticklabels=[row.name for row in rows], xlim=(low, high))
        finding = f"{near.sum()} of 12 {'are right' if told else 'agree'}"
        ax.set_title(f"log Z of model {model}: {'one witness, heard nine times' if grouped else finding}")
        readout = {"Gibbs sweeps each": f"{rows[1].sweeps:,}"} | ({"exact log Z": f"{exact:.3f}"} if told else {})
        return Readout(_takeaway(near, silent, began == 0, told, grouped), readout)


def _window(rows: list[Row]) -> tuple[float, float]:
    """Ends of the axis, the same for every run: of what lies around the middle estimate, and of the truth."""
    found = np.array([row.errors for row in rows])
    aside = np.abs(found - np.median(found))
    shown = np.append(found[aside < 4.5 * np.median(aside) + 3.0], 0.0)
    low, high = rows[0].exact + np.array([shown.min(), shown.max()]) + 0.1 * np.ptp(shown) * np.array([-1, 1])
    return float(low), float(high)


def _takeaway(near, silent, at_start, told, grouped) -> str:
    many, right = near.sum(), f"lie within {CLOSE} nats of the {'truth' if told else 'median'}"
    if grouped:
        start = f"The nine that began at β = 0 are one witness: {near[at_start].sum()} of them {right}"
        return f"{start}, and {near[~at_start].sum()} of the three others."
    if told:
        return f"{many} of 12 {right}. Of the {silent.sum()} without a warning {(silent & ~near).sum()} are wrong."
    return f"{many} of 12 {right}; {silent.sum()} come without a warning. Whom do you believe?"
