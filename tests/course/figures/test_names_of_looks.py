"""Figures, panels and lessons take their looks from one table, by name, and show together what may be seen together."""

import ast
import importlib
import json
from pathlib import Path
from pkgutil import iter_modules

import pytest
from matplotlib.colors import CSS4_COLORS, TABLEAU_COLORS

from anneal_edu.course import figures, panels
from anneal_edu.course.figures import STYLES, style
from tests.course.figures.test_looks import NAMES

COMPANIES = [set(names) for names in NAMES]
PLAIN = {"white", "none", "None", "black", "gray"}
"""What edges, grounds and pictures may be: these mean nothing."""
MODULES = [
    importlib.import_module(f"{package.__name__}.{found.name}")
    for package in (figures, panels)
    for found in iter_modules(package.__path__)
    if found.name != "style"
]
LESSONS = sorted((Path(__file__).parents[3] / "notebooks").glob("*.ipynb"))


def words_in(tree):
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


class Looks(ast.NodeVisitor):
    """Names of looks in a piece of code, where they stand for looks."""

    def __init__(self):
        self.found = set()

    def visit_Constant(self, node):
        if isinstance(node.value, str) and node.value in STYLES:
            self.found.add(node.value)

    def visit_Subscript(self, node):
        if isinstance(node.slice, ast.Constant) and getattr(node.value, "id", "") != "STYLES":
            return self.visit(node.value)
        self.generic_visit(node)

    def visit_Call(self, node):
        self.visit(node.func)
        named = getattr(getattr(node.func, "value", None), "id", "") == "artists"  # the second argument is its own name
        for i, argument in enumerate(node.args):
            if not (named and i == 1):
                self.visit(argument)
        for keyword in node.keywords:
            if keyword.arg == "style" or not isinstance(keyword.value, ast.Constant):
                self.visit(keyword.value)

    def visit_Dict(self, node):
        for key, value in zip(node.keys, node.values, strict=True):
            if not (isinstance(key, ast.Constant) and key.value == "interpolation"):
                self.visit(value)
                if key is not None:
                    self.visit(key)


def looks_in(tree):
    visitor = Looks()
    visitor.visit(tree)
    return visitor.found


def tree_of(module):
    return ast.parse(Path(module.__file__).read_text(encoding="utf-8"))


def in_one_company(names):
    return any(names <= company for company in COMPANIES)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_no_other_module_names_a_colour(module):
    named = {name for name, value in vars(style).items() if isinstance(value, str) and value.startswith("#")}
    taken = {
        alias.name
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.ImportFrom) and node.module == style.__name__
        for alias in node.names
    }
    assert not taken & named - {"BLACK", "GREY", "GROUND"}  # of words and rings, and what pictures lie on
    colours = CSS4_COLORS | TABLEAU_COLORS
    assert {word for word in words_in(tree_of(module)) if word.startswith("#") or word in colours} <= PLAIN


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_a_function_names_looks_of_one_company(module):
    for node in tree_of(module).body:
        if isinstance(node, ast.FunctionDef | ast.Assign):
            names = looks_in(node)
            assert in_one_company(names), (getattr(node, "name", "a constant"), names)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_a_cell_with_a_figure_names_looks_of_one_company(lesson):
    for cell in json.loads(lesson.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and "LectureFigure(" in source:
            names = looks_in(ast.parse(source))
            assert in_one_company(names), names
