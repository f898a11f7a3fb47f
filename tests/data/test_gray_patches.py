import numpy as np
import pytest
from sklearn.datasets import load_sample_images

import anneal_edu as ae
from anneal_edu.data.patches import _cut_grey, _left_edges
from anneal_edu.models.images import image_patches


@pytest.fixture(scope="module")
def patches():
    return ae.data.gray_patches(2000, n_held_out=500, rng=np.random.default_rng(0))


def noise_images(rows=20, cols=100, n=3):
    return list(np.random.default_rng(1).integers(0, 256, size=(n, rows, cols)).astype(float))


def test_training_patches_are_white(patches):
    x = patches.train
    assert x.shape == (2000, 36)
    np.testing.assert_allclose(x.mean(0), 0, atol=1e-8)
    np.testing.assert_allclose(x.T @ x / len(x), np.eye(36), atol=1e-8)


def test_held_out_patches_are_not_whitened_themselves(patches):
    """Of the same size as training patches, whose mean square is 36; but neither centred nor white."""
    x = patches.held_out
    assert x.shape == (500, 36)
    assert 36 / 2 < (x**2).sum(1).mean() < 36 * 2
    assert np.abs(x.mean(0)).max() > 0.01
    assert np.abs(x.T @ x / len(x) - np.eye(36)).max() > 0.1


@pytest.mark.parametrize("n_columns", [20, 33, 400])
def test_no_column_is_seen_by_both_sets(n_columns, size=4):
    seen = [
        {column for left in _left_edges(n_columns, size, held_out) for column in range(left, left + size)}
        for held_out in (False, True)
    ]
    assert not seen[0] & seen[1]
    assert len(seen[0] | seen[1]) > n_columns - size
    assert seen[1] >= {16, 17, 18, 19}


@pytest.mark.parametrize("held_out", [False, True])
def test_every_place_that_may_be_cut_is_and_rows_and_columns_are_drawn_apart(held_out, size=3):
    """A patch of noise tells its place; of at most 100 places 6,000 cuts miss none."""
    rng = np.random.default_rng(0)
    image = rng.uniform(1, 255, size=(6, 35))
    strip = np.arange(35) // (2 * size) % 5 == 2
    lefts = [left for left in range(33) if (strip[left : left + size] == held_out).all()]
    logs = np.array([np.log(1 + image[top : top + size, left : left + size]) for top in range(4) for left in lefts])
    expected = (logs - logs.mean((1, 2), keepdims=True)).reshape(len(logs), -1)
    found = _cut_grey([image], 6000, size, held_out, rng)
    distances = np.abs(found[:, None] - expected).max(2)  # (cuts, places)
    assert distances.min(1).max() < 1e-12, "no other places"
    assert distances.min(0).max() < 1e-12, "and all of these"


def test_held_out_patches_see_the_strips_and_training_patches_do_not():
    """Noise on one side of the cut, a flat wall on the other."""
    strips = np.arange(100) // 8 % 5 == 2
    outside, inside = ([np.where(where, image, 128) for image in noise_images()] for where in (~strips, strips))
    patches = ae.data.gray_patches(200, 15, 4, outside, rng=np.random.default_rng(0))
    flat = np.broadcast_to(-patches.mean_patch.reshape(4, 4), (100, 4, 4))
    np.testing.assert_allclose(patches.to_pixels(patches.held_out), flat, atol=1e-10)
    with pytest.raises(ValueError, match="n_components must be at most 0"):
        ae.data.gray_patches(200, 15, 4, inside, rng=np.random.default_rng(0))


def test_pixels_come_back_as_the_projection_of_the_patch():
    """With all 15 components of 4×4 patches nothing is lost; the patches are repeated by a loop over the draws."""
    images, rng = noise_images(), np.random.default_rng(5)
    patches = ae.data.gray_patches(500, 15, 4, images, n_held_out=10, rng=np.random.default_rng(5))
    for part, n, held_out in ((patches.train, 500, False), (patches.held_out, 10, True)):
        pixels = patches.to_pixels(part)
        assert pixels.shape == (n, 4, 4)
        cut = _cut_grey(images, n, 4, held_out, rng)
        np.testing.assert_allclose(pixels.reshape(n, 16) + patches.mean_patch, cut, atol=1e-8)


