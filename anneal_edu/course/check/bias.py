"""Checks of notebook 03: how large is the bias?"""

import numpy as np

from anneal_edu.course.check.rows import slips_of_row, tables_with_one_wrong
from anneal_edu.course.check.two_paths import random_gaussian
from anneal_edu.course.check.verdict import WrongAnswerError, array, call, exercise, reject, require, same, several
from anneal_edu.distributions import Gaussian
from anneal_edu.paths.asymptotics import kl_divergence, segment_costs
from anneal_edu.paths.geometric import geometric_path, moment_path
from anneal_edu.paths.schedules import linear_schedule

_ROUND = {"KL(p ‖ q)": "the first pair, for KL(p ‖ q)", "KL(q ‖ p)": "the second pair, for KL(q ‖ p)"}
_ENOUGH = 1e-6  # nats: no divergence is asked to be smaller by less


@exercise(
    hints=(
        "Over which of the two distributions is the average taken, and which terms of it hold m or σ²?",
        "KL(p ‖ q) needs the mean of |x - m|² over p, and KL(q ‖ p) that of (x - mean)ᵀ cov⁻¹ (x - mean) over q. Each "
        "stands against D log σ, with a plus or a minus: the derivative by σ² says where the two balance.",
        "m = mean, both times; σ² = tr(cov) / D for KL(p ‖ q), and σ² = D / tr(cov⁻¹) for KL(q ‖ p)",
    )
)
def nearest_round(answer) -> str:
    """``answer(mean, cov)`` must be (m, σ²) of the N(m, σ² I) nearest to a Gaussian p by KL(p ‖ q), then by KL(q ‖ p).

    Examples
    --------
    >>> nearest_round(lambda mean, cov: 2 * [(mean, np.linalg.det(cov) ** (1 / len(mean)))])
    ✗ the first pair, for KL(p ‖ q): with det(cov)^(1/D) your q fills the same volume as p. Neither divergence asks \
for that: set its derivative by σ² to 0.
      A hint: ae.check.bias.nearest_round.hint()
    """
    for p in _clouds():
        both = several(
            call(answer, np.array(p.mean), np.array(p.cov)),
            2,
            "return two pairs: (m, σ²) that makes KL(p ‖ q) smallest, then (m, σ²) that makes KL(q ‖ p) smallest.",
        )
        _judge_round(p, [_pair(part, name, p.dim) for part, name in zip(both, _ROUND.values(), strict=True)])
    cloud, turned = (Gaussian(np.zeros(2), [[1, r], [r, 1]]) for r in (-0.85, 0.85))
    middles = [make(cloud, turned)(0.5).cov[0, 0] for make in (moment_path, geometric_path)]
    widths = [answer(np.zeros(2), np.array(cloud.cov))[i][1] for i in range(2)]
    require(same(np.array(widths), np.array(middles), atol=1e-3), "for the cov of the lesson's p0 yours is wrong.")
    return (
        "right: no neighbour is nearer, in either direction. For the shape of the lesson's p0 your σ² is "
        f"{widths[0]:.2f} and {widths[1]:.2f}. With p0 and p1 moved to one place the moment path has the first in its "
        "middle, and the geometric path the second."
    )


def _clouds() -> list[Gaussian]:
    """Gaussians of several sizes and units: long and thin ones, one in a line, and one that is round itself."""
    rng = np.random.default_rng(1)
    clouds = [random_gaussian(rng, dim) for dim in (5, 2, 3, 7)]
    turn = np.linalg.qr(rng.normal(size=(12, 12)))[0]
    thin = turn @ np.diag(np.geomspace(1e-2, 1e2, 12)) @ turn.T
    clouds += [Gaussian(rng.normal(scale=1e2, size=12), (thin + thin.T) / 2)]
    scales = zip(clouds[:3], (30.0, 0.03, 3e-3), strict=True)
    clouds += [Gaussian(scale * p.mean, scale**2 * p.cov) for p, scale in scales]
    return [*clouds, Gaussian(rng.normal(size=3), 1.7 * np.eye(3)), Gaussian([3.0], [[0.2]])]


def _pair(part, name: str, dim: int) -> tuple[np.ndarray, float]:
    """m and σ², as they should be."""
    m, variance = several(part, 2, f"{name}: return m and σ², a pair.")
    m = array(m, (dim,), f"{name}: your m has", ", a point like the mean of p")
    require(np.ndim(variance) == 0, f"{name}: σ² is a single number, the same in every direction; yours is an array.")
    variance = float(array(variance, (), f"{name}: your σ² has"))
    require(variance > 0, f"{name}: a variance is positive; your σ² is {variance:.4g}.")
    return m, variance


