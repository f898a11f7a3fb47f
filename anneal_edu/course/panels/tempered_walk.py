"""Carlson et al. 2016, "Simulated Tempering" and "RTS": a chain on a ladder, its shares of time, and what they tell."""

from copy import deepcopy
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from anneal_edu import linear_schedule, random_walk
from anneal_edu.course.experiments.tempered_sampling import BUMPS, exact_log_z, poster_rounds, three_bumps
from anneal_edu.course.figures import artists
from anneal_edu.course.figures.style import GREY, STYLES
from anneal_edu.course.figures.tempered_sampling import AVERAGED, COUNTED
from anneal_edu.course.panels.base import Panel, Readout
from anneal_edu.course.panels.controls import choice, seed, slider, steps
from anneal_edu.paths.ladder import ladder_on
from anneal_edu.tempering.rts import RTSRound
from anneal_edu.tempering.simulated import tempered_walk

N_ROUNDS, N_INITIAL = 12, 6
N_SWEEPS, N_CHAINS = 20, 60
LEARNED, HELD = "Ẑ learned", "Ẑ = 1 held"
KERNEL = random_walk(1.0)
_X = np.linspace(-6.5, 7.5, 281)
_LOWEST = -4.0  # lower end of the axis of log Ẑ
_FLOOR = 2e-6  # where shares of zero are drawn


class Walk(NamedTuple):
    """The rounds of one run of RTS, and from where each can be walked again."""

    rounds: list[RTSRound]
    rngs: list[np.random.Generator]
    """As they were before each round."""


@lru_cache(maxsize=64)
def walk(n_rungs: int, z: str, seed: int) -> Walk:
    """RTS in the rounds of the poster; with Ẑ = 1 held, all rounds are one long round."""
    n_initial, rng = N_INITIAL if z == LEARNED else 0, np.random.default_rng(seed)
    schedule = linear_schedule(n_rungs - 1)
    source = poster_rounds(three_bumps(), schedule, n_initial, N_SWEEPS, N_CHAINS, KERNEL, rng=rng)
    rounds, rngs = [], []
    for _ in range(N_ROUNDS):
        rngs.append(deepcopy(rng))
        rounds.append(next(source))
    return Walk(rounds, rngs)


