"""Kadan et al. 2018, Section 4.2: how replicas travel on a ladder under three schemes of swaps."""

from functools import lru_cache

import numpy as np
from scipy.special import erf

from anneal_edu.course.figures import tempering
from anneal_edu.course.figures.film import Film
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import seed, slider
from anneal_edu.kernels import swapped
from anneal_edu.tempering.matrices import expected_round_trip_time
from anneal_edu.tempering.record import RoundTrips
from anneal_edu.tempering.swaps import SCHEMES, as_scheme

N_LADDERS, N_BURN_IN, N_SWEEPS, SHOWN = 24, 400, 300, 160
ASKED = "even or odd?", "even, odd", "thick proposes"


def rejection_rate(n_pairs: int, barrier: float) -> float:
    """Of every pair of the ladder of K pairs from N(0, 1) to N(Λ √π, 1), exactly: erf(Λ √π / 2K), about Λ / K."""
    return float(erf(barrier * np.sqrt(np.pi) / (2 * n_pairs)))


@lru_cache(maxsize=16)
def walks(n_pairs: int, barrier: float, memory: float, seed: int) -> dict[str, tuple]:
    """Scheme → replicas on every rung, and trips of each so far, (T+1, K+1, C) both; round trips in 1,000 sweeps
    after the burn-in, of all replicas or of the lifted one, and their standard error. All get the same random numbers.

    The rungs are N(μ_k, 1), with μ from 0 to Λ √π in equal steps; a chain explores by x ← μ + ρ (x - μ) + √(1-ρ²) z.
    """
    mean, found = np.linspace(0, barrier * np.sqrt(np.pi), n_pairs + 1)[:, None], {}  # mean (K+1, 1)
    for name in SCHEMES:
        scheme, (rng, coins) = as_scheme(name)(n_pairs, N_LADDERS), np.random.default_rng(seed).spawn(2)
        x, replicas, made = mean + rng.standard_normal((n_pairs + 1, N_LADDERS)), [], []
        on_rung, trips = np.tile(np.arange(n_pairs + 1)[:, None], N_LADDERS), RoundTrips(*x.shape)
        for _ in range(N_BURN_IN + N_SWEEPS + 1):
            trips.update(on_rung)
            replicas.append(on_rung)
            made.append(trips.made.copy())
            x = mean + memory * (x - mean) + np.sqrt(1 - memory**2) * rng.standard_normal(x.shape)
            log_alpha = np.diff(mean, axis=0) * (x[:-1] - x[1:])
            accepted = scheme.propose(coins) & (-rng.standard_exponential(log_alpha.shape) < log_alpha)
            scheme.update(accepted)
            x = swapped(x, accepted)
            on_rung = swapped(on_rung, accepted)
        rate = (made[-1] - made[N_BURN_IN])[: 1 if name == "lifted" else None].sum(0) * 1000 / N_SWEEPS  # (C,)
        found[name] = np.array(replicas), np.array(made), rate.mean(), rate.std(ddof=1) / np.sqrt(N_LADDERS)
    return found


