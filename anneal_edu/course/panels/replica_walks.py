"""Kadan et al. 2018, Section 4.2: how replicas travel on a ladder under three schemes of swaps."""

from functools import lru_cache

import numpy as np
from matplotlib.ticker import MaxNLocator
from scipy.special import erf

from anneal_edu.course.figures import artists, tempering
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import seed, slider
from anneal_edu.tempering.matrices import expected_round_trip_time
from anneal_edu.tempering.record import count_round_trips
from anneal_edu.tempering.swaps import SCHEMES, as_scheme, swapped

N_LADDERS = 24
N_BURN_IN, N_SWEEPS = 400, 300
SHOWN = 160


def rejection_rate(n_pairs: int, barrier: float) -> float:
    """Of every pair of the ladder of K pairs from N(0, 1) to N(Λ √π, 1), exactly: erf(Λ √π / 2K), about Λ / K.

    Examples
    --------
    >>> round(rejection_rate(100, 2.0), 4)
    0.02
    """
    return float(erf(barrier * np.sqrt(np.pi) / (2 * n_pairs)))


@lru_cache(maxsize=16)
def walks(n_pairs: int, barrier: float, memory: float, seed: int) -> dict[str, np.ndarray]:
    """Scheme → replicas on every rung (T+1, K+1, C), all from the same random numbers.

    The rungs are N(μ_k, 1), with μ from 0 to Λ √π in equal steps. A chain explores by x ← μ + ρ (x - μ) + √(1-ρ²) z,
    which leaves its rung invariant; with memory ρ = 0 it draws afresh each time.
    """
    mean = np.linspace(0, barrier * np.sqrt(np.pi), n_pairs + 1)[:, None]  # (K+1, 1)
    gap, rng = np.diff(mean, axis=0), np.random.default_rng([seed, 0])
    first = mean + rng.standard_normal((n_pairs + 1, N_LADDERS))
    noise = (1 - memory) * mean + np.sqrt(1 - memory**2) * rng.standard_normal((N_BURN_IN + N_SWEEPS, *first.shape))
    log_u = -rng.standard_exponential((len(noise), n_pairs, N_LADDERS))
    schemes, coins = [as_scheme(name)(n_pairs, N_LADDERS) for name in SCHEMES], np.random.default_rng([seed, 1])
    x = np.repeat(first[:, None], len(schemes), axis=1)  # (K+1, schemes, C)
    replicas = [np.broadcast_to(np.arange(n_pairs + 1)[:, None, None], x.shape)]
    for fresh, numbers in zip(noise, log_u, strict=True):
        x = memory * x + fresh[:, None]
        log_alpha = gap[..., None] * (x[:-1] - x[1:])
        proposed = np.stack([scheme.propose(coins) for scheme in schemes], axis=1)  # (K, schemes, C)
        accepted = proposed & (numbers[:, None] < log_alpha)
        for i, scheme in enumerate(schemes):
            scheme.update(accepted[:, i])
        x = swapped(x, accepted)
        replicas.append(swapped(replicas[-1], accepted))
    return dict(zip(SCHEMES, np.array(replicas).transpose(2, 0, 1, 3), strict=True))


def rungs_of(replicas: np.ndarray) -> np.ndarray:
    """From which replica stands on a rung, (T, K+1), to on which rung a replica stands, (T, K+1).

    Examples
    --------
    >>> import numpy as np
    >>> rungs_of(np.array([[2, 0, 1]]))
    array([[1, 2, 0]])
    """
    return np.argsort(replicas, axis=1)


@lru_cache(maxsize=64)
def trip_rates(n_pairs: int, barrier: float, memory: float, seed: int) -> dict[str, tuple[float, float]]:
    """Scheme → round trips of one replica a sweep, after the burn-in, and the standard error over ladders.

    The average over all replicas; of the lifted scheme the tagged replica's.
    """
    found = walks(n_pairs, barrier, memory, seed)
    replicas = np.concatenate(list(found.values()), axis=2)  # (T+1, K+1, schemes × C)
    trips = count_round_trips(replicas) - count_round_trips(replicas[: N_BURN_IN + 1])  # (K+1, schemes × C)
    rates = {}
    for scheme, counted in zip(found, np.split(trips / N_SWEEPS, len(found), axis=1), strict=True):
        each = counted[0] if scheme == "lifted" else counted.mean(0)
        rates[scheme] = float(each.mean()), float(each.std(ddof=1) / np.sqrt(each.size))
    return rates


