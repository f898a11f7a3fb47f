"""Checks of notebook 13: watching the likelihood while learning."""

import numpy as np

from anneal_edu.course.check.falls import curves, judge_since, look_index
from anneal_edu.course.check.raised import cases, judge_error, judge_log_p
from anneal_edu.course.check.verdict import (
    attempt,
    call,
    exercise,
    numbers,
    reject,
    require,
    same,
    several,
)


def _numbers(part, name: str, why: str = "") -> np.ndarray:
    """What the learner returned, as finite numbers."""
    require(part is not None, f"{name} is None; it should be an array of numbers.")
    try:
        array = np.asarray(attempt(part), dtype=float)
    except (TypeError, ValueError):
        array = None
    require(array is not None, f"{name} should be an array of numbers; does it still hold a `...` or a list of arrays?")
    require(not np.isnan(array).any(), f"{name} holds NaN. {why}".strip())
    return array


# Exercise 1
@exercise(
    hints=(
        "Which of the numbers stands in both likelihoods of one look?",
        "log Ẑ cancels within a look; two looks have two estimates of it, and their squared errors add.",
        "gap = mean log f (train) - mean log f (validation), error 0; since = best if fall > 2 √(s_best² + s_last²)",
    )
)
def gap_and_fall(answer) -> str:
    """``answer(mean_f_train, mean_f_validation, log_z, std_error)`` must return the gap, its error, and since when.

    The gap is train minus validation likelihood at every look, (n,). The last entry is the index of the look with the
    best validation likelihood, if the last look is lower by more than two standard errors of the difference, else None.

    Examples
    --------
    >>> def shy(mean_f_train, mean_f_validation, log_z, std_error):
    ...     return mean_f_train - mean_f_validation, np.sqrt(2) * std_error, None
    >>> gap_and_fall(shy)
    ✗ your error of the gap treats the two likelihoods as if their errors were independent. Both subtract the *same* \
log Ẑ: what becomes of it in the difference?
      A hint: ae.check.likelihood_tracking.gap_and_fall.hint()
    """
    for case, given, since in curves():
        result = attempt(answer(*(part.copy() for part in given)))
        require(isinstance(result, tuple | list) and len(result) == 3, "return three things: gap, gap_error, since.")
        gap, error = _numbers(result[0], "your gap"), _numbers(result[1], "your error of the gap")
        _judge_gap(gap, error, given)
        judge_since(look_index(result[2]), since, case, given, answer)
    return "right: the gap needs no log Z at all, and a fall between two looks has the errors of both."


def _judge_gap(gap, error, given) -> None:
    f_train, f_validation, log_z, std_error = given
    right = f_train - f_validation
    require(gap.shape == right.shape, f"your gap has shape {gap.shape}; it should be {right.shape}, one a look.")
    reject(gap, {
        "your gap has the wrong sign: train minus validation.": -right,
        "log Ẑ is still in your gap. Each likelihood is mean log f - log Ẑ: subtract the two.": right - log_z,
        "log Ẑ is subtracted twice in your gap: in the difference it cancels.": right - 2 * log_z,
        "this is the training likelihood; subtract that of the validation data.": f_train - log_z,
    })
    look = int(np.abs(gap - right).argmax())
    side = "high" if gap[look] > right[look] else "low"
    require(
        same(gap, right),
        f"at look {look} your gap is {gap[look]:.2f} nats, {abs(gap[look] - right[look]):.2f} too {side}. It should be "
        "the log likelihood of the training data minus that of the others.",
    )
    if error.shape == ():
        exchanged = f"the second thing that you return is {error:g}: is it the index of a look? That comes third."
        require(error == 0 or error != np.round(error), exchanged)
        error = np.full(right.shape, float(error))
    require(error.shape == right.shape, f"your error of the gap has shape {error.shape}; it should be {right.shape}.")
    for factor in (np.sqrt(2), 2):
        reject(error, {
            "your error of the gap treats the two likelihoods as if their errors were independent. Both subtract the "
            "*same* log Ẑ: what becomes of it in the difference?": factor * std_error
        })
    both = "this is the error of each likelihood. In the difference the same log Ẑ stands twice, with opposite signs."
    reject(error, {both: std_error})
    require(
        same(error, 0 * right),
        f"your error of the gap is up to {np.abs(error).max():.2g} nats: too large. Only log Ẑ comes from chains, and "
        "the gap does not depend on it: what error can it have?",
    )


