"""Checks of notebook 03: how large is the bias?"""

import numpy as np

from anneal_edu.course.check.two_paths import random_gaussian
from anneal_edu.course.check.verdict import WrongAnswerError, array, call, exercise, reject, require, same
from anneal_edu.distributions import Gaussian
from anneal_edu.paths.asymptotics import cost_functional, kl_bias, kl_divergence, segment_costs, symmetric_kl
from anneal_edu.paths.geometric import geometric_path, moment_path
from anneal_edu.paths.schedules import linear_schedule, optimal_allocation


def _number(value, what: str) -> float:
    require(np.ndim(value) == 0, f"return {what}, a single number; yours has shape {np.shape(value)}.")
    return float(array(value, (), "your function returned"))


@exercise(
    hints=(
        "Over which of the two distributions is the average taken?",
        "Average log p(x) - log q(x) over x ~ p, with E_p[(x-m)ᵀA(x-m)] = tr(A Σ_p) + (μ_p-m)ᵀA(μ_p-m) for each of "
        "the two.",
        "½ [tr(Σ_q⁻¹Σ_p) + (μ_q-μ_p)ᵀΣ_q⁻¹(μ_q-μ_p) - D + log|Σ_q| - log|Σ_p|]",
    )
)
def kl_gaussians(answer) -> str:
    """``answer(mean_p, cov_p, mean_q, cov_q)`` must be KL(p ‖ q) of two Gaussians, in nats."""
    rng = np.random.default_rng(1)
    for dim in (2, 1, 3):
        p, q = random_gaussian(rng, dim), random_gaussian(rng, dim)
        for a, b in ((p, q), (q, p), (p, p)):
            parameters = [np.array(part) for part in (a.mean, a.cov, b.mean, b.cov)]
            _judge_kl(_number(call(answer, *parameters), "KL(p ‖ q)"), a, b)
    return "right: zero between equal Gaussians, positive between others, and in the right direction."


def _judge_kl(got: float, p: Gaussian, q: Gaussian) -> None:
    right, dim = kl_divergence(p, q), p.dim
    if same(got, right):
        return
    trace = float(np.trace(q.precision @ p.cov))
    log_det = float(np.linalg.slogdet(q.cov)[1] - np.linalg.slogdet(p.cov)[1])
    gap = q.mean - p.mean
    distance = float(gap @ q.precision @ gap)
    reject(got, {
        "this is KL(q ‖ p), the other direction. In KL(p ‖ q) the average is over p, so the gaps are measured with "
        "the precision of q.": kl_divergence(q, p),
        "this is KL(p ‖ q) + KL(q ‖ p); one direction was asked for.": symmetric_kl(p, q),
        "this is twice the divergence: the factor ½ in the exponent of the Gaussian is missing.": 2 * right,
        "KL(p ‖ p) must be 0; yours is D/2 too large: subtract the dimension D inside the ½(…).": right + dim / 2,
        "the means do not enter: the term (μ_q - μ_p)ᵀ Σ_q⁻¹ (μ_q - μ_p) is missing.": right - distance / 2,
        "the log determinants are missing: ½ log |Σ_q| - ½ log |Σ_p|.": right - log_det / 2,
        "the log determinants have the wrong sign: it is log |Σ_q| - log |Σ_p|, q first.": right - log_det,
        "the trace term tr(Σ_q⁻¹ Σ_p) is missing.": right - trace / 2,
        "the gap of the means is measured with the precision of p; it should be that "
        "of q.": right + (gap @ p.precision @ gap - distance) / 2,
        "this is in bits; the course counts in nats: use the natural logarithm.": right / np.log(2),
    })
    require(got > -1e-9, f"a KL divergence is never negative; yours is {got:.4g}.")
    require(not same(right, 0), f"KL(p ‖ p) should be 0; yours is {got:.4g}.")
    raise WrongAnswerError(
        "this is not KL(p ‖ q). It is the average over x ~ p of log p(x) - log q(x); with E[(x-m)ᵀ A (x-m)] = "
        "tr(A Σ_p) + (μ_p - m)ᵀ A (μ_p - m) only a trace, a distance, two log determinants and D are left."
    )


