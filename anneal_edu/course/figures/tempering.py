"""Parallel tempering: round trips by number of pairs and by path."""

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import STYLES, projected

SCHEME_STYLES = {"stochastic_even_odd": "PT, coin", "even_odd": "PT, even-odd", "lifted": "PT, lifted"}
SCHEME_LABELS = {"stochastic_even_odd": "coin", "even_odd": "in turn", "lifted": "lifted"}


def colours_of(n_states: int) -> list[str]:
    """A colour for each state of a ladder, from the hot rung to the target's."""
    return [mpl.colors.to_hex(c) for c in mpl.colormaps["plasma"](np.linspace(0.02, 0.95, n_states))]


@projected()
def round_trip_rates(axes: list[Axes], n_pairs: np.ndarray, exact: dict[str, np.ndarray], barrier: float) -> None:
    """Round trips of each scheme (n,) against the number of pairs (n,): per sweep, and divided by the rungs."""
    limit, span = 1 / (2 + 2 * barrier), (n_pairs[0] / 1.15, n_pairs[-1] * 1.15)
    tops = 1.4 * limit, 1.25 * max((rates / (n_pairs + 1)).max() for rates in exact.values())
    artists.curve(axes[0], "limit", span, [limit] * 2, "truth")
    for name, x, beside, side in (("1.5 Λ", 1.5 * barrier, 0.92, "right"), ("2 Λ", 2 * barrier, 1.08, "left")):
        artists.curve(axes[1], name, [x] * 2, [0, tops[1]], "reference", linewidth=1.6)
        look = {"fontsize": 12, "color": STYLES["reference"]["color"], "ha": side}
        artists.words(axes[1], f"{name} words", x * beside, 0.93 * tops[1], name, **look)
    titles = "round trips per sweep", "round trips per sweep and rung"
    for ax, top, title, divisor in zip(axes, tops, titles, (1, n_pairs + 1), strict=True):
        for scheme, rates in exact.items():
            artists.curve(ax, scheme, n_pairs, rates / divisor, SCHEME_STYLES[scheme])
        artists.log_x(ax, "pairs K", [tick for tick in (1, 3, 10, 30, 100) if span[0] <= tick <= span[1]], span)
        ax.set(ylim=(0, top), title=title)
    meanings = {SCHEME_STYLES[scheme]: SCHEME_LABELS[scheme] for scheme in exact}
    artists.legend(axes[0], meanings | {"truth": "1 / (2 + 2 Λ)"}, loc="upper left", ncols=3, **artists.SMALL)


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
    """Round trips a sweep of both paths, case by case: what perfect exploration would give, and what was counted."""
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


@projected()
def slopes(ax: Axes, weight: np.ndarray, likelihood: np.ndarray, slopes: dict[str, tuple]) -> None:
    """A likelihood (n,) against one weight (n,), and lines through its middle: style → name, slope."""
    artists.curve(ax, "likelihood", weight, likelihood, "truth")
    middle = len(weight) // 2
    near = slice(middle // 2, -(middle // 2))
    for style, (name, slope) in slopes.items():
        artists.curve(ax, name, weight[near], likelihood[middle] + slope * (weight - weight[middle])[near], style)
    ax.set(xlim=weight[[0, -1]], ylim=(likelihood.min(), likelihood.max() + 0.3), xlabel="weight $w_{11}$")
    ax.set_title("mean log likelihood of the data, in nats")
    artists.legend(ax, {"truth": "exact"} | {style: name for style, (name, _) in slopes.items()}, loc="lower left")
