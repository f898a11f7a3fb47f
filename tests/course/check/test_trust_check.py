"""Known-wrong answers to the exercises of notebook 14: each is rejected with a message about its own mistake."""

from types import SimpleNamespace

import numpy as np
import pytest

from anneal_edu.course.check import budgets, trust, two_sandwiches
from anneal_edu.course.check.verdict import WrongAnswerError
from tests.cases import a_third

ENDS = ("AIS, geometric", "reverse AIS, from data")


def right_trust(reports):
    return ruled(reports)


def ruled(
    reports, n=3, s=np.hypot, limit=0.5, margin=0.3, apart=abs, deaf=False, crossing=3, s_crossing=np.hypot, which=max
):
    """The right rule with one part of it changed; deaf: to the warnings of the ends; which of them must be near."""
    known = {r.name: r for r in reports}
    if not set(ENDS) <= known.keys():
        return []
    low, high = (known[end] for end in ENDS)
    gap, (noise, noise_crossing) = high.log_z - low.log_z, (f(low.std_error, high.std_error) for f in (s, s_crossing))
    if gap < -crossing * noise_crossing or apart(gap) + n * noise >= limit:
        return []
    if not deaf and (low.warnings or high.warnings):
        return []
    away = {r.name: which([abs(r.log_z - low.log_z), abs(r.log_z - high.log_z)]) for r in reports}
    return [r.name for r in reports if not r.warnings and away[r.name] < margin]


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
    ends = [r.log_z for r in reports if r.name in ENDS]
    return trusted and [
        r.name for r in reports if not r.warnings and not any(abs(r.log_z - end) > margin for end in ends)
    ]


def without_a_witness(reports):
    """The right rule, but for a table without the run from the data."""
    if "reverse AIS, from data" in {r.name for r in reports}:
        return right_trust(reports)
    return [r.name for r in reports if not r.warnings]


def and_ends(reports, *ends):
    """Those between ends that are pinned, and these ends wherever it trusts anybody."""
    trusted = ruled(reports, deaf=True)
    return trusted and [*trusted, *ends]


def unless_it_warns(reports, *watched, kind=""):
    """Nobody where one of these warns (of this), else those who lie between the ends."""
    known = {r.name: r for r in reports}
    if any(kind in w.kind for name in watched if name in known for w in known[name].warnings):
        return []
    between = ruled([SimpleNamespace(**vars(r) | {"warnings": ()}) for r in reports])
    return [name for name in between if name in ENDS or not known[name].warnings]


def near_ends(reports, which):
    return which([r.log_z for r in reports if r.name in ENDS])


def lower(low, high):
    return low


