"""An answer is folded when a lesson is opened, until the reader clicks on it or runs its cell."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

import notebooks


@pytest.fixture
def lesson(tmp_path):
    """A stored notebook with two answers, 42 and 43, of which 43 is said in a sentence, and a cell that is none, 7."""
    says = "from types import SimpleNamespace as Figure\nFigure(caption=print).caption(43)"
    cells = [
        new_code_cell(code, outputs=[new_output("stream", name="stdout", text=f"{n}\n")], execution_count=i)
        for i, (n, code) in enumerate(((42, "print(42)"), (7, "print(7)"), (43, says)), start=1)
    ]
    for answer in (cells[0], cells[-1]):
        answer.metadata["tags"] = [notebooks.ANSWER]
    notebook = new_notebook(cells=cells)
    notebooks.normalise(notebook)
    nbformat.write(notebook, tmp_path / "predict.ipynb")
    return tmp_path / "predict.ipynb"


def shown(page):
    return [text.strip() for text in page.page.locator(".jp-OutputArea-output pre").all_inner_texts() if text.strip()]


def test_an_answer_is_seen_when_the_reader_clicks_on_it_or_runs_it(lesson, open_notebook):
    page = open_notebook(lesson)
    assert shown(page) == ["7"] and page.folded().count() == 2
    assert page.page.locator(".jp-InputPlaceholder").count() == 1
    page.folded().first.click()
    assert shown(page) == ["42", "7"] and page.folded().count() == 1
    page.run_all()
    assert shown(page) == ["42", "7", "43"] and page.folded().count() == 0
