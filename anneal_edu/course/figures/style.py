"""One look for every figure: colours that colour-blind readers tell apart, and lines and letters for the last row."""

import base64
import io
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"  # Okabe and Ito's palette, without its yellow
BLUE, VERMILION, PURPLE = "#0072B2", "#D55E00", "#CC79A7"
INDIGO, BROWN, WINE, GREY = "#332288", "#6B3D0A", "#882255", "#595959"  # dark ones; wine is grey in deuteranopia
GROUND = "#DCE6EE"
"""The ground of small pictures."""
"""Map of colours for numbers of both signs: white at 0, and in a grey copy darker at the negative end."""

_SOLID, _DASHED, _LONG, _SHORT = "-", (0, (4, 1.6)), (0, (7.5, 2)), (0, (2, 1))
_DOTTED, _SPARSE_DOTS, _SPARSE = (0, (1.2, 1.2)), (0, (1.2, 3.2)), (0, (3, 3))
_DASH_DOT, _DASH_DOT_DOT, _LONG_SHORT = (0, (6, 1.4, 1.4, 1.4)), (0, (3, 1, 1, 1, 1, 1)), (0, (5, 1.3, 2.4, 1.3))
_NO_LINE = "None"

_LOOKS = {
    # the parts that curves and marks play
    "start": (GREEN, _DASH_DOT, "<"),
    "target": (PURPLE, _DASH_DOT_DOT, ">"),
    "truth": (BLACK, _DOTTED, "*"),
    "estimate": (ORANGE, _LONG, "D"),
    "reference": (GREY, _SPARSE, "|"),
    "here": (ORANGE, _LONG, "D"),
    "theory": (BLUE, _SOLID, "o"),
    # chains
    "chains": (ORANGE, _LONG, "D"),
    "weight": (BLUE, _SOLID, "o"),
    "first": (SKY, _NO_LINE, "o"),
    "last": (BROWN, _NO_LINE, "s"),
    "refused": (WINE, _NO_LINE, "x"),
    "alone": (ORANGE, _DASHED, "s"),
    "swapping": (BLUE, _SOLID, "o"),
    "rejected swap": (VERMILION, _SHORT, "x"),
    "large modes": (SKY, _NO_LINE, "o"),
    "small modes": (VERMILION, _NO_LINE, "X"),
    "another mode": (BLUE, _SOLID, "o"),
    # paths
    "geometric": (BLUE, _SOLID, "o"),
    "moments": (VERMILION, _DASHED, "s"),
    "cheap moments": (ORANGE, _LONG_SHORT, "^"),
    "Hellinger": (GREEN, _LONG, "D"),
    "shortest": (BROWN, _SPARSE_DOTS, "X"),
    # starts
    "uniform": (ORANGE, _LONG, "D"),
    "base rate": (BLUE, _SOLID, "o"),
    "mean only": (ORANGE, _LONG, "D"),
    "diagonal": (BLUE, _SOLID, "s"),
    "full": (INDIGO, _DASHED, "^"),
    "shrunk": (GREEN, _DASHED, "s"),
    # estimators
    "AIS": (BLUE, _SOLID, "o"),
    "reverse AIS": (VERMILION, _DASHED, "s"),
    "RAISE": (GREEN, _DASH_DOT, "<"),
    "annealing model": (ORANGE, _DASH_DOT_DOT, ">"),
    "HAIS": (INDIGO, _SOLID, "h"),
    "fresh momentum": (VERMILION, _DASHED, "v"),
    "random walk": (ORANGE, _LONG, "D"),
    "longer walk": (GREEN, _DASH_DOT, "<"),
    "RTS": (ORANGE, _LONG, "D"),
    "RTS, (v, h)": (PURPLE, _DASH_DOT_DOT, "^"),
    "MBAR": (BROWN, _LONG_SHORT, "v"),
    "TI": (SKY, _DASHED, ">"),
    "RB-TI": (INDIGO, _DASH_DOT_DOT, "P"),
    "stepping stone": (WINE, _SPARSE_DOTS, "X"),
    "averaged": (BLUE, _SOLID, "P"),
    "counts": (VERMILION, _DASHED, "^"),
    # what estimators and their error bars are worth
    "began at β = 0": (BLUE, _SOLID, "o"),
    "began at the data": (VERMILION, _DASHED, "s"),
    "fitted to exact moments": (GREEN, _LONG, "D"),
    "own error": (BLUE, _SOLID, "o"),
    "true error": (VERMILION, _DASHED, "s"),
    "sound": (BLUE, _SOLID, "o"),
    "faulty": (VERMILION, _DASHED, "X"),
    "missed": (WINE, _NO_LINE, "X"),
    # training
    "CD-1": (PURPLE, _LONG_SHORT, "^"),
    "CD-25": (WINE, _SPARSE, "P"),
    "PCD": (ORANGE, _DASHED, "s"),
    "PCD, 10 steps": (VERMILION, _LONG, "D"),
    "PCD, 10 times the chains": (BROWN, _SPARSE_DOTS, "v"),
    "PCD, 10 small updates": (GREEN, _SHORT, "X"),
    "PT, coin": (SKY, _DASH_DOT, "<"),
    "PT, even-odd": (BLUE, _SOLID, "o"),
    "PT, lifted": (INDIGO, _DASH_DOT_DOT, ">"),
    "training data": (SKY, _DASH_DOT, "^"),
    "held-out data": (VERMILION, _DASHED, "s"),
    # image models
    "linear, Gaussian": (SKY, _SPARSE_DOTS, "P"),
    "linear, Laplace": (PURPLE, _DASH_DOT_DOT, "v"),
    "Laplace experts": (ORANGE, _LONG, "D"),
    "Student-t experts": (BLUE, _SOLID, "o"),
    "mcRBM": (BROWN, _LONG_SHORT, ">"),
    "bilinear": (GREEN, _DASH_DOT, "^"),
    "ours": (BLUE, _SOLID, "o"),
    "the paper's": (VERMILION, _DASHED, "s"),
}

