"""AIS in a world of 30 sites, where every expectation is a sum: no random number is drawn."""

from functools import lru_cache

import numpy as np
from scipy.special import logsumexp

from anneal_edu import expected_ais_weights, linear_schedule, metropolis_matrix
from anneal_edu.annealing.matrices import state_distributions
from anneal_edu.course.figures import STYLES, artists
from anneal_edu.course.figures.film import Film
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, slider, steps

N_SITES, LAST = 30, 100
EDGES = np.arange(N_SITES + 1) - 0.5
METROPOLIS, FROZEN, CARELESS = "Metropolis", "frozen", "careless"


def two_wells(depth: float, n_sites: int = N_SITES) -> np.ndarray:
    """Log f of a landscape on a line of sites with two wells, the right one the better, (n_sites,).

    The best site has log f = 0; ``depth`` scales the landscape: 0 is flat, and Z is the number of sites.
    """
    x = np.linspace(-1, 1, n_sites)
    height = (x**2 - 0.4) ** 2 / 0.16 - 0.35 * x
    return depth * (height.min() - height)


def annealed_wells(depth: float, n_steps: int) -> np.ndarray:
    """Log f_k = β_k log f of `two_wells` on a linear schedule: from the flat world to the wells, (K+1, S)."""
    return linear_schedule(n_steps)[:, None] * two_wells(depth)


def kernels_of(log_f: np.ndarray, kernel: str) -> list[np.ndarray]:
    """Transition matrices T_1 … T_K for log f (K+1, S): K matrices (S, S).

    "Metropolis" proposes a neighbour and leaves f_k invariant; "frozen" never moves, and so leaves everything
    invariant; "careless" accepts every proposal, and leaves only the flat f_0 invariant.
    """
    if kernel == FROZEN:
        return [np.eye(log_f.shape[1])] * (len(log_f) - 1)
    if kernel == CARELESS:
        return [metropolis_matrix(log_f[0])] * (len(log_f) - 1)
    return [metropolis_matrix(stage) for stage in log_f[1:]]


@lru_cache(maxsize=64)
def exact_run(n_steps: int, depth: float, kernel: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where chains stand at 101 times of a run, the weight that they carry there, over Z_k, and p_k, (T, S) each."""
    log_f = annealed_wells(depth, n_steps)
    transitions = kernels_of(log_f, kernel)
    log_z = logsumexp(log_f, axis=1, keepdims=True)
    share = expected_ais_weights(log_f, transitions) / np.exp(log_z)
    k = np.arange(LAST + 1) * n_steps // LAST
    return state_distributions(log_f, transitions)[k], share[k], np.exp(log_f - log_z)[k]


class TinyWorld(Panel):
    """Where the chains of one run stand, the weight they carry there, and the product of the two.

    Controls: ``moment``, the time of the run; ``n_steps`` K; ``depth`` of log f in nats; ``kernel``.
    """

    title = "Annealing in a world of 30 sites, exactly"
    picture = (
        "Left: where the chains stand at this moment, and the distribution that they should have. Middle: the mean "
        "weight of the chains at each site, relative to Z. Right: the product of the two, and the same distribution."
    )
    size = (12.0, 4.4)
    columns = (1, 1, 1)
    plays = "moment"
    controls = {  # noqa: RUF012
        "moment": slider("time of the run, in %", 0, 0, LAST, 1),
        "n_steps": steps("steps K", 10, (1, 3, 10, 30, 100, 300)),
        "depth": slider("relief of log f (nats)", 8.0, 0.0, 12.0, 0.5),
        "kernel": choice("kernel", METROPOLIS, (METROPOLIS, FROZEN, CARELESS)),
    }
    scenes = {  # noqa: RUF012
        "will the chains keep up?": {},
        "chains that lag": {"moment": LAST},
        "many steps": {"moment": LAST, "n_steps": 300},
        "frozen chains": {"moment": LAST, "kernel": FROZEN},
        "a careless kernel": {"moment": LAST, "kernel": CARELESS},
    }

    def draw(self, moment, n_steps, depth, kernel):
        stand, share, target = exact_run(n_steps, depth, kernel)
        weight, film = share / stand, Film(moment, rate=14.0)
        parts = {"Share of chains": stand, "× mean weight / Z": weight, "= share of weight": share}
        for ax, (title, heights) in zip(self.axes, parts.items(), strict=True):
            top = max(5, 1.25 * weight.max()) if heights is weight else 1.25 * np.max((target, stand, share))
            colour = STYLES["weight" if heights is weight else "chains"]["color"]
            film.bars(ax, "bars", EDGES, np.zeros_like(heights), heights, colour)
            if heights is weight:
                film.words(ax, "k", 1, 0.9 * top, [f"step {t * n_steps // LAST} of {n_steps}" for t in range(LAST + 1)])
                artists.curve(ax, "one", EDGES[[0, -1]], [1.0, 1.0], "reference", linewidth=1.6)
                artists.words(ax, "name", 1.0, 1.0 + 0.02 * top, "weight Z", color=STYLES["reference"]["color"])
            else:
                film.curve(ax, "target", np.arange(N_SITES), target, "target")
                artists.curve(ax, "end", np.arange(N_SITES), target[-1], "target", linewidth=1.8)
                artists.words(ax, "p", 0, top, "line: p now\ndashed: at end", va="top", color=STYLES["target"]["color"])
            ax.set(xlim=(EDGES[0], EDGES[-1]), ylim=(0, top), xlabel="site", title=title)
        wrong, ratio = 0.5 * abs(stand - target)[moment].sum(), share[moment].sum()
        numbers = {"chains in the wrong place": f"{wrong:.0%}", "E[w] / Z": f"{ratio:.6f}"}
        return Readout(_takeaway(moment, kernel, wrong, ratio), numbers, film)


def _takeaway(moment, kernel, wrong, ratio) -> str:
    if moment == 0:
        return "At the start all sites are alike, for the chains and for p. Will the chains keep up with p?"
    if kernel == CARELESS:
        biased = ": biased" if abs(ratio - 1) > 1e-9 else ""
        return f"This kernel does not leave f_k invariant, and the mean weight is {ratio:.3g} Z{biased}."
    moved = f"The chains {'never moved' if kernel == FROZEN else 'lag'}: {wrong:.0%} stand in the wrong place"
    return f"{moved}. Yet their mean weight is exactly Z, and counted with their weights they are p."
