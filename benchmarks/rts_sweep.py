"""One sweep of tempered sampling with 101 rungs, as a multiple of one step of AIS: 100 chains of a 784×500 RBM.

All make one Gibbs step of every chain. A sweep also weighs all rungs for every chain and draws one. On states v each
rung needs a sum over the hidden units; on states (v, h) one energy difference serves all rungs. Claim: in one BLAS
thread a sweep costs less than ten steps of AIS on v, and less than two on (v, h). So where methods need the same number
of sweeps for the same error, these ratios say which is the faster.
"""

import sys
import time
from itertools import islice

import numpy as np
from threadpoolctl import threadpool_limits

import anneal_edu as ae
from anneal_edu.paths.ladder import ladder_on
from anneal_edu.tempering.simulated import tempered_walk

# Pairs of rungs, chains, visible and hidden units, sweeps, repeats.
FULL, TINY = (100, 100, 784, 500, 20, 12), (3, 5, 4, 3, 2, 4)


def main(tiny: bool = False) -> None:
    """Time short runs of all three in turn, and print the medians, and the median of their ratios."""
    K, C, D, H, sweeps, repeats = TINY if tiny else FULL
    rng = np.random.Generator(np.random.SFC64(0))
    target = ae.BinaryRBM(0.05 * rng.normal(size=(D, H)), 0.5 * rng.normal(size=D), 0.5 * rng.normal(size=H))
    start = ae.uniform_rbm(D, H)
    path, both = ae.geometric_path(start, target), ae.geometric_path(ae.JointRBM(start), ae.JointRBM(target))
    rungs, log_z = rng.integers(K + 1, size=C), np.full(K + 1, start.log_z())
    on_v, on_both = (
        tempered_walk(ladder_on(p, ae.linear_schedule(K)), log_z, p(0.0).sample(C, rng), rungs, rng)
        for p in (path, both)
    )
    runs = {
        "step of AIS": lambda: ae.ais(path, ae.linear_schedule(sweeps), C, rng=rng),
        "sweep on v": lambda: list(islice(on_v, sweeps)),
        "sweep on (v, h)": lambda: list(islice(on_both, sweeps)),
    }
    seconds = {name: [] for name in runs}
    with threadpool_limits(1):
        for _ in range(repeats):
            for name, run in runs.items():
                begin = time.perf_counter()
                run()
                seconds[name].append((time.perf_counter() - begin) / sweeps)
    each = {name: np.array(found[2:]) for name, found in seconds.items()}
    for name, found in each.items():
        ratio = np.median(found / each["step of AIS"])
        print(f"{name:16}{1e3 * np.median(found):6.1f} ms, ratio {ratio:.1f}")


if __name__ == "__main__":
    main(tiny=sys.argv[1:] == ["--tiny"])