class WhoVisitsTheTarget(Panel):
    """States on the ladder from N(0, 1) to N(Λ √π, 1), whose barrier is Λ, under three schemes of swaps.

    Controls: ``sweep``; ``n_pairs`` K; ``barrier`` Λ; ``memory`` ρ (0: a fresh draw at every sweep); ``seed``.
    """

    title = "Who visits the target?"
    picture = (
        "Rung against sweep, three plots: swaps by a coin, in turn, and lifted. A state has its colour, the hottest a "
        "thick line; a strip above the target's rung shows who stands there."
    )
    size = (12.0, 4.8)
    columns, gap = (1, 1, 1), 0.35
    plays = "sweep"
    controls = {  # noqa: RUF012
        "sweep": slider("sweep", 0, 0, SHOWN, 1),
        "n_pairs": slider("pairs K", 12, 1, 24, 1, live=False),
        "barrier": slider("barrier Λ", 2.0, 0.0, 6.0, 0.5, live=False),
        "memory": slider("memory ρ of the exploration", 0.0, 0.0, 0.99, 0.01, live=False),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "three schemes": {},
        "in turn or by a coin": {"sweep": SHOWN},
        "no rejections": {"sweep": SHOWN, "barrier": 0.0},
        "too few rungs": {"sweep": SHOWN, "n_pairs": 2},
        "slow exploration": {"sweep": SHOWN, "memory": 0.97},
    }

    def draw(self, sweep, n_pairs, barrier, memory, seed):
        rejected, film = np.full(n_pairs, rejection_rate(n_pairs, barrier)), Film(sweep, rate=16.0)
        colours, readout, seen, measured, theory = tempering.colours_of(n_pairs + 1), {}, {}, {}, {}
        found = walks(n_pairs, barrier, memory, seed)
        below = "sweep (a colour: a state)", f"sweep ({rejected[0]:.0%} rejected)", "sweep (thick: one state)"
        for ax, scheme, asked, xlabel in zip(self.axes, found, ASKED, below, strict=True):
            (replicas, made, measured[scheme], error), label = found[scheme], tempering.SCHEME_LABELS[scheme]
            shown, time = replicas[: SHOWN + 1, :, 0], np.arange(SHOWN + 2)
            height = np.argsort(shown, axis=1) / n_pairs  # of each replica
            film.trails(ax, f"{scheme} states", time[:-1], height, colours, width=0.7)
            film.trails(ax, f"{scheme} hottest", time[:-1], height[:, :1], colours[:1], width=4.0)
            film.dots(ax, f"{scheme} now", np.repeat(time[:-1, None], n_pairs + 1, 1), height, colours, radius=5.0)
            film.strip(ax, f"{scheme} top", time, shown[:, -1], colours, 1.1, 1.25)
            visits = [len(np.unique(shown[: t + 1, -1])) for t in range(SHOWN + 1)]
            film.words(ax, f"{scheme} visits", 0, 1.44, [f"visited target: {n} of {n_pairs + 1}" for n in visits])
            film.words(ax, "trips", 0, 1.31, [f"round trips: {n.sum()}" for n in made[: SHOWN + 1, :, 0]])
            counted, seen[scheme] = 1 if scheme == "lifted" else n_pairs + 1, visits[sweep]
            theory[scheme] = 1000 * counted / expected_round_trip_time(scheme, rejected)
            ax.set(xlim=(-4, SHOWN + 6), ylim=(-0.06, 1.56), title=f"{label}: {asked}", xlabel=xlabel)
            ax.set_yticks((0, 1, 1.175), ("hot", "target", "who is\nthere") if ax is self.axes[0] else [""] * 3)
            more = "" if readout else ", round trips of the ladder in 1,000 sweeps"
            readout[label + more] = f"{measured[scheme]:.0f} ± {error:.0f} (theory {theory[scheme]:.0f})"
        readout["rejected"] = f"{rejected[0]:.0%}"
        return Readout(_takeaway(sweep, n_pairs, barrier, memory, theory, measured, seen), readout, film)


def _takeaway(sweep, n_pairs, barrier, memory, theory, measured, seen) -> str:
    coin, turn = theory["stochastic_even_odd"], theory["even_odd"]
    if sweep == 0:
        return "With the coin, in turn, or lifted: with which scheme do most states visit the target's rung?"
    if barrier == 0:
        coin, turn = (1000 * (n_pairs + 1) / rate for rate in (coin, turn))
        return f"No swap is rejected. In turn, a state is up and down in {turn:.0f} sweeps, by a coin in {coin:,.0f}."
    if memory > 0 and measured["even_odd"] < 0.7 * turn:
        return "The chains hardly move, so a rejected pair is rejected again. Theory expects far more round trips."
    if turn < 1.15 * coin:
        return "With so few rungs, or so many rejections, all states wander: a coin and swaps in turn hardly differ."
    coin, turn, lifted = (f"{n} state{'s' * (n > 1)}" for n in seen.values())
    said = f"In {sweep} sweeps {turn} visited the target in turn, {coin} by a coin, and {lifted} lifted."
    return f"{said} In turn, a state keeps its direction until a swap is rejected."
