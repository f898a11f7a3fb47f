"""Write a deck of slides for each lesson, from the lesson's own cells.

    python tools/slides.py                              every lesson
    python tools/slides.py notebooks/02_*.ipynb         this one

A deck asks the lesson's question, shows what is tagged ``formula``, asks each prediction under the formulas that it
needs, then shows its answer: scenes of a panel, a figure, a formula, or a few words. Only the first scene of a panel
comes before the prediction that follows it, and a scene that a later prediction names waits for that one. The deck ends
with the summary. The prose, and what is printed, is in the speaker's notes (key S) of the slide that it is about. A
scene is a picture, and above it the panel itself, as on the site. Decks are in build/slides, with all that they load.
"""

import argparse
import base64
import io
import re
import shutil
from html import escape
from importlib.resources import files
from itertools import takewhile
from pathlib import Path
from urllib.parse import urlencode

from nbconvert import SlidesExporter
from nbformat.v4 import new_markdown_cell, new_notebook
from PIL import Image

import course_site
import kept_frames
import panel_pages
from anneal_edu.course.figures.style import LectureFigure

ROOT = Path(__file__).parents[1]
DECKS = ROOT / "build" / "slides"
TEMPLATE = Path(__file__).parent / "decks"
PANEL = re.compile(r"ae\.panels\.(\w+)\(")
PREDICT = re.compile(r"\*\*Predict\.?\*\*.*?(?=\n\n|\Z)", re.DOTALL)
PRESS = re.compile(r"\s+[^.?!]*\b[Pp]ress\b.*", re.DOTALL)  # what a reader is to do after the prediction
FORMULA = re.compile(r"\$\$.+?\$\$", re.DOTALL)
FOLD = re.compile(r"<details><summary>(.+?)\.?</summary>\n+(.*?)\n+</details>", re.DOTALL)
HEADING = re.compile(r"^#{2,3} (.+)$", re.MULTILINE)
LINK = re.compile(r"\[([^\]]+)\]\((?!http)[^)]*\)")  # to a file that is not beside the decks
PART = re.compile(r"^(?=#{2,3} )", re.MULTILINE)
OPENING = "What you will learn", "Notation"  # notes of the first slide


class Deck:
    """The slides of one lesson, in the order in which they are shown."""

    def __init__(self, title, question):
        self.slides = [[f"# {title}\n\n{question}"]]  # each with its notes
        self.title = self.heading = title
        self.headings = {title}  # that stand on a slide
        self.waiting = []  # notes for the next slide
        self.answer = None  # of the prediction on the last slide, in words; None if there is none
        self.group = 0  # number of the first slide since the last Markdown cell
        self.kept = {}  # source of a cell → panel and scene of each scene that waits for it

    def add(self, text, title=""):
        """Add a slide. A title stands above it in small letters, and so does a heading that was there before."""
        size = "###" if title or self.heading in self.headings else "##"
        self.headings.add(self.heading)
        self.slides.append([f"{size} {title or self.heading}\n\n{text}", *self.waiting])
        self.waiting, self.answer = [], None

    def settle(self):
        """End what belongs to the last slide: its answer, if nothing has shown it, and the notes that wait."""
        if self.answer:
            self.add(self.answer)
        self.slides[-1] += self.waiting
        self.waiting = []

    def show_scene(self, panel, scene):
        """Add a slide with a scene of a panel, from its frames."""
        key = panel["scenes"][scene]
        said, numbers = panel["frames"][key][:2]
        state = {c["name"]: c["values"][int(at)] for c, at in zip(panel["controls"], key.split("."), strict=True)}
        page = f"panels/{panel['name']}.html#{urlencode(state)}"
        self.show(scene, picture_of(panel, key), panel["picture"], panel["sentences"][said], page)
        self.slides[-1] += ["\n".join(f"* {label}: {text}" for label, text in panel["numbers"][numbers])]

    def show(self, title, source, alt, sentence, address=""):
        """Add a slide with a picture and a sentence; there the page at the address takes their place."""
        picture = f'<div class="seen" data-panel="{escape(address)}"><img src="{source}" alt="{escape(alt)}"></div>'
        self.add(f'{picture}\n\n<p class="said">{escape(sentence)}</p>', title)

    def notebook(self):
        """The slides and their notes, as cells for nbconvert."""
        cells = []
        for text, *notes in self.slides:
            notes = FOLD.sub(lambda fold: f"**{fold[1]}{'.' * (fold[1][-1] != '?')}** {fold[2]}", "\n\n".join(notes))
            for kind, source in (("slide", text), ("notes", notes.strip())):
                cells.append(new_markdown_cell(LINK.sub(r"\1", source), metadata={"slideshow": {"slide_type": kind}}))
        return new_notebook(
            cells=cells, metadata={"title": self.title, "style": (TEMPLATE / "deck.css").read_text("utf-8")}
        )


