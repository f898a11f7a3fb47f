"""Known-wrong answers to the exercises of notebook 10: each is rejected with a message about its own mistake."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.check import swaps
from anneal_edu.tempering.matrices import lifted_move


def printed(n, e, accepted, K):
    inside = 0 < n + e < K
    return (n + e, e if inside else -e) if accepted else (n, -e if inside else e)


def right_arrival(n, e, K):
    n = n + e
    return n, (-e if n in (0, K) else e)


WRONG_RULE = {
    "as printed": (printed, "as the report prints it"),
    "always turns when refused": (
        lambda n, e, a, K: right_arrival(n, e, K) if a else (n, -e),
        "only one way is open",
    ),
    "does not turn at the end": (
        lambda n, e, a, K: (n + e, e) if a else (n, e if n in (0, K) else -e),
        "must turn around",
    ),
    "never turns when refused": (lambda n, e, a, K: right_arrival(n, e, K) if a else (n, e), "not left invariant"),
    "flips on acceptance": (lambda n, e, a, K: (n + e, -e) if a else (n, e), "only ever sees the rungs [0, 1]"),
    "stays after a swap": (lambda n, e, a, K: (n, e), "has lost its replica"),
    "moves when refused": (lambda n, e, a, K: right_arrival(n, e, K), "has lost its replica"),
    "one number": (lambda n, e, a, K: n, "two whole numbers"),
    "between two rungs": (
        lambda n, e, a, K: (*right_arrival(n, e, K),) if a and K < 2 else (n + 0.4, e),
        "two whole numbers",
    ),
    "words": (lambda n, e, a, K: ("up", e), "two whole numbers"),
    "right on short ladders only": (
        lambda n, e, a, K: lifted_move(n, e, a, K) if K < 4 else (n + e if a else n, e),
        "must turn around",
    ),
    "a ladder of four rungs at most": (
        lambda n, e, a, K: (
            (n + e, e if 0 < n + e < min(K, 3) else -e) if a else (n, -e if 0 < n < min(K, 3) else e)
        ),
        "The last rung is K",
    ),
    "a wall in a long ladder": (
        lambda n, e, a, K: right_arrival(n, e, K) if a and n + e != 4 else (n + e, -e) if a else (
            n, e if n in (0, 4, K) else -e
        ),
        "on 6 pairs",
    ),
    "turns half of the time": (
        lambda n, e, a, K: right_arrival(n, e, K) if a else (n, 1 if n < K else -1),
        "not left invariant",
    ),
    "no direction": (lambda n, e, a, K: (n + e if a else n, 0), "+1 or -1"),
}


@pytest.mark.parametrize("mistake", WRONG_RULE)
def test_wrong_rule(mistake):
    answer, message = WRONG_RULE[mistake]
    verdict = swaps.lifted_rule(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_rule():
    assert swaps.lifted_rule(lifted_move).passed
    assert swaps.lifted_rule(lambda *given: np.array(lifted_move(*given))).passed


def four(path, low, high, x, y):
    f, g = path(low).log_density, path(high).log_density
    return f(x), f(y), g(x), g(y)


def of_logs(form):
    return lambda path, low, high, x, y: form(*four(path, low, high, x, y))


def temperature_difference(path, low, high, x, y):
    log_f = path(1.0).log_density
    return np.exp(np.minimum(0, (high - low) * (log_f(x) - log_f(y))))


WRONG_SWAP = {
    "upside down": (of_logs(lambda fx, fy, gx, gy: np.exp(np.minimum(0, fx + gy - fy - gx))), "upside down"),
    "no min": (of_logs(lambda fx, fy, gx, gy: np.exp(fy + gx - fx - gy)), "min is missing"),
    "as printed": (of_logs(lambda fx, fy, gx, gy: np.exp(fx + gy - fy - gx)), "there is no min"),
    "logarithm": (of_logs(lambda fx, fy, gx, gy: np.minimum(0, fy + gx - fx - gy)), "this is the logarithm"),
    "no exponential": (of_logs(lambda fx, fy, gx, gy: np.minimum(1, fy + gx - fx - gy)), "before the min"),
    "upper rung only": (of_logs(lambda fx, fy, gx, gy: np.exp(np.minimum(0, gx - gy))), "only the upper rung"),
    "lower rung only": (of_logs(lambda fx, fy, gx, gy: np.exp(np.minimum(0, fy - fx))), "only the lower rung"),
    "each by itself": (
        of_logs(lambda fx, fy, gx, gy: np.exp(np.minimum(0, gx - gy) + np.minimum(0, fy - fx))),
        "by itself",
    ),
    "β difference": (temperature_difference, "any other path"),
    "exponentials first": (
        of_logs(lambda fx, fy, gx, gy: np.minimum(1, np.exp(fy) * np.exp(gx) / (np.exp(fx) * np.exp(gy)))),
        "exponentiate what is left",
    ),
    "exponentials of parts": (
        of_logs(lambda fx, fy, gx, gy: np.minimum(1, np.exp(fy - fx) * np.exp(gx - gy))),
        "one part of your ratio is infinite",
    ),
    "always the same rungs": (
        lambda path, low, high, x, y: of_logs(
            lambda fx, fy, gx, gy: np.exp(np.minimum(0, fy + gx - fx - gy))
        )(path, 0.3, 0.8, x, y),
        "wrong for 0.1 and 0.5",
    ),
    "Barker": (of_logs(lambda fx, fy, gx, gy: 1 / (1 + np.exp(fx + gy - fy - gx))), "Barker's rule"),
    "max for min": (of_logs(lambda fx, fy, gx, gy: np.exp(np.maximum(0, fy + gx - fx - gy))), "the larger one"),
    "x_low only": (of_logs(lambda fx, fy, gx, gy: np.exp(np.minimum(0, gx - fx))), "x_low is asked alone"),
    "two states by themselves": (
        of_logs(lambda fx, fy, gx, gy: np.exp(np.minimum(0, gx - fx) + np.minimum(0, fy - gy))),
        "each state by itself",
    ),
    "root": (of_logs(lambda fx, fy, gx, gy: np.exp(np.minimum(0, 0.5 * (fy + gx - fx - gy)))), "is the root"),
    "square": (of_logs(lambda fx, fy, gx, gy: np.exp(np.minimum(0, 2 * (fy + gx - fx - gy)))), "is the square"),
    "the mean of all chains": (
        of_logs(lambda fx, fy, gx, gy: np.exp(np.minimum(0, fy + gx - fx - gy)).mean() * np.ones(len(fx))),
        "from the right ones",
    ),
    "the probability to refuse": (
        of_logs(lambda fx, fy, gx, gy: 1 - np.exp(np.minimum(0, fy + gx - fx - gy))),
        "from the right ones",
    ),
    "always": (of_logs(lambda fx, fy, gx, gy: np.ones(len(fx))), "from the right ones"),
    "yes or no": (of_logs(lambda fx, fy, gx, gy: fy + gx > fx + gy), "from the right ones"),
    "shape": (of_logs(lambda fx, fy, gx, gy: fx[:3]), "shape"),
    "NaN": (of_logs(lambda fx, fy, gx, gy: fx * np.nan), "NaN"),
}


@pytest.mark.parametrize("mistake", WRONG_SWAP)
def test_wrong_swap(mistake):
    answer, message = WRONG_SWAP[mistake]
    verdict = swaps.swap_probability(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_swap():
    assert swaps.swap_probability(of_logs(lambda fx, fy, gx, gy: np.exp(np.minimum(0, fy + gx - fx - gy)))).passed


def share(schedule, rates, n_steps):
    total = np.append(0, np.cumsum(rates))
    return np.interp(np.linspace(0, total[-1], n_steps + 1), total, schedule)


def inverse(schedule, rates, n_steps):
    return share(schedule, 1 / rates, n_steps)


def sorted_rates(schedule, rates, n_steps):
    return share(np.linspace(0, 1, len(schedule)), rates, n_steps)


def exchanged(schedule, rates, n_steps):
    total = np.append(0, np.cumsum(rates))
    return np.interp(np.linspace(0, 1, n_steps + 1), schedule, total / total[-1])


WRONG_LADDER = {
    "linear": (lambda s, r, K: np.linspace(0, 1, K + 1), "linear, whatever"),
    "axes exchanged": (exchanged, "roles of the two axes"),
    "fewest where it is hard": (inverse, "not alike"),
    "the pilot's rungs taken to be even": (sorted_rates, "not alike"),
    "not cumulative": (lambda s, r, K: share(s, np.sqrt(r), K), "not alike"),
    "r / (1 - r)": (lambda s, r, K: share(s, r / (1 - r), K), "not alike"),
    "-log(1 - r)": (lambda s, r, K: share(s, -np.log(1 - r), K), "not alike"),
    "the sum does not start at 0": (
        lambda s, r, K: np.r_[0, np.interp(np.linspace(0, sum(r), K + 1)[1:-1], np.cumsum(r), s[1:]), 1],
        "should rise",
    ),
    "acceptances": (lambda s, r, K: share(s, 1 - r, K), "not alike"),
    "rates for a unit of β": (lambda s, r, K: share(s, r / np.diff(s), K), "not alike"),
    "rates backwards": (lambda s, r, K: share(s, r[::-1], K), "not alike"),
    "one rung short": (lambda s, r, K: share(s, r, K - 1), "rungs"),
    "no ends": (lambda s, r, K: share(s, r, K + 2)[1:-1], "goes from 0 to 1"),
    "falls": (lambda s, r, K: np.r_[0, share(s, r, K)[1:-1][::-1], 1], "should rise"),
    "NaN": (lambda s, r, K: share(s, r, K) * np.nan, "NaN"),
}


@pytest.mark.parametrize("mistake", WRONG_LADDER)
def test_wrong_ladder(mistake):
    answer, message = WRONG_LADDER[mistake]
    verdict = swaps.equal_ladder(answer)
    assert verdict.passed is False
    assert message in verdict.message, verdict


def test_right_ladder():
    assert swaps.equal_ladder(share).passed
    assert swaps.equal_ladder(ae.equal_rejection_schedule).passed


@pytest.mark.parametrize("check", [swaps.lifted_rule, swaps.swap_probability, swaps.equal_ladder])
def test_untouched_stub(check):
    for stub in (..., lambda *given: ...):
        verdict = check(stub)
        assert verdict.passed is None
        assert "not attempted yet" in verdict.message