def upper(low, high):
    return high


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
    "the bar of the lower end alone": (lambda reports: ruled(reports, s=lower), "others agree"),
    "the bar of the upper end alone": (lambda reports: ruled(reports, s=upper), "others agree"),
    "the bar of the lower end alone, for crossings too": (
        lambda reports: ruled(reports, s=lower, s_crossing=lower), "three standard errors"
    ),
    "the bar of the upper end alone, for crossings too": (
        lambda reports: ruled(reports, s=upper, s_crossing=upper), "three standard errors"
    ),
    "ends that meet within standard errors": (lambda reports: ruled(reports, n=-3, limit=0), "trust 0"),
    "ends that meet within 0.6": (lambda reports: ruled(reports, limit=0.6), "others agree with it"),
    "a crossing called a meeting": (
        lambda reports: ruled(reports, apart=lambda gap: gap, crossing=99), "The two ends cross"
    ),
    "no thought of a crossing": (lambda reports: ruled(reports, crossing=99), "0.30 nats below the lower one"),
    "near to one end": (lambda reports: ruled(reports, which=min), "near one of them, and log Z may be at the other"),
    "near to the middle": (lambda reports: ruled(reports, which=np.mean), "log Z may be at the other"),
    "within three of one's own bars of the middle": (
        lambda reports: right_trust(reports)
        and [r.name for r in reports if abs(r.log_z - near_ends(reports, np.mean)) < max(0.3, 3 * r.std_error)],
        "though the two ends",
    ),
    "those without an answer": (within, "which gave no answer"),
    "one end is enough": (without_a_witness, "without a second end there is no verdict"),
    "no thought of a missing end": (lambda reports: sandwiched(reports, 0) or right_trust(reports), "raised KeyError"),
    "those outside the sandwich": (lambda reports: ruled(reports, margin=0.6), "though the two ends"),
    "the moment spline where the ends are not pinned": (
        lambda reports: right_trust(reports) or [r.name for r in reports if r.name == "AIS, moment spline"],
        "three standard errors included",
    ),
    "both ends, though they warn": (
        lambda reports: and_ends(reports, "AIS, geometric", "reverse AIS, from data"), "though the two ends"
    ),
    "AIS, though it warns": (lambda reports: and_ends(reports, "AIS, geometric"), "though the two ends"),
    "the run from the data, though it warns": (
        lambda reports: and_ends(reports, "reverse AIS, from data"), "though the two ends"
    ),
    "silent ones, though an end warns": (
        lambda reports: ruled(reports, deaf=True), 'But "reverse AIS, from data" warned: an end that warns is no'
    ),
    "nobody where AIS warns": (lambda reports: unless_it_warns(reports, ENDS[0]), "It warned: 'collapsed weights'"),
    "nobody where the run from data warns": (
        lambda reports: unless_it_warns(reports, ENDS[1]), "It warned: 'collapsed weights'"
    ),
    "nobody where an end has a heavy tail": (
        lambda reports: unless_it_warns(reports, *ENDS, kind="heavy tail"), "It warned: 'collapsed weights'"
    ),
    "the silent majority, where the ends are silent and pinned": (
        lambda reports: right_trust(reports) and careful_majority([r for r in reports if r.succeeded]),
        "nats off though the two ends"
    ),
    "those above the lower end": (
        lambda reports: right_trust(reports)
        and [r.name for r in reports if not r.warnings and r.log_z > near_ends(reports, min) - 0.3],
        "0.60 nats off though the two ends of the sandwich meet, at 29.93 and 29.94",
    ),
    "those below the upper end": (
        lambda reports: right_trust(reports)
        and [r.name for r in reports if not r.warnings and r.log_z < near_ends(reports, max) + 0.3],
        "though the two ends",
    ),
    "four standard errors": (lambda reports: ruled(reports, n=4), "together less than 0.5"),
    "ends that meet within 0.45": (lambda reports: ruled(reports, limit=0.45), "together less than 0.5"),
    "a number": (lambda reports: 3, "a list of names"),
    "unknown name": (lambda reports: ["HAIS"], "no report named"),
}


def test_names_may_come_as_an_array():
    assert trust.trusted(lambda reports: np.array(right_trust(reports), dtype=str)).passed


@pytest.mark.parametrize(
    ("rule", "message"),
    [({"n": 4}, "three standard errors are 0.05, together less"), ({"limit": 0.45}, "The two ends are 0.44 apart")],
)
def test_tables_that_are_made_up_tell_a_rule_that_is_nearly_right(rule, message):
    with pytest.raises(WrongAnswerError, match=message):
        for reports, exact in trust.made_up_cases():
            trust._judge_trust(set(ruled(reports, **rule)), {r.name: r for r in reports}, exact)


@pytest.mark.parametrize("mistake", WRONG_TRUST)
def test_wrong_trust(mistake):
    answer, message = WRONG_TRUST[mistake]
    verdict = trust.trusted(answer)
    assert verdict.passed is False
    assert message in verdict.message


def crossed(s):
    return s[2] - s[0] < -3 * np.hypot(s[1], s[3])


def right_model(mean_f_a, mean_f_b, a, b, n=3, order=sorted):
    if crossed(a) or crossed(b):
        return "contradiction"
    (worst_a, best_a), (worst_b, best_b) = (
        order([(f - s[2], s[3]), (f - s[0], s[1])]) for f, s in ((mean_f_a, a), (mean_f_b, b))
    )
    if worst_a[0] - best_b[0] > n * np.hypot(worst_a[1], best_b[1]):
        return "a"
    return "b" if worst_b[0] - best_a[0] > n * np.hypot(worst_b[1], best_a[1]) else "undecided"


