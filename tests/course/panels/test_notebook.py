"""A displayed panel survives strict comparison by nbval."""

import copy
import subprocess
import sys

import nbformat
from nbclient import NotebookClient

CELLS = [
    "from anneal_edu.course.panels import FirstPath, ImportanceSampling, TwoPaths\npanel = TwoPaths()\npanel",
    "panel.beta.value = 0.9",
    "panel",
    "print(panel)",
    "FirstPath(beta=0.4).present()",
    "ImportanceSampling(distance=2.0)",
]


def nbval(path):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--nbval", "--nbval-current-env"]
    return subprocess.run([*command, path.name], cwd=path.parent, capture_output=True, text=True, timeout=300)


def test_displayed_panels_pass_nbval_and_a_wrong_sentence_does_not(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    first = notebook.cells[0].outputs[0]
    assert {"text/plain", "image/png", "application/vnd.jupyter.widget-view+json"} <= first.data.keys()
    assert "alt" in first.metadata["image/png"]
    path = tmp_path / "panels.ipynb"
    wrong = copy.deepcopy(notebook.cells[0])
    wrong.id = "wrong"
    wrong.outputs[0].data["text/plain"] = first.data["text/plain"].replace("72.6 nats", "72.7 nats")
    notebook.cells.append(wrong)
    nbformat.write(notebook, path)
    run = nbval(path)
    assert run.returncode == 1 and f"1 failed, {len(CELLS)} passed" in run.stdout, run.stdout
    assert f"Cell {len(CELLS)}: Cell outputs differ" in run.stdout, run.stdout
