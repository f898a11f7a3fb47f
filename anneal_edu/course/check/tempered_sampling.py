"""Checks of notebook 12: shares of time under unequal wishes, the steps of TI, and the objective of MBAR."""

import numpy as np
from scipy.special import logsumexp

from anneal_edu import Gaussian, geometric_path, linear_schedule, log_density_matrix, mbar
from anneal_edu.course.check.steps import CURVES, judge_parabola, judge_steps, judge_ties, predicted, rule_errors
from anneal_edu.course.check.verdict import call, exercise, reject, require, same
from anneal_edu.course.check.wishes import asked, judge_corrected, judge_far, judge_small


# Exercise 1
@exercise(
    hints=(
        "A rung gets twice the time because you wished for it. What does this say of its Z_k?",
        "Divide r_k f_k(x) / Ẑ_k by its sum over the rungs to have q(β_k | x): in logarithms, and exp comes last. Sum "
        "it over x instead to have q(β_k), and solve that for Z_k.",
        "c_k = mean over n of r_k f_k(x_n) / Ẑ_k / Σ_j r_j f_j(x_n) / Ẑ_j; log Ẑ_k + log(c_k / r_k) - log(c_0 / r_0)",
    )
)
def corrected(answer) -> str:
    """``answer(log_f, log_z, wishes)`` must return the shares c_k and the corrected log Ẑ_k: twice (K+1,).

    Its draws are all of a few states, each as often as the joint law says, so that the corrected Ẑ_k are exact.

    Examples
    --------
    >>> from anneal_edu.tempering.simulated import log_conditionals
    >>> def as_it_stands(log_f, log_z, wishes):
    ...     c = np.exp(log_conditionals(log_f, log_z - np.log(wishes))).mean(1)
    ...     return c, log_z + np.log(c / c[0])
    >>> corrected(as_it_stands)
    ✗ of 3 rungs and 5 states: your c is right, and your log Ẑ, [1.39, 1.37, 2.64], should be [1.39, 0.68, 1.54]. That \
is (2) as it stands: a rung that you wished for twice as much has twice the time, and yours takes this for twice the Z.
      A hint: ae.check.tempered_sampling.corrected.hint()
    """
    rng = np.random.default_rng(12)
    for n_rungs, n_states in ((3, 5), (6, 4), (4, 9), (2, 3)):
        f = np.stack([rng.choice(_PRIMES, n_rungs, replace=False) for _ in range(n_states)], axis=1)  # Z_k is a sum
        for again in ("", "once more, with other wishes: "):
            case = f"of {n_rungs} rungs and {n_states} states: {again}"
            parts, twos = rng.permutation(1 + np.arange(n_rungs)), rng.permutation(n_rungs)
            times = (parts * 2 ** (n_rungs - twos)) @ f  # the joint law's share of a state, but for a factor
            draws = rng.permutation(np.repeat(np.arange(n_states), times // np.gcd.reduce(times)))
            given = np.log(f)[:, draws], (1 + twos) * np.log(2), parts / (1.0 if again else parts.sum())
            truth = np.log(f.sum(1) / f[0].sum())
            judge_corrected(asked(answer, *given), *given, truth, case)
            judge_far(answer, *given, rng)
    judge_small(answer)
    return "right: whatever was wished for and guessed, the corrected log Ẑ are exact, and logs of -2000 do no harm."


_PRIMES = np.array([7, 11, 17, 23, 29, 31, 53, 67, 79, 97])
"""Times 2, 4, … and times wishes up to 6 no two of them are equal: of no state are two rungs equally likely."""


# Exercise 2
@exercise(
    hints=(
        "The error of the rule falls as 1/K². How much of it is left when K doubles?",
        "Apply the rule to all slopes and to every second one. With e the error of the finer, the coarser is off by "
        "4 e.",
        "e = |fine - coarse| / 3, and then K √(e / tolerance) steps, rounded up, and at least 1",
    )
)
def steps_needed(answer) -> str:
    """``answer(slopes, tolerance)`` must be how many even steps thermodynamic integration needs, from a coarse ladder.

    ``slopes`` are d log Z / dβ at K + 1 even β. The rule is then applied with as many steps as predicted, at least 1:
    its error must be within 1.2 times the tolerance, with at most a fifth and one more steps than the least number
    that keeps to the tolerance itself; where slopes are a parabola or a line, with exactly that number.

    Examples
    --------
    >>> def as_1_over_K(slopes, tolerance):
    ...     K = len(slopes) - 1
    ...     fine, coarse = (np.trapezoid(part, dx=1 / (len(part) - 1)) for part in (slopes, slopes[::2]))
    ...     return int(np.ceil(K * abs(fine - coarse) / 3 / tolerance))
    >>> steps_needed(as_1_over_K)
    ✗ a path that narrows: you predict 108 steps from 8 for a tolerance of 0.01, and then the rule is off by 0.00076: \
30 would do. As the error falls as 1/K², a tenth of the error costs √10 times the steps.
      A hint: ae.check.tempered_sampling.steps_needed.hint()
    """
    for name, slope in CURVES.items():
        errors = rule_errors(slope)
        for K in (8, 16):
            for tolerance in (0.01, 0.3, 0.001):
                judge_steps(answer, name, slope, errors, K, tolerance)
    for K, enough, bend, line in (
        *((8, 96.3, 90, 0), (16, 100.6, -90, 40), (20, 6.2, 30, -60), (2, 12.4, 50, -50), (4, 0.77, -6, 1)),
        (4, 4 * (1 - 1e-7), 6, 0),  # no rounding of floats lifts it above 4
        *((8, 10.03, 6, 0), (16, 40.02, -30, 5), (6, 31.6, 6, 0), (10, 44.4, 20, -3)),  # just above; K no power of 2
    ):
        judge_parabola(answer, K, enough, bend, line)
    judge_ties(answer)
    steps = predicted(answer, 16 * np.linspace(0, 1, 9) - 3, 0.01)
    require(steps == 1, f"where slopes are a line the rule is exact: 1 step does, and you predict {steps}.")
    return "right: predicted from eight or sixteen steps, and as many do it: no more than needed, and no fewer."


# Exercise 3
@exercise(
    hints=(
        "What happens to the objective when every Z_k doubles?",
        "One logsumexp over the rungs for each draw, with the shares n_k/N inside; average it. What is its slope in "
        "log Z_k, and which weight a_k cancels that where the equation of the lesson holds?",
        "(1/N) Σ_n log Σ_k (n_k/N) f_k(x_n)/Z_k + Σ_k (n_k/N) log Z_k",
    )
)
def mbar_objective(answer) -> str:
    """``answer(log_f, counts, log_z)`` must be MBAR's objective, which is to be minimised.

    Examples
    --------
    >>> def as_printed(log_f, counts, log_z):
    ...     s = counts / counts.sum()
    ...     return -logsumexp(np.log(s)[:, None] - log_z[:, None] + log_f, axis=0).mean() - s @ log_z
    >>> mbar_objective(as_printed)
    ✗ at the log Z of ae.mbar yours is higher than all around it, so that it has to be maximised, as the poster says. \
The objective printed there has the other sign: it is a valley, not a hill.
      A hint: ae.check.tempered_sampling.mbar_objective.hint()
    """
    log_f, counts = _five_rungs()
    best, s, digits = mbar(log_f, counts).log_z, counts / counts.sum(), [6]

    def value(log_z, log_f=log_f, counts=counts):
        found = np.asarray(call(answer, log_f.copy(), counts.copy(), np.array(log_z)))
        digits.append(3 if found.dtype == np.float32 else 6)
        require(found.shape == (), f"your function returned shape {found.shape}; it should be one number.")
        require(
            np.isfinite(found),
            "your function returned NaN or infinity: take logsumexp over the rungs, not the log of a sum of exp.",
        )
        return float(found)

    shift = value(best + 5) - value(best)
    near_enough = 10.0 ** -min(digits)
    _judge_one_term_twice(value, log_f, best, s, shift)
    _judge_common_factor(shift, near_enough, log_f.shape[1])
    _judge_valley(value, log_f, counts, best, near_enough)
    constant = value(best) - _mixture(log_f, best, s) - s @ best
    require(
        abs(constant - np.log(counts.sum())) > near_enough,
        f"yours is log N = {constant:.4g} too high everywhere: in the first term, too, rung k weighs n_k/N, not n_k.",
    )
    require(
        abs(constant) < near_enough,
        f"yours is {abs(constant):.4g} too {'high' if constant > 0 else 'low'} everywhere. No minimum is moved by it, "
        "but the value of (4) is another.",
    )
    require(
        abs(value(best[::-1], log_f[::-1], counts[::-1]) - value(best)) < near_enough,
        "number the rungs from the other end, with their counts and log Z, and the objective is the same; yours is "
        "another. The weight of rung k is counts[k] over their sum, whatever the counts are.",
    )
    _judge_empty_rungs(answer, log_f, counts, best, near_enough)
    lower = log_f - np.random.default_rng(5).choice([0.0, 1000.0], log_f.shape[1])
    aside = best + 0.2 * np.array([0, 1, 1, 1, 1])
    off = abs(value(aside, lower) - value(best, lower) - value(aside) + value(best))
    require(off < 1e-3, "with logs of -1000 the answer changes: take logsumexp over the rungs.")
    return "right: a valley whose lowest point is the log Z of ae.mbar, blind to a common factor of all Z."


def _five_rungs() -> tuple[np.ndarray, np.ndarray]:
    """log f of 520 draws from five rungs, (5, 520), and how many came from each."""
    path, schedule = geometric_path(Gaussian([0.0], [[1.0]]), Gaussian([2.0], [[0.5]])), linear_schedule(4)
    rng, counts = np.random.default_rng(4), np.array([60, 200, 140, 30, 90])
    x = np.concatenate([path(float(b)).sample(n, rng) for b, n in zip(schedule, counts, strict=True)])
    return log_density_matrix(path, schedule, x) + np.array([[0.0], [1.0], [-2.0], [3.0], [0.5]]), counts


def _judge_empty_rungs(answer, log_f, counts, best, near_enough: float) -> None:
    """The value must also be right where all draws of one rung are taken away, whichever it is."""
    rung_of = np.repeat(np.arange(len(counts)), counts)
    for k in range(len(counts)):
        f, n = log_f[:, rung_of != k], np.where(np.arange(len(counts)) == k, 0, counts)
        s, log_z = n / n.sum(), best + 0.3 * np.arange(len(counts))
        found, right = float(call(answer, f.copy(), n.copy(), log_z.copy())), _mixture(f, log_z, s) + s @ log_z
        why = "not as if it had a draw or a few" if np.isfinite(found) else "and the logarithm of 0 is infinite"
        require(
            abs(found - right) < near_enough,
            f"a rung may have no draws. With counts {n.tolist()} yours is {found:.5f}, and should be {right:.5f}: such "
            f"a rung weighs n_k/N = 0 in both terms, {why}.",
        )


def _mixture(log_f, log_z, s) -> float:
    return float(logsumexp(np.log(s)[:, None] + log_f - np.reshape(log_z, (-1, 1)), axis=0).mean())


def _judge_one_term_twice(value, log_f, best, s, shift: float) -> None:
    """A term that counts twice changes the sum as much as one does that is missing, or has no Z in it."""
    of_first = value(best, log_f + 5) - value(best)
    aside = np.array([0.0, 2.0, 0.0, 0.0, 0.0])
    bends = abs(value(best + aside) + value(best - aside) - 2 * value(best)) > 1e-3
    changes = f"adding 5 to every log Z_k changes yours by {shift:.4g}, but only ratios of Z can be known from draws."
    require(
        abs(shift + 5) > 1e-3 or abs(of_first - 10) > 1e-3,
        f"{changes} The first term falls by 10: it is the mean over the draws, once, and yours is twice as much.",
    )
    linear = value(best + 20 * aside) - value(best + 19 * aside)  # where Z_1 is so large that the first term is level
    require(
        abs(shift - 5) > 1e-3 or abs(of_first - 5) > 1e-3 or not bends or abs(linear - 2 * s[1]) > 1e-3,
        f"{changes} The first term should fall by 5, and yours does not: f_k is divided by Z_k there, not by a ratio "
        "of two of them.",
    )
    require(
        abs(shift - 5) > 1e-3 or abs(of_first - 5) > 1e-3 or not bends,
        f"{changes} The second term rises by 10: its weights add up to 2, and should to 1.",
    )


def _judge_common_factor(shift: float, near_enough: float, N: int) -> None:
    for wrong, why in (
        (-5, "The first term falls by 5, and the second, linear in log Z, is missing or does not rise with it."),
        (5 - 5 / np.log(2), "The first term falls by 7.2: its logarithm has base 2, and all are natural here."),
        (-10, "The first term falls by 5, so the second, linear in log Z, must rise by 5. Its sign is wrong."),
        (-20, "The first term falls by 25: it is a mean over the draws, and yours is five of it."),
        (5 - 5 * N, f"The first term falls by {5 * N:,}: it is a mean over the {N} draws, and yours is their sum."),
        (5 * N - 5, f"The second term rises by {5 * N:,}: its weights add up to {N}, and should to 1."),
        (20, "The second term rises by 25: its five weights add up to 5. Which weights make it rise by 5?"),
        (5 - N, f"The first term falls by {N:,}: it is a mean over the {N} draws, and yours is a fifth of their sum."),
        (15, "The second term rises by 20: its five weights add up to 4. Which weights make it rise by 5?"),
        (5, "The first term stays: each f_k should be divided by its Z_k there, so that it falls by 5."),
        (10, "In the first term each f_k is divided by its Z_k, so that it falls by 5."),
        (shift, "Do the weights of both terms, n_k/N, add up to 1, and is the second linear in log Z_k?"),
    ):
        require(
            abs(shift) < near_enough or abs(shift - wrong) > near_enough,
            f"adding 5 to every log Z_k changes yours by {shift:.4g}, but only ratios of Z can be known from these "
            f"draws. {why}",
        )


def _judge_valley(value, log_f, counts, best, near_enough: float) -> None:
    s, even = counts / counts.sum(), np.full(5, 1 / 5)
    steps = 0.3 * np.random.default_rng(6).normal(size=(6, 5)) * [0, 1, 1, 1, 1]
    around = best + np.concatenate([steps, -steps])  # there and back: no slope rises, or falls, in all of them
    rises = np.array([value(z) for z in around]) - value(best)

    def rises_with(inside, outside):
        return np.array([_mixture(log_f, z, inside) + outside @ z for z in around]) - (
            _mixture(log_f, best, inside) + outside @ best
        )

    expected = rises_with(s, s)
    reject(rises, {
        "yours is the same at all log Z, so that it has no lowest point. The logarithm stands before the sum over the "
        "rungs: log Σ_k (n_k/N) f_k(x_n)/Z_k, and that is averaged over the draws.": np.zeros(12)
    })
    require(
        not (rises < 0).all(),
        "at the log Z of ae.mbar yours is higher than all around it, so that it has to be maximised, as the poster "
        "says. The objective printed there has the other sign: it is a valley, not a hill.",
    )
    for where, outside in (("both terms", even), ("your first term", s)):
        require(
            not same(rises, rises_with(even, outside)),
            f"every rung has the same weight in {where}. They gave from 30 to 200 draws: rung k weighs n_k/N.",
        )
    require(not same(rises, counts.sum() * expected), "yours is N times the objective: a mean over draws, not a sum.")
    if not same(rises, expected, near_enough):
        rest = np.array([value(z) - _mixture(log_f, z, s) for z in (best, *around)])
        _judge_weights_outside(rest, np.vstack([best, around]), near_enough)
    require(
        (rises > 0).all(),
        "the log Z of ae.mbar is not its lowest point. Differentiate by log Z_k: there both terms' slopes cancel. Is "
        "the first term a mean over the draws of log Σ_k (n_k/N) f_k(x_n)/Z_k, the sum over k inside, and the second "
        "one linear in log Z_k?",
    )
    nudges = 1e-3 * np.eye(5)[1:]
    slopes = [(value(best + nudge) - value(best - nudge)) / 2e-3 for nudge in nudges]
    require(
        np.abs(slopes).max() < 3e-3,
        "it is higher all around the log Z of ae.mbar, and yet not flat there: its lowest point lies beside it. Rung k "
        "weighs n_k/N in both terms, with its own n_k.",
    )
    k = int(np.abs(rises - expected).argmax())
    require(
        same(rises, expected, near_enough),
        "it is lowest at the right place, or very near it, but is not the objective of the poster: from there to other "
        f"log Z of ours it rises by {rises[k]:.7g}, and (4) by {expected[k]:.7g}. Have both terms the weights n_k/N, "
        "and nothing added to them? Is anything rounded?",
    )


def _judge_weights_outside(rest, log_z, near_enough: float) -> None:
    """What is left at these log Z, (n,) and (n, 5), once the first term is taken off: is it linear, with which a_k?"""
    steps, rises = log_z[1:] - log_z[0], rest[1:] - rest[0]
    weights = np.linalg.lstsq(steps[:, 1:], rises, rcond=None)[0]
    weights = np.append(1 - weights.sum(), weights)  # they add up to 1: a common factor changes nothing
    same_for_all = np.allclose(weights, 1 / 5, rtol=0, atol=0.002)
    a_k = "all alike" if same_for_all else f"[{', '.join(f'{round(a, 3) + 0.0:g}' for a in weights)}]"
    right = "right" if abs(rest[0] - weights @ log_z[0]) < near_enough else "right, but for a constant"
    require(
        not np.allclose(steps @ weights, rises, rtol=0, atol=near_enough),
        f"your first term is {right}, and the second one is linear in log Z_k; but its weights a_k are {a_k}. With "
        "these the slopes of both terms do not cancel at the log Z of ae.mbar. What is the first term's slope in "
        "log Z_k there?",
    )
