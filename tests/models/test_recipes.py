"""How the stored models came about: it is written down as it was, and every part of it reaches the training."""

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu import models
from anneal_edu.course.experiments.hamiltonian_table1 import stored_patches
from anneal_edu.models import images

# Of the files that are stored, so that a change here is a change of history: size or Gibbs steps, updates, rate, ….
DIGITS = {
    "digits8_cd": (8, "cd", 5000, 0.1, 100, 0, 10),
    "digits28_cd": (28, "cd", 15000, 0.05, 20, 0, 10),
    "digits28_pcd": (28, "pcd", 10000, 0.01, 100, 0, 10),
    "digits28_pcd_fast": (28, "pcd", 15000, 0.05, 20, 0, 10),
    "digits28_cd20": (28, "cd", 15000, 0.05, 20, 0, 20),
    "digits28_pcd20": (28, "pcd", 10000, 0.01, 100, 0, 20),
}
MNIST = {
    "mnist_cd1_20": ("cd", 1, 20, 0.05, 60_000, 100),
    "mnist_pcd_20": ("pcd", 1, 20, 0.02, 60_000, 100),
    "mnist_cd1_500": ("cd", 1, 500, 0.05, 30_000, 100),
    "mnist_pcd_500": ("pcd", 1, 500, 0.02, 30_000, 100),
    "mnist_cd25_500": ("cd", 25, 500, 0.05, 6000, 100),
}
PATCHES = {
    "patches_cd1_20": ("cd", 1, 20, 0.05, False, 80_000),
    "patches_cd25_20": ("cd", 25, 20, 0.05, False, 80_000),
    "patches_pcd_20": ("pcd", 1, 20, 0.05, False, 80_000),
    "patches_pcd_sigma_20": ("pcd", 1, 20, 0.05, True, 80_000),
    "patches_cd1_200": ("cd", 1, 200, 0.02, False, 80_000),
    "patches_cd25_200": ("cd", 25, 200, 0.02, False, 80_000),
    "patches_pcd_200": ("pcd", 1, 200, 0.02, False, 80_000),
}
IMAGES = {
    "image_linear_gaussian": (("gaussian",), {"n_iterations": 60, "n_moves": 5}),
    "image_linear_laplace": (("laplace",), {"n_iterations": 400, "n_moves": 5}),
    "image_bilinear": ((49,), {"n_iterations": 300, "n_moves": 5}),
    "image_laplace_experts": (("laplace", 144), {"n_rounds": 100}),
    "image_student_t_experts": (("student_t", 144), {"n_rounds": 150}),
    "image_laplace_complete": (("laplace", 36), {"n_rounds": 100}),
    "image_student_t_complete": (("student_t", 36), {"n_rounds": 150}),
    "image_mean_covariance": ((36,), {"n_rounds": 24, "n_iterations": 8}),
}


def test_the_recipes_are_those_of_the_files():
    assert {name: tuple(recipe) for name, recipe in models.RECIPES.items()} == DIGITS
    assert {name: tuple(recipe) for name, recipe in models.MNIST_RECIPES.items()} == MNIST
    assert {name: tuple(recipe) for name, recipe in models.GAUSSIAN_RECIPES.items()} == PATCHES
    of_cifar = {name.replace("patches", "cifar"): recipe for name, recipe in PATCHES.items()}
    del of_cifar["cifar_pcd_sigma_20"]
    assert {name: tuple(recipe) for name, recipe in models.CIFAR_RECIPES.items()} == of_cifar
    assert {name: (recipe.arguments, recipe.settings) for name, recipe in images.IMAGE_RECIPES.items()} == IMAGES


