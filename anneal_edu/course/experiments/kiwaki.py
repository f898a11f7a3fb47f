"""The experiments of Kiwaki and Aihara (2015): which covariance should the start of a Gaussian RBM's path have?"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

from anneal_edu import models
from anneal_edu.annealing.ais import AISResult, ais
from anneal_edu.course.experiments import stored_arrays
from anneal_edu.course.experiments.blocks import BlockedAIS
from anneal_edu.course.experiments.kept import HERE, Run
from anneal_edu.distributions import GaussianRBM
from anneal_edu.distributions.bernoulli import bernoulli
from anneal_edu.kernels import Kernel, gibbs
from anneal_edu.paths.chain_moments import estimate_mean_and_cov
from anneal_edu.paths.covariance import GaussianRBMPath, auxiliary_gibbs, covariance_path, widen_covariance
from anneal_edu.paths.schedules import piecewise_schedule
from anneal_edu.validation import as_beta

STARTS = ("mean only", "diagonal", "full")  # the paper's AISM, AIS and AISC
FOUR_QUARTERS = (0.0, 0.1, 0.25, 0.5, 1.0)  # a quarter of the steps in each interval
KERNELS: dict[str, Kernel] = {"x integrated out": gibbs, "auxiliary x": auxiliary_gibbs}


def mirrored_grbm(weights: np.ndarray, sigma: float = 1.0) -> GaussianRBM:
    """A Gaussian RBM that looks the same when every hidden unit is turned over, with mean 0 and far-apart modes.

    With visible_bias = -½ σ W 1 the log weight of a hidden state is ½ (Wh)·(Wh - W1), the same for h and 1 - h. Their
    modes lie at opposite points, v = σ W (h - ½).

    Examples
    --------
    >>> import numpy as np
    >>> mirrored_grbm(np.array([[2.0, 1.0], [1.0, 2.0]])).log_density(np.array([[1.0, 2.0], [-1.0, -2.0]])).round(6)
    array([-0.225135, -0.225135])
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


def shrunk_covariance(cov: np.ndarray, share: float) -> np.ndarray:
    """Correlations scaled by ``share``: 0 leaves the diagonal, 1 the whole covariance."""
    share = as_beta(share)
    return share * cov + (1 - share) * np.diag(cov.diagonal())


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
    """The mean (C, D) and the variance (D,) of v given h as the paper prints them, with the slip in the variance."""
    variance = 1 / (beta / start_variance + (1 - beta) / grbm.sigma**2)
    return variance * _pull(h, beta, grbm, start_mean, start_variance), variance


