"""The stored RBMs of MNIST, and the door through which they are trained again on a file of its images."""

import re
from pathlib import Path

import numpy as np
import pytest

import anneal_edu as ae
from anneal_edu.models import __main__ as program
from tests.cases import always

STORED = Path(program.__file__).parent


@pytest.mark.parametrize("name", ae.models.MNIST_RECIPES)
def test_every_recipe_has_its_model_in_half_precision(name):
    rbm = ae.models.load(name)
    assert rbm.weights.shape == (784, ae.models.MNIST_RECIPES[name].n_hidden)
    for part in (rbm.weights, rbm.visible_bias, rbm.hidden_bias):
        np.testing.assert_array_equal(part, part.astype(np.float16))


@pytest.mark.parametrize("name", always(*ae.models.MNIST_RECIPES.keys() - {"mnist_cd1_20"}, of=ae.models.MNIST_RECIPES))
def test_what_was_found_belongs_to_the_model_that_is_stored(name):
    """log Z is counted anew where it can be."""
    rbm, found = ae.models.load(name), ae.models.mnist_findings(name)
    assert found["model"] == f"{name}.npz" and found["n_data"] == 10_000
    assert (found["exact"] is None) == (not rbm.enumerable)
    low, high = found["log_likelihood"]
    assert -250 < low <= high < -50
    if rbm.enumerable:
        assert rbm.log_z() == pytest.approx(found["exact"], abs=1e-3)
        assert found["lower"] == pytest.approx(found["exact"], abs=4.5 * found["lower_error"])


def test_findings_of_an_unknown_model_are_refused():
    with pytest.raises(ValueError, match=r"name must be one of mnist_cd1_20, .*, got 'mnist'"):
        ae.models.mnist_findings("mnist")


def test_a_better_training_gives_a_better_model():
    """The order of the paper's methods, on images that nobody was trained on; nobody's bounds overlap another's."""
    bounds = [ae.models.mnist_findings(f"mnist_{name}")["log_likelihood"] for name in ("cd1_20", "pcd_20", "cd25_500")]
    assert bounds[0][1] < bounds[1][0] and bounds[1][1] < bounds[2][0]


def image_file(path, images):
    header = bytes([0, 0, 8, 3]) + np.array(images.shape, dtype=">u4").tobytes()
    path.write_bytes(header + images.astype(np.uint8).tobytes())
    return str(path)


def test_a_model_is_trained_again_on_the_images_of_a_file(tmp_path, monkeypatch, capsys):
    short = ae.models.MNIST_RECIPES["mnist_cd1_20"]._replace(n_updates=2, n_hidden=3, batch_size=4)
    monkeypatch.setitem(ae.models.MNIST_RECIPES, "mnist_cd1_20", short)
    images = np.random.default_rng(0).choice([0, 255], size=(6, 28, 28))
    program.main(["mnist_cd1_20", "--images", image_file(tmp_path / "train-images", images)], tmp_path)
    rbm, expected = ae.data.load_rbm(tmp_path / "mnist_cd1_20.npz"), short.train(images.reshape(6, -1) > 127)
    np.testing.assert_array_equal(rbm.weights, expected.weights)
    with np.load(tmp_path / "mnist_cd1_20.npz", allow_pickle=False) as stored:
        assert {part.dtype for part in stored.values()} == {np.dtype(np.float16)}
    said = capsys.readouterr().out
    assert "made binary at 127.5" in said and f"mnist_cd1_20: log Z = {expected.log_z():.2f}" in said


def test_a_model_is_trained_again_on_a_folder_of_cifar(tmp_path, monkeypatch):
    asked = []

    class Recipe:
        def train(self, images):
            asked.append(images)
            return ae.GaussianRBM(np.ones((3, 2)), np.zeros(3), np.zeros(2), np.ones(3))

    monkeypatch.setitem(ae.models.CIFAR_RECIPES, "cifar_pcd_20", Recipe())
    (tmp_path / "data_batch_1.bin").write_bytes(bytes([7]) + bytes(range(256)) * 12)
    program.main(["cifar_pcd_20", "--images", str(tmp_path)], tmp_path)
    np.testing.assert_array_equal(asked[0], ae.data.load_cifar10(tmp_path))
    assert (ae.data.load_rbm(tmp_path / "cifar_pcd_20.npz").weights == 1).all()


def test_without_names_every_model_is_listed_and_none_is_written(monkeypatch, capsys):
    monkeypatch.setattr(program, "write", None)
    program.main([])
    listed = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert set(listed) == {file.stem for file in STORED.glob("*.npz") if "knots" not in file.name}
    assert listed["mnist_pcd_500"] == "BinaryRBM of MNIST, 784 numbers each"


def test_the_files_of_the_library_are_never_overwritten(tmp_path, monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(program, "write", lambda file, model, precision: asked.append((file, precision)))
    monkeypatch.setitem(ae.models.RECIPES, "digits8_cd", type("Recipe", (), {"train": lambda self: None})())
    for words in ([], ["--folder", str(STORED)], ["--folder", str(tmp_path / "nowhere")]):
        with pytest.raises(SystemExit) as end:
            program.main(["digits8_cd", *words])
        assert end.value.code == 2 and "and not the library's own" in capsys.readouterr().err
    program.main(["digits8_cd", "--folder", str(tmp_path)])
    assert asked == [(tmp_path / "digits8_cd.npz", np.float32)]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["mnist_pcd_20"], "mnist_pcd_20 needs --images FILE"),
        (["digits8_cd", "--images", "train-images"], "--images is for mnist_cd1_20, .* none of these is named"),
        (["mnist_pcd_20", "--images", "small"], "--images must hold images of 784 pixels, got 4"),
        (["mnist_pcd_20", "--images", "nowhere"], "No such file"),
        (["mnist_pcd_20", "--images", "noise"], "noise is no IDX, NPY or NPZ file"),
        (["cifar_pcd_20"], "cifar_pcd_20 needs --images FILE, CIFAR-10's training images"),
        (["digits8_cd", "cifar_pcd_20"], "cifar_pcd_20 needs --images FILE"),
        (["cifar_pcd_20", "--images", "noise"], "noise must hold records of 3073 bytes"),
    ],
)
def test_images_that_are_missing_or_unwanted_are_refused_in_words(words, complaint, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    image_file(tmp_path / "train-images", np.zeros((3, 28, 28)))
    image_file(tmp_path / "small", np.zeros((3, 2, 2)))
    (tmp_path / "noise").write_bytes(b"noise")
    with pytest.raises(SystemExit) as end:
        program.main(words, tmp_path)
    assert end.value.code == 2
    assert re.search(complaint, capsys.readouterr().err)
    assert not list(tmp_path.glob("*.npz"))
