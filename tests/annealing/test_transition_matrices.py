import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.distributions import enumeration

LOG_TARGET = np.array([0.3, -0.3, 1.3, 0.2, -1.1, 0.7, 2.6, 1.9, -1.4, -2.5, -1.2, 4.0])
BETAS = ae.linear_schedule(5)
LOG_F = np.outer(BETAS, LOG_TARGET)  # from the uniform f_0 = 1


def test_metropolis_leaves_its_target_invariant():
    pi = np.exp(LOG_TARGET) / np.exp(LOG_TARGET).sum()
    T = ae.metropolis_matrix(LOG_TARGET)
    assert (T >= 0).all()
    np.testing.assert_allclose(T.sum(1), 1, atol=1e-15)
    np.testing.assert_allclose(pi @ T, pi, atol=1e-15)


@pytest.mark.parametrize("lazy", [1.0, 1e-3, 0.0], ids=["Metropolis", "almost frozen", "frozen: importance sampling"])
def test_mean_ais_weight_is_z_however_slowly_the_chains_mix(lazy):
    transitions = [(1 - lazy) * np.eye(12) + lazy * ae.metropolis_matrix(log_f) for log_f in LOG_F[1:]]
    mass = ae.expected_ais_weights(LOG_F, transitions)
    np.testing.assert_allclose(mass, np.exp(LOG_F), rtol=1e-12)


def test_chains_need_not_be_anywhere_near_the_target():
    transitions = [ae.metropolis_matrix(log_f) for log_f in LOG_F[1:]]
    where = ae.annealing.matrices.state_distributions(LOG_F, transitions)
    pi = np.exp(LOG_TARGET) / np.exp(LOG_TARGET).sum()
    np.testing.assert_allclose(where.sum(1), 1, atol=1e-12)
    assert 0.5 * np.abs(where[-1] - pi).sum() > 0.3


def test_a_kernel_that_is_not_invariant_biases_the_weights():
    wrong = [ae.metropolis_matrix(-log_f) for log_f in LOG_F[1:]]
    assert ae.expected_ais_weights(LOG_F, wrong)[-1].sum() != pytest.approx(np.exp(LOG_F[-1]).sum(), rel=0.05)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="5 matrices, got 4"):
        ae.expected_ais_weights(LOG_F, [np.eye(12)] * 4)
    with pytest.raises(ValueError, match=r"transitions\[0\] must have shape \(12, 12\)"):
        ae.expected_ais_weights(LOG_F, [np.eye(3)] * 5)
    with pytest.raises(ValueError, match="rows that sum to 1"):
        ae.expected_ais_weights(LOG_F, [2 * np.eye(12)] * 5)
    with pytest.raises(ValueError, match="must stay within ±600"):
        ae.expected_ais_weights(200 * LOG_F, [np.eye(12)] * 5)


X = np.linspace(-6, 6, 61)


def test_random_walk_leaves_its_target_invariant():
    log_f = np.logaddexp(-((X + 2) ** 2), -((X - 2) ** 2) / 3)
    T = ae.annealing.matrices.random_walk_matrix(log_f, X, step_size=0.8)
    pi = np.exp(log_f) / np.exp(log_f).sum()
    assert (T >= 0).all()
    np.testing.assert_allclose(T.sum(1), 1, atol=1e-12)
    np.testing.assert_allclose(pi @ T, pi, atol=1e-12)


def test_random_walk_proposes_a_gaussian_step_of_the_given_size():
    T = ae.annealing.matrices.random_walk_matrix(np.zeros(61), X, step_size=0.8)  # flat: nothing is refused
    middle = T[30]
    assert np.sqrt((middle * X**2).sum()) == pytest.approx(0.8, rel=1e-3)
    assert middle[34] / middle[30] == pytest.approx(np.exp(-0.5), rel=1e-9)


@pytest.mark.parametrize("x", [X[::-1], X**3, np.linspace(-60, 60, 61), X[:3], 0.8 * np.arange(61)])
def test_a_grid_that_does_not_fit_is_refused(x):
    with pytest.raises(ValueError, match="x must"):
        ae.annealing.matrices.random_walk_matrix(np.zeros(61), x, step_size=0.8)


def test_the_weight_is_the_sum_of_what_each_start_gives():
    transitions = [ae.metropolis_matrix(log_f) for log_f in LOG_F[1:]]
    left = np.arange(12) < 5
    parts = [ae.expected_ais_weights(LOG_F, transitions, starts=starts) for starts in (left, ~left)]
    np.testing.assert_allclose(sum(parts), np.exp(LOG_F), rtol=1e-12)
    np.testing.assert_allclose(parts[0][0], left)  # f_0 = 1, on the left alone
    for wrong in ([0, 1], np.arange(12), left[:5]):
        with pytest.raises(ValueError, match="12 booleans"):
            ae.expected_ais_weights(LOG_F, transitions, starts=wrong)


def test_a_matrix_of_both_layers_states_must_be_within_reach(monkeypatch):
    monkeypatch.setattr(enumeration, "MAX_ENUMERATED_UNITS", 4)
    assert ae.gibbs_matrix(ae.uniform_rbm(3, 1)).shape == (8, 8)
    with pytest.raises(ValueError, match="a sum over 2\\^5 states"):
        ae.gibbs_matrix(ae.uniform_rbm(3, 2))
