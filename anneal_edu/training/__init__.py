"""Fitting models to data."""

from anneal_edu.training.contrastive_divergence import TrainingState, contrastive_divergence, train_rbm

__all__ = ["TrainingState", "contrastive_divergence", "train_rbm"]
