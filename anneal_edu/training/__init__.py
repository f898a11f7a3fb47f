"""Fitting models to data."""

from anneal_edu.training.contrastive_divergence import TrainingState, contrastive_divergence, train_rbm
from anneal_edu.training.gaussian_contrastive_divergence import (
    GaussianTrainingState,
    energy_slopes,
    gaussian_contrastive_divergence,
    train_gaussian_rbm,
)
from anneal_edu.training.minimum_probability_flow import FlowRound, flow_rounds, minimum_probability_flow

__all__ = [
    "FlowRound",
    "GaussianTrainingState",
    "TrainingState",
    "contrastive_divergence",
    "energy_slopes",
    "flow_rounds",
    "gaussian_contrastive_divergence",
    "minimum_probability_flow",
    "train_gaussian_rbm",
    "train_rbm",
]
