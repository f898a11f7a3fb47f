"""Both layers as one state: against sums over all of them."""

import numpy as np
import pytest
from scipy.special import logsumexp

import anneal_edu as ae
from tests.frequencies import UNLIKELY, chance_of_farthest

D, H = 4, 3
RNG = np.random.default_rng(0)
RBM = ae.BinaryRBM(RNG.normal(size=(D, H)), RNG.normal(size=D), RNG.normal(size=H))
OTHER = ae.BinaryRBM(RNG.normal(size=(D, H)), RNG.normal(size=D), RNG.normal(size=H))
JOINT = ae.JointRBM(RBM)
STATES = ae.binary_states(D + H).astype(float)


def bernoulli_product(states, p):
    """Probability of every row of states (S, n) given means (M, n): (M, S)."""
    return np.prod(np.where(states == 1, p[:, None, :], 1 - p[:, None, :]), axis=-1)


def sweep_matrix():
    """K((v, h), (v', h')) = p(h' | v) p(v' | h'), (128, 128)."""
    v, h = JOINT.layers(STATES)
    to_h = bernoulli_product(h, RBM.hidden_given_visible(v))  # p(h' of the column | v of the row)
    to_v = bernoulli_product(v, RBM.visible_given_hidden(h))  # p(v' of the column | h' of the row)
    return to_h * np.diag(to_v)


def frequencies(move, state, n=200_000):
    x = move(np.tile(state.astype(np.float32), (n, 1)), np.random.default_rng(1))
    assert x.dtype == np.float32
    return np.bincount((x @ (1 << np.arange(D + H)[::-1])).astype(int), minlength=2 ** (D + H)) / n


def test_summed_over_h_it_is_the_rbm():
    table = JOINT.log_density(STATES).reshape(2**D, 2**H)
    np.testing.assert_allclose(logsumexp(table, axis=1), RBM.log_density(ae.binary_states(D).astype(float)), atol=1e-12)
    assert JOINT.enumerable and not ae.JointRBM(ae.BinaryRBM(np.ones((40, 30)), np.ones(40), np.ones(30))).enumerable
    assert JOINT.log_z() == pytest.approx(logsumexp(table), abs=1e-12)
    np.testing.assert_allclose(JOINT.log_density(STATES.astype(np.float32)), table.ravel(), atol=1e-5)


def test_log_density_is_linear_in_beta_along_the_geometric_path():
    path = ae.geometric_path(ae.JointRBM(OTHER), JOINT)
    expected = 0.7 * ae.JointRBM(OTHER).log_density(STATES) + 0.3 * JOINT.log_density(STATES)
    np.testing.assert_allclose(path(0.3).log_density(STATES), expected, atol=1e-12)
    np.testing.assert_allclose(ae.log_density_matrix(path, [0, 0.3, 1], STATES)[1], expected, atol=1e-12)
    assert path(0.3).log_z() == pytest.approx(ae.geometric_path(OTHER, RBM)(0.3).log_z(), abs=1e-12)


def test_a_sweep_leaves_it_invariant_and_the_backward_sweep_is_its_reversal():
    law = np.exp(JOINT.log_density(STATES) - JOINT.log_z())
    K = sweep_matrix()
    np.testing.assert_allclose(law @ K, law, atol=1e-12)
    reversal = (law[:, None] * K).T / law[:, None]
    for state in (0, 77):
        for move, matrix in ((JOINT.gibbs, K), (JOINT.gibbs_backwards, reversal)):
            assert chance_of_farthest(frequencies(move, STATES[state]), matrix[state], 200_000) > UNLIKELY


def test_exact_draws():
    law = np.exp(JOINT.log_density(STATES) - JOINT.log_z())
    found = frequencies(lambda x, rng: JOINT.sample(len(x), rng), STATES[0])
    assert chance_of_farthest(found, law, 200_000) > UNLIKELY


def test_forward_and_reverse_ais_enclose_its_log_z():
    path = ae.geometric_path(ae.JointRBM(ae.uniform_rbm(D, H)), JOINT)
    rng = np.random.default_rng(2)
    forward = ae.ais(path, ae.linear_schedule(20), 1000, rng=rng)
    reverse = ae.reverse_ais(path, ae.linear_schedule(20), JOINT.sample(1000, rng), rng=rng)
    for run in (forward, reverse):
        assert abs(run.log_z - JOINT.log_z()) < 5 * run.std_error < 0.5
    assert forward.mean_log_weight < JOINT.log_z() < reverse.mean_log_weight


def test_bad_input():
    with pytest.raises(TypeError, match="rbm must be a BinaryRBM"):
        ae.JointRBM(ae.Gaussian([0.0], [[1.0]]))
    with pytest.raises(ValueError, match=r"x must have shape \(..., 7\)"):
        JOINT.log_density(np.zeros((2, 6)))
    with pytest.raises(TypeError, match="rbm must be a BinaryRBM, got JointRBM"):
        ae.gibbs_matrix(JOINT)
    turned = ae.JointRBM(ae.uniform_rbm(H, D))
    with pytest.raises(ValueError, match="same number of hidden units, got 4 and 3"):
        ae.geometric_path(turned, JOINT)
    with pytest.raises(ValueError, match="samples must hold zeros and ones"):
        path = ae.geometric_path(ae.JointRBM(ae.uniform_rbm(D, H)), JOINT)
        ae.reverse_ais(path, [0, 1], np.full((2, 7), 0.5), rng=np.random.default_rng(0))


def test_its_density_is_added_up_in_double_precision():
    """2²³ + ½ has more digits than a float32."""
    model = ae.JointRBM(ae.BinaryRBM(np.zeros((1, 2)), [0.0], [2.0**23, 0.5]))
    assert model.log_density(np.ones(3, dtype=np.float32)) == 2.0**23 + 0.5
