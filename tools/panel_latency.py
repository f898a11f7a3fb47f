"""Print the milliseconds from a key press to the new picture, for every panel that redraws while it is dragged.

    python tools/panel_latency.py                     every such panel, a table
    python tools/panel_latency.py TwoPaths FirstPath  these

Take the numbers on a machine that does nothing else.
"""

import inspect
import sys
import tempfile
from pathlib import Path
from statistics import median

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

import anneal_edu as ae
from anneal_edu.course.panels.controls import is_slider
from lab_page import chromium, opened, served
from notebooks import normalise

PRESSES = 20


def live_slider(panel_type):
    """The index and label of the first slider that redraws while it is dragged, or None."""
    if inspect.isgeneratorfunction(panel_type.draw):
        return None
    sliders = [control for control in (recipe() for recipe in panel_type.controls.values()) if is_slider(control)]
    return next(((i, s.description) for i, s in enumerate(sliders) if s.continuous_update), None)


def live_panels():
    """Name → index and label of the live slider, for every panel that has one."""
    kinds = {name: getattr(ae.panels, name) for name in ae.panels.__all__ if name not in ("Panel", "Readout")}
    return {name: slider for name, kind in kinds.items() if (slider := live_slider(kind))}


def times(panel, number, presses=PRESSES):
    """Milliseconds of each press: up from the lowest value and, at the end, back again."""
    handle = panel.handle(number)
    if handle.get_attribute("aria-valuenow") != handle.get_attribute("aria-valuemin"):
        panel.press("Home", number)
    found, key = [], "ArrowRight"
    for _ in range(presses):
        ends = ("aria-valuemax", "ArrowLeft"), ("aria-valuemin", "ArrowRight")
        for end, turn in ends:
            if handle.get_attribute("aria-valuenow") == handle.get_attribute(end):
                key = turn
        found.append(panel.press(key, number))
    return found


def measured(browser, lab, name, number, presses=PRESSES):
    """The times of one panel, in a notebook and a kernel of its own."""
    path = lab.root / f"{name}.ipynb"
    notebook = new_notebook(cells=[new_code_cell(f"import anneal_edu as ae\nae.panels.{name}()")])
    normalise(notebook)
    nbformat.write(notebook, path)
    page = opened(browser, lab, path)
    page.run_all()
    (panel,) = page.panels()
    found = times(panel, number, presses)
    page.shut_down()
    return found


def main(names, presses=PRESSES):
    """Print a line for each panel."""
    live = live_panels()
    print("| panel | slider | median (ms) | slowest (ms) |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as lab, chromium() as browser:
        for name in names or live:
            number, label = live[name]
            found = measured(browser, lab, name, number, presses)
            print(f"| {name} | {label} | {median(found):.0f} | {max(found):.0f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
