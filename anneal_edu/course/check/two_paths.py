"""Checks of notebook 02: two paths between two Gaussians."""

import numpy as np

from anneal_edu.course.check.verdict import WrongAnswerError, arrays, call, exercise, reject, require, same, several
from anneal_edu.distributions import Gaussian
from anneal_edu.paths.geometric import geometric_path, moment_path
from anneal_edu.weights import log_mean_exp

_BETAS = (0.3, 0.5, 0.85, 0.0, 1.0)


def random_gaussian(rng: np.random.Generator, dim: int) -> Gaussian:
    """A Gaussian that has nothing in common with the next one."""
    a = rng.normal(size=(dim, dim))
    return Gaussian(rng.normal(scale=2.0, size=dim), a @ a.T + 0.5 * np.eye(dim))


def _two_gaussians() -> tuple[Gaussian, Gaussian]:
    rng = np.random.default_rng(2013)
    return random_gaussian(rng, 3), random_gaussian(rng, 3)


def _parameters(p0: Gaussian, p1: Gaussian) -> tuple[np.ndarray, ...]:
    return tuple(np.array(part) for part in (p0.mean, p0.cov, p1.mean, p1.cov))


@exercise(
    hints=(
        "Two clouds that are small but far apart: is their mixture small?",
        "The variance of a mixture has two parts: the mean of the variances, and the variance of the means.",
        "(1-β) Σ₀ + β Σ₁ + β(1-β) (μ₁-μ₀)(μ₁-μ₀)ᵀ",
    )
)
def moment_covariance(answer) -> str:
    """``answer(mean_0, cov_0, mean_1, cov_1, beta)`` must be Σ(β) of the moment path, (D, D).

    Examples
    --------
    >>> moment_covariance(lambda mean_0, cov_0, mean_1, cov_1, beta: (1 - beta) * cov_0 + beta * cov_1)
    ✗ these are the averaged covariances alone. A mixture of two clouds is also spread out because the clouds stand in \
different places: the term with the outer product of the gap μ₁ - μ₀ is missing.
      A hint: ae.check.two_paths.moment_covariance.hint()
    """
    p0, p1 = _two_gaussians()
    gap = p1.mean - p0.mean
    outer = np.outer(gap, gap)
    for beta in _BETAS:
        got = call(answer, *_parameters(p0, p1), beta, shape=(3, 3))
        average = (1 - beta) * p0.cov + beta * p1.cov
        right = moment_path(p0, p1)(beta)
        if same(got, right.cov):
            continue
        reject(got, {
            "these are the averaged covariances alone. A mixture of two clouds is also spread out because the clouds "
            "stand in different places: the term with the outer product of the gap μ₁ - μ₀ is missing.": average,
            "this is the averaged second moment E[x xᵀ]. The covariance is E[x xᵀ] - μ(β) μ(β)ᵀ: subtract the outer "
            "product of the averaged mean.": right.cov + np.outer(right.mean, right.mean),
            "β and 1 - β have changed places: at β = 0 you should be at cov_0.": moment_path(p1, p0)(beta).cov,
            "this is the covariance of the geometric path, which averages precisions. Here the moments are "
            "averaged.": geometric_path(p0, p1)(beta).cov,
        })
        rest = got - average
        factor = float((rest * outer).sum() / (outer * outer).sum())
        if same(rest, factor * outer):
            reject(factor, {
                "the outer product is there, but it must fade out at both ends, where a single cloud is left: "
                "multiply it by β(1 - β).": 1.0
            })
            raise WrongAnswerError(
                f"the outer product is there, but its factor at β = {beta:g} is {factor:.3g}. It must vanish at both "
                "ends, and in the middle it is the variance of a coin that falls on 1 with probability β."
            )
        reject(rest, {
            "the same number was added to every entry. `gap @ gap` is a single number; the outer product "
            "`np.outer(gap, gap)` is a matrix.": np.full((3, 3), rest[0, 0]),
            "the stretch must point along the gap, not along the axes: the outer product has off-diagonal entries "
            "too.": beta * (1 - beta) * np.diag(gap**2),
        })
        require(same(got, got.T), "a covariance is symmetric; yours is not.")
        raise WrongAnswerError(
            f"at β = {beta:g} your matrix is not the covariance of the mixture (1-β) p₀ + β p₁. Write that covariance "
            "as E[x xᵀ] - E[x] E[x]ᵀ and collect terms."
        )
    return "right: the covariance of the mixture, at both ends and in between."


