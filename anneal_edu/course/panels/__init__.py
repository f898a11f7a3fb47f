"""Slider panels, one file each, on the base that `Panel` documents.

The numbers behind a panel can be had from its module, as ``ae.panels.tiny_world.annealed_wells``.
"""

from anneal_edu.course.panels.annealed_walk import AnnealedWalk
from anneal_edu.course.panels.annealing_runs import AnnealingRuns
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.bias_decay import BiasDecay
from anneal_edu.course.panels.digits_annealing import DigitsAnnealing
from anneal_edu.course.panels.equal_areas import EqualAreas
from anneal_edu.course.panels.first_path import FirstPath
from anneal_edu.course.panels.half_plane import HalfPlane
from anneal_edu.course.panels.hamiltonian_convergence import HamiltonianConvergence
from anneal_edu.course.panels.image_models import ImageModels
from anneal_edu.course.panels.large_models import LargeModels
from anneal_edu.course.panels.likelihood_tracking import LikelihoodTracking
from anneal_edu.course.panels.missing_area import MissingArea
from anneal_edu.course.panels.momentum_trails import MomentumTrails
from anneal_edu.course.panels.one_ladder import OneLadder
from anneal_edu.course.panels.one_matrix import OneMatrix
from anneal_edu.course.panels.particles_and_modes import ParticlesAndModes
from anneal_edu.course.panels.samples_along_paths import SamplesAlongPaths
from anneal_edu.course.panels.sandwich_gap import SandwichGap
from anneal_edu.course.panels.starts_against_steps import StartsAgainstSteps
from anneal_edu.course.panels.tempered_training import TemperedTraining
from anneal_edu.course.panels.tempered_walk import TemperedWalk
from anneal_edu.course.panels.tiny_world import TinyWorld
from anneal_edu.course.panels.two_paths import TwoPaths
from anneal_edu.course.panels.where_the_knots_sit import WhereTheKnotsSit
from anneal_edu.course.panels.where_to_start import WhereToStart
from anneal_edu.course.panels.which_is_wrong import WhichIsWrong
from anneal_edu.course.panels.who_visits_the_target import WhoVisitsTheTarget
from anneal_edu.course.panels.whom_to_believe import WhomToBelieve
from anneal_edu.course.panels.width_of_a_step import WidthOfAStep

__all__ = [
    "AnnealedWalk",
    "AnnealingRuns",
    "BiasDecay",
    "DigitsAnnealing",
    "EqualAreas",
    "FirstPath",
    "HalfPlane",
    "HamiltonianConvergence",
    "ImageModels",
    "LargeModels",
    "LikelihoodTracking",
    "MissingArea",
    "MomentumTrails",
    "OneLadder",
    "OneMatrix",
    "Panel",
    "ParticlesAndModes",
    "Readout",
    "SamplesAlongPaths",
    "SandwichGap",
    "StartsAgainstSteps",
    "TemperedTraining",
    "TemperedWalk",
    "TinyWorld",
    "TwoPaths",
    "WhereTheKnotsSit",
    "WhereToStart",
    "WhichIsWrong",
    "WhoVisitsTheTarget",
    "WhomToBelieve",
    "WidthOfAStep",
]
