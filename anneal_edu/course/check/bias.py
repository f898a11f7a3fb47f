"""Exercises of notebook 03: how large is the bias?"""

from functools import cache

import numpy as np

from anneal_edu.course.check.engine import exercise, require
from anneal_edu.distributions import Gaussian
from anneal_edu.paths.asymptotics import kl_bias
from anneal_edu.paths.geometric import geometric_path, moment_path
from anneal_edu.paths.schedules import linear_schedule, optimal_allocation


# Exercise 1: the nearest round Gaussian
def _clouds():
    """(mean, cov) by what is special."""
    rng = np.random.default_rng(1)
    tall = rng.normal(size=(7, 7))
    turn = np.linalg.qr(rng.normal(size=(12, 12)))[0]
    thin = turn @ np.diag(np.geomspace(1e-2, 1e2, 12)) @ turn.T
    cov = np.array([[2.0, 0.6, -0.3], [0.6, 1.0, 0.4], [-0.3, 0.4, 0.5]])
    return {
        "": (np.array([1.0, -2.0, 4.0]), cov),
        "two dimensions": (np.array([0.5, -1.0]), np.array([[1.0, -0.85], [-0.85, 1.0]])),
        "seven dimensions": (rng.normal(size=7), tall @ tall.T + 0.1 * np.eye(7)),
        "a long and thin p": (rng.normal(scale=1e2, size=12), (thin + thin.T) / 2),
        "a small p": (np.array([0.02, 0.01, 0.0]), 1e-4 * cov),
        "a p that is round": (np.array([1.0, 2.0, 3.0]), 1.7 * np.eye(3)),
        "one dimension": (np.array([3.0]), np.array([[0.2]])),
    }


def _other_rounds(mean, cov):
    D, precision = len(mean), np.linalg.inv(cov)
    wide, narrow, volume = np.trace(cov) / D, D / np.trace(precision), np.linalg.det(cov) ** (1 / D)
    return {
        "the two are exchanged: in KL(p ‖ q), asked for first, the average is taken over p.": (
            (mean, narrow), (mean, wide)),
        "both pairs are those of KL(p ‖ q). In KL(q ‖ p) the average is taken over q.": ((mean, wide), (mean, wide)),
        "both pairs are those of KL(q ‖ p). In KL(p ‖ q) the average is taken over p.": (
            (mean, narrow), (mean, narrow)),
        "KL(p ‖ q): with det(cov)^(1/D) q has the volume of p. Set the derivative by σ² to 0.": ((mean, volume), ...),
        "KL(p ‖ q): this is the sum of the variances. σ² is their mean over D directions.": ((mean, D * wide), ...),
        "KL(q ‖ p): you add up the precisions. q has 1/σ² in each of D directions.": (..., (mean, narrow / D)),
        "KL(p ‖ q): this is σ. Return the variance σ².": ((mean, wide**0.5), ...),
        "KL(q ‖ p): this is 1/σ², a precision. Return the variance.": (..., (mean, 1 / narrow)),
        "KL(q ‖ p): you invert the variances one by one. Invert the matrix: cov⁻¹ has another diagonal.": (
            ..., (mean, D / (1 / np.diag(cov)).sum())),
        "σ² is one number, the same in every direction: q = N(m, σ² I).": ((mean, np.diag(cov)), ...),
        "KL(q ‖ p): σ² is one number, the same in every direction.": (..., (mean, 1 / np.diag(precision))),
        "KL(p ‖ q): this is the mean of all entries of cov. σ² is the mean of its diagonal.": ((mean, cov.mean()), ...),
    }  # fmt: skip


@exercise(
    hints=(
        "Over which of the two distributions is the average taken, and which terms of it hold m or σ²?",
        "KL(p ‖ q) has the mean of |x - m|² over p, and KL(q ‖ p) that of (x - mean)ᵀ cov⁻¹ (x - mean) over q. The "
        "other term is D log σ, with a plus or a minus. Set the derivative by σ² to 0.",
        "m = mean, both times; σ² = tr(cov) / D for KL(p ‖ q), and σ² = D / tr(cov⁻¹) for KL(q ‖ p)",
    ),
    returns=dict.fromkeys(
        ("(m, σ²) for KL(p ‖ q)", "(m, σ²) for KL(q ‖ p)"),
        "m has shape (D,), and σ² is one number. Set the derivatives by m and by σ² to 0."),
    cases=_clouds, slips=_other_rounds, rtol=1e-4, atol=1e-10,
    praise="right: the first averages the variances, the second the precisions, and the first is wider. With p0 and p1 "
    "moved to one place, the moment path has the first in its middle, and the geometric path the second.",
)  # fmt: skip
def nearest_round(mean, cov):
    """The (m, σ²) of the N(m, σ² I) with the smallest KL(p ‖ q), and that with the smallest KL(q ‖ p)."""
    D = len(mean)
    return (mean, float(np.trace(cov) / D)), (mean, float(D / np.trace(np.linalg.inv(cov))))


