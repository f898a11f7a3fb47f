"""Exact probabilities of hidden states, against the sum over everything; the stored models."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu import models
from anneal_edu.distributions import hidden_states


@pytest.fixture
def rbm():
    rng = np.random.default_rng(1)
    return ae.BinaryRBM(rng.normal(size=(5, 3)), rng.normal(size=5), rng.normal(size=3))


@pytest.mark.parametrize(("D", "H", "scale"), [(5, 3, 1.0), (3, 5, 1.0), (4, 4, 1.0), (3, 2, 0.0)])
def test_probabilities_of_hidden_states(D, H, scale):
    rng = np.random.default_rng(1)
    rbm = ae.BinaryRBM(scale * rng.normal(size=(D, H)), rng.normal(size=D), rng.normal(size=H))
    v, h = ae.binary_states(D), ae.binary_states(H)
    log_f = (v @ rbm.visible_bias)[:, None] + h @ rbm.hidden_bias + v @ rbm.weights @ h.T  # (2^D, 2^H)
    expected = np.exp(log_f).sum(0) / np.exp(log_f).sum()
    np.testing.assert_allclose(rbm.hidden_probabilities(), expected, rtol=1e-10, atol=1e-10)


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
    assert hidden_states.occupied_mass(grbm, v[:1]) == pytest.approx(p_h[joint[0].argmax()])


def test_likeliest_hidden_state(rbm):
    v, h = ae.binary_states(5), ae.binary_states(3)
    expected = (v @ rbm.weights @ h.T + h @ rbm.hidden_bias).argmax(1)
    np.testing.assert_array_equal(hidden_states.likeliest_hidden_state(rbm, v), expected)


def test_occupied_mass_counts_each_state_once(rbm):
    v = np.repeat(ae.binary_states(5)[:1], 10, axis=0)
    code = hidden_states.likeliest_hidden_state(rbm, v)[0]
    assert hidden_states.occupied_mass(rbm, v) == pytest.approx(rbm.hidden_probabilities()[code])


@pytest.mark.parametrize("name", [name for name in models.RECIPES if name.startswith("digits")])
def test_every_recipe_has_its_model(name):
    recipe, rbm = models.RECIPES[name], models.load(name)
    assert rbm.weights.shape == (recipe.size**2, recipe.n_hidden)
    data = ae.data.digits(recipe.size)
    independent = ae.base_rate_rbm(data, recipe.n_hidden)
    gain = (rbm.log_density(data).mean() - rbm.log_z()) - (independent.log_density(data).mean() - independent.log_z())
    assert gain > 5  # nats an image


def test_unknown_model():
    with pytest.raises(ValueError, match="digits28_cd"):
        models.load("mnist")


def test_states_without_probability_do_not_count():
    assert hidden_states.effective_number_of_states(np.array([0.5, 0.0, 0.5, 0.0])) == pytest.approx(2)
