"""Annealed importance sampling between the Gaussians of Grosse et al. 2013, Figures 1 and 2."""

from functools import lru_cache

import numpy as np

from anneal_edu import ais, exact, gibbs, kl_bias, linear_schedule, optimal_binned_schedule
from anneal_edu.course.figures import annealing, artists
from anneal_edu.course.figures.style import BLACK, STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, seed, steps
from anneal_edu.course.panels.two_paths import PATHS, mirrored_gaussians

STEPS = (11, 26, 51, 101, 251, 1001)  # with 10, 25, … distributions in between, as in the paper's Figure 2
KERNELS = {"perfect": exact, "Gibbs": gibbs}
SCHEDULES = {"linear": lambda path, n_steps: linear_schedule(n_steps), "optimal, 10 bins": optimal_binned_schedule}
LOG_WEIGHTS = -150.0, 12.0
"""Ends of the axis of log weights, in nats: the same for every number of steps."""


@lru_cache(maxsize=4)
def _exact_biases(schedule: str) -> dict[tuple[str, int], float]:
    """The bias of the mean log weight under perfect transitions, for both paths and every K."""
    paths = {name: make_path(*mirrored_gaussians(20.0, 0.85)) for name, make_path in PATHS.items()}
    return {(name, k): kl_bias(path, SCHEDULES[schedule](path, k)) for name, path in paths.items() for k in STEPS}


def _run_all(transitions: str, schedule: str, n_chains: int, seed: int):
    """Yield the fraction done before each run; return (path name, K) → result and its 95% interval."""
    path_ends, runs = mirrored_gaussians(20.0, 0.85), {}
    work = [(name, n_steps) for n_steps in STEPS for name in PATHS]
    for i, (name, n_steps) in enumerate(work):
        yield sum(k for _, k in work[:i]) / sum(k for _, k in work)
        path = PATHS[name](*path_ends)
        betas, rng = SCHEDULES[schedule](path, n_steps), np.random.default_rng(seed)
        result = ais(path, betas, n_chains, KERNELS[transitions], rng=rng)
        runs[name, n_steps] = result, result.interval(n_resamples=400)
    return runs


class AnnealingRuns(Panel):
    """AIS along both paths between N((-10, 0), ·) and N((10, 0), ·), whose log Z is 0.

    Controls: ``n_steps`` (K; all values of K are run together, so this one is live), ``transitions``, ``schedule``,
    ``n_chains``, ``seed``.
    """

    title = "Annealing between two distant Gaussians"
    picture = (
        "Left: estimate of log Z with 95% interval against the number of steps for both paths, and the truth 0. Right: "
        "histograms of the log weights of both paths at the chosen number of steps."
    )
    controls = {  # noqa: RUF012
        "n_steps": steps("steps K", 26, STEPS),
        "transitions": choice("transitions", "perfect", tuple(KERNELS)),
        "schedule": choice("schedule", "linear", tuple(SCHEDULES)),
        "n_chains": steps("chains", 1000, (100, 1000, 5000)),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "one mean, two fates": {},
        "with Gibbs steps": {"transitions": "Gibbs"},
        "the optimal schedule": {"schedule": "optimal, 10 bins"},
        "a thousand steps": {"n_steps": 1001},
    }
    gap = 1.2

    def make_axes(self, figure):
        estimates, weights = super().make_axes(figure)
        estimates.set(xscale="log", xlim=(8, 1250), xlabel="number of steps K")
        estimates.set(xticks=(10, 100, 1000), xticklabels=("10", "100", "1000"))
        estimates.set_title("log Ẑ with 95% intervals (nats)")
        weights.set_xlabel("log weight (nats)")
        return [estimates, weights]

    def draw(self, n_steps, transitions, schedule, n_chains, seed):
        settings = transitions, schedule, n_chains, seed
        runs = yield from self.once(settings, _run_all(*settings))
        estimates, weights = self.axes
        lowest = 0.0
        for name in PATHS:
            results, intervals = zip(*(runs[name, k] for k in STEPS), strict=True)
            annealing.estimates(estimates, name, STEPS, [r.log_z for r in results], intervals, name)
            lowest = min(lowest, np.min(intervals))
        estimates.set_ylim(*((-45, 5) if lowest > -43 else (-100, 12)))  # two scales: few settings move the axis
        artists.curve(estimates, "truth", [1, 1e4], [0, 0], "truth")
        artists.curve(estimates, "now", [n_steps, n_steps], [-100, 100], "reference", linewidth=1.6, zorder=1)
        meanings = {"truth": "truth", "geometric": "geometric", "moments": "moments"}
        artists.legend(estimates, meanings, loc="lower right")
        now = {name: runs[name, n_steps][0] for name in PATHS}
        bias = {name: _exact_biases(schedule)[name, n_steps] for name in PATHS}
        _draw_log_weights(
            weights,
            {name: result.log_weights for name, result in now.items()},
            {name: result.log_z for name, result in now.items()},
            {name: -value for name, value in bias.items()} if transitions == "perfect" else None,
        )
        weights.set_title(f"Log weights with {n_steps:,} steps")
        readout = {f"log Ẑ, {name}": _estimate(*runs[name, n_steps]) for name in PATHS}
        readout |= {f"log weights, {name}": _spread(now[name], bias[name], transitions) for name in PATHS}
        return Readout(_takeaway(n_steps, transitions, schedule, now, bias), readout)


