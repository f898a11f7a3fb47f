import numpy as np
import pytest
from sklearn.datasets import load_sample_images

import anneal_edu as ae
from anneal_edu.data.patches import _cut

D = 108


@pytest.fixture(scope="module")
def patches():
    return ae.data.color_patches(20_000, rng=np.random.default_rng(0))


def noise_images(rows, cols, n=3, dtype=np.float64):
    return list(np.random.default_rng(1).integers(0, 256, size=(n, rows, cols, 3)).astype(dtype))


def normalised(n, seed):
    """The patches before whitening, by a loop over rectangles that repeats the draws."""
    rng, photographs = np.random.default_rng(seed), load_sample_images().images
    chosen = rng.integers(2, size=n)
    tops, lefts = rng.integers(np.full(n, 427 - 6 + 1)), rng.integers(np.full(n, 640 - 6 + 1))
    rows = []
    for image, top, left in zip(chosen, tops, lefts, strict=True):
        patch = photographs[image][top : top + 6, left : left + 6].astype(float)
        rows.append(((patch - patch.mean()) / np.sqrt(patch.var() + 10)).ravel())
    return np.array(rows)


def test_shape_and_mean(patches):
    assert patches.shape == (20_000, D)
    assert patches.dtype == np.float64
    np.testing.assert_allclose(patches.mean(0), 0, atol=1e-10)


def test_whitening_turns_each_eigenvalue_e_into_e_over_e_plus_a_tenth():
    before, after = normalised(3000, seed=2), ae.data.color_patches(3000, rng=np.random.default_rng(2))
    e, U = np.linalg.eigh(np.cov(before.T, bias=True))
    np.testing.assert_allclose(U.T @ np.cov(after.T, bias=True) @ U, np.diag(e / (e + 0.1)), atol=1e-10)
    assert e[-1] / (e[-1] + 0.1) > 0.99  # along the strongest direction the regulariser does not matter


def test_whitening_is_the_symmetric_one():
    """ZCA: the linear map from patches before to patches after is symmetric, so that they still look like patches."""
    before, after = normalised(3000, seed=2), ae.data.color_patches(3000, rng=np.random.default_rng(2))
    step = np.linalg.lstsq(before - before.mean(0), after, rcond=1e-8)[0]
    np.testing.assert_allclose(step, step.T, atol=1e-8)


def test_every_patch_sums_to_zero(patches):
    np.testing.assert_allclose(patches.sum(1), 0, atol=1e-9)


def test_a_flat_patch_stays_quieter_than_textures():
    """A nearly flat image, grey levels 128 ± 1, among noise: its patches keep a small part of the others' length."""
    flat = 128 + np.random.default_rng(0).integers(-1, 2, size=(40, 40, 3))
    patches = ae.data.color_patches(4000, images=[flat, *noise_images(40, 40, 1)], rng=np.random.default_rng(3))
    chosen = np.random.default_rng(3).integers(2, size=4000)
    lengths = np.linalg.norm(patches, axis=1)
    assert lengths[chosen == 0].mean() < 0.4 * lengths[chosen == 1].mean()


def test_one_patch_in_25_of_the_photographs_is_nearly_flat():
    rng = np.random.default_rng(0)
    corners = [(i, *rng.integers((422, 635))) for i in range(2) for _ in range(5000)]
    photographs = load_sample_images().images
    flat = np.mean([photographs[i][top : top + 6, left : left + 6].var() < 10 for i, top, left in corners])
    assert abs(flat - 0.04) < 5 * np.sqrt(0.04 * 0.96 / len(corners))


def test_constant_images_become_zeros():
    patches = ae.data.color_patches(50, images=[np.full((8, 8, 3), 128)], rng=np.random.default_rng(0))
    np.testing.assert_array_equal(patches, np.zeros((50, D)))


