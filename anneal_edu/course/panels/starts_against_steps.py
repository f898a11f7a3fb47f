"""Kiwaki and Aihara 2015, Figures 4 to 7: log Ẑ and the effective sample size against the number of steps."""

from functools import lru_cache
from itertools import pairwise

import numpy as np

from anneal_edu import ais
from anneal_edu.course.experiments import kiwaki
from anneal_edu.course.figures import gaussian_rbm
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, seed
from anneal_edu.distributions import GaussianRBM

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

    Controls: ``model``, ``kernel`` (x integrated out, or the paper's auxiliary x) and ``seed``. 1,000 chains.
    """

    title = "Three starts"
    picture = (
        "Left: log Ẑ with three standard errors either way against the number of steps, for three starts, and the "
        "exact log Z. Right: their effective sample sizes."
    )
    columns = (1.2, 1)
    controls = {  # noqa: RUF012
        "model": choice("model", "strong covariances", tuple(kiwaki.TOYS)),
        "kernel": choice("kernel", "x integrated out", tuple(kiwaki.KERNELS)),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "strong covariances": {},
        "far modes": {"model": "far modes"},
        "four modes": {"model": "four modes"},
        "the paper's kernel": {"kernel": "auxiliary x"},
    }

    def draw(self, model, kernel, seed):
        runs = yield from self.once((model, kernel, seed), _run_all(model, kernel, seed))
        exact = target(model)[0].log_z()
        found = {start: [(r.log_z, r.std_error, r.ess) for r in row] for start, row in runs.items()}
        gaussian_rbm.estimates_and_ess(self.axes, list(N_STEPS), found, exact, N_CHAINS)
        last = {start: row[-1] for start, row in runs.items()}
        readout = {
            f"{start}, K = {N_STEPS[-1]}": f"{r.log_z:.3f} ± {3 * r.std_error:.3f}, ESS {r.ess:.0f}"
            for start, r in last.items()
        }
        return Readout(_takeaway(runs, exact), readout | {"exact log Z": f"{exact:.3f}"})


def _takeaway(runs: dict[str, list], exact: float) -> str:
    """Verdicts with margins; the order of the ESS from the third number of steps."""
    ess, last = {start: row[2].ess for start, row in runs.items()}, runs["mean only"][-1]
    if last.log_z + 3 * last.std_error < exact and last.ess > 0.8 * N_CHAINS:
        return (
            f"With {N_STEPS[-1]} steps from the mean alone log Ẑ is too low by more than three standard errors, and "
            "the ESS above 80% of all chains: no ESS knows of modes that no chain has reached."
        )
    order = sorted(kiwaki.STARTS, key=lambda start: -ess[start])
    gaps = [" > " if ess[better] > 1.05 * ess[worse] else " ≈ " for better, worse in pairwise(order)]
    ranking = order[0] + "".join(gap + start for gap, start in zip(gaps, order[1:], strict=True))
    verdict = "depends on its start" if " > " in gaps else "hardly depends on its start"
    return f"What a chain is worth {verdict}. Effective sample size at K = {N_STEPS[2]}: {ranking}."
