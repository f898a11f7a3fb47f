"""Two models, each with a sandwich of its log Z, for the check of notebook 14 that asks which is surely the better.

The cases are built backwards: the difference that decides and the gap of a crossing are laid close to either side of
three standard errors, so that what is right is known without the rule, and a small slip in the rule changes a word.
"""

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np

Sandwich = tuple[float, float, float, float]
"""lower, lower_error, upper, upper_error"""
WORDS = ("a", "b", "undecided", "contradiction")
_INSIDE, _BEYOND = (0.5, 1.9, 2.4, 2.91), 3.09  # standard errors: by chance, at most close to three, and just not


class Case(NamedTuple):
    """What is given to an answer, and the word that is right."""

    mean_f_a: float
    mean_f_b: float
    a: Sandwich
    b: Sandwich
    right: str


def crossed(s: Sandwich) -> bool:
    """Whether the upper end lies below the lower one by more than three standard errors of the gap."""
    return bool(s[2] - s[0] < -3 * np.hypot(s[1], s[3]))


def in_order(s: Sandwich) -> Sandwich:
    """The sandwich with its smaller end first; each end keeps its error."""
    return s if s[0] <= s[2] else (s[2], s[3], s[0], s[1])


def smallest_lead(f: float, mine: Sandwich, g: float, other: Sandwich) -> tuple[float, float]:
    """The lead of the model with mean log f ``f`` where the log Z favour it least, and three standard errors of it."""
    x, y = in_order(mine), in_order(other)
    return f - x[2] - (g - y[0]), 3 * float(np.hypot(x[3], y[1]))


# The cases
_OPEN, _TOUCHING, _CROSSED = "open", "touching", "crossed"
_BY_HAND = (
    Case(99.0, 80.0, (118.0, 0.1, 119.0, 0.2), (102.0, 0.1, 103.5, 0.1), "a"),  # -20 … -19, -23.5 … -22
    Case(80.0, 99.0, (102.0, 0.1, 103.5, 0.1), (118.0, 0.1, 119.0, 0.2), "b"),
    Case(99.0, 80.0, (118.0, 0.1, 122.5, 0.2), (102.0, 0.1, 103.5, 0.1), "undecided"),  # -23.5 … -19
    Case(99.0, 80.0, (118.5, 1.5, 119.0, 0.1), (102.0, 0.1, 103.5, 0.1), "a"),  # a noisy end that does not decide
    Case(80.0, 99.0, (102.0, 0.1, 103.5, 0.1), (118.5, 1.5, 119.0, 0.1), "b"),
    Case(10.5, 10.0, (1.0, 0.1, 1.2, 0.1), (2.5, 0.1, 2.7, 0.1), "a"),  # log Z is the smaller where log f is the larger
    Case(10.5, 9.8, (1.0, 0.1, 2.6, 0.1), (2.5, 0.1, 2.7, 0.1), "a"),
    Case(99.0, 80.0, (119.0, 0.1, 118.0, 0.1), (102.0, 0.1, 103.5, 0.1), "contradiction"),
    Case(80.0, 99.0, (102.0, 0.1, 103.5, 0.1), (119.0, 0.1, 118.0, 0.1), "contradiction"),
    Case(10.5, 10.0, (1.0, 0.0, 1.0, 0.0), (1.0, 0.0, 1.0, 0.0), "a"),  # log Z is exact
    Case(10.0, 10.5, (1.0, 0.0, 1.0, 0.0), (1.0, 0.0, 1.0, 0.0), "b"),
    Case(10.0, 10.0, (1.0, 0.0, 1.0, 0.0), (1.0, 0.0, 1.0, 0.0), "undecided"),  # alike to the last digit
    Case(10.5, 10.0, (1.0, 0.0, 0.75, 0.0), (1.0, 0.0, 1.0, 0.0), "contradiction"),
    Case(10.0, 10.0, (1.0, 0.01, 1.1, 0.01), (3.0, 0.01, 3.1, 0.01), "a"),  # log f alike, and log Z is not
    Case(10.0, 10.0, (3.0, 0.01, 3.1, 0.01), (1.0, 0.01, 1.1, 0.01), "b"),
    Case(10.5, 10.0, (1.0, 0.1, 1.0, 0.1), (1.0, 0.0, 1.0, 0.05), "a"),  # ends that coincide, with errors
    Case(10.0, 10.5, (1.0, 0.0, 1.0, 0.05), (1.0, 0.1, 1.0, 0.1), "b"),
)


