"""Small colour patches of photographs: scikit-learn's two, the user's own, or CIFAR-10's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from anneal_edu.validation import as_count, as_finite_array, require_generator

_NEARLY_FLAT = 10.0  # added to each patch's variance, on the scale 0 to 255
_NEARLY_EMPTY = 0.1  # added to each eigenvalue of the covariance
_CIFAR_SHAPE = (3, 32, 32)
_CIFAR_RECORD = 1 + 3 * 32 * 32  # a label, then the pixels


def color_patches(
    n: int, size: int = 6, images: Sequence[np.ndarray] | np.ndarray | None = None, *, rng: np.random.Generator
) -> np.ndarray:
    """Contrast-normalised, whitened colour patches, prepared as in Coates, Ng and Lee (2011).

    Each patch is cut at a random place of a random image; patches may overlap, and a place may be drawn twice. Then

    1. its contrast is normalised: minus its mean over pixels and colours, over sqrt(variance + 10) on the scale 0 to
       255. The 10 keeps nearly flat patches, such as 4% of those of the two photographs, from becoming loud noise;
    2. all patches are centred and whitened together: with the covariance U diag(e) Uᵀ of the n patches, multiplied by
       U diag(1 / sqrt(e + 0.1)) Uᵀ, which changes their look as little as whitening can (ZCA).

    What comes out has mean 0 and covariance U diag(e / (e + 0.1)) Uᵀ: variance close to 1 along the directions in which
    the patches vary much, less than 1/2 where e < 0.1, as it is for fine detail, whose noise would be amplified
    otherwise. Along (1, …, 1) it is 0, because step 1 took the mean: the entries of every patch still sum to zero.

    Parameters
    ----------
    n : int
        Number of patches, at least 2.
    size : int
        Side of a patch in pixels, at least 2.
    images : list of (rows, cols, 3) arrays, or one (N, rows, cols, 3) array, optional
        Colour images on the scale 0 to 255, of any numeric type; they may differ in size. Without them, scikit-learn's
        two photographs, 427 rows and 640 columns each.
    rng : numpy.random.Generator

    Returns
    -------
    (n, 3 size²) float64 array
        ``patches.reshape(n, size, size, 3)`` are small images again.

    Raises
    ------
    ValueError
        Where an image has another shape, is smaller than a patch, or leaves the scale 0 to 255, and where no value of
        any image exceeds 1.

    Examples
    --------
    >>> import numpy as np, anneal_edu as ae
    >>> patches = ae.data.color_patches(500, rng=np.random.default_rng(0))
    >>> patches.shape
    (500, 108)
    """
    n, size = as_count("n", n, minimum=2), as_count("size", size, minimum=2)
    require_generator(rng)
    images = _photographs() if images is None else _checked(images, size)
    return _whitened(_contrast_normalised(_cut(images, n, size, rng)))


def load_cifar10(path: str | Path) -> np.ndarray:
    """Read images of CIFAR-10 (Krizhevsky 2009) from your own files of its binary version.

    ``color_patches(100_000, images=load_cifar10(path), rng=rng)`` are the data of Kiwaki and Aihara (2015).

    Parameters
    ----------
    path : str or Path
        One file, for example data_batch_1.bin, or a folder: then every ``*.bin`` file in it, sorted by name.

    Returns
    -------
    (N, 32, 32, 3) uint8 array

    Raises
    ------
    ValueError
        Where a file is not made of records of 3,073 bytes with a label from 0 to 9, is one of the Python version's
        pickles, or a folder holds no ``*.bin`` file.

    Examples
    --------
    >>> import anneal_edu as ae, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "data_batch_1.bin")
    >>> _ = file.write_bytes(bytes([7]) + bytes(1024) + bytes([255]) * 1024 + bytes(1024))
    >>> ae.data.load_cifar10(file)[0, 0, 0]
    array([  0, 255,   0], dtype=uint8)
    """
    path = Path(path)
    files = sorted(path.glob("*.bin")) if path.is_dir() else [path]
    if not files:
        raise ValueError(f"{path.name} holds no *.bin file; get the binary version of CIFAR-10")
    return np.concatenate([_cifar_batch(file) for file in files])


def _cifar_batch(file: Path) -> np.ndarray:
    raw, wanted = file.read_bytes(), "get the binary version of CIFAR-10"
    if raw[:1] == b"\x80":
        raise ValueError(f"{file.name} is a pickle, which can run code as it is read; {wanted}")
    if len(raw) == 0 or len(raw) % _CIFAR_RECORD:
        raise ValueError(f"{file.name} must hold records of {_CIFAR_RECORD} bytes, got {len(raw)} bytes; {wanted}")
    records = np.frombuffer(raw, np.uint8).reshape(-1, _CIFAR_RECORD)
    if records[:, 0].max() > 9:
        raise ValueError(f"{file.name} must hold labels 0 to 9, got {records[:, 0].max()}; {wanted}")
    return records[:, 1:].reshape(-1, *_CIFAR_SHAPE).transpose(0, 2, 3, 1)  # colours last


def _photographs() -> list[np.ndarray]:
    from sklearn.datasets import load_sample_images  # slow to import, and needed here alone

    return load_sample_images().images


def _checked(images: Sequence[np.ndarray] | np.ndarray, size: int) -> list[np.ndarray]:
    """The images as they are, once all of them are known to be images on the scale 0 to 255."""
    if not isinstance(images, Sequence | np.ndarray):
        raise TypeError(f"images must be a list of (rows, cols, 3) arrays, got {type(images).__name__}")
    images = [np.asarray(image) for image in images]
    if not images:
        raise ValueError("images is empty")
    brightest = 0.0
    for i, image in enumerate(images):
        values = as_finite_array(f"images[{i}]", image, ndim=3, dtype=np.float32)
        rows, cols, colors = values.shape
        if colors != 3:
            raise ValueError(f"images[{i}] must have shape (rows, cols, 3), got {values.shape}")
        if min(rows, cols) < size:
            raise ValueError(f"images[{i}] must have at least {size} rows and columns, got shape {values.shape}")
        if values.min() < 0 or values.max() > 255:
            raise ValueError(
                f"images[{i}] must lie on the scale 0 to 255, got values from {values.min():g} to {values.max():g}"
            )
        brightest = max(brightest, values.max())
    if brightest <= 1:
        raise ValueError(f"images must lie on the scale 0 to 255, got no value above {brightest:g}")
    return images


def _cut(images: Sequence[np.ndarray], n: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """Cut n patches at random places of random images: (n, 3 size²)."""
    chosen = rng.integers(len(images), size=n)
    rows, cols = np.array([image.shape[:2] for image in images])[chosen].T
    tops, lefts = rng.integers(rows - size + 1), rng.integers(cols - size + 1)
    patches = np.empty((n, size, size, 3))
    for patch, image, top, left in zip(patches, chosen, tops, lefts, strict=True):
        patch[:] = images[image][top : top + size, left : left + size]
    return patches.reshape(n, -1)


def _contrast_normalised(patches: np.ndarray) -> np.ndarray:
    centred = patches - patches.mean(1, keepdims=True)
    return centred / np.sqrt(centred.var(1, keepdims=True) + _NEARLY_FLAT)


def _whitened(patches: np.ndarray) -> np.ndarray:
    centred = patches - patches.mean(0)
    e, U = np.linalg.eigh(centred.T @ centred / len(patches))
    return centred @ (U / np.sqrt(e + _NEARLY_EMPTY)) @ U.T
