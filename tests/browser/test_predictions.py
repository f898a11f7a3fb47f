"""What answers a prediction is folded when a lesson is opened, until the reader clicks on it or runs the cell."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

import notebooks


@pytest.fixture
def lesson(tmp_path):
    """A stored notebook with an answer, 42, and a cell that is none, 7."""
    cells = [
        new_code_cell(f"print({n})", outputs=[new_output("stream", name="stdout", text=f"{n}\n")], execution_count=i)
        for i, n in enumerate((42, 7), start=1)
    ]
    cells[0].metadata["tags"] = [notebooks.ANSWER]
    notebook = new_notebook(cells=cells)
    notebooks.normalise(notebook)
    nbformat.write(notebook, tmp_path / "predict.ipynb")
    return tmp_path / "predict.ipynb"


def shown(page):
    return [text.strip() for text in page.page.locator(".jp-OutputArea-output pre").all_inner_texts() if text.strip()]


@pytest.mark.parametrize("ask", ["unfold", "run_all"])
def test_an_answer_is_seen_when_the_reader_asks_for_it(ask, lesson, open_notebook):
    page = open_notebook(lesson)
    assert shown(page) == ["7"] and page.folded().count() == 1
    getattr(page, ask)()
    assert shown(page) == ["42", "7"] and page.folded().count() == 0
