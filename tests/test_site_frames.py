"""What the pages of panels hold is what the panels draw and say, and it is drawn again only when it must be."""

import base64
import gzip
import json
import os
import random
import re

import numpy as np
import pytest

import course_site
import kept_frames
import lesson_pages
import panel_pages
from anneal_edu.course import panels
from anneal_edu.course.figures import LectureFigure
from anneal_edu.course.figures.style import projected
from frames import SCREEN, about, draw, frames_of, settings
from svg_parts import Shared, pieces_of
from tests.course.panels.conftest import PANELS

ALL = "SITE" in os.environ
SMALL = panels.FirstPath, panels.HamiltonianConvergence
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
    draw(panel, values)
    return panel, *said


def vertices(svg):
    """The points of the paths of a piece, and where its markers are."""
    drawn = re.findall(r' d="([^"]*)"', svg)
    paths = [np.array(re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path), dtype=float) for path in drawn]
    marks = np.array(re.findall(r'<use [^>]*x="(-?[\d.]+)" y="(-?[\d.]+)"', svg), dtype=float)
    return paths, marks.reshape(-1, 2)


def distance(point, path):
    """From a point to a line through points."""
    if len(path) < 2:
        return np.inf
    start, along = path[:-1], np.diff(path, axis=0)
    share = np.clip(((point - start) * along).sum(1) / np.maximum((along**2).sum(1), 1e-12), 0, 1)
    return np.sqrt((((start + share[:, None] * along) - point) ** 2).sum(1)).min()


def wrong_artists(panel, shown):
    """Names of the lines of a panel that a frame does not show where they are."""
    height = panel.figure.get_figheight() * 72
    drawn = {}
    for svg in shown:
        found = re.match(r'<g data-artist="([^"]*)"', svg)
        if found:
            drawn.setdefault(found[1], []).append(svg)
    for ax in panel.figure.axes:
        left, bottom, right, top = ax.get_window_extent().extents * 72 / panel.figure.dpi
        for line in ax.lines if ax.get_visible() else ():
            if line.get_gid() is None or not line.get_visible():
                continue
            at = ax.transData.transform(line.get_xydata()) * 72 / panel.figure.dpi
            inside = (at[:, 0] > left) & (at[:, 0] < right) & (at[:, 1] > bottom) & (at[:, 1] < top)
            points = np.column_stack([at[inside, 0], height - at[inside, 1]])
            pieces = [vertices(svg) for svg in drawn.get(line.get_gid(), ())]
            for point in points[:: max(1, len(points) // 50)]:
                near = [distance(point, path) for paths, _ in pieces for path in paths]
                near += [np.abs(marks - point).sum(1).min() for _, marks in pieces if len(marks)]
                if min(near, default=np.inf) > CLOSE:
                    yield line.get_gid()
                    break


def test_pages_show_what_panels_draw_and_say(albums):
    for name, key in some_states(albums, 20 if ALL else 4):
        frames = albums[name]
        panel, takeaway, readout = fresh(name, values_at(frames, key))
        sentence, numbers, *plots = frames["frames"][key]
        assert frames["sentences"][sentence] == takeaway
        assert dict(frames["numbers"][numbers]) == readout
        shown = [frames["pieces"][piece] for plot in plots for piece in plot]
        assert list(wrong_artists(panel, shown)) == []
        names = sorted(found[1] for svg in shown if (found := re.match(r'<g data-artist="([^"]*)"', svg)))
        assert names == sorted(piece.name for piece in pieces_of(panel.figure, Shared()) if piece.name)
        panel.close()


def test_a_frame_of_another_state_is_seen(albums):
    frames = albums["FirstPath"]
    keys = list(frames["frames"])
    panel, _, _ = fresh("FirstPath", values_at(frames, keys[0]))
    shown = [frames["pieces"][piece] for plot in frames["frames"][keys[-1]][2:] for piece in plot]
    assert list(wrong_artists(panel, shown))
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


def test_a_panel_is_drawn_again_only_for_its_own_code_and_models(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(kept_frames, "frames_of", lambda kind, states: drawn.append(kind) or {"of": kind.__name__})
    model = tmp_path / "model.npz"
    monkeypatch.setattr(kept_frames, "ROOT", tmp_path)
    model.write_bytes(b"as trained")
    kept_frames.draw_and_keep("FirstPath", (), tmp_path)
    assert kept_frames.kept("FirstPath", (), tmp_path) == {"of": "FirstPath"}
    assert kept_frames.kept("FirstPath", ({"beta": "0.5"},), tmp_path) is None
    again = kept_frames.frames_of_all({"FirstPath": ()}, 1, tmp_path)
    assert again == {"FirstPath": {"of": "FirstPath"}} and len(drawn) == 1
    file = tmp_path / "FirstPath.json.gz"
    found = json.loads(gzip.decompress(file.read_bytes())) | {"read": {"model.npz": kept_frames.digest(model)}}
    file.write_bytes(gzip.compress(json.dumps(found).encode()))
    assert kept_frames.kept("FirstPath", (), tmp_path)
    model.write_bytes(b"trained again")
    assert kept_frames.kept("FirstPath", (), tmp_path) is None


def test_the_code_behind_a_panel_is_known():
    behind = kept_frames.modules_behind("anneal_edu.course.panels.two_paths")
    assert {"anneal_edu.paths.geometric", "anneal_edu.course.figures.artists"} < behind
    assert not [name for name in behind if name.startswith(("anneal_edu.training", "anneal_edu.course.experiments"))]
    assert "anneal_edu.models.stored" in kept_frames.modules_behind("anneal_edu.course.panels.digits_annealing")


def test_a_stored_model_that_is_read_is_noted():
    read = set()
    for path in (kept_frames.ROOT / "anneal_edu/models/digits8_cd.npz", kept_frames.ROOT / "README.md", 3):
        kept_frames._note_file(read, "open", (str(path) if path != 3 else 3, "r", 0))
    assert read == {"anneal_edu/models/digits8_cd.npz"}


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
    assert sum(cell.source.startswith('<details class="solution">') for cell in page.cells) == 3
    assert not [cell for cell in page.cells if "NBVAL" in cell.source]
    stubs = [cell for cell in page.cells if cell.cell_type == "code" and "return ..." in cell.source]
    assert stubs and not [cell for cell in stubs if "hide-input" in cell.metadata.get("tags", [])]
    folded = [cell for cell in page.cells if "hide-output" in cell.metadata.get("tags", [])]
    answers = [cell for cell in course_site.read(path).cells if "answer" in cell.metadata.get("tags", [])]
    assert len(folded) == len([cell for cell in answers if cell.outputs]) > 0


@pytest.mark.skipif(not ALL, reason="needs the whole site: make site-test")
def test_pages_say_what_the_lessons_say(albums):
    for path in course_site.LESSONS:
        for name, state, sentence in lesson_pages.panels_of(course_site.read(path)):
            frames = albums[name]
            key = next(key for key in frames["frames"] if in_words(values_at(frames, key)) == state)
            assert frames["sentences"][frames["frames"][key][0]] == sentence, f"{path.stem}: {name}"
