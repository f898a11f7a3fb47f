"""Hamiltonian annealed importance sampling: trails of chains with momentum, and errors against K."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import GREY, STYLES, projected

KEPT, FORGOTTEN = "HAIS", "fresh momentum"
"""Styles of chains that keep their momentum, and of those that draw it anew."""


def ellipse(cov: np.ndarray, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """Points at Mahalanobis distance ``radius`` from 0 under a covariance (2, 2)."""
    angle = np.linspace(0, 2 * np.pi, 181)
    return tuple(radius * np.linalg.cholesky(cov) @ [np.cos(angle), np.sin(angle)])


@projected()
def trail(
    ax: Axes, x: np.ndarray, accepted: np.ndarray, crowd: np.ndarray, covs: tuple, style: str, title: str
) -> None:
    """The way of one chain in the plane, where it was refused a step, and the 2 σ ellipses of start and target.

    Parameters
    ----------
    ax : Axes
    x : (K+1, 2) array
        Positions.
    accepted : (K+1,) array of bool
        False where the step to this position was refused.
    crowd : (C, 2) array
        Where all chains have ended.
    covs : two (2, 2) arrays
        Covariances of start and target.
    style : str
        Key of STYLES.
    title : str
    """
    look = {"linestyle": "-", "linewidth": 1.4}
    artists.curve(ax, "start", *ellipse(covs[0], 2), "start", **look)
    artists.curve(ax, "target", *ellipse(covs[1], 2), "target", **look)
    look = {"markersize": 4, "markeredgewidth": 0, "alpha": 0.3, "zorder": 1}
    artists.marks(ax, "crowd", *crowd.T, style, **look)
    look = {"linestyle": "-", "marker": ".", "markersize": 5, "linewidth": 1.3}
    artists.line(ax, "trail", *x.T, **STYLES[style] | look)
    if not accepted.all():
        cross = {"markersize": 9, "markeredgewidth": 2.4, "zorder": 4}
        artists.marks(ax, "refused", *x[~accepted].T, "refused", **cross)
    ends = {"markersize": 11, "markeredgecolor": "white", "zorder": 5}
    artists.marks(ax, "first", *x[0], "first", **ends)
    artists.marks(ax, "last", *x[-1], "last", **ends)
    look = {"fontsize": 12, "ha": "center"}
    artists.words(ax, "start words", -1.6, 1.7, "start", color=STYLES["start"]["color"], **look)
    artists.words(ax, "target words", 2.4, 4.3, "target", color=STYLES["target"]["color"], **look)
    signs, look = "small: all ends\n● first  ■ last\n× refused", {"fontsize": 11, "ha": "right", "va": "bottom"}
    artists.words(ax, "signs", 5.1, -5.2, signs, **look)
    ax.set(xlim=(-5.2, 5.2), ylim=(-5.3, 5.1), title=title, xlabel="x₁")


@projected()
def spread_along_path(ax: Axes, betas: np.ndarray, exact: np.ndarray, found: dict[str, tuple]) -> None:
    """Root mean square of the chains' long coordinate (K+1,) against β, and the standard deviation of p_β.

    ``found`` maps a style to the root mean squares and their standard errors; bars of two stand at every third of β.
    """
    artists.curve(ax, "exact", betas, exact, "truth")
    at = np.linspace(0, len(betas) - 1, 4).astype(int)[1:]
    for style, (spread, error) in found.items():
        artists.curve(ax, style, betas, spread, style)
        low, high = (spread[at] + sign * 2 * error[at] for sign in (-1, 1))
        artists.bars(ax, f"{style} errors", betas[at], low, high, style, linewidth=1.4, markersize=6)
    artists.legend(ax, {"truth": "exact", KEPT: "kept", FORGOTTEN: "anew"}, loc="upper left")
    ax.set(xlim=(-0.02, 1.02), ylim=(0, 1.15 * exact.max()), xlabel="position β", xticks=(0, 0.5, 1))
    ax.set_title("spread of the chains")


_IN_SHORT = {
    "HAIS": "HAIS",
    "fresh momentum": "fresh momentum",
    "random walk": "walk, σ = 0.1",
    "longer walk": "walk, σ = 0.4",
}
METHOD_LABELS = {
    "HAIS": "HAIS, ε = 0.2",
    "fresh momentum": "fresh momentum, ε = 0.2",
    "random walk": "random walk, σ = 0.1",
    "longer walk": "random walk, σ = 0.4",
}


@projected()
def convergence(
    axes: list[Axes],
    cost: dict[str, np.ndarray],
    errors: dict[str, np.ndarray],
    xlabel: str,
    goal: float,
    largest: int,
) -> None:
    """Errors of log Ẑ: left their median and range, right the median of their sizes on logarithmic axes.

    Parameters
    ----------
    axes : two Axes
    cost : dict
        Method → what the runs cost (n,).
    errors : dict
        Method → log Ẑ - log Z of every run (n, repeats).
    xlabel : str
    goal : float
        A size of error, drawn as a level line: on it, horizontal distances are ratios of cost.
    largest : int
        Of the numbers of distributions. The axis reaches three times as far, whatever the cost is counted in, so that a
        curve is seen to move.
    """
    left, right = axes
    sizes = {method: np.median(np.abs(error), axis=1) for method, error in errors.items()}
    span = 20.0, 3.0 * largest
    artists.curve(left, "exact", span, [0, 0], "truth")
    for method, error in errors.items():
        aside = 1.18 ** (list(errors).index(method) - 1.5)  # bars beside each other
        x = cost[method] * aside
        artists.bars(left, f"{method} runs", x, error.min(1), error.max(1), method, linewidth=1.6, markersize=6)
        artists.line(left, method, x, np.median(error, 1), **STYLES[method] | {"markersize": 6})
        artists.line(right, method, cost[method], sizes[method], **STYLES[method] | {"markersize": 6})
    artists.curve(right, "goal", span, [goal] * 2, "reference", linewidth=1.6)
    low = min(error.min() for error in errors.values())
    high = max(1.0, *(error.max() for error in errors.values()))
    left.set(ylim=(low - 0.05 * (high - low), high + 0.05 * (high - low)), title="log Ẑ minus log Z (nats)")
    meanings = {method: _IN_SHORT[method] for method in errors}
    artists.legend(right, meanings, loc="lower left", **artists.SMALL)
    low, high = 0.4 * min(map(np.min, sizes.values())), 1.25 * max(map(np.max, sizes.values()))
    artists.log_y(right, low, high, "size of the error (nats)")
    for ax in axes:
        artists.log_x(ax, xlabel, [tick for tick in (100, 1000, 10_000, 100_000) if tick < span[1]], span)


@projected()
def likelihood_convergence(
    ax: Axes, n_steps: list[int], estimates: np.ndarray, errors: np.ndarray, exact: float
) -> None:
    """Average log likelihood (n,) with ± 2 Monte Carlo errors (n,) against K, and the exact value."""
    span = n_steps[0] / 1.4, n_steps[-1] * 1.4
    artists.curve(ax, "exact", span, [exact] * 2, "truth")
    artists.bars(ax, "errors", n_steps, estimates - 2 * errors, estimates + 2 * errors, KEPT)
    artists.line(ax, "HAIS", n_steps, estimates, **STYLES[KEPT])
    artists.legend(ax, {KEPT: "HAIS", "truth": "exact"}, loc="lower right")
    low, high = min((estimates - 2 * errors).min(), exact), max((estimates + 2 * errors).max(), exact)
    margin = 0.08 * (high - low)
    ax.set(ylim=(low - margin, high + margin), title="log likelihood a point (nats)")
    artists.log_x(ax, "number of distributions K", n_steps, span)


@projected()
def bouncing(ax: Axes, x: np.ndarray, v: np.ndarray) -> None:
    """Positions and momenta (n,) of a chain at a wall at 0, under f = e^{-x}, and the line of its first energy."""
    energy = x[0] + v[0] ** 2 / 2
    level = np.linspace(-np.sqrt(2 * energy), np.sqrt(2 * energy), 121)
    artists.curve(ax, "energy", energy - level**2 / 2, level, "reference", linewidth=1.6)
    artists.marks(ax, "states", x, v, KEPT, markersize=6)
    artists.curve(ax, "wall", [0, 0], [-3, 3], "truth", linestyle="-", linewidth=5)
    look = {"fontsize": 12, "color": GREY, "va": "center"}
    artists.words(ax, "wall words", 0.08, 0, "the wall turns v", **look)
    artists.words(ax, "up", 1.6, 2.15, "flies up", **look)
    artists.words(ax, "down", 1.6, -2.15, "falls", **look)
    ax.set(xlim=(-0.1, 1.2 * energy), ylim=(-3, 3), xlabel="position x", ylabel="momentum v")


@projected()
def savings(
    ax: Axes,
    factors: dict[str, dict[str, np.ndarray]],
    bounds: dict[str, dict[str, np.ndarray]],
    title: str,
    named: bool,
) -> None:
    """How many times less HAIS spends than each other method: a block a model, a bar from least to most a method.

    Parameters
    ----------
    ax : Axes
    factors : dict
        Model → method → factors (n,); 0 where HAIS never gets as near, drawn as a bar from the left edge.
    bounds : dict
        Model → method → which of the factors (n,) are lower bounds only, drawn as open arrows.
    title : str
    named : bool
        Whether the models' names stand at the left; if not, the legend says what the colours mean.
    """
    at, (low, high) = np.arange(len(factors))[::-1], (0.1, 400.0)
    methods = list(next(iter(factors.values())))
    for row, y in enumerate(at):
        artists.band(ax, f"row {row}", [low, high], [y - 0.5] * 2, [y + 0.5] * 2, "reference", alpha=0.1 * (row % 2))
    for method, aside in zip(methods, np.linspace(0.26, -0.26, len(methods)), strict=True):
        found = np.clip([of_model[method] for of_model in factors.values()], low, high)  # (models, n)
        artists.level_bars(ax, f"{method} bars", found.min(1), found.max(1), at + aside, method, marker="None")
        artists.marks(ax, method, np.median(found, 1), at + aside, method, markersize=8)
        row, k = np.nonzero([of_model[method] for of_model in bounds.values()])
        arrow = {"marker": ">", "markersize": 9, "markerfacecolor": "white", "markeredgewidth": 1.6, "zorder": 4}
        artists.marks(ax, f"{method} bounds", found[row, k], (at + aside)[row], method, **arrow)
    artists.curve(ax, "no gain", [1.0, 1.0], [-1.9, len(at) - 0.5], "truth")
    artists.log_x(ax, "HAIS spends this many times less", (0.1, 1, 10, 100), (low, high))
    ax.set(yticks=at, yticklabels=list(factors) if named else [], ylim=(-1.9, len(at) - 0.5), title=title)
    ax.tick_params(axis="y", length=0)
    if named:
        signs = "a bar from the left edge:\nnever as near;  ▷ at least"
        artists.words(ax, "edge", 1.3, -1.2, signs, va="center", fontsize=13)
    else:
        artists.legend(ax, {method: f"than {_IN_SHORT[method]}" for method in methods}, loc="lower right")
