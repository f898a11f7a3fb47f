"""Kiwaki and Aihara (2015): which covariance should the start of a Gaussian RBM's path have?"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from anneal_edu import models
from anneal_edu.annealing.ais import ais
from anneal_edu.course.experiments import stored_arrays
from anneal_edu.course.experiments.blocks import ais_in_blocks
from anneal_edu.course.experiments.run import HERE, Run, experiment
from anneal_edu.distributions import GaussianRBM
from anneal_edu.distributions.bernoulli import bernoulli
from anneal_edu.kernels import Kernel, gibbs
from anneal_edu.paths.chain_moments import estimate_mean_and_cov
from anneal_edu.paths.covariance import GaussianRBMPath, auxiliary_gibbs, covariance_path, widen_covariance
from anneal_edu.paths.schedules import piecewise_schedule

STARTS = ("mean only", "diagonal", "full")  # the paper's AISM, AIS and AISC
FOUR_QUARTERS = (0.0, 0.1, 0.25, 0.5, 1.0)  # a quarter of the steps in each interval
KERNELS: dict[str, Kernel] = {"x integrated out": gibbs, "auxiliary x": auxiliary_gibbs}


def mirrored_grbm(weights: np.ndarray, sigma: float = 1.0) -> GaussianRBM:
    """A Gaussian RBM that looks the same when every hidden unit is turned over, with mean 0 and far-apart modes.

    With visible_bias = -½ σ W 1 the log weight of a hidden state is ½ (Wh)·(Wh - W1), the same for h and 1 - h. Their
    modes lie at opposite points, v = σ W (h - ½).
    """
    D, H = weights.shape
    return GaussianRBM(weights, -0.5 * sigma * weights.sum(1), np.zeros(H), np.full(D, float(sigma)))


def four_modes() -> GaussianRBM:
    """D = 2, H = 2: two large modes on one diagonal, two small ones on the other, as in the paper's Figures 2 and 3."""
    length, angle = 5.0, np.deg2rad(40.0)  # of the two columns, from the diagonal
    diagonal, across = np.array([1.0, 1.0]) / np.sqrt(2), np.array([1.0, -1.0]) / np.sqrt(2)
    sides = [np.cos(angle) * diagonal + sign * np.sin(angle) * across for sign in (1, -1)]
    return mirrored_grbm(length * np.column_stack(sides))


def strong_covariances() -> GaussianRBM:
    """A mirrored model, D = 10 and H = 8, with weights from N(0, 1.5²): two heavy modes far apart, and lighter ones."""
    return mirrored_grbm(**stored_arrays("strong_covariances"), sigma=0.7)


def far_modes() -> GaussianRBM:
    """D = 10, H = 8: nine tenths of the mass lie together, and most of the rest in one mode 12 sigma away."""
    return GaussianRBM(**stored_arrays("far_modes"), visible_bias=np.zeros(10), sigma=np.full(10, 0.7))


def paper_schedule(n_steps: int) -> np.ndarray:
    """A quarter of the transitions in each of [0, 0.1], [0.1, 0.25], [0.25, 0.5] and [0.5, 1]."""
    return piecewise_schedule(FOUR_QUARTERS, n_steps)


def start_path(start: str, grbm: GaussianRBM, mean: np.ndarray, cov: np.ndarray) -> GaussianRBMPath:
    """The path from one of the paper's three starts, given the moments of the target or estimates of them."""
    covariances = {"mean only": np.diag(grbm.sigma**2), "diagonal": np.diag(cov.diagonal()), "full": cov}
    if start not in covariances:
        raise ValueError(f"start must be one of {', '.join(STARTS)}, got {start!r}")
    wide, _ = widen_covariance(covariances[start], grbm.sigma)
    return covariance_path(mean, wide, grbm)


