"""Whitened patches of photographs: colour patches, and grey ones for the six image models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from anneal_edu.validation import as_count, as_finite_array, as_states, require_generator

Images = Sequence[np.ndarray] | np.ndarray

_NEARLY_FLAT = 10.0  # added to each patch's variance, on the scale 0 to 255
_NEARLY_EMPTY = 0.1  # added to each eigenvalue of the covariance
_LUMINANCE = np.array([0.299, 0.587, 0.114])  # of red, green and blue, ITU-R BT.601


def color_patches(n: int, size: int = 6, images: Images | None = None, *, rng: np.random.Generator) -> np.ndarray:
    """Contrast-normalised, whitened colour patches, prepared as in Coates, Ng and Lee (2011).

    Each patch is cut at a random place of a random image. Then

    1. its contrast is normalised: minus its mean over pixels and colours, over sqrt(variance + 10) on the scale 0 to
       255. The 10 keeps nearly flat patches from becoming loud noise;
    2. all patches are centred and whitened together (ZCA): with the covariance U diag(e) Uᵀ of the n patches,
       multiplied by U diag(1 / sqrt(e + 0.1)) Uᵀ. The 0.1 keeps the noise of fine detail small.

    The result has mean 0 and covariance U diag(e / (e + 0.1)) Uᵀ.

    Parameters
    ----------
    n : int
        Number of patches, at least 2.
    size : int
        Side of a patch in pixels, at least 2.
    images : list of (rows, cols, 3) arrays, or one (N, rows, cols, 3) array, optional
        Colour images on the scale 0 to 255, of any sizes. The default is scikit-learn's two photographs, of 427 rows
        and 640 columns.
    rng : numpy.random.Generator

    Returns
    -------
    (n, 3 size²) float64 array
        ``patches.reshape(n, size, size, 3)`` are small images again.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> ae.data.color_patches(500, rng=np.random.default_rng(0)).shape
    (500, 108)
    """
    n, size = as_count("n", n, minimum=2), as_count("size", size, minimum=2)
    require_generator(rng)
    images = _photographs() if images is None else _checked(images, 3, size, size)
    patches = _cut(images, n, size, rng)
    patches -= patches.mean(1, keepdims=True)
    patches /= np.sqrt(patches.var(1, keepdims=True) + _NEARLY_FLAT)
    patches -= patches.mean(0)
    e, U = np.linalg.eigh(patches.T @ patches / n)
    return patches @ (U / np.sqrt(e + _NEARLY_EMPTY)) @ U.T


def _cut(images: Sequence[np.ndarray], n: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """Cut n patches at random places of random colour images: (n, 3 size²)."""
    chosen = rng.integers(len(images), size=n)
    rows, cols = np.array([image.shape[:2] for image in images])[chosen].T
    tops, lefts = rng.integers(rows - size + 1), rng.integers(cols - size + 1)
    patches = np.empty((n, size, size, 3))
    for patch, image, top, left in zip(patches, chosen, tops, lefts, strict=True):
        patch[:] = images[image][top : top + size, left : left + size]
    return patches.reshape(n, -1)


@dataclass(frozen=True, eq=False)
class GrayPatches:
    """Whitened patches to train on, others to test on, and the way back to pixels.

    Attributes
    ----------
    train : (n, M) array
        Mean 0 and covariance I, to rounding.
    held_out : (n_held_out, M) array
        From pixels that no training patch contains; projected and scaled as the training patches were.
    mean_patch : (size²,) array
        Mean log intensities.
    axes : (M, size²) array
        One standard deviation along each principal component, the largest first; its largest entry is positive.
    """

    train: np.ndarray = field(repr=False)
    held_out: np.ndarray = field(repr=False)
    mean_patch: np.ndarray = field(repr=False)
    axes: np.ndarray = field(repr=False)

    def to_pixels(self, x: np.ndarray) -> np.ndarray:
        """Whitened patches, or bases, in log intensities around ``mean_patch``: (..., M) -> (..., size, size)."""
        pixels = as_states(x, len(self.axes)) @ self.axes
        size = int(np.sqrt(self.axes.shape[1]))
        return pixels.reshape(*pixels.shape[:-1], size, size)


def gray_patches(
    n: int,
    n_components: int = 36,
    size: int = 16,
    images: Images | None = None,
    n_held_out: int = 100,
    *,
    rng: np.random.Generator,
) -> GrayPatches:
    """Grey patches prepared as in Sohl-Dickstein and Culpepper (2012), Section 4.

    Each patch is cut at a random place of a random image. Then intensities I become log(1 + I), and the patch's mean is
    subtracted. Last, patches are projected on the first principal components of the training patches, and divided by
    the standard deviation of each.

    Held-out patches come from vertical strips, 2 size columns wide and 8 size columns apart, which the training patches
    avoid.

    Parameters
    ----------
    n : int
        Number of training patches, more than ``n_components``; the paper takes 10,000.
    n_components : int
        M, less than size²: the mean is gone.
    size : int
        Side of a patch in pixels, at least 2.
    images : list of (rows, cols) arrays, or one (N, rows, cols) array, optional
        Grey images on the scale 0 to 255, of any sizes with at least 5 size columns. The default is scikit-learn's two
        photographs; the paper has 4,112 of van Hateren and van der Schaaf (1998), whose intensities are linear.
    n_held_out : int
        Number of patches to test on.
    rng : numpy.random.Generator

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> patches = ae.data.gray_patches(500, rng=np.random.default_rng(0))
    >>> patches.train.shape, patches.held_out.shape, patches.to_pixels(patches.train[0]).shape
    ((500, 36), (100, 36), (16, 16))
    """
    size, n_components = as_count("size", size, minimum=2), as_count("n_components", n_components)
    if n_components >= size**2:
        raise ValueError(f"n_components must be less than size² = {size**2}, got {n_components}")
    n = as_count("n", n, minimum=n_components + 1)
    n_held_out = as_count("n_held_out", n_held_out)
    require_generator(rng)
    images = [image @ _LUMINANCE for image in _photographs()] if images is None else _checked(images, 2, size, 5 * size)
    train, held_out = _cut_grey(images, n, size, False, rng), _cut_grey(images, n_held_out, size, True, rng)

    mean_patch = train.mean(0)
    centred = train - mean_patch
    e, U = np.linalg.eigh(centred.T @ centred / n)
    e, U = e[::-1][:n_components], U[:, ::-1][:, :n_components]
    if (n_found := np.sum(e > 1e-12 * e[0])) < n_components:
        raise ValueError(f"n_components must be at most {n_found} for these images, got {n_components}")
    U = U * np.sign(np.take_along_axis(U, np.abs(U).argmax(0)[None], 0))
    whiten = U / np.sqrt(e)
    return GrayPatches(centred @ whiten, (held_out - mean_patch) @ whiten, mean_patch, (U * np.sqrt(e)).T)


def _left_edges(n_columns: int, size: int, held_out: bool) -> np.ndarray:
    """Left edges of the patches inside the held-out strips, or outside all of them."""
    in_strip = np.arange(n_columns) // (2 * size) % 5 == 2
    return np.flatnonzero((np.lib.stride_tricks.sliding_window_view(in_strip, size) == held_out).all(1))


def _cut_grey(images: Sequence[np.ndarray], n: int, size: int, held_out: bool, rng: np.random.Generator) -> np.ndarray:
    """Log intensities of n patches at random places of random grey images, each less its mean: (n, size²)."""
    chosen = rng.integers(len(images), size=n)
    patches = np.empty((n, size, size))
    for i, image in enumerate(images):
        here = chosen == i
        places = np.lib.stride_tricks.sliding_window_view(image, (size, size))  # (rows', cols', size, size)
        tops = rng.integers(len(places), size=here.sum())
        lefts = rng.choice(_left_edges(image.shape[1], size, held_out), size=here.sum())
        patches[here] = np.log1p(places[tops, lefts].astype(np.float64))
    flat = patches.reshape(n, -1)
    return flat - flat.mean(1, keepdims=True)


def _photographs() -> list[np.ndarray]:
    from sklearn.datasets import load_sample_images  # slow to import

    return load_sample_images().images


def _checked(images: Images, ndim: int, min_rows: int, min_cols: int) -> list[np.ndarray]:
    """The images in their own types, if they are images on the scale 0 to 255 and large enough."""
    if not isinstance(images, Sequence | np.ndarray):
        raise TypeError(f"images must be a list of arrays with {ndim} axes, got {type(images).__name__}")
    if len(images) == 0:
        raise ValueError("images is empty")
    brightest = 0.0
    for i, image in enumerate(images):
        values = as_finite_array(f"images[{i}]", image, ndim, dtype=np.float32)
        if ndim == 3 != values.shape[-1]:
            raise ValueError(f"images[{i}] must have shape (rows, cols, 3), got {values.shape}")
        if values.shape[0] < min_rows or values.shape[1] < min_cols:
            raise ValueError(f"images[{i}] must be at least {min_rows} by {min_cols} pixels, got shape {values.shape}")
        if values.min() < 0 or values.max() > 255:
            raise ValueError(
                f"images[{i}] must lie on the scale 0 to 255, got values from {values.min():g} to {values.max():g}"
            )
        brightest = max(brightest, values.max())
    if brightest <= 1:
        raise ValueError(f"images must lie on the scale 0 to 255, got no value above {brightest:g}")
    return [np.asarray(image) for image in images]
