from itertools import product

import numpy as np
import pytest

import anneal_edu as ae

FIGURE_1 = (
    ae.Gaussian([-10.0, 0.0], [[1.0, -0.85], [-0.85, 1.0]]),
    ae.Gaussian([10.0, 0.0], [[1.0, 0.85], [0.85, 1.0]]),
)


@pytest.mark.parametrize("n", [1, 2, 7, 1000])
def test_linear_schedule_has_n_equal_steps_and_both_ends(n):
    betas = ae.linear_schedule(n)
    assert len(betas) == n + 1
    assert (betas[0], betas[-1]) == (0, 1)
    np.testing.assert_allclose(np.diff(betas), 1 / n)


def test_piecewise_schedule_meets_every_edge():
    edges, counts = [0, 0.1, 0.25, 0.5, 1], [3, 1, 4, 2]
    betas = ae.piecewise_schedule(edges, counts)
    assert len(betas) == sum(counts) + 1
    np.testing.assert_array_equal(betas[np.cumsum([0, *counts])], edges)
    for start, n in zip(np.cumsum([0, *counts]), counts, strict=False):
        assert np.ptp(np.diff(betas[start : start + n + 1])) < 1e-15


def test_one_number_is_shared_out_evenly():
    betas = ae.piecewise_schedule([0, 0.1, 0.25, 0.5, 1], 10)
    assert [np.searchsorted(betas, e) for e in (0.1, 0.25, 0.5, 1)] == [3, 6, 8, 10]


def test_allocation_is_the_best_whole_number_one():
    rng = np.random.default_rng(0)
    for n_steps in range(3, 13):
        every = np.array([k for k in product(range(1, 11), repeat=3) if sum(k) == n_steps])
        for _ in range(20):
            costs = rng.exponential(size=3) ** 3
            allocated = ae.optimal_allocation(costs, n_steps)
            assert allocated.sum() == n_steps
            assert sum(costs / allocated) == pytest.approx((costs / every).sum(1).min(), rel=1e-12)


def test_segments_without_cost_still_get_their_one_step():
    np.testing.assert_array_equal(ae.optimal_allocation([0.0, 1.0, 0.0], 5), [1, 3, 1])


def test_optimal_binned_schedule_costs_the_square_of_the_summed_roots():
    """Theorem 3: K δ tends to (Σ_j √F_j)², well below F on the moment path."""
    path, edges = ae.moment_path(*FIGURE_1), ae.linear_schedule(10)
    costs = ae.segment_costs(path, edges)
    K = 2000
    assert K * ae.kl_bias(path, ae.optimal_binned_schedule(path, K)) == pytest.approx(
        np.sqrt(costs).sum() ** 2, rel=1e-3
    )
    assert np.sqrt(costs).sum() ** 2 < 0.5 * ae.cost_functional(path)


def test_geometric_path_gains_nothing_where_every_segment_costs_the_same():
    path = ae.geometric_path(ae.Gaussian([0.0], [[1.0]]), ae.Gaussian([7.0], [[1.0]]))
    np.testing.assert_allclose(ae.optimal_binned_schedule(path, 50), ae.linear_schedule(50), atol=1e-12)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ae.linear_schedule(0), ValueError, "n_steps must be at least 1, got 0"),
        (lambda: ae.linear_schedule(2.5), TypeError, "n_steps must be a whole number"),
        (lambda: ae.piecewise_schedule([0, 0.5, 0.5, 1], [1, 1, 1]), ValueError, "edges must rise"),
        (lambda: ae.piecewise_schedule([0, 0.5], 4), ValueError, "edges must start at 0 and end at 1"),
        (lambda: ae.piecewise_schedule([0, 0.5, 1], [3]), ValueError, "one number for each of 2 segments"),
        (lambda: ae.piecewise_schedule([0, 0.5, 1], [3, 0]), ValueError, "n_steps must be at least 1"),
        (lambda: ae.piecewise_schedule([0, 0.5, 1], 1), ValueError, "n_steps must be at least 2"),
        (lambda: ae.optimal_allocation([np.nan, 1.0], 5), ValueError, "costs must be finite"),
        (lambda: ae.optimal_allocation([-1.0, 1.0], 5), ValueError, "costs must not be negative"),
        (lambda: ae.segment_costs(ae.geometric_path(*FIGURE_1), [0.5, 0.2]), ValueError, "rising values"),
        (lambda: ae.segment_costs(ae.geometric_path(*FIGURE_1), [0.2, 0.2]), ValueError, "rising values"),
        (lambda: ae.segment_costs(ae.geometric_path(*FIGURE_1), [0.2]), ValueError, "two or more rising values"),
        (
            lambda: ae.optimal_binned_schedule(ae.geometric_path(*FIGURE_1), 9),
            ValueError,
            "n_steps must be at least 10, got 9",
        ),
    ],
)
def test_impossible_schedules_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
