"""The rules for committed notebooks that nbval, ruff and nbformat do not check.

    python tools/notebook_guard.py notebooks/02_paths.ipynb
"""

import math
import re
import sys
from pathlib import Path

import nbformat

MAX_CELL_LINES = 12
MAX_WORDS = {"papers": 3500, "deeper": 2000}  # of a notebook beside the lessons
STABLE_TYPES = {"text/plain", "text/latex", "text/markdown", "image/png"}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
MACHINE_PATH = re.compile(r"(?<![\w.])/(home|root|Users|tmp)/")
WORDS_A_MINUTE, LINES_A_MINUTE, MINUTES_A_PANEL, MINUTES_A_FIGURE = 110, 12, 3, 1
SECTIONS = {  # level-2 headings in their order: pattern -> required
    r"What you will learn": True,
    r"Notation": True,
    r"The algorithm, once": False,
    r"The paper's (figure|table) beside ours": False,
    r"Exercises": True,
    r"Summary": True,
    r"References": True,
}


def faults(path):
    """Return what is wrong with the notebook at `path`, one sentence each."""
    notebook = nbformat.read(path, as_version=4)
    found = [*executed(notebook), *outputs(notebook), *cell_lengths(notebook)]
    if path.parent.name in MAX_WORDS:
        return [*found, *too_many_words(notebook, MAX_WORDS[path.parent.name])]
    found += exercises(notebook)
    if path.parent.name == "solutions":
        return found
    solution = nbformat.read(path.parent / "solutions" / path.name, as_version=4)
    return [*found, *sections(notebook), *links(path, notebook), *same_exercises(notebook, solution), *time(notebook)]


# Reading a notebook


def code_cells(notebook):
    """Yield (a name for messages, cell)."""
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            yield f"cell {index}", cell


def headings(notebook, level):
    lines = [line for c in notebook.cells if c.cell_type == "markdown" for line in c.source.splitlines()]
    return [line[level:].strip() for line in lines if re.match(rf"#{{{level}}} ", line)]


def section(notebook, pattern, level):
    """The cells from the heading that matches up to the next heading of that level or above."""
    cells, inside = [], False
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and re.match(rf"#{{1,{level}}} ", cell.source):
            inside = re.match(rf"#{{{level}}} {pattern}", cell.source) is not None
        if inside:
            cells.append(cell)
    return cells


# Rules for every notebook


def executed(notebook):
    """Every code cell was run once, from top to bottom: nbval compares nothing with a cell that was not."""
    for expected, (name, cell) in enumerate(code_cells(notebook), start=1):
        if cell.execution_count != expected:
            yield f"{name}: execution count {cell.execution_count} instead of {expected}: not run from top to bottom"


def outputs(notebook):
    for name, cell in code_cells(notebook):
        ignored = "nbval-ignore-output" in cell.metadata.get("tags", ())
        for output in cell.outputs:
            data = output.get("data", {})
            text = output.get("text", "") + data.get("text/plain", "")
            if output.get("name") == "stderr":
                yield f"{name}: output on stderr (a warning or a progress bar?): {text.strip()[:60]!r}"
            if MACHINE_PATH.search(text):
                yield f"{name}: a path of one machine in the output"
            if WIDGET_VIEW in data:
                yield f"{name}: a widget view is stored; it needs an image/png beside it, then 'make notebooks'"
            elif unstable := data.keys() - STABLE_TYPES if not ignored else ():
                yield f"{name}: {', '.join(unstable)} output would be compared; show a PNG or plain text"
            if "image/png" in data and not output.metadata.get("image/png", {}).get("alt"):
                yield f"{name}: a figure without words; end the cell with figure.caption(takeaway, picture=…)"


def cell_lengths(notebook):
    for name, cell in code_cells(notebook):
        length = sum(bool(line.strip()) for line in cell.source.splitlines())
        if length > MAX_CELL_LINES:
            yield f"{name}: {length} lines of code, {MAX_CELL_LINES} is the limit"


def words(notebook):
    """The words outside folds and references; a formula is one."""
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    text = re.sub(r"<details>.*?</details>|^## References.*|\]\([^)]*\)", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"\$\$.*?\$\$|\$[^$]*\$|`[^`]*`", "formula", text, flags=re.DOTALL).split()


def too_many_words(notebook, limit):
    if len(words(notebook)) > limit:
        yield f"{len(words(notebook))} words of text, {limit} is the limit"


def exercises(notebook):
    third = any(heading.startswith("Exercise 3") for heading in headings(notebook, 3))
    for number in (1, 2, 3) if third else (1, 2):
        cells = section(notebook, rf"Exercise {number}\b", 3)
        if not any(cell.cell_type == "code" and "check." in cell.source for cell in cells):
            yield f"there is no '### Exercise {number}' with a code cell that calls its check"


# Rules for lessons


def sections(notebook):
    if not re.match(r"# .+\n+[^?]+\?", notebook.cells[0].source):
        yield "the first cell is not a title '# …' and a question"
    found = headings(notebook, 2)
    positions = []
    for pattern, required in SECTIONS.items():
        matches = [i for i, heading in enumerate(found) if re.fullmatch(pattern, heading)]
        if required and not matches:
            yield f"the heading '## {pattern}' is missing"
        positions += matches[:1]
    if positions != sorted(positions):
        yield "the template's headings are not in the template's order"


def links(path, notebook):
    """The exercises lead to their solutions, the summary to the next lesson."""
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    lessons = sorted(file.name for file in path.parent.glob("[0-9]*.ipynb"))
    wanted = [f"solutions/{path.name}", *lessons[lessons.index(path.name) + 1 :][:1]]
    return [f"no link to {to}" for to in wanted if f"]({to})" not in text]


def same_exercises(notebook, solution):
    """The solutions have the same headings."""
    asked, solved = ([h for h in headings(one, 3) if h.startswith("Exercise")] for one in (notebook, solution))
    if asked != solved:
        yield f"the solutions have the exercises {solved}, the lesson has {asked}"


def time(notebook):
    """It says how long it takes: to read, up to a five, and for the exercises, by the minutes in their headings."""
    wanted = f"{reading_minutes(notebook)} minutes to read, {exercise_minutes(notebook)} for the exercises"
    if not any(wanted in cell.source for cell in section(notebook, "What you will learn", 2)):
        yield f"it does not say: {wanted}"


def reading_minutes(notebook):
    code = [cell for _, cell in code_cells(notebook) if "claims" not in cell.metadata.get("tags", ())]
    lines = sum(bool(line.strip()) for cell in code for line in cell.source.splitlines())
    panels = sum("ae.panels." in cell.source for cell in code)
    pictures = sum("image/png" in output.get("data", {}) for cell in code for output in cell.outputs)
    needed = len(words(notebook)) / WORDS_A_MINUTE + lines / LINES_A_MINUTE
    return 5 * math.ceil((needed + MINUTES_A_PANEL * panels + MINUTES_A_FIGURE * max(pictures - panels, 0)) / 5)


def exercise_minutes(notebook):
    return sum(int(n) for h in headings(notebook, 3) for n in re.findall(r"^Exercise .+ \((\d+) minutes\)$", h))


if __name__ == "__main__":
    listed = [f"{name}: {fault}" for name in sys.argv[1:] for fault in faults(Path(name).resolve())]
    print("\n".join(listed) or "no faults")
    sys.exit(bool(listed))
