"""The error of a gap between two models, for the check of notebook 09 that asks for it, and its usual slips."""

from collections.abc import Callable

import numpy as np

from anneal_edu.course.check.verdict import reject, require, same


def judge_gap(
    found: float, first: np.ndarray, second: np.ndarray, each: np.ndarray, shared: float, asked: Callable
) -> float:
    """The right error; what is wrong with another one is named where it is known.

    ``asked`` is what the answer says of these patches if log Ẑ is off by so much in its place.
    """
    n, chains = len(first), np.sqrt((each**2).sum()) / len(first)
    scatter = (first - second).std(ddof=1) / np.sqrt(n)
    right = float(np.hypot(scatter, shared))
    if same(found, right):
        return right
    case = f"your error is {found:.4g}, and should be {right:.4g}. "
    require(found > 0, f"{case}An error is positive.")
    unpaired = "You add the errors of two means as if each model had seen patches of its own. Take differences first."
    again = "You add mc_errors once more: these errors, one for each patch, already make the differences scatter."
    part = "mc_errors are one part of what makes the differences scatter from patch to patch; the patches are another."
    by = "N", "N - 1"
    d = first - second
    reject(found, {
        "You do not take the mean away: what scatters is d - d̄.": np.hypot(np.sqrt((d @ d) / (n - 1) / n), shared),
        "A difference has a sign, and keeps it: take no |d|.": np.hypot(np.abs(d).std(ddof=1) / np.sqrt(n), shared),
        "You multiply log_z_error by √N: it is one and the same at every patch.": np.hypot(scatter, shared * n**0.5),
        "You divide the squares by N - 2.": np.hypot(scatter * np.sqrt((n - 1) / (n - 2)), shared) if n > 2 else 0.0,
        "You take the larger one of the scatter and mc_errors: the scatter has these in it, and is all that is "
        "needed.": np.hypot(chains, shared) if chains > scatter else 0.0,
    }, case=case)
    deviation = float(np.median(np.abs(d - np.median(d))))
    for median in (deviation, 1.4826 * deviation):
        reject(found, {
            "You measure the scatter by a median, which leaves out the few patches that lie far off: but they move the "
            "mean, too.": np.hypot(median / np.sqrt(n), shared) if median else 0.0,
        }, case=case)
    for ddof in (1, 0):
        sd = (first - second).std(ddof=ddof)
        apart = np.sqrt((first.var(ddof=ddof) + second.var(ddof=ddof)) / n)
        mean = sd / np.sqrt(n)
        if same(found, max(mean, shared)):
            others = 0.0, mean / 3, 3 * mean
            reject([float(asked(z)) for z in others], {
                "You take the larger of the two errors. The smaller one counts, too: independent errors add in "
                "squares.": [max(mean, z) for z in others]
            }, case=case)
        for wrong in (apart, *(np.hypot(apart, [shared, shared / np.sqrt(n), np.hypot(shared, chains)]))):
            reject(found, {unpaired: wrong}, case=case)
        for more in (chains, each.mean() / np.sqrt(n), each.mean(), np.sqrt((each**2).mean()), each.mean() / n):
            for log_z in (shared, shared / np.sqrt(n)):
                reject(found, {again: np.hypot(np.hypot(mean, more), log_z)}, case=case)
            for log_z in (shared, 0.0):
                reject(found, {part: np.hypot(more, log_z)}, case=case)
            reject(found, {again: mean + more + shared}, case=case)
        reject(found, {
            "You leave out that log Ẑ may be off, by the same amount at every patch: no number of patches averages "
            "that out.": mean,
            "You divide log_z_error by √N: but there is one log Ẑ, and it is off by the same amount at every "
            "patch.": np.hypot(mean, shared / np.sqrt(n)),
            "You divide log_z_error by N: but there is one log Ẑ, and it is off by the same amount at every "
            "patch.": np.hypot(mean, shared / n),
            "Independent errors add in squares: √(a² + b²), not a + b.": mean + shared,
            "log_z_error is a standard error: it is its square that adds to a variance.": np.sqrt(mean**2 + shared),
            "The scatter of a difference is var(a) + var(b) - *2* cov(a, b): the 2 is missing.": np.sqrt(
                max(0, (first.var(ddof=ddof) + second.var(ddof=ddof) - np.cov(first, second, ddof=ddof)[0, 1]) / n)
                + shared**2
            ),
            "You count log_z_error twice: only the analysis model has a log Ẑ.": np.sqrt(mean**2 + 2 * shared**2),
            "The root is missing: that is the square of the error.": mean**2 + shared**2,
            "That has the scatter of *one* difference; a mean over N patches is steadier by √N.": np.hypot(sd, shared),
            "You divide by N; the error of a mean falls with √N only.": np.hypot(sd / n, shared),
            "You take mc_errors out of the scatter: but the chains' errors are errors of the gap, "
            "too.": np.sqrt(max(0, mean**2 - chains**2) + shared**2),
            "You take log_z_error away: it comes on top of the scatter.": np.sqrt(max(0, mean**2 - shared**2)),
            "You divide by 10, the lesson's √100; here there are N patches.": np.hypot(sd / 10, shared),
            "You add the two models: what is hard about a patch counts twice, and drops out of a "
            "difference.": np.hypot((first + second).std(ddof=ddof) / np.sqrt(n), shared) if n > 2 else 0.0,
            "That is two standard errors; return one.": 2 * np.hypot(mean, shared),
            "The second model's scatter over the patches is missing.": np.hypot(first.std(ddof=ddof) / n**0.5, shared),
            "The first model's scatter over the patches is missing.": np.hypot(second.std(ddof=ddof) / n**0.5, shared),
            f"You divide variances by {by[ddof]} and the covariance by {by[1 - ddof]}: divide both by N - 1. (np.cov "
            "does, np.var needs ddof=1.)": _mixed(first, second, ddof, shared),
            "That is log_z_error and no more: other patches would also give another gap.": shared,
        }, case=case)
    reject(found, {
        "Close: the mean was fitted to the same numbers, so divide the squares by N - 1.": np.hypot(mean, shared),
        "You take the 1 away twice: once in the variance, and once more under the "
        "root.": np.hypot(scatter * np.sqrt(n / (n - 1)), shared),
    }, case=case)
    return right


def _mixed(first: np.ndarray, second: np.ndarray, ddof: int, shared: float) -> float:
    """The error if the variances are divided by N - ddof, and the covariance by the other of N and N - 1."""
    n, together = len(first), np.cov(first, second, ddof=1 - ddof)[0, 1]
    return float((max(0, first.var(ddof=ddof) + second.var(ddof=ddof) - 2 * together) / n + shared**2) ** 0.5)
