"""Ends for notebook 02 between which it takes thought how to turn the plane, and what a Gibbs sweep keeps there."""

from functools import cache

import numpy as np

from anneal_edu.distributions import Gaussian
from anneal_edu.paths.geometric import geometric_path, moment_path
from anneal_edu.paths.schedules import linear_schedule

NEARLY = 0.03  # of what a sweep keeps
# long axis, line of the means and their distance; no slip is near another, or the right angle
_FAR = ((0.25, 0.5, 25.0), (1.3, 1.05, 25.0), (-0.25, 1.0, 25.0))
# neither the line of the means will do, nor the middle cloud; nor where r, with its sign, has the mean 0
_NEAR = ((0.25, 0.5, 2.0), (0.7, 2.0, 2.75), (-0.7, 0.75, 3.65))
# covariance (its two variances and what is between) and gap: no mixture of both will do, whatever its weights
_MIXED = (
    ((1.539, 0.262, 0.574), (0.65, 4.731)),
    ((0.79, 3.41, -1.387), (4.037, 3.052)),
    ((0.421, 0.038, 0.079), (0.469, 2.05)),
    ((0.311, 0.138, -0.179), (0.542, 1.18)),
    ((0.168, 4.72, 0.593), (4.592, 2.376)),
    ((1.048, 0.149, 0.151), (-0.145, 2.731)),
    ((0.17, 0.104, 0.075), (-0.832, 1.017)),
    ((0.036, 0.078, -0.024), (8.305, 0.432)),
    ((0.457, 0.086, -0.156), (-3.14, 2.26)),
    ((287.0, 1621.0, -360.0), (193.2, -13.6)),
)


@cache
def ends_in_the_plane() -> list[tuple[Gaussian, Gaussian]]:
    """The two ends of every case."""
    pairs = []
    for long_axis, line, apart in _FAR + _NEAR:
        axis, gap = (length * np.array([np.cos(a), np.sin(a)]) for length, a in ((1.0, long_axis), (apart, line)))
        pairs.append((0.2 * np.eye(2) + 2.0 * np.outer(axis, axis), gap))
    pairs += [(np.array([[a, c], [c, b]]), np.array(gap)) for (a, b, c), gap in _MIXED]
    middle = np.array([-30.0, 4.0])  # where the two stand says nothing, how they stand to each other does
    return [(Gaussian(middle - gap / 2, cov), Gaussian(middle + gap / 2, cov)) for cov, gap in pairs]


def kept_at(p0: Gaussian, p1: Gaussian, style: str, angles: np.ndarray) -> np.ndarray:
    """The mean over β of r², what a Gibbs sweep keeps, along a path whose plane is turned by each of the angles."""
    c, s = np.cos(angles), np.sin(angles)
    turn = np.moveaxis(np.array([[c, -s], [s, c]]), 2, 0)[:, None]  # (n, 1, 2, 2)
    path = {"geometric": geometric_path, "moments": moment_path}[style](p0, p1)
    covs = turn @ np.array([path(beta).cov for beta in linear_schedule(50)]) @ turn.swapaxes(2, 3)
    return (covs[..., 0, 1] ** 2 / (covs[..., 0, 0] * covs[..., 1, 1])).mean(1)


@cache
def least_kept(number: int, style: str) -> float:
    """The least that a sweep keeps between these ends, over all angles."""
    every = np.linspace(0, np.pi / 2, 361)
    return float(kept_at(*ends_in_the_plane()[number], style, every).min())


def is_good(number: int, style: str, angle: float) -> bool:
    """Whether this angle, or one a degree from it, keeps nearly as little as any between these ends."""
    about = angle + np.radians([-1.1, -0.5, 0.0, 0.5, 1.1])
    return bool(kept_at(*ends_in_the_plane()[number], style, about).min() <= least_kept(number, style) + NEARLY)
