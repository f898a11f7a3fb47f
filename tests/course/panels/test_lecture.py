"""Every scene of every panel in a lecture hall: letters that the last row reads, and none upon another or cut off."""

from itertools import combinations

import pytest
from matplotlib.axis import Axis
from matplotlib.text import Text

from anneal_edu.course import panels
from anneal_edu.course.figures import LectureFigure
from tests.course.panels.conftest import make_quick

SCREENS = (1024, 768), (1920, 1080)
TOUCH = 1.5  # pixels by which two boxes may overlap: letters do not fill theirs
KINDS = [getattr(panels, name) for name in panels.__all__ if name not in ("Panel", "Reading")]


def texts_of(figure):
    """Every text that is seen, by what it says, with its box in pixels; a legend counts once, with its frame."""
    renderer, seen = figure.canvas.get_renderer(), []
    for ax in figure.axes:
        if not ax.get_visible():
            continue
        legend = ax.get_legend()
        if legend is not None and legend.get_visible():
            said = " | ".join(text.get_text() for text in legend.get_texts())
            seen.append((f"legend {said}", legend.get_window_extent(renderer)))
        for axis in (ax.xaxis, ax.yaxis):
            seen += list(of_axis(axis, renderer))
        titles = [child for child in ax.get_children() if isinstance(child, Text)]
        seen += [(text.get_text(), text.get_window_extent(renderer)) for text in titles if text.get_visible()]
    seen += [(text.get_text(), text.get_window_extent(renderer)) for text in figure.texts if text.get_visible()]
    return [(said, box) for said, box in seen if said.strip()]


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
    seen = texts_of(figure)
    for said, box in seen:
        if box.x0 < -TOUCH or box.y0 < -TOUCH or box.x1 > width + TOUCH or box.y1 > height + TOUCH:
            yield f"{said!r} leaves the picture"
    for (said, box), (other, its) in combinations(seen, 2):
        if overlap_of(box, its) > TOUCH:
            yield f"{said!r} lies on {other!r}"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_lecture_can_be_read(kind, monkeypatch):
    make_quick(monkeypatch, kind)
    panel = kind()
    faults = []
    for name in kind.scenes:
        panel.show(name)
        for screen in SCREENS:
            panel._open_figure(list(screen))
            panel.figure.png()
            letters = [text.get_fontsize() / 72 * panel.figure.dpi for text in panel.figure.findobj(Text)]
            assert min(letters) >= screen[1] / 35 - 1e-6
            faults += [f"{name} at {screen[0]}: {fault}" for fault in faults_of(panel.figure)]
        panel._open_figure(None)
    panel.close()
    assert not faults, "\n".join(faults)


def test_a_fault_is_seen():
    figure = LectureFigure.on_screen(1024, 768)
    (ax,) = figure.columns(1)
    ax.set(xlim=(0, 1), ylim=(0, 1), title="A")
    figure.png()
    assert list(faults_of(figure)) == []
    ax.set_title("A title of many words that no screen of this width can hold in a single line, whatever is done")
    ax.text(0.5, 0.5, "one")
    ax.text(0.5, 0.5, "two")
    figure.png()
    faults = list(faults_of(figure))
    assert len(faults) == 2 and "leaves the picture" in faults[0] and faults[1] == "'one' lies on 'two'"
