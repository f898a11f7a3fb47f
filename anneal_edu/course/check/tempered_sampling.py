"""Checks of notebook 12: shares of time, the loop of RTS, and the objective of MBAR."""

import numpy as np
from scipy.special import logsumexp

from anneal_edu import Gaussian, geometric_path, linear_schedule, log_density_matrix, mbar
from anneal_edu.course.check.verdict import call, exercise, reject, require, same, several
from anneal_edu.tempering.simulated import log_conditionals


# Exercise 1
@exercise(
    hints=(
        "For one draw x, over what should q(β_k | x) add up to 1?",
        "Stay in logs: log f_k(x) - log Ẑ_k, minus the logsumexp of it over the rungs; exponentiate last.",
        "q = exp(log f - log Ẑ - logsumexp over k), c_k = mean over the draws of q(β_k | x_n)",
    )
)
def shares(answer) -> str:
    """``answer(log_f, log_z)`` must return q(β_k | x_n), (K+1, N), and the shares c_k, (K+1,), for logs of any size.

    Examples
    --------
    >>> def over_the_draws(log_f, log_z):
    ...     p = np.exp(log_f - log_z[:, None])
    ...     q = p / p.sum(1, keepdims=True)
    ...     return q, q.mean(1)
    >>> shares(over_the_draws)
    ✗ your q adds up to 1 over the draws of each rung. For each draw x it should add up to 1 over the rungs: x is \
given, and k is asked for.
      A hint: ae.check.tempered_sampling.shares.hint()
    """
    rng = np.random.default_rng(12)
    log_f, log_z = rng.normal(0, 1.5, (4, 50)), np.array([0.0, 1.0, -0.5, 2.0])
    p = np.exp(log_f - log_z[:, None])
    right = p / p.sum(0)
    q, c = _pair(answer, log_f.copy(), log_z.copy(), "although all logs are small. Ẑ comes as its logarithm, log_z: "
                 "subtract it from log f.")
    reject(q, {
        "your q is f/Ẑ as it stands: for each draw x it should add up to 1 over the rungs. Divide by that sum.": p,
        "your q adds up to 1 over the draws of each rung. For each draw x it should add up to 1 over the rungs: x is "
        "given, and k is asked for.": p / p.sum(1, keepdims=True),
        "your q adds up to 1 over all rungs and draws together; it should for each draw.": p / p.sum(),
        "Ẑ does not enter: q(β_k | x) is proportional to f_k(x) / Ẑ_k.": np.exp(log_f - logsumexp(log_f, axis=0)),
        "Ẑ has the wrong sign: q(β_k | x) is proportional to f_k(x) divided by "
        "Ẑ_k.": np.exp(log_f + log_z[:, None] - logsumexp(log_f + log_z[:, None], axis=0)),
        "that is log q; return q itself.": np.log(right),
        "q is a probability, not a decision for the likeliest rung.": (right == right.max(0)).astype(float),
    })
    require(same(q, right), "q(β_k | x) should be f_k(x) / Ẑ_k, divided by the sum of these over all k.")
    _judge_shares(c, right)
    far = rng.choice([-1000.0, 1000.0], (1, 50))
    q, c = _pair(answer, log_f + far - 1000, log_z)
    require(
        same(q, right) and same(c, right.mean(1)),
        "with logs of -2000 the answer changes, but q does not feel a number that all rungs of a draw have in common.",
    )
    for rung in range(4):
        steep, steep_z = log_f.copy(), log_z.copy()
        steep[rung] -= 1500
        steep_z[3 - rung] -= 1000  # and another one comes out above all others
        q, c = _pair(answer, steep, log_z)
        right = np.exp(log_conditionals(steep, log_z))
        require(same(q, right) and same(c, right.mean(1)), "where one rung is 1500 below the others, yours is off.")
        q, c = _pair(answer, log_f, steep_z, "where one log Ẑ is 1000 below the others. " + _IN_LOGS)
        right = np.exp(log_conditionals(log_f, steep_z))
        require(same(q, right) and same(c, right.mean(1)), "where one log Ẑ is 1000 below the others, yours is off.")
    return "right: q adds up to 1 for each draw, c is its mean over the draws, and logs of -2000 do no harm."


_IN_LOGS = "Subtract the logarithm of the sum over the rungs (logsumexp) before you take exp."


def _pair(answer, log_f, log_z, where: str | None = None) -> tuple[np.ndarray, np.ndarray]:
    pair = several(call(answer, log_f, log_z), 2, "return two arrays: q and c.")
    q, c = (np.asarray(part, dtype=float) for part in pair)
    require(q.shape == log_f.shape, f"your q has shape {q.shape}; it should be {log_f.shape}.")
    where = where or f"where logs are near -2000: exp of that is 0, and 0/0 is not a number. {_IN_LOGS}"
    require(np.isfinite(q).all(), f"your q has NaN or infinite entries {where}")
    require(
        c.shape != (log_f.shape[1],),
        "your c has an entry for each draw: you averaged over the rungs. Average over the draws.",
    )
    require(c.shape == (len(log_f),), f"your c has shape {c.shape}; it should be {(len(log_f),)}.")
    return q, c


