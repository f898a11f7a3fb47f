"""Annealed importance sampling between the Gaussians of Grosse et al. 2013, Figures 1 and 2, in motion."""

from functools import lru_cache

import numpy as np

from anneal_edu import Gaussian, effective_sample_size, exact, gibbs, kl_bias, linear_schedule, log_mean_exp
from anneal_edu.course.ais_trace import annealed
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.film import Film
from anneal_edu.course.figures.paper_gaussians import chains_on_the_way
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, seed, slider, steps
from anneal_edu.course.panels.two_paths import PATHS, TITLES, mirrored_gaussians, planes

KERNELS, ENDS = {"perfect": exact, "Gibbs": gibbs}, mirrored_gaussians(20.0, 0.85)
N_CHAINS, N_MOMENTS, LOWEST = 200, 51, -150.0
COLUMNS, BOTTOMS = {"geometric": 0.17, "moments": 1.59}, {"geometric": -11.5, "moments": -6.9}  # one scale of x₂


def times(n_steps: int) -> np.ndarray:
    """What each moment shows, (T,): 2 k - 1 is the weighing of step k, 2 k its move."""
    return np.linspace(0, 2 * n_steps, N_MOMENTS).round().astype(int)


@lru_cache(maxsize=64)
def run(name: str, n_steps: int, transitions: str, seed: int) -> tuple[list[Gaussian], np.ndarray, np.ndarray]:
    """At T moments of AIS (weigh, then move): stops, chains (T, C, 2), log weights minus the exact log Z(β), (T, C)."""
    path, betas, rng = PATHS[name](*ENDS), linear_schedule(n_steps), np.random.default_rng(seed)
    log_w, x = map(np.array, zip(*annealed(path, betas, N_CHAINS, KERNELS[transitions], rng), strict=True))
    moved, weighed = times(n_steps) // 2, (times(n_steps) + 1) // 2
    stops = [path(beta) for beta in betas[weighed]]
    return stops, x[moved], log_w[weighed] - [[stop.log_z()] for stop in stops]


class AnnealingRuns(Panel):
    """AIS along both paths between N((-10, 0), ·) and N((10, 0), ·), whose log Z is 0.

    Controls: ``moment``, the time of the walk; ``n_steps`` K; ``transitions``; ``seed``.
    """

    title = "Annealing between two distant Gaussians"
    picture = (
        "Left: two planes, above the geometric and below the moment path, with the chains on their way; the area of a "
        "chain is its share of the weight. Right: the log weights of the same chains fall from the exact value 0, left "
        "on the geometric and right on the moment path; lines mark log Ẑ − log Z and the mean log weight."
    )
    size = (12.0, 5.6)
    plays = "moment"
    controls = {  # noqa: RUF012
        "moment": slider("time of the walk, in %", 0, 0, 100, 2),
        "n_steps": steps("steps K", 26, (11, 26, 51, 101)),
        "transitions": choice("transitions", "perfect", tuple(KERNELS)),
        "seed": seed(6),
    }
    scenes = {  # noqa: RUF012
        "which estimate arrives?": {},
        "before the last step": {"moment": 96},
        "one mean, two fates": {"moment": 100},
        "with Gibbs steps": {"transitions": "Gibbs", "moment": 100},
        "a hundred steps": {"n_steps": 101, "moment": 100},
    }

    def make_axes(self, figure):
        axes = planes(figure, 1, 1.2)
        axes[2].set(xlim=(0, 2.82), ylim=(LOWEST - 22, 22), xticks=[*COLUMNS.values()], xticklabels=[*COLUMNS])
        axes[2].set(yticks=(-150, -100, -50, 0), yticklabels=("−150\nor less", "−100", "−50", "exact 0"))
        axes[2].set_title("log w minus the exact log Z(β)")
        return axes

    def draw(self, moment, n_steps, transitions, seed):
        film, right, said, readout = Film(now := moment // 2, rate=6.0), self.axes[2], {}, {}
        aside = np.random.default_rng(0).uniform(-0.13, 0.13, N_CHAINS)
        artists.curve(right, "truth", (0, 2.82), (0, 0), "truth")
        for ax, (name, column) in zip(self.axes, COLUMNS.items(), strict=False):
            stops, x, log_w = run(name, n_steps, transitions, seed)
            mean, log_z = log_w.mean(1), np.array([log_mean_exp(row) for row in log_w])
            radius = np.sqrt(4 + 1.3 * np.exp(log_w - log_z[:, None]))
            chains_on_the_way(film, ax, name, ENDS, stops, x, radius)
            ax.set(xlim=(-30, 30), yticks=(-10, -5, 0), ylim=(BOTTOMS[name], 4.5))
            ax.set_title(f"{TITLES[name]}: area is weight")
            low = np.select([mean < log_z - 12, log_z > -9], [log_z - 11, np.maximum(log_z, 0) + 3], log_z + 3)
            for what, level, at in (("log Ẑ", log_z, low), ("mean", mean, mean - 11)):
                ends = np.column_stack(np.broadcast_arrays(column - 0.17, level, column + 1.2, level))
                ends[abs(level) < 1.2] = np.nan  # the line of the exact value stays whole
                film.links(right, f"{name} {what}", ends[:, :, None], "reference")
                found = ["", *(f"{what}: {nats:z.1f}".replace("-", "−") for nats in level[1:])]
                film.words(right, f"{name} {what} said", column + 0.25, at, found)
            colours = [artists.STYLES[name]["color"]] * N_CHAINS
            film.dots(right, name, column + aside, np.maximum(log_w, LOWEST), colours, radius)
            said[name] = mean[now], log_z[now]
            readout[f"{name} log Ẑ − log Z; ESS"] = f"{log_z[now]:z.1f}; {effective_sample_size(log_w[now]):.1f} of 200"
        film.words(self.axes[0], "step", -29, -11, [_step(n_steps, at) for at in times(n_steps)])
        if transitions == "perfect":
            exact_mean = -kl_bias(PATHS["geometric"](*ENDS), linear_schedule(n_steps))
            readout["mean in the end, exact on both paths"] = f"{exact_mean:.2f}"
        return Readout(_takeaway(now, n_steps, transitions, said), readout, film)


def _step(n_steps: int, at: int) -> str:
    return f"step {(at + 1) // 2} of {n_steps}: {'weigh' if at % 2 else 'move'}" if at else "200 draws of the start"


def _takeaway(now, n_steps, transitions, said) -> str:
    if now == 0:
        return "Two hundred chains set out on each path, all of the same weight. Which estimate of log Z will arrive?"
    (mean_g, low_g), (mean_m, low_m) = said["geometric"], said["moments"]
    misses = f"log Ẑ misses by {abs(low_g):.1f} nats on the geometric path and by {abs(low_m):.1f} on the moment path"
    if now < N_MOMENTS - 1:
        fallen = f"{-mean_g:.0f} nats on the geometric path and by {-mean_m:z.0f} on the moment path"
        return f"After step {(times(n_steps)[now] + 1) // 2} of {n_steps} the mean log weight has fallen by {fallen}."
    if transitions == "Gibbs" and mean_g < 1.5 * mean_m:
        return f"Gibbs sweeps do not keep up with the geometric path: {misses}."
    if low_g < low_m - 3 and abs(mean_g - mean_m) < 0.3 * abs(mean_g):
        stay = f"some chains stay near 0, and log Ẑ misses by {abs(low_m):.1f} nats, not by {abs(low_g):.1f}."
        return f"The mean log weight is much the same, {mean_g:.0f} and {mean_m:.0f}. But on the moment path {stay}"
    return f"With {n_steps} steps {misses}."
