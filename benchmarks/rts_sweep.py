"""One sweep of tempered sampling with 101 rungs, as a multiple of one step of AIS: 100 chains of a 784×500 RBM.

Both make one Gibbs step of every chain. The sweep also computes log f on all rungs for every chain, turns them into
q(β_k | v), and draws a rung. Claim: in one BLAS thread a sweep costs less than ten steps of AIS. So where both need the
same number of sweeps for the same error, AIS is the faster by this ratio.
"""

import time
from itertools import islice

import numpy as np
from threadpoolctl import threadpool_limits

import anneal_edu as ae
from anneal_edu.simulated_tempering import tempered_walk

K, C, D, H, SWEEPS, REPEATS = 100, 100, 784, 500, 20, 12


def main() -> None:
    """Time short runs of both in turn, and print the medians, and the median of their ratios."""
    rng = np.random.Generator(np.random.SFC64(0))
    target = ae.BinaryRBM(0.05 * rng.normal(size=(D, H)), 0.5 * rng.normal(size=D), 0.5 * rng.normal(size=H))
    path = ae.geometric_path(ae.uniform_rbm(D, H), target)
    ladder, few = ae.linear_schedule(K), ae.linear_schedule(SWEEPS)
    x, rungs = path(0.0).sample(C, rng), rng.integers(K + 1, size=C)
    walk = tempered_walk(path, ladder, np.full(K + 1, path(0.0).log_z()), x, rungs, rng=rng)
    times = {"step of AIS": [], "sweep of tempered sampling": []}
    with threadpool_limits(1):
        for _ in range(REPEATS):
            begin = time.perf_counter()
            ae.ais(path, few, C, rng=rng)
            times["step of AIS"].append(time.perf_counter() - begin)
            begin = time.perf_counter()
            list(islice(walk, SWEEPS))
            times["sweep of tempered sampling"].append(time.perf_counter() - begin)
    seconds = {name: np.array(found[2:]) / SWEEPS for name, found in times.items()}
    for name, each in seconds.items():
        print(f"{name}: {1e3 * np.median(each):.1f} ms")
    ratios = seconds["sweep of tempered sampling"] / seconds["step of AIS"]
    print(f"ratio {np.median(ratios):.1f}")


if __name__ == "__main__":
    main()
