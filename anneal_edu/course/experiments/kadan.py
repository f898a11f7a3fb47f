"""Kadan, Syed and Wøien (2018): the experiment that they leave open, RBMs trained with one temperature and with ten.

Their Sections 4.4 and 5 are headings without text. Here: the exact log likelihood during training.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from anneal_edu.course.experiments.run import HERE, Run, experiment
from anneal_edu.data import bars_and_stripes, digits
from anneal_edu.distributions import BinaryRBM
from anneal_edu.training import contrastive_divergence

N_RUNGS = 10

DATA: dict[str, Callable[[], np.ndarray]] = {
    "bars 3×3": lambda: bars_and_stripes(3),
    "bars 4×4": lambda: bars_and_stripes(4),
    "digits 8×8": lambda: digits(8),
}


class Method(NamedTuple):
    """A way to the negative particles, and what it costs: Gibbs steps per training example, counted over all rungs.

    An update may be cut into ``parts``, each with fresh data, a Gibbs step, and that fraction of the learning rate.
    """

    method: str
    n_gibbs: int = 1
    cost: int = 1
    more_chains: int = 1
    parts: int = 1
    options: dict = {}  # noqa: RUF012


METHODS = {
    "CD-1": Method("cd"),
    "CD-25": Method("cd", 25, 25),
    "PCD": Method("pcd"),
    "PCD, 10 steps": Method("pcd", N_RUNGS, N_RUNGS),
    "PCD, 10 times the chains": Method("pcd", 1, N_RUNGS, more_chains=N_RUNGS),
    "PT, coin": Method("pt", cost=N_RUNGS, options={"swaps": "stochastic_even_odd", "n_rungs": N_RUNGS}),
    "PT, even-odd": Method("pt", cost=N_RUNGS, options={"swaps": "even_odd", "n_rungs": N_RUNGS}),
    "PT, lifted": Method("pt", cost=N_RUNGS, options={"swaps": "lifted", "n_rungs": N_RUNGS}),
    "PCD, 10 small updates": Method("pcd", 1, N_RUNGS, parts=N_RUNGS),
}


_BARS = {"data": "bars 4×4", "n_hidden": 12, "learning_rate": 0.2, "batch_size": 30, "n_updates": 4000}
_DIGITS = {"data": "digits 8×8", "n_hidden": 12, "learning_rate": 0.1, "batch_size": 50, "n_updates": 2000}
_TINY = {"data": "bars 3×3", "n_hidden": 6, "learning_rate": 0.2, "batch_size": 10, "n_updates": 40}
_FULL = _BARS | {"learning_rate": 0.1, "n_updates": 40_000}, _DIGITS | {"n_hidden": 14, "n_updates": 40_000}
SCALES = {
    "tiny": {"tasks": (_TINY,), "n_seeds": 2, "n_points": 4},
    "quick": {"tasks": (_BARS, _DIGITS), "n_seeds": 5, "n_points": 20},
    "full": {"tasks": _FULL, "n_seeds": 10, "n_points": 40},
}
"""A task has data, a model, and settings that all methods share; the learning rate is constant.

"PCD, 10 times the chains" has ten times the batch as well, and so less noise in both halves of the gradient. "PCD, 10
small updates" makes ten times as many updates, at a tenth of the rate; ten of its updates count as one."""


def mean_log_likelihood(rbm: BinaryRBM, data: np.ndarray) -> float:
    """Exact, in nats per example."""
    return float(rbm.log_density(data).mean() - rbm.log_z())


def measured_updates(n_updates: int, n_points: int) -> np.ndarray:
    """Numbers of updates at which the likelihood is computed, evenly spaced."""
    return np.unique(np.linspace(0, n_updates, n_points + 1).round().astype(int)[1:])


def train_once(task: dict, method: str, n_points: int, seed: int, data: np.ndarray | None = None) -> dict:
    """One training by one method, on the data of the task or the given ones.

    The row has the exact mean log likelihood of the data at some numbers of updates. Random numbers depend on seed and
    method.
    """
    data, how = DATA[task["data"]]() if data is None else data, METHODS[method]
    wanted = measured_updates(task["n_updates"], n_points).tolist()
    states = contrastive_divergence(
        data,
        task["n_hidden"],
        how.method,
        n_gibbs=how.n_gibbs,
        n_updates=task["n_updates"] * how.parts,
        learning_rate=task["learning_rate"] / how.parts,
        batch_size=task["batch_size"] * how.more_chains,
        rng=np.random.default_rng([seed, list(METHODS).index(method)]),
        decay=False,
        **how.options,
    )
    moments = {n * how.parts for n in wanted}
    found = [round(mean_log_likelihood(state.rbm, data), 4) for state in states if state.n_updates in moments]
    row = {"data": task["data"], "method": method, "seed": seed, "cost": how.cost}
    return row | {"n_updates": wanted, "log_likelihood": found}


@experiment(
    "kadan-training",
    "data:12s method:25s seed:d cost:d log_likelihood:18.2f",
    refuses={"model": "it trains its models"},
    **SCALES,
)
def training_curves(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """Kadan, Syed and Wøien 2018: RBMs trained with one temperature and with ten, by the exact likelihood.

    Every method on every task, from several seeds of which the run's is the first. With given images, only the scale's
    last task is done, on these.
    """
    tasks = scale["tasks"] if run.images is None else [scale["tasks"][-1] | {"data": "your images"}]
    seeds = range(run.seed, run.seed + scale["n_seeds"])
    return run.each(train_once, [*product(tasks, METHODS, [scale["n_points"]], seeds, [run.images])])