def by_brute_force(f, g, a, b):
    """All pairs of log Z on a grid between the ends; the error is that of the ends where the lead is smallest."""
    if crossed(a) or crossed(b):
        return "contradiction"
    (x, y), found = (np.linspace(s[0], s[2], 21) for s in (a, b)), []
    lead = (f - x[:, None]) - (g - y[None, :])
    for word, sign in (("a", 1), ("b", -1)):
        i, j = np.unravel_index(np.argmin(sign * lead), lead.shape)
        if sign * lead[i, j] > 3 * np.hypot(a[1] if i == 0 else a[3], b[1] if j == 0 else b[3]):
            found.append(word)
    assert len(found) < 2, "both ahead"
    return found[0] if found else "undecided"


def test_what_is_called_right_is_so_for_all_pairs_of_log_z():
    cases = two_sandwiches.cases()
    assert [by_brute_force(*given) for *given, _ in cases] == [case.right for case in cases]
    assert all(sum(case.right == word for case in cases) >= 20 for word in two_sandwiches.WORDS)


def test_every_slip_is_told_from_every_other_one():
    answers = {tuple(slip(*given) for *given, _ in two_sandwiches.cases()) for slip in two_sandwiches.SLIPS.values()}
    assert len(answers) == len(two_sandwiches.SLIPS)


@pytest.mark.parametrize("slip", two_sandwiches.SLIPS)
def test_a_slip_is_named(slip):
    verdict = trust.which_model(two_sandwiches.SLIPS[slip])
    assert verdict.passed is False and verdict.message.endswith(slip)


def with_ends(places, errors, n=3.0, add=np.hypot):
    """Who writes it out for the ends as they come, at these places of the leader's sandwich and of the other's."""

    def answer(f, g, a, b):
        if crossed(a) or crossed(b):
            return "contradiction"
        for word, (p, x, q, y) in {"a": (f, a, g, b), "b": (g, b, f, a)}.items():
            if p - x[places[0]] - (q - y[places[1]]) > n * add(x[errors[0]], y[errors[1]]):
                return word
        return "undecided"

    return answer


def one_after_the_other(f, g, a, b):
    """Bounds of each likelihood, with three errors of its own on either side."""
    if crossed(a) or crossed(b):
        return "contradiction"
    (low_a, high_a), (low_b, high_b) = (
        (min(p - s[2] - 3 * s[3], p - s[0] - 3 * s[1]), max(p - s[0] + 3 * s[1], p - s[2] + 3 * s[3]))
        for p, s in ((f, a), (g, b))
    )
    return "a" if low_a > high_b else "b" if low_b > high_a else "undecided"


WRONG_MODELS = {
    "the ends exchanged": (lambda *c: with_ends((0, 2), (1, 3))(*c), "You say 'a': between the ends A's likelihood"),
    "the ends as they come": (with_ends((2, 0), (3, 1)), "you still take the upper one for the larger"),
    "bars of one after the other": (one_after_the_other, "it may be chance|this is certain"),
    "likelihoods alone": (lambda f, g, a, b: "a" if f - a[0] > g - b[0] else "b", "overlap, and nothing is certain"),
    "the middles": (
        lambda f, g, a, b: "a" if f - (a[0] + a[2]) / 2 > g - (b[0] + b[2]) / 2 else "b",
        "overlap, and nothing is certain",
    ),
    "four errors": (lambda *c: right_model(*c, n=4), "this is certain"),
    "the worst sorted the other way": (
        lambda *c: right_model(*c, order=lambda pair: sorted(pair, reverse=True)),
        "the best case for it",
    ),
    "another word": (lambda *c: "A", "return one of 'a', 'b'"),
    "True": (lambda *c: right_model(*c) == "a", "not True"),
    "crossed": (lambda *c: right_model(*c).replace("contradiction", "crossed"), "not 'crossed'"),
    "nothing where nothing is certain": (
        lambda *c: None if (word := right_model(*c)) == "undecided" else word,
        "You return nothing, None; this is 'undecided': between the ends A's likelihood",
    ),
    "nothing ever": (lambda *c: None, "is a `return` missing?"),
    "always undecided": (lambda *c: "undecided", "this is certain"),
    "always a contradiction": (lambda *c: "contradiction", "no contradiction"),
    "never undecided": (lambda *c: "b" if (word := right_model(*c)) == "undecided" else word, "overlap"),
    "at least three errors": (
        lambda f, g, a, b: "a" if f == g and a == b and a[1] == 0 else right_model(f, g, a, b), "nobody is ahead"
    ),
    "divided by the errors": (
        lambda f, g, a, b: right_model(f, g, a, b) if a[1] and b[1] else "undecided", "this is certain"
    ),
    "where log f is alike": (
        lambda f, g, a, b: "undecided" if f == g else right_model(f, g, a, b), "mean log f 10.00"
    ),
    "where ends coincide": (
        lambda f, g, a, b: (
            "undecided" if a[0] == a[2] and b[0] == b[2] and max(*a[1::2], *b[1::2]) > 0 else right_model(f, g, a, b)
        ),
        "this is certain",
    ),
    "two errors": (lambda *c: right_model(*c, n=2), "you grant the difference two standard errors"),
    "all alike": (lambda f, g, a, b: right_model(g, f, a, b), "three standard errors of this"),
    "the sandwiches exchanged": (lambda f, g, a, b: right_model(f, g, b, a), "You say"),
}


