"""Checks of notebook 14: which estimator should be trusted?"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

import numpy as np

from anneal_edu.course.check.budgets import (
    BUDGETS,
    at_other_budgets,
    judge_costs,
    judge_half_spent,
    judge_least_burn_in,
    judge_most_burn_in,
    settings_at,
    why_off,
)
from anneal_edu.course.check.made_up_reports import made_up_cases
from anneal_edu.course.check.two_sandwiches import SLIPS, WORDS, Case, why
from anneal_edu.course.check.two_sandwiches import cases as cases_of_two_models
from anneal_edu.course.check.verdict import WrongAnswerError, call, exercise, require
from anneal_edu.course.experiments.estimator_tables import hidden_mode, stored_rows
from anneal_edu.course.experiments.estimators import Problem, Report, every_estimator
from anneal_edu.distributions import BinaryRBM, uniform_rbm
from anneal_edu.estimate import Diagnostic
from anneal_edu.paths.geometric import geometric_path
from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.tempering.parallel import parallel_tempering

CLOSE, PINNED = 0.3, 0.5  # nats
FORWARD, REVERSE = "AIS, geometric", "reverse AIS, from data"


# Exercise 1
def _easy(seed: int) -> BinaryRBM:
    rng = np.random.default_rng(seed)
    return BinaryRBM(0.8 * rng.normal(size=(14, 6)), 0.3 * rng.normal(size=14), -0.5 * np.ones(6))


_DRAWN = (*((_easy, (seed,)) for seed in (11, 12)), *((hidden_mode, (share, 12.0)) for share in (0.9, 0.95, 0.98)))
_STORED = (("digits8_cd", 43), ("hidden modes", 30), ("digits28_pcd_fast", 7))
"""Runs of the lesson's own table: one where a warning tells, one with a hidden mode, one whose data are not its own."""


@lru_cache(maxsize=len(_DRAWN))
def _drawn_case(i: int) -> tuple[list[Report], float]:
    kind, settings = _DRAWN[i]
    rbm = kind(*settings)
    problem = Problem(rbm, uniform_rbm(rbm.dim, rbm.n_hidden), rbm.sample(300, np.random.default_rng([i, 1])))
    return every_estimator(problem, 6000, rng=np.random.default_rng([i, 2])), rbm.log_z()


def _stored_case(model: str, seed: int) -> tuple[list[Report], float]:
    rows = [row for row in stored_rows("estimators") if row.model == model]
    return [
        Report(
            row.name,
            row.exact + row.errors[seed],
            row.std_errors[seed],
            tuple(Diagnostic(kind, kind) for kind, seeds in row.warnings.items() if seed in seeds),
            row.bias_direction,
            row.sweeps,
            row.products,
        )
        for row in rows
    ], rows[0].exact


def cases() -> Iterator[tuple[list[Report], float]]:
    """Reports on models of the check's own, then stored ones, and the exact log Z of each; made when asked for."""
    drawn = (_drawn_case(i) for i in range(len(_DRAWN)))
    for reports, exact in chain(drawn, (_stored_case(*which) for which in _STORED)):
        yield [r for r in reports if r.name not in ("reverse AIS, exact draws", "PT, MBAR, naive bar")], exact


@exercise(
    hints=(
        "Which two reports began at different ends, and can both miss the same mode?",
        "If AIS and reverse AIS from data cross, or are not pinned, or one of them warns, nobody can be trusted. Else, "
        "at which of the two ends may log Z be? Who is near it, unwarned, in either case?",
        "[] if upper - lower < -3 s, |upper - lower| + 3 s ≥ 0.5 (s = √(s₁² + s₂²)) or an end has warnings, else those "
        "without warnings within 0.3 of *both* ends",
    )
)
def trusted(answer) -> str:
    """``answer(reports)`` must name the estimates that can be trusted, without knowing log Z: a list, maybe empty.

    It is tried on models that it has not seen, on three runs that are stored, and on tables that are made up to have
    the ends of the sandwich at telling distances. Nothing that it names may be more than 0.3 nats and three of its own
    standard errors off; and where the ends are pinned and silent, and most are right, it must name at least a third of
    these, or as many as gave no warning.

    Examples
    --------
    >>> trusted(lambda reports: [])
    ✗ on a model where 11 of 11 estimates are right you trust 0. The two ends are ... apart, three standard errors \
are ..., together less than 0.5, and they do not warn. To trust nobody, or hardly anybody, is safe, and useless: \
believe those that lie there and do not warn.
      A hint: ae.check.trust.trusted.hint()
    """
    for reports, exact in chain(cases(), made_up_cases()):
        given = list(reports)
        names = call(answer, given)
        listed = isinstance(names, list | tuple | set) or (isinstance(names, np.ndarray) and names.ndim == 1)
        require(listed, "return a list of names, such as ['RTS'], or an empty one.")
        known = {report.name: report for report in reports}
        for name in names:
            require(name in known, f"there is no report named {name!r}; return r.name of the reports you trust.")
        _judge_trust(set(names), known, exact)
    return (
        "right: on eight models, and in twenty-eight made-up tables you trusted nothing wrong, and, where all "
        "was well, enough of what was right."
    )


