"""Sohl-Dickstein and Culpepper (2012), Figures 2 and 3: log Ẑ of a complete product of experts against K.

Beyond the paper: where HAIS loses its last nat on trained Student-t experts, by the same model with its tails cut off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import product

import numpy as np
from scipy.special import gammaln, hyperu, logsumexp, ndtri, stdtr, stdtrit

from anneal_edu.annealing.ais import AISResult, ais
from anneal_edu.annealing.hais import hais
from anneal_edu.course.experiments import stored_arrays
from anneal_edu.course.experiments.run import HERE, Run, experiment
from anneal_edu.distributions import Gaussian, ProductOfExperts, Unnormalized
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


_STORED = dict.fromkeys(("images", "model"), "its models are stored, with their exact log Z")
_QUICK = {
    "models": tuple(MODELS), "n_steps": (30, 100, 300, 1000, 3000, 10_000), "n_chains": 200, "n_repeats": 5
}  # fmt: skip
_FULL = _QUICK | {"n_steps": (*_QUICK["n_steps"], 100_000), "n_repeats": 10}
SCALES = {
    "tiny": {"models": ("Student-t, round",), "n_steps": (5, 10), "n_chains": 20, "n_repeats": 2},
    "quick": _QUICK,
    "full": _FULL,
    "trained": _FULL | {"models": tuple(TRAINED)},
}
"""Some minutes; the paper's K of 100,000, on made-up models and on trained ones: half an hour each."""


def run_one(model: str, method: str, n_steps: int, n_chains: int, seed: int, repeat: int) -> dict:
    """One run of one method: how far log Ẑ lies above the exact log Z; its random numbers depend on all arguments."""
    names = [*MODELS, *TRAINED].index(model), list(METHODS).index(method)
    rng = np.random.default_rng([seed, repeat, *names, n_steps, n_chains])
    path = path_to(model)
    found = METHODS[method](path, linear_schedule(n_steps), n_chains, rng)
    exact = path(1.0).log_z()
    row = {"model": model, "method": method, "n_steps": n_steps, "repeat": repeat}
    return row | {"exact": exact, "error": found.log_z - exact, "ess": found.ess}


@experiment(
    "hais-convergence",
    "model:22s method:15s n_steps:, repeat:d exact:.2f error:.2f ess:.1f",
    refuses=_STORED,
    **SCALES,
)
def convergence(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """Sohl-Dickstein and Culpepper 2012, Figures 2 and 3: every method on every product of experts for every K."""
    repeats = range(scale["n_repeats"])
    settings = product(scale["models"], METHODS, scale["n_steps"], [scale["n_chains"]], [run.seed], repeats)
    return run.each(run_one, list(settings))


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


def log_mass_within(experts: ProductOfExperts, reach: float) -> float:
    """log P(|φ_l · x| ≤ reach for all l) of a complete product of Student-t experts: its φ_l · x are independent.

    With u = φ_l · x the density is proportional to (1 + u²)^{-λ_l}: Student's t with ν = 2 λ_l - 1, divided by √ν.
    """
    degrees = 2 * experts.weights - 1
    return float(np.log1p(-2 * stdtr(degrees, -reach * np.sqrt(degrees))).sum())


def cut_tails(experts: ProductOfExperts, reach: float) -> Unnormalized:
    """f(x) Π_l exp(-½ (φ_l · x / reach)²): the same body, and no tail beyond |φ_l · x| ≈ reach."""
    inner = experts.filters.T @ experts.filters / reach**2
    return Unnormalized(
        lambda x: experts.log_density(x) - 0.5 * ((x @ inner) * x).sum(-1),
        experts.dim,
        grad=lambda x: experts.grad_log_density(x) - x @ inner,
    )


def log_z_lost(experts: ProductOfExperts, reach: float) -> float:
    """log Z of the experts minus that of `cut_tails`, for a complete product of Student-t experts; exact.

    ∫ (1 + u²)^{-λ} exp(-u² / 2 reach²) du = √π U(1/2, 3/2 - λ, 1 / 2 reach²), with Tricomi's function U.
    """
    weights = experts.weights
    whole = gammaln(weights - 0.5) - gammaln(weights)  # of ∫ (1 + u²)^{-λ} du / √π
    return float((whole - np.log(hyperu(0.5, 1.5 - weights, 0.5 / reach**2))).sum())


TAIL_SCALES = {
    "tiny": {"reaches": (None, 30.0), "n_steps": 10, "step_size": 0.05, "n_chains": 20, "n_repeats": 2},
    "quick": {
        "reaches": (None, 1000.0, 300.0, 100.0, 30.0), "n_steps": 10_000, "step_size": 0.05, "n_chains": 200,
        "n_repeats": 10,
    },
}  # fmt: skip
"""reaches is where tails are cut; None: nowhere."""


def run_cut(reach: float | None, n_steps: int, step_size: float, n_chains: int, seed: int, repeat: int) -> dict:
    """One run of HAIS: how much the cut takes off log Z, and how far log Ẑ lies above what is left.

    Every cut gets the same random numbers.
    """
    start, experts = map(path_to("Student-t, trained"), (0.0, 1.0))
    target, lost = (experts, 0.0) if reach is None else (cut_tails(experts, reach), log_z_lost(experts, reach))
    path, rng = geometric_path(start, target), np.random.default_rng([seed, repeat])
    found = hais(path, linear_schedule(n_steps), n_chains, step_size, rng=rng)
    error = found.log_z - (experts.log_z() - lost)
    return {"reach": reach, "repeat": repeat, "lost": lost, "error": error, "ess": found.ess}


@experiment(
    "hais-tails",
    "reach:, repeat:d lost:.2f error:.2f ess:.0f",
    refuses=_STORED,
    **TAIL_SCALES,
)
def tails(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """What HAIS misses on trained Student-t experts, with their tails and without."""
    shared = scale["n_steps"], scale["step_size"], scale["n_chains"], run.seed
    wanted = [(reach, *shared, repeat) for reach in scale["reaches"] for repeat in range(scale["n_repeats"])]
    return run.each(run_cut, wanted)
