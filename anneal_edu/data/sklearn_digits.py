"""Scikit-learn's handwritten digits as binary images."""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import distribution

import numpy as np
import scipy


def digits(size: int = 8) -> np.ndarray:
    """Scikit-learn's 1,797 handwritten digits as binary images.

    The originals are 8×8 with grey levels 0 to 16. They are scaled to [0, 1], for ``size=28`` interpolated linearly to
    MNIST's 28×28, and thresholded at one half.

    Parameters
    ----------
    size : 8 or 28
        Side of the images in pixels.

    Returns
    -------
    (1797, size²) float32 array of 0 and 1

    Examples
    --------
    >>> import anneal_edu as ae
    >>> ae.data.digits(28).shape
    (1797, 784)
    """
    if size not in (8, 28):
        raise ValueError(f"size must be 8 or 28, got {size!r}")
    return _pixels(size).copy()


@lru_cache
def _pixels(size: int) -> np.ndarray:
    images = _table()[:, :64].reshape(-1, 8, 8) / 16  # (1797, 8, 8)
    if size == 28:
        images = scipy.ndimage.zoom(images, (1, 28 / 8, 28 / 8), order=1)  # (1797, 28, 28)
    return (images > 0.5).reshape(len(images), -1).astype(np.float32)


def digit_labels() -> np.ndarray:
    """Which digit, 0 to 9, each image of `digits` shows: (1797,) int.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> ae.data.digit_labels()[:4]
    array([0, 1, 2, 3])
    """
    return _table()[:, 64].astype(int)


def _table() -> np.ndarray:
    """The file behind `sklearn.datasets.load_digits`, 64 pixels and the digit in a row: that module imports slowly."""
    file = distribution("scikit-learn").locate_file("sklearn/datasets/data/digits.csv.gz")
    return np.loadtxt(str(file), delimiter=",")
