"""Hamiltonian AIS of a product of 144 Student-t experts in 36 dimensions: 200 particles, 10,000 distributions.

A transition needs three products with the filters: u = filters x and back for one gradient, and u once more for the new
density. Claims: the whole run takes under 5 seconds, and a transition at most 8 times its products.
"""

import time

import numpy as np

import anneal_edu as ae

C, D, L, K = 200, 36, 144, 10_000


def main() -> None:
    """Time the products alone and the whole run, and print the ratio."""
    rng = np.random.default_rng(0)
    filters = rng.normal(size=(L, D)) / np.sqrt(D)
    model = ae.ProductOfExperts(filters, rng.uniform(1.0, 2.0, size=L), "student_t")
    path = ae.geometric_path(ae.Gaussian(np.zeros(D), np.eye(D)), model)
    x, u = rng.normal(size=(C, D)), rng.normal(size=(C, L))
    begin = time.perf_counter()
    for _ in range(K):
        _ = x @ filters.T, u @ filters, x @ filters.T
    products = time.perf_counter() - begin
    begin = time.perf_counter()
    result = ae.hais(path, ae.linear_schedule(K), C, rng=rng)
    run = time.perf_counter() - begin
    print(f"products alone {products:.2f} s, the run {run:.2f} s, ratio {run / products:.1f}")
    print(result)


if __name__ == "__main__":
    main()
