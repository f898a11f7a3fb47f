"""Carlson et al. 2016: what the stored runs of `carlson` say about each estimator."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Summary(NamedTuple):
    """One estimator over its settings; errors are log Ẑ minus the reference, in nats. Each field is an array (n,)."""

    settings: np.ndarray  # sweeps or rungs
    mean: np.ndarray  # mean, smallest and largest error of the runs
    low: np.ndarray
    high: np.ndarray
    rmse: np.ndarray  # root mean square error, and the ends of its 95% interval, by a bootstrap over runs
    rmse_low: np.ndarray
    rmse_high: np.ndarray
    std_error: np.ndarray  # root mean square of the error bars that the runs gave themselves
    covered: np.ndarray  # runs within two standard errors of the reference, its own half gap included
    n_runs: np.ndarray
    unanswered: np.ndarray  # runs that returned NaN, which are not in the other numbers


def summarise(rows: list[dict], half_gap: float) -> dict[str, Summary]:
    """Estimator → its summary, of rows of `carlson` without the reference, which itself may be off by ``half_gap``.

    Settings without any estimate are left out.
    """
    return {
        name: _summary([row for row in rows if row["estimator"] == name], half_gap)
        for name in dict.fromkeys(row["estimator"] for row in rows)
    }


def _rms(x: np.ndarray) -> np.ndarray:
    """Root mean square over the last axis; an error bar that is not known does not count."""
    return np.sqrt(np.nanmean(x**2, axis=-1))


def _summary(rows: list[dict], half_gap: float) -> Summary:
    columns = []
    for setting in sorted({row["setting"] for row in rows}):
        here = [row for row in rows if row["setting"] == setting]
        errors = np.array([row["log_z"] - row["reference"] for row in here])
        bars = np.array([row["std_error"] for row in here])
        there = np.isfinite(errors)
        if not there.any():
            continue
        e, se = errors[there], bars[there]
        covered = int((np.abs(e) <= 2 * se + half_gap).sum())
        sizes = _rms(e), *_interval(resampled(e)), _rms(se)
        columns.append((setting, e.mean(), e.min(), e.max(), *sizes, covered, len(e), int((~there).sum())))
    return Summary(*map(np.array, zip(*columns, strict=True)))


def resampled(errors: np.ndarray, seed: int = 0, n: int = 2000) -> np.ndarray:
    """Root mean square errors of n bootstrap samples of the errors (runs,)."""
    chosen = np.random.Generator(np.random.PCG64(seed)).integers(len(errors), size=(n, len(errors)))
    return _rms(errors[chosen])


def _interval(values: np.ndarray) -> tuple[float, float]:
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def rmse_ratio(
    rows: list[dict], one: str, other: str, setting: int, other_setting: int | None = None
) -> tuple[float, float, float]:
    """Root mean square error of one estimator over that of another, and the ends of its 95% interval by a bootstrap.

    Both have the same ``setting`` unless that of the other is given.
    """
    errors = [
        np.array([r["log_z"] - r["reference"] for r in rows if (r["estimator"], r["setting"]) == which])
        for which in ((one, setting), (other, other_setting or setting))
    ]
    interval = _interval(resampled(errors[0], 0) / resampled(errors[1], 1))
    return float(_rms(errors[0]) / _rms(errors[1])), *interval


def half_gap(known: dict) -> float:
    """How far the middle of the reference may be from the truth: half its gap, or the standard error of it."""
    noise = float(np.hypot(known["lower_error"], known["upper_error"]))
    return max(abs(known["upper"] - known["lower"]) / 2, noise)
