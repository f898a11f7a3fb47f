"""Rows of the comparison of image models, and what one says beside another."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path as File

import numpy as np

from anneal_edu.annealing.likelihood import LikelihoodResult
from anneal_edu.course.experiments import kept_rows

PAPER = {  # Table 1, in its order: log likelihood and its standard error over 100 patches
    "image_linear_gaussian": (-49.15, 2.31),
    "image_linear_laplace": (-42.85, 2.41),
    "image_laplace_experts": (-41.54, 2.46),
    "image_mean_covariance": (-36.01, 2.57),
    "image_student_t_experts": (-34.01, 2.68),
    "image_bilinear": (-32.69, 2.56),
}


@dataclass(frozen=True)
class Row:
    """One model of the table, or one size of the figure."""

    model: str
    size: int
    """Experts, mean and covariance units, or latent variables."""
    found: LikelihoodResult | None
    """None for the reference, which needs no estimate."""
    exact: np.ndarray | None
    """Exact log likelihoods of the same patches, where the model has them."""
    seconds: float

    @property
    def points(self) -> np.ndarray:
        """Log likelihoods (N,), estimated where they were."""
        return self.found.log_likelihoods if self.found is not None else self.exact

    def summary(self) -> dict:
        """The row as JSON has it."""
        points = self.points
        return {
            "model": self.model,
            "size": self.size,
            "log_likelihood": float(points.mean()),
            "std_error": float(points.std(ddof=1) / np.sqrt(len(points))),
            "monte_carlo_error": None if self.found is None else self.found.monte_carlo_error,
            "jensen_bias": None if self.found is None else self.found.jensen_bias,
            "acceptance": None if self.found is None else self.found.acceptance,
            "exact": None if self.exact is None else float(self.exact.mean()),
            "paper": PAPER.get(self.model),
            "warnings": [] if self.found is None else list(self.found.warnings),
            "seconds": round(self.seconds, 1),
        }

    def __str__(self) -> str:
        row = self.summary()
        chains = "         " if self.found is None else f" ± {self.found.monte_carlo_error:6.2f}"
        exact = "         -" if self.exact is None else f"{row['exact']:10.2f}"
        return f"{self.model:26}{self.size:5d}{row['log_likelihood']:10.2f} ± {row['std_error']:5.2f}{chains}{exact}"


def paired_difference(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """Mean of first - second over the same patches (N,), and its standard error.

    Examples
    --------
    >>> paired_difference(np.array([3.0, 100.0]), np.array([2.0, 99.0]))
    (1.0, 0.0)
    """
    difference = first - second
    return float(difference.mean()), float(difference.std(ddof=1) / np.sqrt(len(difference)))


def separate_error(first: np.ndarray, second: np.ndarray) -> float:
    """Standard error that the difference of the two means would have, were the patches (N,) of each its own."""
    return float(np.sqrt(first.var(ddof=1) / len(first) + second.var(ddof=1) / len(second)))


def run_rows(
    make: Callable[..., Row],
    wanted: list[tuple],
    executor: Executor | None = None,
    folder: File | None = None,
    progress: bool = False,
    report: Callable[[Row], None] | None = None,
) -> list[Row]:
    """make(*arguments, progress=progress) for every one of the wanted arguments, as `kept_rows.run_rows` does it.

    Finished rows are found again by what their arguments hold. Progress bars of several processes share the screen.

    Examples
    --------
    >>> import numpy as np
    >>> def make(model, progress): return Row(model, 2, None, np.array([-1.0, -2.0]), 0.0)
    >>> [row.model for row in run_rows(make, [("one",), ("two",)])]
    ['one', 'two']
    """
    file_of = partial(_file_of, make)
    return kept_rows.run_rows(partial(make, progress=progress), wanted, _read, file_of, executor, folder, report)


def _file_of(make: Callable, *arguments) -> str:
    digest = hashlib.sha256(pickle.dumps((make.__qualname__, arguments))).hexdigest()[:16]
    return f"{make.__name__}-{digest}.json"


def gains(rows: list[Row]) -> list[dict[str, float]]:
    """What every size gained on the first one of its model class, in nats, and its paired standard error over patches.

    Examples
    --------
    >>> import numpy as np
    >>> gains([Row("one", 2, None, np.array([-3.0, -2.0]), 0.0), Row("one", 4, None, np.array([-1.0, 0.0]), 0.0)])
    [{'gain': 0.0, 'gain_error': 0.0}, {'gain': 2.0, 'gain_error': 0.0}]
    """
    first = {}
    for row in rows:
        first.setdefault(row.model, row.points)
    pairs = [paired_difference(row.points, first[row.model]) for row in rows]
    return [{"gain": gain, "gain_error": error} for gain, error in pairs]


def _read(row: dict) -> Row:
    """A kept row, as it was."""
    if (found := row["found"]) is not None:
        arrays = {key: np.array(found[key]) for key in ("log_likelihoods", "point_errors")}
        row["found"] = LikelihoodResult(**(found | arrays | {"warnings": tuple(found["warnings"])}))
    return Row(**(row | {"exact": None if row["exact"] is None else np.array(row["exact"])}))
