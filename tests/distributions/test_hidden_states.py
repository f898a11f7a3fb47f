"""Hidden states against sums over everything."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.distributions import hidden_states


def test_hidden_states_of_a_gaussian_rbm():
    """A mixture by hand: p(h) times a normal density gives p(v, h), whose largest part at v is the likeliest state."""
    rng = np.random.default_rng(1)
    grbm = ae.GaussianRBM(rng.normal(size=(3, 4)), rng.normal(size=3), rng.normal(size=4), np.array([0.5, 1, 2]))
    h, v = ae.binary_states(4), rng.normal(size=(20, 3))
    p_h = grbm.hidden_probabilities()
    away = (v[:, None] - grbm.visible_mean(h)) / grbm.sigma  # (20, 16, 3)
    joint = p_h * np.exp(-0.5 * (away**2).sum(-1)) / np.prod(np.sqrt(2 * np.pi) * grbm.sigma)
    np.testing.assert_allclose(joint.sum(1), np.exp(grbm.log_density(v) - grbm.log_z()), rtol=1e-10, atol=1e-10)
    np.testing.assert_array_equal(hidden_states.likeliest_hidden_state(grbm, v), joint.argmax(1))
    assert hidden_states.occupied_mass(grbm, np.repeat(v[:1], 10, axis=0)) == pytest.approx(p_h[joint[0].argmax()])


def test_likeliest_hidden_state():
    rng = np.random.default_rng(1)
    rbm = ae.BinaryRBM(rng.normal(size=(5, 3)), rng.normal(size=5), rng.normal(size=3))
    v, h = ae.binary_states(5), ae.binary_states(3)
    expected = (v @ rbm.weights @ h.T + h @ rbm.hidden_bias).argmax(1)
    np.testing.assert_array_equal(hidden_states.likeliest_hidden_state(rbm, v), expected)


def test_states_without_probability_do_not_count():
    assert hidden_states.effective_number_of_states(np.array([0.5, 0.0, 0.5, 0.0])) == pytest.approx(2)