def _judge_trust(names: set[str], known: dict[str, Report], exact: float) -> None:
    right = {name for name, r in known.items() if r.succeeded and abs(r.log_z - exact) < max(CLOSE, 3 * r.std_error)}
    low, high = known.get(FORWARD), known.get(REVERSE)
    both = low and high
    gap, noise = (high.log_z - low.log_z, 3 * np.hypot(low.std_error, high.std_error)) if both else (np.inf, 0.0)
    apart = abs(gap) + noise >= PINNED
    for name in sorted(names - right):
        report = known[name]
        require(report.succeeded, f'you trust "{name}", which gave no answer: see report.succeeded.')
        kinds = ", ".join(repr(warning.kind) for warning in report.warnings)
        off = f'you trust "{name}", which is {abs(report.log_z - exact):.2f} nats off'
        missing = FORWARD if high else REVERSE
        require(both, f'{off}. Here "{missing}" is missing: without a second end there is no verdict.')
        require(
            gap >= -noise,
            f"{off}. The two ends cross: the upper one lies {-gap:.2f} nats below the lower one, and bounds cannot do "
            "this. Something did not start in the target: trust nobody.",
        )
        agree = sum(abs(r.log_z - report.log_z) < CLOSE for r in known.values()) - 1
        require(
            not apart,
            f"{off}. Its error bar is {report.std_error:.2f}, and {agree} others agree with it. Those that begin at "
            "the same end share what they cannot see. Which two reports began at different ends, and are they pinned, "
            "three standard errors included?",
        )
        place = f"at {low.log_z:.2f} and {high.log_z:.2f}"
        ends = [f'"{end.name}"' for end in (low, high) if end.warnings]
        witness = f" But {' and '.join(ends)} warned: an end that warns is no witness for others." if ends else ""
        said = f"It warned: {kinds or 'nothing'}."
        near = [end for end in (low, high) if abs(report.log_z - end.log_z) < max(CLOSE, 3 * report.std_error)]
        if len(near) == 1 and not witness:
            witness = " It is near one of them, and log Z may be at the other: be near to both."
        elif len(near) == 2 and not witness and not report.warnings:
            witness = " It is near both; but they have errors of their own: stay nearer than 0.3."
        raise WrongAnswerError(f"{off} though the two ends of the sandwich meet, {place}. {said}{witness}")
    met = not apart and not any(end.warnings for end in (low, high) if end)
    well = met and len(right) > len(known) / 2  # a lucky chain can make the ends meet where most are wrong
    unwarned = sum(not known[name].warnings for name in right)
    require(
        not well or len(names & right) >= min(len(right) / 3, unwarned),
        f"on a model where {len(right)} of {len(known)} estimates are right you trust {len(names)}. The two ends are "
        f"{abs(gap):.2f} apart, three standard errors are {noise:.2f}, together less than {PINNED}, and they do not "
        "warn. To trust nobody, or hardly anybody, is safe, and useless: believe those that lie there and do not warn.",
    )


# Exercise 2
@exercise(
    hints=(
        "Where between the ends is A's likelihood smallest, and where is B's largest?",
        "A is surely ahead if its worst case beats the best one of B. Each of the two has one end, and one error, and "
        "the runs are independent. In a sandwich whose ends have changed places, exchange them with their errors.",
        "crossed if upper - lower < -3 √(lower_error² + upper_error²). Else, with the ends in order, \"a\" if d > 3 s: "
        "d = (mean_f_a - upper_a) - (mean_f_b - lower_b), s = √(upper_error_a² + lower_error_b²). \"b\" likewise",
    )
)
def which_model(answer) -> str:
    """``answer(mean_f_a, mean_f_b, a, b)`` must be "a", "b", "undecided" or "contradiction".

    Of two models it gets the means of log f over the same data, and sandwiches of log Z, each (lower, lower_error,
    upper, upper_error). "contradiction" if an upper end lies below its lower one by more than three standard errors
    of the gap; "a" if A has the higher mean log likelihood wherever the two log Z lie between the ends, by more than
    three standard errors where they favour it least; "b" likewise.

    Examples
    --------
    >>> which_model(lambda mean_f_a, mean_f_b, a, b: "a" if mean_f_a - a[0] > mean_f_b - b[0] else "b")
    ✗ A: mean log f 99.00, log Z from 118.00 ± 0.1 to 122.50 ± 0.2. B: mean log f 80.00, log Z from 102.00 ± 0.1 to \
103.50 ± 0.1. You say 'a': between the ends A's likelihood can be -23.50 to -19.00, and B's -23.50 to -22.00: they \
overlap, and nothing is certain.
      A hint: ae.check.trust.which_model.hint()
    """
    asked = cases_of_two_models()
    said = _words(answer, asked)
    wrong = next((i for i, case in enumerate(asked) if said[i] != case.right), None)
    if wrong is not None:
        case, word = asked[wrong], said[wrong]
        slip = next((text for text, slip in SLIPS.items() if said == [slip(*given) for *given, _ in asked]), "")
        raise WrongAnswerError(f"{_told(case)} You say {word!r}: {slip or why(case, word)}")
    return f"right: {len(asked)} pairs of models, and in none of them does an end or an error decide that should not."