def _sandwich(kind: str, rng: np.random.Generator) -> Sandwich:
    low, (s, t) = rng.uniform(-900, 900), 10 ** rng.uniform(-2.3, -0.3, size=2)
    inside = rng.choice(_INSIDE, p=(0.2, 0.2, 0.2, 0.4))
    gaps = {_OPEN: 10 ** rng.uniform(-1, 0.7), _TOUCHING: -inside * np.hypot(s, t), _CROSSED: -_BEYOND * np.hypot(s, t)}
    return float(low), float(s), float(low + gaps[kind]), float(t)


def _case(kinds: tuple[str, str], leader: str, lead: float, n: float, rng: np.random.Generator) -> Case:
    """A leads, or B, by ``lead`` nats and ``n`` standard errors where log Z favours it least; else nobody."""
    while True:
        a, b, level = _sandwich(kinds[0], rng), _sandwich(kinds[1], rng), rng.uniform(-900, 900)
        mine, other = (a, b) if leader == "a" else (b, a)
        behind, bar = smallest_lead(0.0, mine, 0.0, other)
        ahead = float(level + lead + n / 3 * bar - behind)
        others_lead, others_bar = smallest_lead(level, other, ahead, mine)
        if others_lead < 0.9 * others_bar:
            break
    means = (ahead, float(level)) if leader == "a" else (float(level), ahead)
    right = leader if lead + n / 3 * bar > bar else "undecided"
    return Case(*means, a, b, "contradiction" if _CROSSED in kinds else right)


def cases() -> list[Case]:
    """Easy ones, and those that lie close to a limit; the numbers are the same each time."""
    rng, found = np.random.default_rng(14), list(_BY_HAND)
    sound = ((_OPEN, _OPEN), (_TOUCHING, _OPEN), (_OPEN, _TOUCHING), (_TOUCHING, _TOUCHING))
    leads = (*((0.0, n) for n in (*_INSIDE, _BEYOND)), (-0.1, 0.0), (2.0, 6.0))
    for kinds, leader, (lead, n), _ in product(sound, "ab", leads, range(4)):
        found.append(_case(kinds, leader, lead, n, rng))
    wrong = ((_CROSSED, _OPEN), (_OPEN, _CROSSED), (_CROSSED, _TOUCHING), (_CROSSED, _CROSSED))
    for kinds, leader, lead, _ in product(wrong, "ab", (-1.0, 2.0), range(3)):
        found.append(_case(kinds, leader, lead, 0.0, rng))
    return found


def why(case: Case, said: str) -> str:
    """What the numbers of this case say, to one who says another word."""
    names, parts = ("A", "B"), (case.a, case.b)
    for name, s in zip(names, parts, strict=True):
        gap = f"the upper end of {name}'s log Z lies {s[0] - s[2]:.3g} below the lower one"
        bar = f"three standard errors of this gap are {3 * np.hypot(s[1], s[3]):.3g}"
        if case.right == "contradiction" and crossed(s):
            return f"{gap}, and {bar}: a contradiction, whatever else holds."
        if said == "contradiction" and s[2] < s[0]:
            return f"{gap}, but {bar}: chance explains it."
    if said == "contradiction":
        return "no upper end lies below its lower one, and ends that are far apart are no contradiction."
    leads = (
        smallest_lead(case.mean_f_a, case.a, case.mean_f_b, case.b),
        smallest_lead(case.mean_f_b, case.b, case.mean_f_a, case.a),
    )
    (lead, bar), name = max(zip(leads, names, strict=True))
    if lead == bar == 0:
        return "all errors are 0, and the two are alike to the last digit: nobody is ahead."
    if lead < 0:
        a, b = ((f - in_order(s)[2], f - in_order(s)[0]) for f, s in zip(case[:2], parts, strict=True))
        return (
            f"between the ends A's likelihood can be {a[0]:.2f} to {a[1]:.2f}, and B's {b[0]:.2f} to {b[1]:.2f}: they "
            "overlap, and nothing is certain."
        )
    noise = "this is certain." if lead > bar else "it may be chance."
    return (
        f"where the two log Z favour it least, {name} is ahead by {lead:.3g}; three standard errors of this difference "
        f"are {bar:.3g}: {noise}"
    )


