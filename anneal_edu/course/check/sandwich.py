"""Checks of notebook 06: large RBMs, where no truth is at hand."""

import numpy as np
from scipy.special import expit

from anneal_edu.course.check.verdict import WrongAnswerError, arrays, call, exercise, reject, require, same, several
from anneal_edu.weights import log_mean_exp


# Exercise 1
@exercise(
    hints=(
        "Along reverse chains, of which quantity is 1/Z the mean?",
        "Average 1/w = exp(-log w), the largest exponent taken out first, and turn the sign at the end.",
        "log Ẑ = -log (1/N) Σ exp(-log w_i)",
    )
)
def reverse_log_z(answer) -> str:
    """``answer(log_weights)`` must be the estimate of log Z from reverse AIS: -log of the mean of 1/w.

    Examples
    --------
    >>> reverse_log_z(lambda log_w: np.log(np.mean(np.exp(log_w))))
    ✗ with weights 2, 4 and 11: this is the log of the mean of w. Along reverse chains it is 1/w whose mean is 1/Z; \
the mean of w lies above Z, and far above where the weights spread.
      A hint: ae.check.sandwich.reverse_log_z.hint()
    """
    spread = np.random.default_rng(6).normal(2.0, 1.5, size=500)
    for lw, case in (
        (np.log([2.0, 4.0, 11.0]), "with weights 2, 4 and 11: "),
        (spread, "with 500 weights: "),
        (spread + 1600.0, "with log weights near 1,600, as large RBMs have: "),
        (spread - 1600.0, "with log weights near -1,600: "),
    ):
        got = call(answer, lw.copy())
        require(np.ndim(got) == 0, f"return one number; yours has shape {np.shape(got)}.")
        _judge_reverse(float(got), lw, case)
    return "right: -log mean 1/w, and log weights of ±1,600 do not overflow."


def _judge_reverse(got: float, lw: np.ndarray, case: str) -> None:
    right, n = -log_mean_exp(-lw), len(lw)
    require(
        np.isfinite(got),
        f"{case}your result is not finite. exp(710) overflows and exp(-750) is 0: subtract the largest exponent first, "
        "and put it back outside the logarithm. `ae.log_mean_exp` does this.",
    )
    reject(got, {
        "this is the log of the mean of w. Along reverse chains it is 1/w whose mean is 1/Z; the mean of w lies above "
        "Z, and far above where the weights spread.": log_mean_exp(lw),
        "this is log of the mean of 1/w, an estimate of log 1/Z: turn the sign.": -right,
        "this is -log mean w: the sign stands outside the logarithm, and is missing inside.": -log_mean_exp(lw),
        "this is the mean of log w. It lies above log Z however many chains there are; average 1/w first, then take "
        "the logarithm.": float(lw.mean()),
        "this is Ẑ itself; return its logarithm.": np.exp(min(right, 700.0)),
        "this is -log of the sum of 1/w; the estimate is the mean.": right - np.log(n),
        "this is the smallest log weight. It dominates the mean of 1/w, but the others count too.": lw.min(),
    }, case, unless=right)
    shift = "you are off by the exponent that was subtracted against overflow: put it back, with its sign."
    for end in (lw.min(), lw.max()):
        for times in (1, 2, -1):
            reject(got, {shift: right - times * end}, case, unless=right)
    wanted = f"{case}the estimate should be {right:.4f} = -log (1/N) Σ 1/w; you return {got:.4f}."
    require(same(got, right), wanted)


# Exercise 2
@exercise(
    hints=(
        "Given one image, must h be drawn, or is its mean known?",
        "Compute p(h_j = 1 | v) for every image, then average over the images: also the product v_i p(h_j = 1 | v).",
        "p = sigmoid(c + vW): v.mean(0), p.mean(0), vᵀ p / N",
    )
)
def cheap_moments(answer) -> str:
    """``answer(data, weights, hidden_bias)`` must be (E v, E h, E v hᵀ) with v from the data and h from p(h | v)."""
    rng = np.random.default_rng(13)
    for N, D, H in ((40, 5, 3), (7, 2, 4)):
        v = (rng.random((N, D)) < 0.4).astype(float)
        W, c = 1.5 * rng.normal(size=(D, H)), rng.normal(size=H)
        shapes = {"E v": (D,), "E h": (H,), "E v hᵀ": (D, H)}
        result, again = (
            arrays(call(answer, v.copy(), W.copy(), c.copy()), shapes, "return three arrays: mean_v, mean_h, mean_vh.")
            for _ in range(2)
        )
        require(
            same(result, again),
            "two calls gave two answers: you drew h. Its mean given v is known, σ(c + v W); using it costs less and "
            "adds no noise.",
        )
        _judge_moments(result, v, W, c)
    return "right: v from the data, h averaged given each v, and their product averaged image by image."