# Exercise 2: where steps are expensive
def _budgets():
    """(costs F_j, seconds t_j, budget T) by what is special."""
    six, prices = np.array([17.0, 47.0, 160.0, 116.0, 19.0, 87.0]), np.array([1.0, 20.0, 3.0, 0.5, 8.0, 40.0])
    return {
        "": (six, prices, 6000.0),
        "steps that all take 1 second": (six, np.ones(6), 1200.0),
        "milliseconds": (six, 1e-3 * prices[::-1], 9.0),
        "less than one step a bin": (six, prices, 30.0),
        "eighteen bins": (np.tile(six, 3), np.repeat(prices, 3), 30000.0),
        "two bins": (np.array([1.0, 400.0]), np.array([9.0, 1.0]), 4000.0),
        "one bin": (np.array([3.0]), np.array([2.0]), 401.0),
        "a bin that costs nothing": (np.array([0.0, 30.0, 143.0]), prices[:3], 100.0),
    }


def _other_budgets(F, t, T):
    def shared(wish):
        return T * wish / (t @ wish)

    best, real = shared(np.sqrt(F / t)), "the formula is right. K_j may be any real number here:"
    return {
        f"{real} do not round.": np.round(best),
        f"{real} no bin needs a whole step.": np.maximum(best, 1),
        "these are the proportions for a budget of 1 second. Multiply by T.": best / T,
        "these are shares of the steps, which add up to 1. Scale them, so that Σ t_j K_j = T.": best / best.sum(),
        "this is K_j ∝ √F_j, as if a step took as long everywhere. Time is limited, not steps: what does a *second* "
        "save in bin j?": shared(np.sqrt(F)),
        "this is Theorem 3: K_j ∝ √F_j, and Σ K_j = T. Here the seconds are limited, not the steps.": T * np.sqrt(F) / (
            np.sqrt(F).sum()),
        "optimal_allocation shares whole steps. Here seconds are limited, and K_j may be any real number.": (
            optimal_allocation(F, max(int(T), len(F)))),
        "your K_j sum to T. But T is in seconds: Σ t_j K_j = T.": T * best / best.sum(),
        "you share the seconds in proportion to √F_j. A bin whose steps take long needs more of the time.": shared(
            np.sqrt(F) / t),
        "K_j ∝ F_j / t_j: the root is missing. One more step saves about F_j / K_j², a square.": shared(F / t),
        "K_j ∝ F_j: the root is missing, and the seconds.": shared(F),
        "t_j is upside down: you take more steps where a step takes longer.": shared(np.sqrt(F * t)),
        "every bin gets the same number of steps: that is the linear schedule.": shared(np.ones(len(F))),
        "every bin gets the same time. Where are the costs F_j?": shared(1 / t),
        "these are the seconds of each bin, t_j K_j. Return the numbers of steps K_j.": t * best,
        "the proportions are right. Scale them, so that Σ t_j K_j = T.": np.sqrt(F / t),
    }  # fmt: skip


@exercise(
    hints=(
        "Theorem 3 holds the number of steps fixed. What is fixed here, and what do all bins share at the minimum?",
        "One more second spent in bin j, what does it save? At the best division all bins save the same.",
        "F_j / K_j² = λ t_j, so that K_j = T √(F_j / t_j) / Σ √(F t)",
    ),
    errors={"n_steps must be": "optimal_allocation shares whole steps. Here seconds are limited: find a formula."},
    returns={"K": "K_j may be any real number. Would a second save more in another bin? And is Σ t_j K_j = T?"},
    cases=_budgets, slips=_other_budgets,
    praise="right: a bin whose steps take four times as long gets half as many steps, and twice the time.",
)  # fmt: skip
def allocation(costs, seconds, budget):
    """The real numbers K_j with Σ t_j K_j = T that make Σ F_j / K_j smallest: (J,)."""
    return budget * np.sqrt(costs / seconds) / np.sqrt(costs * seconds).sum()


# Exercise 3: one number is wrong
_TABLES = (  # K, the row with a wrong number, its factor; K is in no order, in order, few or many
    ((53, 47, 58, 8, 51, 45, 56), 3, 1.015), ((61, 55, 64, 57, 68, 9, 59), 5, 1.015),
    ((300, 450, 700, 350, 500, 600, 800), 4, 1.015), ((9, 15, 22, 33, 40, 52, 65), 1, 0.985),
    ((12, 19, 24, 35, 41, 50, 63), 0, 0.985), ((8, 17, 29, 36, 44, 58, 61), 6, 0.985),
    ((11, 14, 27, 31, 43, 49, 57), 3, 1.015), ((9, 20, 26, 34, 46, 55, 64), 5, 1.015),
    ((2, 3, 5, 8, 16, 32, 64), 3, 1.015), ((40, 10, 20), 2, 0.985),
    (tuple(range(90, 10, -7)), 9, 0.985), ((300, 2, 1000, 30), 0, 0.985),
)  # fmt: skip


