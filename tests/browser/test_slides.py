"""Decks in Chromium without network (all in `make drive`): nothing is missing, and each slide fits."""

import os

import pytest

import slides

pytest.importorskip("sphinx_revealjs", reason="reveal.js is missing: pip install .[slides]")

ALL = sorted((slides.ROOT / "notebooks").glob("*.ipynb"))
LESSONS = ALL if os.environ.get("DRIVE") else [ALL[2], ALL[10]]
HEIGHTS = """() => Reveal.getSlides().map(slide => {
    const shown = [...slide.querySelectorAll(':scope > :not(aside)')].map(part => part.offsetTop + part.offsetHeight);
    return [slide.querySelector('h1, h2, h3').textContent, Math.max(...shown)];
})"""
ROOM = 920
WIDEST = """() => Math.max(0, ...[...document.querySelectorAll('section:not(.stack) mjx-container[display] > svg')].map(
    formula => formula.getBoundingClientRect().width / formula.closest('section').getBoundingClientRect().width))"""


@pytest.fixture(scope="module")
def decks(tmp_path_factory):
    """A folder of the decks of all lessons, with one empty picture for the scenes of every panel."""
    folder = tmp_path_factory.mktemp("decks")
    slides.bring_libraries(folder)
    for path in LESSONS:
        slides.write(path, folder, lambda name: [("a scene", "", "a picture", "It says what it shows, " * 8)])
    return folder


@pytest.fixture(scope="module")
def hall(chromium):
    context = chromium.new_context(viewport={"width": 1024, "height": 768}, offline=True)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem[:2])
def test_a_deck_stands_alone_and_fits(lesson, decks, hall):
    complaints = []
    hall.on("console", lambda message: message.type in ("error", "warning") and complaints.append(message.text))
    hall.on("pageerror", lambda error: complaints.append(str(error)))
    hall.goto((decks / f"{lesson.stem}.html").as_uri())
    hall.wait_for_function("() => Reveal.isReady() && MathJax.startup.promise")
    hall.evaluate("MathJax.startup.promise")
    hall.add_style_tag(content=".reveal .slides section {display: block !important}")
    heights = hall.evaluate(HEIGHTS)
    assert len(heights) >= 4 and not complaints
    assert {title: height for title, height in heights if height > ROOM} == {}
    assert hall.evaluate(WIDEST) <= 1
    written = hall.evaluate("Reveal.getSlides().map(slide => slide.innerText).join()")
    assert "$" not in written and "**" not in written
