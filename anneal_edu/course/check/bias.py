"""Checks of notebook 03: how large is the bias?"""

import numpy as np

from anneal_edu.course.check.two_paths import random_gaussian
from anneal_edu.course.check.verdict import WrongAnswerError, array, call, exercise, reject, require, same
from anneal_edu.distributions import Gaussian
from anneal_edu.paths.asymptotics import kl_bias, kl_divergence, segment_costs, symmetric_kl
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
    many = 400
    p, q = Gaussian(np.zeros(many), 1e-2 * np.eye(many)), Gaussian(np.full(many, 0.01), 2e-2 * np.eye(many))
    got = np.asarray(answer(*(np.array(part) for part in (p.mean, p.cov, q.mean, q.cov))))
    require(
        same(got, kl_divergence(p, q)),
        f"right in three dimensions, and {float(got):.4g} instead of {kl_divergence(p, q):.4g} in {many}: there a "
        "determinant is 0 in a computer, and its logarithm is not. Take the logarithm from np.linalg.slogdet.",
    )
    return "right: zero between equal Gaussians, positive between others, and in the right direction."


def _judge_kl(got: float, p: Gaussian, q: Gaussian) -> None:
    right, dim = kl_divergence(p, q), p.dim
    if same(got, right):
        return
    trace = float(np.trace(q.precision @ p.cov))
    log_det_p = float(np.linalg.slogdet(p.cov)[1])
    log_det = float(np.linalg.slogdet(q.cov)[1]) - log_det_p
    entropy = (dim + dim * np.log(2 * np.pi) + log_det_p) / 2
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
        "this is half the divergence: the factor ½ is there twice.": right / 2,
        "log |Σ_p| is missing: it is log |Σ_q| - log |Σ_p|.": right + log_det_p / 2,
        "log |Σ_q| is missing: it is log |Σ_q| - log |Σ_p|.": right - (log_det + log_det_p) / 2,
        "the log determinants are added: it is log |Σ_q| - log |Σ_p|.": right + log_det_p,
        "log 2π is in both densities, and cancels.": right + dim * np.log(2 * np.pi) / 2,
        "this is -E_p[log q(x)], the cross entropy: E_p[log p(x)] has to be added.": right + entropy,
        "these are determinants; wanted are their logarithms.": right + (np.exp(log_det) - log_det) / 2,
    })
    stands_for_dim = float(2 * (right - got) + dim)
    require(
        not (0 < stands_for_dim < 9 and same(stands_for_dim, round(stands_for_dim))),
        f"you subtract {stands_for_dim:.0f} inside the ½(…), where D = {dim} is right here: take D = len(mean_p).",
    )
    _judge_terms(got, right, {
        "the trace term": trace, "the distance of the means": distance, "the log determinants": log_det,
        "the dimension D": -dim,
    })
    _judge_matrices(got, p, q, right - (trace + distance) / 2)
    require(got > -1e-9, f"a KL divergence is never negative; yours is {got:.4g}.")
    require(not same(right, 0), f"KL(p ‖ p) should be 0; yours is {got:.4g}.")
    raise WrongAnswerError(
        "this is not KL(p ‖ q). It is the average over x ~ p of log p(x) - log q(x); with E[(x-m)ᵀ A (x-m)] = "
        "tr(A Σ_p) + (μ_p - m)ᵀ A (μ_p - m) only a trace, a distance, two log determinants and D are left."
    )


def _judge_terms(got: float, right: float, terms: dict[str, float]) -> None:
    """Name one of the four terms in ½(…) that is doubled, halved or has the wrong sign."""
    for name, term in terms.items():
        reject(got, {
            f"{name}: twice what it should be. All of ½(trace + distance - D + log determinants) is halved, "
            "once.": right + term / 2,
            f"{name}: half of what it should be. All of ½(trace + distance - D + log determinants) is halved, "
            "once.": right - term / 4,
            f"{name}: the sign is wrong.": right - term,
        })


