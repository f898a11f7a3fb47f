"""The page of a panel: one file that needs no Python and no network."""

import base64
import gzip
import json
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from anneal_edu.course import panels

PAGES = Path(__file__).parent / "pages"
ROW = 420  # points of plots that stand side by side on a telephone, all at one scale
FILM = Path(panels.__file__).with_name("film.js")


def page_of(frames: dict, lessons: list[tuple[str, str]] = (), kind: str = "") -> str:
    """The page that shows frames; ``lessons`` (address, title) are those that use the panel.

    The kind "card" shows the picture alone, which moves when it is touched.
    """
    first = next(iter(frames["scenes"].values()))
    sentence, numbers, *_ = frames["frames"][first]
    across = [box for box in frames["plots"] if box[1] == frames["plots"][0][1]]
    packed = json.dumps(frames, ensure_ascii=False, separators=(",", ":")).encode()
    template = Environment(loader=FileSystemLoader(PAGES), autoescape=True).get_template("panel.html.j2")
    return template.render(
        frames,
        sentence=frames["sentences"][sentence],
        numbers=frames["numbers"][numbers],
        first=_first_picture(frames, frames["whole"][first]),
        row=max(ROW, *(box[2] for box in frames["plots"])),
        shape=round(sum(box[2] for box in across) / across[0][3], 3),
        lessons=lessons,
        kind=kind,
        style=(PAGES / "player.css").read_text("utf-8"),
        player=FILM.read_text("utf-8") + (PAGES / "player.js").read_text("utf-8"),
        packed=base64.b64encode(gzip.compress(packed, 9, mtime=0)).decode(),
    )


def glance(frames: dict, scene: str) -> dict:
    """Of the frames, the first plot of a scene at all its times."""
    time = [control["name"] for control in frames["controls"]].index(frames["plays"])
    key = frames["scenes"][scene].split(".")
    shown = {}
    for moment in map(str, range(len(frames["controls"][time]["values"]))):
        said, _, plot, *_ = frames["frames"][".".join([*key[:time], moment, *key[time + 1 :]])]
        shown[moment] = [said, 0, plot]
    whole = frames["whole"][frames["scenes"][scene]][:1]
    used = {piece for plot in [*whole, *(plot for _, _, plot in shown.values())] for piece in plot}
    film = frames["films"][".".join([*key[:time], "*", *key[time + 1 :]])]
    views = film["views"][:1]
    moving = {array for view in views for layer in view["layers"] for array in layer["arrays"].values()}
    return frames | {
        "plots": frames["plots"][:1],
        "controls": [frames["controls"][time]],
        "scenes": {scene: key[time]},
        "whole": {key[time]: whole},
        "films": {"*": film | {"views": views}},
        "pieces": [piece if i in used else "" for i, piece in enumerate(frames["pieces"])],
        "arrays": [array if i in moving else "" for i, array in enumerate(frames["arrays"])],
        "numbers": [[]],
        "frames": shown,
    }


def _first_picture(frames: dict, shown: list) -> str:
    """The picture that is shown until the player has started."""
    made = f'<svg class="shared"><defs>{frames["shared"]}</defs></svg>'
    for box, pieces in zip(frames["plots"], shown, strict=True):
        inside = "".join(frames["pieces"][piece] for piece in pieces)
        made += f'<div style="--width: {box[2]}"><svg viewBox="{" ".join(map(str, box))}">{inside}</svg></div>'
    return made