def printed_conditional(
    h: np.ndarray, beta: float, grbm: GaussianRBM, start_mean: np.ndarray, start_variance: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The mean (C, D) and the variance (D,) of v given h as the paper prints them, with an error in the variance."""
    variance = 1 / (beta / start_variance + (1 - beta) / grbm.sigma**2)
    return variance * _pull(h, beta, grbm, start_mean, start_variance), variance


def repaired_conditional(
    h: np.ndarray, beta: float, grbm: GaussianRBM, start_mean: np.ndarray, start_variance: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The same with the variance corrected."""
    variance = 1 / (beta / grbm.sigma**2 + (1 - beta) / start_variance)
    return variance * _pull(h, beta, grbm, start_mean, start_variance), variance


def _pull(h, beta, grbm, start_mean, start_variance) -> np.ndarray:
    return beta / grbm.sigma**2 * grbm.visible_mean(h) + (1 - beta) / start_variance * start_mean


def shift_after_one_step(
    conditional: Callable[..., tuple[np.ndarray, np.ndarray]], grbm: GaussianRBM, beta: float, n: int = 20_000
) -> float:
    """How far one Gibbs step with this conditional of v moves any mean or second moment of exact draws from p_β.

    The path is the one from the diagonal start with the target's means and variances. A step that leaves p_β invariant
    moves no moment. Returned is the largest shift of ``n`` draws, in standard errors.
    """
    mean, cov = grbm.mean_and_cov()
    variance = cov.diagonal().copy()
    here, rng = covariance_path(mean, np.diag(variance), grbm)(beta), np.random.default_rng(0)
    h = bernoulli(here.hidden_field(here.sample(n, rng)), rng).astype(float)
    centre, spread = conditional(h, beta, grbm, mean, variance)
    v = centre + np.sqrt(spread) * rng.standard_normal((n, grbm.dim))
    exact_mean, exact_cov = here.mean_and_cov()
    away = v - exact_mean
    products = np.einsum("ci,cj->cij", away, away)
    shifts = [np.abs(x.mean(0) - exact) / (x.std(0) / np.sqrt(n)) for x, exact in ((away, 0.0), (products, exact_cov))]
    return float(max(shift.max() for shift in shifts))


TOYS = {"four modes": four_modes, "strong covariances": strong_covariances, "far modes": far_modes}


def load_model(name: str) -> GaussianRBM:
    """One of `TOYS`, or a stored model trained on patches."""
    return TOYS[name]() if name in TOYS else models.load(name)


_CIFAR = ("cifar_cd1_20", "cifar_cd25_20", "cifar_pcd_20")
_QUICK = {
    "models": ("patches_cd1_20", "patches_cd25_20", "patches_pcd_20", "strong covariances"),
    "n_steps": (40, 100, 300, 1000), "n_chains": 1000, "block_size": 500, "kernels": ("x integrated out",),
}  # fmt: skip
_FULL = _QUICK | {"n_steps": (100, 300, 1000, 3000, 10_000), "n_chains": 5000}


@experiment(
    "kiwaki-starts",
    "model:19s start:10s kernel:17s n_steps:d exact:.2f log_z:.3f std_error:.3f ess:.1f variance:.3f",
    refuses={"images": "it looks at a model and its moments, and at no data"},
    model=GaussianRBM,
    tiny={
        "models": ("four modes",), "n_steps": (8, 20), "n_chains": 60, "block_size": 30, "kernels": tuple(KERNELS)
    },
    quick=_QUICK,
    medium=_QUICK | {"n_steps": (40, 100, 300, 1000, 3000), "n_chains": 5000},
    full=_FULL,
    kernels=_FULL | {"n_steps": (40, 100, 300), "kernels": tuple(KERNELS)},
    large=_FULL | {"models": ("patches_cd1_200",)},
    cifar=_FULL | {"models": _CIFAR},
    **{"cifar-large": _FULL | {"models": tuple(f"{name}0" for name in _CIFAR)}},
)  # fmt: skip
def compare_starts(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """Kiwaki and Aihara 2015, Figures 4 to 7: Gaussian RBMs from starts of three covariances.

    Of the models of the scale, or of a given one: log Ẑ, ESS and the sample variance of the log weights against K. The
    moments of the target are estimated as in the paper, by 100 Gibbs chains of 5,000 steps of which 100 are burn-in.
    Scales: a minute, ten minutes; the paper's, with 20 hidden units and with 200; its transition beside ours in
    "kernels"; its images, CIFAR-10, in "cifar" and, with 200 hidden units, "cifar-large".
    """
    for name, grbm in run.models(scale["models"], load_model):
        rng = np.random.default_rng(run.seed)
        moments = estimate_mean_and_cov(grbm, rng=rng, rao_blackwellized=False, progress=run.progress)
        exact = grbm.log_z() if grbm.enumerable else None
        for start, kernel, n_steps in product(STARTS, scale["kernels"], scale["n_steps"]):
            path, schedule, begin = start_path(start, grbm, *moments), paper_schedule(n_steps), time.perf_counter()
            found = ais_in_blocks(path, schedule, scale["n_chains"], run, scale["block_size"], KERNELS[kernel])
            yield {
                "model": name,
                "start": start,
                "kernel": kernel,
                "n_steps": n_steps,
                "exact": exact,
                "log_z": found.log_z,
                "std_error": found.std_error,
                "ess": found.ess,
                "variance": float(found.log_weights.var(ddof=1)),
                "seconds": round(time.perf_counter() - begin, 2),
            }


def repeated_block(start: str, n_steps: int, n_chains: int, first_seed: int, n_runs: int) -> dict:
    """AIS of `far_modes` with the seeds first_seed, first_seed + 1, …: of each log Ẑ - log Z, and its ESS."""
    grbm, schedule = far_modes(), paper_schedule(n_steps)
    path = start_path(start, grbm, *grbm.mean_and_cov())
    seeds = range(first_seed, first_seed + n_runs)
    runs = [ais(path, schedule, n_chains, gibbs, rng=np.random.default_rng(seed)) for seed in seeds]
    errors = [run.log_z - grbm.log_z() for run in runs]
    return {"start": start, "first_seed": first_seed, "errors": errors, "ess": [run.ess for run in runs]}


REPEATS = {
    "tiny": {"n_blocks": 2, "n_runs": 2, "n_steps": 8, "n_chains": 50},
    "quick": {"n_blocks": 1, "n_runs": 60, "n_steps": 40, "n_chains": 1000},
    "large": {"n_blocks": 6, "n_runs": 60, "n_steps": 40, "n_chains": 1000},
}
"""An instant; a quarter of a minute; a minute and a half, from which a lesson quotes. Each block has n_runs seeds."""


@experiment(
    "kiwaki-modes",
    "start:10s first_seed:d errors:16.3f ess:16.1f",
    refuses=dict.fromkeys(("images", "model"), "it is about one model, whose second mode lies far away"),
    **REPEATS,
)
def repeat_starts(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """From each of the three starts hundreds of runs where a mode lies far away: the error and the ESS of each.

    The moments are exact, x is integrated out, and the first run has the seed of the experiment.
    """
    firsts = range(run.seed, run.seed + scale["n_blocks"] * scale["n_runs"], scale["n_runs"])
    wanted = product(STARTS, [scale["n_steps"]], [scale["n_chains"]], firsts, [scale["n_runs"]])
    return run.each(repeated_block, list(wanted))
