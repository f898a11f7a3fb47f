"""A small RBM trained on bars and stripes while you wait: where the negative particles are, and where the model is."""

from collections.abc import Generator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from matplotlib.lines import Line2D

from anneal_edu import contrastive_divergence
from anneal_edu.course.experiments.kadan import mean_log_likelihood
from anneal_edu.course.figures import artists, tempered_training
from anneal_edu.course.figures.style import STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import seed, slider, steps
from anneal_edu.data import bars_and_stripes
from anneal_edu.distributions import BinaryRBM

SIZE, N_HIDDEN, BATCH = 4, 12, 20
N_IMAGES = 2 ** (SIZE + 1) - 2
N_UPDATES, EVERY, WINDOW = 1800, 200, 50
TOP = 0.45


class Snapshot(NamedTuple):
    """A moment of training.

    Attributes
    ----------
    n_updates : int
    rbm : BinaryRBM
    particles : (B, D) array
        Of the last update.
    log_likelihood : float
        Exact, mean of the images.
    model, share : (N + 1,) arrays
        Exact probability of each image, and of everything else; and the share of particles there. Means over the last
        50 updates.
    """

    n_updates: int
    rbm: BinaryRBM
    particles: np.ndarray
    log_likelihood: float
    model: np.ndarray
    share: np.ndarray

    @property
    def distance(self) -> float:
        """Total variation between the model and its particles: the mass that would have to move, from 0 to 1."""
        return 0.5 * float(np.abs(self.model - self.share).sum())

    def distance_of(self, particles: np.ndarray) -> float:
        """Total variation between this very model and other particles (B, D), with no mean over updates."""
        images = bars_and_stripes(SIZE)
        return self._replace(model=exact_probabilities(self.rbm, images), share=shares(particles, images)).distance


def exact_probabilities(rbm: BinaryRBM, images: np.ndarray) -> np.ndarray:
    """p(v) of every image (N, D), and of all other states together: (N + 1,).

    Examples
    --------
    >>> import anneal_edu as ae
    >>> exact_probabilities(ae.uniform_rbm(2, 1), np.array([[0.0, 1.0]]))
    array([0.25, 0.75])
    """
    p = np.exp(rbm.log_density(images.astype(np.float64)) - rbm.log_z())
    return np.append(p, 1 - p.sum())


def shares(particles: np.ndarray, images: np.ndarray) -> np.ndarray:
    """The share of particles (B, D) on every image (N, D), and elsewhere: (N + 1,).

    Examples
    --------
    >>> shares(np.array([[0, 1], [0, 0], [0, 1], [1, 1]]), np.array([[0, 1], [1, 0]])).tolist()
    [0.5, 0.0, 0.5]
    """
    on = (particles[:, None] == images[None]).all(-1).mean(0)
    return np.append(on, 1 - on.sum())


def snapshots(method: str, rate: float, seed: int, n_rungs: int | None = None) -> Generator[Snapshot, None, None]:
    """Train by "pcd" or "pt", and yield a snapshot at every 200th update."""
    images, options = bars_and_stripes(SIZE), {} if n_rungs is None else {"n_rungs": n_rungs}
    rng, model, share = np.random.default_rng(seed), [], []
    for state in contrastive_divergence(
        images, N_HIDDEN, method, n_gibbs=1, n_updates=N_UPDATES, learning_rate=rate, batch_size=BATCH, rng=rng,
        decay=False, **options
    ):
        if -state.n_updates % EVERY < WINDOW:
            share.append(shares(state.particles, images))
            if state.n_updates % 10 == 0:
                model.append(exact_probabilities(state.rbm, images))
        if state.n_updates % EVERY == 0:
            rbm = state.rbm
            found = mean_log_likelihood(rbm, images), np.mean(model, 0), np.mean(share, 0)
            yield Snapshot(state.n_updates, rbm, state.particles.copy(), *found)
            model, share = [], []


@lru_cache(maxsize=32)
def trained(method: str, rate: float, seed: int, n_rungs: int | None = None) -> tuple[Snapshot, ...]:
    """All snapshots of one training; a second or two."""
    return tuple(snapshots(method, rate, seed, n_rungs))


