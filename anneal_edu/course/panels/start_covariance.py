"""How much of the target's covariance should the start have? From none of the correlations to all of them."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from anneal_edu import ais, covariance_path, effective_sample_size, log_mean_exp
from anneal_edu.course.experiments import kiwaki
from anneal_edu.course.figures import gaussian_rbm
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
        gaussian_rbm.scale_of_correlations(axes[1])
        return axes

    def draw(self, share, model, kernel, seed):
        cov = target(model)[2]
        runs = yield from self.once((model, kernel, seed), _spread(model, kernel, seed))
        now = round(share * (len(SHARES) - 1))
        variances, errors = np.transpose([_variance_and_error(log_w) for log_w in runs.log_weights])
        log_w = runs.log_weights[now]
        both, scale, histogram, curve = self.axes
        gaussian_rbm.correlations(both, kiwaki.shrunk_covariance(cov, share), cov)
        gaussian_rbm.scale_of_correlations(scale)
        span = WIDE if model == "strong covariances" else NARROW
        gaussian_rbm.spread_of_log_weights(histogram, runs.log_weights, now, "shrunk", span)
        gaussian_rbm.variance_against_share(curve, SHARES, variances, errors, now, float(runs.mean_only.var(ddof=1)))
        mean_only = runs.mean_only
        readout = {
            "variance of log w": f"{variances[now]:.2f} ± {errors[now]:.2f}",
            f"ESS of {N_CHAINS:,}": f"{effective_sample_size(log_w):.0f}",
            "log Ẑ minus exact log Z": f"{log_mean_exp(log_w):+.2f}",
            "from the mean only": f"variance {mean_only.var(ddof=1):.2f}, ESS {effective_sample_size(mean_only):.0f}, "
            f"log Ẑ {log_mean_exp(mean_only):+.2f}",
        }
        return Readout(_takeaway(share, variances, errors, runs), readout)


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