STYLES = {name: dict(zip(("color", "linestyle", "marker"), look, strict=True)) for name, look in _LOOKS.items()}
"""Colour, line style and marker of each thing that figures show, the same in every lesson.

Things that are seen in one picture differ in line style and in marker, and in colour for colour-blind readers too.
"""

_DEFAULTS = {name: value for name, value in mpl.rcParamsDefault.items() if name != "backend"}
_PROJECTED = {
    "font.size": 13,
    "axes.titlesize": 14,
    "axes.titlelocation": "left",
    "axes.titley": 1.0,  # to look for a better place takes a tenth of the time
    "axes.linewidth": 1.2,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.formatter.useoffset": False,
    "lines.linewidth": 2.6,
    "lines.markersize": 7,
    "xtick.major.width": 1.2,
    "ytick.major.width": 1.2,
    "legend.framealpha": 0.85,
    "legend.edgecolor": "none",
    "legend.fontsize": 13,
    "legend.handlelength": 2.8,
    "legend.columnspacing": 1.2,
}


_LECTURE_LETTERS = 13  # points, of the smallest letters of a lecture
_SMALLEST = 1 / 35  # their height, against that of the screen
_SCREEN = 0.97, 0.66  # the share of a screen's width and height that is left for a picture
_LETTERS_PER_INCH = 9.6  # of 14 points, on average

_entered = False


@contextmanager
def projected() -> Iterator[None]:
    """Matplotlib's defaults with larger letters and thicker lines, whatever the session has set.

    Use it as ``@projected()`` on a function that draws, or as ``with projected():``.
    """
    global _entered
    if _entered:  # entering takes a millisecond, and every function of a figure does
        yield
        return
    _entered = True
    try:
        with mpl.rc_context(_DEFAULTS | _PROJECTED):
            yield
    finally:
        _entered = False


