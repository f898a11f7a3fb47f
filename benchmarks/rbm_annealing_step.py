"""One annealing step of a block of chains, in one thread, as a multiple of the float32 products it cannot avoid.

From a weightless start these are v @ W, which the weight and the draw of the hidden units share, and h @ Wᵀ: two
products. Between two knots of a spline both ends have weights: v @ W₀, v @ W₁ and h @ Wᵀ, three products.
Claims, on an AMD EPYC (Zen 4) with AVX-512: for 784×500 at most 1.35 times two products and three, for 784×20 3.1 and
2.5 times. As if it had AVX2 alone: 1.5 and 1.4, 3.5 and 2.7 times. Which of its loops numpy uses is printed; to see the
others, set NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL AVX512_SPR" and OPENBLAS_CORETYPE=Haswell.
"""

import sys
import time

import numpy as np
from numpy.lib.introspect import opt_func_info

import anneal_edu as ae
from anneal_edu.annealing.ais import annealer
from anneal_edu.workers import chains_at_once, one_blas_thread

FULL, TINY = (784, (500, 20), 200), (4, (3, 2), 7)  # visible and hidden units, repeats


def random_rbm(D: int, H: int, rng: np.random.Generator) -> ae.BinaryRBM:
    """Parameters of about the size that training leads to."""
    return ae.BinaryRBM(0.05 * rng.normal(size=(D, H)), 0.5 * rng.normal(size=D), 0.5 * rng.normal(size=H))


def compare(name: str, path, n_products: int, repeats: int, rng: np.random.Generator) -> None:
    """Time steps of AIS and bare products in turn, and print their ratio."""
    step = annealer(path, ae.gibbs)
    W = path.end.single_precision[0]
    C, (D, H) = chains_at_once(path.end), W.shape
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
    products, steps = 1e3 * np.array(times[5:]).T
    print(
        f"{D}×{H}, {C} chains, {name}: {n_products} products {products.min():.2f} ms, step {steps.min():.2f} ms, "
        f"ratio {steps.min() / products.min():.2f} (median {np.median(steps / products):.2f})"
    )


def main(tiny: bool = False) -> None:
    """Both kinds of step, for two sizes."""
    for name, loops in opt_func_info("^(exp|log|log1p|tanh)$").items():
        print(f"numpy's {name} of float32: {loops['ff']['current']}")
    rng = np.random.Generator(np.random.SFC64(0))
    D, hidden, repeats = TINY if tiny else FULL
    with one_blas_thread():
        for H in hidden:
            uniform, knot, target = ae.uniform_rbm(D, H), random_rbm(D, H, rng), random_rbm(D, H, rng)
            compare("from uniform", ae.geometric_path(uniform, target), 2, repeats, rng)
            compare("between knots", ae.geometric_path(knot, target), 3, repeats, rng)


if __name__ == "__main__":
    main(tiny=sys.argv[1:] == ["--tiny"])
