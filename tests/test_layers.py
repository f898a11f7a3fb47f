"""Imports run to the left only: primitives, distributions, paths, estimators, figures, panels."""

import ast
import importlib
import json
import subprocess
import sys
import tomllib
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import anneal_edu

ROOT = Path(anneal_edu.__file__).parent

# A name stands for the module and, if it is a package, for everything inside that has no line of its own.
LAYERS = {
    "primitives": ["validation", "estimate", "weights", "workers"],
    "distributions": ["distributions"],
    "paths": ["kernels", "paths"],
    "estimators": ["annealing", "tempering", "reweighting"],
    "audits": ["auditing"],
    "models": ["data", "training", "models"],
    "experiments": ["course", "course.experiments"],
    "public names": [""],
    "figures": ["course.figures"],
    "panels": ["course.panels", "course.check"],
    "the door": ["__main__"],
}
WITHOUT_DISPLAY = [
    "primitives", "distributions", "paths", "estimators", "audits", "models", "experiments", "public names"
]  # fmt: skip
DISPLAY = {"matplotlib", "ipywidgets", "IPython", "PIL"}


def module_name(file):
    parts = [ROOT.name, *file.relative_to(ROOT).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(file): file for file in sorted(ROOT.rglob("*.py"))}


@cache
def imports(module):
    """Every module that a module imports, also inside its functions."""
    return list(_imports(ast.parse(MODULES[module].read_text(encoding="utf-8")), module))


def _imports(tree, module):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module}: write relative imports in full"
            members = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (member if member in MODULES else node.module for member in members)


def package_imports(module):
    return {name for name in imports(module) if name in MODULES}


def layer_of(module):
    """The number of the layer that lists the module, or else the package that it is in."""
    name = module.removeprefix(ROOT.name).removeprefix(".")
    while not (found := [number for number, names in enumerate(LAYERS.values()) if name in names]) and "." in name:
        name = name.rpartition(".")[0]
    return found[0] if found else None


LISTED = {module for module in MODULES if layer_of(module) is not None}


def test_every_module_has_a_layer():
    unlisted = sorted(MODULES.keys() - LISTED)
    assert not unlisted, f"enter {unlisted} in LAYERS of {Path(__file__).name}: who may import it, and what may it?"


def test_every_listed_name_exists():
    there = {module.removeprefix(ROOT.name).removeprefix(".") for module in MODULES}
    assert {name for names in LAYERS.values() for name in names} <= there


def test_imports_run_to_the_left_only():
    rightward = [
        f"{module} imports {name}"
        for module in LISTED
        for name in package_imports(module) & LISTED
        if layer_of(name) > layer_of(module)
    ]
    assert not rightward


def test_there_is_no_import_cycle():
    try:
        TopologicalSorter({module: package_imports(module) for module in MODULES}).prepare()
    except CycleError as error:
        raise AssertionError(" → ".join(error.args[1])) from None


def test_the_library_needs_no_display():
    layers = list(LAYERS)
    found = [
        f"{module} imports {name}"
        for module in LISTED
        if layers[layer_of(module)] in WITHOUT_DISPLAY
        for name in imports(module)
        if name.split(".")[0] in DISPLAY
    ]
    assert not found


def test_a_fresh_import_loads_nothing_heavy():
    script = "import sys, json, anneal_edu; print(json.dumps(list(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    modules = set(json.loads(run.stdout))
    heavy = DISPLAY | {"sklearn", "joblib", "scipy.integrate", "scipy.interpolate", "scipy.optimize", "scipy.stats"}
    assert not heavy & modules


def test_an_open_panel_needs_no_pyplot_no_output_widget_and_no_scipy_stats():
    """The last is half a second of every kernel's start; scipy.special has the distribution functions."""
    script = """
import sys, ipywidgets
from anneal_edu.course.panels import TwoPaths
panel = TwoPaths()
assert not {"matplotlib.pyplot", "scipy.stats"} & set(sys.modules)
assert not any(isinstance(w, ipywidgets.Output) for w in ipywidgets.widget._instances.values())
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_every_import_is_declared():
    """A package that is there only because another one needs it may be gone tomorrow."""
    project = tomllib.loads((ROOT.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements = project["dependencies"] + project["optional-dependencies"]["lab"]
    import_names = {"scikit-learn": "sklearn", "pillow": "PIL"}
    packages = [requirement.split(">")[0] for requirement in requirements]
    declared = {import_names.get(package, package) for package in packages} | sys.stdlib_module_names | {ROOT.name}
    used = {(name.split(".")[0], module) for module in MODULES for name in imports(module)}
    assert not {f"{name}, used in {module}" for name, module in used if name not in declared}


def test_no_module_is_shadowed():
    """Whatever a package re-exports, its module of that name can still be had by its name."""
    for module in MODULES.keys() - {ROOT.name}:
        package, _, name = module.rpartition(".")
        if name != "__main__":
            found = getattr(importlib.import_module(package), name, None)
            assert found is None or found is importlib.import_module(module), f"{module} is hidden by {found}"


def test_the_top_of_the_package_is_seen_at_a_glance():
    entries = {module.split(".")[1] for module in MODULES if "." in module}
    assert len(entries) <= 16, sorted(entries)


def test_a_module_can_be_read_in_one_sitting():
    lines = {name: len(file.read_text(encoding="utf-8").splitlines()) for name, file in MODULES.items()}
    assert not {name: n for name, n in lines.items() if n > 350}
