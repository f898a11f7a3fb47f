"""Six image models: what they learned to look at, and how likely they find patches that they have not seen."""

from functools import lru_cache

import numpy as np

from anneal_edu import models
from anneal_edu.course.experiments.hamiltonian_images import PAPER, REFERENCE, stored_patches, stored_points
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.film import Film
from anneal_edu.course.figures.image_models import LABELS, signed_pictures
from anneal_edu.course.figures.images import beside_pictures
from anneal_edu.course.figures.style import GREY, STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, slider
from anneal_edu.models.images import image_patches

NAMES = {label: name for name, label in LABELS.items()}
SHARES = np.linspace(0, 1, 101)
"""Shares of flat patches."""


def flat_patches() -> np.ndarray:
    """Which of the 100 held-out patches are flat, a mask: those whose |x|² is below the median."""
    sizes = (stored_patches() ** 2).sum(1)
    return sizes < np.median(sizes)


@lru_cache(maxsize=16)
def gains(over: str | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Mean of log p(x) over patches of which a share is flat, minus that of another model; and its standard error.

    Both (101, 7), of N(0, I) and the six models in the paper's order. Patch by patch, so that the errors are paired.
    """
    points = np.array([stored_points()[name] for name in (REFERENCE, *PAPER)])
    points = points - (stored_points()[over] if over else 0)
    flat = flat_patches()
    weights = np.where(flat, SHARES[:, None], 1 - SHARES[:, None]) / flat.sum()
    means = weights @ points.T
    return means, np.sqrt(np.einsum("sn,smn->sm", weights**2, (points - means[..., None]) ** 2))


@lru_cache(maxsize=6)
def strongest(name: str, n: int = 36) -> np.ndarray:
    """The n longest bases or filters of a stored model, as pictures (n, 16, 16)."""
    model = models.load(name)
    vectors = model.bases.T if hasattr(model, "bases") else model.filters
    return image_patches().to_pixels(vectors[np.argsort(-np.linalg.norm(vectors, axis=1), kind="stable")][:n])


class ImageModels(Panel):
    """The 36 longest bases or filters of one model; how much better the others find held-out patches than it does.

    Stored runs of Hamiltonian AIS; ``python tools/recipes/hais_patches.py`` makes them. Controls: ``share``, of flat
    patches, those with an |x|² below the median, in percent; ``model``, which the others are compared with.
    """

    title = "Six image models"
    picture = (
        "Left: 36 bases or filters of the chosen model as pictures, the longest first. Right: by how many nats per "
        "patch each model, and N(0, I), beats the chosen one on such patches, with bars of one paired standard error."
    )
    size = (12.0, 5.2)
    plays = "share"
    controls = {  # noqa: RUF012
        "share": slider("share of flat patches, in %", 50, 0, 100, 1),
        "model": choice("compared with", "Student-t experts", tuple(NAMES)),
    }
    scenes = {  # noqa: RUF012
        "which is best?": {},
        "no flat patches": {"share": 0},
        "the paper's order": {"share": 36},
        "flat patches alone": {"share": 100},
    }

    def make_axes(self, figure):
        return beside_pictures(figure, 1, 0.39, room=1.75)

    def draw(self, share, model):
        pictures, rows = self.axes
        name, film = NAMES[model], Film(share, rate=16.0)
        kind, vectors = ("bases", of.bases.T) if hasattr(of := models.load(name), "bases") else ("filters", of.filters)
        signed_pictures(pictures, "pictures", strongest(name), 6, f"{model}: 36 of {len(vectors)} {kind}")
        means, errors = gains(name)
        y = np.broadcast_to(np.arange(means.shape[1]), means.shape)
        artists.curve(rows, "zero", [0, 0], [-0.6, 6.9], "truth", linewidth=1.8)
        film.links(rows, "errors", np.stack([means - errors, y, means + errors, y], axis=1), "ours")
        best = means.argmax(1)
        colours = [GREY, *[STYLES["ours"]["color"]] * 6]
        film.dots(rows, "models", means, y, colours, radius=np.where(y == best[:, None], 9.0, 6.0))
        low, high = (means - errors).min(), (means + errors).max()
        film.words(rows, "share", low, 6.6, [f"{i}% flat patches; large: first" for i in range(101)])
        rows.set(xlim=(low - 3, high + 3), ylim=(-0.6, 6.9), xlabel="nats, ± one standard error",
                 title=f"gain over {model}", yticks=range(7),
                 yticklabels=[f"{REFERENCE}, unranked", *(LABELS[of] for of in PAPER)])  # fmt: skip
        own, own_errors = gains()
        numbers = {"flat patches": f"{share}%"}
        for i in dict.fromkeys([[*PAPER].index(name) + 1, best[share], 0]):
            label = [REFERENCE, *map(LABELS.get, PAPER)][i]
            numbers[f"log likelihood, {label}"] = f"{own[share, i]:.1f} ± {own_errors[share, i]:.1f}"
        return Readout(_takeaway(share, model, own[share, 1:]), numbers, film)


def _takeaway(share, model, likelihoods):
    labels, ranked = [LABELS[name] for name in PAPER], np.argsort(-likelihoods)
    first, second, last = (labels[i] for i in ranked[[0, 1, -1]])
    other = second if model == first else model
    gap, error = (part[share, labels.index(first) + 1] for part in gains(NAMES[other]))
    place = ", the last of six" if other == last else ""
    verdict = "." if gap > 3 * error else ": undecided." + " Who leads without flat patches?" * (share == 50)
    order = " All six stand in the paper's order." if (ranked[::-1] == range(6)).all() else ""
    return (
        f"With {share}% flat patches, first place goes to {_called(first)}, {gap:.0f} ± {error:.0f} nats per patch "
        f"before {_called(other)}{place}{verdict}{order}"
    )


def _called(label):
    return f"the {label}" if label.endswith(("experts", "RBM")) else f"the {label.replace(',', '')} model"
