"""A small RBM learns, tempered chains watch, and the exact likelihood stands beside what they say."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from anneal_edu import data
from anneal_edu.course.figures import artists, likelihood_tracking
from anneal_edu.course.figures.likelihood_tracking import TRAIN, VALIDATION
from anneal_edu.course.figures.style import GREY
from anneal_edu.course.panels.base import Panel, Readout, gathered
from anneal_edu.course.panels.controls import seed, steps
from anneal_edu.distributions import BinaryRBM
from anneal_edu.paths.schedules import linear_schedule
from anneal_edu.training import TrainingState, contrastive_divergence, track_log_likelihood

N_TRAIN, N_VALIDATION, N_HIDDEN = 100, 500, 10
N_UPDATES, N_CHAINS, OFTEN = 1500, 100, 25
FIRST_ROUNDS = 21
_NEAR = 0.7


@lru_cache(maxsize=1)
def digits_split() -> tuple[np.ndarray, np.ndarray]:
    """A hundred digits of 8×8 pixels to learn from, and 500 others."""
    digits = data.digits(8)
    order = np.random.default_rng(13).permutation(len(digits))
    return digits[order[:N_TRAIN]], digits[order[-N_VALIDATION:]]


class Training(NamedTuple):
    """A training run, seen after every OFTEN updates."""

    states: list[TrainingState]
    log_z: np.ndarray
    """exact, (n,)"""
    likelihoods: dict[str, np.ndarray]
    """TRAIN and VALIDATION → exact mean log likelihoods, (n,)"""

    @property
    def n_updates(self) -> np.ndarray:
        """(n,)"""
        return np.array([state.n_updates for state in self.states])


def frozen(state: TrainingState) -> TrainingState:
    """A copy that further training leaves alone."""
    arrays = state.weights.copy(), state.visible_bias.copy(), state.hidden_bias.copy()
    return TrainingState(state.n_updates, *arrays)


@lru_cache(maxsize=16)
def training(rate: float, seed: int) -> Training:
    """PCD with one Gibbs step, 100 chains and a constant learning rate, and the exact likelihoods on its way."""
    train, validation = digits_split()
    rng = np.random.default_rng([seed, 0])
    run = contrastive_divergence(
        train, N_HIDDEN, "pcd", n_gibbs=1, n_updates=N_UPDATES, learning_rate=rate, batch_size=N_CHAINS, rng=rng,
        decay=False
    )
    states = [frozen(state) for state in run if state.n_updates % OFTEN == 0]
    models: list[BinaryRBM] = [state.rbm for state in states]
    log_z = np.array([rbm.log_z() for rbm in models])
    means = {
        style: np.array([rbm.log_density(v).mean() for rbm in models]) - log_z
        for style, v in ((TRAIN, train), (VALIDATION, validation))
    }
    return Training(states, log_z, means)


def looks_at(rate: float, seed: int, every: int, n_sweeps: int, n_rungs: int):
    """Track that training: an iterator of TrackedLikelihood."""
    train, validation = digits_split()
    rng, schedule = np.random.default_rng([seed, 1]), linear_schedule(n_rungs)
    states = training(rate, seed).states
    return track_log_likelihood(states, train, validation, every, n_sweeps, N_CHAINS, schedule, rng=rng)


def errors_at(rate: float, seed: int, every: int, n_sweeps: int, n_rungs: int) -> tuple[np.ndarray, np.ndarray]:
    """Track that training: log Ẑ minus exact log Z at every look, and its standard error, both (n,)."""
    looks = list(looks_at(rate, seed, every, n_sweeps, n_rungs))
    log_z, std_error = np.transpose([(look.log_z, look.std_error) for look in looks])
    return log_z - exact_log_z(rate, seed, every), std_error


def exact_log_z(rate: float, seed: int, every: int) -> np.ndarray:
    """Of that training, after every so many updates, a multiple of OFTEN."""
    return training(rate, seed).log_z[every // OFTEN - 1 :: every // OFTEN]


def gibbs_steps(every: int, n_sweeps: int, n_rungs: int) -> tuple[int, int]:
    """Gibbs steps of single chains: of the looks, of which the first climbs the ladder and makes 21 rounds; of PCD."""
    n_rounds = FIRST_ROUNDS + N_UPDATES // every - 1
    return (n_rungs + n_rounds * n_sweeps) * N_CHAINS, N_UPDATES * N_CHAINS


_runs: dict[tuple, list] = {}  # settings → looks, shared by all panels of a session


class LikelihoodTracking(Panel):
    """Tracked and exact log likelihoods of an RBM with 10 hidden units that learns 100 digits of 8×8 pixels by PCD.

    Controls: ``rate``, the learning rate; ``n_sweeps``, sweeps of the 100 tempered chains a look; ``every``, updates
    between two looks; ``n_rungs``, steps of the ladder; ``seed``, of the training and of the looks.
    """

    title = "Watching the likelihood"
    picture = (
        "Left: mean log likelihood of training and validation digits against updates, as tracked, with bars of two "
        "standard errors, and exact. Right: error of the tracked log Z at every look, with bars of two standard "
        "errors; looks that are off by more than three of them are crossed."
    )
    size = (12.0, 4.6)
    columns = (1.4, 1)
    gap = 0.8
    controls = {  # noqa: RUF012
        "rate": steps("learning rate", 0.1, (0.05, 0.1, 0.2, 0.5, 1.0)),
        "n_sweeps": steps("sweeps a look", 10, (1, 3, 10, 30)),
        "every": steps("updates between looks", 50, (25, 50, 100, 250)),
        "n_rungs": steps("steps of the ladder", 20, (1, 5, 20, 50)),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "tracking holds": {},
        "learning too fast": {"rate": 1.0},
        "fast, with one sweep": {"rate": 1.0, "n_sweeps": 1},
        "learning slowly": {"rate": 0.05},
    }

    def draw(self, rate, n_sweeps, every, n_rungs, seed):
        settings = rate, seed, every, n_sweeps, n_rungs
        if settings not in _runs:
            _runs[settings] = yield from gathered(looks_at(*settings), N_UPDATES // every)
        looks, run = _runs[settings], training(rate, seed)
        n, log_z, std_error = np.transpose([(look.n_updates, look.log_z, look.std_error) for look in looks])
        errors = log_z - exact_log_z(rate, seed, every)
        found = {
            TRAIN: np.array([look.train for look in looks]),
            VALIDATION: np.array([look.validation for look in looks]),
        }
        left, right = self.axes
        likelihood_tracking.tracked(left, n, found, std_error, run.n_updates, run.likelihoods)
        _tracking_error(right, n, errors, std_error, N_UPDATES)
        looking, learning = gibbs_steps(every, n_sweeps, n_rungs)
        best = int(run.likelihoods[VALIDATION].argmax())
        readout = {
            "largest error": f"{np.abs(errors).max():.2f} nats",
            "mean error bar": f"{std_error.mean():.2f}",
            "missed by more than 3": f"{(np.abs(errors) > 3 * std_error).sum()} of {len(looks)} looks",
            "validation best at": f"{n[found[VALIDATION].argmax()]:.0f} (exact {run.n_updates[best]})",
            "Gibbs steps for looking": f"{looking:,}, {looking / (looking + learning):.0%} of all",
        }
        return Readout(_takeaway(errors, std_error), readout)


def _tracking_error(ax, n_updates, errors, std_error, end):
    """Error of the tracked log Ẑ (n,) with bars of ± 2 standard errors; beyond 3 they are crossed."""
    artists.curve(ax, "zero", [0, 1.02 * end], [0, 0], "truth")
    artists.bars(ax, "bars", n_updates, errors - 2 * std_error, errors + 2 * std_error, "RTS", markersize=5)
    missed = np.abs(errors) > 3 * std_error
    look = {"markersize": 6, "markeredgecolor": "white"}
    if not missed.all():
        artists.marks(ax, "near", n_updates[~missed], errors[~missed], "RTS", **look)
    if missed.any():
        cross = {"markersize": 9, "markeredgecolor": "white", "zorder": 5}
        artists.marks(ax, "missed", n_updates[missed], errors[missed], "missed", **cross)
    furthest = 1.1 * float((np.abs(errors) + 2 * std_error).max())
    reach = next((limit for limit in (1.2, 3, 6, 12, 30) if limit > furthest), furthest)
    ax.set(xlim=(0, 1.02 * end), ylim=(-1.15 * reach, reach), xlabel="updates", title="log Ẑ − log Z ± 2 s.e. (nats)")
    artists.words(ax, "key", 0.02 * end, -1.1 * reach, "✖ off by more than 3 s.e.", fontsize=11, color=GREY)


def _takeaway(errors: np.ndarray, std_error: np.ndarray) -> str:
    """What was measured, in numbers."""
    worst, missed = float(np.abs(errors).max()), np.abs(errors) > 3 * std_error
    looks = f"at {missed.sum()} of {len(errors)} looks (✖)" if missed.any() else "at no look"
    if worst < _NEAR:
        return (
            f"Tracked and exact likelihood stay within {worst:.2f} nats of each other, and {looks} are they off by "
            "more than three standard errors."
        )
    mostly_low = (np.minimum(errors, 0) ** 2).sum() > 0.75 * (errors**2).sum()
    side = " Log Ẑ is mostly too low: the model looks better than it is." if mostly_low else ""
    return f"At worst, tracked and exact likelihood part by {worst:.1f} nats.{side} Bars are too short {looks}."