@exercise(
    hints=(
        "Which bin gains most from one more step: what is F_j/K_j - F_j/(K_j + 1)?",
        "Give each bin one step, then share the rest in proportion to √F_j; a step that rounding left over goes "
        "where it saves most.",
        "K_j ≈ K √F_j / Σ √F, made whole so that Σ K_j = K",
    )
)
def allocation(answer) -> str:
    """``answer(costs, n_steps)`` must share n_steps among bins with costs F_j so that Σ F_j / K_j is small.

    Examples
    --------
    >>> def by_cost(costs, n_steps):
    ...     counts = 1 + np.floor((n_steps - len(costs)) * np.array(costs) / np.sum(costs)).astype(int)
    ...     counts[np.argmax(costs)] += n_steps - counts.sum()
    ...     return counts
    >>> allocation(by_cost)
    ✗ this shares the steps out in proportion to the costs F_j. That makes every bin's loss F_j / K_j the same, which \
starves the cheap bins. Setting the derivative of Σ F_j / K_j + λ Σ K_j to zero gives K_j ∝ √F_j.
      A hint: ae.check.bias.allocation.hint()
    """
    p0 = Gaussian([-10.0, 0.0], [[1.0, -0.85], [-0.85, 1.0]])
    p1 = Gaussian([10.0, 0.0], [[1.0, 0.85], [0.85, 1.0]])
    edges = linear_schedule(10)
    paths = [segment_costs(make(p0, p1), edges) for make in (geometric_path, moment_path)]
    random = np.random.default_rng(3).uniform(0.5, 200.0, size=6)
    for costs, n_steps in [(random, 600), (paths[0], 1000), (paths[1], 1000), (paths[1], 26), (random, 6)]:
        _judge_allocation(answer, costs, n_steps)
    return "right: whole numbers, none forgotten, and no other division loses noticeably less."


def _judge_allocation(answer, costs: np.ndarray, n_steps: int) -> None:
    counts = call(answer, costs.copy(), n_steps, shape=(len(costs),))
    require(
        np.issubdtype(counts.dtype, np.integer) or (counts == np.round(counts)).all(),
        "a bin cannot hold a fraction of a step: round to whole numbers, and see that they still sum to K.",
    )
    require((counts >= 1).all(), "every bin needs at least one step, or the schedule jumps over it.")
    require(
        counts.sum() == n_steps,
        f"the steps sum to {int(counts.sum())} instead of {n_steps}. Rounding loses or gains a few: hand the rest out.",
    )
    if n_steps < 200:  # so few steps leave little choice
        return
    best = float((costs / optimal_allocation(costs, n_steps)).sum())
    loss = float((costs / counts).sum())
    if loss <= 1.01 * best:
        return
    share = counts / n_steps
    backwards = "cheap bins get the most steps and expensive ones the fewest: turn it round."
    for wish, sentence in (
        (
            costs,
            "this shares the steps out in proportion to the costs F_j. That makes every bin's loss F_j / K_j the same, "
            "which starves the cheap bins. Setting the derivative of Σ F_j / K_j + λ Σ K_j to zero gives K_j ∝ √F_j.",
        ),
        (costs**0, "every bin gets the same: that is the linear schedule. Expensive bins deserve more steps."),
        (1 / costs, backwards),
        (costs**-0.5, backwards),
        (costs**2, "this follows the squares of the costs; the best shares follow their square roots."),
    ):
        close = 0.5 * len(costs) / n_steps + 0.01
        require(not np.allclose(share, wish / wish.sum(), atol=close), sentence)
    raise WrongAnswerError(
        f"your division loses Σ F_j / K_j = {loss:.4g} nats where {best:.4g} can be reached with the same {n_steps} "
        "steps. Try K_j ∝ √F_j."
    )


