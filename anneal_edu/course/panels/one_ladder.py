"""One ladder of parallel tempering: every state moves on its rung, then neighbours propose to swap."""

from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from scipy.special import logsumexp

from anneal_edu import Gaussian, Unnormalized, geometric_path, linear_schedule, random_walk
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.film import Film
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import seed, slider, steps
from anneal_edu.kernels import swapped
from anneal_edu.tempering.parallel import tempering_states

CENTRES, WIDTH, SHARES = np.array([-6.0, 0.0, 5.0]), 0.4, np.array([0.2, 0.5, 0.3])
BORDERS = np.array([-3.0, 2.5])
N_SWEEPS, STEP = 60, 0.7
MOVE, PROPOSE, SWAP = range(3)
_LOG_HEIGHTS = 1.0 + np.log(SHARES / (WIDTH * np.sqrt(2 * np.pi)))
_GRID, _EDGES = np.linspace(-12, 12, 481), np.linspace(-8, 7, 46)


def three_modes() -> Unnormalized:
    """Three narrow Gaussians of masses 0.2, 0.5 and 0.3, times e: log Z = 1."""
    return Unnormalized(lambda x: logsumexp(_LOG_HEIGHTS - (x - CENTRES) ** 2 / (2 * WIDTH**2), axis=-1), 1)


class Ladder(NamedTuple):
    """A run of one ladder of K + 1 rungs; a sweep has three moments: move, propose, swap."""

    x: np.ndarray
    """Where each state is, (T, K+1), the columns by state."""
    rungs: np.ndarray
    """On which rung, (T, K+1)."""
    proposed: np.ndarray
    """Pairs that are asked in each sweep, (N, K)."""
    accepted: np.ndarray
    """Those that swap, (N, K)."""


def path_to_three_modes(hottest: float):
    """The geometric path from N(0, hottest²)."""
    return geometric_path(Gaussian([0.0], [[hottest**2]]), three_modes())


@lru_cache(maxsize=64)
def ladder(n_pairs: int, hottest: float, seed: int) -> Ladder:
    """Walk a ladder; the start and each sweep's three moments."""
    states = tempering_states(
        path_to_three_modes(hottest), linear_schedule(n_pairs) ** 2, 1, random_walk(STEP),
        rng=np.random.default_rng(seed),
    )  # fmt: skip
    x, rungs, proposed, accepted = [], [], [], []
    own = np.arange(n_pairs + 1)
    for state in islice(states, N_SWEEPS):
        before = swapped(state.x, state.accepted)[:, 0, 0]  # a swap undoes itself
        after = np.argsort(state.replicas[:, 0])
        x += [before[own], before[own], before[own]]
        rungs += [own, own, after]
        proposed.append(state.proposed[:, 0])
        accepted.append(state.accepted[:, 0])
        own = after
    return Ladder(np.array(x), np.array(rungs), np.array(proposed), np.array(accepted))


class OneLadder(Panel):
    """A ladder from a wide Gaussian to a target of three modes, in time.

    Controls: ``moment``, three of a sweep, move, propose, swap; ``n_pairs`` K; ``hottest``, the standard deviation of
    the first rung; ``seed``. The rungs are β = (k/K)².
    """

    title = "One ladder"
    picture = (
        "Left: the density on each rung, the hottest at the bottom, and the state that stands there as a coloured dot. "
        "Lines join pairs that are asked to swap. Middle: on which rung each state has been. Right: what the target's "
        "rung has seen, in the colours of the states, and its exact density."
    )
    size = (12.0, 5.0)
    columns = (1.5, 1.2, 1)
    plays = "moment"
    controls = {  # noqa: RUF012
        "moment": slider("moment (move, propose, swap)", 0, 0, 3 * N_SWEEPS - 1, 1),
        "n_pairs": steps("pairs K", 6, range(1, 9)),
        "hottest": slider("width of the hottest rung", 5.0, 0.5, 8.0, 0.5),
        "seed": seed(3),
    }
    scenes = {  # noqa: RUF012
        "who gets to the top?": {},
        "sixty sweeps later": {"moment": 3 * N_SWEEPS - 1},
        "one steep step": {"n_pairs": 1, "moment": 3 * N_SWEEPS - 1},
        "a narrow start": {"hottest": 0.5, "moment": 3 * N_SWEEPS - 1},
    }

    def draw(self, moment, n_pairs, hottest, seed):
        left, middle, right = self.axes
        run, film = ladder(n_pairs, hottest, seed), Film(moment, rate=5.0)
        colours = [mpl.colors.to_hex(c) for c in mpl.colormaps["plasma"](np.linspace(0.02, 0.95, n_pairs + 1))]
        _draw_rungs(left, n_pairs, hottest)
        film.links(left, "refused", _links(run, accepted=False), "rejected swap", dashed=True)
        film.links(left, "accepted", _links(run, accepted=True), "swapping")
        film.dots(left, "states", run.x, run.rungs + 0.1, colours, radius=8.0)
        film.words(left, "said", -11.5, n_pairs + 0.8, [_said(run, at) for at in range(len(run.x))])

        swapped_at = np.arange(len(run.x)) // 3 + (np.arange(len(run.x)) % 3 == SWAP)  # sweeps
        film.trails(middle, "ways", swapped_at, run.rungs, colours)
        middle.set(xlim=(0, N_SWEEPS), ylim=(-0.3, n_pairs + 1.2), yticks=range(n_pairs + 1), xlabel="sweep",
                   title="Rung of each state")  # fmt: skip

        counts = _seen(run)  # (T, K+1, bins)
        tops = np.cumsum(counts, axis=1) / (np.maximum(counts.sum((1, 2)), 1)[:, None, None] * np.diff(_EDGES)[0])
        for state, colour in enumerate(colours):
            low = tops[:, state - 1] if state else np.zeros_like(tops[:, 0])
            film.bars(right, f"seen {state}", _EDGES, low, tops[:, state], colour)
        artists.curve(right, "exact", _GRID, np.exp(three_modes().log_density(_GRID[:, None]) - 1), "truth")
        right.set(xlim=(-8, 7), ylim=(0, 1.05), xlabel="x", title="Seen at the top")
        return Readout(*_words(run, counts, moment), film)


