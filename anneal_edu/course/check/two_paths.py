"""Checks of notebook 02: two paths between two Gaussians."""

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

import numpy as np
from scipy.special import ndtri

from anneal_edu.course.check.turned_planes import NEARLY, ends_in_the_plane, is_good, kept_at, least_kept
from anneal_edu.course.check.verdict import (
    WrongAnswerError,
    call,
    exercise,
    numbers,
    reject,
    require,
    same,
    wide_log_weights,
)
from anneal_edu.distributions import Gaussian
from anneal_edu.paths.geometric import moment_path
from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.weights import log_mean_exp


def random_gaussian(rng: np.random.Generator, dim: int) -> Gaussian:
    """A Gaussian that has nothing in common with the next one."""
    a = rng.normal(size=(dim, dim))
    return Gaussian(rng.normal(scale=2.0, size=dim), a @ a.T + 0.5 * np.eye(dim))


Steps = Callable[[int], tuple[Gaussian, Gaussian]]
"""The two ends of step k, made only when they are asked for."""


def _first_sound(p0: Gaussian, p1: Gaussian, is_sound: Callable[[Steps, int], bool]) -> int:
    """The smallest K ≥ 2 for which the K steps of the moment path between two ends pass a test."""
    path = moment_path(p0, p1)

    def steps(n_steps: int) -> Steps:
        betas = linear_schedule(n_steps)
        return lambda k: (path(betas[k - 1]), path(betas[k]))

    return next(K for K in range(2, 10_000) if is_sound(steps(K), K))


def _slope(p: Gaussian, q: Gaussian) -> float:
    """How fast the integrand of E[w²] falls off where it falls off most slowly, for a step from p to q."""
    return float(np.linalg.eigvalsh(2 * q.precision - p.precision)[0])


def _finite(p: Gaussian, q: Gaussian) -> bool:
    """Whether the weight of a step from p to q has a finite variance."""
    return _slope(p, q) > 0


def _every(test: Callable[[Gaussian, Gaussian], bool]) -> Callable[[Steps, int], bool]:
    """Whether all steps pass, asked of the first and the last before the others: it is there that they fail."""
    return lambda step, K: all(test(*step(k)) for k in (1, K, *range(2, K)))


def _slips_of_steps(p0: Gaussian, p1: Gaussian, right: int) -> dict[str, int]:
    """What common slips give for the number of steps, each with the sentence that helps."""
    apart = float(np.sum((p1.mean - p0.mean) ** 2))
    return {
        "that is right between two of variance 1, and here the covariances differ: ask the matrix of each step.": next(
            K for K in range(2, 10_000) if (K - 1) * apart < K**2
        ),
        "your matrix is turned round (2 Σ_q - Σ_p is, too), or your start and target are exchanged: for a step from "
        "p to q it is 2 Σ_q⁻¹ - Σ_p⁻¹, with draws from p.": _first_sound(p0, p1, _every(lambda p, q: _finite(q, p))),
        "one step fewer than is needed: did you return the last K that fails, or is something left out?": right - 1,
        "one step more than is needed. (It is d², too: if that is what you return, how wide may stop 1 be, exactly?)"
        if int(np.ceil(apart)) == right + 1
        else "one step more than is needed.": right + 1,
        "that is d². How wide may stop 1 be, exactly?": max(2, int(np.ceil(apart))),
    }


@exercise(
    hints=(
        "Which step of the moment path is the dangerous one: from wide to narrow, or from narrow to wide?",
        "Walk through K = 2, 3, 4, … and look at the first step p → q of ae.linear_schedule(K) until its variance is "
        "finite. (Those that follow are sound then, too.)",
        "a step is sound if np.linalg.eigvalsh(2 * q.precision - p.precision)[0] > 0",
    )
)
def steps_for_finite_variance(answer) -> str:
    """``answer(p0, p1)`` must be the smallest K ≥ 2 for which every step of the moment path has a finite variance."""
    found = []
    for p0, p1, right in _ends_and_steps():
        n_steps = call(answer, p0, p1)
        whole = np.ndim(n_steps) == 0 and float(n_steps).is_integer() and n_steps >= 2
        require(whole, f"return a whole number of steps, 2 or more; you return {n_steps!r}.")
        found.append(int(n_steps))
        _judge_steps(p0, p1, int(n_steps), right)
    return (
        f"right: {found[0]} steps for a distance of 3, and about d² for a distance of d. With fewer, no number of "
        "chains gives an error bar. On the geometric path between equal covariances the variance is finite at any K, "
        "but e^{d²/K} - 1: it asks for about d² steps, too."
    )


