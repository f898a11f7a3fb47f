"""One JupyterLab and one Chromium for all tests of panels and lessons in a page; `lab_page` is how they are driven.

    def test_something(open_notebook):
        page = open_notebook(ROOT / "notebooks" / "01_first_steps.ipynb")
        page.run_all()
        assert page.panels()[0].press() < 1000
        assert page.complaints() == []
"""

import pytest

import lab_page


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    with lab_page.served(tmp_path_factory.mktemp("lab")) as running:
        yield running


@pytest.fixture(scope="session")
def chromium():
    if lab_page.chromium_path() is None:
        pytest.skip("Chromium is not installed, so no notebook was driven in a browser")
    pytest.importorskip("playwright.sync_api", reason="playwright is missing: pip install .[browser]")
    with lab_page.chromium() as browser:
        yield browser


@pytest.fixture
def open_notebook(chromium, lab):
    """A function that opens a copy of the notebook at a path and returns its page."""
    before = {*chromium.contexts}

    def open_notebook(path, **how):
        return lab_page.opened(chromium, lab, path, **how)

    yield open_notebook
    for context in chromium.contexts:
        if context not in before:
            context.close()
