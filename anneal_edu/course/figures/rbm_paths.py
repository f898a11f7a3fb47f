"""Paths between RBMs: how many pictures they hold, how straight they are, and what AIS makes of them."""

from itertools import product

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from anneal_edu.course.figures import annealing, artists
from anneal_edu.course.figures.style import GREY, STYLES, projected

LABELS = {"geometric": "geometric", "moments": "MAS"}


@projected()
def pictures_along(ax: Axes, betas: np.ndarray, pictures: dict[str, np.ndarray], target: float) -> None:
    """Effective numbers of pictures (n,) of the "geometric" path and of the spline, "moments", at each β (n,)."""
    for style, numbers in pictures.items():
        artists.curve(ax, style, betas, numbers, style)
    artists.curve(ax, "target", [-0.03, 1.03], [target] * 2, "target")
    artists.legend(ax, LABELS | {"target": "target"}, loc="upper right")
    ax.set(xlim=(-0.03, 1.03), yscale="log", ylim=(0.8, 2000), xlabel="position β", xticks=(0, 0.5, 1))
    ax.set(yticks=(1, 10, 100, 1000), yticklabels=("1", "10", "100", "1,000"), title="Number of pictures")
    ax.minorticks_off()


@projected()
def estimates_and_ess(
    axes: list[Axes], n_steps: list[int], results: dict[str, list], intervals: dict[str, list], log_z: float
) -> None:
    """Left log Ẑ - log Z with 95% intervals against K (n,), right the ESS.

    Parameters
    ----------
    axes : two Axes
    n_steps : (n,) list of int
        Numbers of transitions K.
    results : dict
        "geometric" and "moments" → n results of `anneal_edu.annealing.ais`.
    intervals : dict
        The same → n intervals of log Ẑ.
    log_z : float
        The exact value.
    """
    errors, ess = axes
    span = [n_steps[0] / 1.35, n_steps[-1] * 1.35]
    artists.curve(errors, "exact", span, [0, 0], "truth")
    lowest, highest = -1.0, 1.0
    for i, (style, row) in enumerate(results.items()):
        x = np.asarray(n_steps) * (0.96, 1.04)[i]  # side by side, so that the bars can be told apart
        misses, bounds = [r.log_z - log_z for r in row], np.array(intervals[style]) - log_z
        annealing.estimates(errors, style, x, misses, bounds, style)
        artists.line(ess, style, x, [r.ess for r in row], **STYLES[style])
        lowest, highest = min(lowest, bounds.min()), max(highest, bounds.max())
    n_chains = len(next(iter(results.values()))[0].log_weights)
    artists.curve(ess, "all", span, [n_chains] * 2, "reference")
    artists.words(ess, "all words", n_steps[0], 0.92 * n_chains, f"all {n_chains} chains", va="top", fontsize=12)
    margin = 0.08 * (highest - lowest)
    errors.set(ylim=(lowest - 5 * margin, highest + margin), title="log Ẑ − log Z, 95% intervals (nats)")
    _log_ess(ess, n_chains, 1.6 * n_chains, "Effective sample size")
    artists.legend(errors, LABELS | {"truth": "exact"}, loc="lower center", ncols=2)
    for ax in axes:
        artists.log_x(ax, "number of steps K", n_steps, span)


def _log_ess(ax: Axes, n_chains: int, top: float, title: str) -> None:
    """A logarithmic axis of effective sample sizes, with powers of ten for ticks."""
    ticks = [tick for tick in (1, 10, 100, 1000) if tick <= n_chains]
    ax.set(yscale="log", ylim=(0.8, top), yticks=ticks, yticklabels=[f"{tick:,}" for tick in ticks], title=title)


@projected()
def off_the_line(ax: Axes, betas: np.ndarray, deviations: np.ndarray, knots: np.ndarray, without: np.ndarray) -> None:
    """Largest miss (n,) of any moment from the straight line at each β (n,), and the knots' positions.

    ``without`` is that of the spline without knots, the geometric path, (n,).
    """
    artists.curve(ax, "without", betas, without, "geometric")
    artists.curve(ax, "deviation", betas, deviations, "moments")
    artists.curve(ax, "line", [-0.03, 1.03], [0, 0], "truth")
    artists.marks(ax, "knots", knots, np.zeros(len(knots)), "moments", markersize=10, clip_on=False, zorder=5)
    meanings = {"moments": "spline, and its knots", "geometric": "no knots: geometric", "truth": "moment path"}
    artists.legend(ax, meanings, loc="upper right")
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.35), xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
    ax.set(xlabel="position β on the path", title="Largest miss of any moment")


