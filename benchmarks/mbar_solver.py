"""MBAR beside pymbar's default solver, on the same matrix: 50 states, 50,000 draws, in one thread each.

Both read the matrix, solve for log Z and give asymptotic standard errors. Printed is the ratio of the times, ours over
theirs, and by how much the answers differ.
"""

import logging
import sys
import warnings
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

import anneal_edu as ae

FULL, TINY = (50, 50_000, 3), (5, 100, 1)  # states, draws, rounds


def draws(n_states, n_draws):
    """Exact draws of all rungs between two Gaussians in 10 dimensions: the matrix and the counts."""
    rng, schedule = np.random.default_rng(0), ae.linear_schedule(n_states - 1)
    path = ae.geometric_path(ae.Gaussian(np.zeros(10), np.eye(10)), ae.Gaussian(np.full(10, 3.0), 0.3 * np.eye(10)))
    counts = np.full(n_states, n_draws // n_states)
    x = np.concatenate([path(float(beta)).sample(n, rng) for beta, n in zip(schedule, counts, strict=True)])
    return ae.log_density_matrix(path, schedule, x), counts


def ours(log_f, counts):
    result = ae.mbar(log_f, counts)
    return result.log_z, result.std_error


def theirs(log_f, counts):
    from pymbar import MBAR

    found = MBAR(-log_f, counts).compute_free_energy_differences()
    return -found["Delta_f"][0], found["dDelta_f"][0]


def main(tiny: bool = False) -> None:
    """Print the ratio of the times, and the differences."""
    n_states, n_draws, rounds = TINY if tiny else FULL
    log_f, counts = draws(n_states, n_draws)
    seconds = {ours: [], theirs: []}
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pymbar hands its solvers options that scipy does not know
        for _ in range(rounds):
            for solve in seconds:
                begin = perf_counter()
                answer = solve(log_f, counts)
                seconds[solve].append(perf_counter() - begin)
                if solve is ours:
                    log_z, std_error = answer
        other_log_z, other_error = answer
    ratio = min(seconds[ours]) / min(seconds[theirs])
    print(f"MBAR, {n_states} states, {n_draws} draws: {ratio:.2f} × the time of pymbar {min(seconds[theirs]):.1f} s")
    print(f"log Z differs by {np.abs(log_z - other_log_z).max():.1e}, ", end="")
    print(f"standard errors by {np.abs(std_error[1:] / other_error[1:] - 1).max():.1e}")


if __name__ == "__main__":
    logging.getLogger("pymbar").setLevel(logging.ERROR)
    main(tiny=sys.argv[1:] == ["--tiny"])