# Rules with one slip
Answer = Callable[[float, float, Sandwich, Sandwich], str]
Lead = Callable[[float, Sandwich, float, Sandwich], bool]


def rule(
    ahead: Lead | None = None, crossed: Callable[[Sandwich], bool] = crossed, which=any, order=in_order, first=True
) -> Answer:
    """The answer to the exercise, or with one part of it changed.

    ``ahead``: whether the first of two is ahead; ``which`` of the sandwiches must be ``crossed``; ``order``: what is
    taken for the ends of one; ``first``: whether a crossing is looked for first.
    """
    leads: Lead = ahead or (lambda f, x, g, y: f - x[2] - (g - y[0]) > 3 * np.hypot(x[3], y[1]))

    def answer(mean_f_a: float, mean_f_b: float, a: Sandwich, b: Sandwich) -> str:
        contradiction, x, y = which([crossed(a), crossed(b)]), order(a), order(b)
        if contradiction and first:
            return "contradiction"
        if leads(mean_f_a, x, mean_f_b, y):
            return "a"
        if leads(mean_f_b, y, mean_f_a, x):
            return "b"
        return "contradiction" if contradiction else "undecided"

    return answer


def _renamed(**words: str) -> Answer:
    return lambda *case: words.get(word := rule()(*case), word)


def _bar(bar: Callable[[Sandwich, Sandwich], float], n: float = 3.0) -> Answer:
    """The rule with another standard error of the difference that decides, or another number of them."""
    return rule(lambda f, x, g, y: f - x[2] - (g - y[0]) > n * bar(x, y))


def _ends(i: int, j: int, sign: int = 1) -> Answer:
    """The rule with the log Z of the one ahead at place i of its sandwich, and that of the other one at place j."""
    return rule(lambda f, x, g, y: f - sign * x[i] - (g - sign * y[j]) > 3 * np.hypot(x[i + 1], y[j + 1]))


def _gap(bar: Callable[[float, float], float], n: float = 3.0) -> Answer:
    """The rule with another standard error of the gap of a sandwich, or another number of them."""
    return rule(crossed=lambda s: s[2] - s[0] < -n * bar(s[1], s[3]))


def _two(x: Sandwich, y: Sandwich) -> float:
    return float(np.hypot(x[3], y[1]))


