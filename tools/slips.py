"""The small mistakes that can be made in a few lines of code: each gives another code."""

import ast
import contextlib
from collections.abc import Iterator

OPERATORS = {
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult},
    **{ast.Pow: ast.Mult, ast.FloorDiv: ast.Mod, ast.Mod: ast.FloorDiv, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd},
    **{ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq},
    **{ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And},
}
AT_THE_BOUND = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
ALIKE = """sum mean, max min, argmax argmin, maximum minimum, exp log, floor ceil, std var, random standard_normal,
    geometric_path moment_path, where extract, eigh cholesky, abs square, cumsum asarray, any all,
    hypot add"""
NAMES = {one: other for pair in ALIKE.split(",") for one, other in (pair.split(), pair.split()[::-1])}
IN_ANY_ORDER = {"logaddexp", "hypot", "minimum", "maximum", "min", "max", "add", "isclose", "allclose"}
ANOTHER_GENERATOR = "np.random.default_rng(0)"


def slips(code: str) -> list[str]:
    """Each code that is this one with one mistake in it, once, as ``ast.unparse`` writes it."""
    tree, found = ast.parse(code), {}
    original = ast.unparse(tree)
    for node, parent, field, index, new in _changes(tree):
        _set(parent, field, index, new)
        with contextlib.suppress(SyntaxError, RecursionError):
            other = ast.unparse(ast.fix_missing_locations(tree))
            ast.parse(other)
            found[other] = None
        _set(parent, field, index, node)
    found.pop(original, None)
    return list(found)


def _set(parent: ast.AST, field: str, index: int | None, node: ast.AST) -> None:
    if index is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[index] = node


def _changes(tree: ast.AST) -> Iterator[tuple]:
    """(node, its parent, field, index, another node in its place), in the order of the code."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    parameters = [argument.arg for function in functions for argument in function.args.args]
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    slots = []
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            several = value if isinstance(value, list) else [value]
            for index, node in enumerate(several):
                if isinstance(node, ast.expr | ast.stmt):
                    slots.append((node, parent, field, index if isinstance(value, list) else None))
    for node, *place in sorted(slots, key=lambda slot: (slot[0].lineno, slot[0].col_offset)):
        if isinstance(node, ast.Tuple) and isinstance(place[0], ast.Compare):
            continue  # one of several, in any order
        for new in [*_other_values(node, parameters, texts), *_other_calls(node), *_other_statements(node)]:
            yield node, *place, new


def _other_values(node: ast.AST, parameters: list[str], texts: list[str]) -> Iterator[ast.AST]:
    match node:
        case ast.BinOp(left, op, right):
            if type(op) in OPERATORS:
                yield ast.BinOp(left, OPERATORS[type(op)](), right)
            if not isinstance(op, ast.Add | ast.Mult):
                yield ast.BinOp(right, op, left)
            yield from (left, right)
        case ast.Compare(left, [op], [right]):
            for table in (OPERATORS, AT_THE_BOUND):
                if type(op) in table:
                    yield ast.Compare(left, [table[type(op)]()], [right])
        case ast.BoolOp(op, values):
            yield ast.BoolOp(OPERATORS[type(op)](), values)
            yield from values
        case ast.UnaryOp(_, operand):
            yield operand
        case ast.Constant(bool()):
            return  # of zip's claim that lengths agree, mostly
        case ast.Constant(int() | float() as value):
            yield from (ast.Constant(other) for other in (value + 1, value - 1, 2 * value) if other >= 0)
        case ast.Constant(str() as value):
            yield from (ast.Constant(text) for text in dict.fromkeys(texts) if text != value)
        case ast.Name("rng", ast.Load()):
            yield ast.parse(ANOTHER_GENERATOR, mode="eval").body
        case ast.Name(name, ast.Load()) if name in parameters:
            yield ast.Name(parameters[(parameters.index(name) + 1) % len(parameters)], ast.Load())
        case ast.Name(name, ast.Load()) if name in NAMES:
            yield ast.Name(NAMES[name], ast.Load())
        case ast.Attribute(value, name):
            if name in NAMES:
                yield ast.Attribute(value, NAMES[name], ast.Load())
            if name == "T":
                yield value
        case ast.Tuple(elts, ast.Load()) | ast.List(elts, ast.Load()) if len(elts) > 1:
            yield type(node)([elts[1], elts[0], *elts[2:]], ast.Load())
            yield type(node)(elts[:-1], ast.Load())
        case ast.IfExp(test, body, orelse):
            yield from (ast.IfExp(test, orelse, body), body, orelse)


def _other_calls(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Call(function, arguments, keywords):
            name = getattr(function, "attr", getattr(function, "id", ""))
            if len(arguments) > 1:
                if name not in IN_ANY_ORDER:
                    yield ast.Call(function, [arguments[1], arguments[0], *arguments[2:]], keywords)
                yield ast.Call(function, arguments[:-1], keywords)
            for i in (i for i, keyword in enumerate(keywords) if keyword.arg != "strict"):
                yield ast.Call(function, arguments, keywords[:i] + keywords[i + 1 :])
            yield from arguments[:2]
            if isinstance(function, ast.Attribute):
                yield function.value
        case ast.Subscript(value, ast.Slice(lower, upper, _)):
            yield from (value, ast.Subscript(value, ast.Slice(upper, lower), node.ctx))


def _other_statements(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Return(ast.expr() as value):
            yield ast.Expr(value)
        case ast.AugAssign(target, op, value):
            if type(op) in OPERATORS:
                yield ast.AugAssign(target, OPERATORS[type(op)](), value)
            yield from (ast.Assign([target], value, lineno=node.lineno), ast.Pass())
        case ast.Assign() | ast.Expr():
            yield ast.Pass()
        case ast.If(test, body, orelse):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
            yield ast.If(ast.Constant(False), body, orelse)