def _judge_matrices(got: float, p: Gaussian, q: Gaussian, rest: float) -> None:
    """Name other matrices in the trace and in the distance; ``rest`` is all but these two, halved."""
    gap = q.mean - p.mean
    traces = {
        name: float(np.trace(matrix))
        for name, matrix in {
            "Σ_q⁻¹ Σ_p": q.precision @ p.cov, "Σ_p⁻¹ Σ_q": p.precision @ q.cov, "Σ_q Σ_p": q.cov @ p.cov,
            "nothing but D": np.eye(p.dim), "Σ_p": p.cov, "Σ_q": q.cov,
        }.items()
    }
    distances = {
        name: float(gap @ matrix @ gap)
        for name, matrix in {
            "Σ_q⁻¹": q.precision, "Σ_p⁻¹": p.precision, "Σ_q": q.cov, "Σ_p": p.cov, "no matrix": np.eye(p.dim),
        }.items()
    }
    for of_trace, trace in traces.items():
        for between, distance in distances.items():
            require(
                not same(got, rest + (trace + distance) / 2),
                f"yours has {of_trace} in the trace and {between} between the gaps of the means. The average "
                "over p of log q(x) gives tr(Σ_q⁻¹ Σ_p), and Σ_q⁻¹ between the gaps.",
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
    various = np.array([17.0, 47.0, 160.0, 116.0, 19.0, 87.0])
    uneven = np.array([100.0, *8 * [1.0], 1e-4])  # rounding takes more here than one bin can give back
    many, few, any_of_few = 1.01, 1.15, np.inf  # what may be lost, of the least: a rule of thumb is welcome
    for cases, tolerance in (
        ([(various, 600), (paths[0], 1000), (paths[1], 1000), (uneven, 1000)], many),
        ([(paths[1], 26), (various, 9), (various, 20)], few),
        ([(various, 6), (uneven, 10), (uneven, 14), (uneven[::-1], 14)], any_of_few),
        ([(np.array([17.0, 0.0, 47.0, 160.0]), 12)], any_of_few),  # a bin in which nothing changes
        ([(np.ones(10), 16)], few),  # rounding up all of them is four too many
        ([(np.tile(various, 3), 1800)], many),
    ):
        for costs, n_steps in cases:
            _judge_allocation(answer, costs, n_steps, tolerance)
    return "right: whole numbers, none forgotten, and no other division loses noticeably less."


def _judge_allocation(answer, costs: np.ndarray, n_steps: int, tolerance: float) -> None:
    counts = call(answer, costs.copy(), n_steps, shape=(len(costs),))
    require(
        np.issubdtype(counts.dtype, np.integer) or (counts == np.round(counts)).all(),
        "a bin cannot hold a fraction of a step: round to whole numbers, and see that they still sum to K.",
    )
    require((counts >= 1).all(), "every bin needs at least one step, whatever its cost, or the schedule jumps over it.")
    require(
        counts.sum() == n_steps,
        f"the steps sum to {int(counts.sum())} instead of {n_steps}. Rounding loses or gains a few: hand the rest out.",
    )
    best = float((costs / optimal_allocation(costs, n_steps)).sum())
    loss = float((costs / counts).sum())
    if loss <= tolerance * best:
        return
    require(
        n_steps > 200,
        f"with as few as {n_steps} steps for {len(costs)} bins it counts who gets those that rounding left over: your "
        f"division loses {loss:.4g} nats where {best:.4g} can be reached. Give each where it saves most.",
    )
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
        "What do the two biases of one K add up to, on any path of the lesson?",
        "K times the sum is the same number, 2F, for every K: all but one row must agree on it, whatever F is.",
        "total = n_steps * (forward + reverse); the row whose total is farthest from np.median(total)",
    )
)
def wrong_entry(answer) -> str:
    """``answer(n_steps, forward, reverse)`` must be the index of the row in which one number is wrong."""
    rng = np.random.default_rng(8)
    for case in range(8):
        p0, p1 = random_gaussian(rng, 2), random_gaussian(rng, 2)
        path = (geometric_path, moment_path)[case % 2](p0, p1)
        n_steps = np.sort(rng.choice(np.arange(2, 60), size=7, replace=False))
        if case < 2:  # in no order, and one K far from the rest
            n_steps = np.array([[53, 47, 58, 2, 51, 45, 56], [61, 55, 64, 57, 68, 3, 59]][case])
        biases = np.array([[kl_bias(path, linear_schedule(K), reverse) for K in n_steps] for reverse in (False, True)])
        wrong = (3, 5, 4, 1, 0, 6, 3, 5)[case]
        which = int(biases[0, wrong] < biases[1, wrong])  # the larger one, so that 1.5% of it is not lost
        biases[which, wrong] *= (1.015, 0.985)[case // 3 % 2]
        _judge_entry(call(answer, n_steps.copy(), *biases.copy()), n_steps, biases, wrong)
    return "right: 1.5% in one number, found without knowing the path or its ends. An identity is a checksum."


def _farthest(x: np.ndarray) -> tuple[int, int]:
    """The index farthest from the median, and the index of the largest."""
    return int(abs(x - np.median(x)).argmax()), int(abs(x).argmax())


def _judge_entry(said, n_steps: np.ndarray, biases: np.ndarray, wrong: int) -> None:
    n = len(n_steps)
    index = np.ndim(said) == 0 and float(said).is_integer() and 0 <= said < n
    require(index, f"return an index from 0 to {n - 1}, a whole number; you return {said!r}. (Not K itself.)")
    row = int(said)
    if row == wrong:
        return
    place = f"row {row} is right. If you mean K = {row}: return its index in the table. (Not K itself.)"
    require(row != n_steps[wrong], place)
    total = n_steps * biases.sum(0)
    gap = abs(np.diff(biases, axis=0)[0])
    log_k, in_order = np.log(n_steps), np.argsort(n_steps)
    line = np.polyval(np.polyfit(log_k, np.log(biases.sum(0)), 1), log_k)
    slips = {
        "The sums themselves fall like 1/K: did you multiply by K?": [biases.sum(0)],
        "K times one direction alone need not be constant: did you add both?": n_steps * biases,
        "The two directions may differ: only their sum is bound.": [gap, n_steps * gap],
    }
    hits = [who for who, tried in slips.items() if any(row in _farthest(x) for x in tried)]
    if row == int(np.flatnonzero(in_order == wrong)[0]):
        hits = ["It would be that row if they stood in the order of K: did you sort them?"]
    elif n_steps.min() < 5 and row == int(abs(np.log(biases.sum(0)) - line).argmax()):
        hits = ["Did you fit a line to the logs? Left free, its slope gives way to a row that stands alone; it is -1."]
    same_as = f"K (forward + reverse) = {total[row]:.4f} there, as in most rows"
    case = f"row {row} is right: {same_as}. One does not agree."
    raise WrongAnswerError(" ".join([case, *hits]))
