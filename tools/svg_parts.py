"""Cut figures into pieces of SVG, so that similar pictures can share most pieces.

A piece is one artist of one Axes: its name, the column of the picture in which it stands, and its SVG. What pieces
refer to, letters, markers and clipping regions, is kept once for all pictures.
"""

import re
import xml.etree.ElementTree as ET
from typing import NamedTuple

from matplotlib.figure import Figure
from matplotlib.image import AxesImage

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"
_NUMBER = re.compile(r"-?\d+\.\d+")
_NUMBERS = re.compile(r"-?\d+(?:\.\d+)?")
_DOT = re.compile(r"M[^MCLz]+(C[^MCLz]+){8}z")
_REFERENCE = re.compile(r"(?<=[\"(]#)[\w.-]+")


class Piece(NamedTuple):
    """One artist: the number of its Axes (None: it belongs to the figure), its name if it has one, its SVG."""

    axes: int | None
    name: str
    svg: str


class Shared:
    """What the pieces of all pictures refer to, once each, under short names."""

    def __init__(self):
        self.names = {}  # SVG with ID in place of its name → its name

    def adopt(self, element) -> str:
        """The short name of a letter, marker or clipping region."""
        element.attrib.pop("id")
        element.tag = element.tag.removeprefix(SVG)
        return self.names.setdefault(_written(element), f"d{len(self.names):x}")

    def svg(self) -> str:
        """All of it, to stand in ``<defs>``."""
        return "".join(re.sub(r"^<(\w+)", rf'<\1 id="{name}"', svg) for svg, name in self.names.items())


def pieces_of(figure: Figure, shared: Shared) -> list[Piece]:
    """The pieces of a `LectureFigure`, from the lowest to the topmost."""
    for image in figure.findobj(AxesImage):
        if image.get_interpolation() != "bilinear":
            image.set_interpolation("none")  # its own pixels, which the browser enlarges
    root, renamed = ET.fromstring(figure.svg()), {}
    for parent in [*root.iter()]:
        for defs in parent.findall(f"{SVG}defs"):
            renamed |= {name: shared.adopt(thing) for thing in [*defs] if (name := thing.get("id"))}
            parent.remove(defs)
    return [
        Piece(axes, name, _REFERENCE.sub(lambda found: renamed[found[0]], _written(element, name)))
        for axes, name, element in _artists(root, figure)
    ]


def _artists(root, figure):
    """(number of its Axes, name, element) of every artist."""
    names = {artist.get_gid() for ax in figure.axes for artist in ax.get_children()} - {None}
    axes = iter([i for i, ax in sorted(enumerate(figure.axes), key=lambda at: at[1].get_zorder()) if ax.get_visible()])
    for outer in [*root.find(f"{SVG}g")][1:]:  # the first is the background of the figure
        if outer.get("id", "").startswith("axes_"):
            here = next(axes)
            for inner in outer:
                name = inner.get("id", "")
                yield here, name if name in names else "", inner
        else:
            yield None, "", outer


def _written(element, name="") -> str:
    """The SVG of an element without whitespace, names of groups and invisible digits."""
    for each in element.iter():
        each.tag = each.tag.removeprefix(SVG)
        each.attrib.pop("id", None)
        each.text = each.tail = None
        for attribute, value in [*each.attrib.items()]:
            if attribute == HREF:
                each.set("href", re.sub(r"\s", "", each.attrib.pop(HREF)))
            elif attribute == "d":
                each.set("d", re.sub(r"\s*([A-Za-z])\s*", r"\1", _NUMBER.sub(_two_digits, value)).strip())
            elif attribute in ("x", "y"):
                each.set(attribute, _NUMBER.sub(_one_digit, value))
            elif attribute == "transform" and value.startswith("translate"):
                moved, end, rest = value.partition(")")
                each.set("transform", _NUMBER.sub(_two_digits, moved) + end + rest)
            elif attribute == "style":
                each.set("style", re.sub(r"([:;])\s+", r"\1", value))
    _shorten_dots(element)
    if name:
        element.set("data-artist", name)
    return ET.tostring(element, encoding="unicode")


def _shorten_dots(element) -> None:
    """Write a group of dots of one look, which matplotlib writes as Bézier curves, as circles."""
    looks = {(each.get("clip-path"), each.get("style")) for each in element}
    if len(element) < 2 or len(looks) > 1 or not all(_DOT.fullmatch(each.get("d", "")) for each in element):
        return
    for name, value in zip(("clip-path", "style"), looks.pop(), strict=True):
        element.set(name, value)
    for each in element:
        x, low, *points = map(float, _NUMBERS.findall(each.get("d")))
        high = points[6 * 4 - 1]  # the fourth curve ends at the other end
        each.tag, each.attrib = "circle", {}
        for name, value in (("cx", x), ("cy", (low + high) / 2), ("r", abs(low - high) / 2)):
            each.set(name, f"{value:.1f}")


def _one_digit(number) -> str:
    return f"{float(number[0]):.1f}".removesuffix(".0")


def _two_digits(number) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
