"""What all checks have in common: stubs, forgotten returns, changes in place, chance, and hints."""

import numpy as np
import pytest

from anneal_edu.course import check as checks
from anneal_edu.course.check import verdict
from anneal_edu.course.check.verdict import Exercise, WrongAnswerError, exercise, own_chance, require, wide_log_weights

EXERCISES = {
    f"{module}.{name}": value
    for module in checks.__all__
    for name, value in vars(getattr(checks, module)).items()
    if isinstance(value, Exercise) and value.__module__.endswith(f".{module}")
}
VALUES = {"start.log_number_of_states", "start.your_path"}
"""Exercises whose answer is no function of the learner's."""


@exercise(hints=("How much?", "Look at the sum.", "Σ x"))
def total(answer) -> str:
    x = np.array([1.0, 2.0])
    require(answer(x) == 3, "it should be the sum.")
    return "right."


def test_there_are_three_exercises_a_lesson():
    assert len(EXERCISES) == 3 * len(checks.__all__) == 48


@pytest.mark.parametrize("name", EXERCISES)
def test_a_stub_is_not_attempted(name):
    for stub in (...,) if name in VALUES else (..., lambda *given: ..., lambda *given: (..., ...)):
        assert EXERCISES[name](stub).passed is None
        assert "not attempted yet" in EXERCISES[name](stub).message


@pytest.mark.parametrize("name", [name for name in EXERCISES if name not in VALUES])
def test_a_forgotten_return_is_told_as_such(name):
    def forgetful(*given):
        pass

    told = EXERCISES[name](forgetful)
    assert told.passed is False
    assert "is a `return` missing?" in told.message


@pytest.mark.parametrize("name", EXERCISES)
def test_none_is_no_stub(name):
    assert EXERCISES[name](None).passed is False


@pytest.mark.parametrize("name", EXERCISES)
def test_three_hints_and_how_to_have_them(name):
    check = EXERCISES[name]
    assert len(check.hints) == len({hint.strip() for hint in check.hints} - {""}) == 3
    assert check.hints[0].rstrip().endswith("?")
    assert repr(check(...)).endswith(f"A hint: ae.check.{name}.hint()")


def test_hints_come_one_by_one():
    assert [repr(total.hint()) for _ in range(4)] == [
        "hint 1 of 3: How much?",
        "hint 2 of 3: Look at the sum.",
        "hint 3 of 3: Σ x",
        "hint 3 of 3: Σ x",
    ]
    assert repr(total.hint(2)) == "hint 2 of 3: Look at the sum."
    for number in (0, 4, "one"):
        with pytest.raises(ValueError, match="from 1 on"):
            total.hint(number)


def test_a_right_answer_needs_no_hint():
    assert repr(total(lambda x: x.sum())) == "✓ right."
    assert "hint()" in repr(total(lambda x: x.mean()))


def in_a_tuple(parts):
    parts[0][1] = -1
    return 3.0


def cleared(x):
    x[:] = 0
    return 3.0


@pytest.mark.parametrize(("change", "name"), [(cleared, "x"), (lambda *given: cleared(*given), "array")])
def test_a_change_in_place_is_seen(change, name):
    assert f"changes the {'x' if name == 'x' else 'given'}" in total(change).message


def test_a_change_in_place_is_seen_in_a_tuple():
    @exercise(hints=("?", "!", "="))
    def check(answer) -> str:
        answer((np.zeros(2), np.zeros(3)))
        return "right."

    assert "changes the parts" in check(in_a_tuple).message
    assert check(lambda parts: 1.0).passed


def test_what_a_missing_part_does():
    @exercise(hints=("?", "!", "="))
    def pair(answer) -> str:
        verdict.several(answer(), 2, "return two things.")
        return "right."

    assert "part 2" in pair(lambda: (1.0, None)).message
    assert pair(lambda: (1.0, ...)).passed is None
    assert "two things" in pair(lambda: 1.0).message


def test_what_fails_inside_says_where_to_look():
    assert "a function inside return nothing" in total(lambda x: None + x).message
    assert "still `...`" in total(lambda x: x * ...).message
    assert "still `...`" not in total(lambda x: x[1.0]).message  # numpy's words list what an index may be


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda rng: np.random.default_rng(0).random(3), "two generators"),
        (lambda rng: np.random.default_rng().random(3), "from it alone"),
        (lambda rng: rng.random(3) + np.random.default_rng().random(3), "from it alone"),
    ],
)
def test_chance_from_elsewhere(draw, message):
    with pytest.raises(WrongAnswerError, match=message):
        own_chance(draw)


def test_chance_from_the_generator():
    assert own_chance(lambda rng: rng.random(3)).shape == (3,)


def test_wide_log_weights_defy_each_shortcut():
    lw = wide_log_weights(40, 1000.0)
    assert np.isneginf(lw).sum() == 2
    assert lw.max() == 1000
    assert lw[np.isfinite(lw)].min() == 200
    assert not (np.diff(lw[2:]) <= 0).all()
