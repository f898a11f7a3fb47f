"""Grosse et al. 2013, Theorems 1 to 3: how the bias falls with K, and what the best schedule makes of each path."""

from functools import lru_cache

import numpy as np

from anneal_edu import Gaussian, ais, cost_functional, exact, kl_bias, linear_schedule, path_length, segment_costs
from anneal_edu.course.figures import artists, bias
from anneal_edu.course.panels.annealing_runs import SCHEDULES
from anneal_edu.course.panels.base import Panel, Reading
from anneal_edu.course.panels.controls import choice, seed, steps
from anneal_edu.course.panels.two_paths import PATHS, mirrored_gaussians

STEPS = (10, 16, 25, 40, 63, 100, 160, 250)
SEPARATIONS = (1, 2, 5, 10, 20, 40)
MIRRORED, NARROWING = "mirrored correlations", "wide to narrow"
N_CHAINS = 1000


def path_ends(ends: str, separation: float) -> tuple[Gaussian, Gaussian]:
    """Start and target with the means this far apart: one the mirror image of the other, or variances 4 and 1/4."""
    if ends == MIRRORED:
        return mirrored_gaussians(separation, 0.85)
    half = separation / 2
    return Gaussian([-half, 0.0], 4.0 * np.eye(2)), Gaussian([half, 0.0], 0.25 * np.eye(2))


@lru_cache(maxsize=64)
def _exact_biases(name: str, ends: str, separation: float, schedule: str) -> tuple[np.ndarray, np.ndarray, float]:
    """Forward and reverse bias for every K of STEPS, and the limit of K times either."""
    path = lru_cache(maxsize=None)(PATHS[name](*path_ends(ends, separation)))
    schedules = [SCHEDULES[schedule](path, n_steps) for n_steps in STEPS]
    forward, reverse = (np.array([kl_bias(path, s, reverse=r) for s in schedules]) for r in (False, True))
    bins = 1 if schedule == "linear" else 10
    return forward, reverse, float(np.sqrt(segment_costs(path, linear_schedule(bins))).sum() ** 2)


@lru_cache(maxsize=1)
def _best_costs() -> dict[str, np.ndarray]:
    """Half the squared length of each path between unit Gaussians, for every distance of SEPARATIONS."""
    ends = [(Gaussian([0.0], [[1.0]]), Gaussian([float(d)], [[1.0]])) for d in SEPARATIONS]
    return {name: np.array([path_length(PATHS[name](*pair)) ** 2 / 2 for pair in ends]) for name in PATHS}


class BiasDecay(Panel):
    """The bias log Z - E[log w] under perfect transitions: exact, asymptotic, and as 1,000 chains estimate it.

    Controls: ``n_steps`` K, ``separation`` of the means, ``ends`` of the path, ``schedule``, ``seed``.
    """

    title = "How fast the bias falls"
    picture = (
        "Left: exact forward and reverse bias of both paths against the number of steps, on logarithmic axes, with the "
        "line F/K and a Monte Carlo estimate. Right: cost of each path with its best schedule, against the distance of "
        "two unit Gaussians."
    )
    controls = {  # noqa: RUF012
        "n_steps": steps("steps K", 25, STEPS, live=False),
        "separation": steps("separation of the means", 20, SEPARATIONS, live=False),
        "ends": choice("ends", NARROWING, (NARROWING, MIRRORED)),
        "schedule": choice("schedule", "linear", tuple(SCHEDULES)),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "wide to narrow": {},
        "mirror images": {"ends": MIRRORED},
        "the optimal schedule": {"ends": MIRRORED, "schedule": "optimal, 10 bins"},
        "four times the steps": {"n_steps": 100},
    }
    plays = "n_steps"

    def make_axes(self, figure):
        left, right = figure.columns(1.15, 1)
        for ax, low, high, title in (
            (left, 0.01, 20_000, "Bias in nats: forward ●, reverse ○"),  # room for the legend
            (right, 0.1, 2000, "Later: cost, best schedule"),
        ):
            ax.set(yscale="log", ylim=(low, high), title=title)
            ticks = [tick for tick in (0.01, 0.1, 1, 10, 100, 1000) if tick >= low]
            ax.set(yticks=ticks, yticklabels=[f"{tick:,g}" for tick in ticks])
        artists.log_x(left, "number of steps K", (10, 30, 100, 300), (8, 310))
        artists.log_x(right, "distance of unit Gaussians", (1, 10), (0.8, 50))
        right.minorticks_off()
        meanings = {"geometric": "geometric", "moments": "moments"}
        artists.legend(right, meanings, loc="lower right")
        artists.legend(left, meanings | {"reference": "F/K, linear", "estimate": "Monte Carlo"}, loc="upper right")
        return [left, right]

    def draw(self, n_steps, separation, ends, schedule, seed):
        left, right = self.axes
        now, F = STEPS.index(n_steps), cost_functional(PATHS["geometric"](*path_ends(ends, separation)))
        every_k = np.array(STEPS)
        artists.curve(left, "F/K", np.array([5, 500]), F / np.array([5, 500]), "reference")
        exact_bias, readout = {}, {"F/K": f"{F / n_steps:.3f} nats", "F": f"{F:.3f}"}
        for name, nudge in (("geometric", 0.97), ("moments", 1.03)):
            forward, reverse, limit = _exact_biases(name, ends, separation, schedule)
            bias.bias_against_steps(left, name, every_k, forward, reverse, name)
            path = PATHS[name](*path_ends(ends, separation))
            result = ais(path, SCHEDULES[schedule](path, n_steps), N_CHAINS, exact, rng=np.random.default_rng(seed))
            error = result.log_weights.std() / np.sqrt(N_CHAINS)
            bias.monte_carlo(left, f"{name} Monte Carlo", n_steps * nudge, -result.mean_log_weight, error)
            exact_bias[name] = forward[now], limit
            readout[name] = (
                f"forward {forward[now]:.4g}, reverse {reverse[now]:.4g}, chains {-result.mean_log_weight:.2f} ± "
                f"{1.96 * error:.2f}"
            )
        bias.cost_against_distance(right, np.array(SEPARATIONS), _best_costs(), SEPARATIONS.index(separation))
        return Reading(_takeaway(F, n_steps, ends, schedule, exact_bias), readout)


def _takeaway(F, n_steps, ends, schedule, exact_bias) -> str:
    (forward_g, limit_g), (forward_m, limit_m) = exact_bias["geometric"], exact_bias["moments"]
    if schedule != "linear":
        return (
            f"More steps where the path turns fast cut the cost from F = {F:.3g} to {limit_g:.3g} on the geometric "
            f"path and to {limit_m:.3g} on the moment path: with K = {n_steps} the bias is {forward_g:.2g} and "
            f"{forward_m:.2g} nats."
        )
    if ends == MIRRORED:
        return (
            f"Mirrored ends: forward and reverse bias both are F/K = {F / n_steps:.4g} nats, exactly, at every K. "
            "Under a linear schedule the path makes no difference to the bias."
        )
    return (
        f"From wide to narrow the forward bias ({forward_g:.2g} geometric, {forward_m:.2g} moments) lies above F/K = "
        f"{F / n_steps:.2g} and the reverse one below: at every K the two add up to 2F/K, and both tend to F/K."
    )
