"""AIS in a world of 30 sites, where every expectation is a sum: no random number is drawn."""

from functools import lru_cache

import numpy as np
from scipy.special import logsumexp

from anneal_edu import expected_ais_weights, linear_schedule, metropolis_matrix
from anneal_edu.annealing.matrices import state_distributions
from anneal_edu.course.figures import STYLES, artists
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, slider, steps

N_SITES = 30
EDGES = np.arange(N_SITES + 1) - 0.5
METROPOLIS, FROZEN, CARELESS = "Metropolis", "frozen", "careless"


def two_wells(depth: float, n_sites: int = N_SITES) -> np.ndarray:
    """Log f of a landscape on a line of sites with two wells, the right one the better, (n_sites,).

    The best site has log f = 0; ``depth`` scales the landscape: 0 is flat, and Z is the number of sites.

    Examples
    --------
    >>> float(two_wells(8.0).max())
    0.0
    >>> int(two_wells(8.0).argmax())
    24
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
def _exact_ais(depth: float, n_steps: int, kernel: str) -> tuple[np.ndarray, np.ndarray, float]:
    """Where the chains end (S,), the weight they carry there (S,), and E[log w]."""
    log_f = annealed_wells(depth, n_steps)
    transitions = kernels_of(log_f, kernel)
    stand = state_distributions(log_f, transitions)
    mean_log_weight = logsumexp(log_f[0]) + (stand[:-1] * np.diff(log_f, axis=0)).sum()
    return stand[-1], expected_ais_weights(log_f, transitions)[-1], float(mean_log_weight)


class TinyWorld(Panel):
    """Where annealed chains really stand, the weight they carry there, and the product of the two.

    Controls: ``n_steps`` K, ``depth`` of log f in nats, ``kernel`` ("Metropolis", "frozen" or "careless").
    """

    title = "Annealing in a world of 30 sites, exactly"
    picture = (
        "Left: where the chains stand after the last step, and the target. Middle: the mean weight of the chains "
        "at each "
        "site, relative to Z, on a log scale. Right: the product of the two, and the target."
    )
    size = (12.0, 4.4)
    controls = {  # noqa: RUF012
        "n_steps": steps("steps K", 10, (1, 3, 10, 30, 100, 300), live=False),
        "depth": slider("relief of log f (nats)", 8.0, 0.0, 12.0, 0.5, live=False),
        "kernel": choice("kernel", METROPOLIS, (METROPOLIS, FROZEN, CARELESS)),
    }
    scenes = {  # noqa: RUF012
        "chains that lag": {},
        "frozen chains": {"kernel": FROZEN},
        "a careless kernel": {"kernel": CARELESS},
        "many steps": {"n_steps": 300},
    }
    plays = "n_steps"

    def make_axes(self, figure):
        axes = figure.columns(1, 1, 1)
        for ax, title in zip(axes, ("Where chains stand", "× mean weight / Z", "= weighted chains"), strict=True):
            ax.set(xlim=(EDGES[0], EDGES[-1]), xlabel="site", title=title)
        axes[1].set(
            yscale="log", ylim=(1e-14, 100), yticks=(1e-12, 1e-8, 1e-4, 1), yticklabels=("1e-12", "1e-8", "1e-4", "1")
        )
        axes[1].minorticks_off()
        for ax in (axes[0], axes[2]):
            ax.set(ylim=(0, 0.62), yticks=(0, 0.2, 0.4))
        return axes

    def draw(self, n_steps, depth, kernel):
        stand, weighted, mean_log_weight = _exact_ais(depth, n_steps, kernel)
        log_f = two_wells(depth)
        log_z = logsumexp(log_f)
        target, share = np.exp(log_f - log_z), weighted * np.exp(-log_z)
        left, middle, right = self.axes
        for ax, heights in ((left, stand), (right, share)):
            artists.histogram(ax, "chains", heights, EDGES, "chains", linestyle="-")
            artists.curve(ax, "target", np.arange(N_SITES), target, "target")
            artists.legend(ax, {"target": "target p", "chains": "chains"}, loc="upper left")
        mean_weight = share / stand
        artists.curve(middle, "one", EDGES[[0, -1]], [1.0, 1.0], "reference", linewidth=1.6)
        look = STYLES["weight"] | {"markersize": 5, "linewidth": 1.2}
        artists.line(middle, "weight", np.arange(N_SITES), mean_weight, **look)
        misplaced, ratio = 0.5 * abs(stand - target).sum(), share.sum()
        return Readout(
            _takeaway(kernel, n_steps, misplaced, ratio),
            {
                "chains in the wrong place": f"{misplaced:.0%}",
                "E[w] / Z": f"{ratio:.6f}",
                "log Z − E[log w]": f"{log_z - mean_log_weight:.2f} nats",
            },
        )


def _takeaway(kernel, n_steps, misplaced, ratio) -> str:
    if kernel == CARELESS:
        biased = ": biased" if abs(ratio - 1) > 1e-9 else ""
        return (
            f"This kernel does not leave f_k invariant, and the mean weight is {ratio:.3g} Z{biased}. Invariance is "
            "what unbiasedness needs, and here all that it needs."
        )
    moved = "never moved" if kernel == FROZEN else f"are out of equilibrium after {n_steps} step{'s' * (n_steps > 1)}"
    return (
        f"The chains {moved}: {misplaced:.0%} stand in the wrong place. Yet their mean weight is exactly Z, and "
        "counted with their weights they are the target."
    )
