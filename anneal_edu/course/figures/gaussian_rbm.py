"""Gaussian RBMs annealed from starts of different covariance: estimates, ESS, and tails of the weights."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.ais_trace import annealed
from anneal_edu.course.figures import annealing, artists
from anneal_edu.course.figures.style import STYLES, projected
from anneal_edu.kernels import gibbs


@projected()
def estimates_and_ess(
    axes: list[Axes],
    n_steps: list[int],
    found: dict[str, list[tuple[float, float, float]]],
    exact: float | None,
    n_chains: int,
    model: str = "",
    shown: int | None = None,
) -> None:
    """Left log Ẑ ± 3 standard errors against K, right the ESS (Kiwaki and Aihara 2015, Figures 4 to 7).

    ``found`` maps a start to one triple (log Ẑ, standard error, ESS) a K, of which the first ``shown`` are drawn.
    """
    left, right = axes
    span = [n_steps[0] / 1.4, n_steps[-1] * 1.4]
    bounds = []
    for i, (start, row) in enumerate(found.items()):
        x = np.asarray(n_steps) * 1.07 ** (i - (len(found) - 1) / 2)
        log_z, error, ess = np.transpose(row)
        whiskers = np.column_stack([log_z - 3 * error, log_z + 3 * error])
        annealing.estimates(left, start, x[:shown], log_z[:shown], whiskers[:shown], start)
        artists.line(right, start, x[:shown], ess[:shown], **STYLES[start])
        bounds.append(np.clip(whiskers, log_z[:, None] - 4, log_z[:, None] + 4))
    low, high = np.min(bounds), np.max(bounds)
    if exact is not None:
        artists.curve(left, "exact", span, [exact] * 2, "truth")
        low, high = min(low, exact), max(high, exact)
    margin = 0.08 * (high - low)
    title = f"{model}: log Ẑ ± 3 s.e." if model else "log Ẑ from each start, ± 3 s.e. (nats)"
    left.set(ylim=(low - 4 * margin, high + margin), title=title)
    artists.curve(right, "all", span, [n_chains] * 2, "reference")
    artists.words(
        right, "all words", n_steps[0], 1.015 * n_chains, f"all {n_chains:,} chains", va="bottom", fontsize=12
    )
    right.set(ylim=(0, 1.12 * n_chains), title=f"{model}: ESS" if model else "Effective sample size")
    meanings = {start: start for start in found} | ({} if exact is None else {"truth": "exact"})
    artists.legend(left, meanings, loc="lower center", ncols=2)
    for ax in axes:
        artists.log_x(ax, "number of steps K", n_steps, span)


@projected()
def on_the_way(axes: list[Axes], path, schedule: np.ndarray, n_chains: int, rng, name: str) -> None:
    """Chains of AIS on the density of v, at as many steps as there are axes (Kiwaki and Aihara 2015, Figures 2, 3)."""
    walk, grid = list(annealed(path, schedule, n_chains, gibbs, rng)), np.linspace(-6.4, 6.4, 80)
    for ax, k in zip(axes, np.linspace(0, len(schedule) - 1, len(axes)).astype(int), strict=True):
        p, x = np.exp(path(schedule[k]).log_density(np.stack(np.meshgrid(grid, grid), -1))), walk[k][1]
        artists.image(ax, "density", np.sqrt(p / p.max()), (-6.4, 6.4, -6.4, 6.4), origin="lower", cmap="gray_r")
        artists.dots(ax, "chains", *x.T, np.full(n_chains, 2.5), [STYLES["start"]["color"]] * n_chains)
        ax.set(xlim=(-6.4, 6.4), ylim=(-6.4, 6.4), xticks=[], yticks=[], title=f"{name}, β = {schedule[k]:.2g}")


@projected()
def weight_tails(ax: Axes, tails: dict[str, tuple[np.ndarray, np.ndarray]], n_seen: int) -> None:
    """How likely a chain is to weigh more than w, against w / Z: start → log w - log Z and probabilities, (n,) each."""
    span = [0.1, 3e6]
    for start, (log_w, probability) in tails.items():
        beyond = np.cumsum(probability[::-1])[::-1]
        shown = (beyond > 1e-12) & (log_w > np.log(span[0]))
        artists.curve(ax, start, np.exp(log_w[shown]), beyond[shown], start)
    artists.curve(ax, "seen", span, [1 / n_seen] * 2, "reference")
    artists.words(ax, "seen words", span[1], 2 / n_seen, f"one of {n_seen:,} chains", ha="right", fontsize=12)
    ax.set(xscale="log", yscale="log", xlim=span, ylim=(1e-10, 3), xlabel="weight of a chain, in units of Z")
    ax.set(xticks=(0.1, 1, 10, 100, 1e4, 1e6), xticklabels=("0.1", "1", "10", "100", "10⁴", "10⁶"))
    ax.set(yticks=(1, 1e-3, 1e-6, 1e-9), yticklabels=("1", "10⁻³", "10⁻⁶", "10⁻⁹"))
    ax.set_title("share of the chains that weigh more")
    ax.minorticks_off()
    artists.legend(ax, {start: start for start in tails}, loc="upper right")


@projected()
def cost_so_far(ax: Axes, betas: np.ndarray, shares: dict[str, np.ndarray]) -> None:
    """The share of a path's cost that lies below β, (n,) for each start."""
    for start, share in shares.items():
        artists.curve(ax, start, betas, share, start)
    ax.set(xlim=(0, 1), ylim=(0, 1.03), xlabel="position β", title="share of the cost F below β")
    artists.legend(ax, {start: start for start in shares}, loc="lower right")
