"""Binary units: the two functions that every step of every RBM spends its time in."""

from __future__ import annotations

import numpy as np


def bernoulli(field: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw 0 or 1 with probability sigmoid(field) of a 1, overwriting ``field`` and returning draws of its dtype.

    With u uniform on [0, 1):  u < 1 / (1 + e^{-a})  ⟺  u (1 + e^{-a}) < 1, which needs no division and, where e^{-a}
    overflows to infinity, still gives the right answer, 0.

    Examples
    --------
    >>> import numpy as np
    >>> bernoulli(np.array([-1000.0, 1000.0]), np.random.default_rng(0))
    array([0., 1.])
    """
    uniform = rng.random(field.shape, dtype=field.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        np.negative(field, out=field)
        np.exp(field, out=field)
        field += 1
        uniform *= field
        return np.less(uniform, 1, out=field)


def softplus(field: np.ndarray) -> np.ndarray:
    """log(1 + e^a) = max(a, 0) + log(1 + e^{-|a|}), without overflow, in the dtype of ``field``.

    Examples
    --------
    >>> import numpy as np
    >>> softplus(np.array([-1000.0, 0.0, 1000.0])).round(2).tolist()
    [0.0, 0.69, 1000.0]
    """
    out = np.abs(field)
    np.negative(out, out=out)
    np.exp(out, out=out)
    if field.dtype == np.float32:
        out += 1
        np.log(out, out=out)  # numpy's float32 log is vectorised everywhere, its log1p is not
    else:
        np.log1p(out, out=out)
    out += np.maximum(field, 0)
    return out
