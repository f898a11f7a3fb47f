"""Every exercise: its solution and others pass, each slip is told its own sentence, a stub is not attempted."""

import ast
import inspect
import json
import random
import re
import runpy
import signal
import textwrap
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from anneal_edu.course import check
from anneal_edu.course.check.engine import Exercise, exercise

ROOT = Path(__file__).parents[3]
EXERCISES = {
    exercise.name: exercise
    for lesson in check.__all__
    for exercise in vars(getattr(check, lesson)).values()
    if isinstance(exercise, Exercise)
}
OTHERS = {
    f"{file.stem}.{name}": answers
    for file in sorted((ROOT / "notebooks/solutions/other_answers").glob("*.py"))
    for name, answers in runpy.run_path(str(file))["ANSWERS"].items()
}
CALL = re.compile(r"ae\.check\.(\w+\.\w+)\(")
N_MUTANTS = 6

every = pytest.mark.parametrize("name", EXERCISES)


def given(name):
    """The arguments of the plain case; none if a judge asks."""
    return () if EXERCISES[name].judge else next(iter(EXERCISES[name].cases().values()))


@every
def test_the_solution_passes_and_leaves_its_arguments(name):
    exercise = EXERCISES[name]
    verdict = exercise(exercise.solution if exercise.arguments else exercise.solution())
    assert verdict.passed, verdict
    assert repr(verdict).startswith("✓ right")


@pytest.mark.parametrize(("name", "said"), [(n, said) for n, e in EXERCISES.items() for said in e.mistakes()])
def test_a_slip_is_told_its_own_sentence(name, said):
    verdict = EXERCISES[name](EXERCISES[name].mistakes()[said])
    assert verdict.passed is False
    assert said in verdict.message


@pytest.mark.parametrize(("name", "i"), [(name, i) for name in EXERCISES for i in range(2)])
def test_another_formulation_passes(name, i):
    verdict = EXERCISES[name](OTHERS[name][i])
    assert verdict.passed, verdict


@every
def test_what_is_no_answer(name):
    exercise = EXERCISES[name]
    for stub in (..., lambda *given: ...) if exercise.arguments else (..., (..., ...)):
        assert exercise(stub).passed is None
    for nothing in (None, lambda *given: None, lambda *given: 1 / 0, lambda *given: "x", lambda: 1, "x", np.nan):
        assert exercise(nothing).passed is False
    assert "ZeroDivisionError" in exercise(lambda *given: 1 / 0).message or not exercise.arguments


@every
def test_three_hints(name):
    hints = [EXERCISES[name].hint(number).text for number in (1, 2, 3)]
    assert len(set(hints)) == 3 and "?" in hints[0]
    assert repr(EXERCISES[name](...)).endswith(f"A hint: ae.check.{name}.hint()")


@every
def test_a_change_in_place_is_told(name):
    def changing(*own):
        found = EXERCISES[name].solution(*own)
        for part in own:
            if isinstance(part, np.ndarray | list) and len(part) > 1:
                part[0], part[-1] = np.copy(part[-1]), np.copy(part[0])
        return found

    if any(isinstance(part, np.ndarray) and len(part) > 1 for part in given(name)):
        assert "that it is given: make a new array" in EXERCISES[name](changing).message


@exercise(hints=("How much?", "Look at the sum.", "Σ x"), praise="right.", cases=lambda: {"three": (np.arange(3.0),)})
def total(x):
    """The sum of x."""
    return x.sum()


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda x: x, "has shape (3,); it should have shape ()"),
        (lambda x: x / x.sum() @ np.eye(2), "the shapes do not fit together: x (3,)."),
        (lambda x: 1 if x > 0 else 2, "an array is compared"),
        (lambda x: float(x), "an array stands where one number belongs"),
        (lambda x: x[7], "an index is too large: x (3,)."),
        (lambda: 3.0, "your function is called with (x), in this order."),
        (lambda x: None + x, "something in it is None"),
        (lambda x: ... + x, "something in it is still `...`"),
        (lambda x: 0.0 / 0, "you divide by 0"),
        (3.0, "give the function itself"),
        (lambda x: np.nan, "has NaN or infinity"),
        (lambda x: "3", "should be a number"),
    ],
)
def test_errors_of_python_and_numpy_are_explained(answer, told):
    verdict = total(answer)
    assert verdict.passed is False and told in verdict.message, verdict


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda n, rng: np.random.default_rng(1).random(n), "two generators give the same answer"),
        (lambda n, rng: np.random.default_rng().random(n), "the same generator gives another answer each time"),
    ],
)
def test_random_numbers_come_from_the_generator_that_is_given(answer, told):
    drawn = exercise(hints=total.hints, praise="right.", judge=lambda each, answer: str(each.draws(answer, 3)))
    assert told in drawn(lambda n, rng: rng.random(n))(answer).message


