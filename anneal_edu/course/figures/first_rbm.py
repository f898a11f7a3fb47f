"""Figures of the first RBM: its training, its log Z estimated from two starts, and the two pictures that compete."""

import numpy as np
from matplotlib.axes import Axes

from anneal_edu.course.figures import annealing, artists
from anneal_edu.course.figures.style import projected


@projected()
def training_curves(ax: Axes, n_updates: np.ndarray, curves: dict[str, np.ndarray], independent: float) -> None:
    """Mean log likelihoods (n,) of "CD-1" and "PCD" after n_updates (n,), and that of independent pixels."""
    end = 1.04 * n_updates[-1]
    artists.curve(ax, "independent", [0, end], [independent] * 2, "reference")
    for method, curve in curves.items():
        artists.curve(ax, method, n_updates, curve, method)
    meanings = {method: method for method in curves} | {"reference": "independent pixels"}
    artists.legend(ax, meanings, loc="center right")
    best = max(np.max(curve) for curve in curves.values())
    ax.set(xlim=(0, end), ylim=(independent - 0.6, best + 0.6), xlabel="updates")
    ax.set_title("Exact mean log likelihood of an image (nats)")


@projected()
def estimates_from_starts(ax: Axes, n_steps: list[int], results: dict[str, list], log_z: float) -> None:
    """Estimates log Ẑ with 95% intervals against K, and the exact value."""
    artists.curve(ax, "exact", [n_steps[0] / 2, n_steps[-1] * 2], [log_z] * 2, "truth")
    ends = [log_z]
    for i, (start, row) in enumerate(results.items()):
        intervals = [r.interval() for r in row]
        ends += list(np.ravel(intervals))
        x = np.asarray(n_steps) * (0.97, 1.03)[i]  # side by side, so that the bars can be told apart
        annealing.estimates(ax, start, x, [r.log_z for r in row], intervals, start)
    meanings = {start: f"from the {start} RBM" for start in results} | {"truth": "exact"}
    artists.legend(ax, meanings, loc="lower right")
    artists.log_x(ax, "number of steps K", n_steps, (n_steps[0] / 1.25, n_steps[-1] * 1.25))
    room = 0.06 * np.ptp(ends)
    ax.set(ylim=(min(ends) - room, max(ends) + room), title="log Ẑ with 95% intervals (nats)")


@projected()
def competing_states(
    ax: Axes, betas: np.ndarray, six: np.ndarray, four: np.ndarray, predicted: float, title: str
) -> None:
    """The exact probabilities (n,) of two hidden states at each β (n,), and where they were predicted to cross."""
    artists.curve(ax, "predicted", [predicted] * 2, [0, 1.06], "reference", linewidth=1.6)
    artists.words(ax, "of the line", predicted - 0.02, 1.07, "predicted", va="bottom", fontsize=13)
    artists.curve(ax, "six", betas, six, "another mode")
    artists.curve(ax, "four", betas, four, "target")
    for name, at, share in (("the 6", 0.36, six), ("the 4", betas[np.argmax(four > 0.2)], four)):
        artists.words(ax, name, at - 0.02, np.interp(at, betas, share), name, ha="right", va="bottom", fontsize=14)
    ax.set(xlim=(0, 1.02), ylim=(0, 1.06), xlabel="position β on the path")
    ax.set_title(title)


@projected()
def runs_by_ess(ax: Axes, ess: np.ndarray, errors: np.ndarray, found: np.ndarray) -> None:
    """log Ẑ - log Z against the ESS of many runs, each (n,); ``found`` says which have a chain in the missing mode."""
    artists.curve(ax, "truth", [0, 1.1 * ess.max()], [0, 0], "truth")
    artists.marks(ax, "missed", ess[~found], errors[~found], "another mode", markersize=9)
    artists.marks(ax, "found", ess[found], errors[found], "target", markersize=11)
    room = 0.1 * np.ptp(np.append(errors, 0))
    ax.set(xlim=(0, 1.1 * ess.max()), ylim=(min(errors.min(), 0) - room, max(errors.max(), 0) + 3 * room))
    ax.set(xlabel="ESS of the run", title="log Ẑ - log Z (nats)")
    meanings = {"target": "a chain is in the 4", "another mode": "none is", "truth": "truth"}
    artists.legend(ax, meanings, loc="upper right", ncols=3)
