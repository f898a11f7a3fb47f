"""Image models: their filters as pictures, their likelihoods side by side, and likelihood against size."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import artists
from anneal_edu.course.figures.images import image_grid
from anneal_edu.course.figures.style import BLACK, STYLES, projected

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


def _across(ax: Axes, name: str, middle: np.ndarray, error: np.ndarray, rows: np.ndarray, style: str, **look) -> None:
    """Points with level bars of ± one error, one a row."""
    artists.level_bars(ax, name + " bars", middle - error, middle + error, rows, style)
    artists.marks(ax, name, middle, rows, style, **{"markersize": 9} | look)


@projected()
def likelihoods(
    ax: Axes,
    names: list[str],
    means: np.ndarray,
    errors: np.ndarray,
    title: str,
    chosen: str | None = None,
    zero: float | None = None,
    papers: tuple[np.ndarray, np.ndarray] | None = None,
    beat: float | None = None,
) -> None:
    """Numbers ± one standard error (n,), one model a row, the first at the bottom; larger is better.

    ``chosen`` is circled. ``zero`` is a level to compare with, drawn as a dotted line. ``papers`` holds the paper's
    numbers and errors of the same models, and ``beat`` the likelihood of N(0, I), which knows no shapes.
    """
    rows = np.arange(len(names))
    aside = 0.0 if papers is None else 0.14
    _across(ax, "ours", means, errors, rows + aside, OURS)
    ends = [means - errors, means + errors]
    if papers is not None:
        _across(ax, "paper", *papers, rows - aside, PAPERS)
        ends += [papers[0] - papers[1], papers[0] + papers[1]]
        artists.legend(ax, {OURS: "ours", PAPERS: "the paper's"}, loc="lower right", fontsize=11)
    if chosen is not None:
        ring = {"marker": "o", "markersize": 17, "markerfacecolor": "None", "markeredgewidth": 2.2, "color": BLACK}
        artists.marks(ax, "chosen", means[names.index(chosen)], names.index(chosen), OURS, **ring)
    if zero is not None:
        artists.curve(ax, "zero", [zero, zero], [-0.6, len(names) - 0.4], "truth", linewidth=1.8)
        ends.append(np.array([zero]))
    if beat is not None:
        artists.curve(ax, "beat", [beat, beat], [-0.6, len(names) - 0.4], "reference")
        artists.words(ax, "beat words", beat, len(names) - 0.5, " N(0, I)", va="top", fontsize=12)
        ends.append(np.array([beat]))
    low, high = np.concatenate(ends).min(), np.concatenate(ends).max()
    margin = 0.06 * (high - low)
    ax.set(xlim=(low - margin, high + margin), xlabel="nats, ± one standard error")
    ax.set(ylim=(-0.6, len(names) - 0.4), title=title)
    ax.set(yticks=rows, yticklabels=[LABELS[name] for name in names])


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


@projected()
def against_share(ax: Axes, means: dict[str, tuple[float, float]], share: float) -> None:
    """Model → its mean on the richer and on the flatter half, mixed; the present share of flat patches is marked."""
    for name, ends in means.items():
        artists.curve(ax, name, [0, 1], ends, LABELS[name])
    low, high = min(map(min, means.values())), max(map(max, means.values()))
    above_legend = low + 0.27 * (high - low)
    artists.curve(ax, "share", [share, share], [above_legend, high], "reference", linewidth=1.8)
    where = {"ha": "right", "va": "top", "fontsize": 11, "color": STYLES["reference"]["color"]}
    artists.words(ax, "share words", share - 0.02, high, "our test set", **where)
    artists.legend(ax, {LABELS[name]: LABELS[name] for name in means}, loc="lower right", fontsize=11)
    ax.set(xlim=(0, 1), ylim=(low - 3, high + 3), xlabel="share of flat patches", title="log likelihood (nats)")
