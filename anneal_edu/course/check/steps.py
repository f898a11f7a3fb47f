"""Slopes of the second exercise of notebook 12, and what is said of the steps that are predicted from them."""

import numpy as np

from anneal_edu.course.check.verdict import WrongAnswerError, call, require

CURVES = {
    "a path that narrows": lambda beta: -60 / (1 + 2 * beta),
    "a path that swells": lambda beta: 6 * np.exp(2.5 * beta),
    "a slope that turns": lambda beta: 40 * np.sin(2.5 * beta) - 8,
    "a slope that bends both ways": lambda beta: 60 * np.tanh(2.5 * (beta - 0.35)),
}
"""Slopes of log Z against β."""


def trapezoid(slope, n_steps: int) -> float:
    """The trapezoid rule on [0, 1] with so many even steps."""
    values = slope(np.linspace(0, 1, n_steps + 1))
    return float((values.sum() - (values[0] + values[-1]) / 2) / n_steps)


def rule_errors(slope) -> np.ndarray:
    """By how much the rule is off with 1, 2, … steps."""
    exact = trapezoid(slope, 200_000)
    return np.array([abs(trapezoid(slope, n) - exact) for n in range(1, 1500)])


def judge_parabola(answer, K: int, enough: float, bend: float, line: float) -> None:
    exact = int(np.ceil(enough))
    steps = predicted(answer, _parabola(K, bend, line), abs(bend) / 6 / enough**2)  # off by bend / 6 K²
    why = "How many steps lie between your slopes? Take the whole tolerance for the error, and round up once."
    if steps < exact:
        why = "Those are too few: round up what comes out, and keep to the tolerance itself."
    elif steps == exact + 1:
        why = "Those are more: did you count steps, or the points at their ends? Round up once, to a whole number, odd "
        why += "or even, and keep no reserve."
    require(
        steps == exact,
        f"where slopes are a parabola the law is exact: {exact} step{'s do' if exact > 1 else ' does'}; from {K} you "
        f"predict {steps}. {why}",
    )


def judge_ties(answer) -> None:
    """Where the law gives a whole number to the last bit: for 6 β² the rule of n steps is off by 1/n²."""
    ties = [(K, n) for K in (4, 8, 16) for n in (2, 4, 8, 16)]
    more = [predicted(answer, _parabola(K, 6.0), 1 / n**2) - n for K, n in ties]
    require(
        not all(extra == 1 for extra in more),
        "where the law gives a whole number of steps, that many keep to the tolerance; you take one more. Round up, "
        "which leaves a whole number as it is.",
    )


def predicted(answer, slopes: np.ndarray, tolerance: float) -> int:
    try:
        found = np.asarray(call(answer, slopes.copy(), tolerance))
    except ValueError as error:  # int(NaN)
        if "NaN" not in str(error):
            raise
        found = np.asarray(np.nan)
    require(
        found.shape == () and np.isfinite(found) and found >= 1 and found == int(found),
        f"return a whole number of steps, at least 1; yours is {found!s}. "
        + _why_no_number_of_steps(found),
    )
    return int(found)


def _why_no_number_of_steps(found: np.ndarray) -> str:
    if found.shape == () and found == 0:
        return "One step is the least that there is."
    return "Round up." if found.shape == () and found > 1 else "Has the difference a sign?"


def _doubled(answer, K: int) -> bool:
    """Whether it rounds up and then doubles: for parabolas, where one step, and where 3.2 and 6.1, are enough."""
    try:
        return [answer(_parabola(K, 1.0), 1 / 6 / enough**2) for enough in (0.8, 3.2, 6.1)] == [2, 8, 14]
    except Exception:
        return False


def _parabola(K: int, bend: float, line: float = 0.0) -> np.ndarray:
    beta = np.linspace(0, 1, K + 1)
    return (bend * beta + line) * beta + 7


def judge_steps(answer, name: str, slope, errors: np.ndarray, K: int, tolerance: float) -> None:
    slopes, least = slope(np.linspace(0, 1, K + 1)), int(np.argmax(errors <= tolerance)) + 1
    steps = predicted(answer, slopes, tolerance)
    case = f"{name}: you predict {steps:,} step{'s' * (steps > 1)} from {K} for a tolerance of {tolerance:g}"
    if steps > len(errors):
        raise WrongAnswerError(f"{case}: {least} would do.")
    off = errors[steps - 1]
    says = f"{case}, and then the rule is off by {off:.2g}"
    fine, coarse = trapezoid(slope, K), trapezoid(slope, K // 2)

    def times(part: float, power: float = 0.5, moved: float = abs(fine - coarse)) -> float:
        """Its steps for a far smaller tolerance, by those for this part of what moves without every second slope."""
        try:
            many = float(answer(slopes.copy(), tolerance / 1e4))
        except Exception:
            return np.nan
        return many / (K * (part * moved / tolerance * 1e4) ** power)

    spacing = any(
        abs(times(part, moved=abs(apart)) - 1) < 0.01
        for part in (1, 1 / 3)
        for apart in (K * fine - K / 2 * coarse, fine - coarse / 2, 2 * fine - coarse)
    )
    wide = "Is the spacing 1/K for all slopes, and 2/K for every second one?"
    if off > 1.2 * tolerance:
        require(steps != K, f"{says}. You return the ladder that you were given.")
        require(not spacing, f"{says}. {wide}")
        why = "That is too much: from which rule, with how many steps, do you start, and with which power of K does "
        why += "its error fall?"
        if abs(times(1 / 4) - 1) < 0.01:
            why = "That is just too few: what moves is three times the finer error, not four."
        elif abs(times(1 / 3) - 1) < 0.01:
            why = "That is just too few: round up."
        elif off <= 1.7 * tolerance:
            why = "That is just too few: which part of what moves is the error of the finer rule, and is it that error "
            why += "over the tolerance itself?"
        elif steps == 1:
            why = "Has the difference a sign? From a negative one, or from its root, NaN, max(1, …) makes 1."
        raise WrongAnswerError(f"{says}. {why}")
    if steps > 1.2 * least + 1:
        require(not spacing, f"{says}: {least} would do. {wide}")
        why = "How far off is the finer of your two rules, and how does that fall with K?"
        if abs(times(1) - 1) < 0.01:
            why = "What moves when every second is left out is the coarser error minus the finer, 4 e - e."
        elif abs(times(4 / 3) - 1) < 0.01 and _doubled(answer, K):
            why = "That is twice what the law says: add nothing for safety."
        elif abs(times(4 / 3) - 1) < 0.01:
            why = "That is the error of the coarser ladder; the finer one has a quarter of it."
        elif abs(times(1 / 3, power=1) - 1) < 0.01:
            why = "As the error falls as 1/K², a tenth of the error costs √10 times the steps."
        elif abs(times(1 / 3) - 1) < 0.01:
            why = "For small tolerances you say well: add no steps to what the law says, and round up once."
        elif steps in [K * 2**j for j in range(1, 12)]:
            why = "Do you double until it is enough? The law says how many steps are, a multiple of yours or not."
        raise WrongAnswerError(f"{says}: {least} would do. {why}")
