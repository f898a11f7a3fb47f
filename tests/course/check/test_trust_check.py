"""Known-wrong answers to the exercises of notebook 14: each is rejected with a message about its own mistake."""

import numpy as np
import pytest

from anneal_edu.course.check import trust


def right_trust(reports):
    known = {r.name: r for r in reports}
    if "reverse AIS, from data" not in known:
        return []
    low, high = known["AIS, geometric"], known["reverse AIS, from data"]
    if abs(high.log_z - low.log_z) + 3 * np.hypot(low.std_error, high.std_error) >= 0.5:
        return []
    near = [r for r in reports if low.log_z - 0.3 < r.log_z < high.log_z + 0.3]
    return [r.name for r in near if not r.warnings]


def ruled(reports, n=3, s=np.hypot, limit=0.5, margin=0.3, apart=abs):
    """The right rule with one part of it changed."""
    known = {r.name: r for r in reports}
    if "reverse AIS, from data" not in known:
        return []
    low, high = known["AIS, geometric"], known["reverse AIS, from data"]
    if apart(high.log_z - low.log_z) + n * s(low.std_error, high.std_error) >= limit:
        return []
    return [r.name for r in reports if not r.warnings and low.log_z - margin < r.log_z < high.log_z + margin]


def majority(reports):
    middle = np.median([r.log_z for r in reports])
    return [r.name for r in reports if abs(r.log_z - middle) < 0.3]


def narrowest(reports):
    return [r.name for r in sorted(reports, key=lambda r: r.std_error)[:4]]


def careful_majority(reports):
    return [name for name in majority(reports) if not {r.name: r for r in reports}[name].warnings]


def near(reports, name):
    known = {r.name: r.log_z for r in reports}
    middle = np.mean(list(known.values())) if name is None else known[name]
    return [r.name for r in reports if abs(r.log_z - middle) < 0.3]


def sandwiched(reports, limit, silent=False):
    known = {r.name: r for r in reports}
    if abs(known["AIS, geometric"].log_z - known["reverse AIS, from data"].log_z) > limit:
        return []
    return [r.name for r in reports if not (silent and r.warnings)]


def within(reports, margin=0.3):
    """The right rule, but for what is no number."""
    trusted = right_trust(reports)
    low = {r.name: r.log_z for r in reports}["AIS, geometric"]
    return trusted and [r.name for r in reports if not r.warnings and not abs(r.log_z - low) > margin]


def without_a_witness(reports):
    """The right rule, but for a table without the run from the data."""
    if "reverse AIS, from data" in {r.name for r in reports}:
        return right_trust(reports)
    return [r.name for r in reports if not r.warnings]


WRONG_TRUST = {
    "everybody": (lambda reports: [r.name for r in reports], "which is"),
    "nobody": (lambda reports: [], "trust nobody"),
    "no warnings": (lambda reports: [r.name for r in reports if not r.warnings], "others agree with it"),
    "the majority": (majority, "others agree with it"),
    "the majority without warnings": (careful_majority, "others agree with it"),
    "the smallest error bars": (narrowest, "others agree with it"),
    "always RTS": (lambda reports: ["RTS", "MBAR, same run", "PT, MBAR", "RAISE", "AIS, geometric"], "which is"),
    "always the reverse run": (lambda reports: ["reverse AIS, from data"], "trust 1"),
    "whoever agrees with the data": (lambda reports: near(reports, "reverse AIS, from data"), "which is"),
    "whoever is near the mean": (lambda reports: near(reports, None), "which is"),
    "ends that meet within 2 nats": (lambda reports: sandwiched(reports, 2, silent=True), "which is"),
    "ends that meet, with those who warn": (lambda reports: sandwiched(reports, 0.5), "which is"),
    "no standard errors": (lambda reports: ruled(reports, n=0), "three standard errors included"),
    "two standard errors": (lambda reports: ruled(reports, n=2), "three standard errors included"),
    "long bars welcome": (lambda reports: ruled(reports, n=-3, limit=0.3), "three standard errors included"),
    "the bar of the lower end alone": (lambda reports: ruled(reports, s=lambda low, high: low), "others agree"),
    "the bar of the upper end alone": (lambda reports: ruled(reports, s=lambda low, high: high), "others agree"),
    "ends that meet within standard errors": (lambda reports: ruled(reports, n=-3, limit=0), "trust 0"),
    "ends that meet within 0.6": (lambda reports: ruled(reports, limit=0.6), "others agree with it"),
    "a crossing called a meeting": (lambda reports: ruled(reports, apart=lambda gap: gap), "The two ends cross"),
    "those without an answer": (within, "which gave no answer"),
    "one end is enough": (without_a_witness, "without a second end there is no verdict"),
    "no thought of a missing end": (lambda reports: sandwiched(reports, 0) or right_trust(reports), "raised KeyError"),
    "those outside the sandwich": (lambda reports: ruled(reports, margin=0.6), "though the two ends"),
    "the moment spline where the ends are not pinned": (
        lambda reports: right_trust(reports) or [r.name for r in reports if r.name == "AIS, moment spline"],
        "three standard errors included",
    ),
    "a number": (lambda reports: 3, "a list of names"),
    "unknown name": (lambda reports: ["HAIS"], "no report named"),
}


