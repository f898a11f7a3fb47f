"""Does averaging moments help tempering? The hope with which Grosse, Maddison and Salakhutdinov (2013) close.

Each pair of ends is tempered along its geometric path and along its moment path (for RBMs the moment averages spline),
with the same number of rungs and on each path the ladder that refuses equally.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np

from anneal_edu import models
from anneal_edu.course.experiments.kept import HERE, Run
from anneal_edu.course.experiments.rejections import equal_ladder, perfect_rejections
from anneal_edu.distributions import Distribution, Gaussian
from anneal_edu.kernels import exact, gibbs
from anneal_edu.models import knots
from anneal_edu.paths.geometric import Path, geometric_path, moment_path
from anneal_edu.paths.splines import moment_spline_path
from anneal_edu.tempering.ladders import equal_rejection_schedule
from anneal_edu.tempering.parallel import TemperingState, tempering_states
from anneal_edu.tempering.transitions import tempered_transitions
from anneal_edu.weights import log_mean_exp

GEOMETRIC, MOMENTS = "geometric", "moments"
PATHS = (GEOMETRIC, MOMENTS)
EXACT, AT_START, ANNEALED = "exact draws", "all at the start", "annealed"
STARTS = (EXACT, AT_START, ANNEALED)
_DIRECTIONS = 5


def two_gaussians() -> tuple[Gaussian, Gaussian]:
    """The two slanted Gaussians of Grosse et al. 2013, Figure 1."""
    slant = np.array([[1.0, 0.85], [0.85, 1.0]])
    return Gaussian([-10.0, 0.0], 2 * np.eye(2) - slant), Gaussian([10.0, 0.0], slant)


CASES = ("two Gaussians", "digits8_cd", "digits28_pcd", "digits28_pcd_fast", "digits28_cd")
"""The Gaussians, and stored RBMs of the digits from the base-rate start."""


@lru_cache(maxsize=16)
def path_of(case: str, path: str) -> Path:
    """The geometric or the moment path between the two ends of one of `CASES`."""
    if case not in CASES or path not in PATHS:
        raise ValueError(f"case and path must be one of {', '.join(CASES)} and of {', '.join(PATHS)}, got {case, path}")
    if case == "two Gaussians":
        return {GEOMETRIC: geometric_path, MOMENTS: moment_path}[path](*two_gaussians())
    rbm = models.load(case)
    start = knots.start_of(rbm, "base rate")
    if path == GEOMETRIC:
        return geometric_path(start, rbm)
    return knots.load_spline(case, "base rate") if case in knots.MODELS else moment_spline_path(start, rbm)


class Watched(NamedTuple):
    """Directions in which a distribution varies most, and what is exactly known along them."""

    mean: np.ndarray
    directions: np.ndarray
    variances: np.ndarray

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Deviations from the exact mean in units of the standard deviation: (..., D) -> (..., n)."""
        return (x - self.mean) @ self.directions / np.sqrt(self.variances)


def watched(distribution: Distribution, n_draws: int, rng: np.random.Generator) -> Watched:
    """The five leading principal components of exact draws, and the variances of other draws along them.

    Of 1,000 draws in 784 dimensions the leading components fit the noise: along them the same draws vary up to 3.6
    times as much as others do, and a chain of independent draws would seem to forget faster than at once.
    """
    directions = np.linalg.eigh(np.cov(distribution.sample(n_draws, rng).T))[1][:, -_DIRECTIONS:]
    mean, others = distribution.moments()[0], distribution.sample(n_draws, rng.spawn(1)[0])
    return Watched(mean, directions, (((others - mean) @ directions) ** 2).mean(0))


