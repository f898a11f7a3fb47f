"""The static site in Chromium without network: all of it in `make site-test`, one lesson and two panels always.

A page is opened from a folder on disk and from a server, on three screens; every control is moved, by keyboard and by
touch, and each picture and sentence that appears is the one that belongs to the state in the address.
"""

import os
import re
import threading
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

import course_site
import panel_pages
from anneal_edu.course.panels.controls import slider
from frames import frames_of
from tests.browser.small_panels import Slide, Waves

pytest.importorskip("myst_nb", reason="the site's builder is missing: pip install .[site]")

ALL = "SITE" in os.environ
SCREENS = {"phone": (390, 844), "hall": (1024, 768), "desk": (1920, 1080)}
TO_MOVE_ON = tuple(SCREENS) if ALL else ("phone", "desk")  # a finger, and keys
TO_READ_ON = tuple(SCREENS) if ALL else ("phone",)
PICTURE = """(document.getElementById('picture').innerHTML +
    [...document.querySelectorAll('#picture canvas')].map(canvas => canvas.toDataURL()))"""
OVERFLOW = "document.documentElement.scrollWidth - window.innerWidth"
NARROWEST = "Math.min(...[...document.querySelectorAll('input[type=range]')].map(range => range.clientWidth))"
SHOWN = """() => ({
    state: player.state.join('.'),
    sentence: document.getElementById('sentence').textContent,
    numbers: [...document.querySelectorAll('#numbers > div')].map(pair => [...pair.children].map(e => e.textContent)),
    pieces: [...document.querySelectorAll('#picture svg')].map(svg => svg.childElementCount),
    hash: location.hash,
})"""
INSIDE = """[...document.querySelectorAll('article :is(p, li) > mjx-container')].every(
    formula => formula.getBoundingClientRect().right <= window.innerWidth
)"""
SCALES = """[...document.querySelectorAll('#picture svg')].map(
    svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)"""
CUT_OFF = "[...document.querySelectorAll('article pre')].filter(pre => pre.scrollWidth > pre.clientWidth).length"
KEY_TO_PICTURE = """async () => {
    const times = [];
    for (const key of Array(8).fill(['2', '1', 'ArrowRight', 'ArrowLeft']).flat()) {
        const start = performance.now();
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        document.getElementById('picture').getBoundingClientRect();
        times.push(performance.now() - start);
    }
    return Math.min(...times);
}"""


class Calm(Waves):
    """Waves that never fail, at few settings."""

    controls = Waves.controls | {
        "phase": slider("phase of the wave, from its beginning", 0.0, 0.0, 6.0, 2.0),
        "height": slider("height", 1.0, 0.2, 1.8, 0.4),
    }


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """A folder with the pages: as `make site` has left it, or the first lesson and two panels."""
    if ALL:
        return course_site.SITE
    folder = tmp_path_factory.mktemp("site")
    course_site.write_sources(folder / "source", course_site.LESSONS[:1], rooms={})
    course_site.build_pages(folder / "source", folder / "site")
    course_site.write_panels(folder / "site" / "panels", 1, course_site.LESSONS[:1], folder / "cache")
    for kind in (Calm, Slide):
        page = panel_pages.page_of(frames_of(kind))
        course_site.write(folder / "site" / "panels" / f"{kind.__name__}.html", page)
    card = panel_pages.page_of(panel_pages.glance(frames_of(Slide), "right"), kind="card")
    for name in ("Slide", *course_site.TOPICS):
        course_site.write(folder / "site" / "topics" / f"{name}.html", card)
    return folder / "site"