@projected()
def errors_of_splines(ax: Axes, knots: list[int], misses: dict[int, np.ndarray], chosen: int) -> None:
    """log Ẑ - log Z of runs, ± 2 standard errors, for each number of knots; the marks of the chosen number are full.

    ``misses`` maps a number of knots to (n, 2): log Ẑ - log Z of every run, and its standard error.
    """
    artists.curve(ax, "exact", [-0.6, len(knots) - 0.4], [0, 0], "truth")
    artists.words(ax, "exact words", -0.55, 0.12, "exact", fontsize=12)
    for i, number in enumerate(knots):
        spread = np.linspace(-0.24, 0.24, len(misses[number]))
        found, error = np.transpose(misses[number])
        style = "moments" if number else "geometric"
        ends = found - 2 * error, found + 2 * error
        artists.bars(ax, f"errors {number}", i + spread, *ends, style, markersize=7)
        look = {"markerfacecolor": STYLES[style]["color"] if number == chosen else "white", "markeredgewidth": 2}
        artists.marks(ax, f"runs {number}", i + spread, found, style, markersize=10, **look)
    ax.set(xlim=(-0.6, len(knots) - 0.4), xticks=range(len(knots)), xticklabels=knots, xlabel="number of knots R")
    artists.squeezed_y(ax, 1.0, (-100, -10, -1, 0, 1, 10), -120, 12)
    ax.set_title("log Ẑ − log Z, ± 2 errors (nats)")


@projected()
def shares(ax: Axes, betas: np.ndarray, pictured: np.ndarray, others: np.ndarray, title: str) -> None:
    """Exact probabilities (n,) of the target's own picture, and of the likeliest other one, at each β (n,)."""
    artists.curve(ax, "own", betas, pictured, "target")
    artists.curve(ax, "others", betas, others, "another mode")
    artists.legend(ax, {"target": "the 4", "another mode": "likeliest other"}, loc="upper right", fontsize=12)
    ax.set(xlim=(0, 1.02), ylim=(0, 1.5), xticks=(0, 0.5, 1), yticks=(0, 0.5, 1), xlabel="position β", title=title)


@projected()
def misses_and_ess(axes: list[Axes], rows: list[dict], n_chains: int) -> None:
    """A line for each model, start and schedule: left log Ẑ - log Z ± 2 standard errors on both paths, right the ESS.

    The errors' scale is linear as far as the usual bar reaches, and squeezed beyond.

    Parameters
    ----------
    axes : two Axes
    rows : list of dict
        Of Grosse et al. 2013, Table 1: "model", "start", "schedule", "path", "log_z", "std_error", "exact", "ess".
    n_chains : int
        What the ESS could reach.
    """
    errors, ess = axes
    ends = [row["log_z"] - row["exact"] + sign * 2 * row["std_error"] for row in rows for sign in (-1, 1)]
    linear = 10.0 ** np.round(np.log10(2 * np.median([row["std_error"] for row in rows])))
    reach = 1.3 * max(linear, *np.abs(ends))
    names = list(dict.fromkeys((row["model"], row["start"], row["schedule"]) for row in rows))
    top = len(names) - 0.4
    for style, label, aside in (("geometric", "geometric", 0.13), ("moments", "MAS", -0.13)):
        of_path = {(row["model"], row["start"], row["schedule"]): row for row in rows if row["path"] == label}
        found = [of_path[name] for name in names]
        at = np.arange(len(names))[::-1] + aside
        miss, error = np.array([(row["log_z"] - row["exact"], row["std_error"]) for row in found]).T
        artists.level_bars(errors, f"{style} bars", miss - 2 * error, miss + 2 * error, at, style)
        artists.marks(errors, style, miss, at, style, markersize=8)
        artists.marks(ess, style, [row["ess"] for row in found], at, style, markersize=9)
    artists.curve(errors, "exact", [0, 0], [-0.6, top], "truth")
    words = [f"{model.partition('_')[2]}, {start}, {schedule}" for model, start, schedule in names]
    errors.set(yticks=range(len(names)), yticklabels=words[::-1], ylim=(-0.6, top))
    sizes = [linear * size for size in (1, 10, 100) if linear * size <= reach]
    artists.squeezed_x(errors, linear, [*(-size for size in sizes[::-1]), 0, *sizes], -reach, reach)
    errors.set_xlabel("log Ẑ − log Z, ± 2 standard errors (nats)")
    errors.tick_params(axis="y", labelsize=12)
    ticks = [tick for tick in (1, 10, 100, 1000) if tick <= n_chains]
    artists.log_x(ess, f"ESS of {n_chains:,} chains", ticks, (0.8, 1.3 * n_chains))
    ess.set(yticks=[], ylim=(-0.6, top))
    artists.legend(ess, LABELS, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)