class ReplicaWalks(Panel):
    """Replicas on the ladder from N(0, 1) to N(Λ √π, 1), whose barrier is Λ, under three schemes of swaps.

    Controls: ``n_pairs`` K, ``barrier`` Λ, ``memory`` ρ of the exploration (0: a fresh draw at every sweep) and
    ``seed``. All three schemes get the same normal and uniform numbers.
    """

    title = "Replicas on the ladder"
    picture = (
        "Three plots side by side, rung against sweep: swaps by a coin, in turn, and lifted. One replica is thick, "
        "three others are thin and grey."
    )
    size = (12.0, 4.6)
    controls = {  # noqa: RUF012
        "n_pairs": slider("pairs K", 12, 1, 24, 1, live=False),
        "barrier": slider("barrier Λ", 2.0, 0.0, 6.0, 0.5, live=False),
        "memory": slider("memory ρ of the exploration", 0.0, 0.0, 0.99, 0.01, live=False),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "in turn or by a coin": {},
        "no refusals": {"barrier": 0.0},
        "twice as many rungs": {"n_pairs": 24},
        "too few rungs": {"n_pairs": 2},
        "slow exploration": {"memory": 0.97},
    }

    def make_axes(self, figure):
        axes = figure.columns(1, 1, 1, gap=0.5)
        for ax in axes:
            ax.set(xlabel="sweep")
            ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
        for ax in axes[1:]:
            ax.tick_params(labelleft=False)
        axes[0].set_ylabel("rung (top: target)")
        return axes

    def draw(self, n_pairs, barrier, memory, seed):
        rates = np.full(n_pairs, rejection_rate(n_pairs, barrier))
        expected = {scheme: expected_round_trip_time(scheme, rates) for scheme in SCHEMES}
        readout, counted = {}, {}
        for ax, (scheme, replicas) in zip(self.axes, walks(n_pairs, barrier, memory, seed).items(), strict=True):
            title = f"{tempering.SCHEME_LABELS[scheme]}: {expected[scheme]:,.0f} a trip"
            _draw_walk(ax, rungs_of(replicas[:SHOWN, :, 0]), tempering.SCHEME_STYLES[scheme], title)
            rate, error = trip_rates(n_pairs, barrier, memory, seed)[scheme]
            counted[scheme] = rate * expected[scheme]
            measured = f"{1000 * rate:.1f} ± {1000 * error:.1f}" if expected[scheme] < N_BURN_IN else "too few to count"
            label = tempering.SCHEME_LABELS[scheme] + (", trips of a replica in 1,000 sweeps" if not readout else "")
            readout[label] = f"{measured} (theory {1000 / expected[scheme]:.1f})"
        readout["refused"] = f"{rates[0]:.0%}"
        every = (n_pairs + 1) / expected["even_odd"]
        readout["all replicas in turn, trips a sweep"] = f"{every:.3f} of at most {1 / (2 + 2 * barrier):.3f}"
        return Readout(_takeaway(barrier, memory, expected, counted), readout)


def _draw_walk(ax, rungs, style, title):
    """Rungs of replicas (T, K+1) over time: the first one thick, and up to three others thin and grey."""
    n_times, n_rungs = rungs.shape
    times = np.arange(n_times)
    which = np.unique(np.linspace(1, n_rungs - 1, 4)[1:].astype(int))  # more could not be told apart
    others = np.concatenate([rungs, np.full((1, n_rungs), np.nan)])[:, which]
    x = np.tile(np.append(times, np.nan), len(which))
    artists.curve(ax, "others", x, others.T.ravel(), "reference", gaps=True, linestyle="-", linewidth=0.8, alpha=0.7)
    artists.curve(ax, "one", times, rungs[:, 0], style, linestyle="-", linewidth=2.4)
    top = n_rungs - 1
    ax.set(xlim=(0, n_times - 1), ylim=(-0.04 * top - 0.1, 1.04 * top + 0.1), title=title)


def _takeaway(barrier, memory, expected, counted) -> str:
    turn, coin = expected["even_odd"], expected["stochastic_even_odd"]
    if barrier == 0:
        return (
            f"No swap is refused. In turn, replicas run like clockwork: up and down in {turn:.0f} sweeps, and "
            f"nothing is random any more. By a coin each of them wanders, and needs {coin:,.0f}."
        )
    if memory > 0 and counted["even_odd"] < 0.7:  # without a memory, trips may still be too few to be counted
        return (
            "The chains remember too well. A refused pair is refused again, and there are far fewer round trips than "
            "theory, which knows perfect exploration only, expects."
        )
    if coin < 1.15 * turn:
        return "With so few rungs, or so many refusals, all replicas wander, and the schemes hardly differ."
    return (
        f"In turn, a replica keeps its direction until it is refused: {turn:.0f} sweeps a round trip. By a coin it "
        f"forgets at every rung: {coin:,.0f} sweeps."
    )
