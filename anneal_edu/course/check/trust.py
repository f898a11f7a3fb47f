"""Exercises of notebook 14: which estimator should be trusted?"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from anneal_edu.course.check.engine import Exercise, WrongAnswerError, exercise, require
from anneal_edu.course.experiments.estimator_tables import stored_rows
from anneal_edu.course.experiments.estimators import Report
from anneal_edu.estimate import Diagnostic

# Exercise 1: whom to trust
CLOSE, PINNED = 0.3, 0.5  # nats
LOW, HIGH = "AIS, geometric", "reverse AIS, from data"
_STORED = (*(("digits8_cd", seed) for seed in (0, 37, 43)), *(("hidden modes", seed) for seed in (19, 30, 43)),
           *(("digits28_pcd_fast", seed) for seed in (7, 19)))  # fmt: skip
_MADE_UP = (
    # log Z; error and standard error of low, of high, and of the others; what each warns of
    # within half a nat with two standard errors of the gap, not with three
    (12.5, (-0.65, 0.085), (-0.45, 0.085), [(-0.6, 0.05)] * 4),
    # crossed, and within half a nat
    (-55.0, (-0.6, 0.01), (-0.9, 0.01), [(-0.75, 0.02)] * 4),
    # pinned where all have missed a mode, and one end warns
    (30.0, (-2.3, 0.02), (-2.25, 0.02, "collapsed weights"), [(-2.3, 0.02)] * 4),
    (-9.0, (-2.3, 0.02, "heavy tail"), (-2.25, 0.02), [(-2.3, 0.02)] * 4),
    # pinned, with log Z at one end
    (30.0, (0.0, 0.012), (0.44, 0.012), [(0.2, 0.02), (0.22, 0.02), (0.5, 0.05), (0.2, 0.03)]),
    # crossed by chance; silent reports on both sides of the two, and one near them that warns
    (-7.0, (0.15, 0.03), (0.045, 0.03), [(-0.6, 0.04), (0.7, 0.04), (0.8, 0.22), (0.34, 0.02, "coarse rule"),
                                         *[(0.02, 0.03)] * 6]),
)  # fmt: skip


def _report(name: str, exact: float, error: float, std_error: float, *kinds: str) -> Report:
    return Report(name, exact + error, std_error, tuple(Diagnostic(kind, kind) for kind in kinds), "neither", 0, 0)


def _tables():
    """Low, high, the others and log Z: of stored runs, and of tables that each refute a rule that is nearly right."""
    for model, seed in _STORED:
        rows = [row for row in stored_rows("estimators") if row.model == model]
        reports = {}
        for row in rows:
            kinds = (kind for kind, seeds in row.warnings.items() if seed in seeds)
            reports[row.name] = _report(row.name, row.exact, row.errors[seed], row.std_errors[seed], *kinds)
        yield reports.pop(LOW), reports.pop(HIGH), list(reports.values()), rows[0].exact
    for exact, low, high, others in _MADE_UP:
        named = [_report(f"estimator {i}", exact, *other) for i, other in enumerate(others, start=1)]
        yield _report(LOW, exact, *low), _report(HIGH, exact, *high), named, exact


def _judge_trust(exercise: Exercise, answer: Callable) -> None:
    for low, high, others, exact in _tables():
        known = {report.name: report for report in (low, high, *others)}
        names = exercise.asked(answer, (low, high, others))
        listed = isinstance(names, list | tuple | set | np.ndarray)
        require(listed, "return a list of names, such as ['RTS'], or an empty one.")
        for name in names:
            require(isinstance(name, str), "return the names of reports, r.name, and not the reports.")
            require(name in known, f"there is no report named {name!r}.")
        right = {name for name, r in known.items() if abs(r.log_z - exact) < max(CLOSE, 3 * r.std_error)}
        gap, noise = high.log_z - low.log_z, 3 * np.hypot(low.std_error, high.std_error)
        pinned, warned = abs(gap) + noise < PINNED, low.warnings or high.warnings
        for report in (known[name] for name in names if name not in right):
            off = f'you trust "{report.name}", which is {abs(report.log_z - exact):.2f} nats off'
            agree = sum(abs(r.log_z - report.log_z) < CLOSE for r in known.values()) - 1
            crossed = f"{off}: high lies {-gap:.2f} nats below low, and bounds cannot do this. Trust nobody."
            require(gap >= -noise, crossed)
            require(
                pinned,
                f"{off}. Its error bar is {report.std_error:.2f}, and {agree} others agree with it. Reports that begin "
                "at the same end miss the same modes. Which two began at different ends, and are they pinned, three "
                "standard errors included?",
            )
            require(not warned, f"{off}: low and high are pinned, but one of them warns. Then they prove nothing.")
            require(not report.warnings, f"{off}. It warned: {', '.join(w.kind for w in report.warnings)}.")
            raise WrongAnswerError(f"{off}. log Z may be at low or at high: be within {CLOSE} nats of both.")
        require(
            not pinned or warned or 3 * len(right.intersection(names)) >= len(right),
            f"{len(right)} of {len(known)} reports are right, and you trust {len(names)}. Low and high are pinned, "
            "three standard errors included, and do not warn: believe those that do not warn and have a log Z within "
            "0.3 of both, whatever their own error.",
        )


def _majority(low, high, others):
    middle = np.median([r.log_z for r in (low, high, *others)])
    return [r.name for r in (low, high, *others) if abs(r.log_z - middle) < CLOSE]


def _silent(*reports):
    return [replace(report, warnings=()) for report in reports]


@exercise(
    hints=(
        "Which two reports began at different ends?",
        "If low and high cross, are not pinned, or one of them warns, nobody can be trusted. Else log Z may be at "
        "either: who is near both, and does not warn?",
        "[] if gap < -3 s, |gap| + 3 s ≥ 0.5 (s = √(s₁² + s₂²)) or low or high warns; else those without warnings "
        "within 0.3 of both",
    ),
    errors={"'list' object has no": "others is a list of reports: look at each of them."},
    judge=_judge_trust,
    mistakes={
        "others agree with it": _majority,
        "and you trust 0": lambda low, high, others: [],
        "three standard errors included?": lambda low, high, others: trusted.solution(
            *(replace(end, std_error=end.std_error / 1.5) for end in (low, high)), others),
        "bounds cannot do this": lambda low, high, others: trusted.solution(
            *sorted([low, high], key=lambda r: r.log_z), others),
        "Then they prove nothing": lambda low, high, others: trusted.solution(*_silent(low, high), others),
        "It warned: coarse rule": lambda low, high, others: trusted.solution(low, high, _silent(*others)),
        "be within 0.3 nats of both": lambda low, high, others: [
            r.name for r in others if not r.warnings and trusted.solution(low, high, others)],
    },
    praise="right: in eight stored runs and six made-up tables you trusted nothing wrong and, if low and high agreed, "
    "enough of what was right.",
)  # fmt: skip
def trusted(low, high, others):
    """The names of the reports on one model that can be trusted, without knowing log Z."""
    gap, s = high.log_z - low.log_z, np.hypot(low.std_error, high.std_error)
    if gap < -3 * s or abs(gap) + 3 * s >= PINNED or low.warnings or high.warnings:
        return []
    ends = np.array([low.log_z, high.log_z])
    return [r.name for r in (low, high, *others) if not r.warnings and (abs(r.log_z - ends) < CLOSE).all()]


# Exercise 2: which model is better?
def _two_sandwiches():
    return {
        "a clear case": (99.0, 80.0, (118.0, 0.1, 119.0, 0.2), (102.0, 0.1, 103.5, 0.1)),
        "likelihoods that overlap": (99.0, 80.0, (118.0, 0.1, 130.0, 0.2), (102.0, 0.1, 103.5, 0.1)),
        "the better model with the smaller mean of log f": (
            99.0, 80.0, (124.0, 0.1, 125.0, 0.2), (102.0, 0.1, 103.5, 0.1)),
        "a likelihood that may lie on both sides": (99.0, 80.0, (118.0, 0.1, 119.0, 0.2), (95.0, 0.1, 103.5, 0.1)),
        "a lead of 2.9 standard errors": (10.0, 8.0, (0.0, 0.01, 1.0, 0.3), (0.45, 0.4, 1.0, 0.01)),
        "a lead of 3.1 standard errors": (10.0, 8.0, (0.0, 0.5, 1.0, 0.3), (0.55, 0.4, 1.1, 0.5)),
        "a lead of B of 2.9 standard errors": (8.0, 10.0, (0.45, 0.3, 1.0, 0.01), (0.0, 0.01, 1.0, 0.4)),
        "a lead of B of 3.1 standard errors": (8.0, 10.0, (0.55, 0.3, 1.1, 0.01), (0.0, 0.01, 1.0, 0.4)),
        "a crossed sandwich of A": (99.0, 80.0, (119.0, 0.1, 118.0, 0.1), (102.0, 0.1, 103.5, 0.1)),
        "a crossed sandwich of B": (99.0, 80.0, (118.0, 0.1, 119.0, 0.1), (103.5, 0.1, 102.0, 0.1)),
        "a sandwich of A crossed by 2.9 standard errors": (20.0, 0.0, (5.0, 0.3, 3.55, 0.4), (0.0, 0.1, 1.0, 0.1)),
        "a sandwich of A crossed by 3.1 standard errors": (20.0, 0.0, (5.0, 0.3, 3.45, 0.4), (0.0, 0.1, 1.0, 0.1)),
        "a sandwich of B crossed by 2.9 standard errors": (20.0, 0.0, (0.0, 0.1, 1.0, 0.1), (5.0, 0.4, 3.55, 0.3)),
        "a noisy end that does not decide": (99.0, 80.0, (118.5, 1.5, 119.0, 0.1), (102.0, 0.1, 103.5, 0.1)),
        "a wide sandwich": (99.0, 80.0, (118.0, 0.1, 119.0, 0.2), (102.0, 0.1, 150.0, 0.1)),
        "two models without errors": (10.5, 10.0, (1.0, 0.0, 1.0, 0.0), (1.0, 0.0, 1.0, 0.0)),
        "two models that are alike": (10.0, 10.0, (1.0, 0.0, 1.0, 0.0), (1.0, 0.0, 1.0, 0.0)),
        "the same mean of log f": (10.0, 10.0, (3.0, 0.01, 3.1, 0.01), (1.0, 0.01, 1.1, 0.01)),
    }  # fmt: skip


def _misjudged(mean_f_a, mean_f_b, a, b):
    def rule(places=(2, 0), n=3.0, add=np.hypot, limit=3.0, first=True, asked=(a, b), sign=-1):
        crossed = any(s[2] - s[0] < -limit * np.hypot(s[1], s[3]) for s in asked)
        if crossed and first:
            return "contradiction"
        for word, f, x, g, y in (("a", mean_f_a, a, mean_f_b, b), ("b", mean_f_b, b, mean_f_a, a)):
            i, j = places
            if f + sign * x[i] - (g + sign * y[j]) > n * add(x[i + 1], y[j + 1]):
                return word
        return "contradiction" if crossed else "undecided"

    middles = "a" if mean_f_a - (a[0] + a[2]) / 2 > mean_f_b - (b[0] + b[2]) / 2 else "b"
    return {
        "a sandwich is (lower, lower_error, upper, upper_error); you read it in another order.": which_model.solution(
            mean_f_a, mean_f_b, *((s[0], s[2], s[1], s[3]) for s in (a, b))),
        "you add log Z. A likelihood is f / Z: subtract log Z.": rule((0, 2), sign=1),
        "log Z has the wrong sign: the logarithm of f / Z is log f - log Z.": rule(sign=1),
        "a sandwich is crossed if upper lies below lower. You ask the opposite.": rule(
            asked=[(*s[2:], *s[:2]) for s in (a, b)]),
        "B's sandwich may be crossed, too.": rule(asked=(a,)),
        "you name the other model: the higher mean of log f - log Z is the better one.": {"a": "b", "b": "a"}.get(
            rule(), rule()),
        "you compare the middles of the sandwiches. Each log Z may be anywhere between its ends.": middles,
        "you give both models the lower end of log Z. One may be at its upper end.": rule((0, 0)),
        "you give the leader its best case, the lower end of its log Z. Give it the worst.": rule((0, 2)),
        "you compare the means of log f. A likelihood is f / Z: subtract log Z.": "ab"[mean_f_a <= mean_f_b],
        "you allow less than three standard errors of the lead: a small lead may be chance.": rule(n=0),
        "you allow more than three standard errors of the lead: independent errors add as squares.": rule(
            add=lambda s, t: s + t),
        "allow three standard errors in both tests: what is less may be chance.": rule(n=0, limit=0),
        "a crossed sandwich tells nothing about its model: look for a contradiction first.": rule(first=False),
        "you allow less than three standard errors of the gap: a small crossing may be chance.": rule(limit=0),
    }  # fmt: skip


@exercise(
    hints=(
        "Where between the ends is A's likelihood smallest, and where is B's largest?",
        "A is better for certain if its worst case beats B's best. Each of the two has one end, with one error, and "
        "the runs are independent.",
        "\"contradiction\" if upper - lower < -3 √(lower_error² + upper_error²); \"a\" if (mean_f_a - upper_a) - "
        "(mean_f_b - lower_b) > 3 √(upper_error_a² + lower_error_b²)",
    ),
    returns={"what you return": "Compare one model's worst case with the other's best, and ask what chance may do."},
    errors={"indices must be": "a sandwich is a tuple (lower, lower_error, upper, upper_error): unpack it."},
    cases=_two_sandwiches, slips=_misjudged,
    praise="right: two of the four ends decide, and their two errors.",
)  # fmt: skip
def which_model(mean_f_a, mean_f_b, a, b):
    """The better one of two models, "a" or "b", if their sandwiches of log Z allow it."""
    for lower, lower_error, upper, upper_error in (a, b):
        if upper - lower < -3 * np.hypot(lower_error, upper_error):
            return "contradiction"
    if mean_f_a - a[2] - (mean_f_b - b[0]) > 3 * np.hypot(a[3], b[1]):
        return "a"
    if mean_f_b - b[2] - (mean_f_a - a[0]) > 3 * np.hypot(b[3], a[1]):
        return "b"
    return "undecided"
