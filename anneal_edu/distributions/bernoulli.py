"""Sampling and weighing binary units: every step of every RBM spends its time here."""

from __future__ import annotations

import numpy as np
from numpy.lib.introspect import opt_func_info
from scipy.special import expit

from anneal_edu.workers import Scratch

_OF_64_BITS = (np.random.PCG64, np.random.PCG64DXSM, np.random.SFC64, np.random.Philox)
_AVX512 = any(f"'current': '{name}'" in str(opt_func_info("^log1p$")) for name in ("X86_V4", "AVX512_SKX"))
_scratch = Scratch()
_SAFE_FIELD = 80.0  # e^80 is a float32, and so is the square of its root; e^89 is not


@np.errstate(under="ignore", over="ignore", invalid="ignore")  # infinite fields are certain draws, NaN gives 0
def bernoulli(field: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw 0 or 1 with probability p = sigmoid(field) of a 1, overwriting ``field`` with the draws and returning it.

    With u uniform on [0, 1):  u < 1 / (1 + e^{-a})  ⟺  u (1 + e^{-a}) < 1, which needs no division and, where e^{-a}
    overflows to infinity, still gives the right answer, 0. In float32, 16 random bits do it but once in 65,536 times.
    """
    if field.dtype == np.float32:
        return _bernoulli_of_16_bits(field, rng)
    u = rng.random(field.shape)
    u *= 1 + np.exp(-field)
    return np.less(u, 1, out=field)


def _bernoulli_of_16_bits(field: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The same with few random bits, which cost more than all else: only the first 16 of u are drawn, k = ⌊65536 u⌋.

    Without AVX-512 numpy's tanh is slow: a rational function, nowhere 125 away from 65536 p, decides all but a few.
    """
    n_words = -(-field.size // 4)  # of 64 bits
    if isinstance(rng.bit_generator, _OF_64_BITS):  # the same words in half the time
        words = rng.bit_generator.random_raw(n_words)
    else:
        words = rng.integers(0, 2**64 - 1, endpoint=True, size=n_words, dtype=np.uint64)
    k = words.view(np.uint16)[: field.size].reshape(field.shape)
    if _AVX512 or field.size < 2**14:
        draws = _below_p(k, field, rng)
    else:  # with x the clipped field, r = 2¹⁵ + x (2250 + 150,000 / (x² + 10.6))
        x, r = (_scratch.array(name, field.shape, np.float32) for name in "xr")
        np.add(np.square(np.clip(field, -5.65, 5.65, out=x), out=r), 10.6, out=r)
        np.add(np.divide(150_000, r, out=r), 2250, out=r)
        lowest = np.add(np.multiply(r, x, out=r), 2**15 - 125, out=r).astype(np.uint16)
        draws = k < lowest
        few = np.flatnonzero(np.subtract(k, lowest, out=lowest) < 250)  # modulo 65536: not those below lowest
        draws.flat[few] = _below_p(k.take(few), field.take(few), rng)
    np.copyto(field, draws)
    return field


def _below_p(k: np.ndarray, field: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Whether u < p = sigmoid(field): with t = 65536 p, a k below ⌊t⌋ gives 1 and a k above it 0.

    Where they are equal the rest of u decides and is drawn now: 1 with probability t - ⌊t⌋, computed in float64.
    """
    t, floor, draws = (_scratch.array("draws", field.shape, kind) for kind in (np.float32, np.uint16, np.bool_))
    np.tanh(np.multiply(field, np.float32(0.5), out=t), out=t)
    t *= np.float32(2.0**15 - 2.0**-8)  # so that t stays below 65536, and its floor has 16 bits
    t += np.float32(2.0**15)  # 65536 p = 2¹⁵ (1 + tanh a/2)
    np.copyto(floor, t, casting="unsafe")
    np.equal(k, floor, out=draws)
    undecided = np.flatnonzero(draws)
    np.less(k, floor, out=draws)
    p = expit(field.flat[undecided].astype(np.float64))
    draws.flat[undecided] = rng.random(len(undecided)) < 2.0**16 * p - floor.flat[undecided]
    return draws


@np.errstate(under="ignore")
def softplus(field: np.ndarray) -> np.ndarray:
    """log(1 + e^a) = max(a, 0) + log(1 + e^{-|a|}), without overflow, in the dtype of ``field``."""
    out = np.abs(field)
    np.exp(np.negative(out, out=out), out=out)
    if field.dtype == np.float32:
        np.log(np.add(out, 1, out=out), out=out)  # numpy's float32 log is vectorised everywhere, its log1p is not
    else:
        np.log1p(out, out=out)
    out += np.maximum(field, 0)
    return out


@np.errstate(under="ignore")
def sum_of_softplus(field: np.ndarray) -> np.ndarray:
    """Σ_j log(1 + e^{a_j}) over the last axis, in float64, overwriting ``field``."""
    if field.max() > _SAFE_FIELD / 4:
        return softplus(field).sum(-1, dtype=np.float64)
    np.exp(field, out=field)
    field += 1
    for _ in range(2):  # log x + log y = log xy: fold the second half onto the first, for a quarter of the logarithms
        half = (field.shape[-1] + 1) // 2
        field[..., : field.shape[-1] - half] *= field[..., half:]
        field = field[..., :half]
    return np.log(field).sum(-1, dtype=np.float64)


@np.errstate(under="ignore")
def weigh_and_draw(
    field_before: np.ndarray, field: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Σ_j log (1 + e^{a_j}) / (1 + e^{a'_j}) for every chain, and Bernoulli draws at the new field a.

    a' and a (C, H) are the log odds of the hidden units before and after β moved; both arrays are overwritten.
    """
    if max(field.max(), field_before.max()) > _SAFE_FIELD:
        log_ratio = (softplus(field) - softplus(field_before)).sum(-1, dtype=np.float64)
        return log_ratio, bernoulli(field, rng)
    change = np.exp(field)
    np.exp(field_before, out=field_before)
    change -= field_before
    field_before += 1
    change /= field_before  # (1 + e^a) / (1 + e^{a'}) - 1
    # in a short step, rounding 1 + change would add up, always to one side, over 100,000 of them
    if change.min() <= -0.9:
        np.log((1 + np.exp(field)) / field_before, out=change)
    elif _AVX512:
        np.log1p(change, out=change)
    else:  # u = 1 + x is rounded, and log (1 + x) = log u + (x - (u - 1)) / u
        u = field_before
        change -= np.subtract(np.add(1, change, out=u), 1, out=u)
        change /= np.add(1, u, out=u)
        change += np.log(u, out=u)
    return change.sum(-1).astype(np.float64), bernoulli(field, rng)
