"""The panels of notebook 08 show what a chain with momentum does, and what the stored runs say."""

import numpy as np
import pytest

from anneal_edu.annealing.hais import half_life_refresh
from anneal_edu.course.experiments.hamiltonian import HAIS, LONG_WALK, MODELS, SCALES, TRAINED, WALK
from anneal_edu.course.figures.paper_gaussians import rings
from anneal_edu.course.panels import MomentumTrails
from anneal_edu.course.panels.hamiltonian_convergence import (
    COSTS,
    advantage,
    advantages,
    cost_to_reach,
    costs_and_errors,
    stored_errors,
)
from anneal_edu.course.panels.momentum_trails import ACROSS, FORGOTTEN, KEPT, LONG, refresh_of, typical, valley, walk
from tests.course.panels.conftest import drawn


def test_the_valley_is_as_long_and_as_wide_as_it_says():
    np.testing.assert_allclose(np.sqrt(np.linalg.eigvalsh(valley().cov)), [ACROSS, LONG])


def test_the_half_life_of_the_paper_gives_the_librarys_default():
    for step_size in (0.05, 0.2, 1.0):
        assert refresh_of(step_size, 1.0) == pytest.approx(half_life_refresh(step_size))


@pytest.mark.parametrize("seed", range(5))
def test_momentum_goes_further_for_every_seed(seed):
    """Of 20 seeds at ε = 0.2, 1.47 ± 0.06 times as far along the valley, and 1.35 ± 0.04 times as far in all."""
    kept, anew = walk(0.2, refresh_of(0.2, 1.0), seed), walk(0.2, 1.0, seed)
    assert kept.spread[-1] > 1.15 * anew.spread[-1]
    assert kept.net_distance > 1.15 * anew.net_distance


@pytest.mark.parametrize("seed", range(3))
def test_the_trail_that_is_shown_is_typical(seed):
    """It covers as much of the valley as half of the chains; with fresh momentum little more than half as much."""
    walks = walk(0.2, refresh_of(0.2, 1.0), seed), walk(0.2, 1.0, seed)
    one, covered = typical(walks), [np.ptp(w.x @ np.ones(2) / np.sqrt(2), axis=0) for w in walks]
    for of_all in covered:
        assert of_all[one] == pytest.approx(np.median(of_all), rel=0.1)
    assert covered[0][one] > 1.4 * covered[1][one]
    assert np.mean(covered[0] > covered[1]) > 0.9


def test_bars_are_of_two_standard_errors_over_chains():
    w = walk(0.2, 1.0, 3)
    blocks = np.sqrt(((w.x[-1] @ np.ones(2) / np.sqrt(2)) ** 2).reshape(40, -1).mean(1))
    assert w.spread_error[-1] == pytest.approx(blocks.std(ddof=1) / np.sqrt(40), rel=0.5)


def test_a_trail_is_that_of_one_chain(quick_panel):
    panel = quick_panel(MomentumTrails, seed=3, beta=1.0)
    walks = {KEPT: walk(0.2, refresh_of(0.2, 1.0), 3), FORGOTTEN: walk(0.2, 1.0, 3)}
    one = typical(walks.values())
    for ax, (_style, w) in zip(panel.axes[:2], walks.items(), strict=True):
        np.testing.assert_array_equal(np.transpose(drawn(ax, "trail 0").get_data()), w.x[:, one])
    for i, w in enumerate(walks.values()):
        np.testing.assert_allclose(drawn(panel.axes[2], f"spread {i}").get_ydata(), w.spread)
    np.testing.assert_allclose(drawn(panel.axes[2], "exact").get_ydata()[[0, -1]], [1.0, LONG])


def test_the_stored_runs_are_all_there():
    for model, methods in stored_errors().items():
        scale = SCALES["trained" if model in TRAINED else "quick"]
        for of_k in methods.values():
            assert tuple(of_k) == scale["n_steps"]
            assert all(len(errors) == scale["n_repeats"] for errors in of_k.values())
    assert set(stored_errors()) == {*MODELS, *TRAINED}


def test_the_cost_to_reach_an_error_lies_between_two_runs():
    cost, error = np.array([10.0, 100.0, 1000.0]), np.array([4.0, 2.0, 1.0])
    assert cost_to_reach(2.0, cost, error) == pytest.approx(100)
    assert cost_to_reach(np.sqrt(8), cost, error) == pytest.approx(np.sqrt(1000))
    assert cost_to_reach(5.0, cost, error) == 10
    assert cost_to_reach(0.5, cost, error) is None


@pytest.mark.parametrize("model", [*MODELS, *TRAINED])
@pytest.mark.parametrize("over", [WALK, LONG_WALK])
def test_an_evaluation_costs_hais_half_of_its_advantage(model, over):
    in_distributions, in_evaluations = (advantage(model, unit, over)[1] for unit in COSTS)
    np.testing.assert_allclose(in_evaluations, in_distributions / 2)


def test_a_factor_is_a_lower_bound_where_hais_is_as_near_at_its_smallest_k():
    factors, bounds = advantages(COSTS[0], (WALK, LONG_WALK))
    only_bounds = {model: of[WALK].tolist() for model, of in bounds.items() if of[WALK].any()}
    assert only_bounds == {"Student-t, round": [True, False, False], "Laplace, stretched": [True, False, False]}
    assert not any(of[LONG_WALK].any() for of in bounds.values())
    for model, of in factors.items():
        np.testing.assert_array_equal(of[WALK], advantage(model, COSTS[0], WALK)[1])


def test_on_the_trained_student_t_model_no_method_is_ahead_of_the_walk_where_there_are_many_steps():
    _, errors = costs_and_errors("Student-t, trained", COSTS[0])
    walk = np.median(np.abs(errors[WALK][-1]))
    assert all(np.median(np.abs(e[-1])) >= walk for e in errors.values())
    _, ratios = advantage("Student-t, trained", COSTS[0])
    assert ratios[-1] == 0 and ratios.max() < 1, "at the error of the walk's last run HAIS never arrives"


def test_hais_has_the_smallest_error_at_the_largest_k_of_every_drawn_model():
    for model in MODELS:
        _, errors = costs_and_errors(model, COSTS[0])
        last = {method: np.median(np.abs(e[-1])) for method, e in errors.items()}
        assert min(last, key=last.get) == HAIS


def test_rings_lie_at_their_distance():
    mean, cov = np.array([1.0, -2.0]), valley().cov
    x = rings(mean[None], cov[None], 2.0)[0] - mean
    np.testing.assert_allclose(np.einsum("ni,ij,nj->n", x, np.linalg.inv(cov), x), 4.0)
