"""Bidirectional Monte Carlo: forward and reverse log Ẑ around log Z, and what the reverse chains start from."""

from functools import lru_cache

import numpy as np

from anneal_edu import ais, data, geometric_path, gibbs, linear_schedule, models, reverse_ais
from anneal_edu.annealing.reverse import long_run
from anneal_edu.course.figures import annealing, artists
from anneal_edu.course.figures.sandwich import FORWARD, REVERSE
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, seed
from anneal_edu.models.knots import load_spline, start_of

MODELS = {"CD-1": "digits28_cd", "PCD": "digits28_pcd"}
STEPS = (100, 200, 500)
N_CHAINS = 100
N_LONG_RUN = 300
EXACT, FROM_CHAINS, FROM_DIGITS = "exact draws", "a long run from the forward chains", "a long run from the digits"
SHOWN, HIDDEN = "shown", "hidden"
RISK = 0.01
CROSSING = np.log(1 / RISK)
"""Nats by which two bounds may cross at this risk. If the draws are exact and know nothing of the forward run, its Ẑ/Z
times the mean of Z/w has the mean 1, and Markov bounds how often this is large; medians of three are so more rarely.
"""
MEANINGS = {REVERSE: "reverse run", FORWARD: "forward run"}


@lru_cache(maxsize=8)
def _path(model: str, start: str, path: str):
    if path == "MAS":
        return load_spline(MODELS[model], start)
    target = models.load(MODELS[model])
    return geometric_path(start_of(target, start), target)


def starting_states(target, draws: str, forward, rng: np.random.Generator) -> np.ndarray:
    """Where the reverse chains begin, (N_CHAINS, D); forward chains are first drawn by their weights."""
    if draws == EXACT:
        return target.sample(N_CHAINS, rng)
    if draws == FROM_CHAINS:
        x = forward.resampled(rng=rng)
    else:
        images = data.digits(28)
        x = images[rng.integers(len(images), size=N_CHAINS)]
    return long_run(target, x, N_LONG_RUN, gibbs, rng=rng)


def _both_ways(model: str, start: str, path: str, draws: str, seed: int):
    """Yield the fraction done; return the forward and the reverse results, one for every K."""
    along, forward, reverse = _path(model, start, path), [], []
    yield 0.0
    for i, n_steps in enumerate(STEPS):
        rng, schedule = np.random.default_rng([seed, i]), linear_schedule(n_steps)
        forward.append(ais(along, schedule, N_CHAINS, rng=rng))
        yield (i + 0.5) / len(STEPS)
        states = starting_states(models.load(MODELS[model]), draws, forward[-1], rng)
        reverse.append(reverse_ais(along, schedule, states, rng=rng))
        yield (i + 1.0) / len(STEPS)
    return forward, reverse


