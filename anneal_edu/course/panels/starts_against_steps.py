"""Kiwaki and Aihara 2015, Figures 4 to 7: log Ẑ and the effective sample size against the number of steps."""

from functools import lru_cache

import numpy as np

from anneal_edu import ais
from anneal_edu.course.experiments import kiwaki
from anneal_edu.course.figures import artists, gaussian_rbm
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, seed, steps
from anneal_edu.course.panels.tempered_training import apart
from anneal_edu.distributions import GaussianRBM

MODELS = "strong covariances", "far modes"
N_STEPS = (12, 40, 100, 300)
N_CHAINS = 1000


@lru_cache(maxsize=8)
def target(model: str) -> tuple[GaussianRBM, np.ndarray, np.ndarray]:
    """A model, and the exact mean and covariance of its visible units."""
    grbm = kiwaki.load_model(model)
    return grbm, *grbm.mean_and_cov()


def _run_all(model: str, kernel: str, seed: int):
    """Yield the fraction done before each run; return start → one result a K."""
    runs = {start: [] for start in kiwaki.STARTS}
    for i, (start, row) in enumerate(runs.items()):
        path = kiwaki.start_path(start, *target(model))
        for j, n_steps in enumerate(N_STEPS):
            yield (i + sum(N_STEPS[:j]) / sum(N_STEPS)) / len(runs)
            rng = np.random.default_rng([seed, n_steps])
            row.append(ais(path, kiwaki.paper_schedule(n_steps), N_CHAINS, kiwaki.KERNELS[kernel], rng=rng))
    return runs


class StartsAgainstSteps(Panel):
    """AIS to a small Gaussian RBM from the paper's three starts, for several K; schedule in four quarters.

    Controls: ``n_steps``, the K up to which runs of 1,000 chains are shown; ``model``; ``kernel`` (x integrated out, or
    the paper's auxiliary x); ``seed``.
    """

    title = "Three starts"
    picture = (
        "Left: log Ẑ with three standard errors either way against the number of steps, for three starts, and the "
        "exact log Z. Right: their effective sample sizes."
    )
    columns = (1.2, 1)
    controls = {  # noqa: RUF012
        "n_steps": steps("up to K steps", N_STEPS[0], N_STEPS),
        "model": choice("model", MODELS[0], MODELS),
        "kernel": choice("kernel", "x integrated out", tuple(kiwaki.KERNELS)),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "twelve steps": {},
        "three hundred": {"n_steps": N_STEPS[-1]},
        "the paper's kernel": {"n_steps": N_STEPS[-1], "kernel": "auxiliary x"},
        "far modes": {"n_steps": N_STEPS[-1], "model": "far modes"},
    }

    def draw(self, n_steps, model, kernel, seed):
        runs = yield from self.once((model, kernel, seed), _run_all(model, kernel, seed))
        exact, shown = target(model)[0].log_z(), 1 + N_STEPS.index(n_steps)
        found = {start: [(r.log_z, r.std_error, r.ess) for r in row] for start, row in runs.items()}
        gaussian_rbm.estimates_and_ess(self.axes, list(N_STEPS), found, exact, N_CHAINS, shown=shown)
        fall = _fall({start: [r.ess for r in row[:shown]] for start, row in runs.items()})
        if fall:
            at, low = fall
            artists.words(self.axes[1], "fall", N_STEPS[at], max(low, 190) - 25, "ESS\nfalls", ha="center", va="top")
        last = {start: row[shown - 1] for start, row in runs.items()}
        heights = apart(np.array([[r.ess for r in last.values()]]).clip(N_CHAINS / 13), N_CHAINS / 13)[0]
        for start, at in zip(last, heights, strict=True):
            look = {"color": STYLES[start]["color"], "va": "center"}
            artists.words(self.axes[1], f"{start} words", 1.45 * n_steps, at, start, **look)
        self.axes[1].set_xlim(right=2000)
        readout = {
            f"{start}, K = {n_steps}": f"{r.log_z:.3f} ± {3 * r.std_error:.3f}, ESS {r.ess:.0f}"
            for start, r in last.items()
        }
        return Readout(_takeaway(last, exact, shown, kernel, fall), readout | {"exact log Z": f"{exact:.3f}"})


def _fall(sizes: dict[str, list[float]]) -> tuple[int, float] | None:
    """Where more steps have more than halved an ESS, and to what."""
    falls = [(k, row[k]) for row in sizes.values() for k in range(1, len(row)) if row[k] < 0.5 * row[k - 1]]
    return min(falls, key=lambda fall: fall[1], default=None)


def _takeaway(last: dict, exact: float, shown: int, kernel: str, fall: tuple[int, float] | None) -> str:
    narrow, order = last["mean only"], sorted(last, key=lambda start: -last[start].ess)
    if shown == 1:
        return "Three starts, twelve steps. Which ESS will be highest with more steps, and is every log Ẑ right?"
    fallen = f" Where few chains find the far mode, an ESS falls to {fall[1]:.0f}." if fall else ""
    if narrow.log_z + 3 * narrow.std_error < exact and narrow.ess > 0.8 * N_CHAINS:
        return f"From mean only the ESS is {narrow.ess:.0f}, but log Ẑ is too low: no chain is in the far mode.{fallen}"
    how = "With the paper's x the ESS is lower" if kernel == "auxiliary x" else "ESS of 1,000 chains"
    return f"{how}: {', '.join(f'{last[start].ess:.0f} from {start}' for start in order)}.{fallen}"
