"""A small RBM learns, tempered chains watch, and the exact likelihood stands beside what they say."""

from functools import lru_cache

import numpy as np

from anneal_edu.course.experiments import stored
from anneal_edu.course.experiments.small_tracking import N_UPDATES, OFTEN, gibbs_steps
from anneal_edu.course.figures import artists, likelihood_tracking
from anneal_edu.course.figures.likelihood_tracking import TRAIN, VALIDATION
from anneal_edu.course.figures.style import GREY, STYLES
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import slider, steps


@lru_cache(maxsize=1)
def runs() -> dict[tuple, dict]:
    """The stored trainings, by rate and seed, and trackings, by rate, seed, sweeps a look and updates between looks."""
    return {
        tuple(row[name] for name in ("rate", "seed", "n_sweeps", "every") if name in row): {
            name: np.array(values) for name, values in row.items() if isinstance(values, list)
        }
        for row in stored("small_tracking")["rows"]
    }


class LikelihoodTracking(Panel):
    """Tracked and exact log likelihoods of an RBM with 10 hidden units that learns 100 digits of 8×8 pixels by PCD.

    Stored runs; ``python -m anneal_edu experiment small-tracking`` makes them. Controls: ``rate``, the learning rate;
    ``n_sweeps``, sweeps of the 100 tempered chains a look; ``every``, updates between two looks; ``repeat``, which of
    four runs.
    """

    title = "Watching the likelihood"
    picture = (
        "Left: mean log likelihood of training and validation digits against updates, as tracked, with bars of two "
        "standard errors, and exact. Right: error of the tracked log Z at every look, with bars of two standard "
        "errors; looks that are off by more than three of them are crossed."
    )
    size, columns, gap = (12.0, 4.6), (1.4, 1), 0.8
    controls = {  # noqa: RUF012
        "rate": steps("learning rate", 0.1, (0.05, 0.1, 0.5, 1.0)),
        "n_sweeps": steps("sweeps a look", 10, (1, 3, 10, 30)),
        "every": steps("updates between looks", 50, (25, 50, 250)),
        "repeat": slider("run", 0, 0, 3, 1),
    }
    scenes = {  # noqa: RUF012
        "tracking holds": {},
        "learning too fast": {"rate": 1.0},
        "fast, with one sweep": {"rate": 1.0, "n_sweeps": 1},
        "learning slowly": {"rate": 0.05},
    }

    def draw(self, rate, n_sweeps, every, repeat):
        truth, run = runs()[rate, repeat], runs()[rate, repeat, n_sweeps, every]
        errors, bars = run["error"], run["std_error"]
        exact, updates = {TRAIN: truth["train"], VALIDATION: truth["validation"]}, np.arange(1, 61) * OFTEN
        looks = slice(every // OFTEN - 1, None, every // OFTEN)
        found = {style: values[looks] - errors for style, values in exact.items()}
        left, right = self.axes
        likelihood_tracking.tracked(left, updates[looks], found, bars, updates, exact)
        left.set(title=f"learning rate {rate:g}: log likelihood ± 2 s.e.", ylabel="nats per image")
        _tracking_error(right, updates[looks], errors, bars, N_UPDATES)
        effort = f"{n_sweeps} sweep{'s' * (n_sweeps > 1)} per estimate\nlog scale beyond ±1"
        artists.words(right, "effort", 30, 42, effort, va="top", fontsize=12, color=GREY)
        looking, learning = gibbs_steps(every, n_sweeps)
        readout = {"largest error": f"{np.abs(errors).max():.2f} nats", "mean error bar": f"{bars.mean():.2f}"}
        readout["Gibbs steps for looking"] = f"{looking / (looking + learning):.0%} of all"
        return Readout(_takeaway(errors, bars, rate), readout)


def _tracking_error(ax, n_updates, errors, std_error, end):
    """Error of the tracked log Ẑ (n,) with bars of ± 2 standard errors; beyond 3 they are crossed."""
    artists.curve(ax, "zero", [0, 1.02 * end], [0, 0], "truth")
    artists.bars(ax, "bars", n_updates, errors - 2 * std_error, errors + 2 * std_error, "RTS", markersize=5)
    missed = np.abs(errors) > 3 * std_error
    if not missed.all():
        artists.marks(ax, "near", n_updates[~missed], errors[~missed], "RTS", markersize=6, markeredgecolor="white")
    if missed.any():
        cross = {"markersize": 9, "markeredgecolor": "white", "zorder": 5}
        artists.marks(ax, "missed", n_updates[missed], errors[missed], "missed", **cross)
    ax.set(xlim=(0, 1.02 * end), xlabel="updates", title="log Ẑ − log Z ± 2 s.e. (nats)")
    artists.squeezed_y(ax, 1, (-30, -10, -3, -1, 0, 1, 3, 10, 30), -70, 50)
    artists.words(ax, "key", 30, -55, "✖ off by more than 3 s.e.", fontsize=12, color=STYLES["missed"]["color"])


def _takeaway(errors: np.ndarray, std_error: np.ndarray, rate: float) -> str:
    worst, missed = float(np.abs(errors).max()), np.abs(errors) > 3 * std_error
    looks = f"at {missed.sum()} of {len(errors)} looks (✖)" if missed.any() else "at no look"
    if worst < 0.7:
        asked = " Does log Ẑ keep up when learning is fast?" * (rate == 0.1)
        off = f"{looks} are they off by more than three standard errors.{asked}"
        return f"Tracked and exact likelihood stay within {worst:.2f} nats of each other, and {off}"
    mostly_low = (np.minimum(errors, 0) ** 2).sum() > 0.75 * (errors**2).sum()
    side = " Log Ẑ is mostly too low: the model looks better than it is." if mostly_low else ""
    return f"At worst, tracked and exact likelihood part by {worst:.1f} nats.{side} Bars are too short {looks}."