class LectureFigure(Figure):
    """A figure made without pyplot, so that nothing outlives it; the last line of a notebook cell shows it.

    Parameters
    ----------
    width, height : float
        Inches, of 100 pixels each.
    dpi : float
        Pixels an inch.

    Examples
    --------
    >>> figure = LectureFigure()
    >>> left, right = figure.columns(1, 1)
    >>> figure.png()[1:4]
    b'PNG'
    >>> figure.caption("Both are empty.", picture="Two coordinate systems")
    Picture:
      Two coordinate systems.
      Both are empty.
    """

    @projected()
    def __init__(self, width: float = 10.0, height: float = 4.5, dpi: float = 100.0):
        super().__init__(figsize=(width, height), dpi=dpi)
        FigureCanvasAgg(self)
        self.shown_width = 100.0 * width
        """Pixels of the page that the picture is to take."""
        self._told = ""
        self._smallest = 0.0  # points

    @classmethod
    def on_screen(cls, width: float, height: float, pixels: float = 1.0) -> "LectureFigure":
        """A figure for a lecture hall: as large as a screen allows, no letter lower than a 35th of the screen.

        The screen has so many pixels of the page, each of which is ``pixels`` of its own wide.
        """
        letters = _SMALLEST * height  # pixels of the page
        inch = letters * 72 / _LECTURE_LETTERS
        figure = cls(_SCREEN[0] * width / inch, _SCREEN[1] * height / inch, dpi=pixels * inch)
        figure.shown_width = _SCREEN[0] * width
        figure._smallest = _LECTURE_LETTERS
        return figure

    @projected()
    def columns(self, *widths: float, gap: float = 0.95) -> list[Axes]:
        """Axes side by side with these relative widths, with margins and gaps (inches) that hold the labels."""
        width, height = self.get_size_inches()
        left, right, bottom, top = 0.85, 0.2, 0.65, 0.42
        mean_width = (width - left - right - gap * (len(widths) - 1)) / len(widths)
        self.subplots_adjust(
            left / width, bottom / height, 1 - right / width, 1 - top / height, wspace=gap / mean_width
        )
        axes = list(self.subplots(1, len(widths), squeeze=False, width_ratios=widths)[0])
        for ax in axes:
            ax.locator_params(nbins=5)  # the last row reads few numbers, and each takes a millisecond to draw
        return axes

    @projected()
    def caption(self, takeaway: str, picture: str) -> "LectureFigure":
        """Write the takeaway below the picture; ``picture`` describes what is drawn for readers who cannot see it.

        Returns the figure, so that a cell can end with it. Both are its alt text, and what nbval compares; the first
        line of what is compared tells nothing, because JupyterLab shows that line of an output that is folded.
        """
        if self._told:
            raise ValueError("this figure has its sentence; make a new figure for another one")
        self._told = f"{picture.removesuffix('.')}.\n  {takeaway}"
        width, height = self.get_size_inches()
        lines = textwrap.wrap(takeaway, int(_LETTERS_PER_INCH * width))
        room = 0.12 + 0.25 * len(lines)  # inches
        places = [(ax, ax.get_position(original=True)) for ax in self.axes]
        self.set_size_inches(width, height + room)
        for ax, place in places:
            bottom, tall = (place.y0 * height + room) / (height + room), place.height * height / (height + room)
            ax.set_position([place.x0, bottom, place.width, tall])
        self.text(0.01, 0.08 / (height + room), "\n".join(lines), fontsize=14, va="bottom", linespacing=1.3)
        return self

    @projected()
    def pixels(self) -> np.ndarray:
        """Draw, and return the picture as an array of shape (height, width, 4)."""
        self._enlarge_letters()
        self.canvas.draw()
        return np.asarray(self.canvas.buffer_rgba())

    @projected()
    def svg(self) -> str:
        """The picture as an SVG file, sharp at any size: letters are outlines, and names depend on what they name."""
        self._enlarge_letters()
        file = io.StringIO()
        with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "anneal_edu"}):
            self.savefig(file, format="svg", metadata={"Date": None})
        return file.getvalue()

    def _enlarge_letters(self) -> None:
        for text in self.findobj(Text) if self._smallest else ():
            text.set_fontsize(max(text.get_fontsize(), self._smallest))

    def png(self) -> bytes:
        """The picture as a PNG file of at most 256 colours, which is a third of the size of one of all colours."""
        pixels, file = self.pixels().view(np.uint32)[..., 0], io.BytesIO()
        inked = pixels != 0xFFFFFFFF  # most are white, and each that is not costs time
        colours = Image.fromarray(pixels[inked].view(np.uint8).reshape(1, -1, 4)).convert("RGB")
        colours = colours.quantize(255, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        numbers = np.full(pixels.shape, 255, np.uint8)
        numbers[inked] = np.asarray(colours)[0]
        picture = Image.fromarray(numbers)
        picture.putpalette(bytes(colours.getpalette() or ())[:765] + b"\xff\xff\xff")
        picture.save(file, "png", compress_level=3)
        return file.getvalue()

    def __repr__(self) -> str:
        return f"Picture:\n  {self._told}" if self._told else super().__repr__()

    def _repr_mimebundle_(self, **_kwargs) -> tuple[dict, dict]:
        alt = " ".join(self._told.split())
        bundle = {"text/plain": repr(self), "image/png": base64.b64encode(self.png()).decode("ascii")}
        return bundle, {"image/png": {"alt": alt}} if alt else {}
