"""Fitting models to data."""

from anneal_edu.training.em_hmc import EMStep, em_steps, expectation_maximisation
from anneal_edu.training.gaussian_rbm import (
    GaussianTrainingState,
    energy_slopes,
    gaussian_contrastive_divergence,
    train_gaussian_rbm,
)
from anneal_edu.training.likelihood_tracking import TrackedLikelihood, track_log_likelihood
from anneal_edu.training.mpf import FlowRound, flow_rounds, minimum_probability_flow
from anneal_edu.training.rbm import TrainingState, contrastive_divergence, train_rbm

__all__ = [
    "EMStep",
    "FlowRound",
    "GaussianTrainingState",
    "TrackedLikelihood",
    "TrainingState",
    "contrastive_divergence",
    "em_steps",
    "energy_slopes",
    "expectation_maximisation",
    "flow_rounds",
    "gaussian_contrastive_divergence",
    "minimum_probability_flow",
    "track_log_likelihood",
    "train_gaussian_rbm",
    "train_rbm",
]
