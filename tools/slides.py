"""Write a deck of slides for each lesson, from the lesson's own cells.

    python tools/slides.py                              every lesson
    python tools/slides.py notebooks/02_*.ipynb         this one

A deck asks the lesson's question, shows what is tagged ``formula``, asks each prediction, then shows its answer: the
scenes of a panel, each with its sentence, or a figure. A scene that a later
prediction asks for waits for it. The deck ends with the summary. The prose in between, and what is printed, is
in the speaker's notes (key S). Decks are in build/slides, with all that they load.
"""

import argparse
import re
import shutil
from html import escape
from importlib.resources import files
from pathlib import Path

import nbformat
from nbconvert import SlidesExporter
from nbformat.v4 import new_markdown_cell, new_notebook

from anneal_edu.course import panels

ROOT = Path(__file__).parents[1]
DECKS = ROOT / "build" / "slides"
TEMPLATE = Path(__file__).parent / "decks"
PANEL = re.compile(r"ae\.panels\.(\w+)\(")
PREDICT = re.compile(r"\*\*Predict\.?\*\*.*?(?=\n\n|\Z)", re.DOTALL)
FORMULA = re.compile(r"\$\$.+?\$\$", re.DOTALL)
FOLD = re.compile(r"<details><summary>(.+?)\.?</summary>\n+(.*?)\n+</details>", re.DOTALL)
HEADING = re.compile(r"^#{2,3} (.+)$", re.MULTILINE)
IN_NOTES_ONLY = "What you will learn", "Notation", "References", "Exercises", "The algorithm"
LETTERS = 520  # of a summary, on one slide


class Deck:
    """The slides of one lesson, in the order in which they are shown."""

    def __init__(self, title):
        self.notebook = new_notebook(metadata={"title": title, "style": (TEMPLATE / "deck.css").read_text("utf-8")})
        self.heading = ""
        self.kept = {}  # scene → picture, what is drawn, sentence: of scenes that a later prediction asks for

    def add(self, text, below=False):
        """Add a slide, to the right of the last one or below it."""
        kind = "subslide" if below else "slide"
        self.notebook.cells.append(new_markdown_cell(text, metadata={"slideshow": {"slide_type": kind}}))

    def note(self, text):
        """Add notes to the last slide."""
        opened = FOLD.sub(lambda fold: f"**{fold[1]}{'' if fold[1].endswith('?') else '.'}** {fold[2]}", text)
        self.notebook.cells.append(new_markdown_cell(opened, metadata={"slideshow": {"slide_type": "notes"}}))

    def show(self, title, png, alt, sentence, below):
        """Add a slide with a picture and a sentence."""
        picture = f'<img src="data:image/png;base64,{png}" alt="{escape(alt)}">'
        self.add(f'### {title}\n\n{picture}\n\n<p class="said">{escape(sentence)}</p>', below)

    def show_kept(self, source):
        """Add the scenes that were kept for this cell of the lesson."""
        for scene in [scene for scene in self.kept if asks_for(source, scene)]:
            self.show(scene, *self.kept.pop(scene), below=True)


def scenes_of(name):
    """Yield (scene, picture, what is drawn, sentence) for each scene of a panel, in letters for a lecture hall."""
    panel = getattr(panels, name)().present()
    try:
        for scene in panel.scenes:
            shown, _ = panel.show(scene)._repr_mimebundle_()
            yield scene, shown["image/png"], panel.picture, panel.takeaway
    finally:
        panel.close()


def by_slide(bullets):
    """Divide a list into lists that each fit on a slide."""
    shown = ""
    for bullet in re.split(r"(?m)^(?=\* )", bullets):
        if shown and len(shown + bullet) > LETTERS:
            yield shown
            shown = ""
        shown += bullet
    yield shown


