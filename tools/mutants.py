"""Plant small faults in the library, one at a time, and count those that no test sees.

    python tools/mutants.py --n 300 --seed 0               (make mutants N=300 SEED=0)
    python tools/mutants.py --at anneal_edu/annealing/ais.py:70   all that can be planted in one line

Cosmic Ray makes the faults (the mutants): another operator, another number, a condition turned round. One operator is
ours: it leaves out a keyword argument, because an option that moves nothing is what tests miss most. A mutant is killed
when a test fails or hangs. Those that no test could see, since the program does the same, stand with their reasons
in tests/equivalent_mutants.toml. Everything happens in copies; the working tree is only read.

Which tests run a line, and for how long, is measured once and kept in build/mutants/; a change in the library measures
it anew (minutes), a change in a test file only that file. A mutant meets first the quickest tests that run its
statement, and if it survives these, the others of their files, up to a budget of processor time.
"""

import argparse
import ast
import difflib
import hashlib
import json
import os
import queue
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Example, Operator
from cosmic_ray.plugins import get_operator
from parso.python.tree import PythonNode

ROOT = Path(__file__).resolve().parents[1]
LINES = ROOT / "build" / "mutants" / "lines.json"
EQUIVALENT = ROOT / "tests" / "equivalent_mutants.toml"
# They draw pictures, run experiments and check exercises; what they need of the library, its own tests must see.
NOT_LIBRARY = {"course"}
OF_TOOLS = {"test_benchmarks.py", "test_margins.py", "test_processors.py", "test_seed_shift.py"}
OF_SIGNATURES = "tests/test_defaults.py"  # they look at defaults without a call, which no list of lines shows
NO_TESTS_OF_THE_LIBRARY = NOT_LIBRARY | OF_TOOLS | {"browser", "notebooks"}

ARITHMETIC = "Add_Sub Sub_Add Mul_Div Div_Mul FloorDiv_Mul Mod_Mul Pow_Mul LShift_RShift RShift_LShift"
LOGIC = "BitAnd_BitOr BitOr_BitAnd BitXor_BitAnd"
COMPARISONS = "Lt_LtE LtE_Lt Gt_GtE GtE_Gt Eq_NotEq NotEq_Eq Is_IsNot IsNot_Is"
SIGNS = "USub_UAdd Delete_Not Delete_Invert"
OTHERS = """NumberReplacer AddNot ReplaceTrueWithFalse ReplaceFalseWithTrue ReplaceAndWithOr ReplaceOrWithAnd
    ReplaceBreakWithContinue ReplaceContinueWithBreak ExceptionReplacer ZeroIterationForLoop"""
OPERATORS = [
    *(f"core/ReplaceBinaryOperator_{pair}" for pair in (ARITHMETIC + " " + LOGIC).split()),
    *(f"core/ReplaceComparisonOperator_{pair}" for pair in COMPARISONS.split()),
    *(f"core/ReplaceUnaryOperator_{pair}" for pair in SIGNS.split()),
    *(f"core/{name}" for name in OTHERS.split()),
]
NUMBERS = {"core/NumberReplacer", "core/ReplaceUnaryOperator_USub_UAdd"}
# Of progress bars, a program's help, ASCII files and printed fields; zip's claim that lengths agree, a check; numpy's
# own warnings.
UNSEEN_KEYWORDS = {
    *("desc", "description", "disable", "help", "metavar", "progress", "total"),
    *("encoding", "repr", "strict", "over", "invalid", "divide"),
}  # fmt: skip
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
FIRST = 60  # so many tests are met at first
CONTROLS = 3  # mutants whose tests are run without them
EXIT_PASSED, EXIT_NOT_FOUND = 0, 4


class DropKeyword(Operator):
    """Leave a keyword argument out of a call."""

    @staticmethod
    def _keywords(node):
        if not isinstance(node, PythonNode) or node.type not in ("arglist", "trailer"):
            return []
        if node.type == "trailer" and node.children[0].value != "(":
            return []
        arguments = enumerate(node.children)
        return [i for i, child in arguments if child.type == "argument" and child.children[1] == "="]

    def mutation_positions(self, node):
        return [(node.children[i].start_pos, node.children[i].end_pos) for i in self._keywords(node)]

    def mutate(self, node, index):
        i = self._keywords(node)[index]
        comma = i + 1 if i + 1 < len(node.children) and node.children[i + 1] == "," else i - 1
        kept = node.children[comma] == ","
        node.children = [child for j, child in enumerate(node.children) if j != i and not (kept and j == comma)]
        return node

    @classmethod
    def examples(cls):
        return (Example("f(a, b=1, c=2)", "f(a, c=2)"), Example("f(b=1)", "f()"), Example("f(a, b=1)", "f(a)"))


