"""Checks of notebook 06: large RBMs, where no truth is at hand."""

from __future__ import annotations

import numpy as np

from anneal_edu.course.check.verdict import WrongAnswerError, call, exercise, require
from anneal_edu.weights import log_mean_exp


def _same(a, b, tolerance: float = 1e-6) -> bool:
    return np.shape(a) == np.shape(b) and bool(np.allclose(a, b, rtol=1e-6, atol=tolerance))


# Exercise 1


@exercise
def reverse_log_z(answer) -> str:
    """``answer(log_weights)`` must be the estimate of log Z from reverse AIS: -log of the mean of 1/w.

    Examples
    --------
    >>> reverse_log_z(lambda log_w: np.log(np.mean(np.exp(log_w))))
    ✗ with weights 2, 4 and 11: this is the log of the mean of w. Along reverse chains it is 1/w whose mean is 1/Z; \
the mean of w lies above Z, and far above where the weights spread.
    """
    spread = np.random.default_rng(6).normal(2.0, 1.5, size=500)
    for lw, case in (
        (np.log([2.0, 4.0, 11.0]), "with weights 2, 4 and 11: "),
        (spread, "with 500 weights: "),
        (spread + 1600.0, "with log weights near 1,600, as large RBMs have: "),
        (spread - 1600.0, "with log weights near -1,600: "),
    ):
        given = lw.copy()
        with np.errstate(all="ignore"):
            got = np.asarray(call(answer, given))
        require(np.array_equal(given, lw), "your function changed the array that it was given; work on a copy.")
        require(got.shape == (), f"return one number; yours has shape {got.shape}.")
        _judge_reverse(float(got), lw, case)
    return "right: -log mean 1/w, and log weights of ±1,600 do not overflow."


def _judge_reverse(got: float, lw: np.ndarray, case: str) -> None:
    right, n = -log_mean_exp(-lw), len(lw)
    require(
        bool(np.isfinite(got)),
        f"{case}your result is not finite. exp(710) overflows and exp(-750) is 0: subtract the largest exponent first, "
        "and put it back outside the logarithm. `ae.log_mean_exp` does this.",
    )
    if _same(got, right):
        return
    for wrong, message in [
        (
            log_mean_exp(lw),
            "this is the log of the mean of w. Along reverse chains it is 1/w whose mean is 1/Z; the mean of w lies "
            "above Z, and far above where the weights spread.",
        ),
        (-right, "this is log of the mean of 1/w, an estimate of log 1/Z: turn the sign."),
        (-log_mean_exp(lw), "this is -log mean w: the sign stands outside the logarithm, and is missing inside."),
        (
            float(lw.mean()),
            "this is the mean of log w. It lies above log Z however many chains there are; average 1/w first, then "
            "take the logarithm.",
        ),
        (np.exp(min(right, 700.0)), "this is Ẑ itself; return its logarithm."),
        (right - np.log(n), "this is -log of the sum of 1/w; the estimate is the mean."),
        (lw.min(), "this is the smallest log weight. It dominates the mean of 1/w, but the others count too."),
    ]:
        require(not _same(got, wrong), case + message)
    shift = [right - times * end for times in (1, 2, -1) for end in (lw.min(), lw.max())]
    require(
        not any(_same(got, value) for value in shift),
        f"{case}you are off by the exponent that was subtracted against overflow: put it back, with its sign.",
    )
    raise WrongAnswerError(f"{case}the estimate should be {right:.4f} = -log (1/N) Σ 1/w; you return {got:.4f}.")


# Exercise 2


@exercise
def cheap_moments(answer) -> str:
    """``answer(data, weights, hidden_bias)`` must be (E v, E h, E v hᵀ) with v from the data and h from p(h | v)."""
    rng = np.random.default_rng(13)
    for N, D, H in ((40, 5, 3), (7, 2, 4)):
        v = (rng.random((N, D)) < 0.4).astype(float)
        W, c = 1.5 * rng.normal(size=(D, H)), rng.normal(size=H)
        result, again = (call(answer, v.copy(), W.copy(), c.copy()) for _ in range(2))
        require(
            isinstance(result, tuple) and len(result) == 3,
            "return three arrays: `return mean_v, mean_h, mean_vh`.",
        )
        result, again = ([np.asarray(part) for part in three] for three in (result, again))
        for name, part, shape in zip(("E v", "E h", "E v hᵀ"), result, ((D,), (H,), (D, H)), strict=True):
            require(part.shape == shape, f"{name} should have shape {shape}; yours has {part.shape}.")
            require(bool(np.isfinite(part).all()), f"{name} holds NaN or infinity.")
        require(
            all(_same(a, b) for a, b in zip(result, again, strict=True)),
            "two calls gave two answers: you drew h. Its mean given v is known, σ(c + v W); using it costs less and "
            "adds no noise.",
        )
        _judge_moments(result, v, W, c)
    return "right: v from the data, h averaged given each v, and their product averaged image by image."