@pytest.fixture(scope="session")
def server(site):
    """The address of the same folder on a server."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site)) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.fixture
def visit(chromium, site, server, screen):
    """A function that opens a page, from the folder or the server; what the browser complains of fails the test."""
    width, height = SCREENS[screen]
    context = chromium.new_context(viewport={"width": width, "height": height}, has_touch=screen == "phone")
    complaints = []

    def refuse(route):
        complaints.append(f"asked for {route.request.url}")
        route.abort()

    context.route(lambda url: urlsplit(url).hostname not in (None, "", "127.0.0.1"), refuse)

    def visit(address, served=False):
        page = context.new_page()
        page.on("console", lambda said: said.type in ("error", "warning") and complaints.append(said.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{server}/{address}" if served else f"{site.as_uri()}/{address}")
        if address.startswith(("panels/", "topics/")):
            page.wait_for_selector("html[data-ready]")
        assert page.evaluate(OVERFLOW) <= 0, f"{address} scrolls sideways"
        return page

    yield visit
    context.close()
    assert not complaints


def panel_names():
    used = course_site.uses(course_site.LESSONS)
    return sorted(used) if ALL else ["Calm", "Slide"]


def lesson_names():
    return [path.stem for path in (course_site.LESSONS if ALL else course_site.LESSONS[:1])]


def assert_true(page, frames):
    """What is seen is what was drawn for the state in the address."""
    shown = page.evaluate(SHOWN)
    sentence, numbers, *plots = frames["frames"][shown["state"]]
    assert shown["sentence"] == frames["sentences"][sentence]
    assert shown["numbers"] == frames["numbers"][numbers]
    assert shown["pieces"] == [len(set(pieces)) for pieces in plots]
    told = dict(parse_qsl(shown["hash"].removeprefix("#")))
    for control, at in zip(frames["controls"], shown["state"].split("."), strict=True):
        value = control["values"][int(at)]
        assert told[control["name"]] == value if isinstance(value, str) else float(told[control["name"]]) == value


def settings_by_keyboard(page, control):
    """Move a control through all its settings by keys; yields after each key."""
    parts = page.locator(f"[data-control='{control['name']}']")
    parts.first.focus()
    if control["kind"] == "choice":
        page.locator(f"[data-control='{control['name']}']:checked").focus()
    for way in ("ArrowUp", "ArrowDown"):
        for _ in control["values"]:
            page.keyboard.press(way)
            yield


def settings_by_touch(page, control):
    """Move a control by a finger; yields after each touch. (A list of the browser's own opens outside of the page.)"""
    parts = page.locator(f"[data-control='{control['name']}']")
    if control["kind"] == "list":
        for value in control["values"]:
            parts.select_option(str(value))
            yield
    elif control["kind"] == "choice":
        for i in range(parts.count()):
            parts.nth(i).tap()
            yield
    else:
        box = parts.bounding_box()
        for share in (0.03, 0.35, 0.65, 0.97):
            parts.tap(position={"x": share * box["width"], "y": box["height"] / 2})
            yield


@pytest.mark.parametrize("screen", TO_MOVE_ON)
@pytest.mark.parametrize("name", panel_names())
def test_a_panel_is_moved_without_python(name, visit, screen):
    page = visit(f"panels/{name}.html")
    frames = page.evaluate("player.panel")
    opening = page.evaluate(PICTURE)
    for scene, state in frames["scenes"].items():
        page.locator(f'[data-scene="{scene}"]').click()
        assert page.evaluate("player.state.join('.')") == state
        assert page.locator("[data-scene][aria-pressed=true]").count() == 1
        assert_true(page, frames)
    settings = settings_by_touch if screen == "phone" else settings_by_keyboard
    for control in frames["controls"]:
        for scene in page.locator("[data-scene]").all()[:2]:  # at the beginning of a film not everything can be seen
            page.keyboard.press("Escape")
            scene.click()
            pictures = set()
            for _ in settings(page, control):
                assert_true(page, frames)
                pictures.add(page.evaluate(PICTURE))
            if len(pictures) > 1:
                break
        assert len(pictures) > 1, f"{control['name']} changes nothing"
    page.locator("[data-scene]").first.click()
    page.wait_for_function(f"opening => {PICTURE} === opening", arg=opening)
    assert page.evaluate(OVERFLOW) <= 0


@pytest.mark.skipif(ALL, reason="about a panel that only the small site has")
@pytest.mark.parametrize("screen", SCREENS)
def test_long_words_leave_room_for_sliders_and_neighbours(visit, screen):
    page = visit("panels/Calm.html")
    page.evaluate(f"document.querySelectorAll('output').forEach(o => o.textContent = '{50 * 'w'}')")
    assert page.evaluate(NARROWEST) >= 80
    page.evaluate(f"document.querySelectorAll('output').forEach(o => o.textContent = '{10 * 'word '}')")
    assert page.evaluate(NARROWEST) >= 80 and page.evaluate(OVERFLOW) <= 0
    page.evaluate(f"document.querySelector('#controls option').textContent = '{50 * 'w'}'")
    assert page.evaluate("(s => s.clientWidth <= s.parentNode.clientWidth)(document.querySelector('#controls select'))")


@pytest.mark.parametrize("screen", ["phone"])
@pytest.mark.parametrize("name", panel_names())
def test_a_picture_and_its_slider_share_a_screen_and_all_plots_a_scale(name, visit):
    page = visit(f"panels/{name}.html")
    slider = page.locator("#first").bounding_box()
    assert slider["height"] > 0 and slider["y"] + slider["height"] <= SCREENS["phone"][1]
    scales = page.evaluate(SCALES)
    assert max(scales) - min(scales) < 0.01


@pytest.mark.parametrize("screen", ["phone", "desk"])
@pytest.mark.parametrize("name", course_site.TOPICS if ALL else ["Slide"])
def test_a_small_picture_moves_when_it_is_touched(name, screen, visit):
    page = visit(f"topics/{name}.html")
    at_rest = page.evaluate("[player.film.at, player.film.last]")
    assert at_rest[0] > 0
    page.locator("#picture").tap() if screen == "phone" else page.locator("#picture").click()
    page.wait_for_function("player.playing && player.film.at % 1 > 0 && player.film.at < player.film.last")
    assert page.locator("#picture canvas").bounding_box() == page.locator("#picture svg").bounding_box()


@pytest.mark.parametrize("screen", ["desk"])
@pytest.mark.parametrize("name", panel_names())
def test_the_address_is_the_state(name, visit):
    page = visit(f"panels/{name}.html", served=True)
    *_, last = page.locator("[data-scene]").all()
    first = page.evaluate(SHOWN)
    last.click()
    second = page.evaluate(SHOWN)
    assert second["state"] != first["state"] or page.locator("[data-scene]").count() == 1
    page.go_back()
    page.wait_for_function(f"player.state.join('.') === '{first['state']}'")
    page.go_forward()
    page.wait_for_function(f"player.state.join('.') === '{second['state']}'")
    again = visit(f"panels/{name}.html{second['hash']}")
    assert again.evaluate(SHOWN) == second


@pytest.mark.skipif(ALL, reason="one panel is enough")
@pytest.mark.parametrize("screen", ["hall"])
def test_a_film_moves_between_its_moments_and_every_slider_keeps_its_place(visit):
    page = visit("panels/Slide.html")
    page.get_by_role("button", name="1×").click()
    page.get_by_role("button", name="▶ Play").click()
    seen = page.evaluate("""async () => {
        const seen = [];
        while (player.playing) {
            seen.push(Number(document.querySelector('#picture canvas').dataset.moment));
            await new Promise(requestAnimationFrame);
        }
        return seen;
    }""")
    assert sum(0 < at % 1 for at in seen) > 15 and seen == sorted(seen)
    assert page.locator("#sentence").inner_text() == "The dot is at 10."
    page.locator("[data-control=height]").press("ArrowRight")
    assert page.evaluate("player.state.join()") == "10,3" and not page.locator("#note").inner_text()
    (dot,) = page.evaluate("player.film.views")[0]["layers"]
    assert dot["y"][10] == pytest.approx(0.25)


@pytest.mark.skipif(ALL, reason="one panel is enough")
@pytest.mark.parametrize("screen", ["hall"])
@pytest.mark.parametrize("name", ["Calm", "Slide"])
def test_play_ends_at_the_last_setting_and_fills_no_history(name, visit):
    page = visit(f"panels/{name}.html")
    before = page.evaluate("history.length")
    for _ in range(2):
        page.get_by_role("button", name="▶ Play").click()
        page.get_by_role("button", name="▶ Play").wait_for(timeout=5000)
        assert page.evaluate("player.state[0] === player.panel.controls[0].values.length - 1")
    assert page.evaluate("history.length") == before


@pytest.mark.parametrize("screen", ["hall"])
@pytest.mark.parametrize("name", panel_names())
def test_a_lecture_a_print_and_a_key(name, visit):
    page = visit(f"panels/{name}.html")
    page.keyboard.press("2")
    assert page.evaluate("player.state.join()") == page.evaluate("player.scenes[1][1].join()")
    page.keyboard.press("n")
    assert page.locator("#numbers").is_hidden()
    page.keyboard.press("n")
    page.locator("#lecture").click()
    page.wait_for_selector("body.lecture")
    picture = page.locator("#picture").bounding_box()
    assert picture["width"] > 0.8 * 1024 or picture["height"] > 0.6 * 768
    page.locator("#lecture").click()
    page.wait_for_selector("body:not(.lecture)")
    page.emulate_media(media="print")
    page.wait_for_function("document.querySelectorAll('#print section').length > 0")
    printed = page.locator("#print .sentence").all_inner_texts()
    frames = page.evaluate("player.panel")
    assert printed == [frames["sentences"][frames["frames"][key][0]] for key in frames["scenes"].values()]
    page.emulate_media(media="screen")
    assert not ALL or page.evaluate(KEY_TO_PICTURE) < 30


@pytest.mark.parametrize("screen", TO_READ_ON)
@pytest.mark.parametrize("served", [False, True] if ALL else [False])
@pytest.mark.parametrize("lesson", lesson_names())
def test_a_lesson_is_read_without_python(lesson, served, visit):
    page = visit(f"lessons/{lesson}.html", served)
    page.wait_for_function("window.MathJax?.startup?.promise")
    page.evaluate("MathJax.startup.promise")
    assert "\\(" not in page.locator("article").inner_text()
    page.wait_for_function(INSIDE)
    assert page.locator("mjx-container").count() > 0 and page.locator("mjx-merror").count() == 0
    answers = page.locator("details", has=page.locator("summary", has_text="Answer"))
    assert answers.count() > 0 and not page.locator("details[open]").count()
    assert page.locator("details.solution").count() in (2, 3)
    frame = page.locator("iframe.panel").first
    for fold in page.locator("details:has(iframe.panel) > summary").all():
        fold.click()
    frame.scroll_into_view_if_needed()
    inside = frame.content_frame
    inside.locator("html[data-ready]").wait_for()
    before = inside.locator("#picture").inner_html()
    inside.locator("[data-scene]").last.click()
    assert inside.locator("#picture").inner_html() != before
    page.wait_for_function("frame => frame.style.height !== ''", arg=frame.element_handle())
    assert page.evaluate(OVERFLOW) <= 0
    assert page.locator("details summary").count() > 5 and not page.locator("summary[aria-label]").count()
    page.emulate_media(media="print")
    assert page.evaluate(CUT_OFF) == 0 and page.locator(".skip-to-content").is_hidden()


@pytest.mark.parametrize("screen", ["phone", "hall"])
def test_the_first_page_says_what_it_is_and_moves(screen, visit):
    page = visit("index.html")
    for tag in ("name=description", "name=author", "property='og:image'"):
        assert len(page.locator(f"meta[{tag}]").get_attribute("content")) > 10
    assert page.locator("link[rel='shortcut icon']").count() == 1
    picture, doors = page.locator("figure.first img"), page.locator("a.door").all()
    assert page.evaluate("document.querySelector('figure.first img').complete") and len(doors) == 2
    assert all(door.bounding_box()["y"] + door.bounding_box()["height"] <= SCREENS[screen][1] for door in doors)
    page.locator("figure.first button").click()
    assert picture.get_attribute("src").endswith(".png")
    page.locator("figure.first button").click()
    assert picture.get_attribute("src").endswith(".webp")


@pytest.mark.parametrize("screen", ["phone"])
@pytest.mark.parametrize("served", [False, True], ids=["folder", "server"])
def test_the_course_is_searched(visit, served):
    page = visit("search.html?q=partition", served)
    page.locator("#search-results a[href^='lessons/00']").first.wait_for()


@pytest.mark.skipif(not ALL, reason="needs the whole site: make site-test")
@pytest.mark.parametrize("screen", SCREENS)
def test_every_other_page_opens(visit, site, screen):
    for pattern in ("*.html", "reference/*.html", "lessons/solutions/*.html"):
        for path in sorted(site.glob(pattern)):
            visit(str(path.relative_to(site))).close()


@pytest.mark.skipif(not ALL, reason="needs the whole site: make site-test")
def test_every_link_leads_somewhere(site):
    pages = {path: path.read_text("utf-8") for path in site.rglob("*.html")}
    names = {path: {unescape(name) for name in re.findall(r' id="([^"]+)"', text)} for path, text in pages.items()}
    dead = set()
    for path, text in pages.items():
        for link in map(unescape, re.findall(r'<a [^>]*?href="([^"]+)"', text)):
            address, _, name = link.partition("#")
            to = (path.parent / address).resolve() if address else path
            named = name and to.parent.name != "panels"  # whose addresses hold a state
            if not urlsplit(link).scheme and (not to.exists() or (named and unquote(name) not in names.get(to, ()))):
                dead.add(f"{path.relative_to(site)}: {link}")
    assert not dead


@pytest.mark.skipif(not ALL, reason="needs the whole site: make site-test")
def test_sizes(site):
    pages = {path.name: path.stat().st_size / 1e6 for path in site.glob("panels/*.html")}
    assert max(pages.values()) <= 4, pages
    assert sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) / 1e6 <= 80
