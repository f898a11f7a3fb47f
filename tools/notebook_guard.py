"""What strict nbval cannot see in a committed notebook, and what the template asks for.

    python tools/notebook_guard.py notebooks/02_paths.ipynb
"""

import ast
import io
import math
import re
import sys
import tokenize
from pathlib import Path

import nbformat

from lesson_pages import PANELS

ROOT = Path(__file__).parents[1]
IGNORE = "NBVAL_IGNORE_OUTPUT"
MAX_CELL_LINES = 12
MAX_ROWS = 8  # of a table that stands without a picture
ANSWER = "answer"  # tag of a cell whose output is folded, because it answers a prediction
HIDE = "hide-input"  # tag of an answer whose code is folded as well, because it gives the answer away
PREDICT = "**Predict"
CAME_OUT = "What came out:\n"
PICTURE = "Picture:\n"
SEEN = r"\*\*What (you saw|came out)"
SAYS = r"""\.caption\(|["'] if .+ else ["']|print\("[^"]{20,}", .+[<>]"""  # code that holds the words of its answer
WORDS_A_MINUTE = 200
MINUTES_A_PREDICTION, MINUTES_A_PANEL, MINUTES_AN_EXERCISE, MINUTES_A_LINE_OF_IT = 1, 2, 5, 1
STABLE_TYPES = {"text/plain", "text/latex", "text/markdown", "image/png"}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
IMPORTS = {"numpy", "anneal_edu", "inspect"}  # all that a notebook needs as a rule
NAMES_FROM = {  # and names of these, where the prose needs them
    "concurrent.futures", "functools", "itertools", "math", "pathlib", "scipy.linalg", "scipy.special", "scipy.stats",
    "sklearn.neural_network", "tempfile", "time", "timeit", "warnings",
}  # fmt: skip
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
    """Return what is wrong with the notebook at `path`, one sentence each; an empty list if nothing is."""
    notebook = nbformat.read(path, as_version=4)
    rules = COMMON_RULES + (SOLUTION_RULES if path.parent.name == "solutions" else LESSON_RULES)
    found = [fault for rule in rules for fault in rule(notebook)]
    if path.parent.name != "solutions":
        found += twin_faults(path, notebook) + linked(path, notebook)
    return found


# --- reading a notebook ---


def code_cells(notebook):
    """Yield (a name for messages, cell)."""
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            yield f"cell {index}", cell


def is_ignored(cell):
    return any(line.strip().lstrip("#").strip() == IGNORE for line in cell.source.splitlines())


def texts(cell):
    """The stored outputs of a cell that are text."""
    for output in cell.outputs:
        if output.output_type == "stream":
            yield output.text
        elif "text/plain" in output.get("data", {}):
            yield output.data["text/plain"]


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


# --- rules for every notebook ---


def markers(notebook):
    for name, cell in code_cells(notebook):
        for line in cell.source.splitlines():
            if IGNORE in line and not re.fullmatch(rf"\s*#+\s*{IGNORE}\s*", line):
                yield f"{name}: {IGNORE} counts only alone on its comment line"
            elif "NBVAL_" in line and IGNORE not in line:
                yield f"{name}: {IGNORE} is the only marker in use, found {line.strip()!r}"
        for tag in cell.metadata.get("tags", []):
            if tag.startswith("nbval") or tag == "raises-exception":
                yield f"{name}: the tag {tag!r} changes what is compared; use a {IGNORE} comment"


def execution_counts(notebook):
    for expected, (name, cell) in enumerate(code_cells(notebook), start=1):
        if not cell.source.strip():
            yield f"{name}: empty code cell"
        if cell.execution_count is None:
            yield f"{name}: not executed, so its output would be compared with nothing"
        elif cell.execution_count != expected:
            yield f"{name}: execution count {cell.execution_count} instead of {expected}: not run top to bottom"


def plain_python(notebook):
    for name, cell in code_cells(notebook):
        try:
            ast.parse(cell.source)
        except SyntaxError:
            yield f"{name}: not plain Python (magics and ?help leave no output that can be compared)"


