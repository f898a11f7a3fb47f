"""Models, with their exact answers where they have them."""

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
    Binary,
    Differentiable,
    Discrete,
    Distribution,
    Enumerable,
    ExponentialFamily,
    FitsMoments,
    Generative,
    GeometricAverages,
    GibbsBackwards,
    GibbsSteps,
    HiddenUnits,
    KnownLogZ,
    MomentAverages,
    Samplable,
    Start,
    SumsHidden,
    Walled,
)
from anneal_edu.distributions.unnormalized import GeometricBridge, Unnormalized

__all__ = [
    "BilinearGenerative",
    "Binary",
    "BinaryRBM",
    "Differentiable",
    "Discrete",
    "Distribution",
    "Enumerable",
    "ExponentialFamily",
    "FitsMoments",
    "Gaussian",
    "GaussianBernoulli",
    "GaussianRBM",
    "Generative",
    "GeometricAverages",
    "GeometricBridge",
    "GibbsBackwards",
    "GibbsSteps",
    "HiddenUnits",
    "JointRBM",
    "KnownLogZ",
    "LatentPosterior",
    "LinearGenerative",
    "MeanCovarianceRBM",
    "MomentAverages",
    "ProductOfExperts",
    "Samplable",
    "Start",
    "SumsHidden",
    "Unnormalized",
    "Walled",
    "base_rate_rbm",
    "binary_states",
    "uniform_rbm",
]
