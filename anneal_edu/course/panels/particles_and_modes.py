"""A small RBM learns bars and stripes: where its negative particles are, and where its model is, as it is trained."""

from functools import lru_cache

import matplotlib as mpl
import numpy as np

from anneal_edu.course import particles
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.film import Film
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import slider, steps
from anneal_edu.data import bars_and_stripes

N_IMAGES, N_UPDATES, EVERY = particles.N_IMAGES, particles.N_UPDATES, particles.STORED_EVERY
LOOKS = {"pcd": "PCD", "pt": "PT, even-odd"}
TITLES = "PCD · column: model probability · dot: 1% of particles", "PT, tempered chains · 30 bars and stripes"
WIDE = np.r_[np.full(N_IMAGES, 2), 10]  # beads side by side: on an image, and elsewhere
LEFT = np.r_[2.8 * np.arange(N_IMAGES), 2.8 * N_IMAGES + 1.5]
TOP, RIGHT = 17.0, LEFT[-1] + 11.0
MIDDLE = np.r_[np.clip(LEFT[:-1] + 1, 13, RIGHT - 25), RIGHT - 20]  # of words above an image, and elsewhere
BEST, UPDATES = -np.log(N_IMAGES), np.arange(EVERY, N_UPDATES + 1, EVERY)


