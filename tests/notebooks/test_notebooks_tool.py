"""Executing and normalising: the same bytes twice, and no harm done when a cell fails."""

from copy import deepcopy

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import notebooks

PANEL = """
from ipywidgets import IntSlider, VBox
class Panel(VBox):
    def _repr_mimebundle_(self, **kwargs):
        data = super()._repr_mimebundle_(**kwargs)
        return data | {"text/plain": "n = 3", "image/png": b"png"}
Panel([IntSlider(3)])
"""
FIGURE = "import matplotlib.pyplot as plt\n_ = plt.plot([0, 1])"


@pytest.fixture
def write(tmp_path):
    def write(*sources):
        cells = [new_markdown_cell("# A test"), *(new_code_cell(source) for source in sources)]
        path = tmp_path / "test.ipynb"
        nbformat.write(new_notebook(cells=cells), path)
        return path

    return write


def test_what_a_run_leaves_and_a_second_one_leaves_alone(write, monkeypatch):
    path = write(PANEL, FIGURE, "import time\nfor i in range(3): print(i, flush=True); time.sleep(0.2)", "1", "1")
    runs = [notebooks.execute(path) for _ in range(2)]
    monkeypatch.setattr(notebooks, "execute", lambda _path: deepcopy(runs[0]))  # a run takes seconds
    assert notebooks.refresh(path)
    leaves_no_trace_of_the_run(nbformat.read(path, as_version=4))
    first, written = path.read_bytes(), path.stat().st_mtime_ns
    monkeypatch.setattr(notebooks, "execute", lambda _path: deepcopy(runs[1]))
    assert not notebooks.refresh(path)
    assert path.read_bytes() == first
    assert path.stat().st_mtime_ns == written


def leaves_no_trace_of_the_run(notebook):
    nbformat.validate(notebook)
    _, panel, *_, one, other = notebook.cells
    assert [cell.execution_count for cell in (panel, one, other)] == [1, 4, 5]
    assert set(panel.outputs[0].data) == {"text/plain", "image/png"}
    assert panel.metadata == {}
    assert "widgets" not in notebook.metadata
    assert "version" not in notebook.metadata.language_info
    assert other.id == f"{one.id}-2"


def test_a_failing_cell_leaves_the_file_alone(write):
    path = write("1", "raise ValueError('the wall')")
    before = path.read_bytes()
    with pytest.raises(RuntimeError, match="the wall"):
        notebooks.refresh(path)
    assert path.read_bytes() == before


def test_a_hanging_notebook_is_given_up(write):
    with pytest.raises(RuntimeError, match=r"not finished after 0\.5 s"):
        notebooks.execute(write("import time; time.sleep(60)"), limit_s=0.5)


def test_printing_is_joined_between_displays():
    kinds = ["stdout", "stdout", "stderr", "display", "stdout"]
    outputs = [
        new_output("display_data") if kind == "display" else new_output("stream", name=kind, text=f"{i}")
        for i, kind in enumerate(kinds)
    ]
    notebook = new_notebook(cells=[new_code_cell("1", outputs=outputs)])
    notebooks.normalise(notebook)
    assert [output.get("text") for output in notebook.cells[0].outputs] == ["01", "2", None, "4"]


def test_tags_survive_other_cell_metadata_does_not():
    cell = new_code_cell("1", metadata={"tags": ["keep"], "execution": {"iopub.status.busy": "2026-01-01"}})
    notebook = new_notebook(cells=[cell])
    notebooks.normalise(notebook)
    assert notebook.cells[0].metadata == {"tags": ["keep"]}


def test_the_claims_are_folded():
    notebook = nbformat.v4.new_notebook(cells=[new_code_cell("assert x < 2", metadata={"tags": ["claims"]})])
    notebooks.normalise(notebook)
    assert notebook.cells[0].metadata["jupyter"] == {"source_hidden": True}
