"""Figures that redraw in place."""

import numpy as np
import pytest

from anneal_edu.course.figures import STYLES, LectureFigure, artists


def test_a_second_call_moves_the_artist_of_the_first():
    figure = LectureFigure(4, 3)
    (ax,) = figure.columns(1)
    x = np.arange(5.0)
    for offset in (0.0, 1.0):
        artists.curve(ax, "curve", x, x + offset, "truth")
        artists.band(ax, "band", x, x - 1, x + offset, "truth")
        artists.bars(ax, "bars", x, x - 1, x + 1 + offset, "estimate")
        artists.words(ax, "words", 1.0, offset, f"{offset:g}")
    assert len(ax.lines) == 2 and len(ax.patches) == 1 and len(ax.texts) == 1
    assert ax.lines[0].get_ydata()[0] == 1.0
    assert ax.patches[0].get_xy().max() == 5.0
    assert np.nanmax(ax.lines[1].get_ydata()) == 6.0
    assert ax.texts[0].get_text() == "1" and ax.texts[0].get_position() == (1.0, 1.0)


def test_named_artists_hide_until_they_are_called_for():
    figure = LectureFigure(4, 3)
    (ax,) = figure.columns(1)
    artists.curve(ax, "a", [0, 1], [0, 1], "truth")
    artists.curve(ax, "b", [0, 1], [1, 0], "truth")
    assert len(artists.hide_named(figure)) == 2
    artists.curve(ax, "b", [0, 1], [1, 0], "truth")
    assert [line.get_visible() for line in ax.lines] == [False, True]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_point_that_cannot_be_drawn_is_an_error(bad):
    (ax,) = LectureFigure(4, 3).columns(1)
    with pytest.raises(ValueError, match=r"1 points of 'curve' are not finite"):
        artists.curve(ax, "curve", [0, 1], [0, bad], "truth")


@pytest.mark.parametrize("screen", [None, (1024, 768), (1920, 1080)])
def test_labels_fit_into_the_margins(screen):
    figure = LectureFigure() if screen is None else LectureFigure.on_screen(*screen)
    for ax in figure.columns(1, 1):
        ax.set(xlabel="x", ylabel="y", title="title", ylim=(-100, 100))
    figure.png()
    left, right = (ax.get_tightbbox() for ax in figure.axes)
    assert 0 <= left.x0 and left.x1 <= right.x0 and right.x1 <= figure.bbox.x1
    assert 0 <= left.y0 and left.y1 <= figure.bbox.y1


@pytest.mark.parametrize(
    "draw, marker, line",
    [
        (artists.curve, False, True),
        (artists.marks, True, False),
        (lambda ax, name, x, y, style: artists.line(ax, name, x, y, **STYLES[style]), True, True),
        (lambda ax, name, x, y, style: artists.bars(ax, name, x, y, y, style), True, True),  # caps are no marks
        (lambda ax, *rest: None, True, True),
    ],
)
def test_a_legend_shows_what_was_drawn(draw, marker, line):
    (ax,) = LectureFigure(4, 3).columns(1)
    artists.curve(ax, "of another colour", [0, 1], [1, 1], "moments")
    draw(ax, "drawn", [0, 1], [0, 1], "geometric")
    artists.legend(ax, {"geometric": "geometric"}, "upper left")
    (handle,) = ax.get_legend().legend_handles
    assert (handle.get_marker() != "None") == marker
    assert (handle.get_linestyle() != "None") == line


def test_a_line_and_its_marks_are_shown_as_one():
    (ax,) = LectureFigure(4, 3).columns(1)
    artists.curve(ax, "line", [0, 1], [0, 1], "geometric")
    artists.marks(ax, "marks", [0, 1], [0, 1], "geometric")
    artists.legend(ax, {"geometric": "geometric"}, "upper left")
    (handle,) = ax.get_legend().legend_handles
    assert handle.get_marker() == STYLES["geometric"]["marker"] and handle.get_linestyle() != "None"
