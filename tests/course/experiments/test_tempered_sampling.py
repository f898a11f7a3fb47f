"""The exact problems of notebook 12: sums over the grid against closed forms, and the poster's loop."""

from itertools import islice, pairwise

import numpy as np

import anneal_edu as ae
from anneal_edu.course.experiments.tempered_sampling import (
    exact_log_z,
    gaussians_apart,
    poster_rounds,
    three_bumps,
)


def test_the_grid_knows_the_closed_form():
    path, schedule = gaussians_apart(4.0), ae.linear_schedule(6)
    exact = [path(float(beta)).log_z() for beta in schedule]
    np.testing.assert_allclose(exact_log_z(path, schedule), exact, atol=1e-9)


def rounds(n_initial, n, seed=0):
    rng = np.random.default_rng(seed)
    source = poster_rounds(three_bumps(), ae.linear_schedule(4), n_initial, 5, 10, ae.random_walk(1.0), rng=rng)
    return list(islice(source, n))


def test_each_initial_round_walks_at_the_guess_of_the_one_before_and_the_others_at_the_last():
    done = rounds(3, 6)
    np.testing.assert_array_equal(done[0].assumed_log_z, np.zeros(5))
    for before, after in pairwise(done[:4]):
        np.testing.assert_array_equal(after.assumed_log_z, before.log_z)
    assert all(held.assumed_log_z is done[3].assumed_log_z for held in done[3:])
    held = rounds(0, 4)
    assert all((r.assumed_log_z == 0).all() for r in held)


def test_later_rounds_are_pooled():
    """The same random numbers in one long round give the same shares."""
    from anneal_edu.paths.ladder import Ladder
    from anneal_edu.tempering.rts import rts_round

    path, rng, schedule = three_bumps(), np.random.default_rng(0), ae.linear_schedule(4)
    x, rungs = path.start.sample(10, rng), np.zeros(10, dtype=int)
    long = rts_round(Ladder(path, schedule, ae.random_walk(1.0)), 20, rng, None, np.zeros(5), x, rungs)
    pooled = rounds(0, 4)[-1]
    np.testing.assert_allclose(pooled.chain_log_marginals, long.chain_log_marginals, atol=1e-12)
    np.testing.assert_allclose(pooled.visits, long.visits, atol=1e-12)
