"""Runs that ail, and runs that do not, for the check of notebook 15 that asks which is which."""

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtri

WORDS = ("collapsed", "copies", "stuck", "not there yet", "fine")


def five_runs(seed: int) -> tuple[list[tuple[np.ndarray, np.ndarray]], list[str]]:
    """Log weights (C,) and states (T, C) of five runs, each with another trouble or none, and what it is.

    A small drift, in each fourth seed, is seven standard errors, over the chains, from one half to the other.
    """
    rng = np.random.default_rng([153, seed])
    order = rng.permutation(len(WORDS))
    drifts = {"not there yet": 7.0 * (seed % 4 == 3), "fine": rng.uniform(-2, 2)}
    return [run(WORDS[i], rng, drifts.get(WORDS[i], 0.0)) for i in order], [WORDS[i] for i in order]


def run(word: str, rng, drift=0.0, refused=0.2, keep=0.7, spread=0.0, n_dead=0, n=0) -> tuple[np.ndarray, np.ndarray]:
    """One run; drift: standard errors, over the chains, from one half to the other; 0 leaves that to chance."""
    n, T = n or int(rng.integers(40, 80)), 200
    level, width = 800 * rng.choice([-1, 1]), 10 ** rng.uniform(-2, 2)
    x = np.empty((T, n))
    x[0] = rng.standard_normal(n)
    for t in range(1, T):
        x[t] = keep * x[t - 1] + np.sqrt(1 - keep**2) * rng.standard_normal(n)
        x[t] = np.where(rng.random(n) < refused, x[t - 1], x[t])  # a refused step is no chain that never moves
    size = spread or rng.uniform(0.2, 0.8)  # a wide spread comes in quantiles: none is further off by chance
    log_w = level + size * (ndtri((rng.permutation(n) + 0.5) / n) if spread else rng.standard_normal(n))
    log_w[:n_dead] -= 50
    if word == "collapsed":
        log_w = level + 12 * np.sort(rng.standard_normal(n))
        log_w[-1] = log_w[-2] + 6
        log_w = rng.permutation(log_w)
    elif word == "copies":
        half = n // 2
        x[:, half : 2 * half] = x[:, :half]
    elif word == "stuck":
        still = rng.choice(n, n // 4, replace=False)
        x[:, still] = x[0, still]
    elif word == "not there yet" or drift:
        way, side = np.linspace(-6, 0, T)[:, None], rng.choice([-1, 1])
        way = np.round(way / 6) if word == "fine" else way  # what chance adds to a half is no slope
        change = np.diff(x.reshape(2, -1, n).mean(1), axis=0)
        wanted = drift * side * change.std(ddof=1) / np.sqrt(n)
        x += way * ((wanted - change.mean()) / np.diff(way.reshape(2, -1).mean(1)) if drift else side)
    return log_w, width * (3 * rng.normal() + x[:, rng.permutation(n)])


def _telling() -> Iterator[tuple[str, tuple[np.ndarray, np.ndarray]]]:
    """Runs, each of which refutes a rule that is nearly right, and what they are."""
    rng = np.random.default_rng(155)
    for harmless in ({}, {"spread": 1.5}, {"spread": 1.5}, {"n_dead": 2}):
        yield "fine", run("fine", rng, 1.4, keep=0.95, **harmless)
    yield "not there yet", run("not there yet", rng, 7.0, refused=0.0, keep=0.0)  # a sixth of a standard deviation
    yield "fine", run("fine", rng, 2.0, keep=0.98, n=16)  # slow and few: here a third of one is no drift
    yield "fine", run("fine", rng, 1.4, spread=1.9, n=500)  # the largest weight 5.8 nats above the middle one
    log_w, x = run("fine", rng, 1.4)
    some = np.arange(len(log_w))
    yield "fine", (np.where(some == 7, -797.5, -800.0), x)  # its first lead is shorter than that of a collapse
    yield "collapsed", (np.select([some == 3, some == 11], [-800.0, -802.6], -820.0), x)
    yield "fine", (log_w, 1e-12 * x)
    seldom = x.copy()
    seldom[:, 4] = x[np.arange(len(x)) // 20 * 20, 4]  # nine moves in 200 sweeps
    yield "fine", (log_w, seldom)
    little = x.copy()
    little[:, 4] = x[0, 4] + 0.02 * (x[:, 4] - x[0, 4])
    yield "fine", (log_w, little)
    back = x.copy()
    back[-1, 4] = x[0, 4]
    back[-1, 9] = back[-1, 12]
    yield "fine", (log_w, back)
    still = x.copy()
    still[:, 5] = x[0, 5]
    yield "stuck", (log_w, still)
    together = x.copy()
    together[0, 9] = x[0, 5]  # and apart from then on
    yield "fine", (log_w, together)
    for half in (slice(None, 110), slice(90, None)):
        shared, rested = x.copy(), x.copy()
        shared[half, 17] = x[half, 3]  # one for a while, and two before or after
        rested[half, 4] = x[100, 4]
        yield "fine", (log_w, shared)
        yield "fine", (log_w, rested)
    pair = x.copy()
    pair[:, 17] = x[:, 3]
    yield "copies", (log_w, pair)
    yield "copies", (log_w, 1e-12 * pair)
    _, few = run("fine", rng, 1.4, n=24)
    yield "fine", (np.where(np.arange(24) == 7, np.log(0.32 / 0.68 * 23), 0.0), few)  # one has 0.32 of all weight
    yield "not there yet", (log_w, x + 20 * np.ptp(x) * np.linspace(0, 1, len(x))[:, None])  # nearly parallel


def cases() -> Iterator[tuple[list[tuple[np.ndarray, np.ndarray]], list[str]]]:
    """Five runs of every seed, then fine ones with no more than chance in them, then those that tell."""
    yield from (five_runs(seed) for seed in range(8))
    rng, chance = np.random.default_rng(154), ndtri((np.arange(150) + 0.5) / 150)  # at most 2.7 standard errors
    given = zip(rng.permutation(chance), [0.2, 0.75] * 75, strict=True)  # drift, and what share of moves is refused
    yield [run("fine", rng, drift, refused) for drift, refused in given], ["fine"] * 150
    words, runs = zip(*_telling(), strict=True)
    yield list(runs), list(words)
