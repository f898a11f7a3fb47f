"""python -m anneal_edu models: it lists the stored models, and trains them again."""

import re
from pathlib import Path

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.models import RECIPES, stored
from anneal_edu.models import __main__ as command

STORED = Path(command.__file__).parent


def image_file(path, images):
    header = bytes([0, 0, 8, 3]) + np.array(images.shape, dtype=">u4").tobytes()
    path.write_bytes(header + images.astype(np.uint8).tobytes())
    return str(path)


def test_without_names_every_stored_model_is_listed(capsys):
    command.main([])
    listed = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert set(listed) == {file.stem for file in STORED.glob("*.npz") if "knots" not in file.name}
    assert listed["mnist_pcd_500"] == "BinaryRBM of MNIST, 784 numbers each"


def test_a_model_of_mnist_is_trained_on_the_images_of_a_file(tmp_path, monkeypatch, capsys):
    short = RECIPES["mnist_cd1_20"]._replace(n_updates=2, n_hidden=3, batch_size=4)
    monkeypatch.setitem(RECIPES, "mnist_cd1_20", short)
    images = np.random.default_rng(0).choice([0, 255], size=(6, 28, 28))
    file = image_file(tmp_path / "train-images", images)
    command.main(["mnist_cd1_20", "--images", file, "--folder", str(tmp_path)])
    rbm, expected = ae.data.load_rbm(tmp_path / "mnist_cd1_20.npz"), short.train(images.reshape(6, -1) > 127)
    np.testing.assert_array_equal(rbm.weights, expected.weights.astype(np.float16))
    assert "made binary at 127.5" in capsys.readouterr().out


def test_a_model_of_cifar_is_trained_on_the_images_of_a_folder(tmp_path, monkeypatch):
    def few_patches(n, **options):
        return ae.data.color_patches(n // 100, **options)

    monkeypatch.setattr(stored, "color_patches", few_patches)
    recipe = stored.GaussianRecipe("pcd", 2, 3, 0.3, learn_sigma=True, n_updates=4)
    monkeypatch.setitem(RECIPES, "cifar_pcd_20", recipe)
    pixels = np.random.default_rng(0).integers(256, size=3072).astype(np.uint8)
    (tmp_path / "data_batch_1.bin").write_bytes(bytes([7]) + pixels.tobytes())
    command.main(["cifar_pcd_20", "--images", str(tmp_path), "--folder", str(tmp_path)])
    patches = ae.data.color_patches(1000, images=ae.data.load_cifar10(tmp_path), rng=np.random.default_rng(0))
    expected = ae.train_gaussian_rbm(
        patches, 3, "pcd", 2, 4, 0.3, sigma=patches.std(0), learn_sigma=True, rng=np.random.default_rng(0)
    )
    trained = ae.data.load_rbm(tmp_path / "cifar_pcd_20.npz")
    np.testing.assert_array_equal(trained.weights, expected.weights.astype(np.float32))
    np.testing.assert_array_equal(trained.sigma, expected.sigma.astype(np.float32))


def test_an_image_model_is_trained_on_the_patches(tmp_path, monkeypatch):
    short = RECIPES["image_linear_gaussian"]._replace(settings={"n_iterations": 1, "n_moves": 1})
    monkeypatch.setitem(RECIPES, "image_linear_gaussian", short)
    command.main(["image_linear_gaussian", "--folder", str(tmp_path)])
    with np.load(tmp_path / "image_linear_gaussian.npz", allow_pickle=False) as written:
        assert {name: (part.shape, part.dtype) for name, part in written.items()} == {
            "bases": ((36, 36), np.float32),
            "noise": ((), np.float32),
        }


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["digits8_cd"], "--folder must be one that can be written, and not the library's own, got None"),
        (["digits8_cd", "--folder", str(STORED)], "and not the library's own"),
        (["digits8_cd", "--folder", "nowhere"], "--folder must be one that can be written"),
        (["mnist_pcd_20", "--folder", "."], "mnist_pcd_20 needs --images FILE, MNIST's training images"),
        (["digits8_cd", "--images", "train-images", "--folder", "."], "--images is for models of MNIST alone"),
        (["mnist_pcd_20", "cifar_pcd_20", "--images", "train-images", "--folder", "."], "or of CIFAR-10 alone"),
        (["mnist_pcd_20", "--images", "small", "--folder", "."], "--images must hold images of 784 pixels, got 4"),
        (["mnist_pcd_20", "--images", "nowhere", "--folder", "."], "No such file"),
        (["mnist_pcd_20", "--images", "noise", "--folder", "."], "noise is no IDX, NPY or NPZ file"),
        (["cifar_pcd_20", "--images", "noise", "--folder", "."], "noise must hold records of 3073 bytes"),
    ],
)
def test_bad_options_are_refused_before_anything_is_trained(words, complaint, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    image_file(tmp_path / "train-images", np.zeros((3, 28, 28)))
    image_file(tmp_path / "small", np.zeros((3, 2, 2)))
    (tmp_path / "noise").write_bytes(b"noise")
    with pytest.raises(SystemExit) as end:
        command.main(words)
    assert end.value.code == 2
    assert re.search(complaint, capsys.readouterr().err)
    assert not list(tmp_path.glob("*.npz"))