class SandwichGap(Panel):
    """Forward and reverse log Ẑ of a small RBM of digits against K.

    Controls: ``model``, ``start`` and ``path`` of the annealing, ``draws`` from which the reverse chains start, whether
    the ``truth`` is shown, ``seed``.
    """

    title = "The sandwich"
    picture = "Forward and reverse log Ẑ with 95% intervals against the number of steps, and the exact log Z as a line."
    size = (10.0, 4.8)
    controls = {  # noqa: RUF012
        "model": choice("model", "CD-1", tuple(MODELS)),
        "start": choice("start", "base rate", ("uniform", "base rate")),
        "path": choice("path", "geometric", ("geometric", "MAS")),
        "draws": choice("reverse chains start from", EXACT, (EXACT, FROM_CHAINS, FROM_DIGITS)),
        "truth": choice("truth", SHOWN, (SHOWN, HIDDEN)),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "the gap confesses": {},
        "agreed, and both wrong": {"draws": FROM_CHAINS},
        "bounds that cross": {"draws": FROM_DIGITS},
        "a better path": {"path": "MAS", "draws": FROM_CHAINS},
    }

    def make_axes(self, figure):
        (ax,) = figure.columns(1)
        return [ax]

    def draw(self, model, start, path, draws, truth, seed):
        settings = model, start, path, draws, seed
        forward, reverse = yield from self.once(settings, _both_ways(*settings))
        log_z = models.load(MODELS[model]).log_z() if truth == SHOWN else None
        _against_steps(self.axes[0], list(STEPS), forward, reverse, log_z)
        artists.legend(self.axes[0], MEANINGS | {"truth": "exact log Z"}, loc="upper right", ncols=3)
        judged = {"forward": _middle(forward), "reverse": _middle(reverse)}
        low, high = (float(side[i].log_z) for i, side in zip(judged.values(), (forward, reverse), strict=True))
        readout = {"reverse minus forward": f"{high - low:+.1f} nats"}
        readout |= {
            f"{name}, K = {STEPS[i]:,}": f"{side[i].log_z:.2f} ± {side[i].std_error:.2f}, ESS {side[i].ess:.0f}"
            for (name, i), side in zip(judged.items(), (forward, reverse), strict=True)
        }
        readout["exact log Z"] = "hidden" if log_z is None else f"{log_z:.2f}"
        return Readout(_takeaway(low, high, draws, log_z), readout)


def _middle(results: list) -> int:
    """Which run has the median log Ẑ: a rare chain, which carries one run in many, does not carry the verdict."""
    return int(np.argsort([r.log_z for r in results])[len(results) // 2])


def _against_steps(ax, n_steps, forward, reverse, log_z):
    """Forward and reverse log Ẑ with 95% intervals against K; the exact value where it is given."""
    ends = []
    for style, nudge, results in ((FORWARD, 0.96, forward), (REVERSE, 1.04, reverse)):
        intervals = np.array([r.interval() for r in results])
        annealing.estimates(ax, style, nudge * np.array(n_steps), [r.log_z for r in results], intervals, style)
        ends.append(intervals)
    if log_z is not None:
        artists.curve(ax, "exact", [n_steps[0] / 2, n_steps[-1] * 2], [log_z] * 2, "truth")
        ends.append([log_z])
    low = 10 * np.floor(min(map(np.min, ends)) / 10 - 0.1)  # in tens, so that few settings move the axis
    high = max(10 * np.ceil(max(map(np.max, ends)) / 10 + 0.1), low + 30)  # one scale for most settings
    artists.log_x(ax, "number of steps K", n_steps, (n_steps[0] / 1.3, n_steps[-1] * 1.3))
    ax.set(ylim=(low, high + 0.15 * (high - low)), title="log Ẑ with 95% intervals (nats)")


def _takeaway(low: float, high: float, draws: str, log_z: float | None) -> str:
    """Verdicts with a margin on the runs that the readout shows, those of the median log Ẑ, forward and reverse."""
    gap = high - low
    if gap < -CROSSING:
        found = (
            f"The reverse run lies more than {CROSSING:.1f} nats below the forward one: from exact draws at most once "
            f"in {1 / RISK:.0f} times (Markov)."
        )
        return f"{found} {'A rare chain did it' if draws == EXACT else f'{draws.capitalize()} was not long enough'}."
    found = "The two runs agree within about 2 nats."
    if abs(gap) > 2.0:
        found = "The two runs are more than 2 nats apart: log Z is not known any better, and the gap says so."
    if log_z is None:
        return found
    if max(low, high) < log_z - 2.0:
        return f"{found} Both lie more than 2 nats below the exact log Z: both miss the same region."
    if abs(gap) <= 2.0 and max(abs(low - log_z), abs(high - log_z)) < 2.0:
        return "The two runs and the exact log Z agree within about 2 nats."
    between = min(low, high) - 2.0 <= log_z <= max(low, high) + 2.0
    return f"{found} The exact log Z lies {'between them, give or take 2 nats' if between else 'outside of them'}."