class ParticlesAndModes(Panel):
    """Persistent chains, plain and tempered, train an RBM of twelve hidden units on the 30 bars and stripes of 4×4.

    Controls: ``updates``, the moment looked at; ``rate``, the learning rate, which stays constant; ``rungs`` of the
    tempered ladder; ``seed``. The last three train anew.
    """

    title = "Where the particles are, and where the model is"
    picture = (
        "Left: exact mean log likelihood against updates, for PCD and PT. Middle (PCD) and right (PT): for each of the "
        "30 images the model's exact probability as a bar, and the share of negative particles on it as a cross; "
        "in words, both of the model's favourite image, and how much of either is elsewhere."
    )
    size = (13.0, 4.6)
    controls = {  # noqa: RUF012
        "updates": slider("after updates", N_UPDATES, EVERY, N_UPDATES, EVERY),
        "rate": steps("learning rate", 0.3, (0.15, 0.3)),
        "rungs": steps("rungs of the ladder", 8, (4, 8)),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "particles left behind": {},
        "early on": {"updates": 400},
        "half the learning rate": {"rate": 0.15},
        "half the rungs": {"rungs": 4},
    }
    plays = "updates"

    def make_axes(self, figure):
        curves, pcd, pt = figure.columns(0.8, 1.35, 1.35, gap=0.75)
        curves.set(ylim=(-20.5, -2.8), title="log likelihood", xlabel="updates")
        curves.set_ylabel("nats an image", labelpad=0)
        _draw_legend(curves, {"PCD": "PCD", "PT, even-odd": "PT"}, "lower left")
        for ax in (pcd, pt):
            _picture_strip(ax, bars_and_stripes(SIZE), TOP)
        return [curves, pcd, pt]

    def draw(self, updates, rate, rungs, seed):
        wanted = (("PCD", ("pcd", rate, seed)), ("PT, even-odd", ("pt", rate, seed, rungs)))
        done = self.__dict__.setdefault("_done", {})
        for i, (_, key) in enumerate(wanted):
            if key not in done:
                yield i / 2
                done[key] = trained(*key)
        at = updates // EVERY - 1
        found = {name: done[key] for name, key in wanted}
        _draw(self.axes, found, at)
        now = {name: run[at] for name, run in found.items()}
        pcd, pt = now.values()
        readout = {
            "log likelihood, PCD and PT": f"{pcd.log_likelihood:.2f}, {pt.log_likelihood:.2f} nats",
            "at best": f"{-np.log(N_IMAGES):.2f} nats",
            "model and particles differ by": f"{pcd.distance:.2f}, {pt.distance:.2f}",
            "the model's favourite image has": f"{pcd.model[:-1].max():.0%}, {pt.model[:-1].max():.0%}",
        }
        return Readout(_takeaway(pcd, pt), readout)


def _draw(axes, found: dict[str, tuple[Snapshot, ...]], at: int) -> None:
    curves = {
        name: (np.array([s.n_updates for s in run]), np.array([[s.log_likelihood] for s in run]))
        for name, run in found.items()
    }
    left = axes[0]
    tempered_training.training_curves(left, curves, -np.log(N_IMAGES), "updates", False, left.get_ylim())
    tempered_training.moment(left, curves, at)
    for ax, (name, run) in zip(axes[1:], found.items(), strict=True):
        s = run[at]
        title = f"{name.split(',')[0]}: the {N_IMAGES} images"
        _occupation(ax, s.model, s.share, name, title)


def _picture_strip(ax, pictures, top):
    """Small pictures (N, size²) under the x axis, each below its x = 0, 1, …; ``top`` is the y limit.

    They stand in two rows by turns, so that each may be two units wide.
    """
    n, size, height = len(pictures), round(pictures.shape[1] ** 0.5), 0.14 * top
    for i, picture in enumerate(pictures):
        framed = np.pad(1 - picture.reshape(size, size), 1, constant_values=0.75)
        upper = -0.02 * top - (i % 2) * height
        extent = (i - 0.95, i + 0.95, upper - height, upper)
        ax.imshow(framed, cmap="gray", extent=extent, aspect="auto", vmin=0, vmax=1)
    ax.set(xlim=(-1.2, n + 0.2), ylim=(-0.02 * top - 2 * height, top), xticks=[])


def _occupation(ax, model, particles, style, title):
    """The model's exact probability of each picture, as bars, and the share of particles on it, as marks.

    Both arrays are (N + 1,); the last entry, the mass on none of the pictures, is written below. Both numbers of the
    likeliest picture are written above its bar.
    """
    x, top = np.arange(len(model) - 1), ax.get_ylim()[1]
    ax.set_xlabel(f"▮ model   × particles\nelsewhere ▮ {model[-1]:.0%} × {particles[-1]:.0%}", labelpad=4)
    for i, p in enumerate(model[:-1]):
        corners = i + np.array([-0.36, 0.36])
        artists.band(ax, f"model {i}", corners, np.zeros(2), np.full(2, min(p, top)), style, alpha=0.55)
    look = {"marker": "x", "markersize": 8, "markeredgewidth": 2.4}
    artists.marks(ax, "particles", x, np.minimum(particles[:-1], 0.98 * top), "truth", **look)
    likeliest = int(model[:-1].argmax())
    height = min(max(model[likeliest], particles[likeliest]), 0.85 * top) + 0.02 * top
    side = "left" if 2 * likeliest < len(x) else "right"
    said = f"▮ {model[likeliest]:.0%}, × {particles[likeliest]:.0%}"
    artists.words(ax, "likeliest", likeliest, height, said, ha=side, va="bottom", fontsize=13)
    ax.set_title(title)


def _draw_legend(ax, labels, loc):
    """Say which look belongs to which method, ``{method: label}``, and what the dots of the truth are."""
    handles = [Line2D([], [], label=label, **STYLES[method]) for method, label in labels.items()]
    handles.append(Line2D([], [], label="best", **STYLES["truth"] | {"marker": "None"}))
    ax.legend(handles=handles, loc=loc, **artists.SMALL)


def _takeaway(pcd: Snapshot, pt: Snapshot) -> str:
    if pcd.model[:-1].sum() < 0.25 and pt.model[:-1].sum() < 0.25:
        return "Neither model has learned the images yet; the chains still mix, and the two ways are alike."
    if pcd.log_likelihood < pt.log_likelihood - 1 and pcd.distance > pt.distance + 0.1:
        return (
            "The particles of PCD are not where its model is. What no particle visits is not pushed down, and the "
            f"likelihood pays: {pcd.distance:.0%} of the mass is misplaced, with PT {pt.distance:.0%}."
        )
    return "Here the ladder gains little or nothing."
