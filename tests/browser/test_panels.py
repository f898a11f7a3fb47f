"""Panels in a page: while they are moved, in a lecture, the next day. `make drive`."""

import os
import shutil
from functools import partial
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

import lab_page
import notebooks
import open_lab

pytestmark = pytest.mark.skipif("DRIVE" not in os.environ, reason="takes minutes: make drive")

SMALL = Path(__file__).with_name("small_panels.py")
CELLS = ("from small_panels import Slide, Sums, Waves", "Waves()", "Sums()", "Waves(phase=5.0, height=0.2)", "Slide()")
FRAMES = """canvas => new Promise(resolve => {
    const seen = new Set(), begun = performance.now();
    const look = now => {
        seen.add(canvas.toDataURL());
        if (now - begun < 1000) requestAnimationFrame(look);
        else resolve(seen.size);
    };
    requestAnimationFrame(look);
})"""
VALUE_TEXTS = "handles => handles.map(handle => handle.getAttribute('aria-valuetext'))"
FAST = 50
MOMENTS = """canvas => {
    window.moments = [];
    const saw = () => window.moments.push(Number(canvas.dataset.moment));
    new MutationObserver(saw).observe(canvas, {attributes: true, attributeFilter: ['data-moment']});
}"""
SLOW_SLIDE = """import time
redraw = Slide.draw
Slide.draw = lambda panel, **values: (time.sleep(1), redraw(panel, **values))[1]"""
SOON_MS = 5000
LETTERED = ".anneal-edu-sentence, dt, dd, .widget-label, .widget-readout, input, .anneal-edu-stage button"
LETTERS = "parts => parts.map(part => parseFloat(getComputedStyle(part).fontSize))"
SCROLLERS = """() => [...document.querySelectorAll('.jp-OutputArea-output, .jp-OutputArea-output *')]
    .filter(part => part.scrollWidth > part.clientWidth + 1 && part.clientWidth
        && ['auto', 'scroll'].includes(getComputedStyle(part).overflowX)).map(part => part.className)"""

CONTRAST = """part => {
    const straight = x => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4;
    const light = colour => {
        const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map(x => straight(x / 255));
        return .2126 * r + .7152 * g + .0722 * b;
    };
    const opaque = style => !/rgba\\(.*, 0\\)|transparent/.test(style.backgroundColor);
    let behind = part;
    while (behind.parentElement && !opaque(getComputedStyle(behind))) behind = behind.parentElement;
    const colours = [getComputedStyle(part).color, getComputedStyle(behind).backgroundColor];
    const [dark, bright] = colours.map(light).sort((a, b) => a - b);
    return (bright + .05) / (dark + .05);
}"""


def written(folder, name):
    """A notebook of small panels that nobody has opened before."""
    shutil.copy(SMALL, folder)
    cells = [new_code_cell(source) for source in CELLS]
    notebook = new_notebook(cells=cells)
    notebooks.normalise(notebook)
    nbformat.write(notebook, folder / name)
    return folder / name


def run(chromium, lab, path, **view):
    page = lab_page.opened(chromium, lab, path, **view)
    page.run_all()
    assert page.complaints() == []
    return page


@pytest.fixture(scope="module")
def one_page(chromium, lab):
    page = run(chromium, lab, written(lab.root, "small.ipynb"))
    yield page
    page.shut_down()


@pytest.fixture
def page(one_page):
    """A notebook of small panels that was run, as good as new; and in the end nobody has complained."""
    one_page.page.set_viewport_size({"width": 1400, "height": 1000})
    one_page.panels()[0].button("Reset").click()
    one_page.panels()[1].handle().press("Home")
    one_page.wait_until_idle()
    yield one_page
    assert one_page.complaints() == []


@pytest.fixture
def notebook(lab, request):
    """A notebook of small panels, to be saved."""
    return written(lab.root, f"{request.node.originalname}{len(request.node.name)}.ipynb")


@pytest.fixture
def fresh(chromium, lab, notebook):
    """A function that opens that notebook and runs it, in a page of its own."""
    pages = []

    def fresh(**view):
        pages.append(run(chromium, lab, notebook, **view))
        return pages[-1]

    yield fresh
    for page in pages:
        if page.page.context in chromium.contexts:
            page.shut_down()


