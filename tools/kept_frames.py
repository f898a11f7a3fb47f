"""The frames of every panel, drawn once and kept until its code, or a model that it reads, changes.

What was drawn is in build/site-cache, one file a panel, with a fingerprint of every module of the course that the
panel's own module needs, of how frames are made, and of each stored model that was read while drawing.
"""

import ast
import gzip
import hashlib
import importlib
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache, partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from anneal_edu.course import panels
from frames import frames_of

ROOT = Path(__file__).parents[1]
CACHE = ROOT / "build" / "site-cache"
PACKAGE = "anneal_edu"
HOW_FRAMES_ARE_MADE = tuple(Path(__file__).with_name(name) for name in ("frames.py", "svg_parts.py"))
DRAWN_WITH = "numpy", "scipy", "matplotlib", "ipywidgets", "scikit-learn"
STORED = ".npz", ".npy", ".json"

States = tuple[dict[str, str], ...]


def frames_of_all(wanted: dict[str, States], jobs: int, folder: Path = CACHE) -> dict[str, dict]:
    """Panel → its frames, of its scenes and of the states ``wanted``; only what has changed is drawn."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = [(name, states) for name, states in wanted.items() if kept(name, states, folder) is None]
    with ProcessPoolExecutor(jobs, max_tasks_per_child=1) as workers:  # a fresh process: it reads each model itself
        drawn = [workers.submit(draw_and_keep, name, states, folder) for name, states in missing]
        for done in as_completed(drawn):
            print("{}: drawn in {:.0f} s".format(*done.result()), flush=True)
    return {name: kept(name, states, folder) for name, states in wanted.items()}


def kept(name: str, states: States, folder: Path) -> dict | None:
    """The frames that are kept of a panel, if they are of today's code and models."""
    file = folder / f"{name}.json.gz"
    if not file.exists():
        return None
    found = json.loads(gzip.decompress(file.read_bytes()))
    current = found["code"] == fingerprint(name, states)
    return found["frames"] if current and all(digest(ROOT / at) == of for at, of in found["read"].items()) else None


def draw_and_keep(name: str, states: States, folder: Path) -> tuple[str, float]:
    """Draw the frames of a panel and keep them; returns its name and the seconds that it took."""
    read, start = set(), time.perf_counter()
    sys.addaudithook(partial(_note_file, read))
    frames = frames_of(getattr(panels, name), states)
    models = {at: digest(ROOT / at) for at in sorted(read)}
    found = {"code": fingerprint(name, states), "read": models, "frames": frames}
    packed = json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode()
    (folder / f"{name}.json.gz").write_bytes(gzip.compress(packed, mtime=0))
    return name, time.perf_counter() - start


def _note_file(read: set[str], event: str, what: tuple) -> None:
    if event == "open" and isinstance(what[0], str) and what[0].endswith(STORED):
        path = Path(what[0])
        if path.is_relative_to(ROOT / PACKAGE):
            read.add(str(path.relative_to(ROOT)))


def digest(path: Path) -> str:
    """A fingerprint of a file; of one that is gone, none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""


def fingerprint(name: str, states: States) -> str:
    """That of all code which draws a panel, and of the states that are wanted."""
    modules = modules_behind(getattr(panels, name).__module__)
    sources = [*HOW_FRAMES_ARE_MADE, *(Path(find_spec(module).origin) for module in sorted(modules))]
    versions = [f"{package} {version(package)}" for package in DRAWN_WITH]
    return hashlib.sha256("\n".join([repr(states), *versions, *map(digest, sources)]).encode()).hexdigest()


@cache
def modules_behind(module: str) -> frozenset[str]:
    """The module, and every module of the package that it needs, through any re-export."""
    found, waiting = set(), [module]
    while waiting:
        here = waiting.pop()
        if here not in found:
            found.add(here)
            waiting += imported_by(here)
    return frozenset(found)


@cache
def imported_by(module: str) -> frozenset[str]:
    """Modules of the package in which the names are defined that a module imports."""
    found = set()
    for node in ast.walk(ast.parse(Path(find_spec(module).origin).read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {_home(node.module, alias.name) for alias in node.names}
    return frozenset(name for name in found if name.split(".")[0] == PACKAGE)


def _home(module: str, name: str) -> str:
    """Where a name is defined that a module offers."""
    if module.split(".")[0] != PACKAGE:
        return module
    found = getattr(importlib.import_module(module), name)
    if isinstance(found, ModuleType):
        return found.__name__
    home = getattr(found, "__module__", None) or ""
    return home if home.startswith(f"{PACKAGE}.") else module
