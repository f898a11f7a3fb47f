"""Models, with exact log Z and samples where they exist."""

from anneal_edu.distributions.binary_rbm import BinaryRBM, base_rate_rbm, uniform_rbm
from anneal_edu.distributions.enumeration import binary_states
from anneal_edu.distributions.gaussian import Gaussian
from anneal_edu.distributions.gaussian_bernoulli import GaussianBernoulli
from anneal_edu.distributions.gaussian_rbm import GaussianRBM
from anneal_edu.distributions.generative import BilinearGenerative, LatentPosterior, LinearGenerative
from anneal_edu.distributions.joint_rbm import JointRBM
from anneal_edu.distributions.mean_covariance_rbm import MeanCovarianceRBM
from anneal_edu.distributions.product_of_experts import ProductOfExperts
from anneal_edu.distributions.protocol import (
    Distribution,
    ExponentialFamily,
    FitsMoments,
    Generative,
    MomentAverages,
    Start,
)
from anneal_edu.distributions.unnormalized import GeometricBridge, Unnormalized

__all__ = [  # noqa: RUF022
    # what the library asks of a distribution
    "Distribution", "ExponentialFamily", "FitsMoments", "Generative", "MomentAverages", "Start",
    # distributions of real numbers
    "BilinearGenerative", "Gaussian", "GaussianBernoulli", "GaussianRBM", "GeometricBridge", "LatentPosterior",
    "LinearGenerative", "MeanCovarianceRBM", "ProductOfExperts", "Unnormalized",
    # and of binary ones
    "BinaryRBM", "JointRBM", "base_rate_rbm", "binary_states", "uniform_rbm",
]  # fmt: skip
