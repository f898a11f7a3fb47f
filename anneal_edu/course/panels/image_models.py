"""Six image models: what they learned to look at, and how likely they find patches that they have not seen."""

from functools import lru_cache

import numpy as np

from anneal_edu import models
from anneal_edu.course.experiments.hamiltonian_images import (
    PAPER,
    REFERENCE,
    paired_difference,
    stored_patches,
    stored_points,
)
from anneal_edu.course.figures import image_models
from anneal_edu.course.figures.images import beside_pictures
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice
from anneal_edu.models.images import image_patches

NAMES = {label: name for name, label in image_models.LABELS.items()}
PATCHES = ("all 100", "flatter half", "richer half")
SHOWN = ("likelihoods", "minus the chosen model's")
_ON = {"all 100": "all 100 patches", "flatter half": "the flatter half", "richer half": "the richer half"}
_CALLED = {
    "image_linear_gaussian": "the linear model with Gaussian causes",
    "image_linear_laplace": "the linear model with Laplace causes",
    "image_laplace_experts": "the product of Laplace experts",
    "image_mean_covariance": "the mcRBM",
    "image_student_t_experts": "the product of Student-t experts",
    "image_bilinear": "the bilinear model",
}


@lru_cache(maxsize=1)
def patch_sizes() -> np.ndarray:
    """|x|² of the 100 held-out patches."""
    return (stored_patches() ** 2).sum(1)


def chosen_patches(which: str) -> np.ndarray:
    """Which of the 100 patches, a mask: those whose |x|² is below or above the median, or all."""
    flat = patch_sizes() < np.median(patch_sizes())
    return {"all 100": np.ones_like(flat), "flatter half": flat, "richer half": ~flat}[which]


@lru_cache(maxsize=6)
def strongest(name: str, n: int = 36) -> np.ndarray:
    """The n longest bases or filters of a stored model, as pictures (n, 16, 16)."""
    model = models.load(name)
    vectors = model.bases.T if hasattr(model, "bases") else model.filters
    return image_patches().to_pixels(_by_strength(vectors)[:n])


class ImageModels(Panel):
    """The 36 longest bases or filters of one model; all models' mean log likelihoods of held-out patches.

    Stored runs of Hamiltonian AIS; ``python tools/recipes/hais_patches.py`` makes them. Controls:
    ``model``; ``patches``, all 100, or the half with the smaller or larger |x|²; ``shown``, the likelihoods themselves,
    or their differences from the chosen model's, patch by patch.
    """

    title = "Six image models"
    picture = (
        "Left: 36 bases or filters of the chosen model as pictures, the longest first. Right: mean log likelihood of "
        "held-out patches under each of six models, or its difference from the chosen one's, with bars of one standard "
        "error, and a line where N(0, I) is."
    )
    size = (12.0, 5.2)
    controls = {  # noqa: RUF012
        "model": choice("model", "Student-t experts", tuple(NAMES)),
        "patches": choice("patches", PATCHES[0], PATCHES),
        "shown": choice("shown", SHOWN[0], SHOWN),
    }
    scenes = {  # noqa: RUF012
        "all patches": {},
        "richer half": {"patches": "richer half", "shown": SHOWN[1]},
        "flatter half": {"patches": "flatter half", "shown": SHOWN[1]},
        "no edges": {"model": "linear, Gaussian", "shown": SHOWN[1]},
    }

    def make_axes(self, figure):
        return beside_pictures(figure, 1, 0.39, room=1.75)

    def draw(self, model, patches, shown):
        name, mask = NAMES[model], chosen_patches(patches)
        points = {key: stored_points()[key][mask] for key in PAPER}
        pictures, rows = self.axes
        kind = "bases" if hasattr(models.load(name), "bases") else "filters"
        image_models.signed_pictures(pictures, "pictures", strongest(name), 6, f"{model}: {kind}")
        differences = {key: paired_difference(value, points[name]) for key, value in points.items()}
        if shown == SHOWN[0]:
            numbers = {key: paired_difference(value, np.zeros(len(value))) for key, value in points.items()}
            title, zero, beat = f"log likelihood, {patches}", None, stored_points()[REFERENCE][mask].mean()
        else:
            numbers, title, zero, beat = differences, f"gain over ○, {patches}", 0.0, None
        means, errors = np.transpose([numbers[key] for key in PAPER])
        image_models.likelihoods(rows, list(PAPER), means, errors, title, name, zero, beat=beat)
        if zero is not None:
            reach = 1.3 * np.ptp([of.mean() for of in points.values()])  # whichever model is chosen
            rows.set_xlim(-reach, reach)
        ranked = sorted(points, key=lambda key: -points[key].mean())
        readout = {}
        for key in dict.fromkeys([name, *ranked[:2]]):
            value, error = paired_difference(points[key], np.zeros(mask.sum()))
            readout[image_models.LABELS[key]] = f"{value:.1f} ± {error:.1f}"
        readout["N(0, I)"] = f"{stored_points()[REFERENCE][mask].mean():.1f}"
        return Readout(_takeaway(name, points, patches, beat is not None), readout)


def _by_strength(vectors):
    """Rows (n, D), the longest first."""
    return vectors[np.argsort(-np.linalg.norm(vectors, axis=1), kind="stable")]


def _takeaway(name: str, points: dict[str, np.ndarray], patches: str, with_reference: bool) -> str:
    ranked = sorted(points, key=lambda key: -points[key].mean())
    best, other = ranked[0], ranked[1] if name == ranked[0] else name
    gap, error = paired_difference(points[best], points[other])
    if with_reference:
        reference = stored_points()[REFERENCE][chosen_patches(patches)]
        pairs = [paired_difference(of, reference) for of in points.values()]
        gains = [gain for gain, its_error in pairs if gain > 3 * its_error]
        return (
            f"{len(gains)} of {len(points)} models beat N(0, I), which knows no shape, by {min(gains):.0f} to "
            f"{max(gains):.0f} nats. First is {_CALLED[best]}, {gap:.0f} ± {error:.0f} before {_CALLED[other]}"
            f"{'' if gap > 3 * error else ': undecided'}."
        )
    worst = ", the worst of the six" if other == ranked[-1] else ""
    return (
        f"On {_ON[patches]} {_CALLED[best]} is best. It is {gap:.0f} ± {error:.0f} nats a patch better than "
        f"{_CALLED[other]}{worst}."
    )