def _judge_round(p: Gaussian, pairs: list[tuple[np.ndarray, float]]) -> None:
    right = float(np.trace(p.cov)) / p.dim, p.dim / float(np.trace(p.precision))
    swapped = "the two are exchanged: in KL(p ‖ q), asked for first, the average is taken over p."
    found = tuple(variance for _, variance in pairs)
    require(same(right[0], right[1]) or not same(found, right[::-1]), swapped)
    for (of, name), (m, variance), own, other in zip(_ROUND.items(), pairs, right, right[::-1], strict=True):
        _judge_m(p, of, f"{name}: ", m, variance)
        reject(variance, {
            "this σ² makes the other divergence smallest. The two directions have different answers.": other,
        }, f"{name}: ", unless=own)
        reject(variance, _slips_of_width(p, own, of == "KL(p ‖ q)"), f"{name}: ", unless=own)
        least = _divergence(p, of, p.mean, variance)
        for step in (1e-3, -1e-3):
            beside = _divergence(p, of, p.mean, variance * (1 + step))
            require(
                beside > least,
                f"{name}: with your σ² = {variance:.4g} the divergence is {least:.6g} where D = {p.dim}, and a σ² "
                f"{'larger' if step > 0 else 'smaller'} by a thousandth lowers it. Collect the terms that hold σ², "
                "once the average is taken, and set their derivative by σ² to 0.",
            )


def _divergence(p: Gaussian, of: str, m: np.ndarray, variance: float) -> float:
    q = Gaussian(m, variance * np.eye(p.dim))
    return kl_divergence(p, q) if of == "KL(p ‖ q)" else kl_divergence(q, p)


def _judge_m(p: Gaussian, of: str, case: str, m: np.ndarray, variance: float) -> None:
    reject(m, {
        "your m is 0; p stands elsewhere.": 0 * p.mean,
        "your m has the wrong sign.": -p.mean,
        "your m is the mean of all coordinates, in each of them; p has a mean in each direction.": np.full(
            p.dim, p.mean.mean()
        ),
    }, case, unless=p.mean)
    given, moved = (_divergence(p, of, place, variance) for place in (m, p.mean))
    require(
        given < moved + _ENOUGH,
        f"{case}with your m the divergence is {given:.4g}; with the same σ² and q moved elsewhere it falls to "
        f"{moved:.4g}. How does m enter, once the average is taken?",
    )


def _slips_of_width(p: Gaussian, right: float, over_p: bool) -> dict[str, float]:
    """What common slips give for σ², each with the sentence that helps."""
    dim, squares = p.dim, float(p.mean @ p.mean)
    total = float(np.trace(p.cov)), float(np.trace(p.precision))
    axes = np.linalg.eigvalsh(p.cov)
    own = {
        "this is the sum of the variances; σ² is the variance in each of D directions.": total[0],
        "moments about 0 hold |mean|², too; the width is measured about m.": (total[0] + squares) / dim,
    } if over_p else {
        "the precisions are added up. q has 1/σ² in each of D directions.": 1 / total[1],
        "this is the sum of precisions: neither a mean nor a variance yet.": total[1],
        "you turned the variances round one by one. The diagonal of cov⁻¹ is something else where there are "
        "correlations.": dim / float((1 / np.diag(p.cov)).sum()),
        "all entries of cov⁻¹ are added; the mean of (x-m)ᵀ cov⁻¹ (x-m) over a round q has only its "
        "diagonal.": dim / float(p.precision.sum()),
    }
    return own | {
        "this is the standard deviation σ; asked for is σ², the variance.": right**0.5,
        "this is 1/σ², a precision; asked for is the variance.": 1 / right,
        "this is the square of what it should be: is it σ² already?": right**2,
        "twice what it should be: both terms of the divergence have the factor ½, or neither.": 2 * right,
        "half of what it should be: both terms of the divergence have the factor ½, or neither.": right / 2,
        "with det(cov)^(1/D) your q fills the same volume as p. Neither divergence asks for that: set its derivative "
        "by σ² to 0.": float(np.exp(np.log(axes).mean())),
        "this is wide enough for p's longest axis. No divergence looks at one direction alone: D of them "
        "count.": axes[-1],
        "this fits into p's shortest axis. No divergence looks at one direction alone: D of them count.": axes[0],
        "D - 1 is for a variance that is estimated from draws; here cov is known.": total[0] / (dim - 1) if dim > 1
        else np.inf,
        "all entries of cov are averaged; the mean of |x - m|² has only its diagonal.": float(p.cov.mean()),
        "this averages standard deviations, and squares then.": float(np.sqrt(np.diag(p.cov)).mean() ** 2),
        "this averages standard deviations along the axes, and squares then.": float(np.sqrt(axes).mean() ** 2),
        "this lies halfway between the two answers; each direction has its own.": (total[0] / dim + dim / total[1]) / 2,
    }