@lru_cache(maxsize=1)
def _ends_and_steps() -> list[tuple[Gaussian, Gaussian, int]]:
    """The ends of every case, and the right number of steps between them."""
    rng = np.random.default_rng(5)
    unit = np.eye(1)
    pairs = [(Gaussian([0.0], unit), Gaussian([3.0], unit)), (Gaussian([0.0], unit), Gaussian([5.0], 0.1 * unit))]
    pairs += [(Gaussian([0.0], 0.1 * unit), Gaussian([1.0], 9 * unit))]
    pairs += [(Gaussian([0.0, 0.0], np.eye(2)), Gaussian([0.0, 4.0], np.array([[1.0, 0.9], [0.9, 1.0]])))]
    pairs += [(Gaussian([0.0], unit), Gaussian([0.5], unit))]  # two steps are enough
    pairs += [(Gaussian([0.0], unit), Gaussian([2.0], unit))]  # with two, stop 1 is twice as wide in variance, exactly
    pairs += [(random_gaussian(rng, 3), random_gaussian(rng, 3)), (Gaussian([0.0], unit), Gaussian([12.0], unit))]
    pairs += [(Gaussian([0.0], unit), Gaussian([0.0], 10 * unit))]  # the means agree
    pairs += [(Gaussian([0.0], unit), Gaussian([far], unit)) for far in (33.0, 50.0)]  # more than a thousand, and 2,000
    pairs += [(Gaussian([0.0, 0.0], np.array([[1.0, 0.9], [0.9, 1.0]])), Gaussian([3.0, 0.0], np.eye(2)))]  # slanted
    pairs += [(Gaussian(np.zeros(5), np.eye(5)), Gaussian([0.0, 0.0, 0.0, 5.0, 0.5], np.eye(5)))]
    return [(p0, p1, _first_sound(p0, p1, _every(_finite))) for p0, p1 in pairs]


def _judge_steps(p0: Gaussian, p1: Gaussian, n_steps: int, right: int) -> None:
    if n_steps == right:
        return
    case = f"from mean {p0.mean.round(1)} to {p1.mean.round(1)} you say {n_steps} steps: "
    edge = _first_sound(p0, p1, _every(lambda p, q: _slope(p, q) > -1e-9))
    require(
        n_steps != edge,
        f"{case}there the matrix of step 1 is exactly 0 in one direction: the integrand does not fall off, and the "
        "variance is infinite. Ask for more than 0.",
    )
    reject(n_steps, _slips_of_steps(p0, p1, right), case)
    too_many = f"{case}fewer are enough. Ask of every K from 2 on whether all its steps are sound."
    require(n_steps < right, too_many)
    betas = linear_schedule(n_steps)
    stops = [moment_path(p0, p1)(beta) for beta in betas]
    for k, (p, q) in enumerate(pairwise(stops), start=1):
        require(
            _finite(p, q),
            f"{case}with so few, step {k} still has weights of infinite variance: the smallest eigenvalue of "
            f"2 Σ_q⁻¹ - Σ_p⁻¹ is {_slope(p, q):.2g} there, and must be above 0. (Σ_p and Σ_q are the covariances of "
            f"stops {k - 1} and {k} of the moment path: the ends' covariances are in them, *and* the gap between the "
            "means.)",
        )


@exercise(
    hints=(
        "What would the clouds of a path have to look like for a Gibbs sweep to be a perfect transition?",
        "Try all angles: after a quarter turn everything comes again. (With equal covariances every cloud of the "
        "geometric path points as the ends do. Those of the moment path are stretched along the line between the "
        "means, the more, the farther apart these are.)",
        "the least, over angles up to π/2, of the mean over β of r² = c[0, 1]² / (c[0, 0] c[1, 1]) with c = R Σ(β) Rᵀ",
    )
)
def best_turn(answer) -> str:
    """``answer(p0, p1, style)`` must be an angle by which to turn the plane so that Gibbs keeps up along that path."""
    styles, ends = ("geometric", "moments"), ends_in_the_plane()
    angles: dict[str, list[float]] = {style: [] for style in styles}
    for p0, p1 in ends:
        for style in styles:
            angle = call(answer, p0, p1, style)
            require(np.ndim(angle) == 0 and np.isfinite(angle), "return one angle, in radians.")
            angles[style].append(float(angle))
    kept = [_judge_turn(number, style, angles[style]) for number in range(len(ends)) for style in styles]
    return f"right: turned so, a sweep keeps {max(kept):.0%} of the distance at most, on average over the path."