@exercise(
    hints=(
        "In log f of a Gaussian, which matrix stands before x xᵀ, and which vector before x?",
        "These two are averaged with 1-β and β; only then go back to covariance and mean.",
        "Σ⁻¹ = (1-β) Σ₀⁻¹ + β Σ₁⁻¹ and μ = Σ [(1-β) Σ₀⁻¹μ₀ + β Σ₁⁻¹μ₁]",
    )
)
def geometric_gaussian(answer) -> str:
    """``answer(mean_0, cov_0, mean_1, cov_1, beta)`` must return (mean, cov) of the geometric path at β."""
    p0, p1 = _two_gaussians()
    x = np.random.default_rng(15).normal(scale=3.0, size=(50, 3))
    for beta in _BETAS:
        result = call(answer, *_parameters(p0, p1), beta)
        shapes = {"the mean": (3,), "the covariance": (3, 3)}
        mean, cov = arrays(result, shapes, "return two things: `return mean, cov`.")
        _reject_known_geometric_mistakes(p0, p1, beta, mean, cov)
        require(
            same(cov, cov.T) and np.linalg.eigvalsh(cov)[0] > 0,
            f"at β = {beta:g} your matrix is no covariance: it must be symmetric and positive definite.",
        )
        gap = Gaussian(mean, cov).log_density(x) - (1 - beta) * p0.log_density(x) - beta * p1.log_density(x)
        require(
            float(np.ptp(gap)) < 1e-6,
            f"at β = {beta:g} your log density and (1-β) log f₀ + β log f₁ should differ by a constant, the same at "
            "every x; they do not. Average the precisions Σ⁻¹, average Σ⁻¹μ, then go back.",
        )
    return "right: your log density is the weighted average of the two, up to a constant, at every point tried."


def _reject_known_geometric_mistakes(p0: Gaussian, p1: Gaussian, beta: float, mean, cov) -> None:
    right, moments = geometric_path(p0, p1)(beta), moment_path(p0, p1)(beta)
    if same((mean, cov), (right.mean, right.cov)):
        return
    swapped = geometric_path(p1, p0)(beta)
    exchanged = "β and 1 - β have changed places: at β = 0 you should be at p₀."
    reject((mean, cov), {exchanged: (swapped.mean, swapped.cov)})
    reject(cov, {
        "you averaged the covariances. In log f the matrix that stands before x xᵀ is the precision Σ⁻¹: average the "
        "precisions, then invert.": (1 - beta) * p0.cov + beta * p1.cov,
        "this is the moment path: it averages E[x] and E[x xᵀ]. The geometric path averages what multiplies "
        "them.": moments.cov,
        "this is the averaged precision Σ⁻¹; the exercise asks for the covariance. Invert it.": right.precision,
    })
    reject((mean, cov), {
        "your covariance is right, but the mean is not on the straight line between the two: average Σ⁻¹μ, then "
        "multiply by the new covariance.": (moments.mean, right.cov),
        "your covariance is right; your mean is the averaged Σ⁻¹μ. Multiply it by the new "
        "covariance.": (right.precision @ right.mean, right.cov),
    })


@exercise(
    hints=(
        "Which part of the answer changes when every log weight grows by 2000, and by how much?",
        "Subtract the largest log weight, exponentiate, sort; what you subtracted returns after the logarithm.",
        "top + log mean exp(lw - top), and the sum of the C // 100 largest w over the sum of all",
    )
)
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
    result = call(answer, log_weights.copy())
    log_z, share = map(float, several(result, 2, "return two numbers: `return log_z, share`."))
    n, lw = len(log_weights), np.sort(log_weights)
    heaviest = n // 100
    require(
        np.isfinite(log_z) and np.isfinite(share),
        f"{case}your numbers are not finite. exp overflows (or underflows to 0) far from 0: subtract the largest log "
        "weight first, and add it to the logarithm at the end.",
    )
    right, w = log_mean_exp(lw), np.exp(lw - lw[-1])
    reject(log_z, {
        "this is the mean of the log weights. By Jensen's inequality it is too low: take the log of the mean "
        "weight.": lw.mean(),
        "this is the log of the sum; the estimate is the mean.": right + np.log(n),
        "this is Ẑ; return its logarithm.": np.exp(right),
        "you subtracted the largest log weight and did not add it back.": right - lw[-1],
    }, case, unless=right)
    wanted = f"{case}log Ẑ should be {right:.4f}, the log of the mean weight; you return {log_z:.4f}."
    require(same(log_z, right), wanted)
    right_share = w[-heaviest:].sum() / w.sum()
    reject(share, {
        "give the share as a fraction between 0 and 1, not in per cent.": 100 * right_share,
        "this is the share of the lightest 1%; sort the other way.": w[:heaviest].sum() / w.sum(),
        "you added log weights; the share is one of weights, w = exp(log w).": lw[-heaviest:].sum() / lw.sum(),
        "this is the share of the single heaviest chain; take 1% of them.": w[-1] / w.sum(),
    }, case, unless=right_share)
    wanted = f"{case}the heaviest {heaviest} of {n} chains carry {right_share:.4f} of the weight, not {share:.4f}."
    require(same(share, right_share), wanted)