def until(page, true, *arguments):
    """Wait until something is so, in the page or beyond it."""
    for _ in range(SOON_MS // 50):
        if true(*arguments):
            return
        page.page.wait_for_timeout(50)
    assert true(*arguments)


# --- while it is moved ---


def test_fifty_fast_presses_end_on_the_right_picture(page):
    waves, _, there, _ = page.panels()
    waves.button("low").click()
    until(page, lambda: waves.sentence() == "The wave is 0.2 high.")
    for _ in range(FAST):
        waves.handle(0).press("ArrowRight", delay=0)
    page.wait_until_idle()
    until(page, lambda: waves.picture() == there.picture())
    assert waves.readouts() == there.readouts() == ["5.00", "0.20", "100"]
    assert page.complaints() == []


def test_a_picture_that_could_not_be_drawn_anew_is_covered(fresh):
    page = fresh()
    waves = page.panels()[0]
    before = waves.picture()
    waves.handle(1).press("End")
    page.wait_until_idle()
    assert waves.overlay() == "this picture is of earlier settings" and waves.picture() == before
    assert waves.sentence() == "ArithmeticError: too high"
    waves.button("Reset").click()
    until(page, lambda: waves.overlay() == "")
    assert waves.sentence() == "The wave is 1 high."
    assert any("ArithmeticError" in words for words in page.complaints())


def test_a_slow_panel_says_that_it_computes_and_can_be_stopped(page):
    _, sums, *_ = page.panels()
    sums.handle().press("ArrowRight")
    until(page, lambda: sums.overlay() == "press Run")
    sums.button("Run").click()
    until(page, lambda: "computing …" in sums.overlay())
    until(page, lambda: sums.root.locator("progress").evaluate("bar => bar.value") > 0)
    sums.button("Cancel").click()
    until(page, lambda: sums.overlay() == "press Run")
    page.wait_until_idle()
    assert sums.overlay() == "press Run"
    sums.button("Run").click()
    until(page, lambda: "computing …" in sums.overlay())
    until(page, lambda: sums.overlay() == "")
    assert sums.sentence() == "The sum is 5050." and page.complaints() == []


def test_the_page_does_not_jump(page):
    waves, sums, *_ = page.panels()
    waves.button("red").click()  # many numbers, the tallest that this panel gets
    until(page, lambda: len(waves.numbers()) == 21)
    top = sums.root.bounding_box()["y"]
    lowest = partial(waves.handle(1).press, "Home")
    for move in (waves.button("black").click, waves.press, lowest, waves.button("low").click):
        move()
        page.wait_until_idle()
        assert sums.root.bounding_box()["y"] == top


@pytest.mark.parametrize("width", [700, 1024, 1920])
def test_no_scroll_bar_and_sliders_of_one_length_at_any_width(page, width):
    page.page.set_viewport_size({"width": width, "height": 900})
    panels = page.panels()
    assert page.page.evaluate(SCROLLERS) == []
    tracks = [track.bounding_box()["width"] for panel in panels for track in panel.root.locator(".noUi-target").all()]
    assert len(tracks) == 9 and max(tracks) - min(tracks) < 1 and min(tracks) >= 220
    for panel in panels:
        for control in panel.root.locator(".widget-slider").all():
            label, track = (control.locator(part).bounding_box() for part in (".widget-label", ".noUi-target"))
            assert label["y"] + label["height"] <= track["y"] + 1


def test_it_plays_and_pauses(page):
    waves = page.panels()[0]
    waves.button("Play").click()
    until(page, lambda: float(waves.readouts()[0]) > 0.4)
    waves.button("Pause").click()
    page.wait_until_idle()
    page.page.wait_for_timeout(300)
    stopped = waves.readouts()
    page.page.wait_for_timeout(500)
    assert waves.readouts() == stopped and waves.asleep() == ""


def test_a_play_ends_with_the_slider_and_begins_anew(page):
    waves = page.panels()[0]
    waves.handle().press("End")
    page.wait_until_idle()
    waves.button("Play").click()
    until(page, lambda: 0 < float(waves.readouts()[0]) < 3)
    page.page.wait_for_function("() => !document.body.innerText.includes('Pause')")
    page.wait_until_idle()
    assert waves.readouts()[0] == "6.00" and waves.button("Play").is_visible() and waves.asleep() == ""


def test_a_die_throws_another_seed(page):
    waves = page.panels()[0]
    before, seed = waves.picture(), waves.root.locator("input[type=number]")
    waves.button("another seed").click()
    until(page, lambda: waves.picture() != before)
    assert seed.input_value() != "0"


def test_scenes_by_click_and_by_key(page):
    waves = page.panels()[0]
    waves.button("low").click()
    until(page, lambda: waves.readouts()[:2] == ["0.00", "0.20"])
    page.page.keyboard.press("3")  # the button has the focus
    until(page, lambda: waves.readouts()[:2] == ["6.00", "1.50"])
    until(page, lambda: waves.button("late").get_attribute("aria-pressed") == "true")
    assert waves.button("low").get_attribute("aria-pressed") == "false"
    waves.button("Reset").click()
    until(page, lambda: waves.readouts()[:2] == ["0.00", "1.00"])
    waves.root.locator(".widget-readout").first.click()
    page.page.keyboard.press("ControlOrMeta+a")
    page.page.keyboard.type("1")  # a number that is typed is no scene
    page.page.keyboard.press("Enter")
    until(page, lambda: waves.readouts()[:2] == ["1.00", "1.00"])


def test_keys_of_a_panel_do_nothing_to_the_notebook(page, lab):
    waves = page.panels()[0]
    waves.root.locator("img").click()
    for key in ("1", "n", "n", "ArrowDown", "d", "d", "x", "a", "m"):
        page.page.keyboard.press(key)
    page.save()
    assert [cell.source for cell in nbformat.read(lab.root / "small.ipynb", as_version=4).cells] == list(CELLS)


# --- what a screen reader says ---


def heard(page):
    """Role → (name, properties) of everything that assistive technology is told of."""
    session = page.page.context.new_cdp_session(page.page)
    told = {}
    for node in session.send("Accessibility.getFullAXTree")["nodes"]:
        if not node["ignored"]:
            values = {each["name"]: each["value"].get("value") for each in node.get("properties", [])}
            told.setdefault(node["role"]["value"], []).append((node.get("name", {}).get("value", ""), values))
    session.detach()
    return told


def test_every_control_has_a_name_and_says_its_value(page):
    said = page.page.locator("[role=slider]").evaluate_all(VALUE_TEXTS)  # the tree of Chromium holds the numbers alone
    assert list(zip([name for name, _ in heard(page)["slider"]], said, strict=True)) == [
        ("phase of the wave, from its beginning", "0.00"), ("height", "1.00"), ("points", "100"), ("n", "10"),
        ("phase of the wave, from its beginning", "5.00"), ("height", "0.20"), ("points", "100"),
        ("moment", "0"), ("height", "0.00"),
    ]  # fmt: skip
    waves = page.panels()[0]
    waves.handle(0).press("ArrowRight")
    waves.handle(2).press("ArrowRight")
    page.wait_until_idle()
    said = page.page.locator("[role=slider]").evaluate_all(VALUE_TEXTS)
    assert [said[0], said[2]] == ["0.10", "1,000"]
    told = heard(page)
    assert [name for name, _ in told["spinbutton"]] == ["seed", "seed"]
    assert ("colour", {}) in [(name, {}) for name, _ in told["group"]]


def test_buttons_say_whether_they_are_pressed(page):
    waves = page.panels()[0]
    waves.button("late").click()
    until(page, lambda: waves.sentence() == "The wave is 1.5 high.")
    pressed = [(name, values.get("pressed")) for name, values in heard(page)["button"]]
    for expected in [("middle", "false"), ("late", "true"), ("black", "true"), ("red", "false")]:
        assert expected in pressed
    assert {"Reset", "Play", "another seed", "Lecture", "Run"} <= {name for name, _ in pressed}


def test_the_picture_and_its_sentence_are_said(page):
    told = heard(page)
    names = [name for name, _ in told.get("image", []) + told.get("img", [])]
    assert "Waves. A sine wave. The wave is 1 high." in names and "Waves. A sine wave. The wave is 0.2 high." in names
    assert ("Waves", {}) in [(name, {}) for name, _ in told["group"]]
    assert [values.get("live") for _, values in told["status"] if "live" in values][:2] == ["polite", "polite"]
    assert "null" not in [name for each in told.values() for name, _ in each]
    assert page.page.locator(".anneal-edu-panel [title=null]").count() == 0


# --- in a lecture ---


@pytest.mark.parametrize("screen", [(1024, 768), (1920, 1080)])
def test_a_lecture_fills_the_screen_and_ends(page, screen):
    page.page.set_viewport_size({"width": screen[0], "height": screen[1]})
    waves = page.panels()[0]
    before = waves.picture()
    waves.button("Lecture").click()
    until(page, lambda: waves.picture() != before)
    page.wait_until_idle()
    picture = waves.root.locator("img").bounding_box()
    assert page.page.evaluate("() => document.fullscreenElement.className").count("anneal-edu-panel") == 1
    assert picture["width"] > 0.95 * screen[0] and picture["height"] > 0.64 * screen[1]
    seen = [waves.root.locator(part).first.bounding_box() for part in (".anneal-edu-sentence", ".noUi-handle")]
    assert all(part["y"] + part["height"] <= screen[1] for part in seen)
    letters = waves.root.locator(LETTERED).evaluate_all(LETTERS)
    assert len(letters) > 15 and min(letters) >= screen[1] / 35
    labels = waves.root.locator(".widget-label").evaluate_all("all => all.map(it => it.scrollHeight - it.clientHeight)")
    assert len(labels) == 5 and max(labels) <= 1, "a label of two lines lies over its slider"
    page.page.keyboard.press("ArrowRight")
    until(page, lambda: waves.readouts()[0] == "0.10")
    page.page.keyboard.press("2")
    until(page, lambda: waves.sentence() == "The wave is 0.2 high.")
    page.page.keyboard.press("n")
    assert not waves.root.locator(".anneal-edu-numbers").is_visible()
    page.page.keyboard.press("n")
    assert waves.root.locator(".anneal-edu-numbers").is_visible()
    page.page.keyboard.press("1")
    page.page.keyboard.press("Escape")
    until(page, lambda: page.page.evaluate("() => document.fullscreenElement") is None)
    until(page, lambda: waves.picture() == before)


def test_two_pixels_a_pixel_where_the_screen_has_them(fresh):
    page = fresh(device_scale_factor=2)
    waves = page.panels()[0]
    until(page, lambda: waves.root.locator("img").evaluate("picture => picture.naturalWidth") == 2600)
    assert waves.root.locator("img").bounding_box()["width"] <= 1300


def test_it_can_be_read_in_the_dark(page):
    waves = page.panels()[0]
    page.page.evaluate("() => jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})")
    page.page.wait_for_function("() => document.body.dataset.jpThemeLight === 'false'")
    parts = (".anneal-edu-sentence", ".anneal-edu-numbers dt", ".anneal-edu-numbers dd", ".widget-label",
             ".anneal-edu-stage button", ".widget-readout")  # fmt: skip
    for part in parts:
        found = waves.root.locator(part).first
        assert found.evaluate(CONTRAST) > 4.5, part


# --- the next day ---


def saved(page):
    """Move and save; what was seen."""
    panels = page.panels()
    panels[0].button("low").click()
    page.wait_until_idle()
    panels[1].handle().press("ArrowRight")
    until(page, lambda: panels[1].overlay() == "press Run")
    page.save()
    return seen_on(panels)


def seen_on(panels):
    return [(panel.picture(), panel.sentence(), panel.numbers(), panel.overlay()) for panel in panels]


def run_one_cell_and_come_back(page, open_notebook, notebook, before):
    page.run_cell(0)
    page.run_cell(1)
    until(page, lambda: page.panels()[0].sentence() == "The wave is 1 high.")
    assert page.panels()[0].press() and page.panels()[0].asleep() == ""
    page.save()
    page.shut_down()
    page = open_notebook(notebook, live=False)
    until(page, lambda: len(page.panels()) == 4)
    assert seen_on(page.panels())[1:] == before[1:]
    assert page.panels()[0].sentence() == "The wave is 1 high."


@pytest.mark.parametrize("live", [False, True], ids=["without a kernel", "with a kernel"])
def test_the_next_day_every_picture_and_sentence_is_there(fresh, notebook, open_notebook, live):
    page = fresh()
    before = saved(page)
    page.shut_down()
    assert notebook.stat().st_size < 400_000
    page = open_notebook(notebook, live=live)
    until(page, lambda: len(page.panels()) == 4)
    panels = page.panels()
    assert seen_on(panels) == before
    if not live:
        assert panels[0].asleep().startswith("No kernel runs")
    else:
        panels[0].handle().press("ArrowRight")
        until(page, lambda: "its cell (Waves())" in panels[0].asleep())
        run_one_cell_and_come_back(page, open_notebook, notebook, before)


def test_a_copy_of_which_only_a_part_was_run_keeps_what_was_run(lab, tmp_path, open_notebook):
    shutil.copy(SMALL, lab.root)
    course = tmp_path / "course"
    course.mkdir()
    path = written(course, "begun.ipynb")
    stored = nbformat.read(path, as_version=4)
    stored.cells[2].outputs = [new_output("display_data", data={"text/plain": "a picture that is stored"})]
    nbformat.write(stored, path)
    assert open_lab.Copies(course, lab.root).bring() == []
    page = open_notebook(lab.root / path.name)
    page.run_cell(0)
    page.run_cell(1)
    until(page, lambda: len(page.panels()) == 1)
    page.save()
    page.shut_down()
    page = open_notebook(lab.root / path.name, live=False)
    until(page, lambda: len(page.panels()) == 1)
    assert page.panels()[0].sentence() == "The wave is 1 high." and page.complaints() == []
    assert page.page.get_by_text("a picture that is stored").is_visible()


def test_after_a_restart_it_says_which_cell_to_run(fresh):
    page = fresh()
    waves = page.panels()[0]
    page.restart_kernel()
    waves.handle().press("ArrowRight")
    until(page, lambda: "its cell (Waves())" in waves.asleep())
    assert "Run All Above Selected Cell" in waves.asleep()


def test_a_busy_kernel_is_not_taken_for_none(fresh):
    page = fresh()
    waves = page.panels()[0]
    page.page.evaluate(f"() => {{ {lab_page.KERNEL}.requestExecute({{code: 'import time; time.sleep(6)'}}); }}")
    waves.handle().press("ArrowRight")
    page.page.wait_for_timeout(4000)
    assert waves.asleep() == ""
    until(page, lambda: waves.readouts()[0] == "0.10")


def test_a_film_plays_to_its_end_and_its_dots_travel_between_moments(page):
    panel = page.panels()[3]
    panel.handle().press("Home")
    panel.button("Play").click()
    assert panel.root.locator("canvas").evaluate(FRAMES) > 10, "five moments in this second, and the way between them"
    panel.button("Play").wait_for(timeout=SOON_MS)
    page.wait_until_idle()
    assert panel.readouts()[0] == "10"
    assert panel.sentence() == "The dot is at 10."
    address = panel.page.url
    for speed in (1, 2, 4):
        panel.button(f"{speed}×").click()
    panel.button("Play").click()
    panel.button("Pause").click()
    page.wait_until_idle()
    assert int(panel.readouts()[0]) < 5, "at its end it begins anew"
    assert panel.page.url == address


def test_a_film_follows_its_slider_before_the_kernel_answers_and_never_goes_back(fresh):
    page = fresh()
    panel = page.panels()[3]
    page.page.evaluate(f"code => {{ {lab_page.KERNEL}.requestExecute({{code}}); }}", SLOW_SLIDE)
    page.wait_until_idle()
    canvas = panel.root.locator("canvas")
    canvas.evaluate(MOMENTS)
    for _ in range(6):
        panel.handle().press("ArrowRight")
    until(page, lambda: canvas.get_attribute("data-moment") == "6")
    assert panel.sentence() == "The dot is at 0."
    until(page, lambda: panel.sentence() == "The dot is at 6.")
    page.wait_until_idle()
    moments = page.page.evaluate("() => window.moments")
    assert moments == sorted(moments) and moments[-1] == 6
