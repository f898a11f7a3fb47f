"""Carlson et al. 2016, "Robustness", on models whose log Z is known."""

import numpy as np

from anneal_edu.course.experiments.estimator_tables import Row, stored_rows
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import GREY, STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, slider, steps

MODELS = {"digits": "digits8_cd", "strong couplings": "strong couplings"}
RUNGS = (3, 5, 9, 17, 33)
SWEEPS = (4000, 16_000)
READINGS = {
    "RTS": "RTS",
    "MBAR, same run": "MBAR",
    "TI, same run": "TI",
    "RB-TI, same run": "RB-TI",
    "AIS, geometric": "AIS",
}
"""Styles of the curves against the number of rungs."""


def rows_at(model: str, sweeps: int) -> dict[tuple[str, int], Row]:
    """(estimator, number of rungs) → stored row; whole numbers of chains cost a few sweeps less than asked for."""
    rows = [row for row in stored_rows("estimators_rungs") if row.model == MODELS[model]]
    return {(row.name, row.n_rungs): row for row in rows if 0.9 * sweeps <= row.sweeps <= sweeps}


class RungsAgainstError(Panel):
    """Error of log Ẑ against the number of temperatures, at a fixed number of Gibbs sweeps.

    Four readings of one run of tempered sampling, and AIS with as many temperatures. Stored runs of 20 seeds;
    ``python -m anneal_edu experiment estimators-rungs`` makes them. Controls: ``model``; ``rungs``, the number of
    temperatures, and ``sweeps``; ``seed``, the run that is shown on the right.
    """

    title = "How many temperatures?"
    picture = (
        "Left: root mean square error of log Ẑ over 20 seeds against the number of temperatures, for RTS, MBAR, TI, "
        "Rao-Blackwellised TI and AIS; a grey bar marks the chosen number. Right: one seed's estimates at that number, "
        "with error bars, and the exact value."
    )
    size = (12.5, 4.9)
    controls = {  # noqa: RUF012
        "model": choice("model", "digits", tuple(MODELS)),
        "rungs": steps("temperatures", 5, RUNGS),
        "sweeps": steps("Gibbs sweeps", 16_000, SWEEPS),
        "seed": slider("run", 0, 0, 19, 1),
    }
    scenes = {  # noqa: RUF012
        "five temperatures": {},
        "only three": {"rungs": 3},
        "plenty": {"rungs": 33},
        "strong couplings": {"model": "strong couplings"},
    }

    def make_axes(self, figure):
        left, right = figure.columns(1.25, 1, gap=1.1)
        meanings = {style: name.split(",")[0] for name, style in READINGS.items()}
        artists.legend(left, meanings, loc="upper right", ncols=2, framealpha=0)
        return [left, right]

    def draw(self, model, rungs, sweeps, seed):
        rows = rows_at(model, sweeps)
        errors = {name: [rows[name, n].answered[0] for n in RUNGS] for name in READINGS}
        _rmse_against_rungs(self.axes[0], list(RUNGS), errors, rungs)
        pairs = {name: (rows[name, rungs].errors[seed], rows[name, rungs].std_errors[seed]) for name in errors}
        found = {name: None if None in pair else pair for name, pair in pairs.items()}
        limits = _ends([rows[name, rungs] for name in errors])
        _one_seed(self.axes[1], found, f"run {seed}, {rungs} temperatures", limits)
        readout = {
            name.split(",")[0]: f"error {row.rmse:.2f}, within 2 own errors {row.coverage:.0%}"
            for name, row in ((name, rows[name, rungs]) for name in errors)
        }
        return Readout(_takeaway({name: rows[name, rungs] for name in errors}, rungs), readout)


def _ends(rows: list[Row]) -> tuple[float, float]:
    """Of an axis that holds every run's estimates with two of their errors either way."""
    found = np.array([[*pair] for row in rows for pair in zip(row.errors, row.std_errors, strict=True)], dtype=float)
    low, high = np.nanmin(found @ [1, -2]), np.nanmax(found @ [1, 2])
    return 1.08 * float(low), 1.08 * float(high)


def _rmse_against_rungs(ax, rungs, errors, chosen):
    """Root mean square errors over the seeds, with bars of two standard errors, against the number of rungs.

    They are those of the mean of the squares, on the logarithmic axis; an error that all seeds share has short ones.
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


def _one_seed(ax, errors, title, limits):
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


def _takeaway(rows: dict[str, Row], rungs: int) -> str:
    ranked = sorted(rows, key=lambda name: rows[name].rmse)
    best, worst = (rows[name] for name in (ranked[0], ranked[-1]))
    overconfident = [name.split(",")[0] for name in rows if rows[name].coverage < 0.5]
    found = (
        f"With {rungs} temperatures {best.name.split(',')[0]} errs by {best.rmse:.2g} nats and "
        f"{worst.name.split(',')[0]} by {worst.rmse:.2g}."
    )
    if not overconfident:
        return f"{found} All five cover the truth with two of their own standard errors in at least half of the runs."
    return f"{found} The own error bars of {' and '.join(overconfident)} miss the truth in more than half of the runs."