def imports(notebook):
    """What a reader has to know beside numpy is `ae`: what a lesson needs of the library has a name there."""
    for name, cell in code_cells(notebook):
        try:
            statements = list(ast.walk(ast.parse(cell.source)))
        except SyntaxError:
            continue
        for node in statements:
            if isinstance(node, ast.Import):
                unknown = [alias.name for alias in node.names if alias.name not in IMPORTS | NAMES_FROM]
            elif isinstance(node, ast.ImportFrom):
                unknown = [] if node.module in NAMES_FROM else [node.module]
            else:
                continue
            for module in unknown:
                yield f"{name}: imports {module}; what a notebook needs of the library stands under ae"


def semicolons(notebook):
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER, tokenize.DEDENT}
    for name, cell in code_cells(notebook):
        try:
            tokens = list(tokenize.generate_tokens(io.StringIO(cell.source).readline))
        except (tokenize.TokenError, SyntaxError):
            continue
        code = [token.string for token in tokens if token.type not in skipped]
        if code and code[-1] == ";":
            yield f"{name}: a trailing ';' does not silence a cell under nbval; write '_ = …'"


def live_displays(notebook):
    for name, cell in code_cells(notebook):
        for word in ("clear_output", "update_display", "display_id"):
            if word in cell.source:
                yield f"{name}: nbval does not follow {word}"


def unstable_types(notebook):
    for name, cell in code_cells(notebook):
        for output in cell.outputs:
            types = set(output.get("data", {}))
            if WIDGET_VIEW in types:
                yield f"{name}: a widget view is stored; it needs an image/png beside it, then 'make notebooks'"
            elif not is_ignored(cell):
                for kind in sorted(types - STABLE_TYPES):
                    yield f"{name}: {kind} output would be compared; show a PNG or plain text"


def complaints(notebook):
    for name, cell in code_cells(notebook):
        for output in cell.outputs:
            if output.output_type == "error":
                yield f"{name}: stored error output {output.ename}"
            elif output.output_type == "stream" and output.name == "stderr":
                yield f"{name}: output on stderr (a warning or a progress bar?): {output.text.strip()[:60]!r}"


def widget_state(notebook):
    if "widgets" in notebook.metadata:
        yield "widget state is saved in the metadata; run 'make notebooks'"


def machine_traces(notebook):
    for name, cell in code_cells(notebook):
        for text in texts(cell):
            if re.search(r"\b0x[0-9a-f]{6,}", text):
                yield f"{name}: a memory address in the output differs in every run"
            if str(ROOT) in text or re.search(r"(?<![\w.])/(home|root|Users|tmp)/", text):
                yield f"{name}: a path of one machine in the output"


def something_compared(notebook):
    compared = [cell for _, cell in code_cells(notebook) if not is_ignored(cell)]
    if not any(text.strip() and not text.startswith("<Figure") for cell in compared for text in texts(cell)):
        yield "no text output is compared: the strict test would pass whatever the code does"


def cell_lengths(notebook):
    for name, cell in code_cells(notebook):
        length = sum(bool(line.strip()) for line in cell.source.splitlines())
        if length > MAX_CELL_LINES:
            yield f"{name}: {length} lines of code, {MAX_CELL_LINES} is the limit"


def panel_pictures(notebook):
    panels = set()
    for name, cell in code_cells(notebook):
        try:
            body = ast.parse(cell.source).body
        except SyntaxError:
            continue
        for statement in body:
            if isinstance(statement, ast.Assign) and makes_panel(statement.value):
                panels |= {target.id for target in statement.targets if isinstance(target, ast.Name)}
        last = body[-1].value if body and isinstance(body[-1], ast.Expr) else None
        shows_panel = makes_panel(last) or (isinstance(last, ast.Name) and last.id in panels)
        if shows_panel and not any("image/png" in output.get("data", {}) for output in cell.outputs):
            yield f"{name}: the panel left no image/png for readers who do not run the notebook"


def closed_panels(notebook):
    for name, cell in code_cells(notebook):
        if ".close()" in cell.source:
            yield f"{name}: a closed panel is gone from the page of a reader who runs all cells"


def makes_panel(node):
    return isinstance(node, ast.Call) and "panels." in ast.unparse(node.func)


