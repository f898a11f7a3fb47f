"""Reading and writing your own files: images in IDX, CIFAR-10, NPY and NPZ files, RBMs in NPZ files."""

from __future__ import annotations

import gzip
import io
import math
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from anneal_edu.distributions import BinaryRBM, GaussianRBM

_IDX_TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
_CIFAR_RECORD = 1 + 3 * 32 * 32  # a label, then the pixels
_BINARY = ("weights", "visible_bias", "hidden_bias")


def load_idx(path: str | Path) -> np.ndarray:
    """Read an IDX file, the format of MNIST, gzipped or not: for example your own train-images-idx3-ubyte.gz.

    Returns
    -------
    array
        Shape and type as stored: (N, 28, 28) uint8 for MNIST's images, (N,) uint8 for its labels.

    Examples
    --------
    >>> import anneal_edu as ae, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "three-labels")
    >>> _ = file.write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 3, 7, 2, 1]))
    >>> ae.data.load_idx(file)
    array([7, 2, 1], dtype=uint8)
    """
    name, raw = Path(path).name, Path(path).read_bytes()
    if raw.startswith(b"\x1f\x8b"):
        try:
            raw = gzip.decompress(raw)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"{name} is a damaged gzip file: {error}") from error
    start = raw[:4]
    if len(start) < 4 or start[:2] != b"\0\0" or start[2] not in _IDX_TYPES or not 0 < start[3] <= 32:
        raise ValueError(f"{name} is no IDX file: it starts with {start.hex(' ') or 'nothing'}")
    dtype, header = np.dtype(_IDX_TYPES[start[2]]), 4 + 4 * start[3]
    if len(raw) < header:
        raise ValueError(f"{name} ends within its header")
    shape = tuple(np.frombuffer(raw[4:header], ">u4").tolist())
    expected = header + math.prod(shape) * dtype.itemsize
    if len(raw) != expected:
        raise ValueError(f"{name} should hold {expected} bytes for shape {shape}, got {len(raw)}")
    return np.frombuffer(raw, dtype, offset=header).reshape(shape).astype(dtype.newbyteorder("="))


def load_cifar10(path: str | Path) -> np.ndarray:
    """Read images of CIFAR-10 (Krizhevsky 2009) from your own files of its binary version.

    Parameters
    ----------
    path : str or Path
        One file, for example data_batch_1.bin, or a folder: then every ``*.bin`` file in it, sorted by name.

    Returns
    -------
    (N, 32, 32, 3) uint8 array

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
    return records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)  # colours last


def real_images(path: str | Path) -> tuple[np.ndarray, str]:
    """Read images from an IDX, NPY or NPZ file: (N, D) with the numbers as stored, and a sentence on their number."""
    path = Path(path)
    images = np.asarray(_array_of(path))
    if images.ndim < 2 or not images.size or images.dtype.kind not in "buif" or not np.isfinite(images).all():
        raise ValueError(f"{path.name} must hold images (N, D) of finite numbers, got {images.dtype} {images.shape}")
    images = images.reshape(len(images), -1)
    return images, f"{path.name}: {len(images)} images of {images.shape[1]} pixels"


def binary_images(path: str | Path) -> tuple[np.ndarray, str]:
    """As `real_images`, as (N, D) float32 of 0 and 1: grey images are made binary at half of their range."""
    images, said = real_images(path)
    if not np.isin(images, (0, 1)).all():
        half = (float(images.min()) + float(images.max())) / 2
        images, said = images > half, f"{said}, made binary at {half:g}"
        if min(share := images.mean(), 1 - share) < 0.01:  # half of the range is hardly the right level
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
    except Exception as error:  # a damaged or forged archive can raise anything
        raise ValueError(f"{path.name} holds no single array that could be read: {error}") from error


def require_writable(option: str, file: Path | None) -> None:
    """Raise ValueError, before the work begins, if its output file cannot be written."""
    if file is not None and (file.is_dir() or not os.access(file if file.exists() else file.parent, os.W_OK)):
        raise ValueError(f"{option} must be a file in a folder that exists and can be written, got {file}")


def rbm_arrays(rbm: BinaryRBM | GaussianRBM) -> dict[str, np.ndarray]:
    """The parameters of an RBM by name, in the order in which its class takes them."""
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
    arrays: dict[str, Any] = rbm_arrays(rbm)
    with Path(path).open("wb") as file:
        np.savez_compressed(file, **arrays)


def load_rbm(path: str | Path) -> BinaryRBM | GaussianRBM:
    """Read an RBM from an NPZ file with the arrays weights (D, H), visible_bias (D,) and hidden_bias (H,).

    With a fourth array, sigma (D,), it is a Gaussian RBM; without, a binary one. `save_rbm` writes such a file, and so
    does ``np.savez``.

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
            if missing := [name for name in _BINARY if name not in stored]:
                raise ValueError(f"it lacks {', '.join(missing)} and has {', '.join(stored) or 'none'}")
            W, b, c = (stored[name] for name in _BINARY)
            if W.shape == (c.size, b.size) != (b.size, c.size):
                wanted = f"(D, H) = {b.size, c.size}"
                raise ValueError(f"transposed? weights must be {wanted}, got {W.shape}: pass weights.T")
            return GaussianRBM(W, b, c, stored["sigma"]) if "sigma" in stored else BinaryRBM(W, b, c)
    except Exception as error:  # a damaged or forged archive can raise anything
        reason = str(error) or type(error).__name__
        raise ValueError(f"{path.name} holds no RBM that could be read: {reason}") from error
