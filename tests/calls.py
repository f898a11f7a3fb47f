"""A call of every public function: its arguments, the least that each count may be, and options with two values."""

import inspect
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

import numpy as np

import anneal_edu as ae
from anneal_edu import data
from anneal_edu.annealing.ais import AISResult
from anneal_edu.distributions import GaussianBernoulli
from anneal_edu.paths.covariance import covariance_start, widen_covariance
from anneal_edu.tempering.ladders import cumulative_barrier
from anneal_edu.tempering.parallel import tempering_states
from anneal_edu.tempering.record import count_round_trips
from anneal_edu.tempering.rts import rts_rounds
from anneal_edu.training import expectation_maximisation, minimum_probability_flow, track_log_likelihood
from anneal_edu.weights import bootstrap_log_mean_exp, larger_ess_p_value
from tests.records import numbers


def rng(seed=0):
    return np.random.default_rng(seed)


def random_rbm(n_visible, n_hidden, seed):
    shapes, made = ((n_visible, n_hidden), n_visible, n_hidden), rng(seed)
    return ae.BinaryRBM(*(made.normal(size=shape) for shape in shapes))


BETAS = ae.linear_schedule(4)
PATH = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([1.0], [[0.3]]))
LAPLACE = ae.Unnormalized(lambda x: -np.abs(x).sum(-1), dim=1)  # no exact draws, no gradient
TO_LAPLACE = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), LAPLACE)
RBM, OTHER_RBM, BLANK = random_rbm(4, 3, 1), random_rbm(4, 3, 2), ae.uniform_rbm(4, 3)
RBM_PATH = ae.geometric_path(BLANK, RBM)
GRBM = ae.GaussianRBM(rng(3).normal(size=(2, 2)), [0.5, -0.5], [0.2, 0.1], [0.7, 1.2])
EXPERTS = ae.ProductOfExperts([[1.0, 0.3], [0.2, 1.5], [0.7, -0.9]])
CAUSES = ae.LinearGenerative([[1.0, 0.5], [0.0, 1.0]], noise=0.5)
BINARY = (rng(4).random((30, 4)) < [0.2, 0.4, 0.6, 0.8]).astype(float)
REAL = rng(5).normal(size=(30, 2)) * [1.0, 0.5]
LOG_WEIGHTS = rng(6).normal(size=30)
X = rng(8).normal(size=(15, 1)) * 0.8 + 0.5
LOG_F, SLOPES = ae.log_density_matrix(PATH, BETAS, X), ae.log_density_slopes(PATH, BETAS, X)
COUNTS, CHAINS, LOG_Z = np.full(5, 3), np.tile(np.arange(3), 5), np.array([0.0, 0.1, 0.2, 0.3, 0.4])
SCORED = rng(13).normal(size=(4, 2))
SQUARE, ZEROS, TWO = np.array([[1.0, 0.2], [0.2, 0.5]]), np.zeros(2), np.array([1.0, 2.0])
RATES = np.array([0.1, 0.2, 0.3, 0.4])
COLOURS, MORE_COLOURS = ([rng(seed).uniform(0, 255, size=(9, 12, 3))] for seed in (9, 10))
GREYS, MORE_GREYS = ([rng(seed).uniform(0, 255, size=(40, 60))] for seed in (11, 12))
NARROW, WIDE = ae.Gaussian([0.0], [[0.5]]), ae.Gaussian([0.0], [[2.0]])
walk, long_walk = ae.random_walk(0.5), ae.random_walk(0.9)
KERNELS, SWAPS = (walk, long_walk), ("even_odd", "lifted")


class Made:
    """An argument that is made anew for every call, from the other arguments."""

    def __init__(self, make):
        self.make = make


@dataclass(frozen=True)
class Call:
    """A function and arguments with which it works; the arrays among these are data."""

    function: object
    good: dict
    options: dict = field(default_factory=dict)  # two values each, whose results must differ
    least: dict = field(default_factory=dict)  # of every count
    read: object = lambda result: result

    @property
    def parameters(self):
        return inspect.signature(self.function).parameters

    @property
    def takes_rng(self):
        return "rng" in self.parameters

    @property
    def arrays(self):
        return [name for name, value in self.good.items() if isinstance(value, np.ndarray)]

    def __call__(self, **changes):
        """All numbers of the result."""
        given = self.good | changes
        given = {name: value.make(given) if isinstance(value, Made) else value for name, value in given.items()}
        if "rng" in self.parameters:
            given.setdefault("rng", rng())
        return [number.copy() for number in numbers(self.read(self.function(**given)))]


