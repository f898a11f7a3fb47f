"""Partition functions by annealing and tempering: a library that is meant to be read.

A *path* is a function from β in [0, 1] to a *distribution*. An *estimator* walks it; a *kernel* moves chains meanwhile.

What one calls has a name here. The pieces of an algorithm, which lessons print, stand in its room:
``ae.annealing.ais.anneal``. What lessons alone need is in ``ae.figures``, ``ae.panels``, ``ae.check``,
``ae.bugs`` and ``ae.experiments``.
"""

import types
from importlib import import_module

from anneal_edu import data, models
from anneal_edu.annealing.adaptive import adaptive_schedule
from anneal_edu.annealing.ais import ais
from anneal_edu.annealing.hais import hais
from anneal_edu.annealing.likelihood import log_likelihood, raise_log_likelihood
from anneal_edu.annealing.matrices import expected_ais_weights, gibbs_matrix, metropolis_matrix
from anneal_edu.annealing.reverse import reverse_ais, sandwich
from anneal_edu.auditing.audit import audit
from anneal_edu.course.source import show_source
from anneal_edu.distributions import (
    BilinearGenerative,
    BinaryRBM,
    Gaussian,
    GaussianRBM,
    JointRBM,
    LinearGenerative,
    MeanCovarianceRBM,
    ProductOfExperts,
    Unnormalized,
    base_rate_rbm,
    binary_states,
    hidden_states,
    uniform_rbm,
)
from anneal_edu.kernels import exact, gibbs, hmc, random_walk
from anneal_edu.paths.asymptotics import (
    cost_functional,
    kl_bias,
    kl_divergence,
    path_length,
    segment_costs,
    symmetric_kl,
)
from anneal_edu.paths.chain_moments import data_moments, estimate_mean_and_cov, estimate_moments, pcd_fit
from anneal_edu.paths.covariance import covariance_path
from anneal_edu.paths.geometric import geometric_path, moment_path
from anneal_edu.paths.hellinger import hellinger_path
from anneal_edu.paths.moment_matching import match_moments
from anneal_edu.paths.schedules import linear_schedule, optimal_allocation, optimal_binned_schedule, piecewise_schedule
from anneal_edu.paths.splines import moment_spline_path, spline_path
from anneal_edu.reweighting.density_matrix import log_density_matrix, log_density_slopes
from anneal_edu.reweighting.integration import thermodynamic_integration
from anneal_edu.reweighting.mbar import mbar
from anneal_edu.reweighting.stepping_stone import stepping_stone
from anneal_edu.tempering.ladders import equal_rejection_schedule
from anneal_edu.tempering.parallel import parallel_tempering
from anneal_edu.tempering.rts import rts
from anneal_edu.tempering.simulated import simulated_tempering
from anneal_edu.tempering.transitions import tempered_transitions
from anneal_edu.training import contrastive_divergence, train_gaussian_rbm, train_rbm
from anneal_edu.weights import effective_sample_size, log_mean_exp, normalised_weights, pareto_tail_index

__all__ = [  # noqa: RUF022
    # distributions
    "BilinearGenerative", "BinaryRBM", "Gaussian", "GaussianRBM", "JointRBM", "LinearGenerative", "MeanCovarianceRBM",
    "ProductOfExperts", "Unnormalized", "base_rate_rbm", "binary_states", "hidden_states", "uniform_rbm",
    # paths and schedules
    "covariance_path", "geometric_path", "hellinger_path", "moment_path", "moment_spline_path", "spline_path",
    "data_moments", "estimate_mean_and_cov", "estimate_moments", "match_moments", "pcd_fit",
    "adaptive_schedule", "equal_rejection_schedule", "linear_schedule", "optimal_allocation", "optimal_binned_schedule",
    "piecewise_schedule", "cost_functional", "kl_bias", "kl_divergence", "path_length", "segment_costs", "symmetric_kl",
    # kernels
    "exact", "gibbs", "hmc", "random_walk", "tempered_transitions",
    # estimators
    "ais", "hais", "log_likelihood", "mbar", "parallel_tempering", "raise_log_likelihood", "reverse_ais", "rts",
    "sandwich", "simulated_tempering", "stepping_stone", "thermodynamic_integration",
    "log_density_matrix", "log_density_slopes",
    # exact answers and diagnostics
    "audit", "effective_sample_size", "expected_ais_weights", "gibbs_matrix", "log_mean_exp", "metropolis_matrix",
    "normalised_weights", "pareto_tail_index",
    # models, data, training, and how the algorithms look
    "contrastive_divergence", "data", "models", "show_source", "train_gaussian_rbm", "train_rbm",
]  # fmt: skip

# imported on first use: the library needs no display
_OF_THE_COURSE = ("bugs", "check", "experiments", "figures", "panels")


def __getattr__(name: str) -> types.ModuleType:
    if name in _OF_THE_COURSE:
        try:
            return import_module(f"anneal_edu.course.{name}")
        except ModuleNotFoundError as error:
            raise ImportError(f"ae.{name} needs {error.name}: pip install anneal-edu[lab]") from error
    raise AttributeError(f"module 'anneal_edu' has no attribute {name!r}")
