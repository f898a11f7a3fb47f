"""The picture of prerequisites says what the lessons say."""

import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

import prerequisites_picture as picture


@pytest.mark.parametrize(
    ("said", "needed", "helpful"),
    [
        ("a little Python.", set(), set()),
        ("[Start here](00_start_here.ipynb), averages.", {0}, set()),
        ("notebook 01 (AIS, as in 1998 of 12); the divergence.", {1}, set()),
        ("notebooks 01 to 03; 05 for the last part.", {1, 2, 3}, {5}),
        ("notebook 04 (RBMs). Notebooks 02 and 03 help: two paths.", {4}, {2, 3}),
        ("notebooks 04 and 06, 10 and 12.\n\nIn 99 minutes.", {4, 6, 10, 12}, set()),
    ],
)
def test_what_a_lesson_says_is_understood(said, needed, helpful):
    cells = [new_markdown_cell("# A lesson"), new_markdown_cell(f"* One.\n\nPrerequisites: {said}")]
    assert picture.prerequisites(new_notebook(cells=cells)) == (needed, helpful)


def test_no_lesson_needs_a_later_one():
    lessons = picture.graph()
    assert len(lessons) == 16
    for lesson, (_, needed, _) in lessons.items():
        assert all(other < lesson for other in needed), lesson
        assert needed or lesson == 0


def test_only_direct_needs_are_drawn_and_each_points_to_the_right():
    needs = {0: set(), 1: {0}, 2: {0, 1}, 3: {0}}
    assert [picture.direct(lesson, needs) for lesson in needs] == [set(), {0}, {1}, {0}]
    at, _ = picture.places(needs)
    assert [at[lesson][0] for lesson in needs] == [0, 1, 2, 1]
    assert len(set(at.values())) == 4