def _estimate(result, interval) -> str:
    low, high = interval
    warned = " ⚠ not to be trusted" if result.warnings else ""
    return f"{result.log_z:.2f} ({low:.2f} to {high:.2f}), ESS {result.ess:.0f}{warned}"


def _spread(result, bias, transitions) -> str:
    expected = f" (exact {-bias:.2f})" if transitions == "perfect" else ""
    return f"mean {result.mean_log_weight:.1f}{expected}, standard deviation {result.log_weights.std():.1f}"


def _draw_log_weights(ax, log_weights, log_z, expected):
    """Histograms of log weights; above them, in two rows, log Ẑ, the log of the mean weight, and the mean log weight.

    The share that lies left of `LOG_WEIGHTS` is written at the edge, in the colour of its path.
    """
    edges = np.linspace(*LOG_WEIGHTS, 76)
    shares = {name: np.histogram(lw, edges)[0] / len(lw) for name, lw in log_weights.items()}
    top = max(share.max() for share in shares.values())
    upper, lower = 1.6 * top, 1.3 * top
    for i, (name, share) in enumerate(shares.items()):
        aside = 0.09 * top * (0.5 * (len(shares) - 1) - i)
        artists.histogram(ax, f"{name} histogram", share, edges, name)
        artists.marks(ax, f"{name} log Ẑ", log_z[name], upper + aside, name, markersize=10)
        artists.marks(ax, f"{name} mean", log_weights[name].mean(), lower + aside, name, markersize=10)
        beyond = np.mean(log_weights[name] < edges[0])
        if beyond >= 0.005:
            look = {"color": STYLES[name]["color"], "fontsize": 12}
            artists.words(ax, f"{name} beyond", edges[0], (0.6 - 0.25 * i) * top, f"← {beyond:.0%}", **look)
        if expected is not None:
            tick = {"color": BLACK, "marker": "|", "markersize": 15, "markeredgewidth": 2.5}
            artists.marks(ax, f"{name} expected", expected[name], lower + aside, name, **tick)
            leftmost = min(expected.values())
            artists.words(ax, "exact", leftmost - 6, lower, "exact", ha="right", va="center", fontsize=11)
    artists.curve(ax, "truth", [0, 0], [0, 1.8 * top], "truth")
    ax.set(xlim=LOG_WEIGHTS, ylim=(0, 1.8 * top), yticks=(lower, upper))
    ax.set_yticklabels(("mean of\nlog w", "log Ẑ"))


def _takeaway(n_steps, transitions, schedule, now, bias) -> str:
    geometric, moments = now["geometric"], now["moments"]
    miss_g, miss_m = abs(geometric.log_z), abs(moments.log_z)
    if transitions == "perfect" and schedule != "linear":
        return (
            f"With its optimal schedule the mean log weight is {bias['geometric']:.1f} nats low on the geometric path "
            f"and {bias['moments']:.1f} on the moment path, and log Ẑ misses by {miss_g:.1f} and {miss_m:.1f} nats."
        )
    wider = moments.log_weights.std() > 1.5 * geometric.log_weights.std()
    if max(miss_g, miss_m) < 0.5 or (miss_g < 2 * miss_m and (transitions == "Gibbs" or not wider)):
        return (
            f"With {n_steps:,} steps log Ẑ misses the truth by {miss_g:.1f} nats on the geometric path and by "
            f"{miss_m:.1f} on the moment path."
        )
    mean_g, mean_m = f"{geometric.mean_log_weight:.0f}", f"{moments.mean_log_weight:.0f}"
    if transitions == "Gibbs":
        return (
            f"Gibbs steps do not keep up with the geometric path: the mean log weight is {mean_g} on it and "
            f"{mean_m} on the moment path, and log Ẑ misses by {miss_g:.1f} and {miss_m:.1f} nats."
        )
    return (
        f"Log weights have much the same mean, {mean_g} and {mean_m}. But on the moment path they spread by "
        f"{moments.log_weights.std():.0f} nats, not {geometric.log_weights.std():.0f}: some come near 0, and log Ẑ "
        f"misses by {miss_m:.1f} nats, not {miss_g:.1f}."
    )