def _judge_turn(number: int, style: str, angles: list[float]) -> float:
    (p0, p1), angle = ends_in_the_plane()[number], angles[number]
    kept, least = float(kept_at(p0, p1, style, np.array([angle]))[0]), least_kept(number, style)
    if is_good(number, style, angle):
        return kept
    gaps = [p1.mean - p0.mean for p0, p1 in ends_in_the_plane()]
    case = (
        f"{style}, means {np.linalg.norm(gaps[number]):.3g} apart, turned by {angle:.3g}: a sweep keeps {kept:.0%} on "
        f"average, and {least:.0%} is possible. "
    )

    def would_do(style: str, of: Callable[[float], float]) -> bool:
        """Whether this would be good between all ends."""
        return all(is_good(i, style, of(angle)) for i, angle in enumerate(angles))

    other = "moments" if style == "geometric" else "geometric"
    along = "The clouds of the geometric path do not point along it."
    if style == "moments":
        along = "That would do where they lie far apart, and here they are too near for it."
    slips = {
        "It would be right in degrees; give radians.": max(np.abs(angles)) > 2 * np.pi and would_do(style, np.radians),
        f"That is a good angle for the other path, {other}. Which clouds does this one have?": would_do(other, float),
        "It would be right with the other sign: [[cos, -sin], [sin, cos]] turns to the left.": would_do(
            style, np.negative
        ),
        "This lays the line between the means on an axis. " + along: all(
            abs(np.sin(2 * (a + np.arctan2(y, x)))) < 1e-3 for a, (x, y) in zip(angles, gaps, strict=True)
        ),
    }
    for sentence, hit in slips.items():
        require(not hit, case + sentence)
    beside = kept_at(p0, p1, style, angle + np.linspace(-0.1, 0.1, 21)).min()
    small = f"{case}The number to make small is r², averaged over the whole path."
    finer = " A good angle is less than 6° from yours: if that is what you made small, try finer ones."
    raise WrongAnswerError(small + (finer if beside <= least + NEARLY else ""))


@exercise(
    hints=(
        "Had the heaviest chain not been run: what would the sum of the weights be, and by how many is it divided?",
        "Sort, and add up from the heaviest down until half is reached. The others are a set of log weights of their "
        "own, with a largest one of their own.",
        "the smallest n with w_1 + … + w_n ≥ ½ Σ w, heaviest first; then the log of the mean of w_{n+1}, …, w_C",
    )
)
def judge_weights(answer) -> str:
    """``answer(log_weights)`` must be (how many of the heaviest chains carry half of the weight, log Ẑ without them).

    Examples
    --------
    >>> def still_divided_by_all(lw):
    ...     lw = np.sort(lw)[::-1]
    ...     w = np.exp(lw - lw[0])
    ...     n = 1 + np.searchsorted(np.cumsum(w), w.sum() / 2)
    ...     return n, lw[n] + np.log(np.exp(lw[n:] - lw[n]).sum() / len(lw))
    >>> judge_weights(still_divided_by_all)
    ✗ log Ẑ without them: you still divide by C, as if they had been run and had brought nothing. C - n are left.
      A hint: ae.check.two_paths.judge_weights.hint()
    """
    lw = np.random.default_rng(7).permutation(2.0 * ndtri((np.arange(1000) + 0.5) / 1000) - 3.0)
    _judge(answer, lw, "")
    _judge(answer, np.full(401, -5.0), "all 401 weights are equal: ")
    four = np.full(120, -np.inf)
    four[60:64] = 0.0
    _judge(answer, four, "four of 120 weigh 1 each, and all others 0: ")
    _judge(answer, np.r_[np.full(499, -50.0), 0.0], "one chain of 500 carries everything: ")
    light = np.r_[0.0, np.full(5000, np.log(3.7e-4))]
    _judge(answer, light, "one chain carries a third, and 5,000 light ones the rest: ")
    _judge(answer, lw + 2000.0, "2000 was added to every log weight, which multiplies Ẑ by e²⁰⁰⁰: ")
    _judge(answer, lw - 2000.0, "2000 was taken from every log weight: ")
    _judge(answer, wide_log_weights(300), "log weights from 0 down to -800, and two of -inf: ")
    _judge(answer, np.r_[wide_log_weights(150, -900.0), 0.0], "all but one lie 900 nats or more below that one: ")
    _judge(answer, lw[:199], "199 chains: ")
    alone = call(answer, np.r_[np.full(99, -np.inf), 0.0])
    require(
        same(alone, (1.0, -np.inf)),
        f"one chain of 100 weighs 1, and the others 0: it carries half and more, and without it Ẑ is 0 and log Ẑ -inf. "
        f"You return {alone}. (The largest log weight of the others is -inf there: -inf - (-inf) is no number.)",
    )
    return "right: how few chains the estimate rests on, and what it would be had they not come by, without overflow."


