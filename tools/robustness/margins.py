"""List comparisons in tests that came near their limits under several shifts of the seeds.

    python tools/robustness/margins.py 1 2 3 4 5 6 7 8                (make margins: eight shifts, four minutes each)
    python tools/robustness/margins.py 1 2 3 4 5 6 tests/annealing    these tests alone

A test that passes under ten shifts may fall under the eleventh. Every comparison in an assert (and every
``np.testing.assert_allclose``) has a margin: the right side of < less the left one, the smallest over an array. Over
shifts it varies. Where the median is less than 1.7 times as far from 0 as from the lowest, the comparison is listed,
the nearest to falling first; of eight normal margins that is a limit 2.4 standard deviations away.

Two kinds stand in the list without a fault: probabilities against a tiny level (they are uniform, as they should be),
and differences whose scale moves with the problem that the seed makes. To tell is the reader's part.
"""

import argparse
import ast
import atexit
import json
import linecache
import operator
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
FOLDER, SHIFT = "ANNEAL_EDU_MARGINS", "ANNEAL_EDU_MARGINS_SHIFT"
COMPARISONS = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
UPWARD = {"lt", "le"}  # the right side is the larger one
NEAR = 1.7

smallest = {}  # of this process: "test|file:line:column" -> margin


def note(place, margins):
    """Keep the smallest margin of a place in the running test."""
    margins = np.asarray(margins, dtype=float)
    if margins.size and np.isfinite(lowest := margins.min()):
        key = f"{os.environ.get('PYTEST_CURRENT_TEST', '').rpartition(' ')[0]}|{place}"
        smallest[key] = min(float(lowest), smallest.get(key, np.inf))


def compare(place, names, *sides):
    """Evaluate ``sides[0] < sides[1] < …`` and note its margins."""
    for k, name in enumerate(names):
        left, right = sides[k : k + 2]
        try:
            difference = np.subtract(right, left, dtype=float)
            note(f"{place}.{k}", difference if name in UPWARD else -difference)
        except (TypeError, ValueError):
            pass  # no numbers: sets, dates
        found = getattr(operator, name)(left, right)
        if k < len(names) - 1 and not found:
            break
    return found


class Comparisons(ast.NodeTransformer):
    """Turn every comparison by size into a call of `compare`."""

    def __init__(self, path):
        self.path = path

    def visit_Compare(self, node):
        self.generic_visit(node)
        if not all(type(op) in COMPARISONS for op in node.ops):
            return node
        call = ast.parse("__import__('margins').compare(0)", mode="eval").body
        names = [ast.Constant(COMPARISONS[type(op)].__name__) for op in node.ops]
        place = ast.Constant(f"{self.path}:{node.lineno}:{node.col_offset}")
        call.args = [place, ast.Tuple(names, ast.Load()), node.left, *node.comparators]
        return ast.fix_missing_locations(ast.copy_location(call, node))


def pytest_configure():
    """As a plugin of pytest (-p margins), change its asserts before pytest rewrites them."""
    from _pytest.assertion import rewrite

    as_pytest_does, as_numpy_does = rewrite.rewrite_asserts, np.testing.assert_allclose

    def rewrite_asserts(module, source, path=None, config=None):
        if path:
            comparisons = Comparisons(os.path.relpath(path, ROOT))
            for node in ast.walk(module):
                if isinstance(node, ast.Assert):
                    node.test = comparisons.visit(node.test)
        return as_pytest_does(module, source, path, config)

    def assert_allclose(actual, desired, rtol=1e-7, atol=0, *args, **options):
        caller = sys._getframe(1)
        with np.errstate(all="ignore"):
            try:
                margins = atol + rtol * np.abs(desired) - np.abs(np.subtract(actual, desired))
                place = f"{os.path.relpath(caller.f_code.co_filename, ROOT)}:{caller.f_lineno}:0"
                note(place, margins[np.isfinite(margins)])
            except (TypeError, ValueError):
                pass  # numpy says what is wrong
        return as_numpy_does(actual, desired, rtol, atol, *args, **options)

    rewrite.rewrite_asserts, np.testing.assert_allclose = rewrite_asserts, assert_allclose
    rewrite.PYC_TAIL = f"-margins{rewrite.PYC_TAIL}"  # the changed asserts are kept apart from pytest's own
    atexit.register(keep)


def keep():
    """Write one file per process and shift."""
    name = f"{os.environ[SHIFT]}_{os.getpid()}.json"
    Path(os.environ[FOLDER], name).write_text(json.dumps(smallest))


def run(shift, folder, which, jobs):
    """The tests under one shift; margins of the failed ones are kept too. Returns pytest's status."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {
        FOLDER: str(folder),
        SHIFT: str(shift),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT / "tools" / "robustness"), os.environ.get("PYTHONPATH")])),
        "OPENBLAS_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "margins", "-n", str(jobs), "--dist", "worksteal"]
    command += ["--thorough", "--seed-shift", str(shift), "--ignore", "tests/browser", *which]
    return subprocess.run(command, cwd=ROOT, env=environment).returncode


def nearest(folder):
    """Yield (room, margins, test, line) of what was near its limit: room is median / (median - lowest)."""
    over_shifts = defaultdict(dict)
    for file in sorted(folder.glob("*.json")):
        shift = file.name.partition("_")[0]
        for key, margin in json.loads(file.read_text()).items():
            over_shifts[key][shift] = min(margin, over_shifts[key].get(shift, np.inf))
    for key, of_shifts in over_shifts.items():
        margins = np.sort(list(of_shifts.values()))
        median, (test, _, place) = np.median(margins), key.rpartition("|")
        if len(margins) >= 4 and median > 0 and (fall := median - margins[0]) and median / fall < NEAR:
            yield median / fall, margins, test, place


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="+", help="shifts, at least four, and files or folders of tests")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "margins")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    shifts, which = [w for w in args.what if w.isdecimal()], [w for w in args.what if not w.isdecimal()]
    if len(shifts) < 4:
        parser.error("less than four shifts say nothing about a margin")
    for old in args.folder.glob("*.json"):
        old.unlink()
    for shift in shifts:
        run(int(shift), args.folder, which, args.jobs)
    for room, margins, test, place in sorted(nearest(args.folder), key=lambda found: found[0]):
        file, line, _ = place.rsplit(":", 2)
        few = " ".join(f"{m:.3g}" for m in margins[[0, 1, len(margins) // 2, -1]])
        print(f"{room:4.1f}  {test}  line {line}: {linecache.getline(str(ROOT / file), int(line)).strip()}  [{few}]")


if __name__ == "__main__":
    main()
