"""Grosse, Maddison and Salakhutdinov (2013), Section 6: does averaging moments help tempering?

Each pair of ends is tempered along its geometric path and along its moment path (for RBMs the moment averages spline),
with the same number of rungs and on each path the ladder of equal rejection rates.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, product
from typing import NamedTuple

import numpy as np

from anneal_edu import models
from anneal_edu.course.experiments.rejections import equal_ladder, perfect_rejections
from anneal_edu.course.experiments.run import HERE, Run, experiment
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
"""The Gaussians, and stored RBMs of the digits with paths from the base rates."""


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
    """Directions in which a distribution varies most, with its mean and variances along them."""

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
    """Round trips per sweep of each ladder, half of the one-way trips in the second half of a run: (T, K+1, C) -> (C,).

    Whole trips would be undercounted in a run that is not much longer than one.
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


SCALES = {
    "tiny": {
        "cases": ("digits8_cd",), "n_sweeps": 20, "n_ladders": 4, "n_draws": 200, "finer": (2,), "n_moves": 30,
        "n_fine": 12, "n_repeats": 1,
    },
    "quick": {
        "cases": CASES, "n_sweeps": 800, "n_ladders": 10, "n_draws": 1000, "finer": (1, 10), "n_moves": 200,
        "n_fine": 25, "n_repeats": 4,
    },
    "full": {
        "cases": CASES, "n_sweeps": 10_000, "n_ladders": 100, "n_draws": 10_000, "finer": (1, 10, 100), "n_moves": 2000,
        "n_fine": 100, "n_repeats": 1,
    },
}  # fmt: skip
"""A tempered transition has the ladder's pairs times each of finer; Λ is summed over a ladder of n_fine pairs. Repeats
have the seeds seed, seed + 1, …: all is drawn anew, the ladder too."""


def _ladder(path: Path, schedule: np.ndarray, start: str, features: Watched, scale: dict, rng) -> dict[str, float]:
    """What ladders that began in one way did in T sweeps, each rate with its standard error over ladders."""
    target = path(1.0)
    n_sweeps = scale["n_sweeps"] * (2 if target.dim == 2 else 1)  # cheap, and on the longest ladder
    states = tempering_states(path, schedule, scale["n_ladders"], Beginning(start, len(schedule)), rng=rng)
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
    needed, root = sweeps_per_draw(sums, n_sweeps), np.sqrt(scale["n_ladders"])
    return {
        "round_trip_rate": float(rates.mean()),
        "rate_error": float(rates.std(ddof=1) / root),
        "worst_rejection": float((refused / n_sweeps).max()),
        "sweeps_per_draw": float(needed.mean()),
        "sweeps_error": float(needed.std(ddof=1) / root),
        "log_z_error": float(log_z - target.log_z()),  # of all ladders together
        "log_z_std_error": float(np.sqrt(len(late) - 1) * without.std()),  # by leaving out one ladder after the other
    }


def _stepping_stones(log_ratios: np.ndarray) -> float:
    """Σ_k log mean exp of log f_{k+1} - log f_k at states of rung k, over ladders and sweeps: (C, K, T) -> ()."""
    return float(sum(log_mean_exp(of_rung.ravel()) for of_rung in log_ratios.transpose(1, 0, 2)))


def _stuck(path: Path, schedule: np.ndarray, scale: dict, rng) -> list[float]:
    found = []
    for beta in schedule:
        rung = path(float(beta))
        features, x, sums = watched(rung, scale["n_draws"], rng), rung.sample(scale["n_ladders"], rng), 0.0
        for _ in range(scale["n_sweeps"]):
            x = gibbs(rung, x, rng)
            sums = sums + features(x)
        found.append(float(sweeps_per_draw(sums, scale["n_sweeps"]).mean()))
    return found


def _tempered(path: Path, schedule, rates, features: Watched, scale: dict, rng) -> list[dict]:
    found, target = [], path(1.0)
    for factor in scale["finer"]:
        n_steps = factor * len(rates)
        finer = equal_rejection_schedule(schedule, np.maximum(rates, 1e-6), n_steps)
        x = target.sample(scale["n_moves"], rng)
        move = tempered_transitions(path, finer).move(x, rng)
        alpha = np.exp(np.minimum(0, move.log_ratios))
        jump = ((features(move.x) - features(x)) ** 2).mean(1) / 2
        root = np.sqrt(scale["n_moves"])
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


def run_one(case: str, path_name: str, scale: dict, seed: int) -> dict:
    """All that is measured along one path; its random numbers depend on the arguments alone.

    In the row "barrier" is Λ, from exact draws on the fine ladder; "ideal_rate" the round trips per sweep of perfect
    exploration, 1 / (2 + 2 Σ r/(1-r)); "ladders" has what `_ladder` finds for each of `STARTS`; "stuck" sweeps per draw
    of Gibbs alone on each rung, and "tempered" tempered transitions, both from exact draws.
    """
    place, n_fine, n_draws = (CASES.index(case), PATHS.index(path_name)), scale["n_fine"], scale["n_draws"]
    rng = np.random.default_rng([seed, *place])
    path = path_of(case, path_name)
    shared = np.random.default_rng([seed, place[0]])
    _, of_geometric = equal_ladder(path_of(case, GEOMETRIC), n_fine, n_draws, shared, n_fine)
    n_pairs = max(2, round(2 * float(of_geometric.sum())))
    fine, _ = equal_ladder(path, n_fine, n_draws, rng, n_fine)
    barrier = float(perfect_rejections(path, fine, 4 * n_draws, rng).sum())
    schedule, rates = equal_ladder(path, n_pairs, n_draws, rng, n_fine)
    features = watched(path(1.0), n_draws, rng)
    row = {"case": case, "path": path_name, "seed": seed, "n_pairs": n_pairs, "barrier": barrier}
    row |= {"schedule": schedule.round(6).tolist(), "ideal_rate": float(1 / (2 + 2 * (rates / (1 - rates)).sum()))}
    row["ladders"] = {start: _ladder(path, schedule, start, features, scale, rng) for start in STARTS}
    row["stuck"] = _stuck(path, schedule, scale, rng)
    return row | {"tempered": _tempered(path, schedule, rates, features, scale, rng)}


@experiment(
    "tempering-paths",
    "case:18s path:10s seed:d n_pairs:d barrier:.2f ideal_rate:.4f stuck:16.1f",
    refuses=dict.fromkeys(("images", "model"), "its models are stored, with their exact log Z"),
    **SCALES,
)
def tempering_paths(scale: dict, run: Run = HERE) -> Iterator[dict]:
    """Grosse et al. 2013, Section 6: does averaging moments help parallel tempering and tempered transitions?

    Both are run along both paths of every case, as often as the scale says.
    All ladders of a case have 2 Λ pairs, with the Λ of its geometric path.
    """
    size = {name: value for name, value in scale.items() if name not in ("cases", "n_repeats")}
    seeds = range(run.seed, run.seed + scale["n_repeats"])
    return run.each(run_one, [(case, path, size, seed) for seed, case, path in product(seeds, scale["cases"], PATHS)])