@dataclass(frozen=True)
class Mutant:
    """A fault that can be planted: where it stands, and the lines that it takes away and puts in their place."""

    file: str
    start: tuple
    end: tuple
    operator: str
    occurrence: int

    def operator_instance(self):
        return DropKeyword() if self.operator == "DropKeyword" else get_operator(self.operator)()

    def code(self):
        return mutate_code(source(self.file), self.operator_instance(), self.occurrence)

    def change(self):
        """The changed lines before and after, with single spaces, as the list of equivalent mutants is read."""
        lines = list(difflib.ndiff(source(self.file).splitlines(), self.code().splitlines()))
        return tuple(words(" ".join(line[2:] for line in lines if line.startswith(sign))) for sign in ("- ", "+ "))

    def __str__(self):
        before, after = self.change()
        return f"{self.file}:{self.start[0]}\n    - {before}\n    + {after}"


@cache
def source(file):
    return (ROOT / file).read_text(encoding="utf-8")


def library_files():
    """The modules whose faults count, as paths from the root."""
    files = sorted((ROOT / "anneal_edu").rglob("*.py"))
    inside = [file.relative_to(ROOT) for file in files if file.name != "__main__.py"]
    public_names = Path("anneal_edu", "__init__.py")
    return [file.as_posix() for file in inside if not NOT_LIBRARY & set(file.parts) and file != public_names]


def span(node):
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def without_consequence(file):
    """The spans of code whose result is words, types or a progress bar."""
    for node in ast.walk(ast.parse(source(file))):
        if isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom):
            yield span(node)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from map(span, node.decorator_list)
            if node.name in ("__repr__", "__str__", "_repr_html_"):
                yield span(node)
            for argument, default in parameters(node):
                if argument.arg in UNSEEN_KEYWORDS:
                    yield span(default)
            if getattr(node, "returns", None):
                yield span(node.returns)
        elif isinstance(node, ast.arg | ast.AnnAssign) and node.annotation:
            yield span(node.annotation)
        elif isinstance(node, ast.keyword) and node.arg in UNSEEN_KEYWORDS:
            yield span(node)


def parameters(function):
    """The parameters that have a default, with it."""
    if isinstance(function, ast.ClassDef):
        return
    named = function.args.posonlyargs + function.args.args
    yield from zip(named[len(named) - len(function.args.defaults) :], function.args.defaults, strict=True)
    pairs = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    yield from ((argument, default) for argument, default in pairs if default)


def in_bytes(file, position):
    """A position of parso, whose columns count characters, as one of ast, whose columns count bytes."""
    line, column = position
    return line, len(source(file).splitlines()[line - 1][:column].encode())


def mutants_of(file):
    tree = get_ast(source(file))
    silent = list(without_consequence(file))
    for name in ["DropKeyword", *OPERATORS]:
        operator = DropKeyword() if name == "DropKeyword" else get_operator(name)()
        places = (place for node in ast_nodes(tree) for place in operator.mutation_positions(node))
        for occurrence, (start, end) in enumerate(places):
            first, last = in_bytes(file, start), in_bytes(file, end)
            if not any(low <= first and last <= high for low, high in silent):
                yield Mutant(file, start, end, name, occurrence)


def draw(n, seed):
    """A random sample of n mutants without repetition, and how many there are to draw from."""
    everything = [mutant for file in library_files() for mutant in mutants_of(file)]
    shuffled = random.Random(seed).sample(everything, len(everything))
    return list(islice(filter(is_another_program, shuffled), n)), len(everything)


def standing_at(place):
    """All mutants of a file, or of one of its lines."""
    file, _, line = place.partition(":")
    return [m for m in mutants_of(file) if line in ("", str(m.start[0])) and is_another_program(m)]


def is_another_program(mutant):
    """Whether Python reads a mutant, and reads something else: 1e100 + 1 is 1e100.

    Of exceptions that are named with a point, `except zlib.error`, Cosmic Ray offers a mutant that it cannot make.
    """
    try:
        return ast.dump(ast.parse(mutant.code())) != ast.dump(ast.parse(source(mutant.file)))
    except (SyntaxError, AttributeError):
        return False


class Equivalents:
    """Mutants that no test could see, as listed: one by one, or all in which a number that is a choice is another."""

    def __init__(self):
        listed = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))
        self.changes = {(one["file"], words(one["line"]), words(one["becomes"])) for one in listed["mutant"]}
        self.choices = {(one["file"], words(one["line"])) for one in listed["choice"]}

    def __contains__(self, mutant):
        before, after = mutant.change()
        chosen = mutant.operator in NUMBERS and (mutant.file, before) in self.choices
        return chosen or (mutant.file, before, after) in self.changes


