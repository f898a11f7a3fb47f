"""JupyterLab on a free loopback port and a headless Chromium that opens notebooks in it.

    def test_something(open_notebook):
        page = open_notebook(ROOT / "notebooks" / "01_first_steps.ipynb")
        page.run_all()
        assert page.press_slider() < 1000
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
from functools import partial

import pytest

KERNEL_IDLE = "() => jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
RUN_ALL = "() => { jupyterapp.commands.execute('notebook:run-all-cells').then(() => { window.ranAll = true; }); }"
OPEN_LOG = """() => {
    const source = jupyterapp.shell.currentWidget.context.path;
    return jupyterapp.commands.execute('logconsole:open', {source, activate: false});
}"""
COMPLAINTS = (
    "[data-mime-type='application/vnd.jupyter.stderr'], [data-mime-type='application/vnd.jupyter.error'], "
    ".jupyter-widgets-error-widget"  # the view of a widget could not be made
)
TIME_PICTURE = """(picture, limit) => {
    let pressed = null;
    document.addEventListener('keydown', () => { pressed = performance.now(); }, {capture: true, once: true});
    window.latency = new Promise(resolve => {
        picture.addEventListener('load', () => resolve(performance.now() - pressed), {once: true});
        setTimeout(() => resolve(null), limit);
    });
}"""
START_LIMIT_S = 60
RUN_LIMIT_MS = 120_000
CHANGE_LIMIT_MS = 10_000
MESSAGE_MS = 100  # from a key press until the kernel is said to be busy
LATE_TRACEBACK_MS = 700  # the traceback of a callback arrives after the picture


class NotebookPage:
    """An open notebook, driven as a reader would."""

    def __init__(self, page):
        self.page = page
        self.page.set_default_timeout(CHANGE_LIMIT_MS)
        self.page.wait_for_function("() => window.jupyterapp", timeout=START_LIMIT_S * 1000)
        self.page.wait_for_function(KERNEL_IDLE, timeout=START_LIMIT_S * 1000)
        self.page.evaluate(OPEN_LOG)  # where JupyterLab puts what a callback raises

    def run_all(self):
        self.page.evaluate(RUN_ALL)
        self.page.wait_for_function("() => window.ranAll", timeout=RUN_LIMIT_MS)
        self.wait_until_idle()

    def folded(self):
        """What stands in place of outputs that are folded, from the top of the notebook; a click unfolds one."""
        return self.page.locator(".jp-OutputPlaceholder")

    def unfold(self):
        """Click on every folded output."""
        while self.folded().count():
            self.folded().first.click()

    def wait_until_idle(self):
        self.page.wait_for_timeout(MESSAGE_MS)
        self.page.wait_for_function(KERNEL_IDLE, timeout=RUN_LIMIT_MS)

    def slider(self, number):
        """The handle of a slider, counted from the top of the notebook."""
        return self.page.locator(".noUi-handle").nth(number)

    def press_slider(self, number=0, key="ArrowRight"):
        """Press a key on a slider; return the milliseconds until its panel shows another picture."""
        handle = self.slider(number)
        handle.focus()
        picture = around(handle, "jp-OutputArea-output").locator("img.widget-image").first
        before = picture.get_attribute("src")
        picture.evaluate(TIME_PICTURE, CHANGE_LIMIT_MS)
        handle.press(key)
        latency = self.page.evaluate("() => window.latency")
        assert latency is not None, f"the picture did not change within {CHANGE_LIMIT_MS} ms of the key press"
        assert picture.get_attribute("src") != before
        return latency

    def panels(self):
        """The output areas that hold a panel, from the top of the notebook."""
        return self.page.locator(".jp-OutputArea-output:has(img.widget-image)").all()

    def picture(self, panel):
        return panel.locator("img.widget-image").first.get_attribute("src")

    def controls(self, panel):
        """For every control of a panel, a function that moves it: sliders to both ends, seeds up, all buttons."""
        handles, ends = panel.locator(".noUi-handle").all(), ("Home", "End")
        moves = [partial(handle.press, key) for handle in handles for key in ends]
        moves += [partial(box.press, "ArrowUp") for box in panel.locator("input[type=number]").all()]
        return moves + [button.click for button in panel.locator("button:enabled").all()]

    def readout(self, number=0):
        return around(self.slider(number), "widget-inline-hbox").locator(".widget-readout").inner_text()

    def complaints(self):
        """Everything that a cell or a callback wrote to stderr or raised, and every widget that could not be shown."""
        self.page.wait_for_timeout(LATE_TRACEBACK_MS)
        return self.page.locator(COMPLAINTS).all_inner_texts()


def around(locator, css_class):
    """The nearest element of that class that contains the given one."""
    return locator.locator(f"xpath=ancestor::*[contains(@class, '{css_class}')][1]")


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
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")


def lab_environment(folder):
    """Every folder where Jupyter reads or leaves something, so that the reader's own are neither used nor touched."""
    names = [
        "JUPYTER_CONFIG_DIR",
        "JUPYTER_DATA_DIR",
        "JUPYTER_RUNTIME_DIR",
        "JUPYTERLAB_SETTINGS_DIR",
        "JUPYTERLAB_WORKSPACES_DIR",
        "IPYTHONDIR",
        "MPLCONFIGDIR",
    ]
    settings = {name: folder / name.lower() for name in names}
    news = settings["JUPYTER_CONFIG_DIR"] / "labconfig" / "page_config.json"
    news.parent.mkdir(parents=True)
    news.write_text(json.dumps({"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}))
    tracker = settings["JUPYTERLAB_SETTINGS_DIR"] / "@jupyterlab/notebook-extension/tracker.jupyterlab-settings"
    tracker.parent.mkdir(parents=True)
    tracker.write_text(json.dumps({"windowingMode": "none"}))  # keep cells that are out of sight in the page
    return os.environ | {name: str(path) for name, path in settings.items()}


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """Serve an empty folder; yield (folder, url, token)."""
    folder = tmp_path_factory.mktemp("lab")
    root, log = folder / "notebooks", folder / "server.log"
    root.mkdir()
    port, token = free_port(), secrets.token_hex(16)
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}",
        "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}", "--expose-app-in-browser",
        "--LabApp.extension_manager=readonly", f"--ServerApp.root_dir={root}",
    ]  # fmt: skip
    with log.open("w") as output:
        server = subprocess.Popen(command, env=lab_environment(folder), stdout=output, stderr=subprocess.STDOUT)
        try:
            url = f"http://127.0.0.1:{port}"
            wait_until_up(url, server, log)
            yield root, url, token
        finally:
            server.terminate()
            try:
                server.wait(timeout=15)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


@pytest.fixture(scope="session")
def chromium():
    names = ("chromium", "chromium-browser", "google-chrome")
    executable = next(filter(None, map(shutil.which, names)), None)
    if executable is None:
        pytest.skip("Chromium is not installed, so no notebook was driven in a browser")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is missing: pip install .[browser]")
    with playwright.sync_playwright() as driver:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = driver.chromium.launch(executable_path=executable, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def open_notebook(chromium, lab):
    """A function that opens a copy of the notebook at a path and returns its page."""
    root, url, token = lab
    contexts = []

    def open_notebook(path):
        shutil.copy(path, root)
        contexts.append(chromium.new_context(viewport={"width": 1400, "height": 1000}))
        page = contexts[-1].new_page()
        page.goto(f"{url}/lab/tree/{path.name}?reset&token={token}")
        return NotebookPage(page)

    yield open_notebook
    for context in contexts:
        context.close()
