"""Parallel tempering: replicas on their ladder, rejections and barriers, masses of modes, round trips."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import STYLES, projected

SCHEME_STYLES = {"stochastic_even_odd": "PT, coin", "even_odd": "PT, even-odd", "lifted": "PT, lifted"}
SCHEME_LABELS = {"stochastic_even_odd": "coin", "even_odd": "in turn", "lifted": "lifted"}


@projected()
def walk(ax: Axes, rungs: np.ndarray, style: str, title: str) -> None:
    """Rungs of replicas (T, K+1) over time: the first one thick, and up to three others thin and grey.

    Parameters
    ----------
    ax : Axes
    rungs : (T, K+1) array
        Column i is where replica i stood.
    style : str
        Key of STYLES.
    title : str
    """
    n_times, n_rungs = rungs.shape
    times = np.arange(n_times)
    which = np.unique(np.linspace(1, n_rungs - 1, 4)[1:].astype(int))  # more could not be told apart
    others = np.concatenate([rungs, np.full((1, n_rungs), np.nan)])[:, which]
    x = np.tile(np.append(times, np.nan), len(which))
    artists.curve(ax, "others", x, others.T.ravel(), "reference", gaps=True, linestyle="-", linewidth=0.8, alpha=0.7)
    artists.curve(ax, "one", times, rungs[:, 0], style, linestyle="-", linewidth=2.4)
    top = n_rungs - 1
    ax.set(xlim=(0, n_times - 1), ylim=(-0.04 * top - 0.1, 1.04 * top + 0.1), title=title)


@projected()
def round_trip_rates(ax: Axes, n_pairs: np.ndarray, exact: dict, found: dict, limit: float, worth: float) -> None:
    """Round trips a sweep against the number of pairs: exact lines, simulated marks with ± 2 standard errors.

    Parameters
    ----------
    ax : Axes
    n_pairs : (n,) array
    exact : dict
        Scheme → rates (n,).
    found : dict
        Scheme → numbers of pairs (m,), rates (m,) and their standard errors (m,).
    limit : float
        1 / (2 + 2 Λ).
    worth : float
        2 Λ.
    """
    span = n_pairs[0] / 1.15, n_pairs[-1] * 1.15
    artists.curve(ax, "limit", span, [limit] * 2, "truth")
    top = 1.4 * max(limit, *(rates.max() for rates in exact.values()))
    artists.curve(ax, "worth", [worth] * 2, [0, top], "reference", linewidth=1.6)
    artists.words(ax, "worth words", worth * 1.05, 0.02 * top, "2 Λ", fontsize=12, color=STYLES["reference"]["color"])
    for scheme, rates in exact.items():
        style = SCHEME_STYLES[scheme]
        artists.curve(ax, scheme, n_pairs, rates, style)
        pairs, rate, error = found[scheme]
        artists.bars(ax, f"{scheme} bars", pairs, rate - 2 * error, rate + 2 * error, style, linewidth=1.6)
        artists.marks(ax, f"{scheme} marks", pairs, rate, style)
    meanings = {SCHEME_STYLES[scheme]: SCHEME_LABELS[scheme] for scheme in exact}
    artists.legend(ax, meanings | {"truth": "1 / (2 + 2 Λ)"}, loc="upper left", ncols=3, **artists.SMALL)
    ticks = [tick for tick in (1, 2, 3, 5, 10, 20, 50, 100, 200) if span[0] <= tick <= span[1]]
    artists.log_x(ax, "pairs K", ticks, span)
    ax.set(ylim=(0, top), title="round trips a sweep")


@projected()
def ladders(ax: Axes, schedules: list[np.ndarray], now: int) -> None:
    """The rungs of each round of adaptation, one round above the other; the present one stands out."""
    for i, schedule in enumerate(schedules):
        style, size = ("estimate", 7) if i == now else ("reference", 11)
        look = {"markersize": size, "markeredgewidth": 1.4}
        artists.marks(ax, f"round {i}", schedule, np.full(len(schedule), i), style, **look)
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.6, 3.6), xlabel="β", title="rungs")
    ax.set(yticks=range(4), xticks=(0, 0.5, 1), ylabel="round")


@projected()
def rejections(ax: Axes, rates: np.ndarray, errors: np.ndarray) -> None:
    """Rejection rate of each pair (K,) with ± 2 standard errors, and their mean."""
    k = np.arange(1, len(rates) + 1)
    artists.histogram(ax, "rates", rates, np.append(k - 0.5, k[-1] + 0.5), "estimate", linestyle="-")
    artists.bars(ax, "errors", k, np.clip(rates - 2 * errors, 0, 1), np.clip(rates + 2 * errors, 0, 1), "estimate")
    artists.curve(ax, "mean", [0.5, len(rates) + 0.5], [rates.mean()] * 2, "truth")
    artists.legend(ax, {"estimate": "found", "truth": "their mean"}, loc="upper right", **artists.SMALL)
    ax.set(xlim=(0.5, len(rates) + 0.5), ylim=(0, 1.25), xlabel="pair", title="refused")
    ax.set_yticks([0, 0.5, 1])


@projected()
def local_barrier(ax: Axes, betas: np.ndarray, found: np.ndarray, exact: np.ndarray | None, top: float) -> None:
    """λ(β), the barrier a unit of β, as the pilot found it and exactly: (n,) each."""
    artists.curve(ax, "found", betas, found, "estimate")
    if exact is not None:
        artists.curve(ax, "exact", betas, exact, "truth")
    meanings = {"estimate": "pilot run"} | ({} if exact is None else {"truth": "exact"})
    artists.legend(ax, meanings, loc="upper right", **artists.SMALL)
    ax.set(xlim=(0, 1), ylim=(0, top), xticks=(0, 0.5, 1), xlabel="β", title="local barrier λ(β)")


@projected()
def density_and_histogram(
    ax: Axes, x: np.ndarray, density: np.ndarray, heights, one, edges, style: str, title: str
) -> None:
    """An exact density (n,) on a grid, and what chains visited: an outline of all, and ``one`` of them filled."""
    sides = np.repeat(edges, 2)
    artists.band(ax, "one", sides, np.zeros_like(sides), np.r_[0.0, np.repeat(one, 2), 0.0], style, alpha=0.35)
    artists.curve(ax, "visited", sides, np.r_[0.0, np.repeat(heights, 2), 0.0], style, linestyle="-", linewidth=2)
    artists.curve(ax, "exact", x, density, "truth")
    artists.words(ax, "one words", x[0] + 0.5, 2.4 * density.max(), "filled: one chain", fontsize=12)
    ax.set(xlim=(x[0], x[-1]), ylim=(0, 2.6 * density.max()), xlabel="x", title=title)


@projected()
def masses(ax: Axes, exact: np.ndarray, found: dict[str, tuple], labels: dict[str, str]) -> None:
    """Mass of each mode: exact (n,), and by style what was found (n,) with ± 2 standard errors (n,)."""
    k = np.arange(len(exact))
    for i, share in enumerate(exact):
        artists.curve(ax, f"exact {i}", [i - 0.35, i + 0.35], [share] * 2, "truth")
    for i, (style, (mass, error)) in enumerate(found.items()):
        x = k + 0.24 * (i - 0.5)
        artists.bars(ax, f"{style} bars", x, np.clip(mass - 2 * error, 0, 1), np.clip(mass + 2 * error, 0, 1), style)
        artists.marks(ax, style, x, mass, style)
    artists.legend(ax, labels | {"truth": "exact"}, loc="upper right", **artists.SMALL)
    ax.set(xlim=(-0.6, len(exact) - 0.4), ylim=(-0.06, 1.5), title="mass of each mode")
    ax.set(xticks=k, xticklabels=("left", "middle", "right")[: len(exact)], yticks=(0, 0.25, 0.5, 0.75, 1))


@projected()
def stuck_along_path(ax: Axes, betas: dict, sweeps: dict, spread: float, title: str) -> None:
    """Sweeps of Gibbs alone for one independent draw on every rung, for two paths: path → (K+1,) each.

    Bars reach from 1 - ``spread`` to 1 + ``spread`` times the mark.
    """
    for style, needed in sweeps.items():
        y, x = np.maximum(needed, 0.3), np.asarray(betas[style])
        artists.bars(ax, f"{style} bars", x, y * (1 - spread), y * (1 + spread), style, linewidth=1.2, markersize=5)
        artists.line(ax, style, x, y, **STYLES[style] | {"markersize": 6, "linewidth": 1.8})
    top = max(max(needed) for needed in sweeps.values())
    artists.legend(ax, {"geometric": "geometric", "moments": "moments"}, loc="upper left", ncols=2, **artists.SMALL)
    ax.set(yscale="log", ylim=(0.15, 12 * top), xlim=(-0.03, 1.03), xlabel="β", title=title)


@projected()
def activity_along_path(ax: Axes, betas: np.ndarray, activity: dict, title: str) -> None:
    """Mean activity of one hidden unit along two paths: path → (n,)."""
    for style, mean in activity.items():
        artists.curve(ax, style, betas, mean, style)
    artists.legend(ax, {style: style for style in activity}, loc="center", bbox_to_anchor=(0.4, 0.25), **artists.SMALL)
    ax.set(xlim=(0, 1), ylim=(-0.03, 1.05), xlabel="β", title=title)


@projected()
def rates_by_path(ax: Axes, cases: list[str], ideal: dict, found: dict, floor: float, title: str) -> None:
    """Round trips a sweep of both paths, case by case: what perfect exploration would give, and what was counted.

    Parameters
    ----------
    ax : Axes
    cases : list of str
    ideal : dict
        Path → rates (n,).
    found : dict
        Path → rates (n,) and their standard errors (n,).
    floor : float
        Where the word none stands instead of a rate of zero, which has no place on this axis.
    title : str
    """
    for i, path in enumerate(ideal):
        x = np.arange(len(cases)) + 0.3 * (i - 0.5)
        rate, error = found[path]
        for j, level in enumerate(ideal[path]):
            artists.curve(ax, f"{path} ideal {j}", [x[j] - 0.13, x[j] + 0.13], [level] * 2, "truth", linestyle="-")
        low, high = np.maximum(rate - 2 * error, floor), np.maximum(rate + 2 * error, floor)
        seen = np.asarray(rate) > 0
        artists.bars(ax, f"{path} bars", x[seen], low[seen], high[seen], path)
        artists.marks(ax, path, x[seen], np.maximum(rate, floor)[seen], path)
        for j in np.flatnonzero(~seen):
            artists.words(ax, f"{path} none {j}", x[j], 1.3 * floor, "none", ha="center", fontsize=11)
    artists.legend(ax, {"geometric": "geometric", "moments": "moments"}, loc="lower left", **artists.SMALL)
    ax.set(yscale="log", ylim=(floor / 1.5, 0.5), xlim=(-0.6, len(cases) - 0.4), title=title)
    ax.set(xticks=range(len(cases)))
    ax.set_xticklabels(cases, fontsize=10)


@projected()
def found_by_path(ax: Axes, cases: list[str], found: dict, errors: dict | None, title: str) -> None:
    """One number for both paths, case by case, with ± 2 standard errors where they are known: path → (n,)."""
    artists.curve(ax, "zero", [-0.6, len(cases) - 0.4], [0, 0], "truth")
    ends = [0.0]
    for i, (path, values) in enumerate(found.items()):
        x, bar = np.arange(len(cases)) + 0.3 * (i - 0.5), 0 if errors is None else 2 * errors[path]
        if errors is not None:
            artists.bars(ax, f"{path} bars", x, values - bar, values + bar, path)
        ends += [*(values - bar), *(values + bar)]
        artists.marks(ax, path, x, values, path, markersize=9)
    room = 0.08 * (max(ends) - min(ends))
    ax.set(xlim=(-0.6, len(cases) - 0.4), ylim=(min(ends) - room, max(ends) + room))
    ax.set(xticks=range(len(cases)), title=title)
    artists.legend(ax, {path: path for path in found}, loc="best", **artists.SMALL)
    ax.set_xticklabels(cases, fontsize=10)
