"""Find the code of an equation: docs/equations.md, made from what the docstrings and comments of the library cite.

    python tools/equations.py     writes the page anew

A citation is the first author, the year and the places, as "Grosse et al. 2013, Eq. 8 to 10 and Theorem 2". The Carlson
poster numbers nothing; there a place is the name of a section in quotation marks.
"""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "equations.md"
ERRATA = ROOT / "docs" / "errata.md"
PAPERS = {
    ("Grosse", "2013"): "Grosse, Maddison & Salakhutdinov 2013, Annealing between distributions by averaging moments",
    ("Kiwaki", "2015"): "Kiwaki & Aihara 2015, An effect of initial distribution covariance for annealing Gaussian "
    "restricted Boltzmann machines",
    ("Sohl-Dickstein", "2012"): "Sohl-Dickstein & Culpepper 2012, Hamiltonian annealed importance sampling for "
    "partition function estimation",
    ("Kadan", "2018"): "Kadan, Syed & Wøien 2018, Lifted parallel tempering for training restricted Boltzmann machines",
    ("Carlson", "2016"): "Carlson, Stinson, Pakman & Paninski 2016, Partition functions from Rao-Blackwellized "
    "tempered sampling (the poster)",
}
SECTIONS = {  # of the poster, as citations shorten them
    "Simulated Tempering": "Simulated Tempering",
    "RTS": "Rao-Blackwellized Tempered Sampling (RTS)",
    "Relationships": "Relationships to Other Tempered Approaches",
    "MBAR": "Multistate Bennett Acceptance Ratio (MBAR)",
    "TI": "Thermodynamic Integration (TI)",
    "Example": "Example: RBM Partition Function",
    "Robustness": "Robustness to Number of Temperatures",
    "Tracking": "Tracking Partition Functions While Learning",
}
KINDS = ["Eq.", "Algorithm", "Theorem", "step", "footnote", "Section", "Figure", "Table"]
NUMBER = r"\d+(?:\.\d+)*"
NUMBERS = rf"{NUMBER}(?:(?:,|\s+and|\s+to|–)\s*{NUMBER}\b)*"
KIND = r"Eq\.|Equation|Algorithm|Theorems?|steps?|footnote|Sections?|Figures?|Tables?"
PLACE = rf'(?:(?:{KIND})\s+{NUMBERS}|"[^"]+")'
PLACES = rf"{PLACE}(?:[,;]?\s+(?:and\s+)?{PLACE})*"
HEAD = """# Find the code of an equation

Each line leads from a number in one of the five papers to what computes it. The numbers are those that docstrings and
comments cite, and `python tools/equations.py` writes this page from them. Every equation, algorithm and theorem that a
lesson cites is here; a test holds that. A number that is absent is not computed here: [errata](errata.md) has a verdict
on every one. Where a paper misprints, the code has the right form.
"""


def cited(author, year):
    """The pattern of a citation of a paper; its group ``places`` holds the places."""
    return re.compile(rf"\b{author}\b[^()\d]{{0,40}}?\(?{year}\)?,\s+(?P<places>{PLACES})")


def places_of(text):
    """The places that a list of them names: 'Eq. 8 to 10' gives ('Eq.', '8'), ('Eq.', '9') and ('Eq.', '10')."""
    for kind, numbers, section in re.findall(rf'({KIND})\s+({NUMBERS})|"([^"]+)"', text):
        kind = "Eq." if kind == "Equation" else kind.removesuffix("s")
        if section:
            yield "Section", " ".join(section.split())
        for first, last in re.findall(rf"({NUMBER})(?:(?:\s+to\s+|–)({NUMBER}))?", numbers):
            span = map(str, range(int(first), int(last) + 1)) if last else [first]
            yield from ((kind, number) for number in span)


def definitions(tree, above=""):
    """(qualified name, node) of every function and class of a module, and of every method."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield above + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from definitions(node, f"{above}{node.name}.")


def summary(docstring):
    """The first sentence of a docstring, without its citations."""
    words = " ".join((docstring or "").split("\n\n")[0].split())
    words = re.sub(r"\s*\([^()]*\d{4}[^()]*\)", "", words)
    words = re.sub(r"^[A-Z][^:]*\d{4}, [^:]*: ", "", words)  # what stands before a colon is a citation
    words = re.split(r"(?<!\bal)\. (?=[A-Z])", words)[0].strip(" .").removesuffix(", with")
    return words.replace("|", r"\|").replace("*", r"\*")


def citations():
    """(paper, place, link, summary) of every place that the library cites."""
    for file in sorted((ROOT / "anneal_edu").rglob("*.py"), key=lambda file: ("course" in file.parts, file)):
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text)
        for paper in PAPERS:
            for found in cited(*paper).finditer(text):
                line = text.count("\n", 0, found.start()) + 1
                around = [(name, node) for name, node in definitions(tree) if node.lineno <= line <= node.end_lineno]
                name, node = around[-1] if around else ("", tree)
                link = file.relative_to(ROOT / "anneal_edu").as_posix() + (name and f"#{name}")
                for place in places_of(found["places"]):
                    yield paper, place, link, summary(ast.get_docstring(node))


def slips():
    """Links to docs/errata.md, by paper and number or section: one for every equation there that is misprinted."""
    paper, found = None, {}
    for line in ERRATA.read_text(encoding="utf-8").splitlines():
        if line.startswith("### "):
            paper = next((paper for paper in PAPERS if all(word in line for word in paper)), None)
        elif row := re.match(r"\| ([^|]+) \| (.*?) \| \[slip\]\(#([\w-]+)\) \|", line):
            place = f"Eq. {row[1]}" if row[1].isdigit() else f"Section {row[1]}" if row[1] in SECTIONS else row[1]
            words = f"misprinted: {row[2]}" if place.startswith("Section") else "misprinted"
            found.setdefault((paper, place), []).append(f"[{words}](errata.md#{row[3]})")
    return found


def order(place):
    kind, number = place
    numbers = [int(part) for part in number.split(".")] if number[0].isdigit() else [list(SECTIONS).index(number)]
    return KINDS.index(kind), numbers


def page():
    """The text of docs/equations.md."""
    rows = sorted(dict.fromkeys(citations()), key=lambda row: order(row[1]))  # each once, a place's in order of rooms
    lines, misprinted = [HEAD], slips()
    for paper, title in PAPERS.items():
        notebook = f"../notebooks/papers/{paper[0].lower()}{paper[1]}.ipynb"
        lines += [f"## {title}\n", f"[Does it come out?]({notebook})\n"]
        lines += ["| In the paper | Code | What it is |", "|---|---|---|"]
        for _, (kind, number), link, words in [row for row in rows if row[0] == paper]:
            place = SECTIONS.get(number, f"{kind} {number}")
            if links := misprinted.get((paper, f"{kind} {number}")):
                place += f" ({', '.join(links)})"
            lines.append(f"| {place} | [{link}](../anneal_edu/{link}) | {words} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
