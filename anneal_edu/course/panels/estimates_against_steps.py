"""Grosse et al. 2013, Figure 3: log Ẑ against the number of steps, along two paths to an RBM."""

import numpy as np

from anneal_edu import ais, exact, gibbs, linear_schedule
from anneal_edu.course.figures import annealing, artists, rbm_paths
from anneal_edu.course.figures.rbm_paths import LABELS
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, seed, steps
from anneal_edu.course.panels.digits_annealing import BASE_RATE, UNIFORM
from anneal_edu.course.panels.samples_along_paths import MODELS, paths_to

TRANSITIONS = {"Gibbs": (gibbs, (30, 100, 300, 1000)), "perfect": (exact, (5, 10, 30, 100))}


def _run_all(model: str, start: str, transitions: str, n_chains: int, seed: int):
    """Yield the fraction done before each run; return results and intervals, each style → one a K."""
    paths, (kernel, n_steps) = paths_to(model, start), TRANSITIONS[transitions]
    results, intervals = {style: [] for style in paths}, {style: [] for style in paths}
    work = [(style, n) for n in n_steps for style in paths]
    for i, (style, n) in enumerate(work):
        yield sum(k for _, k in work[:i]) / sum(k for _, k in work)
        result = ais(paths[style], linear_schedule(n), n_chains, kernel, rng=np.random.default_rng(seed))
        results[style].append(result)
        intervals[style].append(result.interval(n_resamples=400))
    return results, intervals


class EstimatesAgainstSteps(Panel):
    """AIS along the geometric path and the moment averages spline to a stored model, for several K.

    Controls: ``model``, ``start``, ``transitions`` (Gibbs steps, or perfect ones: exact draws), ``n_chains``, ``seed``.
    """

    title = "Estimates along two paths"
    picture = (
        "Left: estimated minus exact log Z with 95% intervals against the number of steps, for the geometric path and "
        "the moment averages spline. Right: their effective sample sizes."
    )
    columns = (1.2, 1)
    controls = {  # noqa: RUF012
        "model": choice("model", "CD-1", tuple(reversed(MODELS))),
        "start": choice("start", BASE_RATE, (UNIFORM, BASE_RATE)),
        "transitions": choice("transitions", "Gibbs", tuple(TRANSITIONS)),
        "n_chains": steps("chains", 100, (50, 100, 200)),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "one path misses the 4": {},
        "perfect transitions": {"transitions": "perfect"},
        "a flat start": {"start": UNIFORM},
        "trained by PCD": {"model": "PCD"},
    }

    def draw(self, model, start, transitions, n_chains, seed):
        settings = model, start, transitions, n_chains, seed
        results, intervals = yield from self.once(settings, _run_all(*settings))
        n_steps, log_z = TRANSITIONS[transitions][1], paths_to(model, start)["geometric"](1.0).log_z()
        _estimates_and_ess(self.axes, n_steps, results, intervals, log_z)
        readout = {
            f"{label}, K = {n_steps[-1]:,}": _numbers(results[style][-1], intervals[style][-1])
            for style, label in rbm_paths.LABELS.items()
        }
        return Readout(_takeaway(n_steps[-1], transitions, results, log_z), readout | {"exact log Z": f"{log_z:.2f}"})


def _numbers(result, interval) -> str:
    low, high = interval
    warned = " ⚠ weights not to be trusted" if result.warnings else ""
    return f"log Ẑ {result.log_z:.2f} ({low:.2f} to {high:.2f}), ESS {result.ess:.0f}{warned}"


def _size(miss: float) -> str:
    if abs(miss) < 0.5:
        return "within half a nat of the truth"
    amount = next((f"more than {n} nat{'s' * (n > 1)}" for n in (30, 10, 5, 2, 1) if abs(miss) > n), "0.5 to 1 nats")
    return f"{amount} too {'low' if miss < 0 else 'high'}"


def _estimates_and_ess(axes, n_steps, results, intervals, log_z):
    """Left log Ẑ - log Z with 95% intervals against K (n,), right the ESS."""
    errors, ess = axes
    span = [n_steps[0] / 1.35, n_steps[-1] * 1.35]
    artists.curve(errors, "exact", span, [0, 0], "truth")
    lowest, highest = -1.0, 1.0
    for i, (style, row) in enumerate(results.items()):
        x = np.asarray(n_steps) * (0.96, 1.04)[i]  # side by side, so that the bars can be told apart
        misses, bounds = [r.log_z - log_z for r in row], np.array(intervals[style]) - log_z
        annealing.estimates(errors, style, x, misses, bounds, style)
        artists.line(ess, style, x, [r.ess for r in row], **STYLES[style])
        lowest, highest = min(lowest, bounds.min()), max(highest, bounds.max())
    n_chains = len(next(iter(results.values()))[0].log_weights)
    artists.curve(ess, "all", span, [n_chains] * 2, "reference")
    artists.words(ess, "all words", n_steps[0], 0.92 * n_chains, f"all {n_chains} chains", va="top", fontsize=12)
    margin = 0.08 * (highest - lowest)
    errors.set(ylim=(lowest - 5 * margin, highest + margin), title="log Ẑ − log Z, 95% intervals (nats)")
    rbm_paths.log_ess(ess, n_chains, 1.6 * n_chains, "Effective sample size")
    artists.legend(errors, LABELS | {"truth": "exact"}, loc="lower center", ncols=2)
    for ax in axes:
        artists.log_x(ax, "number of steps K", n_steps, span)


def _takeaway(n_steps: int, transitions: str, results: dict, log_z: float) -> str:
    geometric, moments = (_size(row[-1].log_z - log_z) for row in (results["geometric"], results["moments"]))
    if geometric == moments:
        return f"With {n_steps:,} {transitions} steps both paths are {moments}."
    return f"With {n_steps:,} {transitions} steps the geometric path is {geometric}, MAS {moments}."
