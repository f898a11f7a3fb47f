"""The comparison of image models by Sohl-Dickstein and Culpepper (2012), Table 1, on other photographs.

The order of the models is the claim to look at, not the nats. The paper's patches come from 4,112 scenes, ours from two
photographs with much sky and blur: half of the patches are nearly flat, with |x|² < 2 where the average is 36. The more
a model can peak at zero and yet reach far out, the more it gains here.

    python -m anneal_edu.course.experiments.hamiltonian_table1

makes results/hais_table1_points.json again, and results/hais_table1_patches.npz: the log likelihood of every patch
behind the averages of ``hais-table1 --scale quick``, whose rows it finds in runs/, and the patches.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path as File

import numpy as np

from anneal_edu import models
from anneal_edu.annealing.likelihood import LikelihoodResult, log_likelihood
from anneal_edu.course.experiments import stored
from anneal_edu.course.experiments.kept import HERE, Run
from anneal_edu.distributions import BilinearGenerative, Gaussian, LinearGenerative, MeanCovarianceRBM
from anneal_edu.models.images import ImageModel, image_patches
from anneal_edu.paths.schedules import linear_schedule

RESULTS = File(__file__).parent / "results"
HEADER = f"{'model':26}{'size':>5}{'log p(x)':>10} ± {'data':>5} ± {'chains':>6}{'exact':>10}"
PAPER = {  # Table 1, in its order: log likelihood and its standard error over 100 patches
    "image_linear_gaussian": (-49.15, 2.31),
    "image_linear_laplace": (-42.85, 2.41),
    "image_laplace_experts": (-41.54, 2.46),
    "image_mean_covariance": (-36.01, 2.57),
    "image_student_t_experts": (-34.01, 2.68),
    "image_bilinear": (-32.69, 2.56),
}
REFERENCE = "N(0, I)"  # what the whitening alone would give


@dataclass(frozen=True)
class Scale:
    """How large the experiment is: held-out patches, and distributions and chains of Hamiltonian AIS."""

    n_points: int
    analysis_steps: int
    analysis_chains: int
    generative_steps: int
    generative_chains: int


SCALES = {
    "tiny": Scale(5, 60, 20, 60, 8),
    "quick": Scale(100, 10_000, 200, 40_000, 20),
    "full": Scale(100, 100_000, 200, 100_000, 200),
}
"""Some minutes; the paper's numbers of distributions and particles."""


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
    gain: tuple[float, float] | None = None
    """In the figure: nats gained on the first size of the model class, and the paired standard error over patches."""

    @property
    def points(self) -> np.ndarray:
        """Log likelihoods (N,), estimated where they were."""
        return self.found.log_likelihoods if self.found is not None else self.exact

    def summary(self) -> dict:
        """The row as JSON has it."""
        points = self.points
        numbers = {"log_likelihood": float(points.mean()), "std_error": float(points.std(ddof=1) / len(points) ** 0.5)}
        found = {name: getattr(self.found, name, None) for name in ("monte_carlo_error", "jensen_bias", "acceptance")}
        others = {
            "exact": None if self.exact is None else float(self.exact.mean()),
            "paper": PAPER.get(self.model),
            "warnings": list(getattr(self.found, "warnings", ())),
            "seconds": round(self.seconds, 1),
        }
        gains = {} if self.gain is None else {"gain": self.gain[0], "gain_error": self.gain[1]}
        return {"model": self.model, "size": self.size} | numbers | found | others | gains

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


def size_of(model: ImageModel) -> int:
    """Number of hidden things, as the paper's Table 1 counts them.

    Examples
    --------
    >>> size_of(models.load("image_bilinear"))
    98
    """
    if isinstance(model, LinearGenerative | BilinearGenerative):
        return model.n_latent
    if isinstance(model, MeanCovarianceRBM):
        return model.pooling.shape[1] + len(model.mean_weights)
    return len(model.filters)


def exact_log_likelihoods(model: ImageModel, data: np.ndarray) -> np.ndarray | None:
    """Where log p(x) is known: Gaussian causes, and complete products of experts."""
    if isinstance(model, LinearGenerative) and model.prior == "gaussian":
        return model.log_density(data)
    if getattr(model, "enumerable", False):
        return model.log_density(data) - model.log_z()
    return None


