"""The stored models and their recipes."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.course.experiments.hamiltonian_images import stored_patches
from anneal_edu.models import RECIPES, images, stored

ENUMERABLE = [name for name in RECIPES if name.startswith("patches") and name.endswith("_20")]


@pytest.mark.parametrize("name", [name for name in RECIPES if not name.startswith("image")])
def test_every_recipe_has_its_model(name):
    recipe, rbm = RECIPES[name], ae.models.load(name)
    n_visible = recipe.size**2 if isinstance(recipe, stored.Recipe) else 108
    assert rbm.weights.shape == (n_visible, recipe.n_hidden)


@pytest.fixture(scope="module")
def patches():
    """From another seed than the training data, though from the same two photographs."""
    return ae.data.color_patches(20_000, rng=np.random.default_rng(1))


@pytest.mark.parametrize("name", ENUMERABLE)
def test_a_model_of_colour_patches_beats_independent_gaussians(name, patches):
    """By 5 to 8 nats per patch, exactly; only the recipe that learns sigma has moved it."""
    rbm, sd = ae.models.load(name), patches.std(0)
    independent = -0.5 * ((patches / sd) ** 2 + np.log(2 * np.pi * sd**2)).sum(1).mean()
    assert rbm.log_density(patches).mean() - rbm.log_z() > independent + 4.5
    furthest = np.abs(rbm.sigma / sd - 1).max()
    assert furthest > 0.1 if RECIPES[name].learn_sigma else furthest < 0.05


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match=r"name must be one of digits8_cd, .*, got 'patches'"):
        ae.models.load("patches")


def test_a_recipe_of_binary_images_trains_with_its_arguments():
    trained = stored.Recipe("pcd", 2, 3, 0.3, 4, 5, size=8).train()
    data, rng = ae.data.digits(8), np.random.default_rng(0)
    by_hand = ae.train_rbm(data, 3, "pcd", n_gibbs=2, n_updates=4, learning_rate=0.3, batch_size=5, rng=rng)
    np.testing.assert_array_equal(trained.weights, by_hand.weights)
    on_images = stored.Recipe("cd", 1, 3, 0.3, 4, 5).train(data[:50])
    by_hand = ae.train_rbm(data[:50], 3, n_updates=4, learning_rate=0.3, batch_size=5, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(on_images.weights, by_hand.weights)


def test_image_models_start_at_orthogonal_bases_or_at_filters_of_unit_gain():
    def start(name):
        return RECIPES[name].begin(np.random.default_rng(0))

    linear, bilinear = start("image_linear_laplace"), start("image_bilinear")
    np.testing.assert_allclose(linear.bases.T @ linear.bases, np.eye(36), atol=1e-12)
    np.testing.assert_allclose(bilinear.bases @ bilinear.bases.T, np.eye(36), atol=1e-12)
    for name, length in (("image_laplace_experts", 1.4), ("image_student_t_experts", 2)):
        np.testing.assert_allclose(np.linalg.norm(start(name).filters, axis=1), length * np.sqrt(36 / 144), rtol=1e-12)
    assert start("image_student_t_experts").weights.sum() == pytest.approx(1.5 * 36, rel=1e-12)
    pairs = images.mean_covariance(200, np.random.default_rng(1))
    np.testing.assert_array_equal(pairs.pooling[:4, :3], [[-1, 0, 0], [-1, 0, 0], [0, -1, 0], [0, -1, 0]])


def test_the_patches_of_the_table_are_those_held_out_from_training():
    np.testing.assert_allclose(stored_patches(), images.image_patches().held_out[:100], atol=1e-9)
