"""The notebooks follow the rules of tools/notebook_guard.py, and each rule finds a planted fault."""

import copy

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from notebook_guard import WIDGET_VIEW, faults
from notebooks import all_notebooks, normalise

NOTEBOOKS = all_notebooks()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_notebook_follows_the_rules(path):
    assert faults(path) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_notebook_is_normalised(path):
    notebook = nbformat.read(path, as_version=4)
    before = copy.deepcopy(notebook)
    normalise(notebook)
    assert notebook == before, "run 'make notebooks' on it"


def test_every_lesson_has_its_solutions():
    lessons, solutions = ({p.name for p in NOTEBOOKS if p.parent.name == room} for room in ("notebooks", "solutions"))
    assert lessons == solutions


# The rules themselves


def printed(text, name="stdout"):
    return new_output("stream", name=name, text=text)


def shown(alt="", **data):
    metadata = {"image/png": {"alt": alt}} if alt else {}
    data = {key.replace("__", "/"): value for key, value in data.items()}
    return new_output("execute_result", data=data, metadata=metadata)


def run(source, *outputs):
    return new_code_cell(source, outputs=list(outputs))


def number_cells(notebook):
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for count, cell in enumerate(code, start=1):
        cell.execution_count = count


def exercise_cells():
    for heading in ("### Exercise 1: the wall (5 minutes)", "### Exercise 2: the door (4 minutes)"):
        yield new_markdown_cell(f"{heading}\n\nTry it.")
        yield run("check.wall(None)", printed("not attempted yet\n"))


def lesson():
    opening = "## What you will learn\n\n* to count\n\nTime: 5 minutes to read, 9 for the exercises. Prerequisites: -"
    cells = [
        new_markdown_cell("# Counting\n\nHow many are there?"),
        new_markdown_cell(opening),
        new_markdown_cell("## Notation\n\nn"),
        new_markdown_cell("## Look\n\nMove it."),
        run("ae.panels.Count()", shown("a panel", text__plain="A tempered walk\n", image__png="iVBO")),
        new_markdown_cell("## The algorithm, once"),
        new_markdown_cell("## The paper's figure beside ours"),
        new_markdown_cell("## Exercises\n\n[Solved](solutions/01_counting.ipynb)."),
        *exercise_cells(),
        new_markdown_cell("## Summary\n\nNext: [adding](02_adding.ipynb)."),
        new_markdown_cell("## References"),
    ]
    notebook = new_notebook(cells=cells)
    number_cells(notebook)
    return notebook


@pytest.fixture
def faults_of(tmp_path):
    """A function that returns the faults of a lesson beside a sound notebook of solutions."""
    (tmp_path / "solutions").mkdir()
    (tmp_path / "02_adding.ipynb").touch()
    solution = new_notebook(cells=[new_markdown_cell("# Counting: solutions"), *exercise_cells()])
    number_cells(solution)
    nbformat.write(solution, tmp_path / "solutions" / "01_counting.ipynb")

    def faults_of(notebook):
        nbformat.write(notebook, tmp_path / "01_counting.ipynb")
        return faults(tmp_path / "01_counting.ipynb")

    return faults_of


def test_a_sound_lesson_passes(faults_of):
    assert faults_of(lesson()) == []


def add(source, *outputs, **cell_fields):
    """A fault that consists of one more code cell, before the exercises."""

    def plant(notebook):
        notebook.cells.insert(5, run(source, *outputs))
        number_cells(notebook)
        notebook.cells[5].update(cell_fields)

    return plant


def replace(old, new):
    """A fault that consists of other words in a cell."""

    def plant(notebook):
        cells = [cell for cell in notebook.cells if old in cell.source]
        assert cells, f"the sound notebook does not contain {old!r}"
        for cell in cells:
            cell.source = cell.source.replace(old, new)

    return plant


def stripped(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, []


def swapped_sections(notebook):
    notebook.cells[-1], notebook.cells[-2] = notebook.cells[-2], notebook.cells[-1]


HTML = shown(text__plain="1", text__html="<b>1</b>")
VIEW = new_output("execute_result", data={"text/plain": "Slider()", WIDGET_VIEW: {"model_id": "3f"}})

PLANTED = {
    "one cell not executed": (add("1", execution_count=None), "cell 5: execution count None instead of 2"),
    "stripped": (stripped, "not run from top to bottom"),
    "html": (add("table", HTML), "text/html output would be compared"),
    "widget view": (add("slider", VIEW), "a widget view is stored"),
    "stderr": (add("exp(1e9)", printed("RuntimeWarning: overflow", name="stderr")), "output on stderr"),
    "home path": (add("f", printed("read /home/ann/data.npz\n")), "path of one machine"),
    "long cell": (add("\n".join(f"x{i} = {i}" for i in range(13))), "13 lines of code, 12 is the limit"),
    "figure without words": (add("fig", shown(text__plain="<Figure>", image__png="iVBO")), "without words"),
    "too few minutes": (replace(" 9 for", " 8 for"), "it does not say: 5 minutes to read, 9 for the exercises"),
    "no way on": (replace("02_adding", "03_adding"), "no link to 02_adding.ipynb"),
    "no way to the solutions": (replace("](solutions/", "](answers/"), "no link to solutions/01_counting.ipynb"),
    "no question": (replace("How many are there?", "A count."), "not a title '# …' and a question"),
    "no summary": (replace("## Summary", "## End"), "'## Summary' is missing"),
    "swapped sections": (swapped_sections, "not in the template's order"),
    "unchecked exercise": (replace("check.wall", "wall"), "no '### Exercise 1' with a code cell that calls its check"),
    "other exercises in the solution": (replace("the wall", "the gate"), "the solutions have the exercises"),
}


@pytest.mark.parametrize("trap", PLANTED)
def test_planted_fault_is_found(trap, faults_of):
    plant, message = PLANTED[trap]
    notebook = lesson()
    plant(notebook)
    assert any(message in fault for fault in faults_of(notebook))


def test_a_notebook_beside_the_lessons_has_a_limit_of_words_outside_its_folds(tmp_path):
    (tmp_path / "deeper").mkdir()
    for n_words, found in ((2000, []), (2001, ["2001 words of text, 2000 is the limit"])):
        text = "word " * n_words + "<details><summary>More</summary> and more </details>"
        nbformat.write(new_notebook(cells=[new_markdown_cell(text)]), tmp_path / "deeper" / "tails.ipynb")
        assert faults(tmp_path / "deeper" / "tails.ipynb") == found


def test_an_ignored_cell_may_hold_html(faults_of):
    notebook = lesson()
    add("table", HTML, metadata={"tags": ["nbval-ignore-output"]})(notebook)
    assert faults_of(notebook) == []