@lru_cache(maxsize=16)
def beads(method: str, rate: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """x and y of a hundred beads, (T, 100) each: each is a percent of the particles, and moves only if it must."""
    share = 100 * particles.stored_film(method, rate, seed).share
    counts = np.floor(share).astype(int)
    for row, rest in zip(counts, share - counts, strict=True):
        row[np.argsort(-rest)[: 100 - row.sum()]] += 1
    place = np.empty((len(counts), 100), int)
    place[0] = now = np.repeat(range(N_IMAGES + 1), counts[0])
    for t in range(1, len(counts)):
        change, now = counts[t] - np.bincount(now, minlength=N_IMAGES + 1), now.copy()
        leave = [np.flatnonzero(now == i)[counts[t, i] :] for i in np.flatnonzero(change < 0)]
        now[[j for each in leave for j in each]] = np.repeat(range(N_IMAGES + 1), np.maximum(change, 0))
        place[t] = now
    rank = np.array([[np.count_nonzero(row[:j] == row[j]) for j in range(100)] for row in place])
    return LEFT[place] + rank % WIDE[place] + 0.5, rank // WIDE[place] + 0.5


class ParticlesAndModes(Panel):
    """Persistent chains, plain (PCD) and tempered (PT), train an RBM of twelve hidden units on 30 bars and stripes.

    Controls: ``updates``, the time; ``rate``, the constant learning rate; ``training``, one of three that are stored.
    """

    title = "Where the particles are, and where the model is"
    picture = (
        "Above PCD, below PT: for each of the 30 images, and for any other, a column whose area is the model's exact "
        "probability, and dots, each a percent of the particles. Left: the exact mean log likelihood."
    )
    size = (12.0, 5.6)
    plays = "updates"
    controls = {  # noqa: RUF012
        "updates": slider("after updates", 700, EVERY, N_UPDATES, EVERY),
        "rate": steps("learning rate", particles.RATES[-1], particles.RATES),
        "training": slider("training", 1, 1, len(particles.SEEDS), 1),
    }
    scenes = {  # noqa: RUF012
        "will the particles follow?": {},
        "particles left behind": {"updates": N_UPDATES},
        "half the learning rate": {"updates": N_UPDATES, "rate": particles.RATES[0]},
    }

    def make_axes(self, figure):
        left, whole = figure.columns(1, 4.2, gap=0.3)
        rows = whole.get_subplotspec().subgridspec(2, 1, hspace=0.25).subplots()
        whole.remove()
        tiles = np.pad(1 - bars_and_stripes(4).reshape(-1, 4, 4), ((0, 0), (1, 1), (1, 1)), constant_values=0.75)
        images = np.hstack([*np.pad(tiles, ((0, 0), (0, 0), (0, 1)), constant_values=1)])
        for ax, title in zip(rows, TITLES, strict=True):
            ax.imshow(images, cmap="gray", extent=(-0.2, 2.8 * N_IMAGES - 0.2, -3.6, -0.4), aspect="auto")
            ax.text(LEFT[-1] + 5, -0.7, "any other\nimage", ha="center", va="top")
            ax.set(xlim=(-0.5, RIGHT), ylim=(-3.8, TOP), xticks=(), yticks=(), title=title)
            ax.spines[:].set_visible(False)
        return [left, *rows]

    def draw(self, updates, rate, training):
        left, *rows = self.axes
        now, grey = updates // EVERY - 1, [STYLES["reference"]["color"]] * 100
        film, runs = Film(now, rate=8.0), [particles.stored_film(method, rate, training - 1) for method in LOOKS]
        for ax, method, run in zip(rows, LOOKS, runs, strict=True):
            colour, name, t = STYLES[LOOKS[method]]["color"], method.upper(), np.arange(len(run.model))
            high = np.kron(np.minimum(100 * run.model / WIDE, TOP), [1, 0])[:, :-1]  # bars, and nothing between them
            pale = mpl.colors.to_hex(0.5 + 0.5 * np.array(mpl.colors.to_rgb(colour)))
            film.bars(ax, f"{name} model", np.c_[LEFT, LEFT + WIDE].ravel(), 0 * high, high, pale)
            film.dots(ax, f"{name} particles", *beads(method, rate, training - 1), grey, radius=2.5)
            most, words = map(list, zip(*[_most(run, moment) for moment in t], strict=True))
            y = 100 * np.maximum(run.model, run.share)[t, most] / WIDE[most] + 0.8
            film.words(ax, f"{name} words", MIDDLE[most], np.minimum(y, TOP - 2), words, align="center")
            film.trails(left, f"{name} likelihood", UPDATES, run.log_likelihood[:, None], [colour])
            film.dots(left, f"{name} now", UPDATES[:, None], run.log_likelihood[:, None], [colour], radius=4.0)
            beside = run.log_likelihood + (0.2 if method == "pt" else -1.2)
            film.words(left, f"{name} name", UPDATES + 50, beside, [name] * len(t), colour)
        artists.curve(left, "best", [0, N_UPDATES], [BEST] * 2, "truth")
        artists.words(left, "best word", 60, BEST + 0.3, "best possible")
        artists.words(left, "rate", 60, -23, f"learning\nrate {rate}")
        left.set(xlim=(0, 2340), ylim=(-24, -2), xticks=(0, N_UPDATES))
        left.set(xlabel="updates", ylabel="nats", title="log likelihood")
        pcd, pt = (run.log_likelihood[now] for run in runs)
        far, other = (particles.distance(run.model[now], run.share[now]) for run in runs)
        numbers = {"log likelihood, PCD and PT": f"{pcd:.2f}, {pt:.2f} nats (best {BEST:.2f})"}
        return Readout(_takeaway(*_most(runs[0], now), pt - pcd, far, other), numbers, film)


def _most(run, now) -> tuple[int, str]:
    i = N_IMAGES if run.model[now, -1] > 0.75 else int(run.model[now, :-1].argmax())  # the favourite, or elsewhere
    return i, f"model {run.model[now, i]:.0%}, particles {run.share[now, i]:.0%}"


def _takeaway(most, favourite, gap, far, other) -> str:
    if most == N_IMAGES:
        return f"PCD, on none of the 30 images: {favourite}. Will the particles follow the model?"
    if gap > 1:
        said = f"PCD's favourite image: {favourite}. Where no particle is, nothing pushes down: {far:.0%} of the "
        return f"{said}mass is misplaced, with PT {other:.0%}."
    side = "below" if gap > 0 else "above"
    return f"The particles of PCD nearly keep up: its likelihood is {abs(gap):.1f} nats {side} that of PT."
