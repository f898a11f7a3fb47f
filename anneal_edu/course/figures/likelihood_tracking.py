"""Likelihoods tracked while an RBM learns, bounds from both sides, and the figures of the RTS poster."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import STYLES, projected

TRAIN, VALIDATION = "training data", "held-out data"
"""Styles of the two sets of data."""
_MANY = 40
"""Looks, beyond which they are too many for a mark and two bars each."""


@projected()
def tracked(
    ax: Axes,
    n_updates: np.ndarray,
    found: dict[str, np.ndarray],
    std_error: np.ndarray,
    exact_updates: np.ndarray | None = None,
    exact: dict[str, np.ndarray] | None = None,
) -> None:
    """Tracked mean log likelihoods (n,) with thin bars of ± 2 standard errors, and the exact ones where known.

    Of more than 40 looks without exact ones every fifth has a mark, only the training data have bars (both share their
    errors), and a bar that leaves the picture ends in an arrow.
    """
    every = [*found.values(), *(() if exact is None else exact.values())]
    low, high = _in_fives(np.concatenate(every), 2 * float(np.median(std_error)))
    high += 0.12 * (high - low)
    many = exact is None and len(n_updates) > _MANY
    edges = (low + 0.02 * (high - low), high - 0.02 * (high - low)) if many else (-np.inf, np.inf)
    look = {"linewidth": 1.8, "markersize": 7, "markevery": 5} if many else {"linewidth": 1.4, "markersize": 5}
    for style, values in found.items():
        if not many or style == TRAIN:
            thin = {"marker": "None", "linewidth": 1.2, "alpha": 0.6}
            ends = values - 2 * std_error, values + 2 * std_error
            _bars_within(ax, f"{style} ", n_updates, *ends, edges, style, **thin)
        artists.line(ax, style, n_updates, values, **STYLES[style] | look)
        if exact is not None:
            artists.curve(ax, f"exact {style}", exact_updates, exact[style], "truth", linewidth=2.2, zorder=4)
    end = n_updates[-1] if exact_updates is None else exact_updates[-1]
    ax.set(xlim=(0, 1.02 * end), ylim=(low, high), xlabel="updates")
    ax.set_title("mean log likelihood ± 2 s.e. (nats)")
    ax.locator_params(axis="y", integer=True)
    meanings = {TRAIN: "training", VALIDATION: "validation"} | ({} if exact is None else {"truth": "exact, both"})
    look = artists.SMALL | {"handlelength": 1.4, "handletextpad": 0.4, "columnspacing": 0.7}
    artists.legend(ax, meanings, loc="upper left", ncols=3, **look)


def _in_fives(values: np.ndarray, spare: float) -> tuple[float, float]:
    """Limits in multiples of five, so that few settings move the axis."""
    return 5 * np.floor((values.min() - spare) / 5), 5 * np.ceil((values.max() + spare) / 5)


@projected()
def sweeps_a_look(ax: Axes, sweeps: tuple[int, ...], rmse: dict[int, list[float]], title: str) -> None:
    """Root mean square error of log Ẑ (n,) against sweeps a look (n,): updates between looks → errors."""
    meanings = dict(zip(("theory", "estimate", "target"), (f"a look every {n} updates" for n in rmse), strict=True))
    for style, values in zip(meanings, rmse.values(), strict=True):
        artists.line(ax, style, sweeps, values, **STYLES[style])
    artists.log_x(ax, "sweeps a look", sweeps, (0.8 * sweeps[0], 1.25 * sweeps[-1]))
    ax.set(ylim=(0, 1.1 * max(map(max, rmse.values()))), title=title)
    artists.legend(ax, meanings, loc="best", **artists.SMALL)


@projected()
def bounds_against_steps(
    ax: Axes, n_steps: np.ndarray, found: dict[str, np.ndarray], errors: dict[str, np.ndarray], exact: float,
    annealing_model: np.ndarray,
) -> None:  # fmt: skip
    """Mean log likelihood by AIS and by RAISE (n,), ± 2 standard errors, between them the truth, against K."""
    span = n_steps[0] / 1.3, n_steps[-1] * 1.3
    artists.curve(ax, "exact", span, [exact, exact], "truth")
    artists.curve(ax, "annealing model", n_steps, annealing_model, "annealing model")
    for name, values in found.items():
        artists.bars(ax, f"{name} bars", n_steps, values - 2 * errors[name], values + 2 * errors[name], name)
        artists.line(ax, name, n_steps, values, **STYLES[name])
    meanings = {"AIS": "AIS: log f(v) - log Ẑ", "truth": "exact log p(v)"}
    meanings |= {"annealing model": "exact log p_ann(v)", "RAISE": "RAISE: log p̂(v)"}
    artists.legend(ax, meanings, loc="upper right", **artists.SMALL)
    low = min((found[name] - 2 * errors[name]).min() for name in found)
    high = max((found[name] + 2 * errors[name]).max() for name in found)
    ax.set(ylim=(low - 0.05 * (high - low), high + 0.05 * (high - low)))
    artists.log_x(ax, "number of steps K", n_steps, span)
    ax.set_title("mean log likelihood of exact draws (nats)")


_LINEAR = 5
"""Nats up to which errors are drawn on a linear axis, where some are far larger."""


@projected()
def convergence(axes: list[Axes], found: dict, half_gap: float, xlabel: str) -> None:
    """Mean error of log Ẑ with the range of the runs, and RMSE with its bars, against the cost: estimator → summary."""
    left, right = axes
    every = sorted({n for summary in found.values() for n in summary.settings})
    span = every[0] / 1.4, every[-1] * 1.4
    artists.curve(left, "zero", span, [0, 0], "truth")
    artists.band(left, "gap", np.array(span), [-half_gap] * 2, [half_gap] * 2, "reference", alpha=0.35)
    artists.band(right, "gap", np.array(span), [1e-6] * 2, [half_gap] * 2, "reference", alpha=0.35)
    aside = {name: 1.05 ** (i - (len(found) - 1) / 2) for i, name in enumerate(found)}
    for name, summary in found.items():
        x = aside[name] * summary.settings
        artists.bars(left, f"{name} runs", x, summary.low, summary.high, name, linewidth=1.6, markersize=6)
        artists.line(left, name, x, summary.mean, **STYLES[name] | {"markersize": 6})
        artists.bars(right, f"{name} bars", x, summary.rmse_low, summary.rmse_high, name, linewidth=1.6, markersize=6)
        artists.line(right, name, x, summary.rmse, **STYLES[name] | {"markersize": 6})
    sizes = np.concatenate([np.r_[summary.rmse_low, summary.rmse_high] for summary in found.values()])
    low = min(-half_gap, *(summary.low.min() for summary in found.values()))
    high = max(half_gap, *(summary.high.max() for summary in found.values()))
    reach = 0.08 * (high - low)
    squeezed = high - low > 2.5 * _LINEAR
    if squeezed:
        ticks = [tick for tick in (-20, -_LINEAR, -2, 0, 2, _LINEAR, 20) if low <= tick <= high]
        artists.squeezed_y(left, _LINEAR, ticks, low - reach, high + reach)
    left.set_ylim(low - reach, high + reach)
    how = f" (squeezed beyond {_LINEAR})" if squeezed else ": mean, range"
    left.set_title(f"log Ẑ minus the reference{how}")
    artists.log_y(right, 0.7 * max(sizes.min(), 1e-3), 1.4 * sizes.max(), "root mean square error (nats)")
    for ax in axes:
        artists.log_x(ax, xlabel, every, span)
    artists.legend(right if squeezed else left, {name: name for name in found}, loc="best", **artists.SMALL)


@projected()
def tracked_and_bounded(axes: list[Axes], rows: list[dict]) -> None:
    """`tracked`, and beside it the errors of log Ẑ at the looks at which a sandwich says what log Z is.

    Errors are those of tracking and, a little to the right, of AIS from nothing, as means and ranges over the repeats.
    They are taken from the middle of the sandwich; a grey bar is its gap, with words where it can be seen.
    """
    left, right = axes
    n, error, train, validation = (
        np.array([row[name] for row in rows if row["repeat"] == 0])
        for name in ("n_updates", "std_error", "train", "validation")
    )
    tracked(left, n, {TRAIN: train, VALIDATION: validation}, error)
    names = "n_updates", "log_z", "annealed", "lower", "upper"
    bounded = np.array([[row[name] for name in names] for row in rows if row["lower"] is not None])
    looks, end = np.unique(bounded[:, 0]), 1.06 * n[-1]
    _, log_z, annealed, lower, upper = np.array([bounded[bounded[:, 0] == look].T for look in looks]).swapaxes(0, 1)
    middle, half_gap = (lower + upper) / 2, np.abs(upper - lower)[:, 0] / 2  # (looks, repeats), (looks,)
    artists.curve(right, "zero", [0, end], [0, 0], "truth")
    wide = {"linewidth": 14, "marker": "None", "alpha": 0.6, "solid_capstyle": "butt"}
    artists.bars(right, "gap", looks, -half_gap, half_gap, "reference", **wide)
    for style, x, off in (("RTS", looks, log_z - middle), ("AIS", looks + 0.025 * end, annealed - middle)):
        artists.bars(right, f"{style} runs", x, off.min(1), off.max(1), style, linewidth=1.8, markersize=7)
        artists.line(right, style, x, off.mean(1), **STYLES[style] | {"linewidth": 1.4, "markersize": 8})
    off = np.r_[log_z - middle, annealed - middle]
    low, high = min(-1.0, off.min()), max(1.0, off.max())
    reach = high - low
    right.set(xlim=(0, end), ylim=(low - 0.08 * reach, high + 0.22 * reach), xlabel="updates")
    right.set_title("log Ẑ minus the sandwich: mean, range (nats)")
    meanings = {"RTS": "tracked", "AIS": "AIS from nothing"}
    if half_gap.max() > 0.02 * reach:  # else the dotted line hides it
        meanings["reference"] = "gap of the sandwich"
    artists.legend(right, meanings, loc="upper right", **artists.SMALL)


def _bars_within(ax: Axes, name: str, x, low, high, edges: tuple[float, float], style: str, **look) -> None:
    """Bars (n,), cut off at the edges, with an arrow where one goes on."""
    bottom, top = edges
    artists.bars(ax, f"{name}bars", x, low.clip(bottom, top), high.clip(bottom, top), style, **look)
    for way, out, edge, marker in (("down", low < bottom, bottom, "v"), ("up", high > top, top, "^")):
        if out.any():
            artists.marks(ax, f"{name}further {way}", x[out], np.full(out.sum(), edge), style, marker=marker)
