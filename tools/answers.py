"""Plant small mistakes in the solutions of the exercises, one at a time: does each check reject them?

    python tools/answers.py                    (make answers)
    python tools/answers.py --n 1000 --only bias

A learner's slip is a solution with one thing wrong: another operator, another number, arguments exchanged, a function
left out, a `return` forgotten. Each such mutant goes through the check of its exercise. One that passes is either a
right answer, and stands with its reason in tests/course/check/equivalent_answers.toml, or the check is to be mended.
"""

import argparse
import ast
import contextlib
import difflib
import io
import json
import math
import signal
import sys
import time
import tomllib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import anneal_edu as ae
from slips import slips

ROOT = Path(__file__).resolve().parents[1]
EQUIVALENT = ROOT / "tests" / "course" / "check" / "equivalent_answers.toml"
PER_EXERCISE = 40
SECONDS = 4.0  # of the processor, for one mutant: some never end; a solution has no limit


@dataclass(frozen=True)
class Answer:
    """What a solution gives to a check, with the code that makes it and what that code needs."""

    exercise: str
    arguments: str
    needs: str
    code: str

    def verdict(self, code: str | None = None):
        """What the check says to this answer, or to another one in its place; a word where nothing came back."""
        names: dict = {}
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), _within(SECONDS if code else 0):
            warnings.simplefilter("ignore")
            try:
                exec(self.needs, names)
                exec(self.code if code is None else code, names)
                given = eval(f"({self.arguments},)", names)
            except Exception as error:
                return f"raises {type(error).__name__}"
            except _TooLongError:
                return "does not end"
            module, name = self.exercise.split(".")
            try:
                return getattr(getattr(ae.check, module), name)(*given)
            except _TooLongError:
                return "does not end"

    def mutants(self) -> list[str]:
        """Every changed code, once; those that forget a `return` first."""
        return sorted(slips(self.code), key=lambda code: not self.forgets(code))

    def forgets(self, code: str) -> bool:
        """Whether this mutant differs by a forgotten `return`."""
        before, after = self.change(code)
        return before.removeprefix("return ").removeprefix("(") == after.removeprefix("(") != before

    def change(self, code: str) -> tuple[str, str]:
        """The changed lines, before and after, with single spaces."""
        own, other = ast.unparse(ast.parse(self.code)).splitlines(), code.splitlines()
        blocks = difflib.SequenceMatcher(None, own, other, autojunk=False).get_opcodes()
        before = [line.strip() for kind, i, j, _, _ in blocks if kind != "equal" for line in own[i:j]]
        after = [line.strip() for kind, _, _, i, j in blocks if kind != "equal" for line in other[i:j]]
        return " ".join(before), " ".join(after)


class _TooLongError(BaseException):
    """No Exception: what a check catches, and calls the learner's, is not this."""


@contextlib.contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Stop what takes longer; 0 sets no limit. A machine that is busy with other work does not count."""

    def stop(*_):
        raise _TooLongError

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


# The solutions
def _loaded(node: ast.AST) -> set[str]:
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load)}


def _bound(node: ast.AST) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}


def _needed(names: set[str], statements: list[ast.stmt]) -> list[ast.stmt]:
    """The statements that make these names, and what those need in turn."""
    kept: list[ast.stmt] = []
    for statement in reversed(statements):
        if _bound(statement) & names:
            kept.insert(0, statement)
            names = names | _loaded(statement)
    return kept


def _checked(statement: ast.stmt) -> Iterator[tuple[str, ast.Call]]:
    for call in ast.walk(statement):
        if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("ae.check."):
            yield ast.unparse(call.func).removeprefix("ae.check."), call


def answers_in(notebook: Path) -> list[Answer]:
    """Every answer that this notebook of solutions gives to a check."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    before: list[ast.stmt] = []
    found = []
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        own: list[ast.stmt] = []
        for statement in ast.parse("".join(cell["source"])).body:
            for exercise, call in _checked(statement):
                mine = _needed(_loaded(call), own)
                needs = _needed(set().union({"ae"}, *map(_loaded, mine), _loaded(call)), before)
                code, needed = (ast.unparse(ast.Module(part, [])) for part in (mine, needs))
                found.append(Answer(exercise, ", ".join(map(ast.unparse, call.args)), needed, code))
            own.append(statement)
        before += [statement for statement in own if not any(_checked(statement))]
    return found


def all_answers() -> list[Answer]:
    """Every answer in every notebook of solutions."""
    notebooks = sorted((ROOT / "notebooks" / "solutions").glob("*.ipynb"))
    return [answer for notebook in notebooks for answer in answers_in(notebook)]


def chosen(answer: Answer, n: int) -> list[str]:
    """At most ``n`` mutants, evenly over the code, and among them all that forget a `return`."""
    mutants = answer.mutants()
    forgetful = [code for code in mutants if answer.forgets(code)]
    others = [code for code in mutants if code not in forgetful]
    room = max(n - len(forgetful), 0)
    step = max(len(others) / room, 1) if room else math.inf
    return forgetful + [others[int(i * step)] for i in range(min(room, len(others)))]


@cache
def listed() -> list[dict]:
    """The mutants that are right answers, with their reasons."""
    return tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("answer", [])


def is_listed(answer: Answer, code: str) -> bool:
    """Whether this mutant is known to be a right answer."""
    change = answer.change(code)
    return any(e["exercise"] == answer.exercise and (e["line"], e["becomes"]) == change for e in listed())


def main() -> int:
    """Print how many were made and rejected, and those that passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=PER_EXERCISE, help="at most so many an answer")
    parser.add_argument("--only", default="", help="exercises whose name contains this")
    options = parser.parse_args()
    began, made, equivalent, wrong = time.perf_counter(), 0, 0, []
    for answer in all_answers():
        if options.only not in answer.exercise:
            continue
        for code in chosen(answer, options.n):
            made += 1
            verdict = answer.verdict(code)
            passed = getattr(verdict, "passed", False)
            if passed and is_listed(answer, code):
                equivalent += 1
            elif passed or (passed is None and answer.forgets(code)):
                wrong.append(f"{answer.exercise}: {' → '.join(answer.change(code))}\n    {verdict!r}")
    print(*wrong, sep="\n")
    rejected = made - equivalent - len(wrong)
    print(f"{made} mutants, {rejected} rejected, {equivalent} right answers, {len(wrong)} passed or taken for a stub")
    print(f"{time.perf_counter() - began:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
