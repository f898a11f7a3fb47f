"""Grosse, Maddison and Salakhutdinov (2013), Table 2 and Figure 5: RBMs too large to enumerate.

Beyond the paper, every forward run of AIS comes with a reverse one from a long Gibbs run, or from exact draws where the
model is small enough to give them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path as File
from time import perf_counter

import numpy as np

from anneal_edu.annealing.ais import AISResult
from anneal_edu.annealing.reverse import ReverseAISResult
from anneal_edu.course.experiments.blocks import BlockedAIS
from anneal_edu.course.experiments.grosse import starts, with_p_values
from anneal_edu.course.experiments.grosse_large import PATHS, LargeScale, data_of, models_of, path_to, reverse_starts
from anneal_edu.course.experiments.kept import HERE, Run
from anneal_edu.distributions import BinaryRBM
from anneal_edu.paths.schedules import linear_schedule


@dataclass(frozen=True)
class LargeRow:
    """One line of Table 2: a model, the start and the path to it, and what forward and reverse AIS found.

    Attributes
    ----------
    model, start, path : str
    n_steps : int
        Transitions K.
    forward : AISResult
    reverse : ReverseAISResult
    draws : str
        Where the reverse chains start: "exact draws" or "a long run".
    seconds_path, seconds : float
        Wall time that this row took to build its path, its share of the moments included, and to run both ways.
    exact : float or None
        log Z, where it can be counted.
    p_value : float
        Of "the largest ESS among the rows of this model is not larger than this one": bold where at least 0.05. The
        points of Figure 5 have none.
    """

    model: str
    start: str
    path: str
    n_steps: int
    forward: AISResult
    reverse: ReverseAISResult
    draws: str
    seconds_path: float
    seconds: float
    exact: float | None = None
    p_value: float = np.nan

    def __str__(self) -> str:
        forward, reverse = self.forward, self.reverse
        return (
            f"{self.model:6}{self.start:11}{self.path:11}K = {self.n_steps:<9,}"
            f"log Ẑ {forward.log_z:9.2f} ± {forward.std_error:4.2f}"
            f"  ESS {forward.ess:7.1f}  reverse {reverse.log_z:9.2f} ± {reverse.std_error:4.2f}"
        )

    def summary(self) -> dict:
        """The row as JSON has it."""
        forward, reverse = self.forward, self.reverse
        numbers = {
            "log_z": round(forward.log_z, 3),
            "std_error": round(forward.std_error, 3),
            "interval": [round(end, 3) for end in forward.interval()],
            "mean_log_weight": round(forward.mean_log_weight, 2),
            "ess": round(forward.ess, 1),
            "ess_p_value": round(self.p_value, 4),
            "reverse_log_z": round(reverse.log_z, 3),
            "reverse_std_error": round(reverse.std_error, 3),
            "reverse_ess": round(reverse.ess, 1),
            "draws": self.draws,
            "exact": None if self.exact is None else round(self.exact, 3),
            "seconds_path": round(self.seconds_path, 1),
            "seconds": round(self.seconds, 1),
        }
        if np.isnan(self.p_value):
            del numbers["ess_p_value"]
        return {"model": self.model, "start": self.start, "path": self.path, "n_steps": self.n_steps} | numbers


def rows_of(model: str, rbm: BinaryRBM, counts: Sequence[int], scale: LargeScale, run: Run) -> Iterator[LargeRow]:
    """Both ways on {geometric, MAS, MAS cheap} × {uniform, base rate}, with each of these numbers of steps."""
    data = data_of(scale, run)
    samples, draws = reverse_starts(rbm, scale, data, run.seed)
    exact = rbm.log_z() if rbm.enumerable else None
    for (start, p0), name in product(starts(rbm, data).items(), PATHS):
        begin = perf_counter()
        path = path_to(rbm, p0, name, scale, data, run)
        seconds_path = perf_counter() - begin
        for n_steps in counts:
            begin, schedule = perf_counter(), linear_schedule(n_steps)
            forward = BlockedAIS(path, schedule, scale.n_chains, run.seed, scale.block_size)
            reverse = BlockedAIS(path, schedule, scale.n_reverse, run.seed, scale.block_size, samples=samples)
            results = [blocks.run(run) for blocks in (forward, reverse)]
            seconds = perf_counter() - begin
            row = LargeRow(model, start, name, n_steps, *results, draws, seconds_path, seconds, exact)
            run.report(row)
            yield row


def table_2(scale: LargeScale, run: Run = HERE) -> list[LargeRow]:
    """Grosse et al. 2013, Table 2: RBMs too large to enumerate, with a reverse run beside each forward one.

    The rows are {geometric, MAS, MAS cheap} × {uniform, base rate}. With images of yours the models are trained on
    these, or a model of yours takes their place. Rows are reported before their p-values are known.
    """
    rows = []
    for model, rbm in models_of(scale, run):
        of_model = list(rows_of(model, rbm, [scale.n_steps], scale, run))
        rows += with_p_values(of_model, [row.forward for row in of_model], run)
    return rows


def figure_5(scale: LargeScale, run: Run = HERE) -> list[LargeRow]:
    """Grosse et al. 2013, Figure 5: the estimates of Table 2 against K, by powers of ten up to the table's own.

    Where work is kept, the last points are those of that table.
    """
    counts = [K for K in (10, 100, 1000, 10_000) if K < scale.n_steps] + [scale.n_steps]
    return [row for model, rbm in models_of(scale, run) for row in rows_of(model, rbm, counts, scale, run)]


def stored_log_weights(model: str, start: str, path: str, side: str = "forward") -> np.ndarray:
    """Log weights of the chains of a stored row of the table on MNIST, (C,) in nats; side "reverse" for the others.

    Raises
    ------
    ValueError
        Where none are stored; the message lists those that are.

    Examples
    --------
    >>> stored_log_weights("mnist_pcd_500", "base rate", "MAS cheap").shape
    (500,)
    """
    with np.load(_WEIGHTS, allow_pickle=False) as stored:
        name = "/".join((model, start, path, side))
        if name not in stored:
            raise ValueError(f"stored are the log weights of {', '.join(stored)}, and not of {name}")
        return stored[name].astype(float)


_WEIGHTS = File(__file__).parent / "results" / "grosse_table2_mnist_log_weights.npz"

PAPER = {
    "CD1": {
        ("uniform", "geometric"): (341.53, 4),
        ("uniform", "MAS"): (359.09, 3076),
        ("uniform", "MAS cheap"): (359.09, 3773),
        ("base rate", "geometric"): (359.10, 4924),
        ("base rate", "MAS"): (359.07, 2203),
        ("base rate", "MAS cheap"): (359.09, 2465),
    },
    "PCD": {
        ("uniform", "geometric"): (417.91, 169),
        ("uniform", "MAS"): (418.27, 620),
        ("uniform", "MAS cheap"): (418.33, 5),
        ("base rate", "geometric"): (418.20, 159),
        ("base rate", "MAS"): (418.26, 1460),
        ("base rate", "MAS cheap"): (418.25, 359),
    },
    "CD25": {
        ("uniform", "geometric"): (451.34, 13),
        ("uniform", "MAS"): (449.22, 12),
        ("uniform", "MAS cheap"): (450.90, 30),
        ("base rate", "geometric"): (451.27, 2888),
        ("base rate", "MAS"): (451.31, 304),
        ("base rate", "MAS cheap"): (451.14, 244),
    },
}
"""The paper's Table 2: log Ẑ and ESS of 5,000 chains, K = 100,000, on MNIST."""