@pytest.mark.parametrize("mistake", WRONG_MODELS)
def test_wrong_model(mistake):
    answer, message = WRONG_MODELS[mistake]
    verdict = trust.which_model(answer)
    assert verdict.passed is False
    assert any(part in verdict.message for part in message.split("|")), verdict


def right_settings(budget):
    time = budget // (8 * 2)
    return 8, 2, time // 10, time - time // 10


def split(time, part):
    return 4, 3, max(1, time // part), time - max(1, time // part)


WRONG_SETTINGS = {
    "rounded to the nearest": (
        lambda budget: (4, 2, round(budget / 8) // 10, round(budget / 8) - round(budget / 8) // 10),
        "at a budget of 405 your settings cost 408",
    ),
    "rounded up": (
        lambda budget: (4, 2, budget // 80, -(-budget // 8) - budget // 80), "at a budget of 405 your settings cost 408"
    ),
    "rungs are free": (lambda budget: (20, 10, 0, budget // 10), "a chain of its own"),
    "ladders are free": (lambda budget: (10, 20, 0, budget // 10), "Every ladder pays"),
    "all is free": (lambda budget: (10, 20, 0, budget), "times the budget"),
    "burn-in is free": (lambda budget: (8, 2, budget // 80, budget // 16), "burn-in counts too"),
    "two rungs": (lambda budget: (2, 2, budget // 40, 9 * budget // 40), "Add rungs"),
    "one sweep": (lambda budget: (20, budget // 20, 0, 1), "near the start"),
    "nearly all thrown away": (
        lambda budget: (5, 2, 97 * budget // 1000, 3 * budget // 1000),
        "38 of 39 sweeps are burn-in, 97%: you throw away more",
    ),
    "no burn-in, many ladders": (lambda budget: (10, 25, 0, budget // 250), "They lie to one side, too low"),
    "no burn-in where the budget is odd": (
        lambda budget: (6, 2, budget // 60 * (budget % 2 == 0), budget // 12 - budget // 60),
        "at a budget of 405 0 of 27 sweeps are burn-in, 0%. Throw away a twentieth at least, whatever",
    ),
    "for two budgets alone": (
        lambda budget: (6, 2, budget // 60, budget // 12 - budget // 60) if budget in (400, 50_000) else (6, 2, 6, 27),
        "at a budget of 999 your settings cost 396, less than half",
    ),
    "two sweeps": (lambda budget: (20, budget // 40, 0, 2), "near the start"),
    "no burn-in": (lambda budget: (8, 2, 0, budget // 16), "All rungs begin at draws of the start"),
    "a burn-in of four in a hundred": (
        lambda budget: (8, 2, budget // 400, 24 * budget // 400), "1 of 25 sweeps are burn-in, 4%"
    ),
    "more than half thrown away": (
        lambda budget: (8, 2, 13 * budget // 400, 12 * budget // 400), "you throw away more than you keep"
    ),
    "half thrown away": (
        lambda budget: (8, 2, 7 * budget // 400, 7 * budget // 400),
        "noise. Of each rung 7 sweeps of 2 ladders are counted, and 7 are thrown away.",
    ),
    "five ladders": (
        lambda budget: (20, 5, budget // 400, 3 * budget // 400),
        "Fewer chains, here 100, leave more sweeps to each: run fewer ladders",
    ),
    "thirty rungs": (lambda budget: (30, 2, budget // 400, 5 * budget // 400), "below 0.36 is wanted"),
    "forty rungs": (
        lambda budget: (40, 2, budget // 400, 4 * budget // 400), "here 80, leave more sweeps to each: run fewer rungs"
    ),
    "one ladder": (lambda budget: (10, 1, 0, budget // 10), "no error bar"),
    "no ladder": (lambda budget: (10, 0, 0, budget // 10), "n_ladders counts the ladders that are run; yours is 0"),
    "the same for every budget": (lambda budget: (8, 2, 5, 20), "less than half"),
    "floats": (lambda budget: (10.0, 20.0, 0.0, budget / 200), "divide with //"),
    "a fraction": (lambda budget: (10, 20, 0, budget / 190), "whole numbers"),
    "three numbers": (lambda budget: (10, 20, 100), "four whole numbers"),
    "over by one": (lambda budget: (2, 5, 0, budget // 10 + 1), "only just too much"),
    "over by one, with burn-in": (lambda budget: (2, 5, 20, budget // 10 - 19), "only just too much"),
    "rounded up, and one added": (
        lambda budget: split(-(-budget // 12) + 1, 10),
        "times the budget of 400: 12 chains make 35 sweeps each. 33 sweeps each would keep to it. Is something rounded",
    ),
    "rounded up, one added, and less burn-in": (
        lambda budget: split(-(-budget // 12) + 1, 17), "33 sweeps each would keep to it. Is something rounded up"
    ),
    "burn-in is free, and the same for every budget": (lambda budget: (8, 2, 5, budget // 16), "burn-in counts too"),
    "burn-in is free, of settings for 400": (lambda budget: (8, 2, 5, 25), "burn-in counts too"),
    "rungs and ladders exchanged": (
        lambda budget: (budget // 100, 10, 10, 1),
        "1.1 times the budget of 400: 40 chains make 11 sweeps each.",
    ),
    "the row of the first table": (lambda budget: (20, 10, budget // 1000, 4 * budget // 1000), "too low: no chance"),
    "four rungs, many ladders": (
        lambda budget: (4, 20, budget // 400, 4 * budget // 400),
        "makes 5 sweeps: it hardly forgets the start, and few of its states are counted|Fewer chains, here 80",
    ),
    "four rungs, very many ladders": (
        lambda budget: (4, 25, budget // 400, 3 * budget // 400),
        "to one side, too low: no chance, but a beginning|makes 4 sweeps: it hardly forgets the start",
    ),
    "four rungs, ten ladders": (
        lambda budget: (4, 10, budget // 400, 9 * budget // 400), "Add rungs, and run fewer ladders to pay for them"
    ),
    "steps counted for rungs": (
        lambda budget: (5, 2, budget // 80, budget // 8 - budget // 80),
        "5 rungs are 5 chains, both ends included; their 4 steps would fill the budget.",
    ),
    "steps counted for rungs, ten of them": (
        lambda budget: (11, 2, budget // 200, budget // 20 - budget // 200), "each. 11 rungs are 11 chains, both ends"
    ),
    "burn-in on top of what it was added to": (
        lambda budget: (8, 2, budget // 80, budget // 16 + budget // 80), "each. Is the burn-in in it twice?"
    ),
    "ten rungs, ten ladders": (lambda budget: (10, 10, budget // 400, 3 * budget // 400), "run fewer ladders"),
    "a burn-in of one sweep, whatever the budget": (
        lambda budget: (6, 5, 1, budget // 30 - 1),
        "at a budget of 50,000 1 of 1,666 sweeps are burn-in, 0.06%. Throw away a twentieth at least, whatever",
    ),
    "a burn-in of a tenth of 400, and none of more": (
        lambda budget: (8, 2, 2 * (budget == 400), budget // 16 - 2), "0 of 3,123 sweeps are burn-in, 0%"
    ),
    "more thrown away than kept, where there is more": (
        lambda budget: (8, 2, budget // 16 - 23, 23), "at a budget of 50,000 3,102 of 3,125 sweeps are burn-in, 99%"
    ),
    "one rung": (lambda budget: (1, 20, 0, budget // 20), "at least two rungs"),
}


@pytest.mark.parametrize("mistake", a_third(WRONG_SETTINGS))
def test_wrong_settings(mistake):
    answer, message = WRONG_SETTINGS[mistake]
    verdict = trust.tempering_settings(answer)
    assert verdict.passed is False
    assert any(part in verdict.message for part in message.split("|"))
    if message.endswith("11 sweeps each."):  # no slip that was not made is blamed
        assert verdict.message.endswith(message)


@pytest.mark.parametrize(
    "settings, bias, spread, words",
    [
        ((4, 10, 1, 9), -0.14, 0.386, ["neighbours hardly overlap", "Add rungs, and run fewer ladders to pay for"]),
        ((4, 2, 6, 44), -0.1, 0.36, ["Add rungs."]),
        ((4, 20, 1, 4), -0.24, 0.41, ["bias makes 0.06", "of 80 chains makes 5 sweeps", "Run fewer ladders"]),
        ((4, 25, 1, 3), -0.32, 0.387, ["one side, too low", "Fewer chains, here 100", "run fewer ladders"]),
        ((2, 10, 2, 18), -1.7, 1.5, ["Add rungs, and run fewer ladders"]),
        ((5, 20, 1, 3), -0.3, 0.367, ["bias makes 0.09 and the spread 0.13", "one side, too low", "run fewer ladders"]),
        ((4, 40, 0, 2), -0.9, 0.4, ["bias makes 0.81", "Fewer chains, here 160"]),
        ((30, 2, 1, 5), -0.29, 0.32, ["one side, too low", "run fewer rungs"]),
        ((8, 5, 4, 6), -0.1, 0.4, ["noise", "6 sweeps of 5 ladders are counted, and 4 are thrown away"]),
        ((5, 10, 1, 7), -0.1, 0.38, ["noise", "far apart (yours are 5)", "resemble", "7 sweeps of 10 ladders"]),
    ],
)
def test_bias_and_spread_are_judged_apart(settings, bias, spread, words):
    said = budgets.why_off([bias - spread, bias + spread], *settings)
    assert all(part in said for part in words), said
    assert ("noise" in said) + ("one side" in said) + ("Add rungs" in said) + ("hardly forgets" in said) == 1


@pytest.mark.parametrize(
    "error, passed, near", [(0.33, True, False), (0.35, True, True), (0.37, False, True), (0.39, False, False)]
)
def test_an_error_near_the_bound_hears_how_well_it_is_known(monkeypatch, error, passed, near):
    """Runs that are all off by this much, in place of those of the settings."""
    log_z = [rbm.log_z() + error for rbm in trust._given() for _ in range(100)]
    monkeypatch.setattr(trust, "parallel_tempering", lambda *_, **__: SimpleNamespace(log_z=log_z.pop(0)))
    verdict = trust.tempering_settings(lambda budget: (8, 2, budget // 80, budget // 16 - budget // 80))
    assert verdict.passed is passed and ("300 runs tell" in verdict.message) is near, verdict


def test_right_answers():
    assert trust.trusted(right_trust).passed
    assert trust.which_model(right_model).passed
    assert trust.which_model(by_brute_force).passed
    assert trust.which_model(lambda *case: np.array([right_model(*case)])[0]).passed
    assert trust.tempering_settings(right_settings).passed
    assert trust.tempering_settings(lambda budget: np.array(right_settings(budget))).passed
    assert trust.tempering_settings(lambda b: (8, 2, b // 400, 19 * b // 400)).passed  # a twentieth
    assert trust.tempering_settings(lambda b: (8, 2, 2, 22) if b == 400 else (8, 2, b // 32, b // 32)).passed  # a half


@pytest.mark.parametrize("check", [trust.trusted, trust.which_model, trust.tempering_settings])
def test_untouched_stub(check):
    assert check(lambda *given: ...).passed is None
