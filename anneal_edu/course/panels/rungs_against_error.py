"""Carlson et al. 2016, "Robustness", on models whose log Z is known."""

import numpy as np

from anneal_edu.course.experiments.estimator_tables import Row, stored_rows
from anneal_edu.course.figures import artists, estimators
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, slider, steps

MODELS = {"digits": "digits8_cd", "strong couplings": "strong couplings"}
RUNGS = (3, 5, 9, 17, 33)
SWEEPS = (4000, 16_000)


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
        meanings = {style: name.split(",")[0] for name, style in estimators.READINGS.items()}
        artists.legend(left, meanings, loc="upper right", ncols=2, framealpha=0)
        return [left, right]

    def draw(self, model, rungs, sweeps, seed):
        rows = rows_at(model, sweeps)
        errors = {name: [rows[name, n].answered[0] for n in RUNGS] for name in estimators.READINGS}
        estimators.rmse_against_rungs(self.axes[0], list(RUNGS), errors, rungs)
        pairs = {name: (rows[name, rungs].errors[seed], rows[name, rungs].std_errors[seed]) for name in errors}
        found = {name: None if None in pair else pair for name, pair in pairs.items()}
        limits = _ends([rows[name, rungs] for name in errors])
        estimators.one_seed(self.axes[1], found, f"run {seed}, {rungs} temperatures", limits)
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
