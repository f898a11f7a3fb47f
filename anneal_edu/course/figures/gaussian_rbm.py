"""Gaussian RBMs annealed from starts of different covariance: chains, correlations, spread of the weights."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import annealing, artists
from anneal_edu.course.figures.style import BLACK, GREY, SIGNED, STYLES, projected

_CORRELATION = {"cmap": SIGNED, "vmin": -1, "vmax": 1, "interpolation": "nearest"}
_TICKS = (-1, -0.25, 0, 0.25, 1)
_ENDS = (0, "diagonal", "left"), (1, "full", "right")  # share of the covariance, start, side
_FEW = 12  # units, up to which each cell of a map is drawn with its edges


def _shown(correlation: np.ndarray) -> np.ndarray:
    """Where a correlation stands on the scale of colours: by its root, else weak ones would look like none."""
    return np.sign(correlation) * np.sqrt(np.abs(correlation))


@projected()
def density_with_chains(
    ax: Axes, density: np.ndarray, extent: tuple[float, float, float, float], chains: np.ndarray, small: np.ndarray
) -> None:
    """A density on a grid of the plane, the darker the larger its square root, and chains on top.

    Parameters
    ----------
    ax : Axes
    density : (n, n) array
        Rows run upwards.
    extent : left, right, bottom, top
    chains : (C, 2) array
    small : (C,) array of bool
        Chains in a small mode, which get the other marker.
    """
    shade = np.sqrt(density / density.max())  # else modes of a tenth of the mass would be invisible
    look = {"cmap": "gray_r", "vmin": 0, "vmax": 1.5, "interpolation": "bilinear"}
    artists.image(ax, "density", shade, extent, origin="lower", **look)
    look = {"markersize": 5, "markeredgewidth": 0.5, "markeredgecolor": "white"}
    for name, which in (("large modes", ~small), ("small modes", small)):
        artists.marks(ax, name, *chains[which].T, name, **look)
    ax.set(xlim=extent[:2], ylim=extent[2:], xlabel="v₁")


@projected()
def shares_in_small_modes(ax: Axes, shares: dict[str, float], exact: dict[str, float]) -> None:
    """A bar for each start, as high as the share of its chains in the small modes, and a line where it should end."""
    for i, (start, share) in enumerate(shares.items()):
        corners = np.array([i - 0.32, i - 0.32, i + 0.32, i + 0.32])
        artists.band(ax, start, corners[[0, 3]], np.zeros(2), np.full(2, share), start, alpha=0.9)
        artists.curve(ax, f"{start} exact", corners[[0, 3]], [exact[start]] * 2, "truth", linewidth=4)
        above = max(share, exact[start]) + 0.014
        artists.words(ax, f"{start} words", i, above, f"{share:.0%}", ha="center", fontsize=14, weight="bold")
    names = [start.replace(" ", "\n") for start in shares]
    ax.set(xlim=(-0.6, len(shares) - 0.4), xticks=range(len(shares)), xticklabels=names)
    ax.set(ylim=(0, 0.66), yticks=(0, 0.2, 0.4, 0.6), yticklabels=("0", "20%", "40%", "60%"))
    ax.tick_params(axis="x", labelsize=12)
    ax.set_title("in the small modes")
    artists.legend(ax, {"truth": "exact share"}, loc="upper right")


@projected()
def correlations(ax: Axes, start: np.ndarray, target: np.ndarray) -> None:
    """Correlations of two covariances (D, D), of the start below the diagonal, of the target above it."""
    below, above = (cov / np.sqrt(np.outer(cov.diagonal(), cov.diagonal())) for cov in (start, target))
    D = len(start)
    both, edges = np.tril(below) + np.triu(above, 1), np.arange(1, D) - 0.5 if D <= _FEW else np.empty(0)
    artists.image(ax, "correlations", _shown(both), (-0.5, D - 0.5, D - 0.5, -0.5), **_CORRELATION)
    for i, edge in enumerate(edges):  # else correlations of 0 would look like a hole
        for name, x, y in (("row", [-0.5, D - 0.5], [edge] * 2), ("column", [edge] * 2, [-0.5, D - 0.5])):
            artists.line(ax, f"{name} {i}", x, y, color=GREY, linewidth=0.5, alpha=0.5)
    artists.line(ax, "diagonal", [-0.5, D - 0.5], [-0.5, D - 0.5], color=BLACK, linewidth=1.2)
    look = {"transform": ax.transAxes, "rotation": 90, "va": "center", "fontsize": 13}
    artists.words(ax, "start words", -0.02, 0.3, "start", ha="right", **look)
    artists.words(ax, "target words", 1.02, 0.7, "target", ha="left", **look)
    look = {"fontsize": 13, "ha": "center", "va": "center", "color": GREY}
    look["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 2}
    if not np.tril(below, -1).any() and D > 2:
        artists.words(ax, "none words", 0.27 * D - 0.5, 0.73 * D - 0.5, "all 0", **look)
    ax.set(xlim=(-0.5, D - 0.5), ylim=(D - 0.5, -0.5), xticks=[], yticks=[], title="correlations")


@projected()
def scale_of_correlations(ax: Axes) -> None:
    """The colours of `correlations`, from -1 to 1."""
    artists.image(ax, "scale", np.linspace(-1, 1, 201)[None], (-1, 1, 0, 1), aspect="auto", **_CORRELATION)
    ax.set(xlim=(-1, 1), ylim=(0, 1), xticks=_shown(np.array(_TICKS)), yticks=[])
    ax.set_xlabel("correlation (root scale)")
    ax.set_xticklabels([f"{tick:.2g}".replace("0.", ".").replace("-", "−") for tick in _TICKS])


@projected()
def spread_of_log_weights(ax: Axes, runs: np.ndarray, now: int, style: str, span: tuple[float, float]) -> None:
    """A histogram of log w - log Z over ``span``, the exact value at 0, and log Ẑ; what lies beyond is said.

    Of ``runs`` (n, C) it is the one at ``now``, on an axis that has room for each of them.
    """
    edges, log_weights = np.linspace(*span, 49), runs[now]
    shares = np.array([np.histogram(run, edges)[0] / len(run) for run in runs])
    artists.histogram(ax, "histogram", shares[now], edges, style)
    top = 1.3 * shares.max()
    artists.curve(ax, "exact", [0, 0], [0, top], "truth")
    top_weight = log_weights.max()
    log_z = top_weight + np.log(np.exp(log_weights - top_weight).mean())
    width = span[1] - span[0]
    artists.words(ax, "exact words", 0.025 * width, 0.98 * top, "log Z", fontsize=13, va="top")
    if span[0] < log_z < span[1]:
        artists.marks(ax, "log Ẑ", log_z, 0.86 * top, style, markersize=11)
        look = {"color": STYLES[style]["color"], "fontsize": 13, "ha": "right", "va": "center"}
        artists.words(ax, "log Ẑ words", log_z - 0.05 * width, 0.86 * top, "log Ẑ", **look)
    beyond = np.mean(log_weights < span[0])
    if beyond >= 0.005:
        text = f"← {beyond:.0%} further left"
        artists.words(ax, "beyond", span[0], 0.6 * top, text, color=GREY, fontsize=12)
    ax.set(xlim=span, ylim=(0, top), yticks=[], title="log weights")
    ax.set_xlabel("log w minus log Z (nats)")


@projected()
def variance_against_share(
    ax: Axes, shares: np.ndarray, variances: np.ndarray, errors: np.ndarray, now: int, reference: float | None = None
) -> None:
    """Variance of log w (n,) with standard errors (n,) against the share of the covariance (n,).

    Parameters
    ----------
    ax : Axes
    shares, variances, errors : (n,) array
    now : int
        The point that stands out.
    reference : float, optional
        The variance from the start that has the target's mean alone.
    """
    low, high = variances - 2 * errors, variances + 2 * errors
    artists.bars(ax, "errors", shares, low, high, "shrunk", linewidth=1.6, markersize=6)
    artists.line(ax, "variances", shares, variances, **STYLES["shrunk"] | {"markersize": 5})
    look = {"markersize": 13, "markeredgecolor": BLACK, "markeredgewidth": 1.6}
    artists.marks(ax, "now", shares[now], variances[now], "shrunk", **look)
    top = 1.18 * high.max()
    if reference is not None and reference < top:
        artists.curve(ax, "mean only", [-0.06, 1.06], [reference] * 2, "mean only")
        va, aside = ("bottom", 0.01) if reference < 0.8 * top else ("top", -0.02)
        look = {"fontsize": 12, "va": va, "ha": "right"}
        artists.words(ax, "mean only words", 1.05, reference + aside * top, "mean only", **look)
    ax.set(xlim=(-0.06, 1.06), ylim=(0, top), xticks=(0, 0.5, 1), xticklabels=("0", "½", "1"))
    ax.set(xlabel="share of the covariance", title="variance of log w")
    for share, start, aside in _ENDS:
        artists.words(ax, f"{start} words", share, 0.03 * top, start, fontsize=13, ha=aside, va="bottom", color=GREY)


@projected()
def estimates_and_ess(
    axes: list[Axes],
    n_steps: list[int],
    found: dict[str, list[tuple[float, float, float]]],
    exact: float | None,
    n_chains: int,
    model: str = "",
) -> None:
    """Left log Ẑ ± 3 standard errors against K, right the ESS  (Kiwaki and Aihara 2015, Figures 4 to 7).

    Parameters
    ----------
    axes : two Axes
    n_steps : (n,) list of int
        Numbers of transitions K.
    found : dict
        Start → n triples (log Ẑ, standard error, ESS).
    exact : float or None
        log Z, where it is known.
    n_chains : int
        What the ESS could reach.
    model : str
        Named in the titles.
    """
    left, right = axes
    span = [n_steps[0] / 1.4, n_steps[-1] * 1.4]
    bounds = []
    for i, (start, row) in enumerate(found.items()):
        x = np.asarray(n_steps) * 1.07 ** (i - (len(found) - 1) / 2)
        log_z, error, ess = np.transpose(row)
        whiskers = np.column_stack([log_z - 3 * error, log_z + 3 * error])
        annealing.estimates(left, start, x, log_z, whiskers, start)
        artists.line(right, start, x, ess, **STYLES[start])
        bounds.append(np.clip(whiskers, log_z[:, None] - 4, log_z[:, None] + 4))
    low, high = np.min(bounds), np.max(bounds)
    if exact is not None:
        artists.curve(left, "exact", span, [exact] * 2, "truth")
        low, high = min(low, exact), max(high, exact)
    margin = 0.08 * (high - low)
    title = f"{model}: log Ẑ ± 3 s.e." if model else "log Ẑ ± 3 standard errors (nats)"
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
def weight_tails(ax: Axes, tails: dict[str, tuple[np.ndarray, np.ndarray]], n_seen: int) -> None:
    """How likely a chain is to weigh more than w, against w / Z, both logarithmic, and what so many chains can show.

    Parameters
    ----------
    ax : Axes
    tails : dict
        Start → log w - log Z (n,) and the probabilities (n,) of these values.
    n_seen : int
        Chains in all: what is rarer than one in so many is below the line.
    """
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