def tell(deck, source, tags):
    """Put a Markdown cell of the lesson into the deck."""
    headings = HEADING.findall(source)
    deck.heading = headings[-1] if headings else deck.heading
    if deck.heading.startswith("Summary"):
        for number, bullets in enumerate(by_slide(source.split("\n\n")[1])):
            deck.add(f"## What to take home\n\n{bullets}", below=number > 0)
        return
    if "formula" in tags:
        deck.add(f"## {deck.heading}\n\n{FORMULA.search(source)[0]}")
    asked = PREDICT.search(source)
    if asked:
        deck.add(f"## {deck.heading}\n\n{asked[0].strip()}")
        deck.show_kept(source)
    deck.note(source)


def asks_for(source, scene):
    """Whether a cell asks for a prediction of what a scene shows, or shows it by name."""
    return f'.show("{scene}")' in source or (bool(PREDICT.search(source)) and f"*{scene}*" in source)


def answer(deck, cell, shown, later, scenes):
    """Add the outputs of a code cell: the scenes of a new panel, or a figure; what is printed is a note.

    A scene that one of the ``later`` cells asks for is kept for it.
    """
    used = PANEL.search(cell.source)
    if used and used[1] not in shown:
        shown.add(used[1])
        number = 0
        for scene, *found in scenes(used[1]):
            if any(asks_for(source, scene) for source in later):
                deck.kept[scene] = found
            else:
                deck.show(scene, *found, below=number > 0)
                number += 1
    deck.show_kept(cell.source)
    for output in cell.outputs:
        if "image/png" in output.get("data", {}) and not used:
            alt = output.metadata["image/png"]["alt"]
            deck.show(deck.heading, output.data["image/png"].replace("\n", ""), alt, "", True)
        elif output.output_type == "stream":
            deck.note(f"<pre>{escape(output.text)}</pre>")


def deck_of(lesson, scenes=scenes_of):
    """The deck of a lesson, as a notebook whose cells are slides and notes."""
    title, question = re.match(r"# (.+?)\n+(.+)", lesson.cells[0].source, re.DOTALL).groups()
    deck, shown = Deck(title), set()
    deck.add(f"# {title}\n\n{question}")
    for number, cell in enumerate(lesson.cells[1:], start=2):
        if cell.cell_type == "markdown":
            tell(deck, cell.source, cell.metadata.get("tags", []))
        elif not deck.heading.startswith(IN_NOTES_ONLY):
            answer(deck, cell, shown, [other.source for other in lesson.cells[number:]], scenes)
        if deck.heading.startswith("Summary"):
            break
    return deck.notebook


def bring_libraries(folder):
    """Copy reveal.js and MathJax beside the decks."""
    reveal = files("sphinx_revealjs") / "_static" / "revealjs"
    shutil.copytree(reveal / "dist", folder / "reveal", dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.map"))
    shutil.copy(reveal / "plugin" / "notes" / "notes.js", folder / "reveal")
    shutil.copy(files("sphinx-mathjax-offline") / "static" / "mathjax" / "tex-svg-full.js", folder / "mathjax.js")


def write(path, folder=DECKS, scenes=scenes_of):
    """Write the deck of one lesson and return its path."""
    exporter = SlidesExporter(
        template_file=str(TEMPLATE / "deck.html.j2"), reveal_url_prefix="reveal", mathjax_url="mathjax.js"
    )
    page, _ = exporter.from_notebook_node(deck_of(nbformat.read(path, as_version=4), scenes))
    written = folder / f"{path.stem}.html"
    written.write_text(page, encoding="utf-8")
    return written


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lessons", nargs="*", type=Path, help="notebooks (default: all)")
    chosen = parser.parse_args().lessons or sorted(ROOT.glob("notebooks/*.ipynb"))
    DECKS.mkdir(parents=True, exist_ok=True)
    bring_libraries(DECKS)
    for path in chosen:
        print(write(path).relative_to(ROOT), flush=True)


if __name__ == "__main__":
    main()