def figures_told(notebook):
    """A figure without a sentence shows nothing to who cannot see it, and leaves it open to others what they saw."""
    for name, cell in code_cells(notebook):
        for output in cell.outputs:
            if "image/png" not in output.get("data", {}):
                continue
            alt = output.metadata.get("image/png", {}).get("alt", "")
            if not alt or output.data["text/plain"].startswith("<"):
                yield f"{name}: a figure without words; end the cell with figure.caption(takeaway, picture=…)"


# --- rules for one kind of notebook ---


def title(notebook):
    first = notebook.cells[0]
    if first.cell_type != "markdown" or not first.source.startswith("# "):
        yield "the first cell is not Markdown that begins with '# '"
    elif "?" not in first.source:
        yield "the first cell asks no question ('?')"


def sections(notebook):
    found = headings(notebook, 2)
    positions = []
    for pattern, required in SECTIONS.items():
        matches = [i for i, heading in enumerate(found) if re.fullmatch(pattern, heading)]
        if required and not matches:
            yield f"the heading '## {pattern}' is missing"
        positions += matches[:1]
    if positions != sorted(positions):
        yield "the template's headings are not in the template's order"


def opening(notebook):
    text = "\n".join(cell.source for cell in section(notebook, "What you will learn", 2))
    if not re.search(r"\d+ minutes", text):
        yield "'## What you will learn' does not say how many minutes"
    if "Prerequisites" not in text:
        yield "'## What you will learn' does not name the Prerequisites"


def minutes(notebook, solution):
    """Of reading words and code, predicting, moving panels and solving exercises, up to the next five.

    An exercise takes the longer, the more lines its solution has.
    """
    text = "\n".join(cell.source for cell in notebook.cells)
    needed = len(text.split()) / WORDS_A_MINUTE + MINUTES_A_PREDICTION * text.count(PREDICT)
    needed += MINUTES_A_PANEL * text.count("ae.panels.")
    needed += MINUTES_AN_EXERCISE * sum(heading.startswith("Exercise") for heading in headings(notebook, 3))
    needed += MINUTES_A_LINE_OF_IT * lines_of_exercises(solution)
    return 5 * math.ceil(needed / 5)


def lines_of_exercises(solution):
    """Without comments, and without the calls that check them."""
    cells = [cell for number in (1, 2, 3) for cell in section(solution, rf"Exercise {number}\b", 3)]
    lines = [line.strip() for cell in cells if cell.cell_type == "code" for line in cell.source.splitlines()]
    return sum(bool(line) and not line.startswith("#") and "check." not in line for line in lines)


def honest_time(notebook, solution):
    text = "\n".join(cell.source for cell in section(notebook, "What you will learn", 2))
    said = re.search(r"(\d+) minutes", text)
    if said and int(said[1]) != minutes(notebook, solution):
        yield f"it says {said[1]} minutes and takes {minutes(notebook, solution)}"


def folded_answers(notebook):
    """From a prediction to the next words of the lesson, what is shown is folded."""
    asked = False
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            asked = PREDICT in cell.source
        elif asked and cell.outputs and ANSWER not in cell.metadata.get("tags", []):
            yield f"cell {index}: it answers a prediction that stands right above; tag it '{ANSWER}'"


def first_lines(notebook):
    """JupyterLab shows the first line of a folded output, so it must not be the answer."""
    for name, cell in code_cells(notebook):
        shown = next(texts(cell), "") if ANSWER in cell.metadata.get("tags", []) else ""
        if shown and not shown.startswith((CAME_OUT, PICTURE, "python -m ", *PANELS)):
            yield f"{name}: its first line is seen though it is folded; print {CAME_OUT!r} first"


def folded_words(notebook):
    """Words that tell what a folded picture shows are folded, too."""
    for index, cell in enumerate(notebook.cells):
        open_words = re.sub(r"<details>.*?</details>", "", cell.source, flags=re.DOTALL)
        if cell.cell_type == "markdown" and re.search(SEEN, open_words):
            yield f"cell {index}: it tells in the open what the reader saw; fold it: <details><summary>What you saw"


