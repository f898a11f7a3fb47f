"""Worlds and verdicts of the second exercise of notebook 13: RAISE, and how sure it is."""

from collections.abc import Iterator

import numpy as np

from anneal_edu.course.check.verdict import WrongAnswerError, reject, require, same
from anneal_edu.weights import log_mean_exp


def cases() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Case, log f of its points, (N,), and the log weights of their chains, (N, C)."""
    rng = np.random.default_rng(13)
    for case, N, C, level_f, level_w in (
        ("three points, seven chains", 3, 7, 0.0, 0.0),
        ("log f near 800, log w near 1,600", 4, 5, 800.0, 1600.0),
        ("three points of three chains, 900 nats apart", 3, 3, 0.0, np.repeat([900.0, 0.0, -900.0], 3)),
        ("two points, one of them with chains from 0 to 800", 2, 4, 0.0, np.r_[0.0, 800.0, 300.0, 5.0, np.zeros(4)]),
        ("a point with one chain of four 1,600 below the others", 2, 4, 0.0, np.r_[0.0, 1600, 1600, 1600, np.zeros(4)]),
        ("a point whose first chain lies 800 above the others", 2, 3, 0.0, np.r_[800.0, 0.0, 0.0, np.zeros(3)]),
        ("a single point, two chains", 1, 2, 0.0, 0.0),
    ):
        log_f, log_w = level_f + rng.normal(0, 3, N), level_w + rng.normal(1, 2, N * C)
        yield case, log_f, log_w.reshape(N, C)


def judge_log_p(got: np.ndarray, log_f: np.ndarray, log_w: np.ndarray, case: str) -> None:
    """What is handed in for log p̂, (N,), against log f, (N,), and the log weights of each point's chains, (N, C)."""
    N, C = log_w.shape
    mixed = log_w.ravel().reshape(C, N).T

    def mean_of(x):
        return np.array([log_mean_exp(row) for row in x])

    mean = mean_of(-log_w)
    right, ratio = log_f + mean, np.exp(-log_w - mean[:, None])
    if same(got, right):
        return
    for ddof in (0, 1):
        error = ratio.std(1, ddof=ddof) / np.sqrt(C)
        added = "half of a squared error is added here. Asked is the logarithm of the mean itself, with no correction."
        reject(got, {
            "this is a standard error: log p̂ comes first, its error second.": error,
            added: right + error**2 / 2,
            added.replace("added", "taken off"): right - error**2 / 2,
        }, case=case)
    with np.errstate(over="ignore"):
        reject(got, {"this is p̂ itself; asked is its logarithm.": np.exp(right)}, case=case)
    for base in (2, 10):
        logs = f"this is a logarithm of base {base}; all are natural here."
        reject(got, {logs: right / np.log(base)}, case=case)
        reject(got, {logs: log_f + mean / np.log(base)}, case=case)
    reject(got, {
        "you average w; along chains that go down it is f/w whose mean is p_ann(v).": log_f + mean_of(log_w),
        "this is log f - log of the mean of w: the mean of 1/w is not one over the mean of w.": log_f
        - mean_of(log_w),
        "you average -log w. The mean of 1/w is what is unbiased: exponentiate, average, then take the "
        "logarithm.": log_f - log_w.mean(1),
        "log f is missing: p̂(v) is the mean of f(v)/w.": mean_of(-log_w),
        "the sign is turned: this is -log p̂.": -log_f - mean_of(-log_w),
        "log f has the wrong sign: p̂(v) is f(v) times the mean of 1/w.": -log_f + mean_of(-log_w),
        "the sign of the second term is turned: it is + log mean 1/w.": log_f - mean_of(-log_w),
        "points and chains are mixed up: the first C weights belong to the first point, so the shape is "
        "(N, C).": log_f + mean_of(-mixed),
        "this is the sum over the chains; divide by their number C.": log_f + mean_of(-log_w) + np.log(C),
        "you average over all chains of all points; each point has its own.": log_f + log_mean_exp(-log_w.ravel()),
        "you keep one chain of each point, its largest term; average over all C.": log_f - log_w.min(1),
        "you keep one chain of each point; average over all C.": log_f - log_w[:, 0],
        "you divide by C - 1: this is a mean, no variance.": log_f + mean_of(-log_w) + np.log(C / max(C - 1, 1)),
    }, case=case)
    i = int(np.abs(got - right).argmax())
    require(
        not np.allclose(got, right, atol=0.01, rtol=0.01),
        f"{case}your log p̂ at point {i} is {got[i] - right[i]:.2g} off: nearly right. Are your numbers rounded?",
    )
    raise WrongAnswerError(
        f"{case}your log p̂ at point {i} is {got[i]:.4g}, and should be {right[i]:.4g}. Which C chains are a point's "
        "own? Is it the logarithm of a mean, and nothing more? What must come out if C = 1?"
    )


def judge_error(got: np.ndarray, log_f: np.ndarray, log_w: np.ndarray, case: str) -> None:
    """What is handed in for the standard error of log p̂, (N,): that of a logarithm of a mean, with C or C - 1."""
    C, scale = log_w.shape[1], np.array([[log_mean_exp(row)] for row in -log_w])  # (N, 1)
    spreads = [np.exp(-log_w - scale).std(1, ddof=ddof) for ddof in (0, 1)]  # of 1/w over their mean, (N,)
    if any(same(got, spread / np.sqrt(C)) for spread in spreads):
        return
    with np.errstate(over="ignore"):
        p_hat = np.exp(log_f + scale[:, 0])
    for ddof, spread in enumerate(spreads):
        reject(got, {
            "this is the error of the mean log weight; log p̂ is the logarithm of a mean.": log_w.std(1, ddof=ddof)
            / np.sqrt(C),
            "this is how far single chains spread; a mean of C is √C times as sure.": spread,
            "you divide by C; a mean of C is √C times as sure as one, not C times.": spread / C,
            "this is the error of p̂ itself; asked is that of log p̂.": p_hat * spread / np.sqrt(C),
            "this is the square of the error.": spread**2 / C,
            "this is twice the standard error; asked is the error itself.": 2 * spread / np.sqrt(C),
        }, case=case)
    for spread in spreads:
        off = np.abs(got - spread / np.sqrt(C)).max()
        require(
            off > 1e-3,
            f"{case}your standard error is off by {off:.1g}, in late digits. float32 keeps seven digits: calculate in "
            "float64.",
        )
        reject(got, {
            "its mean is over the C chains of a point, not over the N points.": spread / np.sqrt(len(log_f))
        }, case=case)
    reject(got, {
        "C - 1 stands in it twice: it is in this spread already (ddof=1), and the mean is over C chains.": spread
        / np.sqrt(C - 1)
    }, case=case)
    i = int(np.abs(got / spread - 1 / np.sqrt(C)).argmax())
    raise WrongAnswerError(
        f"{case}your standard error at point {i} is {got[i]:.4g}, and should be {spread[i] / np.sqrt(C):.4g}. If the "
        "mean of 1/w is off by one in a hundred, by how many nats is its logarithm off? (Its error is a standard "
        "deviation, ddof=1, over √C.)"
    )
