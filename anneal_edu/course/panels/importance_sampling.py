"""Importance sampling from a standard Gaussian: where it breaks, and when its weights do not tell."""

from functools import lru_cache

import numpy as np

from anneal_edu import effective_sample_size, log_mean_exp, normalised_weights
from anneal_edu.course.figures import artists
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, seed, slider, steps
from anneal_edu.weights import bootstrap_log_mean_exp

ONE, TWO = "one bump", "two bumps"
NEAR = 0.01
"""Height of the near bump of the target "two bumps", relative to the far one."""

_DISTANCES = np.linspace(0, 8, 17)
_FLOOR = 20.0
"""Nats under the truth at which the plot ends."""


def log_weights(draws: np.ndarray, shift: float, target: str) -> np.ndarray:
    """log f(x)/p_0(x) - (D/2) log 2π for draws from p_0 = N(0, I) and f(x) = exp(-|x - μ|²/2) [+ NEAR exp(-|x|²/2)].

    Only the coordinate along μ enters, x·μ/|μ|: the array ``draws``. The length of μ is ``shift``.
    """
    far = shift * draws - shift**2 / 2
    return far if target == ONE else np.logaddexp(far, np.log(NEAR))


@lru_cache(maxsize=512)
def _estimate(distance: float, dim: int, target: str, n_samples: int, seed: int) -> tuple[float, float, float]:
    """Log Ẑ and the ends of its 95% interval; one seed means the same draws at every distance."""
    draws = np.random.default_rng(seed).standard_normal(n_samples)
    lw = log_weights(draws, distance * np.sqrt(dim), target)
    resampled = bootstrap_log_mean_exp(lw, 200, rng=np.random.default_rng(seed))
    return (log_mean_exp(lw), *np.quantile(resampled, [0.025, 0.975]))


class ImportanceSampling(Panel):
    """Estimate log Z of a displaced target from draws of N(0, I).

    Controls: ``distance`` by which every coordinate of the target is displaced, ``dim``, ``target`` (one bump, or two
    of which the near one has a hundredth of the mass of the far one), ``n_samples``, ``seed``.
    """

    title = "Importance sampling"
    picture = (
        "Top left: the densities of start and target along the displacement, with draws from the start. Bottom left: "
        "share of the total weight of each of the 300 heaviest draws. Right: estimate of log Z with 95% interval "
        "against distance, and the truth."
    )
    controls = {  # noqa: RUF012
        "distance": slider("distance in each coordinate", 5.0, 0.0, 8.0, 0.5),
        "dim": steps("dimensions", 1, (1, 4, 16, 64), live=False),
        "n_samples": steps("draws", 1000, (10, 30, 100, 300, 1000, 3000, 10_000), live=False),
        "target": choice("target", ONE, (ONE, TWO)),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "out of reach": {},
        "within reach": {"distance": 1.0},
        "ten times the draws": {"n_samples": 10_000},
        "sixteen dimensions": {"distance": 1.5, "dim": 16},
        "a bump unseen": {"target": TWO, "distance": 8.0, "dim": 4},
    }

    def make_axes(self, figure):
        left, right = figure.columns(1, 1)
        upper, lower = left.get_subplotspec().subgridspec(2, 1, hspace=0.1, height_ratios=(1.35, 1)).subplots()
        left.remove()
        upper.set(yticks=[], title="Draws and their weights")
        upper.tick_params(labelbottom=False)
        lower.set(ylim=(0, 1.08), yticks=(0, 0.5, 1), xlabel="position along the displacement")
        lower.set_ylabel("weight share", fontsize=11)
        lower.locator_params(axis="x", nbins=5)
        right.set(xlim=(-0.2, 8.2), xlabel="distance in each coordinate", title="Estimate of log Z (nats)")
        return [upper, lower, right]

    def draw(self, distance, dim, target, n_samples, seed):
        upper, lower, right = self.axes
        shift = distance * np.sqrt(dim)
        draws = np.random.default_rng(seed).standard_normal(n_samples)
        lw = log_weights(draws, shift, target)
        shares = normalised_weights(lw) / n_samples

        x = np.linspace(-4, _DISTANCES[-1] * np.sqrt(dim) + 4, 600)
        start, far = _normal(x), _normal(x - shift)
        heaviest = np.argsort(shares)[-300:]
        density = far if target == ONE else (far + NEAR * start) / (1 + NEAR)
        _draw_densities(upper, x, start, density, np.append(draws[:300], draws[heaviest[-10:]]))
        if target == TWO and shift > 4:
            for bump, at, mass, side in (("near", 1.6, NEAR, "left"), ("far", shift - 2.6, 1.0, "right")):
                said = f"{mass / (1 + NEAR):.0%} here"
                artists.words(upper, bump, at, (0.55, 0.25)[side == "right"] * start.max(), said, ha=side, fontsize=11)
        artists.legend(upper, {"start": "start", "target": "target"}, loc="upper center", ncols=2)
        lower.set_xlim(upper.get_xlim())
        _weight_shares(lower, draws[heaviest], shares[heaviest])

        constant = dim / 2 * np.log(2 * np.pi)
        truth = constant + (0.0 if target == ONE else np.log1p(NEAR))
        distances = np.union1d(_DISTANCES, distance)
        now = int(np.searchsorted(distances, distance))
        log_z, low, high = constant + np.array([_estimate(d, dim, target, n_samples, seed) for d in distances]).T
        floor = truth - _FLOOR
        _estimate_against(right, distances, log_z, low, high, truth, now)
        artists.legend(right, {"truth": "truth", "estimate": "estimate, 95% interval"}, loc="upper right")
        if log_z[now] < floor:
            artists.marks(right, "below", distance, floor + 0.8, "estimate", marker="v", markersize=13)
        right.set_ylim(floor, truth + 7)
        ess, share = effective_sample_size(lw), shares.max()
        return Readout(
            _takeaway(log_z[now] - truth, high[now] < truth, ess, share, n_samples, distance, dim),
            {
                "log Ẑ": f"{log_z[now]:.2f} (95% interval {low[now]:.2f} to {high[now]:.2f})",
                "true log Z": f"{truth:.2f}",
                "ESS": f"{ess:,.1f} of {n_samples:,}",
                "largest weight": f"{share:.1%} of the total",
            },
        )


