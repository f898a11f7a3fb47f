"""What is run with a fault in it: an estimate with an error bar and a truth, and where there is one a kernel, a matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from anneal_edu.annealing.ais import ais
from anneal_edu.auditing.worlds import Skewed, TwoBumps, Walled, World, binary_world, real_world
from anneal_edu.course.bugs.planting import Plant
from anneal_edu.distributions import BinaryRBM, Gaussian, JointRBM
from anneal_edu.kernels import Kernel, random_walk
from anneal_edu.paths.geometric import geometric_path
from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.reweighting.density_matrix import log_density_matrix
from anneal_edu.tempering.matrices import ladder_distribution, lifted_matrix, tag_states

WEIGHTS, B, C = np.array([[1.6, -1.0], [-1.2, 0.8], [0.7, 1.5]]), np.array([-0.4, 0.5, -0.9]), np.array([0.3, -0.6])
TINY_LADDER = np.log([[1.0, 1.0], [1.0, 2.0], [1.0, 5.0], [1.0, 9.0]])


@dataclass(frozen=True)
class Answer:
    """What one run says: a value, its error bar and interval, log weights where there are some, and whether it warns."""

    value: float
    std_error: float
    low: float
    high: float
    log_weights: np.ndarray | None = None
    warned: bool = False


@dataclass(frozen=True)
class Subject:
    """A plain algorithm on a problem with a known answer.

    Attributes
    ----------
    run : callable, (plant, scale, n, rng) -> Answer
        In coordinates ``scale`` times as large, with about n chains.
    truth : callable, scale -> float
    moves : int
        Moves that a run of it costs, of each of the n chains.
    n : int
        Chains of one run.
    kernel : callable, plant -> kernel, optional
    world : callable, () -> World, optional
        Where the kernel is asked.
    reversible : bool
        Whether the right kernel is in detailed balance.
    matrix : callable, plant -> (T, p), optional
        A transition matrix in full, and the distribution that it should keep.
    other : callable, (scale, n, rng) -> Answer, optional
        Another method for the same number.
    above : bool
        Whether it begins at draws of the target.
    scalable : bool
    path : callable, scale -> path, optional
        Whose log Z it estimates, where AIS can be run from the other end.
    of_z : bool
        Whether it estimates log Z.
    """

    run: Callable[[Plant, float, int, np.random.Generator], Answer]
    truth: Callable[[float], float]
    moves: int
    n: int = 100
    kernel: Callable[[Plant], Kernel] | None = None
    world: Callable[[], World] | None = None
    reversible: bool = False
    matrix: Callable[[Plant], tuple[np.ndarray, np.ndarray]] | None = None
    other: Callable[[float, int, np.random.Generator], Answer] | None = None
    above: bool = False
    scalable: bool = True
    path: Callable[[float], Any] | None = None
    of_z: bool = True


def of(result: Any) -> Answer:
    """The answer that a result of the library gives."""
    if hasattr(result, "interval"):
        low, high = result.interval(0.95, n_resamples=200)
        return Answer(result.log_z, result.std_error, low, high, result.log_weights, bool(result.warnings))
    found = result.estimate
    reach = 1.96 * found.std_error
    warned = any(w.kind in ("rungs never meet", "coarse rule", "uneven visits") for w in found.warnings)
    return Answer(found.log_z, found.std_error, found.log_z - reach, found.log_z + reach, warned=warned)


def skewed_path(scale: float) -> Any:
    """From N(0, 4) to a density with one long tail, in coordinates ``scale`` times as large: log Z = log scale."""
    target = Skewed(scale * np.eye(1), 0.5 * scale * np.ones(1))
    return geometric_path(Gaussian([0.0], [[4.0 * scale**2]]), target)


def skewed_world() -> World:
    """The end of `skewed_path`, with what is watched there."""
    return real_world("a steep and a long tail", skewed_path(1.0)(1.0), np.random.default_rng(0))


def _annealed(make: Callable[[Plant, float], Kernel], path: Any, n_steps: int, plant, scale, n, rng) -> Answer:
    kernel = make(plant, scale)
    return of(ais(path(scale), linear_schedule(n_steps), n, kernel, rng=rng, workers=1))


def _of_a_kernel(make: Callable[[Plant, float], Kernel], n_steps: int = 10, **more) -> Subject:
    return Subject(
        partial(_annealed, make, skewed_path, n_steps), np.log, n_steps, kernel=lambda plant: make(plant, 1.0),
        world=skewed_world, reversible=True, other=_other, path=skewed_path, **more,
    )  # fmt: skip


def _other(scale: float, n: int, rng: np.random.Generator) -> Answer:
    """AIS with a kernel and a schedule of its own."""
    return of(ais(skewed_path(scale), linear_schedule(30), n, random_walk(1.5 * scale), rng=rng, workers=1))


def _walk(plant: Plant, scale: float) -> Kernel:
    return plant("kernels").random_walk(0.8 * scale)


def _hamiltonian(plant: Plant, scale: float) -> Kernel:
    return plant("kernels").hmc(0.9 * scale, 2)


# A wall


def wall_path(scale: float) -> Any:
    """From a wide Gaussian to Gamma(3) on x > 0; log Z = log 2."""
    return geometric_path(Gaussian([2.5], [[6.0]]), Walled())


def _annealed_to_the_wall(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    plant("weights")
    run = plant("annealing.ais").ais(wall_path(scale), linear_schedule(6), n, random_walk(1.5), rng=rng, workers=1)
    return of(run)


def _other_at_the_wall(scale: float, n: int, rng: np.random.Generator) -> Answer:
    return of(ais(geometric_path(Gaussian([3.0], [[9.0]]), Walled()), [0, 1], 3 * n, random_walk(1.0), rng=rng))


# Estimators


def _ais(plant: Plant, scale: float, n: int, rng: np.random.Generator, n_steps: int = 4) -> Answer:
    plant("weights")
    kernel = random_walk(0.8 * scale)
    return of(plant("annealing.ais").ais(skewed_path(scale), linear_schedule(n_steps), n, kernel, rng=rng, workers=1))


def _ais_far(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    plant("weights")
    path = geometric_path(Gaussian([0.0], [[scale**2]]), Gaussian([0.0], [[40.0 * scale**2]]))
    return of(plant("annealing.ais").ais(path, [0, 1], n, random_walk(scale), rng=rng, workers=1))


def shifted_path(scale: float) -> Any:
    """From N(0, 1) to N(1.5, 1): the weights are log-normal in both directions."""
    return geometric_path(Gaussian([0.0], [[scale**2]]), Gaussian([1.5 * scale], [[scale**2]]))


def _reverse(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    path, run = shifted_path(scale), plant("annealing.reverse").reverse_ais
    return of(run(path, linear_schedule(4), path(1.0).sample(n, rng), random_walk(scale), rng=rng, workers=1))


def _other_shifted(scale: float, n: int, rng: np.random.Generator) -> Answer:
    return of(ais(shifted_path(scale), linear_schedule(40), n, random_walk(scale), rng=rng, workers=1))


def leaning_path(scale: float) -> Any:
    """Between two Gaussians of two correlated coordinates, whose Gibbs sweeps have an order."""
    cov, mean = scale**2 * np.array([[1.0, 0.9], [0.9, 1.0]]), scale * np.array([1.0, 0.0])
    return geometric_path(Gaussian([0.0, 0.0], 2 * cov), Gaussian(mean, cov))


def _up_and_down(plant: Plant) -> Kernel:
    move = plant("tempering.transitions").tempered_transitions(leaning_path(1.0), linear_schedule(5))
    return lambda distribution, x, rng: move(move.target, x, rng)


def _product_of_both(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    """E[x₀ x₁] of exact draws that have been moved ten times."""
    x, move = leaning_path(1.0)(1.0).sample(n, rng), _up_and_down(plant)
    for _ in range(10):
        x = move(None, x, rng)
    products = x[:, 0] * x[:, 1]
    value, error = float(products.mean()), float(products.std(ddof=1) / np.sqrt(n))
    return Answer(value, error, value - 1.96 * error, value + 1.96 * error)


def _leaning_world() -> World:
    return real_world("two correlated coordinates", leaning_path(1.0)(1.0), np.random.default_rng(0))


def _other_leaning(scale: float, n: int, rng: np.random.Generator) -> Answer:
    return of(ais(leaning_path(scale), linear_schedule(40), n, rng=rng, workers=1))


def _hais(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    path = skewed_path(scale)
    return of(plant("annealing.hais").hais(path, linear_schedule(30), n, 0.8 * scale, 0.3, rng=rng, workers=1))


@dataclass(frozen=True, eq=False)
class _Point:
    """One density, as `hamiltonian_transition` asks for it."""

    density: Any

    def remember(self, x: np.ndarray) -> np.ndarray:
        return x

    def log_f(self, beta: float, known: np.ndarray) -> np.ndarray:
        return self.density.log_density(known)

    def gradient(self, beta: float, x: np.ndarray) -> np.ndarray:
        return self.density.grad_log_density(x)


def _momentum_kernel(plant: Plant) -> Kernel:
    """Eight transitions from a fresh momentum."""

    def move(distribution: Any, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        point, v = _Point(distribution), rng.standard_normal(x.shape)
        for _ in range(8):
            x, v, _, _ = plant("annealing.hais").hamiltonian_transition(point, 1.0, x, v, x, 1.2, 0.3, rng)
        return x

    return move


# Bits


def rbm_path(rbm: Any = BinaryRBM) -> Callable[[float], Any]:
    """β times every parameter of a small RBM."""
    return lambda beta: rbm(beta * WEIGHTS, beta * B, beta * C)


def rbm_truth(scale: float) -> float:
    """Its log Z, by enumeration."""
    return BinaryRBM(WEIGHTS, B, C).log_z()


def _rbm(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    path = rbm_path(plant("distributions.binary_rbm").BinaryRBM)
    return of(ais(path, linear_schedule(6), n, rng=rng, workers=1))


def _joint(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    joint = plant("distributions.joint_rbm").JointRBM
    return of(ais(lambda beta: joint(rbm_path()(beta)), linear_schedule(16), n, rng=rng, workers=1))


def _persistent_kernel(plant: Plant) -> Kernel:
    """One update's negative phase; its data are all ones."""

    def move(f: Any, v: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        chains = plant("training.negative_phase").Persistent(v.astype(float), 1)
        return chains(f.weights, f.visible_bias, f.hidden_bias, np.ones(v.shape), rng).astype(v.dtype)

    return move


def _persistent(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    return of(ais(rbm_path(), linear_schedule(6), n, _persistent_kernel(plant), rng=rng, workers=1))


def _other_bits(scale: float, n: int, rng: np.random.Generator) -> Answer:
    start = BinaryRBM(np.zeros((3, 2)), np.zeros(3), np.zeros(2))
    return of(ais(geometric_path(start, BinaryRBM(WEIGHTS, B, C)), [0, 1], 3 * n, rng=rng, workers=1))


def _sparse(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    prior = plant("distributions.generative").IndependentPrior(3, True, np.zeros(3, dtype=bool))
    path = geometric_path(prior, Gaussian(np.zeros(3), 0.5 * np.eye(3)))
    return of(ais(path, linear_schedule(8), n, random_walk(0.7), rng=rng, workers=1))


def _other_sparse(scale: float, n: int, rng: np.random.Generator) -> Answer:
    path = geometric_path(Gaussian(np.zeros(3), 1.2 * np.eye(3)), Gaussian(np.zeros(3), 0.5 * np.eye(3)))
    return of(ais(path, [0, 1], 3 * n, random_walk(0.7), rng=rng, workers=1))


# Ladders


def bumps_path(scale: float) -> Any:
    """From N(0, 9) to two bumps."""
    return geometric_path(Gaussian([0.0], [[9.0 * scale**2]]), _Wider(scale))


@dataclass(frozen=True, eq=False)
class _Wider:
    """`TwoBumps` in coordinates ``scale`` times as large; its log Z is 2 + log scale."""

    scale: float
    dim = 1

    def log_density(self, x: np.ndarray) -> np.ndarray:
        return TwoBumps().log_density(x / self.scale)

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        return self.scale * TwoBumps().sample(n, rng)


def _other_bumps(scale: float, n: int, rng: np.random.Generator) -> Answer:
    return of(ais(bumps_path(scale), linear_schedule(20), n, random_walk(scale), rng=rng, workers=1))


def _tempered(swaps: str, plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    plant("tempering.swaps")
    run, kernel = plant("tempering.parallel").parallel_tempering, random_walk(scale)
    path, betas = bumps_path(scale), linear_schedule(3)
    return of(run(path, betas, 60, n // 5, kernel, swaps, n_burn_in=40, keep="nothing", rng=rng, workers=1))


def swap_matrix_of(plant: Plant) -> tuple[np.ndarray, np.ndarray]:
    """Exchanges on a ladder of two rungs and two states, as `swapped` makes them."""
    log_f, swapped = TINY_LADDER[[0, 3]], plant("tempering.swaps").swapped
    T = np.zeros((4, 4))
    for low in (0, 1):
        for high in (0, 1):
            alpha = np.exp(min(0.0, log_f[0, high] + log_f[1, low] - log_f[0, low] - log_f[1, high]))
            new = swapped(np.array([[low], [high]]), np.array([[True]]))[:, 0]
            T[2 * low + high, 2 * new[0] + new[1]] += alpha
            T[2 * low + high, 2 * low + high] += 1 - alpha
    return T, ladder_distribution(log_f)


def lifted_matrix_of(plant: Plant) -> tuple[np.ndarray, np.ndarray]:
    """Tag and configurations in full, the tag's move as `Lifted` makes it; a tag that leaves stays where it looks in."""
    walker = plant("tempering.swaps").Lifted(3, 1)

    def move(n: int, e: int, accepted: bool, n_pairs: int) -> tuple[int, int]:
        walker.rung, walker.direction = np.array([n]), np.array([e])
        walker.hear(np.full((n_pairs, 1), accepted))
        return int(walker.rung[0]), int(walker.direction[0])

    tags = tag_states(3)
    T = lifted_matrix(TINY_LADDER, lambda *state: found if (found := move(*state)) in tags else tags[0])
    return T, np.tile(ladder_distribution(TINY_LADDER), len(tags)) / len(tags)


def _rts(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    plant("tempering.simulated")
    run, path = plant("tempering.rts").rts, bumps_path(scale)
    return of(run(path, linear_schedule(4), 6, 12, n, random_walk(scale), n_initial=3, rng=rng, workers=1))


def _integrated(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    path, betas = leaning_path(scale), linear_schedule(40)
    x = np.concatenate([path(beta).sample(n, rng) for beta in betas])
    matrix, integrate = log_density_matrix(path, betas, x), plant("reweighting.integration").thermodynamic_integration
    return of(integrate(matrix, np.full(len(betas), n), betas, start_log_z=0.0))


def _chain_mean(plant: Plant, scale: float, n: int, rng: np.random.Generator) -> Answer:
    x = np.zeros((1, 1))
    target, walk, chain = Gaussian([0.0], [[1.0]]), random_walk(1.5), []
    for _ in range(300):
        x = walk(target, x, rng)
        chain.append(x[0, 0])
    seen = np.array(chain)
    error = float(seen.std() / np.sqrt(plant("course.bugs.chains").effective_draws(seen)))
    value = float(seen.mean())
    return Answer(value, error, value - 1.96 * error, value + 1.96 * error)


def _zero(scale: float) -> float:
    return 0.0


def _wider_bumps(scale: float) -> float:
    return float(2.0 + np.log(scale))


def _bit_world() -> World:
    return binary_world("an RBM of three bits", BinaryRBM(WEIGHTS, B, C))


def _joint_world() -> World:
    return binary_world("both layers", JointRBM(BinaryRBM(WEIGHTS, B, C)))


SUBJECTS: dict[str, Subject] = {
    "random walk": _of_a_kernel(_walk),
    "random walk at a wall": Subject(
        lambda plant, scale, n, rng: of(
            ais(wall_path(scale), linear_schedule(6), n, plant("kernels").random_walk(2.5), rng=rng, workers=1)
        ),
        lambda scale: float(np.log(2)), 6, kernel=lambda plant: plant("kernels").random_walk(2.5),
        world=lambda: real_world("a half-line", Walled(), np.random.default_rng(0)), reversible=True,
        other=_other_at_the_wall, scalable=False,
    ),
    "Hamiltonian": _of_a_kernel(_hamiltonian),
    "momentum": Subject(_hais, np.log, 30, kernel=_momentum_kernel, world=skewed_world, other=_other, path=skewed_path),
    "RBM": Subject(
        _rbm, rbm_truth, 6, kernel=lambda plant: lambda f, x, rng: plant("distributions.binary_rbm").BinaryRBM(
            f.weights, f.visible_bias, f.hidden_bias
        ).gibbs(x, rng), world=_bit_world, reversible=True, other=_other_bits, scalable=False,
    ),
    "RBM of both layers": Subject(
        _joint, rbm_truth, 16,
        kernel=lambda plant: lambda f, x, rng: plant("distributions.joint_rbm").JointRBM(f.rbm).gibbs(x, rng),
        world=_joint_world, other=_other_bits, scalable=False,
    ),
    "persistent chains": Subject(
        _persistent, rbm_truth, 6, kernel=_persistent_kernel, world=_bit_world, reversible=True, other=_other_bits,
        scalable=False,
    ),
    "AIS": Subject(_ais, np.log, 4, other=_other, path=skewed_path),
    "AIS at a wall": Subject(
        _annealed_to_the_wall, lambda scale: float(np.log(2)), 6, other=_other_at_the_wall, scalable=False
    ),
    "AIS far away": Subject(_ais_far, _zero, 1, n=1000),
    "reverse AIS": Subject(_reverse, _zero, 4, other=_other_shifted, above=True, path=shifted_path),
    "tempered transitions": Subject(
        _product_of_both, lambda scale: 0.9, 100, kernel=_up_and_down, world=_leaning_world, reversible=True,
        scalable=False, of_z=False,
    ),
    "sparse prior": Subject(_sparse, _zero, 8, other=_other_sparse, scalable=False),
    "parallel tempering": Subject(
        partial(_tempered, "even_odd"), _wider_bumps, 80, matrix=swap_matrix_of, other=_other_bumps
    ),
    "lifted swaps": Subject(
        partial(_tempered, "lifted"), _wider_bumps, 80, matrix=lifted_matrix_of, other=_other_bumps
    ),
    "RTS": Subject(_rts, _wider_bumps, 77, other=_other_bumps),
    "thermodynamic integration": Subject(_integrated, _zero, 1, other=_other_leaning, path=leaning_path),
    "mean of a chain": Subject(_chain_mean, _zero, 300, n=1, scalable=False, of_z=False),
}  # fmt: skip
"""Name → what is run."""
