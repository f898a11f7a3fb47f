"""Slider panels, one file each, on the base that `Panel` documents."""

from anneal_edu.panels.annealing_runs import AnnealingRuns
from anneal_edu.panels.base import Panel, Reading
from anneal_edu.panels.bias_decay import BiasDecay
from anneal_edu.panels.digits_annealing import DigitsAnnealing
from anneal_edu.panels.estimates_against_steps import EstimatesAgainstSteps
from anneal_edu.panels.first_path import FirstPath
from anneal_edu.panels.four_modes import FourModes
from anneal_edu.panels.hamiltonian_convergence import HamiltonianConvergence
from anneal_edu.panels.image_models import ImageModels
from anneal_edu.panels.importance_sampling import ImportanceSampling
from anneal_edu.panels.ladder_adaptation import LadderAdaptation
from anneal_edu.panels.likelihood_tracking import LikelihoodTracking
from anneal_edu.panels.momentum_trails import MomentumTrails
from anneal_edu.panels.one_matrix import OneMatrix
from anneal_edu.panels.particles_and_modes import ParticlesAndModes
from anneal_edu.panels.replica_walks import ReplicaWalks
from anneal_edu.panels.rungs_against_error import RungsAgainstError
from anneal_edu.panels.samples_along_paths import SamplesAlongPaths
from anneal_edu.panels.sandwich_gap import SandwichGap
from anneal_edu.panels.start_covariance import StartCovariance
from anneal_edu.panels.starts_against_steps import StartsAgainstSteps
from anneal_edu.panels.tempered_modes import TemperedModes
from anneal_edu.panels.tempered_training import TemperedTraining
from anneal_edu.panels.tempered_walk import TemperedWalk
from anneal_edu.panels.tiny_world import TinyWorld
from anneal_edu.panels.two_paths import TwoPaths
from anneal_edu.panels.where_the_knots_sit import WhereTheKnotsSit
from anneal_edu.panels.whom_to_believe import WhomToBelieve

__all__ = [
    "AnnealingRuns",
    "BiasDecay",
    "DigitsAnnealing",
    "EstimatesAgainstSteps",
    "FirstPath",
    "FourModes",
    "HamiltonianConvergence",
    "ImageModels",
    "ImportanceSampling",
    "LadderAdaptation",
    "LikelihoodTracking",
    "MomentumTrails",
    "OneMatrix",
    "Panel",
    "ParticlesAndModes",
    "Reading",
    "ReplicaWalks",
    "RungsAgainstError",
    "SamplesAlongPaths",
    "SandwichGap",
    "StartCovariance",
    "StartsAgainstSteps",
    "TemperedModes",
    "TemperedTraining",
    "TemperedWalk",
    "TinyWorld",
    "TwoPaths",
    "WhereTheKnotsSit",
    "WhomToBelieve",
]
