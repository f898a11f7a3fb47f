"""Print the code of an algorithm, as lessons do."""

import ast
import inspect
import re
import textwrap
from typing import Any


def show_source(*things: Any) -> None:
    """Print the source of functions or classes, without docstrings, annotations and checks (``require_…``).

    Examples
    --------
    >>> import anneal_edu as ae
    >>> ae.show_source(ae.annealing.ais.log_ratio)
    def log_ratio(f, f_before, x):
        return difference(f.log_density(x), f_before.log_density(x))
    """
    print("\n\n".join(map(_plain_source, things)))


def _plain_source(thing: Any) -> str:
    source = textwrap.dedent(inspect.getsource(getattr(thing, "fget", thing)))
    lines, definitions = source.splitlines(), ast.FunctionDef | ast.ClassDef
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, definitions)]
    for node in sorted(nodes, key=lambda node: -node.lineno):
        first, header = node.body[0], lines[node.lineno - 1]
        if isinstance(node, ast.FunctionDef):
            for argument in ast.walk(node.args):
                if isinstance(argument, ast.arg):
                    argument.annotation = None
            indent = " " * node.col_offset
            header = f"{indent}def {node.name}({ast.unparse(node.args)}):"
            header = textwrap.fill(header, 110, subsequent_indent=indent + 8 * " ")
        body = lines[(first.end_lineno if ast.get_docstring(node) else first.lineno - 1) : node.end_lineno]
        while body and not body[0]:
            body.pop(0)
        lines[node.lineno - 1 : node.end_lineno] = [header, *body]
    return re.sub(r"^ *require_\w+\(.*\)\n", "", "\n".join(lines), flags=re.MULTILINE)
