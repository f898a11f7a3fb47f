"""How much must be read to understand an algorithm: its functions and classes, and all that these name, in lines.

    python tools/closure.py                        the algorithms of the course
    python tools/closure.py rts adaptive_schedule  these public names

Counted are lines of code of every function and class of the library that can be reached by name, without docstrings,
comments and blank lines, and without argument checks (whatever is imported from anneal_edu.validation, and statements
that only raise or call it). What a path or a kernel offers beside (`anneal_edu.paths.capabilities`) is not reached: an
algorithm is understood without it. Nor is a function reached by a parameter that has its name.
"""

import ast
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
ALGORITHMS = "ais hais rts parallel_tempering sandwich GaussianRBM moment_spline_path simulated_tempering mbar".split()
CHECKS = "anneal_edu.validation"
SHARED = ("anneal_edu.workers", "anneal_edu.estimate")
OFFERS = {"linear", "log_densities", "log_density_slopes", "shared_densities"}
OFFERS |= {"anneal_by_gibbs", "weigh_and_gibbs", "gibbs_ladder", "gibbs_sweep"}


@cache
def module(name):
    """Its definitions, and where each imported name comes from."""
    file = ROOT.joinpath(*name.split("."))
    file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
    tree = ast.parse(file.read_text(encoding="utf-8"))
    defined, imported = {}, {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined[node.name] = node
        elif isinstance(node, ast.Assign):
            defined |= {target.id: node for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("anneal_edu"):
            imported |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
    return defined, imported


def found(name, where):
    """The module that defines a name seen in ``where``, through any re-export; None for what is not ours."""
    while True:
        defined, imported = module(where)
        if name in defined:
            return where, name
        if name not in imported:
            return None
        where, name = imported[name]
        if ROOT.joinpath(*where.split("."), f"{name}.py").exists():
            return None  # a module: its members are attributes


def is_check(node, checks):
    """A statement that only tests arguments: it raises, or calls one of the checks and keeps nothing."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name):
        return node.value.func.id in checks or node.value.func.id.startswith("require_")
    return isinstance(node, ast.If) and all(isinstance(inner, ast.Raise) for inner in node.body) and not node.orelse


def code_of(node, checks):
    """Numbers of the lines of code of a definition, and the names that it uses."""
    left_out = set()
    for inner in ast.walk(node):
        body = getattr(inner, "body", None)
        if isinstance(inner, ast.FunctionDef | ast.ClassDef) and body and isinstance(body[0], ast.Expr):
            if isinstance(getattr(body[0].value, "value", None), str):
                left_out |= set(range(body[0].lineno, body[0].end_lineno + 1))
        if (isinstance(inner, ast.stmt) and is_check(inner, checks)) or getattr(inner, "name", None) in OFFERS:
            left_out |= set(range(inner.lineno, inner.end_lineno + 1))
    kept = [n for n in ast.walk(node) if getattr(n, "lineno", None) and n.lineno not in left_out]
    lines = {n.lineno for n in kept} | {n.end_lineno for n in kept if n is not node}
    parameters = {n.arg for n in kept if isinstance(n, ast.arg)}
    return lines - left_out, {n.id for n in kept if isinstance(n, ast.Name)} - checks - parameters


def closure(name):
    """{(module, definition): number of lines} of all that is reached from a public name."""
    reached, waiting = {}, [found(name, "anneal_edu")]
    while waiting:
        here = waiting.pop()
        if here is None or here in reached or here[0] == CHECKS:
            continue
        defined, imported = module(here[0])
        checks = {name for name, (origin, _) in imported.items() if origin == CHECKS}
        lines, names = code_of(defined[here[1]], checks)
        reached[here] = len(lines)
        waiting += [found(used, here[0]) for used in names]
    return reached


def main(names):
    """Print lines and files of each algorithm."""
    for name in names or ALGORITHMS:
        reached = closure(name)
        apart = sum(n for (where, _), n in reached.items() if where in SHARED)
        own = sum(reached.values()) - apart
        print(f"{name:22}{own:5} lines of its own, and {apart:4} of blocks, threads and what all results share")


if __name__ == "__main__":
    main(sys.argv[1:])
