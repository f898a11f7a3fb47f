"""Build the course as a site of static pages, which a browser opens from a server or from a folder on disk.

    python tools/course_site.py            all of it, into site
    python tools/course_site.py --jobs 4   panels drawn in four processes

Lessons come from the stored outputs of the notebooks: nothing is executed. The pictures of a panel are drawn again only
if its code, or a model that it reads, has changed.
"""

import argparse
import pkgutil
import re
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import nbformat

import anneal_edu
import kept_frames
import lesson_pages
import panel_pages
from anneal_edu.course import panels

ROOT = Path(__file__).parents[1]
SITE = ROOT / "site"
SOURCE = ROOT / "build" / "site-source"
PAGES = Path(__file__).parent / "pages"
LESSONS = sorted(ROOT.glob("notebooks/*.ipynb"))
BESIDE = {room: sorted(ROOT.glob(f"notebooks/{room}/*.ipynb")) for room in ("papers", "deeper")}
ROOMS = {
    "distributions": "Distributions", "kernels": "Kernels", "paths": "Paths and schedules", "annealing": "Annealing",
    "tempering": "Tempering", "reweighting": "Reweighting", "estimate": "Estimates", "weights": "Weights",
    "training": "Training", "data": "Data", "models": "Stored models", "course.figures": "Figures",
    "course.panels": "Panels in Python", "course.experiments": "The papers' experiments",
}  # fmt: skip
TOPICS = {  # panel → the scene in which it rests on the first page
    "TwoPaths": "halfway", "WhereToStart": "no tilt", "OneLadder": "sixty sweeps later",
    "BiasDecay": "six doublings later",
}  # fmt: skip
ANCHOR = re.compile(r'^<a id="([\w-]+)"></a>', re.MULTILINE)
CODE = re.compile(r"\[([^\]]*)\]\(\.\./anneal_edu/([\w/]+)\.py(?:#([\w.]+))?\)")