# Exercise 2
@exercise(
    hints=(
        "Of which quantity, along chains that start at a data point, is p_ann(v) the mean? And by how much does the "
        "logarithm of a mean change when the mean is off by a little?",
        "Give each point its own row of C log weights; average 1/w without leaving the logarithms. For the error scale "
        "the 1/w of a point so that their mean is 1: what is the standard error of that mean, and of its logarithm?",
        "log p̂(v) = log f(v) + log (1/C) Σ_c 1/w_c; with r_c = (1/w_c) / mean(1/w), its error is std(r) / √C",
    )
)
def raise_estimate(answer) -> str:
    """``answer(log_f, log_weights)`` must be log p̂ of every point, log f + log mean 1/w, and its standard error.

    ``log_f`` is (N,), ``log_weights`` (N·C,): the first C belong to the first point.

    Examples
    --------
    >>> def mean_log(log_f, log_w):
    ...     log_w = log_w.reshape(len(log_f), -1)
    ...     return log_f - log_w.mean(1), log_w.std(1) / np.sqrt(log_w.shape[1])
    >>> raise_estimate(mean_log)
    ✗ three points, seven chains: you average -log w. The mean of 1/w is what is unbiased: exponentiate, average, then \
take the logarithm.
      A hint: ae.check.likelihood_tracking.raise_estimate.hint()
    """
    for case, log_f, log_w in cases():
        N, given = len(log_f), (log_f.copy(), log_w.ravel())
        both = several(call(answer, *given), 2, "return two arrays: log p̂, and its standard error.")
        for part, name in zip(both, ("log p̂", "standard error"), strict=True):
            flow = (
                "exp(1600) overflows to infinity, exp(-1600) and exp(-800) underflow to 0, and the one over the other "
                "is NaN; so does exp(-900), if one maximum is taken off at all points. `ae.log_mean_exp` goes from "
                "logarithms to a logarithm and does neither."
            )
            got = _numbers(part, f"{case}: your {name}", flow * (case != "three points, seven chains"))
            require(got.shape == (N,), f"{case}: your {name} has shape {got.shape}; it should be ({N},), one a point.")
            require(np.isfinite(got).all(), f"{case}: your {name} is infinite. {flow}")
            (judge_log_p if name == "log p̂" else judge_error)(got, log_f, log_w, f"{case}: ")
    return "right: each point with its own chains and its own error, the largest where one chain outweighs all others."


# Exercise 3
RATE, N_RUNGS, BUDGET, MIN_LOOKS, BOUND, _KNOWN_TO = 0.2, 20, 150, 10, 0.20, 0.02
_MEASURED = {
    25: (0.516, 0.428),
    50: (0.527, 0.426, 0.394, 0.330, 0.305),
    75: (0.537, 0.419, 0.384, 0.350, 0.339, 0.295, 0.278),
    100: (0.541, 0.446, 0.374, 0.341, 0.307, 0.301, 0.268, 0.263, 0.257, 0.225),
    125: (*(0.530, 0.444, 0.376, 0.353, 0.301, 0.279, 0.271, 0.259), *(0.222, 0.238, 0.212, 0.206, 0.194)),
    150: (
        *(0.491, 0.385, 0.418, 0.347, 0.345, 0.288, 0.258, 0.255),
        *(0.247, 0.211, 0.225, 0.212, 0.184, 0.185, 0.176, 0.176),
    ),
}
"""every → root mean square error of log Ẑ with 1, 2, 3, … sweeps a look, as far as the budget goes.

Made once, by `root_mean_square_error` at the seeds 0 to 23; the standard errors are 0.01 to 0.04, so that four
trainings, or another processor, could put a choice on the other side of the bound.
"""


