"""Annealed importance sampling, chain by chain: a dot is a chain, its area is its weight."""

from functools import lru_cache

import numpy as np

from anneal_edu import Gaussian, exact, geometric_path, linear_schedule, random_walk
from anneal_edu.course.ais_trace import annealed
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.film import Film, between
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, seed, slider, steps
from anneal_edu.weights import effective_sample_size, log_mean_exp

N_CHAINS, LAST = 200, 200
KERNELS = {"random walk": random_walk(1.0), "exact": exact, "frozen": lambda distribution, x, rng: x}
_GRID, _BETAS = np.linspace(-4, 12, 241), np.linspace(0, 1, 101)


@lru_cache(maxsize=64)
def run(n_steps: int, distance: float, kernel: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """β, x and log w at the 2 K + 1 moments of a run, (T,), (T, C), (T, C): in each step first weigh, then move."""
    betas, rng = linear_schedule(n_steps), np.random.default_rng(seed)
    path = geometric_path(Gaussian([0.0], [[1.0]]), Gaussian([distance], [[1.0]]))
    log_w, x = (np.array(part) for part in zip(*annealed(path, betas, N_CHAINS, KERNELS[kernel], rng), strict=True))
    return np.repeat(betas, 2)[1:], np.repeat(x[..., 0], 2, axis=0)[:-1], np.repeat(log_w, 2, axis=0)[1:]


class AnnealedWalk(Panel):
    """Chains that are weighed and moved along the geometric path from N(0, 1) to N(distance, 1).

    Controls: ``moment``, the time of the walk; ``n_steps`` K, where one step is importance sampling; ``distance``;
    ``kernel``: a random walk, exact draws, or chains that never move; ``seed``.
    """

    title = "Chains that are weighed and moved"
    picture = (
        "Left: the density of this moment slides from the start to the target; below it 200 chains as dots, whose area "
        "is their share of the weight. Right: the estimate of log Z so far against β, and the exact log Z."
    )
    size = (12.0, 4.6)
    columns = (1.9, 1)
    plays = "moment"
    controls = {  # noqa: RUF012
        "moment": slider("time of the walk, in %", 0, 0, LAST // 2, 1),
        "n_steps": steps("steps K", 10, (1, 4, 10, 100)),
        "distance": slider("distance", 6.0, 0.0, 8.0, 0.5),
        "kernel": choice("kernel", "random walk", tuple(KERNELS)),
        "seed": seed(1),
    }
    scenes = {  # noqa: RUF012
        "will they arrive?": {},
        "ten steps": {"moment": LAST // 2},
        "a hundred steps": {"n_steps": 100, "moment": LAST // 2},
        "one leap": {"n_steps": 1, "moment": LAST // 2},
        "chains that never move": {"n_steps": 100, "kernel": "frozen", "moment": LAST // 2},
    }

    def draw(self, moment, n_steps, distance, kernel, seed):
        (left, right), orange = self.axes, artists.STYLES["estimate"]["color"]
        betas, x, log_w = run(n_steps, distance, kernel, seed)
        time, film = np.linspace(0, len(betas) - 1, LAST // 2 + 1), Film(moment, rate=12.0)  # of these moments
        beta, x_now = np.interp(time, range(len(betas)), betas), between(time, x)
        share = np.exp(log_w - log_w.max(1, keepdims=True))
        share /= share.sum(1, keepdims=True)
        for style, mean, end in (("start", 0.0, "right"), ("target", distance, "left")):
            artists.curve(left, style, _GRID, np.exp(-((_GRID - mean) ** 2) / 2), style)
            colour = artists.STYLES[style]["color"]
            artists.words(left, f"name of {style}", mean, 1.03, style, ha=end, color=colour)
        film.curve(left, "now", _GRID, np.exp(-((_GRID - distance * beta[:, None]) ** 2) / 2), "theory", fill=0.2)
        film.words(left, "name", distance * beta, 0.4, ["now"] * len(beta), artists.STYLES["theory"]["color"], "center")
        jitter = -0.12 - 0.16 * np.random.default_rng(0).random(N_CHAINS)
        radius = np.sqrt(3 + 1200 * between(time, share))
        film.dots(left, "chains", x_now, jitter, [orange] * N_CHAINS, radius)
        film.words(left, "step", -3.7, 1.17, [_said(betas, int(t)) for t in time])
        left.set(xlim=(-4, 12), ylim=(-0.55, 1.3), yticks=[], xlabel="x", title="Chains; area is weight")

        log_z = np.array([log_mean_exp(row) for row in log_w])
        exact_log_z, low = -_BETAS * (1 - _BETAS) * distance**2 / 2, min(log_z.min(), -(distance**2) / 8) - 0.8
        artists.curve(right, "exact", _BETAS, exact_log_z, "truth")
        artists.words(right, "exact words", 0.5, exact_log_z.min() / 2 + 0.2, "exact", ha="center")
        artists.words(right, "estimate words", 0.03, 0.97 * low, "estimate so far", color=orange)
        film.trails(right, "estimate", beta, np.interp(time, range(len(betas)), log_z)[:, None], [orange])
        right.set(xlim=(0, 1), ylim=(low, max(0.8, log_z.max() + 0.3)), xlabel="β", title="log Z(β)")
        at = int(time[moment])
        ess = effective_sample_size(log_w[at])
        numbers = {
            "log Ẑ so far": f"{log_z[at]:.2f}",
            "exact log Z": f"{0.0 - betas[at] * (1 - betas[at]) * distance**2 / 2:.2f}",
            "ESS": f"{ess:.1f} of {N_CHAINS}",
            "largest share of the weight": f"{share[at].max():.1%}",
        }
        return Readout(_takeaway(moment, log_z[at], ess, n_steps, kernel), numbers, film)


def _said(betas, at):
    n_steps = len(betas) // 2
    if at == 0:
        return "200 draws of the start, all of weight 1"
    doing = "weigh" if at % 2 else "move"
    return f"step {(at + 1) // 2} of {n_steps}: {doing}  (β = {betas[at]:.2f})"


def _takeaway(moment, log_z, ess, n_steps, kernel):
    if moment < LAST // 2:
        return "In each step the chains are weighed for the next stop, and moved. Will they arrive at the target?"
    steps = "One leap" if n_steps == 1 else f"{n_steps} steps"
    moved = {"random walk": "", "exact": " with exact draws", "frozen": " without a move"}[kernel]
    if ess < 10:
        return f"{steps}{moved}: log Ẑ is {-log_z:.1f} nats too low, and the ESS is {ess:.1f} of 200."
    off = "exact" if abs(log_z) < 0.005 else f"{abs(log_z):.1f} nats off"
    return f"{steps}{moved}: log Ẑ is {off}, and the ESS is {ess:.0f} of 200."
