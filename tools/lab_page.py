"""JupyterLab on a free loopback port, and a headless Chromium that opens notebooks in it as a reader would.

    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as lab, chromium() as browser:
        page = opened(browser, lab, ROOT / "notebooks" / "01_first_steps.ipynb")
        page.run_all()
        assert page.panels()[0].press() < 1000
        assert page.complaints() == []
"""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import open_lab

KERNEL = "jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel"
KERNEL_IDLE = f"() => {KERNEL}?.status === 'idle'"
SETTLED = """() => {
    const context = jupyterapp.shell.currentWidget?.context;
    return context?.isReady && context.sessionContext.isReady;
}"""
RUN_ALL = "() => { jupyterapp.commands.execute('notebook:run-all-cells').then(() => { window.ranAll = true; }); }"
OPEN = """([path, live]) => jupyterapp.commands.execute('docmanager:open', {path, factory: 'Notebook',
    kernelPreference: live ? undefined : {shouldStart: false}})"""
OPEN_LOG = """() => {
    const source = jupyterapp.shell.currentWidget.context.path;
    return jupyterapp.commands.execute('logconsole:open', {source, activate: false});
}"""
COMPLAINTS = (
    "[data-mime-type='application/vnd.jupyter.stderr'], [data-mime-type='application/vnd.jupyter.error'], "
    ".jupyter-widgets-error-widget"  # the view of a widget could not be made
)
PICTURE = "img.anneal-edu-picture"
DIGEST = """async picture => {
    const read = async () => {
        await picture.decode();
        return await (await fetch(picture.src)).arrayBuffer();
    };
    let bytes = null;
    for (let tries = 0; bytes === null && tries < 20; tries++) {
        bytes = await read().catch(() => null);  // another picture has just come
        if (bytes === null) await new Promise(resolve => setTimeout(resolve, 50));
    }
    const digest = await crypto.subtle.digest('SHA-256', bytes);
    return Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0')).join('');
}"""
TIME_PICTURE = """(picture, limit) => {
    let pressed = null;
    document.addEventListener('keydown', () => { pressed = performance.now(); }, {capture: true, once: true});
    window.latency = new Promise(resolve => {
        const shown = () => pressed === null || resolve(performance.now() - pressed);
        picture.addEventListener('load', shown, {once: true});
        const film = picture.parentElement.querySelector('canvas'), before = film.dataset.moment;
        const moved = () => film.dataset.moment === before || shown();
        new MutationObserver(moved).observe(film, {attributes: true, attributeFilter: ['data-moment']});
        setTimeout(() => resolve(null), limit);
    });
}"""
FILM_RESTS = "picture => Number.isInteger(Number(picture.parentElement.querySelector('canvas').dataset.moment ?? 0))"
START_LIMIT_S = 60
RUN_LIMIT_MS = 120_000
CHANGE_LIMIT_MS = 10_000
MESSAGE_MS = 100  # from a key press until the kernel is said to be busy
LATE_TRACEBACK_MS = 700  # the traceback of a callback arrives after the picture


class PanelOnPage:
    """One panel in an open notebook."""

    def __init__(self, page, root):
        self.page, self.root = page, root

    def picture(self):
        """A digest of the visible picture."""
        return self.root.locator(PICTURE).evaluate(DIGEST)

    def film(self):
        """What moves over the picture, as it is now."""
        return self.root.locator(".anneal-edu-film").evaluate("film => film.toDataURL()")

    def sentence(self):
        return self.root.locator(".anneal-edu-sentence").inner_text()

    def numbers(self):
        """Label → number, as they stand below the picture."""
        rows = self.root.locator(".anneal-edu-numbers > div").all()
        return dict(row.inner_text().split("\n", 1) for row in rows)

    def overlay(self):
        """The text across the picture; empty if there is none."""
        overlay = self.root.locator(".anneal-edu-overlay")
        return overlay.inner_text() if overlay.is_visible() else ""

    def asleep(self):
        """The sentence that the panel shows if it has no kernel."""
        return self.root.locator(".anneal-edu-asleep").inner_text()

    def button(self, name):
        return self.root.get_by_role("button", name=name, exact=True)

    def handle(self, number=0):
        """The handle of a slider, counted from the left."""
        return self.root.locator(".noUi-handle").nth(number)

    def readouts(self):
        """The text beside each slider."""
        return self.root.locator(".widget-inline-hbox:has(.noUi-handle) .widget-readout").all_inner_texts()

    def press(self, key="ArrowRight", number=0):
        """Press a key on a slider; return the milliseconds until the panel shows another picture, or moment."""
        handle, picture = self.handle(number), self.root.locator(PICTURE)
        handle.focus()
        self.page.wait_for_function(FILM_RESTS, arg=picture.element_handle())
        picture.evaluate(TIME_PICTURE, CHANGE_LIMIT_MS)
        handle.press(key)
        latency = self.page.evaluate("() => window.latency")
        assert latency is not None, f"the picture did not change within {CHANGE_LIMIT_MS} ms of the key press"
        return latency

    def moves(self):
        """For every control, a function that moves it: sliders to both ends, seeds up, all buttons but Lecture."""
        handles, ends = self.root.locator(".noUi-handle").all(), ("Home", "End")
        moves = [partial(handle.press, key) for handle in handles for key in ends]
        moves += [partial(box.press, "ArrowUp") for box in self.root.locator("input[type=number]").all()]
        buttons = [b for b in self.root.locator("button").all() if b.is_visible() and b.is_enabled()]
        return moves + [partial(b.press, "Enter") for b in buttons if not b.inner_text().endswith("Lecture")]