@pytest.mark.parametrize("mistake", WRONG_TRUST)
def test_wrong_trust(mistake):
    answer, message = WRONG_TRUST[mistake]
    verdict = trust.trusted(answer)
    assert verdict.passed is False
    assert message in verdict.message


def right_verdict(low, low_error, up, up_error, s=np.hypot, limit=0.5, n=3):
    gap, s = up - low, s(low_error, up_error)
    if gap < -n * s:
        return "crossed"
    return "pinned" if abs(gap) + 3 * s < limit else "wide"


WRONG_VERDICTS = {
    "always pinned": (lambda *a: "pinned", "3 nats apart"),
    "no errors": (lambda *a: right_verdict(*a, s=lambda x, y: 0), "3 s"),
    "errors added": (lambda *a: right_verdict(*a, s=lambda x, y: x + y), "not 3 (0.08 + 0.08)"),
    "larger error": (lambda *a: right_verdict(*a, s=max), "add up by their squares"),
    "the upper error twice": (lambda *a: right_verdict(*a, s=lambda x, y: np.hypot(y, y)), "both errors count"),
    "the lower error twice": (lambda *a: right_verdict(*a, s=lambda x, y: np.hypot(x, x)), ""),
    "never crossed": (lambda lo, a, up, b: "pinned" if up - lo + 3 * np.hypot(a, b) < 0.5 else "wide", "bounds do not"),
    "absolute gap": (lambda lo, a, up, b: right_verdict(min(lo, up), a, max(lo, up), b), "bounds do not"),
    "exchanged": (lambda lo, a, up, b: right_verdict(up, b, lo, a), "say 'crossed'"),
    "any crossing": (lambda lo, a, up, b: "crossed" if up < lo else right_verdict(lo, a, up, b), ""),
    "four errors": (lambda *a: right_verdict(*a, limit=0.5, n=4), "if only just"),
    "a wider limit": (lambda *a: right_verdict(*a, limit=0.6), "which is above 0.5"),
    "two errors": (lambda lo, a, up, b: right_verdict(lo, a * 2 / 3, up, b * 2 / 3, n=4.5), "three of it count"),
    "another word": (lambda *a: "fine", "return"),
    "the gap with its sign": (
        lambda lo, a, up, b: "pinned" if -3 < (up - lo) / np.hypot(a, b or 1e-9) < 0 else right_verdict(lo, a, up, b),
        "And 0.3 + 0.34 is not below 0.5",
    ),
    "the bound itself": (
        lambda lo, a, up, b: "pinned" if abs(up - lo) + 3 * np.hypot(a, b) == 0.5 else right_verdict(lo, a, up, b),
        "pinned means less",
    ),
}


