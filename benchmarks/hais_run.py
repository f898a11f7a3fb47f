"""Hamiltonian AIS of Student-t experts in 36 dimensions: 200 particles, 10,000 distributions.

A transition needs three products with the filters: u = filters x and back for one gradient, and u once more for the new
density. Claims, in one BLAS thread: with 36 experts, a complete model, the whole run takes under 5 seconds; with 144 it
takes at most 5 times as long as its products.
"""

import sys
import time

import numpy as np
from threadpoolctl import threadpool_limits

import anneal_edu as ae

FULL, TINY = (200, 36, 10_000), (5, 4, 10)  # particles, dimensions, steps


def compare(n_experts: int, C: int, D: int, K: int, rng: np.random.Generator) -> None:
    """Time the products alone and the whole run, and print the ratio."""
    filters = rng.normal(size=(n_experts, D)) / np.sqrt(D)
    model = ae.ProductOfExperts(filters, rng.uniform(1.0, 2.0, size=n_experts), "student_t")
    path = ae.geometric_path(ae.Gaussian(np.zeros(D), np.eye(D)), model)
    x, u = rng.normal(size=(C, D)), rng.normal(size=(C, n_experts))
    begin = time.perf_counter()
    for _ in range(K):
        _ = x @ filters.T, u @ filters, x @ filters.T
    products = time.perf_counter() - begin
    begin = time.perf_counter()
    ae.hais(path, ae.linear_schedule(K), C, rng=rng)
    run = time.perf_counter() - begin
    print(f"{n_experts} experts: products alone {products:.2f} s, the run {run:.2f} s, ratio {run / products:.1f}")


def main(tiny: bool = False) -> None:
    """A complete and an overcomplete model."""
    C, D, K = TINY if tiny else FULL
    rng = np.random.default_rng(0)
    with threadpool_limits(1):
        for n_experts in (D, 4 * D):
            compare(n_experts, C, D, K, rng)


if __name__ == "__main__":
    main(tiny=sys.argv[1:] == ["--tiny"])
