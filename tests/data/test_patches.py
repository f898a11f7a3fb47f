"""Colour patches."""

import numpy as np
import pytest
from sklearn.datasets import load_sample_images

import anneal_edu as ae
from anneal_edu.data.patches import _cut

D = 108


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


def test_whitening_is_symmetric_and_turns_each_eigenvalue_e_into_e_over_e_plus_a_tenth():
    """ZCA: the linear map from patches before to patches after is symmetric, so that they still look like patches."""
    before, after = normalised(3000, seed=2), ae.data.color_patches(3000, rng=np.random.default_rng(2))
    np.testing.assert_allclose(after.mean(0), 0, atol=1e-10)
    np.testing.assert_allclose(after.sum(1), 0, atol=1e-9)
    e, U = np.linalg.eigh(np.cov(before.T, bias=True))
    np.testing.assert_allclose(U.T @ np.cov(after.T, bias=True) @ U, np.diag(e / (e + 0.1)), atol=1e-10)
    step = np.linalg.lstsq(before - before.mean(0), after, rcond=1e-8)[0]
    np.testing.assert_allclose(step, step.T, atol=1e-8)


def test_a_flat_patch_stays_quieter_than_textures():
    """A nearly flat image, grey levels 128 ± 1, among noise: its patches keep a small part of the others' length."""
    flat = 128 + np.random.default_rng(0).integers(-1, 2, size=(40, 40, 3))
    patches = ae.data.color_patches(4000, images=[flat, *noise_images(40, 40, 1)], rng=np.random.default_rng(3))
    chosen = np.random.default_rng(3).integers(2, size=4000)
    lengths = np.linalg.norm(patches, axis=1)
    assert lengths[chosen == 0].mean() < 0.4 * lengths[chosen == 1].mean()


def test_constant_images_become_zeros():
    patches = ae.data.color_patches(50, images=[np.full((8, 8, 3), 128)], rng=np.random.default_rng(0))
    np.testing.assert_array_equal(patches, np.zeros((50, D)))


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
        (3, "images must be a list"),
        (np.zeros((9, 9, 3)), r"images\[0\] must have 3 axes, got shape \(9, 3\)"),
        ([np.full((9, 9, 3), "red")], r"images\[0\] must be an array of real numbers"),
        ([np.ones((8, 9, 9)) * 9], r"images\[0\] must have shape \(rows, cols, 3\), got \(8, 9, 9\)"),
        ([*noise_images(9, 9), np.zeros((5, 9, 3))], r"images\[3\] must be at least 6 by 6 pixels"),
        ([np.full((9, 9, 3), np.nan)], r"images\[0\] must be finite"),
        ([np.full((9, 9, 3), 256)], r"images\[0\] must lie on the scale 0 to 255, got values from 256 to 256"),
        ([np.full((9, 9, 3), -1)], "scale 0 to 255"),
        ([np.full((9, 9, 3), 0.5)], "images must lie on the scale 0 to 255, got no value above 0.5"),
    ],
)
def test_bad_images_are_named(images, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ae.data.color_patches(10, images=images, rng=np.random.default_rng(0))


@pytest.mark.parametrize("bad", [{"n": 1}, {"n": 2.5}, {"size": 1}, {"rng": 0}])
def test_bad_settings_are_named(bad):
    with pytest.raises((ValueError, TypeError), match=next(iter(bad))):
        ae.data.color_patches(**({"n": 10, "rng": np.random.default_rng(0)} | bad))
