"""Checks of notebook 02: two paths between two Gaussians."""

from __future__ import annotations

import numpy as np

from anneal_edu.course.check.verdict import call, exercise, require
from anneal_edu.distributions import Gaussian
from anneal_edu.paths.geometric import geometric_path, moment_path
from anneal_edu.weights import log_mean_exp

_BETAS = (0.3, 0.5, 0.85, 0.0, 1.0)


def _two_gaussians(dim: int = 3) -> tuple[Gaussian, Gaussian]:
    """Two Gaussians with nothing in common."""
    rng = np.random.default_rng(2013)

    def one():
        a = rng.normal(size=(dim, dim))
        return Gaussian(rng.normal(scale=2.0, size=dim), a @ a.T + 0.5 * np.eye(dim))

    return one(), one()


def _parameters(p0: Gaussian, p1: Gaussian) -> tuple[np.ndarray, ...]:
    return tuple(np.array(part) for part in (p0.mean, p0.cov, p1.mean, p1.cov))


def _same(a, b) -> bool:
    return np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-6, atol=1e-9)


@exercise
def moment_covariance(answer) -> str:
    """``answer(mean_0, cov_0, mean_1, cov_1, beta)`` must be Σ(β) of the moment path, (D, D).

    Examples
    --------
    >>> moment_covariance(lambda mean_0, cov_0, mean_1, cov_1, beta: (1 - beta) * cov_0 + beta * cov_1)
    ✗ these are the averaged covariances alone. A mixture of two clouds is also spread out because the clouds stand in \
different places: the term with the outer product of the gap μ₁ - μ₀ is missing.
    """
    p0, p1 = _two_gaussians()
    gap = p1.mean - p0.mean
    outer = np.outer(gap, gap)
    for beta in _BETAS:
        got = call(answer, *_parameters(p0, p1), beta, shape=(3, 3))
        average = (1 - beta) * p0.cov + beta * p1.cov
        right = moment_path(p0, p1)(beta)
        if _same(got, right.cov):
            continue
        require(
            not _same(got, average),
            "these are the averaged covariances alone. A mixture of two clouds is also spread out because the clouds "
            "stand in different places: the term with the outer product of the gap μ₁ - μ₀ is missing.",
        )
        require(
            not _same(got, right.cov + np.outer(right.mean, right.mean)),
            "this is the averaged second moment E[x xᵀ]. The covariance is E[x xᵀ] - μ(β) μ(β)ᵀ: subtract the outer "
            "product of the averaged mean.",
        )
        require(
            not _same(got, moment_path(p1, p0)(beta).cov),
            "β and 1 - β have changed places: at β = 0 you should be at cov_0.",
        )
        require(
            not _same(got, geometric_path(p0, p1)(beta).cov),
            "this is the covariance of the geometric path, which averages precisions. Here the moments are averaged.",
        )
        rest = got - average
        factor = float((rest * outer).sum() / (outer * outer).sum())
        if _same(rest, factor * outer):
            require(
                not _same(factor, 1.0),
                "the outer product is there, but it must fade out at both ends, where a single cloud is left: multiply "
                "it by β(1 - β).",
            )
            require(
                False,
                f"the outer product is there, but its factor at β = {beta:g} is {factor:.3g}. It must vanish at both "
                "ends, and in the middle it is the variance of a coin that falls on 1 with probability β.",
            )
        require(
            not np.allclose(rest, rest[0, 0]),
            "the same number was added to every entry. `gap @ gap` is a single number; the outer product "
            "`np.outer(gap, gap)` is a matrix.",
        )
        require(
            not np.allclose(rest, beta * (1 - beta) * np.diag(gap**2)),
            "the stretch must point along the gap, not along the axes: the outer product has off-diagonal entries too.",
        )
        require(_same(got, got.T), "a covariance is symmetric; yours is not.")
        require(
            False,
            f"at β = {beta:g} your matrix is not the covariance of the mixture (1-β) p₀ + β p₁. Write that covariance "
            "as E[x xᵀ] - E[x] E[x]ᵀ and collect terms.",
        )
    return "right: the covariance of the mixture, at both ends and in between."


def _log_density(x, mean, cov) -> np.ndarray:
    return Gaussian(mean, cov).log_density(x)


@exercise
def geometric_gaussian(answer) -> str:
    """``answer(mean_0, cov_0, mean_1, cov_1, beta)`` must return (mean, cov) of the geometric path at β."""
    p0, p1 = _two_gaussians()
    x = np.random.default_rng(15).normal(scale=3.0, size=(50, 3))
    for beta in _BETAS:
        result = call(answer, *_parameters(p0, p1), beta)
        require(isinstance(result, tuple) and len(result) == 2, "return two things: `return mean, cov`.")
        mean, cov = (np.asarray(part, dtype=float) for part in result)
        require(
            mean.shape == (3,) and cov.shape == (3, 3),
            f"the mean should have shape (3,) and the covariance (3, 3); yours have {mean.shape} and {cov.shape}.",
        )
        _reject_known_geometric_mistakes(p0, p1, beta, mean, cov)
        require(
            _same(cov, cov.T) and np.linalg.eigvalsh(cov)[0] > 0,
            f"at β = {beta:g} your matrix is no covariance: it must be symmetric and positive definite.",
        )
        gap = _log_density(x, mean, cov) - (1 - beta) * p0.log_density(x) - beta * p1.log_density(x)
        require(
            float(np.ptp(gap)) < 1e-6,
            f"at β = {beta:g} your log density and (1-β) log f₀ + β log f₁ should differ by a constant, the same at "
            "every x; they do not. Average the precisions Σ⁻¹, average Σ⁻¹μ, then go back.",
        )
    return "right: your log density is the weighted average of the two, up to a constant, at every point tried."


