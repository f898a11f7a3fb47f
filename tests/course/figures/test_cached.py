"""What is kept of a figure that moves shows what drawing all of it would show."""

import numpy as np
import pytest
from matplotlib.legend import Legend

from anneal_edu.course.figures import LectureFigure, artists, cached
from anneal_edu.course.figures.cached import CachedArtist, CachedFigure
from anneal_edu.course.figures.style import projected


@projected()
def drawn(kind):
    """Two plots with all that a panel has: spines under marks, words on a band, legends of a plot and of the figure."""
    figure = kind(8.0, 3.0)
    left, right = figure.columns(1, 1)
    left.set(xlim=(0, 1), ylim=(0, 1), xlabel="x", title="left")
    artists.line(left, "edge", [0.0, 0.5, 1.0], [0.0, 0.5, 0.0], marker="s", clip_on=False, zorder=5)
    artists.curve(left, "under the legend", [0, 1], [0.9, 0.9], "geometric")
    artists.band(left, "under the words", [0, 1], [0.2, 0.2], [0.6, 0.6], "truth", alpha=0.7)
    artists.words(left, "words", 0.1, 0.3, "pale WAVES\non a band, $x^2$", color="red", alpha=0.6, rotation=9)
    artists.legend(left, {"geometric": "geometric", "moments": "moments"}, "upper left")
    artists.log_x(right, "steps", (10, 100), (5, 200))
    right.set_axis_off()
    figure.legend(handles=left.get_legend().legend_handles, loc="lower center")
    return figure


def words(figure):
    """Two lines over a band."""
    return next(text for text in figure.axes[0].texts if text.get_gid() == "words")


def test_it_shows_what_it_would_without_keeping():
    one, other = drawn(CachedFigure).pixels().astype(int), drawn(LectureFigure).pixels().astype(int)
    assert np.abs(one - other).max() <= 2, "of 255"


CHANGES = {
    "limits": lambda figure: figure.axes[0].set(xlim=(0, 2)),
    "ticks": lambda figure: figure.axes[0].set(yticks=[0.3]),
    "small ticks": lambda figure: figure.axes[0].set_xticks([0.1, 0.3], minor=True),
    "words at ticks": lambda figure: figure.axes[0].set(xticks=[0, 1], xticklabels=["none", "all"]),
    "pale words": lambda figure: figure.axes[0].get_yticklabels()[1].set_alpha(0.3),
    "label": lambda figure: figure.axes[0].set(xlabel="y"),
    "title": lambda figure: figure.axes[0].set(title="other"),
    "other words": lambda figure: words(figure).set_text("pale waves\non a band, $x^2$"),
    "words move": lambda figure: words(figure).set_x(0.12),
    "words turn": lambda figure: words(figure).set_rotation(20),
    "words grow": lambda figure: words(figure).set_fontsize(15),
    "fat words": lambda figure: words(figure).set_fontweight("bold"),
    "words of another colour": lambda figure: words(figure).set_color("blue"),
    "paler words": lambda figure: words(figure).set_alpha(0.3),
    "words under the band": lambda figure: words(figure).set_zorder(0.5),
    "words go": lambda figure: words(figure).set_visible(False),
    "scale": lambda figure: figure.axes[0].set(xscale="log", xlim=(0.1, 1)),
    "place": lambda figure: figure.axes[0].set_position([0.3, 0.3, 0.2, 0.5]),
    "axes come": lambda figure: figure.axes[1].set_axis_on(),
    "axes go": lambda figure: figure.axes[0].set_visible(False),
    "an axis goes": lambda figure: figure.axes[0].xaxis.set_visible(False),
    "a legend moves": lambda figure: figure.axes[0].get_legend().set_loc("lower right"),
    "a legend goes": lambda figure: figure.axes[0].get_legend().set_visible(False),
    "another legend": lambda figure: artists.legend(figure.axes[0], {"moments": "moments"}, "upper left"),
    "a legend of the figure goes": lambda figure: figure.legends[0].set_visible(False),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_seen(change):
    figure, fresh = drawn(CachedFigure), drawn(CachedFigure)
    before = figure.pixels().copy()
    with projected():
        CHANGES[change](figure)
        CHANGES[change](fresh)
    after = figure.pixels()
    cached._ink.cache_clear()
    assert (after != before).any()
    assert (after == fresh.pixels()).all()
    assert (figure.pixels() == after).all()


def test_it_is_kept_and_all_of_it_is_there_for_others(monkeypatch):
    figure, made = drawn(CachedFigure), []
    make = CachedArtist._make
    monkeypatch.setattr(CachedArtist, "_make", lambda kept, renderer: made.append(kept) or make(kept, renderer))
    figure.pixels()
    assert made
    made.clear()
    inked = cached._ink.cache_info().misses
    figure.axes[0].lines[0].set_ydata([0.0, 0.4, 0.0])
    figure.pixels()
    assert not made and cached._ink.cache_info().misses == inked
    assert figure.axes[0].xaxis.get_visible() and figure.axes[0].spines["left"].get_visible()
    assert all(legend.get_visible() for legend in figure.findobj(Legend))