def _judge_moments(got: list[np.ndarray], v: np.ndarray, W: np.ndarray, c: np.ndarray) -> None:
    p = 1 / (1 + np.exp(-(v @ W + c)))  # (N, H)
    mean_v, mean_h, mean_vh = v.mean(0), p.mean(0), v.T @ p / len(v)
    require(not _same(got[0], v.sum(0)), "these are sums over the images; divide by their number N.")
    require(_same(got[0], mean_v), "E v is the mean image: the mean of the data over its rows.")
    field = v @ W + c
    for wrong, message in [
        ((1 / (1 + np.exp(-(v @ W)))).mean(0), "the hidden biases are missing: p(h_j = 1 | v) = σ(c_j + (vW)_j)."),
        (
            1 / (1 + np.exp(-(mean_v @ W + c))),
            "you put the mean image into σ. The mean of σ is not σ of the mean: apply σ to every image, then average.",
        ),
        ((field > 0).mean(0), "you rounded p(h | v) to 0 or 1; keep the probabilities."),
        (field.mean(0), "this is the mean of the field c + v W; it still has to go through σ, before averaging."),
        (np.full(len(c), 0.5), "E h = ½ would be right without weights; here h follows p(h | v)."),
        (p.sum(0), "E h is a sum over the images; divide by their number N."),
    ]:
        require(not _same(got[1], wrong), message)
    require(_same(got[1], mean_h), "E h should be the mean over the images of p(h_j = 1 | v) = σ(c_j + (vW)_j).")
    for wrong, message in [
        (
            np.outer(mean_v, mean_h),
            "E v hᵀ is not the product of the means: which pixels and features are on *together* is what the weights "
            "are about. Multiply for every image, then average: v.T @ p / N.",
        ),
        (v.T @ p, "E v hᵀ is a sum over the images; divide by their number N."),
        (v.T @ (p > 0.5) / len(v), "in E v hᵀ you rounded p(h | v) to 0 or 1; keep the probabilities."),
    ]:
        require(not _same(got[2], wrong), message)
    require(_same(got[2], mean_vh), "E v hᵀ should be the mean over the images of v_i p(h_j = 1 | v).")


# Exercise 3


@exercise
def safe_interval(answer) -> str:
    """``answer(forward, reverse, risk)`` must bound log Z with probability at least 1 - risk, as tightly as Markov can.

    ``forward`` and ``reverse`` are lists of log Ẑ. With m of them in all, each end has log(m / risk) to spare.
    """
    rng = np.random.default_rng(41)
    several = 100 + rng.normal(size=6), 102 + rng.normal(size=4)
    for forward, reverse, risk in (
        ([99.0], [101.0], 0.05),
        ([7.0], [7.0], 0.01),
        (*several, 0.05),
        ([1640.0, 1618.0, 1642.0], [1628.0], 0.02),
    ):
        result = call(answer, list(forward), list(reverse), risk)
        require(
            isinstance(result, tuple | list | np.ndarray) and len(result) == 2,
            "return two numbers: `return low, high`.",
        )
        low, high = (float(end) for end in result)
        require(bool(np.isfinite([low, high]).all()), "your ends must be finite numbers.")
        _judge_interval(low, high, np.asarray(forward, float), np.asarray(reverse, float), risk)
    return "right: the best of the bounds on each side, and room for every one of them to have been lucky."


def _judge_interval(low: float, high: float, forward: np.ndarray, reverse: np.ndarray, risk: float) -> None:
    m = len(forward) + len(reverse)
    room = np.log(m / risk)
    if _same([low, high], [forward.max() - room, reverse.min() + room], 1e-4):
        return
    spare = forward.max() - low, high - reverse.min()
    require(
        not (_same(low, reverse.min() + room, 1e-4) and _same(high, forward.max() - room, 1e-4)),
        "low and high have changed places. If low comes out above high, leave it so: that is how the two sides say "
        "that they contradict each other.",
    )
    require(
        not (_same(low, forward.min() - room, 1e-4) and len(forward) > 1),
        "every forward estimate is a lower bound, so the *largest* of them says the most; you took the smallest.",
    )
    require(
        not (_same(low, forward.mean() - room, 1e-4) and len(forward) > 1),
        "you averaged the forward estimates. Each is a lower bound by itself: the largest says the most.",
    )
    require(
        not (_same(high, reverse.max() + room, 1e-4) and len(reverse) > 1),
        "every reverse estimate is an upper bound, so the *smallest* of them says the most; you took the largest.",
    )
    require(
        not (_same(high, reverse.mean() + room, 1e-4) and len(reverse) > 1),
        "you averaged the reverse estimates. Each is an upper bound by itself: the smallest says the most.",
    )
    for wrong, message in [
        (0.0, "this leaves no room: a bound that holds on average is exceeded in single runs."),
        (-room, "the room has the wrong sign: it makes the interval wider, down below and up above."),
        (
            np.log(1 / risk),
            f"log(1/risk) covers a single estimate. Here {m} estimates may each be lucky: give each its share of the "
            "risk, risk / m.",
        ),
        (np.log(2 / risk), f"this shares the risk between two estimates, but there are {m}."),
        (
            np.log(len(forward) / risk),
            f"this shares the risk between the {len(forward)} forward estimates; the reverse ones need a share too.",
        ),
        (m / risk, "the factor m / risk belongs to Ẑ; for log Ẑ add its logarithm."),
        (1 / risk, "Markov's factor 1 / risk belongs to Ẑ; for log Ẑ add its logarithm, and share the risk."),
        (np.log10(m / risk), "use the natural logarithm: log Ẑ is in nats."),
        (1.96, "1.96 is for normal errors with a known standard deviation. Markov's inequality needs neither."),
    ]:
        require(_same(wrong, room, 1e-4) or not any(_same(side, wrong, 1e-4) for side in spare), message)
    require(
        spare[0] > room - 1e-4 and spare[1] > room - 1e-4,
        f"with {m} estimates and risk {risk:g}, your interval leaves {min(spare):.2f} nats at one end; {room:.2f} are "
        "needed. P(Ẑ ≥ a Z) ≤ 1/a; what a makes this risk / m?",
    )
    raise WrongAnswerError(
        f"your interval is safe but wider than need be: from the largest forward estimate down and from the smallest "
        f"reverse one up, {room:.2f} nats suffice; yours has {spare[0]:.2f} and {spare[1]:.2f}."
    )
