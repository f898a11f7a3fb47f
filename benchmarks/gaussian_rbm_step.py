"""One annealing step of a 108×200 Gaussian RBM with 500 chains, as a multiple of the float32 products it cannot avoid.

From a start of any covariance these are v @ A⁻ᵀ and z @ Aᵀ (108×108, to the coordinates in which every β is diagonal
and back), and z @ U and h @ Uᵀ (108×200). The paper's transition through auxiliary variables needs the same four.
Claims: a step costs about 4 times its products, most of it random numbers, and the paper's transition a tenth more.
"""

import sys
import time

import numpy as np
from threadpoolctl import threadpool_limits

import anneal_edu as ae
from anneal_edu.annealing.ais import annealer

FULL, TINY = (500, 108, 200, 200), (5, 4, 3, 7)  # chains, visible and hidden units, repeats


def main(tiny: bool = False) -> None:
    """Time products and both transitions in turn, and print the ratios of the medians."""
    C, D, H, repeats = TINY if tiny else FULL
    rng = np.random.Generator(np.random.SFC64(0))
    grbm = ae.GaussianRBM(0.2 * rng.normal(size=(D, H)), rng.normal(size=D), rng.normal(size=H) - 2, np.ones(D))
    root = rng.normal(size=(D, D)) / np.sqrt(D)
    path = ae.covariance_path(np.zeros(D), np.eye(D) + root @ root.T, grbm)
    kernels = {"x integrated out": ae.gibbs, "auxiliary x": ae.paths.covariance.auxiliary_gibbs}
    steps = {name: annealer(path, kernel) for name, kernel in kernels.items()}
    v = path(0.0).sample(C, rng)
    h = rng.integers(0, 2, size=(C, H)).astype(np.float32)
    square, W = root.astype(np.float32), np.asarray(grbm.weights, dtype=np.float32)
    times = {name: [] for name in ("products", *steps)}
    with threadpool_limits(1):
        for _ in range(repeats):
            begin = time.perf_counter()
            _ = v @ square, v @ W, h @ W.T, v @ square.T
            times["products"].append(time.perf_counter() - begin)
            for name, step in steps.items():
                begin = time.perf_counter()
                step((0.5, 0.501), v, rng)
                times[name].append(time.perf_counter() - begin)
    medians = {name: np.median(seconds[5:]) for name, seconds in times.items()}
    print(f"four products {1e3 * medians['products']:.2f} ms")
    for name in steps:
        ratio = medians[name] / medians["products"]
        print(f"step, {name}: {1e3 * medians[name]:.2f} ms, {ratio:.2f} times the products")


if __name__ == "__main__":
    main(tiny=sys.argv[1:] == ["--tiny"])