def _judge_shares(c: np.ndarray, q: np.ndarray) -> None:
    right = q.mean(1)
    reject(c, {
        "your c is a sum; divide by the number of draws.": q.sum(1),
        "that counts likeliest rungs; average q instead.": np.bincount(q.argmax(0), minlength=len(q)) / q.shape[1],
        "that is the mean of log q; average q itself.": np.exp(np.log(q).mean(1)),
        "that is log c; return c itself.": np.log(right),
    })
    require(
        float(np.ptp(c)) > 1e-9,
        "all your shares are equal: there is no k in them. That is the form the poster prints, with q(β_{k(i)} | x_i); "
        "c_k is the mean of q(β_k | x_i).",
    )
    require(same(c, right), "c_k should be the mean of q(β_k | x_n) over the draws n.")


# Exercise 2
_CURVES = {
    "a path that narrows": lambda beta: -60 / (1 + 2 * beta),
    "a path that swells": lambda beta: 6 * np.exp(2.5 * beta),
    "a slope that turns": lambda beta: 40 * np.sin(2.5 * beta) - 8,
}
"""Slopes of log Z against β."""


def trapezoid(slope, n_steps: int) -> float:
    """The trapezoid rule on [0, 1] with so many even steps."""
    values = slope(np.linspace(0, 1, n_steps + 1))
    return float((values.sum() - (values[0] + values[-1]) / 2) / n_steps)


def _rule_errors(slope) -> np.ndarray:
    """By how much the rule is off with 1, 2, … steps."""
    exact = trapezoid(slope, 200_000)
    return np.array([abs(trapezoid(slope, n) - exact) for n in range(1, 1500)])