def picture_of(panel, key):
    """A scene of a panel as the address of an SVG."""
    left, top, _, height = panel["plots"][0]
    box = f"{left} {top} {sum(width for _, _, width, _ in panel['plots'])} {height}"
    inside = "".join(panel["pieces"][piece] for plot in panel["whole"][key] for piece in plot)
    style = "<style>* {stroke-linejoin: round; stroke-linecap: butt}</style>"
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}">{style}<defs>{panel["shared"]}</defs>{inside}</svg>'
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def without_caption(png, said):
    """A stored figure without the sentence below it, as the address of a PNG; "" if it is too tall to be read."""
    picture, file = Image.open(io.BytesIO(base64.b64decode(png))), io.BytesIO()
    if picture.height > picture.width:
        return ""
    room = LectureFigure(picture.width / 100, 1.0).caption(said, "").get_size_inches()[1] - 1.0
    picture.crop((0, 0, picture.width, picture.height - round(100 * room))).save(file, "png")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


def tell(deck, text, cell):
    """Put a section of a Markdown cell into the deck, or what stands in the cell before its first heading."""
    heading, asked = HEADING.match(text), PREDICT.search(text)
    before, after = (text[: asked.end()], text[asked.end() :]) if asked else (text, "")
    answers = [fold for fold in FOLD.finditer(text) if fold[1] == "Answer"]
    if asked and answers and answers[0].end() < len(before):  # it is that of the prediction before
        tell(deck, text[: answers[0].end()], cell)
        return tell(deck, text[answers[0].end() :], cell)
    said = "".join(fold[2].split("\n\n")[0] for fold in answers)
    formulas = FORMULA.findall(FOLD.sub("", before)) or FORMULA.findall(before)
    if heading or asked:
        deck.settle()
    if heading:
        deck.heading = heading[1]
    if deck.heading.startswith(OPENING):
        deck.slides[0].append(text)
    elif asked:
        deck.waiting.append(before)
        deck.add("\n\n".join([*formulas, PRESS.sub("", asked[0].strip())]))
        deck.waiting.append(after)
        deck.answer = said
        if FORMULA.search(after):
            deck.add("\n\n".join(FORMULA.findall(after)))
    elif formulas and "formula" in cell.metadata.get("tags", []):
        deck.waiting.append(text)
        deck.add(formulas[0])
    elif heading or (said and deck.answer is not None):
        deck.answer = said or deck.answer
        deck.waiting.append(text)
    else:
        deck.slides[min(deck.group, len(deck.slides) - 1)].append(text)


def asks_for(source, scene):
    """Whether a section of a cell asks for a prediction of what a scene shows, or the cell shows it by name."""
    asking = [part for part in PART.split(source) if PREDICT.search(part)]
    return f'.show("{scene}")' in source or any(f"*{scene}*" in part for part in asking)


