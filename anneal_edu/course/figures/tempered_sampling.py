"""Simulated tempering and what is made of its draws: ladders, shares of time, and estimates beside the exact value."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import BLACK, GREY, STYLES, projected

AVERAGED, COUNTED = "averaged", "counts"
"""Styles of Rao-Blackwellised shares and of plain counts."""
METHODS = {
    "stepping stone": "stepping stone",
    "MBAR": "MBAR",
    "TI": "TI",
    "RB-TI": "RB-TI",
    "RTS, own walk": "RTS",
}
"""Row and style of each estimator in `estimates_in_rows`, from the top."""
_SMALL = artists.SMALL | {"handlelength": 1.8}
_FLOOR = 2e-6  # where shares of zero are drawn


@projected()
def walk_on_ladder(ax: Axes, x: np.ndarray, densities: np.ndarray, trail: np.ndarray, rungs: np.ndarray) -> None:
    """The density on each rung as a ridge, and one chain's way over them.

    Parameters
    ----------
    ax : Axes
    x : (n,) array
        Where the densities are given.
    densities : (K+1, n) array
        Exact, on every rung.
    trail, rungs : (T+1,) arrays
        Position and rung of one chain, before the first sweep and after each. A sweep moves along the rung, then up or
        down.
    """
    top = len(densities) - 1
    for k, density in enumerate(densities):
        ridge = k + 0.75 * density / density.max()
        artists.band(ax, f"area {k}", x, np.full_like(x, k), ridge, "reference", alpha=0.25, zorder=1 - k / 100)
        artists.curve(ax, f"ridge {k}", x, ridge, "reference", linestyle="-", linewidth=1, zorder=1 - k / 100)
    across = np.column_stack([trail[:-1], trail[1:]]).ravel()
    up = np.repeat(rungs[:-1], 2)
    look = {"linestyle": "-", "linewidth": 1.3, "zorder": 3}
    artists.curve(ax, "trail", np.append(across, trail[-1]), np.append(up, rungs[-1]), "chains", **look)
    ends = {"markersize": 10, "markeredgecolor": "white", "zorder": 5}
    artists.marks(ax, "first", trail[0], rungs[0], "first", **ends)
    artists.marks(ax, "last", trail[-1], rungs[-1], "last", **ends)
    ax.set(xlim=(x[0], x[-1]), ylim=(-0.04 * (top + 1), 1.02 * (top + 1)), xlabel="x   (● first  ■ last)")
    ax.set_yticks(np.unique(np.linspace(0, top, min(top, 4) + 1).astype(int)))


@projected()
def shares_of_time(ax: Axes, counted: np.ndarray, averaged: np.ndarray, exact: np.ndarray) -> None:
    """Share of every rung (K+1,): by counting, by averaging q(β_k | x), and exactly; zero counts stand at the floor."""
    k = np.arange(len(exact))
    artists.curve(ax, "exact", k, np.maximum(exact, _FLOOR), "truth")
    aside = 0.012 * len(k)
    artists.marks(ax, "averaged", k - aside, np.maximum(averaged, _FLOOR), AVERAGED)
    seen = counted > 0
    hollow = {"markerfacecolor": "white", "markeredgewidth": 2, "markersize": 9, "zorder": 3}
    artists.marks(ax, "counted", k[seen] + aside, counted[seen], COUNTED, **hollow)
    if not seen.all():
        artists.marks(ax, "never", k[~seen], np.full((~seen).sum(), _FLOOR), COUNTED, **hollow | {"marker": "v"})
        artists.words(ax, "never words", k[~seen][0] + 0.3, 1.7 * _FLOOR, "never visited", fontsize=11, color=GREY)
    meanings = {"truth": "exact", AVERAGED: "averaged", COUNTED: "counted"}
    artists.legend(ax, meanings, loc="lower right", **_SMALL)
    ax.set(yscale="log", ylim=(_FLOOR / 2, 2), xlim=(-0.5, k[-1] + 0.5), xlabel="rung k")
    ax.set_yticks([1, 1e-2, 1e-4], ["1", "10⁻²", "10⁻⁴"])
    ax.set_xticks(range(0, len(k), 1 + len(k) // 8))
    ax.minorticks_off()


@projected()
def estimates_by_round(
    ax: Axes,
    averaged: np.ndarray,
    errors: np.ndarray,
    counted: np.ndarray,
    exact: float,
    n_rounds: int,
    n_initial: int,
    floor: float,
) -> None:
    """log Ẑ after each of the rounds so far (n,), with ± 2 standard errors, and by counts; those below the floor at it.

    The colours are those of `shares_of_time`, whose legend says what they mean.

    Parameters
    ----------
    ax : Axes
    averaged, errors, counted : (n,) arrays
        Counts may give infinity or NaN: such a round is left out.
    exact : float
    n_rounds, n_initial : int
        Rounds in all, and those that each begin with a new Ẑ.
    floor : float
        Lower end of the axis.
    """
    rounds = np.arange(1, len(averaged) + 1)
    inside = floor + 0.03 * (exact - floor)
    artists.curve(ax, "exact", [0, n_rounds + 1], [exact] * 2, "truth")
    if n_initial:
        artists.curve(ax, "held", [n_initial + 0.5] * 2, [floor, exact + 3], "reference", linewidth=1.5)
        artists.words(ax, "held words", n_initial + 0.7, exact + 2.9, "Ẑ held", fontsize=11, color=GREY, va="top")
    bottom, top = (np.maximum(averaged + sign * 2 * errors, inside) for sign in (-1, 1))
    artists.bars(ax, "errors", rounds - 0.12, bottom, top, AVERAGED)
    artists.line(ax, "averaged", rounds - 0.12, np.maximum(averaged, inside), **STYLES[AVERAGED] | {"linewidth": 1.5})
    found = np.isfinite(counted)
    if found.any():
        look = {"markerfacecolor": "white", "markeredgewidth": 2, "markersize": 8, "zorder": 3}
        artists.marks(ax, "counted", rounds[found] + 0.12, np.maximum(counted[found], inside), COUNTED, **look)
    ax.set(xlim=(0.3, n_rounds + 0.7), ylim=(floor, exact + 3), xlabel="round")
    ax.set_xticks(range(2, n_rounds + 1, 2))


@projected()
def overlap(ax: Axes, matrix: np.ndarray) -> None:
    """An overlap matrix (K+1, K+1) as an image, black for 1, with its numbers where there is room."""
    n = len(matrix)
    look = {"cmap": "Greys", "vmin": 0, "vmax": 1, "interpolation": "nearest"}
    artists.image(ax, "overlap", matrix, (-0.5, n - 0.5, n - 0.5, -0.5), **look)
    size = 15 if n < 4 else 11
    for i, j in np.ndindex(matrix.shape) if n <= 5 else ():
        share = matrix[i, j]
        text = f"{min(share, 1):.2f}".replace("0.", ".", 1) if share >= 0.005 else "0"
        look = {"ha": "center", "va": "center", "fontsize": size, "color": "white" if share > 0.55 else BLACK}
        artists.words(ax, f"share {i} {j}", j, i, text, **look)
    ax.set(ylabel="drawn on rung", xlabel="might be of rung", xticks=(ticks := range(0, n, 1 + n // 8)), yticks=ticks)
    ax.set(title="overlap (black = 1)")


@projected()
def estimates_in_rows(
    ax: Axes, found: dict[str, tuple[float, float, str] | None], limits: dict[str, float], reach: float
) -> None:
    """Errors of several estimators, a row each, on an axis that is linear within ±1 and logarithmic beyond.

    Parameters
    ----------
    ax : Axes
    found : dict
        Method of METHODS → (log Ẑ - exact, its standard error, what it says); None in place of an error for one that
        refuses.
    limits : dict
        Method → its exact error with infinitely many draws, where that is not zero.
    reach : float
        The axis ends at ± this; what lies beyond stands at its end.
    """
    artists.curve(ax, "exact", [0, 0], [-0.6, len(METHODS) - 0.4], "truth")
    for row, (method, style) in enumerate(METHODS.items()):
        error, bar, says = found[method]
        if error is not None:
            ends = np.clip([error - 2 * bar, error + 2 * bar], -reach, reach)
            artists.level_bars(ax, f"{method} bar", *ends, row, style, markersize=12, linewidth=2.6)
            artists.marks(ax, method, np.clip(error, -reach, reach), row, style, markersize=9)
        if method in limits:
            look = {"marker": "o", "markerfacecolor": "none", "markeredgewidth": 2, "markersize": 13}
            artists.marks(ax, f"{method} limit", np.clip(limits[method], -reach, reach), row, style, **look)
        look = {"transform": ax.get_yaxis_transform(), "va": "center", "ha": "left", "fontsize": 12}
        artists.words(ax, f"{method} says", 1.01, row, says, **look)
    sizes = [size for size in ((1, 3, 10) if reach <= 10 else (1, 10, 100)) if size <= reach]
    ticks = [-size for size in sizes[::-1]] + [0, *sizes]
    artists.squeezed_x(ax, 1, ticks, -1.05 * reach, 1.05 * reach)
    ax.set(ylim=(len(METHODS) - 0.5, -0.5), yticks=range(len(METHODS)), yticklabels=list(METHODS))
    ax.set(xlabel="log Ẑ minus exact, ± 2 errors (nats)")


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
    ax.set(xlabel="iteration", xticks=rounds[rounds % 2 == 0])
    ax.set_title("log Ẑ: median, range of seeds" if first == 1 else f"the same, from iteration {first}")


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
    ax.set(xlim=(log_z[0], log_z[-1]), ylim=(0, 1), xlabel="log Z₁", title="Bennett: both taken alike")


@projected()
def gap_against_rungs(ax: Axes, n_steps: np.ndarray, gaps: np.ndarray) -> None:
    """The exact gap between RB-TI and RTS (n,) against K on logarithmic axes, and a line of slope -2."""
    line = gaps[-1] * (n_steps[-1] / n_steps) ** 2
    artists.curve(ax, "slope", n_steps, line, "truth")
    artists.line(ax, "gap", n_steps, gaps, **STYLES["RB-TI"])
    meanings = {"RB-TI": "|RB-TI − RTS|, exact", "truth": "falls as 1/K²"}
    artists.legend(ax, meanings, loc="lower left", **_SMALL)
    ax.set(yscale="log", ylim=(gaps.min() / 3, 5 * gaps.max()), title="gap in nats")
    artists.log_x(ax, "steps K", n_steps, (n_steps[0] / 1.3, n_steps[-1] * 1.3))