def _reject_known_geometric_mistakes(p0: Gaussian, p1: Gaussian, beta: float, mean, cov) -> None:
    right, moments = geometric_path(p0, p1)(beta), moment_path(p0, p1)(beta)
    if _same(mean, right.mean) and _same(cov, right.cov):
        return
    swapped = geometric_path(p1, p0)(beta)
    require(
        not (_same(mean, swapped.mean) and _same(cov, swapped.cov)),
        "β and 1 - β have changed places: at β = 0 you should be at p₀.",
    )
    require(
        not _same(cov, (1 - beta) * p0.cov + beta * p1.cov),
        "you averaged the covariances. In log f the matrix that stands before x xᵀ is the precision Σ⁻¹: average the "
        "precisions, then invert.",
    )
    require(
        not _same(cov, moments.cov),
        "this is the moment path: it averages E[x] and E[x xᵀ]. The geometric path averages what multiplies them.",
    )
    require(
        not _same(cov, right.precision),
        "this is the averaged precision Σ⁻¹; the exercise asks for the covariance. Invert it.",
    )
    require(
        not (_same(cov, right.cov) and _same(mean, moments.mean)),
        "your covariance is right, but the mean is not on the straight line between the two: average Σ⁻¹μ, then "
        "multiply by the new covariance.",
    )
    require(
        not (_same(cov, right.cov) and _same(mean, right.precision @ right.mean)),
        "your covariance is right; your mean is the averaged Σ⁻¹μ. Multiply it by the new covariance.",
    )


@exercise
def judge_weights(answer) -> str:
    """``answer(log_weights)`` must return (log Ẑ, share of the total weight carried by the heaviest 1% of chains)."""
    rng = np.random.default_rng(7)
    lw = rng.normal(-3.0, 2.0, size=1000)
    _judge(answer, lw, "")
    _judge(answer, np.full(400, -5.0), "all 400 weights are equal: ")
    _judge(answer, np.r_[np.full(499, -50.0), 0.0], "one chain of 500 carries everything: ")
    _judge(answer, lw + 2000.0, "2000 was added to every log weight, which multiplies Ẑ by e²⁰⁰⁰: ")
    return "right: the log of the mean weight, and how few chains it rests on, without overflow."


def _judge(answer, log_weights: np.ndarray, case: str) -> None:
    given = log_weights.copy()
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        result = call(answer, given)
    require(isinstance(result, tuple) and len(result) == 2, "return two numbers: `return log_z, share`.")
    require(np.array_equal(given, log_weights), "your function changed the array that it was given; work on a copy.")
    log_z, share = (float(part) for part in result)
    n, lw = len(log_weights), np.sort(log_weights)
    heaviest = n // 100
    require(
        np.isfinite(log_z) and np.isfinite(share),
        f"{case}your numbers are not finite. exp overflows (or underflows to 0) far from 0: subtract the largest log "
        "weight first, and add it to the logarithm at the end.",
    )
    right = log_mean_exp(lw)
    w = np.exp(lw - lw[-1])
    if not _same(log_z, right):
        require(
            not _same(log_z, lw.mean()),
            f"{case}this is the mean of the log weights. By Jensen's inequality it is too low: take the log of the "
            "mean weight.",
        )
        require(not _same(log_z, right + np.log(n)), f"{case}this is the log of the sum; the estimate is the mean.")
        require(not _same(log_z, np.exp(right)), f"{case}this is Ẑ; return its logarithm.")
        require(
            not _same(log_z, right - lw[-1]),
            f"{case}you subtracted the largest log weight and did not add it back.",
        )
        require(False, f"{case}log Ẑ should be {right:.4f}, the log of the mean weight; you return {log_z:.4f}.")
    right_share = w[-heaviest:].sum() / w.sum()
    if not _same(share, right_share):
        require(
            not _same(share, 100 * right_share), f"{case}give the share as a fraction between 0 and 1, not in per cent."
        )
        require(
            not _same(share, w[:heaviest].sum() / w.sum()),
            f"{case}this is the share of the lightest 1%; sort the other way.",
        )
        require(
            not _same(share, lw[-heaviest:].sum() / lw.sum()),
            f"{case}you added log weights; the share is one of weights, w = exp(log w).",
        )
        require(
            not _same(share, w[-1] / w.sum()), f"{case}this is the share of the single heaviest chain; take 1% of them."
        )
        require(
            False,
            f"{case}the heaviest {heaviest} of {n} chains carry {right_share:.4f} of the weight, not {share:.4f}.",
        )
