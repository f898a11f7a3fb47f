"""Draw the moving picture of the README and the site's first page: python tools/moving_picture.py

Six chains of AIS to an RBM of digits, beside exact draws: the run of the scene *larger images* of `DigitsAnnealing`.
It begins with its last picture, which as PNG is for readers who want no motion, and for the preview of a link.
"""

import io
from itertools import islice
from pathlib import Path

import numpy as np
from PIL import Image

from anneal_edu import geometric_path, gibbs, linear_schedule, models
from anneal_edu.course.ais_trace import annealed
from anneal_edu.course.figures import LectureFigure, artists
from anneal_edu.course.figures.images import mosaic
from anneal_edu.course.figures.style import projected
from anneal_edu.distributions.enumeration import binary_states
from anneal_edu.models.knots import start_of
from anneal_edu.weights import log_mean_exp

FILM = Path(__file__).parents[1] / "docs" / "digits.webp"
SHOWN, STRATA = slice(6, 12), (np.arange(6) + 0.5) / 6  # of 100 chains; of the exact draws, one from each sixth


def moments():
    """(β, pictures of chains, pictures of exact draws, log Ẑ - log Z) on the way."""
    target, betas = models.load("digits28_cd"), linear_schedule(1000)
    path = geometric_path(start_of(target, "base rate"), target)
    states = annealed(path, betas, 100, gibbs, np.random.default_rng(0))
    for beta, (log_w, v) in islice(zip(betas, states, strict=True), 0, None, 20):
        rbm = path(float(beta))
        h = binary_states(rbm.n_hidden)[np.cumsum(rbm.hidden_probabilities()).searchsorted(STRATA)]
        chains = rbm.visible_given_hidden(rbm.hidden_given_visible(v[SHOWN]))
        yield beta, chains, rbm.visible_given_hidden(h), log_mean_exp(log_w) - rbm.log_z()


@projected()
def draw(betas, chains, draws, misses):
    """The picture at the last of these β."""
    figure = LectureFigure(7.2, 4.6)
    for left, title, images in ((0.02, "Six chains", chains), (0.52, "Exact draws", draws)):
        ax = figure.add_axes((left, 0.36, 0.46, 0.54))
        ax.imshow(mosaic(images, 3, gap=3, background=0.0), cmap="gray_r", vmin=0, vmax=1, interpolation="bilinear")
        ax.axis("off")
        ax.set_title(title, fontsize=22, loc="center")
    ax = figure.add_axes((0.02, 0.02, 0.96, 0.3))
    ax.set(xlim=(-0.02, 1.02), ylim=(-8.5, 3.2))
    ax.axis("off")
    artists.curve(ax, "exact", [0, 1], [0, 0], "truth")
    artists.curve(ax, "estimate", betas, misses, "estimate", linestyle="-", linewidth=4)
    artists.marks(ax, "here", betas[-1:], misses[-1:], "estimate", markersize=12)
    miss = f"Error of log Z: {round(misses[-1], 1) + 0.0:.1f} nats".replace("-", "−")
    for x, y, words, side in ((0, 0.8, "easy", "left"), (1, 0.8, "hard", "right"), (0, -3.6, miss, "left")):
        artists.words(ax, words[:5], x, y, words, fontsize=20, ha=side)
    return Image.open(io.BytesIO(figure.png())).convert("RGB")


if __name__ == "__main__":
    betas, chains, draws, misses = map(np.array, zip(*moments(), strict=True))
    shown = [draw(betas[: i + 1], chains[i], draws[i], misses[: i + 1]) for i in range(len(betas))]
    times = {"duration": [4000] + [90] * (len(shown) - 1), "loop": 0}  # ms
    shown[-1].save(FILM, save_all=True, append_images=shown[:-1], quality=60, method=6, **times)
    shown[-1].save(FILM.with_suffix(".png"), optimize=True)