def test_a_patch_is_a_piece_of_a_photograph_in_log_luminance():
    """With all 255 components of 16×16 patches nothing is lost."""
    patches = ae.data.gray_patches(300, 255, rng=np.random.default_rng(3))
    patch = patches.to_pixels(patches.held_out[0]) + patches.mean_patch.reshape(16, 16)
    for image in load_sample_images().images:
        gray = np.log1p(image @ [0.299, 0.587, 0.114])
        places = np.lib.stride_tricks.sliding_window_view(gray, (16, 16))
        close = np.abs(places[..., 15, 15] - places[..., 0, 0] - patch[15, 15] + patch[0, 0]) < 1e-6
        if any(np.allclose(place - place.mean(), patch, atol=1e-6) for place in places[close]):
            return
    raise AssertionError("the patch is nowhere in the photographs")


def test_the_first_component_varies_most(patches):
    lengths = np.linalg.norm(patches.axes, axis=1)
    assert (np.diff(lengths) < 0).all()
    np.testing.assert_allclose(patches.axes @ patches.axes.T, np.diag(lengths**2), atol=1e-10)


def test_the_largest_entry_of_every_axis_is_positive(patches):
    """By a margin: the largest positive and the largest negative entry of no axis are alike, so no rounding decides."""
    for axes in (patches.axes, image_patches().axes):
        highest, lowest = axes.max(1), -axes.min(1)
        assert (highest > (1 + 1e-6) * lowest).all()


def test_the_signs_that_the_eigensolver_finds_do_not_matter(monkeypatch):
    """Planted: a LAPACK that turns every other eigenvector around."""
    one = ae.data.gray_patches(200, rng=np.random.default_rng(0))
    plain = np.linalg.eigh

    def turned(a):
        e, U = plain(a)
        return e, U * (-1.0) ** np.arange(len(e))

    monkeypatch.setattr(np.linalg, "eigh", turned)
    two = ae.data.gray_patches(200, rng=np.random.default_rng(0))
    for part in ("train", "held_out", "axes"):
        np.testing.assert_array_equal(getattr(one, part), getattr(two, part))


def test_brightness_does_not_matter_and_black_pixels_stay_finite():
    """Twice as much light adds log 2 to log intensity, up to the 1 that keeps black finite."""
    dim = [120 + image / 25 for image in noise_images()]
    black = [image * (image > 128) for image in noise_images()]
    one, two, three = (
        ae.data.gray_patches(50, 5, 4, images, n_held_out=5, rng=np.random.default_rng(0)).train
        for images in (dim, [(image + 1) * 1.9 - 1 for image in dim], black)
    )
    np.testing.assert_allclose(one, two, atol=1e-6)
    assert np.isfinite(three).all()


@pytest.mark.parametrize(
    ("images", "message"),
    [
        ([np.zeros((20, 90)), np.zeros((20, 90, 3))], r"images\[1\] must have 2 axes"),
        ([np.zeros((20, 79))], r"images\[0\] must be at least 16 by 80 pixels"),
        ([np.zeros((15, 90))], r"images\[0\] must be at least 16 by 80 pixels"),
        ([np.full((20, 90), 128)], "n_components must be at most 0 for these images"),
    ],
)
def test_bad_images_are_named(images, message):
    with pytest.raises(ValueError, match=message):
        ae.data.gray_patches(100, images=images, rng=np.random.default_rng(0))


@pytest.mark.parametrize(
    ("bad", "wanted"),
    [
        *(({name: value}, name) for name, value in [("n", 36), ("n", 2.5), ("size", 1), ("n_components", 0)]),
        *(({name: 0}, name) for name in ("n_held_out", "rng", "images")),
        ({"size": 6}, "n_components must be less than size"),
    ],
)
def test_bad_settings_are_named(bad, wanted):
    with pytest.raises((ValueError, TypeError), match=wanted):
        ae.data.gray_patches(**({"n": 100, "rng": np.random.default_rng(0)} | bad))
