"""Sohl-Dickstein and Culpepper (2012), Figures 2 and 3: log Ẑ of a complete product of experts against K."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from scipy.special import logsumexp, ndtri, stdtrit

from anneal_edu.annealing.ais import AISResult, ais
from anneal_edu.annealing.hais import hais
from anneal_edu.course.experiments import stored_arrays
from anneal_edu.course.experiments.kept import HERE, Run
from anneal_edu.distributions import Gaussian, ProductOfExperts
from anneal_edu.kernels import random_walk
from anneal_edu.models import load
from anneal_edu.paths.geometric import Path, geometric_path
from anneal_edu.paths.schedules import linear_schedule

DIM = 36
HAIS, FRESH, WALK, LONG_WALK = "HAIS", "fresh momentum", "random walk", "longer walk"
METHODS: dict[str, Callable[..., AISResult]] = {
    HAIS: lambda path, schedule, n, rng: hais(path, schedule, n, step_size=0.2, rng=rng),
    FRESH: lambda path, schedule, n, rng: hais(path, schedule, n, step_size=0.2, refresh=1.0, rng=rng),
    WALK: lambda path, schedule, n, rng: ais(path, schedule, n, random_walk(0.1), rng=rng),
    LONG_WALK: lambda path, schedule, n, rng: ais(path, schedule, n, random_walk(0.4), rng=rng),
}
"""The paper's three, with its ε = 0.2 and σ = 0.1, and a random walk of σ = 0.4: about 2.4 / √36, a usual choice."""

EVALUATIONS = {HAIS: 2, FRESH: 2, WALK: 1, LONG_WALK: 1}
"""New densities plus gradients that a chain needs for each intermediate distribution."""


def round_student_t() -> ProductOfExperts:
    """Orthogonal filters, scaled so that half of each φ·x / |φ| lies within ± 0.67, as of a standard normal."""
    weights = np.linspace(0.8, 2.0, DIM)
    degrees = 2 * weights - 1
    median = stdtrit(degrees, 0.75) / np.sqrt(degrees)
    scale = median / ndtri(0.75)
    (directions,) = stored_arrays("round_student_t").values()
    return ProductOfExperts(scale[:, None] * directions, weights, "student_t")


def stretched(expert: str) -> ProductOfExperts:
    """Filters with independent N(0, 1/D) entries: singular values from 0.04 to 1.9, so long in some directions."""
    return ProductOfExperts(**stored_arrays("stretched"), weights=np.linspace(1.0, 2.0, DIM), expert=expert)


MODELS: dict[str, Callable[[], ProductOfExperts]] = {
    "Student-t, stretched": lambda: stretched("student_t"),
    "Student-t, round": round_student_t,
    "Laplace, stretched": lambda: stretched("laplace"),
}
TRAINED: dict[str, Callable[[], ProductOfExperts]] = {
    "Laplace, trained": partial(load, "image_laplace_complete"),
    "Student-t, trained": partial(load, "image_student_t_complete"),
}
"""Complete products of experts that have learned grey patches, as the paper's."""


@lru_cache(maxsize=4)
def path_to(model: str) -> Path:
    """The geometric path from N(0, I) to one of `MODELS` or `TRAINED`."""
    return geometric_path(Gaussian(np.zeros(DIM), np.eye(DIM)), (MODELS | TRAINED)[model]())


@dataclass(frozen=True)
class Scale:
    """How large the experiment is: its models, the numbers of transitions K, chains C, and repeats with new seeds."""

    models: tuple[str, ...]
    n_steps: tuple[int, ...]
    n_chains: int
    n_repeats: int


SCALES = {
    "tiny": Scale(("Student-t, round",), (5, 10), 20, 2),
    "quick": Scale(tuple(MODELS), (30, 100, 300, 1000, 3000, 10_000), 200, 5),
    "full": Scale(tuple(MODELS), (30, 100, 300, 1000, 3000, 10_000, 100_000), 200, 10),
    "trained": Scale(tuple(TRAINED), (30, 100, 300, 1000, 3000, 10_000, 100_000), 200, 10),
}
"""Some minutes; the paper's K of 100,000, on made-up models and on trained ones: half an hour each."""


@dataclass(frozen=True)
class Row:
    """One run: a model, a method, K, and how far log Ẑ lies above the exact log Z."""

    model: str
    method: str
    n_steps: int
    repeat: int
    exact: float
    error: float
    ess: float

    def __str__(self) -> str:
        return (
            f"{self.model:22}{self.method:16}{self.n_steps:8,d}  {self.error:8.2f} nats from the exact "
            f"{self.exact:.2f}, ESS {self.ess:6.1f}"
        )


def run_one(model: str, method: str, n_steps: int, n_chains: int, seed: int, repeat: int) -> Row:
    """One run of one method; its random numbers depend on all arguments."""
    names = [*MODELS, *TRAINED].index(model), list(METHODS).index(method)
    rng = np.random.default_rng([seed, repeat, *names, n_steps, n_chains])
    path = path_to(model)
    found = METHODS[method](path, linear_schedule(n_steps), n_chains, rng)
    exact = path(1.0).log_z()
    return Row(model, method, n_steps, repeat, exact, found.log_z - exact, found.ess)


def convergence(scale: Scale, run: Run = HERE) -> list[Row]:
    """Sohl-Dickstein and Culpepper 2012, Figures 2 and 3: every method on every product of experts for every K."""
    wanted = [
        (model, method, n_steps, scale.n_chains, run.seed, repeat)
        for model in scale.models
        for method in METHODS
        for n_steps in scale.n_steps
        for repeat in range(scale.n_repeats)
    ]
    return run.rows("hais-convergence", run_one, wanted, Row)


def shortfall_of_perfect_chains(
    weight: float, scale: float, n_steps: int, schedule: Callable[[int], np.ndarray] = linear_schedule
) -> float:
    """log Z - E[log w] of one Student-t expert if every transition were perfect, Σ_k KL(p_{k-1} ‖ p_k).

    For the path from N(0, 1) to f(x) = (1 + (scale x)²)^{-weight} in one dimension, and the β of ``schedule(n_steps)``;
    exact, by quadrature on a logarithmic grid.
    """
    u = np.linspace(-12.0, 26.0, 1901)  # x = e^u on the right half; both halves are alike
    x = np.exp(u)
    g0 = -0.5 * x**2 - 0.5 * np.log(2 * np.pi)
    g1 = -weight * np.log1p((scale * x) ** 2)
    measure = u + np.log(2 * (u[1] - u[0]))  # log of 2 dx
    betas = schedule(n_steps)
    mean_ratio, log_z = np.empty(n_steps), np.empty(n_steps + 1)
    for k, beta in enumerate(betas):
        log_p = (1 - beta) * g0 + beta * g1 + measure
        log_z[k] = logsumexp(log_p)
        if k < n_steps:
            mean_ratio[k] = np.exp(log_p - log_z[k]) @ (g1 - g0) * (betas[k + 1] - beta)
    return float(log_z[-1] - log_z[0] - mean_ratio.sum())
