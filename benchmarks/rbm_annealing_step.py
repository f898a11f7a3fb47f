"""One annealing step of a 784×500 RBM with 1,000 chains, as a multiple of the two float32 products it cannot avoid.

The products are v @ W, which the weight and the draw of the hidden units share, and h @ Wᵀ. Claim: at most 1.7.
"""

import time

import numpy as np
from threadpoolctl import threadpool_limits

import anneal_edu as ae
from anneal_edu.ais import annealing_step

C, D, H, REPEATS = 1000, 784, 500, 60


def main() -> None:
    """Print the ratio with one thread for the products and with all of them."""
    rng = np.random.Generator(np.random.SFC64(0))
    target = ae.BinaryRBM(0.05 * rng.normal(size=(D, H)), 0.5 * rng.normal(size=D), 0.5 * rng.normal(size=H))
    step = annealing_step(ae.geometric_path(ae.uniform_rbm(D, H), target), ae.gibbs)
    W = target.single_precision[0]
    v = rng.integers(0, 2, size=(C, D)).astype(np.float32)
    h = rng.integers(0, 2, size=(C, H)).astype(np.float32)
    field_h, field_v = np.empty_like(h), np.empty_like(v)
    for n_threads, name in ((1, "one BLAS thread"), (None, "all BLAS threads")):
        with threadpool_limits(n_threads):
            times = []
            for _ in range(REPEATS):
                t0 = time.perf_counter()
                np.matmul(v, W, out=field_h)
                np.matmul(h, W.T, out=field_v)
                t1 = time.perf_counter()
                _, v = step(0.5, 0.501, v, rng)
                times.append((t1 - t0, time.perf_counter() - t1))
        products, steps = np.array(times[5:]).T
        print(
            f"{name}: products {1e3 * np.median(products):.1f} ms, step {1e3 * np.median(steps):.1f} ms, "
            f"ratio {np.median(steps / products):.2f} (of the fastest {steps.min() / products.min():.2f})"
        )


if __name__ == "__main__":
    main()
