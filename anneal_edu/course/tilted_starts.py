"""Starts of AIS to the four modes of Kiwaki and Aihara (2015), Figures 2 and 3, that are tilted and widened at will."""

import numpy as np

from anneal_edu.course.experiments.kiwaki import four_modes
from anneal_edu.paths.covariance import GaussianRBMPath, covariance_path, widen_covariance


def tilted_path(tilt: float, width: float) -> GaussianRBMPath:
    """To the four modes from a Gaussian of ``width`` times their standard deviations, with the correlation ``tilt``.

    The start is nowhere narrower than the noise.
    """
    grbm = four_modes()
    mean, cov = grbm.mean_and_cov()
    wide, _ = widen_covariance(width**2 * cov[0, 0] * np.array([[1.0, tilt], [tilt, 1.0]]), grbm.sigma)
    return covariance_path(mean, wide, grbm)


TILTS = np.linspace(-0.9, 0.9, 13)
WIDTHS = np.array([0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.15, 1.35, 1.6, 2.0])
ESS_OF_TILTED = np.array([
    [95, 110, 89, 96, 102, 115, 170, 208, 259, 297, 323, 360, 381],
    [85, 93, 86, 107, 168, 233, 290, 353, 405, 448, 474, 500, 514],
    [75, 85, 105, 192, 257, 328, 399, 457, 507, 551, 562, 570, 587],
    [75, 82, 167, 259, 335, 400, 462, 514, 560, 604, 635, 599, 626],
    [74, 126, 250, 347, 414, 465, 512, 549, 591, 633, 668, 686, 639],
    [60, 186, 309, 390, 439, 490, 522, 556, 587, 622, 658, 693, 639],
    [71, 234, 342, 405, 453, 486, 513, 541, 568, 599, 635, 668, 636],
    [103, 278, 364, 410, 438, 465, 485, 505, 527, 551, 580, 622, 645],
    [149, 298, 362, 388, 410, 423, 439, 453, 476, 491, 516, 557, 612],
    [193, 296, 330, 341, 355, 356, 368, 372, 387, 406, 421, 457, 519],
])
"""ESS of 1,000 chains, 8 steps of the paper's schedule, at every width (rows) and tilt: the mean of forty runs."""