def write(path: Path, text: str) -> None:
    """Write a file if its contents change; Sphinx builds only what is newer than its page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def write_sources(folder: Path = SOURCE, lessons: list[Path] = LESSONS, rooms: dict[str, str] = ROOMS) -> None:
    """Write all that Sphinx reads."""
    for path in lessons:
        solutions = ROOT / "notebooks" / "solutions" / path.name
        page = lesson_pages.page_of(read(path), read(solutions))
        write(folder / "lessons" / path.name, nbformat.writes(page))
        page = lesson_pages.solutions_page(read(solutions))
        write(folder / "lessons" / "solutions" / path.name, nbformat.writes(page))
    for room, paths in BESIDE.items():
        for path in paths:
            text = nbformat.writes(lesson_pages.page_of(read(path))).replace("../panels/", "../../panels/")
            write(folder / "lessons" / room / path.name, text)
    for name in ("equations", "errata", "lecturing", "where_it_runs", "your_own_problem"):
        text = CODE.sub(reference_of, (ROOT / "docs" / f"{name}.md").read_text("utf-8"))
        write(folder / f"{name}.md", ANCHOR.sub(r"(\1)=\n", text).replace("](../notebooks/", "](lessons/"))
    for room in rooms:
        write(folder / "reference" / f"{room}.md", reference(room))
    write(folder / "panels.md", panel_list(lessons))
    write(folder / "index.md", front(lessons, rooms))
    for name in ("conf.py", "_static/site.css", "_static/site.js", "_static/favicon.svg"):
        write(folder / name, (PAGES / Path(name).name).read_text("utf-8"))
    copies = {
        folder / "prerequisites.png": ROOT / "docs" / "prerequisites.png",
        folder / "_static" / "digits.webp": ROOT / "docs" / "digits.webp",
        folder / "_static" / "digits.png": ROOT / "docs" / "digits.png",
        folder / "_static" / "mathjax.js": files("sphinx-mathjax-offline") / "static" / "mathjax" / "tex-svg-full.js",
    }
    for to, of in copies.items():
        if not to.exists() or to.read_bytes() != of.read_bytes():
            shutil.copyfile(of, to)


def read(path: Path):
    return nbformat.read(path, as_version=4)


def room_of(module: str) -> str:
    """The room whose page of reference has a module such as ``paths.geometric``."""
    return next((room for room in ROOMS if module == room or module.startswith(f"{room}.")), "")


def reference_of(link: re.Match) -> str:
    """Turn a link into the source into one to the page of reference, which links to the source."""
    words, module, name = link[1], link[2].replace("/", ".").removesuffix(".__init__"), link[3]
    room = room_of(module)
    if not room:
        return words
    name = name and re.sub(r"\.?\b_.*", "", name)  # what is private stands in no reference
    anchor = f"anneal_edu.{module}.{name}" if name else f"module-anneal_edu.{module}"
    return f'<a href="reference/{room}.html#{anchor}">{words}</a>'


def reference(room: str) -> str:
    """The page of a room: every module in it, from the docstrings."""
    package = anneal_edu.__name__ + "." + room
    here = pkgutil.resolve_name(package)
    modules = [package, *(f"{package}.{m.name}" for m in pkgutil.iter_modules(getattr(here, "__path__", ())))]
    parts = [f"# {ROOMS[room]}"]
    for module in modules:
        if not module.endswith("__main__"):
            options = "" if module == package and len(modules) > 1 else "\n   :members:\n   :exclude-members: set"
            parts.append(f"## {module}\n\n```{{eval-rst}}\n.. automodule:: {module}{options}\n```")
    return "\n\n".join(parts) + "\n"


def uses(lessons: list[Path]) -> dict[str, list[tuple[str, str]]]:
    """Panel → (address, title) of the lessons that show it."""
    found = {}
    for path in lessons:
        lesson = read(path)
        title = f"{path.stem[:2]} {lesson_pages.title_of(lesson)}"
        for name, _, _ in lesson_pages.panels_of(lesson):
            found.setdefault(name, {})[f"../lessons/{path.stem}.html"] = title
    return {name: list(where.items()) for name, where in found.items()}


def states_shown(lessons: list[Path]) -> dict[str, tuple]:
    """Panel → the states in which lessons show it."""
    found: dict[str, list] = {}
    for path in lessons:
        for name, settings, _ in lesson_pages.panels_of(read(path)):
            known = found.setdefault(name, [])
            known += [settings] if settings not in known else []
    return {name: tuple(states) for name, states in found.items()}


def write_panels(folder: Path, jobs: int, lessons: list[Path] = LESSONS, cache: Path = kept_frames.CACHE) -> None:
    """Write the page of every panel that a lesson shows, and the small pictures of the first page."""
    used = uses(lessons)
    states = states_shown([*lessons, *(path for paths in BESIDE.values() for path in paths)])
    for name, frames in kept_frames.frames_of_all({name: states[name] for name in used}, jobs, cache).items():
        write(folder / f"{name}.html", panel_pages.page_of(frames, used[name]))
        if name in TOPICS:
            page = panel_pages.page_of(panel_pages.glance(frames, TOPICS[name]), kind="card")
            write(folder.with_name("topics") / f"{name}.html", page)


def panel_list(lessons: list[Path]) -> str:
    """The page that leads to every panel."""
    parts = ["# All panels", "Each opens on a page of its own, with all its scenes: for a phone, or the lecture hall."]
    for name, where in uses(lessons).items():
        kind = getattr(panels, name)
        of = ", ".join(f"[lesson {title[:2]}]({address[3:].replace('.html', '.ipynb')})" for address, title in where)
        scenes = " · ".join(kind.scenes)
        parts.append(f'**<a href="panels/{name}.html">{kind.title}</a>** ({of})  \n{scenes}')
    return "\n\n".join(parts) + "\n"


def front(lessons: list[Path], rooms: dict[str, str]) -> str:
    """The first page."""
    rows, names = [], []
    for path in lessons:
        lesson = read(path)
        title = lesson_pages.title_of(lesson)
        names.append(f"{path.stem[:2]} {title} <lessons/{path.stem}>")
        rows.append(f"* {path.stem[:2]} [{title}](lessons/{path.name}) ({lesson_pages.minutes(lesson)} min)")
    text = (PAGES / "index.md").read_text("utf-8")
    for room, paths in BESIDE.items():
        pages = [f"lessons/{room}/{path.stem}" for path in paths]
        titles = [lesson_pages.title_of(read(path)) for path in paths]
        links = (f"* [{title}]({page}.ipynb)" for title, page in zip(titles, pages, strict=True))
        text = text.replace(f"{room.upper()}_LIST", "\n".join(links)).replace(f"{room.upper()}_NAMES", "\n".join(pages))
    references = "\n".join(f"reference/{room}" for room in rooms)
    return text.replace("LESSONS", "\n".join(rows)).replace("NAMES", "\n".join(names)).replace("ROOMS", references)


def build_pages(source: Path, site: Path) -> None:
    """Let Sphinx build what has changed."""
    read = source.with_name(f"{source.name}-read")
    subprocess.run([sys.executable, "-m", "sphinx", "-q", "-d", str(read), str(source), str(site)], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2, help="processes that draw panels (default: %(default)s)")
    jobs = parser.parse_args().jobs
    write_panels(SITE / "panels", jobs)
    write_sources()
    build_pages(SOURCE, SITE)


if __name__ == "__main__":
    main()
