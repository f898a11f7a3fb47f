"""How the time of a run grows with steps, chains, units, rungs and workers, and a law that says it: tables in Markdown.

A step of AIS does two products for each chain, and a few passes over its units: with one worker
time = K C (a D H + b (D + H)). The two constants are fitted to all rows at once, each by its relative error, and the
law is printed beside what was measured; docs/scaling.md shows what one machine said.
"""

import sys
import time

import numpy as np
from scipy.optimize import nnls

import anneal_edu as ae
from anneal_edu.workers import n_cores

ROWS = [  # steps K, chains C, visible units D, hidden units H
    (100, 1000, 64, 20), (50, 1000, 784, 20), (20, 1000, 784, 100), (10, 1000, 784, 500), (5, 1000, 2000, 2000),
    (10, 250, 784, 500), (10, 4000, 784, 500), (100, 250, 784, 500),
]  # fmt: skip
TINY = [(3, 4, 5, 2), (2, 5, 4, 3), (4, 3, 6, 2)]
LARGE = (10_000, 1000, 10_000, 10_000)


def random_path(D: int, H: int, rng: np.random.Generator) -> ae.geometric_path:
    """From the uniform RBM to parameters of about the size that training leads to."""
    made = 0.05 * rng.normal(size=(D, H)), 0.5 * rng.normal(size=D), 0.5 * rng.normal(size=H)
    return ae.geometric_path(ae.uniform_rbm(D, H), ae.BinaryRBM(*made))


def seconds_of(work, repeats: int) -> float:
    """The fastest of several runs."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def annealing(rows: list, repeats: int, rng: np.random.Generator) -> np.ndarray:
    """The table of AIS; returns a and b, in seconds."""
    measured = []
    for K, C, D, H in rows:
        path, schedule = random_path(D, H, rng), ae.linear_schedule(K)
        measured.append([
            seconds_of(lambda: ae.ais(path, schedule, C, rng=rng, workers=w), repeats)  # noqa: B023
            for w in (1, n_cores())
        ])  # fmt: skip
    one = np.array(measured)[:, 0]
    work = np.array([[K * C * D * H, K * C * (D + H)] for K, C, D, H in rows])
    law = nnls(work / one[:, None], np.ones(len(rows)))[0]
    print(f"a = {1e12 * law[0]:.1f} ps, b = {1e9 * law[1]:.2f} ns\n")
    print(f"| K | C | D × H | one worker | the law | {n_cores()} workers |\n|--:|--:|--:|--:|--:|--:|")
    for (K, C, D, H), (alone, together), said in zip(rows, measured, work @ law, strict=True):
        print(f"| {K:,} | {C:,} | {D:,} × {H:,} | {alone:.3f} s | {said:.3f} s | {together:.3f} s |")
    return law


def ladders(tiny: bool, repeats: int, rng: np.random.Generator) -> None:
    """The tables of parallel tempering and RTS against the number of rungs."""
    D, H, C, T = (5, 3, 3, 2) if tiny else (784, 100, 50, 10)
    path = random_path(D, H, rng)
    print("\n| rungs | parallel tempering, a sweep | RTS, a sweep |\n|--:|--:|--:|")
    for n_rungs in (3, 4) if tiny else (10, 20, 40, 80):
        betas = ae.linear_schedule(n_rungs - 1)
        swaps = seconds_of(
            lambda: ae.parallel_tempering(path, betas, T, C, keep="nothing", rng=rng, workers=1), repeats  # noqa: B023
        )
        walks = seconds_of(
            lambda: ae.rts(path, betas, 1, T, C, log_z=np.zeros(len(betas)), rng=rng, workers=1), repeats  # noqa: B023
        )
        print(f"| {n_rungs} | {1e3 * swaps / T:.1f} ms | {1e3 * walks / T:.1f} ms |")


def main(tiny: bool = False) -> None:
    """All tables, and what the law says of a model of 10,000 × 10,000 units."""
    rng, repeats = np.random.default_rng(0), 1 if tiny else 3
    law = annealing(TINY if tiny else ROWS, repeats, rng)
    ladders(tiny, repeats, rng)
    K, C, D, H = LARGE
    hours = K * C * (law @ [D * H, D + H]) / 3600
    print(f"\n{D:,} × {H:,} units, {C:,} chains, {K:,} steps: {hours:.3g} hours with one worker, by the law")


if __name__ == "__main__":
    main(tiny=sys.argv[1:] == ["--tiny"])