@exercise(
    hints=(
        "The theorem's proof needs one thing only: what all bins have in common where the sum is smallest. What is "
        "held fixed there, and what here?",
        "One more second spent in bin j, what does it save? At the best division all bins save the same. Whole "
        "numbers come last: one step each, and the rest of the time rounded down.",
        "F_j / K_j² = λ t_j, so that K_j = T √(F_j / t_j) / Σ √(F t)",
    )
)
def allocation(answer) -> str:
    """``answer(costs, seconds, budget)`` must be whole K_j ≥ 1 with Σ t_j K_j ≤ budget that make Σ F_j / K_j small.

    ``costs`` (J,) are the F_j of the bins, ``seconds`` (J,) the t_j that a step takes in each.

    Examples
    --------
    >>> def as_in_theorem_3(costs, seconds, budget):
    ...     share = np.sqrt(costs) / (seconds @ np.sqrt(costs))
    ...     return 1 + np.floor((budget - seconds.sum()) * share).astype(int)
    >>> allocation(as_in_theorem_3)
    ✗ 6 bins, 6000 seconds: this is K_j ∝ √F_j, as if a step took as long everywhere. The seconds are limited, not the \
steps: what does a *second* save in bin j?
      A hint: ae.check.bias.allocation.hint()
    """
    many, few, any_of_few = 1.01, 1.5, np.inf  # what may be lost, of the least: a rule of thumb is welcome
    six = np.array([17.0, 47.0, 160.0, 116.0, 19.0, 87.0])
    prices = np.array([1.0, 20.0, 3.0, 0.5, 8.0, 40.0])
    uneven = np.array([100.0, *8 * [1.0], 1e-4])  # in proportion, the last bin would get less than one step
    ends = np.array([10.0, *8 * [1.0], 10.0])
    p0, p1 = (Gaussian([10.0 * side, 0.0], [[1.0, 0.85 * side], [0.85 * side, 1.0]]) for side in (-1, 1))
    moments = segment_costs(moment_path(p0, p1), linear_schedule(10))
    for tolerance, cases in (
        (many, [(six, prices, 6000), (six, 0.001 * prices[::-1], 9), (six, np.ones(6), 1200)]),
        (many, [(moments, ends, 5000), (uneven, ends, 5000), (np.tile(six, 3), np.repeat(prices, 3), 30000)]),
        (many, [(np.array([1.0, 400.0]), np.array([9.0, 1.0]), 4000), (np.array([3.0]), np.array([2.0]), 400.5)]),
        (many, [(np.array([0.02, 50.0]), np.array([1.0, 0.25]), 2000)]),
        (few, [(six, prices, 300), (moments, ends, 250), (np.ones(10), np.ones(10), 16)]),
        (any_of_few, [(six, prices, 72.5), (uneven, ends, 28), (uneven[::-1], ends, 30), (six - 17, prices, 100)]),
    ):
        for costs, seconds, budget in cases:
            _judge_allocation(answer, costs, seconds, budget, tolerance)
    as_in_the_lesson = 6000 * six**0.5 / (prices @ six**0.5)
    own, page = (float((six / counts).sum()) for counts in (answer(six, prices, 6000), as_in_the_lesson))
    return (
        "right: a step that takes four times as long is taken half as often, and its bin still gets twice the time. "
        f"With steps of half a second to 40 seconds yours lose {own:.2f} nats in 6,000 seconds; K_j ∝ √F_j would lose "
        f"{page:.2f}."
    )


