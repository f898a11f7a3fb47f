"""The frames of every panel, kept in build/site-cache until the library or the file of the panel changes."""

import gzip
import hashlib
import json
import re
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from importlib.metadata import version
from pathlib import Path

from anneal_edu.course import panels
from frames import frames_of

ROOT = Path(__file__).parents[1]
CACHE = ROOT / "build" / "site-cache"
PACKAGE = ROOT / "anneal_edu"
PANELS = PACKAGE / "course" / "panels"
NOT_DRAWN = PANELS, PACKAGE / "course" / "check"
DRAWN_WITH = "numpy", "scipy", "matplotlib", "ipywidgets", "scikit-learn"

States = tuple[dict[str, str], ...]


def frames_of_all(wanted: dict[str, States], jobs: int, folder: Path = CACHE) -> dict[str, dict]:
    """Panel → its frames, of its scenes and of the states ``wanted``; only what has changed is drawn."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = [(name, states) for name, states in wanted.items() if kept(name, states, folder) is None]
    with ProcessPoolExecutor(jobs) as workers:
        drawn = [workers.submit(draw_and_keep, name, states, folder) for name, states in missing]
        for done in as_completed(drawn):
            print("{}: drawn in {:.0f} s".format(*done.result()), flush=True)
    return {name: kept(name, states, folder) for name, states in wanted.items()}


def kept(name: str, states: States, folder: Path) -> dict | None:
    """The kept frames of a panel, or None if they are out of date."""
    file = folder / f"{name}.json.gz"
    if not file.exists():
        return None
    found = json.loads(gzip.decompress(file.read_bytes()))
    return found["frames"] if found["made_from"] == fingerprint(name, states) else None


def draw_and_keep(name: str, states: States, folder: Path) -> tuple[str, float]:
    """Draw the frames of a panel and keep them; returns its name and the seconds that it took."""
    start = time.perf_counter()
    found = {"made_from": fingerprint(name, states), "frames": frames_of(getattr(panels, name), states)}
    packed = json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode()
    (folder / f"{name}.json.gz").write_bytes(gzip.compress(packed, mtime=0))
    return name, time.perf_counter() - start


def fingerprint(name: str, states: States) -> str:
    """A digest of the states, of the library and its stored models, and of the files of the panel."""
    own = "".join(map(digest, sorted(files_of(getattr(panels, name).__module__.rpartition(".")[2]))))
    return hashlib.sha256(f"{states}{of_library()}{own}".encode()).hexdigest()


@cache
def of_library() -> str:
    """A digest of all code and models that can change a picture, except the files of panels."""
    sources = [path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".npz", ".npy", ".json")]
    sources = [path for path in sources if not any(path.is_relative_to(folder) for folder in NOT_DRAWN)]
    sources += [PANELS / "base.py", PANELS / "controls.py"]
    sources += [Path(__file__).with_name(name) for name in ("frames.py", "svg_parts.py")]
    return "".join([*map(version, DRAWN_WITH), *map(digest, sorted(sources))])


def files_of(module: str) -> set[Path]:
    """The file of a panel and those of panels that it imports from."""
    file = PANELS / f"{module}.py"
    imported = re.findall(r"course\.panels\.(\w+) import", file.read_text("utf-8"))
    return {file}.union(*map(files_of, imported))


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