def words(text):
    return " ".join(text.split())


def enclosing(file, mutant):
    """The line ranges of what surrounds a mutant, from its statement (of a compound one the head) outwards."""
    first, last = in_bytes(file, mutant.start), in_bytes(file, mutant.end)
    statements = (node for node in ast.walk(ast.parse(source(file))) if isinstance(node, ast.stmt))
    around = [node for node in statements if span(node)[0] <= first and last <= span(node)[1]]
    around.sort(key=lambda node: span(node)[0], reverse=True)
    for depth, node in enumerate(around):
        body = getattr(node, "body", None)
        head = depth == 0 and body and isinstance(node, ast.If | ast.For | ast.While | ast.With | ast.Try)
        yield range(node.lineno, (body[0].lineno if head else node.end_lineno + 1))
    yield range(1, len(source(file).splitlines()) + 1)


def in_a_signature(mutant):
    """Whether a mutant changes a parameter, a field of a class, or a default: no test need make a call to see it."""
    first, last = in_bytes(mutant.file, mutant.start), in_bytes(mutant.file, mutant.end)
    around = [node for node in ast.walk(ast.parse(source(mutant.file))) if holds(node, first, last)]
    heads = (span(node.body[0])[0] for node in around if isinstance(node, ast.FunctionDef))
    fields = (field for node in around if isinstance(node, ast.ClassDef) for field in node.body)
    return any(last <= body for body in heads) or any(
        isinstance(field, ast.AnnAssign) and holds(field, first, last) for field in fields
    )


def holds(node, first, last):
    return hasattr(node, "lineno") and span(node)[0] <= first and last <= span(node)[1]


