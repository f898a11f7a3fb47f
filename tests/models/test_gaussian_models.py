"""The stored Gaussian RBMs of colour patches."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu import models

ENUMERABLE = [name for name, recipe in models.GAUSSIAN_RECIPES.items() if recipe.n_hidden <= 20]


@pytest.fixture(scope="module")
def patches():
    """Of another seed than those that the models were trained on, though of the same two photographs."""
    return ae.data.color_patches(20_000, rng=np.random.default_rng(1))


@pytest.mark.parametrize("name", models.GAUSSIAN_RECIPES)
def test_every_recipe_has_its_model(name, patches):
    recipe, rbm = models.GAUSSIAN_RECIPES[name], models.load(name)
    assert isinstance(rbm, ae.GaussianRBM)
    assert rbm.weights.shape == (108, recipe.n_hidden)
    furthest = np.abs(rbm.sigma / patches.std(0) - 1).max()
    assert furthest > 0.1 if recipe.learn_sigma else furthest < 0.05


@pytest.mark.parametrize("name", ENUMERABLE)
def test_a_model_beats_independent_gaussians(name, patches):
    """By 5 to 8 nats a patch, exactly."""
    rbm, sd = models.load(name), patches.std(0)
    independent = -0.5 * ((patches / sd) ** 2 + np.log(2 * np.pi * sd**2)).sum(1).mean()
    assert rbm.log_density(patches).mean() - rbm.log_z() > independent + 4.5


@pytest.mark.parametrize("name", models.CIFAR_RECIPES)
def test_every_recipe_of_cifar_has_its_model(name):
    rbm = models.load(name)
    assert rbm.weights.shape == (108, models.CIFAR_RECIPES[name].n_hidden)
    assert 0.5 < rbm.sigma.min() and rbm.sigma.max() < 1.05  # of whitened patches


@pytest.mark.parametrize("name", [*ENUMERABLE, "cifar_cd1_20", "cifar_cd25_20", "cifar_pcd_20"])
def test_a_model_has_covariance_beyond_sigma(name):
    """In units of sigma, what independent units would have is the identity; 20 hidden units stretch 20 directions."""
    rbm = models.load(name)
    stretch = np.linalg.eigvalsh(rbm.mean_and_cov()[1] / np.outer(rbm.sigma, rbm.sigma))
    np.testing.assert_allclose(stretch[:-20], 1, atol=1e-8)
    assert stretch[-1] > 2.5


def test_unknown_model():
    with pytest.raises(ValueError, match="patches_cd1_20"):
        models.load("patches")
