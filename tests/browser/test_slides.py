"""Decks in Chromium without network (all in `make drive`): nothing is missing, slides fit, and panels are alive."""

import os

import pytest

import slides
from frames import frames_of
from tests.browser.small_panels import Slide

pytest.importorskip("sphinx_revealjs", reason="reveal.js is missing: pip install .[slides]")

ALL = sorted((slides.ROOT / "notebooks").glob("*.ipynb"))
LESSONS = ALL if os.environ.get("DRIVE") else [ALL[2], ALL[10]]
HEIGHTS = """() => Reveal.getSlides().map(slide => {
    const shown = [...slide.querySelectorAll(':scope > :not(aside)')].map(part => part.offsetTop + part.offsetHeight);
    return [slide.querySelector('h1, h2, h3').textContent, Math.max(...shown)];
})"""
RIGHT_ENDS = """[...document.querySelectorAll('.slides mjx-container[display] > svg')]
    .filter(formula => !formula.closest('aside'))
    .map(formula => formula.getBoundingClientRect().right / innerWidth)"""
LETTERS = """Math.min(...[...document.querySelectorAll('#panel *')]
    .filter(part => part.innerText && !part.children.length && part.offsetHeight)
    .map(part => parseFloat(getComputedStyle(part).fontSize)))"""
ROOM = 920


@pytest.fixture(scope="module")
def decks(tmp_path_factory):
    """A folder of the decks of all lessons, with one small panel, of long sentences, in the place of every other."""
    folder = tmp_path_factory.mktemp("decks")
    slides.bring_libraries(folder)
    frames = frames_of(Slide)
    frames["sentences"] = [f"{said} {'It says what it shows, ' * 8}" for said in frames["sentences"]]
    for path in LESSONS:
        names = slides.PANEL.findall(path.read_text("utf-8"))
        slides.write(path, folder, {name: frames | {"name": name} for name in names})
    return folder


@pytest.fixture(scope="module")
def hall(chromium):
    context = chromium.new_context(viewport={"width": 1024, "height": 768}, offline=True)
    yield context.new_page()
    context.close()


def open_deck(hall, decks, lesson):
    hall.goto("about:blank")
    hall.goto((decks / f"{lesson.stem}.html").as_uri())
    hall.wait_for_function("() => Reveal.isReady() && MathJax.startup.promise")
    hall.evaluate("MathJax.startup.promise")


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem[:2])
def test_a_deck_stands_alone_and_fits(lesson, decks, hall):
    complaints = []
    hall.on("console", lambda message: message.type in ("error", "warning") and complaints.append(message.text))
    hall.on("pageerror", lambda error: complaints.append(str(error)))
    open_deck(hall, decks, lesson)
    hall.add_style_tag(content=".reveal .slides section {display: block !important}")
    heights = hall.evaluate(HEIGHTS)
    assert len(heights) >= 4 and not complaints
    assert {title: height for title, height in heights if height > ROOM} == {}
    assert [end for end in hall.evaluate(RIGHT_ENDS) if end > 1] == []
    written = hall.evaluate("Reveal.getSlides().map(slide => slide.innerText).join()")
    assert "$" not in written and "**" not in written
    assert hall.locator("aside.notes mjx-assistive-mml").count() == 0


def test_one_key_visits_every_slide(decks, hall):
    open_deck(hall, decks, LESSONS[0])
    n_slides = hall.evaluate("Reveal.getTotalSlides()")
    for _ in range(n_slides - 1):
        assert not hall.evaluate("Reveal.isLastSlide()")
        hall.keyboard.press("ArrowRight")
    assert hall.evaluate("Reveal.isLastSlide()")


def test_a_panel_is_alive_and_keys_in_it_turn_the_slides(decks, hall):
    open_deck(hall, decks, ALL[2])
    hall.keyboard.press("ArrowRight")
    panel = hall.frame_locator("#live")
    hall.wait_for_selector("#live.ready")
    inside = hall.frames[1]
    assert inside.evaluate(LETTERS) >= 768 / 35
    assert inside.evaluate("player.state") == [0, 2]
    panel.get_by_role("slider").first.press("ArrowRight")
    assert inside.evaluate("player.state") == [1, 2]
    panel.locator("#sentence").click()
    hall.keyboard.press("PageDown")
    hall.wait_for_function("Reveal.getIndices().h === 2")
    assert not hall.locator("#live").is_visible()
    hall.keyboard.press("ArrowRight")
    inside.wait_for_function("player.state.join() === '10,2'")


def test_from_scene_to_scene_the_deck_has_the_keys(decks, hall):
    open_deck(hall, decks, ALL[2])
    hall.evaluate("Reveal.slide(Reveal.getSlides().findIndex(slide => slide.querySelector('[data-panel*=Annealing]')))")
    hall.wait_for_selector("#live.ready")
    hall.frame_locator("#live").locator("#sentence").click()
    assert hall.evaluate("document.activeElement.id") == "live"
    hall.keyboard.press("ArrowRight")
    hall.frames[1].wait_for_function("player.state.join() === '10,2'")
    assert hall.evaluate("document.activeElement.id") != "live"
