"""Bars and stripes: a small set of images that are far apart."""

from __future__ import annotations

import numpy as np

from anneal_edu.distributions import binary_states
from anneal_edu.validation import as_count


def bars_and_stripes(size: int = 4) -> np.ndarray:
    """All distinct images whose rows are each black or white (stripes), or whose columns are (bars)  (MacKay 2003).

    There are N = 2^(size+1) - 2: the two plain images are bars and stripes at once. No model of these images can have
    a mean log likelihood above -log N, that of the uniform distribution over them.

    Parameters
    ----------
    size : int
        Side of the images in pixels, 2 to 16.

    Returns
    -------
    (N, size²) float32 array of 0 and 1, rows of pixels one after another; stripes first

    Examples
    --------
    >>> import anneal_edu as ae
    >>> ae.data.bars_and_stripes(2)
    array([[0., 0., 0., 0.],
           [0., 0., 1., 1.],
           [1., 1., 0., 0.],
           [1., 1., 1., 1.],
           [0., 1., 0., 1.],
           [1., 0., 1., 0.]], dtype=float32)
    """
    size = as_count("size", size, minimum=2)
    if size > 16:
        raise ValueError(f"size must be at most 16, got {size}: there are 2^(size+1) - 2 images")
    lines = binary_states(size).astype(np.float32)  # (2^size, size)
    stripes = np.repeat(lines, size, axis=1)
    bars = np.tile(lines[1:-1], size)  # without the plain images, which are stripes too
    return np.concatenate([stripes, bars])
