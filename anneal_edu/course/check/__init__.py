"""Self-checks for the exercises, one file a notebook: ae.check.start.…, ae.check.two_paths.…"""

from anneal_edu.course.check import (
    bias,
    bugs,
    covariance_start,
    first_rbm,
    image_models,
    importance_sampling,
    likelihood_tracking,
    momentum,
    sandwich,
    splines,
    start,
    swaps,
    tempered_sampling,
    tempered_training,
    trust,
    two_paths,
)

__all__ = [
    "bias",
    "bugs",
    "covariance_start",
    "first_rbm",
    "image_models",
    "importance_sampling",
    "likelihood_tracking",
    "momentum",
    "sandwich",
    "splines",
    "start",
    "swaps",
    "tempered_sampling",
    "tempered_training",
    "trust",
    "two_paths",
]
