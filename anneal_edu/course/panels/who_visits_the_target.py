"""Kadan et al. 2018, Section 4.2: how replicas travel on a ladder under three schemes of swaps."""

from functools import lru_cache

import matplotlib as mpl
import numpy as np
from scipy.special import erf

from anneal_edu.course.figures import tempering
from anneal_edu.course.figures.film import Film
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


class WhoVisitsTheTarget(Panel):
    """States on the ladder from N(0, 1) to N(Λ √π, 1), whose barrier is Λ, under three schemes of swaps.

    Controls: ``sweep``, the time; ``n_pairs`` K; ``barrier`` Λ; ``memory`` ρ of the exploration (0: a fresh draw at
    every sweep); ``seed``. All three schemes get the same normal and uniform numbers.
    """

    title = "Who visits the target?"
    picture = (
        "Three plots side by side, rung against sweep: swaps by a coin, in turn, and lifted. A state has its colour; "
        "the strip on top shows which state stands on the target's rung."
    )
    size = (12.0, 4.8)
    plays = "sweep"
    controls = {  # noqa: RUF012
        "sweep": slider("sweep", 0, 0, SHOWN, 1),
        "n_pairs": slider("pairs K", 12, 1, 24, 1, live=False),
        "barrier": slider("barrier Λ", 2.0, 0.0, 6.0, 0.5, live=False),
        "memory": slider("memory ρ of the exploration", 0.0, 0.0, 0.99, 0.01, live=False),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "three ways to ask": {},
        "in turn or by a coin": {"sweep": SHOWN},
        "no refusals": {"sweep": SHOWN, "barrier": 0.0},
        "too few rungs": {"sweep": SHOWN, "n_pairs": 2},
        "slow exploration": {"sweep": SHOWN, "memory": 0.97},
    }

    def make_axes(self, figure):
        axes = figure.columns(1, 1, 1, gap=0.5)
        for ax in axes:
            ax.set(xlabel="sweep")
        for ax in axes[1:]:
            ax.tick_params(labelleft=False)
        axes[0].set_ylabel("rung (top: target)")
        return axes

    def draw(self, sweep, n_pairs, barrier, memory, seed):
        rates, film = np.full(n_pairs, rejection_rate(n_pairs, barrier)), Film(sweep, rate=16.0)
        expected = {scheme: expected_round_trip_time(scheme, rates) for scheme in SCHEMES}
        colours = [mpl.colors.to_hex(c) for c in mpl.colormaps["plasma"](np.linspace(0.02, 0.95, n_pairs + 1))]
        readout, counted, seen, ticks = {}, {}, {}, range(0, n_pairs + 1, max(1, n_pairs // 4))
        for ax, (scheme, replicas) in zip(self.axes, walks(n_pairs, barrier, memory, seed).items(), strict=True):
            shown, label = replicas[: SHOWN + 1, :, 0], tempering.SCHEME_LABELS[scheme]
            film.trails(ax, f"{scheme} states", np.arange(SHOWN + 1), rungs_of(shown), colours, width=1.5)
            film.strip(ax, f"{scheme} top", np.arange(SHOWN + 2), shown[:, -1], colours, 1.1 * n_pairs, 1.25 * n_pairs)
            rate, error = trip_rates(n_pairs, barrier, memory, seed)[scheme]
            counted[scheme], n_tags = rate * expected[scheme], 1 if scheme == "lifted" else n_pairs + 1
            seen[scheme] = len(np.unique(shown[: sweep + 1, -1]))
            ax.set(xlim=(0, SHOWN + 1), ylim=(-0.04 * n_pairs - 0.1, 1.29 * n_pairs), yticks=ticks,
                   title=f"{label}: {1000 * n_tags * rate:.0f} trips")  # fmt: skip
            more = ", round trips of the ladder in 1,000 sweeps" if not readout else ""
            measured = f"{1000 * n_tags * rate:.0f} ± {1000 * n_tags * error:.0f}"
            readout[label + more] = f"{measured} (theory {1000 * n_tags / expected[scheme]:.0f})"
        readout["refused"] = f"{rates[0]:.0%}"
        return Readout(_takeaway(sweep, barrier, memory, expected, counted, seen), readout, film)


def _takeaway(sweep, barrier, memory, expected, counted, seen) -> str:
    turn, coin = expected["even_odd"], expected["stochastic_even_odd"]
    if sweep == 0:
        return "A coin, in turn, or one tag that is lifted: with which scheme do most states visit the target's rung?"
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
        return "With so few rungs, or so many refusals, all states wander: a coin and asking in turn hardly differ."
    by = {scheme: f"{seen[scheme]} state{'s' * (seen[scheme] > 1)}" for scheme in seen}
    return (
        f"In {sweep} sweeps {by['even_odd']} visited the target in turn, {by['stochastic_even_odd']} by a coin, and "
        f"{by['lifted']} lifted. In turn, a state keeps its direction until it is refused."
    )