def _judge_moments(got: list[np.ndarray], v: np.ndarray, W: np.ndarray, c: np.ndarray) -> None:
    field = v @ W + c
    p = expit(field)  # (N, H)
    mean_v, mean_h, mean_vh = v.mean(0), p.mean(0), v.T @ p / len(v)
    require(not same(got[0], v.sum(0)), "these are sums over the images; divide by their number N.")
    require(same(got[0], mean_v), "E v is the mean image: the mean of the data over its rows.")
    reject(got[1], {
        "the hidden biases are missing: p(h_j = 1 | v) = σ(c_j + (vW)_j).": expit(v @ W).mean(0),
        "you put the mean image into σ. The mean of σ is not σ of the mean: apply σ to every image, then "
        "average.": expit(mean_v @ W + c),
        "you rounded p(h | v) to 0 or 1; keep the probabilities.": (field > 0).mean(0),
        "this is the mean of the field c + v W; it still has to go through σ, before averaging.": field.mean(0),
        "E h = ½ would be right without weights; here h follows p(h | v).": np.full(len(c), 0.5),
        "E h is a sum over the images; divide by their number N.": p.sum(0),
    })
    require(same(got[1], mean_h), "E h should be the mean over the images of p(h_j = 1 | v) = σ(c_j + (vW)_j).")
    reject(got[2], {
        "E v hᵀ is not the product of the means: which pixels and features are on *together* is what the weights are "
        "about. Multiply for every image, then average: v.T @ p / N.": np.outer(mean_v, mean_h),
        "E v hᵀ is a sum over the images; divide by their number N.": v.T @ p,
        "in E v hᵀ you rounded p(h | v) to 0 or 1; keep the probabilities.": v.T @ (p > 0.5) / len(v),
    })
    require(same(got[2], mean_vh), "E v hᵀ should be the mean over the images of v_i p(h_j = 1 | v).")


# Exercise 3
@exercise(
    hints=(
        "How likely is it that an unbiased Ẑ is more than a times too large?",
        "Markov: P(Ẑ ≥ aZ) ≤ 1/a. Give each of the m estimates its share of the risk; which of several bounds says "
        "most?",
        "low = max(forward) - log(m / risk), high = min(reverse) + log(m / risk)",
    )
)
def safe_interval(answer) -> str:
    """``answer(forward, reverse, risk)`` must bound log Z with probability at least 1 - risk, as tightly as Markov can.

    ``forward`` and ``reverse`` are lists of log Ẑ. With m of them in all, each end has log(m / risk) to spare.
    """
    rng = np.random.default_rng(41)
    many = 100 + rng.normal(size=6), 102 + rng.normal(size=4)
    for forward, reverse, risk in (
        ([99.0], [101.0], 0.05),
        ([7.0], [7.0], 0.01),
        (*many, 0.05),
        ([1640.0, 1618.0, 1642.0], [1628.0], 0.02),
    ):
        result = call(answer, list(forward), list(reverse), risk)
        result = list(result) if isinstance(result, np.ndarray) else result
        low, high = (float(end) for end in several(result, 2, "return two numbers: `return low, high`."))
        require(np.isfinite([low, high]).all(), "your ends must be finite numbers.")
        _judge_interval(low, high, np.asarray(forward, float), np.asarray(reverse, float), risk)
    return "right: the best of the bounds on each side, and room for every one of them to have been lucky."


def _judge_interval(low: float, high: float, forward: np.ndarray, reverse: np.ndarray, risk: float) -> None:
    m = len(forward) + len(reverse)
    room = np.log(m / risk)
    if same([low, high], [forward.max() - room, reverse.min() + room], 1e-4):
        return
    spare = forward.max() - low, high - reverse.min()
    reject([low, high], {
        "low and high have changed places. If low comes out above high, leave it so: that is how the two sides say "
        "that they contradict each other.": [reverse.min() + room, forward.max() - room]
    }, atol=1e-4)
    if len(forward) > 1:
        reject(low, {
            "every forward estimate is a lower bound, so the *largest* of them says the most; you took the "
            "smallest.": forward.min() - room,
            "you averaged the forward estimates. Each is a lower bound by itself: the largest says the "
            "most.": forward.mean() - room,
        }, atol=1e-4)
    if len(reverse) > 1:
        reject(high, {
            "every reverse estimate is an upper bound, so the *smallest* of them says the most; you took the "
            "largest.": reverse.max() + room,
            "you averaged the reverse estimates. Each is an upper bound by itself: the smallest says the "
            "most.": reverse.mean() + room,
        }, atol=1e-4)
    for message, wrong in {
        "this leaves no room: a bound that holds on average is exceeded in single runs.": 0.0,
        "the room has the wrong sign: it makes the interval wider, down below and up above.": -room,
        f"log(1/risk) covers a single estimate. Here {m} estimates may each be lucky: give each its share of the risk, "
        "risk / m.": np.log(1 / risk),
        f"this shares the risk between two estimates, but there are {m}.": np.log(2 / risk),
        f"this shares the risk between the {len(forward)} forward estimates; the reverse ones need a share too.": (
            np.log(len(forward) / risk)
        ),
        "the factor m / risk belongs to Ẑ; for log Ẑ add its logarithm.": m / risk,
        "Markov's factor 1 / risk belongs to Ẑ; for log Ẑ add its logarithm, and share the risk.": 1 / risk,
        "use the natural logarithm: log Ẑ is in nats.": np.log10(m / risk),
        "1.96 is for normal errors with a known standard deviation. Markov's inequality needs neither.": 1.96,
    }.items():
        require(same(wrong, room, 1e-4) or not any(same(side, wrong, 1e-4) for side in spare), message)
    require(
        spare[0] > room - 1e-4 and spare[1] > room - 1e-4,
        f"with {m} estimates and risk {risk:g}, your interval leaves {min(spare):.2f} nats at one end; {room:.2f} are "
        "needed. P(Ẑ ≥ a Z) ≤ 1/a; what a makes this risk / m?",
    )
    raise WrongAnswerError(
        f"your interval is safe but wider than need be: from the largest forward estimate down and from the smallest "
        f"reverse one up, {room:.2f} nats suffice; yours has {spare[0]:.2f} and {spare[1]:.2f}."
    )
