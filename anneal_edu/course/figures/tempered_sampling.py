"""Estimates from tempered draws: RTS by iteration, and MBAR's objective."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import STYLES, projected

AVERAGED, COUNTED = "averaged", "counts"
"""Styles of Rao-Blackwellised shares and of plain counts."""
_SMALL = artists.SMALL | {"handlelength": 1.8}


@projected()
def iterations(ax: Axes, averaged: np.ndarray, counted: np.ndarray, exact: float, first: int = 1) -> None:
    """log Ẑ per iteration, from ``first`` on, and seed (seeds, n), with and without Rao-Blackwellisation.

    Medians and ranges of the seeds. A count that is zero gives no finite estimate: such an iteration has none of
    counts.
    """
    rounds = np.arange(first, averaged.shape[1] + 1)
    artists.curve(ax, "exact", [first - 0.5, rounds[-1] + 0.5], [exact] * 2, "truth")
    every = [exact]
    for style, found, aside in ((COUNTED, counted, 0.15), (AVERAGED, averaged, -0.15)):
        found = found[:, first - 1 :]
        whole = np.isfinite(found).all(0)
        low, middle, high = np.quantile(found[:, whole], [0, 0.5, 1], axis=0)
        artists.bars(ax, f"{style} range", rounds[whole] + aside, low, high, style)
        artists.line(ax, style, rounds[whole] + aside, middle, **STYLES[style] | {"linewidth": 1.5})
        every += [low.min(), high.max()]
    meanings = {"truth": "exact", AVERAGED: "Rao-Blackwellised", COUNTED: "counts"}
    artists.legend(ax, meanings, loc="lower right", **_SMALL)
    reach = max(every) - min(every)
    ax.set(xlim=(first - 0.7, rounds[-1] + 0.7), ylim=(min(every) - 0.4 * reach, max(every) + 0.1 * reach))
    ax.set(xlabel="round", xticks=rounds[rounds % 2 == 0])
    ax.set_title("log Ẑ: median, range of seeds" if first == 1 else f"the same, from round {first}")


@projected()
def convex_objective(ax: Axes, log_z: np.ndarray, values: np.ndarray, lowest: float, exact: float) -> None:
    """MBAR's objective (n,) against log Z of the second state (n,), its lowest point, and the exact log Z."""
    artists.curve(ax, "objective", log_z, values, "theory")
    low, high = values.min(), values.max()
    artists.curve(ax, "exact", [exact] * 2, [low - 0.1 * (high - low), low + 0.6 * (high - low)], "truth")
    artists.marks(ax, "lowest", lowest, low, "MBAR", markersize=11)
    meanings = {"theory": "the objective", "MBAR": "MBAR", "truth": "exact log Z"}
    artists.legend(ax, meanings, loc="upper center", **_SMALL)
    ax.set(xlim=(log_z[0], log_z[-1]), ylim=(low - 0.1 * (high - low), high), xlabel="log Z₁")
    ax.set(title="MBAR's objective: a valley")


@projected()
def bennetts_balance(ax: Axes, log_z: np.ndarray, up: np.ndarray, down: np.ndarray, crossing: float) -> None:
    """Shares of draws of 0 that pass for 1 (n,), and of 1 that pass for 0 (n,), against log Z₁; and where they meet."""
    artists.curve(ax, "up", log_z, up, "start")
    artists.curve(ax, "down", log_z, down, "target")
    artists.marks(ax, "meet", crossing, np.interp(crossing, log_z, up), "MBAR", markersize=11)
    meanings = {"start": "draws of 0 taken for 1", "target": "draws of 1 taken for 0", "MBAR": "MBAR"}
    artists.legend(ax, meanings, loc="upper center", **_SMALL)
    ax.set(xlim=(log_z[0], log_z[-1]), ylim=(0, 1), xlabel="log Z₁", title="Bennett: where the curves cross")
