"""The user's own files: images in IDX files, RBMs in NPZ files."""

from __future__ import annotations

import gzip
import io
import math
import os
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from anneal_edu.distributions import BinaryRBM, GaussianRBM

_IDX_TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
_MOST_AXES = 32
_BEST_COMPRESSION = 1100  # gzip packs zeros 1032 to 1, and nothing better
_BINARY = ("weights", "visible_bias", "hidden_bias")


def load_idx(path: str | Path) -> np.ndarray:
    """Read an IDX file, the format of MNIST, gzipped or not.

    Parameters
    ----------
    path : str or Path
        For example your own train-images-idx3-ubyte.gz.

    Returns
    -------
    array
        Shape and type as stored: (N, 28, 28) uint8 for MNIST's images, (N,) uint8 for its labels.

    Raises
    ------
    ValueError
        Where the file is no IDX file, or is cut short or too long; no more is unpacked than its header announces.

    Examples
    --------
    >>> import anneal_edu as ae, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "three-labels")
    >>> _ = file.write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 3, 7, 2, 1]))
    >>> ae.data.load_idx(file)
    array([7, 2, 1], dtype=uint8)
    """
    path = Path(path)
    with path.open("rb") as file:
        size, packed = path.stat().st_size, file.read(2) == b"\x1f\x8b"
        file.seek(0)
        if not packed:
            return _read_idx(path.name, file, size)
        try:
            with gzip.open(file) as unpacked:
                return _read_idx(path.name, unpacked, _BEST_COMPRESSION * size)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"{path.name} is a damaged gzip file: {error}") from error


def _read_idx(name: str, file: BinaryIO | gzip.GzipFile, limit: int) -> np.ndarray:
    """The array in an open IDX file that cannot hold more than ``limit`` bytes."""
    start = file.read(4)
    if len(start) < 4 or start[:2] != b"\0\0" or start[2] not in _IDX_TYPES or not 0 < start[3] <= _MOST_AXES:
        raise ValueError(f"{name} is no IDX file: it starts with {start.hex(' ') or 'nothing'}")
    dtype, n_axes = np.dtype(_IDX_TYPES[start[2]]), start[3]
    sizes = file.read(4 * n_axes)
    if len(sizes) < 4 * n_axes:
        raise ValueError(f"{name} ends within its header")
    shape = tuple(np.frombuffer(sizes, ">u4").tolist())
    header, expected = 4 + 4 * n_axes, math.prod(shape) * dtype.itemsize
    body = file.read(min(expected, limit) + 1)  # one byte too many tells of more
    if len(body) != expected:
        found = f"{header + len(body)}{' or more' if len(body) > expected else ''}"
        raise ValueError(f"{name} should hold {header + expected} bytes for shape {shape}, got {found}")
    return np.frombuffer(body, dtype).reshape(shape).astype(dtype.newbyteorder("="))


def real_images(path: str | Path) -> tuple[np.ndarray, str]:
    """Images in an IDX, NPY or NPZ file, (N, D) with the numbers as they are, and how many they are, in words."""
    path = Path(path)
    images = np.asarray(_array_of(path))
    if images.ndim < 2 or not images.size or images.dtype.kind not in "buif" or not np.isfinite(images).all():
        raise ValueError(f"{path.name} must hold images (N, D) of finite numbers, got {images.dtype} {images.shape}")
    images = images.reshape(len(images), -1)
    return images, f"{path.name}: {len(images)} images of {images.shape[1]} pixels"


def binary_images(path: str | Path) -> tuple[np.ndarray, str]:
    """Images in an IDX, NPY or NPZ file as states of binary units, and what was done to them, in words.

    Grey images are made binary at half of their range.

    Parameters
    ----------
    path : str or Path
        Of an array (N, D) or (N, …); an NPZ file must hold that one array.

    Returns
    -------
    (N, D) float32 array of 0 and 1, and a sentence

    Raises
    ------
    ValueError
        Where the file cannot be read, or holds no images, more than one array, or what is no finite number.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "images.npy")
    >>> np.save(file, [[[0, 100], [200, 250]], [[250, 0], [130, 120]]])
    >>> images, said = binary_images(file)
    >>> images.tolist(), said
    ([[0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 1.0, 0.0]], 'images.npy: 2 images of 4 pixels, made binary at 125')
    """
    images, said = real_images(path)
    if not np.isin(images, (0, 1)).all():
        half = (float(images.min()) + float(images.max())) / 2
        images, said = images > half, f"{said}, made binary at {half:g}"
        if min(share := images.mean(), 1 - share) < 0.01:  # half of the range is hardly the level that was meant
            said += f": {share:.4%} of the pixels are on"
    return images.astype(np.float32), said


