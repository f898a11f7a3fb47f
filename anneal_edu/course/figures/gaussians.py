"""Gaussians in the plane, and the paths between them."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import STYLES, projected


@projected()
def contours(ax: Axes, name: str, mean: np.ndarray, cov: np.ndarray, style: str, **look) -> None:
    """The contours of a Gaussian at one and two standard deviations.

    Parameters
    ----------
    ax : Axes
    name : str
        Calling again with the same name moves the contours.
    mean, cov : (2,) and (2, 2) array
    style : str
        A key of `anneal_edu.course.figures.style.STYLES`.
    **look
        Properties of a Line2D.
    """
    angle = np.linspace(0, 2 * np.pi, 121)
    circle = np.linalg.cholesky(cov) @ np.array([np.cos(angle), np.sin(angle)])  # (2, 121)
    gap = np.full((2, 1), np.nan)
    x, y = mean[:, None] + np.hstack([circle, gap, 2 * circle])
    artists.curve(ax, name, x, y, style, gaps=True, **look)


@projected()
def means_along_path(ax: Axes, name: str, means: np.ndarray, style: str) -> None:
    """The trace of μ(β), with a mark at every given mean (K+1, 2)."""
    marker_size = 4 if len(means) <= 17 else 2.5
    artists.line(ax, name, means[:, 0], means[:, 1], **STYLES[style], linewidth=1.2, markersize=marker_size)


@projected()
def neighbour_overlaps(ax: Axes, name: str, betas: np.ndarray, overlaps: np.ndarray, style: str) -> None:
    """Overlap (K,) of p(β_{k-1}) and p(β_k), drawn over the middle of each step of the schedule ``betas`` (K+1,)."""
    marker_size = 7 if len(overlaps) <= 16 else 4
    artists.line(ax, name, (betas[1:] + betas[:-1]) / 2, overlaps, **STYLES[style], markersize=marker_size)
