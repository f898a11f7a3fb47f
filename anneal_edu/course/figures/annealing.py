"""Annealed importance sampling: estimates against the number of steps."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import STYLES, projected


@projected()
def estimates(ax: Axes, name: str, n_steps: np.ndarray, log_z: np.ndarray, intervals: np.ndarray, style: str) -> None:
    """Estimates log Ẑ (n,) with intervals (n, 2) against the number of steps K (n,)."""
    artists.bars(ax, f"{name} intervals", n_steps, *np.transpose(intervals), style)
    artists.line(ax, name, n_steps, log_z, **STYLES[style])
