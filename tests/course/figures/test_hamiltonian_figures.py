"""What HAIS saves: a bar from least to most, a mark in the middle, and the left edge for what it never reaches."""

import numpy as np

from anneal_edu.course.figures import LectureFigure, hamiltonian

FACTORS = {
    "round": {"random walk": np.array([2.0, 8.0, 4.0]), "fresh momentum": np.array([0.5, 1.0, 3.0])},
    "long": {"random walk": np.array([0.0, 0.0, 20.0]), "fresh momentum": np.array([7.0, 7.0, 7.0])},
}


BOUNDS = {
    "round": {"random walk": np.array([False, True, False]), "fresh momentum": np.zeros(3, dtype=bool)},
    "long": {"random walk": np.zeros(3, dtype=bool), "fresh momentum": np.zeros(3, dtype=bool)},
}


def drawn(named):
    (ax,) = LectureFigure().columns(1)
    hamiltonian.savings(ax, FACTORS, BOUNDS, "counted", named)
    return ax, {line.get_gid(): line for line in ax.lines}


def test_a_bar_goes_from_least_to_most_and_its_mark_is_the_middle_one():
    _, lines = drawn(named=True)
    low, high = np.reshape(lines["random walk bars"].get_xdata(), (2, 3))[:, :2].T
    assert low.tolist() == [2.0, 0.1] and high.tolist() == [8.0, 20.0]  # 0.1 is the left edge
    assert lines["random walk"].get_xdata().tolist() == [4.0, 0.1]
    assert lines["fresh momentum"].get_xdata().tolist() == [1.0, 7.0]


def test_a_mark_stands_in_the_row_of_its_model():
    ax, lines = drawn(named=True)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["round", "long"]
    for method in ("random walk", "fresh momentum"):
        assert np.round(lines[method].get_ydata()).tolist() == ax.get_yticks().tolist() == [1, 0]
    assert (lines["random walk"].get_ydata() > lines["fresh momentum"].get_ydata()).all()


def test_an_arrow_stands_at_a_lower_bound_alone():
    _, lines = drawn(named=True)
    (x,), (y,) = lines["random walk bounds"].get_data()
    assert x == 8.0 and y == lines["random walk bars"].get_ydata()[0]
    assert len(lines["fresh momentum bounds"].get_xdata()) == 0


def test_names_or_meanings():
    named, without = (drawn(flag)[0] for flag in (True, False))
    assert named.get_legend() is None and not any(label.get_text() for label in without.get_yticklabels())
    meanings = [text.get_text() for text in without.get_legend().get_texts()]
    assert meanings == ["than walk, σ = 0.1", "than fresh momentum"]