def _array_of(path: Path) -> np.ndarray:
    with path.open("rb") as file:
        start = file.read(6)
    if start.startswith((b"\0\0", b"\x1f\x8b")):
        return load_idx(path)
    if not start.startswith((b"PK", b"\x93NUMPY")):
        raise ValueError(f"{path.name} is no IDX, NPY or NPZ file: it starts with {start.hex(' ') or 'nothing'}")
    try:
        found = np.load(path, allow_pickle=False)
        if isinstance(found, np.ndarray):
            return found
        with found:
            if len(found.files) != 1:
                raise ValueError(f"it has {', '.join(found.files) or 'none'}; save the one that you mean by np.save")
            return found[found.files[0]]
    except Exception as error:  # whatever a damaged or forged archive makes of the reader
        raise ValueError(f"{path.name} holds no single array that could be read: {error}") from error


def require_writable(option: str, file: Path | None) -> None:
    """Raise ValueError, before the work, where a file that is to be written after it cannot be."""
    if file is not None and (file.is_dir() or not os.access(file if file.exists() else file.parent, os.W_OK)):
        raise ValueError(f"{option} must be a file in a folder that exists and can be written, got {file}")


def rbm_arrays(rbm: BinaryRBM | GaussianRBM) -> dict[str, np.ndarray]:
    """The parameters of an RBM by name, in the order in which its class takes them.

    Examples
    --------
    >>> import anneal_edu as ae
    >>> list(rbm_arrays(ae.uniform_rbm(3, 2)))
    ['weights', 'visible_bias', 'hidden_bias']
    """
    if not isinstance(rbm, BinaryRBM | GaussianRBM):
        raise TypeError(f"rbm must be a BinaryRBM or a GaussianRBM, got {type(rbm).__name__}")
    return {name: getattr(rbm, name) for name in (*_BINARY, "sigma") if hasattr(rbm, name)}


def save_rbm(path: str | Path, rbm: BinaryRBM | GaussianRBM) -> None:
    """Write an RBM to an NPZ file: the arrays weights, visible_bias and hidden_bias, and sigma if it is Gaussian.

    Examples
    --------
    >>> import anneal_edu as ae, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "rbm.npz")
    >>> ae.data.save_rbm(file, ae.uniform_rbm(3, 2))
    >>> ae.data.load_rbm(file).dim
    3
    """
    path = Path(path)
    arrays: dict[str, Any] = rbm_arrays(rbm)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path.name} cannot be written: there is no folder {path.parent}")
    part = path.with_name(path.name + ".part")  # renamed when whole: a kill leaves the old file or the new one
    with part.open("wb") as file:
        np.savez_compressed(file, **arrays)
    part.replace(path)


def load_rbm(path: str | Path) -> BinaryRBM | GaussianRBM:
    """Read an RBM from an NPZ file with the arrays weights (D, H), visible_bias (D,) and hidden_bias (H,).

    With a fourth array, sigma (D,), it is a Gaussian RBM; without, a binary one.

    Parameters
    ----------
    path : str or Path
        Written by `save_rbm`, or by ``np.savez`` from any other program.

    Returns
    -------
    BinaryRBM or GaussianRBM

    Raises
    ------
    ValueError
        Where the file is damaged, or an array is missing, does not fit the others, is not finite, or hides pickled
        objects.

    Examples
    --------
    >>> import anneal_edu as ae, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "rbm.npz")
    >>> ae.data.save_rbm(file, ae.GaussianRBM([[1.0], [2.0]], [0.0, 0.0], [0.0], sigma=[1.0, 0.5]))
    >>> ae.data.load_rbm(file)
    GaussianRBM(D=2, H=1)
    """
    path = Path(path)
    raw = path.read_bytes()
    if not zipfile.is_zipfile(io.BytesIO(raw)):
        raise ValueError(f"{path.name} is no NPZ file, or is cut short: {len(raw)} bytes, starting {raw[:4].hex(' ')}")
    try:
        with np.load(io.BytesIO(raw), allow_pickle=False) as stored:
            return _rbm_of(stored)
    except Exception as error:  # whatever a damaged or forged archive makes of the reader
        reason = str(error) or type(error).__name__
        raise ValueError(f"{path.name} holds no RBM that could be read: {reason}") from error


def _rbm_of(stored: Mapping[str, np.ndarray]) -> BinaryRBM | GaussianRBM:
    missing = [name for name in _BINARY if name not in stored]
    if missing:
        raise ValueError(
            f"it must hold the arrays {', '.join(_BINARY)}, and sigma for a Gaussian RBM; it lacks "
            f"{', '.join(missing)} and has {', '.join(stored) or 'none'}"
        )
    W, b, c = (stored[name] for name in _BINARY)
    if W.shape == (c.size, b.size) != (b.size, c.size):
        raise ValueError(f"turned over? weights must be (D, H) = {b.size, c.size}, got {W.shape}: hand in weights.T")
    return GaussianRBM(W, b, c, stored["sigma"]) if "sigma" in stored else BinaryRBM(W, b, c)