_TIED = (
    "Nothing ties the two ends to each other: one log Z may be at the upper end of its sandwich, the other at the "
    "lower end of its own."
)
SLIPS: dict[str, Answer] = {  # what is said of it
    "a large log Z makes a small likelihood. You give the model that leads the lower end of its log Z, and the other "
    "its upper end: the best case for it, where the worst is asked.": _ends(0, 2),
    f"you give both models the lower end of their log Z. {_TIED}": _ends(0, 0),
    f"you give both models the upper end of their log Z. {_TIED}": _ends(2, 2),
    "you compare the middles of the sandwiches. The truth may be anywhere between the ends: take the places that are "
    "worst for the one that leads.": rule(
        lambda f, x, g, y: f - (x[0] + x[2]) / 2 - g + (y[0] + y[2]) / 2 > 1.5 * np.linalg.norm((*x[1::2], *y[1::2]))
    ),
    "you compare the middles of the sandwiches, and leave out the errors. The truth may be anywhere between the ends: "
    "take the places that are worst for the one that leads.": rule(
        lambda f, x, g, y: f - (x[0] + x[2]) / 2 > g - (y[0] + y[2]) / 2
    ),
    "log Z is subtracted from log f, not added to it. (Or is B's sandwich taken for A's? That says the same.)": _ends(
        0, 2, sign=-1
    ),
    "log Z is subtracted from log f, not added to it; and a large log Z makes a small likelihood.": _ends(
        2, 0, sign=-1
    ),
    "you compare the means of log f; a likelihood is f / Z.": rule(lambda f, x, g, y: f > g),
    "the words are exchanged: \"a\" is for A's likelihood being the higher one.": _renamed(a="b", b="a"),
    "only A is ever ahead with you: ask the same of B.": _renamed(b="undecided"),
    "only B is ever ahead with you: ask the same of A.": _renamed(a="undecided"),
    "you look at the estimates and leave out their errors: the smallest difference may be chance.": _bar(_two, 0),
    "you grant the difference less than two standard errors, and three are asked.": _bar(_two, 1),
    "you grant the difference two standard errors, and three are asked.": _bar(_two, 2),
    "you grant the three standard errors to the one that leads: what may be chance counts as ahead.": _bar(_two, -3),
    "you add up the two errors. The runs are independent, so their squares add: √(s₁² + s₂²) is less than s₁ + s₂, and "
    "you call undecided what is certain.": _bar(lambda x, y: x[3] + y[1]),
    "you take the larger one of the two errors; their squares add.": _bar(lambda x, y: max(x[3], y[1])),
    "you take the mean of the two errors; their squares add.": _bar(lambda x, y: (x[3] + y[1]) / 2),
    "you add the squares of the errors and forget the root.": _bar(lambda x, y: _two(x, y) ** 2),
    "only the error of the model that leads is in it; the other's end has one, too.": _bar(lambda x, y: x[3]),
    "only the error of the model that follows is in it; the other's end has one, too.": _bar(lambda x, y: y[1]),
    "all four errors are in it. Two of the four ends do not decide, and however noisy they are, nothing hangs on "
    "them.": _bar(lambda x, y: float(np.linalg.norm((*x[1::2], *y[1::2])))),
    "these are the errors of the two ends that do not decide.": _bar(lambda x, y: float(np.hypot(x[1], y[3]))),
    "the errors are those of the two lower ends, but a lower and an upper end decide.": _bar(
        lambda x, y: float(np.hypot(x[1], y[1]))
    ),
    "the errors are those of the two upper ends, but a lower and an upper end decide.": _bar(
        lambda x, y: float(np.hypot(x[3], y[3]))
    ),
    "you ask three standard errors of all four pairs of ends. The smallest difference decides; where another pair of "
    "ends is noisier, it also lies further apart.": rule(
        lambda f, x, g, y: all(
            f - x[i] - (g - y[j]) > 3 * np.hypot(x[i + 1], y[j + 1]) for i, j in product((0, 2), repeat=2)
        )
    ),
    "you never say \"contradiction\": between an upper end and a lower one far above it no log Z can lie.": rule(
        which=lambda found: False
    ),
    "you look for a contradiction last. Of a model whose sandwich is crossed nothing can be believed: look for it "
    "first.": rule(first=False),
    "for you every crossing is a contradiction, also one that three standard errors of the gap explain.": _gap(
        np.hypot, 0
    ),
    "you grant the gap of a sandwich one standard error, and three are asked.": _gap(np.hypot, 1),
    "you grant the gap of a sandwich two standard errors, and three are asked.": _gap(np.hypot, 2),
    "in the gap of a sandwich you add up the two errors; their squares add.": _gap(lambda s, t: s + t),
    "in the gap of a sandwich you take the larger one of the two errors; their squares add.": _gap(max),
    "in the gap of a sandwich you take the error of the lower end alone; their squares add.": _gap(lambda s, t: s),
    "in the gap of a sandwich you take the error of the upper end alone; their squares add.": _gap(lambda s, t: t),
    "you grant the three standard errors of the gap to the wrong side: ends that meet are called crossed.": _gap(
        np.hypot, -3
    ),
    "a wide sandwich is no contradiction: only an upper end *below* the lower one is.": rule(
        crossed=lambda s: abs(s[2] - s[0]) > 3 * np.hypot(s[1], s[3])
    ),
    "you take the gap the other way round: an upper end far *above* the lower one is no contradiction.": rule(
        crossed=lambda s: s[0] - s[2] < -3 * np.hypot(s[1], s[3])
    ),
    "you ask whether A's sandwich is crossed, and not whether B's is.": rule(which=lambda found: found[0]),
    "you ask whether B's sandwich is crossed, and not whether A's is.": rule(which=lambda found: found[1]),
    "you ask that both sandwiches be crossed; one is enough.": rule(which=all),
    "where the ends have changed places by chance, you still take the upper one for the larger.": rule(
        order=lambda s: s
    ),
    "where the ends have changed places by chance, you exchange them, and leave their errors where they were.": rule(
        order=lambda s: (min(s[0], s[2]), s[1], max(s[0], s[2]), s[3])
    ),
}
"""Whoever says the same words in every case has made this slip."""
