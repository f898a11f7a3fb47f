"""Partition functions by annealing and tempering: a library that is meant to be read.

A *path* is a function from β in [0, 1] to a *distribution*. An *estimator* walks it; a *kernel* moves chains meanwhile.

What one calls has a name here. The pieces of an algorithm, which lessons print, stand in its room:
``ae.annealing.ais.anneal``. What lessons alone need is in ``ae.figures``, ``ae.panels``, ``ae.check``,
``ae.bugs`` and ``ae.experiments``.
"""

import types
from importlib import import_module

from anneal_edu import data, models
from anneal_edu.annealing.adaptive import AdaptiveSchedule, adaptive_schedule
from anneal_edu.annealing.ais import AISResult, ais
from anneal_edu.annealing.hais import HAISResult, hais
from anneal_edu.annealing.likelihood import LikelihoodResult, log_likelihood, raise_log_likelihood
from anneal_edu.annealing.matrices import expected_ais_weights, gibbs_matrix, metropolis_matrix, state_distributions
from anneal_edu.annealing.reverse import ReverseAISResult, Sandwich, reverse_ais, sandwich
from anneal_edu.auditing.audit import audit
from anneal_edu.auditing.report import AuditResult, Finding
from anneal_edu.distributions import (
    BilinearGenerative,
    BinaryRBM,
    Distribution,
    Gaussian,
    GaussianBernoulli,
    GaussianRBM,
    JointRBM,
    LatentPosterior,
    LinearGenerative,
    MeanCovarianceRBM,
    ProductOfExperts,
    Unnormalized,
    base_rate_rbm,
    binary_states,
    hidden_states,
    uniform_rbm,
)
from anneal_edu.estimate import Diagnostic, Estimate
from anneal_edu.kernels import Kernel, exact, gibbs, hmc, random_walk
from anneal_edu.paths.asymptotics import (
    cost_functional,
    kl_bias,
    kl_divergence,
    path_length,
    segment_costs,
    symmetric_kl,
)
from anneal_edu.paths.capabilities import Path
from anneal_edu.paths.chain_moments import data_moments, estimate_mean_and_cov, estimate_moments, pcd_fit
from anneal_edu.paths.covariance import auxiliary_gibbs, covariance_path, covariance_start, widen_covariance
from anneal_edu.paths.geometric import geometric_path, moment_path
from anneal_edu.paths.hellinger import hellinger_path
from anneal_edu.paths.moment_matching import MomentMatch, match_moments
from anneal_edu.paths.schedules import linear_schedule, optimal_allocation, optimal_binned_schedule, piecewise_schedule
from anneal_edu.paths.splines import moment_spline_path, spline_path
from anneal_edu.reweighting.density_matrix import log_density_matrix, log_density_slopes
from anneal_edu.reweighting.integration import ThermodynamicIntegrationResult, thermodynamic_integration
from anneal_edu.reweighting.mbar import MBARResult, mbar
from anneal_edu.reweighting.stepping_stone import SteppingStoneResult, stepping_stone
from anneal_edu.tempering.ladders import cumulative_barrier, equal_rejection_schedule
from anneal_edu.tempering.matrices import expected_round_trip_time
from anneal_edu.tempering.parallel import TemperingResult, parallel_tempering, tempering_states
from anneal_edu.tempering.record import count_round_trips
from anneal_edu.tempering.rts import RTSResult, RTSRound, rts, rts_rounds
from anneal_edu.tempering.simulated import SimulatedTemperingResult, log_conditionals, simulated_tempering
from anneal_edu.tempering.transitions import tempered_transitions
from anneal_edu.training import (
    contrastive_divergence,
    expectation_maximisation,
    minimum_probability_flow,
    track_log_likelihood,
    train_gaussian_rbm,
    train_rbm,
)
from anneal_edu.weights import (
    bootstrap_log_mean_exp,
    effective_sample_size,
    larger_ess_p_value,
    log_mean_exp,
    normalised_weights,
    pareto_tail_index,
)

__all__ = [
    "AISResult",
    "AdaptiveSchedule",
    "AuditResult",
    "BilinearGenerative",
    "BinaryRBM",
    "Diagnostic",
    "Distribution",
    "Estimate",
    "Finding",
    "Gaussian",
    "GaussianBernoulli",
    "GaussianRBM",
    "HAISResult",
    "JointRBM",
    "Kernel",
    "LatentPosterior",
    "LikelihoodResult",
    "LinearGenerative",
    "MBARResult",
    "MeanCovarianceRBM",
    "MomentMatch",
    "Path",
    "ProductOfExperts",
    "RTSResult",
    "RTSRound",
    "ReverseAISResult",
    "Sandwich",
    "SimulatedTemperingResult",
    "SteppingStoneResult",
    "TemperingResult",
    "ThermodynamicIntegrationResult",
    "Unnormalized",
    "adaptive_schedule",
    "ais",
    "audit",
    "auxiliary_gibbs",
    "base_rate_rbm",
    "binary_states",
    "bootstrap_log_mean_exp",
    "contrastive_divergence",
    "cost_functional",
    "count_round_trips",
    "covariance_path",
    "covariance_start",
    "cumulative_barrier",
    "data",
    "data_moments",
    "effective_sample_size",
    "equal_rejection_schedule",
    "estimate_mean_and_cov",
    "estimate_moments",
    "exact",
    "expectation_maximisation",
    "expected_ais_weights",
    "expected_round_trip_time",
    "geometric_path",
    "gibbs",
    "gibbs_matrix",
    "hais",
    "hellinger_path",
    "hidden_states",
    "hmc",
    "kl_bias",
    "kl_divergence",
    "larger_ess_p_value",
    "linear_schedule",
    "log_conditionals",
    "log_density_matrix",
    "log_density_slopes",
    "log_likelihood",
    "log_mean_exp",
    "match_moments",
    "mbar",
    "metropolis_matrix",
    "minimum_probability_flow",
    "models",
    "moment_path",
    "moment_spline_path",
    "normalised_weights",
    "optimal_allocation",
    "optimal_binned_schedule",
    "parallel_tempering",
    "pareto_tail_index",
    "path_length",
    "pcd_fit",
    "piecewise_schedule",
    "raise_log_likelihood",
    "random_walk",
    "reverse_ais",
    "rts",
    "rts_rounds",
    "sandwich",
    "segment_costs",
    "simulated_tempering",
    "spline_path",
    "state_distributions",
    "stepping_stone",
    "symmetric_kl",
    "tempered_transitions",
    "tempering_states",
    "thermodynamic_integration",
    "track_log_likelihood",
    "train_gaussian_rbm",
    "train_rbm",
    "uniform_rbm",
    "widen_covariance",
]

# imported on first use: the library needs no display
_OF_THE_COURSE = ("bugs", "check", "experiments", "figures", "panels")


def __getattr__(name: str) -> types.ModuleType:
    if name in _OF_THE_COURSE:
        try:
            return import_module(f"anneal_edu.course.{name}")
        except ModuleNotFoundError as error:
            raise ImportError(f"ae.{name} needs {error.name}: pip install anneal-edu[lab]") from error
    raise AttributeError(f"module 'anneal_edu' has no attribute {name!r}")