def sharpening_schedule(n_steps: int, noise: float) -> np.ndarray:
    """Each step sharpens by the same factor: 1 + β / noise² is geometric, the precision at β of Gaussian causes.

    Examples
    --------
    >>> sharpening_schedule(2, noise=0.1).round(3)
    array([0.  , 0.09, 1.  ])
    """
    precision = 1 / noise**2
    return np.expm1(linear_schedule(n_steps) * np.log1p(precision)) / np.expm1(np.log1p(precision))


def evaluate(
    name: str, model: ImageModel, data: np.ndarray, scale: Scale, rng: np.random.Generator, progress: bool = False
) -> Row:
    """Log likelihoods of the data by Hamiltonian AIS, and exactly where that can be."""
    begin = time.perf_counter()
    if isinstance(model, LinearGenerative | BilinearGenerative):
        step_size = (0.8 if isinstance(model, LinearGenerative) else 0.5) * model.noise
        schedule, n_chains = sharpening_schedule(scale.generative_steps, model.noise), scale.generative_chains
    else:
        step_size, schedule, n_chains = 0.05, linear_schedule(scale.analysis_steps), scale.analysis_chains
    found = log_likelihood(model, data, schedule, n_chains, step_size, rng=rng, progress=progress)
    return Row(name, size_of(model), found, exact_log_likelihoods(model, data), time.perf_counter() - begin)


def table_row(name: str, model: ImageModel | None, scale: Scale, seed: list[int], progress: bool) -> Row:
    """A row of Table 1; of the reference, where there is no model."""
    data = image_patches().held_out[: scale.n_points]
    if model is None:
        return Row(name, 0, None, Gaussian(np.zeros(data.shape[1]), np.eye(data.shape[1])).log_density(data), 0.0)
    return evaluate(name, model, data, scale, np.random.default_rng(seed), progress)


def table_1(scale: Scale, run: Run = HERE) -> list[Row]:
    """Sohl-Dickstein and Culpepper 2012, Table 1: six image models on held-out patches, after the reference N(0, I)."""
    wanted = [
        (name, None if name == REFERENCE else models.load(name), scale, [run.seed, i])
        for i, name in enumerate((REFERENCE, *PAPER))
    ]
    run.report(HEADER)
    return run.rows("hais-table1", partial(table_row, progress=run.progress), wanted, Row, LikelihoodResult)


def points_of(row: Row) -> dict[str, list[float]]:
    """Log likelihoods (N,) of one model, and their Monte Carlo errors (N,), 0 where they are exact."""
    if row.exact is not None:
        return {"log_likelihoods": row.exact.round(4).tolist(), "errors": [0.0] * len(row.exact)}
    return {
        "log_likelihoods": row.found.log_likelihoods.round(4).tolist(),
        "errors": row.found.point_errors.round(4).tolist(),
    }


@lru_cache(maxsize=1)
def stored_points() -> dict[str, np.ndarray]:
    """Model → log likelihoods (100,) of the same held-out patches; of the reference N(0, I), too.

    Examples
    --------
    >>> [len(points) for points in stored_points().values()]
    [100, 100, 100, 100, 100, 100, 100]
    """
    points = stored("hais_table1_points")["points"]
    return {name: np.array(points[name]["log_likelihoods"]) for name in (REFERENCE, *PAPER)}


@lru_cache(maxsize=1)
def stored_patches() -> np.ndarray:
    """The held-out patches (100, 36) of which `stored_points` has the likelihoods, stored with them.

    Examples
    --------
    >>> stored_patches().shape
    (100, 36)
    """
    with np.load(RESULTS / "hais_table1_patches.npz", allow_pickle=False) as arrays:
        return arrays["patches"]


def main(folder: File = File("runs")) -> None:
    """Run Table 1 at the quick scale and store every patch; rows that the folder holds are not made again."""
    rows = table_1(SCALES["quick"], Run(folder=folder, report=partial(print, flush=True)))
    contents = {"command": f"python -m {__spec__.name}", "points": {row.model: points_of(row) for row in rows}}
    text = json.dumps(contents, indent=None).replace('}, "', '},\n "').replace('{"', '{\n "', 2)
    (RESULTS / "hais_table1_points.json").write_text(text + "\n", encoding="utf-8")
    patches = image_patches().held_out[: SCALES["quick"].n_points]
    np.savez_compressed(RESULTS / "hais_table1_patches.npz", patches=patches)


if __name__ == "__main__":
    main()
