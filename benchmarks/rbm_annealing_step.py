"""One annealing step of a 784×500 RBM with 1,000 chains, as a multiple of the float32 products it cannot avoid.

From a weightless start these are v @ W, which the weight and the draw of the hidden units share, and h @ Wᵀ: two
products. Between two knots of a spline both ends have weights: v @ W₀, v @ W₁ and h @ Wᵀ, three products.
Claims, in one BLAS thread, as the experiments run: at most 1.7 times two products, and at most 1.5 times three. More
threads speed up the products alone, and the ratios rise.
"""

import sys
import time

import numpy as np
from threadpoolctl import threadpool_limits

import anneal_edu as ae
from anneal_edu.annealing.ais import annealer

FULL, TINY = (1000, 784, 500, 60), (5, 4, 3, 7)  # chains, visible and hidden units, repeats


def random_rbm(D: int, H: int, rng: np.random.Generator) -> ae.BinaryRBM:
    """Parameters of about the size that training leads to."""
    return ae.BinaryRBM(0.05 * rng.normal(size=(D, H)), 0.5 * rng.normal(size=D), 0.5 * rng.normal(size=H))


def compare(name: str, path, n_products: int, C: int, repeats: int, rng: np.random.Generator) -> None:
    """Time steps of AIS and bare products in turn, and print their ratio."""
    step = annealer(path, ae.gibbs)
    W = path.end.single_precision[0]
    D, H = W.shape
    v = rng.integers(0, 2, size=(C, D)).astype(np.float32)
    h = rng.integers(0, 2, size=(C, H)).astype(np.float32)
    field_h, field_v = np.empty_like(h), np.empty_like(v)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        np.matmul(h, W.T, out=field_v)
        for _ in range(n_products - 1):
            np.matmul(v, W, out=field_h)
        between = time.perf_counter()
        _, v = step((0.5, 0.501), v, rng)
        times.append((between - start, time.perf_counter() - between))
    products, steps = np.array(times[5:]).T
    print(
        f"{name}: {n_products} products {1e3 * np.median(products):.1f} ms, step {1e3 * np.median(steps):.1f} ms, "
        f"ratio {np.median(steps / products):.2f} (of the fastest {steps.min() / products.min():.2f})"
    )


def main(tiny: bool = False) -> None:
    """Both kinds of step, with one thread for the products and with all of them."""
    rng = np.random.Generator(np.random.SFC64(0))
    C, D, H, repeats = TINY if tiny else FULL
    target = random_rbm(D, H, rng)
    for n_threads, threads in ((1, "one BLAS thread"), (None, "all BLAS threads")):
        with threadpool_limits(n_threads):
            uniform, knot = ae.uniform_rbm(D, H), random_rbm(D, H, rng)
            compare(f"{threads}, from uniform", ae.geometric_path(uniform, target), 2, C, repeats, rng)
            compare(f"{threads}, between knots", ae.geometric_path(knot, target), 3, C, repeats, rng)


if __name__ == "__main__":
    main(tiny=sys.argv[1:] == ["--tiny"])