@lru_cache(maxsize=256)
def way(n_rungs: int, z: str, seed: int, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions and rungs of all chains in round ``number`` (from 1), before each sweep and at the end: (T+1, C)."""
    made, path, schedule = walk(n_rungs, z, seed), three_bumps(), linear_schedule(n_rungs - 1)
    rng = deepcopy(made.rngs[number - 1])
    if number == 1:
        x, rungs = path.start.sample(N_CHAINS, rng), np.zeros(N_CHAINS, dtype=int)
    else:
        x, rungs = made.rounds[number - 2].x, made.rounds[number - 2].rungs
    log_z = made.rounds[number - 1].assumed_log_z
    sweeps = list(islice(tempered_walk(ladder_on(path, schedule, KERNEL), log_z, x, rungs, rng), N_SWEEPS))
    return np.array([x[:, 0], *(x[:, 0] for x, _, _ in sweeps)]), np.array([rungs, *(k for _, k, _ in sweeps)])


def most_travelled(x: np.ndarray, rungs: np.ndarray) -> int:
    """Of all chains (T, C) the one that came to the most pairs of a bump and a rung."""
    places = 100 * np.abs(x[..., None] - BUMPS).argmin(-1) + rungs
    return int(np.argmax([len(np.unique(of_chain)) for of_chain in places.T]))


@lru_cache(maxsize=16)
def exact(n_rungs: int) -> tuple[np.ndarray, np.ndarray]:
    """log Z_k (K+1,) and the density on every rung at the points of the picture (K+1, n)."""
    path, schedule = three_bumps(), linear_schedule(n_rungs - 1)
    log_z = exact_log_z(path, schedule)
    return log_z, np.exp(path.log_densities(schedule, _X[:, None]) - log_z[:, None])


class TemperedWalk(Panel):
    """Simulated tempering between N(0, 1) and three narrow bumps with log Z = 8, and RTS from it.

    Controls: ``rounds`` so far, of 20 sweeps of 60 chains each; ``rungs`` of the ladder; ``z``: "Ẑ learned" is RTS (six
    rounds that each correct Ẑ, then six at the last Ẑ, pooled), "Ẑ = 1 held" never corrects it and pools all; ``seed``.
    """

    title = "A tempered walk"
    picture = (
        "Left: the way of the most travelled chain over the rungs in the last two rounds, from a wide hill at the "
        "bottom to three narrow bumps at the top. Middle: the share of time on each rung, counted, averaged and exact. "
        "Right: log Ẑ of the target after each round, by both, with the exact value."
    )
    size = (13.0, 4.6)
    controls = {  # noqa: RUF012
        "rounds": slider("rounds so far", N_ROUNDS, 1, N_ROUNDS, 1),
        "rungs": steps("rungs", 9, (2, 3, 5, 9), live=False),
        "z": choice("", LEARNED, (LEARNED, HELD)),
        "seed": seed(),
    }
    scenes = {  # noqa: RUF012
        "a guess that is corrected": {},
        "the first round": {"rounds": 1},
        "a wrong guess, held": {"z": HELD},
        "two rungs": {"rungs": 2},
    }
    plays = "rounds"

    def make_axes(self, figure):
        ladder, shares, estimates = figure.columns(1.2, 1, 1.2, gap=0.85)
        ladder.set(title="a chain, last two rounds", ylabel="rung k")
        shares.set_title("share of time")
        estimates.set(title="log Ẑ ± 2 errors", ylabel="nats")
        return [ladder, shares, estimates]

    def draw(self, rounds, rungs, z, seed):
        ladder, shares, estimates = self.axes
        made, (log_z, densities) = walk(rungs, z, seed).rounds[:rounds], exact(rungs)
        pieces = [way(rungs, z, seed, number) for number in range(max(1, rounds - 1), rounds + 1)]
        x, k = (np.concatenate([pieces[0][i], *(piece[i][1:] for piece in pieces[1:])]) for i in (0, 1))
        shown = most_travelled(x, k)
        _walk_on_ladder(ladder, _X, densities, x[:, shown], k[:, shown])
        now = made[-1]
        q = np.exp(log_z - now.assumed_log_z - logsumexp(log_z - now.assumed_log_z))
        _shares_of_time(shares, now.visits, np.exp(now.log_marginals), q)
        averaged, errors, counted = (
            np.array([getattr(r, name)[-1] for r in made]) for name in ("log_z", "std_error", "counted_log_z")
        )
        n_initial = N_INITIAL if z == LEARNED else 0
        _estimates_by_round(estimates, averaged, errors, counted, log_z[-1], n_initial)
        by_counts = f"{counted[-1]:.2f}" if np.isfinite(counted[-1]) else "none: a rung was never visited"
        readout = {
            "log Ẑ": f"{averaged[-1]:.2f} ± {errors[-1]:.2f} (exact {log_z[-1]:.2f})",
            "by counts": by_counts,
            "share of the first rung": f"{np.exp(now.log_marginals[0]):.2g} (exact {q[0]:.2g})",
            "crossings from first to last rung": f"{now.crossings} by {N_CHAINS} chains",
        }
        return Readout(_takeaway(rounds, z, float(averaged[-1] - log_z[-1]), float(errors[-1]), now), readout)


def _walk_on_ladder(ax, x, densities, trail, rungs):
    """The density on each rung (K+1, n) as a ridge, and one chain's way over them: positions and rungs, (T+1,)."""
    top = len(densities) - 1
    for k, density in enumerate(densities):
        ridge = k + 0.75 * density / density.max()
        artists.band(ax, f"area {k}", x, np.full_like(x, k), ridge, "reference", alpha=0.25, zorder=1 - k / 100)
        artists.curve(ax, f"ridge {k}", x, ridge, "reference", linestyle="-", linewidth=1, zorder=1 - k / 100)
    across = np.column_stack([trail[:-1], trail[1:]]).ravel()
    up = np.repeat(rungs[:-1], 2)
    look = {"linestyle": "-", "linewidth": 1.3, "zorder": 3}
    artists.curve(ax, "trail", np.append(across, trail[-1]), np.append(up, rungs[-1]), "chains", **look)
    ends = {"markersize": 10, "markeredgecolor": "white", "zorder": 5}
    artists.marks(ax, "first", trail[0], rungs[0], "first", **ends)
    artists.marks(ax, "last", trail[-1], rungs[-1], "last", **ends)
    ax.set(xlim=(x[0], x[-1]), ylim=(-0.04 * (top + 1), 1.02 * (top + 1)), xlabel="x   (● first  ■ last)")
    ax.set_yticks(np.unique(np.linspace(0, top, min(top, 4) + 1).astype(int)))


def _shares_of_time(ax, counted, averaged, exact):
    """Share of every rung (K+1,): by counting, by averaging q(β_k | x), and exactly; zero counts stand at the floor."""
    k = np.arange(len(exact))
    artists.curve(ax, "exact", k, np.maximum(exact, _FLOOR), "truth")
    aside = 0.012 * len(k)
    artists.marks(ax, "averaged", k - aside, np.maximum(averaged, _FLOOR), AVERAGED)
    seen = counted > 0
    hollow = {"markerfacecolor": "white", "markeredgewidth": 2, "markersize": 9, "zorder": 3}
    artists.marks(ax, "counted", k[seen] + aside, counted[seen], COUNTED, **hollow)
    if not seen.all():
        artists.marks(ax, "never", k[~seen], np.full((~seen).sum(), _FLOOR), COUNTED, **hollow | {"marker": "v"})
        artists.words(ax, "never words", k[~seen][0] + 0.3, 1.7 * _FLOOR, "never visited", fontsize=11, color=GREY)
    meanings = {"truth": "exact", AVERAGED: "averaged", COUNTED: "counted"}
    artists.legend(ax, meanings, loc="lower right", **artists.SMALL | {"handlelength": 1.8})
    ax.set(yscale="log", ylim=(_FLOOR / 2, 2), xlim=(-0.5, k[-1] + 0.5), xlabel="rung k")
    ax.set_yticks([1, 1e-2, 1e-4], ["1", "10⁻²", "10⁻⁴"])
    ax.set_xticks(range(0, len(k), 1 + len(k) // 8))
    ax.minorticks_off()


def _estimates_by_round(ax, averaged, errors, counted, exact, n_initial):
    """log Ẑ after each round so far (n,), ± 2 standard errors, and by counts; those below the axis stand at its end."""
    rounds = np.arange(1, len(averaged) + 1)
    inside = _LOWEST + 0.03 * (exact - _LOWEST)
    artists.curve(ax, "exact", [0, N_ROUNDS + 1], [exact] * 2, "truth")
    if n_initial:
        artists.curve(ax, "held", [n_initial + 0.5] * 2, [_LOWEST, exact + 3], "reference", linewidth=1.5)
        artists.words(ax, "held words", n_initial + 0.7, exact + 2.9, "Ẑ held", fontsize=11, color=GREY, va="top")
    bottom, top = (np.maximum(averaged + sign * 2 * errors, inside) for sign in (-1, 1))
    artists.bars(ax, "errors", rounds - 0.12, bottom, top, AVERAGED)
    artists.line(ax, "averaged", rounds - 0.12, np.maximum(averaged, inside), **STYLES[AVERAGED] | {"linewidth": 1.5})
    found = np.isfinite(counted)
    if found.any():
        look = {"markerfacecolor": "white", "markeredgewidth": 2, "markersize": 8, "zorder": 3}
        artists.marks(ax, "counted", rounds[found] + 0.12, np.maximum(counted[found], inside), COUNTED, **look)
    ax.set(xlim=(0.3, N_ROUNDS + 0.7), ylim=(_LOWEST, exact + 3), xlabel="round")
    ax.set_xticks(range(2, N_ROUNDS + 1, 2))


def _takeaway(rounds: int, z: str, error: float, bar: float, now: RTSRound) -> str:
    if z == HELD:
        climb = "With Ẑ = 1 chains climb at once and seldom come back"
        if error > max(-3 * bar, -0.8):
            return f"{climb}."
        return (
            f"{climb}: the shares still remember that all began at the bottom, and log Ẑ is too low by many of its own "
            "error bars."
        )
    if rounds <= N_INITIAL:
        evenness = np.exp(now.log_marginals.max() - now.log_marginals.min())
        if evenness > 10:
            return f"Round {rounds}: Ẑ is far off, some rungs get a tenth of the time of others, or less. Correct it."
        return f"Round {rounds}: the shares are nearly even, so Ẑ is nearly right."
    if abs(error) < 2 * max(bar, 0.05):
        return "Ẑ has settled: chains travel, every rung gets its share, and log Ẑ is within two errors of the truth."
    much, which = ("few", "low") if error < 0 else ("many", "high")
    return (
        f"With {len(now.log_marginals)} rungs the outer bumps got too {much} chains: log Ẑ is too {which} by more than "
        "two of its errors."
    )
