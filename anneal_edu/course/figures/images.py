"""Grids of small pictures."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import GROUND, LectureFigure, projected


def mosaic(images: np.ndarray, n_columns: int, gap: int = 2, background: float = np.nan) -> np.ndarray:
    """Square images (n, side²) as one picture, row by row from the top left, with ``gap`` pixels between them."""
    images = np.asarray(images, dtype=float)
    side = round(images.shape[1] ** 0.5)
    n_rows = -(-len(images) // n_columns)
    pitch = side + gap
    picture = np.full((n_rows * pitch, n_columns * pitch), background, dtype=float)
    for i, image in enumerate(images):
        top, left = pitch * (i // n_columns), pitch * (i % n_columns)
        picture[top : top + side, left : left + side] = image.reshape(side, side)
    return picture[: n_rows * pitch - gap, : n_columns * pitch - gap]


@projected()
def beside_pictures(figure: LectureFigure, n: int, share: float, room: float, plots: int = 1) -> list[Axes]:
    """Axes for ``n`` pictures from the left, and for plots above each other that take the rest.

    Parameters
    ----------
    figure : LectureFigure
    n : int
    share : float
        Of the width, for each picture.
    room : float
        Inches for the numbers or words left of the plots.
    plots : int
    """
    width, height = figure.get_size_inches()
    edge, gap, title, label = 0.12, 0.25, 0.42, 0.65  # inches
    tall, wide, low = height - title - edge, share * width, (height - label - title * plots) / plots
    places = [(edge + i * (wide + gap), edge, wide, tall) for i in range(n)]
    left = edge + n * (wide + gap) + room
    for above in range(plots)[::-1]:
        places.append((left, label + above * (low + title), width - 0.2 - left, low))
    axes = [figure.add_axes((x / width, y / height, w / width, h / height)) for x, y, w, h in places]
    for ax in axes[:n]:
        ax.set_anchor("N")
    for ax in axes[n:]:
        ax.locator_params(nbins=5)
        ax.tick_params(labelbottom=ax is axes[-1])
    return axes


_INK = {"cmap": "gray_r", "vmin": 0, "vmax": 1, "interpolation": "nearest"}


@projected()
def small_picture(ax: Axes, name: str, image: np.ndarray, x: float, y: float, side: float, style: str) -> None:
    """A square image (side²,) of ``side`` inches with its lower left corner at (x, y), on linear Axes, in a frame."""
    box, figure, pixels = ax.get_position(), ax.figure.get_size_inches(), round(len(image) ** 0.5)
    wide, tall = side * np.ptp([ax.get_xlim(), ax.get_ylim()], axis=1) / (figure * (box.width, box.height))
    right, top = x + wide, y + tall
    limits = {"xlim": ax.get_xlim(), "ylim": ax.get_ylim()}
    artists.image(ax, name, image.reshape(pixels, pixels), (x, right, y, top), **_INK, aspect="auto")
    artists.curve(ax, f"{name} frame", [x, right, right, x, x], [y, y, top, top, y], style)
    ax.set(**limits)


@projected()
def image_grid(ax: Axes, name: str, images: np.ndarray, n_columns: int, title: str = "", colour: str = "black") -> None:
    """Images (n, side²) with ink from 0, white, to 1, black, in rows of ``n_columns`` on a light ground.

    Calling again with the same name replaces the pictures and the title.
    """
    picture = mosaic(images, n_columns, gap=max(1, round(images.shape[1] ** 0.5 / 12)))
    height, width = picture.shape
    artists.image(ax, name, picture, (-0.5, width - 0.5, height - 0.5, -0.5), **_INK)
    ax.spines[:].set_visible(False)
    ax.set(xticks=[], yticks=[], facecolor=GROUND)
    ax.set(xlim=(-0.5, width - 0.5), ylim=(height - 0.5, -0.5))
    ax.set_title(title, color=colour)
