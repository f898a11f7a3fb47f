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

__all__ = [  # noqa: RUF022
    # whole trainings
    "expectation_maximisation", "minimum_probability_flow", "train_gaussian_rbm", "train_rbm",
    # their iterations
    "EMStep", "FlowRound", "GaussianTrainingState", "TrackedLikelihood", "TrainingState", "contrastive_divergence",
    "em_steps", "energy_slopes", "flow_rounds", "gaussian_contrastive_divergence", "track_log_likelihood",
]  # fmt: skip