def long_tables(notebook):
    """A table of more rows than can be projected stands beside a picture that says the same."""
    pictured = False
    found = []
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown" and re.match(r"#{1,2} ", cell.source):
            yield from () if pictured else found
            pictured, found = cell.source.startswith("## Notation"), []
        if cell.cell_type == "markdown":
            rows = max(map(len, tables(cell)), default=0)
        else:
            pictured |= any("image/png" in output.get("data", {}) for output in cell.outputs)
            rows = max((numeric_rows(text) for text in texts(cell)), default=0)
        if rows > MAX_ROWS:
            found.append(f"cell {index}: a table of {rows} rows in a section without a figure; {MAX_ROWS} can be read")
    yield from () if pictured else found


def tables(cell):
    """The rows of each table of a Markdown cell, its head left out."""
    blocks = re.findall(r"(?:^\|.*\n?)+", cell.source, re.M)
    return [block.strip().splitlines()[2:] for block in blocks]


def numeric_rows(text):
    """The most lines in a row that hold three numbers or more."""
    runs = "".join("n" if len(re.findall(r"(?<![\w.])-?\d[\d.,]*", line)) > 2 else " " for line in text.splitlines())
    return max(map(len, runs.split()), default=0)


def exercises(notebook):
    for number in (1, 2, 3):
        cells = section(notebook, rf"Exercise {number}\b", 3)
        if not cells:
            yield f"the heading '### Exercise {number}' is missing"
        elif not any(cell.cell_type == "code" and "check." in cell.source for cell in cells):
            yield f"'### Exercise {number}' has no code cell that calls its check"


def solution_title(notebook):
    if notebook.cells[0].cell_type != "markdown" or not notebook.cells[0].source.startswith("# "):
        yield "the first cell is not Markdown that begins with '# '"


def linked(path, notebook):
    """Where to go from here: the exercises lead to their solutions, the summary to the next lesson."""
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    lessons = sorted(file.name for file in path.parent.glob("[0-9]*.ipynb"))
    following = lessons[lessons.index(path.name) + 1 :][:1]
    wanted = f"solutions/{path.name}", *following  # that the first of them exists is asked by twin_faults
    missing = [f"no link to {to}" for to in wanted if f"]({to})" not in text]
    places = [to for to in re.findall(r"\]\((?!https?:|#|attachment:)([^)#]+)", text) if to not in wanted]
    return missing + [f"a link to {place}, which is no file" for place in places if not (path.parent / place).is_file()]


def twin_faults(path, notebook):
    twin = path.parent / "solutions" / path.name
    if not twin.exists():
        return [f"solutions/{path.name} is missing"]
    solution = nbformat.read(twin, as_version=4)
    solved, asked = ([h for h in headings(one, 3) if h.startswith("Exercise")] for one in (solution, notebook))
    if asked != solved:
        return [f"solutions/{path.name} has the exercises {solved}, this one asks {asked}"]
    hurried = list(honest_time(notebook, solution))
    begun = {paragraph[:40] for number in (1, 2, 3) for paragraph in paragraphs(notebook, number) if paragraph}
    return hurried + [
        f"solutions/{path.name} repeats the task, which may change in the lesson alone: {paragraph[:40]!r}"
        for number in (1, 2, 3)
        for paragraph in paragraphs(solution, number)
        if paragraph[:40] in begun and not paragraph.startswith("#")
    ]


def paragraphs(notebook, number):
    """Those of an exercise, however its lines are broken."""
    cells = section(notebook, rf"Exercise {number}\b", 3)
    return [" ".join(p.split()) for c in cells if c.cell_type == "markdown" for p in re.split(r"\n\s*\n", c.source)]


COMMON_RULES = [
    markers,
    execution_counts,
    plain_python,
    imports,
    semicolons,
    live_displays,
    unstable_types,
    complaints,
    widget_state,
    machine_traces,
    something_compared,
    cell_lengths,
    panel_pictures,
    closed_panels,
    figures_told,
]
LESSON_RULES = [
    title,
    sections,
    opening,
    folded_answers,
    first_lines,
    folded_words,
    long_tables,
    exercises,
]
SOLUTION_RULES = [solution_title, exercises]


if __name__ == "__main__":
    listed = [f"{name}: {fault}" for name in sys.argv[1:] for fault in faults(Path(name).resolve())]
    print("\n".join(listed) or "nothing to complain about")
    sys.exit(bool(listed))