_HOLLOW = {"markerfacecolor": "white", "markeredgewidth": 2}
_POINTS = {
    ("Gibbs", "linear"): (1.0, {}),
    ("Gibbs", "optimal binned"): (1.2, _HOLLOW | {"linestyle": "None"}),
    ("perfect", "linear"): (0.83, {"linestyle": "None", "marker": "*", "markersize": 15}),
}
"""Transitions and schedule → how far to the right of K a point is drawn, and what differs from the look of its path."""


@projected()
def figure_three(axes: list[Axes], rows: list[dict], n_chains: int) -> None:
    """Figure 3: log Ẑ - log Z with its 95% interval against K, on both paths, for each schedule; right the ESS.

    Hollow marks are those of the optimal binned schedule; stars have perfect transitions (on the left alone, as they
    have fewer chains). MAS is drawn a little to the right.

    Parameters
    ----------
    axes : three Axes
        Of the linear schedule, of the optimal binned one, and of the ESS.
    rows : list of dict
        Of Grosse et al. 2013, Figure 3, from one start: "path", "schedule", "transitions", "n_steps", "log_z", "low",
        "high", "exact", "ess".
    n_chains : int
        What the ESS of a Gibbs run could reach.
    """
    *errors, ess = axes
    n_steps = sorted({row["n_steps"] for row in rows})
    span, bottom = (n_steps[0] / 1.6, n_steps[-1] * 2.5), 2 * min(row["low"] - row["exact"] for row in rows)
    of_schedule = dict(zip(("linear", "optimal binned"), errors, strict=True))
    for schedule, ax in of_schedule.items():
        artists.curve(ax, "exact", span, [0, 0], "truth")
        ax.set_title(f"log Ẑ − log Z, {schedule}")
    for (style, label), (kind, (aside, look)) in product(LABELS.items(), _POINTS.items()):
        found = [row for row in rows if (row["path"], row["transitions"], row["schedule"]) == (label, *kind)]
        by_path = np.array([row["n_steps"] * (1.09 if label == "MAS" else 1 / 1.09) for row in found])
        miss, low, high = ([row[end] - row["exact"] for row in found] for end in ("log_z", "low", "high"))
        ax, binned = of_schedule[kind[1]], kind[1] == "optimal binned"
        x, alone = (by_path, _HOLLOW) if binned else (by_path * aside, look)
        artists.bars(ax, f"{style} {kind} bars", x, low, high, style, linewidth=1.4, markersize=6)
        artists.line(ax, f"{style} {kind}", x, miss, **STYLES[style] | alone)
        if kind[0] == "Gibbs":
            ess_of = [row["ess"] for row in found]
            artists.line(ess, f"{style} {kind}", by_path * aside, ess_of, **STYLES[style] | look)
    for ax in axes:
        artists.log_x(ax, "number of transitions K", n_steps[::2], span)
    errors[0].set_ylabel("nats, 95% intervals", fontsize=12, labelpad=0)
    for ax in errors:
        artists.squeezed_y(ax, 0.1, [t for t in (-100, -10, -1, -0.1, 0, 0.1, 1) if t > bottom], bottom, 3)
    _log_ess(ess, n_chains, n_chains, f"ESS of {n_chains:,} chains")
    ess.minorticks_off()
    artists.legend(errors[1], LABELS | {"truth": "exact"}, loc="lower right")
    star = Line2D([], [], color=GREY, label="perfect", **_POINTS["perfect", "linear"][1])
    errors[0].legend(handles=[star], loc="lower right")
    meanings = {"linear": {"marker": "o"}, "optimal binned": _HOLLOW | {"marker": "o", "linestyle": "None"}}
    handles = [Line2D([], [], color=GREY, label=meaning, **look) for meaning, look in meanings.items()]
    ess.legend(handles=handles, loc="upper left")
