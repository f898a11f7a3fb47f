"""What a lesson prints of an algorithm fits on a screen, and holds no name that the paper's box does not need."""

import json
import re
from pathlib import Path

import pytest

import anneal_edu as ae
from anneal_edu.validation import require_generator

NOTEBOOKS = sorted(Path(__file__).parents[2].glob("notebooks/*.ipynb"))
PLUMBING = re.compile(r"\b(rows|watch|workers|careful|require\w*|in_blocks|blocks)\b")


def printed(notebook):
    """Every function or class that a cell of a notebook prints by show_source."""
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code" and "show_source" in "".join(cell["source"]):
            for output in cell["outputs"]:
                yield from "".join(output["text"]).strip("\n").split("\n\n")


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda file: file.stem)
def test_what_is_printed_fits_on_a_screen(notebook):
    for source in printed(notebook):
        assert len(source.splitlines()) <= 25 and not PLUMBING.search(source), source


def test_no_notebook_cuts_source_by_hand():
    for notebook in NOTEBOOKS:
        assert "getsource" not in notebook.read_text(encoding="utf-8"), notebook.name


def test_docstrings_annotations_and_checks_go_and_comments_stay(capsys):
    ae.show_source(Printed, Printed.half)
    assert capsys.readouterr().out == (
        "class Printed:\n    def half(self, n, *, of=1):\n        # why\n        return n / 2 * of\n\n"
        "def half(self, n, *, of=1):\n    # why\n    return n / 2 * of\n"
    )


class Printed:
    """Words."""

    def half(self, n: int, *, of: float = 1) -> float:
        """More words."""

        require_generator(n)
        # why
        return n / 2 * of
