"""Forward and reverse estimates of log Z, between which it should lie."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import annealing, artists
from anneal_edu.course.figures.style import projected

FORWARD, REVERSE = "AIS", "reverse AIS"  # styles
MEANINGS = {REVERSE: "reverse run", FORWARD: "forward run"}


@projected()
def against_steps(ax: Axes, n_steps: list[int], forward: list, reverse: list, log_z: float | None = None) -> None:
    """Forward and reverse log Ẑ with 95% intervals against K; the exact value where it is given.

    Parameters
    ----------
    ax : Axes
    n_steps : (n,) list of int
    forward, reverse : lists of n results of `anneal_edu.annealing.ais` and `anneal_edu.annealing.reverse`
    log_z : float, optional
    """
    ends = []
    for style, nudge, results in ((FORWARD, 0.96, forward), (REVERSE, 1.04, reverse)):
        intervals = np.array([r.interval() for r in results])
        annealing.estimates(ax, style, nudge * np.array(n_steps), [r.log_z for r in results], intervals, style)
        ends.append(intervals)
    if log_z is not None:
        artists.curve(ax, "exact", [n_steps[0] / 2, n_steps[-1] * 2], [log_z] * 2, "truth")
        ends.append([log_z])
    low = 10 * np.floor(min(map(np.min, ends)) / 10 - 0.1)  # in tens, so that few settings move the axis
    high = 10 * np.ceil(max(map(np.max, ends)) / 10 + 0.1)
    artists.log_x(ax, "number of steps K", n_steps, (n_steps[0] / 1.3, n_steps[-1] * 1.3))
    ax.set(ylim=(low, high + 0.15 * (high - low)), title="log Ẑ with 95% intervals (nats)")


@projected()
def rows(ax: Axes, names: list[str], forward: np.ndarray, reverse: np.ndarray, log_z: float | None = None) -> None:
    """One line for each way to estimate: forward and reverse log Ẑ, each (n, 2) with its standard error.

    Parameters
    ----------
    ax : Axes
    names : list of n str
    forward, reverse : (n, 2) arrays
        Columns: log Ẑ and standard error.
    log_z : float, optional
    """
    at = np.arange(len(names))[::-1]
    for style, aside, found in ((FORWARD, 0.14, forward), (REVERSE, -0.14, reverse)):
        value, error = np.transpose(found)
        ends = value - 2 * error, value + 2 * error
        artists.level_bars(ax, f"{style} bars", *ends, at + aside, style, marker="None")
        artists.marks(ax, style, value, at + aside, style, markersize=9)
    if log_z is not None:
        artists.curve(ax, "exact", [log_z] * 2, [-0.6, len(names) - 0.4], "truth")
    every = np.concatenate([np.transpose(side)[0] for side in (forward, reverse)])
    margin = 0.08 * np.ptp(every) + 0.3
    ax.set(yticks=at, yticklabels=names, ylim=(-0.6, len(names) - 0.4), xlabel="log Ẑ ± 2 standard errors (nats)")
    ax.set_xlim(every.min() - margin, every.max() + margin)

