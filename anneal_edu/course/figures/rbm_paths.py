"""AIS along paths between RBMs (Grosse et al. 2013, Figures 3 and 5)."""

from itertools import product

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import GREY, STYLES, projected

LABELS = {"geometric": "geometric", "moments": "MAS"}


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


_THREE = LABELS | {"cheap moments": "MAS cheap"}


@projected()
def figure_five(axes: list[Axes], guesses: dict[str, float], rows: list[dict]) -> None:
    """Figure 5: log Ẑ less a guess, with its 95% interval, against K, a plot for each model with a guess.

    Hollow marks are those from the base rates.
    """
    for ax, (model, guess) in zip(axes, guesses.items(), strict=True):
        found = [row for row in rows if row["model"] == model]
        n_steps = sorted({row["n_steps"] for row in found})
        span = n_steps[0] / 2, n_steps[-1] * 2
        artists.curve(ax, "guess", span, [0, 0], "reference")
        for (style, path), (start, look) in product(_THREE.items(), {"uniform": {}, "base rate": _HOLLOW}.items()):
            way = [row for row in found if (row["path"], row["start"]) == (path, start)]
            x = np.array(n_steps) * (1 if start == "uniform" else 1.25)
            low, high = np.array([row["interval"] for row in way]).T - guess
            artists.bars(ax, f"{style} {start} bars", x, low, high, style, linewidth=1.2, markersize=5)
            artists.line(ax, f"{style} {start}", x, [row["log_z"] - guess for row in way], **STYLES[style] | look)
        artists.log_x(ax, "number of transitions K", n_steps[::2], span)
        artists.squeezed_y(ax, 1.0, (-100, -10, -1, 0, 1, 10), -600, 30)
        _, training, n_hidden = model.split("_")
        ax.set_title(f"{training.upper()}({n_hidden})")
    axes[0].set_ylabel("log Ẑ − our best guess (nats)", labelpad=0)
    artists.legend(axes[0], _THREE | {"reference": "best guess"}, loc="upper left")
    handles = [Line2D([], [], color=GREY, marker="o", label=label, **look)
               for label, look in (("uniform start", {}), ("base rates", _HOLLOW))]  # fmt: skip
    axes[-1].legend(handles=handles, loc="upper left")
