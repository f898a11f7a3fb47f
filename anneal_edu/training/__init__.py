"""Fitting models to data."""

from anneal_edu.training.contrastive_divergence import TrainingState, contrastive_divergence, train_rbm
from anneal_edu.training.gaussian_contrastive_divergence import (
    GaussianTrainingState,
    energy_slopes,
    gaussian_contrastive_divergence,
    train_gaussian_rbm,
)

__all__ = [
    "GaussianTrainingState",
    "TrainingState",
    "contrastive_divergence",
    "energy_slopes",
    "gaussian_contrastive_divergence",
    "train_gaussian_rbm",
    "train_rbm",
]