def test_the_same_seed_cuts_the_same_patches():
    one, two = (ae.data.color_patches(100, rng=np.random.default_rng(4)) for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_a_patch_as_large_as_the_image_is_the_whole_image():
    """Both images of 2×2 pixels are cut whole: only two different patches come out."""
    patches = ae.data.color_patches(30, size=2, images=noise_images(2, 2, 2), rng=np.random.default_rng(0))
    assert patches.shape == (30, 12)
    assert len(np.unique(patches.round(9), axis=0)) == 2


def test_every_place_of_every_image_is_cut_and_rows_and_columns_are_drawn_apart():
    """Pixels that tell their row, column and image; of 72 places of each none is missed by 8,000 cuts."""
    rows, cols = np.indices((7, 13))
    images = [np.stack([rows, cols, np.full_like(rows, i)], axis=2) for i in range(2)]
    cut = _cut(images, 8000, 2, np.random.default_rng(0)).reshape(-1, 2, 2, 3)
    assert (cut[:, 1, 1] - cut[:, 0, 0] == [1, 1, 0]).all()
    places = {(image, top, left) for top, left, image in cut[:, 0, 0].astype(int).tolist()}
    assert places == {(image, top, left) for image in range(2) for top in range(6) for left in range(12)}


def test_images_may_differ_in_size_and_type():
    images = [*noise_images(6, 9, dtype=np.uint8), *noise_images(20, 7, dtype=np.float32)]
    assert np.isfinite(ae.data.color_patches(200, images=images, rng=np.random.default_rng(0))).all()
    stacked = np.stack(noise_images(9, 8, 4, dtype=np.int16))
    assert ae.data.color_patches(200, size=4, images=stacked, rng=np.random.default_rng(0)).shape == (200, 48)


@pytest.mark.parametrize(
    ("images", "message"),
    [
        ([], "images is empty"),
        (np.zeros((9, 9, 3)), r"images\[0\] must have 3 axes, got shape \(9, 3\)"),
        ([np.zeros((3, 9, 9))], r"images\[0\] must have shape \(rows, cols, 3\), got \(3, 9, 9\)"),
        ([*noise_images(9, 9), np.zeros((5, 9, 3))], r"images\[3\] must have at least 6 rows and columns"),
        ([np.full((9, 9, 3), np.nan)], r"images\[0\] must be finite"),
        ([np.full((9, 9, 3), 256)], r"images\[0\] must lie on the scale 0 to 255, got values from 256 to 256"),
        ([np.full((9, 9, 3), -1)], "scale 0 to 255"),
        ([np.full((9, 9, 3), 0.5)], "images must lie on the scale 0 to 255, got no value above 0.5"),
    ],
)
def test_bad_images_are_named(images, message):
    with pytest.raises(ValueError, match=message):
        ae.data.color_patches(10, images=images, rng=np.random.default_rng(0))


@pytest.mark.parametrize(
    "bad", [{"n": 1}, {"n": 2.5}, {"size": 1}, {"rng": 0}, {"images": 3}, {"images": [np.full((9, 9, 3), "red")]}]
)
def test_bad_settings_are_named(bad):
    with pytest.raises((ValueError, TypeError), match=next(iter(bad))):
        ae.data.color_patches(**({"n": 10, "rng": np.random.default_rng(0)} | bad))


CIFAR_IMAGES = np.random.default_rng(0).integers(0, 256, size=(5, 32, 32, 3), dtype=np.uint8)


def cifar_bytes(images):
    """Records of a label and the red, the green, the blue pixels, as cs.toronto.edu/~kriz/cifar.html describes them."""
    return b"".join(bytes([3]) + b"".join(image[:, :, color].tobytes() for color in range(3)) for image in images)


def test_cifar_images_survive_their_file(tmp_path):
    (tmp_path / "data_batch_1.bin").write_bytes(cifar_bytes(CIFAR_IMAGES))
    images = ae.data.load_cifar10(str(tmp_path / "data_batch_1.bin"))
    assert images.dtype == np.uint8
    np.testing.assert_array_equal(images, CIFAR_IMAGES)
    assert ae.data.color_patches(100, images=images, rng=np.random.default_rng(0)).shape == (100, D)


def test_a_folder_of_batches_is_read_in_order(tmp_path):
    (tmp_path / "data_batch_2.bin").write_bytes(cifar_bytes(CIFAR_IMAGES[3:]))
    (tmp_path / "data_batch_1.bin").write_bytes(cifar_bytes(CIFAR_IMAGES[:3]))
    (tmp_path / "readme.html").write_text("not a batch")
    np.testing.assert_array_equal(ae.data.load_cifar10(tmp_path), CIFAR_IMAGES)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", r"batch must hold records of 3073 bytes, got 0 bytes; get the binary version"),
        (bytes(3072), "got 3072 bytes"),
        (bytes([10]) + bytes(3072), "must hold labels 0 to 9, got 10"),
        (b"\x80\x04" + bytes(50), "batch is a pickle, which can run code as it is read; get the binary version"),
    ],
)
def test_what_is_no_binary_batch_is_refused(tmp_path, raw, message):
    (tmp_path / "batch").write_bytes(raw)
    with pytest.raises(ValueError, match=message):
        ae.data.load_cifar10(tmp_path / "batch")


def test_a_folder_without_batches_is_refused(tmp_path):
    with pytest.raises(ValueError, match="holds no"):
        ae.data.load_cifar10(tmp_path)
