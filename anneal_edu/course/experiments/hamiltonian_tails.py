"""Where HAIS loses its last nat on trained Student-t experts: the same model, with its tails cut off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, hyperu
from scipy.stats import t as student_t

from anneal_edu.annealing.hais import hais
from anneal_edu.course.experiments.hamiltonian import path_to
from anneal_edu.course.experiments.kept import HERE, Run
from anneal_edu.distributions import ProductOfExperts, Unnormalized
from anneal_edu.paths.geometric import geometric_path
from anneal_edu.paths.schedules import linear_schedule

MODEL = "Student-t, trained"


def log_mass_within(experts: ProductOfExperts, reach: float) -> float:
    """log P(|φ_l · x| ≤ reach for all l) of a complete product of Student-t experts: its φ_l · x are independent.

    With u = φ_l · x the density is proportional to (1 + u²)^{-λ_l}: Student's t with ν = 2 λ_l - 1, divided by √ν.

    Examples
    --------
    >>> cauchy = ProductOfExperts(np.eye(1), [1.0], "student_t")
    >>> float(np.exp(log_mass_within(cauchy, 1.0)).round(12))
    0.5
    """
    degrees = 2 * experts.weights - 1
    return float(np.log1p(-2 * student_t.sf(reach * np.sqrt(degrees), degrees)).sum())


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


@dataclass(frozen=True)
class Scale:
    """How large the experiment is: where tails are cut (None: nowhere), K, ε, chains, and repeats with new seeds."""

    reaches: tuple[float | None, ...]
    n_steps: int
    step_size: float
    n_chains: int
    n_repeats: int


SCALES = {
    "tiny": Scale((None, 30.0), 10, 0.05, 20, 2),
    "quick": Scale((None, 1000.0, 300.0, 100.0, 30.0), 10_000, 0.05, 200, 10),
}


@dataclass(frozen=True)
class Row:
    """One run: how much the cut takes off log Z, and how far log Ẑ lies above what is left."""

    reach: float | None
    repeat: int
    lost: float
    error: float
    ess: float

    def __str__(self) -> str:
        where = "whole" if self.reach is None else f"cut at {self.reach:,.0f}"
        return f"{where:14} loses {self.lost:.2f} nats; log Ẑ {self.error:+.2f} from the rest, ESS {self.ess:.0f}"


def run_one(reach: float | None, n_steps: int, step_size: float, n_chains: int, seed: int, repeat: int) -> Row:
    """One run of HAIS; every cut gets the same random numbers."""
    start, experts = map(path_to(MODEL), (0.0, 1.0))
    target, lost = (experts, 0.0) if reach is None else (cut_tails(experts, reach), log_z_lost(experts, reach))
    path, rng = geometric_path(start, target), np.random.default_rng([seed, repeat])
    found = hais(path, linear_schedule(n_steps), n_chains, step_size, rng=rng)
    return Row(reach, repeat, lost, found.log_z - (experts.log_z() - lost), found.ess)


def tails(scale: Scale, run: Run = HERE) -> list[Row]:
    """What HAIS misses on trained Student-t experts, with their tails and without."""
    shared = scale.n_steps, scale.step_size, scale.n_chains, run.seed
    wanted = [(reach, *shared, repeat) for reach in scale.reaches for repeat in range(scale.n_repeats)]
    return run.rows("hais-tails", run_one, wanted, Row)
