"""AIS along two paths between RBMs (Grosse et al. 2013, Figure 3 and Table 1)."""

from itertools import product

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import GREY, STYLES, projected

LABELS = {"geometric": "geometric", "moments": "MAS"}


@projected()
def misses_and_ess(axes: list[Axes], rows: list[dict], n_chains: int) -> None:
    """A line for each model, start and schedule: left log Ẑ - log Z ± 2 standard errors on both paths, right the ESS.

    The errors' scale is linear as far as the usual bar reaches, and squeezed beyond.
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
    sizes = [tick for tick in (1, 10, 100, 1000) if tick <= n_chains]
    ess.set(yscale="log", ylim=(0.8, n_chains), yticks=sizes, yticklabels=[f"{size:,}" for size in sizes])
    ess.set_title(f"ESS of {n_chains:,} chains")
    ess.minorticks_off()
    artists.legend(errors[1], LABELS | {"truth": "exact"}, loc="lower right")
    star = Line2D([], [], color=GREY, label="perfect", **_POINTS["perfect", "linear"][1])
    errors[0].legend(handles=[star], loc="lower right")
    meanings = {"linear": {"marker": "o"}, "optimal binned": _HOLLOW | {"marker": "o", "linestyle": "None"}}
    handles = [Line2D([], [], color=GREY, label=meaning, **look) for meaning, look in meanings.items()]
    ess.legend(handles=handles, loc="upper left")
