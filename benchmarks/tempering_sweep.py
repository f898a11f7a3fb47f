"""One sweep of parallel tempering, 10 rungs × 100 chains of a 784×500 RBM, as a multiple of its two float32 products.

From a weightless start one product v @ W serves the densities on three rungs and the next Gibbs step, the other is
h @ Wᵀ. Claim, in one BLAS thread: a sweep with its swaps costs at most twice these two products. The second line is
the sweep that any path can do, rung by rung.
"""

import sys
import time

import numpy as np
from threadpoolctl import threadpool_limits

import anneal_edu as ae
from anneal_edu.tempering.parallel import sweep_on
from anneal_edu.tempering.swaps import EvenOdd

# Rungs, chains, visible and hidden units, repeats.
FULL, TINY = (10, 100, 784, 500, 60), (3, 5, 4, 3, 7)


def main(tiny: bool = False) -> None:
    """Time products and both kinds of sweep in turn, and print the medians, and the median of their ratios."""
    rungs, C, D, H, repeats = TINY if tiny else FULL
    rng = np.random.Generator(np.random.SFC64(0))
    target = ae.BinaryRBM(0.05 * rng.normal(size=(D, H)), 0.5 * rng.normal(size=D), 0.5 * rng.normal(size=H))
    path, schedule = ae.geometric_path(ae.uniform_rbm(D, H), target), ae.linear_schedule(rungs - 1)
    ladders = {"products shared": path, "rung by rung": lambda beta: path(beta)}
    sweeps = {name: sweep_on(ladder, schedule, ae.gibbs) for name, ladder in ladders.items()}
    x = np.stack([path(0.0).sample(C, rng) for _ in schedule])
    states = dict.fromkeys(sweeps, x)
    schemes = {name: EvenOdd(rungs - 1, C) for name in ladders}
    v, W = x.reshape(-1, D), target.single_precision[0]
    h = rng.integers(0, 2, size=(rungs * C, H)).astype(np.float32)
    field_v, field_h = np.empty_like(v), np.empty_like(h)
    times = {name: [] for name in ("products", *ladders)}
    with threadpool_limits(1):
        for _ in range(repeats):
            begin = time.perf_counter()
            np.matmul(v, W, out=field_h)
            np.matmul(h, W.T, out=field_v)
            times["products"].append(time.perf_counter() - begin)
            for name, sweep in sweeps.items():
                begin = time.perf_counter()
                states[name], *_ = sweep(states[name], schemes[name], rng)
                times[name].append(time.perf_counter() - begin)
    seconds = {name: np.array(found[5:]) for name, found in times.items()}
    print(f"two products {1e3 * np.median(seconds['products']):.1f} ms")
    for name in ladders:
        ratios = seconds[name] / seconds["products"]
        print(f"sweep, {name}: {1e3 * np.median(seconds[name]):.1f} ms, ratio {np.median(ratios):.2f}")


if __name__ == "__main__":
    main(tiny=sys.argv[1:] == ["--tiny"])