@exercise(
    hints=(
        "The error of the rule falls as 1/K². How much of it is left when K doubles?",
        "Apply the rule to all slopes and to every second one. With e the error of the finer, the coarser is off by "
        "4 e.",
        "e = |fine - coarse| / 3, and then K √(e / tolerance) steps, rounded up",
    )
)
def steps_needed(answer) -> str:
    """``answer(slopes, tolerance)`` must be how many even steps thermodynamic integration needs, from a coarse ladder.

    ``slopes`` are d log Z / dβ at K + 1 even β. The rule is then applied with as many steps as predicted: its error
    must be within the tolerance, up to a fifth, and fewer steps by a third must not do.

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
    for name, slope in _CURVES.items():
        errors = _rule_errors(slope)
        for K in (8, 16):
            for tolerance in (0.01, 0.3, 0.001):
                _judge_steps(answer, name, slope, errors, K, tolerance)
    for K in (8, 16):
        steps, exact = int(answer(90 * np.linspace(0, 1, K + 1) ** 2, 15 / 99.3**2)), 100  # off by 90 / 6 K²
        require(
            0 <= steps - exact <= 1,
            f"where slopes are a parabola the law is exact: {exact} steps do; from {K} you predict {steps}. "
            "How many steps lie between your slopes? Round up what comes out.",
        )
    return "right: predicted from eight or sixteen steps, and as many do it: no more than needed, and no fewer."


def _as_one_over_K(slope, n_steps: int, tolerance: float) -> float:
    """How many steps one predicts who takes the error of the rule to fall as 1/K."""
    return n_steps * abs(trapezoid(slope, n_steps) - trapezoid(slope, n_steps // 2)) / 3 / tolerance


def _judge_steps(answer, name: str, slope, errors: np.ndarray, K: int, tolerance: float) -> None:
    try:
        found = np.asarray(call(answer, slope(np.linspace(0, 1, K + 1)), tolerance))
    except ValueError as error:  # int(NaN)
        if "NaN" not in str(error):
            raise
        found = np.asarray(np.nan)
    require(
        found.shape == () and np.isfinite(found) and found >= 1 and found == int(found),
        f"return a whole number of steps, at least 1; yours is {found!s}. Has the difference a sign?",
    )
    steps, least = int(found), int(np.argmax(errors <= tolerance)) + 1
    case = f"{name}: you predict {steps:,} steps from {K} for a tolerance of {tolerance:g}"
    if steps > len(errors):
        require(False, f"{case}: {least} would do.")
    off = errors[steps - 1]
    says = f"{case}, and then the rule is off by {off:.2g}"
    if off > 1.2 * tolerance:
        few = "That is too much: how does the error of the rule depend on the number of steps?"
        require(steps != K, f"{says}. You return the ladder that you were given.")
        require(off > 1.7 * tolerance, f"{says}: just too few. Round up.")
        require(False, f"{says}. {few}")
    times = steps / least
    if steps > 1.18 * least + 1:
        why = "As the error falls as 1/K², a tenth of the error costs √10 times the steps."
        if 1.5 < times < 1.9:
            why = "What moves when every second is left out is the coarser error minus the finer, 4 e - e."
        elif 1.9 <= times < 2.3:
            why = "That is the error of the coarser ladder; the finer one has a quarter of it."
        elif abs(steps - _as_one_over_K(slope, K, tolerance)) > 2:
            why = "How far off is the finer of your two rules, and how does that fall with K?"
        require(False, f"{says}: {least} would do. {why}")


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
    log_f, counts = _three_rungs()
    best, s = mbar(log_f, counts).log_z, counts / counts.sum()

    def value(log_z, log_f=log_f, counts=counts):
        found = np.asarray(call(answer, log_f.copy(), counts.copy(), np.array(log_z)), dtype=float)
        require(found.shape == (), f"your function returned shape {found.shape}; it should be one number.")
        require(
            np.isfinite(found),
            "your function returned NaN or infinity: take logsumexp over the rungs, not the log of a sum of exp.",
        )
        return float(found)

    _judge_common_factor(value(best + 5) - value(best), same(value(best), 3 * _mixture(log_f, best, s) + s @ best))
    _judge_valley(value, log_f, counts, best)
    constant = value(best) - _mixture(log_f, best, s) - s @ best
    require(
        abs(constant - np.log(counts.sum())) > 1e-6,
        f"yours is log N = {constant:.4g} too high everywhere: in the first term, too, rung k weighs n_k/N, not n_k.",
    )
    require(
        abs(constant) < 1e-6,
        f"yours is {constant:.4g} too high everywhere. No minimum is moved by it, but the value of (4) is another.",
    )
    require(
        abs(value(best[::-1], log_f[::-1], counts[::-1]) - value(best)) < 1e-6,
        "number the rungs from the other end, with their counts and log Z, and the objective is the same; yours is "
        "another. The weight of rung k is counts[k] over their sum, whatever the counts are.",
    )
    lower = log_f - np.random.default_rng(5).choice([0.0, 1000.0], log_f.shape[1])
    aside = best + 0.2 * np.array([0, 1, 1])
    far, near = value(aside, lower) - value(best, lower), value(aside) - value(best)
    require(abs(far - near) < 1e-6, "with logs of -1000 the answer changes: take logsumexp over the rungs.")
    return "right: a valley whose lowest point is the log Z of ae.mbar, blind to a common factor of all Z."


def _three_rungs() -> tuple[np.ndarray, np.ndarray]:
    """log f of 400 draws from three rungs, (3, 400), and how many came from each."""
    path, schedule = geometric_path(Gaussian([0.0], [[1.0]]), Gaussian([2.0], [[0.5]])), linear_schedule(2)
    rng, counts = np.random.default_rng(4), np.array([60, 200, 140])
    x = np.concatenate([path(float(b)).sample(n, rng) for b, n in zip(schedule, counts, strict=True)])
    return log_density_matrix(path, schedule, x) + np.array([[0.0], [1.0], [-2.0]]), counts


def _mixture(log_f, log_z, s) -> float:
    return float(logsumexp(np.log(s)[:, None] + log_f - np.reshape(log_z, (-1, 1)), axis=0).mean())


def _judge_common_factor(shift: float, thrice: bool) -> None:
    sign = "The first term falls by 5, so the second, linear in log Z, must rise by 5. Its sign is wrong."
    for wrong, why in (
        (-5, "The first term falls by 5, and the second, linear in log Z, is missing or does not rise with it."),
        (5 - 5 / np.log(2), "The first term falls by 7.2: its logarithm has base 2, and all are natural here."),
        (-10, "The first term falls by 15: it is a mean over the draws, and yours is three of it." if thrice else sign),
        (5, "The first term stays: each f_k should be divided by its Z_k there, so that it falls by 5."),
        (10, "In the first term each f_k is divided by its Z_k, so that it falls by 5."),
        (shift, "Do the weights of both terms, n_k/N, add up to 1?"),
    ):
        require(
            abs(shift) < 1e-6 or abs(shift - wrong) > 1e-6,
            f"adding 5 to every log Z_k changes yours by {shift:.4g}, but only ratios of Z can be known from these "
            f"draws. {why}",
        )


def _judge_valley(value, log_f, counts, best) -> None:
    s, even = counts / counts.sum(), np.full(3, 1 / 3)
    steps = 0.3 * np.random.default_rng(6).normal(size=(6, 3)) * [0, 1, 1]
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
    require(
        not same(rises, rises_with(even, even)) and not same(rises, rises_with(even, s)),
        "every rung has the same weight in yours. They gave 60, 200 and 140 draws: rung k weighs n_k/N.",
    )
    require(not same(rises, counts.sum() * expected), "yours is N times the objective: a mean over draws, not a sum.")
    require(
        (rises > 0).all(),
        "the log Z of ae.mbar is not its lowest point. Differentiate by log Z_k: there both terms' slopes cancel.",
    )
    require(same(rises, expected), "it is lowest at the right place, but is not the objective of the poster.")
