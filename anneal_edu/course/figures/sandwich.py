"""Forward and reverse estimates of log Z, between which it should lie."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from anneal_edu.course.figures import annealing, artists
from anneal_edu.course.figures.style import GREY, STYLES, projected

FORWARD, REVERSE = "AIS", "reverse AIS"  # styles
PATHS = {"geometric": "geometric", "moments": "MAS", "cheap moments": "MAS cheap"}
"""Style → path, as the rows of Grosse et al. 2013, Figure 5, call it."""
STARTS = {"uniform": "from the uniform start", "base rate": "from the base rates"}


@projected()
def rows(
    ax: Axes,
    names: list[str],
    forward: np.ndarray,
    reverse: np.ndarray,
    log_z: float | None = None,
    title: str = "",
) -> None:
    """One line for each way to estimate: forward and reverse log Ẑ, each (n, 2) with its standard error.

    A thin line joins the two: solid where the lower bound lies below the upper one, dashed where they cross.
    """
    at = np.arange(len(names))[::-1]
    values, errors = (np.transpose([np.transpose(side)[i] for side in (forward, reverse)]) for i in (0, 1))  # (n, 2)
    for row, (y, (low, high)) in enumerate(zip(at, values, strict=True)):
        ends = [y - 0.5] * 2, [y + 0.5] * 2
        artists.band(ax, f"row {row}", [-1e9, 1e9], *ends, "reference", alpha=0.1 * (row % 2))
        look = {"color": GREY, "linewidth": 1.6, "linestyle": "-" if low <= high else (0, (1.5, 2)), "marker": "None"}
        artists.line(ax, f"gap {row}", [low, high], [y + 0.16, y - 0.16], **look)
    for i, (style, aside) in enumerate(((FORWARD, 0.16), (REVERSE, -0.16))):
        ends = values[:, i] - 2 * errors[:, i], values[:, i] + 2 * errors[:, i]
        artists.level_bars(ax, f"{style} bars", *ends, at + aside, style, marker="None")
        artists.marks(ax, style, values[:, i], at + aside, style, markersize=10)
    if log_z is not None:
        artists.curve(ax, "exact", [log_z] * 2, [-0.6, len(names) - 0.4], "truth")
    low, high = (values - 2 * errors).min(), (values + 2 * errors).max()
    margin = 0.05 * (high - low)
    ax.set(yticks=at, yticklabels=names, ylim=(-0.6, len(names) - 0.4), xlabel="log Ẑ ± 2 standard errors (nats)")
    ax.set(xlim=(low - margin, high + margin), title=title)
    ax.tick_params(axis="y", length=0)


@projected()
def figure_five(axes: list[Axes], rows: list[dict], reference: float) -> None:
    """Figure 5: log Ẑ less ``reference``, from both sides, against K on every path there is; forward with intervals.

    The scale is linear up to a nat and logarithmic beyond.
    """
    n_steps = sorted({row["n_steps"] for row in rows})
    bottom = 1.6 * min(min(row["log_z"], row["reverse_log_z"]) - reference for row in rows)
    top = 1.6 * max(max(row["interval"][1], row["reverse_log_z"]) - reference for row in rows)
    span = (n_steps[0] / 1.6, n_steps[-1] * 1.6)
    for ax, (start, title) in zip(axes, STARTS.items(), strict=True):
        artists.curve(ax, "reference", span, [0, 0], "reference")
        for number, (style, path) in enumerate(PATHS.items()):
            here = [row for row in rows if (row["start"], row["path"]) == (start, path)]
            x = np.array([row["n_steps"] for row in here]) * (1 / 1.12, 1.0, 1.12)[number]
            forward, reverse = ([row[key] - reference for row in here] for key in ("log_z", "reverse_log_z"))
            if here:
                intervals = np.array([row["interval"] for row in here]) - reference
                annealing.estimates(ax, style, x, forward, intervals, style)
                hollow = STYLES[style] | {"markerfacecolor": "white", "linestyle": (0, (1, 2))}
                artists.line(ax, f"{style} reverse", x, reverse, **hollow)
        artists.log_x(ax, "number of transitions K", n_steps, span)
        ends = min(bottom, -2.0), max(top, 2.0)
        numbers = (1, 10, 100, 1000) if max(ends[1], -ends[0]) > 10 else (1, 2, 5)
        ticks = [t for t in sorted({0, *numbers, *(-t for t in numbers)}) if ends[0] < t < ends[1]]
        artists.squeezed_y(ax, 1.0, ticks, *ends)
        ax.set_title(title)
    meanings = {style: path for style, path in PATHS.items() if any(row["path"] == path for row in rows)}
    artists.legend(axes[0], meanings, "lower right")
    look = {"color": GREY, "marker": "o"}
    handles = [Line2D([], [], **look, label="forward"), Line2D([], [], **look, markerfacecolor="white",
               linestyle=(0, (1, 2)), label="reverse")]  # fmt: skip
    axes[1].legend(handles=handles, loc="lower right")
    axes[0].set_ylabel("log Ẑ - reference (nats), squeezed beyond 1")


@projected()
def knots_seen(axes: list[Axes], splines: dict[str, list[dict]]) -> None:
    """The ink of Gibbs chains in each knot of splines, from the data and from black pages, against β.

    A dashed line has the ink that changes evenly from the start's to the data's, as moments of the data ask for.
    """
    top = 1.25 * max(row["ink"] for rows in splines.values() for row in rows)
    for ax, (title, rows) in zip(axes, splines.items(), strict=True):
        artists.curve(ax, "evenly", *np.array([(row["beta"], row["even"]) for row in rows]).T, "reference")
        for style, began in (("target", "the data"), ("another mode", "black pages")):
            betas, ink = np.array([(row["beta"], row["ink"]) for row in rows if row["began"] == began]).T
            artists.line(ax, style, betas, ink, **STYLES[style])
        ax.set(xlabel="β of the knot", xlim=(-0.03, 1.03), ylim=(0, top), title=title)
    axes[0].set_ylabel("pixels that are on")
    meanings = {"target": "begun at digits", "another mode": "begun at black pages", "reference": "evenly, to the data"}
    artists.legend(axes[-1], meanings, "upper left", **artists.SMALL)
