"""The comparison of image models by Sohl-Dickstein and Culpepper (2012), Table 1 and Figure 5, on other photographs.

The order of the models is the claim to look at, not the nats. The paper's patches come from 4,112 scenes, ours from two
photographs with much sky and blur: half of the patches are nearly flat, with |x|² < 2 where the average is 36. The more
a model can peak at zero and yet reach far out, the more it gains here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anneal_edu import models
from anneal_edu.distributions import BilinearGenerative, Gaussian, LinearGenerative, MeanCovarianceRBM, ProductOfExperts
from anneal_edu.likelihood import LikelihoodResult, log_likelihood
from anneal_edu.models.images import IMAGE_RECIPES, ImageModel, image_patches
from anneal_edu.schedules import linear_schedule
from anneal_edu.training import minimum_probability_flow

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
    sizes: tuple[int, ...]
    n_rounds: int


SCALES = {
    "tiny": Scale(5, 60, 20, 60, 4, (36, 40), 2),
    "quick": Scale(100, 10_000, 200, 20_000, 5, (36, 72, 144), 60),
    "full": Scale(100, 100_000, 200, 100_000, 200, (36, 72, 144, 288), 150),
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

    def summary(self) -> dict:
        """The row as JSON has it."""
        points = self.found.log_likelihoods if self.found is not None else self.exact
        return {
            "model": self.model,
            "size": self.size,
            "log_likelihood": float(points.mean()),
            "std_error": float(points.std(ddof=1) / np.sqrt(len(points))),
            "monte_carlo_error": None if self.found is None else self.found.monte_carlo_error,
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


def table_1(
    scale: Scale, seed: int = 0, progress: bool = False, report: Callable[[Row], None] | None = None
) -> list[Row]:
    """Table 1: the six stored models on the same held-out patches, after the reference N(0, I).

    Parameters
    ----------
    scale : Scale
        `SCALES["quick"]` takes some minutes; "full" has the paper's numbers of distributions and particles.
    seed : int
    progress : bool
    report : callable, optional
        Called with every row as soon as it is there.

    Returns
    -------
    list of Row
    """
    data = image_patches().held_out[: scale.n_points]
    white = Gaussian(np.zeros(data.shape[1]), np.eye(data.shape[1]))
    rows = []
    for i, name in enumerate((REFERENCE, *PAPER)):
        if name == REFERENCE:
            rows.append(Row(name, 0, None, white.log_density(data), 0.0))
        else:
            rows.append(evaluate(name, models.load(name), data, scale, np.random.default_rng([seed, i]), progress))
        if report is not None:
            report(rows[-1])
    return rows


def figure_5(
    scale: Scale, seed: int = 0, progress: bool = False, report: Callable[[Row], None] | None = None
) -> list[Row]:
    """Figure 5 for the products of experts: trained with more and more experts; the arguments are those of `table_1`.

    Returns
    -------
    list of Row
    """
    patches, rows = image_patches(), []
    for expert in ("laplace", "student_t"):
        start = IMAGE_RECIPES[f"image_{expert}_experts"].start
        for size in scale.sizes:
            rng = np.random.default_rng([seed, size])
            trained: ProductOfExperts = minimum_probability_flow(
                patches.train, start(expert, size, rng), scale.n_rounds, rng=rng, progress=progress
            )
            rows.append(
                evaluate(f"{expert} experts", trained, patches.held_out[: scale.n_points], scale, rng, progress)
            )
            if report is not None:
                report(rows[-1])
    return rows