def _judge(answer, log_weights: np.ndarray, case: str) -> None:
    result = call(answer, log_weights.copy())
    few, log_z = numbers(result, 2, "return two numbers: `return n, log_z`.")
    require(np.ndim(few) == 0 and np.ndim(log_z) == 0, "return two numbers: `return n, log_z`.")
    lw = np.sort(log_weights)[::-1]
    w = np.exp(lw - lw[0])
    n = 1 + int(np.searchsorted(np.cumsum(w), w.sum() / 2))
    exchanged = same(log_z, float(n)) and not same(few, float(n))
    require(not exchanged, "the two stand in the other order: first how many chains, then log Ẑ without them.")
    tied = "chains that weigh as much as one of the n are chains all the same: leave out n, not all that tie."
    require(np.isfinite(log_z) or len(set(log_weights)) > 1, case + tied)
    require(
        np.isfinite(log_z),
        f"{case}your log Ẑ is not finite. exp overflows, or underflows to 0, far from 0: subtract the largest log "
        "weight of those that are *left*, and add it to the logarithm at the end.",
    )
    from_below = 1 + int(np.searchsorted(np.cumsum(w[::-1]), w.sum() / 2))
    reject(few, {
        "give the number of chains, not their share of all C.": n / len(w),
        "one chain too few: position 0 holds one already. Or did you stop before half was reached?": n - 1,
        "one chain too many: half or more is asked for, and they have it without the last one.": n + 1,
        "that is how many of the *lightest* it takes; sort the other way.": from_below,
        "that is half of the chains. Some weigh more than others.": len(w) // 2,
        "a threshold takes every chain that ties; count them.": (lw >= lw[n - 1]).sum(),
        "that is the ESS. It is about as small, and another number: count chains.": w.sum() ** 2 / (w @ w),
        "these are the chains that weigh more than half of the heaviest one. Add weights up.": (w > 0.5).sum(),
    }, case, unless=n)
    wanted = f"{case}the heaviest {n} of {len(w)} carry half of the weight, and no fewer do; you return {few}."
    require(same(few, n), wanted)
    _judge_the_others(float(log_z), lw, n, case + "log Ẑ without them: ")


def _judge_the_others(log_z: float, lw: np.ndarray, n: int, case: str) -> None:
    """Judge log Ẑ of the log weights that are left, those of ``lw`` (C,), heaviest first, from n on."""
    left, right, every = len(lw) - n, log_mean_exp(lw[n:]), log_mean_exp(lw)
    reject(log_z, {
        "this is log Ẑ of all chains.": every,
        "you still divide by C, as if they had been run and had brought nothing. C - n are left.": right
        + np.log(left / len(lw)),
        "this is the log of the sum; the estimate is the mean.": right + np.log(left),
        "this is the mean of the log weights. By Jensen's inequality it is too low: take the log of the mean "
        "weight.": lw[n:].mean(),
        "chains of log weight -inf were run, too, and count: their weight is 0.": log_mean_exp(
            lw[n:][lw[n:] > -np.inf]
        ),
        "this is log Ẑ of the n heaviest; it is the others that are asked for.": log_mean_exp(lw[:n]),
        "this is by how much log Ẑ falls; return what it falls to.": every - right,
        "you took log 2 off. The heaviest carry more than half, by a part of the last one, and are no longer "
        "counted.": every - np.log(2),
        "you subtracted the largest log weight and did not add it back.": right - lw[0],
        "you subtracted the largest log weight that is left, and did not add it back.": right - lw[n],
        "you subtracted the largest that is left, and added the largest of all.": right - lw[n] + lw[0],
        "this is Ẑ; return its logarithm.": np.exp(right),
    }, case, unless=right)
    wanted = f"{case}{left} chains are left, the log of their mean weight is {right:.4f}; you return {log_z:.4f}."
    require(same(log_z, right), wanted)
