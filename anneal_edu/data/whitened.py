"""Grey patches of photographs on their principal components, whitened: the data of the six image models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from anneal_edu.validation import as_count, as_finite_array, as_states, require_generator

_LUMINANCE = np.array([0.299, 0.587, 0.114])  # of red, green and blue, ITU-R BT.601


@dataclass(frozen=True, eq=False)
class GrayPatches:
    """Whitened patches to train on, others to test on, and the way back to pixels.

    Attributes
    ----------
    train : (n, M) array
        Mean 0 and covariance I, to rounding.
    held_out : (n_held_out, M) array
        From pixels of which no training patch has seen one; projected and scaled as the training patches were.
    mean_patch : (size²,) array
        What was subtracted before the projection, log intensities.
    axes : (M, size²) array
        One standard deviation along each principal component, the largest first, as a patch. Its entry of largest
        magnitude is positive: an eigenvector may as well be its own negative, and libraries differ in which they find.
    """

    train: np.ndarray = field(repr=False)
    held_out: np.ndarray = field(repr=False)
    mean_patch: np.ndarray = field(repr=False)
    axes: np.ndarray = field(repr=False)

    def to_pixels(self, x: np.ndarray) -> np.ndarray:
        """Whitened patches, or a model's bases, as pictures: (..., M) -> (..., size, size).

        In log intensities around ``mean_patch``; what the components left out stays out.
        """
        pixels = as_states(x, len(self.axes)) @ self.axes
        size = int(np.sqrt(self.axes.shape[1]))
        return pixels.reshape(*pixels.shape[:-1], size, size)


def gray_patches(
    n: int,
    n_components: int = 36,
    size: int = 16,
    images: Sequence[np.ndarray] | np.ndarray | None = None,
    n_held_out: int = 100,
    *,
    rng: np.random.Generator,
) -> GrayPatches:
    """Grey patches prepared as in Sohl-Dickstein and Culpepper (2012), Section 4.

    Each patch is cut at a random place of a random image; patches may overlap, and a place may be drawn twice. Then

    1. intensities I become log(1 + I), on the scale 0 to 255: black pixels stay finite, and count as log 1;
    2. each patch's own mean is subtracted: what is left does not depend on how brightly the place was lit;
    3. patches are projected on the first principal components of the training patches and divided by the standard
       deviation of each.

    Held-out patches come from vertical strips, 2 size columns wide and 8 size columns apart, of which no training patch
    sees a pixel: they show the same scenes, elsewhere.

    Parameters
    ----------
    n : int
        Number of training patches, more than ``n_components``; the paper takes 10,000.
    n_components : int
        M, less than size²: the mean is gone.
    size : int
        Side of a patch in pixels, at least 2.
    images : list of (rows, cols) arrays, or one (N, rows, cols) array, optional
        Grey images on the scale 0 to 255, of any numeric type; they may differ in size. Without them, scikit-learn's
        two photographs; the paper has 4,112 of van Hateren and van der Schaaf (1998), whose intensities are linear.
    n_held_out : int
        Number of patches to test on.
    rng : numpy.random.Generator

    Returns
    -------
    GrayPatches
        ``.train``, ``.held_out`` and ``.to_pixels(x)``.

    Raises
    ------
    ValueError
        Where an image has another shape, less than size rows or 5 size columns, or leaves the scale 0 to 255, or where
        the patches do not vary along so many components.

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
    images = _photographs() if images is None else _checked(images, size)
    train, held_out = _cut(images, n, size, False, rng), _cut(images, n_held_out, size, True, rng)

    mean_patch = train.mean(0)
    centred = train - mean_patch
    e, U = np.linalg.eigh(centred.T @ centred / n)
    e, U = e[::-1][:n_components], U[:, ::-1][:, :n_components]
    if (n_found := np.sum(e > 1e-12 * e[0])) < n_components:
        raise ValueError(f"n_components must be at most {n_found} for these images, got {n_components}")
    U = U * np.sign(np.take_along_axis(U, np.abs(U).argmax(0)[None], 0))
    whiten = U / np.sqrt(e)
    return GrayPatches(centred @ whiten, (held_out - mean_patch) @ whiten, mean_patch, (U * np.sqrt(e)).T)


def _photographs() -> list[np.ndarray]:
    from sklearn.datasets import load_sample_images  # slow to import, and needed here alone

    return [image @ _LUMINANCE for image in load_sample_images().images]


def _checked(images: Sequence[np.ndarray] | np.ndarray, size: int) -> list[np.ndarray]:
    if not isinstance(images, Sequence | np.ndarray):
        raise TypeError(f"images must be a list of (rows, cols) arrays, got {type(images).__name__}")
    if len(images) == 0:
        raise ValueError("images is empty")
    images = [as_finite_array(f"images[{i}]", image, ndim=2) for i, image in enumerate(images)]
    for i, image in enumerate(images):
        if image.shape[0] < size or image.shape[1] < 5 * size:
            raise ValueError(
                f"images[{i}] must have at least {size} rows and {5 * size} columns, of which some are held out; "
                f"got shape {image.shape}"
            )
        if image.min() < 0 or image.max() > 255:
            raise ValueError(
                f"images[{i}] must lie on the scale 0 to 255, got values from {image.min():g} to {image.max():g}"
            )
    brightest = max(image.max() for image in images)
    if brightest <= 1:
        raise ValueError(f"images must lie on the scale 0 to 255, got no value above {brightest:g}")
    return images


def _left_edges(n_columns: int, size: int, held_out: bool) -> np.ndarray:
    """Where a patch may begin that lies inside the held-out strips, or outside all of them."""
    in_strip = np.arange(n_columns) // (2 * size) % 5 == 2
    return np.flatnonzero((np.lib.stride_tricks.sliding_window_view(in_strip, size) == held_out).all(1))


def _cut(
    images: Sequence[np.ndarray], n: int, size: int, held_out: bool, rng: np.random.Generator
) -> np.ndarray:
    """Log intensities of n patches at random places of random images, each less its mean: (n, size²)."""
    chosen = rng.integers(len(images), size=n)
    patches = np.empty((n, size, size))
    for i, image in enumerate(images):
        here = chosen == i
        places = np.lib.stride_tricks.sliding_window_view(image, (size, size))  # (rows', cols', size, size)
        tops = rng.integers(len(places), size=here.sum())
        lefts = rng.choice(_left_edges(image.shape[1], size, held_out), size=here.sum())
        patches[here] = np.log1p(places[tops, lefts])
    flat = patches.reshape(n, -1)
    return flat - flat.mean(1, keepdims=True)
