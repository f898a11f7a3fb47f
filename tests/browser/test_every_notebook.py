"""A reader opens every notebook in a real browser, runs it, presses every slider and button: `make drive`."""

import os
from pathlib import Path

import pytest

NOTEBOOKS = sorted(Path(__file__).parents[2].glob("notebooks/*.ipynb"))

pytestmark = pytest.mark.skipif("DRIVE" not in os.environ, reason="takes minutes: make drive")


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_control_works_in_the_page(open_notebook, notebook):
    page = open_notebook(notebook)
    page.run_all()
    page.unfold()
    assert page.complaints() == []

    for panel in page.panels():
        seen = {(panel.picture(), panel.film())}
        for move in panel.moves():
            move()
            page.wait_until_idle()
            assert page.complaints() == []
            seen.add((panel.picture(), panel.film()))
        assert len(seen) > 1
