"""Every notebook against the rules of tools/notebook_guard.py, and every rule against a planted fault."""

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


def test_every_solution_has_a_lesson():
    lessons = {path.name for path in NOTEBOOKS if path.parent.name != "solutions"}
    assert {path.name for path in NOTEBOOKS} == lessons


# --- the rules themselves ---

EXERCISE_TITLES = ["### Exercise 1: the wall", "### Exercise 2", "### Exercise 3"]


def printed(text):
    return new_output("stream", name="stdout", text=text)


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


def exercise_cells(words="Try it."):
    for heading in EXERCISE_TITLES:
        yield new_markdown_cell(f"{heading}\n\n{words}")
        yield run("check.wall(None)", printed("not attempted yet\n"))


def lesson():
    opening = "## What you will learn\n\n* to count\n\n20 minutes. Prerequisites: none."
    cells = [
        new_markdown_cell("# Counting\n\nHow many are there?"),
        new_markdown_cell(opening),
        new_markdown_cell("## Notation\n\nn"),
        new_markdown_cell("## Look\n\nMove it."),
        run("panel = ae.panels.Count()\npanel", shown("a panel", text__plain="A tempered walk\n", image__png="iVBO")),
        run("print(1 + 2)", printed("What came out:\n3\n")),
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


def solution():
    notebook = new_notebook(cells=[new_markdown_cell("# Counting: solutions"), *exercise_cells("Thus.")])
    number_cells(notebook)
    return notebook


@pytest.fixture
def write_pair(tmp_path):
    """Write a lesson and its solution; return their paths."""
    (tmp_path / "solutions").mkdir()
    (tmp_path / "02_adding.ipynb").touch()
    paths = tmp_path / "01_counting.ipynb", tmp_path / "solutions" / "01_counting.ipynb"

    def write(lesson_notebook, solution_notebook):
        for path, notebook in zip(paths, (lesson_notebook, solution_notebook), strict=True):
            nbformat.write(notebook, path)
        return paths

    return write


def test_a_good_pair_passes(write_pair):
    lesson_path, solution_path = write_pair(lesson(), solution())
    assert faults(lesson_path) == []
    assert faults(solution_path) == []


def add(source, *outputs, **cell_fields):
    """A fault that consists of one more code cell, before the exercises."""

    def plant(notebook):
        notebook.cells.insert(6, run(source, *outputs))
        number_cells(notebook)
        notebook.cells[6].update(cell_fields)

    return plant


def replace(old, new):
    """A fault that consists of other words in a Markdown cell."""

    def plant(notebook):
        cells = [cell for cell in notebook.cells if cell.cell_type == "markdown" and old in cell.source]
        assert cells, f"the good notebook does not contain {old!r}"
        for cell in cells:
            cell.source = cell.source.replace(old, new)

    return plant


def out_of_order(notebook):
    notebook.cells[4].execution_count, notebook.cells[5].execution_count = 2, 1


def stripped(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, []


def widgets_saved(notebook):
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {}}


def nothing_compared(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source = f"# NBVAL_IGNORE_OUTPUT\n{cell.source}"


def panel_without_picture(notebook):
    del notebook.cells[4].outputs[0].data["image/png"]


def unchecked_exercise(notebook):
    notebook.cells[10].source = "wall = None"


def swapped_sections(notebook):
    notebook.cells[-1], notebook.cells[-2] = notebook.cells[-2], notebook.cells[-1]


def predicted(notebook):
    notebook.cells[3].source = "## Look\n\n**Predict.** What will it be?"


def long_table(notebook):
    rows = "\n".join(f"| {i} | {i} | {i} |" for i in range(9))
    notebook.cells.insert(6, new_markdown_cell(f"## Adding\n\n| a | b | c |\n|---|---|---|\n{rows}\n"))


def long_print(notebook):
    notebook.cells.insert(6, new_markdown_cell("## Adding"))
    notebook.cells.insert(7, run("table", printed("a  b  c\n" + "1  -2.5  3,000\n" * 9)))
    number_cells(notebook)


STDERR = new_output("stream", name="stderr", text="RuntimeWarning: overflow")
ERROR = new_output("error", ename="ValueError", evalue="no", traceback=["no"])
SVG = shown(text__plain="<Figure>", **{"image__svg+xml": "<svg/>"})
VIEW = new_output("execute_result", data={"text/plain": "Slider()", WIDGET_VIEW: {"model_id": "3f"}})

PLANTED = {
    "marker after code": (add("1 + 1  # NBVAL_IGNORE_OUTPUT"), "counts only alone on its comment line"),
    "marker with words": (add("# NBVAL_IGNORE_OUTPUT: noisy\n1"), "counts only alone on its comment line"),
    "other marker": (add("# NBVAL_SKIP\n1 / 0"), "the only marker in use, found '# NBVAL_SKIP'"),
    "tag": (add("1", metadata={"tags": ["nbval-ignore-output"]}), "tag 'nbval-ignore-output'"),
    "error allowed": (add("1", metadata={"tags": ["raises-exception"]}), "tag 'raises-exception'"),
    "one cell not executed": (add("1", execution_count=None), "cell 6: not executed"),
    "stripped": (stripped, "not executed"),
    "out of order": (out_of_order, "execution count 2 instead of 1"),
    "empty cell": (add(" "), "empty code cell"),
    "magic": (add("%timeit 1"), "not plain Python"),
    "help": (add("ae.ais??"), "not plain Python"),
    "inner module": (add("import anneal_edu.course.figures"), "imports anneal_edu.course.figures"),
    "inner name": (add("from anneal_edu.annealing.ais import annealing_step"), "imports anneal_edu.annealing.ais"),
    "name of the library": (add("from anneal_edu import ais"), "imports anneal_edu;"),
    "another package": (add("def plot():\n    import matplotlib.pyplot as plt"), "imports matplotlib.pyplot"),
    "semicolon": (add("ax.plot(x);"), "trailing ';'"),
    "semicolon and comment": (add("ax.plot(x);  # quiet\n\n"), "trailing ';'"),
    "clear_output": (add("from IPython.display import clear_output"), "does not follow clear_output"),
    "updated display": (add("display(1, display_id='a')"), "does not follow display_id"),
    "html": (add("table", shown(text__plain="1", text__html="<b>1</b>")), "text/html output would be compared"),
    "svg": (add("figure", SVG), "image/svg+xml output would be compared"),
    "widget view": (add("slider", VIEW), "a widget view is stored"),
    "error": (add("raise ValueError", ERROR), "stored error output ValueError"),
    "stderr": (add("exp(1e9)", STDERR), "output on stderr"),
    "widget state": (widgets_saved, "widget state is saved"),
    "address": (add("f", shown(text__plain="<function f at 0x7fe3c0d1e2a0>")), "memory address"),
    "home path": (add("f", printed("read /home/ann/data.npz\n")), "path of one machine"),
    "nothing compared": (nothing_compared, "no text output is compared"),
    "long cell": (add("\n".join(f"x{i} = {i}" for i in range(13))), "13 lines of code, 12 is the limit"),
    "panel without picture": (panel_without_picture, "left no image/png"),
    "figure without words": (add("fig", shown(text__plain="<Figure>", image__png="iVBO")), "without words"),
    "figure without alt text": (add("fig", shown(text__plain="It is 3.", image__png="iVBO")), "without words"),
    "first line in sight": (add("n", printed("n is 3\n"), metadata={"tags": ["answer"]}), "its first line is seen"),
    "picture told in sight": (
        add("fig", shown("It is 3.", text__plain="It is 3.", image__png="iVBO"), metadata={"tags": ["answer"]}),
        "its first line is seen",
    ),
    "told in sight": (replace("Move it.", "**What you saw.** It moves."), "it tells in the open what the reader saw"),
    "answer in sight": (predicted, "cell 4: it answers a prediction"),
    "long table": (long_table, "cell 6: a table of 9 rows"),
    "long printed table": (long_print, "cell 7: a table of 9 rows"),
    "too few minutes": (replace("20 minutes", "15 minutes"), "it says 15 minutes and takes 20"),
    "more to read": (replace("Move it.", "Move it. " * 1000), "it says 20 minutes and takes"),
    "no way on": (replace("02_adding", "03_adding"), "no link to 02_adding.ipynb"),
    "a way to a folder": (replace("Move it.", "Move it. See [more](../docs)."), "a link to ../docs, which is no file"),
    "no way to the solutions": (replace("](solutions/", "](answers/"), "no link to solutions/01_counting.ipynb"),
    "panel shown at once": (add("ae.panels.Count()", shown(text__plain="n = 3")), "left no image/png"),
    "closed panel": (add("panel.close()"), "a closed panel is gone"),
    "no title": (replace("# Counting", "Counting"), "begins with '# '"),
    "no question": (replace("How many are there?", "A count."), "asks no question"),
    "no objectives": (replace("## What you will learn", "## Goals"), "'## What you will learn' is missing"),
    "no minutes": (replace("20 minutes", "A while"), "how many minutes"),
    "no prerequisites": (replace("Prerequisites: none", "For all"), "Prerequisites"),
    "no notation": (replace("## Notation", "## Symbols"), "'## Notation' is missing"),
    "no exercises": (replace("## Exercises", "## More"), "'## Exercises' is missing"),
    "no summary": (replace("## Summary", "## End"), "'## Summary' is missing"),
    "no references": (replace("## References", "## Books"), "'## References' is missing"),
    "swapped sections": (swapped_sections, "not in the template's order"),
    "two exercises": (replace("### Exercise 3", "### Task 3"), "'### Exercise 3' is missing"),
    "unchecked exercise": (unchecked_exercise, "'### Exercise 1' has no code cell"),
    "other exercises in the solution": (replace("the wall", "the door"), "has the exercises"),
}


@pytest.mark.parametrize("trap", PLANTED)
def test_planted_fault_is_found(trap, write_pair):
    plant, message = PLANTED[trap]
    notebook = lesson()
    plant(notebook)
    lesson_path, _ = write_pair(notebook, solution())
    assert any(message in fault for fault in faults(lesson_path))


def test_a_task_that_stands_twice_is_found(write_pair):
    """However its lines are broken: of two copies one grows old."""
    notebook, solved = lesson(), solution()
    for cell in notebook.cells:
        cell.source = cell.source.replace("Try it.", "Try it,\nand again.")
    for cell in solved.cells:
        cell.source = cell.source.replace("Thus.", "Try\nit, and again.\n\nThus.")
    found = faults(write_pair(notebook, solved)[0])
    assert len(found) == 3 and all("repeats the task" in fault and "'Try it, and" in fault for fault in found)


def test_an_exercise_takes_longer_the_more_lines_its_solution_has(write_pair):
    """Three of nine lines, beside a comment and the call of the check: 27 minutes more than five each."""
    solved = solution()
    for cell in solved.cells:
        if cell.cell_type == "code":
            cell.source = "\n".join(["# so", *(f"x{i} = {i}" for i in range(9)), "", cell.source])
    assert faults(write_pair(lesson(), solved)[0]) == ["it says 20 minutes and takes 45"]


def test_missing_solution_is_found(write_pair):
    lesson_path, solution_path = write_pair(lesson(), solution())
    solution_path.unlink()
    assert faults(lesson_path) == ["solutions/01_counting.ipynb is missing"]


@pytest.mark.parametrize(
    "plant, message", [(stripped, "not executed"), (replace("# Counting", "Counting"), "begins with '# '")]
)
def test_planted_fault_in_a_solution_is_found(plant, message, write_pair):
    notebook = solution()
    plant(notebook)
    _, solution_path = write_pair(lesson(), notebook)
    assert any(message in fault for fault in faults(solution_path))


@pytest.mark.parametrize(
    "plant",
    [
        lambda n: (predicted(n), [cell.metadata.update(tags=["answer"]) for cell in n.cells[4:6]]),
        lambda n: (long_table(n), n.cells.insert(6, n.cells.pop(4))),
    ],
    ids=["a folded answer", "a long table beside a picture"],
)
def test_what_follows_the_rules_passes(plant, write_pair):
    notebook = lesson()
    plant(notebook)
    number_cells(notebook)
    assert faults(write_pair(notebook, solution())[0]) == []


def test_ignored_cells_may_hold_html(write_pair):
    notebook = lesson()
    add("# NBVAL_IGNORE_OUTPUT\ntable", shown(text__plain="1", text__html="<b>1</b>"))(notebook)
    assert faults(write_pair(notebook, solution())[0]) == []
