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
    [115, 100, 85, 120, 63, 135, 191, 194, 244, 290, 350, 370, 402],
    [113, 88, 117, 109, 182, 255, 315, 359, 418, 446, 482, 505, 522],
    [104, 54, 140, 229, 274, 364, 406, 467, 516, 549, 576, 597, 610],
    [102, 103, 216, 299, 366, 426, 459, 529, 568, 603, 639, 645, 645],
    [86, 170, 277, 362, 413, 458, 518, 553, 593, 625, 664, 682, 630],
    [85, 232, 330, 401, 443, 480, 518, 559, 581, 618, 654, 692, 672],
    [87, 265, 353, 403, 452, 475, 513, 536, 565, 591, 636, 669, 673],
    [127, 296, 358, 396, 422, 448, 483, 498, 517, 543, 572, 613, 652],
    [187, 309, 346, 376, 391, 405, 437, 444, 459, 477, 500, 551, 602],
    [212, 285, 307, 332, 333, 343, 354, 365, 391, 389, 399, 436, 504],
])
"""ESS of 1,000 chains, 8 steps of the paper's schedule, at every width (rows) and tilt: the mean of three runs."""