def _words(answer, asked: list[Case]) -> list[str]:
    """What is said of each case; if nothing is said of some, which word is expected there."""
    said: list[str | None] = []
    for *given, _ in asked:
        try:
            said.append(call(answer, *given))
        except WrongAnswerError:  # numbers cannot be changed in place, so that it is the None
            said.append(None)
    words = [word for word in said if word is not None]
    require(words, "your function returns nothing, None: is a `return` missing?")
    for word in words:
        require(isinstance(word, str) and word in WORDS, f"return one of {', '.join(map(repr, WORDS))}, not {word!r}.")
    if None in said:
        case = asked[said.index(None)]
        right = f"this is {case.right!r}: {why(case, 'nothing')}"
        raise WrongAnswerError(f"{_told(case)} You return nothing, None; {right}")
    return words


def _told(case: Case) -> str:
    return " ".join(
        f"{name}: mean log f {f:.2f}, log Z from {s[0]:.2f} ± {s[1]:.2g} to {s[2]:.2f} ± {s[3]:.2g}."
        for name, f, s in (("A", case.mean_f_a, case.a), ("B", case.mean_f_b, case.b))
    )


# Exercise 3


@lru_cache(maxsize=1)
def _given() -> tuple[BinaryRBM, ...]:
    """Three models whose weights look random, and are the same for every seed."""
    n = np.arange(1, 161).reshape(20, 8)
    return tuple(BinaryRBM(2 * np.sin(i * n**2), np.zeros(20), np.full(8, -3.0)) for i in (1, 2, 3))


@exercise(
    hints=(
        "How many Gibbs sweeps does one sweep of one ladder cost?",
        "n_rungs · n_ladders · (n_burn_in + n_sweeps) is the price. Choose the first two, so few that the chains have "
        "time to forget the start, divide, and give burn-in a part.",
        "time = budget // (n_rungs · n_ladders), for example with 8 rungs and 2 ladders, a tenth of it burn-in",
    )
)
def tempering_settings(answer) -> str:
    """``answer(budget)`` must be (n_rungs, n_ladders, n_burn_in, n_sweeps) of a PT run within a budget of Gibbs sweeps.

    The run is then made, on three models with 20 visible and 8 hidden units; the root mean square error of its log Ẑ
    must be below 0.36 nats at a budget of 400. At each budget a twentieth to a half of the sweeps must be burn-in.

    Examples
    --------
    >>> tempering_settings(lambda budget: (20, 10, 0, budget // 10))
    ✗ these settings cost 8,000 Gibbs sweeps, 20 times the budget of 400: 200 chains make 40 sweeps each. \
Every rung of every ladder is a chain of its own: a sweep of the ladder costs one Gibbs step for each of its rungs.
      A hint: ae.check.trust.tempering_settings.hint()
    """
    asked = {budget: settings_at(answer, budget) for budget in BUDGETS}
    judge_costs(asked)
    for budget, settings in asked.items():
        judge_most_burn_in(budget, *settings)
    others = at_other_budgets(answer)
    rungs, ladders, burn_in, kept = asked[400]
    errors = []
    for i, rbm in enumerate(_given()):
        path, schedule = geometric_path(uniform_rbm(20, 8), rbm), linear_schedule(rungs - 1)
        exact = rbm.log_z()
        for seed in range(100):
            rng = np.random.default_rng([seed, i])
            run = parallel_tempering(path, schedule, kept, ladders, n_burn_in=burn_in, rng=rng)
            errors.append(run.log_z - exact)
    rmse = float(np.sqrt(np.mean(np.square(errors))))
    near = ", by less than 300 runs tell, about 0.02" if 0.34 < rmse < 0.38 else ""
    require(
        rmse < 0.36,
        f"log Ẑ minus the exact log Z, of 100 runs on each of three models: {np.mean(errors):+.2f} nats on average, "
        f"{rmse:.2f} root mean square, and below 0.36 is wanted{near}. {why_off(errors, *asked[400])}",
    )
    for budget, settings in (asked | others).items():
        judge_half_spent(budget, *settings)
        judge_least_burn_in(budget, *settings)
    kept_to = f"{rungs} rungs × {ladders} ladders × {burn_in + kept} sweeps keep to the budget"
    return f"right: {kept_to}; error below 0.36{near}."