def statements():
    """The text above each exercise of the lessons, by the exercise's name."""
    for file in sorted((ROOT / "notebooks").glob("*.ipynb")):
        text = ""
        for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                text = source
            elif (called := CALL.search(source)) and text.startswith("### Exercise"):
                yield called[1], text.partition("\n")[2]


def test_a_statement_has_at_most_60_words():
    found = dict(statements())
    assert set(found) == set(EXERCISES)
    words = {name: len(re.sub(r"\$[^$]+\$", "x", text).split()) for name, text in found.items()}
    assert {name: n for name, n in words.items() if n > 60} == {}


# One token of the solution, or of a helper that it calls, is changed

SWAPS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult}
SWAPS |= {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
NAMES = dict(pair for a, b in (("sum", "mean"), ("max", "min"), ("exp", "log"), ("ceil", "floor"), ("argmax", "argmin"),
             ("maximum", "minimum"), ("any", "all"), ("cumsum", "asarray")) for pair in ((a, b), (b, a)))  # fmt: skip


def changes(tree):
    """Functions that make one small change of the tree each, and functions that undo it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in SWAPS:
            yield node, "op", SWAPS[type(node.op)]()
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
            yield node, "ops", [SWAPS[type(node.ops[0])]()]
        elif isinstance(node, ast.UnaryOp):
            yield node, "op", ast.UAdd() if isinstance(node.op, ast.USub) else node.op
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            yield node, "value", node.value + 1
        elif isinstance(node, ast.Attribute) and node.attr in NAMES:
            yield node, "attr", NAMES[node.attr]
        elif isinstance(node, ast.Call) and len(node.args) > 1:
            yield node, "args", [node.args[1], node.args[0], *node.args[2:]]
        elif isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load) and len(node.elts) > 1:
            yield node, "elts", [node.elts[1], node.elts[0], *node.elts[2:]]
        elif isinstance(node, ast.Return | ast.IfExp):
            yield (node, "value", None) if isinstance(node, ast.Return) else (node, "body", node.orelse)


def mutants(exercise):
    """(code, function): the solution with one small change in it or in a helper of its module that it names."""
    names = vars(inspect.getmodule(exercise.solution))
    functions, waiting = {}, [exercise.solution]
    while waiting:
        function = waiting.pop()
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        tree.decorator_list = []
        functions[tree.name] = tree
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - set(functions)
        waiting += [names[name] for name in used if inspect.isfunction(names.get(name))
                    and names[name].__module__ == exercise.solution.__module__]  # fmt: skip
    tree = ast.Module([*functions.values()], [])
    original = ast.unparse(tree)
    for node, field, new in list(changes(tree)):
        old = getattr(node, field)
        setattr(node, field, new)
        code = ast.unparse(tree)
        setattr(node, field, old)
        if code != original:
            own = dict(names)
            exec(code, own)
            yield code, own[exercise.solution.__name__]


class TooLongError(BaseException):
    """Not an Exception: an exercise would take an Exception for the learner's."""


@contextmanager
def processor_seconds(limit):
    def stop(*_):
        raise TooLongError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        yield
    except TooLongError:  # it never ends: it does not pass
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@pytest.mark.parametrize("name", [name for name, exercise in EXERCISES.items() if exercise.arguments])
def test_small_changes_of_the_solution_are_refused(name, request):
    found = list(mutants(EXERCISES[name]))
    thorough = request.config.getoption("--thorough")
    chosen = found if thorough else random.Random(name).sample(found, min(N_MUTANTS, len(found)))
    passed = []
    for code, mutant in chosen:
        with processor_seconds(2):
            passed += [code] if EXERCISES[name](mutant).passed else []
    assert len(passed) <= len(chosen) / 3, "\n\n".join(passed)  # an examiner that is a little stricter is right