def _judge_allocation(answer, costs: np.ndarray, seconds: np.ndarray, budget: float, tolerance: float) -> None:
    counts = call(answer, costs.copy(), seconds.copy(), budget, shape=(len(costs),))
    of_steps = counts / seconds
    times = counts.sum() <= budget < seconds @ counts and np.allclose(of_steps, of_steps.round(), atol=1e-9)
    require(not times, "these are the seconds of each bin, t_j K_j; return the numbers of steps, K_j.")
    require(
        np.issubdtype(counts.dtype, np.integer) or (counts == np.round(counts)).all(),
        "a bin cannot hold a fraction of a step: round to whole numbers, and stay within the time.",
    )
    require((counts >= 1).all(), "every bin needs at least one step, whatever its cost, or the schedule jumps over it.")
    case, spent = f"{len(costs)} bin{'s' * (len(costs) > 1)}, {budget:g} seconds: ", float(seconds @ counts)
    all_in_steps = f"{case}your K_j sum to {budget:g}, but a step is not a second: they take {spent:.4g}."
    require(spent <= budget * (1 + 1e-12) or counts.sum() != budget, all_in_steps)
    too_long = f"{case}your steps take {spent:.6g}. One for every bin first; what is left is shared and rounded down."
    require(spent <= budget * (1 + 1e-12), too_long)
    loss, best = float((costs / counts).sum()), _least_loss(costs, seconds, budget)
    if loss <= tolerance * best:
        return
    share, wanted = seconds * counts / spent, np.sqrt(costs * seconds) / np.sqrt(costs * seconds).sum()
    backwards = "cheap bins get the most steps and expensive ones the fewest: turn it round."
    for wish, sentence in (
        (
            costs**0.5,
            "this is K_j ∝ √F_j, as if a step took as long everywhere. The seconds are limited, not the steps: what "
            "does a *second* save in bin j?",
        ),
        (costs**0.5 / seconds, "you share the seconds out by √F_j. A bin whose steps are dear needs more of the time."),
        (
            costs / seconds,
            "K_j in proportion to F_j / t_j starves the cheap bins. One more step saves about F_j / K_j²: a square.",
        ),
        (costs, "this shares the steps out in proportion to F_j, and starves the cheap bins."),
        ((costs * seconds) ** 0.5, "where a step takes longer you take more of them: the t_j stands upside down."),
        (costs / seconds**0.5, "the root belongs over the whole quotient F_j / t_j."),
        (costs**0, "every bin gets the same number of steps, or nearly: that is the linear schedule."),
        (1 / seconds, "every bin gets the same time, whatever it loses: where are the costs F_j?"),
        (costs**-0.5, backwards),
        (1 / costs, backwards),
    ):
        aim = wish * seconds / (wish @ seconds)
        slipped = np.allclose(share, aim, atol=0.01 + 0.5 * (seconds / budget).max())
        require(not slipped or np.allclose(aim, wanted, atol=0.01), case + sentence)  # of bins alike it says nothing
    require(
        spent > 0.9 * budget, f"{case}you leave {budget - spent:.4g} of them unused; all are yours. What is Σ t_j K_j?"
    )
    raise WrongAnswerError(
        f"{case}your division loses Σ F_j / K_j = {loss:.4g} nats where {best:.4g} can be reached. Would a second do "
        "more good in another bin?"
    )


def _least_loss(costs: np.ndarray, seconds: np.ndarray, budget: float) -> float:
    """One step each, then one by one to where a second saves most, as long as the time is enough for it."""
    counts = np.ones(len(costs))
    while (affordable := seconds @ counts + seconds <= budget).any():
        saved = costs / (counts * (counts + 1)) / seconds
        counts[np.where(affordable, saved, -1).argmax()] += 1
    return float((costs / counts).sum())


@exercise(
    hints=(
        "What do the two biases of one K add up to, on the geometric path and on the moment path alike?",
        "K times the sum is the same number, 2F, for every K: all but one row must agree on it, whatever F is.",
        "total = n_steps * (forward + reverse); the row whose total is farthest from np.median(total)",
    )
)
def wrong_entry(answer) -> str:
    """``answer(n_steps, forward, reverse)`` must be the index of the row in which one number is wrong."""
    tables = tables_with_one_wrong()
    said = []
    for n_steps, biases, _ in tables:
        row, n = call(answer, n_steps.copy(), *biases.copy()), len(n_steps)
        index = np.ndim(row) == 0 and float(row).is_integer() and 0 <= row < n
        require(index, f"return an index from 0 to {n - 1}, a whole number; you return {row!r}. (Not K itself.)")
        said.append(int(row))
    wrong_rows = [wrong for *_, wrong in tables]
    others = "Compare that with the other rows."
    slip = "" if said == wrong_rows else next((why for why, rows in slips_of_row(tables) if said == rows), others)
    for row, (n_steps, biases, wrong) in zip(said, tables, strict=True):
        place = f"row {row} is right. If you mean K = {row}: return its index in the table. (Not K itself.)"
        require(row == wrong or row != n_steps[wrong], place)
        total = n_steps * biases.sum(0)
        require(
            row == wrong,
            f"row {row} is right: K (forward + reverse) = {total[row]:.4f} there, as in most rows. One does not agree. "
            + slip,
        )
    return "right: 1.5% in one number, found without knowing the path or its ends. An identity is a checksum."