def answer(deck, cell, later, panel=None):
    """Add the outputs of a code cell: the scenes of a new ``panel``, or a figure; what is printed is a note.

    A scene waits for the first of the ``later`` cells that asks for it. Before a prediction about the panel stands
    the first scene alone, unless there was a prediction above the panel too.
    """
    waits = [source for source in later[:1] if PREDICT.search(PART.split(source)[0]) and deck.answer is None]
    for number, scene in enumerate(panel["scenes"] if panel else []):
        asking = [source for source in later if asks_for(source, scene)] + (waits if number else [])
        if asking:
            deck.kept.setdefault(asking[0], []).append((panel, scene))
        else:
            deck.show_scene(panel, scene)
    for output in cell.outputs:
        if "image/png" in output.get("data", {}) and not PANEL.search(cell.source):
            said = output.data["text/plain"].splitlines()[-1].strip()
            picture, alt = without_caption(output.data["image/png"], said), output.metadata["image/png"]["alt"]
            deck.show(deck.heading, picture, alt, said) if picture else deck.add(said)
        elif deck.answer == "" and output.get("text", "").count("\n") <= 3:
            deck.answer = output.text[:1].upper() + output.text[1:].replace("\n", "\n\n")
        elif output.output_type == "stream" and "show_source" not in cell.source:
            deck.slides[-1].append(f"<pre>{escape(output.text)}</pre>")


def deck_of(lesson, frames):
    """The deck of a lesson, as a notebook whose cells are slides and notes; ``frames`` has those of each panel."""
    first, *cells = takewhile(lambda cell: not cell.source.startswith(("## Exercises", "## Summary")), lesson.cells)
    deck, new = Deck(*re.match(r"# (.+?)\n+(.+)", first.source, re.DOTALL).groups()), {*frames}
    for number, cell in enumerate(cells, start=1):
        if cell.cell_type == "markdown":
            for part in filter(str.strip, PART.split(cell.source)):
                tell(deck, part, cell)
            deck.group = len(deck.slides)
        else:
            used = new.intersection(PANEL.findall(cell.source))
            new -= used
            answer(deck, cell, [other.source for other in cells[number:]], *(frames[name] for name in used))
        for shown in deck.kept.pop(cell.source, []):
            deck.show_scene(*shown)
    deck.settle()
    summary = next(cell.source for cell in lesson.cells if cell.source.startswith("## Summary"))
    deck.add(summary.split("\n\n")[1], "What to take home")
    return deck.notebook()


def bring_libraries(folder):
    """Copy reveal.js and MathJax beside the decks."""
    reveal = files("sphinx_revealjs") / "_static" / "revealjs"
    shutil.copytree(reveal / "dist", folder / "reveal", dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.map"))
    shutil.copy(reveal / "plugin" / "notes" / "notes.js", folder / "reveal")
    shutil.copy(files("sphinx-mathjax-offline") / "static" / "mathjax" / "tex-svg-full.js", folder / "mathjax.js")


def write(path, folder, frames):
    """Write the deck of one lesson, with the pages of its panels, and return its path."""
    exporter = SlidesExporter(
        template_file=str(TEMPLATE / "deck.html.j2"),
        reveal_url_prefix="reveal",
        mathjax_url="mathjax.js",
        exclude_anchor_links=True,
    )
    page, _ = exporter.from_notebook_node(deck_of(course_site.read(path), frames))
    for name, panel in frames.items():
        in_deck = panel_pages.page_of(panel) + (TEMPLATE / "panel.html").read_text("utf-8")
        course_site.write(folder / "panels" / f"{name}.html", in_deck)
    written = folder / f"{path.stem}.html"
    course_site.write(written, page)
    return written


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lessons", nargs="*", type=Path, help="notebooks (default: all)")
    chosen = parser.parse_args().lessons or course_site.LESSONS
    states = course_site.states_shown(course_site.LESSONS)  # all, so that the site and the decks share what is drawn
    bring_libraries(DECKS)
    for path in chosen:
        names = {*states}.intersection(PANEL.findall(path.read_text("utf-8")))
        frames = kept_frames.frames_of_all({name: states[name] for name in names}, jobs=2)
        print(write(path, DECKS, frames).relative_to(ROOT), flush=True)


if __name__ == "__main__":
    main()