@cache
def _table(case):
    """(K, forward bias, reverse bias), one entry wrong by 1.5%: the larger of its row, so that it is not lost."""
    n_steps, wrong, factor = _TABLES[case]
    rng = np.random.default_rng(case)
    sides = rng.normal(size=(2, 2, 2))
    ends = [Gaussian(rng.normal(scale=3, size=2), side @ side.T + 0.5 * np.eye(2)) for side in sides]
    if case == 8:  # from wide to narrow one bias is much larger than the other
        ends = [Gaussian([-10, 0], 4 * np.eye(2)), Gaussian([10, 0], 0.25 * np.eye(2))]
    if case == 7:  # mirrored: both biases are the same
        ends[1] = Gaussian(-ends[0].mean, ends[0].cov)
    path = (moment_path, geometric_path)[case % 2](*ends)
    biases = np.array([[kl_bias(path, linear_schedule(K), reverse) for K in n_steps] for reverse in (False, True)])
    biases[biases[:, wrong].argmax(), wrong] *= factor
    return np.array(n_steps), *biases


def _farthest(x):
    return int(abs(x - np.median(x)).argmax())


def _of(quantity, row=_farthest):
    return lambda K, forward, reverse: row(quantity(K, forward, reverse))


def _total(K, forward, reverse):
    return K * (forward + reverse)


_SLIPS = {
    "you forgot K: forward + reverse falls like 1/K. Multiply by K before you compare.": _of(lambda K, f, r: f + r),
    "K times the forward bias alone need not be constant: add the reverse bias.": _of(lambda K, f, r: K * f),
    "K times the reverse bias, or the difference of the two, need not be constant: add both.": _of(
        lambda K, f, r: K * r),
    "you round. An error of 1.5% may be less than that.": _of(lambda *table: np.round(_total(*table))),
    "you take the largest number. The wrong one is the farthest from what most rows have.": _of(_total, np.argmax),
    "forward and reverse are equal only for mirrored ends. Which sum of the two is the same in every row?": _of(
        lambda K, f, r: f - r, lambda x: abs(x).argmax()),
    "you name the next row each time. Python counts from 0.": _of(_total, lambda x: _farthest(x) + 1),
}  # fmt: skip


def _judge_row(exercise, answer):
    tables = [_table(case) for case in range(len(_TABLES))]
    said, right = [], [wrong for _, wrong, _ in _TABLES]
    for table, wrong in zip(tables, right, strict=True):
        row = np.asarray(exercise.asked(answer, table))
        index = row.shape == () and row.dtype.kind in "iuf" and row == np.round(row)
        require(index, "return the index of one row, a whole number.")
        require(row == wrong or row != table[0][wrong], f"you return K = {row}. Return the index of its row.")
        said.append(int(row))
    for sentence, slip in _SLIPS.items():
        require(said == right or said != [slip(*table) for table in tables], sentence)
    missed = {w and w - len(table[0]) for row, w, table in zip(said, right, tables, strict=True) if row != w}
    for place, row in ((0, "first"), (-1, "last")):
        require(missed != {place}, f"you compare with the {row} row. If that is the wrong one, all others seem wrong.")
    for row, wrong, table in zip(said, right, tables, strict=True):
        require(0 <= row < len(table[0]), f"there is no row {row}: the index is from 0 to {len(table[0]) - 1}.")
        total = f"row {row} is right: K (forward + reverse) is {_total(*table)[row]:.4f} there"
        require(row == wrong, f"{total}, as in most rows up to rounding. One row does not agree.")


@exercise(
    hints=(
        "What do the two biases of one K add up to, on the geometric path and on the moment path alike?",
        "K times the sum is the same number, 2F, for every K: all but one row must agree on it, whatever F is.",
        "total = n_steps * (forward + reverse); the row whose total is farthest from np.median(total)",
    ),
    judge=_judge_row,
    mistakes=_SLIPS | {
        "you return K = 8. Return the index": lambda K, f, r: K[_farthest(_total(K, f, r))],
        "One row does not agree": lambda K, f, r: 2,
        "the first row": _of(_total, lambda x: (~np.isclose(x, x[0])).argmax()),
        "the last row": _of(_total, lambda x: abs(x - x[-1]).argmax()),
        "the index of one row": lambda K, f, r: K * (f + r),
    },
    praise="right: 1.5% in one number, found without knowing the path or its ends. An identity is a checksum.",
)  # fmt: skip
def wrong_entry(n_steps, forward, reverse):
    """The index of the row in which one number is wrong."""
    total = n_steps * (forward + reverse)
    return np.argmax(abs(total - np.median(total)))
