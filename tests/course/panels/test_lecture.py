"""Panels in a lecture hall: letters that the last row reads, and none upon another or cut off.

Every scene on both screens takes minutes, and is part of `make drive`; without it the last one is shown on the smaller
one, after the first.
"""

import os
from itertools import combinations

import pytest
from matplotlib.axis import Axis
from matplotlib.text import Text

from anneal_edu.course.figures import LectureFigure
from tests.course.panels.conftest import PANELS, make_quick

SCREENS = (1024, 768), (1920, 1080)
TOUCH = 4.0  # pixels by which two boxes may overlap: letters do not fill theirs


def texts_of(figure):
    """Every text that is seen: its Axes or figure, what it says, its box in pixels. A legend counts once."""
    renderer = figure.canvas.get_renderer()
    for ax in figure.axes:
        if not ax.get_visible():
            continue
        legend = ax.get_legend()
        if legend is not None and legend.get_visible():
            yield ax, of_legend(legend), legend.get_window_extent(renderer)
        for axis in (ax.xaxis, ax.yaxis):
            for said, box in of_axis(axis, renderer):
                yield ax, said, box
    for owner in (figure, *figure.axes):
        for text in owner.get_children():
            if isinstance(text, Text) and text.get_visible():
                yield owner, text.get_text(), text.get_window_extent(renderer)


def of_legend(legend):
    return f"legend {' | '.join(text.get_text() for text in legend.get_texts())}"


def of_axis(axis: Axis, renderer):
    if not axis.axes.axison or not axis.get_visible():
        return
    low, high = sorted(axis.get_view_interval())
    for tick in axis.get_major_ticks():
        if low <= tick.get_loc() <= high and tick.label1.get_visible():
            yield tick.label1.get_text(), tick.label1.get_window_extent(renderer)
    yield axis.label.get_text(), axis.label.get_window_extent(renderer)


def overlap_of(one, other):
    return min(min(one.x1, other.x1) - max(one.x0, other.x0), min(one.y1, other.y1) - max(one.y0, other.y0))


def faults_of(figure):
    """What the last row would complain of."""
    width, height = figure.canvas.get_width_height()
    seen = [(owner, said, box) for owner, said, box in texts_of(figure) if said.strip()]
    for owner, said, box in seen:
        if box.x0 < -TOUCH or box.y0 < -TOUCH or box.x1 > width + TOUCH or box.y1 > height + TOUCH:
            yield f"{said!r} leaves the picture"
        for ax in figure.axes:
            if ax is not owner and owner is not figure and overlap_of(box, ax.get_window_extent()) > TOUCH:
                yield f"{said!r} covers the Axes of {ax.get_title(loc='left')!r}"
    for (_, said, box), (_, other, its) in combinations(seen, 2):
        if overlap_of(box, its) > TOUCH:
            yield f"{said!r} lies on {other!r}"


@pytest.mark.parametrize("kind", PANELS.values(), ids=lambda kind: kind.__name__)
def test_a_lecture_can_be_read(kind, monkeypatch):
    make_quick(monkeypatch, kind)
    monkeypatch.setattr(LectureFigure, "png", lambda figure: b"")
    panel = kind()
    faults, everything = [], "DRIVE" in os.environ
    for screen in SCREENS if everything else SCREENS[:1]:
        panel._open_figure(list(screen))
        panel.figure.pixels()
        for name in kind.scenes if everything else list(kind.scenes)[-1:]:
            panel.show(name)
            shown = panel.figure.pixels().copy()
            if screen == SCREENS[0] and name != next(iter(kind.scenes)):  # of the first nothing was kept yet
                for kept in panel.figure._cached.values():
                    kept._shown = None
                assert (panel.figure.pixels() == shown).all(), f"{name}: what was kept is not what there is"
            letters = [text.get_fontsize() / 72 * panel.figure.dpi for text in panel.figure.findobj(Text)]
            assert min(letters) >= screen[1] / 35 - 1e-6
            faults += [f"{name} at {screen[0]}: {fault}" for fault in faults_of(panel.figure)]
    panel.close()
    assert not faults, "\n".join(faults)
