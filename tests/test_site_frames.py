"""What the pages of panels hold is what the panels draw and say, and it is drawn again only when it must be."""

import base64
import gzip
import json
import os
import random
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.font_manager import findfont, get_font

import course_site
import kept_frames
import lesson_pages
import panel_pages
from anneal_edu.course import panels
from anneal_edu.course.figures import LectureFigure, artists
from anneal_edu.course.figures.film import Film
from anneal_edu.course.figures.style import projected
from frames import LEVELS, SCREEN, Plot, about, draw, frames_of, recording, settings
from svg_parts import Shared, pieces_of
from tests.course.panels.conftest import PANELS

ALL = "SITE" in os.environ
SMALL = panels.WhomToBelieve, panels.FirstPath
SCRIPTS = [*course_site.PAGES.glob("*.js"), *panel_pages.FILM.parent.glob("*.js")]
CLOSE = 2 / 9 + 0.01  # points: a line in SVG leaves out what is within 1/9 of it to either side, and keeps two digits


def frames_in(page):
    """What a page has packed."""
    packed = re.search(r'<script id="frames" type="text/plain">(.*?)</script>', page, re.DOTALL)[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


@pytest.fixture(scope="module")
def albums():
    """Panel → the frames that its page holds."""
    if ALL:
        paths = sorted((course_site.SITE / "panels").glob("*.html"))
        return {path.stem: frames_in(path.read_text("utf-8")) for path in paths}
    return {kind.__name__: frames_in(panel_pages.page_of(frames_of(kind))) for kind in SMALL}


@pytest.mark.parametrize("name", PANELS)
def test_every_control_can_be_shown(name):
    """A slider may stand for words; its steps are then counted, as those of numbers with unequal steps are."""
    for recipe in PANELS[name].controls.values():
        control = recipe()
        values = settings(control, [control.value])
        shown = about(control, values)
        assert len(shown["words"]) == len(values) and control.value in values and isinstance(shown["even"], bool)
        if shown["even"]:
            assert np.ptp(np.diff(values)) < 1e-9 * np.ptp(values)
        elif shown["kind"] == "slider":
            assert isinstance(values[0], str) or np.ptp(np.diff(values)) > 1e-6 * np.ptp(values)


def values_at(frames, key):
    return {
        control["name"]: control["values"][int(at)]
        for control, at in zip(frames["controls"], key.split("."), strict=True)
    }


def in_words(values):
    return {name: value if isinstance(value, str) else f"{value:g}" for name, value in values.items()}


def some_states(albums, number):
    states = [(name, key) for name, frames in albums.items() for key in frames["frames"]]
    return random.Random(0).sample(states, number)


def fresh(name, values):
    """The panel, opened in this state in Python, and its picture for a page."""
    panel = getattr(panels, name)(**values)
    panel.run()
    said = panel.takeaway, panel.readout
    panel.figure = LectureFigure.on_screen(*SCREEN)
    with projected():
        panel.axes = panel.make_axes(panel.figure)
    if film := draw(panel, values).film:
        for artist in film.drawn():
            artist.set_visible(False)
    return panel, *said


def named(pieces, shared):
    """The SVG of the named artists among pieces, with what they refer to in place of its name."""
    defined = dict(re.findall(r'<\w+ id="(d[0-9a-f]+)"(.*?)(?=<\w+ id="d|\Z)', shared, re.DOTALL))
    artists = [piece for piece in pieces if piece.startswith("<g data-artist=")]
    return sorted(re.sub(r'(?<=[("]#)d[0-9a-f]+', lambda name: defined[name[0]], piece) for piece in artists)


def test_pages_show_what_panels_draw_and_say(albums):
    for name, key in some_states(albums, 20 if ALL else 4):
        frames, shared = albums[name], Shared()
        panel, takeaway, readout = fresh(name, values_at(frames, key))
        sentence, numbers, *plots = frames["frames"][key]
        assert frames["sentences"][sentence] == takeaway
        assert dict(frames["numbers"][numbers]) == readout
        shown = [frames["pieces"][piece] for plot in plots for piece in plot]
        pieces = [piece.svg for piece in pieces_of(panel.figure, shared)]
        assert shown and named(shown, frames["shared"]) == named(pieces, shared.svg())
        panel.close()


def test_every_scene_is_there_and_each_control_moved_from_each(albums):
    for name, frames in albums.items():
        kind = getattr(panels, name)
        assert list(frames["scenes"]) == list(kind.scenes)
        assert [control["name"] for control in frames["controls"]] == list(kind.controls)
        for scene, key in frames["scenes"].items():
            assert values_at(frames, key).items() >= kind.scenes[scene].items()
            for i, control in enumerate(frames["controls"]):
                for at in range(len(control["values"])):
                    moved = key.split(".")
                    moved[i] = str(at)
                    assert ".".join(moved) in frames["frames"]
                assert len(control["values"]) >= (3 if control["name"] == "seed" else 2)


def test_what_frames_have_in_common_is_stored_once(albums):
    for frames in albums.values():
        used = sum(len(plot) for frame in frames["frames"].values() for plot in frame[2:])
        assert len(set(frames["pieces"])) == len(frames["pieces"]) < 0.6 * used
        asked = {name for piece in frames["pieces"] for name in re.findall('(?<=[("]#)d[0-9a-f]+', piece)}
        assert asked == set(re.findall(' id="([^"]+)"', frames["shared"]))


def test_a_panel_is_drawn_again_only_if_what_it_shows_may_have_changed(tmp_path, monkeypatch):
    monkeypatch.setattr(kept_frames, "frames_of", lambda kind, states: {"of": kind.__name__})
    kept_frames.draw_and_keep("FirstPath", (), tmp_path)
    assert kept_frames.kept("FirstPath", (), tmp_path) == {"of": "FirstPath"}
    assert kept_frames.frames_of_all({"FirstPath": ()}, 1, tmp_path) == {"FirstPath": {"of": "FirstPath"}}
    assert kept_frames.kept("FirstPath", ({"beta": "0.5"},), tmp_path) is None
    as_it_was = kept_frames.digest
    for changed in ("tiny_world.py", "gaussian.py", "two_paths.py"):
        kept_frames.of_library.cache_clear()
        monkeypatch.setattr(kept_frames, "digest", lambda path, new=changed: as_it_was(path) + (path.name == new) * "'")
        unaffected = changed == "two_paths.py"  # from which the panel imports nothing
        assert (kept_frames.kept("FirstPath", (), tmp_path) is not None) == unaffected
    kept_frames.of_library.cache_clear()


@pytest.mark.parametrize("path", course_site.LESSONS, ids=lambda path: path.stem[:2])
def test_a_lesson_shows_its_panels_as_pages(path):
    lesson = course_site.read(path)
    shown = lesson_pages.panels_of(lesson)
    calls = [
        name for cell in lesson.cells if cell.cell_type == "code" and "image/png" in str(cell.outputs)
        for name in re.findall(r"ae\.panels\.([A-Z]\w+)\(", cell.source)
    ]  # fmt: skip
    assert [name for name, _, _ in shown] == calls and calls
    page = lesson_pages.page_of(lesson, course_site.read(path.parent / "solutions" / path.name))
    outputs = [output for cell in page.cells for output in cell.get("outputs", ())]
    html = [output.data["text/html"] for output in outputs if "text/html" in output.get("data", {})]
    assert [re.search(r"panels/(\w+)\.html", text)[1] for text in html] == calls
    assert sum(cell.source.startswith('<details class="solution">') for cell in page.cells) in (2, 3)
    stubs = [cell for cell in page.cells if cell.cell_type == "code" and "return ..." in cell.source]
    assert stubs and not [cell for cell in stubs if "hide-input" in cell.metadata.get("tags", [])]


@pytest.mark.skipif(not ALL, reason="needs the whole site: make site-test")
def test_pages_say_what_the_lessons_say(albums):
    for path in course_site.LESSONS:
        for name, state, sentence in lesson_pages.panels_of(course_site.read(path)):
            frames = albums[name]
            key = next(key for key in frames["frames"] if in_words(values_at(frames, key)) == state)
            assert frames["sentences"][frames["frames"][key][0]] == sentence, f"{path.stem}: {name}"


def test_what_moves_is_recorded_in_small_steps():
    x = np.linspace(0, 7, 30).reshape(10, 3) ** 2
    (ax,) = LectureFigure(4.0, 3.0).columns(1)
    film = Film(now=0, rate=1.0)
    film.dots(ax, "dots", x, np.where(abs(x - 7) > 4, x, np.nan), ["black"] * 3)
    (view,) = recording(film, [Plot([0.0, 0.0, 288.0, 216.0], {0})], ax.figure, table := {})["views"]
    (dots,) = view["layers"]
    for name, wanted in (("x", x), ("y", np.where(abs(x - 7) > 4, x, np.nan))):
        low, step, moved = [*table][dots["arrays"][name]]
        again = np.empty(x.shape)
        levels = [0] * 3
        for i, letter in enumerate(moved):
            move = ord(letter) - 33 - 46
            levels[i % 3] += 0 if letter == " " else move - 1800 if move > 900 else move
            again.flat[i] = np.nan if letter == " " else low + step * levels[i % 3]
        np.testing.assert_allclose(again, wanted, atol=0.51 * np.ptp(x) / LEVELS)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_every_sign_on_a_button_is_in_a_font_that_all_have(script):
    font = get_font(findfont("DejaVu Sans"))
    assert not [sign for sign in script.read_text("utf-8") if not sign.isspace() and not font.get_char_index(ord(sign))]


def test_dots_of_one_look_are_written_as_circles():
    (ax,) = LectureFigure(4.0, 3.0).columns(1)
    ax.set(xlim=(0, 1), ylim=(0, 1))
    artists.dots(ax, "dots", [0.25, 0.5], [0.5, 0.5], [3.0, 6.0], ["black"] * 2)
    (piece,) = [piece for piece in pieces_of(ax.figure, Shared()) if piece.name == "dots"]
    one, other = ET.fromstring(piece.svg)
    assert [(dot.tag, float(dot.get("r"))) for dot in (one, other)] == [("circle", 3.0), ("circle", 6.0)]
    wide = ax.get_position().width * 4 * 72
    assert float(other.get("cx")) - float(one.get("cx")) == pytest.approx(wide / 4, abs=0.11)
    assert one.get("cy") == other.get("cy")
