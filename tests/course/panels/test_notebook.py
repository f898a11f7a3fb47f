"""nbval compares what stands of a panel in a lesson, its sentence too; that lessons pass, `make test` shows."""

import copy
import subprocess
import sys
from pathlib import Path

import nbformat

LESSON = next(Path(__file__).parents[3].glob("notebooks/00_*.ipynb"))


def test_a_wrong_sentence_of_a_stored_panel_does_not_pass_nbval(tmp_path):
    code = [cell for cell in nbformat.read(LESSON, as_version=4).cells if cell.cell_type == "code"]
    panel = next(cell for cell in code if "ae.panels." in cell.source)
    assert "alt" in panel.outputs[0].metadata["image/png"]
    wrong = copy.deepcopy(panel)
    wrong.id, said = "wrong", panel.outputs[0].data["text/plain"]
    wrong.outputs[0].data["text/plain"] = said.replace("log Z", "log f")
    assert wrong.outputs != panel.outputs
    path = tmp_path / "panels.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[panel, wrong]), path)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--nbval", "--nbval-current-env"]
    run = subprocess.run([*command, path.name], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert run.returncode == 1 and "1 failed, 1 passed" in run.stdout, run.stdout
    assert "Cell 1: Cell outputs differ" in run.stdout, run.stdout
