"""The experiment that Kadan, Syed and Wøien (2018) leave open: RBMs trained with chains at one temperature and at ten.

Their Sections 4.4 and 5 are headings without text. Here: the exact log likelihood during training.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from anneal_edu.course.experiments.kept import HERE, Run
from anneal_edu.data import bars_and_stripes, digits
from anneal_edu.distributions import BinaryRBM
from anneal_edu.training import contrastive_divergence

N_RUNGS = 10

DATA: dict[str, Callable[[], np.ndarray]] = {
    "bars 3×3": lambda: bars_and_stripes(3),
    "bars 4×4": lambda: bars_and_stripes(4),
    "digits 8×8": lambda: digits(8),
}


@dataclass(frozen=True)
class Method:
    """A way to the negative particles, and what it costs: Gibbs steps a training example, counted over all rungs.

    An update may be cut into ``parts``, each with fresh data, a Gibbs step, and that fraction of the learning rate.
    """

    method: str
    n_gibbs: int = 1
    cost: int = 1
    more_chains: int = 1
    parts: int = 1
    options: dict = field(default_factory=dict)


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


@dataclass(frozen=True)
class Task:
    """Data, a model, and settings that all methods share. The learning rate stays as it is.

    "PCD, 10 times the chains" has ten times the batch as well, and so the less noise in both halves of the gradient.
    "PCD, 10 small updates" makes ten times as many updates, at a tenth of the rate; ten of its updates count as one.
    """

    data: str
    n_hidden: int
    learning_rate: float
    batch_size: int
    n_updates: int


@dataclass(frozen=True)
class Scale:
    """How large the experiment is."""

    tasks: tuple[Task, ...]
    n_seeds: int
    n_points: int


SCALES = {
    "tiny": Scale((Task("bars 3×3", 6, 0.2, 10, 40),), 2, 4),
    "quick": Scale((Task("bars 4×4", 12, 0.2, 30, 4000), Task("digits 8×8", 12, 0.1, 50, 2000)), 5, 20),
    "full": Scale((Task("bars 4×4", 12, 0.1, 30, 40_000), Task("digits 8×8", 14, 0.1, 50, 40_000)), 10, 40),
}


@dataclass(frozen=True)
class Row:
    """One training: the exact mean log likelihood of the data, in nats an example, at some numbers of updates."""

    data: str
    method: str
    seed: int
    cost: int
    n_updates: list[int]
    log_likelihood: list[float]

    def __str__(self) -> str:
        best = max(self.log_likelihood)
        return (
            f"{self.data:12}{self.method:26}seed {self.seed}: best {best:8.2f}, last {self.log_likelihood[-1]:8.2f} "
            f"nats an example, {self.cost} Gibbs steps an update"
        )


def mean_log_likelihood(rbm: BinaryRBM, data: np.ndarray) -> float:
    """Exact, in nats an example.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> round(mean_log_likelihood(ae.uniform_rbm(4, 2), ae.data.bars_and_stripes(2)), 4)  # -4 log 2
    -2.7726
    """
    return float(rbm.log_density(data).mean() - rbm.log_z())


def measured_updates(n_updates: int, n_points: int) -> np.ndarray:
    """Numbers of updates at which the likelihood is computed, evenly spaced.

    Examples
    --------
    >>> measured_updates(40, 4)
    array([10, 20, 30, 40])
    """
    return np.unique(np.linspace(0, n_updates, n_points + 1).round().astype(int)[1:])


def train_once(task: Task, method: str, n_points: int, seed: int, data: np.ndarray | None = None) -> Row:
    """One training by one method, on the data of the task or yours; its random numbers depend on seed and method."""
    data, how = DATA[task.data]() if data is None else data, METHODS[method]
    wanted = measured_updates(task.n_updates, n_points).tolist()
    states = contrastive_divergence(
        data,
        task.n_hidden,
        how.method,
        n_gibbs=how.n_gibbs,
        n_updates=task.n_updates * how.parts,
        learning_rate=task.learning_rate / how.parts,
        batch_size=task.batch_size * how.more_chains,
        rng=np.random.default_rng([seed, list(METHODS).index(method)]),
        decay=False,
        **how.options,
    )
    moments = {n * how.parts for n in wanted}
    found = [mean_log_likelihood(state.rbm, data) for state in states if state.n_updates in moments]
    return Row(task.data, method, seed, how.cost, wanted, [round(value, 4) for value in found])


def training_curves(scale: Scale, run: Run = HERE) -> list[Row]:
    """Kadan, Syed and Wøien 2018: RBMs trained with one temperature and with ten, by the exact likelihood.

    Every method on every task, from several seeds of which the run's is the first. With images of yours, the scale's
    last task is done on these, and nothing else.
    """
    tasks = scale.tasks if run.images is None else [replace(scale.tasks[-1], data="your images")]
    wanted = [
        (task, method, scale.n_points, run.seed + repeat, run.images)
        for task in tasks
        for method in METHODS
        for repeat in range(scale.n_seeds)
    ]
    return run.rows("kadan-training", train_once, wanted, Row)
