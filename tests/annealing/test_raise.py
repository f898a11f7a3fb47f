"""RAISE against the exact probabilities of the annealing model."""

import tracemalloc

import numpy as np
import pytest

import anneal_edu as ae

SCHEDULE = np.array([0.0, 0.4, 0.7, 1.0])


def small_path():
    weights = [[0.3, -0.3, 1.5], [0.3, -1.2, 0.8], [3.0, 2.1, -1.7], [-2.8, -1.4, 0.2]]
    target = ae.BinaryRBM(weights, [-2.3, -0.2, -1.2, -0.7], [-0.5, -0.3, 0.4])
    return ae.geometric_path(ae.uniform_rbm(4, 3), target)


def annealing_model(path, schedule=SCHEDULE):
    """Exact law of the last state of AIS: p_0 T_1 T_2 … T_K, (16,)."""
    states = ae.binary_states(4).astype(float)
    law = np.exp(path(0.0).log_density(states) - path(0.0).log_z())
    for beta in schedule[1:]:
        law = law @ ae.gibbs_matrix(path(float(beta)))
    return law


def test_the_weight_is_unbiased_for_the_annealing_model():
    """For every state v the mean of exp(estimate) over 4,000 runs of one chain is p_ann(v), within standard errors."""
    path, states = small_path(), ae.binary_states(4)
    found = ae.raise_log_likelihood(path, SCHEDULE, np.repeat(states, 4000, axis=0), 1, rng=np.random.default_rng(0))
    w = np.exp(found).reshape(16, 4000)
    error = w.std(1) / np.sqrt(4000)
    law = annealing_model(path)
    assert np.abs((w.mean(1) - law) / error).max() < 5
    target = np.exp(path(1.0).log_density(states.astype(float)) - path(1.0).log_z())
    assert np.abs((w.mean(1) - target) / error).max() > 8, "the annealing model is not the target"


def test_it_is_conservative_over_draws_of_the_target():
    path, rng = small_path(), np.random.default_rng(1)
    v = path(1.0).sample(5000, rng)
    found = ae.raise_log_likelihood(path, SCHEDULE, v, 5, rng=rng)
    exact = path(1.0).log_density(v) - path(1.0).log_z()
    excess = found - exact
    assert excess.mean() < -3 * excess.std() / np.sqrt(5000)


def test_many_small_steps_reach_the_truth():
    path, states = small_path(), ae.binary_states(4)
    found = ae.raise_log_likelihood(path, ae.linear_schedule(300), states, 100, rng=np.random.default_rng(2))
    exact = path(1.0).log_density(states.astype(float)) - path(1.0).log_z()
    np.testing.assert_allclose(found, exact, atol=0.15)


def test_each_point_has_its_own_chains_and_their_mean_is_that_of_probabilities():
    """The mean of p̂, of 200 chains each, is the annealing model's probability of that very state: 50 p̂ of each.

    A single step leaves p_ann far from p, so that chains given to the wrong state would show.
    """
    path, points = small_path(), np.repeat(ae.binary_states(4), 50, axis=0)
    law = annealing_model(path, [0.0, 1.0])
    found = ae.raise_log_likelihood(path, [0.0, 1.0], points, 200, rng=np.random.default_rng(3))
    p = np.exp(found).reshape(16, 50)
    assert np.abs((p.mean(1) - law) / (p.std(1, ddof=1) / np.sqrt(50))).max() < 6  # of Student's t
    log_law = np.log(law)
    assert np.ptp(log_law - path(1.0).log_density(ae.binary_states(4).astype(float))) > 0.5


def test_memory_does_not_grow_with_the_data(monkeypatch):
    rng, target = np.random.default_rng(4), ae.BinaryRBM(np.zeros((784, 1)), np.full(784, 0.1), np.zeros(1))
    path, data = ae.geometric_path(ae.uniform_rbm(784, 1), target), target.sample(200, rng)
    monkeypatch.setattr("anneal_edu.annealing.likelihood._PIECE", 5 * 200 * 784)
    tracemalloc.start()
    found = ae.raise_log_likelihood(path, ae.linear_schedule(4), data, 200, rng=rng, workers=1)
    assert tracemalloc.get_traced_memory()[1] < 8 * 4 * 5 * 200 * 784
    tracemalloc.stop()
    np.testing.assert_allclose(found, target.log_density(data) - target.log_z(), atol=3)


def test_data_of_an_rbm_must_be_its_states():
    with pytest.raises(ValueError, match="data must hold zeros and ones"):
        ae.raise_log_likelihood(small_path(), SCHEDULE, np.full((2, 4), 0.5), 2, rng=np.random.default_rng(0))