@exercise(
    hints=(
        "Does a look profit from the sweeps of the looks before it, or does it need its own?",
        "Count: 1,500 / every looks, and (looks - 1) · n_sweeps of at most 150. Compare few looks of many sweeps "
        "with many of few.",
        "150 / (1,500 / every - 1) sweeps a look, rounded down, with as few looks as are allowed",
    )
)
def spend_the_budget(answer) -> str:
    """``answer`` is (every, n_sweeps): looks at the panel's training that are near the truth, and cheap enough.

    They are judged by 24 trainings at learning rate 0.2, where log Ẑ was compared with enumeration. Of looks that spend
    the budget, those up to 100 updates apart are too poor, those of 125 and 150 are near enough.

    Examples
    --------
    >>> spend_the_budget((25, 30))
    ✗ 59 looks after the first, of 30 sweeps each, are 1,770 sweeps. The budget is 150.
      A hint: ae.check.likelihood_tracking.spend_the_budget.hint()
    """
    from anneal_edu.course.panels import likelihood_tracking as panel

    every, n_sweeps = numbers(answer, 2, "give two whole numbers: (every, n_sweeps).")
    for name, part in (("every", every), ("n_sweeps", n_sweeps)):
        counts = isinstance(part, int | float | np.number) and not isinstance(part, bool)
        whole = counts and part >= 1 and part == int(part)
        require(whole, f"{name} must be a whole number from 1 on; yours is {part!r}.")
    every, n_sweeps = int(every), int(n_sweeps)
    require(every % panel.OFTEN == 0, f"every must be a multiple of {panel.OFTEN}, where the truth is known.")
    n_looks = panel.N_UPDATES // every
    require(
        n_looks >= MIN_LOOKS,
        f"{n_looks} look{'s' * (n_looks != 1)} in {panel.N_UPDATES:,} updates: too few to see when the validation "
        f"likelihood turns. Look at least {MIN_LOOKS} times.",
    )
    work = (n_looks - 1) * n_sweeps
    require(
        work <= BUDGET,
        f"{n_looks - 1} looks after the first, of {n_sweeps} sweeps each, are {work:,} sweeps. The budget is {BUDGET}.",
    )
    error = _MEASURED[every][n_sweeps - 1]
    near = f", by less than this was measured to, {_KNOWN_TO}" if abs(error - BOUND) < _KNOWN_TO else ""
    require(
        error < BOUND,
        f"log Ẑ is off by {error:.3f} nats (root mean square), and {BOUND} is the bound{near}. You spend {work} of "
        f"{BUDGET} sweeps. What helps more: looking more often, or more sweeps at every look?",
    )
    praise = f"right: within {BOUND} nats (root mean square) for {BUDGET} sweeps or less after the first look"
    said = f"{praise}{near}: fewer looks, of more sweeps each, would be safer." if near else f"{praise}."
    return f"{said} {_at_every_distance()}"


def _at_every_distance() -> str:
    """What the whole budget gives, at few looks and at many."""
    rows = (f"{errors[-1]:.2f} every {apart} ({len(errors)})" for apart, errors in _MEASURED.items())
    said = "What the whole budget leaves, in nats, at looks every so many updates (of so many sweeps)"
    return f"{said}: {', '.join(rows)}."


def root_mean_square_error(every: int, n_sweeps: int, seeds) -> float:
    """Of log Ẑ, over all looks at the trainings with these seeds."""
    from anneal_edu.course.panels import likelihood_tracking as panel

    errors = [panel.errors_at(RATE, seed, every, n_sweeps, N_RUNGS)[0] for seed in seeds]
    return float(np.sqrt(np.mean(np.square(errors))))
