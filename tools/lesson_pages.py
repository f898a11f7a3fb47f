"""A lesson for readers without Python, in cells for the static-site builder MyST-NB.

Code is folded; a panel is the page that `panel_pages` writes
of it, in the state that the lesson shows; an exercise says how to go on, and has its solution behind a click.
"""

import re
from html import escape
from urllib.parse import urlencode

from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from anneal_edu.course import panels

PANELS = {getattr(panels, name).title: name for name in panels.__all__ if name not in ("Panel", "Readout")}
EXERCISE = re.compile(r"^### (Exercise \d)", re.MULTILINE)
PAGE = re.compile(r"`docs/(\w+\.md(?:#[\w-]+)?)`")
ANCHOR = re.compile(r"(\]\([\w./-]*#)([^)]+)")  # JupyterLab keeps capital letters and signs in them
HOW_TO_GO_ON = (
    "The stubs below are code: [open the course in JupyterLab](../index.md#work-in-jupyterlab) to fill them in and "
    "have them checked, or try with pencil and paper. The solution of each waits behind a click."
)


def panel_in(output) -> tuple[str, dict[str, str], str] | None:
    """(class, settings as the panel prints them, sentence) of a stored output that shows a panel, else None."""
    data = output.get("data", {})
    title, *more = data.get("text/plain", "").split("\n")
    if "image/png" not in data or title not in PANELS or len(more) < 2:
        return None
    names = list(getattr(panels, PANELS[title]).controls)
    found = re.fullmatch(", ".join(rf"{name} (.+)" for name in names), more[0].strip())
    return PANELS[title], dict(zip(names, found.groups(), strict=True)), more[1].strip()


def panels_of(lesson) -> list[tuple[str, dict[str, str], str]]:
    """The panels of a lesson in their order."""
    outputs = [output for cell in lesson.cells if cell.cell_type == "code" for output in cell.outputs]
    return [found for found in map(panel_in, outputs) if found]


def framed(name: str, settings: dict[str, str], sentence: str) -> str:
    """The page of a panel in a frame, and a link to it."""
    address = escape(f"../panels/{name}.html#{urlencode(settings)}")
    title = escape(getattr(panels, name).title)
    return (
        f'<iframe class="panel" src="{address}" title="{title}" loading="lazy" allow="fullscreen"></iframe>'
        f'<p class="panel-said">{escape(sentence)} <a href="{address}">This panel on a page of its own</a></p>'
    )


def page_of(lesson, solutions=None):
    """Turn a stored lesson, in place, into what its page is built from."""
    solved = solutions_of(solutions) if solutions else {}
    cells, exercise, exercises = [], None, False
    for cell in lesson.cells:
        if cell.cell_type == "markdown":
            found = EXERCISE.search(cell.source)
            if exercise and (found or cell.source.startswith("## ")):
                cells.append(new_markdown_cell(solved.get(exercise, "")))
                exercise = None
            exercises = exercises or cell.source.startswith("## Exercises")
            exercise = found[1] if found else exercise
            cell.source = PAGE.sub(r"[docs/\1](/\1)", cell.source)
            cell.source = ANCHOR.sub(lambda link: link[1] + re.sub(r"[^\w-]", "", link[2].lower()), cell.source)
            cells.append(cell)
            if cell.source.startswith("## Exercises"):
                cells.append(new_markdown_cell(HOW_TO_GO_ON))
        else:
            cells.extend(folded(cell, open_code=exercises))
    lesson.cells = [cell for cell in cells if cell.source]
    return lesson


def solutions_page(solutions):
    """The page of all solutions of a lesson, which stands beside the lessons and not among them."""
    page = page_of(solutions)
    page.metadata["orphan"] = True
    for cell in page.cells:
        if cell.cell_type == "markdown":
            cell.source = re.sub("^###", "##", cell.source)
    return page


def folded(cell, open_code: bool):
    """A code cell as two: its code, folded unless it is a stub, and its outputs."""
    outputs = [*map(shown_in_page, cell.outputs)]
    shown = new_code_cell("#", outputs=outputs, metadata={"tags": ["remove-input"], "mystnb": {}})
    for output in cell.outputs:
        alt = output.get("metadata", {}).get("image/png", {}).get("alt")
        if alt:
            shown.metadata["mystnb"]["image"] = {"alt": " ".join(alt.split())}
    code = new_code_cell(cell.source, metadata={"tags": [] if open_code else ["hide-input"]})
    return [code, shown] if cell.outputs else [code]


def shown_in_page(output):
    """The output for the page; a panel becomes a frame."""
    shown = panel_in(output)
    return new_output("display_data", {"text/html": framed(*shown)}) if shown else output


def solutions_of(solutions) -> dict[str, str]:
    """Exercise → its solution, folded."""
    found, exercise = {}, None
    for cell in solutions.cells:
        named = EXERCISE.search(cell.source) if cell.cell_type == "markdown" else None
        exercise = named[1] if named else exercise
        if exercise is None:
            continue
        text = EXERCISE.sub("", cell.source).partition("\n")[2] if named else cell.source
        if cell.cell_type == "code":
            said = "".join(output.get("text", "") for output in cell.outputs)
            text = f"```python\n{text}\n```\n" + (f"\n```text\n{said}\n```\n" if said.strip() else "")
        found[exercise] = f"{found.get(exercise, '')}\n\n{text}"
    head = '<details class="solution"><summary>Solution</summary>'
    return {name: f"{head}\n\n{text.strip()}\n\n</details>".replace("](../", "](") for name, text in found.items()}


def title_of(lesson) -> str:
    return lesson.cells[0].source.splitlines()[0].removeprefix("# ")


def minutes(lesson) -> int:
    """The time that a lesson takes, exercises included, as it says."""
    found = re.search(r"(\d+) minutes to read, (\d+) for the exercises", "\n".join(c.source for c in lesson.cells))
    return int(found[1]) + int(found[2]) if found else 0