def trip_rates(replicas: np.ndarray) -> np.ndarray:
    """Round trips a sweep of each ladder, half of the one-way trips in the second half of a run: (T, K+1, C) -> (C,).

    Whole trips would be undercounted in a run that is not much longer than one.

    Examples
    --------
    >>> import numpy as np
    >>> trip_rates(np.tile(np.array([[0, 1], [1, 0]]), (50, 1))[:, :, None])
    array([1.])
    """
    last_end = np.zeros(replicas.shape[1:], dtype=int)
    n_sweeps, columns, one_way = len(replicas), np.arange(replicas.shape[2]), np.zeros(replicas.shape[2])
    for t, rungs in enumerate(replicas):
        bottom, top = (rungs[0], columns), (rungs[-1], columns)
        if t >= n_sweeps // 2:
            one_way += (last_end[bottom] == 1).astype(int) + (last_end[top] == -1)
        last_end[bottom], last_end[top] = -1, 1
    return one_way / 2 / (n_sweeps - n_sweeps // 2)


def sweeps_per_draw(sums: np.ndarray, n_sweeps: int) -> np.ndarray:
    """T (time average)² of unit-variance features, their mean over features: (C, n) -> (C,).

    For chains in equilibrium it averages to the integrated autocorrelation time, the sweeps that one independent draw
    is worth; chains that stand in a wrong place raise it up to T times their distance squared.
    """
    return ((sums / n_sweeps) ** 2).mean(1) * n_sweeps


class Beginning:
    """A kernel whose first call on each of n rungs sets the ladder up; from then on it is `gibbs`."""

    def __init__(self, start: str, n_rungs: int, n_gibbs: int = 10):
        self.start, self.left, self.n_gibbs, self.x = start, n_rungs, n_gibbs, None

    def __call__(self, distribution, x, rng):
        if self.left == 0 or self.start == AT_START:
            return gibbs(distribution, x, rng)
        self.left -= 1
        if self.start == EXACT:
            return exact(distribution, x, rng)
        self.x = x if self.x is None else self.x
        for _ in range(self.n_gibbs):
            self.x = gibbs(distribution, self.x, rng)
        return self.x


@dataclass(frozen=True)
class Scale:
    """How large the experiment is; a tempered transition has the ladder's pairs times each of ``finer``.

    Λ is summed over a ladder of ``n_fine`` pairs.
    """

    cases: tuple[str, ...]
    n_sweeps: int
    n_ladders: int
    n_draws: int
    finer: tuple[int, ...]
    n_moves: int
    n_fine: int = 100
    n_repeats: int = 1
    """Repeats with the seeds seed, seed + 1, …: all is drawn anew, the ladder too."""


SCALES = {
    "tiny": Scale(("digits8_cd",), 20, 4, 200, (2,), 30, 12),
    "quick": Scale(CASES, 800, 10, 1000, (1, 10), 200, 25, n_repeats=4),
    "full": Scale(CASES, 10_000, 100, 10_000, (1, 10, 100), 2000),
}


@dataclass(frozen=True)
class Ladder:
    """What ladders that began in one way did in T sweeps, each rate with its standard error over ladders."""

    round_trip_rate: float
    rate_error: float
    worst_rejection: float
    sweeps_per_draw: float
    sweeps_error: float
    log_z_error: float
    """log Ẑ of all ladders together minus log Z."""
    log_z_std_error: float
    """Standard error of log Ẑ, by leaving out one ladder after the other: it knows what ladders differ in."""


@dataclass(frozen=True)
class Row:
    """One path between the ends of one case."""

    case: str
    path: str
    seed: int
    n_pairs: int
    barrier: float
    """Λ, from exact draws on a ladder of 100 pairs."""
    schedule: list[float]
    ideal_rate: float
    """Round trips a sweep if exploration were perfect, 1 / (2 + 2 Σ r/(1-r))."""
    ladders: dict[str, dict]
    """How the ladders began → a `Ladder`."""
    stuck: list[float]
    """Sweeps per draw of Gibbs alone on each rung, from exact draws."""
    tempered: list[dict]
    """Of tempered transitions from exact draws: n_steps, acceptance, jump and their errors."""

    def __str__(self) -> str:
        ladders = ", ".join(f"{name} {found['round_trip_rate']:.4f}" for name, found in self.ladders.items())
        accepted = ", ".join(f"{move['acceptance']:.3f} at {move['n_steps']}" for move in self.tempered)
        return (
            f"{self.case:18}{self.path:10}seed {self.seed}  K = {self.n_pairs:3} Λ = {self.barrier:5.2f}  "
            f"round trips a sweep: ideal {self.ideal_rate:.4f}, {ladders}; tempered transitions {accepted}"
        )


def _ladder(path: Path, schedule: np.ndarray, start: str, features: Watched, scale: Scale, rng) -> Ladder:
    target = path(1.0)
    n_sweeps = scale.n_sweeps * (2 if target.dim == 2 else 1)  # cheap, and on the longest ladder
    states = tempering_states(path, schedule, scale.n_ladders, Beginning(start, len(schedule)), rng=rng)
    sums, refused, replicas, ratios = 0.0, 0.0, [], []
    state: TemperingState
    for state in islice(states, n_sweeps):
        sums = sums + features(state.x[-1])
        refused = refused + (1 - state.swap_probabilities).mean(1)
        replicas.append(state.replicas)
        ratios.append(state.log_ratios[0])
    rates = trip_rates(np.array(replicas))
    late = np.array(ratios[n_sweeps // 4 :]).transpose(2, 1, 0)  # (ladders, K, sweeps)
    log_z = path(0.0).log_z() + _stepping_stones(late)
    without = np.array([_stepping_stones(np.delete(late, c, axis=0)) for c in range(len(late))])
    needed, root = sweeps_per_draw(sums, n_sweeps), np.sqrt(scale.n_ladders)
    return Ladder(
        *(float(rates.mean()), float(rates.std(ddof=1) / root), float((refused / n_sweeps).max())),
        *(float(needed.mean()), float(needed.std(ddof=1) / root), float(log_z - target.log_z())),
        float(np.sqrt(len(late) - 1) * without.std()),
    )


def _stepping_stones(log_ratios: np.ndarray) -> float:
    """Σ_k log mean exp of log f_{k+1} - log f_k at states of rung k, over ladders and sweeps: (C, K, T) -> ()."""
    return float(sum(log_mean_exp(of_rung.ravel()) for of_rung in log_ratios.transpose(1, 0, 2)))


def _stuck(path: Path, schedule: np.ndarray, scale: Scale, rng) -> list[float]:
    found = []
    for beta in schedule:
        rung = path(float(beta))
        features, x, sums = watched(rung, scale.n_draws, rng), rung.sample(scale.n_ladders, rng), 0.0
        for _ in range(scale.n_sweeps):
            x = gibbs(rung, x, rng)
            sums = sums + features(x)
        found.append(float(sweeps_per_draw(sums, scale.n_sweeps).mean()))
    return found


def _tempered(path: Path, schedule, rates, features: Watched, scale: Scale, rng) -> list[dict]:
    found, target = [], path(1.0)
    for factor in scale.finer:
        n_steps = factor * len(rates)
        finer = equal_rejection_schedule(schedule, np.maximum(rates, 1e-6), n_steps)
        x = target.sample(scale.n_moves, rng)
        move = tempered_transitions(path, finer).move(x, rng)
        alpha = np.exp(np.minimum(0, move.log_ratios))
        jump = ((features(move.x) - features(x)) ** 2).mean(1) / 2
        root = np.sqrt(scale.n_moves)
        found.append(
            {
                "n_steps": n_steps,
                "acceptance": float(alpha.mean()),
                "acceptance_error": float(alpha.std(ddof=1) / root),
                "jump": float(jump.mean()),
                "jump_error": float(jump.std(ddof=1) / root),
            }
        )
    return found


def run_one(case: str, path_name: str, scale: Scale, seed: int) -> Row:
    """All that is measured along one path; its random numbers depend on the arguments alone."""
    place = CASES.index(case), PATHS.index(path_name)
    rng = np.random.default_rng([seed, *place])
    path = path_of(case, path_name)
    shared = np.random.default_rng([seed, place[0]])
    _, of_geometric = equal_ladder(path_of(case, GEOMETRIC), scale.n_fine, scale.n_draws, shared, scale.n_fine)
    n_pairs = max(2, round(2 * float(of_geometric.sum())))
    fine, _ = equal_ladder(path, scale.n_fine, scale.n_draws, rng, scale.n_fine)
    barrier = float(perfect_rejections(path, fine, 4 * scale.n_draws, rng).sum())
    schedule, rates = equal_ladder(path, n_pairs, scale.n_draws, rng, scale.n_fine)
    features = watched(path(1.0), scale.n_draws, rng)
    ladders = {start: asdict(_ladder(path, schedule, start, features, scale, rng)) for start in STARTS}
    stuck = _stuck(path, schedule, scale, rng)
    tempered = _tempered(path, schedule, rates, features, scale, rng)
    ideal = float(1 / (2 + 2 * (rates / (1 - rates)).sum()))
    return Row(case, path_name, seed, n_pairs, barrier, schedule.round(6).tolist(), ideal, ladders, stuck, tempered)


def tempering_paths(scale: Scale, run: Run = HERE) -> list[Row]:
    """Grosse et al. 2013, Section 6: does averaging moments help parallel tempering and tempered transitions?

    Both are run along both paths of every case, as often as the scale says.
    All ladders of a case have 2 Λ pairs, with the Λ of its geometric path.
    """
    size = replace(scale, cases=(), n_repeats=1)  # a row is of one case and seed, whatever others there are
    seeds = range(run.seed, run.seed + scale.n_repeats)
    wanted = [(case, path, size, seed) for seed in seeds for case in scale.cases for path in PATHS]
    return run.rows("tempering-paths", run_one, wanted, Row)
