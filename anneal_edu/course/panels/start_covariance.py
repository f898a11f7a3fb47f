"""How much of the target's covariance should the start have? From none of the correlations to all of them."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from anneal_edu import ais, covariance_path, effective_sample_size, log_mean_exp
from anneal_edu.course.experiments import kiwaki
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import BLACK, GREY, SIGNED, STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, seed, slider
from anneal_edu.distributions import GaussianRBM

MODELS = {name: name for name in kiwaki.TOYS} | {
    "patches, CD-1": "patches_cd1_20",
    "patches, PCD": "patches_pcd_20",
}
SHARES = np.linspace(0, 1, 11)
N_STEPS, N_CHAINS = 40, 1000
NARROW, WIDE = (-4.5, 3.0), (-14.0, 6.0)
_TIMES = {4: "four times", 2.4: "twice", 1.5: "1.5 times"}
_START = {0.0: "the diagonal start", 1.0: "the full one"}
_CORRELATION = {"cmap": SIGNED, "vmin": -1, "vmax": 1, "interpolation": "nearest"}
_TICKS = (-1, -0.25, 0, 0.25, 1)
_ENDS = (0, "diagonal", "left"), (1, "full", "right")  # share of the covariance, start, side
_FEW = 12  # units, up to which each cell of a map is drawn with its edges


class Spread(NamedTuple):
    """AIS from starts with each of SHARES of the correlations, and from the start with the mean alone."""

    log_weights: np.ndarray
    """log w - log Z, (11, C)"""
    mean_only: np.ndarray
    """(C,)"""


@lru_cache(maxsize=8)
def target(model: str) -> tuple[GaussianRBM, np.ndarray, np.ndarray]:
    """A model, and the exact mean and covariance of its visible units."""
    grbm = kiwaki.load_model(MODELS[model])
    return grbm, *grbm.mean_and_cov()


def _paths(model: str):
    grbm, mean, cov = target(model)
    yield from (covariance_path(mean, kiwaki.shrunk_covariance(cov, share), grbm) for share in SHARES)
    yield kiwaki.start_path("mean only", grbm, mean, cov)


def _spread(model: str, kernel: str, seed: int):
    """Yield the fraction done before each run; return the `Spread`."""
    log_weights, schedule = [], kiwaki.paper_schedule(N_STEPS)
    for i, path in enumerate(_paths(model)):
        yield i / (len(SHARES) + 1)
        found = ais(path, schedule, N_CHAINS, kiwaki.KERNELS[kernel], rng=np.random.default_rng(seed))
        log_weights.append(found.log_weights - target(model)[0].log_z())
    return Spread(np.array(log_weights[:-1]), log_weights[-1])


def _variance_and_error(log_w: np.ndarray) -> tuple[float, float]:
    """The sample variance and its standard error, from the fourth moment."""
    variance = float(log_w.var(ddof=1))
    fourth = float(((log_w - log_w.mean()) ** 4).mean())
    return variance, float(np.sqrt(max(fourth - variance**2, 0) / len(log_w)))


class StartCovariance(Panel):
    """AIS to a Gaussian RBM from starts that have the target's variances and a share of its correlations.

    Controls: ``share`` (0 is the conventional diagonal start, 1 the full covariance), ``model`` (three toys, two models
    of colour patches with 20 hidden units), ``kernel`` (x integrated out, or the paper's auxiliary x) and ``seed``.
    1,000 chains, 40 steps in four quarters.
    """

    title = "How much covariance?"
    picture = (
        "From left to right: correlations of the start, below the diagonal, and of the target, above it; histogram of "
        "the log weights with the exact log Z; variance of log w against the share of the covariance, with the present "
        "share marked."
    )
    size = (12.0, 4.6)
    controls = {  # noqa: RUF012
        "share": slider("share of the covariance", 0.5, 0.0, 1.0, 0.1),
        "model": choice("model", "strong covariances", tuple(MODELS)),
        "kernel": choice("kernel", "x integrated out", tuple(kiwaki.KERNELS)),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "half of it": {},
        "no correlation": {"share": 0.0},
        "all of it": {"share": 1.0},
        "far modes": {"model": "far modes"},
        "colour patches": {"model": "patches, CD-1", "share": 1.0},
    }

    def make_axes(self, figure):
        width, height = figure.get_size_inches()
        map_, histogram, curve = 0.27 * width, 0.27 * width, 0.46 * width - 1.87  # inches, and those between them
        places = [(0.42, 0.95, map_, height - 1.37), (0.42 + 0.1 * map_, 0.65, 0.8 * map_, 0.17)]
        places += [(0.87 + map_, 0.65, histogram, height - 1.07)]
        places += [(1.62 + map_ + histogram, 0.65, curve, height - 1.07)]
        axes = [figure.add_axes((x / width, y / height, w / width, h / height)) for x, y, w, h in places]
        axes[0].set_anchor("S")
        for ax in axes[2:]:
            ax.locator_params(nbins=5)
        _scale_of_correlations(axes[1])
        return axes

    def draw(self, share, model, kernel, seed):
        cov = target(model)[2]
        runs = yield from self.once((model, kernel, seed), _spread(model, kernel, seed))
        now = round(share * (len(SHARES) - 1))
        variances, errors = np.transpose([_variance_and_error(log_w) for log_w in runs.log_weights])
        log_w = runs.log_weights[now]
        both, scale, histogram, curve = self.axes
        _draw_correlations(both, kiwaki.shrunk_covariance(cov, share), cov)
        _scale_of_correlations(scale)
        span = WIDE if model == "strong covariances" else NARROW
        _spread_of_log_weights(histogram, runs.log_weights, now, span)
        _variance_against_share(curve, SHARES, variances, errors, now, float(runs.mean_only.var(ddof=1)))
        mean_only = runs.mean_only
        readout = {
            "variance of log w": f"{variances[now]:.2f} ± {errors[now]:.2f}",
            f"ESS of {N_CHAINS:,}": f"{effective_sample_size(log_w):.0f}",
            "log Ẑ minus exact log Z": f"{log_mean_exp(log_w):+.2f}",
            "from the mean only": f"variance {mean_only.var(ddof=1):.2f}, ESS {effective_sample_size(mean_only):.0f}, "
            f"log Ẑ {log_mean_exp(mean_only):+.2f}",
        }
        return Readout(_takeaway(share, variances, errors, runs), readout)


def _shown(correlation):
    """Where a correlation stands on the scale of colours: by its root, else weak ones would look like none."""
    return np.sign(correlation) * np.sqrt(np.abs(correlation))


def _draw_correlations(ax, start, target):
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


def _scale_of_correlations(ax):
    """The colours of correlations from -1 to 1."""
    artists.image(ax, "scale", np.linspace(-1, 1, 201)[None], (-1, 1, 0, 1), aspect="auto", **_CORRELATION)
    ax.set(xlim=(-1, 1), ylim=(0, 1), xticks=_shown(np.array(_TICKS)), yticks=[])
    ax.set_xlabel("correlation (root scale)")
    ax.set_xticklabels([f"{tick:.2g}".replace("0.", ".").replace("-", "−") for tick in _TICKS])


def _spread_of_log_weights(ax, runs, now, span):
    """A histogram of log w - log Z over ``span``, the exact value at 0, and log Ẑ; what lies beyond is said.

    Of ``runs`` (n, C) it is the one at ``now``, on an axis that has room for each of them.
    """
    edges, log_weights = np.linspace(*span, 49), runs[now]
    shares = np.array([np.histogram(run, edges)[0] / len(run) for run in runs])
    artists.histogram(ax, "histogram", shares[now], edges, "shrunk")
    top = 1.3 * shares.max()
    artists.curve(ax, "exact", [0, 0], [0, top], "truth")
    top_weight = log_weights.max()
    log_z = top_weight + np.log(np.exp(log_weights - top_weight).mean())
    width = span[1] - span[0]
    artists.words(ax, "exact words", 0.025 * width, 0.98 * top, "log Z", fontsize=13, va="top")
    if span[0] < log_z < span[1]:
        artists.marks(ax, "log Ẑ", log_z, 0.86 * top, "shrunk", markersize=11)
        look = {"color": STYLES["shrunk"]["color"], "fontsize": 13, "ha": "right", "va": "center"}
        artists.words(ax, "log Ẑ words", log_z - 0.05 * width, 0.86 * top, "log Ẑ", **look)
    beyond = np.mean(log_weights < span[0])
    if beyond >= 0.005:
        text = f"← {beyond:.0%} further left"
        artists.words(ax, "beyond", span[0], 0.6 * top, text, color=GREY, fontsize=12)
    ax.set(xlim=span, ylim=(0, top), yticks=[], title="log weights")
    ax.set_xlabel("log w minus log Z (nats)")


def _variance_against_share(ax, shares, variances, errors, now, reference):
    """Variance of log w (n,) with standard errors (n,) against the share of the covariance (n,)."""
    low, high = variances - 2 * errors, variances + 2 * errors
    artists.bars(ax, "errors", shares, low, high, "shrunk", linewidth=1.6, markersize=6)
    artists.line(ax, "variances", shares, variances, **STYLES["shrunk"] | {"markersize": 5})
    look = {"markersize": 13, "markeredgecolor": BLACK, "markeredgewidth": 1.6}
    artists.marks(ax, "now", shares[now], variances[now], "shrunk", **look)
    top = 1.18 * high.max()
    if reference < top:
        artists.curve(ax, "mean only", [-0.06, 1.06], [reference] * 2, "mean only")
        va, aside = ("bottom", 0.01) if reference < 0.8 * top else ("top", -0.02)
        look = {"fontsize": 12, "va": va, "ha": "right"}
        artists.words(ax, "mean only words", 1.05, reference + aside * top, "mean only", **look)
    ax.set(xlim=(-0.06, 1.06), ylim=(0, top), xticks=(0, 0.5, 1), xticklabels=("0", "½", "1"))
    ax.set(xlabel="share of the covariance", title="variance of log w")
    for share, start, aside in _ENDS:
        artists.words(ax, f"{start} words", share, 0.03 * top, start, fontsize=13, ha=aside, va="bottom", color=GREY)


def _takeaway(share: float, variances: np.ndarray, errors: np.ndarray, runs: Spread) -> str:
    """Verdicts with margins of a few standard errors."""
    gain, noise = variances[0] - variances[-1], np.hypot(errors[0], errors[-1])
    if gain > 3 * noise:
        times = next((words for least, words in _TIMES.items() if variances[0] > least * variances[-1]), None)
        larger = f"more than {times} as large as" if times else "larger than"
        found = f"From the diagonal start the variance of log w is {larger} from the full one"
    elif gain < -3 * noise:
        found = "Here the full covariance spreads the weights more than the diagonal one"
    else:
        found = "Here the covariance makes no clear difference to the spread of weights"
    if runs.mean_only.var() < 0.8 * variances.min() and log_mean_exp(runs.mean_only) < -0.03:
        return (
            f"{found}. The mean alone spreads them least, and log Ẑ is too low: its chains never reach the far modes."
        )
    shown = _START.get(share, f"{share:.0%} of the covariance")
    if 0 < share < 1 and gain > 3 * noise:
        so_far = variances[0] - variances[round(share * (len(variances) - 1))]
        shown += f", with {'more' if so_far > 0.5 * gain else 'less'} than half of the gain"
    return f"{found}. Shown: {shown}."
