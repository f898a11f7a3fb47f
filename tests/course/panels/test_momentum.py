"""The panels of notebook 08 show what a chain with momentum does, and what the stored runs say."""

import numpy as np
import pytest

from anneal_edu.annealing.hais import half_life_refresh
from anneal_edu.course.experiments.hamiltonian import (
    HAIS,
    LONG_WALK,
    METHODS,
    MODELS,
    SCALES,
    TRAINED,
    WALK,
)
from anneal_edu.course.figures.hamiltonian import COSTS, cost_to_reach, costs_and_errors, typical
from anneal_edu.course.figures.paper_gaussians import rings
from anneal_edu.course.panels import HamiltonianConvergence, MomentumTrails
from anneal_edu.course.panels.hamiltonian_convergence import NAMES, arrivals
from anneal_edu.course.panels.momentum_trails import ACROSS, LONG, VALLEY, spread, typical_chain, walk
from tests.course.panels.conftest import drawn

KEPT = half_life_refresh(0.2)


def test_the_valley_is_as_long_and_as_wide_as_it_says():
    np.testing.assert_allclose(np.sqrt(np.linalg.eigvalsh(VALLEY.cov)), [ACROSS, LONG])


@pytest.mark.parametrize("seed", range(5))
def test_momentum_goes_further_for_every_seed(seed):
    """Of 20 seeds at ε = 0.2, 1.47 ± 0.06 times as far along the valley."""
    kept, anew = (spread(walk(0.2, refresh, seed)[0])[0] for refresh in (KEPT, 1.0))
    assert kept[-1] > 1.15 * anew[-1]


@pytest.mark.parametrize("seed", range(3))
def test_the_trail_that_is_shown_is_typical(seed):
    """It covers as much of the valley as half of the chains; with fresh momentum little more than half as much."""
    walks = walk(0.2, KEPT, seed)[0], walk(0.2, 1.0, seed)[0]
    one, covered = typical_chain(*walks), [np.ptp(x @ np.ones(2) / np.sqrt(2), axis=0) for x in walks]
    for of_all in covered:
        assert of_all[one] == pytest.approx(np.median(of_all), rel=0.1)
    assert covered[0][one] > 1.4 * covered[1][one]
    assert np.mean(covered[0] > covered[1]) > 0.9


def test_the_error_of_the_spread_is_one_over_chains():
    x, _ = walk(0.2, 1.0, 3)
    blocks = np.sqrt(((x[-1] @ np.ones(2) / np.sqrt(2)) ** 2).reshape(40, -1).mean(1))
    assert spread(x)[1][-1] == pytest.approx(blocks.std(ddof=1) / np.sqrt(40), rel=0.5)


def test_the_same_chain_leaves_its_trail_whatever_is_moved(quick_panel):
    panel = quick_panel(MomentumTrails, seed=3, beta=1.0)
    one = typical_chain(walk(0.2, KEPT, 3)[0], walk(0.2, 1.0, 3)[0])
    for half_life in (1, 16):
        panel.half_life.value = half_life
        for i, refresh in enumerate((half_life_refresh(0.2 / half_life), 1.0)):
            x, _ = walk(0.2, refresh, 3)
            np.testing.assert_array_equal(np.transpose(drawn(panel.axes[i], "trail 0").get_data()), x[:, one])
            np.testing.assert_allclose(drawn(panel.axes[2], f"spread {i}").get_ydata(), spread(x)[0])


@pytest.mark.parametrize("model", [*MODELS, *TRAINED])
def test_the_stored_runs_are_all_there(model):
    scale = SCALES["trained" if model in TRAINED else "quick"]
    for costs, errors in zip(*map(dict.values, costs_and_errors(model, COSTS[0])), strict=True):
        assert tuple(costs) == scale["n_steps"] and errors.shape == (len(costs), scale["n_repeats"])


def test_the_cost_to_reach_an_error_lies_between_two_runs():
    cost, error = np.array([10.0, 100.0, 1000.0]), np.array([4.0, 2.0, 1.0])
    assert cost_to_reach(2.0, cost, error) == pytest.approx(100)
    assert cost_to_reach(np.sqrt(8), cost, error) == pytest.approx(np.sqrt(1000))
    assert cost_to_reach(5.0, cost, error) == 10
    assert cost_to_reach(0.5, cost, error) == np.inf


FACTORS = {
    "Laplace, trained": {WALK: (7, 14), LONG_WALK: (3.3, 15)},
    "Student-t, stretched": {WALK: (29, 37), LONG_WALK: (5, 13)},
    "Student-t, round": {WALK: (33, 102), LONG_WALK: (0.9, 8)},
    "Laplace, stretched": {WALK: (3.4, 33), LONG_WALK: (3.3, 8)},
    "Student-t, trained": {WALK: (0, 0.44)},
}
"""Model → other method → how many times fewer distributions HAIS needs, at the other's errors at three largest K."""


@pytest.mark.parametrize("model", FACTORS)
def test_the_table_of_factors(model):
    """Notebook 08, beside the paper's "order of magnitude or more"; counted in evaluations each is half of it."""
    for other, expected in FACTORS[model].items():
        factors = []
        for unit in COSTS:
            cost, errors = costs_and_errors(model, unit)
            goals = typical(errors[other])[-3:]
            spent = [cost_to_reach(goal, cost[HAIS], typical(errors[HAIS])) for goal in goals]
            factors.append(cost[other][-3:] / np.array(spent))
        found = factors[0].min(), factors[0].max()
        np.testing.assert_allclose(found, expected, rtol=0.08, atol=0.05)
        np.testing.assert_allclose(factors[1], factors[0] / 2)


def test_on_the_trained_student_t_model_no_method_is_ahead_of_the_walk_where_there_are_many_steps():
    _, errors = costs_and_errors("Student-t, trained", COSTS[0])
    assert all(typical(e)[-1] >= typical(errors[WALK])[-1] for e in errors.values())


def test_the_winner_of_the_race_is_first_and_so_are_its_rivals(quick_panel):
    """At every goal of every target; a rival is one that resampled runs bring there before the winner."""
    panel = quick_panel(HamiltonianConvergence, time=100)
    for model in panel.model.options:
        last = costs_and_errors(model, COSTS[0])[0][WALK][-1]
        for _, goal in panel.goal.options:
            panel.model.value, panel.goal.value = model, goal
            costs = arrivals(model, COSTS[0], goal)
            first = costs[:, 0].argmin()
            if costs[first, 0] > last:
                assert "no method comes within" in panel.takeaway
                continue
            names = panel.takeaway.split(": ")[1].split(". ")[0].split(" or ")
            assert names[0] == NAMES[first]
            assert ("Momentum gains nothing" in panel.takeaway) == ("the paper's walk" in names)
            if "at least" in panel.takeaway:
                assert costs[2, 0] > last


def test_hais_has_the_smallest_error_at_the_largest_k_of_every_drawn_model():
    for model in MODELS:
        last = [typical(errors)[-1] for errors in costs_and_errors(model, COSTS[0])[1].values()]
        assert list(METHODS)[np.argmin(last)] == HAIS


def test_rings_lie_at_their_distance():
    mean, cov = np.array([1.0, -2.0]), VALLEY.cov
    x = rings(mean[None], cov[None], 2.0)[0] - mean
    np.testing.assert_allclose(np.einsum("ni,ij,nj->n", x, np.linalg.inv(cov), x), 4.0)