def copy_tree(target):
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def run_pytest(folder, options, tests, limit, **environment):
    """Run pytest in a copy; return its exit status, or None if it took too long."""
    variables = os.environ | ENVIRONMENT | {"PYTHONPATH": f"{folder}{os.pathsep}{folder / 'tools'}"} | environment
    listed, said = folder / "build" / "tests", folder / "build" / "said"
    listed.parent.mkdir(exist_ok=True)
    listed.write_text("\n".join(tests), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "--tb=line", "--thorough", "-p", "no:cacheprovider"]
    command += [*options, f"@{listed}"]
    with said.open("w") as output:
        process = subprocess.Popen(
            command, cwd=folder, env=variables, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None


def digest(files):
    return hashlib.sha256(b"".join(Path(file).read_bytes() for file in sorted(files))).hexdigest()


def test_files():
    """The files whose tests may kill: the tests of the library, and its docstrings."""
    tests = [file.relative_to(ROOT) for file in sorted((ROOT / "tests").rglob("test_*.py"))]
    tests = [file.as_posix() for file in tests if not NO_TESTS_OF_THE_LIBRARY & set(file.parts)]
    return tests + library_files()


def line_map(jobs):
    """Every test with its seconds and the lines that it runs, measured anew where files have changed."""
    common = digest([*(ROOT / "anneal_edu").rglob("*.py"), ROOT / "conftest.py", ROOT / "tools" / "line_map.py"])
    now = {file: digest([ROOT / file]) for file in test_files()}
    known = json.loads(LINES.read_text(encoding="utf-8")) if LINES.exists() else {}
    if known.get("library") != common:
        known = {"library": common, "files": {}, "tests": {}}
    stale = [file for file in now if known["files"].get(file) != now[file]]
    if stale:
        print(f"Which lines does each test run? {len(stale)} files of tests are measured.", flush=True)
        kept = {test: found for test, found in known["tests"].items() if test.split("::")[0] in now.keys() - set(stale)}
        with tempfile.TemporaryDirectory() as folder:
            copy, found = Path(folder, "copy"), Path(folder, "found")
            copy.mkdir(), found.mkdir()
            copy_tree(copy)
            parallel = ["-p", "xdist", "-n", str(jobs), "--dist", "loadfile"] if jobs > 1 else []
            if run_pytest(copy, ["-p", "line_map", *parallel], stale, None, LINE_MAP=str(found)) != EXIT_PASSED:
                print("Some tests fail without any mutant, and are left out:", flush=True)
                print((copy / "build" / "said").read_text()[-4000:], flush=True)
            for part in found.glob("*.json"):
                kept |= json.loads(part.read_text(encoding="utf-8"))
        if not kept:
            sys.exit("No test was measured: is the program sound?")
        known |= {"files": now, "tests": kept}
        LINES.parent.mkdir(parents=True, exist_ok=True)
        LINES.write_text(json.dumps(known), encoding="utf-8")
    return known["tests"]


class Trial:
    """Copies of the working tree in which mutants are planted, and the tests that they meet."""

    def __init__(self, tests, copies, budget):
        self.tests, self.budget = tests, budget
        self.free = queue.SimpleQueue()
        for copy in copies:
            self.free.put(copy)
        self.by_line = {}
        for test, found in tests.items():
            for file, lines in found["lines"].items():
                for line in lines:
                    self.by_line.setdefault((file, line), set()).add(test)

    def tests_for(self, mutant):
        """First the quickest tests that run the statement, then the rest of these and of their files, within budget."""

        def quickness(test):
            return self.tests[test]["seconds"]

        for lines in enclosing(mutant.file, mutant):
            running = set().union(*(self.by_line.get((mutant.file, line), ()) for line in lines))
            if running:
                break
        files = {test.split("::")[0] for test in running}
        beside = [test for test in self.tests if test.split("::")[0] in files and test not in running]
        of_head = [test for test in self.tests if test.startswith(OF_SIGNATURES) and in_a_signature(mutant)]
        ordered = of_head + sorted(running, key=quickness) + sorted(beside, key=quickness)
        first, rest, spent = ordered[:FIRST], [], 0.0
        for test in ordered[FIRST:]:
            spent += quickness(test)
            if spent < self.budget:
                rest.append(test)
        return [batch for batch in (first, rest) if batch]

    def verdict(self, mutant, planted=True):
        """'killed', 'hangs' or 'survives'; unplanted, its tests run on the program as it is."""
        folder = self.free.get()
        file = folder / mutant.file
        as_it_was = file.stat()
        try:
            if planted:
                file.write_text(mutant.code(), encoding="utf-8")
            for batch in self.tests_for(mutant):
                seconds = sum(self.tests[test]["seconds"] for test in batch)
                outcome = run_pytest(folder, ["-x"], batch, 60 + 20 * seconds)
                if outcome == EXIT_NOT_FOUND:  # the mutant has renamed a test, so name their files
                    outcome = run_pytest(folder, ["-x"], {test.split("::")[0] for test in batch}, 60 + 20 * seconds)
                if outcome != EXIT_PASSED:
                    return "hangs" if outcome is None else "killed"
            return "survives"
        finally:
            shutil.copy2(ROOT / mutant.file, file)
            os.utime(file, ns=(as_it_was.st_atime_ns, as_it_was.st_mtime_ns))
            self.free.put(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--n", type=int, default=300, help="how many mutants are drawn")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--at", nargs="+", metavar="FILE[:LINE]", help="all mutants of these places instead of a draw")
    parser.add_argument("--jobs", type=int, default=2, help="how many are tried at once")
    parser.add_argument("--budget", type=float, default=60, help="seconds of tests for one that survives the first")
    parser.add_argument("--goal", type=float, default=0.95, help="the least share that is killed or equivalent")
    options = parser.parse_args()

    if options.at:
        drawn = [mutant for place in options.at for mutant in standing_at(place)]
        print(f"{len(drawn)} mutants at {', '.join(options.at)}", flush=True)
    else:
        drawn, size = draw(options.n, options.seed)
        print(f"{len(drawn)} of {size} mutants, seed {options.seed}", flush=True)
    equivalents = Equivalents()
    tests = line_map(options.jobs)
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        copies = [Path(folder, str(number)) for number in range(options.jobs)]
        for copy in copies:
            copy.mkdir()
            copy_tree(copy)
        trial = Trial(tests, copies, options.budget)

        def judge(mutant):
            verdict = "equivalent" if mutant in equivalents else trial.verdict(mutant)
            if verdict == "survives":
                print(f"survives: {mutant}", flush=True)
            return verdict

        for mutant in drawn[:CONTROLS]:
            if trial.verdict(mutant, planted=False) != "survives":
                sys.exit(f"The tests of {mutant.file}:{mutant.start[0]} fail without it: no verdict can be trusted.")
        verdicts = []
        for verdict in pool.map(judge, drawn):
            verdicts.append(verdict)
            if len(verdicts) % 25 == 0:
                print(f"… {len(verdicts)} of {len(drawn)}", flush=True)
    counts = Counter(verdicts)
    score = 1 - counts["survives"] / len(drawn)
    print(f"\n{'module':<52} drawn  survive")
    for file in sorted({mutant.file for mutant in drawn}):
        here = [verdict for mutant, verdict in zip(drawn, verdicts, strict=True) if mutant.file == file]
        print(f"{file:<52} {len(here):5}  {here.count('survives') or '':>7}")
    print(f"\n{score:.1%} killed or equivalent:", ", ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items())))
    print(f"{(time.perf_counter() - begin) / len(drawn):.1f} seconds a mutant, {options.jobs} at once")
    sys.exit(score < options.goal)


if __name__ == "__main__":
    main()