class NotebookPage:
    """An open notebook, driven as a reader would."""

    def __init__(self, page):
        self.page = page
        self.page.set_default_timeout(CHANGE_LIMIT_MS)

    def wait_until_open(self, live=True):
        self.page.wait_for_function(SETTLED, timeout=START_LIMIT_S * 1000)
        if live:
            self.page.wait_for_function(KERNEL_IDLE, timeout=START_LIMIT_S * 1000)
        self.page.evaluate(OPEN_LOG)  # where JupyterLab puts what a callback raises

    def command(self, name):
        """Execute a command of JupyterLab."""
        self.page.evaluate("name => jupyterapp.commands.execute(name)", name)

    def run_all(self):
        self.page.evaluate(RUN_ALL)
        self.page.wait_for_function("() => window.ranAll", timeout=RUN_LIMIT_MS)
        self.wait_until_idle()

    def run_cell(self, number):
        """Run one cell, counted from the top of the notebook."""
        self.page.evaluate("number => { jupyterapp.shell.currentWidget.content.activeCellIndex = number; }", number)
        self.command("notebook:run-cell")
        self.wait_until_idle()

    def save(self):
        self.command("docmanager:save")

    def restart_kernel(self):
        self.page.evaluate(f"() => {KERNEL}.restart()")
        self.wait_until_idle()

    def shut_down(self):
        """Close the page and end its kernel."""
        self.page.evaluate("() => jupyterapp.shell.currentWidget.context.sessionContext.shutdown()")
        self.page.context.close()

    def folded(self):
        """The placeholders of folded outputs, from the top of the notebook; a click unfolds one."""
        return self.page.locator(".jp-OutputPlaceholder")

    def unfold(self):
        """Click on every folded output."""
        while self.folded().count():
            self.folded().first.click()

    def wait_until_idle(self):
        self.page.wait_for_timeout(MESSAGE_MS)
        self.page.wait_for_function(KERNEL_IDLE, timeout=RUN_LIMIT_MS)

    def panels(self):
        """The panels that are seen, from the top of the notebook."""
        roots = self.page.locator(f".jp-OutputArea-output .anneal-edu-panel:has({PICTURE})")
        return [PanelOnPage(self.page, root) for root in roots.all()]

    def complaints(self):
        """Everything that a cell or a callback wrote to stderr or raised, and every widget that could not be shown."""
        self.page.wait_for_timeout(LATE_TRACEBACK_MS)
        return self.page.locator(COMPLAINTS).all_inner_texts()


class Lab(NamedTuple):
    """A running JupyterLab: the folder that it serves, its address and its token."""

    root: Path
    url: str
    token: str


def opened(browser, lab, path, live=True, **view):
    """Open a copy of a notebook (or the copy that is there) and return its page; ``live``: with a kernel."""
    if not (lab.root / path.name).exists():
        shutil.copy(path, lab.root)
    context = browser.new_context(**({"viewport": {"width": 1400, "height": 1000}} | view))
    page = context.new_page()
    page.goto(f"{lab.url}/lab?reset&token={lab.token}")
    page.wait_for_function("() => window.jupyterapp", timeout=START_LIMIT_S * 1000)
    page.evaluate("() => jupyterapp.restored")
    page.evaluate(OPEN, [path.name, live])
    notebook = NotebookPage(page)
    notebook.wait_until_open(live)
    return notebook


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_up(url, server, log):
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(f"{url}/api", timeout=2).close()
            return
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.2)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")


def environment(folder):
    """The environment of `make lab`, with all folders of Jupyter inside ``folder``."""
    names = [
        "JUPYTER_CONFIG_DIR",
        "JUPYTER_DATA_DIR",
        "JUPYTER_RUNTIME_DIR",
        "JUPYTERLAB_SETTINGS_DIR",
        "JUPYTERLAB_WORKSPACES_DIR",
        "IPYTHONDIR",
        "MPLCONFIGDIR",
    ]
    folders = {name: folder / name.lower() for name in names}
    news = folders["JUPYTER_CONFIG_DIR"] / "labconfig" / "page_config.json"
    news.parent.mkdir(parents=True)
    news.write_text(json.dumps({"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}))
    tracker = folders["JUPYTERLAB_SETTINGS_DIR"] / "@jupyterlab/notebook-extension/tracker.jupyterlab-settings"
    tracker.parent.mkdir(parents=True)
    tracker.write_text(json.dumps({"windowingMode": "none"}))  # keep cells that are out of sight in the page
    return open_lab.environment(dict(os.environ)) | {name: str(path) for name, path in folders.items()}


@contextmanager
def served(folder: Path) -> Iterator[Lab]:
    """Start JupyterLab on an empty folder inside ``folder``, and stop it in the end."""
    root, log = folder / "notebooks", folder / "server.log"
    open_lab.hidden(root).mkdir(parents=True)
    port, token = free_port(), secrets.token_hex(16)
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}",
        "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}", "--expose-app-in-browser",
        "--LabApp.extension_manager=readonly", f"--ServerApp.root_dir={root}", open_lab.trusting(root),
    ]  # fmt: skip
    with log.open("w") as output:
        server = subprocess.Popen(command, env=environment(folder), stdout=output, stderr=subprocess.STDOUT)
        try:
            url = f"http://127.0.0.1:{port}"
            wait_until_up(url, server, log)
            yield Lab(root, url, token)
        finally:
            server.terminate()
            try:
                server.wait(timeout=15)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def chromium_path():
    """The path of Chromium, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextmanager
def chromium():
    """A headless Chromium."""
    from playwright.sync_api import sync_playwright

    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium_path(), args=arguments)
        yield browser
        browser.close()
