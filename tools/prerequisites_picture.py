"""Draw which lesson needs which into docs/prerequisites.png: python tools/prerequisites_picture.py"""

import re
from itertools import pairwise, permutations
from pathlib import Path

import nbformat
import numpy as np
from matplotlib.patches import FancyArrowPatch

from anneal_edu.course.figures import LectureFigure
from anneal_edu.course.figures.style import STYLES

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "prerequisites.png"
SAID = re.compile(r"Prerequisites:(.*?)(?:\n\n|\Z)", re.DOTALL)
OPTIONAL = re.compile(r"help|shows|for the last part")


def lessons_in(words):
    """The numbers of lessons in a phrase; ``01 to 03`` are three."""
    words = re.sub(r"\(.*?\)", "", words.replace("[Start here]", "00"))
    spans = re.findall(r"\b(\d\d)\b(?: to (\d\d)\b)?", words)
    return {number for first, last in spans for number in range(int(first), int(last or first) + 1)}


def prerequisites(lesson):
    """The lessons that a lesson needs, and those that help, as its first cells say."""
    said = SAID.search("\n\n".join(cell.source for cell in lesson.cells[:5]))[1]
    needed, helpful = set(), set()
    for piece in re.split(r";|\.\s", said):
        (helpful if OPTIONAL.search(piece) else needed).update(lessons_in(piece))
    return needed, helpful - needed


def graph():
    """Lesson → (title, needed, helpful)."""
    found = {}
    for path in sorted(ROOT.glob("notebooks/*.ipynb")):
        lesson = nbformat.read(path, as_version=4)
        found[int(path.stem[:2])] = lesson.cells[0].source.splitlines()[0][2:], *prerequisites(lesson)
    return found


def behind(lesson, needs):
    """All lessons that must have been read before this one."""
    return needs[lesson].union(*(behind(other, needs) for other in needs[lesson]))


def direct(lesson, needs):
    """What a lesson needs directly."""
    return needs[lesson] - set().union(*(behind(other, needs) for other in needs[lesson]))


def steps(needs, depth):
    """The arrows, cut into steps of one column: a long one passes the columns between at places (lesson, column)."""
    for lesson in needs:
        for other in direct(lesson, needs):
            stops = [other, *((other, column) for column in range(depth[other] + 1, depth[lesson])), lesson]
            yield from pairwise(stops)


def places(needs):
    """The place of each lesson, right of all that it needs, and of each place that a long arrow passes."""
    depth = {}
    for lesson in needs:
        depth[lesson] = 1 + max((depth[other] for other in needs[lesson]), default=-1)
    arrows = set(steps(needs, depth))
    passed = {stop for arrow in arrows for stop in arrow if isinstance(stop, tuple)}
    depth |= {(lesson, column): column for lesson, column in passed}
    columns = [[stop for stop in depth if depth[stop] == column] for column in range(max(depth.values()) + 1)]

    def rows(column, order):
        return {stop: (column, (len(order) - 1) / 2 - row) for row, stop in enumerate(order)}

    at = {stop: place for column, order in enumerate(columns) for stop, place in rows(column, order).items()}
    for column, order in [*enumerate(columns)] * 4:
        tried = (at | rows(column, other) for other in permutations(order))
        at = min(tried, key=lambda at: sum((at[a][1] - at[b][1]) ** 2 for a, b in arrows))
    return at, arrows


def draw():
    lessons = graph()
    needs = {lesson: needed for lesson, (_, needed, _) in lessons.items()}
    at, arrows = places(needs)
    figure = LectureFigure(13, 5.4)
    ax = figure.add_axes((0, 0, 1, 1))
    columns, rows = (np.array(list(at.values())).T)
    ax.set(xlim=(-0.6, columns.max() + 0.6), ylim=(rows.min() - 0.7, rows.max() + 0.7))
    ax.axis("off")
    boxes = {}
    for lesson, (title, _, _) in lessons.items():
        words = f"{lesson:02}\n" + "\n".join(_lines(re.split("[:,]", title)[0]))
        look = {"ha": "center", "va": "center", "fontsize": 13, "zorder": 3}
        boxes[lesson] = ax.text(*at[lesson], words, bbox={"boxstyle": "round", "fc": "white"}, **look).get_bbox_patch()
    figure.canvas.draw()  # before that a box does not know its size
    for start, end in arrows:
        look = {"color": STYLES["reference"]["color"], "linewidth": 1.8, "shrinkA": 0, "shrinkB": 2 * (end in boxes)}
        look |= {"arrowstyle": "-|>" if end in boxes else "-", "mutation_scale": 16, "capstyle": "round"}
        ax.add_patch(FancyArrowPatch(at[start], at[end], patchA=boxes.get(start), patchB=boxes.get(end), **look))
    return figure


def _lines(title, width=17):
    lines = [""]
    for word in title.split():
        lines[-1:] = [f"{lines[-1]} {word}".strip()] if len(lines[-1] + word) < width else [lines[-1], word]
    return lines


if __name__ == "__main__":
    PICTURE.write_bytes(draw().png())