def _normal(x: np.ndarray) -> np.ndarray:
    return np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)


def _draw_densities(ax, x, start, target, draws):
    """The densities of start and target (n,) at x (n,), and a tick under the axis for each of ``draws``."""
    top = max(start.max(), target.max())
    artists.band(ax, "start area", x, np.zeros_like(x), start, "start")
    artists.curve(ax, "start", x, start, "start", linestyle="-")
    artists.curve(ax, "target", x, target, "target")
    tick = {"marker": "|", "markersize": 12, "markeredgewidth": 1, "alpha": 0.5}
    artists.marks(ax, "draws", draws, np.full(len(draws), -0.12 * top), "start", **tick)
    ax.set(xlim=(x[0], x[-1]), ylim=(-0.24 * top, 1.45 * top))


def _weight_shares(ax, draws, shares):
    """A stem at each draw (n,), as high as its share (n,) of the total weight."""
    stems = artists.pieces(draws, 0.0, shares)
    artists.curve(ax, "stems", *stems, "estimate", gaps=True, linestyle="-", linewidth=1.8)
    artists.marks(ax, "heads", draws, shares, "estimate", markersize=5)


def _estimate_against(ax, x, log_z, low, high, truth, now):
    """log Ẑ (n,) with its interval against x (n,), the truth, and a ring around point number ``now``."""
    artists.band(ax, "interval", x, low, high, "estimate", alpha=0.35)
    artists.curve(ax, "log Ẑ", x, log_z, "estimate", linestyle="-")
    artists.curve(ax, "truth", x[[0, -1]], [truth, truth], "truth")
    artists.bars(ax, "interval now", x[now], low[now], high[now], "estimate")
    artists.marks(ax, "now", x[now], log_z[now], "estimate", markersize=11, markeredgecolor="black")


def _takeaway(error, interval_too_low, ess, share, n_samples, distance, dim) -> str:
    if error < -1 and ess > 0.5 * n_samples:
        return (
            f"An ESS of {ess:,.0f} of {n_samples:,} looks perfect, yet log Ẑ is {-error:.1f} nats too low: no draw "
            "reached the far bump, and weights cannot tell of what was never drawn."
        )
    far = f"{distance:g} in each of {dim} coordinates is {distance * np.sqrt(dim):g} in all. " if dim > 1 else ""
    if error < -0.5:
        interval = "misses the truth" if interval_too_low else "just covers the truth"
        return (
            f"{far}Broken: log Ẑ is {-error:,.1f} nats too low, the heaviest of {n_samples:,} draws carries "
            f"{share:.0%} of the weight, and the interval {interval}."
        )
    within = f"within {max(np.ceil(10 * abs(error)) / 10, 0.1):.1f} nats of the truth"
    if ess < 0.05 * n_samples:
        return f"{far}About to break: log Ẑ is still {within}, but {n_samples:,} draws are worth only {ess:.0f}."
    return f"Start and target overlap: {n_samples:,} draws are worth {ess:,.0f}, and log Ẑ is {within}."