def repaired_conditional(
    h: np.ndarray, beta: float, grbm: GaussianRBM, start_mean: np.ndarray, start_variance: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The same with the variance put right."""
    variance = 1 / (beta / grbm.sigma**2 + (1 - beta) / start_variance)
    return variance * _pull(h, beta, grbm, start_mean, start_variance), variance


def _pull(h, beta, grbm, start_mean, start_variance) -> np.ndarray:
    return beta / grbm.sigma**2 * grbm.visible_mean(h) + (1 - beta) / start_variance * start_mean


def shift_after_one_step(
    conditional: Callable[..., tuple[np.ndarray, np.ndarray]], grbm: GaussianRBM, beta: float, n: int = 20_000
) -> float:
    """Exact draws from p_β, one Gibbs step with this conditional of v: how far did any mean or second moment move?

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


TOYS: dict[str, Callable[[], GaussianRBM]] = {
    "four modes": four_modes,
    "strong covariances": strong_covariances,
    "far modes": far_modes,
}


def load_model(name: str) -> GaussianRBM:
    """One of `TOYS`, or a stored model trained on patches."""
    return TOYS[name]() if name in TOYS else models.load(name)


@dataclass(frozen=True)
class Scale:
    """How large the experiment is: its models, the numbers of transitions K, and the chains C."""

    models: tuple[str, ...]
    n_steps: tuple[int, ...]
    n_chains: int
    block_size: int
    kernels: tuple[str, ...] = ("x integrated out",)


_CIFAR = ("cifar_cd1_20", "cifar_cd25_20", "cifar_pcd_20")
_TO_10_000 = (100, 300, 1000, 3000, 10_000)
_SMALL = ("patches_cd1_20", "patches_cd25_20", "patches_pcd_20", "strong covariances")

SCALES = {
    "tiny": Scale(("four modes",), (8, 20), 60, 30, tuple(KERNELS)),
    "quick": Scale(_SMALL, (40, 100, 300, 1000), 1000, 500),
    "medium": Scale(_SMALL, (40, 100, 300, 1000, 3000), 5000, 500),
    "full": Scale(_SMALL, _TO_10_000, 5000, 500),
    "kernels": Scale(_SMALL, (40, 100, 300), 5000, 500, tuple(KERNELS)),
    "large": Scale(("patches_cd1_200",), _TO_10_000, 5000, 500),
    "cifar": Scale(_CIFAR, _TO_10_000, 5000, 500),
    "cifar-large": Scale(tuple(f"{name}0" for name in _CIFAR), _TO_10_000, 5000, 500),
}
"""A minute, ten minutes; the paper's, with 20 hidden units and with 200; its transition beside ours in "kernels"; its
images, CIFAR-10, in "cifar" and, with 200 hidden units, "cifar-large"."""


@dataclass(frozen=True)
class Row:
    """One point of Figures 4 to 7: a model, a start, a kernel, K, and what AIS found."""

    model: str
    start: str
    kernel: str
    n_steps: int
    exact: float | None
    """log Z, where the model is small enough."""
    result: AISResult
    seconds: float
    """Of this run, with whatever else the machine did."""

    @property
    def variance(self) -> float:
        """Sample variance of the log weights."""
        return float(self.result.log_weights.var(ddof=1))

    def summary(self) -> dict:
        """The row as JSON has it."""
        words = {name: getattr(self, name) for name in ("model", "start", "kernel", "n_steps", "exact")}
        found = {name: getattr(self.result, name) for name in ("log_z", "std_error", "ess")}
        return words | found | {"variance": self.variance, "seconds": round(self.seconds, 2)}

    def __str__(self) -> str:
        exact = "       -" if self.exact is None else f"{self.exact:8.2f}"
        return (
            f"{self.model:20}{self.start:11}{self.kernel:18}{self.n_steps:6d}{exact}{self.result.log_z:10.3f} ± "
            f"{3 * self.result.std_error:.3f}  ESS {self.result.ess:7.1f}  Var log w {self.variance:8.3f}"
        )


def compare_starts(scale: Scale, run: Run = HERE) -> list[Row]:
    """Kiwaki and Aihara 2015, Figures 4 to 7: Gaussian RBMs from starts of three covariances.

    Of the models of the scale, or of yours: log Ẑ and ESS against K. The moments of the target are estimated as in the
    paper, by 100 Gibbs chains of 5,000 steps of which 100 are thrown away.
    """
    rows = []
    for name, grbm in run.models(scale.models, load_model):
        rng = np.random.default_rng(run.seed)
        moments = estimate_mean_and_cov(grbm, rng=rng, rao_blackwellized=False, progress=run.progress)
        paths = {start: start_path(start, grbm, *moments) for start in STARTS}
        for (start, path), kernel, n_steps in product(paths.items(), scale.kernels, scale.n_steps):
            schedule, begin = paper_schedule(n_steps), time.perf_counter()
            result = BlockedAIS(path, schedule, scale.n_chains, run.seed, scale.block_size, KERNELS[kernel]).run(run)
            exact = grbm.log_z() if grbm.enumerable else None
            rows.append(Row(name, start, kernel, n_steps, exact, result, time.perf_counter() - begin))
            run.report(rows[-1])
    return rows


@dataclass(frozen=True)
class Repeats:
    """How often `far_modes` is run from every start, in blocks of seeds that follow one another, with K and C."""

    n_blocks: int
    n_runs: int
    """Of one block."""
    n_steps: int = 40
    n_chains: int = 1000


REPEATS = {"tiny": Repeats(2, 2, 8, 50), "quick": Repeats(1, 60), "large": Repeats(6, 60)}
"""An instant, a quarter of a minute; a minute and a half, from which a lesson quotes."""


@dataclass(frozen=True)
class Block:
    """Runs of one start with the seeds first_seed, first_seed + 1, …: of each log Ẑ - log Z, and its ESS."""

    start: str
    first_seed: int
    errors: list[float]
    ess: list[float]

    def __str__(self) -> str:
        rms, last = np.sqrt(np.mean(np.square(self.errors))), self.first_seed + len(self.errors) - 1
        return (
            f"{self.start:11}seeds {self.first_seed} to {last}: root mean square of log Ẑ - log Z {rms:.3f}, "
            f"ESS {min(self.ess):.1f} to {max(self.ess):.1f}"
        )


def repeated_block(start: str, n_steps: int, n_chains: int, first_seed: int, n_runs: int) -> Block:
    """AIS of `far_modes`, once for each of these seeds."""
    grbm, schedule = far_modes(), paper_schedule(n_steps)
    path = start_path(start, grbm, *grbm.mean_and_cov())
    seeds = range(first_seed, first_seed + n_runs)
    runs = [ais(path, schedule, n_chains, gibbs, rng=np.random.default_rng(seed)) for seed in seeds]
    return Block(start, first_seed, [run.log_z - grbm.log_z() for run in runs], [run.ess for run in runs])


def repeat_starts(scale: Repeats, run: Run = HERE) -> list[Block]:
    """From each of the three starts hundreds of runs where a mode lies far away: the error and the ESS of each.

    The moments are exact, x is integrated out, and the first run has the seed of the experiment.
    """
    firsts = range(run.seed, run.seed + scale.n_blocks * scale.n_runs, scale.n_runs)
    wanted = [(start, scale.n_steps, scale.n_chains, first, scale.n_runs) for start, first in product(STARTS, firsts)]
    return run.rows("kiwaki-modes", repeated_block, wanted, Block)