def parameters_of(rbm):
    """Not sigma, which may be an option itself."""
    return rbm.weights, rbm.visible_bias, rbm.hidden_bias


def copies(states):
    return [(state.weights.copy(), state.particles.copy()) for state in states]


def training(_):
    return ae.contrastive_divergence(
        BINARY, 3, "cd", n_gibbs=1, n_updates=12, learning_rate=0.5, batch_size=10, rng=rng()
    )


def undecided(distribution, x, rng):
    """A kernel that leaves nothing invariant."""
    return x + 0.3 * rng.standard_normal(x.shape)


def square(x):
    return x**2


def of(method):
    return lambda model: getattr(model, method)(SCORED)


def first(n):
    return lambda results: list(islice(results, n))


ANNEALED = {"path": PATH, "schedule": BETAS, "n_chains": 4}
TEMPERED = {"path": TO_LAPLACE, "schedule": BETAS, "kernel": walk, "n_chains": 3}
MATRIX = {"log_density_matrix": LOG_F, "counts": COUNTS}
OF_MATRIX = {"chains": (None, CHAINS), "start_log_z": (None, 0.5)}
TRAINED = {"n_hidden": 3, "n_gibbs": 1, "n_updates": 60, "learning_rate": 2.0, "batch_size": 5}
LEARNING = {"method": ("cd", "pcd"), "n_gibbs": (1, 2), "n_updates": (60, 61), "learning_rate": (2.0, 2.1),
            "batch_size": (5, 6)}  # fmt: skip
LEAST = {"n_hidden": 1, "n_gibbs": 1, "n_updates": 1, "batch_size": 1}
MOMENTS = {"n_chains": 4, "n_steps": 6, "n_burn_in": 2}
MCRBM = {"filters": np.eye(2), "pooling": -np.eye(2), "covariance_bias": ZEROS, "mean_weights": np.eye(2),
         "mean_bias": ZEROS, "visible_bias": ZEROS}  # fmt: skip

