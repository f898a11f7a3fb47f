"""The exact problems of notebook 12: sums over the grid against closed forms, and the poster's loop."""

from itertools import islice, pairwise

import numpy as np

import anneal_edu as ae
from anneal_edu.course.experiments.tempered_sampling import (
    exact_log_z,
    expected_estimates,
    gaussians_apart,
    poster_rounds,
    three_bumps,
)


def test_the_grid_knows_the_closed_form():
    path, schedule = gaussians_apart(4.0), ae.linear_schedule(6)
    exact = [path(float(beta)).log_z() for beta in schedule]
    np.testing.assert_allclose(exact_log_z(path, schedule), exact, atol=1e-9)


def test_infinitely_many_draws_of_either_law_give_rts_the_truth():
    for n_steps in (1, 2, 7, 30):
        for exact_shares in (False, True):
            truth, rts, rb_ti = expected_estimates(n_steps, exact_shares)
            assert abs(truth - np.log(0.8 * np.sqrt(2 * np.pi))) < 1e-6  # the grid ends at 5 σ of the start
            assert abs(rts - truth) < 1e-9
            if n_steps < 10:
                assert abs(rb_ti - truth) > 0.05


def test_the_gap_falls_as_one_over_k_squared():
    gaps = [abs(np.subtract(*expected_estimates(n_steps)[1:])) for n_steps in (40, 80, 160)]
    assert 3.7 < gaps[0] / gaps[1] < 4.2 and 3.8 < gaps[1] / gaps[2] < 4.1


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