@exercise(
    hints=(
        "What is F for one single bin from p₀ to p₁?",
        "F is half the symmetric divergence, ½ (η₁-η₀)·(s₁-s₀); a part of a step cannot be taken.",
        "K = ⌈F / tolerance⌉ with F = ½ [KL(p₀‖p₁) + KL(p₁‖p₀)]",
    )
)
def steps_needed(answer) -> str:
    """``answer(p0, p1, tolerance)`` must be the smallest K of a linear schedule with F / K ≤ tolerance.

    It is tried on random pairs of Gaussians, where F / K is the average of the forward and the reverse bias at every K,
    on both paths.
    """
    rng = np.random.default_rng(8)
    for tolerance in (0.1, 0.2, 0.6):
        p0, p1 = _telling_pair(rng, tolerance)
        got = call(answer, p0, p1, tolerance)
        n_steps = _number(got, "the number of steps")
        require(n_steps > 0, f"the number of steps must be positive, yours is {n_steps:g}.")
        _reject_known_step_mistakes(p0, p1, tolerance, n_steps)
        require(n_steps.is_integer(), f"a schedule has a whole number of steps; yours is {n_steps:g}.")
        _try_out(p0, p1, int(n_steps), tolerance)
    return "right: on random Gaussians and both paths K steps stay within the tolerance, and K - 1 do not."


def _telling_pair(rng: np.random.Generator, tolerance: float) -> tuple[Gaussian, Gaussian]:
    """Random Gaussians on which no slip gives nearly as many steps as another one, or as the right answer."""
    while True:
        p0, p1 = random_gaussian(rng, 3), random_gaussian(rng, 3)
        cost = cost_functional(geometric_path(p0, p1))
        counts = np.sort([cost / tolerance, *_step_mistakes(p0, p1, tolerance).values()])
        if np.diff(counts).min() > 3 and counts[-1] < 20_000:
            return p0, p1


def _step_mistakes(p0: Gaussian, p1: Gaussian, tolerance: float) -> dict[str, float]:
    cost = cost_functional(geometric_path(p0, p1))
    return {
        "you need half as many: F has a factor ½, F = ½ (η₁ - η₀) · (s₁ - s₀).": 2 * cost / tolerance,
        "you multiplied by the tolerance: a stricter (smaller) tolerance needs more steps.": cost * tolerance,
        "the bias falls like 1/K, not like 1/K²: there is no square root.": np.sqrt(cost / tolerance),
        "KL(p₀ ‖ p₁) is the forward bias of a single step. F is the average of that and of KL(p₁ ‖ "
        "p₀).": kl_divergence(p0, p1) / tolerance,
        "KL(p₁ ‖ p₀) is the reverse bias of a single step; F averages both.": kl_divergence(p1, p0) / tolerance,
        "this does not depend on the tolerance.": cost,
    }


def _reject_known_step_mistakes(p0: Gaussian, p1: Gaussian, tolerance: float, n_steps: float) -> None:
    cost = cost_functional(geometric_path(p0, p1))
    right = int(np.ceil(cost / tolerance))
    require(
        n_steps == right or not same(n_steps, cost / tolerance),
        f"F / tolerance = {n_steps:.3f} is the right idea, but a schedule has a whole number of steps: round up.",
    )
    for message, mistake in _step_mistakes(p0, p1, tolerance).items():
        resembles = abs(n_steps - mistake) <= 1 and abs(right - mistake) > 1
        require(not resembles, f"with tolerance {tolerance:g}: {message}")


def _try_out(p0: Gaussian, p1: Gaussian, n_steps: int, tolerance: float) -> None:
    for path in (geometric_path(p0, p1), moment_path(p0, p1)):
        loss = _average_bias(path, n_steps)
        require(
            loss <= tolerance * (1 + 1e-9),
            f"with your K = {n_steps} the average of forward and reverse bias is {loss:.4g} nats, more than the "
            f"{tolerance:g} allowed.",
        )
        fewer = _average_bias(path, n_steps - 1) if n_steps > 1 else np.inf
        require(
            fewer > tolerance,
            f"your K = {n_steps} is more than needed: K = {n_steps - 1} loses {fewer:.4g} nats, within {tolerance:g}.",
        )


def _average_bias(path, n_steps: int) -> float:
    schedule = linear_schedule(n_steps)
    return (kl_bias(path, schedule) + kl_bias(path, schedule, reverse=True)) / 2