@pytest.mark.parametrize("mistake", WRONG_VERDICTS)
def test_wrong_verdict(mistake):
    answer, message = WRONG_VERDICTS[mistake]
    verdict = trust.sandwich_verdict(answer)
    assert verdict.passed is False
    assert message in verdict.message


def right_settings(budget):
    time = budget // (10 * 20)
    return 10, 20, time // 5, time - time // 5


WRONG_SETTINGS = {
    "rungs are free": (lambda budget: (20, 10, 0, budget // 10), "a chain of its own"),
    "ladders are free": (lambda budget: (10, 20, 0, budget // 10), "Every ladder pays"),
    "all is free": (lambda budget: (10, 20, 0, budget), "times the budget"),
    "burn-in is free": (lambda budget: (10, 20, budget // 500, budget // 200), "burn-in counts too"),
    "two rungs": (lambda budget: (2, 20, budget // 200, budget // 50), "Add rungs"),
    "one sweep": (lambda budget: (20, budget // 20, 0, 1), "near the start"),
    "nearly all thrown away": (
        lambda budget: (10, 2, 499 * budget // 10_000, budget // 10_000),
        "you keep 2 sweeps of 2",
    ),
    "no burn-in, many ladders": (lambda budget: (10, 400, 0, budget // 4000), "They lie to one side, too low"),
    "two sweeps": (lambda budget: (20, budget // 40, 0, 2), "near the start"),
    "no burn-in": (lambda budget: (10, 20, 0, budget // 200), "All rungs begin at draws of the start"),
    "a burn-in of four in a hundred": (
        lambda budget: (10, 20, budget // 5000, 24 * budget // 5000), "4 of 100 sweeps are burn-in, 4%"
    ),
    "more than half thrown away": (
        lambda budget: (10, 20, 51 * budget // 20_000, 49 * budget // 20_000), "you throw away more than you keep"
    ),
    "one ladder": (lambda budget: (10, 1, 0, budget // 10), "no error bar"),
    "no ladder": (lambda budget: (10, 0, 0, budget // 10), "n_ladders counts the ladders that are run; yours is 0"),
    "the same for every budget": (lambda budget: (10, 20, 20, 80), "less than half"),
    "floats": (lambda budget: (10.0, 20.0, 0.0, budget / 200), "divide with //"),
    "a fraction": (lambda budget: (10, 20, 0, budget / 190), "whole numbers"),
    "three numbers": (lambda budget: (10, 20, 100), "four whole numbers"),
    "over by one": (lambda budget: (10, 10, 0, budget // 100 + 1), "only just too much"),
    "over by one, with burn-in": (lambda budget: (10, 10, 20, budget // 100 - 19), "only just too much"),
    "rungs and ladders exchanged": (
        lambda budget: (budget // 100, 10, 10, 1),
        "1.1 times the budget of 20,000: 2,000 chains make 11 sweeps each.",
    ),
    "one rung": (lambda budget: (1, 20, 0, budget // 20), "at least two rungs"),
}


@pytest.mark.parametrize("mistake", WRONG_SETTINGS)
def test_wrong_settings(mistake):
    answer, message = WRONG_SETTINGS[mistake]
    verdict = trust.tempering_settings(answer)
    assert verdict.passed is False
    assert message in verdict.message
    if message.endswith("11 sweeps each."):  # no slip that was not made is blamed
        assert verdict.message.endswith(message)


def test_right_answers():
    assert trust.trusted(right_trust).passed
    assert trust.sandwich_verdict(right_verdict).passed
    assert trust.tempering_settings(right_settings).passed
    assert trust.tempering_settings(lambda budget: np.array(right_settings(budget))).passed
    for percent in (5, 50):
        burn_in = lambda budget, percent=percent: percent * budget // 20_000  # noqa: E731
        assert trust.tempering_settings(lambda b: (10, 20, burn_in(b), b // 200 - burn_in(b))).passed  # noqa: B023


@pytest.mark.parametrize("check", [trust.trusted, trust.sandwich_verdict, trust.tempering_settings])
def test_untouched_stub(check):
    assert check(lambda *given: ...).passed is None