@pytest.fixture
def trained_with(monkeypatch):
    """What a training is given, by name, instead of the training; and few patches instead of 100,000."""
    given = {}

    def train(data, n_hidden, method, n_gibbs=None, n_updates=None, learning_rate=None, **options):
        given.update(locals())

    monkeypatch.setattr(models.stored, "train_rbm", train)
    monkeypatch.setattr(models.stored, "train_gaussian_rbm", train)
    monkeypatch.setattr(models.stored, "digits", lambda size: size)
    cut = given.setdefault("cut", [])
    monkeypatch.setattr(
        models.stored, "color_patches", lambda n, images, rng: cut.append(images) or rng.normal(size=(n // 1000, 3))
    )
    return given


def first_numbers(rng):
    return rng.bit_generator.state == np.random.default_rng(0).bit_generator.state


def test_every_part_of_a_recipe_of_digits_reaches_the_training(trained_with):
    models.Recipe(28, "pcd", 7, 0.3, 11, n_hidden=5).train()
    options = trained_with["options"]
    assert trained_with["data"] == 28
    assert [trained_with[name] for name in ("n_hidden", "method", "n_updates", "learning_rate")] == [5, "pcd", 7, 0.3]
    assert options["batch_size"] == 11 and options["progress"] and first_numbers(options["rng"])


def test_every_part_of_a_recipe_of_mnist_reaches_the_training(monkeypatch):
    given = {}

    def train(data, **options):
        given.update(data=data, **options)
        return ae.BinaryRBM(np.full((2, 3), 1 / 3), np.zeros(2), np.zeros(3))

    monkeypatch.setattr(models.mnist, "train_rbm", train)
    rbm = models.MnistRecipe("pcd", 3, 5, 0.3, 7, 11).train("images")
    rng = given.pop("rng")
    assert given == {
        "data": "images", "method": "pcd", "n_gibbs": 3, "n_hidden": 5, "learning_rate": 0.3, "n_updates": 7,
        "batch_size": 11, "progress": True,
    } and first_numbers(rng)  # fmt: skip
    assert (rbm.weights == np.float16(1 / 3)).all(), "the model is what half precision leaves of it"


def test_every_part_of_a_recipe_of_patches_reaches_the_training(trained_with):
    models.GaussianRecipe("pcd", 3, 5, 0.3, True, 7).train()
    options, data = trained_with["options"], trained_with["data"]
    np.testing.assert_array_equal(data, np.random.default_rng(0).normal(size=(100, 3)))
    names = ("n_hidden", "method", "n_gibbs", "n_updates", "learning_rate")
    assert [trained_with[name] for name in names] == [5, "pcd", 3, 7, 0.3]
    np.testing.assert_array_equal(options["sigma"], data.std(0))
    assert options["learn_sigma"] and options["progress"] and first_numbers(options["rng"])
    models.CIFAR_RECIPES["cifar_pcd_20"].train("images")
    assert trained_with["cut"] == [None, "images"], "of the two photographs, and of the images that are given"


def test_image_models_begin_where_the_recipes_say():
    def begun(name):
        return images.IMAGE_RECIPES[name].begin(np.random.default_rng(0))

    linear, bilinear = begun("image_linear_laplace"), begun("image_bilinear")
    np.testing.assert_allclose(linear.bases.T @ linear.bases, np.eye(36), atol=1e-12)
    assert (linear.noise, linear.prior) == (0.1, "laplace")
    np.testing.assert_allclose(bilinear.bases @ bilinear.bases.T, np.eye(36), atol=1e-12)
    np.testing.assert_array_equal(bilinear.c_weights, np.eye(49))
    beside = bilinear.d_weights - 0.5 * np.eye(49)
    assert 0 <= beside.min() < 1 / 490 and 0.9 / 49 < beside.max() <= 1 / 49
    laplace, student_t = begun("image_laplace_experts"), begun("image_student_t_experts")
    np.testing.assert_allclose(np.linalg.norm(laplace.filters, axis=1), 1.4 * np.sqrt(36 / 144), rtol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(student_t.filters, axis=1), 2 * np.sqrt(36 / 144), rtol=1e-12)
    assert (laplace.expert, student_t.expert) == ("laplace", "student_t")
    assert student_t.weights.sum() == pytest.approx(1.5 * 36, rel=1e-12)


def test_the_mean_covariance_model_begins_with_pairs_of_filters():
    start = images.mean_covariance(200, np.random.default_rng(1))
    np.testing.assert_array_equal(start.pooling[:4, :3], [[-1, 0, 0], [-1, 0, 0], [0, -1, 0], [0, -1, 0]])
    assert start.pooling.shape == (400, 200)
    # 4.5 standard errors of a standard deviation from 14,400 and 7,200 normal numbers
    assert start.filters.std() == pytest.approx(3 / 6, rel=4.5 / np.sqrt(2 * 14_400))
    assert start.mean_weights.std() == pytest.approx(0.5 / 6, rel=4.5 / np.sqrt(2 * 7_200))
    np.testing.assert_array_equal(start.covariance_bias, np.ones(200))
    np.testing.assert_array_equal(start.mean_bias, -np.ones(200))
    np.testing.assert_array_equal(start.visible_bias, np.zeros(36))


def test_image_models_are_trained_on_the_patches_and_from_the_start_of_one_generator(monkeypatch):
    def cut(rng):
        return type("Cut", (), {"train": rng.normal(size=(4, 36))})

    monkeypatch.setattr(images, "_cut", cut)
    given = {}

    def train(data, start, **options):
        given.update(locals())

    recipe = images.ImageRecipe(images.linear, ("laplace",), train, {"n_moves": 3})
    recipe.train()
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(given["data"], rng.normal(size=(4, 36)))
    np.testing.assert_array_equal(given["start"].bases, images.linear("laplace", rng).bases)
    assert given["options"]["rng"].bit_generator.state == rng.bit_generator.state
    assert given["options"]["n_moves"] == 3 and given["options"]["progress"]


def test_the_patches_of_the_table_are_those_held_out_from_training():
    np.testing.assert_allclose(stored_patches(), images.image_patches().held_out[:100], atol=1e-9)
