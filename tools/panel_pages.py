"""Write the page of a panel, one file that needs no Python and no network.

    python tools/panel_pages.py TwoPaths FirstPath     these, into site/panels
"""

import argparse
import base64
import gzip
import json
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from anneal_edu.course import panels
from frames import frames_of

ROOT = Path(__file__).parents[1]
PAGES = Path(__file__).parent / "pages"
ALL = tuple(name for name in panels.__all__ if name not in ("Panel", "Reading"))


def page_of(frames: dict, lessons: list[tuple[str, str]] = ()) -> str:
    """The page that shows frames; ``lessons`` (address, title) are those that use the panel."""
    sentence, numbers, *shown = frames["frames"][next(iter(frames["scenes"].values()))]
    width = sum(width for _, width in frames["columns"])
    packed = json.dumps(frames, ensure_ascii=False, separators=(",", ":")).encode()
    template = Environment(loader=FileSystemLoader(PAGES), autoescape=True).get_template("panel.html.j2")
    return template.render(
        frames,
        sentence=frames["sentences"][sentence],
        numbers=frames["numbers"][numbers],
        first=_first_picture(frames, shown),
        shape=round(width / frames["height"], 3),
        lessons=lessons,
        style=(PAGES / "player.css").read_text("utf-8"),
        player=(PAGES / "player.js").read_text("utf-8"),
        packed=base64.b64encode(gzip.compress(packed, 9, mtime=0)).decode(),
    )


def _first_picture(frames: dict, shown: list) -> str:
    """What is seen until the player has come, and where there is none."""
    made = f'<svg class="shared"><defs>{frames["shared"]}</defs></svg>'
    for (left, width), pieces in zip(frames["columns"], shown, strict=True):
        inside = "".join(frames["pieces"][piece] for piece in pieces)
        made += (
            f'<svg viewBox="{left} 0 {width} {frames["height"]}" style="flex: {width} 1 {width * 0.9}px">{inside}</svg>'
        )
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("panels", nargs="*", choices=ALL, help="names of panels (default: all)")
    folder = ROOT / "site" / "panels"
    folder.mkdir(parents=True, exist_ok=True)
    for name in parser.parse_args().panels or ALL:
        (folder / f"{name}.html").write_text(page_of(frames_of(getattr(panels, name))), "utf-8")


if __name__ == "__main__":
    main()
