"""Draw the moving picture of the README and the site's first page: python tools/moving_picture.py

Chains of AIS to an RBM of digits, beside what the exact distribution at the same β shows: the run of the scene *larger
images* of `DigitsAnnealing`. The last picture, as PNG, is for those who want no motion and for a link's preview.
"""

import io
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

DOCS = Path(__file__).parents[1] / "docs"
STEPS, EVERY, CHAINS = 1000, 20, 100
SHOWN = slice(6, 12)  # of the chains
FRAME_MS, END_MS = 90, 2500


def moments():
    """(β, pictures of six chains, pictures of six exact draws, log Ẑ - log Z) on the way."""
    target = models.load("digits28_cd")
    path, betas = geometric_path(start_of(target, "base rate"), target), linear_schedule(STEPS)
    states = annealed(path, betas, CHAINS, gibbs, np.random.default_rng(0))
    hidden, strata = binary_states(target.n_hidden), (np.arange(6) + 0.5) / 6
    for step, (log_w, v) in enumerate(states):
        if step % EVERY == 0:
            rbm = path(float(betas[step]))
            drawn = np.cumsum(rbm.hidden_probabilities()).searchsorted(strata)  # one draw from each sixth
            chains = rbm.visible_given_hidden(rbm.hidden_given_visible(v[SHOWN]))
            yield betas[step], chains, rbm.visible_given_hidden(hidden[drawn]), log_mean_exp(log_w) - rbm.log_z()


@projected()
def draw(betas, chains, draws, misses):
    """The picture at the last of these β."""
    figure = LectureFigure(7.2, 4.6)
    for left, title, images in ((0.02, "Six chains", chains), (0.52, "The truth", draws)):
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
    for name, x, y, words, side in (
        ("from", 0, 0.8, "easy", "left"),
        ("to", 1, 0.8, "hard", "right"),
        ("miss", 0, -3.6, f"Error of their log Z: {round(misses[-1], 1) + 0.0:.1f} nats".replace("-", "−"), "left"),
    ):
        artists.words(ax, name, x, y, words, fontsize=20, ha=side)
    return figure


def main():
    betas, chains, draws, misses = map(np.array, zip(*moments(), strict=True))
    pictures = [
        Image.open(io.BytesIO(draw(betas[: i + 1], chains[i], draws[i], misses[: i + 1]).png())).convert("RGB")
        for i in range(len(betas))
    ]
    film = {"append_images": pictures[1:], "duration": [*[FRAME_MS] * (len(pictures) - 1), END_MS], "loop": 0}
    pictures[0].save(DOCS / "digits.webp", save_all=True, quality=60, method=6, **film)
    pictures[-1].save(DOCS / "digits.png", optimize=True)


if __name__ == "__main__":
    main()
