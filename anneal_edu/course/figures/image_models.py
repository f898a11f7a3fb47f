"""Image models: their filters as pictures, their likelihoods side by side, and likelihood against size."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.images import image_grid
from anneal_edu.course.figures.style import STYLES, projected

LABELS = {
    "image_linear_gaussian": "linear, Gaussian",
    "image_linear_laplace": "linear, Laplace",
    "image_laplace_experts": "Laplace experts",
    "image_mean_covariance": "mcRBM",
    "image_student_t_experts": "Student-t experts",
    "image_bilinear": "bilinear",
}
OURS, PAPERS = "ours", "the paper's"
"""Styles of our likelihoods, and of the paper's."""


@projected()
def signed_pictures(
    ax: Axes, name: str, pictures: np.ndarray, n_columns: int, title: str = "", weights: np.ndarray | None = None
) -> None:
    """Pictures (n, side, side) of both signs, grey where they are 0, each as strong as it can be shown.

    ``weights`` (n,) are written below them, if they are a single row. (Sohl-Dickstein and
    Culpepper 2012, Figure 1, fade them instead.)
    """
    flat = np.asarray(pictures).reshape(len(pictures), -1)
    largest = np.abs(flat).max(axis=1, keepdims=True)
    shown = np.divide(flat, largest, out=np.zeros_like(flat), where=largest > 0)
    image_grid(ax, name, 0.5 - 0.5 * shown, n_columns, title)
    if weights is not None:
        places, look = np.linspace(0, 1, 2 * len(weights) + 1)[1::2], {"fontsize": 12, "ha": "center", "va": "top"}
        for i, (x, weight) in enumerate(zip(places, weights, strict=True)):
            artists.words(ax, f"weight {i}", x, -0.06, f"{weight:.2f}", transform=ax.transAxes, **look)


@projected()
def likelihoods(ax: Axes, ours: np.ndarray, papers: np.ndarray, beat: float) -> None:
    """Mean log likelihoods and their standard errors, (2, n) in the order of `LABELS` from the bottom.

    ``beat`` is the likelihood of N(0, I), which knows no shapes.
    """
    rows = np.arange(len(ours[0]))
    for style, (means, errors), aside in ((OURS, ours, 0.14), (PAPERS, papers, -0.14)):
        artists.level_bars(ax, style + " bars", means - errors, means + errors, rows + aside, style)
        artists.marks(ax, style, means, rows + aside, style, markersize=9)
    artists.legend(ax, {OURS: "ours", PAPERS: "the paper's"}, loc="lower right", fontsize=11)
    artists.curve(ax, "beat", [beat, beat], [-0.6, len(rows) - 0.4], "reference")
    artists.words(ax, "beat words", beat, len(rows) - 0.5, " N(0, I)", va="top", fontsize=12)
    ends = [beat, *ours[0] - ours[1], *ours[0] + ours[1], *papers[0] - papers[1], *papers[0] + papers[1]]
    margin = 0.06 * np.ptp(ends)
    ax.set(xlim=(min(ends) - margin, max(ends) + margin), xlabel="nats, ± one standard error")
    ax.set(ylim=(-0.6, len(rows) - 0.4), title="Table 1", yticks=rows, yticklabels=list(LABELS.values())[: len(rows)])


@projected()
def gaps(ax: Axes, x: np.ndarray, differences: np.ndarray, title: str) -> None:
    """Differences between two models, patch by patch (n,), against |x|² (n,), and where neither model is better."""
    span = 0.7 * max(x.min(), 1e-2), 1.4 * x.max()
    artists.curve(ax, "zero", span, [0, 0], "truth", linewidth=1.8)
    artists.marks(ax, "patches", np.maximum(x, 1e-2), differences, "held-out data", markersize=5)
    room = 0.06 * np.ptp(differences)
    artists.log_x(ax, "|x|², how much there is to see", (0.01, 1, 100), span)
    ax.set(ylim=(differences.min() - room, differences.max() + room), title=title)


@projected()
def sizes(ax: Axes, found: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]], exact: dict[str, float]) -> None:
    """Figure 5: label → sizes, log likelihoods and Monte Carlo errors (n,); exact values of the smallest models.

    Bars of ± 2 errors. What a larger model gains says `paired_difference`: all points are over the same patches.
    """
    every = sorted({int(size) for sizes, _, _ in found.values() for size in sizes})
    for label, (size, mean, error) in found.items():
        artists.bars(ax, f"{label} errors", size, mean - 2 * error, mean + 2 * error, label)
        artists.line(ax, label, size, mean, **STYLES[label])
        if label in exact:
            artists.marks(ax, f"{label} exact", size[0], exact[label], "truth", markersize=13, markeredgecolor="white")
    values = np.concatenate([mean for _, mean, _ in found.values()])
    margin = 0.08 * np.ptp(values)
    last = {label: mean[-1] for label, (_, mean, _) in found.items()}
    ranked = sorted(found, key=lambda label: -last[label])  # the legend in the order of the curves' right ends
    entries = {label: label for label in ranked} | {"truth": "exact"}
    artists.legend(ax, entries, loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=12)
    artists.log_x(ax, "experts, hidden units or latent variables", every, (0.9 * every[0], 1.1 * every[-1]))
    ax.set(ylim=(values.min() - margin, values.max() + margin), title="log likelihood (nats)")


@projected()
def learning(ax: Axes, curves: dict[str, np.ndarray], title: str) -> None:
    """Style → exact log likelihoods, before training and after each round (n+1,)."""
    for style, values in curves.items():
        artists.line(ax, style, np.arange(len(values)), values, **STYLES[style] | {"markersize": 4})
    meanings = {"training data": "training patches", "held-out data": "held-out patches"}
    artists.legend(ax, meanings, loc="lower right", fontsize=11)
    every = np.concatenate(list(curves.values()))
    margin = 0.06 * (every.max() - every.min())
    longest = max(map(len, curves.values()))
    ax.set(xlim=(-0.02 * longest, 1.02 * (longest - 1)), ylim=(every.min() - margin, every.max() + margin))
    ax.set(xlabel="round of training", title=title)
