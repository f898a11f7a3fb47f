"""Importance sampling and its first cure: errors, estimates, and chains that cross a valley."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import projected


@projected()
def typical_errors(
    ax: Axes, n_draws: np.ndarray, predicted: dict[float, np.ndarray], measured: dict[float, tuple], prices: dict
) -> None:
    """Typical log Ẑ - log Z against the number of draws: distance → predicted (n,), (draws, medians), and the price."""
    artists.curve(ax, "half", n_draws[[0, -1]], np.log([0.5, 0.5]), "reference", linewidth=1.6)
    artists.words(ax, "half name", n_draws[-1] / 2, -0.85, "half of Z", ha="right", va="top", fontsize=12)
    for d, error in predicted.items():
        artists.curve(ax, f"d = {d}", n_draws, error, "theory")
        artists.marks(ax, f"runs {d}", *measured[d], "estimate")
        artists.marks(ax, f"price {d}", prices[d], 0.0, "truth", markersize=13, zorder=5)
        artists.words(ax, f"name {d}", prices[d], 0.35, f"d = {d}", ha="center", fontsize=14)
        if error[0] < -2.0:  # a name below the curve, too, where it begins far below its star
            artists.words(ax, f"curve {d}", 1.5 * n_draws[0], error[0] + 0.1, f"d = {d}", va="top", fontsize=14)
    ax.set(xscale="log", xlim=(n_draws[0] / 2, n_draws[-1]), ylim=(-11.8, 1.2), xlabel="number of draws C")
    ax.set_title("log Ẑ - log Z of a typical run (nats)")
    meanings = {"theory": "share within reach", "estimate": "median of 1,000 runs", "truth": "e^(d²): mean square"}
    artists.legend(ax, meanings, loc="lower right")


@projected()
def log_z_against_steps(ax: Axes, n_steps: tuple[int, ...], results: list, truth: float) -> None:
    """log Ẑ of one result a number of steps, with its 95% interval, and the truth."""
    low, high = np.array([result.interval() for result in results]).T
    artists.curve(ax, "truth", (0.7, 1500), (truth, truth), "truth")
    artists.bars(ax, "95% interval", n_steps, low, high, "AIS")
    artists.marks(ax, "estimate", n_steps, [result.log_z for result in results], "AIS")
    ax.set(xscale="log", xlim=(0.7, 1500), ylim=(truth - 9, truth + 2), xlabel="steps K", title="Estimate of log Z")
    artists.legend(ax, {"truth": "truth", "AIS": "AIS, 95% interval"}, loc="lower right")


@projected()
def chains_beside_target(ax: Axes, chains: np.ndarray, x: np.ndarray, target: np.ndarray, title: str) -> None:
    """Histogram of the final states of chains (C,), and the density of the target (n,) at x (n,)."""
    edges = np.linspace(x[0], x[-1], 66)
    heights = np.histogram(chains, edges)[0] / (len(chains) * np.diff(edges))
    artists.histogram(ax, "chains", heights, edges, "chains", linestyle="-")
    artists.curve(ax, "target", x, target, "target")
    ax.set(xlim=(x[0], x[-1]), ylim=(0, 0.62), xlabel="x", title=title)
    artists.legend(ax, {"target": "target", "chains": "chains at the end"}, loc="upper left")


@projected()
def crossing(ax: Axes, betas: np.ndarray, share: np.ndarray, weight: np.ndarray) -> None:
    """Share of the chains beyond a valley (K+1,) and the mean weight that they carry there (K+1,), on a log axis."""
    artists.curve(ax, "share", betas, share, "chains")
    artists.curve(ax, "weight", betas, weight, "weight")
    ax.set(yscale="log", ylim=(1e-10, 10), xlim=(0, 1), xlabel="position β on the path")
    ax.set(yticks=[1e-9, 1e-6, 1e-3, 1], title="Beyond 0, exactly")
    ax.minorticks_off()
    meanings = {"chains": "share of the chains", "weight": "weight that they carry, of E[w] = 2 in the end"}
    artists.legend(ax, meanings, loc="upper left")