CALLS = [
    # annealing
    Call(ae.ais, ANNEALED, {"kernel": (ae.gibbs, walk), "resample": (0, 1)}, {"n_chains": 1}),
    Call(AISResult.interval, {"self": AISResult(LOG_WEIGHTS, X, 0)},
         {"level": (0.5, 0.9), "n_resamples": (1, 400)}),
    Call(ae.reverse_ais, {"path": PATH, "schedule": BETAS, "samples": X}, {"kernel": (ae.gibbs, walk)}),
    Call(ae.reverse_ais, {"path": RBM_PATH, "schedule": BETAS, "samples": BINARY}),
    Call(ae.raise_log_likelihood, {"path": RBM_PATH, "schedule": BETAS, "data": BINARY, "n_chains": 3},
         {"kernel": (ae.gibbs, ae.exact)}, {"n_chains": 1}),
    Call(ae.sandwich, TEMPERED | {"n_burn_in": 2, "data": X + 3},
         {"kernel": KERNELS, "n_burn_in": (2, 3), "data": (None, X + 3)}, {"n_burn_in": 0, "n_chains": 1}),
    Call(ae.hais, ANNEALED, {"step_size": (0.2, 0.3), "refresh": (None, 0.5)}, {"n_chains": 1}),
    *(Call(ae.log_likelihood, {"model": model, "data": REAL[:3], "schedule": BETAS, "n_chains": 4},
           {"n_chains": (4, 5), "step_size": (0.2, 0.3)}, {"n_chains": 1}, lambda found: found.log_likelihoods)
      for model in (EXPERTS, CAUSES)),
    Call(ae.adaptive_schedule, {"path": PATH, "n_chains": 11, "kernel": walk}, {"ess": (0.9, 0.5)}, {"n_chains": 2},
         lambda found: found.schedule),
    Call(ae.expected_ais_weights, {"log_f": np.zeros((2, 2)), "transitions": [np.eye(2)]},
         {"starts": (None, np.array([True, False]))}),
    Call(ae.metropolis_matrix, {"log_f": TWO}),
    # tempering
    Call(ae.parallel_tempering, TEMPERED | {"n_sweeps": 4, "n_burn_in": 1},
         {"kernel": KERNELS, "swaps": SWAPS, "n_burn_in": (0, 1), "keep": ("all", "target"), "keep_every": (1, 2)},
         {"n_sweeps": 1, "n_chains": 1, "n_burn_in": 0, "keep_every": 1}),
    Call(ae.parallel_tempering, {"path": RBM_PATH, "schedule": BETAS, "n_sweeps": 4, "n_chains": 3}),
    Call(tempering_states, TEMPERED, {"kernel": KERNELS, "swaps": SWAPS}, {"n_chains": 1}, first(4)),
    Call(ae.simulated_tempering, TEMPERED | {"log_z": LOG_Z, "n_sweeps": 4, "n_burn_in": 1},
         {"kernel": KERNELS, "n_burn_in": (0, 1), "keep_every": (1, 2)},
         {"n_sweeps": 1, "n_chains": 1, "n_burn_in": 0, "keep_every": 1}),
    Call(ae.rts, TEMPERED | {"n_rounds": 4, "n_sweeps": 2, "n_initial": 0, "log_z": LOG_Z},
         {"kernel": KERNELS, "n_initial": (1, 3), "log_z": (None, np.arange(5.0))},
         {"n_rounds": 1, "n_sweeps": 1, "n_chains": 1, "n_initial": 0}),
    Call(rts_rounds, {"path": RBM_PATH, "schedule": BETAS, "n_initial": 1, "n_sweeps": 2, "n_chains": 3},
         {"kernel": (ae.gibbs, ae.exact), "log_z": (None, np.arange(5.0))},
         {"n_initial": 0, "n_sweeps": 1, "n_chains": 1}, first(2)),
    Call(ae.tempered_transitions, {"path": PATH, "schedule": BETAS}, {"kernel": KERNELS},
         read=lambda kernel: kernel.move(X, rng())),
    Call(count_round_trips, {"replicas": np.array([[[0], [1]], [[1], [0]], [[0], [1]]])}),
    Call(cumulative_barrier, {"schedule": BETAS, "rejection_rates": RATES}, read=lambda found: found(0.4)),
    Call(ae.equal_rejection_schedule, {"schedule": BETAS, "rejection_rates": RATES, "n_steps": 4}, {}, {"n_steps": 1}),
    # reweighting
    Call(ae.log_density_matrix, {"path": PATH, "schedule": BETAS, "x": X}),
    Call(ae.log_density_slopes, {"path": PATH, "schedule": BETAS, "x": X}),
    Call(ae.mbar, MATRIX | {"chains": CHAINS}, OF_MATRIX),
    Call(ae.stepping_stone, MATRIX | {"chains": CHAINS}, OF_MATRIX),
    Call(ae.thermodynamic_integration, MATRIX | {"schedule": BETAS, "chains": CHAINS, "slopes": SLOPES},
         OF_MATRIX | {"slopes": (None, 2 * SLOPES)}),
    Call(ae.thermodynamic_integration, MATRIX | {"schedule": BETAS, "rao_blackwellized": True, "log_z": LOG_Z},
         {"log_z": (LOG_Z, LOG_Z**2)}),
    Call(ae.thermodynamic_integration,
         MATRIX | {"schedule": BETAS, "log_z": Made(lambda given: LOG_Z if given.get("rao_blackwellized") else None)},
         {"rao_blackwellized": (False, True)}),
    # weights
    *(Call(f, {"log_weights": LOG_WEIGHTS})
      for f in (ae.effective_sample_size, ae.log_mean_exp, ae.normalised_weights, ae.pareto_tail_index)),
    Call(bootstrap_log_mean_exp, {"log_weights": LOG_WEIGHTS}, {"n_resamples": (2, 3)}, {"n_resamples": 1}),
    Call(larger_ess_p_value, {"log_weights": np.zeros(9), "others": np.zeros(8)}),
    # paths, schedules and moments
    Call(ae.linear_schedule, {"n_steps": 3}, {}, {"n_steps": 1}),
    Call(ae.piecewise_schedule, {"edges": np.array([0.0, 0.5, 1.0]), "n_steps": 3}, {}, {"n_steps": 2}),
    Call(ae.optimal_binned_schedule, {"path": ae.moment_path(PATH.start, PATH.end), "n_steps": 12}, {"n_bins": (2, 3)},
         {"n_bins": 1}),
    Call(ae.kl_bias, {"path": PATH, "schedule": BETAS}, {"reverse": (False, True)}),
    Call(ae.spline_path, {"betas": np.array([0.0, 1.0]), "distributions": [PATH.start, PATH.end]},
         read=lambda found: found.betas),
    Call(ae.moment_spline_path, {"p0": BLANK, "p1": RBM, "knots": 1}, {
        "knots": (1, 2), "target_moments": (None, OTHER_RBM.moments()),
        "fit": tuple(partial(ae.match_moments, tolerance=tolerance) for tolerance in (1e-6, 1e-1)),
    }, {"knots": 1}),
    Call(ae.match_moments, {"moments": RBM.moments(), "initial": BLANK},
         {"tolerance": (1e-1, 1e-6)}),
    Call(ae.pcd_fit, {"n_updates": 3, "n_particles": 4},
         {"n_updates": (3, 4), "n_particles": (4, 5), "learning_rate": (0.01, 0.1)},
         {"n_updates": 1, "n_particles": 1}, lambda fit: fit(RBM.moments(), BLANK)),
    Call(ae.data_moments, {"rbm": RBM, "data": BINARY}),
    Call(ae.estimate_moments, MOMENTS | {"rbm": RBM},
         {"n_chains": (4, 5), "n_steps": (6, 7), "n_burn_in": (2, 3), "every": (1, 2)},
         {"n_chains": 1, "n_steps": 3, "n_burn_in": 0, "every": 1}),
    Call(ae.estimate_mean_and_cov, MOMENTS | {"grbm": GRBM, "rao_blackwellized": False},
         {"n_chains": (4, 5), "n_steps": (6, 7), "n_burn_in": (2, 3), "rao_blackwellized": (True, False)},
         {"n_chains": 1, "n_steps": 3, "n_burn_in": 0}),
    Call(ae.covariance_path, {"mean": TWO, "cov": 2 * np.eye(2), "grbm": GRBM},
         read=lambda path: path(0.5).log_density(REAL)),
    Call(covariance_start, {"mean": TWO, "cov": SQUARE, "n_hidden": 2}, {}, {"n_hidden": 1}, of("log_density")),
    Call(widen_covariance, {"cov": SQUARE, "sigma": TWO}),
    Call(ae.base_rate_rbm, {"data": BINARY, "n_hidden": 1}, {}, {"n_hidden": 1}),
    Call(ae.uniform_rbm, {"n_visible": 3, "n_hidden": 2}, {}, {"n_visible": 1, "n_hidden": 1}),
    Call(ae.hmc, {"step_size": TWO, "n_leapfrog": 3}, {}, {"n_leapfrog": 1}, lambda kernel: kernel.step_size),
    # distributions
    Call(ae.Gaussian, {"mean": TWO, "cov": SQUARE}, {"log_scale": (0.0, 1.0)}, read=of("log_density")),
    Call(GaussianBernoulli, {"linear": ZEROS, "precision": SQUARE, "coupling": np.eye(2), "hidden_bias": TWO},
         {"constant": (0.0, 1.0)}, read=of("log_density")),
    Call(ae.Unnormalized, {"log_density": square, "dim": 2}, {"grad": (square, lambda x: -x)}, {},
         of("grad_log_density")),
    Call(ae.Unnormalized, {"log_density": square, "dim": 2}, {}, {"dim": 1}, lambda found: found.dim),
    Call(ae.BinaryRBM, {"weights": SQUARE, "visible_bias": TWO, "hidden_bias": ZEROS}),
    Call(ae.BinaryRBM.log_density, {"self": RBM, "v": BINARY}),
    Call(ae.GaussianRBM, {"weights": SQUARE, "visible_bias": TWO, "hidden_bias": ZEROS, "sigma": TWO},
         read=of("log_density")),
    Call(ae.GaussianRBM.log_density, {"self": GRBM, "v": REAL}),
    Call(ae.LinearGenerative, {"bases": SQUARE}, {"noise": (0.1, 0.5), "prior": ("gaussian", "laplace")},
         read=lambda model: model.sample(3, rng())),
    Call(ae.BilinearGenerative, {"bases": SQUARE, "c_weights": np.eye(2), "d_weights": np.ones((2, 1))},
         {"noise": (0.1, 0.5)}, read=lambda model: model.sample(3, rng())),
    Call(ae.MeanCovarianceRBM, MCRBM, {"sigma": (1.0, 2.0)}, read=of("log_density")),
    Call(ae.ProductOfExperts, {"filters": SQUARE, "weights": TWO},
         {"weights": (None, TWO), "expert": ("laplace", "student_t")}, read=of("log_density")),
    # training
    Call(ae.train_rbm, TRAINED | {"data": BINARY}, LEARNING | {"decay": (True, False)}, LEAST, parameters_of),
    Call(ae.train_rbm, TRAINED | {"data": BINARY, "method": "pt"}, {"swaps": SWAPS, "n_rungs": (3, 4)},
         {"n_rungs": 2}, parameters_of),
    Call(ae.contrastive_divergence,
         TRAINED | {"data": BINARY, "method": "pt", "n_updates": 3},
         {"swaps": SWAPS, "n_rungs": (3, 4), "decay": (True, False)}, {}, copies),
    Call(ae.train_gaussian_rbm, TRAINED | {"data": REAL, "sigma": TWO, "learning_rate": 0.5},
         LEARNING | {"learning_rate": (0.5, 0.6), "sigma": (1.0, [1.0, 0.5]), "learn_sigma": (True, False)},
         LEAST, parameters_of),
    Call(minimum_probability_flow,
         {"data": REAL, "model": EXPERTS, "n_rounds": 2, "n_iterations": 2, "step_size": 0.05, "n_leapfrog": 3},
         {"n_rounds": (2, 3), "n_iterations": (2, 3), "step_size": (0.05, 0.1), "n_leapfrog": (3, 4)},
         {"n_rounds": 1, "n_iterations": 1, "n_leapfrog": 1}),
    Call(expectation_maximisation, {"data": REAL, "model": CAUSES, "n_iterations": 2, "n_moves": 2},
         {"n_iterations": (2, 3), "n_moves": (2, 3)}, {"n_iterations": 1, "n_moves": 1}),
    Call(track_log_likelihood,
         {"states": Made(training), "train": BINARY, "validation": BINARY[:7], "every": 4, "n_sweeps": 2, "n_chains": 5,
          "schedule": BETAS},
         {"validation": (BINARY[:7], BINARY[7:]), "every": (4, 6), "n_sweeps": (2, 3), "n_chains": (5, 6),
          "schedule": (BETAS, ae.linear_schedule(5)), "both_layers": (True, False)},
         {"every": 1, "n_sweeps": 1, "n_chains": 1}, list),
    Call(ae.models.examine, {"rbm": RBM, "data": BINARY, "n_steps": 5, "n_chains": 5}, {}, {},
         lambda found: found.sandwich),
    # data and the audit
    Call(data.bars_and_stripes, {}, {"size": (2, 3)}, {"size": 2}),
    Call(data.color_patches, {"n": 20, "size": 3, "images": COLOURS},
         {"size": (2, 3), "images": (COLOURS, MORE_COLOURS)}, {"n": 2, "size": 2}),
    Call(data.digits, {}, {"size": (8, 28)}),
    Call(data.gray_patches, {"n": 20, "n_components": 3, "size": 3, "images": GREYS, "n_held_out": 4},
         {"n_components": (3, 4), "size": (3, 4), "images": (GREYS, MORE_GREYS), "n_held_out": (4, 5)},
         {"n": 4, "size": 2, "n_components": 1, "n_held_out": 1}),
    Call(ae.audit, {"subject": undecided, "on": NARROW, "n_draws": 1000},
         {"n_draws": (1000, 1001), "on": (NARROW, WIDE), "risk": (1e-3, 0.5)}),
]  # fmt: skip