def _draw_rungs(ax, n_pairs, hottest):
    path = path_to_three_modes(hottest)
    for k, beta in enumerate(linear_schedule(n_pairs) ** 2):
        log_f = path(beta).log_density(_GRID[:, None])
        height = k + 0.6 * np.exp(log_f - log_f.max())
        artists.band(ax, f"area {k}", _GRID, np.full(len(_GRID), float(k)), height, "reference")
        artists.curve(ax, f"rung {k}", _GRID, height, "reference", linewidth=1, linestyle="-")
    names = [f"{'hot ' if k == 0 else 'target ' if k == n_pairs else ''}{k}" for k in range(n_pairs + 1)]
    ax.set(xlim=(-12, 12), ylim=(-0.3, n_pairs + 1.2), xlabel="x", title="One state on each rung")
    ax.set_yticks(range(n_pairs + 1), names)


def _links(run, accepted):
    """Ends of the lines between pairs that are asked, and swap or not, (T, 4, K); NaN at other moments."""
    n_pairs = run.proposed.shape[1]
    ends = np.full((len(run.x), 4, n_pairs), np.nan)
    for sweep, (asked, yes) in enumerate(zip(run.proposed, run.accepted, strict=True)):
        at = 3 * sweep + PROPOSE
        on_rung = np.argsort(run.rungs[at])
        for k in np.flatnonzero(asked & (yes == accepted)):
            ends[at, :, k] = run.x[at, on_rung[k]], k + 0.1, run.x[at, on_rung[k + 1]], k + 1.1
    return ends


def _seen(run):
    """How often each state has stood on the last rung after a swap, by bins of x, up to each moment."""
    n_pairs = run.proposed.shape[1]
    counts = np.zeros((len(run.x), n_pairs + 1, len(_EDGES) - 1))
    for at in range(SWAP, len(run.x), 3):
        top = int(np.argmax(run.rungs[at]))
        place = np.searchsorted(_EDGES, run.x[at, top]) - 1
        if 0 <= place < len(_EDGES) - 1:
            counts[at, top, place] = 1
    return np.cumsum(counts, axis=0)


def _said(run, at):
    sweep, phase = divmod(at, 3)
    if phase == MOVE:
        return f"sweep {sweep + 1}: move"
    asked, yes = run.proposed[sweep].sum(), run.accepted[sweep].sum()
    return f"sweep {sweep + 1}: propose" if phase == PROPOSE else f"sweep {sweep + 1}: {yes} of {asked} swap"


def _words(run, counts, moment):
    """The sentence and the numbers of a moment."""
    n_sweeps, by_state = moment // 3 + 1, counts[moment].sum(1)
    mode_of_bin = np.searchsorted(BORDERS, (_EDGES[1:] + _EDGES[:-1]) / 2)
    by_mode = [int(counts[moment][:, mode_of_bin == mode].sum()) for mode in range(3)]
    said = "Each state walks on its rung; then neighbours propose to swap. Which states will reach the target?"
    if moment:
        said = (
            f"After {n_sweeps} sweeps {(by_state > 0).sum()} of {len(by_state)} states have stood on the target rung, "
            f"and it has seen {np.count_nonzero(by_mode)} of its 3 modes."
        )
    tried, swaps = run.proposed[:n_sweeps].sum(), run.accepted[:n_sweeps].sum()
    visits = ", ".join(map(str, by_mode))
    return said, {"swaps": f"{swaps} of {tried} proposed", "visits to the modes": f"{visits} (exact: 20, 50, 30%)"}
