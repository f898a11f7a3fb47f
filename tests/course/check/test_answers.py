"""Small mistakes in every solution are rejected by its check; those that pass are right answers, with a reason."""

import ast
from functools import cache

import pytest

import answers
import slips

PER_ANSWER = 2  # `make answers` tries 40
ALL = answers.all_answers()
LISTED = answers.listed()


@pytest.mark.parametrize("answer", ALL, ids=lambda answer: answer.exercise)
def test_the_solution_passes_and_a_sample_of_mistakes_does_not(answer):
    assert answer.verdict().passed is True
    for code in answers.chosen(answer, PER_ANSWER):
        passed = getattr(answer.verdict(code), "passed", False)
        if answer.forgets(code):
            assert passed is False, "a forgotten return is not a stub"
        assert not passed or answers.is_listed(answer, code), answer.change(code)


@cache
def changes(exercise):
    """What mutants of its answers change, before and after."""
    return {a.change(code) for a in ALL if a.exercise == exercise for code in a.mutants()}


@pytest.mark.parametrize("entry", LISTED, ids=lambda entry: f"{entry['exercise']}: {entry['becomes']}")
def test_what_is_called_a_right_answer_can_be_made(entry):
    assert set(entry) == {"exercise", "line", "becomes", "reason"}
    assert len(entry["reason"].split()) >= 4, "say why it is right"
    assert (entry["line"], entry["becomes"]) in changes(entry["exercise"])


def test_nothing_is_listed_twice():
    listed = [(entry["exercise"], entry["line"], entry["becomes"]) for entry in LISTED]
    assert len(set(listed)) == len(listed)


def test_every_exercise_has_a_solution_that_is_tried():
    assert len({answer.exercise for answer in ALL}) == 48
    assert all(answer.code and answer.mutants() for answer in ALL)


@pytest.mark.parametrize(
    "mistake",
    [
        "def f(x, y):\n    f(x - y, axis=0)",  # the return forgotten
        "def f(x, y):\n    return x - y",  # the call left out
        "def f(x, y):\n    return f(y - x, axis=0)",  # operands exchanged
        "def f(x, y):\n    return f(x + y, axis=0)",  # another operator
        "def f(x, y):\n    return f(x - y)",  # the keyword dropped
        "def f(x, y):\n    return f(x - y, axis=1)",  # another axis
        "def f(x, y):\n    return f(y - y, axis=0)",  # another argument
    ],
)
def test_the_mistakes_that_are_made(mistake):
    assert mistake in slips.slips("def f(x, y):\n    return f(x - y, axis=0)")


def test_a_mutant_is_python_and_another_code():
    for answer in ALL[:5]:
        mutants = answer.mutants()
        assert len(set(mutants)) == len(mutants)
        assert ast.unparse(ast.parse(answer.code)) not in mutants


def test_what_does_not_end_is_stopped(monkeypatch):
    monkeypatch.setattr(answers, "SECONDS", 0.2)
    code = "def f(*given):\n    while True: given"
    assert answers.Answer("trust.which_model", "f", "", "").verdict(code) == "does not end"
